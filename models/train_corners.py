"""Trains the corner network: `python -m models.train_corners --data DIR... --out RUN [--recipe FILE]`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from models.networks import CornerNet, parameters, threads
from models.samples import Shards, alter, order, to_planes
from models.start import start
from models.training import Batch, Plan, fit, recipe

RECIPE = Path(__file__).with_name("recipes") / "corners.toml"
BACKS = (1, 3)
SHARE, REACH = 53.0, 65.0
"""A bin is the answer up to 45 degrees, fading out at SHARE; its corners are taught up to REACH."""


def turn(x: Tensor, corners: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Patches and their corners turned by k quarter turns against the clock."""
    for _ in range(k):
        corners = torch.stack([corners[..., 1], -corners[..., 0]], -1)
    return torch.rot90(x, k, (2, 3)), corners


def bin_targets(corners: Tensor, back: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """What each bin should say: shares (n, 4), corners (n, 4, 8) and where those are taught (n, 4).

    A back has no up: its opposite bin holds the same quad begun at the other end.
    """
    up = corners[:, 0] + corners[:, 1] - corners[:, 2] - corners[:, 3]
    angle = torch.rad2deg(torch.atan2(up[:, 0], -up[:, 1]))
    centres = torch.arange(4) * 90.0
    away = (angle[:, None] - centres + 180) % 360 - 180
    away = away.abs()
    share = ((SHARE - away) / (2 * (SHARE - 45.0))).clamp(0, 1)
    taught = (away < REACH).float()
    quads = corners.reshape(-1, 1, 8).expand(-1, 4, -1)
    other = torch.roll(corners, 2, 1).reshape(-1, 1, 8).expand(-1, 4, -1)
    far = (away > 180 - REACH).float() * back[:, None]
    quads = torch.where(far[..., None] > 0, other, quads)
    share = share + torch.roll(share, 2, 1) * back[:, None]
    return share / share.sum(1, keepdim=True), quads, (taught + far).clamp(max=1)


def corner_loss(model: nn.Module, batch: Batch) -> tuple[Tensor, dict[str, float]]:
    with torch.autocast("cpu", torch.bfloat16):
        bins, quads = model(batch["patch"])
    share, wanted, taught = bin_targets(batch["corners"], batch["back"])
    which = F.cross_entropy(bins.float(), share)
    far = F.smooth_l1_loss(quads.float(), wanted, beta=0.04, reduction="none").mean(-1)
    where = (far * taught).sum() / taught.sum()
    return which + 12 * where, {"bins": float(which.detach()), "corners": float(where.detach())}


def batches(folders: Sequence[Path], plan: Plan, step: int) -> Iterator[Batch]:
    patch, corners, kinds = (Shards(folders, n) for n in ("patch", "corners", "patch_kind"))
    generator = torch.Generator()
    for rows in order(len(patch), plan.batch, plan.seed, step):
        generator.manual_seed(plan.seed * 1_000_003 + step)
        x = alter(to_planes(patch.take(rows)), generator)
        quads = torch.from_numpy(np.array(corners.take(rows), np.float32))
        back = torch.from_numpy(np.isin(kinds.take(rows), BACKS).astype(np.float32))
        parts, ends = list(x.split(plan.batch // 4)), list(quads.split(plan.batch // 4))
        turned = [turn(a, b, k % 4) for k, (a, b) in enumerate(zip(parts, ends, strict=True))]
        x = torch.cat([a for a, _ in turned]).contiguous(memory_format=torch.channels_last)
        yield {"patch": x, "corners": torch.cat([b for _, b in turned]), "back": back}
        step += 1


@torch.no_grad()
def judge(model: nn.Module, folders: Sequence[Path], limit: int = 20_000) -> dict[str, float]:
    """Corner error in widths (median, share above 25 %) and share of wrong up directions, on samples kept apart."""
    patch, corners, kinds = (Shards(folders, n) for n in ("patch", "corners", "patch_kind"))
    rows = np.arange(0, len(patch), max(len(patch) // limit, 1))
    errors, wrong = [], []
    for part in np.array_split(rows, max(len(rows) // 256, 1)):
        bins, quads = model(to_planes(patch.take(part)))
        truth = torch.from_numpy(np.array(corners.take(part), np.float32))
        best = bins.argmax(1)
        found = quads[torch.arange(len(part)), best].reshape(-1, 4, 2)
        keep = torch.from_numpy(~np.isin(kinds.take(part), BACKS))
        width = (truth[:, 0] - truth[:, 1]).norm(dim=-1).clamp(min=1e-3)
        straight = ((found - truth).norm(dim=-1).mean(1) / width)[keep]
        flipped = ((found - torch.roll(truth, 2, 1)).norm(dim=-1).mean(1) / width)[keep]
        errors.append(torch.minimum(straight, flipped))
        wrong.append((flipped < straight).float())
    error, up = torch.cat(errors), torch.cat(wrong)
    return {
        "samples": len(error),
        "median": round(float(error.median()), 4),
        "over_25": round(float((error > 0.25).float().mean()), 5),
        "upside_down": round(float(up.mean()), 5),
    }


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m models.train_corners", description=__doc__)
    parser.add_argument("--data", type=Path, nargs="+", required=True)
    parser.add_argument("--val", type=Path, nargs="*", default=[])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--recipe", type=Path, default=RECIPE)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--init", type=Path, help="weights to start a further round from: a run's file, or an .onnx")
    args = parser.parse_args(argv)
    threads()
    values, _ = recipe(args.recipe)
    plan = Plan(seed=args.seed, **values["plan"])
    torch.manual_seed(plan.seed)
    model = CornerNet()
    if args.init:
        start(model, args.init, lambda: (batch["patch"] for batch in batches(args.data, plan, 0)))
    print(f"{parameters(model):,} parameters, {len(Shards(args.data, 'patch')):,} patches")
    best = fit(model, plan, lambda step: batches(args.data, plan, step), corner_loss, args.out, "corners")
    torch.save(best.state_dict(), args.out / "corners-final.pt")
    if args.val:
        print(json.dumps(judge(best, args.val)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
