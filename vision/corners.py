"""Exact corners: one look at a full-resolution patch around each spot gives the quad and which way is up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.flatten import Floats, Picture, as_input, from_patch, patches
from vision.geometry import overlap
from vision.locate import Spot
from vision.weights import Network

SIZE = 64
"""Side of a patch in pixels as the network sees it."""
SPAN = 1.6
"""Side of a patch in longer sides of the spot."""
SECOND = 0.02
"""Probability from which a second way up is tried too."""
AGREE = 0.6
"""Overlap of box and corners under which the two networks disagree."""


@dataclass(frozen=True, eq=False)
class Outline:
    """The corners of one piece for each way that it may stand.

    `quads` (4, 4, 2): for bin k (up lies within 45 degrees of k * 90 degrees clockwise from the picture's up) the
    corners in pixels of the photo, clockwise from the piece's own top left; `bins` (4,): the bins' probabilities;
    `agreement`: overlap of the likeliest quad with the spot's box.
    """

    quads: Floats
    bins: Floats
    agreement: float

    @property
    def best(self) -> int:
        """The likeliest bin."""
        return int(self.bins.argmax())

    @property
    def likely(self) -> list[int]:
        """The likeliest bin, and the second where it is not out of the question."""
        order = [int(k) for k in np.argsort(-self.bins, kind="stable")]
        return order[:1] + [k for k in order[1:2] if self.bins[k] > SECOND]


def outline(picture: Picture, spots: Sequence[Spot], network: Network) -> list[Outline]:
    """The corners of every spot of a photo (h, w, 3) BGR."""
    if not spots:
        return []
    centres = np.stack([spot.centre for spot in spots])
    spans = np.array([max(spot.long_side, 1.0) * SPAN for spot in spots])
    found = network.outputs(as_input(patches(picture, centres, spans, SIZE)), bins=(4,), quads=(4, 8))
    bins = softmax(found["bins"].astype(np.float64))
    count = len(spots)
    points = found["quads"].astype(np.float64).reshape(count, 16, 2)
    quads = from_patch(np.nan_to_num(points).clip(-3, 3), centres, spans).reshape(count, 4, 4, 2)
    return [
        Outline(quads[n], bins[n], overlap(quads[n, int(bins[n].argmax())], spot.quad)) for n, spot in enumerate(spots)
    ]


def from_box(spot: Spot) -> Outline:
    """The outline of a piece whose box is all there is to know, such as a card's back: any way up is as likely."""
    width, height = (float(np.hypot(*(spot.quad[k + 1] - spot.quad[k]))) for k in (0, 1))
    portrait = spot.quad if height >= width else np.roll(spot.quad, 1, axis=0)
    quads = np.stack([np.roll(portrait, k, axis=0) for k in range(4)])
    return Outline(quads, np.full(4, 0.25), 1.0)


def softmax(logits: Floats, temperature: float = 1.0) -> Floats:
    """Probabilities along the last axis."""
    scaled = logits / temperature
    powers = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True), np.float64)
