"""A perfect reader: what the networks would say of a labelled picture of cards, so that what follows them is judged
alone. Its quads may be shaken and indices lost, as real ones are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from datasets.layout import Rng
from vision.flatten import Floats
from vision.identify import RANKS, Hypothesis, Reading
from vision.locate import Spot, SpotKind
from vision.scene import Piece, Quad, Scene
from vision.settle import COPIES
from vision.settle_cards import rows_of_cards, settle_cards

SHOWN = 0.75
"""Share of an index from which it can be read."""
BACK_SHOWN = 0.5
SUITS = "SHDC"


def reading_of(code: str, quad: Floats, kind: SpotKind = "card_index", sure: float = 0.98) -> Reading:
    """A look at an index (or a back) that shows `code`, with this certainty of rank and of suit."""
    ranks = RANKS["card"]
    rank, suit = np.full(len(ranks), (1 - sure) / (len(ranks) - 1)), np.full(4, (1 - sure) / 3)
    if code != "back":
        rank[ranks.index("*" if code == "*" else code[:-1])] = sure
        suit[SUITS.index(code[-1]) if code != "*" else 0] = sure
    blank = np.zeros((64, 48, 3), np.uint8)
    return Reading("card", Spot(kind, 0.95, quad), (Hypothesis(quad, 1.0, rank, suit, blank),))


def readings_of(
    label: Mapping[str, Any], rng: Rng | None = None, shake: float = 0.0, lost: float = 0.0
) -> tuple[list[Reading], list[int]]:
    """Every index and back of a rendered picture that can be read, and which piece of the label each is of.

    `shake`: standard deviation of each corner in heights of the index; `lost`: share of the indices not found.
    """
    rng = rng or np.random.default_rng(0)
    readings: list[Reading] = []
    owners: list[int] = []
    for n, piece in enumerate(label["pieces"]):
        if piece["code"] == "back":
            if piece["visible"] >= BACK_SHOWN:
                readings.append(reading_of("back", np.array(piece["polygon"], float), "card_back"))
                owners.append(n)
            continue
        for index in piece["indices"]:
            if index["visible"] < SHOWN or rng.random() < lost:
                continue
            quad = np.array(index["polygon"], float)
            height = float(np.hypot(*(quad[3] - quad[0])))
            readings.append(reading_of(piece["code"], quad + rng.normal(0, 1, (4, 2)) * shake * height))
            owners.append(n)
    return readings, owners


def scene_of(
    readings: Sequence[Reading], width: int, height: int, copies: int = COPIES
) -> tuple[Scene, list[tuple[int, ...]]]:
    """The Scene out of readings, and of which readings each piece is made."""
    settled = settle_cards(readings, copies)
    pieces = tuple(
        Piece(
            one.code,
            round(min(one.p, 1.0), 6),
            _quad(one.reading.quad),
            kind="card",
            settled=one.settled,
            asked=one.asked,
            indices=tuple(_quad(readings[n].quad) for n in one.members if readings[n].spot.kind == "card_index"),
        )
        for one in settled
    )
    rows = rows_of_cards(settled, readings)
    return Scene(width, height, pieces, rows), [one.members for one in settled]


def perfect(label: Mapping[str, Any], copies: int = COPIES, seed: int = 0, shake: float = 0.0, lost: float = 0.0) -> (
        tuple[Scene, list[int]]):
    """The Scene of a rendered picture read without an error, and which piece of the label each of its pieces is."""
    readings, owners = readings_of(label, np.random.default_rng(seed), shake, lost)
    scene, members = scene_of(readings, label["width"], label["height"], copies)
    return scene, [owners[group[0]] for group in members]


def _quad(corners: Floats) -> Quad:
    first, second, third, fourth = ((round(float(x), 2), round(float(y), 2)) for x, y in corners)
    return (first, second, third, fourth)
