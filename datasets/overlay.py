"""Draws a labelled folder's labels on its photographs: `python -m datasets.overlay LABELS.jsonl --out DIR`.

Outlines run from red at the piece's own top left; the head's side is thick where it is known which side that is.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.labels import Labelled, Target, load

COLOURS = {
    "tile": (60, 220, 60),
    "tile_back": (220, 160, 40),
    "card_index": (40, 200, 250),
    "card_back": (220, 60, 200),
}
LEAST = 0.15
"""What shows less than this is drawn thin and without a code."""


def draw(photo: Labelled, longest: int = 1280) -> NDArray[np.uint8]:
    """The photograph (BGR, its longer side at most `longest` pixels) with its labels on top."""
    image = photo.pixels()
    scale = min(longest / max(image.shape[:2]), 1.0)
    if scale < 1:
        image = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
    for target in photo.targets:
        _draw_target(image, target, target.quad * scale)
    groups = photo.label.get("groups")
    if groups and not photo.targets:
        for k, group in enumerate(groups):
            _write(image, " ".join(group), (6, 22 + 22 * k), (60, 220, 60))
    return image


def _draw_target(image: NDArray[np.uint8], target: Target, quad: NDArray[np.float64]) -> None:
    colour = COLOURS[target.kind]
    points = np.clip(np.round(quad * 16), -(2**20), 2**20).astype(np.int32)
    cv2.polylines(image, [points], True, colour, 1, cv2.LINE_AA, 4)
    if target.visible < LEAST:
        return
    if target.upright_known:
        head = [tuple(map(int, points[0])), tuple(map(int, points[1]))]
        cv2.line(image, head[0], head[1], colour, 2, cv2.LINE_AA, 4)
        cv2.circle(image, head[0], 40, (40, 40, 250), -1, cv2.LINE_AA, 4)
    share = "" if target.visible > 0.98 else f" {target.visible:.0%}"
    middle = quad.mean(0)
    _write(image, target.code + share, (int(middle[0]) - 8, int(middle[1]) + 5), colour)


def _write(image: NDArray[np.uint8], text: str, at: tuple[int, int], colour: tuple[int, int, int]) -> None:
    for tone, width in (((0, 0, 0), 3), (colour, 1)):
        cv2.putText(image, text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.45, tone, width, cv2.LINE_AA)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m datasets.overlay", description=__doc__)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--most", type=int, default=200, help="photographs")
    args = parser.parse_args(argv)
    args.out.mkdir(parents=True, exist_ok=True)
    photos = load(args.labels)[: args.most]
    for k, photo in enumerate(photos):
        cv2.imwrite(str(args.out / f"{k:05d}-{photo.image.stem}.jpg"), draw(photo))
    print(f"{len(photos)} photographs in {args.out}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
