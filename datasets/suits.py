"""Suit signs of playing cards (hearts, diamonds, spades, clubs) as alpha masks.

A style is an integer: its curves are drawn from the integer alone, so style 17 looks the same everywhere. Every
fifth style or so is held out: decks that networks are judged on never share a drawing with decks they learn from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.uint8]

SUITS = "SHDC"
STYLES = 400
"""Number of procedural styles to choose from."""

_MASTER = 192  # px height of the drawing that smaller ones are scaled from


def held_out(name: str) -> bool:
    """Whether the part called `name` (a font, a sign, a deck's art) is kept for judging: a stable fifth of names."""
    return hashlib.sha1(name.encode()).digest()[0] % 5 == 0


def styles(held: bool) -> tuple[int, ...]:
    """The procedural styles of one side of the split."""
    return tuple(s for s in range(STYLES) if held_out(f"suit-style-{s}") == held)


def suit_mask(style: int, suit: str, height: int) -> Mask:
    """Alpha mask (height, width) of one suit sign, upright and tight."""
    if suit not in SUITS or len(suit) != 1:
        raise ValueError(f"a suit is one of S H D C, not {suit!r}")
    return _scaled(style, suit, max(3, height))


@lru_cache(maxsize=2048)
def _scaled(style: int, suit: str, height: int) -> Mask:
    master = _master(style, suit)
    width = max(2, round(master.shape[1] * height / master.shape[0]))
    return np.asarray(cv2.resize(master, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)


@lru_cache(maxsize=256)
def _master(style: int, suit: str) -> Mask:
    rng = np.random.default_rng([style, 0x5017])
    heart = _heart(rng)
    parts = {
        "H": [heart],
        "S": _spade(rng, heart),
        "D": [_diamond(rng)],
        "C": _club(rng),
    }[suit]
    scale = 3 * _MASTER
    canvas = np.zeros((scale + scale // 2, scale + scale // 2), np.uint8)
    centre = canvas.shape[0] / 2
    for part in parts:
        cv2.fillPoly(canvas, [np.rint(part * scale + centre).astype(np.int32)], 255)
    ys, xs = np.flatnonzero(canvas.max(1)), np.flatnonzero(canvas.max(0))
    tight = canvas[ys[0] : ys[-1] + 1, xs[0] : xs[-1] + 1]
    width = max(2, round(tight.shape[1] * _MASTER / tight.shape[0]))
    return np.asarray(cv2.resize(tight, (width, _MASTER), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def bezier(points: Sequence[tuple[float, float]], steps: int = 24) -> NDArray[np.float64]:
    """A Bezier curve of any degree, (steps, 2), by de Casteljau's scheme."""
    t = np.linspace(0, 1, steps)[:, None]
    layer = [np.broadcast_to(np.asarray(p, float), (steps, 2)) for p in points]
    while len(layer) > 1:
        layer = [a * (1 - t) + b * t for a, b in pairwise(layer)]
    return layer[0]


def _both_sides(half: NDArray[np.float64]) -> NDArray[np.float64]:
    """Closes a left outline that runs from axis to axis with its mirror image."""
    return np.vstack([half, (half * [-1, 1])[::-1]])


def _heart(rng: np.random.Generator) -> NDArray[np.float64]:
    half_width = rng.uniform(0.42, 0.54)
    side = rng.uniform(-0.28, -0.12)
    cleft = rng.uniform(-0.38, -0.24)
    tip_pull = rng.uniform(0.02, 0.26)
    tip, flank = (-tip_pull, rng.uniform(0.22, 0.38)), (-half_width, side + rng.uniform(0.1, 0.3))
    lower = bezier([(0, 0.5), tip, flank, (-half_width, side)])
    upper = bezier(
        [
            (-half_width, side),
            (-half_width, side - rng.uniform(0.18, 0.32)),
            (-rng.uniform(0.05, 0.16), -0.5 - rng.uniform(0.0, 0.12)),
            (0, cleft),
        ]
    )
    return _both_sides(np.vstack([lower, upper]))


def _stem(rng: np.random.Generator, top: float, spread: float) -> NDArray[np.float64]:
    waist = rng.uniform(0.015, 0.06)
    foot = spread * rng.uniform(0.4, 0.72)
    flare = bezier([(-waist, top), (-waist, rng.uniform(0.25, 0.4)), (-waist - 0.03, 0.48), (-foot, 0.5)])
    base = bezier([(-foot, 0.5), (-foot / 2, 0.5 - rng.uniform(0, 0.05)), (0, 0.5 - rng.uniform(0, 0.04))], 8)
    return _both_sides(np.vstack([flare, base]))


def _spade(rng: np.random.Generator, heart: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    body = heart * [1, -1] * [rng.uniform(0.82, 1.0), rng.uniform(0.76, 0.88)]
    body = body - [0, body[:, 1].min() + 0.5]
    return [body, _stem(rng, 0.1, 0.45)]


def _club(rng: np.random.Generator) -> list[NDArray[np.float64]]:
    radius = rng.uniform(0.2, 0.26)
    out = rng.uniform(0.235, 0.29)
    low = rng.uniform(0.02, 0.12)
    turn = np.linspace(0, 2 * np.pi, 60)
    circle = np.stack([np.cos(turn), np.sin(turn)], 1) * radius
    fill = circle * rng.uniform(0.35, 0.75) + [0, low - radius * 0.6]
    leaves = [circle + np.array(centre) for centre in ((0, radius - 0.5), (-out, low), (out, low))]
    return [*leaves, fill, _stem(rng, low - 0.15, 0.5)]


def _diamond(rng: np.random.Generator) -> NDArray[np.float64]:
    half_width = rng.uniform(0.34, 0.47)
    hollow = 0.0 if rng.random() < 0.45 else rng.uniform(-0.06, 0.16)
    pull = 0.5 * (1 - hollow)
    lower = bezier([(0, 0.5), (-half_width * pull, 0.5 * pull), (-half_width, 0)])
    upper = bezier([(-half_width, 0), (-half_width * pull, -0.5 * pull), (0, -0.5)])
    return _both_sides(np.vstack([lower, upper]))
