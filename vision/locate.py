"""Where pieces lie: rotated boxes from the locator, at the size at which it sees them best.

A first pass looks at the whole photo at a moderate size. Where the pieces found are too small or too large for the
network's liking, a second pass looks again at a size that suits them, small ones only where they lie, and both passes
are merged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.flatten import Floats, Image, Levels, Picture, part
from vision.geometry import area, box_quads, shared_area, sides
from vision.weights import Network, Tensor, WeightsError

SpotKind = Literal["tile", "tile_back", "card_index", "card_back"]
KINDS: tuple[SpotKind, ...] = ("tile", "tile_back", "card_index", "card_back")
TILES: frozenset[SpotKind] = frozenset({"tile", "tile_back"})
"""A tile, either side up."""

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
"""Score from which a find counts when the first pass saw hardly anything, tells where pieces lie,
and makes a row in which a fainter one may fill a gap."""
CLEAR, MANY = 0.65, 4
"""Score of a pass's best find under which it may have seen hardly anything, and how many times more finds a closer look
has to make to be believed instead."""
WORTH = 0.12
"""Score from which a find is worth a second opinion."""
HEARD = 0.6
"""Score from which a find counts that a second opinion was heard on."""
FAINT = 0.05
"""Score from which a find in the gap of a row is believed to be something."""
GAP = (1.5, 2.7)
"""Widths from centre to centre of two tiles between which one is missing."""
MIDDLE = 0.3
"""Widths by which a faint find may lie off the middle of the gap."""
ALIKE = 1.35
"""Ratio of their long sides from which two tiles are no neighbours."""
ASKEW = 15.0
"""Degrees between the gap and a tile's own width, from which it is no row."""
GROUND = 0.9
"""Share of a find in colours of the ground around from which the gap is bare."""
PATCH, INNER, OUTER, SHADES, COMMON = 40, 0.6, 1.1, 16, 0.02
"""How that is told: pixels of the find's longer side, the part of it that counts, the part left out around it, levels
to a shade, and the share of the ground from which a shade is common there."""
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
    between: bool = False
    """A faint find just where a tile is missing in a row: it counts, whatever it is."""

    @cached_property
    def centre(self) -> Floats:
        """Middle of the box (2,)."""
        return np.asarray(self.quad.mean(axis=0), np.float64)

    @cached_property
    def long_side(self) -> float:
        """The box's longer side in pixels."""
        return float(max(np.hypot(*(self.quad[1] - self.quad[0])), np.hypot(*(self.quad[2] - self.quad[1]))))

    @cached_property
    def short_side(self) -> float:
        """The box's shorter side in pixels."""
        return float(min(np.hypot(*(self.quad[1] - self.quad[0])), np.hypot(*(self.quad[2] - self.quad[1]))))

    @cached_property
    def across(self) -> Floats:
        """The unit vector along the shorter side, either way."""
        one, two = self.quad[1] - self.quad[0], self.quad[2] - self.quad[1]
        side = one if np.hypot(*one) <= np.hypot(*two) else two
        return np.asarray(side / max(float(np.hypot(*side)), 1e-9), np.float64)


Witness = Callable[[Picture, list[Spot]], list[Spot]]


def locate(picture: Picture, network: Network, faint: bool = False, witness: Witness | None = None) -> list[Spot]:
    """Find the pieces of an upright photo (h, w, 3) BGR, best first. Raises WeightsError for a foreign network.

    `faint`: with what lies where a tile is missing in a row (`Spot.between`), which may be a blurred tile, or one
    under a thumb. `witness`: gives the finds the scores that they have with a second opinion; HEARD counts then.
    """
    least = network.number("threshold", SCORE)
    lowest = min([least, *([FAINT] if faint else []), *([WORTH] if witness else [])])
    found = _passes(picture, network, lowest)
    if witness:
        found, least = witness(picture, found), HEARD
    if not faint:
        return [spot for spot in found if spot.score >= least]
    counted = [spot for spot in found if spot.score >= least]
    tiles = [spot for spot in counted if spot.kind == "tile"]
    centres = np.array([spot.centre for spot in tiles]).reshape(-1, 2)
    reach = np.array([2 * spot.long_side for spot in tiles])
    marked = []
    for spot in found:
        if spot.score < max(SURE, least):
            near = np.flatnonzero(np.hypot(*(centres - spot.centre).T) < reach).tolist()
            if _fills_gap(spot, [tiles[n] for n in near if tiles[n] is not spot]) and (
                ground_share(picture, spot, counted) < GROUND
            ):
                spot = replace(spot, between=True)
        marked.append(spot)
    return [spot for spot in marked if spot.between or spot.score >= least]


def _fills_gap(spot: Spot, near: Sequence[Spot]) -> bool:
    """Does a faint find lie midway between two tiles of one row, one of them sure, just where a third would?"""
    for n, one in enumerate(near):
        for two in near[n + 1 :]:
            width = (one.short_side + two.short_side) / 2
            gap = two.centre - one.centre
            length = max(float(np.hypot(*gap)), 1e-9)
            alike = 1 / ALIKE < one.long_side / two.long_side < ALIKE
            if max(one.score, two.score) < SURE or not alike or not GAP[0] < length / width < GAP[1]:
                continue
            off = float(np.hypot(*(spot.centre - (one.centre + two.centre) / 2)))
            along = [abs(float(tile.across @ gap)) / length > np.cos(np.radians(ASKEW)) for tile in (one, two)]
            if off < MIDDLE * width and all(along):
                return True
    return False


def ground_share(picture: Picture, spot: Spot, others: Sequence[Spot]) -> float:
    """Share of the middle of a find, 0 to 1, in colours that are common on the ground around it: near 1 for a bare gap
    between tiles. Other finds are left out of both; 1 where nothing is left to compare."""
    scale = PATCH / max(spot.long_side, 1.0)
    reach = 2 * spot.long_side
    left, top = (int(max(v, 0)) for v in spot.centre - reach)
    right, bottom = (int(min(v, n)) for v, n in zip(spot.centre + reach, picture.shape[1::-1], strict=True))
    if right - left < 2 or bottom - top < 2:
        return 1.0
    size = (max(round((right - left) * scale), 2), max(round((bottom - top) * scale), 2))
    about, reduced, start = part(picture, (left, top, right, bottom), 1 / scale)
    seen = cv2.GaussianBlur(cv2.resize(about, size, interpolation=cv2.INTER_AREA), (3, 3), 0)
    stretch = np.array(size) / (np.array(about.shape[1::-1]) * reduced)

    def drawn(quad: Floats) -> NDArray[np.bool_]:
        mask = np.zeros(size[::-1], np.uint8)
        points = np.rint((quad - start) * stretch).astype(np.int32)
        return np.asarray(cv2.fillConvexPoly(mask, points, 1) > 0)

    tiles = np.zeros(size[::-1], np.uint8)
    for other in others:
        if other is not spot and np.hypot(*(other.centre - spot.centre)) < reach + other.long_side:
            tiles |= drawn(other.quad).astype(np.uint8)
    free = cv2.dilate(tiles, np.ones((5, 5), np.uint8)) == 0
    middle = drawn(spot.centre + INNER * (spot.quad - spot.centre)) & free
    around = free & ~drawn(spot.centre + OUTER * (spot.quad - spot.centre))
    if not middle.any() or not around.any():
        return 1.0
    bins = (seen // SHADES).reshape(*seen.shape[:2], 3).astype(np.int64)
    count = np.zeros((256 // SHADES + 2,) * 3)
    np.add.at(count, tuple(bins[around].T + 1), 1.0)
    near = count
    for axis in range(3):
        near = sum((np.roll(near, step, axis) for step in (-1, 1)), near)
    common = near[tuple(bins[middle].T + 1)] > COMMON * around.sum()
    return float(common.mean())


def _passes(picture: Picture, network: Network, least: float) -> list[Spot]:
    """All finds at least so sure, from one look, two, or for the smallest three."""
    longest = max(picture.shape[:2])
    first = int(min(network.number("size", FIRST), max(longest, STRIDE)))
    spots = look(picture, network, first, least)
    counted = [spot for spot in spots if spot.score >= network.number("threshold", SCORE)]
    closer = min(2 * first, longest, LONGEST)
    if not counted:  # nothing there, or all of it too small or too large: only a sure find counts now
        sizes = (closer, max(first // 2, SHORTEST))
        more = [spot for size in sizes if size != first for spot in look(picture, network, size)]
        return merge([spot for spot in more if spot.score >= SURE])
    if max(spot.score for spot in counted) < CLEAR and closer != first:
        # a patch of cloth may look like a tile where tiles are too small to be seen
        more = [spot for spot in look(picture, network, closer) if spot.score >= SURE]
        if len(more) >= MANY * len(counted):
            spots, counted, first = more, more, closer
    again = second_size(counted, first, longest)
    if again is None:
        return spots
    # each pass is believed where it sees pieces at a good size
    kept = [spot for spot in spots if SMALL <= spot.long_side * first / longest <= LARGE]
    if again > first:
        left, top, right, bottom = region(counted, picture.shape[1], picture.shape[0])
        size = min(round(again * max(right - left, bottom - top) / longest), LONGEST)
        near, reduced, start = part(picture, (left, top, right, bottom), max(right - left, bottom - top) / size)
        fresh = [replace(spot, quad=spot.quad * reduced + start) for spot in look(near, network, size, least)]
        outside = [spot for spot in spots if not (left <= spot.centre[0] < right and top <= spot.centre[1] < bottom)]
        return merge([*fresh, *kept, *outside])
    fresh = look(picture, network, again, least)
    return merge([*fresh, *(spot for spot in kept if not _part_of(spot, fresh))])


def region(spots: Sequence[Spot], width: int, height: int) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of the part of a picture that holds all sure finds with some room around, or all of it
    where little would be saved. Where few are sure, as where pieces are tiny, all finds count: none tells where they
    end."""
    sure = [spot for spot in spots if spot.score >= SURE]
    sure = sure if 2 * len(sure) >= len(spots) else list(spots)
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


def look(picture: Picture, network: Network, long_side: int, least: float | None = None) -> list[Spot]:
    """One pass: the whole photo with this long side (never enlarged), every find at least so sure; None: as the
    network's own threshold."""
    height, width = picture.shape[:2]
    scale = min(long_side / max(height, width), 1.0)
    small = shrink(picture, (max(round(width * scale), 1), max(round(height * scale), 1)))
    raw = network.run(letterbox(small)).get("raw")
    rows = 4 + len(KINDS) + 1
    if raw is None or raw.ndim != 3 or raw.shape[:2] != (1, rows):
        raise WeightsError(f"The locator's output 'raw' must have the shape (1, {rows}, number of places).")
    found = raw[0].T.astype(np.float64)
    scores = found[:, 4 : 4 + len(KINDS)]
    best = scores.max(axis=1)
    order = np.flatnonzero(best >= (network.number("threshold", SCORE) if least is None else least))
    order = order[np.argsort(-best[order], kind="stable")][:MOST]
    stretch = np.array([width / small.shape[1], height / small.shape[0]])
    quads = box_quads(found[order, :4], found[order, -1]) * stretch
    solid = np.minimum(*sides(quads)) > 0
    order, quads = order[solid], quads[solid]
    kinds = scores[order].argmax(axis=1)
    # a piece is found dozens of times: only what is left of them is worth a Spot
    kept = _survivors(quads, np.array([KINDS[k] in TILES for k in kinds], bool))
    return [Spot(KINDS[kinds[n]], float(best[order[n]]), quads[n]) for n in kept]


def shrink(picture: Picture, size: tuple[int, int]) -> Image:
    """Resize to (width, height) without aliasing: whole blocks averaged first, which is fast, then the rest."""
    height, width = picture.shape[:2]
    block = max(min(width // max(size[0], 1), height // max(size[1], 1)), 1)
    if isinstance(picture, Levels):
        image = picture.at(picture.nearest(block))
    elif block >= 2:
        image = np.asarray(
            cv2.resize(
                picture[: height - height % block, : width - width % block],
                (width // block, height // block),
                interpolation=cv2.INTER_AREA,
            ),
            np.uint8,
        )
    else:
        image = picture
    if (image.shape[1], image.shape[0]) == size:
        return image
    # what is left is a factor of about two at most: up to 1.5 plain interpolation loses nothing and is much faster
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


def merge(spots: Sequence[Spot]) -> list[Spot]:
    """Keep the best find of each piece (non-maximum suppression on rotated boxes, whatever the class)."""
    ordered = sorted(spots, key=lambda spot: -spot.score)
    if len(ordered) < 2:
        return ordered
    tiles = np.array([spot.kind in TILES for spot in ordered])
    return [ordered[n] for n in _survivors(np.stack([spot.quad for spot in ordered]), tiles)]


def _survivors(quads: Floats, tiles: NDArray[np.bool_]) -> list[int]:
    """Which of these finds (n, 4, 2), best first, are no second find of a better one; `tiles` (n,): tiles, either side
    up."""
    centres = quads.mean(axis=1)
    width, height = sides(quads)
    reach, areas = np.maximum(width, height), width * height
    rest: NDArray[np.intp] = np.arange(len(quads))
    kept: list[int] = []
    while len(rest):
        n, rest = int(rest[0]), rest[1:]
        kept.append(n)
        distance = np.hypot(*(centres[rest] - centres[n]).T)
        # finds of one piece mostly agree: centres together and sizes alike need no polygons
        apart = (distance >= 0.15 * np.sqrt(areas[n])) | (np.abs(areas[rest] - areas[n]) >= 0.3 * areas[n])
        rest, distance = rest[apart], distance[apart]
        near: NDArray[np.intp] = np.flatnonzero(distance < 0.75 * np.maximum(reach[rest], reach[n]))
        at_most = _most_shared(quads[n], quads[rest[near]])
        stays = np.ones(len(rest), bool)
        for k, bound in zip(near.tolist(), at_most.tolist(), strict=True):
            m = rest[k]
            needed = SAME * (areas[n] + areas[m]) / (1 + SAME)
            if tiles[n] and tiles[m]:
                needed = min(needed, INSIDE * min(areas[n], areas[m]))
            stays[k] = bound <= needed or shared_area(quads[n], quads[m]) <= needed
        rest = rest[stays]
    return kept


def _most_shared(box: Floats, others: Floats) -> Floats:
    """What a box (4, 2) can share with others (n, 4, 2) at the most (n,): as if they lay along its own sides."""
    middle = box.mean(axis=0)
    across, down = box[1] - box[0], box[3] - box[0]
    half = np.array([np.hypot(*across), np.hypot(*down)]) / 2
    local = (others - middle) @ np.stack([across / (2 * half[0]), down / (2 * half[1])], axis=1)
    room = np.minimum(local.max(axis=1), half) - np.maximum(local.min(axis=1), -half)
    return np.asarray(np.maximum(room, 0).prod(axis=1), np.float64)
