"""Fits one temperature a head on samples kept apart, so that probabilities mean what they say.

`python -m models.calibrate --run RUN --what tile|card --val DIR...` writes RUN/NAME-temperature.json for the export.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional as F

from models.networks import Reader, threads
from models.train_reader import HEADS, outputs_on

COLDEST, HOTTEST = 0.2, 20.0
"""Bounds of a temperature: a head that is always right, or hardly trained, has no likeliest one."""


def temperature(logits: Tensor, answers: Tensor) -> float:
    """The divisor of the logits (n, k), to half a per cent, under which the answers (n,) are likeliest."""
    tried = torch.logspace(math.log10(COLDEST), math.log10(HOTTEST), 924)
    losses = torch.stack([F.cross_entropy(logits / t, answers) for t in tried])
    return float(tried[losses.argmin()])


def calibration_error(p: Tensor, right: Tensor, bins: int = 15) -> float:
    """Expected calibration error: mean gap of confidence and accuracy over equal bins of confidence."""
    gap = 0.0
    for low in torch.arange(bins) / bins:
        here = (p > low) & (p <= low + 1 / bins)
        if here.any():
            gap += float(here.float().mean() * (p[here].mean() - right[here].float().mean()).abs())
    return gap


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m models.calibrate", description=__doc__)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--what", choices=("tile", "card"), required=True)
    parser.add_argument("--val", type=Path, nargs="+", required=True)
    args = parser.parse_args(argv)
    threads()
    name = f"{args.what}_reader"
    model = Reader(HEADS[args.what])
    model.load_state_dict(torch.load(args.run / f"{name}-final.pt", weights_only=True))
    model.eval()
    logits, answers = outputs_on(model, args.val, args.what)
    found = {}
    for k, head in enumerate(HEADS[args.what]):
        known = answers[:, k] >= 0
        t = temperature(logits[k][known], answers[known, k])
        for label, scale in (("before", 1.0), ("after", t)):
            p, best = (logits[k][known] / scale).softmax(1).max(1)
            error = calibration_error(p, best == answers[known, k])
            print(f"{head}: {int(known.sum())} samples, {label} ECE {error:.4f}")
        found[f"temperature_{head}"] = round(t, 4)
    (args.run / f"{name}-temperature.json").write_text(json.dumps(found))
    print(found)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
