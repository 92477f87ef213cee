"""The tables that ship with the companion, drawn anew.

`python -m datasets.sample OUT.jpg` draws vision/samples/table.jpg: an opening of two runs and a set, with two tiles
that were left over, seen as from a player's seat. `--table NAME --seed N` draws those of the page's demo,
companion/web/static/samples: all with seed 7.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.camera import frame
from datasets.copies import TileCopies
from datasets.editions import edition
from datasets.ground import SURFACE_COUNT, paint_table, pooled_surface
from datasets.lamps import random_light
from datasets.layout import Layout, make_body, move
from datasets.paint import Canvas
from datasets.scene import Painted, Sets, labels, paint_bodies, scale_of
from datasets.slabs import CORNERS, lying
from datasets.stage import tile_shape
from vision.scene import Piece, Quad, Row, Scene

Rows = tuple[tuple[str, float, float, float], ...]
ROWS: Rows = (
    ("r9 r10 r11 r12 r13", -0.4, 2.1, 0.05),
    ("b3 b4 b5", -3.0, -0.2, -0.04),
    ("r7 k7 b7 y7", 2.6, -0.1, 0.03),
    ("k11", -2.2, -2.5, 0.3),
    ("y2", 0.6, -2.6, -0.2),
)
"""Codes, middle in tile widths, and turn in radians of each row."""
TABLES: dict[str, Rows] = {
    "sample": ROWS,
    "opens": (
        ("k9 k10 k11 k12 k13", -0.2, 1.9, 0.04),
        ("b3 b4 b5", -2.2, -0.5, -0.05),
        ("r6 y6 b6", 2.2, -0.6, 0.06),
    ),
    "not": (
        ("b7 b8 b9 b10", -0.6, 1.8, -0.03),
        ("r3 k3 b3", -2.3, -0.5, 0.05),
        ("y10 y11 k12", 2.2, -0.6, -0.04),
    ),
    "round": (
        ("r10 r11 r12", -1.9, -3.4, 0.03),
        ("b4 b5 b6", 1.9, -3.5, -0.04),
        ("k7 k8 k9", 5.2, 0.4, np.pi / 2 + 0.04),
        ("r1 y13", 7.2, 0.2, np.pi / 2 - 0.06),
        ("y3 y4 y5", -5.2, 0.5, -np.pi / 2 - 0.05),
        ("b2", -7.2, 0.4, -np.pi / 2 + 0.1),
    ),
}
"""Every table. ``round``: the end of a round, players at the near side, to the right and to the left."""


def sample(seed: int, rows: Rows = ROWS, width: int = 1280, height: int = 960) -> tuple[NDArray[np.uint8], Scene]:
    """The picture, (height, width, 3) uint8 BGR, and what lies in it; `seed` chooses edition, light and surface."""
    rng = np.random.default_rng(seed)
    tiles = TileCopies(edition(int(rng.integers(600))), seed)
    shape, layout = tile_shape(tiles.edition), Layout()
    for text, x, y, yaw in rows:
        codes = text.split()
        bodies = []
        for n, code in enumerate(codes):
            along = (n - (len(codes) - 1) / 2) * 1.03
            pose = lying(along, float(rng.normal(0, 0.02)), float(rng.normal(0, 0.02)), 0.0)
            bodies.append(make_body(shape, code, pose))
        move(bodies, x, y, yaw)
        layout.add_row(bodies, in_row=len(codes) > 1)
    points = np.concatenate([body.points(CORNERS) for body in layout.bodies])
    around = any(abs(yaw) > 1 for *_, yaw in rows)  # a table with players at its sides is seen from higher up
    camera = frame(
        points, 0.84, target=np.zeros(3), elevation=1.35 if around else 1.05, azimuth=-np.pi / 2, roll=0.02, fov=0.9,
        size=(width, height),
    )  # fmt: skip
    canvas = Canvas(camera, random_light(rng, -camera.axes[2]))
    paint_table(canvas, pooled_surface(int(rng.integers(SURFACE_COUNT))), rng)
    scale = scale_of(camera, layout)
    paint_bodies(canvas, layout, Sets(tiles, None), rng, scale)
    truth = labels(Painted("melds", "", Sets(tiles, None), layout, camera, canvas, scale))
    pieces = tuple(Piece(str(piece["code"]), 1.0, _quad(piece["polygon"])) for piece in truth)
    ends = np.cumsum([0, *(len(text.split()) for text, *_ in rows)])
    rows = tuple(
        Row(tuple(range(start, end)), "meld" if end - start > 1 else "loose") for start, end in pairwise(ends.tolist())
    )
    picture = np.asarray(cv2.GaussianBlur(canvas.pixels, (0, 0), 0.7), np.uint8)
    return picture, Scene(width, height, pieces, rows)


def _quad(polygon: Sequence[Sequence[float]]) -> Quad:
    first, second, third, fourth = ((float(x), float(y)) for x, y in polygon)
    return (first, second, third, fourth)


def main(argv: Sequence[str] | None = None) -> None:
    """Command line: where to write, and the seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--table", choices=sorted(TABLES), default="sample")
    parser.add_argument("--scene", type=Path, help="write what lies in the picture here, as a Scene")
    args = parser.parse_args(argv)
    picture, scene = sample(args.seed, TABLES[args.table])
    cv2.imwrite(str(args.out), picture, [cv2.IMWRITE_JPEG_QUALITY, 88])
    if args.scene:
        args.scene.write_text(scene.to_json() + "\n", "utf-8")


if __name__ == "__main__":
    main()
