"""The second opinion on doubtful finds."""

from __future__ import annotations

import numpy as np
import pytest

from vision import witness
from vision.locate import Spot, locate
from vision.weights import Network

SQUARE = np.array([[40.0, 40.0], [60.0, 40.0], [60.0, 70.0], [40.0, 70.0]])


def says(answer: float, weights: str = "[0, 1, 1]") -> Network:
    return Network(lambda pairs: {"piece": np.full((len(pairs), 1), answer, np.float32)}, {"weights": weights})


def picture() -> np.ndarray:
    return np.random.default_rng(1).integers(0, 255, (100, 100, 3)).astype(np.uint8)


def test_two_patches_show_the_find_and_what_lies_about_it() -> None:
    image = np.zeros((300, 300, 3), np.uint8)
    image[150:180, 140:160] = 255  # the find itself
    spot = Spot("tile", 0.5, SQUARE + 100)
    (pair,) = witness.pairs(image, [spot])
    assert pair.shape == (witness.SIZE, witness.SIZE, 6)
    near, far = (float((pair[..., part] > 127).mean()) for part in (slice(0, 3), slice(3, 6)))
    assert near > 4 * far > 0


def test_only_doubtful_finds_are_heard() -> None:
    spots = [Spot("tile", 0.9, SQUARE), Spot("tile", 0.4, SQUARE)]
    heard = witness.heard(picture(), spots, says(-3.0))
    assert sorted(spot.score for spot in heard) == pytest.approx([1 / (1 + np.exp(0.405465 + 3)), 0.9])
    assert [spot.score for spot in heard] == sorted((spot.score for spot in heard), reverse=True)


@pytest.mark.parametrize(("answer", "count"), [(4.0, 2), (-4.0, 1)])
def test_a_weak_find_counts_as_its_witness_says(answer: float, count: int) -> None:
    places = np.array([[320.0, 480], [320, 320], [60, 60], [90, 90]])
    scores = np.array([[0.2, 0.95], [0, 0], [0, 0], [0, 0], [0, 0]])
    raw = np.concatenate([places, scores])[None].astype(np.float32)
    eyes = Network(lambda picture: {"raw": raw}, {"threshold": "0.5"})
    network = says(answer)
    image = np.zeros((640, 640, 3), np.uint8)
    found = locate(image, eyes, witness=lambda photo, spots: witness.heard(photo, spots, network))
    assert len(found) == count
    assert [spot.score for spot in locate(image, eyes)] == pytest.approx([0.95])
