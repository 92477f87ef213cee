"""A person's edits: each gives a new table, the verdict follows, and what can't be done is said in words."""

from __future__ import annotations

from typing import Any

import pytest
from table_scenes import asked, melds, scene

from companion.table import (
    Add,
    Answer,
    Change,
    Edit,
    EditError,
    Give,
    Mark,
    Move,
    Remove,
    SeatAt,
    edit_from_dict,
    edit_to_dict,
    read_table,
)


def test_an_answer_settles_the_piece() -> None:
    table = read_table(scene(["r10", "r11", "?"], "b4 b5 b6"))
    after = table.edit(Answer(0, "r12"))
    assert after.total.ok
    assert after.total.value == 45
    assert after.scene.pieces[2].p == 1
    assert not after.questions
    assert table.questions, "the table before is as it was"


def test_what_a_person_said_is_not_asked_again_even_where_it_is_illegal() -> None:
    close = ("r2", {"p": 0.55, "alternatives": (("r12", 0.4),)})
    table = read_table(scene(["r10", "r11", close], "b4 b5 b6")).edit(Answer(0, "r2"))
    assert table.decided
    assert table.total.reason == "INVALID_MELD"


def test_a_third_copy_that_a_person_confirms_leads_to_the_next_one_and_stays_a_fault() -> None:
    table = read_table(scene("r3 r4 r5", "r5 b5 k5", "r5 y5 b5", "k10 k11 k12"))
    for _ in range(3):
        assert [why for why, _ in asked(table).values()] == ["copy"]
        table = table.edit(Answer(0, "r5"))
    assert table.decided
    assert table.total.reason == "TOO_MANY_COPIES"


def test_a_change_declares_a_joker() -> None:
    table = read_table(scene("r12 r13 *", "b4 b5 b6"))
    assert melds(table)[0] == "r12 r13 *=r1"
    assert table.edit(Change(2, "*=r11")).melds[0].verdict.reason == "JOKER_MISMATCH"
    assert melds(table.edited([Change(2, "*=r11"), Move((2,), 0, 0)]))[0] == "*=r11 r12 r13"
    assert table.edited([Change(2, "*=r11"), Change(2, "*")]).melds[0].verdict.ok


def test_adding_and_removing() -> None:
    table = read_table(scene("r11 r12 r13", "b4 b6"))
    after = table.edited([Add("b5", 1, 1), Add("r10", 0, 0), Add("k1")])
    assert melds(after) == ["r10 r11 r12 r13", "b4 b5 b6"]
    assert after.loose == (7,)
    assert after.total.value == 55
    assert 92 > after.scene.pieces[5].quad[0][0] > 50, "drawn between its neighbours"
    less = after.edit(Remove(6))
    assert melds(less)[0] == "r11 r12 r13"
    assert less.seen.removed == {6}
    assert less.total.value == 45
    with pytest.raises(EditError, match="no piece 6"):
        less.edit(Remove(6))


def test_adding_to_a_meld_that_counts_from_its_other_end() -> None:
    table = read_table(scene("r12 r11 r10"))
    assert melds(table.edit(Add("r9", 0, 0))) == ["r9 r10 r11 r12"]
    assert melds(table.edit(Add("r13", 0, 3))) == ["r10 r11 r12 r13"]


def test_moving_between_melds_and_into_a_new_one() -> None:
    table = read_table(scene("r10 r11 r12 r13", "b13 k13", "y5"))
    after = table.edit(Move((3,), 1, 0))
    assert melds(after) == ["r10 r11 r12", "r13 b13 k13"]
    assert after.total.ok
    assert after.total.value == 60
    alone = after.edit(Move((3,)))
    assert 3 in alone.loose
    assert not alone.total.ok
    assert melds(alone.edit(Move((3, 4, 5)))) == ["r10 r11 r12", "r13 b13 k13"]


def test_a_meld_that_a_person_made_is_not_parted_again() -> None:
    table = read_table(scene("r1 r2 r3", "r5 r6 r7"))
    joined = table.edit(Move((3, 4, 5), 0, 3))
    assert melds(joined) == ["r1 r2 r3 r5 r6 r7"]
    assert not joined.total.ok


def test_moving_out_of_a_parted_row_keeps_its_other_melds() -> None:
    table = read_table(scene("r10 r11 r12 b4 b5 b6 b7"))
    after = table.edit(Move((6,)))
    assert melds(after) == ["r10 r11 r12", "b4 b5 b6"]
    assert after.loose == (6,)


def test_a_row_is_marked_as_what_was_left() -> None:
    table = read_table(scene("r10 r11 r12", "k1 b9 y4"), as_="round", players=["Ana"])
    assert not table.total.ok
    after = table.edit(Mark((3,), "rack"))
    assert after.rack == (3, 4, 5)
    assert after.total.ok
    assert after.owners[0].verdict is not None
    assert after.owners[0].verdict.value == 30 - 35


def test_rows_are_given_to_players_and_seats_move() -> None:
    table = read_table(scene("r10 r11 r12", "b4 b5 b6"), as_="round", players=["Ana", "Bo"])
    assert [meld.owner for meld in table.melds] == ["Bo", "Bo"]
    assert [meld.owner for meld in table.edit(Give((0,), "Ana")).melds] == ["Ana", "Bo"]
    moved = table.edited([SeatAt("Ana", 0.1, 0.0), SeatAt("Bo", 0.1, 0.3)])
    assert [meld.owner for meld in moved.melds] == ["Ana", "Bo"]


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (Change(99, "r1"), "no piece 99"),
        (Change(0, "x1"), "not a tile"),
        (Change(0, "10H"), "not a tile"),
        (Answer(0, "r1"), "no question 0"),
        (Add("r1", 7), "no meld 7"),
        (Add("r1", 0, 9), "no place 9"),
        (Move(()), "each piece once"),
        (Move((0, 0)), "each piece once"),
        (Move((0, 1, 2), 0), "into itself"),
        (Mark((0,), "heap"), "not 'heap'"),  # type: ignore[arg-type]
        (Mark((), "rack"), "at least one"),
        (Give((0,), "Eve"), "Nobody called 'Eve'"),
        (SeatAt("Ana", 2.0, 0.0), "between 0 and 1"),
    ],
)
def test_what_can_not_be_done_is_said_in_words(edit: Edit, words: str) -> None:
    table = read_table(scene("r10 r11 r12"), as_="round", players=["Ana"])
    with pytest.raises(EditError, match=words):
        table.edit(edit)


@pytest.mark.parametrize(
    "edit",
    [
        Change(1, "r5"), Answer(0, "back"), Add("*=r5", 1, 2), Remove(3), Move((1, 2), None, 0), Mark((1,), "rack"),
        Give((2,), None), SeatAt("Ana", 0.5, 1.0), Add("r5", None, 0, ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))),
    ],
    ids=lambda edit: type(edit).__name__,
)  # fmt: skip
def test_edits_survive_json(edit: Edit) -> None:
    assert edit_from_dict(edit_to_dict(edit)) == edit


@pytest.mark.parametrize(
    "value",
    [
        None, [], {}, {"do": "fly"}, {"do": "change"}, {"do": "change", "piece": "1", "code": "r5"},
        {"do": "change", "piece": True, "code": "r5"}, {"do": "remove", "piece": 1, "also": 2},
        {"do": "add", "code": "r1", "quad": [[0, 0]]}, {"do": "move", "pieces": [1.5]},
        {"do": "seat", "player": "Ana", "x": float("nan"), "y": 0},
    ],
)  # fmt: skip
def test_an_edit_that_is_none_is_refused(value: Any) -> None:
    with pytest.raises(EditError):
        read_table(scene("r1 r2 r3"), as_="round", players=["Ana"]).edit(edit_from_dict(value))
