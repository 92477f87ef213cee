"""From light to a phone's JPEG: uneven light, casts, lens and motion blur, noise, sharpening, compression."""

from __future__ import annotations

from dataclasses import dataclass

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


def develop(pixels: Image, rng: Rng, *, scale: float, grey_chance: float = 0.0) -> Photo:
    """What a phone makes of the picture. `scale` is pixels a tile width: blur stays readable more often than not."""
    h, w = pixels.shape[:2]
    out = pixels.astype(np.float32) * _unevenness(rng, h, w)
    # a phone meters the whole picture, so a dark table brightens its pieces
    out *= np.float32(np.clip(rng.uniform(95, 150) / max(float(out.mean()), 1.0), 0.7, 2.2) ** rng.uniform(0.3, 0.9))
    out *= _cast(rng)
    out *= np.float32(2.0 ** rng.choice([rng.normal(0.0, 0.2), rng.uniform(-1.4, 0.8)], p=[0.85, 0.15]))
    blur = _lens_blur(rng, scale)
    if blur > 0.25:
        out = cv2.GaussianBlur(out, (0, 0), blur)
    if rng.random() < 0.11:
        out, moved = _motion(out, rng, scale)
        blur = float(np.hypot(blur, moved / 3.5))
    out = _tone(out, rng)
    out = _noise(out, rng)
    if rng.random() < 0.45:
        soft = cv2.GaussianBlur(out, (0, 0), rng.uniform(0.6, 1.6))
        out += (out - soft) * np.float32(rng.uniform(0.15, 0.9))
    result = np.clip(out, 0, 255).astype(np.uint8)
    if rng.random() < grey_chance:
        result = cv2.cvtColor(cv2.cvtColor(result, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    quality = int(rng.choice([rng.integers(30, 70), rng.integers(70, 97)], p=[0.25, 0.75]))
    return Photo(cv2.imencode(".jpg", result, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes(), blur)


def _unevenness(rng: Rng, h: int, w: int) -> NDArray[np.float32]:
    """Fall-off of a near lamp, vignette, and the hard or soft edge of something that stands in the light."""
    n = 24
    y, x = np.mgrid[0:n, 0:n].astype(np.float32) / (n - 1) - 0.5
    a = rng.uniform(0, 2 * np.pi)
    field = 1 + rng.normal(0, 0.22) * (np.cos(a) * x + np.sin(a) * y)
    field -= rng.uniform(0, 0.5) * (x * x + y * y)
    field = np.clip(field, 0.3, 1.7)
    tint = np.ones(3, np.float32)
    if rng.random() < 0.3:
        tint = np.float32(1) + rng.normal(0, 0.07, 3).astype(np.float32)
    # the two ends of the picture may be lit by lamps of different colour
    mix = np.clip(0.5 + (np.cos(a) * x + np.sin(a) * y), 0, 1)[..., None]
    colour = field[..., None] * (1 - mix + mix * tint)
    full = cv2.resize(colour.astype(np.float32), (w, h), interpolation=cv2.INTER_LINEAR)
    if rng.random() < 0.2:
        mask = np.zeros((h, w), np.float32)
        for _ in range(int(rng.integers(1, 3))):
            centre = rng.uniform(-0.2, 1.2, 2) * (w, h)
            angles = np.sort(rng.uniform(0, 2 * np.pi, int(rng.integers(3, 8))))
            reach = rng.uniform(0.15, 0.8, len(angles))[:, None] * max(h, w)
            shape = centre + reach * np.column_stack([np.cos(angles), np.sin(angles)])
            cv2.fillPoly(mask, [shape.astype(np.int32)], 1.0)
        soft = float(rng.choice([1.0, 5.0, 18.0], p=[0.25, 0.35, 0.4])) * max(h, w) / 640
        mask = cv2.GaussianBlur(mask, (0, 0), soft)
        if rng.random() < 0.35:
            mask = 1 - mask
        depth = rng.uniform(0.12, 0.55) * rng.uniform(0.85, 1.0, 3)
        full = full * (1 - mask[..., None] * depth.astype(np.float32))
    return full


def _cast(rng: Rng) -> NDArray[np.float32]:
    """What the camera's white balance leaves: warm or cool, and a little green or magenta."""
    warm = rng.normal(0, 0.1) if rng.random() < 0.75 else rng.normal(0.08, 0.22)
    green = rng.normal(0, 0.035)
    gains = np.array([1 - warm, 1 + green, 1 + warm], np.float32)
    return np.clip(gains, 0.45, 1.6)


def _lens_blur(rng: Rng, scale: float) -> float:
    worst = 0.085 * scale
    usual = rng.choice([rng.uniform(0, 0.6), rng.uniform(0.4, 1.2), rng.uniform(1.0, 2.6)], p=[0.62, 0.28, 0.1])
    grows = rng.uniform(0.0, 0.03) * scale if rng.random() < 0.3 else 0.0
    limit = worst if rng.random() < 0.93 else worst * 1.8
    return float(min(np.hypot(usual, grows), limit))


def _motion(out: NDArray[np.float32], rng: Rng, scale: float) -> tuple[NDArray[np.float32], float]:
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
    return (cv2.filter2D(out, -1, kernel / total), length) if total > 0 else (out, 0.0)


def _tone(out: NDArray[np.float32], rng: Rng) -> NDArray[np.float32]:
    x = np.clip(out * np.float32(1 / 255), 0, 4)
    shoulder = np.float32(rng.uniform(0.0, 0.25))
    if shoulder > 0.02:
        x = x * (1 + shoulder * x) / (1 + shoulder * x * x)
    gamma = float(np.clip(rng.normal(1.0, 0.1), 0.7, 1.4))
    x = np.asarray(cv2.pow(np.clip(x, 0, 1), gamma), np.float32)
    contrast = np.float32(rng.normal(0.05, 0.12))
    x += contrast * (x - 0.5) * (1 - np.abs(2 * x - 1))
    saturation = float(np.clip(rng.normal(1.05, 0.16), 0.55, 1.5))
    haze = max(float(rng.normal(-0.01, 0.025)), 0.0)
    grey = np.array([0.114, 0.587, 0.299])
    mix = (np.eye(3) * saturation + (1 - saturation) * grey) * (1 - haze) * 255
    return np.asarray(cv2.transform(x, mix), np.float32) + np.float32(haze * 255)


def _noise(out: NDArray[np.float32], rng: Rng) -> NDArray[np.float32]:
    h, w = out.shape[:2]
    strength = float(rng.choice([rng.uniform(0, 2), rng.uniform(2, 6), rng.uniform(6, 14)], p=[0.55, 0.35, 0.1]))
    if strength < 0.3:
        return out
    grain = rng.standard_normal((h, w), dtype=np.float32) * np.float32(strength)
    out = out + grain[..., None]
    if strength > 2:
        blotch = rng.standard_normal((h // 2 + 1, w // 2 + 1, 3), dtype=np.float32) * np.float32(strength * 0.5)
        out += cv2.resize(blotch, (w, h), interpolation=cv2.INTER_LINEAR)
    return out
