"""Score switches whose examples RULES.md gives in words only (1.9.1, 1.12)."""

from __future__ import annotations

from typing import Any

import pytest

from companion import games
from companion.games import remi
from companion.games.remi import judge_attach
from companion.pieces import parse_tiles, spell

TABLE = [{"owner": "A", "tiles": "r10 r11 r12"}, {"owner": "A", "tiles": "b4 b5 b6"}]
RECORD: dict[str, Any] = {"table": TABLE, "racks": {"A": "", "B": "r1 y13"}, "closer": "A", "closing_tile": "y9"}


def points(rules: dict[str, object], **more: object) -> dict[str, int]:
    game = games.get("remi")
    score = game.score_round({**RECORD, **more}, game.rules(rules))
    assert sum(line.points for line in score.lines) == score.value
    return score.points


def test_who_never_opened_loses_100_or_50_with_the_atu_announced() -> None:
    flat: dict[str, object] = {"not_opened": "flat100", "atu_bonus": "announced"}
    assert points(flat, atu="k9") == {"A": 95, "B": -100}
    assert points(flat, atu="k9", announced_atu="B") == {"A": 95, "B": -50}
    assert points(flat, atu="k9", announced_atu="A") == {"A": 145, "B": -100}
    assert points({}, atu="k9", announced_atu="B") == {"A": 95, "B": -35}


def test_who_opened_is_told_or_seen_by_his_melds() -> None:
    flat: dict[str, object] = {"not_opened": "flat100"}
    assert points(flat, not_opened=[]) == {"A": 95, "B": -35}
    assert points(flat, not_opened=["B"]) == {"A": 95, "B": -100}


@pytest.mark.parametrize(
    ("atu", "closing", "a", "b"),
    [("k9", "y9", 95, -35), ("k1", "y9", 190, -70), ("*", "y9", 190, -70), ("k9", "*", 190, -35), ("*", "*", 380, -70)],
)
def test_doublings(atu: str, closing: str, a: int, b: int) -> None:
    rules: dict[str, object] = {"close_joker_double": True, "atu_one_or_joker_doubles": True}
    assert points(rules, atu=atu, closing_tile=closing) == {"A": a, "B": b}
    assert points({}, atu=atu, closing_tile=closing) == {"A": 95, "B": -35}


def test_the_penalty_is_flat_for_the_closer_too_and_never_doubled() -> None:
    rules: dict[str, object] = {"close_joker_double": True, "atu_one_or_joker_doubles": True}
    assert points(rules, atu="*", closing_tile="*", missed=["A", "B"]) == {"A": -500, "B": -500}


@pytest.mark.parametrize(
    ("tiles", "one", "joker", "worth"),
    [
        ("r1 r2 r3", "by_position", "flat50", 15),
        ("r12 r13 r1", "by_position", "flat50", 30),
        ("r1 b1 k1", "by_position", "flat50", 75),
        ("* r2 r3", "by_position", "flat50", 60),
        ("* r2 r3", "flat25", "replaced", 35),
        ("* r2 r3", "by_position", "replaced", 15),
        ("r12 r13 *", "by_position", "replaced", 30),
        ("r1 b1 *", "by_position", "replaced", 75),
        ("r12 * r1", "flat25", "replaced", 45),
    ],
)
def test_ones_and_jokers_by_place(tiles: str, one: str, joker: str, worth: int) -> None:
    rules: dict[str, object] = {"final_one": one, "final_joker": joker}
    got = points(rules, table=[{"owner": "A", "tiles": tiles}], racks={"A": "", "B": "*"}, closer=None)
    assert got == {"A": worth, "B": -50}


@pytest.mark.parametrize(
    ("meld", "tiles", "result"),
    [
        ("r3 r4 r5", "*", "r3 r4 r5 *=r6"),
        ("r12 r13 r1", "*", "*=r11 r12 r13 r1"),
        ("r8 r9 r10", "* r12", "r8 r9 r10 *=r11 r12"),
        ("r3 r4 r5", "r7 r6 r2", "r2 r3 r4 r5 r6 r7"),
        ("r3 r4 r5", "*=r2", "*=r2 r3 r4 r5"),
        ("r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 r13", "r1 r1", "r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 r13 r1"),
        ("r5 b5 *=y5", "y5", "r5 b5 * y5"),
    ],
)
def test_attaching_finds_the_best_place(meld: str, tiles: str, result: str) -> None:
    verdict = judge_attach(parse_tiles(meld), parse_tiles(tiles), own=True, opened="earlier", rack=8)
    assert verdict.ok, verdict.sentence()
    assert spell(verdict.tiles) == result


@pytest.mark.parametrize(
    ("meld", "tiles", "reason"),
    [
        ("r3 r4 r5", "*=r8", "JOKER_MISMATCH"),
        ("r3 r4 r5", "r7", "NOT_CONSECUTIVE"),
        ("r1 r2 r3", "r13", "ONE_IN_MIDDLE"),
        ("r3 r4 r5", "* *", "JOKER_RATIO"),
        ("r3 r4 r5", "r6 r6", "NOT_CONSECUTIVE"),
    ],
)
def test_what_does_not_fit_says_why(meld: str, tiles: str, reason: str) -> None:
    verdict = judge_attach(parse_tiles(meld), parse_tiles(tiles), own=True, opened="earlier", rack=8)
    assert verdict.reason == reason


def test_a_set_opens_alone_only_by_the_house() -> None:
    two = [parse_tiles("r1 b1 k1"), parse_tiles("r5 b5 y5")]
    assert remi.judge_opening(two).reason == "ONES_SET_NOT_ALONE"
    assert remi.judge_opening(two, remi.HouseRules(ones_set_alone=False)).ok
    assert remi.judge_opening(two, remi.HouseRules(ones_set_exception=False)).reason == "NEEDS_RUN"
    assert remi.judge_opening(two[:1], remi.HouseRules(opening_needs_set=True)).ok
