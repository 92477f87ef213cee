"""Clutter, look-alikes and hands on or over the table, and open boxes of loose pieces: painted on a canvas."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from datasets.camera import Floats
from datasets.clutter import clutter, lookalike
from datasets.paint import Canvas, thrown
from datasets.slabs import CORNERS, Body
from datasets.sprites import Sprite

Rng = np.random.Generator
UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class Tray:
    """An open box: centre, turn, half sizes of its floor and height of its walls in tile widths, colour in BGR."""

    x: float
    y: float
    yaw: float
    half: tuple[float, float]
    height: float
    colour: tuple[float, float, float]

    def ring(self, z: float, grow: float = 0.0) -> Floats:
        """The walls' corners (4, 3) at a height."""
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        local = (CORNERS - 0.5) * 2 * (np.array(self.half) + grow)
        flat = local @ np.array([[c, s], [-s, c]]) + (self.x, self.y)
        return np.column_stack([flat, np.full(4, z)])


def paint_tray(canvas: Canvas, tray: Tray, *, near: bool) -> None:
    """An open box's shadow, floor and inner walls, or (`near`) the outer walls that hide what lies in it."""
    camera, light = canvas.camera, canvas.light
    colour = np.array(tray.colour)
    low, high = tray.ring(0.0), tray.ring(tray.height)
    if camera.depth(np.concatenate([low, high])).min() < 0.5:
        return
    if not near:
        for lamp in light.lamps:
            shape = camera.project(np.concatenate([thrown(high, lamp, 0.0), low]))
            canvas.darken([shape], lamp, min(0.7 * lamp.power * lamp.direction[2], 0.8), 3.0)
        canvas.fill(camera.project(tray.ring(0.02)), colour * light.on(UP) * 0.6)
    middle = low.mean(0)
    for i in range(4):
        j = (i + 1) % 4
        outward = (low[i] + low[j]) / 2 - middle
        outward /= np.linalg.norm(outward)
        outside = (camera.position - low[i]) @ outward > 0
        if outside != near:
            continue
        wall = camera.project(np.stack([high[i], high[j], low[j], low[i]]))
        normal = outward if near else -outward
        canvas.fill(wall, colour * light.on(normal) * (0.95 if near else 0.75))
        rim = tray.ring(tray.height, 0.08)
        canvas.fill(camera.project(np.stack([high[i], high[j], rim[j], rim[i]])), colour * light.on(UP))


def paint_things(canvas: Canvas, rng: Rng, bodies: list[Body], *, empty: bool) -> None:
    """Clutter and look-alikes lie about the pieces, seldom under them."""
    number = int(rng.integers(2, 9)) if empty else int(rng.choice([0, 1, 2, 4], p=[0.45, 0.26, 0.19, 0.1]))
    spread = 8.0
    if bodies:
        spread = float(np.abs(np.array([b.pose.centre[:2] for b in bodies])).max()) + 2.5
    for _ in range(number):
        sprite = lookalike(rng) if rng.random() < (0.6 if empty else 0.4) else clutter(rng)
        angle, radius = rng.uniform(0, 2 * np.pi), spread * rng.uniform(0.75, 1.5)
        spot = rng.uniform(-7, 7, 2) if empty else radius * np.array([np.cos(angle), np.sin(angle)])
        if empty and rng.random() < 0.4:
            for k in range(int(rng.integers(2, 6))):
                paint_sprite(canvas, sprite, spot + np.array([k * sprite.width * 1.05, 0.0]), turn=0.0)
        else:
            paint_sprite(canvas, sprite, spot, turn=float(rng.uniform(0, 2 * np.pi)))


def paint_sprite(canvas: Canvas, sprite: Sprite, spot: Floats, *, turn: float, lift: float = 0.0) -> None:
    """A flat thing on the table (or `lift` above it), its shadow first, its height as a stack of itself."""
    h, w = sprite.bgra.shape[:2]
    width, height = sprite.width, sprite.width * h / w
    c, s = np.cos(turn), np.sin(turn)
    local = (CORNERS - 0.5) * (width, height)
    plane = local @ np.array([[c, s], [-s, c]]) * (1, -1) + spot
    camera, light = canvas.camera, canvas.light

    def at(z: float) -> Floats:
        return camera.project(np.column_stack([plane, np.full(4, z)]))

    base = at(lift)
    if not canvas.sees(base) or camera.depth(np.column_stack([plane, np.full(4, lift + sprite.height)])).min() < 0.4:
        return
    size = float(np.linalg.norm(np.roll(base, -1, 0) - base, axis=1).max())
    bgra = sprite.bgra
    if size < 0.6 * max(h, w):
        shrink = max(size * 1.2, 8.0) / max(h, w)
        bgra = np.asarray(cv2.resize(bgra, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA), np.uint8)
        h, w = bgra.shape[:2]
    alpha = np.ascontiguousarray(bgra[..., 3])
    soft = cv2.blur(alpha, (5, 5))
    for lamp in light.lamps:
        reach = (lift + sprite.height + 0.05) / max(lamp.direction[2], 0.3)
        quad = camera.project(np.column_stack([plane - reach * lamp.direction[:2], np.zeros(4)]))
        canvas.shadow(soft, quad, min(0.75 * lamp.power, 0.8))
    # colours weighted by their cover, so that one warp carries both
    seen = np.asarray(cv2.transform(bgra[..., :3], np.diag(light.on(UP))), np.uint8)
    seen = np.asarray(cv2.multiply(seen, cv2.merge([alpha, alpha, alpha]), scale=1 / 255), np.uint8)
    if sprite.height >= 0.05:
        side = cv2.merge([*cv2.split(cv2.convertScaleAbs(seen, alpha=0.72)), alpha])
        # as many sheets as it takes to look solid from this side
        reach = float(np.linalg.norm(at(lift + sprite.height) - base, axis=1).max())
        sheets = int(np.clip(reach / 6, 2, 10))
        for k in range(1, sheets):
            canvas.stamp(side, at(lift + sprite.height * k / sheets))
    canvas.stamp(cv2.merge([*cv2.split(seen), alpha]), at(lift + sprite.height))
