"""Pieces that are hardly located, hardly read, or seen by one index and then by two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import toys
from test_follow import B7, FOUR, Film, known
from toys import Toy

from vision.weights import Network

HIGH = 28
INDEX = Toy("7H", 200, 100, HIGH, kind="card")
OPPOSITE = Toy("7H", 200 + 2.9 * HIGH, 100 + 3.6 * HIGH, HIGH, 180, kind="card")
OTHERS = tuple(Toy(code, 330 + 60 * n, 100, HIGH, kind="card") for n, code in enumerate(("2C", "3C", "4C")))


def scored(change: Callable[[Any], Any], kind: str = "tile") -> Network:
    """The toys' locator, with its scores changed."""
    honest = toys.locator(kind)

    def run(pictures: Any) -> dict[str, Any]:
        raw = honest.run(pictures)["raw"].copy()
        raw[:, 4:8] = change(raw[:, 4:8])
        return {"raw": raw}

    return Network(run)


def test_what_is_not_located_is_looked_at_where_it_lies() -> None:
    seeing = [1.0]
    film = Film(locator=scored(lambda scores: scores * seeing[0]))
    before = known(film.show(4.0, FOUR))
    seeing[0] = 0.01
    seen = film.show(4.0, (*FOUR, B7))
    assert (film.said, known(seen)) == ([], before)
    seen = film.show(2.0, FOUR[1:])
    assert [(event.kind, event.id) for event in film.events] == [("lost", before["r3"])]
    assert set(known(seen)) == {"r4", "r5", "r6"}


@pytest.mark.parametrize(("score", "frames"), [(0.9, 1), (0.42, 1)], ids=["well", "hardly"])
def test_what_is_read_for_certain_is_known_at_once(score: float, frames: int) -> None:
    film = Film(locator=scored(lambda scores: np.where(scores > 0, score, 0.0)))
    assert set(known(film.show(frames / 10, FOUR))) == {"r3", "r4", "r5", "r6"}


def test_what_is_read_hardly_is_known_once_it_is_found_again() -> None:
    film = Film(locator=scored(lambda scores: np.where(scores > 0, 0.42, 0.0)),
                tile_reader=toys.reader(doubt={"r4": 4.0}))
    assert set(known(film.show(0.1, FOUR))) == {"r3", "r5", "r6"}
    assert set(known(film.show(1.0, FOUR))) == {"r3", "r4", "r5", "r6"}


def test_what_can_not_be_read_is_a_piece_once_it_is_found_often() -> None:
    film = Film()
    blank = Toy("?", 480, 260, height=64)
    assert "?" not in known(film.show(0.6, (*FOUR, blank)))
    first = known(film.show(1.4, (*FOUR, blank)))["?"]
    film.show(2.0, FOUR)
    assert film.said == ["lost"]
    again = known(film.show(4.0, (*FOUR, Toy("?", 150, 260, height=64))))["?"]
    assert again != first


def test_a_card_is_one_piece_whether_one_of_its_indices_shows_or_two() -> None:
    film = Film(("card",), card_locator=toys.locator("card"))
    before = known(film.show(1.0, (INDEX, *OTHERS)))
    assert len(before) == 4
    seen = film.show(2.0, (INDEX, OPPOSITE, *OTHERS))
    assert (film.said, known(seen)) == ([], before)
    assert [len(piece.indices) for piece in seen.scene.pieces if piece.code == "7H"] == [2]
    seen = film.show(3.0, (OPPOSITE, *OTHERS))
    assert (film.said, known(seen)) == ([], before)
    assert [len(piece.indices) for piece in seen.scene.pieces if piece.code == "7H"] == [1]


def test_a_card_of_two_indices_that_is_taken_is_lost_once() -> None:
    film = Film(("card",), card_locator=toys.locator("card"))
    before = known(film.show(1.0, (INDEX, OPPOSITE, *OTHERS)))
    film.show(3.0, OTHERS)
    assert [(event.kind, event.id) for event in film.events] == [("lost", before["7H"])]
