"""How pieces lie on a table: melds, racks, heaps, fans and columns, as people leave them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from datasets.camera import Floats
from datasets.slabs import Body, Pose, leaning, lying

Rng = np.random.Generator
INKS, SUITS = "rbyk", "SHDC"
RANKS = ("A", *map(str, range(2, 11)), "J", "Q", "K")


@dataclass
class Box:
    """The pieces still in the box: a code can't be laid more often than the game holds it."""

    kind: str
    packs: int
    rng: Rng
    left: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        if self.kind == "tile":
            self.left.update({f"{c}{v}": 2 for c in INKS for v in range(1, 14)})
            self.left["*"] = 2
        else:
            self.left.update({f"{r}{s}": self.packs for r in RANKS for s in SUITS})
            self.left["*"] = 2 * self.packs

    def take(self, wanted: str) -> str:
        """The wanted piece, or any other that is left."""
        if self.left[wanted] <= 0:
            rest = [c for c, n in self.left.items() if n > 0]
            wanted = str(self.rng.choice(rest)) if rest else wanted
        self.left[wanted] -= 1
        return wanted

    def any(self) -> str:
        if self.rng.random() < 0.05:
            return self.take("*")
        codes = list(self.left)
        return self.take(str(codes[int(self.rng.integers(len(codes)))]))

    def meld(self, most: int = 8) -> list[str]:
        """A run, a set or (one in six) a row of anything; now and then with a joker."""
        rng = self.rng
        order = [f"{c}{{}}" for c in INKS] if self.kind == "tile" else [f"{{}}{s}" for s in SUITS]
        names = [str(v) for v in range(1, 14)] if self.kind == "tile" else list(RANKS)
        luck = rng.random()
        if luck < 0.45:
            length = min(3 + int(rng.geometric(0.5)) - 1, most)
            first = int(rng.integers(0, 14 - length + 1))
            pattern = str(rng.choice(order))
            wanted = [pattern.format(names[i % 13]) for i in range(first, first + length)]
        elif luck < 0.84:
            name = str(rng.choice(names))
            wanted = [str(p).format(name) for p in rng.permutation(order)[: int(rng.integers(3, 5))]]
        else:
            return [self.any() for _ in range(int(rng.integers(1, most + 1)))]
        if rng.random() < 0.2:
            wanted[int(rng.integers(len(wanted)))] = "*"
        return [self.take(code) for code in wanted]


@dataclass(frozen=True)
class Shape:
    """Size of one piece in tile widths."""

    kind: str
    width: float
    height: float
    thickness: float
    corner: float


@dataclass
class Layout:
    """Bodies, plus what they stand on; `hull` says what the camera should see."""

    bodies: list[Body] = field(default_factory=list)
    racks: list[Rack] = field(default_factory=list)
    rows: int = 0
    occupied: list[Floats] = field(default_factory=list)

    def add_row(self, bodies: Sequence[Body], *, in_row: bool = True) -> None:
        for place, body in enumerate(bodies):
            if in_row:
                body.row, body.place = self.rows, place
            self.bodies.append(body)
        self.rows += in_row

    def fits(self, shape: Floats, gap: float) -> bool:
        grown = _grow(shape, gap)
        return not any(cv2.intersectConvexConvex(grown, other)[0] > 0 for other in self.occupied)


@dataclass(frozen=True)
class Rack:
    """A rack of one or two tiers: each a board that leans back, with a lip before it."""

    x: float
    y: float
    yaw: float
    length: float
    tiers: tuple[tuple[float, float], ...]
    """Per tier from the front: (distance back, height of its ledge)."""
    tilt: float
    board: float
    lip: float


def _grow(shape: Floats, gap: float) -> Floats:
    middle = shape.mean(0)
    arm = shape - middle
    return (middle + arm * (1 + gap / np.linalg.norm(arm, axis=1, keepdims=True))).astype(np.float32)


def _row_bodies(rng: Rng, codes: Sequence[str], shape: Shape, overlap: float | None) -> list[Body]:
    """A row along +x around the origin: touching, spaced or overlapping, straight or crooked."""
    gap = float(
        rng.choice([rng.uniform(0.0, 0.03), rng.uniform(0.03, 0.15), rng.uniform(0.15, 0.7)], p=[0.6, 0.25, 0.15])
    )
    if overlap is not None:
        gap = -overlap
    crooked = float(rng.choice([0.0, 0.02, 0.06], p=[0.35, 0.45, 0.2]))
    curve = rng.normal(0, 0.006)
    step = shape.width * (1 + gap) if overlap is not None else shape.width + gap * min(shape.width, 1.2)
    bodies = []
    for i, code in enumerate(codes):
        x = (i - (len(codes) - 1) / 2) * step
        slip = rng.normal(0, crooked) * shape.height * 0.7 + curve * x * x
        yaw = rng.normal(0, crooked * 0.9) + 2 * curve * x
        extra = abs(rng.normal(0, crooked * 0.3)) if overlap is None else rng.normal(0, 0.03) * shape.width
        level = i * 0.5 if overlap is not None else 0.0
        pose = lying(x + extra, slip, yaw, 0.0)
        bodies.append(_body(shape, code, pose, level))
    return bodies


def _body(shape: Shape, code: str, pose: Pose, level: float) -> Body:
    return Body(
        shape.kind,
        code,
        pose,
        shape.width,
        shape.height,
        shape.thickness,
        shape.corner,
        level=level,  # type: ignore[arg-type]
    )


def _move(bodies: Sequence[Body], x: float, y: float, yaw: float) -> None:
    """Turns bodies about the origin, then shifts them; sets their height from their level."""
    c, s = np.cos(yaw), np.sin(yaw)
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    for body in bodies:
        p = body.pose
        centre = turn @ p.centre + (x, y, 0.0)
        centre[2] = body.thickness * (1 + (min(body.level, 1.2) if body.kind == "tile" else body.level))
        body.pose = Pose(centre, turn @ p.right, turn @ p.down)


def _footprint(bodies: Sequence[Body]) -> Floats:
    points = np.concatenate([b.points(np.array([[0, 0], [1, 0], [1, 1], [0, 1.0]]))[:, :2] for b in bodies])
    box = cv2.boxPoints(cv2.minAreaRect(points.astype(np.float32)))
    return np.asarray(cv2.convexHull(box).reshape(-1, 2), np.float32)


def _place(layout: Layout, bodies: list[Body], rng: Rng, half: Floats, yaw: float, *, in_row: bool = True) -> bool:
    """Finds free room for a group within +-half; says whether there was any."""
    start = [(b.pose, b.level) for b in bodies]
    for _ in range(14):
        x, y = rng.uniform(-half, half)
        _move(bodies, float(x), float(y), yaw)
        shape = _footprint(bodies)
        if layout.fits(shape, 0.12):
            layout.occupied.append(shape)
            layout.add_row(bodies, in_row=in_row)
            return True
        for body, (pose, _) in zip(bodies, start, strict=True):
            body.pose = pose
    return False


def _yaws(rng: Rng) -> Callable[[], float]:
    """How groups are turned: all alike, towards four players, or any way."""
    base = rng.uniform(0, 2 * np.pi) if rng.random() < 0.4 else 0.0
    style = rng.random()
    if style < 0.45:
        return lambda: float(base + rng.normal(0, 0.06))
    if style < 0.75:
        return lambda: float(base + rng.integers(4) * np.pi / 2 + rng.normal(0, 0.08))
    return lambda: float(rng.uniform(0, 2 * np.pi))


def melds(rng: Rng, layout: Layout, shape: Shape, box: Box, count: int) -> None:
    """Melds and loose pieces before players until about `count` pieces lie."""
    yaw = _yaws(rng)
    packing = rng.uniform(1.7, 4.5)
    area = count * shape.width * shape.height * packing
    side = np.sqrt(area) / 2
    stretch = rng.uniform(0.7, 1.4)
    half = np.array([side * stretch, side / stretch])
    cards = shape.kind == "card"
    laid = 0
    for _ in range(count):
        if laid >= count:
            break
        codes = box.meld(8 if count > 8 else max(count - laid, 1))
        style = rng.random()
        if cards and style < 0.75:
            group = (
                _column(rng, codes, shape)
                if style < 0.35
                else _fan(rng, codes, shape)
                if style < 0.5
                else _row_bodies(rng, codes, shape, float(rng.uniform(0.45, 0.84)))
            )
        elif not cards and style < 0.06:
            group = _row_bodies(rng, codes, shape, float(rng.uniform(0.08, 0.35)))
        else:
            group = _row_bodies(rng, codes, shape, None)
        if rng.random() < 0.05:
            group[int(rng.integers(len(group)))].code = "back"
        if _place(layout, group, rng, half, yaw()):
            laid += len(codes)
        else:
            half = half * 1.12


def _column(rng: Rng, codes: Sequence[str], shape: Shape) -> list[Body]:
    """Cards down a column, each leaving the head of the one below in sight."""
    step = shape.height * rng.uniform(0.16, 0.4)
    slant = rng.normal(0, 0.12)
    bodies = []
    for i, code in enumerate(codes):
        along = (i - (len(codes) - 1) / 2) * step
        pose = lying(along * slant + rng.normal(0, 0.04), -along, rng.normal(0, 0.04), 0.0)
        bodies.append(_body(shape, code, pose, float(i)))
    return bodies


def _fan(rng: Rng, codes: Sequence[str], shape: Shape) -> list[Body]:
    """Cards turned about a point below them, as held in a hand."""
    pivot = shape.height * rng.uniform(0.5, 1.3)
    spread = rng.uniform(0.1, 0.24)
    bodies = []
    for i, code in enumerate(codes):
        a = -(i - (len(codes) - 1) / 2) * spread + rng.normal(0, 0.015)
        pose = lying(-np.sin(a) * pivot, np.cos(a) * pivot - pivot, a, 0.0)
        bodies.append(_body(shape, code, pose, float(i)))
    return bodies


def scatter(rng: Rng, layout: Layout, shape: Shape, box: Box, count: int) -> None:
    """Single pieces any way round, apart or heaped, some face down."""
    heap = rng.random() < (0.3 if shape.kind == "tile" else 0.5)
    side = np.sqrt(count * shape.width * shape.height * (rng.uniform(0.7, 1.3) if heap else rng.uniform(1.6, 5))) / 2
    backs = rng.choice([0.0, 0.15, 0.6], p=[0.6, 0.25, 0.15])
    upright = rng.random() < 0.3
    for i in range(count):
        code = "back" if rng.random() < backs else box.any()
        yaw = float(rng.normal(0, 0.2) if upright else rng.uniform(0, 2 * np.pi))
        body = _body(shape, code, lying(0, 0, 0, 0), 0.0)
        if heap:
            x, y = rng.uniform(-side, side, 2)
            body.level = 0.0 if rng.random() < 0.5 else float(i if shape.kind == "card" else rng.uniform(0, 1))
            _move([body], float(x), float(y), yaw)
            layout.add_row([body], in_row=False)
        else:
            _place(layout, [body], rng, np.array([side, side]) * 1.1, yaw, in_row=False)


def grid(rng: Rng, layout: Layout, shape: Shape, box: Box, count: int) -> None:
    """Rows under each other, as on a set laid out to be counted; also face-down stock."""
    columns = int(rng.integers(2, 14))
    gap_x = rng.choice([0.01, 0.1, 0.5]) * rng.uniform(0.5, 1.5)
    gap_y = rng.choice([0.03, 0.2, 0.8]) * rng.uniform(0.5, 1.5)
    if gap_x > gap_y:
        gap_y = gap_x * 1.3
    yaw = float(rng.choice([0, rng.uniform(0, 2 * np.pi)]))
    down = rng.random() < 0.12
    rows = max(count // columns, 1)
    for j in range(rows):
        bodies = []
        for i in range(columns):
            if len(layout.bodies) + len(bodies) >= max(count, 1):
                break
            x = (i - columns / 2) * (shape.width + gap_x) + rng.normal(0, 0.015)
            y = (rows / 2 - j) * (shape.height + gap_y) + rng.normal(0, 0.03)
            pose = lying(x, y, rng.normal(0, 0.025), 0.0)
            bodies.append(_body(shape, "back" if down else box.any(), pose, 0.0))
        _move(bodies, 0.0, 0.0, yaw)
        layout.add_row(bodies)


def rack(rng: Rng, layout: Layout, shape: Shape, box: Box, count: int) -> None:
    """Tiles standing in a rack of one or two tiers."""
    tiers = 1 if rng.random() < 0.25 else 2
    slots = int(rng.integers(max(4, count // tiers // 2), 16))
    tilt = rng.uniform(0.15, 0.85)
    lip = float(rng.choice([0.0, rng.uniform(0.03, 0.2)]))
    board = shape.height * rng.uniform(0.55, 1.15)
    rise = board * np.cos(tilt) + rng.uniform(0.0, 0.3)
    back = board * np.sin(tilt) + shape.thickness + rng.uniform(0.15, 0.5)
    ledge = rng.uniform(0.15, 0.4)
    places = tuple((t * back, ledge + t * rise * rng.uniform(0.75, 1.0)) for t in range(tiers))
    y0, yaw = 0.0, rng.normal(0, 0.05)
    layout.racks.append(Rack(0.0, y0, yaw, slots * (shape.width + 0.03) + 0.5, places, tilt, board, lip))
    c, s = np.cos(yaw), np.sin(yaw)
    for depth, height in places:
        full = rng.random() < 0.6
        x = -slots * (shape.width + 0.03) / 2 + shape.width / 2
        row: list[Body] = []
        for _ in range(slots):
            if len(layout.bodies) >= count:
                break
            if rng.random() < (0.06 if full else 0.3):
                x += shape.width * rng.uniform(0.2, 1.2)
                if row:
                    layout.add_row(row)
                    row = []
            if x > slots * (shape.width + 0.03) / 2:
                break
            # the face lies a tile's thickness before the board
            out = -shape.thickness * np.cos(tilt)
            up = shape.thickness * np.sin(tilt)
            px, py = x, depth + out
            pose = leaning(px * c - py * s, y0 + px * s + py * c, height + up, yaw, tilt, shape.height)
            spin = rng.normal(0, 0.01)
            right = np.cos(spin) * pose.right + np.sin(spin) * pose.down
            down = -np.sin(spin) * pose.right + np.cos(spin) * pose.down
            body = _body(shape, box.any(), Pose(pose.centre, right, down), 0.0)
            body.tags.add("rack")
            row.append(body)
            x += shape.width + (rng.uniform(0, 0.03) if rng.random() < 0.8 else rng.uniform(0.05, 0.3))
        if row:
            layout.add_row(row)
