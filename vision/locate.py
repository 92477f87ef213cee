"""Where pieces lie: rotated boxes from the locator, at the size at which it sees them best.

A first pass looks at the whole photo at a moderate size. Where the pieces found are too small or too large for the
network's liking, a second pass looks again at a size that suits them, small ones only where they lie, and both passes
are merged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.flatten import Floats, Image
from vision.geometry import area, box_quads, shared_area, sides
from vision.weights import Network, Tensor, WeightsError

SpotKind = Literal["tile", "tile_back", "card_index", "card_back"]
KINDS: tuple[SpotKind, ...] = ("tile", "tile_back", "card_index", "card_back")

FIRST = 640
"""Long side of the first pass in pixels; the file's metadata may say another (`size`)."""
LONGEST = 1600
"""Long side of the largest second pass in pixels."""
SHORTEST = 256
"""Long side of the smallest second pass."""
STRIDE = 32
GREY = 114
SCORE = 0.25
"""Score under which a find is none; the file's metadata may say another (`threshold`)."""
SURE = 0.5
"""Score from which a find counts when the first pass saw nothing at all, and tells where pieces lie."""
SMALL = 22.0
"""Pixels of a pass along a piece's longer side, under which it is looked at again, larger."""
LARGE = 100.0
"""The same, above which it is looked at again, smaller: of a larger tile the network takes a part for the whole."""
WELL = 48.0
"""Pixels of a pass along a large piece's longer side at which the network sees best."""
ENOUGH = 28.0
"""Pixels of a pass along a small piece's longer side from which none is missed; more would only cost time."""
AROUND = 4.0
"""Pieces' longer sides around the sure finds within which a second pass looks for small ones."""
MOSTLY = 0.7
"""Share of the picture from which its part is not worth cutting out."""
COVERED = 0.3
"""Share of a large find on one of the second pass from which it is a part of that piece, or the same."""
SAME = 0.45
"""Overlap (intersection over union) from which two finds are one piece; touching and overlapping ones stay."""
INSIDE = 0.7
"""Share of the smaller of two tiles covered by the other from which they are one: a half of a tile is no tile."""
MOST = 3000
"""Finds kept before merging."""


@dataclass(frozen=True, eq=False)
class Spot:
    """A piece located: its rotated box as a quad (4, 2) in pixels of the photo, clockwise, from any corner."""

    kind: SpotKind
    score: float
    quad: Floats

    @property
    def centre(self) -> Floats:
        """Middle of the box (2,)."""
        return np.asarray(self.quad.mean(axis=0), np.float64)

    @property
    def long_side(self) -> float:
        """The box's longer side in pixels."""
        return float(max(np.hypot(*(self.quad[1] - self.quad[0])), np.hypot(*(self.quad[2] - self.quad[1]))))


def locate(image: Image, network: Network) -> list[Spot]:
    """Find the pieces of an upright photo (h, w, 3) BGR, best first. Raises WeightsError for a foreign network."""
    longest = max(image.shape[:2])
    first = int(min(network.number("size", FIRST), max(longest, STRIDE)))
    spots = look(image, network, first)
    if not spots:  # nothing there, or all of it too small or too large: only a sure find counts now
        sizes = [min(2 * first, longest, LONGEST), max(first // 2, SHORTEST)]
        more = [spot for size in sizes if size != first for spot in look(image, network, size)]
        return merge([spot for spot in more if spot.score >= SURE])
    again = second_size(spots, first, longest)
    if again is None:
        return spots
    # each pass is believed where it sees pieces at a good size
    kept = [spot for spot in spots if SMALL <= spot.long_side * first / longest <= LARGE]
    if again > first:
        left, top, right, bottom = region(spots, image.shape[1], image.shape[0])
        size = min(round(again * max(right - left, bottom - top) / longest), LONGEST)
        part = look(image[top:bottom, left:right], network, size)
        fresh = [replace(spot, quad=spot.quad + np.array([left, top])) for spot in part]
        outside = [spot for spot in spots if not (left <= spot.centre[0] < right and top <= spot.centre[1] < bottom)]
        return merge([*fresh, *kept, *outside])
    fresh = look(image, network, again)
    return merge([*fresh, *(spot for spot in kept if not _part_of(spot, fresh))])


def region(spots: Sequence[Spot], width: int, height: int) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of the part of a picture that holds all sure finds with some room around, or all of it
    where little would be saved."""
    sure = [spot for spot in spots if spot.score >= SURE] or spots
    corners = np.concatenate([spot.quad for spot in sure])
    room = AROUND * float(np.median([spot.long_side for spot in sure]))
    left, top = (int(max(v, 0)) for v in corners.min(axis=0) - room)
    right, bottom = (int(min(v, most)) for v, most in zip(corners.max(axis=0) + room, (width, height), strict=True))
    if (right - left) * (bottom - top) > MOSTLY * width * height or right <= left or bottom <= top:
        return 0, 0, width, height
    return left, top, right, bottom


def _part_of(spot: Spot, others: Sequence[Spot]) -> bool:
    """Does a find lie on one of these?"""
    least = COVERED * area(spot.quad)
    return any(
        float(np.hypot(*(other.centre - spot.centre))) < spot.long_side + other.long_side
        and shared_area(spot.quad, other.quad) > least
        for other in others
    )


def second_size(spots: list[Spot], first: int, longest: int) -> int | None:
    """The long side of a second pass over the whole photo, or None where the first saw well. `longest`: the photo's."""
    seen = np.array([spot.long_side for spot in spots]) * first / longest
    low, high = np.percentile(seen, [25, 75])
    if low < SMALL:
        size = first * ENOUGH / low
        return int(min(size, longest)) if min(size, longest) > 1.3 * first else None
    if high > LARGE:
        size = max(first * WELL / high, SHORTEST)
        return int(size) if size < first / 1.3 else None
    return None


def look(image: Image, network: Network, long_side: int) -> list[Spot]:
    """One pass: the whole photo with this long side (never enlarged), every find at least as sure as the threshold."""
    height, width = image.shape[:2]
    scale = min(long_side / max(height, width), 1.0)
    small = shrink(image, (max(round(width * scale), 1), max(round(height * scale), 1)))
    raw = network.run(letterbox(small)).get("raw")
    rows = 4 + len(KINDS) + 1
    if raw is None or raw.ndim != 3 or raw.shape[:2] != (1, rows):
        raise WeightsError(f"The locator's output 'raw' must have the shape (1, {rows}, number of places).")
    found = raw[0].T.astype(np.float64)
    scores = found[:, 4 : 4 + len(KINDS)]
    best = scores.max(axis=1)
    order = np.flatnonzero(best >= network.number("threshold", SCORE))
    order = order[np.argsort(-best[order], kind="stable")][:MOST]
    stretch = np.array([width / small.shape[1], height / small.shape[0]])
    quads = box_quads(found[order, :4], found[order, -1]) * stretch
    kinds = scores[order].argmax(axis=1)
    spots = [Spot(KINDS[k], float(best[n]), quad) for n, k, quad in zip(order, kinds, quads, strict=True)]
    return merge([spot for spot in spots if spot.long_side > 0])


def shrink(image: Image, size: tuple[int, int]) -> Image:
    """Resize to (width, height) without aliasing: whole blocks averaged first, which is fast, then the rest."""
    height, width = image.shape[:2]
    block = min(width // max(size[0], 1), height // max(size[1], 1))
    if block >= 2:
        image = np.asarray(
            cv2.resize(
                image[: height - height % block, : width - width % block],
                (width // block, height // block),
                interpolation=cv2.INTER_AREA,
            ),
            np.uint8,
        )
    if (image.shape[1], image.shape[0]) == size:
        return image
    # what is left is a factor under two: up to 1.5 plain interpolation loses nothing and is ten times as fast
    how = cv2.INTER_LINEAR if image.shape[1] <= 1.5 * size[0] else cv2.INTER_AREA
    return np.asarray(cv2.resize(image, size, interpolation=how), np.uint8)


def letterbox(image: Image) -> Tensor:
    """The network's input (1, 3, H, W): RGB 0 to 1, top left aligned, padded with grey to multiples of 32."""
    height, width = image.shape[:2]
    down, right = -height % STRIDE, -width % STRIDE
    planes = np.full((1, 3, height + down, width + right), GREY / 255, np.float32)
    for plane, channel in zip(planes[0], reversed(cv2.split(image)), strict=True):
        np.multiply(channel, np.float32(1 / 255), out=plane[:height, :width])
    return planes


def merge(spots: list[Spot]) -> list[Spot]:
    """Keep the best find of each piece (non-maximum suppression on rotated boxes, whatever the class)."""
    ordered = sorted(spots, key=lambda spot: -spot.score)
    count = len(ordered)
    if count < 2:
        return ordered
    quads = np.stack([spot.quad for spot in ordered])
    centres = quads.mean(axis=1)
    width, height = sides(quads)
    reach, areas = np.maximum(width, height), width * height
    alive = np.ones(count, bool)
    kept: list[Spot] = []
    for n, spot in enumerate(ordered):
        if not alive[n]:
            continue
        kept.append(spot)
        distance = np.hypot(*(centres - centres[n]).T)
        # finds of one piece mostly agree: centres together and sizes alike need no polygons
        alike = (distance < 0.15 * np.sqrt(areas[n])) & (np.abs(areas - areas[n]) < 0.3 * areas[n])
        alive[n + 1 :] &= ~alike[n + 1 :]
        near: NDArray[np.intp] = np.flatnonzero(alive & (distance < 0.75 * np.maximum(reach, reach[n])))
        for m in near[near > n]:
            common = shared_area(quads[n], quads[m])
            together = areas[n] + areas[m] - common
            same = common > SAME * together
            tiles = "tile" in spot.kind and "tile" in ordered[m].kind
            if same or (tiles and common > INSIDE * min(areas[n], areas[m])):
                alive[m] = False
    return kept
