"""The sprite type and a small drawing kit for things on a table: shaped, rounded and lit pictures with alpha."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from datasets.noise import Colour, Floats, Image, noise

Point = tuple[float, float]


@dataclass(frozen=True)
class Sprite:
    """A thing seen from straight above, to be warped onto the table plane or a bit above it.

    ``bgra``: (h, w, 4) uint8, straight alpha. ``width``: what the picture's w pixels span, in tile widths (2.6 cm).
    ``height``: thickness in tile widths, 0 for flat; for shadow length and parallax. ``kind``: what it is.
    """

    bgra: Image
    width: float
    height: float
    kind: str


def dim(colour: Colour, by: float) -> Colour:
    """The colour made darker, or lighter with ``by`` above 1."""
    return (min(colour[0] * by, 255.0), min(colour[1] * by, 255.0), min(colour[2] * by, 255.0))


def blank(h: int, w: int) -> Image:
    """(h, w, 4) fully transparent."""
    return np.zeros((h, w, 4), np.uint8)


def slab(h: int, w: int, colour: Colour, radius: float = 0.0, margin: int = 2) -> Image:
    """(h, w, 4) a filled rectangle with rounded corners (``radius`` pixels), ``margin`` pixels from the border."""
    image = np.empty((h, w, 4), np.uint8)
    image[:, :, :3] = np.array(colour, np.uint8)
    image[:, :, 3] = slab_mask(h, w, radius, margin)
    return image


def slab_mask(h: int, w: int, radius: float, margin: int = 2) -> Image:
    """(h, w) coverage of a rounded rectangle, from its distance function: smooth edges at no cost."""
    half_w, half_h = w / 2 - margin, h / 2 - margin
    radius = min(radius, half_w, half_h)
    x = np.abs(np.arange(w, dtype=np.float32) + 0.5 - w / 2) - (half_w - radius)
    y = np.abs(np.arange(h, dtype=np.float32) + 0.5 - h / 2) - (half_h - radius)
    outside = np.hypot(np.maximum(x, 0)[None, :], np.maximum(y, 0)[:, None])
    away = outside + np.minimum(np.maximum(x[None, :], y[:, None]), 0) - radius
    return np.asarray(np.clip(0.5 - away, 0, 1) * 255, np.uint8)


def puff(
    rng: np.random.Generator, image: Image, depth: float, strength: float = 0.5, light: float | None = None
) -> Image:
    """Round the edges of an opaque shape: light from one side over a rim ``depth`` pixels wide. In place."""
    away = cv2.distanceTransform((image[:, :, 3] > 127).astype(np.uint8), cv2.DIST_L2, 3)
    rise = 1.0 - np.minimum(away / np.float32(max(depth, 1.0)), 1.0)
    level = cv2.GaussianBlur(np.sqrt(np.maximum(1.0 - rise * rise, 0.0)), (0, 0), max(depth * 0.12, 0.6))
    turn = float(rng.uniform(0, 2 * np.pi)) if light is None else light
    slope = cv2.Sobel(level, cv2.CV_32F, 1, 0, ksize=3) * np.cos(turn) + cv2.Sobel(
        level, cv2.CV_32F, 0, 1, ksize=3
    ) * np.sin(turn)
    gain = 1.0 + strength * (np.clip(slope * depth * 0.25, -1, 1) * 0.6 + (level - 1.0) * 0.5)
    return shine(image, gain)


def shine(image: Image, gain: Floats) -> Image:
    """Multiply the colours by a field, in place, and return the picture."""
    image[:, :, :3] = np.clip(image[:, :, :3] * np.asarray(gain, np.float32)[:, :, None], 0, 255).astype(np.uint8)
    return image


def texture(rng: np.random.Generator, image: Image, amount: float, cells: int = 32) -> Image:
    """Unevenness of a material, in place: brightness varies by ``amount`` over ``cells`` bumps."""
    h, w = image.shape[:2]
    n = max(h, w)
    return shine(image, 1.0 + amount * noise(rng, cells, cells, n)[:h, :w])


def ellipse(
    image: Image, at: Point, axes: Point, angle: float, colour: Colour, alpha: int = 255, thickness: int = -1
) -> None:
    """Smooth ellipse with half axes ``axes``; sub-pixel placing."""
    centre, half = (round(at[0] * 16), round(at[1] * 16)), (max(round(axes[0] * 16), 8), max(round(axes[1] * 16), 8))
    cv2.ellipse(image, centre, half, angle, 0, 360, (*colour, alpha), thickness, cv2.LINE_AA, 4)


def polygon(image: Image, points: np.ndarray, colour: Colour, alpha: int = 255) -> None:
    """Smooth filled polygon, (n, 2) pixels."""
    cv2.fillPoly(image, [np.rint(np.asarray(points) * 16).astype(np.int32)], (*colour, alpha), cv2.LINE_AA, 4)


def stroke(image: Image, points: np.ndarray, colour: Colour, width: int, alpha: int = 255) -> None:
    """Smooth open line through (n, 2) pixels."""
    cv2.polylines(
        image, [np.rint(np.asarray(points) * 16).astype(np.int32)], False, (*colour, alpha), width, cv2.LINE_AA, 4
    )


def box(image: Image, left: float, top: float, right: float, bottom: float, colour: Colour) -> None:
    """Filled upright rectangle."""
    cv2.rectangle(image, (round(left), round(top)), (round(right), round(bottom)), (*colour, 255), -1)


def limb(
    image: Image, start: Point, end: Point, r0: float, r1: float, colour: Colour, lit: float = 0.0, round_: float = 0.45
) -> None:
    """A tapered round bar (arm, pen, toe) shaded across, brighter on the side at angle ``lit`` radians; in place."""
    bar(image, (start, end), (r0, r1), colour, lit, round_)


def bar(
    image: Image,
    points: Sequence[Point],
    radii: Sequence[float],
    colour: Colour,
    lit: float = 0.0,
    round_: float = 0.45,
) -> None:
    """A round bar through several joints (finger, elbow) with a radius at each; shaded like `limb`; in place."""
    reach = max(radii) + 2
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    x0, x1 = int(max(min(xs) - reach, 0)), int(min(max(xs) + reach, image.shape[1]))
    y0, y1 = int(max(min(ys) - reach, 0)), int(min(max(ys) + reach, image.shape[0]))
    if x1 <= x0 or y1 <= y0:
        return
    inside: Floats | None = None
    for start, end, r0, r1 in zip(points, points[1:], radii, radii[1:], strict=False):
        x = np.arange(x0, x1, dtype=np.float32)[None, :] + np.float32(0.5 - start[0])
        y = np.arange(y0, y1, dtype=np.float32)[:, None] + np.float32(0.5 - start[1])
        dx, dy = np.float32(end[0] - start[0]), np.float32(end[1] - start[1])
        along = np.clip((x * dx + y * dy) / max(dx * dx + dy * dy, np.float32(1e-6)), 0.0, 1.0)
        ox, oy = x - along * dx, y - along * dy
        away = cv2.magnitude(ox, oy)
        radius = np.float32(r0) + np.float32(r1 - r0) * along
        share = np.clip(radius - away + 0.5, 0.0, 1.0)
        lean = (ox * np.float32(np.cos(lit)) + oy * np.float32(np.sin(lit))) / radius
        level = np.sqrt(np.maximum(1.0 - np.square(np.minimum(away / radius, 1.0)), 0.0))
        if inside is None:
            inside, top, side = share, level, lean
        else:  # where two joints meet, the higher one is seen
            np.copyto(side, lean, where=level > top)
            np.maximum(top, level, out=top)
            np.maximum(inside, share, out=inside)
    if inside is None:
        return
    gain = 1.0 + np.float32(round_) * (0.75 * (top - 0.85) + 0.4 * side)
    patch = image[y0:y1, x0:x1]
    tone = np.clip(np.array(colour, np.float32) * gain[:, :, None], 0, 255)
    cover = inside[:, :, None]
    patch[:, :, :3] = (patch[:, :, :3] * (1 - cover) + tone * cover).astype(np.uint8)
    np.maximum(patch[:, :, 3], (inside * 255).astype(np.uint8), out=patch[:, :, 3])


def curve(points: np.ndarray, count: int = 40) -> np.ndarray:
    """(count, 2) smooth line through a few (n, 2) points (Catmull-Rom)."""
    padded = np.concatenate([2 * points[:1] - points[1:2], points, 2 * points[-1:] - points[-2:-1]])
    at = np.linspace(0, len(points) - 1.0001, count)
    k = at.astype(int)
    t = (at - k)[:, None]
    a, b, c, d = (padded[k + i] for i in range(4))
    return np.asarray(0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3))


def trim(image: Image) -> tuple[Image, float]:
    """Cut transparent borders off; also the share of the width that is left."""
    x, y, w, h = cv2.boundingRect(image[:, :, 3])
    if w == 0 or h == 0:
        return image, 1.0
    return np.ascontiguousarray(image[y : y + h, x : x + w]), w / image.shape[1]


def on_ground(bgra: Image) -> Image:
    """(h, w, 3) the sprite over a chequered ground, to look at."""
    h, w = bgra.shape[:2]
    y, x = np.mgrid[0:h, 0:w] // 16
    ground = np.where((x + y) % 2 == 0, 105, 135).astype(np.float32)[:, :, None]
    share = bgra[:, :, 3:].astype(np.float32) / 255.0
    return np.asarray(bgra[:, :, :3] * share + ground * (1 - share), np.uint8)
