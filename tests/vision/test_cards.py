"""Indices to cards: two or four corners, jokers with a word for an index, two packs, any angle."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from vision import card_bodies, cards
from vision.identify import RANKS, Hypothesis, Reading
from vision.locate import Spot

Quads = np.ndarray[Any, np.dtype[np.float64]]
BLANK = np.zeros((64, 48, 3), np.uint8)


def reading(code: str, quad: Quads, kind: str = "card_index") -> Reading:
    rank, suit = np.full(15, 0.002), np.full(4, 0.01)
    rank[RANKS["card"].index("*" if code == "*" else code[:-1])] = 1
    suit["SHDC".index(code[-1]) if code != "*" else 0] = 1
    look = Hypothesis(quad, 1.0, rank / rank.sum(), suit / suit.sum(), BLANK)
    return Reading("card", Spot(kind, 0.9, quad), (look,))  # type: ignore[arg-type]


def card(code: str, x: float, y: float, turn: float, corners: str, size: tuple[float, float] = (0.6, 1.0),
         whole: tuple[float, float] = (3.6, 4.9), scale: float = 20.0) -> list[Reading]:
    """The indices of a card in some of its corners: 1 top left, 2 top right, 3 bottom right, 4 bottom left."""
    angle = np.radians(turn)
    spin = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    w, h = size
    box = np.array([[0, 0], [w, 0], [w, h], [0, h]]) + 0.2
    mirrored = np.array([[whole[0] - 0.2 - w, 0.2], [whole[0] - 0.2, 0.2], [whole[0] - 0.2, 0.2 + h],
                         [whole[0] - 0.2 - w, 0.2 + h]])
    quads = {"1": box, "2": mirrored, "3": np.array(whole) - box, "4": np.array(whole) - mirrored}
    middle = np.array(whole) / 2
    return [reading(code, ((quads[c] - middle) @ spin.T) * scale + [x, y]) for c in corners]


def grouped(*laid: list[Reading]) -> bool:
    """Whether the indices given card by card come out as these cards."""
    readings = [one for group in laid for one in group]
    starts = np.cumsum([0, *map(len, laid)])
    want = {frozenset(range(a, b)) for a, b in pairwise(starts)}
    return {frozenset(group) for group in cards.one_card(readings)} == want


@pytest.mark.parametrize("turn", range(0, 360, 45))
@pytest.mark.parametrize("corners", ["13", "1234", "124", "1"])
def test_the_indices_of_each_card_go_together(turn: float, corners: str) -> None:
    assert grouped(card("10H", 200, 200, turn, corners), card("KS", 400, 200, turn + 20, corners),
                   card("2C", 200, 400, turn - 70, corners))


def test_two_packs_side_by_side_stay_two_cards() -> None:
    assert grouped(card("QS", 200, 200, 0, "13"), card("QS", 276, 200, 0, "13"))
    assert grouped(card("QS", 200, 200, 0, "1"), card("QS", 258, 200, 0, "1"))


def test_a_joker_with_a_word_for_an_index() -> None:
    assert grouped(card("*", 200, 200, 10, "1234", size=(0.5, 2.4)), card("5D", 400, 200, 10, "1234"))
    assert grouped(card("*", 200, 200, 10, "13", size=(0.3, 0.45)), card("5D", 400, 200, 10, "13"))


@pytest.mark.parametrize("size", [(0.3, 0.45), (0.4, 2.4)], ids=["star", "word"])
def test_two_jokers_side_by_side_are_two_where_other_cards_tell_their_size(size: tuple[float, float]) -> None:
    jokers = [card("*", x, 200, 0, "13", size=size) for x in (200, 278)]
    assert grouped(*jokers, card("5D", 400, 200, 10, "13"))
    told = [one for group in (*jokers, card("5D", 400, 200, 10, "13")) for one in group]
    assert not cards.together(told)[1]


def test_jokers_alone_may_be_one_card_or_two_and_it_is_said() -> None:
    side_by_side = [*card("*", 200, 200, 0, "1"), *card("*", 260, 200, 0, "1")]
    found, untold = cards.together(side_by_side)
    assert len(found) == 2
    assert untold == {0, 1}
    whole = [*card("*", 200, 200, 0, "13"), *card("*", 278, 200, 0, "13")]
    assert grouped(whole[:2], whole[2:])
    assert cards.together(whole)[1] == {0, 1, 2, 3}


def test_the_line_between_indices_tells_how_a_card_is_turned() -> None:
    top = [one.quad for one in card("5D", 300, 300, 0, "12")]
    middle = top[0].mean(axis=0)
    spin = np.array([[np.cos(0.2), -np.sin(0.2)], [np.sin(0.2), np.cos(0.2)]])
    top[0] = (top[0] - middle) @ spin.T + middle
    whole, known = card_bodies.bodies([top, [one.quad for one in card("6D", 500, 300, 0, "13")]])
    assert np.abs(whole[0] - whole[1] + (200, 0)).max() < 8
    assert known == [True, False]


def test_cards_that_lean_their_own_way_are_still_one_each() -> None:
    leant = card("9S", 300, 300, 0, "13")
    skewed = [reading("9S", (one.quad - 300) @ np.array([[1.0, 0.45], [0.0, 1.0]]) + 300) for one in leant]
    assert grouped(skewed, card("5D", 500, 300, 0, "13"), card("6D", 100, 300, 0, "13"))


def test_another_face_is_another_card() -> None:
    top = card("9H", 200, 200, 0, "1")
    assert grouped(top, card("9C", 200, 200, 0, "3"))
    assert grouped(top, card("8D", 200, 200, 0, "3"))


@pytest.mark.parametrize("other", ["9D", "8H"])
def test_a_face_that_is_nearly_the_same_in_the_other_corner_is_the_same_card(other: str) -> None:
    assert grouped([*card("9H", 200, 200, 0, "1"), *card(other, 200, 200, 0, "3")])


def test_a_back_is_a_card_of_its_own() -> None:
    quad = card("5D", 200, 200, 0, "1")[0].quad
    assert cards.one_card([reading("5D", quad, "card_back"), reading("5D", quad)]) == [(0,), (1,)]


@pytest.mark.parametrize("corners", ["13", "31", "1234", "4321"])
@pytest.mark.parametrize("turn", [0, 60, 200])
def test_bodies_lie_where_the_cards_lie(corners: str, turn: float) -> None:
    whole = [one.quad for one in card("5D", 300, 300, turn, corners, whole=(3.0, 4.4))]
    lone = [card("6D", 500, 300, 0, "1", whole=(3.0, 4.4))[0].quad]
    found, known = card_bodies.bodies([whole, lone])
    assert known == [False, True]
    assert np.allclose(found.mean(axis=1), [[300, 300], [500, 300]], atol=2.5)
    width, height = np.hypot(*(found[1, 1] - found[1, 0])), np.hypot(*(found[1, 3] - found[1, 0]))
    assert (width, height) == pytest.approx((60, 88), rel=0.06)
    assert found[0, 0, 1] <= found[0, 2, 1] + 1e-6  # the picture's up


def test_without_cards_no_bodies() -> None:
    assert cards.one_card([]) == []
    assert card_bodies.bodies([])[0].shape == (0, 4, 2)
    assert np.isfinite(card_bodies.bodies([[np.zeros((4, 2))]])[0]).all()
