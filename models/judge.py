"""How well the networks stand and read on labelled photographs, beyond `remi evaluate`: corners, way up, numbers, inks.

`python -m models.judge LABELS.jsonl [--models DIR] [--clear]` prints, per source and with counts: pieces found, corner
error in widths of the piece, quads off by more than a quarter, pieces upside down, right per number and per colour, and
how much of what is wrong was doubted. `--clear` asks only for what a person could read: see `clear`.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.crops import SMEARED, faint, haze_of
from datasets.labels import Labelled, Target, least_rectangle, load, rendered
from vision.flatten import flatten
from vision.geometry import overlap
from vision.identify import CROP, MARGINS
from vision.read import Reader
from vision.scene import BACK, UNKNOWN, Piece

Floats = NDArray[np.float64]
FOUND = 0.5
"""Rotated overlap from which a labelled piece counts as found."""
WHOLE, LONG, SHORT = 0.9, 20.0, 12.0
"""Share that shows and pixels of the longer and of the shorter side from which `--clear` asks for a tile."""


@dataclass
class Tally:
    """Growing counts of one source."""

    asked_for: int = 0
    extra: int = 0
    photos: int = 0
    errors: list[float] = field(default_factory=list)
    upside_down: int = 0
    standing: int = 0
    by_part: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    right: list[bool] = field(default_factory=list)
    doubted_when_wrong: list[bool] = field(default_factory=list)

    def figures(self) -> dict[str, Any]:
        """The counts as shares, each with the number it is a share of."""
        errors = np.array(self.errors) if self.errors else np.zeros(1)
        parts = {k: f"{sum(v)}/{len(v)}" for k, v in sorted(self.by_part.items()) if sum(v) < len(v)}
        return {
            "photos": self.photos,
            "pieces": self.asked_for,
            "found": f"{len(self.right)}/{self.asked_for}",
            "false finds": self.extra,
            "right": f"{sum(self.right)}/{len(self.right)}",
            "corner error median": round(float(np.median(errors)), 4),
            "corner error over 25 %": f"{int((errors > 0.25).sum())}/{len(self.errors)}",
            "upside down": f"{self.upside_down}/{self.standing}",
            "wrong and doubted": f"{sum(self.doubted_when_wrong)}/{len(self.doubted_when_wrong)}",
            "parts with errors": parts,
        }


def corner_error(found: Floats, truth: Floats) -> float:
    """Mean distance of corners in widths of the piece, whichever way round the quads begin."""
    width = min(np.linalg.norm(truth[1] - truth[0]), np.linalg.norm(truth[2] - truth[1]))
    gaps = [np.linalg.norm(np.roll(found, k, 0) - truth, axis=1).mean() for k in range(4)]
    return float(min(gaps) / max(float(width), 1e-6))


def _quads(piece: Piece) -> list[Floats]:
    return [np.array(q) for q in (piece.indices or (piece.quad,))]


def clear(photo: Labelled, image: NDArray[np.uint8], target: Target) -> bool:
    """Whether a person could read a rendered piece: all of it shows, it is long and sharp enough, and print stands out.

    Judged from the label and the pixels alone, never from what a network says of them.
    """
    width, height = cv2.minAreaRect(target.quad.astype(np.float32))[1]
    short = min(width, height) < SHORT and target.kind != "card_index"
    if min(target.visible, target.legible) < WHOLE or max(width, height) < LONG or short:
        return False
    if haze_of(photo, target) > SMEARED[target.piece][0]:
        return False
    crop = flatten(image, target.quad[None], CROP, MARGINS[target.piece])[0]
    return target.code == BACK or not faint(crop)


def judge_photo(tally: Tally, photo: Labelled, pieces: Sequence[Piece], asked_for: Sequence[bool]) -> None:
    """Pairs labels with finds, best overlap first, and counts those targets that are asked for."""
    finds = [(piece, quad) for piece in pieces for quad in _quads(piece)]
    pairs = sorted(
        (
            (overlap(quad, target.quad), i, j)
            for i, target in enumerate(photo.targets)
            for j, (_, quad) in enumerate(finds)
            if np.hypot(*(quad.mean(0) - target.quad.mean(0))) < 0.7 * np.ptp(target.quad, axis=0).max()
        ),
        reverse=True,
    )
    mine: dict[int, int] = {}
    for share, i, j in pairs:
        if share >= FOUND * 0.6 and i not in mine and j not in mine.values():
            mine[i] = j
    tally.photos += 1
    tally.extra += len(finds) - len(mine)
    # a photograph's label holds only the least rectangle round a tile: like is compared with like
    exact = rendered(photo.label)
    for i, target in enumerate(photo.targets):
        if not asked_for[i]:
            continue
        tally.asked_for += 1
        if i in mine:
            _count(tally, target, *finds[mine[i]], exact)


def _count(tally: Tally, target: Target, piece: Piece, quad: Floats, exact: bool) -> None:
    tally.errors.append(corner_error(quad if exact else least_rectangle(quad), target.quad))
    if target.upright_known and target.code != BACK:
        tally.standing += 1
        down, truth = (q[2] + q[3] - q[0] - q[1] for q in (quad, target.quad))
        tally.upside_down += bool(down @ truth < 0)
    right = piece.code == target.code
    tally.right.append(right)
    if not right:
        tally.doubted_when_wrong.append(piece.asked or piece.code == UNKNOWN)
    if target.code in ("*", BACK):
        tally.by_part[target.code].append(right)
        return
    card = target.kind == "card_index"
    number, colour = (target.code[:-1], target.code[-1]) if card else (target.code[1:], target.code[0])
    seen = piece.code if piece.code not in ("*", BACK, UNKNOWN) else "??"
    tally.by_part[number].append((seen[:-1] if card else seen[1:]) == number)
    tally.by_part[colour].append((seen[-1] if card else seen[0]) == colour)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m models.judge", description=__doc__)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--models", type=Path, default=Path(__file__).parent)
    parser.add_argument("--least", type=float, default=0.6, help="visible share from which a piece is asked for")
    parser.add_argument("--clear", action="store_true", help="ask only for what a person could read")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args(argv)
    photos = [p for p in load(args.labels) if "groups" not in p.label]
    reader = Reader(args.models)
    tallies: dict[str, Tally] = defaultdict(Tally)
    for photo in photos:
        source = str(photo.label.get("source", ""))
        card = any(t.kind.startswith("card") for t in photo.targets) or "card" in source
        image = photo.pixels()
        scene = reader.read(image, ("card",) if card else ("tile",))
        asked_for = [
            clear(photo, image, t) if args.clear else min(t.visible, t.legible) >= args.least for t in photo.targets
        ]
        name = photo.image.parent.name if photo.image.parent.name != "images" else str(photo.label["source"])
        judge_photo(tallies[name], photo, scene.pieces, asked_for)
    figures = {name: tally.figures() for name, tally in tallies.items()}
    for name, values in figures.items():
        print(name)
        for key, value in values.items():
            print(f"  {key}: {value}")
    if args.json:
        args.json.write_text(json.dumps(figures, indent=1))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
