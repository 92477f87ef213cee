"""The inks of one photo judged together, each relative to its own tile's body.

Red against orange and blue against black depend on the lamp. Dividing ink by body cancels the lamp's colour channel by
channel, and the tiles of one photo share one set's four inks, so the sure ones tell where the doubtful ones belong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.flatten import Floats, Image
from vision.identify import COLOURS
from vision.parallel import in_parts

BLUE_INK, BLACK_INK = (COLOURS["tile"].index(letter) for letter in "bk")
"""Their places among the probabilities of a colour."""
INNER = 0.15
"""Share of a crop left out on each side: table and bevel."""
FLOOR = 0.06
"""Share of the body's light added to ink and body before they are divided."""
CONTRAST = 0.35
"""Natural logarithm of body over ink (length over the channels) under which no ink is seen."""
PIXELS = 12
"""Fewest pixels of ink in a crop."""
MEMBER = 0.85
"""Probability from which a tile speaks for its ink."""
SPREAD = 0.15
"""Least spread of one ink within a photo."""
DEPTH = 0.6
"""Least spread of an ink's depth (mean over the channels) within a photo."""
NEAR = 2.5
"""Spreads within which a tile fits an ink."""
APART = 2.0
"""Spreads by which the rival ink must be farther off."""
GREY = 0.5
"""Share of another ink's spread over the channels under which an ink is black beside it."""
TORN = 0.7
"""Distance in hue (natural logarithms) from which one ink is two."""
_VALUES = np.arange(256) / 255
LINEAR = np.where(_VALUES <= 0.04045, _VALUES / 12.92, ((_VALUES + 0.055) / 1.055) ** 2.4).astype(np.float32)
"""Light by pixel value (sRGB, IEC 61966-2-1)."""
WEIGHT = 20.0
"""The most that the other tiles' inks may count against the tile's own reading (likelihood ratio)."""


def ink(crops: Image) -> list[Floats | None]:
    """The inks of upright tile crops (n, h, w, 3) BGR relative to their bodies: natural logarithm of ink over body for
    blue, green and red (3,), all near zero or negative. None where no ink stands out."""
    return [value for part in in_parts(lambda part: _inks(crops[part]), len(crops)) for value in part]


def _inks(crops: Image) -> list[Floats | None]:
    count, height, width = crops.shape[:3]
    top, left = round(height * INNER), round(width * INNER)
    linear = LINEAR[crops[:, top : height - top, left : width - left]].reshape(count, -1, 3)
    light = linear @ np.array([0.07, 0.72, 0.21], np.float32)
    brighter = np.argpartition(light, light.shape[1] // 2, axis=1)[:, light.shape[1] // 2 :]
    body = np.median(np.take_along_axis(linear, brighter[..., None], axis=1), axis=1)
    # the floor tames the noise of channels in which the ink is black, and dims with the lamp as they do
    ratio = np.log((linear / np.maximum(body, 1e-3)[:, None] + FLOOR) / (1 + FLOOR))
    # chips of glare are brighter than the body and no ink
    distance = np.sqrt((np.minimum(ratio, 0) ** 2).sum(axis=2))
    place = round(0.97 * (distance.shape[1] - 1))
    strongest = np.partition(distance, place, axis=1)[:, place]
    result: list[Floats | None] = []
    for n in range(count):
        core = distance[n] >= 0.75 * strongest[n]
        clear = strongest[n] >= CONTRAST and int(core.sum()) >= PIXELS
        result.append(_median(ratio[n][core]) if clear else None)
    return result


def _median(values: NDArray[np.float32]) -> Floats:
    """The median (3,) of a few values (n, 3); NumPy's own takes longer to begin than to sort them."""
    ordered = np.sort(values, axis=0)
    return np.asarray((ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2, np.float64)


RED, BLACK = 0.55, 0.12
"""How much redder than its body an ink is that is surely red, and one that is surely black (decks never seen)."""


def redness(value: Floats) -> float:
    """How much more of red than of the other light an ink (3,), as `ink` gives it, leaves: near 0 for black, above 1
    for red (natural logarithm)."""
    return float(value[2] - (value[0] + value[1]) / 2)


@dataclass(frozen=True, eq=False)
class Judged:
    """An ink judged with the others: probabilities (4,) and whether they were changed."""

    colour: Floats
    changed: bool


def judge(inks: Sequence[Floats | None], colours: Sequence[Floats]) -> list[Judged]:
    """Judge the inks of one photo together.

    `inks`: as `ink` gives them; `colours` (4,) each: the network's probabilities. An ink is known where at least two
    other, sure tiles show it. A probability moves only where the tile plainly fits one known ink and not another, or
    where it was read as blue, is far greyer than the photo's blues, and black is not known.
    """
    seen = [n for n, value in enumerate(inks) if value is not None]
    points = {n: np.asarray(inks[n]) for n in seen}
    members: dict[int, list[int]] = {c: [] for c in range(4)}
    for n in seen:
        best = int(colours[n].argmax())
        if colours[n][best] >= MEMBER:
            members[best].append(n)
    result = [Judged(colour, False) for colour in colours]
    apart = _by_ink(points, members)
    for n in seen:
        distances = apart[n]
        top = int(colours[n].argmax())
        if top not in distances:
            continue
        fits = min(distances, key=lambda c: distances[c])
        reach = distances[fits]
        unknown = reach + APART
        rival = min((d for c, d in distances.items() if c != fits), default=0.0)
        if top == BLUE_INK and BLACK_INK not in distances and reach > NEAR + APART:
            if not _greyer(points[n], [points[m] for m in members[BLUE_INK]]):
                continue
            reach = unknown = NEAR  # no ink that is known, and no blue: black, which no sure tile shows
        elif reach > NEAR or rival < unknown:
            continue
        elif fits == top and colours[n][top] > MEMBER:
            continue  # agreed already
        known = np.array([distances.get(c, unknown) for c in range(4)])
        likelihood = np.maximum(np.exp(-(known**2 - reach**2) / 2), 1 / WEIGHT)
        fresh = colours[n] * likelihood
        result[n] = Judged(np.asarray(fresh / fresh.sum(), np.float64), True)
    return result


def _greyer(point: Floats, others: Sequence[Floats]) -> bool:
    """Whether an ink (3,) takes all of the light alike, beside others that do not."""
    return float(np.ptp(point)) < GREY * float(np.median(np.ptp(np.array(others), axis=1)))


def _by_ink(points: Mapping[int, Floats], members: Mapping[int, Sequence[int]]) -> dict[int, dict[int, float]]:
    """How far each tile's ink lies from each ink that at least two other tiles show."""
    result: dict[int, dict[int, float]] = {n: {} for n in points}
    for c, group in members.items():
        inside = np.array([points[m] for m in group]).reshape(-1, 3)
        strangers = [n for n in points if n not in group]
        if len(group) >= 2 and strangers:
            away = _distances(np.array([points[n] for n in strangers]), inside[None])
            for n, distance in zip(strangers, away, strict=True):
                result[n][c] = float(distance)
        if len(group) >= 3:  # a member is held against the others alone
            rest = np.array([np.delete(inside, k, axis=0) for k in range(len(group))])
            for n, distance in zip(group, _distances(inside, rest), strict=True):
                result[n][c] = float(distance)
    return result


def _distances(points: Floats, others: Floats) -> Floats:
    """How far inks (n, 3) lie from those of other tiles, (n, k, 3) or for all the same (1, k, 3), in spreads: hue
    counts strictly, depth loosely, since a gloss lifts one tile's ink and leaves its hue."""
    middle = np.median(others, axis=1)
    gaps = others - middle[:, None]
    depth, depths = (points - middle).mean(axis=1), gaps.mean(axis=2)
    hue, hues = points - middle - depth[:, None], gaps - depths[..., None]
    spread = np.maximum(1.4826 * np.median(np.abs(hues), axis=1), SPREAD)
    slack = np.maximum(1.4826 * np.median(np.abs(depths), axis=1), DEPTH)
    return np.asarray(np.sqrt(((hue / spread) ** 2).mean(axis=1) + (depth / slack) ** 2), np.float64)


def torn(inks: Sequence[Floats | None], colours: Sequence[Floats]) -> set[int]:
    """Tiles read as one ink that look like two: the less sure half is to be asked about.

    Petrol or dark blue under a warm lamp is taken for black; on the same photo the true black shows the difference.
    """
    doubtful: set[int] = set()
    for c in range(4):
        group = [n for n, value in enumerate(inks) if value is not None and int(colours[n].argmax()) == c]
        if len(group) < 4:
            continue
        # hue alone: what of a channel is left once the tile's overall darkness is taken off
        points = np.array([np.asarray(inks[n]) for n in group])
        hue = points - points.mean(axis=1, keepdims=True)
        sides = _two_means(hue)
        if min(sides.sum(), (~sides).sum()) < 2:
            continue
        first, second = hue[sides], hue[~sides]
        gap = float(np.linalg.norm(first.mean(axis=0) - second.mean(axis=0)))
        scatter = first.var(axis=0).sum() * len(first) + second.var(axis=0).sum() * len(second)
        within = float(np.sqrt(scatter / len(hue)))
        if gap > TORN and gap > 4 * within:
            trust = [
                float(np.mean([colours[n][c] for n, s in zip(group, sides, strict=True) if s == side]))
                for side in (True, False)
            ]
            loser = trust[0] < trust[1]
            doubtful.update(n for n, s in zip(group, sides, strict=True) if bool(s) == loser)
    return doubtful


def _two_means(points: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Split points in two by their distance along the direction in which they spread most."""
    centred = points - points.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    along = centred @ axes[0]
    cut = 0.0
    for _ in range(10):
        low, high = along[along <= cut], along[along > cut]
        if not len(low) or not len(high):
            break
        cut = float((low.mean() + high.mean()) / 2)
    return np.asarray(along > cut, np.bool_)
