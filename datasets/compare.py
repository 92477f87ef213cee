"""Rendered beside real pieces in figures: what overlaps, and what a network could tell them apart by.

`python -m datasets.compare --rendered DIR [--real fit|LABELS.jsonl] [--kind tile|card_index]` prints, for each figure,
quantiles of both and the overlap coefficient: the area two histograms share, 1 where they are alike, 0 where apart.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.crops import long_side
from datasets.labels import Labelled, Target, load, shared_photos
from vision.flatten import flatten

Floats = NDArray[np.float64]
QUANTILES = (5, 25, 50, 75, 95)
INKS = {"r": "red", "b": "blue", "y": "orange", "k": "black"}
SUITS = {"H": "red", "D": "red", "S": "black", "C": "black"}
LARGEST = 240
"""Pixels; longer crops are shrunk, as the reader would."""


def overlap(a: Sequence[float] | Floats, b: Sequence[float] | Floats, bins: int = 24) -> float:
    """Shared area of two normalised histograms over the span both fill, 0..1. ValueError where one is empty."""
    if len(a) == 0 or len(b) == 0:
        raise ValueError("An overlap needs figures on both sides.")
    both = np.concatenate([np.asarray(a, float), np.asarray(b, float)])
    low, high = np.percentile(both, (0.5, 99.5))
    if high <= low:
        return 1.0
    edges = np.linspace(low, high, bins + 1)
    shares = [np.histogram(np.clip(x, low, high), edges)[0] / len(x) for x in (a, b)]
    return float(np.minimum(*shares).sum())


def look(image: NDArray[np.uint8], target: Target) -> dict[str, float]:
    """Figures of one piece, as seen: size, body and ink in Lab (L 0..100), contrast, sharpness."""
    quad = target.quad
    across = (np.linalg.norm(quad[1] - quad[0]) + np.linalg.norm(quad[2] - quad[3])) / 2
    down = (np.linalg.norm(quad[3] - quad[0]) + np.linalg.norm(quad[2] - quad[1])) / 2
    shrink = min(1.0, LARGEST / max(across, down, 1.0))
    size = (max(round(across * shrink), 8), max(round(down * shrink), 8))
    crop = flatten(image, quad[None], size)[0]
    lab = cv2.cvtColor(crop.astype(np.float32) / 255, cv2.COLOR_BGR2LAB)
    h, w = lab.shape[:2]
    tile = target.kind == "tile"
    part = lab[h // 10 : round(h * 0.66), w // 8 : w - w // 8] if tile else lab
    pixels = part.reshape(-1, 3)
    # the body is what most of the face is: the middle of its brighter half
    body = np.median(pixels[pixels[:, 0] >= np.median(pixels[:, 0])], 0)
    away = np.linalg.norm(pixels - body, axis=1)
    ink = np.median(pixels[away >= np.percentile(away, 93)], 0)
    light = part[..., 0]
    spread = float(np.percentile(light, 98) - np.percentile(light, 2))
    slope = np.hypot(cv2.Sobel(light, cv2.CV_32F, 1, 0, scale=1 / 8), cv2.Sobel(light, cv2.CV_32F, 0, 1, scale=1 / 8))
    second = cv2.Laplacian(light, cv2.CV_32F)
    return {
        "size, share of the picture's long side": max(across, down) / max(image.shape[:2]),
        "body L": float(body[0]),
        "body a": float(body[1]),
        "body b": float(body[2]),
        "ink L - body L": float(ink[0] - body[0]),
        "ink a - body a": float(ink[1] - body[1]),
        "ink b - body b": float(ink[2] - body[2]),
        "contrast (L, 2 to 98 %)": spread,
        "steepest edges (L a pixel, 98 %, of contrast)": float(np.percentile(slope, 98)) / max(spread, 1.0),
        "Laplacian's deviation, of contrast": float(second.std()) / max(spread, 1.0),
        "noise on the body (L)": float(np.median(np.abs(second[slope <= np.median(slope)])) / 3.0),
    }


def ink_of(target: Target) -> str:
    """The name of the ink a piece is printed in, '' for jokers."""
    if target.kind == "tile":
        return INKS.get(target.code[:1], "")
    return SUITS.get(target.code[-1:], "")


def gather(photos: Sequence[Labelled], kind: str, most: int, least: float = 0.0, seed: int = 0) -> dict[str, Floats]:
    """Columns of figures over at most `most` whole pieces of one kind that are at least `least` pixels long.

    Ink's figures have a column for each ink.
    """
    rows: dict[str, list[float]] = {}
    rng = np.random.default_rng(seed)
    seen = 0
    for k in rng.permutation(len(photos)):
        if seen >= most:
            break
        targets = [
            t
            for t in photos[k].targets
            if t.kind == kind
            and t.visible > 0.9
            and long_side(t.quad) >= least
            and (t.upright_known or kind == "card_index")
        ]
        if not targets:
            continue
        image = photos[k].pixels()
        for target in targets:
            ink = ink_of(target)
            for name, value in look(image, target).items():
                rows.setdefault(f"{ink} {name}" if name.startswith("ink") else name, []).append(value)
            seen += 1
    return {name: np.array(values) for name, values in rows.items() if not name.startswith(" ")}


def table(rendered: Mapping[str, Floats], real: Mapping[str, Floats]) -> list[str]:
    """One line a figure: quantiles of both sides and their overlap."""
    head = "/".join(map(str, QUANTILES))
    lines = [f"{'figure':48} {'rendered ' + head + ' %':>36} {'real ' + head + ' %':>36} overlap"]
    for name in sorted(rendered.keys() & real.keys()):
        sides = [" ".join(f"{v:6.2f}" for v in np.percentile(x[name], QUANTILES)) for x in (rendered, real)]
        lines.append(f"{name:48} {sides[0]:>36} {sides[1]:>36} {overlap(rendered[name], real[name]):7.2f}")
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m datasets.compare", description=__doc__)
    parser.add_argument("--rendered", type=Path, required=True, help="a folder of datasets.render")
    parser.add_argument("--real", default="fit", help="'fit' of the shared photographs, or a labels.jsonl")
    parser.add_argument("--kind", choices=("tile", "card_index"), default="tile")
    parser.add_argument("--most", type=int, default=1500, help="pieces a side")
    parser.add_argument("--least", type=float, default=0.0, help="only pieces at least so many pixels long")
    args = parser.parse_args(argv)
    family = "tiles" if args.kind == "tile" else "cards"
    real = shared_photos() / family / "fit" / "labels.jsonl" if args.real == "fit" else Path(args.real)
    sides = [gather(load(path), args.kind, args.most, args.least) for path in (args.rendered / "labels.jsonl", real)]
    counts = [len(side.get("contrast (L, 2 to 98 %)", ())) for side in sides]
    if not all(counts):
        raise SystemExit(f"Nothing to compare: {counts[0]} rendered and {counts[1]} real pieces of kind {args.kind}.")
    print(f"{counts[0]} rendered and {counts[1]} real pieces ({args.kind})")
    print("\n".join(table(*sides)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
