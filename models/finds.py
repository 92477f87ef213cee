"""Gathers what the locator takes for tiles, rightly and wrongly: `python -m models.finds --labels FILE... --out DIR`.

Each find of labelled scenes or photographs becomes a sample for the witness: two patches around it and whether a tile
lies there. Finds on a part of a tile are left out, but for small parts.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tqdm import tqdm

from datasets.labels import Labelled, load
from vision import witness
from vision.flatten import Floats, Image
from vision.geometry import area, overlap, shared_area
from vision.locate import FIRST, Spot, look
from vision.weights import Network
from vision.weights import load as network

LEAST = 0.06
"""Locator score from which a find is a sample: far under the one that counts."""
ON, OFF = 0.4, 0.15
"""Overlap from which a find is the piece, and up to which it is none."""
SHARD = 4000


def truth(quad: Floats, targets: Sequence[Floats]) -> float | None:
    """Whether a find (4, 2) is one of the labelled quads (1), none (0), or too much a part of one to say (None)."""
    best = max((overlap(quad, target) for target in targets), default=0.0)
    if best >= ON:
        return 1.0
    if best > OFF or any(shared_area(quad, target) > 0.5 * area(quad) for target in targets):
        return None
    return 0.0


def found(photo: Labelled, image: Image, locator: Network, least: float) -> list[tuple[Spot, float | None]]:
    """What the locator finds on a photo in its first pass, from a score on, and the `truth` of each."""
    size = min(int(locator.number("size", FIRST)), max(image.shape[:2]))
    quads = [target.quad for target in photo.targets]
    return [(spot, truth(spot.quad, quads)) for spot in look(image, locator, size, least)]


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m models.finds", description=__doc__)
    parser.add_argument("--labels", type=Path, nargs="+", required=True)
    parser.add_argument("--models", type=Path, default=Path(__file__).parent)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args(argv)
    args.out.mkdir(parents=True, exist_ok=True)
    locator = network("locator", args.models)
    patches, truths, scores, shard, count = [], [], [], 0, [0, 0]

    def write() -> None:
        if truths:
            np.save(args.out / f"pair-{shard:03d}.npy", np.stack(patches))
            np.save(args.out / f"truth-{shard:03d}.npy", np.array(truths, np.float32))
            np.save(args.out / f"score-{shard:03d}.npy", np.array(scores, np.float32))

    for labels in args.labels:
        for photo in tqdm(list(load(labels)), unit="scene"):
            image = photo.pixels()
            told = [(spot, answer) for spot, answer in found(photo, image, locator, LEAST) if answer is not None]
            if not told:
                continue
            patches.extend(witness.pairs(image, [spot for spot, _ in told]))
            truths.extend(answer for _, answer in told)
            scores.extend(spot.score for spot, _ in told)
            for _, answer in told:
                count[int(answer)] += 1
            if len(truths) >= SHARD:
                write()
                patches, truths, scores, shard = [], [], [], shard + 1
    write()
    print(f"{count[1]} finds of pieces, {count[0]} of none")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
