"""Cut quads upright out of the full-resolution photo: what the networks look at, in training as in use.

Coordinates are continuous: (0, 0) is the outer top left corner of the picture, so the centre of its first pixel lies
at (0.5, 0.5), as in labels and in the locator's output. OpenCV counts from pixel centres; the shift happens here only.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

Image = NDArray[np.uint8]
Floats = NDArray[np.float64]


def flatten(image: Image, quads: ArrayLike, size: tuple[int, int], margin: float = 0.0) -> Image:
    """Flatten quads into crops of one size.

    `image` (H, W, 3) uint8 in any channel order; `quads` (n, 4, 2): corners in pixels, clockwise from the piece's own
    top left; `size` (width, height) of a crop in pixels; `margin`: how much beyond each side is kept, as a share of
    that side. Returns (n, height, width, 3). What lies outside the picture repeats its border. A crop much smaller
    than its quad is taken from pixels averaged beforehand, so that thin strokes survive.

    Raises ValueError for an empty picture, for quads of another shape, or for corners that are no numbers.
    """
    corners = np.asarray(quads, dtype=np.float64).reshape(-1, 4, 2) if np.size(quads) else np.zeros((0, 4, 2))
    if image.ndim != 3 or image.shape[0] < 1 or image.shape[1] < 1:
        raise ValueError("The picture must have the shape (height, width, channels) and at least one pixel.")
    if not np.isfinite(corners).all():
        raise ValueError("A quad has a corner that is no number.")
    width, height = size
    crops = np.empty((len(corners), height, width, image.shape[2]), np.uint8)
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
    low = outer.min(axis=1)
    high = outer.max(axis=1)
    # where many large quads cover the picture, its pixels are averaged once for all of them
    shared = float(np.prod(high - low, axis=1)[factors >= 4].sum()) > image.shape[0] * image.shape[1] / 2
    levels = {1: image}
    for n, wanted in enumerate(factors):
        level = 1
        while shared and wanted >= 4 * level:
            level *= 2
            if level not in levels:
                levels[level] = _halved(levels[level // 2])
        source, factor = levels[level], max(round(wanted / level), 1)
        rows, columns = source.shape[:2]
        pad = 2 * factor
        left = int(min(max(low[n, 0] / level - pad, 0), columns - 1))
        top = int(min(max(low[n, 1] / level - pad, 0), rows - 1))
        right = int(min(max(high[n, 0] / level + pad + 1, left + 1), columns))
        bottom = int(min(max(high[n, 1] / level + pad + 1, top + 1), rows))
        # whole blocks, where the picture allows, keep the averaging on its fast path
        right = min(right + -(right - left) % factor, columns)
        bottom = min(bottom + -(bottom - top) % factor, rows)
        part = source[top:bottom, left:right]
        scale_x = scale_y = 1.0
        if factor > 1:
            small = (max((right - left) // factor, 1), max((bottom - top) // factor, 1))
            part = np.asarray(cv2.resize(part, small, interpolation=cv2.INTER_AREA), np.uint8)
            scale_x, scale_y = small[0] / (right - left), small[1] / (bottom - top)
        to_part = np.array(
            [[scale_x / level, 0, -left * scale_x - 0.5], [0, scale_y / level, -top * scale_y - 0.5], [0, 0, 1.0]]
        )
        cv2.warpPerspective(part, to_part @ maps[n], (width, height), dst=crops[n],
                            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP, borderMode=cv2.BORDER_REPLICATE)
    return crops


def patches(image: Image, centres: ArrayLike, sides: ArrayLike, size: int = 64) -> Image:
    """Cut axis-aligned squares around points: what the corner network looks at.

    `centres` (n, 2) and `sides` (n,) in pixels of `image`. Returns (n, size, size, 3); beyond the picture its border
    repeats.
    """
    return flatten(image, squares(centres, sides), (size, size))


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


def _halved(image: Image) -> Image:
    """Half the size by averages of four; an odd last row or column is left out."""
    height, width = (max(side // 2, 1) for side in image.shape[:2])
    part = image[: 2 * height, : 2 * width]
    return np.asarray(cv2.resize(part, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def _length(corners: Floats, start: int, end: int) -> Floats:
    gap = corners[:, end] - corners[:, start]
    return np.asarray(np.hypot(gap[:, 0], gap[:, 1]), dtype=np.float64)
