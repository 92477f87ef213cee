"""Contact sheets, rendered beside real, of whole scenes and of single pieces.

`python -m datasets.sheets --out DIR [--rendered DIR] [--real LABELS.jsonl ...]` writes `scenes.jpg` and `pieces.jpg`:
rendered on the left, real photographs on the right.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.labels import Labelled, load, shared_photos
from datasets.render import main as render
from vision.flatten import flatten

Image = NDArray[np.uint8]
COLUMNS, ROWS, SIDE = 4, 6, 300
PIECE = (60, 84)


def scene_cells(photos: Sequence[Labelled], count: int, rng: np.random.Generator) -> list[Image]:
    """`count` photographs at random, each fitted into a square of SIDE pixels."""
    cells = []
    for k in rng.permutation(len(photos))[:count]:
        image = photos[k].pixels()
        scale = SIDE / max(image.shape[:2])
        small = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        cell = np.full((SIDE, SIDE, 3), 40, np.uint8)
        cell[: small.shape[0], : small.shape[1]] = small[:SIDE, :SIDE]
        cells.append(cell)
    return cells


def piece_cells(photos: Sequence[Labelled], count: int, rng: np.random.Generator) -> list[Image]:
    """`count` pieces at random, each cut upright as the reader sees it; at most four of one photograph."""
    cells: list[Image] = []
    for k in rng.permutation(len(photos)):
        whole = [t for t in photos[k].targets if t.visible > 0.6 and t.kind in ("tile", "card_index")]
        if len(cells) >= count:
            break
        if whole:
            image = photos[k].pixels()
            quads = np.stack([whole[pick].quad for pick in rng.permutation(len(whole))[:4]])
            cells.extend(flatten(image, quads, PIECE, 0.08))
    return cells[:count]


def side_by_side(left: Sequence[Image], right: Sequence[Image], columns: int) -> Image:
    """Two blocks of equal cells with a white bar between them."""
    blocks = []
    rows = max(-(-len(left) // columns), -(-len(right) // columns), 1)
    like = next(iter([*left, *right]))
    for cells in (left, right):
        filled = [*cells, *[np.zeros_like(like)] * (rows * columns - len(cells))]
        blocks.append(np.vstack([np.hstack(filled[r * columns : (r + 1) * columns]) for r in range(rows)]))
    return np.hstack([blocks[0], np.full((blocks[0].shape[0], 8, 3), 255, np.uint8), blocks[1]])


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m datasets.sheets", description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rendered", type=Path, help="a folder of datasets.render; without it 48 scenes are rendered")
    parser.add_argument("--real", type=Path, nargs="*", help="labels.jsonl; default: the shared 'fit' photographs")
    parser.add_argument("--kind", choices=("tiles", "cards"), default="tiles")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(argv)
    args.out.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(args.seed)
    real = [p for path in args.real or [shared_photos() / args.kind / "fit" / "labels.jsonl"] for p in load(path)]
    with tempfile.TemporaryDirectory() as folder:
        rendered = args.rendered or Path(folder)
        if not args.rendered:
            render(["--kind", args.kind, "--scenes", "48", "--seed", str(args.seed), "--out", folder])
        made = load(rendered / "labels.jsonl")
        count = COLUMNS * ROWS
        scenes = side_by_side(scene_cells(made, count, rng), scene_cells(real, count, rng), COLUMNS)
        pieces = side_by_side(piece_cells(made, 240, rng), piece_cells(real, 240, rng), 12)
    for name, sheet in (("scenes", scenes), ("pieces", pieces)):
        cv2.imwrite(str(args.out / f"{name}.jpg"), sheet)
        print(args.out / f"{name}.jpg")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
