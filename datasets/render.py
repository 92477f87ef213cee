"""Renders labelled tables.

`python -m datasets.render --kind tiles|cards|mixed --scenes N --size PX --seed S --out DIR [--workers W]`; a stopped
run resumes, the same seed gives the same bytes.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tqdm import tqdm

CHUNK = 16


def _part(first: int, last: int) -> str:
    """Where the labels of scenes first..last lie until all are rendered; more scenes later end in other parts."""
    return f"parts/{first:06d}-{last:06d}.jsonl"


def _chunk(job: tuple[int, int, int, dict[str, Any], str]) -> list[dict[str, Any]]:
    """Renders scenes first..last of a data set into a folder; returns their label lines."""
    import cv2

    from datasets.labels import obb_text, targets_of
    from datasets.scene import Recipe, render

    cv2.setNumThreads(1)
    seed, first, last, recipe, folder = job
    out = Path(folder)
    lines = []
    for index in range(first, last):
        scene = render(seed, index, Recipe(**recipe))
        name = f"images/{index:06d}.jpg"
        label = {"image": name, **scene.label}
        (out / name).write_bytes(scene.jpeg)
        targets = [t for piece in label["pieces"] for t in targets_of(piece, None, True)]
        (out / f"labels/{index:06d}.txt").write_text(obb_text(targets, label["width"], label["height"]))
        lines.append(label)
    part = out / _part(first, last)
    # written whole or not at all: a stopped run resumes at the first missing part
    part.with_suffix(".tmp").write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    os.replace(part.with_suffix(".tmp"), part)
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m datasets.render", description=__doc__)
    parser.add_argument("--kind", choices=("tiles", "cards", "mixed"), default="tiles")
    parser.add_argument("--scenes", type=int, default=64)
    parser.add_argument("--size", type=int, default=640, help="longer side in pixels")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--editions", type=int, default=600)
    parser.add_argument("--decks", type=int, default=160)
    parser.add_argument("--block", type=int, default=16, help="neighbouring scenes that share a set")
    parser.add_argument("--held-out", action="store_true", help="only editions, fonts and decks kept out of training")
    args = parser.parse_args(argv)
    if args.block < 1:
        parser.error("--block: at least one scene has a set")
    recipe = {
        "kind": args.kind,
        "size": args.size,
        "editions": args.editions,
        "decks": args.decks,
        "held_out": args.held_out,
        "block": args.block,
    }
    for folder in ("images", "labels", "parts"):
        (args.out / folder).mkdir(parents=True, exist_ok=True)
    spans = [(first, min(first + CHUNK, args.scenes)) for first in range(0, args.scenes, CHUNK)]
    jobs = [(args.seed, *span, recipe, str(args.out)) for span in spans if not (args.out / _part(*span)).exists()]
    # new processes, not forks: a fork of a process whose OpenCV has run threads may wait for them for ever
    started, pieces, scenes = time.perf_counter(), 0, 0
    with (
        ProcessPoolExecutor(args.workers, get_context("spawn")) as pool,
        tqdm(total=args.scenes, unit="scene", smoothing=0.05) as bar,
    ):
        bar.update(args.scenes - sum(job[2] - job[1] for job in jobs))
        for lines in pool.map(_chunk, jobs):
            bar.update(len(lines))
            scenes += len(lines)
            pieces += sum(len(line["pieces"]) for line in lines)
    seconds = time.perf_counter() - started
    (args.out / "labels.jsonl").write_text("".join((args.out / _part(*span)).read_text() for span in spans))
    if scenes:
        print(
            f"{scenes} scenes, {pieces} pieces in {seconds:.1f} s: {scenes / seconds:.1f} scenes/s, "
            f"{pieces / scenes:.1f} pieces a scene, {args.workers} workers"
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
