"""A phone's twelve megapixels with a whole set of tiles in them: read right, within bounded memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vision.compare import match, outline
from vision.photo import decode
from vision.read import Reader

MEMORY_MB = 500
RIGHT = 0.97
SCENES = ((4107, 23), *((4107, number) for number in range(8)))
"""Seed and number of rendered tables with about 106 tiles, four thousand pixels wide or high; on the first they are
70 pixels long, a dozen in the locator's first pass."""
pytestmark = pytest.mark.slow

_READ = """
import sys
from vision import photo, read
scene = read.read(photo.load(sys.argv[1]), ("tile",))
lines = open("/proc/self/status").read().splitlines()
print(len(scene.pieces), next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")))
"""


def rendered(seed: int, number: int) -> tuple[bytes, list[dict[str, Any]]]:
    scene = pytest.importorskip("datasets.scene")
    made = scene.render(seed, number, scene.Recipe("tiles", 4000, scenario="melds", pieces=106))
    return made.jpeg, [piece for piece in made.label["pieces"] if piece["legible"] and not piece["cut"]]


def test_a_whole_set_in_twelve_megapixels(tmp_path: Path) -> None:
    reader = Reader()
    wanted = right = 0
    for seed, number in SCENES:
        data, pieces = rendered(seed, number)
        scene = reader.read(decode(data), ("tile",))
        places = match([outline(piece["polygon"]) for piece in pieces], [np.array(p.quad) for p in scene.pieces])
        wanted += len(pieces)
        wrong = [scene.pieces[m] for n, m in places.items() if scene.pieces[m].code != pieces[n]["code"]]
        assert all(piece.asked for piece in wrong)
        right += len(places) - len(wrong)
        (tmp_path / f"{number}.jpg").write_bytes(data)
    assert wanted > 800
    assert right >= RIGHT * wanted, f"{right} of {wanted}"
    if sys.platform == "linux":
        command = [sys.executable, "-c", _READ, str(tmp_path / f"{SCENES[1][1]}.jpg")]
        found, peak = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        assert int(found) > 80
        assert float(peak) < MEMORY_MB
