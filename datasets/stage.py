"""Chooses what a scene shows: which scenario, from where it is photographed."""

from __future__ import annotations

import numpy as np

from datasets import scenarios
from datasets.box import Box
from datasets.camera import Camera, frame
from datasets.decks import Deck
from datasets.editions import TileEdition
from datasets.layout import Layout, Shape
from datasets.slabs import CORNERS

Rng = np.random.Generator
CARD_WIDTH = 2.42
"""A poker card's width in tile widths (63 mm against 26 mm)."""
TILES = {
    "melds": 0.26,
    "scatter": 0.14,
    "grid": 0.08,
    "rack": 0.14,
    "hand": 0.08,
    "close": 0.12,
    "cut": 0.04,
    "table": 0.05,
    "discards": 0.05,
    "empty": 0.04,
}
"""Scenarios of tiles and how often each comes up."""
CARDS = {"melds": 0.48, "scatter": 0.2, "grid": 0.06, "close": 0.18, "cut": 0.04, "empty": 0.04}
OPEN_BOX = 0.07
FILLS = {"close": (0.3, 1.2), "cut": (1.4, 3.2), "table": (0.8, 1.1), "melds": (0.78, 1.5), "hand": (0.75, 1.15)}
"""How much of the picture's half the pieces span; above 1 the border cuts some."""
FAR = 0.1
"""How often a photograph is taken from too far away."""


def tile_shape(tiles: TileEdition) -> Shape:
    """A tile's size; its width is the unit of all scenes."""
    return Shape("tile", 1.0, tiles.aspect, tiles.thickness, tiles.corner_radius)


def card_shape(cards: Deck) -> Shape:
    """A card's size in tile widths."""
    return Shape("card", CARD_WIDTH, CARD_WIDTH * cards.aspect, 0.016, CARD_WIDTH * cards.corner_radius)


def lay_out(
    rng: Rng, tiles: TileEdition | None, cards: Deck | None, wanted: str = "", pieces: int = 0
) -> tuple[str, Layout]:
    """The scenario's name and what lies where: tiles, cards or both.

    `wanted` names a scenario, '' leaves it to chance; `pieces`: about how many, 0 leaves it to chance.
    """
    layout = Layout()
    scenario = wanted or "melds"
    if tiles is not None:
        box = Box("tile", 1, rng)
        scenario = wanted or str(rng.choice(list(TILES), p=list(TILES.values())))
        _lay_tiles(rng, layout, scenario, tile_shape(tiles), box, pieces)
        if scenario in ("melds", "scatter", "discards", "close", "empty") and rng.random() < OPEN_BOX:
            scenarios.open_box(rng, layout, tile_shape(tiles), box)
    if cards is not None:
        box = Box("card", int(rng.integers(1, 3)), rng)
        if tiles is not None:
            scenarios.melds(rng, layout, card_shape(cards), box, int(rng.integers(2, 12)))
        else:
            scenario = wanted or str(rng.choice(list(CARDS), p=list(CARDS.values())))
            _lay_cards(rng, layout, scenario, card_shape(cards), box, pieces)
        _bend(rng, layout)
    return scenario, layout


def _some(rng: Rng, least: int, most: int) -> int:
    """How many pieces: few more often than many."""
    return int(least + (most - least) * rng.beta(1.0, 3.0))


def _lay_tiles(rng: Rng, layout: Layout, scenario: str, tile: Shape, box: Box, pieces: int) -> None:
    match scenario:
        case "melds":
            scenarios.melds(rng, layout, tile, box, pieces or _some(rng, 3, 44))
        case "scatter":
            scenarios.scatter(rng, layout, tile, box, pieces or _some(rng, 1, 50))
        case "grid":
            scenarios.grid(rng, layout, tile, box, pieces or _some(rng, 4, 75))
        case "rack":
            scenarios.rack(rng, layout, tile, box, pieces or int(rng.integers(4, 31)))
        case "hand":
            scenarios.hand(rng, layout, tile, box, pieces or int(rng.integers(3, 26)))
        case "close" | "cut":
            lay = scenarios.melds if rng.random() < 0.5 else scenarios.scatter
            lay(rng, layout, tile, box, pieces or int(rng.integers(1, 6)))
        case "table":
            scenarios.melds(rng, layout, tile, box, pieces or int(rng.integers(45, 107)))
        case "discards":
            scenarios.discards(rng, layout, tile, box, pieces or int(rng.integers(3, 30)))


def _lay_cards(rng: Rng, layout: Layout, scenario: str, card: Shape, box: Box, pieces: int) -> None:
    match scenario:
        case "melds":
            scenarios.melds(rng, layout, card, box, pieces or _some(rng, 3, 36))
        case "scatter":
            scenarios.scatter(rng, layout, card, box, pieces or _some(rng, 1, 25))
        case "grid":
            scenarios.grid(rng, layout, card, box, pieces or int(rng.integers(4, 30)))
        case "close" | "cut":
            lay = scenarios.melds if rng.random() < 0.5 else scenarios.scatter
            lay(rng, layout, card, box, pieces or int(rng.integers(1, 5)))


def _bend(rng: Rng, layout: Layout) -> None:
    """Some cards are not flat."""
    for body in layout.bodies:
        if body.kind == "card" and rng.random() < 0.35:
            body.bend = float(rng.uniform(0, 0.16))
            body.bend_along = int(rng.integers(2))


def place_camera(rng: Rng, layout: Layout, scenario: str, size: int) -> Camera:
    """A phone above the pieces; `size`: the picture's longer side in pixels. What lies in an open box may be cut."""
    aspect = float(rng.choice([4 / 3, 3 / 4, 1.0, 16 / 9, 9 / 16], p=[0.38, 0.3, 0.14, 0.12, 0.06]))
    width, height = (size, round(size / aspect)) if aspect >= 1 else (round(size * aspect), size)
    seen = [b for b in layout.bodies if not b.boxed] or layout.bodies
    points = np.concatenate([b.points(CORNERS) for b in seen]) if seen else rng.uniform(-6, 6, (8, 3)) * (1, 1, 0)
    if layout.rack is not None:
        low, high = (0.35, 1.1) if scenario == "hand" else (0.2, 1.25)
        elevation, azimuth = rng.uniform(low, high), -np.pi / 2 + rng.normal(0, 0.35)
        roll = rng.normal(0, 0.12)
    else:
        elevation = np.pi / 2 - min(abs(rng.normal(0, 0.45)), 1.22)
        azimuth, roll = rng.uniform(0, 2 * np.pi), rng.normal(0, 0.1)
    fill = rng.uniform(*FILLS.get(scenario, (0.78, 1.4)))
    if scenario != "cut" and rng.random() < FAR:
        fill = rng.uniform(0.3, 0.7)
    target = (points.min(0) + points.max(0)) / 2 * (1, 1, 0.5)
    target[:2] += rng.normal(0, 0.08, 2) * np.ptp(points[:, :2], axis=0)
    return frame(
        points,
        fill,
        target=target,
        elevation=elevation,
        azimuth=azimuth,
        roll=roll,
        fov=rng.uniform(0.65, 1.35),
        size=(width, height),
        k1=float(rng.normal(0, 0.03)),
        k2=float(rng.normal(0, 0.01)),
    )
