"""Colours of tiles: bodies and the four ink families with their measured spread, kept distinguishable within
one set."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

Bgr = tuple[int, int, int]
Rng = np.random.Generator
INK_NAMES = "rbyk"

# Anchors of the ink families (RGB), from the measured photographs outwards to what other makers print.
_INKS: dict[str, tuple[int, ...]] = {
    "r": (
        0xE04440,
        0xCA4756,
        0x9C0603,
        0xD81E2C,
        0xE8112D,
        0xB3122B,
        0xE2443A,
        0xC8102E,
        0xE63B5C,
        0xA8201A,
        0xD6401F,
        0x8E1B22,
    ),
    "b": (
        0x1667BD,
        0x1A9CA7,
        0x0B4FA0,
        0x2A6FDB,
        0x123A7A,
        0x1B3260,
        0x0E6E7E,
        0x2F8F7F,
        0x5B9BD5,
        0x6F86D6,
        0x0076C8,
        0x4AA3C7,
        0x1667BD,
        0x1B4FB8,
        0x0A56B0,
        0x0D8FA8,
        0x157F6A,
        0x1C4C5C,
    ),
    "y": (
        0xE28A5B,
        0xB25509,
        0xF59C1A,
        0xC98A1B,
        0xF2B705,
        0xE8A317,
        0xFF8C1A,
        0xD9701E,
        0xCAA22A,
        0xF7C600,
        0xE4A04A,
        0xF08A24,
        0xFF9A2E,
        0xDD8A00,
        0xF28C38,
    ),
    "k": (0x150E08, 0x2B2420, 0x1A1A1A, 0x2B2B2E, 0x080808, 0x3A3330, 0x26211D, 0x22262B, 0x100C0C, 0x3B2A20,
          0x3E4045, 0x474B52, 0x2A323A, 0x333B44),
}
# (RGB, weight): bodies
_BODIES: tuple[tuple[int, float], ...] = (
    (0xE9DBC5, 6),
    (0xEFE6D2, 6),
    (0xF4F0E6, 6),
    (0xEEF0F2, 3),
    (0xDCD7CA, 2),
    (0xE6D6A8, 1.5),
    (0xE8E29A, 0.6),
    (0xF0E4B8, 2),
    (0xD9C9A6, 1),
    (0xF7F6F2, 4),
    (0xE2E7EC, 1),
    (0xCFCBC2, 0.7),
    (0xE5CDA0, 0.8),
    (0xD8C7B0, 0.7),
    (0xF2E9DA, 5),
    (0xCFE3D2, 0.3),
    (0xCBDDEB, 0.3),
    (0xEBCFCB, 0.3),
    (0xB9CFA0, 0.15),
    (0xA9A39A, 0.2),
    (0xB58D62, 0.25),
)
_WOODS = (0xD9B98A, 0xE3C9A0, 0xC9A06C, 0xEAD6B2, 0xBE9460, 0xDCC2A2)


def bgr(rgb: int) -> Bgr:
    return rgb & 255, rgb >> 8 & 255, rgb >> 16 & 255


def lab(colour: Bgr) -> npt.NDArray[np.float64]:
    """CIE Lab of an 8-bit BGR colour."""
    return np.asarray(cv2.cvtColor(np.array([[colour]], np.float32) / 255, cv2.COLOR_BGR2LAB)[0, 0], dtype=np.float64)


def distance(one: Bgr, other: Bgr) -> float:
    return float(np.linalg.norm(lab(one) - lab(other)))


def vary(colour: Bgr, rng: Rng, by: float) -> Bgr:
    """A neighbour of the colour: the same shift for all channels and a smaller one for each."""
    shifted = np.array(colour) + rng.normal(0, by) + rng.normal(0, by * 0.7, 3)
    b, g, r = (int(v) for v in np.clip(np.round(shifted), 4, 252))
    return b, g, r


# What most makers print: saturated, far from the body.
_USUAL: dict[str, tuple[int, ...]] = {
    "r": (0xE04440, 0xD81E2C, 0xE8112D, 0xC8102E, 0xE2443A, 0xCA4756, 0xD6201F),
    "b": (0x1667BD, 0x0B4FA0, 0x1B4FB8, 0x0A56B0, 0x0076C8, 0x1A5CB4, 0x1A8CC0),
    "y": (0xE28A5B, 0xE8862E, 0xF08A24, 0xE07A28, 0xF59C1A, 0xD9701E, 0xF0923C),
    "k": (0x150E08, 0x1A1A1A, 0x080808, 0x100C0C, 0x1E1A18, 0x20272E, 0x2E353C),
}
USUAL = 0.6


def _ink(family: str, rng: Rng) -> Bgr:
    anchors = _USUAL[family] if rng.random() < USUAL else _INKS[family]
    one, other = (np.array(bgr(anchors[int(k)])) for k in rng.integers(len(anchors), size=2))
    b, g, r = (int(v) for v in one + (other - one) * rng.uniform(0, 0.35))
    return vary((b, g, r), rng, 5)


def four_inks(ground: Bgr, rng: Rng) -> tuple[Bgr, Bgr, Bgr, Bgr]:
    """Four inks that a person can still tell apart on this body, near-confusable pairs included."""
    while True:
        r, b, y, k = (_ink(name, rng) for name in INK_NAMES)
        apart = (
            # glossy black mirrors the sky and turns bluish grey: nearer than this even people mistake it
            distance(b, k) >= 25
            and distance(r, y) >= 20
            and min(distance(r, k), distance(b, y), distance(r, b), distance(y, k)) >= 25
        )
        if apart and min(distance(ink, ground) for ink in (r, b, y, k)) >= 28:
            return r, b, y, k


def body(rng: Rng, family: str) -> tuple[Bgr, str, float]:
    if family == "wood":
        return vary(bgr(int(rng.choice(_WOODS))), rng, 6), "wood", float(rng.uniform(0.4, 1.2))
    weights = np.array([w for _, w in _BODIES], dtype=np.float64)
    colour = bgr(_BODIES[int(rng.choice(len(weights), p=weights / weights.sum()))][0])
    texture = str(rng.choice(["plastic", "speckle", "marble"], p=[0.86, 0.08, 0.06]))
    return vary(colour, rng, 4), texture, float(rng.uniform(0.1, 1.0))
