"""Trains a reader: `python -m models.train_reader --what tile|card --data DIR... --out RUN [--recipe FILE]`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from models.networks import CARD_HEADS, TILE_HEADS, Reader, parameters, threads
from models.samples import Shards, alter, order, to_planes, warp
from models.start import start
from models.training import Batch, Plan, fit, recipe

HEADS = {"tile": TILE_HEADS, "card": CARD_HEADS}


def reader_loss(model: nn.Module, batch: Batch) -> tuple[Tensor, dict[str, float]]:
    """Cross-entropy of each head over the samples that have an answer for it."""
    with torch.autocast("cpu", torch.bfloat16):
        outputs = model(batch["crop"])
    total = torch.zeros(())
    figures = {}
    for k, output in enumerate(outputs):
        answer = batch["answer"][:, k]
        loss = F.cross_entropy(output.float(), answer, ignore_index=-1, reduction="sum")
        loss = loss / max(int((answer >= 0).sum()), 1)
        figures[f"head{k}"] = float(loss.detach())
        total = total + loss * (1.0, 0.8, 0.4)[k]
    return total, figures


def batches(
    folders: Sequence[Path],
    what: str,
    plan: Plan,
    step: int,
    extra: Sequence[Path],
    share: float,
    bent: Mapping[str, float],
) -> Iterator[Batch]:
    """Mixed batches: `share` of each from the folders in `extra` (real photographs), the rest from `folders`.

    `bent`: `share` and `reach` of `models.samples.warp`; empty for none.
    """
    sources = [(Shards(folders, what), Shards(folders, f"{what}_answer"), plan.batch)]
    if extra:
        few = round(plan.batch * share)
        sources = [(*sources[0][:2], plan.batch - few), (Shards(extra, what), Shards(extra, f"{what}_answer"), few)]
    generator = torch.Generator()
    while True:
        crops, answers = [], []
        for k, (crop, answer, count) in enumerate(sources):
            rows = next(order(len(crop), count, plan.seed * 7 + k, step))
            crops.append(crop.take(rows))
            answers.append(answer.take(rows))
        generator.manual_seed(plan.seed * 1_000_003 + step)
        x = to_planes(np.concatenate(crops))
        if bent:
            x = warp(x, generator, **bent)
        x = alter(x, generator).contiguous(memory_format=torch.channels_last)
        yield {"crop": x, "answer": torch.from_numpy(np.concatenate(answers).astype(np.int64))}
        step += 1


@torch.no_grad()
def outputs_on(
    model: nn.Module, folders: Sequence[Path], what: str, limit: int = 60_000
) -> tuple[list[Tensor], Tensor]:
    """Logits of each head and answers (n, 3) on samples kept apart."""
    crop, answer = Shards(folders, what), Shards(folders, f"{what}_answer")
    rows = np.arange(0, len(crop), max(len(crop) // limit, 1))
    logits: list[list[Tensor]] = [[], [], []]
    for part in np.array_split(rows, max(len(rows) // 256, 1)):
        for k, output in enumerate(model(to_planes(crop.take(part)))):
            logits[k].append(output)
    return [torch.cat(parts) for parts in logits], torch.from_numpy(answer.take(rows).astype(np.int64))


def judge(model: nn.Module, folders: Sequence[Path], what: str) -> dict[str, float]:
    """Share of right answers a head, with counts."""
    logits, answers = outputs_on(model, folders, what)
    figures: dict[str, float] = {}
    for k, name in enumerate(HEADS[what]):
        known = answers[:, k] >= 0
        right = (logits[k].argmax(1) == answers[:, k])[known]
        figures[f"{name}_count"] = int(known.sum())
        figures[name] = round(float(right.float().mean()), 5)
    return figures


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m models.train_reader", description=__doc__)
    parser.add_argument("--what", choices=("tile", "card"), required=True)
    parser.add_argument("--data", type=Path, nargs="+", required=True)
    parser.add_argument("--real", type=Path, nargs="*", default=[], help="samples of real photographs, mixed in")
    parser.add_argument("--share", type=float, default=0.15, help="share of the real samples in a batch")
    parser.add_argument("--val", type=Path, nargs="*", default=[])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--recipe", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--init", type=Path, help="weights to start a further round from: a run's file, or an .onnx")
    args = parser.parse_args(argv)
    threads()
    values, _ = recipe(args.recipe or Path(__file__).with_name("recipes") / f"{args.what}_reader.toml")
    plan = Plan(seed=args.seed, **values["plan"])
    torch.manual_seed(plan.seed)
    model = Reader(HEADS[args.what])

    def stream(step: int) -> Iterator[Batch]:
        return batches(args.data, args.what, plan, step, args.real, args.share, values.get("warp", {}))

    if args.init:
        start(model, args.init, lambda: (batch["crop"] for batch in stream(0)))
    print(f"{parameters(model):,} parameters, {len(Shards(args.data, args.what)):,} crops")
    name = f"{args.what}_reader"
    best = fit(model, plan, stream, reader_loss, args.out, name)
    torch.save(best.state_dict(), args.out / f"{name}-final.pt")
    if args.val:
        print(json.dumps(judge(best, args.val, args.what)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
