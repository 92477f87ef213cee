"""A set laid out in four rows by ink and thirteen columns by number, as `remi teach` asks for, and tables of that set.

`python -m datasets.whole_set OUT --editions N [--hard] [--tables M]` writes for each edition a folder with `taught.jpg`
and the tables, each with its line in `labels.jsonl`: what a profile gains is measured on sets never trained on.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tqdm import tqdm

from datasets import tileinks, tilelooks
from datasets.camera import frame
from datasets.copies import TileCopies
from datasets.editions import edition
from datasets.layout import Layout, make_body
from datasets.scene import Recipe, Rendered, Sets, paint_laid, paint_scene, photographed
from datasets.slabs import CORNERS, lying
from datasets.stage import tile_shape

SCENARIOS = ("melds", "scatter", "grid", "rack")
PIECES = 28


def taught(tiles: TileCopies, inks: str, seed: int, size: int = 1600) -> Rendered:
    """All 52 numbered tiles face up: a row for each of `inks` from the top, 1 to 13 from the left; as neat as a hand
    lays them, photographed from above the near side."""
    rng = np.random.default_rng([seed, 52])
    shape = tile_shape(tiles.edition)
    layout = Layout()
    for row, ink in enumerate(inks):
        bodies = []
        for column in range(13):
            x, y = (column - 6) * 1.1 + rng.normal(0, 0.015), (1.5 - row) * (shape.height + 0.2) + rng.normal(0, 0.02)
            body = make_body(shape, f"{ink}{column + 1}", lying(float(x), float(y), float(rng.normal(0, 0.015)), 0.0))
            body.pose.centre[2] = body.thickness
            bodies.append(body)
        layout.add_row(bodies)
    points = np.concatenate([body.points(CORNERS) for body in layout.bodies])
    camera = frame(
        points, float(rng.uniform(0.85, 0.95)), target=points.mean(0) * (1, 1, 0),
        elevation=np.pi / 2 - min(abs(float(rng.normal(0, 0.2))), 0.5), azimuth=-np.pi / 2 + float(rng.normal(0, 0.06)),
        roll=float(rng.normal(0, 0.03)), fov=float(rng.uniform(0.75, 1.1)), size=(size, size * 3 // 4),
    )  # fmt: skip
    return photographed(rng, paint_laid(rng, Sets(tiles, None), "taught", layout, camera), "tiles")


def table(tiles: TileCopies, seed: int, number: int, size: int = 1280, pieces: int = PIECES) -> Rendered:
    """Photograph number `number` of tables of this set: melds, heaps, grids and racks in turn."""
    rng = np.random.default_rng([seed, number, 53])
    recipe = Recipe("tiles", size, scenario=SCENARIOS[number % len(SCENARIOS)], pieces=pieces)
    return photographed(rng, paint_scene(rng, Sets(tiles, None), recipe), "tiles")


def nearness(number: int, held_out: bool) -> float:
    """How near the closest two of an edition's easily mistaken inks are (CIE Lab): blue to black, red to yellow."""
    r, b, y, k = tilelooks.sample(number, held_out).inks
    return min(tileinks.distance(b, k), tileinks.distance(r, y))


def main(argv: Sequence[str] | None = None) -> int:
    """Write the folders."""
    parser = argparse.ArgumentParser(prog="python -m datasets.whole_set", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--editions", type=int, default=12)
    parser.add_argument("--hard", action="store_true", help="the editions with the nearest inks among the first 400")
    parser.add_argument("--tables", type=int, default=4)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--trained-on", action="store_true", help="editions of the kind that networks are trained on")
    args = parser.parse_args(argv)
    held_out = not args.trained_on
    numbers = list(range(args.editions))
    if args.hard:
        numbers = sorted(range(400), key=lambda number: nearness(number, held_out))[: args.editions]
    for number in tqdm(numbers, unit="edition"):
        tiles = TileCopies(edition(number, held_out), (args.seed << 32) + number)
        inks = "".join(np.random.default_rng([args.seed, number]).permutation(list(tileinks.INK_NAMES)))
        folder = args.out / tiles.edition.name
        folder.mkdir(parents=True, exist_ok=True)
        photos = {"taught": taught(tiles, inks, args.seed + number)}
        photos |= {f"table{n}": table(tiles, args.seed + number, n) for n in range(args.tables)}
        lines = []
        for name, photo in photos.items():
            (folder / f"{name}.jpg").write_bytes(photo.jpeg)
            lines.append(json.dumps({"image": f"{name}.jpg", **photo.label}))
        (folder / "labels.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
