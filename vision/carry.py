"""Which piece is which from one reading to the next: by place, by a common movement, by code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.flatten import Floats
from vision.geometry import sides
from vision.scene import BACK, UNKNOWN
from vision.votes import carry

NEAR = 0.5
"""Distance of centres, in longer sides, under which two finds may be one piece."""
SWAY = 0.08
"""What a movement told by a single piece may be off by, as a share of the distance from that piece."""
FEWEST = 3
"""Pieces that have to agree on a common movement."""
MOST_HYPOTHESES = 150


@dataclass(frozen=True, eq=False)
class Lying:
    """Pieces as they lie: quads (n, 4, 2) in pixels, and their codes."""

    quads: Floats
    codes: tuple[str, ...]

    @property
    def centres(self) -> Floats:
        """Middles (n, 2)."""
        return np.asarray(self.quads.mean(axis=1), np.float64)

    @property
    def sizes(self) -> Floats:
        """Longer sides (n,)."""
        return np.maximum(*sides(self.quads))

    def __len__(self) -> int:
        return len(self.codes)


def in_place(old: Lying, new: Lying, near: float = NEAR) -> list[tuple[int, int]]:
    """Pairs (old, new) that lie in one place, nearest first; like codes before unlike ones."""
    if not len(old) or not len(new):
        return []
    distance = np.linalg.norm(old.centres[:, None] - new.centres[None], axis=-1)
    distance = distance / np.minimum(old.sizes[:, None], new.sizes[None])
    unlike = np.array([[a != b for b in new.codes] for a in old.codes])
    return _greedy(np.where(distance < near, distance + unlike * near, np.inf))


def by_code(old: Lying, new: Lying) -> list[tuple[int, int]]:
    """Pairs (old, new) of like codes wherever they lie, nearest first."""
    if not len(old) or not len(new):
        return []
    distance = np.linalg.norm(old.centres[:, None] - new.centres[None], axis=-1)
    like = np.array([[a == b and a not in (BACK, UNKNOWN) for b in new.codes] for a in old.codes])
    return _greedy(np.where(like, distance, np.inf))


def common_movement(old: Lying, new: Lying) -> Floats | None:
    """The homography (3, 3) by which most pieces went from their old places to their new ones; None where there is
    none that three or more and over half of the pieces agree on.

    Each like pair of quads proposes a turn, scale and shift; those that most pieces agree with are refined over all
    corners of the pieces that agree.
    """
    if min(len(old), len(new)) < FEWEST:
        return None
    pairs = [(a, b) for a, code in enumerate(old.codes) for b, other in enumerate(new.codes)
             if code == other and code not in (BACK, UNKNOWN)]  # fmt: skip
    rare = {code: old.codes.count(code) * new.codes.count(code) for code in set(old.codes)}
    pairs = sorted(pairs, key=lambda pair: rare[old.codes[pair[0]]])[:MOST_HYPOTHESES]
    best: tuple[int, Floats] | None = None
    for a, b in pairs:
        guess = _similarity(old.quads[a], new.quads[b])
        away = np.linalg.norm(old.centres - old.centres[a], axis=1)
        found = len(_agreeing(old, new, guess, NEAR + SWAY * away / old.sizes))
        if best is None or found > best[0]:
            best = found, guess
    if best is None:
        return None
    transform = best[1]
    for tolerance in (1.0, NEAR, NEAR):
        agree = _agreeing(old, new, transform, np.full(len(old), tolerance))
        if len(agree) < FEWEST:
            return None
        source = np.concatenate([old.quads[a] for a, _ in agree])
        target = np.concatenate([new.quads[b] for _, b in agree])
        refined, _ = cv2.findHomography(source, target, cv2.RANSAC, float(np.median(new.sizes)) * 0.2)
        if refined is None:
            return None
        transform = np.asarray(refined, np.float64)
    agree = _agreeing(old, new, transform, np.full(len(old), NEAR))
    return transform if len(agree) >= FEWEST and 2 * len(agree) > min(len(old), len(new)) else None


def _agreeing(old: Lying, new: Lying, transform: Floats, near: Floats) -> list[tuple[int, int]]:
    """Pairs of like codes that lie together once the old ones are carried along; `near` (n,) in longer sides."""
    there = carry(old.centres, transform)
    distance = np.linalg.norm(there[:, None] - new.centres[None], axis=-1) / new.sizes[None]
    like = np.array([[a == b for b in new.codes] for a in old.codes])
    return _greedy(np.where(like & (distance < near[:, None]), distance, np.inf))


def _similarity(source: Floats, target: Floats) -> Floats:
    """Turn, scale and shift that carry one quad nearest to another, as a homography (3, 3)."""
    a, b = source - source.mean(axis=0), target - target.mean(axis=0)
    p, q = a[:, 0] + 1j * a[:, 1], b[:, 0] + 1j * b[:, 1]
    turn = complex((np.conj(p) @ q) / max(float(np.abs(p) @ np.abs(p)), 1e-9))
    linear = np.array([[turn.real, -turn.imag], [turn.imag, turn.real]])
    shift = target.mean(axis=0) - linear @ source.mean(axis=0)
    return np.array([[*linear[0], shift[0]], [*linear[1], shift[1]], [0.0, 0.0, 1.0]])


def _greedy(cost: Floats) -> list[tuple[int, int]]:
    """The cheapest pairs first, each row and column once; infinite ones never."""
    pairs: list[tuple[int, int]] = []
    rows: set[int] = set()
    columns: set[int] = set()
    for flat in np.argsort(cost, axis=None, kind="stable"):
        row, column = divmod(int(flat), cost.shape[1])
        if not np.isfinite(cost[row, column]):
            break
        if row not in rows and column not in columns:
            pairs.append((row, column))
            rows.add(row)
            columns.add(column)
    return pairs


def lying(quads: Sequence[Floats], codes: Sequence[str]) -> Lying:
    """Pieces out of their quads and codes."""
    return Lying(np.stack(quads) if len(quads) else np.zeros((0, 4, 2)), tuple(codes))
