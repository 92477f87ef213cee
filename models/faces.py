"""One detector with a class for every face, trained on the same scenes: what a person would build instead of locating,
straightening and reading. A yardstick that never ships.

`python -m models.faces train --labels L.jsonl ... --init LOCATOR.pt --out RUN` trains it from our own locator's
weights; `python -m models.faces judge RUN/faces-final.pt LABELS.jsonl` prints what it and the shipped networks read of
the same photographs: the detector as ultralytics predicts, with its own letterbox and its own merging of boxes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from datasets.labels import Labelled, Target, load
from models.locator import as_ultralytics, criterion, locator
from models.networks import threads
from models.train_locator import Zoom, batches, locator_loss
from models.training import Plan, fit, recipe
from vision.compare import match
from vision.read import Reader
from vision.scene import TILE_FACES

FACES = (*TILE_FACES, "back")
RECIPE = Path(__file__).with_name("recipes") / "faces.toml"
SIZE = 640


def face_of(target: Target) -> int:
    """The class of a tile's face."""
    return FACES.index(target.code)


def tables(labels: Sequence[Path]) -> list[Labelled]:
    """The photographs of tiles whose pieces all have a place."""
    photos = [photo for path in labels for photo in load(path) if "groups" not in photo.label]
    return [photo for photo in photos if all(target.code in FACES for target in photo.targets)]


def train(args: argparse.Namespace) -> None:
    """Trains the detector and writes `faces-final.pt`."""
    threads()
    values, _ = recipe(args.recipe)
    plan = Plan(seed=args.seed, **values["plan"])
    torch.manual_seed(plan.seed)
    model = locator(classes=len(FACES), **values.get("loss", {}))
    if args.init:
        known = torch.load(args.init, weights_only=True)
        own = model.state_dict()
        model.load_state_dict({k: v for k, v in known.items() if own[k].shape == v.shape}, strict=False)
    groups = [(tables(args.labels), 1.0)]
    zoom, loss = Zoom(**values["zoom"]), criterion(model)
    best = fit(
        model, plan, lambda step: batches(groups, plan, values["side"], zoom, step, face_of), locator_loss(loss),
        args.out, "faces",
    )  # fmt: skip
    torch.save(best.state_dict(), args.out / "faces-final.pt")


def predictor(weights: Path) -> Any:
    """ultralytics' own front door to the trained detector."""
    model = locator(classes=len(FACES))
    model.load_state_dict(torch.load(weights, weights_only=True))
    return as_ultralytics(model, FACES)


def detected(yolo: Any, photo: Labelled, least: float) -> list[tuple[str, np.ndarray[Any, Any]]]:
    """Faces and quads that the detector reports."""
    result = yolo.predict(photo.pixels(), imgsz=SIZE, conf=least, device="cpu", verbose=False)[0].obb
    return [
        (FACES[int(face)], np.asarray(quad, float))
        for face, quad in zip(result.cls, result.xyxyxyxy.numpy(), strict=True)
    ]


def judge(args: argparse.Namespace) -> None:
    """Prints found, right, false finds and the time for both ways."""
    yolo, reader = predictor(args.weights), Reader(args.models)
    photos = tables([args.labels])
    ways = {
        "one detector of faces": lambda photo: detected(yolo, photo, args.least),
        "the shipped networks": lambda photo: [
            (piece.code, np.array(piece.quad)) for piece in reader.read(photo.pixels(), ("tile",)).pieces
        ],
    }
    for name, read in ways.items():
        asked_for = found = right = extra = 0
        start = time.process_time()
        for photo in photos:
            finds = read(photo)
            pairs = match([target.quad for target in photo.targets], [quad for _, quad in finds])
            asked_for += len(photo.targets)
            found += len(pairs)
            right += sum(photo.targets[i].code == finds[j][0] for i, j in pairs.items())
            extra += len(finds) - len(pairs)
        spent = (time.process_time() - start) / max(len(photos), 1)
        print(
            f"{name}: found {found} of {asked_for}, right {right} of {found}, {extra} false finds on {len(photos)}"
            f" photos, {1000 * spent:.0f} ms of processor time a photo"
        )


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m models.faces", description=__doc__)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("train")
    one.add_argument("--labels", type=Path, nargs="+", required=True)
    one.add_argument("--init", type=Path, help="a locator's weights: all layers but the last fit")
    one.add_argument("--out", type=Path, required=True)
    one.add_argument("--recipe", type=Path, default=RECIPE)
    one.add_argument("--seed", type=int, default=0)
    one.set_defaults(run=train)
    two = commands.add_parser("judge")
    two.add_argument("weights", type=Path)
    two.add_argument("labels", type=Path)
    two.add_argument("--least", type=float, default=0.25, help="score from which the detector's finds count")
    two.add_argument("--models", type=Path, default=Path(__file__).parent)
    two.set_defaults(run=judge)
    args = parser.parse_args(argv)
    args.run(args)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
