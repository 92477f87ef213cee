"""Where a place of one picture lies in another one of the same table, told by the pieces that both show once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from vision.scene import Point

Place = Callable[[Point], Point]
Points = NDArray[np.float64]
CLOSE = 0.04
"""Share of the picture's diagonal by which a piece that nobody touched may be off."""
FIRM = 4
"""So many untouched pieces tell how the picture is slanted; two or three only tell shift, turn and size."""


def alignment(
    before: Mapping[str, Sequence[Point]], after: Mapping[str, Sequence[Point]], old: Point, new: Point
) -> Place:
    """The map from pixels of the picture before to pixels of the one after.

    ``before``, ``after``: middles of the pieces by code. ``old``, ``new``: widths and heights. Most pieces lie where
    they lay: the map is the one that most of those seen once in both pictures agree on. With fewer than two that
    agree, the pictures are taken to be of the same view.
    """
    single = [code for code in before if len(before[code]) == 1 and len(after.get(code, ())) == 1]
    start = np.array([before[code][0] for code in single], float).reshape(-1, 2)
    end = np.array([after[code][0] for code in single], float).reshape(-1, 2)
    scaled = np.array([[new[0] / old[0], 0.0, 0.0], [0.0, new[1] / old[1], 0.0]])
    limit = CLOSE * math.hypot(*new)
    best, kept = scaled, _agreeing(scaled, start, end, limit)
    for one, two in combinations(range(len(single)), 2):
        tried = _similarity(start[[one, two]], end[[one, two]])
        if tried is not None:
            fits = _agreeing(tried, start, end, limit)
            if fits.sum() > kept.sum() + 1:
                best, kept = tried, fits
    if kept.sum() >= FIRM and _spread(start[kept]) > limit:
        found, *_ = np.linalg.lstsq(_padded(start[kept]), end[kept], rcond=None)
        if _agreeing(found.T, start, end, limit).sum() >= kept.sum():
            best = found.T
    matrix = best

    def place(point: Point) -> Point:
        x, y = matrix @ (point[0], point[1], 1.0)
        return float(x), float(y)

    return place


def _padded(points: Points) -> Points:
    return np.column_stack([points, np.ones(len(points))])


def _agreeing(matrix: Points, start: Points, end: Points, limit: float) -> NDArray[np.bool_]:
    away = _padded(start) @ matrix.T - end
    return np.asarray(np.hypot(away[:, 0], away[:, 1]) < limit)


def _similarity(start: Points, end: Points) -> Points | None:
    """Shift, turn and size (2, 3) that take two points to two; None where they say nothing, or a size no one takes."""
    a, b = start[1] - start[0], end[1] - end[0]
    if math.hypot(*a) < 1 or not 1 / 3 < math.hypot(*b) / math.hypot(*a) < 3:
        return None
    size = complex(*b) / complex(*a)
    turn = np.array([[size.real, -size.imag], [size.imag, size.real]])
    return np.column_stack([turn, end[0] - turn @ start[0]])


def _spread(points: Points) -> float:
    """How far points lie off one line, in pixels."""
    return float(np.linalg.svd(points - points.mean(axis=0), compute_uv=False)[-1])
