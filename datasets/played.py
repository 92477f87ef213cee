"""Photographs of a hand of cards as it is played: the same table again after a move, and each player's hand.

A `Played` table keeps every card where it lies; `photograph` paints it with labels exact by construction, from
another place each time, as a person would take the next picture. `python -m datasets.played OUT --tables N` writes
such tables as a labelled folder, each before and after a move that changes one group.
"""

from __future__ import annotations

import argparse
import copy
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np

from datasets.camera import Camera, Floats, frame
from datasets.copies import CardCopies
from datasets.decks import Deck, deck
from datasets.develop import develop
from datasets.ground import SURFACE_COUNT, paint_table, pooled_surface
from datasets.lamps import random_light
from datasets.layout import Layout, Rng, Shape, find_room, footprint, make_body
from datasets.paint import Canvas
from datasets.scene import Painted, Sets, labels, paint_bodies, scale_of
from datasets.slabs import CORNERS, Body, lying
from datasets.stage import card_shape

Style = Literal["column", "row", "fan", "apart"]
STYLES: tuple[Style, ...] = ("column", "row", "fan", "apart")
COLUMN_STEP = (0.23, 0.42)
"""Heights of a card from one to the next down a column: an index is about a fifth of it."""
ROW_STEP = (0.22, 0.55)
"""Widths of a card from one to the next along an overlapping row."""
FAN_TURN = (0.12, 0.24)
"""Radians from one card of a fan to the next."""
APART = (1.03, 1.12)
"""Widths of a card from one to the next of a row in which none covers another."""


@dataclass(frozen=True)
class Heap:
    """Cards laid together: their codes in order, where each lies, and the group's footprint on the table (4, 2)."""

    codes: tuple[str, ...]
    bodies: tuple[Body, ...]
    ground: Floats


@dataclass(frozen=True)
class Played:
    """A table of cards from one box of decks: groups and lone cards where they lie, on the surface `ground`."""

    deck: Deck
    heaps: tuple[Heap, ...] = ()
    ground: int = 0

    @property
    def codes(self) -> tuple[tuple[str, ...], ...]:
        """The codes of every group."""
        return tuple(heap.codes for heap in self.heaps)

    def lay(self, rng: Rng, codes: Sequence[str], style: Style | None = None, yaw: float | None = None) -> Played:
        """The table with one more group where there is room; `style` and `yaw` (radians) by chance where not given."""
        shape = card_shape(self.deck)
        bodies = laid(rng, codes, shape, style or (STYLES[int(rng.integers(len(STYLES)))] if len(codes) > 1 else "row"))
        layout = Layout(occupied=[heap.ground for heap in self.heaps])
        reach = np.full(2, 3.0) + np.sqrt(sum(len(heap.codes) for heap in self.heaps)) * 1.4
        turn = float(rng.normal(0, 0.12)) if yaw is None else yaw
        while not find_room(layout, bodies, rng, reach * (1.3, 1.0), turn):
            reach = reach * 1.1
        return replace(self, heaps=(*self.heaps, Heap(tuple(codes), tuple(bodies), footprint(bodies))))

    def without(self, place: int) -> Played:
        """The table without one of its groups."""
        return replace(self, heaps=(*self.heaps[:place], *self.heaps[place + 1 :]))


@dataclass(frozen=True)
class Taken:
    """A photograph (h, w, 3) BGR and its label line (photos/README.md, extended): pieces, and `groups` of them."""

    image: np.ndarray[Any, np.dtype[np.uint8]]
    label: dict[str, Any]
    jpeg: bytes = field(repr=False)


def laid(rng: Rng, codes: Sequence[str], shape: Shape, style: Style) -> list[Body]:
    """A group of cards round the origin as people leave it: in order, hardly straight, each on the one before."""
    crooked = float(rng.choice([0.01, 0.03]))
    middle = (len(codes) - 1) / 2
    column, row, turn = (float(rng.uniform(*span)) for span in (COLUMN_STEP, ROW_STEP, FAN_TURN))
    apart, slant, pivot = float(rng.uniform(*APART)), float(rng.normal(0, 0.1)), float(rng.uniform(0.7, 1.3))
    bodies = []
    for n, code in enumerate(codes):
        at = n - middle
        slip, yaw = rng.normal(0, crooked, 2) * shape.height, rng.normal(0, crooked)
        if style == "column":
            x, y = at * column * shape.height * slant, -at * column * shape.height
        elif style == "fan":
            angle = -at * turn
            x, y = -np.sin(angle) * pivot * shape.height, (np.cos(angle) - 1) * pivot * shape.height
            yaw += angle
        else:
            x, y = at * (row if style == "row" else apart) * shape.width, 0.0
        if style == "apart":
            slip, yaw = slip * (0.2, 1), yaw * 0.5
        pose = lying(x + float(slip[0]) * 0.4, y + float(slip[1]) * 0.6, float(yaw), 0.0)
        bodies.append(make_body(shape, code, pose, float(n) if style != "apart" else 0.0))
    return bodies


def photograph(table: Played, seed: int, size: int = 1280, *, sharp: bool = False) -> Taken:
    """A picture of the table from above its near side; `seed` chooses camera and lamp.

    `size`: the longer side in pixels. `sharp`: no blur, noise or grain of a real camera.
    """
    rng = np.random.default_rng(seed)
    layout = Layout()
    for heap in table.heaps:
        layout.add_row(copy.deepcopy(heap.bodies), in_row=len(heap.codes) > 1)
    sets = Sets(None, CardCopies(table.deck, table.deck.seed))
    camera = _camera(rng, layout, size)
    canvas = Canvas(camera, random_light(rng, -camera.axes[2]))
    surface = pooled_surface(table.ground % SURFACE_COUNT)
    paint_table(canvas, surface, rng)
    scale = scale_of(camera, layout)
    paint_bodies(canvas, layout, sets, rng, scale)
    pieces = labels(Painted("played", surface.kind, sets, layout, camera, canvas, scale))
    ends = np.cumsum([0, *(len(heap.codes) for heap in table.heaps)]).tolist()
    label = {
        "width": camera.width,
        "height": camera.height,
        "source": "rendered-played",
        "deck": table.deck.name,
        "pieces": pieces,
        "groups": [list(range(a, b)) for a, b in pairwise(ends)],
    }
    if sharp:
        return Taken(np.asarray(canvas.pixels, np.uint8), label, b"")
    photo = develop(canvas.pixels, rng, scale=scale)
    return Taken(_decoded(photo.jpeg), label, photo.jpeg)


def _decoded(jpeg: bytes) -> np.ndarray[Any, np.dtype[np.uint8]]:
    import cv2

    return np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)


def _camera(rng: Rng, layout: Layout, size: int) -> Camera:
    points = np.concatenate([body.points(CORNERS) for body in layout.bodies]) if layout.bodies else np.eye(3) * 4
    middle = (points.min(0) + points.max(0)) / 2 * (1, 1, 0)
    return frame(
        points,
        float(rng.uniform(0.82, 0.96)),
        target=middle,
        elevation=np.pi / 2 - min(abs(float(rng.normal(0, 0.3))), 0.75),
        azimuth=-np.pi / 2 + float(rng.normal(0, 0.15)),
        roll=float(rng.normal(0, 0.05)),
        fov=float(rng.uniform(0.7, 1.15)),
        size=(size, size * 3 // 4),
        k1=float(rng.normal(0, 0.02)),
    )


def main(argv: Sequence[str] | None = None) -> None:
    """Command line: where to write, how many tables, of how many packs."""
    from datasets.moves import some_table

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--tables", type=int, default=8)
    parser.add_argument("--packs", type=int, default=1, choices=(1, 2))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", type=int, default=1280)
    parser.add_argument("--held-out", action="store_true", help="decks kept out of training")
    args = parser.parse_args(argv)
    args.out.mkdir(parents=True, exist_ok=True)
    lines = []
    for n in range(args.tables):
        rng = np.random.default_rng([args.seed, n])
        table = some_table(rng, deck(int(rng.integers(160)), args.held_out), args.packs)
        taken = photograph(table, args.seed * 10_000 + n, args.size)
        name = f"{n:04d}.jpg"
        (args.out / name).write_bytes(taken.jpeg)
        lines.append(json.dumps({"image": name, **taken.label}))
    (args.out / "labels.jsonl").write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
