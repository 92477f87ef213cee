"""Trains the witness: `python -m models.train_witness --data DIR... --weigh DIR... --out RUN [--recipe FILE]`.

DIR holds what `models.finds` gathered. At the end the locator's score and the witness's answer are weighed against each
other, on finds of `--weigh`, into witness-temperature.json, which export puts into the file's metadata.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from models.networks import WitnessNet, parameters, threads
from models.samples import Shards, alter, to_planes
from models.training import Batch, Plan, fit, recipe
from vision.flatten import Floats
from vision.witness import DOUBTED, logit

RECIPE = Path(__file__).with_name("recipes") / "witness.toml"


def planes(pairs: NDArray[np.generic]) -> Tensor:
    """Pairs of patches (n, h, w, 6), uint8 BGR, as (n, 6, h, w) RGB 0..1."""
    return torch.cat([to_planes(pairs[..., :3]), to_planes(pairs[..., 3:])], 1)


def witness_loss(model: nn.Module, batch: Batch) -> tuple[Tensor, dict[str, float]]:
    with torch.autocast("cpu", torch.bfloat16):
        answer = model(batch["pair"])
    loss = F.binary_cross_entropy_with_logits(answer.float()[:, 0], batch["truth"])
    return loss, {"piece": float(loss.detach())}


def batches(folders: Sequence[Path], plan: Plan, step: int) -> Iterator[Batch]:
    """Half of each batch shows pieces: those that the locator doubts as often as those that it does not."""
    pair, truth, score = (Shards(folders, name) for name in ("pair", "truth", "score"))
    answers = np.concatenate(truth.parts)
    weight = np.where(answers > 0, 1.0 + 6.0 * (np.concatenate(score.parts) < 0.8), 1.0)
    for answer in (0.0, 1.0):
        weight[answers == answer] /= weight[answers == answer].sum()
    weight /= weight.sum()
    generator = torch.Generator()
    while True:
        rows = np.random.default_rng([plan.seed, step]).choice(len(weight), plan.batch, p=weight)
        generator.manual_seed(plan.seed * 1_000_003 + step)
        x = planes(pair.take(rows))
        x = torch.cat([alter(x[:, :3], generator), alter(x[:, 3:], generator)], 1)
        parts = [torch.rot90(part, k, (2, 3)) for k, part in enumerate(x.split(plan.batch // 4))]
        yield {
            "pair": torch.cat(parts).contiguous(memory_format=torch.channels_last),
            "truth": torch.from_numpy(np.array(truth.take(rows), np.float32)),
        }
        step += 1


@torch.no_grad()
def answers(model: nn.Module, folders: Sequence[Path]) -> tuple[Floats, Floats, Floats]:
    """Logits of the locator's score and of the witness's answer of all finds (n, 2), whether each is a piece (n,), and
    the scores (n,)."""
    pair = Shards(folders, "pair")
    truth, score = (np.concatenate(Shards(folders, name).parts).astype(np.float64) for name in ("truth", "score"))
    parts = np.array_split(np.arange(len(pair)), len(pair) // 256 + 1)
    said = torch.cat([model(planes(pair.take(part)))[:, 0] for part in parts]).double().numpy()
    return np.stack([logit(score), said], axis=1), truth, score


def weighed(model: nn.Module, folders: Sequence[Path]) -> list[float]:
    """Constant and factors of the two logits that tell pieces best (logistic regression by Newton's method), from the
    finds that the locator is not sure of."""
    said, truth, score = answers(model, folders)
    doubtful = score < DOUBTED
    x, y = np.column_stack([np.ones(int(doubtful.sum())), said[doubtful]]), truth[doubtful]
    factors = np.zeros(3)
    for _ in range(25):
        p = 1 / (1 + np.exp(-x @ factors))
        hessian = (x * (p * (1 - p))[:, None]).T @ x + 1e-3 * np.eye(3)
        factors += np.linalg.solve(hessian, x.T @ (y - p))
    return [round(float(v), 4) for v in factors]


def judge(model: nn.Module, folders: Sequence[Path], factors: Sequence[float]) -> dict[str, float]:
    """On finds kept apart: how many false ones are left beside 95 and 98 % of the pieces, by the locator's score alone
    and by both."""
    said, truth, score = answers(model, folders)
    both = np.where(score < DOUBTED, factors[0] + said @ np.array(factors[1:]), np.inf)
    figures = {"pieces": float((truth > 0).sum()), "none": float((truth == 0).sum())}
    for name, ranking in (("alone", score), ("both", both)):
        for share in (0.95, 0.98):
            limit = np.quantile(ranking[truth > 0], 1 - share)
            figures[f"false_{name}_at_{share:.2f}"] = float((ranking[truth == 0] >= limit).sum())
    return figures


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m models.train_witness", description=__doc__)
    parser.add_argument("--data", type=Path, nargs="+", required=True)
    parser.add_argument("--weigh", type=Path, nargs="+", required=True, help="finds kept apart from --data")
    parser.add_argument("--val", type=Path, nargs="*", default=[])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--recipe", type=Path, default=RECIPE)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args(argv)
    threads()
    values, _ = recipe(args.recipe)
    plan = Plan(seed=args.seed, **values["plan"])
    torch.manual_seed(plan.seed)
    model = WitnessNet()
    print(f"{parameters(model):,} parameters, {len(Shards(args.data, 'pair')):,} finds")
    best = fit(model, plan, lambda step: batches(args.data, plan, step), witness_loss, args.out, "witness")
    torch.save(best.state_dict(), args.out / "witness-final.pt")
    factors = weighed(best, args.weigh)
    (args.out / "witness-temperature.json").write_text(json.dumps({"weights": json.dumps(factors)}))
    print(f"weights {factors}")
    if args.val:
        print(json.dumps(judge(best, args.val, factors)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
