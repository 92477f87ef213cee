"""Rows by geometry alone: made tables at every angle, and the labelled photographs without any network."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import photo_labels
import pytest

from vision import card_bodies, rows

Quads = np.ndarray[Any, np.dtype[np.float64]]
UNIT = np.array([[0, 0], [1, 0], [1, 1.4], [0, 1.4]], float)


def tile(x: float, y: float, turn: float = 0.0) -> Quads:
    """A tile one wide, its middle at (x, y), turned clockwise by `turn` degrees."""
    angle = np.radians(turn)
    spin = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return (UNIT - [0.5, 0.7]) @ spin.T + [x, y]


def placed(tiles: list[Quads], turn: float = 0.0, size: float = 50.0) -> Quads:
    angle = np.radians(turn)
    spin = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return np.array(tiles) * size @ spin.T + 600


MELDS = [
    *[tile(x, 0) for x in range(4)],  # touching
    *[tile(6 + 1.3 * x, 0.1 * (-1) ** x, 5 * (-1) ** x) for x in range(3)],  # crooked, with gaps
    *[tile(x * 0.8, 1.75, 0) for x in range(5)],  # overlapping, close under the first
    tile(8, 4, 40),
]
WANT = [[0, 1, 2, 3], [4, 5, 6], [7, 8, 9, 10, 11], [12]]


@pytest.mark.parametrize("turn", range(0, 360, 15))
def test_rows_at_any_angle(turn: int) -> None:
    assert sorted(rows.tile_rows(placed(MELDS, turn))) == WANT


def test_rows_in_steep_perspective() -> None:
    quads = placed(MELDS)
    low, high = quads.min(axis=(0, 1)), quads.max(axis=(0, 1))
    board = np.array([low, [high[0], low[1]], high, [low[0], high[1]]], np.float32)
    seen = np.array([[300, 200], [620, 210], [900, 600], [80, 580]], np.float32)
    moved = cv2.perspectiveTransform(quads.reshape(1, -1, 2), cv2.getPerspectiveTransform(board, seen))
    assert sorted(rows.tile_rows(moved.reshape(-1, 4, 2))) == WANT


def test_a_gap_parts_two_melds() -> None:
    line = [tile(x, 0) for x in range(3)] + [tile(3.7 + x, 0) for x in range(3)]
    assert rows.tile_rows(placed(line)) == [[0, 1, 2], [3, 4, 5]]


def test_order_is_the_pieces_own_upright() -> None:
    upside_down = placed([tile(x, 0, 180) for x in range(4)])
    assert rows.tile_rows(upside_down) == [[3, 2, 1, 0]]
    one_on_its_head = placed([tile(0, 0), tile(1, 0, 180), tile(2, 0), tile(3, 0)])
    assert rows.tile_rows(one_on_its_head) == [[0, 1, 2, 3]]
    mostly_on_their_heads = placed([tile(0, 0), tile(1, 0, 180), tile(2, 0, 180), tile(3, 0, 180)])
    assert rows.tile_rows(mostly_on_their_heads) == [[3, 2, 1, 0]]


@pytest.mark.parametrize("heads", range(16))
def test_any_tiles_on_their_heads_still_make_one_row(heads: int) -> None:
    quads = placed([tile(x, 0, 180 * (heads >> x & 1)) for x in range(4)])
    (row,) = rows.tile_rows(quads)
    assert row in ([0, 1, 2, 3], [3, 2, 1, 0])


def test_face_down_tiles_have_no_say_in_the_order() -> None:
    quads = placed([tile(0, 0), tile(1, 0, 180), tile(2, 0, 180)])
    assert rows.tile_rows(quads, [True, False, False]) == [[0, 1, 2]]
    assert rows.tile_rows(quads[1:], [False, False]) == [[0, 1]]


def test_order_of_rows_is_that_of_a_page() -> None:
    quads = placed([tile(x, y) for y in (4, 0) for x in (8, 9, 10, 0, 1, 2)])
    assert rows.tile_rows(quads) == [[9, 10, 11], [6, 7, 8], [3, 4, 5], [0, 1, 2]]


def test_nothing_and_one() -> None:
    assert rows.tile_rows(np.zeros((0, 4, 2))) == []
    assert rows.tile_rows(placed([tile(0, 0)])) == [[0]]
    assert rows.tile_rows(np.zeros((2, 4, 2))) == [[0], [1]]
    assert rows.card_rows(np.zeros((0, 4, 2))) == []


def test_a_rack_is_known_by_its_tiers() -> None:
    rack = placed([tile(x, 0) for x in (0, 1, 2, 3.8, 4.8, 6.6)] + [tile(x, 1.6) for x in (0, 1, 2.8)])
    chains = rows.tile_rows(rack)
    assert sorted(chains) == [[0, 1, 2], [3, 4], [5], [6, 7], [8]]
    assert set(rows.classify(chains, rack)) == {"rack"}
    melds = placed(MELDS)
    assert rows.classify(WANT, melds) == ["meld", "meld", "meld", "loose"]


def index(x: float, y: float, turn: float = 0.0) -> Quads:
    """The index of a card whose top left corner lies at (x, y); its height is 1."""
    angle = np.radians(turn)
    spin = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return np.array([[0.2, 0.2], [0.7, 0.2], [0.7, 1.2], [0.2, 1.2]]) @ spin.T + [x, y]


@pytest.mark.parametrize("turn", range(0, 360, 30))
def test_columns_rows_and_fans_of_cards(turn: int) -> None:
    column = [index(0, 1.3 * n) for n in range(4)]
    row = [index(8 + 3.8 * n, 0) for n in range(3)]
    fan = [index(8 + 1.0 * n, 12 + 0.15 * n, 8 * n) for n in range(4)]
    indices = placed(column + row + fan, turn, 20)
    cards = card_bodies.bodies([[quad] for quad in indices])[0]
    found = sorted(rows.card_rows(cards))
    assert found == [[0, 1, 2, 3], [4, 5, 6], [7, 8, 9, 10]]
    assert rows.classify(found, cards, cards=True) == ["meld", "meld", "fan"]


@pytest.mark.parametrize(("part", "least"), [("check", 0.98), ("fit", 0.94)])
def test_labelled_photographs(part: str, least: float) -> None:
    photos = exact = wanted = found = 0
    for _, groups, quads in photo_labels.grouped(part):
        got = {tuple(row) for row in rows.tile_rows(np.array(quads))}
        want = {tuple(group) for group in groups["groups"]}
        photos, exact = photos + 1, exact + (want == got)
        wanted, found = wanted + len(want), found + len(want & got)
    assert photos >= 80
    assert exact / photos >= least
    assert found / wanted >= least
