"""Notation round-trips, and a wrong piece is pointed at."""

from __future__ import annotations

import copy
import doctest
import pickle
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion import pieces
from companion.pieces import (
    CARD_JOKER,
    CARDS,
    DECLARED,
    DECLARED_CARDS,
    FULL_SET,
    JOKER,
    TILES,
    Card,
    Laid,
    NotationError,
    Tile,
    card,
    declare,
    declare_card,
    parse_card,
    parse_cards,
    parse_laid,
    parse_tile,
    parse_tiles,
    spell,
    tile,
)

ALL_TILES = (*TILES, JOKER, *DECLARED)
ALL_CARDS = (*CARDS, CARD_JOKER, *DECLARED_CARDS)


@given(st.lists(st.sampled_from(ALL_TILES)))
def test_tiles_round_trip(tiles: list[Tile]) -> None:
    assert parse_tiles(spell(tiles)) == tuple(tiles)


@given(st.lists(st.sampled_from(ALL_CARDS)))
def test_cards_round_trip(cards: list[Card]) -> None:
    assert parse_cards(spell(cards)) == tuple(cards)


def test_laid_round_trips() -> None:
    laid = parse_laid("r6@B *=r7 b1@Ana")
    assert laid == (Laid(tile(0, 6), "B"), Laid(declare(tile(0, 7))), Laid(tile(1, 1), "Ana"))
    assert parse_laid(spell(laid)) == laid


def test_a_full_set_has_106_tiles() -> None:
    assert len(FULL_SET) == 106
    assert all(FULL_SET.count(face) == 2 for face in (*TILES, JOKER))


@pytest.mark.parametrize(
    ("text", "number", "piece", "start"),
    [
        ("x5", 1, "x5", 0),
        ("r3 r14 r5", 2, "r14", 3),
        ("r3 r4  r0", 3, "r0", 7),
        ("r3 *=* r5", 2, "*=*", 3),
        ("r03", 1, "r03", 0),
        ("r3r4", 1, "r3r4", 0),
        ("r3,r4", 1, "r3,r4", 0),
        ("r3 r33 r3 3r", 2, "r33", 3),
    ],
)
def test_a_wrong_tile_is_pointed_at(text: str, number: int, piece: str, start: int) -> None:
    with pytest.raises(NotationError) as caught:
        parse_tiles(text)
    error = caught.value
    assert (error.number, error.piece, error.start) == (number, piece, start)
    assert text[error.start : error.end] == piece
    assert f"piece {number}" in str(error)
    line, carets = error.pointer().split("\n")
    assert line == text
    assert carets == " " * start + "^" * len(piece)


@pytest.mark.parametrize("text", ["1H", "11S", "10X", "HH", "r5", "*=5"])
def test_a_wrong_card_is_refused(text: str) -> None:
    with pytest.raises(NotationError, match="is not a card"):
        parse_card(text)


@pytest.mark.parametrize("text", ["r6@", "@B", "x6@B"])
def test_a_wrong_laid_tile_is_refused(text: str) -> None:
    with pytest.raises(NotationError):
        parse_laid(text)


@pytest.mark.parametrize("text", ["", "r3 r4"])
def test_one_piece_is_exactly_one(text: str) -> None:
    with pytest.raises(NotationError, match="exactly one"):
        parse_tile(text)


def test_letters_of_either_case_are_read() -> None:
    assert parse_tiles("R5 *=K13") == parse_tiles("r5 *=k13")
    assert parse_cards("10h qS *=8d") == parse_cards("10H QS *=8D")


def test_pieces_are_not_text_of_another_type() -> None:
    with pytest.raises(TypeError):
        parse_tiles(5)  # type: ignore[arg-type]


def test_faces_exist_once() -> None:
    for piece in (*ALL_TILES, *ALL_CARDS):
        assert copy.deepcopy(piece) is piece
        assert copy.copy(piece) is piece
        assert pickle.loads(pickle.dumps(piece)) is piece
        assert (parse_tile if isinstance(piece, Tile) else parse_card)(piece.code) is piece


def test_order_is_fixed_and_total() -> None:
    shuffled = list(ALL_TILES)
    random.Random(1).shuffle(shuffled)
    assert tuple(sorted(shuffled)) == ALL_TILES
    cards = list(ALL_CARDS)
    random.Random(1).shuffle(cards)
    assert tuple(sorted(cards)) == ALL_CARDS
    assert [piece.index for piece in ALL_TILES] == [piece.index for piece in ALL_CARDS] == list(range(105))
    with pytest.raises(TypeError):
        _ = TILES[0] < CARDS[0]  # type: ignore[operator]


def test_declaring() -> None:
    assert declare(tile(3, 13)).code == "*=k13"
    assert declare(declare(tile(3, 13))).code == "*=k13"
    assert declare(tile(3, 13)).face() is tile(3, 13)
    assert declare(tile(3, 13)).bare() is JOKER
    assert declare_card(card(2, 8)).code == "*=8D"
    assert declare_card(card(2, 8)).bare() is CARD_JOKER
    with pytest.raises(ValueError, match="can't be declared"):
        declare(JOKER)
    with pytest.raises(ValueError, match="can't be declared"):
        declare_card(CARD_JOKER)


@pytest.mark.parametrize(("colour", "value"), [(4, 1), (-1, 1), (0, 0), (0, 14)])
def test_there_is_no_such_face(colour: int, value: int) -> None:
    with pytest.raises(ValueError, match="no tile"):
        tile(colour, value)
    with pytest.raises(ValueError, match="no card"):
        card(colour, value)


def test_examples_run() -> None:
    failed, tried = doctest.testmod(pieces)
    assert tried
    assert not failed
