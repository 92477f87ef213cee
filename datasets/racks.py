"""Racks that tiles stand in: a profile of one or two tiers drawn out along the rack, and how it is painted.

In a rack's own frame x runs along it, y from its front to its back, z up. A tier is a board that leans back from its
foot, a ledge before the foot that tiles stand on, and a lip that keeps them from sliding off.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.camera import Floats
from datasets.paint import Canvas, thrown
from datasets.slabs import Body, Pose, leaning

LIP_WIDTH = 0.07
RIM = 0.12


@dataclass(frozen=True)
class Tier:
    """Sizes in tile widths: its board's `foot` (y, z), the board's length, the ledge's depth, the lip's height."""

    foot: tuple[float, float]
    board: float
    ledge: float
    lip: float


@dataclass(frozen=True)
class Rack:
    """Tiers from front to back, all leaning back by `tilt` from upright.

    `square` ledges stand square to their board, others are level. `clearance`: how high the rack stands on feet.
    """

    x: float
    y: float
    yaw: float
    length: float
    tilt: float
    square: bool
    clearance: float
    tiers: tuple[Tier, ...]

    @property
    def up(self) -> Floats:
        """Along a board, away from its foot, as (y, z)."""
        return np.array([np.sin(self.tilt), np.cos(self.tilt)])

    @property
    def out(self) -> Floats:
        """From a board's foot along its ledge, towards who sits before it, as (y, z)."""
        return np.array([-np.cos(self.tilt), np.sin(self.tilt)]) if self.square else np.array([-1.0, 0.0])

    def world(self, points: Floats) -> Floats:
        """Points (n, 3) of the rack's frame in the world."""
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        x, y, z = np.asarray(points, float).T
        return np.column_stack([x * c - y * s + self.x, x * s + y * c + self.y, z])

    def strip(self, a: Floats, b: Floats) -> Floats:
        """The quad (4, 3) between two lines along the rack: top left, top right, foot right, foot left."""
        h = self.length / 2
        return self.world(np.array([[-h, *a], [h, *a], [h, *b], [-h, *b]]))

    def corners(self, tier: Tier) -> dict[str, Floats]:
        """A tier's turning points (y, z): head and foot of its board, ledge's end, lip's head inside and outside."""
        foot = np.array(tier.foot)
        end = foot + self.out * tier.ledge
        rise = self.up if self.square else np.array([0.0, 1.0])
        inside = end + rise * tier.lip
        return {
            "head": foot + self.up * tier.board,
            "foot": foot,
            "end": end,
            "inside": inside,
            "outside": inside + self.out * LIP_WIDTH,
        }

    def profile(self) -> Floats:
        """The rack's outline from the side (n, 2), from its front's foot over the boards to its back's foot."""
        front = self.corners(self.tiers[0])["outside"]
        points = [np.array([front[0] - 0.04, self.clearance])]
        for tier in self.tiers:
            at = self.corners(tier)
            points += [at[name] for name in ("outside", "inside", "end", "foot", "head")]
        back = points[-1] + np.array([RIM, -0.03])
        return np.array([*points, back, (back[0] + 0.1, self.clearance)])

    def stand(self, along: float, tier: Tier, height: float, thickness: float) -> Pose:
        """The face of a tile that stands in a tier at x = `along`, its back on the board."""
        s, c = np.sin(self.tilt), np.cos(self.tilt)
        y, z = np.array(tier.foot) + thickness * np.array([-c, s])
        (x, y, z) = self.world(np.array([[along, y, z]]))[0]
        return leaning(x, y, z, self.yaw, self.tilt, height)


def make_rack(rng: np.random.Generator, slots: int, width: float, height: float, thickness: float) -> Rack:
    """A rack for tiles of this size, `slots` of them side by side."""
    tilt = float(rng.uniform(0.15, 0.8))
    square = bool(rng.random() < 0.5)
    clearance = float(rng.uniform(0.1, 0.5)) if rng.random() < 0.35 else 0.0
    lip = float(rng.choice([0.03, rng.uniform(0.05, 0.22)], p=[0.35, 0.65]))
    ledge = thickness * float(rng.uniform(1.1, 1.6)) + 0.04
    board = height * float(rng.uniform(0.72, 1.12))
    first = Tier((0.0, clearance + float(rng.uniform(0.12, 0.5))), board, ledge, lip)
    rack = Rack(0.0, 0.0, float(rng.normal(0, 0.05)), slots * (width + 0.03) + 0.4, tilt, square, clearance, (first,))
    if rng.random() < 0.25:
        return rack
    # the front board's head is the upper tier's lip, seen from outside
    outside = rack.corners(first)["head"]
    rise = rack.up if square else np.array([0.0, 1.0])
    foot = outside - rack.out * (LIP_WIDTH + ledge) - rise * lip
    second = Tier((float(foot[0]), float(foot[1])), height * float(rng.uniform(0.5, 1.15)), ledge, lip)
    return Rack(rack.x, rack.y, rack.yaw, rack.length, tilt, square, clearance, (first, second))


def shadow(rack: Rack, canvas: Canvas) -> list[list[Floats]]:
    """For each lamp the outlines in pixels within which the rack keeps its light off the table."""
    profile = rack.profile()
    h = rack.length / 2
    ends = np.concatenate([rack.world(np.column_stack([np.full(len(profile), x), profile])) for x in (-h, h)])
    return [[canvas.camera.project(thrown(ends, lamp, 0.0))] for lamp in canvas.light.lamps]


def paint_rack(
    canvas: Canvas,
    rack: Rack,
    texture: NDArray[np.uint8],
    standing: Sequence[Sequence[Body]],
    paint_body: Callable[[Body], None],
    scale: float,
) -> None:
    """Paints a rack and, tier by tier from the back, the tiles that stand in it (`standing`: one list a tier).

    `texture`: its material, the long side along the rack; `scale`: pixels a tile width.
    """
    colour = texture.mean((0, 1)).astype(float)
    _legs(canvas, rack, colour)
    _ends(canvas, rack, colour)
    head = rack.corners(rack.tiers[-1])["head"]
    _face(canvas, rack, head + np.array([RIM, -0.03]), head, colour * 1.06)
    for k in range(len(rack.tiers) - 1, -1, -1):
        tier, at = rack.tiers[k], rack.corners(rack.tiers[k])
        _board(canvas, rack, at["head"], at["foot"], texture)
        _face(canvas, rack, at["foot"], at["end"], colour * 0.8)
        _tile_shadows(canvas, rack, tier, standing[k], scale)
        for body in sorted(standing[k], key=lambda b: -float(canvas.camera.depth(b.pose.centre[None])[0])):
            paint_body(body)
        _face(canvas, rack, at["inside"], at["outside"], colour * 1.08)
        if k == 0:
            _face(canvas, rack, at["outside"], np.array([at["outside"][0] - 0.04, rack.clearance]), colour * 0.96)


def _normal(rack: Rack, along: Floats) -> Floats:
    """The normal of a strip that runs from (y, z) `along` downwards and forwards: out of the rack."""
    y, z = along / max(float(np.hypot(*along)), 1e-9)
    local = np.array([[0.0, z, -y]])
    c, s = np.cos(rack.yaw), np.sin(rack.yaw)
    return np.asarray(local[0] @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]))


def _face(canvas: Canvas, rack: Rack, head: Floats, foot: Floats, colour: Floats) -> None:
    quad = rack.strip(head, foot)
    normal = _normal(rack, foot - head)
    if (canvas.camera.position - quad[0]) @ normal > 0:
        canvas.fill(canvas.camera.project(quad), colour * canvas.light.on(normal))


def _board(canvas: Canvas, rack: Rack, head: Floats, foot: Floats, texture: NDArray[np.uint8]) -> None:
    quad = rack.strip(head, foot)
    normal = _normal(rack, foot - head)
    if (canvas.camera.position - quad[0]) @ normal <= 0:
        return
    flat = canvas.camera.project(quad)
    wide = int(np.clip(np.linalg.norm(flat[1] - flat[0]) * 1.1, 16, texture.shape[1]))
    tall = max(round(texture.shape[0] * wide / texture.shape[1]), 8)
    small = cv2.resize(texture, (wide, tall), interpolation=cv2.INTER_AREA)
    # less light reaches the corner between board and ledge
    gain = canvas.light.on(normal) * np.linspace(1.06, 0.78, tall)[:, None]
    field = np.ascontiguousarray(np.broadcast_to(gain[:, None], small.shape), np.float32)
    canvas.warp(np.asarray(cv2.multiply(small, field, dtype=cv2.CV_8U), np.uint8), flat, flat)


def _tile_shadows(canvas: Canvas, rack: Rack, tier: Tier, bodies: Sequence[Body], scale: float) -> None:
    """What standing tiles keep each lamp's light off: the board behind them, and the corner they stand in."""
    if not bodies:
        return
    at = rack.corners(tier)
    foot, normal = rack.world(np.array([[0.0, *at["foot"]]]))[0], _normal(rack, at["foot"] - at["head"])
    board = canvas.camera.project(rack.strip(at["head"], at["foot"]))
    total = canvas.light.on(normal).mean()
    for lamp in canvas.light.lamps:
        facing = float(lamp.direction @ normal)
        if facing < 0.05:
            continue
        shapes = []
        for body in bodies:
            ring = body.outline(steps=2)
            corners = np.concatenate([body.points(ring), body.points(ring, body.thickness)])
            reach = (corners - foot) @ normal / max(facing, 0.2)
            shapes.append(canvas.camera.project(corners - reach[:, None] * lamp.direction))
        share = float((lamp.colour * lamp.power).mean() * facing / total)
        canvas.darken(shapes, lamp, min(share, 0.9), lamp.soft * scale * 0.2, board)
    # close to the tiles' backs the room's light is gone as well
    near = [canvas.camera.project(b.points((b.outline(steps=2) - 0.5) * 1.06 + 0.5, b.thickness)) for b in bodies]
    canvas.darken(near, canvas.light.lamps[0], 0.35, 0.05 * scale, board)


def _ends(canvas: Canvas, rack: Rack, colour: Floats) -> None:
    """The two ends, as far as they face the camera."""
    profile = rack.profile()
    for side in (-1.0, 1.0):
        points = rack.world(np.column_stack([np.full(len(profile), side * rack.length / 2), profile]))
        normal = side * np.array([np.cos(rack.yaw), np.sin(rack.yaw), 0.0])
        if (canvas.camera.position - points[0]) @ normal > 0:
            canvas.fill(canvas.camera.project(points), colour * canvas.light.on(normal) * 0.95)


def _legs(canvas: Canvas, rack: Rack, colour: Floats) -> None:
    """Feet under a rack that stands clear of the table."""
    if rack.clearance <= 0:
        return
    profile = rack.profile()
    front, back = profile[0, 0], profile[-1, 0]
    for share in (-0.36, 0.36):
        x = share * rack.length
        for y in (back - 0.1, front + 0.1):
            ends, top = (x - 0.2, x + 0.2), rack.clearance
            leg = np.array([[ends[0], y, top], [ends[1], y, top], [ends[1], y, 0], [ends[0], y, 0]])
            normal = _normal(rack, np.array([0.0, -1.0]))
            canvas.fill(canvas.camera.project(rack.world(leg)), colour * canvas.light.on(normal) * 0.7)
