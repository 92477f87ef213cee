"""One tile out of a clean face: the print a little off, ink thick or thin, chips, scratches, dirt."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from datasets.tilefaces import WIDTH, Drawn, Image, Relief
from datasets.tilelooks import Look

Rng = np.random.Generator
Noise = npt.NDArray[np.uint8]
_SIDE = 640
# which noise a body's texture is made of, and how strong it is at most
_GRAIN = {"plastic": ("coarse", 0.03), "speckle": ("speckle", 0.35), "marble": ("coarse", 0.12), "wood": ("wood", 0.22)}


@lru_cache(maxsize=16)
def _noise(kind: str) -> Noise:
    """A field of noise to cut pieces from, mean about 128: 'fine', 'coarse', 'speckle', 'wood'."""
    rng = np.random.default_rng(sum(map(ord, kind)))

    def smooth(width: int, height: int, spread: float) -> npt.NDArray[np.float32]:
        small = rng.normal(0, spread, (height, width)).astype(np.float32)
        return cv2.resize(small, (_SIDE, _SIDE), interpolation=cv2.INTER_CUBIC)

    if kind == "fine":
        field = smooth(320, 320, 40) + smooth(90, 90, 30)
    elif kind == "coarse":
        field = smooth(14, 14, 45) + smooth(40, 40, 18)
    elif kind == "speckle":
        strength = rng.choice([-700.0, 300.0], (_SIDE, _SIDE))
        specks = np.where(rng.random((_SIDE, _SIDE)) < 0.012, strength, 0).astype(np.float32)
        field = cv2.GaussianBlur(specks, (0, 0), 0.9) + smooth(320, 320, 8)
    else:  # wood: yearly rings cut lengthwise, and pores
        columns = np.arange(_SIDE, dtype=np.float32)[None]
        rings = np.sin((columns + smooth(8, 4, 14) + smooth(30, 6, 3)) * 0.33 + smooth(5, 3, 1.5))
        field = rings * 22 + smooth(320, 16, 22) + smooth(12, 5, 16)
    return np.clip(field + 128, 0, 255).astype(np.uint8)


@lru_cache(maxsize=8)
def _half_noise(kind: str) -> Noise:
    return np.asarray(cv2.resize(_noise(kind), (_SIDE // 2, _SIDE // 2), interpolation=cv2.INTER_AREA), np.uint8)


def _cut(kind: str, like: npt.NDArray[np.uint8], rng: Rng) -> Noise:
    """A piece of noise as large as the face, full or half; the same piece at either size."""
    height, width = like.shape[:2]
    step = WIDTH // width
    x, y = int(rng.integers(_SIDE - WIDTH)) // step, int(rng.integers(_SIDE - height * step - step)) // step
    field = _noise(kind) if step == 1 else _half_noise(kind)
    return field[y : y + height, x : x + width]


def _body(look: Look, drawn: Drawn, rng: Rng) -> Image:
    """The bare body with its grain and this tile's own tint: yellowed by age, never quite the same twice."""
    gain = 1 + rng.normal(0, 0.012) - 0.06 * look.wear * rng.random()
    yellow = 0.1 * look.wear * rng.random()
    tint = np.array([gain * (1 - yellow), gain * (1 - 0.3 * yellow), gain])
    kind, depth = _GRAIN[look.texture]
    level = (np.arange(256) - 128) / 128 * (depth * look.texture_strength)
    table = np.clip(np.array(drawn.body) * tint * (1 + level[:, None]), 0, 255).astype(np.uint8)
    grain = _cut(kind, drawn.alpha, rng)
    return np.asarray(cv2.merge([cv2.LUT(grain, np.ascontiguousarray(table[:, k])) for k in range(3)]), dtype=np.uint8)


def _scratch(alpha: npt.NDArray[np.uint8], body: Image, look: Look, rng: Rng) -> None:
    """Thin lines that take ink off, and dirt that settles in others; in place."""
    height, width = alpha.shape
    # a line is a pixel thick at either size: at half of it, it takes half as much
    thick = width / WIDTH
    kept: npt.NDArray[np.uint8] | None = None
    for _ in range(int(rng.poisson(2.2 * look.wear))):
        x, y = rng.uniform(0, width), rng.uniform(0, height)
        angle, length = rng.uniform(0, np.pi), rng.uniform(8, 70) * thick
        points = [(int(x), int(y)), (int(x + length * np.cos(angle)), int(y + length * np.sin(angle)))]
        if rng.random() < 0.6:
            kept = np.full_like(alpha, 255) if kept is None else kept
            cv2.line(kept, *points, 255 - (255 - int(rng.integers(0, 120))) * thick, 1, cv2.LINE_AA)
        else:
            shade = 1 - thick * (1 - rng.uniform(0.82, 0.97))
            cv2.line(body, *points, [float(c) * shade for c in body[0, 0]], 1, cv2.LINE_AA)
    if kept is not None:
        cv2.min(alpha, kept, dst=alpha)


def _dirt(body: Image, look: Look, rng: Rng) -> Image:
    """Dark, brownish patches of grease and dust."""
    patches = _cut("coarse", body, rng)
    level = np.clip((np.arange(256) - rng.uniform(90, 160)) / 130, 0, 1) * 0.3 * look.wear * rng.random()
    share = cv2.LUT(patches, level.astype(np.float32))
    grime = np.full_like(body, (62, 84, 104))
    return np.asarray(cv2.blendLinear(grime, body, share, 1 - share), dtype=np.uint8)


def _thin(alpha: npt.NDArray[np.uint8], look: Look, rng: Rng) -> npt.NDArray[np.float32]:
    """The share of ink in each pixel, 0..1: density, unevenness, spots chipped off."""
    density = 1 - rng.uniform(0, 0.06) - 0.25 * look.wear * rng.random() ** 2
    share = np.asarray(cv2.multiply(alpha, density / 255, dtype=cv2.CV_32F), dtype=np.float32)
    if look.unevenness > 0.05:
        level = (1 - look.unevenness * np.clip((np.arange(256) - 128) / 90, 0, 1)).astype(np.float32)
        share *= cv2.LUT(_cut("coarse", alpha, rng), level)
    if look.carve and look.ragged:
        # paint wiped off too far, or short of the rim, here and there
        soft = cv2.GaussianBlur(alpha, (0, 0), 1.6 * alpha.shape[1] / WIDTH)
        rough = cv2.addWeighted(soft, 1.0, _cut("fine", alpha, rng), 0.7 * look.ragged, -90 * look.ragged)
        level = np.clip((np.arange(256) - 75) / 60, 0, 1).astype(np.float32)
        share *= cv2.LUT(rough, level)
    chipping = look.wear * rng.random() * (1.0 if look.carve else 0.6)
    if chipping > 0.12:
        # the noise's tail: more wear, lower threshold, larger spots
        threshold = 225 - 65 * chipping
        level = (1 - np.clip((np.arange(256) - threshold) / 12, 0, 1)).astype(np.float32)
        share *= cv2.LUT(_cut("fine", alpha, rng), level)
    return share


def use(look: Look, drawn: Drawn, rng: Rng) -> tuple[Image, Relief | None, Relief | None]:
    """Albedo, relief and gloss of one tile with this face, which may be drawn at half of WIDTH."""
    height, width = drawn.alpha.shape
    body = _body(look, drawn, rng)
    relief = drawn.mould
    if not drawn.has_ink:
        if look.wear > 0.3:
            body = _dirt(body, look, rng)
        return body, relief, None
    turn = float(np.clip(rng.normal(0, look.print_turn), -3, 3))
    shift = np.clip(rng.normal(0, look.print_shift, 2), -0.03, 0.03) * width
    move = cv2.getRotationMatrix2D((width / 2, height / 2), turn, 1.0)
    move[:, 2] += shift
    size = (width, height)
    alpha = np.asarray(cv2.warpAffine(drawn.alpha, move, size, flags=cv2.INTER_LINEAR), dtype=np.uint8)
    carving = None if drawn.carving is None else cv2.warpAffine(drawn.carving, move, size, flags=cv2.INTER_LINEAR)
    if isinstance(drawn.paint, tuple):
        ink = np.clip(np.array(drawn.paint) * (1 + rng.normal(0, 0.015)) + rng.normal(0, 1.5, 3), 0, 255)
        faded = 0.25 * look.wear * rng.random() ** 2
        ink = ink * (1 - faded) + faded * (0.5 * ink.mean() + 0.5 * np.array(look.body))
        paint = np.full((height, width, 3), np.round(ink), np.uint8)
    else:
        moved = cv2.warpAffine(drawn.paint, move, size, flags=cv2.INTER_NEAREST, borderMode=cv2.BORDER_REPLICATE)
        paint = np.asarray(moved, dtype=np.uint8)
    if look.wear > 0.1:
        _scratch(alpha, body, look, rng)
    share = _thin(alpha, look, rng)
    if carving is not None:
        # light hardly reaches the foot of the walls: a darker line along the rim, on the paint and, a little, beside it
        # (of the same width in pixels at half the size, so half as dark)
        soft = cv2.GaussianBlur(alpha, (0, 0), 0.8) if width == WIDTH else alpha
        rim = cv2.morphologyEx(soft, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
        depth = min(0.45, look.carve * 14) * (0.5 + 0.5 * (width == WIDTH))
        dark = cv2.convertScaleAbs(rim, alpha=-depth, beta=255)
        relief = carving if relief is None else relief + carving
    albedo = np.asarray(cv2.blendLinear(paint, body, share, 1 - share), dtype=np.uint8)
    if carving is not None:
        albedo = np.asarray(cv2.multiply(albedo, cv2.merge([dark] * 3), scale=1 / 255), dtype=np.uint8)
    if look.wear > 0.3:
        albedo = _dirt(albedo, look, rng)
    gloss = None if look.paint_gloss > 0.9 else 1 - share * np.float32(1 - look.paint_gloss)
    return albedo, relief, gloss
