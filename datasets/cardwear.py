"""What use does to a card: yellowing, dirty edges, creases, faint bends. Cheap, because each card laid gets its own."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.cardpaint import Face


@lru_cache(maxsize=32)
def _edge(height: int, width: int) -> NDArray[np.float32]:
    """How near the edge a pixel is: 1 at the edge, 0 well inside, (H, W, 1)."""
    ys, xs = np.mgrid[:height, :width]
    distance = np.minimum(np.minimum(xs, width - 1 - xs), np.minimum(ys, height - 1 - ys))
    return np.exp(-distance / (width * 0.012)).astype(np.float32)[..., None]


def worn(face: Face, rng: np.random.Generator, age: float) -> Face:
    """A used copy of a clean face. `age` from 0 (fresh from the box) to 1 (a pub's)."""
    h, w = face.shape[:2]
    patches = rng.normal(0, 0.006 + 0.016 * age, (5, 4, 1)).astype(np.float32)
    across, bend, phase = rng.random() < 0.5, rng.uniform(0, 0.05), rng.uniform(0, 2 * np.pi)
    turn = np.linspace(0, rng.uniform(1, 3.5), 5 if across else 4, dtype=np.float32) + phase
    shade = bend * np.sin(turn)
    yellow = age * rng.uniform(0, 1) * np.array([0.16, 0.06, 0.025], np.float32)
    coarse = (1 - yellow) * (1 + patches + (shade[:, None, None] if across else shade[None, :, None]))
    gain = np.asarray(cv2.resize(coarse.astype(np.float32), (w, h), interpolation=cv2.INTER_LINEAR))
    dirt = age * rng.uniform(0, 0.45)
    if dirt > 0.03:
        gain *= 1 - dirt * _edge(h, w)
    out: Face = np.asarray(cv2.multiply(face, gain, dtype=cv2.CV_8U), dtype=np.uint8)
    if rng.random() < 0.5 * age:
        _crease(out, rng)
    if rng.random() < age:
        _specks(out, rng, age)
    return out


def _crease(face: Face, rng: np.random.Generator) -> None:
    """A fold: a pale broken line with a dark one beside it, often across a corner."""
    h, w = face.shape[:2]
    if rng.random() < 0.6:
        reach = rng.uniform(0.08, 0.3) * w
        x, y = (0, 0), (0, 0)
        corner = int(rng.integers(4))
        px, py = (w if corner % 2 else 0), (h if corner > 1 else 0)
        x = (round(abs(px - reach)), py)
        y = (px, round(abs(py - reach * rng.uniform(0.6, 1.5))))
    else:
        x = (0, int(rng.integers(h)))
        y = (w, int(rng.integers(h)))
    line = np.zeros((h, w), np.uint8)
    cv2.line(line, x, y, int(rng.uniform(60, 170)), 1, cv2.LINE_AA)
    light = np.repeat(line[..., None], 3, 2)
    cv2.add(face, light // 2, dst=face)
    cv2.subtract(face, np.roll(light, 1, axis=0) // 2, dst=face)


def _specks(face: Face, rng: np.random.Generator, age: float) -> None:
    """Dirt and flaked ink: dots, most of them pale."""
    h, w = face.shape[:2]
    spots = rng.integers((0, 0, 120, 0), (w, h, 245, 4), (round(4 + 50 * age), 4))
    for x, y, tone, size in spots.tolist():
        cv2.circle(face, (x, y), size // 3, (tone - 15, tone - 5, tone), -1)
