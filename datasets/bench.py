"""How fast scenes are rendered here: `python -m datasets.bench [--workers 2] [--scenes 320] [--pieces 30]`.

Prints scenes a second by the clock and by processor time, pieces a scene, and the largest worker's memory. Processor
time is what a worker would take on a core of its own. With `--pieces` every scene is one of melds with about that
many pieces.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from datasets.render import CHUNK
from datasets.scene import Recipe, render


def _chunk(job: tuple[int, str, int, int]) -> tuple[float, int, int]:
    """Renders one chunk; returns processor seconds, pieces and peak memory in MiB."""
    import cv2

    cv2.setNumThreads(1)
    first, kind, size, pieces = job
    recipe = Recipe(kind, size, scenario="melds" if pieces else "", pieces=pieces)
    started, laid = time.process_time(), 0
    for index in range(first, first + CHUNK):
        laid += len(render(1234, index, recipe).label["pieces"])
    return time.process_time() - started, laid, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m datasets.bench", description=__doc__)
    parser.add_argument("--kind", choices=("tiles", "cards", "mixed"), default="tiles")
    parser.add_argument("--scenes", type=int, default=320)
    parser.add_argument("--size", type=int, default=640)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--pieces", type=int, default=0)
    args = parser.parse_args(argv)
    count = max(args.scenes // CHUNK, 1)
    jobs = [(k * CHUNK, args.kind, args.size, args.pieces) for k in range(count)]
    started = time.perf_counter()
    with ProcessPoolExecutor(args.workers, get_context("spawn")) as pool:
        results = list(pool.map(_chunk, jobs))
    wall = time.perf_counter() - started
    scenes, cpu = count * CHUNK, sum(r[0] for r in results)
    print(
        f"{scenes} scenes of {sum(r[1] for r in results) / scenes:.1f} pieces at {args.size} px, "
        f"{args.workers} workers: "
        f"{scenes / wall:.1f} scenes/s by the clock, {scenes / cpu * args.workers:.1f} by processor time "
        f"({cpu / scenes * 1000:.0f} ms a scene and worker); peak {max(r[2] for r in results)} MiB a worker"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
