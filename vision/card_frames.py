"""The directions and the size that an index of a card tells of its card, and how to level a table of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from vision.flatten import Floats

NEAREST = 4
"""So many indices about a place tell how high an index would be there."""
STRETCHES = (1.0, 1.08, 1.15, 1.22, 1.3, 1.4, 1.5, 1.75, 2.0, 2.3)
"""By how much a picture may be longer one way than the table is: a camera held low, a picture squeezed to a square."""
DIRECTIONS = 12
"""So many directions of the stretch are tried."""


def frames(quads: Floats) -> Floats:
    """Each index's own directions (n, 2, 2) on a levelled picture, from its corners (n, 4, 2): columns right and down,
    at right angles, both as long as the index is high.

    An index is higher than it is wide, so where its sides and its top disagree on how it is turned the longer ones
    count for more: a word down the side of a joker says nothing by its top.
    """
    down = (quads[:, 2] + quads[:, 3] - quads[:, 0] - quads[:, 1]) / 2
    across = (quads[:, 1] + quads[:, 2] - quads[:, 0] - quads[:, 3]) / 2
    height, width = np.hypot(*down.T), np.hypot(*across.T)
    straight = down[:, 1] * across[:, 0] - down[:, 0] * across[:, 1]
    skew = np.arctan2((down * across).sum(axis=1), straight)  # from where the right should be to where it is
    turn = skew * width**2 / np.maximum(width**2 + height**2, 1e-9)
    cosine, sine = np.cos(turn), np.sin(turn)
    below = np.stack([cosine * down[:, 0] - sine * down[:, 1], sine * down[:, 0] + cosine * down[:, 1]], axis=1)
    right = np.stack([below[:, 1], -below[:, 0]], axis=1)
    return np.asarray(np.stack([right, below], axis=2), np.float64)


def leaning(quads: Floats) -> Floats:
    """The same (n, 2, 2), but right is where an index's own top and foot point: a card that does not lie flat on the
    table leans its own way."""
    down = (quads[:, 2] + quads[:, 3] - quads[:, 0] - quads[:, 1]) / 2
    across = (quads[:, 1] + quads[:, 2] - quads[:, 0] - quads[:, 3]) / 2
    longer = np.hypot(*down.T) / np.maximum(np.hypot(*across.T), 1e-6)
    return np.asarray(np.stack([across * longer[:, None], down], axis=2), np.float64)


def turned(frame: Floats, angle: float) -> Floats:
    """A frame (2, 2) turned by an angle in radians, clockwise on the picture."""
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.asarray(np.array([[cosine, -sine], [sine, cosine]]) @ frame, np.float64)


def skewness(quads: Floats) -> float:
    """How far the sides of indices (n, 4, 2) are from right angles, in radians, on the mean."""
    down = quads[:, 2] + quads[:, 3] - quads[:, 0] - quads[:, 1]
    across = quads[:, 1] + quads[:, 2] - quads[:, 0] - quads[:, 3]
    lengths = np.maximum(np.hypot(*down.T) * np.hypot(*across.T), 1e-9)
    return float(np.abs((down * across).sum(axis=1) / lengths).mean())


def stretches() -> list[tuple[float, Floats]]:
    """Every stretch that is tried, with the matrix (2, 2) that takes it back; none comes first."""
    found: list[tuple[float, Floats]] = [(1.0, np.eye(2))]
    for stretch in STRETCHES[1:]:
        for angle in np.arange(DIRECTIONS) * np.pi / DIRECTIONS:
            u = np.array([[np.cos(angle), np.sin(angle)]])
            found.append((stretch, np.eye(2) - (1 - 1 / stretch) * (u.T @ u)))
    return found


def usual_heights(places: Floats, middles: Floats, heights: Floats, plain: NDArray[np.bool_]) -> Floats:
    """How high an index of usual size would be at each place (n, 2): as the nearest plain ones (m, 2) are; nan where
    there are none."""
    if not plain.any():
        return np.full(len(places), np.nan)
    away = np.hypot(*(places[:, None] - middles[plain][None]).transpose(2, 0, 1))
    near = np.argsort(away, axis=1, kind="stable")[:, :NEAREST]
    return np.asarray(np.median(heights[plain][near], axis=1), np.float64)
