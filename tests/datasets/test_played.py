"""Photographs of a played hand: labels that hold, and tables that a perfect reader puts together again."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from companion.games import carousel
from companion.pieces import parse_card
from companion.table import judge_turn, read_table
from datasets.decks import deck
from datasets.moves import MOVES, some_move, some_table
from datasets.played import STYLES, Played, Style, photograph
from datasets.truth import perfect, readings_of

FAULT = {"nothing": "NO_CARD_FROM_HAND", "taken": "TABLE_CARD_TAKEN", "foreign": "CARD_NOT_IN_HAND"}
TRIES = 30


@pytest.mark.parametrize("kind", MOVES)
def test_a_move_is_what_its_name_says(kind: str) -> None:
    move = next(
        made for n in range(TRIES)
        if (made := some_move(np.random.default_rng([3, n]), deck(0), 2, kind)) and "*" not in str(made.before.codes)
    )  # fmt: skip
    before, after = ([[*map(parse_card, meld)] for meld in table.codes] for table in (move.before, move.after))
    verdict = carousel.judge_transition(before, [parse_card(code) for code in move.hand], after)
    assert verdict.reason == FAULT.get(kind, "INVALID_MELD" if kind in ("broken", "leftover") else "OK")


def test_the_same_seed_gives_the_same_table_and_picture() -> None:
    one, two = (some_table(np.random.default_rng(5), deck(1), 1) for _ in range(2))
    assert one.codes == two.codes
    assert photograph(one, 3, 320).jpeg == photograph(two, 3, 320).jpeg


@pytest.mark.parametrize("style", STYLES)
def test_a_perfect_reader_sees_the_groups_that_were_laid(style: Style) -> None:
    rng = np.random.default_rng(11)
    laid = [["5H", "6H", "7H", "8H"], ["QS", "QD", "QC"], ["2C"]]
    table = Played(deck(2))
    for codes in laid:
        table = table.lay(rng, codes, style if len(codes) > 1 else None)
    taken = photograph(table, 4, 480, sharp=True)
    scene, owners = perfect(taken.label, shake=0.02)
    assert [[taken.label["pieces"][n]["code"] for n in group] for group in taken.label["groups"]] == laid
    assert [taken.label["pieces"][n]["code"] for n in owners] == [piece.code for piece in scene.pieces]
    found = [[scene.pieces[n].code for n in row.pieces] for row in scene.rows]
    assert sorted(sorted(row) for row in found) == sorted(sorted(row) for row in laid)
    assert all(row in (codes, codes[::-1]) for row in found for codes in laid if len(row) == len(codes))


def test_indices_that_are_lost_are_not_read() -> None:
    taken = photograph(Played(deck(2)).lay(np.random.default_rng(1), ["5H", "6H"], "apart"), 4, 320, sharp=True)
    every, some = readings_of(taken.label)[0], readings_of(taken.label, np.random.default_rng(1), lost=0.7)[0]
    assert len(some) < len(every) == 4


@pytest.mark.slow
def test_moves_on_rendered_tables_are_judged_as_the_truth_says() -> None:
    right: Counter[bool] = Counter()
    for n in range(16):
        rng = np.random.default_rng([21, n])
        move = some_move(rng, deck(n, held_out=True), 1 + n % 2, MOVES[n % len(MOVES)])
        scenes = [perfect(photograph(t, n * 2 + k, 480, sharp=True).label, 1 + n % 2, shake=0.03)[0]
                  for k, t in enumerate((move.before, move.after))]
        turn = judge_turn(*(read_table(scene, "carousel", as_="table") for scene in scenes), hand=move.hand)  # type: ignore[misc]
        legal = move.kind in ("new", "add", "split")
        judged = not [code for code in turn.verdict.codes if code != "QUESTIONS_OPEN"]
        right[judged == legal or not turn.decided] += 1
    assert right[False] == 0
