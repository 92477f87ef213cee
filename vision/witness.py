"""A second opinion on finds that the locator is not sure of: does a tile lie there, or only something like one?

The locator sees the whole picture small; the witness sees each doubtful find near, and what lies about it: a knot is in
the table's wood, a number on a calendar has others about it. So finds count of which the locator alone is too unsure.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from vision.flatten import Floats, Image, Picture, as_input, patches
from vision.locate import Spot
from vision.weights import Network

SIZE = 48
"""Side of a patch in pixels as the network sees it."""
DOUBTED = 0.85
"""Locator score from which a find is believed without a witness."""
SPANS = (1.5, 4.0)
"""Sides of the two patches in longer sides of the spot: the find itself, and what lies about it."""


def pairs(picture: Picture, spots: Sequence[Spot]) -> Image:
    """The two patches of every spot (n, SIZE, SIZE, 6), BGR and BGR, of a photo (h, w, 3)."""
    centres = np.stack([spot.centre for spot in spots])
    sides = np.array([max(spot.long_side, 1.0) for spot in spots])
    return np.concatenate([patches(picture, centres, sides * span, SIZE) for span in SPANS], axis=3)


def heard(picture: Picture, spots: Sequence[Spot], network: Network) -> list[Spot]:
    """The spots of a photo (h, w, 3) with what a witness thinks of the doubtful ones weighed into their scores.

    The file's metadata says how locator and witness weigh (`weights`: a constant and a factor for the logit of each).
    """
    doubtful = [n for n, spot in enumerate(spots) if spot.score < DOUBTED]
    if not doubtful:
        return list(spots)
    constant, score, piece = json.loads(network.metadata.get("weights", "[0, 0.5, 0.5]"))
    said = network.outputs(as_input_pairs(pairs(picture, [spots[n] for n in doubtful])), piece=(1,))["piece"][:, 0]
    result = list(spots)
    for n, answer in zip(doubtful, said.astype(np.float64).tolist(), strict=True):
        evidence = constant + score * float(logit(spots[n].score)) + piece * answer
        result[n] = replace(spots[n], score=float(1 / (1 + np.exp(-np.clip(evidence, -30, 30)))))
    return sorted(result, key=lambda spot: -spot.score)


def as_input_pairs(both: Image) -> NDArray[np.float32]:
    """Pairs of patches (n, h, w, 6) as what the network takes: RGB and RGB, float32 (n, 6, h, w), 0 to 1."""
    return np.concatenate([as_input(both[..., :3]), as_input(both[..., 3:])], axis=1)


def logit(p: ArrayLike) -> Floats:
    """Log odds of probabilities."""
    kept = np.clip(np.asarray(p, np.float64), 1e-6, 1 - 1e-6)
    return np.asarray(np.log(kept / (1 - kept)), np.float64)
