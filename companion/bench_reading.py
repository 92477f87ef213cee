"""How fast photos are read, each beside the bare decoding of the same JPEG: see ``remi bench``.

The pictures are the table that ships with the product, shrunk, and laid side by side until it fills twelve megapixels:
real enough for speed, and there on every machine. Every figure is the best of a few runs, taken in turns with what it
is compared with, by the clock and by processor time; on a busy machine the second is the fairer one.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import cv2
import numpy as np

from companion.bench_report import Report
from vision import photo
from vision.flatten import Image
from vision.follow import Follower
from vision.read import Reader
from vision.scene import Scene

SAMPLE = ["r9", "r10", "r11", "r12", "r13", "b3", "b4", "b5", "r7", "k7", "b7", "y7", "k11", "y2"]
"""What lies on the table that ships."""
PICTURES: tuple[tuple[int, int, int], ...] = ((1, 640, 480), (1, 1280, 960), (2, 2560, 1920), (3, 4000, 3000))
"""How often the sample lies side by side each way, and the picture's width and height."""
QUALITY = 92
QUIET = 40
"""Frames of a video in which nothing happens."""


@dataclass(frozen=True)
class Best:
    """The least of several runs: seconds by the clock, seconds of all processors."""

    clock: float
    processor: float


def in_turns(runs: int, *works: Callable[[], object]) -> list[Best]:
    """Run each of these once to warm up, then all of them in turn, and give the best of each."""
    best = [Best(float("inf"), float("inf")) for _ in works]
    for turn in range(runs + 1):
        for n, work in enumerate(works):
            start, used = time.perf_counter(), time.process_time()
            work()
            now = Best(time.perf_counter() - start, time.process_time() - used)
            if turn:
                best[n] = Best(min(best[n].clock, now.clock), min(best[n].processor, now.processor))
    return best


def pictures(quick: bool) -> Iterator[tuple[int, bytes]]:
    """JPEGs of the sample laid side by side: number of tiles, bytes. `quick`: only the smallest."""
    sample = photo.load(Path(str(files("vision") / "samples" / "table.jpg"))).image
    for times, width, height in PICTURES[: 1 if quick else None]:
        whole = cv2.resize(np.tile(sample, (times, times, 1)), (width, height), interpolation=cv2.INTER_AREA)
        yield times * times * len(SAMPLE), cv2.imencode(".jpg", whole, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1].tobytes()


def right(scene: Scene, count: int) -> int:
    """How many of the sample's tiles were read."""
    codes = [piece.code for piece in scene.pieces]
    return sum(min(codes.count(code), count // len(SAMPLE)) for code in set(SAMPLE))


def reading(report: Report, reader: Reader, quick: bool = False, runs: int = 5) -> None:
    """A photo to a Scene by size and number of pieces; the stages of the largest."""
    report.title("A JPEG to a Scene, against cv2.imdecode of the same JPEG")
    stages: Mapping[str, float] = {}
    for count, data in pictures(quick):
        buffer = np.frombuffer(data, np.uint8)
        scenes: list[Scene] = []
        bare, whole = in_turns(
            runs,
            lambda b=buffer: cv2.imdecode(b, cv2.IMREAD_COLOR),  # type: ignore[misc]
            lambda d=data, s=scenes: s.append(reader.read(photo.decode(d), ("tile",))),  # type: ignore[misc]
        )
        scene = min(scenes[1:], key=lambda scene: scene.timings["all"])
        stages = scene.timings
        size = f"{scene.width} x {scene.height}, {count} tiles"
        report.line(
            size, f"{whole.clock * 1000:.0f} ms", f"{whole.clock / bare.clock:.1f} x decoding",
            f"processor {whole.processor / bare.processor:.1f} x; {right(scene, count)} of {count} right",
            clock_ratio=whole.clock / bare.clock, processor_ratio=whole.processor / bare.processor,
            right=right(scene, count) / count, ms=whole.clock * 1000,
        )  # fmt: skip
    total = stages["all"]
    parts = ", ".join(f"{name} {ms / total:.0%}" for name, ms in stages.items() if name != "all")
    report.line("stages of the last one", parts, **{name: ms / total for name, ms in stages.items() if name != "all"})


_CHILD = """
import sys, time, resource
start = time.perf_counter()
{work}
spent = time.perf_counter() - start
try:  # the peak that getrusage tells starts at the parent's on Linux
    lines = open("/proc/self/status").read().splitlines()
    peak = next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
except OSError:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 * 1024 if sys.platform == "darwin" else 1024)
print(spent, peak)
"""
_IMPORT = "import cv2, numpy"
_BARE = _IMPORT + "\ncv2.imdecode(numpy.frombuffer(open(sys.argv[1], 'rb').read(), 'u1'), 1)"
_READ = "from vision import photo, read\nread.read(photo.load(sys.argv[1]), ('tile',))"


def fresh_process(work: str, path: Path) -> tuple[float, float]:
    """Seconds from the first import on and peak memory in megabytes of a process of its own."""
    code = _CHILD.format(work=work)
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    seconds, peak = done.stdout.split()
    return float(seconds), float(peak)


def cold(report: Report, folder: Path, quick: bool = False) -> None:
    """A fresh process: from the first import to the first Scene, and its peak memory."""
    report.title("A fresh process: imports, networks, one photo read; against imports and decoding alone")
    for count, data in pictures(quick):
        file = folder / f"{count}.jpg"
        file.write_bytes(data)
        bare = [fresh_process(_BARE, file) for _ in range(3)]
        ours = [fresh_process(_READ, file) for _ in range(3)]
        seconds, base = min(ours)[0], min(bare)[0]
        peak, least = min(p for _, p in ours), min(p for _, p in bare)
        report.line(
            f"{count} tiles, {len(data) / 1e6:.1f} MB", f"{seconds:.2f} s", f"{seconds / base:.1f} x",
            f"peak {peak:.0f} MB, {least:.0f} MB to decode it", ratio=seconds / base, mb=peak, bare_mb=least,
        )  # fmt: skip


def video(report: Report, reader: Reader, quick: bool = False) -> None:
    """Frames a second of a table that nobody touches, and what the first frame costs."""
    report.title("Video of the same table: frames a second")
    _, data = list(pictures(quick))[0 if quick else 1]
    frame = photo.decode(data).image
    rng = np.random.default_rng(1)
    frames: list[Image] = [
        np.clip(frame + rng.normal(0, 2, frame.shape), 0, 255).astype(np.uint8) for _ in range(4)
    ]
    follower = Follower(reader, ("tile",))
    start = time.perf_counter()
    follower.update(frames[0], 0.0)
    first = time.perf_counter() - start
    for n in range(60):  # until it has looked again as often as it wants
        follower.update(frames[n % 4], 0.1 + n / 10)
    start = time.perf_counter()
    for n in range(QUIET):
        follower.update(frames[n % 4], 7.0 + n / 30)
    spent = (time.perf_counter() - start) / QUIET
    report.line(
        f"{frame.shape[1]} x {frame.shape[0]}, nothing moves", f"{1 / spent:.0f} a second",
        f"{spent / first:.3f} x reading one", ratio=spent / first, fps=1 / spent,
    )  # fmt: skip
