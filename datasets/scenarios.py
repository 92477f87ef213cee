"""How pieces lie on a table as people leave them: melds, racks, heaps, fans and columns, stocks and discards."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from datasets.box import Box
from datasets.camera import Floats
from datasets.layout import Layout, Rng, Shape, find_room, make_body, move, settle
from datasets.racks import Rack, make_rack
from datasets.slabs import Body, lying
from datasets.things import Tray


def row_bodies(rng: Rng, codes: Sequence[str], shape: Shape, overlap: float | None) -> list[Body]:
    """A row along +x around the origin: touching, spaced or overlapping, straight or crooked."""
    gap = float(
        rng.choice([rng.uniform(0.0, 0.03), rng.uniform(0.03, 0.15), rng.uniform(0.15, 0.7)], p=[0.57, 0.25, 0.18])
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
        level = float(i) if overlap is not None else 0.0
        pose = lying(x + extra, slip, yaw, 0.0)
        bodies.append(make_body(shape, code, pose, level))
    return bodies


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
    packing = rng.uniform(1.4, 3.2)
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
                else row_bodies(rng, codes, shape, float(rng.uniform(0.45, 0.84)))
            )
        elif not cards and style < 0.06:
            group = row_bodies(rng, codes, shape, float(rng.uniform(0.08, 0.35)))
        else:
            group = row_bodies(rng, codes, shape, None)
        if rng.random() < 0.05:
            group[int(rng.integers(len(group)))].code = "back"
        if find_room(layout, group, rng, half, yaw()):
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
        bodies.append(make_body(shape, code, pose, float(i)))
    return bodies


def _fan(rng: Rng, codes: Sequence[str], shape: Shape) -> list[Body]:
    """Cards turned about a point below them, as held in a hand."""
    pivot = shape.height * rng.uniform(0.5, 1.3)
    spread = rng.uniform(0.1, 0.24)
    bodies = []
    for i, code in enumerate(codes):
        a = -(i - (len(codes) - 1) / 2) * spread + rng.normal(0, 0.015)
        pose = lying(-np.sin(a) * pivot, np.cos(a) * pivot - pivot, a, 0.0)
        bodies.append(make_body(shape, code, pose, float(i)))
    return bodies


def scatter(rng: Rng, layout: Layout, shape: Shape, box: Box, count: int) -> None:
    """Single pieces any way round, apart or heaped, some face down."""
    heap = rng.random() < (0.3 if shape.kind == "tile" else 0.5)
    packing = rng.uniform(0.6, 1.3) if heap else rng.uniform(1.5, 4)
    half = np.full(2, np.sqrt(count * shape.width * shape.height * packing) / 2)
    backs = float(rng.choice([0.0, 0.15, 0.6], p=[0.57, 0.25, 0.18]))
    if heap:
        _heap(rng, layout, shape, box, count, np.zeros(2), half, backs)
        return
    upright = rng.random() < 0.3
    for _ in range(count):
        code = "back" if rng.random() < backs else box.any()
        yaw = float(rng.normal(0, 0.2) if upright else rng.uniform(0, 2 * np.pi))
        find_room(layout, [make_body(shape, code, lying(0, 0, 0, 0))], rng, half * 1.1, yaw, in_row=False)


def _heap(
    rng: Rng, layout: Layout, shape: Shape, box: Box, count: int, middle: Floats, half: Floats, backs: float
) -> list[Body]:
    """Pieces thrown on each other within +-half of `middle`."""
    bodies = []
    upright = rng.random() < 0.3
    for _ in range(count):
        code = "back" if rng.random() < backs else box.any()
        body = make_body(shape, code, lying(0, 0, 0, 0))
        x, y = middle + rng.uniform(-half, half)
        move([body], float(x), float(y), float(rng.normal(0, 0.25) if upright else rng.uniform(0, 2 * np.pi)))
        bodies.append(body)
    if shape.kind == "tile":
        settle(bodies)
    else:
        for level, body in enumerate(bodies):
            body.level = float(level)
            body.pose.centre[2] = body.thickness * (1 + body.level)
    for body in bodies:
        layout.add_row([body], in_row=False)
    return bodies


def grid(rng: Rng, layout: Layout, shape: Shape, box: Box, count: int) -> None:
    """Rows under each other, as on a set laid out to be counted; also face-down stock, or faces and backs mixed."""
    columns = int(rng.integers(2, 14))
    gap_x = rng.choice([0.01, 0.1, 0.5]) * rng.uniform(0.5, 1.5)
    gap_y = rng.choice([0.03, 0.2, 0.8]) * rng.uniform(0.5, 1.5)
    if gap_x > gap_y:
        gap_y = gap_x * 1.3
    yaw = float(rng.choice([0, rng.uniform(0, 2 * np.pi)]))
    backs = float(rng.choice([0.0, 0.25, 1.0], p=[0.7, 0.16, 0.14]))
    rows = max(count // columns, 1)
    for j in range(rows):
        bodies = []
        for i in range(columns):
            if len(layout.bodies) + len(bodies) >= max(count, 1):
                break
            x = (i - columns / 2) * (shape.width + gap_x) + rng.normal(0, 0.015)
            y = (rows / 2 - j) * (shape.height + gap_y) + rng.normal(0, 0.03)
            code = "back" if rng.random() < backs else box.any()
            bodies.append(make_body(shape, code, lying(x, y, rng.normal(0, 0.025), 0.0)))
        move(bodies, 0.0, 0.0, yaw)
        layout.add_row(bodies)


def discards(rng: Rng, layout: Layout, shape: Shape, box: Box, count: int) -> None:
    """A long row of discards, each partly on the one before or beside it, and the stock: stacks of backs."""
    overlap = float(rng.uniform(0.1, 0.45)) if rng.random() < 0.5 else None
    per_row = int(rng.integers(6, 18))
    yaw = float(rng.uniform(0, 2 * np.pi))
    step = shape.height * float(rng.uniform(1.1, 1.6))
    for k, start in enumerate(range(0, count, per_row)):
        codes = [box.any() for _ in range(min(per_row, count - start))]
        row = row_bodies(rng, codes, shape, overlap)
        for body in row:
            body.pose.centre[1] -= k * step
        move(row, 0.0, 0.0, yaw)
        if overlap is not None:
            settle(row)
        layout.add_row(row)
    if rng.random() < 0.6:
        _stock(rng, layout, shape, int(rng.integers(2, 12)), step * 1.4, yaw)


def _stock(rng: Rng, layout: Layout, shape: Shape, stacks: int, y: float, yaw: float) -> None:
    """Face-down tiles in stacks of up to three, side by side at a distance `y` before the origin."""
    high = int(rng.integers(1, 4))
    bodies = []
    for i in range(stacks):
        for level in range(high if rng.random() < 0.85 else int(rng.integers(1, high + 1))):
            x = (i - stacks / 2) * (shape.width + 0.04) + rng.normal(0, 0.03)
            body = make_body(shape, "back", lying(x, y + rng.normal(0, 0.03), rng.normal(0, 0.03), 0.0), float(level))
            bodies.append(body)
    move(bodies, 0.0, 0.0, yaw)
    layout.add_row(bodies, in_row=False)


def rack(rng: Rng, layout: Layout, shape: Shape, box: Box, count: int) -> None:
    """Tiles standing in a rack of one or two tiers."""
    two = 1 if rng.random() < 0.25 else 2
    slots = int(rng.integers(max(4, count // two // 2), 16))
    made = make_rack(rng, slots, shape.width, shape.height, shape.thickness)
    layout.rack = made
    per_tier = -(-count // len(made.tiers))
    for k in range(len(made.tiers)):
        _fill_tier(rng, layout, shape, box, made, k, slots, per_tier)


def _fill_tier(rng: Rng, layout: Layout, shape: Shape, box: Box, made: Rack, k: int, slots: int, count: int) -> None:
    end = slots * (shape.width + 0.03) / 2
    full = rng.random() < 0.6
    x = -end + shape.width / 2
    if rng.random() < 0.3:
        x += float(rng.uniform(0, slots / 3))
    row: list[Body] = []
    for _ in range(count):
        if rng.random() < (0.06 if full else 0.3):
            x += shape.width * float(rng.uniform(0.2, 1.2))
            if row:
                layout.add_row(row)
            row = []
        if x > end:
            break
        code = "back" if rng.random() < 0.02 else box.any()
        body = make_body(shape, code, made.stand(x, made.tiers[k], shape.height, shape.thickness))
        body.tier = k
        row.append(body)
        x += shape.width + float(rng.uniform(0, 0.03) if rng.random() < 0.8 else rng.uniform(0.05, 0.3))
    if row:
        layout.add_row(row)


def hand(rng: Rng, layout: Layout, shape: Shape, box: Box, count: int) -> None:
    """A player's end of round: what is left in the rack, and the melds laid out before or beyond it."""
    rack(rng, layout, shape, box, int(rng.integers(0, 15)))
    assert layout.rack is not None
    melded = 0
    beyond = rng.random() < 0.65
    half = np.array([max(layout.rack.length / 2, 5.0), 2.2])
    back = float(layout.rack.profile()[:, 0].max())
    middle = np.array([0.0, back + half[1] + 1.2 if beyond else -half[1] - 1.8])
    turned = np.pi if rng.random() < 0.3 else 0.0
    while melded < count:
        codes = box.meld()
        group = row_bodies(rng, codes, shape, None)
        melded += len(codes)
        if not find_room(layout, group, rng, half, turned + float(rng.normal(0, 0.08)), middle):
            half = half * 1.1
            middle[1] += 0.2 if beyond else -0.2


def open_box(rng: Rng, layout: Layout, shape: Shape, box: Box) -> None:
    """An open box of loose pieces beside what lies on the table; the picture's edge may cut it."""
    half = (float(rng.uniform(2.0, 4.5)), float(rng.uniform(1.6, 3.0)))
    reach = max((float(np.linalg.norm(b.pose.centre[:2])) for b in layout.bodies), default=1.0)
    a = float(rng.uniform(0, 2 * np.pi))
    middle = (reach + float(np.hypot(*half)) + 1.0) * np.array([np.cos(a), np.sin(a)])
    colour = np.array([235.0, 238, 240]) * rng.uniform(0.4, 1.0) if rng.random() < 0.4 else rng.uniform(30, 210, 3)
    tone = (float(colour[0]), float(colour[1]), float(colour[2]))
    layout.tray = Tray(float(middle[0]), float(middle[1]), a, half, float(rng.uniform(0.6, 1.8)), tone)
    inner = np.array([max(min(half) - 0.9, 0.3)] * 2)
    bodies = _heap(rng, layout, shape, box, int(rng.integers(3, 26)), middle, inner, float(rng.choice([0.0, 0.4])))
    for body in bodies:
        body.boxed = True
