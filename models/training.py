"""One training loop for all networks: cosine rate, averaged weights, checkpoints that a killed run resumes from."""

from __future__ import annotations

import copy
import hashlib
import json
import math
import os
import time
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from tqdm import tqdm

Batch = dict[str, Tensor]
Loss = Callable[[nn.Module, Batch], tuple[Tensor, dict[str, float]]]


@dataclass(frozen=True)
class Plan:
    """How long and how fast. `steps` of `batch` samples; `rate` is the peak learning rate."""

    steps: int
    batch: int
    rate: float
    seed: int = 0
    decay: float = 0.02
    warmup: int = 200
    average: float = 0.999
    save_every: float = 120.0


def recipe(path: Path) -> tuple[dict[str, Any], str]:
    """A recipe file and the hash that goes into the weights' metadata."""
    text = path.read_bytes()
    return tomllib.loads(text.decode()), hashlib.sha256(text).hexdigest()[:12]


def rate_at(plan: Plan, step: int) -> float:
    if step < plan.warmup:
        return plan.rate * (step + 1) / plan.warmup
    done = (step - plan.warmup) / max(plan.steps - plan.warmup, 1)
    return plan.rate * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * min(done, 1.0))))


def fit(
    model: nn.Module,
    plan: Plan,
    batches: Callable[[int], Iterator[Batch]],
    loss: Loss,
    out: Path,
    name: str,
) -> nn.Module:
    """Trains and returns the averaged model. `batches(step)` yields batches from that step on.

    `out/name.pt` holds the newest checkpoint, `out/name.log.jsonl` the figures over training.
    """
    out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(plan.seed)
    model = model.to(memory_format=torch.channels_last)
    averaged = copy.deepcopy(model).eval()
    for p in averaged.parameters():
        p.requires_grad_(False)
    weights = [p for p in model.parameters() if p.ndim > 1]
    others = [p for p in model.parameters() if p.ndim <= 1]
    optimiser = torch.optim.AdamW(
        [{"params": weights, "weight_decay": plan.decay}, {"params": others, "weight_decay": 0.0}], lr=plan.rate
    )
    checkpoint, log = out / f"{name}.pt", out / f"{name}.log.jsonl"
    start = 0
    if checkpoint.exists():
        state = torch.load(checkpoint, weights_only=True)
        model.load_state_dict(state["model"])
        averaged.load_state_dict(state["averaged"])
        optimiser.load_state_dict(state["optimiser"])
        start = state["step"]

    def save(step: int) -> None:
        torch.save(
            {
                "model": model.state_dict(),
                "averaged": averaged.state_dict(),
                "optimiser": optimiser.state_dict(),
                "step": step,
            },
            checkpoint.with_suffix(".tmp"),
        )
        os.replace(checkpoint.with_suffix(".tmp"), checkpoint)

    model.train()
    sums: dict[str, float] = {}
    count, saved = 0, time.monotonic()
    stream = batches(start)
    bar = tqdm(range(start, plan.steps), initial=start, total=plan.steps, desc=name, mininterval=10)
    for step in bar:
        batch = next(stream)
        for group in optimiser.param_groups:
            group["lr"] = rate_at(plan, step)
        total, figures = loss(model, batch)
        optimiser.zero_grad(set_to_none=True)
        total.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 10.0)
        optimiser.step()
        keep = min(plan.average, (step + 1) / (step + 10))
        with torch.no_grad():
            for a, p in zip(averaged.state_dict().values(), model.state_dict().values(), strict=True):
                if a.dtype.is_floating_point:
                    a.lerp_(p, 1 - keep)
                else:
                    a.copy_(p)
        for key, value in figures.items():
            sums[key] = sums.get(key, 0.0) + value
        count += 1
        if (step + 1) % 100 == 0 or step + 1 == plan.steps:
            means = {k: round(v / count, 4) for k, v in sums.items()}
            bar.set_postfix(means)
            with log.open("a") as f:
                f.write(json.dumps({"step": step + 1, "rate": round(rate_at(plan, step), 6), **means}) + "\n")
            sums, count = {}, 0
        if time.monotonic() - saved > plan.save_every:
            save(step + 1)
            saved = time.monotonic()
    save(plan.steps)
    return averaged
