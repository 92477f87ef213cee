"""Cards of one photo judged together: letters, rows, columns, fans, jokers, squeezed pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from vision.cards import level, one_card
from vision.identify import RANKS, Hypothesis, Reading
from vision.locate import Spot
from vision.rows import card_rows
from vision.settle import keep
from vision.settle_cards import rows_of_cards, settle_cards, strays

Quads = np.ndarray[Any, np.dtype[np.float64]]
BLANK = np.zeros((64, 48, 3), np.uint8)
WHOLE = np.array([70.0, 98.0])


def reading(code: str, quad: Quads, other: tuple[str, float] = ("", 0.0)) -> Reading:
    rank, suit = np.full(15, 0.0001), np.full(4, 0.0001)
    rank[RANKS["card"].index("*" if code == "*" else code[:-1])] = 1 - other[1]
    if other[0]:
        rank[RANKS["card"].index(other[0])] = other[1]
    suit["SHDC".index(code[-1]) if code != "*" else 0] = 1
    look = Hypothesis(quad, 1.0, rank / rank.sum(), suit / suit.sum(), BLANK)
    return Reading("card", Spot("card_index", 0.9, quad), (look,))


def spin(turn: float) -> Quads:
    c, s = np.cos(np.radians(turn)), np.sin(np.radians(turn))
    return np.array([[c, -s], [s, c]])


def card(code: str, x: float, y: float, turn: float = 0.0, corners: str = "1", size: tuple[float, float] = (12, 20),
         other: tuple[str, float] = ("", 0.0)) -> list[Reading]:
    """A card of 70 x 98 pixels whose top left corner lies at (x, y), with the indices in corners 1 and 3."""
    box = np.array([[0, 0], [size[0], 0], size, [0, size[1]]], float) + 4
    quads = {"1": box, "3": WHOLE - box}
    return [reading(code, quads[c] @ spin(turn).T + [x, y], other) for c in corners]


def rows(laid: Sequence[list[Reading]]) -> list[list[str]]:
    readings = [one for group in laid for one in group]
    pieces = settle_cards(readings, 2)
    return [[pieces[n].code for n in row.pieces] for row in rows_of_cards(pieces, readings)]


@pytest.mark.parametrize(
    ("sure", "code", "found"),
    [("QS", "JH", "JH"), ("QS", "QH", "JH"), ("JS", "JH", "QH"), ("JS", "QH", "QH"), ("KS", "JH", "JH")],
)
def test_the_letter_v_is_judged_by_the_deck_s_other_letters(sure: str, code: str, found: str) -> None:
    rank = "Q" if code[0] == "J" else "J"
    pieces = settle_cards([*card(sure, 0, 0, corners="13"), *card(code, 300, 0, other=(rank, 0.3))], 2)
    assert [piece.code for piece in pieces] == [sure, found]
    assert pieces[1].asked == (sure[0] != "K" or pieces[1].p < 0.85)


def test_a_clear_letter_is_left_alone() -> None:
    pieces = settle_cards([*card("QS", 0, 0), *card("QH", 300, 0, other=("J", 0.02))], 2)
    assert [piece.code for piece in pieces] == ["QS", "QH"]
    assert not pieces[1].settled


@pytest.mark.parametrize("turn", [0, 90, 200])
def test_columns_rows_and_fans(turn: float) -> None:
    def at(x: float, y: float) -> tuple[float, float]:
        moved = spin(turn) @ [x, y]
        return float(moved[0] + 900), float(moved[1] + 900)

    column = [card(code, *at(0, 28 * n), turn, "13" if n == 2 else "1") for n, code in enumerate(("3H", "4H", "5H"))]
    row = [card(code, *at(200 + 24 * n, 0), turn, "13" if n == 2 else "1") for n, code in enumerate(("9S", "9D", "9C"))]
    fan = [card(code, *at(400 + 18 * n, 6 * n), turn + 12 * n, "13" if n == 2 else "1")
           for n, code in enumerate(("JC", "QC", "KC"))]
    found = rows([*column, *row, *fan])
    assert sorted(found) == [["3H", "4H", "5H"], ["9S", "9D", "9C"], ["JC", "QC", "KC"]]


def test_a_joker_whose_sign_is_small_stays_in_its_row() -> None:
    laid = [card("7S", 0, 0), card("*", 26, 0, size=(5, 7)), card("9S", 52, 0, corners="13")]
    assert rows(laid) == [["7S", "*", "9S"]]


def test_a_row_beside_a_column_is_another_group() -> None:
    column = [card(code, 0, 28 * n, corners="13" if n == 2 else "1") for n, code in enumerate(("3H", "4H", "5H"))]
    assert sorted(rows([*column, card("KS", 78, 40, corners="13")])) == [["3H", "4H", "5H"], ["KS"]]


@pytest.mark.parametrize("stretch", [(1.0, 1.8), (1.7, 1.0)])
@pytest.mark.parametrize("turns", [(0, 90, 45, -30), (0, 60, 120, 180)])
def test_the_indices_of_a_card_meet_on_a_squeezed_picture(stretch: tuple[float, float], turns: tuple[int, ...]) -> None:
    squeeze = np.diag(stretch)
    laid = [card(f"{n + 4}H", 300 * n, 40 * n, turn, "13") for n, turn in enumerate(turns)]
    readings = [reading(f"{n + 4}H", one.quad @ squeeze.T) for n, two in enumerate(laid) for one in two]
    assert one_card(readings) == [(2 * n, 2 * n + 1) for n in range(len(turns))]
    levelled = level(readings) @ squeeze
    assert np.linalg.cond(levelled) < 1.35


@pytest.mark.parametrize(("away", "count"), [(0.0, 3), (40.0, 4)])
def test_an_index_hardly_read_belongs_to_the_card_that_wants_it_there(away: float, count: int) -> None:
    sure = [one for n, code in enumerate(("4D", "9C")) for one in card(code, 200 * n, 0, corners="13")]
    top, foot = card("5H", 400, 0, corners="13")
    unread = reading("9D", foot.quad + np.array([away, away]), ("?", 0.9))
    pieces = settle_cards([*sure, top, unread], 2)
    assert len(pieces) == count
    assert [piece.code for piece in pieces[:3]] == ["4D", "9C", "5H"]


@pytest.mark.parametrize(
    ("court", "score", "right", "turn", "kept"),
    [("QS", 0.4, 20.0, 5.0, False), ("QS", 0.4, 20.0, 40.0, True), ("QS", 0.8, 20.0, 5.0, True),
     ("9S", 0.4, 20.0, 5.0, True), ("QS", 0.4, 60.0, 5.0, True)],
    ids=["a pip of the drawing", "turned", "well located", "no court card", "elsewhere"],
)  # fmt: skip
def test_a_weak_find_in_a_court_card_s_drawing_is_none(
    court: str, score: float, right: float, turn: float, kept: bool
) -> None:
    index = card(court, 0, 0)[0]
    quad = (index.quad - index.quad.mean(axis=0)) @ spin(turn).T + index.quad.mean(axis=0) + [right, 5]
    weak = reading("*", quad)
    pieces = settle_cards([index, replace(weak, spot=replace(weak.spot, score=score))], 2)
    assert [piece.code for piece in pieces] == ([court, "*"] if kept else [court])


def test_no_cards_no_rows() -> None:
    assert card_rows(np.zeros((0, 4, 2))) == []
    assert rows_of_cards([], []) == ()


def test_red_is_no_spade_and_black_no_heart_where_the_photo_shows_red() -> None:
    red, black = (30, 30, 200), (25, 25, 25)

    def look(code: str, ink: tuple[int, int, int], colour: list[float], x: float) -> Reading:
        crop = np.full((64, 48, 3), (225, 228, 230), np.uint8)
        crop[14:50, 14:34] = ink
        found = card(code, x, 100)[0]
        return replace(found, hypotheses=tuple(
            replace(h, crop=crop, colour=np.array(colour)) for h in found.hypotheses
        ))

    doubted = look("5S", red, [0.6, 0.1, 0.25, 0.05], 100)
    sure = look("9H", red, [0.01, 0.97, 0.01, 0.01], 400)
    dark = look("7H", black, [0.3, 0.5, 0.1, 0.1], 700)
    codes = {piece.code: piece for piece in settle_cards([doubted, sure, dark])}
    assert set(codes) == {"5D", "9H", "7S"}
    assert codes["5D"].asked
    assert "ink" in codes["5D"].settled
    grey = settle_cards([dark])  # a grey picture tells nothing
    assert [piece.code for piece in grey] == ["7H"]


@pytest.mark.parametrize(
    ("x", "doubt", "beside", "left"),
    [
        (-10, 0.4, False, {0}),  # by itself, cut, not surely read
        (-10, 0.0, False, set()),  # what is read surely counts
        (20, 0.4, False, set()),  # whole in the picture
        (-10, 0.4, True, set()),  # the end of a fan
    ],
)
def test_a_stray_card_that_the_border_cuts_is_left_out(x: float, doubt: float, beside: bool, left: set[int]) -> None:
    readings = card("4S", x, 50, other=("9", doubt)) + card("KH", 400, 50)
    if beside:
        readings += card("5S", x + 22, 50) + card("6S", x + 44, 50)
    pieces = settle_cards(readings, 2)
    assert strays(pieces, readings, 600, 300) == left


@pytest.mark.parametrize(
    ("other", "cards"),
    [
        ("JS", 1),  # one rank, one ink: one of the two is misread
        ("QC", 1),  # one suit
        ("JH", 2),  # another ink: nobody misreads that
        ("8D", 2),
    ],
)
def test_two_indices_of_one_card_that_differ_are_one_card_and_a_question(other: str, cards: int) -> None:
    two = [card("JC", 0, 0)[0], card(other, 0, 0, corners="3")[0]]
    sure = [*card("5H", 200, 0, corners="13"), *card("9D", 400, 0, corners="13")]
    pieces = settle_cards([*two, *sure], 2)
    mine = [piece for piece in pieces if piece.code not in ("5H", "9D")]
    assert len(mine) == cards
    assert cards == 2 or (mine[0].asked and mine[0].code in ("JC", other))


def weak(code: str, quad: Quads, score: float, p: float) -> Reading:
    """A find that the locator is so sure of, with a rank that has probability `p`."""
    other = next(rank for rank in ("7", "8") if rank != code[:-1])
    found = reading(code, quad, (other, 1 - p))
    return replace(found, spot=replace(found.spot, score=score))


INDEX = np.array([[0, 0], [12, 0], [12, 20], [0, 20]], float)


@pytest.mark.parametrize(
    ("score", "p", "up", "kept"),
    [
        (0.6, 0.85, 9, 1),  # its rank alone, upside down, and the blank above it
        (0.6, 0.85, 13, 2),  # too little of one on the other
        (0.89, 0.99, 9, 2),  # as sure as the other: neither is dropped in silence
    ],
)
def test_an_index_taken_upside_down_too_is_one_index(score: float, p: float, up: float, kept: int) -> None:
    other = np.roll(INDEX, 2, axis=0) - [0, up]
    assert len(keep([reading("6S", INDEX), weak("9S", other, score, p)])) == kept


def test_a_back_under_an_index_stays() -> None:
    back = reading("6S", np.array([[-10, -10], [60, -10], [60, 88], [-10, 88]], float))
    back = replace(back, spot=Spot("card_back", 0.6, back.quad))
    assert len(keep([reading("6S", INDEX), back])) == 2
