"""Trains the locator: `python -m models.train_locator --labels L.jsonl ... --out RUN [--recipe FILE]`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.utils.data import DataLoader, IterableDataset

from datasets.labels import CLASSES, Labelled, Target, load
from models.locator import criterion, locator, predictions_float
from models.networks import parameters, threads
from models.start import start
from models.training import Batch, Plan, fit, recipe
from vision.geometry import sides

RECIPE = Path(__file__).with_name("recipes") / "locator.toml"
LEAST = {"tile": 0.3, "tile_back": 0.35, "card_index": 0.6, "card_back": 0.3}
"""From which visible share a piece is to be found."""


def rotated(quad: NDArray[np.float64]) -> tuple[float, float, float, float, float]:
    """Least rectangle (cx, cy, w, h, angle) with w >= h, angle in [-pi/4, 3 pi/4): what the head can say."""
    (cx, cy), (w, h), degrees = cv2.minAreaRect(quad.astype(np.float32))
    angle = np.radians(degrees)
    if w < h:
        w, h, angle = h, w, angle + np.pi / 2
    return cx, cy, w, h, float((angle + np.pi / 4) % np.pi - np.pi / 4)


@dataclass(frozen=True)
class Zoom:
    """How photographs are cut: long side of the whole photo over the cut's side, and how often a piece is aimed at.

    An aimed piece comes out `least` to `most` pixels long, evenly in the logarithm, where `most` is given.
    """

    low: float = 0.6
    high: float = 1.55
    aim: float = 0.0
    least: float = 16.0
    most: float = 0.0
    squeeze: float = 0.0
    """Most that a photo is squeezed one way (natural logarithm)."""
    soft: float = 0.0
    """Share of the cuts that are softened and greyed, as a webcam's are."""
    mirror: float = 0.5
    """Share of the cuts that are mirrored: where a piece lies is the same in a mirror, what it says is not."""


def kind_of(target: Target) -> int:
    """The locator's class of a target."""
    return CLASSES.index(target.kind)


ENLARGED = 1.7
"""A photo is never enlarged more: there is nothing to see in it that a network could learn."""


def altered(
    photo: Labelled,
    rng: np.random.Generator,
    side: int,
    zoom: Zoom = Zoom(),
    class_of: Callable[[Target], int] = kind_of,
) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """A square cut of the photo, scaled, turned, mirrored and toned; targets (n, 6): class, box as shares, angle."""
    image = photo.pixels()
    h, w = image.shape[:2]
    scale = side / max(h, w) * float(np.exp(rng.uniform(np.log(zoom.low), np.log(zoom.high))))
    aimed = None
    if photo.targets and rng.random() < zoom.aim:
        aimed = photo.targets[int(rng.integers(len(photo.targets)))].quad
        if zoom.most:
            length = float(max(sides(aimed[None])).max())
            wanted = float(np.exp(rng.uniform(np.log(zoom.least), np.log(zoom.most))))
            scale = min(wanted / max(length, 1.0), ENLARGED)
    k, mirror = int(rng.integers(4)), rng.random() < zoom.mirror
    a = np.radians(90 * k + rng.normal(0, 4))
    c, s = np.cos(a) * scale, np.sin(a) * scale
    matrix = np.array([[-c if mirror else c, -s, 0.0], [-s if mirror else s, c, 0.0]])
    if zoom.squeeze and rng.random() < 0.5:
        matrix[:, int(rng.integers(2))] *= np.exp(-rng.uniform(0, zoom.squeeze))
    middle = matrix[:, :2] @ (w / 2, h / 2)
    reach = np.abs(matrix[:, :2]) @ (w / 2, h / 2)
    slack = np.abs(reach - side / 2) * 0.95
    matrix[:, 2] = side / 2 - middle + rng.uniform(-slack, slack)
    if aimed is not None:
        matrix[:, 2] = side / 2 - matrix[:, :2] @ aimed.mean(0) + rng.uniform(-0.35, 0.35, 2) * side
    shrink = 1.0
    if scale < 0.5:
        shrink = 0.5 if scale >= 0.25 else 0.25
        image = cv2.resize(image, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
    elif scale < 0.75:
        image = cv2.GaussianBlur(image, (0, 0), 0.5)
    use = matrix.copy()
    use[:, :2] /= shrink
    cut = cv2.warpAffine(image, use, (side, side), flags=cv2.INTER_LINEAR, borderValue=(114, 114, 114))
    gain = np.exp(rng.normal(0, 0.15)) * np.exp(rng.normal(0, 0.04, 3))
    if rng.random() < zoom.soft:
        cut = cv2.GaussianBlur(cut, (0, 0), rng.uniform(0.4, 1.1))
        gain = gain * rng.uniform(0.62, 1.0)
    cut = np.clip(cut * gain.astype(np.float32), 0, 255).astype(np.uint8)
    rows = []
    for t in photo.targets:
        if t.visible < LEAST[t.kind]:
            continue
        quad = t.quad @ matrix[:, :2].T + matrix[:, 2]
        inside = np.clip(quad, 0, side)
        whole, left = cv2.contourArea(quad.astype(np.float32)), cv2.contourArea(inside.astype(np.float32))
        if left < 0.45 * whole or whole < 30:
            continue
        cx, cy, bw, bh, angle = rotated(quad if left > 0.9 * whole else inside)
        rows.append((class_of(t), cx / side, cy / side, bw / side, bh / side, angle))
    return cut, np.array(rows, np.float32).reshape(-1, 6)


class Cuts(IterableDataset[tuple[Tensor, Tensor]]):
    """Endless altered photographs; the same seed and step give the same batch."""

    def __init__(
        self,
        groups: Sequence[tuple[Sequence[Labelled], float]],
        plan: Plan,
        side: int,
        zoom: Zoom,
        step: int,
        class_of: Callable[[Target], int],
    ) -> None:
        self.groups, self.plan, self.side, self.zoom, self.step = groups, plan, side, zoom, step
        self.class_of = class_of

    def __iter__(self) -> Iterator[Any]:
        cv2.setNumThreads(1)
        shares = np.array([share for _, share in self.groups])
        step = self.step
        while True:
            rng = np.random.default_rng([self.plan.seed, step])
            images, targets = [], []
            for i in range(self.plan.batch):
                photos = self.groups[int(rng.choice(len(shares), p=shares / shares.sum()))][0]
                image, rows = altered(photos[int(rng.integers(len(photos)))], rng, self.side, self.zoom, self.class_of)
                images.append(image)
                targets.append(np.column_stack([np.full(len(rows), i, np.float32), rows]))
            planes = np.stack(images)[..., ::-1].transpose(0, 3, 1, 2)
            yield torch.from_numpy(np.ascontiguousarray(planes)), torch.from_numpy(np.concatenate(targets))
            step += 1


def batches(
    groups: Sequence[tuple[Sequence[Labelled], float]],
    plan: Plan,
    side: int,
    zoom: Zoom,
    step: int,
    class_of: Callable[[Target], int] = kind_of,
) -> Iterator[Batch]:
    cuts = Cuts(groups, plan, side, zoom, step, class_of)
    loader = DataLoader(cuts, batch_size=None, num_workers=1, prefetch_factor=3)
    for images, targets in loader:
        yield {
            "img": images.float().div_(255).contiguous(memory_format=torch.channels_last),
            "batch_idx": targets[:, 0],
            "cls": targets[:, 1:2],
            "bboxes": targets[:, 2:7],
        }


def locator_loss(loss: Any) -> Any:
    def compute(model: nn.Module, batch: Batch) -> tuple[Tensor, dict[str, float]]:
        with torch.autocast("cpu", torch.bfloat16):
            preds = model(batch["img"])
        total, parts = loss(predictions_float(preds), batch)
        return total.sum() / len(batch["img"]), {k: float(v) for k, v in parts.items()}

    return compute


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m models.train_locator", description=__doc__)
    parser.add_argument("--labels", type=Path, nargs="+", required=True)
    parser.add_argument("--real", type=Path, nargs="*", default=[], help="labels of real photographs, mixed in")
    parser.add_argument("--share", type=float, default=0.15, help="share of the real photographs")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--recipe", type=Path, default=RECIPE)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--init", type=Path, help="weights to start a further round from: a run's file, or an .onnx")
    args = parser.parse_args(argv)
    threads()
    values, _ = recipe(args.recipe)
    plan = Plan(seed=args.seed, **values["plan"])
    zoom = Zoom(**values.get("zoom", {}))
    groups = [([p for path in args.labels for p in load(path)], 1.0 - (args.share if args.real else 0.0))]
    if args.real:
        groups.append(([p for path in args.real for p in load(path)], args.share))
    torch.manual_seed(plan.seed)
    model = locator(**values.get("loss", {}))

    def stream(step: int) -> Iterator[Batch]:
        return batches(groups, plan, values["side"], zoom, step)

    if args.init:
        start(model, args.init, lambda: (batch["img"] for batch in stream(0)))
    print(f"{parameters(model):,} parameters, {sum(len(g[0]) for g in groups):,} photographs")
    loss = criterion(model)
    best = fit(model, plan, stream, locator_loss(loss), args.out, "locator")
    torch.save(best.state_dict(), args.out / "locator-final.pt")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
