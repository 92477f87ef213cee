"""Chooses what a scene shows: which scenario, from where it is photographed."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from datasets import scenarios
from datasets.box import Box
from datasets.camera import Camera, frame, look_at
from datasets.decks import Deck
from datasets.editions import TileEdition
from datasets.layout import Layout, Shape
from datasets.slabs import CORNERS

Rng = np.random.Generator
CARD_WIDTH = 2.42
"""A poker card's width in tile widths (63 mm against 26 mm)."""
TILES = {
    "melds": 0.22,
    "scatter": 0.13,
    "grid": 0.07,
    "rack": 0.12,
    "hand": 0.07,
    "close": 0.15,
    "cut": 0.06,
    "box": 0.03,
    "table": 0.03,
    "discards": 0.04,
    "empty": 0.08,
}
"""Scenarios of tiles and how often each comes up."""
CARDS = {"melds": 0.5, "scatter": 0.2, "grid": 0.06, "close": 0.16, "cut": 0.05, "empty": 0.03}
OPEN_BOX = 0.09
FILLS = {"close": (0.3, 1.2), "cut": (1.4, 3.2), "table": (0.8, 1.1), "melds": (0.78, 1.5), "hand": (0.75, 1.15)}
"""How much of the picture's half the pieces span; above 1 the border cuts some."""
FAR = 0.06
"""How often a photograph is taken from too far away."""
NEAR = {
    "melds": (0.45, (0.08, 0.26)),
    "scatter": (0.45, (0.08, 0.3)),
    "grid": (0.35, (0.07, 0.2)),
    "rack": (0.3, (0.08, 0.26)),
    "hand": (0.15, (0.07, 0.2)),
    "discards": (0.25, (0.07, 0.2)),
    "box": (1.0, (0.07, 0.3)),
    "close": (0.9, (0.16, 0.62)),
    "cut": (1.0, (0.2, 0.66)),
    "empty": (0.8, (0.05, 0.6)),
}
"""How often a scenario is seen from a distance that a tile's length decides, and that length as a share of the
picture's longer side; else all pieces fit."""
READABLE = ((0.76, (18 / 640, 70 / 640)), (0.14, (70 / 640, 150 / 640)), (0.1, (9 / 640, 18 / 640)))
"""How often a card's index is how high, as a share of the picture's longer side: people go near enough."""
EMPTY_RACK = 0.08


def tile_shape(tiles: TileEdition) -> Shape:
    """A tile's size; its width is the unit of all scenes."""
    return Shape("tile", 1.0, tiles.aspect, tiles.thickness, tiles.corner_radius)


def card_shape(cards: Deck) -> Shape:
    """A card's size in tile widths."""
    return Shape("card", CARD_WIDTH, CARD_WIDTH * cards.aspect, 0.016, CARD_WIDTH * cards.corner_radius)


@lru_cache(maxsize=64)
def index_share(cards: Deck) -> float:
    """How high a deck's corner indices are, as a share of the card's height."""
    corners = cards.face("8S", np.random.default_rng(0)).indices[0]
    return float(np.clip(np.linalg.norm(corners[3] - corners[0]), 0.1, 0.26))


def lay_out(
    rng: Rng, tiles: TileEdition | None, cards: Deck | None, wanted: str = "", pieces: int = 0
) -> tuple[str, Layout]:
    """The scenario's name and what lies where: tiles, cards or both.

    `wanted` names a scenario, '' leaves it to chance; `pieces`: about how many, 0 leaves it to chance (and then how
    near the camera comes is left to chance as well).
    """
    layout = Layout()
    scenario = wanted or "melds"
    if tiles is not None:
        box = Box("tile", 1, rng)
        scenario = wanted or str(rng.choice(list(TILES), p=list(TILES.values())))
        if not pieces and cards is None:
            layout.near = _near(rng, scenario) / tiles.aspect
        _lay_tiles(rng, layout, scenario, tile_shape(tiles), box, pieces)
        if scenario == "box" or (
            scenario in ("melds", "scatter", "discards", "close", "cut", "empty") and rng.random() < OPEN_BOX
        ):
            scenarios.open_box(rng, layout, tile_shape(tiles), box)
    if cards is not None:
        box = Box("card", int(rng.integers(1, 3)), rng)
        card = card_shape(cards)
        if tiles is not None:
            scenarios.melds(rng, layout, card, box, int(rng.integers(2, 12)))
        else:
            scenario = wanted or str(rng.choice(list(CARDS), p=list(CARDS.values())))
            if not pieces:
                layout.near = _readable(rng, scenario) / (index_share(cards) * card.height)
            _lay_cards(rng, layout, scenario, card, box, pieces)
        _bend(rng, layout)
    return scenario, layout


def _even(rng: Rng, span: tuple[float, float]) -> float:
    """A size between the two, each doubling as likely as any other."""
    return float(np.exp(rng.uniform(*np.log(span))))


def _near(rng: Rng, scenario: str) -> float:
    """A tile's length as a share of the picture's longer side, 0 where all pieces shall fit."""
    chance, span = NEAR.get(scenario, (0.0, (1.0, 1.0)))
    return _even(rng, span) if rng.random() < chance else 0.0


def _readable(rng: Rng, scenario: str) -> float:
    """A card index's height as a share of the picture's longer side."""
    if scenario in ("close", "cut"):
        return _even(rng, (32 / 640, 150 / 640))
    return _even(rng, READABLE[int(rng.choice(len(READABLE), p=[share for share, _ in READABLE]))][1])


def _some(rng: Rng, layout: Layout, shape: Shape, least: int, most: int) -> int:
    """How many pieces: few more often than many, and not many more than the picture holds."""
    count = int(least + (most - least) * rng.beta(1.0, 3.0))
    if not layout.near:
        return count
    lies = 0.55 if shape.kind == "card" else 1.6
    holds = 0.75 / layout.near**2 / (shape.width * shape.height * lies)
    # near pieces that fill the picture are as likely as few
    return int(min(max(count, rng.uniform(0.2, 1.0) * holds), holds + 2, most))


def _lay_tiles(rng: Rng, layout: Layout, scenario: str, tile: Shape, box: Box, pieces: int) -> None:
    def some(least: int, most: int) -> int:
        return pieces or _some(rng, layout, tile, least, most)

    match scenario:
        case "melds":
            scenarios.melds(rng, layout, tile, box, some(3, 44))
        case "scatter":
            scenarios.scatter(rng, layout, tile, box, some(1, 50))
        case "grid":
            scenarios.grid(rng, layout, tile, box, some(4, 75))
        case "rack":
            count = 0 if not pieces and rng.random() < EMPTY_RACK else int(rng.integers(4, 31))
            scenarios.rack(rng, layout, tile, box, pieces or count)
        case "hand":
            scenarios.hand(rng, layout, tile, box, pieces or int(rng.integers(3, 26)))
        case "close" | "cut":
            lay = scenarios.melds if rng.random() < 0.5 else scenarios.scatter
            lay(rng, layout, tile, box, pieces or int(rng.integers(1, 6)))
        case "table":
            scenarios.melds(rng, layout, tile, box, pieces or int(rng.integers(45, 107)))
        case "discards":
            scenarios.discards(rng, layout, tile, box, some(3, 30))


def _lay_cards(rng: Rng, layout: Layout, scenario: str, card: Shape, box: Box, pieces: int) -> None:
    def some(least: int, most: int) -> int:
        return pieces or _some(rng, layout, card, least, most)

    match scenario:
        case "melds":
            scenarios.melds(rng, layout, card, box, some(3, 40))
        case "scatter":
            scenarios.scatter(rng, layout, card, box, some(1, 25))
        case "grid":
            scenarios.grid(rng, layout, card, box, some(4, 30))
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
    lens = {
        "elevation": float(elevation),
        "azimuth": float(azimuth),
        "roll": float(roll),
        "fov": float(rng.uniform(0.65, 1.35)),
        "size": (width, height),
        "k1": float(rng.normal(0, 0.03)),
        "k2": float(rng.normal(0, 0.01)),
    }
    if layout.near:
        return _go_near(rng, layout, scenario, lens)
    fill = rng.uniform(*FILLS.get(scenario, (0.78, 1.4)))
    if scenario != "cut" and rng.random() < FAR:
        fill = rng.uniform(0.3, 0.7)
    target = (points.min(0) + points.max(0)) / 2 * (1, 1, 0.5)
    target[:2] += rng.normal(0, 0.08, 2) * np.ptp(points[:, :2], axis=0)
    return frame(points, fill, target=target, **lens)


def _go_near(rng: Rng, layout: Layout, scenario: str, lens: dict[str, Any]) -> Camera:
    """A camera from which a tile's width spans `layout.near` of the picture's longer side; the border cuts the rest."""
    lens["elevation"] = max(lens["elevation"], 0.75 if layout.near > 0.1 and layout.rack is None else 0.3)
    bodies = [b for b in layout.bodies if b.boxed] if scenario == "box" else layout.bodies
    target = np.zeros(3)
    if bodies:
        centres = np.array([b.pose.centre for b in bodies])
        one = centres[int(rng.integers(len(centres)))]
        target = one + (centres.mean(0) - one) * rng.uniform(0.0, 1.0)
    elif layout.rack is not None:
        target = layout.rack.world(np.array([[rng.normal(0, 0.2) * layout.rack.length, 0.5, 0.5]]))[0]
    half = 0.5 / layout.near * np.array([lens["size"][0], lens["size"][1]]) / max(lens["size"])
    # off the middle, and where the border shall cut a piece, as far off as the border is
    away = rng.normal(0, 0.16, 2)
    if scenario == "cut":
        side = int(rng.integers(2))
        away[side] = rng.choice([-1, 1]) * rng.uniform(0.75, 1.05)
    axes = look_at(target, distance=1.0, **lens).axes[:2, :2]
    target[:2] += (away * half) @ (axes / np.linalg.norm(axes, axis=1, keepdims=True))
    distance = 0.5 / np.tan(lens["fov"] / 2) / layout.near
    return look_at(target, distance=max(float(distance), 1.2), **lens)
