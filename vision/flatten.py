"""Cut quads upright out of the full-resolution photo: what the networks look at, in training as in use.

Coordinates are continuous: (0, 0) is the outer top left corner of the picture, so the centre of its first pixel lies
at (0.5, 0.5), as in labels and in the locator's output. OpenCV counts from pixel centres; the shift happens here only.
"""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]


class Levels:
    """A picture with its half, its quarter and so on, each made once: for all that look at a large picture small.

    `shape` (H, W, C) of the whole picture; `known`: what there is of it, uint8, by the power of two that it is reduced
    by, 1 for the whole; `whole` makes the whole where it is not there, which happens when it is asked for.
    """

    def __init__(self, shape: tuple[int, ...], known: dict[int, Image],
                 whole: Callable[[], Image] | None = None) -> None:
        self.shape = shape
        self._known = dict(known)
        self._whole = whole

    def made(self, factor: int) -> bool:
        """Is the picture at 1 / `factor` there already?"""
        return factor in self._known

    @staticmethod
    def nearest(factor: float) -> int:
        """The greatest level, a power of two, that reduces by no more than `factor`, 1 or more."""
        return 1 << (int(factor).bit_length() - 1)

    def at(self, factor: int) -> Image:
        """The picture at 1 / `factor`, a power of two. An odd last row or column of a level is left out of the next."""
        if factor not in self._known:
            if factor == 1:
                assert self._whole is not None, "Levels that know neither the whole nor how it is made"
                self._known[1] = self._whole()
            else:
                image = self.at(factor // 2)
                height, width = (max(side // 2, 1) for side in image.shape[:2])
                half = cv2.resize(image[: 2 * height, : 2 * width], (width, height), interpolation=cv2.INTER_AREA)
                self._known[factor] = np.asarray(half, np.uint8)
        return self._known[factor]


Picture = Image | Levels
"""A picture (H, W, C) uint8, with what was made of it already or without."""


def levels_of(picture: Picture) -> Levels:
    """The picture with its smaller ones."""
    return picture if isinstance(picture, Levels) else Levels(picture.shape, {1: picture})


def pixels(picture: Picture) -> Image:
    """The picture itself (H, W, C)."""
    return picture.at(1) if isinstance(picture, Levels) else picture


def part(picture: Picture, box: tuple[int, int, int, int], factor: float) -> tuple[Image, int, Floats]:
    """What lies in a box (left, top, right, bottom), at the smallest level that is to be reduced no more than by
    `factor` in all; by how much it is reduced, and the pixel of the picture (x, y) where it begins."""
    level = picture.nearest(max(factor, 1.0)) if isinstance(picture, Levels) else 1
    image = levels_of(picture).at(level)
    left, top, right, bottom = (box[0] // level, box[1] // level, -(-box[2] // level), -(-box[3] // level))
    return image[top:bottom, left:right], level, np.array([left * level, top * level], np.float64)


def flatten(picture: Picture, quads: ArrayLike, size: tuple[int, int], margin: float = 0.0) -> Image:
    """Flatten quads into crops of one size.

    `picture` (H, W, C) uint8 in any channel order; `quads` (n, 4, 2): corners in pixels, clockwise from the piece's own
    top left; `size` (width, height) of a crop in pixels; `margin`: how much beyond each side is kept, as a share of
    that side. Returns (n, height, width, C). What lies outside the picture repeats its border. A crop much smaller
    than its quad is taken from pixels averaged beforehand, so that thin strokes survive.

    Raises ValueError for an empty picture, for quads of another shape, or for corners that are no numbers.
    """
    corners = np.asarray(quads, dtype=np.float64).reshape(-1, 4, 2) if np.size(quads) else np.zeros((0, 4, 2))
    if len(picture.shape) != 3 or picture.shape[0] < 1 or picture.shape[1] < 1:
        raise ValueError("The picture must have the shape (height, width, channels) and at least one pixel.")
    if not np.isfinite(corners).all():
        raise ValueError("A quad has a corner that is no number.")
    width, height = size
    crops = np.empty((len(corners), height, width, picture.shape[2]), np.uint8)
    if not len(corners):
        return crops
    to_photo = homographies(corners)
    # crop pixel (i, j) -> (u, v) in the quad, whose corners are (0, 0), (1, 0), (1, 1), (0, 1)
    grow = 1.0 + 2.0 * margin
    step_u, step_v = grow / width, grow / height
    to_unit = np.array([[step_u, 0, 0.5 * step_u - margin], [0, step_v, 0.5 * step_v - margin], [0, 0, 1.0]])
    maps = to_photo @ to_unit
    outer = _apply(to_photo, np.array([[-margin, -margin], [1 + margin, -margin], [1 + margin, 1 + margin],
                                       [-margin, 1 + margin]]))
    across = np.maximum(_length(outer, 0, 1), _length(outer, 3, 2)) / width
    down = np.maximum(_length(outer, 1, 2), _length(outer, 0, 3)) / height
    factors = np.clip(np.rint(np.sqrt(across * down)), 1, 64).astype(int)
    low, high = outer.min(axis=1), outer.max(axis=1)
    covered = float(np.prod(high - low, axis=1)[factors >= 4].sum()) / (picture.shape[0] * picture.shape[1])
    sources = levels_of(picture)
    level = _levels(sources, factors, covered)
    factor = np.maximum((factors / level + 0.49).astype(int), 1)  # 1.5 is sampled as it is, 2.5 as two
    sides = {int(one): sources.at(int(one)).shape[1::-1] for one in np.unique(level)}
    most = np.array([sides[one] for one in level.tolist()])
    first = np.clip(low / level[:, None] - 2 * factor[:, None], 0, most - 1).astype(int)
    last = np.minimum(np.maximum(high / level[:, None] + 2 * factor[:, None] + 1, first + 1), most).astype(int)
    # whole blocks, where the picture allows, keep the averaging on its fast path
    last = np.minimum(last + -(last - first) % factor[:, None], most)
    small = np.maximum((last - first) // factor[:, None], 1)
    scale = small / (last - first)
    to_part = np.zeros((len(corners), 3, 3))
    to_part[:, (0, 1), (0, 1)] = scale / level[:, None]
    to_part[:, :2, 2] = -first * scale - 0.5
    to_part[:, 2, 2] = 1.0
    maps = to_part @ maps
    for n, ((left, top), (right, bottom)) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
        piece = sources.at(int(level[n]))[top:bottom, left:right]
        if factor[n] > 1:
            piece = np.asarray(cv2.resize(piece, small[n].tolist(), interpolation=cv2.INTER_AREA), np.uint8)
        cv2.warpPerspective(piece, maps[n], (width, height), dst=crops[n],
                            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE)
    return crops


def _levels(sources: Levels, factors: NDArray[np.int_], covered: float) -> NDArray[np.int_]:
    """From which level each crop is taken that is to be reduced by `factors` (n,) in all: one that leaves a factor of
    two at least, so that blocks average well; (n,). `covered`: the share of the picture under strongly reduced crops.
    """
    level = np.ones(len(factors), int)
    step = 2
    # levels are made where there is so much to average that doing it once for all is less, and used wherever they are
    while step <= factors.max() // 2 and (covered > 0.5 or sources.made(step)):
        level[factors >= 2 * step] = step
        step *= 2
    if not sources.made(1):  # a half is as good as the whole whose pixels would be averaged by two
        level[factors >= 2] = np.maximum(level, 2)[factors >= 2]
    return level


def patches(picture: Picture, centres: ArrayLike, sides: ArrayLike, size: int = 64) -> Image:
    """Cut axis-aligned squares around points: what the corner network looks at.

    `centres` (n, 2) and `sides` (n,) in pixels of it. Returns (n, size, size, 3); beyond the picture its border
    repeats.
    """
    return flatten(picture, squares(centres, sides), (size, size))


def squares(centres: ArrayLike, sides: ArrayLike) -> Floats:
    """Axis-aligned squares as quads (n, 4, 2), clockwise from the top left."""
    middle = np.asarray(centres, dtype=np.float64).reshape(-1, 1, 2)
    half = np.asarray(sides, dtype=np.float64).reshape(-1, 1, 1) / 2
    return np.asarray(middle + half * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]), np.float64)


def from_patch(points: ArrayLike, centres: ArrayLike, sides: ArrayLike) -> Floats:
    """Points (n, k, 2) in patch units (-1..1, 0 the centre) back to pixels of the photo."""
    units = np.asarray(points, dtype=np.float64)
    middle = np.asarray(centres, dtype=np.float64).reshape(-1, 1, 2)
    return middle + units * (np.asarray(sides, dtype=np.float64).reshape(-1, 1, 1) / 2)


def to_patch(points: ArrayLike, centres: ArrayLike, sides: ArrayLike) -> Floats:
    """Points (n, k, 2) in pixels of the photo to patch units, the inverse of `from_patch`."""
    pixels = np.asarray(points, dtype=np.float64)
    middle = np.asarray(centres, dtype=np.float64).reshape(-1, 1, 2)
    return (pixels - middle) / (np.asarray(sides, dtype=np.float64).reshape(-1, 1, 1) / 2)


def as_input(crops: Image) -> NDArray[np.float32]:
    """BGR crops (n, h, w, 3) as what a network takes: RGB float32 (n, 3, h, w), 0 to 1."""
    planes = np.ascontiguousarray(crops[..., ::-1].transpose(0, 3, 1, 2), dtype=np.float32)
    planes *= np.float32(1 / 255)
    return planes


def homographies(quads: ArrayLike) -> Floats:
    """For each quad (n, 4, 2) the homography (3, 3) that takes the unit square's corners (0,0), (1,0), (1,1), (0,1)
    to its corners. Closed form (Heckbert 1989), all quads at once; a quad without area becomes its affine part."""
    q = np.asarray(quads, dtype=np.float64).reshape(-1, 4, 2)
    one, two, bend = q[:, 1] - q[:, 2], q[:, 3] - q[:, 2], q[:, 0] - q[:, 1] + q[:, 2] - q[:, 3]
    area = one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]
    flat = np.abs(area) < 1e-9
    safe = np.where(flat, 1.0, area)
    g = np.where(flat, 0.0, (bend[:, 0] * two[:, 1] - bend[:, 1] * two[:, 0]) / safe)
    h = np.where(flat, 0.0, (one[:, 0] * bend[:, 1] - one[:, 1] * bend[:, 0]) / safe)
    result = np.empty((len(q), 3, 3))
    result[:, :2, 0] = q[:, 1] - q[:, 0] + g[:, None] * q[:, 1]
    result[:, :2, 1] = q[:, 3] - q[:, 0] + h[:, None] * q[:, 3]
    result[:, :2, 2] = q[:, 0]
    result[:, 2, 0], result[:, 2, 1], result[:, 2, 2] = g, h, 1.0
    return result


def _apply(maps: Floats, points: Floats) -> Floats:
    """Points (k, 2) through each of the maps (n, 3, 3): (n, k, 2)."""
    full = np.concatenate([points, np.ones((len(points), 1))], axis=1)
    moved = np.einsum("nij,kj->nki", maps, full)
    weight = moved[..., 2:]
    # a quad seen edge-on may put a margin corner beyond the horizon; there any finite place will do
    return np.asarray(moved[..., :2] / np.where(np.abs(weight) < 1e-3, 1e-3, weight), np.float64)


def _length(corners: Floats, start: int, end: int) -> Floats:
    gap = corners[:, end] - corners[:, start]
    return np.asarray(np.hypot(gap[:, 0], gap[:, 1]), dtype=np.float64)
