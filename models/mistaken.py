"""Cuts what the locator takes for a piece: `python -m models.mistaken --what tile|card --labels FILE... --out DIR`.

Only what is none: words, keys, pips and drawings become samples of the reader, as what can't be read. DIR is one more
`--data` of `models.train_reader`. The finds are cut as in use, by the corner network's quads.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tqdm import tqdm

from datasets.crops import NONE
from datasets.labels import load
from models.finds import found
from vision.corners import outline
from vision.flatten import flatten
from vision.identify import CROP, MARGINS, RANKS
from vision.read import CORNERS, LOCATORS
from vision.scene import Kind
from vision.weights import load as network

LEAST = 0.2
"""Locator score from which a find of nothing is a sample."""


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m models.mistaken", description=__doc__)
    parser.add_argument("--what", choices=("tile", "card"), required=True)
    parser.add_argument("--labels", type=Path, nargs="+", required=True)
    parser.add_argument("--models", type=Path, default=Path(__file__).parent)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args(argv)
    kind: Kind = args.what
    args.out.mkdir(parents=True, exist_ok=True)
    locator, turned = network(LOCATORS[kind], args.models), network(CORNERS[kind], args.models)
    crops = []
    for labels in args.labels:
        for photo in tqdm(list(load(labels)), unit="scene"):
            image = photo.pixels()
            spots = [
                spot for spot, answer in found(photo, image, locator, LEAST)
                if answer == 0 and spot.kind in ("tile", "card_index")
            ]  # fmt: skip
            quads = [o.quads[o.best] for o in outline(image, spots, turned)]
            if quads:
                crops.append(flatten(image, np.stack(quads), CROP, MARGINS[kind]))
    count = sum(map(len, crops))
    width, height = CROP
    every = np.concatenate(crops) if crops else np.zeros((0, height, width, 3), np.uint8)
    answers = np.tile(np.array([len(RANKS[kind]) - 1, NONE, NONE], np.int8), (count, 1))
    np.save(args.out / f"{kind}-0000.npy", every)
    np.save(args.out / f"{kind}_answer-0000.npy", answers)
    print(f"{count} finds of nothing")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
