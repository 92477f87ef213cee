"""From light to a phone's JPEG: uneven light, casts, lens and motion blur, noise, sharpening, compression."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Rng = np.random.Generator


@dataclass(frozen=True)
class Photo:
    """A developed picture: JPEG bytes, and how unsharp it is (`blur`, sigma in pixels)."""

    jpeg: bytes
    blur: float


def develop(
    pixels: Image, rng: Rng, *, scale: float, grey_chance: float = 0.0, webcam_chance: float = 0.06
) -> Photo:
    """What a phone or a webcam makes of the picture. `scale` is pixels a tile width: blur stays readable more often
    than not."""
    h, w = pixels.shape[:2]
    # the lens comes first: it blurs light, not what the camera makes of it
    blur = _lens_blur(rng, scale)
    out = cv2.GaussianBlur(pixels, (0, 0), blur) if blur > 0.25 else pixels
    if rng.random() < 0.08:
        out, moved = _motion(np.asarray(out, np.uint8), rng, scale)
        blur = float(np.hypot(blur, moved / 3.5))
    light = _unevenness(rng) * _exposure(pixels, rng) * _cast(rng)
    result = _tone(np.asarray(out, np.uint8), light, rng)
    cover = _standing_in_the_light(rng, h, w)
    if cover is not None:
        result = np.asarray(cv2.multiply(result, cover, dtype=cv2.CV_8U), np.uint8)
    if rng.random() < webcam_chance:
        result, softened = _webcam(result, rng, scale)
        blur = float(np.hypot(blur, softened))
    result = _noise(result, rng)
    if rng.random() < 0.4:
        soft = cv2.GaussianBlur(result, (0, 0), rng.uniform(0.6, 1.6))
        amount = float(rng.uniform(0.1, 0.7))
        result = np.asarray(cv2.addWeighted(result, 1 + amount, soft, -amount, 0), np.uint8)
    if rng.random() < grey_chance:
        result = cv2.cvtColor(cv2.cvtColor(result, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    quality = int(rng.choice([rng.integers(30, 70), rng.integers(70, 97)], p=[0.2, 0.8]))
    return Photo(cv2.imencode(".jpg", result, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes(), blur)


def _webcam(out: Image, rng: Rng, scale: float) -> tuple[Image, float]:
    """A small sensor's picture made larger, its whites grey; also how far it is softened (sigma in pixels)."""
    h, w = out.shape[:2]
    coarse = float(min(rng.uniform(1.2, 2.4), max(0.1 * scale, 1.0)))
    small = cv2.resize(out, (max(int(w / coarse), 1), max(int(h / coarse), 1)), interpolation=cv2.INTER_AREA)
    grey, black = float(rng.uniform(0.62, 1.0)), float(rng.uniform(0, 28))
    flat = cv2.convertScaleAbs(small, alpha=grey * (1 - black / 255), beta=black)
    return np.asarray(cv2.resize(flat, (w, h), interpolation=cv2.INTER_CUBIC), np.uint8), 0.5 * (coarse - 1)


def _exposure(pixels: Image, rng: Rng) -> np.float32:
    """A phone meters the whole picture, so a dark table brightens its pieces, but it saves its highlights."""
    small = cv2.resize(pixels, (64, 64), interpolation=cv2.INTER_AREA)
    mean, bright = max(float(small.mean()), 1.0), max(float(np.percentile(small.max(2), 99)), 1.0)
    wanted = (rng.uniform(105, 160) / mean) ** rng.uniform(0.3, 0.9)
    gain = float(np.clip(min(wanted, rng.uniform(205, 255) / bright), 0.7, 2.6))
    stops = rng.choice([rng.normal(0.03, 0.14), rng.uniform(-1.4, 0.8)], p=[0.9, 0.1])
    return np.float32(gain * 2.0**stops)


def _unevenness(rng: Rng) -> NDArray[np.float32]:
    """Fall-off of a near lamp and vignette, on a coarse grid (24, 24, 3)."""
    n = 24
    y, x = np.mgrid[0:n, 0:n].astype(np.float32) / (n - 1) - 0.5
    a = rng.uniform(0, 2 * np.pi)
    field = 1 + rng.normal(0, 0.2) * (np.cos(a) * x + np.sin(a) * y)
    field -= rng.uniform(0, 0.45) * (x * x + y * y)
    field = np.clip(field, 0.3, 1.7)
    tint = np.ones(3, np.float32)
    if rng.random() < 0.2:
        tint = np.float32(1) + rng.normal(0, 0.07, 3).astype(np.float32)
    # the two ends of the picture may be lit by lamps of different colour
    mix = np.clip(0.5 + (np.cos(a) * x + np.sin(a) * y), 0, 1)[..., None]
    return np.asarray(field[..., None] * (1 - mix + mix * tint), np.float32)


def _standing_in_the_light(rng: Rng, h: int, w: int) -> NDArray[np.float32] | None:
    """The hard or soft shadow (h, w, 3) of a head, a lamp or a window's frame, or None."""
    if rng.random() > 0.2:
        return None
    mask = np.zeros((h, w), np.uint8)
    for _ in range(int(rng.integers(1, 3))):
        centre = rng.uniform(-0.2, 1.2, 2) * (w, h)
        angles = np.sort(rng.uniform(0, 2 * np.pi, int(rng.integers(3, 8))))
        reach = rng.uniform(0.15, 0.8, len(angles))[:, None] * max(h, w)
        shape = centre + reach * np.column_stack([np.cos(angles), np.sin(angles)])
        cv2.fillPoly(mask, [shape.astype(np.int32)], 255)
    soft = float(rng.choice([1.0, 5.0, 18.0], p=[0.25, 0.35, 0.4])) * max(h, w) / 640
    mask = cv2.GaussianBlur(mask, (0, 0), soft)
    if rng.random() < 0.35:
        mask = 255 - mask
    depth = rng.uniform(0.12, 0.5) * rng.uniform(0.85, 1.0, 3)
    table = (1 - np.arange(256)[:, None] / 255 * depth).astype(np.float32)[None]
    return np.asarray(cv2.LUT(cv2.merge([mask, mask, mask]), table), np.float32)


def _cast(rng: Rng) -> NDArray[np.float32]:
    """What the camera's white balance leaves: warm or cool, and a little green or magenta."""
    warm = rng.normal(0.01, 0.035) if rng.random() < 0.86 else rng.normal(0.06, 0.13)
    green = rng.normal(0, 0.018)
    gains = np.array([1 - warm, 1 + green, 1 + warm], np.float32)
    return np.clip(gains, 0.45, 1.6)


def _lens_blur(rng: Rng, scale: float) -> float:
    worst = 0.085 * scale
    usual = rng.choice([rng.uniform(0, 0.6), rng.uniform(0.4, 1.2), rng.uniform(1.0, 2.6)], p=[0.74, 0.2, 0.06])
    grows = rng.uniform(0.0, 0.03) * scale if rng.random() < 0.2 else 0.0
    limit = worst if rng.random() < 0.93 else worst * 1.8
    return float(min(np.hypot(usual, grows), limit))


def _motion(out: Image, rng: Rng, scale: float) -> tuple[Image, float]:
    length = float(min(rng.uniform(1.5, 8), 0.22 * scale))
    n = int(length) | 1
    if n < 3:
        return out, 0.0
    kernel = np.zeros((n, n), np.float32)
    a = rng.uniform(0, np.pi)
    arm = np.array([np.cos(a), np.sin(a)]) * n / 2
    centre = np.array([n / 2, n / 2])
    start, end = ((centre - arm) * 16).astype(int), ((centre + arm) * 16).astype(int)
    cv2.line(kernel, tuple(map(int, start)), tuple(map(int, end)), 1.0, 1, cv2.LINE_AA, 4)
    total = float(kernel.sum())
    return (np.asarray(cv2.filter2D(out, -1, kernel / total), np.uint8), length) if total > 0 else (out, 0.0)


LEVELS = 4
"""Steps of the tone curve for each step of an 8-bit picture."""


def _tone(pixels: Image, light: NDArray[np.float32], rng: Rng) -> Image:
    """Light and exposure (a coarse field of gains), then the camera's curve, haze and saturation."""
    h, w = pixels.shape[:2]
    field = cv2.resize(light * np.float32(LEVELS), (w, h), interpolation=cv2.INTER_LINEAR)
    exposed = np.asarray(cv2.multiply(pixels, field, dtype=cv2.CV_16U), np.uint16)
    toned = _looked_up(exposed, _curve(rng))
    saturation = float(np.clip(rng.normal(1.0, 0.14), 0.55, 1.4))
    haze = max(float(rng.normal(-0.01, 0.025)), 0.0)
    grey = np.array([0.114, 0.587, 0.299])
    mix = (np.eye(3) * saturation + (1 - saturation) * grey) * (1 - haze)
    return np.asarray(cv2.transform(toned, np.column_stack([mix, np.full(3, haze * 255)])), np.uint8)


def _looked_up(levels: NDArray[np.uint16], curve: NDArray[np.uint8]) -> Image:
    """`curve` at each of the levels; levels beyond its end get its last value."""
    if int(cv2.__version__.split(".")[0]) < 5:  # looks up 8 bits only
        return np.asarray(np.take(curve, levels, mode="clip"), np.uint8)
    whole = np.full(1 << 16, curve[-1], np.uint8)
    whole[: len(curve)] = curve
    return np.asarray(cv2.LUT(levels, whole), np.uint8)


def _curve(rng: Rng) -> NDArray[np.uint8]:
    """The camera's answer to light: a shoulder that saves highlights, gamma, contrast."""
    x = np.arange(256 * LEVELS * 3) / (255.0 * LEVELS)
    # light beyond white is rolled off, not cut
    knee = rng.uniform(0.75, 0.97)
    over = np.maximum(x - knee, 0)
    x = np.minimum(x, knee) + (1 - knee) * (1 - np.exp(-over / (1 - knee)))
    x = x ** float(np.clip(rng.normal(1.0, 0.1), 0.7, 1.4))
    x = x + rng.normal(0.08, 0.12) * 2 * (x - 0.5) * (1 - np.abs(2 * x - 1))
    return np.clip(x * 255 + 0.5, 0, 255).astype(np.uint8)


@lru_cache(maxsize=1)
def _grain() -> NDArray[np.float32]:
    """A field of white noise, deviation 1, that pictures take theirs from."""
    return np.random.default_rng(77).standard_normal((2048, 2048), dtype=np.float32)


def _noise(out: Image, rng: Rng) -> Image:
    h, w = out.shape[:2]
    strength = float(rng.choice([rng.uniform(0, 2), rng.uniform(2, 6), rng.uniform(6, 12)], p=[0.82, 0.15, 0.03]))
    if strength < 0.3:
        return out

    def cut(height: int, width: int) -> NDArray[np.float32]:
        field = _grain()
        if height > field.shape[0] or width > field.shape[1]:
            return rng.standard_normal((height, width), dtype=np.float32)
        y, x = rng.integers(field.shape[0] - height + 1), rng.integers(field.shape[1] - width + 1)
        return field[y : y + height, x : x + width]

    if strength > 2:
        blotch = np.stack([cut(h // 2 + 1, w // 2 + 1) for _ in range(3)], -1) * np.float32(strength * 0.5)
        full = cv2.resize(blotch, (w, h), interpolation=cv2.INTER_LINEAR)
        full += (cut(h, w) * np.float32(strength))[..., None]
    else:
        weak = cv2.multiply(cut(h, w), strength, dtype=cv2.CV_16S)
        full = cv2.merge([weak, weak, weak])
    return np.asarray(cv2.add(out, full, dtype=cv2.CV_8U), np.uint8)
