"""Carousel's move from two pictures: what is asked, what moved, and pictures taken from another place."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from table_scenes import Code, cards, quad

from companion.cli import main
from companion.table import Change, Table, TableError, judge_turn, judge_whole_turn, read_table, with_hidden
from companion.table.align import alignment
from companion.table.turn_overlay import GONE, MOVED, NEW, turn_overlay
from vision.scene import ONE_OR_TWO, Point, Scene

BEFORE = ("10H JH QH", "9C 9D 9S", "5S 6S 7S")
AFTER = ("10H JH QH KH", "9C 9D 9S", "5S 6S 7S")


def table(*rows: str | list[Code]) -> Table:
    return read_table(cards(*rows), "carousel", as_="table")


def turned(scene: Scene, degrees: float, scale: float, shift: Point) -> Scene:
    """The same table from another place: every corner turned about the origin, scaled and shifted."""
    c, s = (scale * f(math.radians(degrees)) for f in (math.cos, math.sin))

    def at(point: Point) -> Point:
        return c * point[0] - s * point[1] + shift[0], s * point[0] + c * point[1] + shift[1]

    pieces = tuple(replace(p, quad=tuple(at(corner) for corner in p.quad)) for p in scene.pieces)  # type: ignore[arg-type]
    return replace(scene, pieces=pieces)


@pytest.mark.parametrize("degrees", [0, 25, -70, 180])
def test_what_moved_is_told_from_any_side(degrees: float) -> None:
    first = table(*BEFORE)
    moved = cards("10H JH QH", "9C 9D 9S", "4D", "5S 6S 7S")
    turn = judge_turn(first, read_table(turned(moved, degrees, 1.3, (700, 400)), "carousel", as_="table"))
    assert [turn.after.code(piece) for piece in turn.added] == ["4D"]
    assert [turn.after.code(piece) for piece, _ in turn.moved] == ["5S", "6S", "7S"]
    start = turn.moved[0][1]
    lay = turned(cards(*BEFORE), degrees, 1.3, (700, 400)).pieces[6].quad
    assert math.dist(start, (sum(x for x, _ in lay) / 4, sum(y for _, y in lay) / 4)) < 15


def test_too_little_in_common_leaves_the_picture_as_it_is() -> None:
    place = alignment({"AS": [(10.0, 20.0)]}, {"AS": [(300.0, 20.0)]}, (100, 100), (200, 200))
    assert place((50.0, 25.0)) == (100.0, 50.0)


def test_a_joker_keeps_its_name_from_picture_to_picture() -> None:
    first = read_table(cards("9H 10H *", "5S 6S 7S"), "carousel", as_="table").edit(Change(2, "*=8H"))
    second = judge_turn(first, read_table(turned(cards("9H 10H *", "5S 6S 7S 8S"), 40, 0.8, (300, 0)),
                                          "carousel", as_="table"))
    third = judge_turn(second.after, table("9H 10H *", "5S 6S 7S 8S 9S"))
    assert second.verdict.ok
    assert third.verdict.ok
    assert third.after.code(2) == "*=8H"
    assert not third.questions


def test_a_foreign_card_that_may_have_lain_hidden_is_asked_about() -> None:
    before = table("5S 7S 8S", "9C 9D 9S")
    turn = judge_turn(before, table("5S 6S 7S 8S", "9C 9D 9S 9H"), hand=["9H", "2D"])
    assert [(where, q.piece, q.why) for where, q in turn.questions] == [("after", 1, "hidden")]
    told = judge_turn(before, turn.after, hand=["9H", "2D"], new=[1], whole=[("before", 2)])
    assert told.verdict.reason == "CARD_NOT_IN_HAND"
    clear = judge_turn(table("5S 6S 7S"), table("5S 6S 7S 8S"), hand=["2D"])
    assert clear.decided
    assert clear.verdict.reason == "CARD_NOT_IN_HAND"
    # one index alone shows that a card lies on this one, as it may have before
    under: Code = ("4S", {"indices": (quad(0, 0),)})
    beneath = judge_turn(table("5S 6S 7S"), table([under, "5S", "6S", "7S"]), hand=["2D"])
    assert [(where, q.piece, q.why) for where, q in beneath.questions] == [("after", 0, "hidden")]
    with pytest.raises(TableError, match="no part of a turn"):
        judge_whole_turn(clear, ["sleep"])
    with pytest.raises(TableError, match="without a meld"):
        judge_whole_turn(clear, ["draw", "end"])


def test_a_joker_that_its_place_leaves_open_is_asked_about_only_where_its_name_decides() -> None:
    still = judge_turn(table("8H 8C *", "5S 6S 7S"), table("8H 8C *", "5S 6S 7S 8S"), hand=["8S"])
    assert (still.decided, still.verdict.ok) == (True, True)
    moved = judge_turn(table("9H 10H *", "5S 6S 7S"), table("8H 9H 10H", "5S 6S 7S *"), hand=["8H"])
    assert [(where, q.piece, q.why) for where, q in moved.questions] == [("before", 2, "joker")]
    named = [judge_turn(table("9H 10H *", "5S 6S 7S").edit(Change(2, f"*={code}")), moved.after, hand=["8H"])
             for code in ("8H", "JH")]
    assert [turn.verdict.reason for turn in named] == ["OK", "JOKER_IDENTITY_CHANGED"]


def test_rows_that_lie_close_and_are_a_meld_only_together_are_one() -> None:
    def laid(right: float, down: float) -> Table:
        scene = cards("2H 3H", "4H 5H 6H")
        pieces = tuple(
            replace(p, quad=tuple((x + right, y + down) for x, y in p.quad)) if n > 1 else p  # type: ignore[arg-type]
            for n, p in enumerate(scene.pieces)
        )
        return read_table(replace(scene, pieces=pieces), "carousel", as_="table")

    close, far = laid(84, -95), laid(130, -95)
    assert [meld.faces for meld in close.melds] == [("2H", "3H", "4H", "5H", "6H")]
    assert [remark.code for remark in close.melds[0].remarks] == ["joined"]
    assert [meld.faces for meld in far.melds] == [("2H", "3H"), ("4H", "5H", "6H")]


def test_rows_that_are_no_meld_are_asked_about_where_a_card_may_be_hidden() -> None:
    first, second = table("5S 6S 7S", "4D"), table("5S 6S 7S 8S", "4D")
    turn = judge_turn(first, second, hand=["8S"])
    assert [(where, q.piece, q.why) for where, q in turn.questions] == [("before", 3, "covered")]
    whole = [with_hidden(with_hidden(one, piece, "4S"), piece, "4H") for one, piece in ((first, 3), (second, 4))]
    assert judge_turn(*whole, hand=["8S"]).verdict.ok
    assert judge_turn(first, second, hand=["8S"], whole=[("before", 3)]).verdict.reason == "INVALID_MELD"
    covered = judge_turn(table("5S 6S 7S"), table("5S 6S 7S", "JC JD"), hand=["JC", "JD", "JH"])
    assert [(where, q.why, q.answers) for where, q in covered.questions] == [("after", "covered", ("JH",))]
    plain = judge_turn(table("5S 6S 7S"), table("5S 6S 7S", "JC JD"), hand=["JC", "JD", "2H"])
    assert plain.decided


@pytest.mark.parametrize(
    ("after", "colour"),
    [(AFTER, NEW), (("10H JH QH", "5S 6S 7S", "9C 9D 9S"), MOVED), (("10H JH QH", "9C 9D 9S", "5S 6S"), GONE)],
)
def test_the_move_is_drawn(after: tuple[str, ...], colour: tuple[int, int, int]) -> None:
    blank = np.full((800, 1000, 3), 128, np.uint8)
    same = turn_overlay(blank, judge_turn(table(*BEFORE), table(*BEFORE)))
    drawn = turn_overlay(blank, judge_turn(table(*BEFORE), table(*after)))
    fresh = (drawn == np.array(colour)).all(axis=2) & ~(same == np.array(colour)).all(axis=2)
    assert fresh.sum() > 50


def test_the_command_judges_draws_and_tells_who_may_knock(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, rows in (("before", BEFORE), ("after", AFTER), ("hidden", ("10H JH QH KH", "9C 9D", "5S 6S 7S"))):
        (tmp_path / f"{name}.json").write_text(cards(*rows).to_json())
    first, second = str(tmp_path / "before.json"), str(tmp_path / "after.json")
    assert main(["turn", first, second, "--hand", "KH AD 2C"]) == 0
    said = capsys.readouterr().out
    assert "new: [KH]" in said
    assert "may knock" in said
    assert main(["turn", first, second, "--hand", "2D", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["verdict"]["reason"] == "CARD_NOT_IN_HAND"
    hidden = str(tmp_path / "hidden.json")
    assert main(["turn", first, hidden]) == 1
    assert "before 6:" in capsys.readouterr().out
    assert main(["turn", first, hidden, "--gone", "6", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["verdict"]["reason"] == "TABLE_CARD_TAKEN"
    assert main(["turn", first, second, "--answer", "after 4 2H", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["verdict"]["reason"] == "INVALID_MELD"
    assert main(["turn", first, second, "--answer", "nonsense"]) == 2
    assert main(["turn", first, second, "--hand", "XX"]) == 2
    assert main(["turn", first, second, "--draw", str(tmp_path / "out.png")]) == 2


def test_the_hand_may_be_a_picture_and_the_move_is_drawn_on_a_photo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenes = {1: cards(*BEFORE), 2: cards(*AFTER), 3: cards("KH 2D", kind="fan")}

    class Reads:
        def __init__(self, *_: object, **__: object) -> None: ...

        def read(self, picture: object, kinds: object) -> Scene:
            return scenes[round(float(picture.image.mean()) / 60)]  # type: ignore[attr-defined]

    monkeypatch.setattr("vision.read.Reader", Reads)
    for n in scenes:
        cv2.imwrite(str(tmp_path / f"{n}.png"), np.full((800, 1000, 3), 60 * n, np.uint8))
    out = tmp_path / "out.png"
    words = ["turn", *(str(tmp_path / f"{n}.png") for n in (1, 2)), "--hand", str(tmp_path / "3.png")]
    assert main([*words, "--draw", str(out)]) == 0
    assert out.exists()


def test_one_joker_or_two_is_asked_and_answered() -> None:
    first, second = table(*BEFORE), cards(*BEFORE, "*")
    joker = len(second.pieces) - 1
    guess = replace(second.pieces[joker], settled=ONE_OR_TWO, asked=True)
    after = read_table(replace(second, pieces=(*second.pieces[:joker], guess)), "carousel", as_="table")
    turn = judge_turn(first, after, ["*"])
    assert [(q.piece, q.answers, q.message.code) for where, q in turn.questions if where == "after"] == [
        (joker, ("*",), "ask_jokers")
    ]
    assert not judge_turn(first, after, ["*"], whole=[("after", joker)]).questions
    two = with_hidden(after, joker, "*")
    assert sum(piece.code == "*" for piece in two.seen.scene.pieces) == 2
