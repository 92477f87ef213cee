"""The demo's photos as the networks that ship read them: what a visitor sees first has to be right."""

from __future__ import annotations

import pytest
from fakes import FAILS, OPENS, ROUND, labels, sample

from companion.table import Table, read_table
from vision.photo import load
from vision.read import Reader

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader()


def table_of(reader: Reader, number: int, **wishes: object) -> Table:
    return read_table(reader.read(load(sample(number)), ("tile",)), "remi", **wishes)  # type: ignore[arg-type]


@pytest.mark.parametrize(("number", "asked"), [(OPENS, 0), (FAILS, 0), (ROUND, 2)])
def test_every_piece_is_read_right_and_few_are_asked_about(reader: Reader, number: int, asked: int) -> None:
    found = table_of(reader, number, as_="table")
    seen = sorted(found.code(piece) for piece in range(len(found.scene.pieces)))
    assert seen == sorted(piece["code"] for piece in labels(number)["pieces"])
    assert len(found.questions) <= asked


def test_the_opening_opens(reader: Reader) -> None:
    found = table_of(reader, OPENS, as_="opening")
    assert (found.total.ok, found.total.value) == (True, 75)


def test_the_other_one_has_one_illegal_meld(reader: Reader) -> None:
    found = table_of(reader, FAILS, as_="opening")
    assert not found.total.ok
    assert [meld.verdict.ok for meld in found.melds].count(False) == 1


def test_the_round_counts_for_who_sits_there(reader: Reader) -> None:
    found = table_of(reader, ROUND, as_="round", players=("Ana", "Ștefan", "Bunica"))
    assert found.likely_closer == "Ana"
    assert {player.name: len(player.rack) for player in found.owners} == {"Ana": 0, "Ștefan": 2, "Bunica": 1}
    assert {player.name: len(player.melds) for player in found.owners} == {"Ana": 2, "Ștefan": 1, "Bunica": 1}
