"""Finds which way labelled pieces of real photographs stand, where their labels don't say.

`python -m models.stand --labels L.jsonl --run RUN --out groups.jsonl`: each labelled rectangle is read in its four
directions by a reader trained on rendered scenes; the one in which the labelled face is likeliest wins, if clearly.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from datasets.crops import CARD_MARGIN, CROP, TILE_MARGIN, card_answer, tile_answer
from datasets.labels import Labelled, Target, load
from models.networks import Reader
from models.samples import to_planes
from models.train_reader import HEADS
from vision.flatten import flatten

CLEAR = 1.5
"""How many nats the best direction must lead the next by."""


def directions(target: Target) -> NDArray[np.float64]:
    """The rectangle begun at each of its corners (4, 4, 2); for a tile only those with its head on a short side."""
    return np.stack([np.roll(target.quad, -k, 0) for k in range(4)])


@torch.no_grad()
def upright(photo: Labelled, target: Target, models: dict[str, nn.Module], image: NDArray[np.uint8]) -> float | None:
    """Degrees clockwise from the picture's up to the piece's up, or None where the reader can't tell."""
    what = "tile" if target.kind.startswith("tile") else "card"
    if target.code == "back" or what not in models:
        return None
    quads = directions(target)
    if what == "tile":
        tall = np.linalg.norm(quads[:, 3] - quads[:, 0], axis=1) > np.linalg.norm(quads[:, 1] - quads[:, 0], axis=1)
        quads = quads[tall]
    crops = flatten(image, quads, CROP, TILE_MARGIN if what == "tile" else CARD_MARGIN)
    outputs: tuple[Tensor, ...] = models[what](to_planes(crops))
    rank, mark, _ = tile_answer(target.code) if what == "tile" else card_answer(target.code)
    score = outputs[0].log_softmax(1)[:, rank] + outputs[2].log_softmax(1)[:, 0]
    if mark >= 0:
        score = score + 0.3 * outputs[1].log_softmax(1)[:, mark]
    order = score.argsort(descending=True)
    if len(order) > 1 and float(score[order[0]] - score[order[1]]) < CLEAR:
        return None
    quad = quads[int(order[0])]
    up = (quad[0] + quad[1] - quad[2] - quad[3]) / 2
    return round(float(np.degrees(np.arctan2(up[0], -up[1]))), 1)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m models.stand", description=__doc__)
    parser.add_argument("--labels", type=Path, required=True)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args(argv)
    models: dict[str, nn.Module] = {}
    for what, heads in HEADS.items():
        weights = args.run / f"{what}_reader-final.pt"
        if weights.exists():
            models[what] = Reader(heads).eval()
            models[what].load_state_dict(torch.load(weights, weights_only=True))
    known = total = 0
    lines = []
    for photo in load(args.labels):
        image = photo.pixels()
        ups = [upright(photo, target, models, image) for target in photo.targets]
        known += sum(u is not None for u in ups)
        total += len(ups)
        lines.append(json.dumps({"image": photo.label["image"], "groups": [], "upright": ups}))
    args.out.write_text("\n".join(lines) + "\n")
    print(f"{known} of {total} pieces stand clearly")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
