"""Reading one piece by itself: doubtful tiles are read from several cuts."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from vision.corners import Outline
from vision.identify import SHIFTS, Reading, identify
from vision.locate import Spot
from vision.weights import Network, Tensor

IMAGE = np.full((200, 200, 3), 220, np.uint8)
QUAD = np.array([[50, 40], [110, 40], [110, 120], [50, 120]], float)
THREE, EIGHT = 2, 7


class Recorded:
    """A reader that says "3" with `p` of the first cuts and "8" surely of all later ones."""

    def __init__(self, p: float) -> None:
        self.p = p
        self.cuts: list[int] = []

    def __call__(self, pictures: Tensor) -> Mapping[str, Tensor]:
        count = len(pictures)
        rank = np.full((count, 16), -20.0, np.float32)
        first = not self.cuts
        rank[:, THREE], rank[:, EIGHT] = (np.log(self.p), np.log(1 - self.p)) if first else (-20.0, 0.0)
        self.cuts.append(count)
        return {
            "rank": rank,
            "ink": np.tile(np.array([9, 0, 0, 0], np.float32), (count, 1)),
            "upright": np.tile(np.array([9, 0], np.float32), (count, 1)),
        }


def read(answers: Recorded) -> Reading:
    outline = Outline(np.stack([QUAD] * 4), np.array([0.999, 0.0004, 0.0003, 0.0003]), 0.95)
    return identify(IMAGE, [Spot("tile", 0.9, QUAD)], [outline], "tile", Network(answers, {}))[0]


def test_a_doubtful_tile_is_the_mean_of_several_cuts() -> None:
    answers = Recorded(0.8)
    faces = read(answers).faces
    assert answers.cuts == [1, len(SHIFTS)]
    assert faces["r3"] == pytest.approx(0.8 / (len(SHIFTS) + 1), abs=0.01)
    assert max(faces, key=lambda face: faces[face]) == "r8"


def test_a_sure_tile_is_looked_at_once() -> None:
    answers = Recorded(0.999)
    assert read(answers).best[1] > 0.99
    assert answers.cuts == [1]
