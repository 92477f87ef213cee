"""Where pieces lie: poses on the table, on each other, and free room for groups of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.camera import Floats
from datasets.racks import Rack
from datasets.slabs import CORNERS, Body, Pose
from datasets.things import Tray

Rng = np.random.Generator
TRIES = 14
"""At so many places a group may be laid before the room is taken for too small."""


@dataclass(frozen=True)
class Shape:
    """Size of one piece in tile widths."""

    kind: Literal["tile", "card"]
    width: float
    height: float
    thickness: float
    corner: float


@dataclass
class Layout:
    """Bodies, and what some of them stand or lie in."""

    bodies: list[Body] = field(default_factory=list)
    rack: Rack | None = None
    tray: Tray | None = None
    near: float = 0.0
    """Share of the picture's longer side that a tile's width shall span; 0 where all pieces shall fit."""
    rows: int = 0
    occupied: list[Floats] = field(default_factory=list)

    def add_row(self, bodies: Sequence[Body], *, in_row: bool = True) -> None:
        for place, body in enumerate(bodies):
            if in_row:
                body.row, body.place = self.rows, place
            body.copy = sum(other.code == body.code for other in self.bodies)
            self.bodies.append(body)
        self.rows += in_row

    def first_fit(self, shape: Floats, spots: Floats, gap: float) -> int | None:
        """The first of the spots (n, 2) at which a convex shape (m, 2) about the origin lies free, `gap` round it."""
        if not self.occupied:
            return 0
        grown = _grow(shape, gap)
        low = np.array([other.min(0) for other in self.occupied])
        high = np.array([other.max(0) for other in self.occupied])
        near = ((low <= (grown.max(0) + spots)[:, None]) & (high >= (grown.min(0) + spots)[:, None])).all(-1)
        for k, spot in enumerate(spots):
            there = (grown + spot).astype(np.float32)
            others = (self.occupied[i] for i in np.flatnonzero(near[k]).tolist())
            if not any(cv2.intersectConvexConvex(there, other)[0] > 0 for other in others):
                return k
        return None


def _grow(shape: Floats, gap: float) -> Floats:
    middle = shape.mean(0)
    arm = shape - middle
    return np.asarray(middle + arm * (1 + gap / np.linalg.norm(arm, axis=1, keepdims=True)))


def make_body(shape: Shape, code: str, pose: Pose, level: float = 0.0) -> Body:
    """A piece of this shape; `level`: how many others it lies over."""
    return Body(shape.kind, code, pose, shape.width, shape.height, shape.thickness, shape.corner, level=level)


def move(bodies: Sequence[Body], x: float, y: float, yaw: float) -> None:
    """Turns a group about the origin by `yaw` and carries it to (x, y), each piece flat at the height of its level."""
    c, s = np.cos(yaw), np.sin(yaw)
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    for body in bodies:
        p = body.pose
        centre = turn @ p.centre + (x, y, 0.0)
        centre[2] = body.thickness * (1 + body.level)
        body.pose = Pose(centre, turn @ p.right, turn @ p.down)


def footprint(bodies: Sequence[Body]) -> Floats:
    """The least rectangle on the table round a group (4, 2)."""
    points = np.concatenate([b.points(CORNERS)[:, :2] for b in bodies])
    box = cv2.boxPoints(cv2.minAreaRect(points.astype(np.float32)))
    return np.asarray(cv2.convexHull(box).reshape(-1, 2), np.float32)


def find_room(
    layout: Layout,
    bodies: list[Body],
    rng: Rng,
    half: Floats,
    yaw: float,
    middle: Floats | None = None,
    *,
    in_row: bool = True,
) -> bool:
    """Finds free room for a group within +-half of `middle`; says whether there was any."""
    shape, c, s = footprint(bodies), np.cos(yaw), np.sin(yaw)
    turned = shape @ np.array([[c, s], [-s, c]])
    spots = rng.uniform(-half, half, (TRIES, 2)) + (0.0 if middle is None else middle)
    free = layout.first_fit(turned, spots, 0.12)
    if free is None:
        return False
    x, y = spots[free].tolist()
    move(bodies, x, y, yaw)
    if any(b.level > 0 and b.kind == "tile" for b in bodies):
        settle(bodies)
    layout.occupied.append(np.asarray(turned + spots[free], np.float32))
    layout.add_row(bodies, in_row=in_row)
    return True


GRID = np.stack(np.meshgrid(np.linspace(0, 1, 5), np.linspace(0, 1, 6)), -1).reshape(-1, 2)
"""Where a piece may touch what it lies on, in face coordinates."""


@lru_cache(maxsize=1)
def _supports() -> tuple[NDArray[np.int64], Floats]:
    """Triples of `GRID` points that can carry a piece, and the shares of its weight on each of the three."""
    triples = np.array(list(combinations(range(len(GRID)), 3)))
    corners = np.concatenate([GRID[triples], np.ones((*triples.shape, 1))], -1)
    sound = np.abs(np.linalg.det(corners)) > 1e-6
    triples, corners = triples[sound], corners[sound]
    shares = np.linalg.solve(corners.transpose(0, 2, 1), np.broadcast_to([[0.5], [0.5], [1.0]], (len(triples), 3, 1)))
    carried = (shares[..., 0] > -1e-9).all(1)
    return triples[carried], shares[carried, :, 0]


def rest(body: Body, below: Sequence[Body]) -> None:
    """Lays a flat body onto those below it, tilted as it comes to rest with its middle as low as it can.

    Of all planes over the points that hold it up, the lowest at the middle is the one through the three points whose
    weighted height is greatest (linear programming's duality).
    """
    points = body.points(GRID)
    heights = np.zeros(len(GRID))
    reach = np.hypot(body.width, body.height)
    for other in below:
        p = other.pose
        if np.hypot(*(p.centre - body.pose.centre)[:2]) > (reach + np.hypot(other.width, other.height)) / 2:
            continue
        z = p.centre[2] - (points[:, :2] - p.centre[:2]) @ p.normal[:2] / p.normal[2]
        local = np.column_stack([points[:, :2], z]) - p.centre
        over = (np.abs(local @ p.right) < other.width / 2) & (np.abs(local @ p.down) < other.height / 2)
        heights = np.where(over, np.maximum(heights, z), heights)
        if over.any():
            body.level = max(body.level, other.level + 1)
    triples, shares = _supports()
    high = heights[triples]
    # where only two of the three carry, any third would do for the height but not for the tilt: the highest is right
    best = triples[int(np.argmax((high * shares).sum(1) + 1e-6 * high.sum(1)))]
    a, b, c = np.column_stack([points[best, :2], heights[best]])
    normal = np.cross(b - a, c - a)
    normal *= np.sign(normal[2]) / np.linalg.norm(normal)
    right = body.pose.right - (body.pose.right @ normal) * normal
    right /= np.linalg.norm(right)
    x, y = body.pose.centre[:2]
    z = a[2] - ((x, y) - a[:2]) @ normal[:2] / normal[2]
    body.pose = Pose(np.array([x, y, z]) + normal * body.thickness, right, np.cross(right, normal))


def settle(bodies: Sequence[Body]) -> None:
    """Lays a group's pieces down one after the other, each on those before it."""
    for k, body in enumerate(bodies):
        body.level = 0.0
        rest(body, bodies[:k])
