"""What lies on the table of a rendered video: rows of tiles, or groups of cards that cover one another."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np

from datasets.box import Box
from datasets.editions import TileEdition
from datasets.layout import Layout, Rng, make_body, move
from datasets.moves import carousel_box, some_meld
from datasets.played import STYLES, laid
from datasets.scene import Sets
from datasets.slabs import CORNERS, Body, lying
from datasets.stage import card_shape, tile_shape

OPENING = (("k8", "k9", "k10", "k11"), ("r12", "b12", "y12"))
"""A legal first opening of Remi: 38 and 36 points."""
CAROUSEL = (("7H", "8H", "9H", "10H"), ("KS", "KD", "KC"), ("2C", "3C", "4C"))
"""Three legal melds of Carousel."""
MELDS = 5
"""Rows of an evening."""
SHELF, GAP = 23.0, (0.5, 1.0)
"""How wide the groups of cards lie beside each other before they go on below, and the room between two, in tile
widths."""


def rows_of(rng: Rng, sets: Sets, opening: bool) -> list[Body]:
    """The melds of a video, in the order in which they are laid."""
    if sets.cards is not None:
        return _groups(rng, sets, opening)
    assert sets.tiles is not None
    return _rows(rng, sets.tiles.edition, opening)


def elsewhere(bodies: Sequence[Body]) -> list[Body]:
    """The same pieces in a second place each, beyond the rows, to be moved to."""
    top = max(float(body.points(CORNERS)[:, 1].max()) for body in bodies)
    second = []
    for n, body in enumerate(bodies):
        other = copy.copy(body)
        x = -0.5 + n * (SHELF - 5 if body.kind == "card" else 14.0) / len(bodies)
        if body.kind == "card":
            other.level = 0.0
            other.pose = lying(x, top + 0.6 + body.height / 2, 0.0, body.thickness)
        else:
            move([other], x, body.height + 1.0, 0.0)
        second.append(other)
    return second


def _rows(rng: Rng, edition: TileEdition, opening: bool) -> list[Body]:
    shape = tile_shape(edition)
    box = Box("tile", 1, rng)
    rows: Sequence[Sequence[str]] = OPENING if opening else [box.meld(6) for _ in range(MELDS)]
    layout = Layout()
    for n, codes in enumerate(rows):
        bodies = []
        step = 1.0 + float(rng.uniform(0.01, 0.12))
        for k, code in enumerate(codes):
            body = make_body(shape, code, lying(0.0, 0.0, 0.0, 0.0))
            move([body], (n % 2) * 7.2 + k * step, -(n // 2) * (shape.height + 0.7) + float(rng.normal(0, 0.03)),
                 float(rng.normal(0, 0.02)))  # fmt: skip
            bodies.append(body)
        layout.add_row(bodies)
    return layout.bodies


def _groups(rng: Rng, sets: Sets, opening: bool) -> list[Body]:
    """Columns, rows, fans and cards side by side, on shelves from the far side of the table to the near one."""
    assert sets.cards is not None
    shape = card_shape(sets.cards.deck)
    box = carousel_box(rng, 2)
    melds: list[Sequence[str]] = list(CAROUSEL) if opening else []
    while len(melds) < (len(CAROUSEL) if opening else MELDS):
        meld = some_meld(rng, box)
        if meld is not None and (len(melds) < MELDS - 1 or len(meld) >= 4):  # the last four cards are laid by a hand
            melds.append(meld)
    layout, left, top, foot = Layout(), 0.0, 0.0, 0.0
    for codes in melds:
        group = laid(rng, codes, shape, STYLES[int(rng.integers(len(STYLES)))])
        points = np.concatenate([body.points(CORNERS)[:, :2] for body in group])
        low, high = points.min(0), points.max(0)
        if left > 0 and left + high[0] - low[0] > SHELF:
            left, top = 0.0, foot - float(rng.uniform(*GAP))
        move(group, left - float(low[0]), top - float(high[1]), float(rng.normal(0, 0.02)))
        foot = min(foot, top - float(high[1] - low[1]))
        left += float(high[0] - low[0]) + float(rng.uniform(*GAP))
        for body in group:
            if rng.random() < 0.35:  # some cards are not flat
                body.bend, body.bend_along = float(rng.uniform(0, 0.16)), int(rng.integers(2))
        layout.add_row(group)
    return layout.bodies
