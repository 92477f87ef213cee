"""Backs of playing cards, drawn: lattices, scrolls, stripes, rosettes, plain fields, and blurred pictures."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.cardpaint import Colour, Face

_INKS: tuple[Colour, ...] = (
    *((40, 30, 190), (30, 25, 150), (150, 60, 20), (120, 40, 10), (190, 110, 40), (30, 30, 30), (60, 120, 30)),
    *((90, 60, 30), (110, 30, 90), (40, 90, 200), (60, 160, 190), (120, 120, 120), (90, 30, 50), (140, 140, 30)),
)


def draw_back(rng: np.random.Generator, height: int, width: int, body: Colour) -> Face:
    """One back at random, (height, width, 3); the same from either end, as backs are, but for pictures and stripes."""
    ink = tuple(int(np.clip(c + rng.normal(0, 14), 0, 255)) for c in _INKS[int(rng.integers(len(_INKS)))])
    pale: Colour = body if rng.random() < 0.8 else (200, 215, 225)
    pattern = _PATTERNS[int(rng.integers(len(_PATTERNS)))]
    share = pattern(rng, height, width)[..., None]
    if rng.random() < 0.4 and pattern is not _plain:  # a plain field of paper would be no back
        share = 1 - share
    field = np.array(pale, float) * (1 - share) + np.array(ink, float) * share
    if pattern is _clouds:
        other = rng.uniform(0, 255, 3)
        field = other * (1 - share) + np.array(ink, float) * share
    if rng.random() < 0.3:
        field = field * (1 - _medallion(rng, height, width)[..., None] * (1 - np.array(ink) / 255 * 0.8))
    face = np.clip(field, 0, 255).astype(np.uint8)
    margin = round(width * rng.choice([0.0, rng.uniform(0.02, 0.09)], p=[0.2, 0.8]))
    if margin:
        cv2.rectangle(face, (0, 0), (width - 1, height - 1), body, 2 * margin)
        if rng.random() < 0.6:
            far = (width - 1 - margin, height - 1 - margin)
            cv2.rectangle(face, (margin, margin), far, ink, int(rng.integers(1, 5)))
        if rng.random() < 0.3:
            inner = margin + int(rng.integers(6, 16))
            cv2.rectangle(face, (inner, inner), (width - 1 - inner, height - 1 - inner), pale, int(rng.integers(1, 5)))
    return face


Field = NDArray[np.float64]


def _grid(height: int, width: int) -> tuple[Field, Field]:
    ys, xs = np.mgrid[:height, :width].astype(float)
    return xs - (width - 1) / 2, ys - (height - 1) / 2


def _edge(wave: Field, sharp: float, level: float = 0.0) -> Field:
    """A soft threshold: where `wave` passes `level`, in about 1 px."""
    return np.clip((wave - level) * sharp + 0.5, 0, 1)


def _lattice(rng: np.random.Generator, h: int, w: int) -> Field:
    x, y = _grid(h, w)
    step, slope = rng.uniform(7, 26), rng.uniform(0.5, 1.2)
    one, two = np.cos((x + y * slope) * np.pi / step), np.cos((x - y * slope) * np.pi / step)
    level = rng.uniform(0.2, 0.97)
    if rng.random() < 0.5:
        return np.maximum(_edge(np.abs(one), step / 3, level), _edge(np.abs(two), step / 3, level))
    return _edge(one * two, step / 3)


def _stripes(rng: np.random.Generator, h: int, w: int) -> Field:
    x, y = _grid(h, w)
    angle, step = rng.uniform(0, np.pi), rng.uniform(4, 22)
    wave = np.cos((x * np.cos(angle) + y * np.sin(angle)) * np.pi / step)
    return _edge(wave, step / 3, rng.uniform(-0.6, 0.6))


def _plain(rng: np.random.Generator, h: int, w: int) -> Field:
    return np.full((h, w), float(rng.uniform(0.8, 1.0)))


def _scrolls(rng: np.random.Generator, h: int, w: int) -> Field:
    x, y = _grid(h, w)
    total = np.zeros((h, w))
    for _ in range(5):
        kx, ky = rng.integers(1, 9), rng.integers(1, 12)
        total += rng.normal() * np.cos(2 * np.pi * kx * x / w) * np.cos(2 * np.pi * ky * y / h)
        total += rng.normal() * np.sin(2 * np.pi * kx * x / w) * np.sin(2 * np.pi * ky * y / h)
    return _edge(np.cos(total * rng.uniform(2, 7)), 2.0)


def _rosettes(rng: np.random.Generator, h: int, w: int) -> Field:
    x, y = _grid(h, w)
    step = rng.uniform(18, 70)
    cx, cy = (x + step / 2) % step - step / 2, (y + step / 2) % step - step / 2
    radius, turn = np.hypot(cx, cy), np.arctan2(cy, cx)
    petals = rng.integers(3, 10)
    wave = np.cos(turn * petals) * rng.uniform(0.4, 1.2) + np.cos(radius * rng.uniform(0.2, 0.9))
    return _edge(wave, 2.5)


def _circles(rng: np.random.Generator, h: int, w: int) -> Field:
    x, y = _grid(h, w)
    step = rng.uniform(5, 24)
    stretch = rng.uniform(0.6, 1.6)
    return _edge(np.cos(np.hypot(x, y * stretch) * np.pi / step), step / 3, rng.uniform(-0.4, 0.6))


def _dots(rng: np.random.Generator, h: int, w: int) -> Field:
    x, y = _grid(h, w)
    step = rng.uniform(6, 24)
    wave = np.cos(x * np.pi / step) + np.cos(y * np.pi / step)
    return _edge(wave, step / 4, rng.uniform(-0.5, 1.2))


def _clouds(rng: np.random.Generator, h: int, w: int) -> Field:
    total = np.zeros((h, w))
    for cells in (3, 6, 12, 24):
        coarse = rng.normal(size=(cells, cells)).astype(np.float32)
        total += np.asarray(cv2.resize(coarse, (w, h), interpolation=cv2.INTER_CUBIC)) / cells**0.7
    low, high = np.percentile(total, (2, 98))
    return np.clip((total - low) / (high - low), 0, 1)


def _lace(rng: np.random.Generator, h: int, w: int) -> Field:
    """Line ornament quartered by mirrors, much like the angels and wheels of classic backs."""
    quarter = np.zeros((h // 2 + 1, w // 2 + 1), np.uint8)
    for _ in range(int(rng.integers(8, 22))):
        centre = (int(rng.integers(0, w // 2)), int(rng.integers(0, h // 2)))
        radius = int(rng.integers(4, 42))
        axes = (radius, max(2, int(radius * rng.uniform(0.5, 1.0))))
        start = rng.uniform(0, 360)
        sweep = start + rng.uniform(120, 360)
        cv2.ellipse(quarter, centre, axes, rng.uniform(0, 180), start, sweep, 255, int(rng.integers(1, 5)), cv2.LINE_AA)
    half = np.hstack([quarter, quarter[:, ::-1]])
    whole = np.vstack([half, half[::-1]])
    return np.asarray(cv2.resize(whole, (w, h), interpolation=cv2.INTER_AREA)) / 255.0


def _medallion(rng: np.random.Generator, h: int, w: int) -> Field:
    x, y = _grid(h, w)
    radius, turn = np.hypot(x, y), np.arctan2(y, x)
    size = w * rng.uniform(0.15, 0.36)
    rim = size * (1 + 0.08 * np.cos(turn * 2 * rng.integers(2, 9)))
    inside = np.clip(rim - radius, 0, 1)
    return inside * _edge(np.cos(radius * rng.uniform(0.15, 0.6)) + np.cos(turn * 2 * rng.integers(2, 8)) * 0.6, 2.0)


_PATTERNS: tuple[Callable[[np.random.Generator, int, int], Field], ...] = (
    *(_lattice, _lattice, _stripes, _plain, _scrolls, _scrolls, _rosettes, _rosettes),
    *(_circles, _dots, _clouds, _lace, _lace),
)
