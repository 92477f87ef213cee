"""Things with a readable face, in world space: tiles as thick slabs, cards as thin bent sheets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np

from datasets.camera import Floats


@dataclass(frozen=True)
class Pose:
    """A face's place: `centre` of the face, unit vectors to its right and to its foot."""

    centre: Floats
    right: Floats
    down: Floats

    @cached_property
    def normal(self) -> Floats:
        (a, b, c), (x, y, z) = self.down, self.right
        return np.array([b * z - c * y, c * x - a * z, a * y - b * x])

    @cached_property
    def axes(self) -> Floats:
        """Right, foot and normal as the rows of a (3, 3)."""
        return np.array([self.right, self.down, self.normal])


def lying(x: float, y: float, yaw: float, z: float) -> Pose:
    """A face turned to the sky; at yaw 0 its head points to +y."""
    c, s = np.cos(yaw), np.sin(yaw)
    return Pose(np.array([x, y, z]), np.array([c, s, 0.0]), np.array([s, -c, 0.0]))


def leaning(x: float, y: float, z: float, yaw: float, tilt: float, height: float) -> Pose:
    """A face that leans back by `tilt` from upright, its foot's middle at (x, y, z)."""
    c, s = np.cos(yaw), np.sin(yaw)
    right = np.array([c, s, 0.0])
    back = np.array([-s, c, 0.0])
    down = -(np.cos(tilt) * np.array([0, 0, 1.0]) + np.sin(tilt) * back)
    return Pose(np.array([x, y, z]) - down * height / 2, right, down)


@dataclass
class Body:
    """One piece on the table. Sizes in tile widths; `row` and `place` say where it lies in its row."""

    kind: Literal["tile", "card"]
    code: str
    pose: Pose
    width: float
    height: float
    thickness: float
    corner: float
    bend: float = 0.0
    bend_along: int = 0
    row: int = -1
    place: int = -1
    level: float = 0.0
    copy: int = 0
    """Which of the box's like pieces this is."""
    tier: int = -1
    """The tier of the rack it stands in, from the front; -1 on the table."""
    boxed: bool = False
    """It lies in an open box."""

    def points(self, uv: Floats, drop: float = 0.0) -> Floats:
        """Face coordinates (n, 2), 0..1 from the top left, to world points; `drop` goes below the face."""
        axes = self.pose.axes
        centre = self.pose.centre - drop * axes[2] if drop else self.pose.centre
        out = ((uv - 0.5) * (self.width, self.height)) @ axes[:2] + centre
        if self.bend:
            out += (self.bend * ((uv[:, self.bend_along] - 0.5) * 2) ** 2)[:, None] * axes[2]
        return np.asarray(out)

    def outline(self, steps: int = 4) -> Floats:
        """Rounded outline in face coordinates (n, 2), clockwise from the top left corner's left end.

        A bent sheet's straight edges carry points of their own, since they are curves in the picture.
        """
        return _outline(self.width, self.height, self.corner, steps, 4 if abs(self.bend) >= 0.01 else 1)

    def edges_out(self, steps: int = 4) -> Floats:
        """Unit vectors (n, 2), along the face's right and foot, out of the outline's edges, the first of which runs
        from its first to its second point. Of a flat body alone: a bent one's outline has other points.
        """
        return _outward(self.width, self.height, self.corner, steps)


CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
"""The face's own corners, clockwise from its top left, in face coordinates."""


def placed(bodies: Sequence[Body], uv: Floats, drops: Sequence[float] = (0.0,)) -> Floats:
    """Face coordinates uv (n, 2) of flat bodies of one size as world points (bodies, drops * n, 3): on the face, and
    below it by so many thicknesses."""
    first = bodies[0]
    flat = (uv - 0.5) * (first.width, first.height)
    local = np.concatenate([np.column_stack([flat, np.full(len(flat), -d * first.thickness)]) for d in drops])
    axes, centres = np.array([b.pose.axes for b in bodies]), np.array([b.pose.centre for b in bodies])
    return np.asarray(local @ axes + centres[:, None])


def outlines(bodies: Sequence[Body], grow: float = 1.0, drops: Sequence[float] = (0.0,)) -> list[Floats]:
    """Of each body the world points of its coarse outline, made larger by `grow`, at each drop below its face (in
    thicknesses)."""
    found: dict[int, Floats] = {}
    groups: dict[tuple[float, float, float, float], list[int]] = {}
    for k, body in enumerate(bodies):
        if body.bend:
            ring = (body.outline(steps=2) - 0.5) * grow + 0.5
            found[k] = np.concatenate([body.points(ring, d * body.thickness) for d in drops])
        else:
            groups.setdefault((body.width, body.height, body.corner, body.thickness), []).append(k)
    for members in groups.values():
        like = [bodies[k] for k in members]
        ring = (like[0].outline(steps=2) - 0.5) * grow + 0.5
        found.update(zip(members, placed(like, ring, drops), strict=True))
    return [found[k] for k in range(len(bodies))]


@lru_cache(maxsize=64)
def _outline(width: float, height: float, r: float, steps: int, pieces: int) -> Floats:
    if steps < 2 or r < 0.01:
        out = CORNERS
    else:
        angles = np.linspace(0, np.pi / 2, steps)
        arcs = []
        for k, (cx, cy) in enumerate(((0, 0), (1, 0), (1, 1), (0, 1))):
            a = angles + np.pi * (1 + k / 2)
            x = (r if cx == 0 else width - r) + r * np.cos(a)
            y = (r if cy == 0 else height - r) + r * np.sin(a)
            arcs.append(np.column_stack([x / width, y / height]))
        out = np.concatenate(arcs)
    if pieces > 1:
        share = (np.arange(pieces) / pieces)[None, :, None]
        out = (out[:, None] * (1 - share) + np.roll(out, -1, 0)[:, None] * share).reshape(-1, 2)
    out = out.copy()
    out.setflags(write=False)
    return out


@lru_cache(maxsize=64)
def _outward(width: float, height: float, r: float, steps: int) -> Floats:
    ring = _outline(width, height, r, steps, 1) * (width, height)
    edge = np.roll(ring, -1, 0) - ring
    # the outline runs clockwise as seen with y downwards
    out = np.column_stack([edge[:, 1], -edge[:, 0]])
    out /= np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)
    out.setflags(write=False)
    return out
