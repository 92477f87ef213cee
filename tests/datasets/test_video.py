"""Rendered videos: the script, and truth that is the picture's own."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import islice, pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.video import RATE, Moment, Table, write
from datasets.video_rows import CAROUSEL, OPENING
from vision.camera import open_source


@pytest.fixture(scope="module")
def table() -> Table:
    return Table("evening", 3, 480)


def moments_of(table: Table, act: str) -> list[Moment]:
    return [moment for moment in table.moments() if moment.act == act]


def test_the_script_is_the_same_each_time(table: Table) -> None:
    assert list(table.moments()) == list(table.moments())


@pytest.fixture(scope="module")
def cards() -> Table:
    return Table("cards", 3, 640)


@pytest.mark.parametrize("kind", ["evening", "cards"])
def test_a_piece_is_laid_while_the_hand_is_there(kind: str) -> None:
    before: tuple[tuple[int, int], ...] = ()
    for moment in Table(kind, 3, 480).moments():
        if before and moment.lying != before:
            assert moment.hand is not None
            assert len({*moment.lying} ^ {*before}) == 1
        before = moment.lying


def test_a_bump_moves_every_piece_and_nothing_else_does(table: Table) -> None:
    bump = moments_of(table, "bump")
    rng = np.random.default_rng(0)
    first = table.shot(0, moments_of(table, "shadow")[-1], rng)
    last = table.shot(1, bump[-1], rng)
    assert [(p.id, p.code) for p in first.pieces] == [(p.id, p.code) for p in last.pieces]
    assert min(float(np.abs(a.quad - b.quad).max()) for a, b in zip(first.pieces, last.pieces, strict=True)) > 2


def test_a_hand_hides_what_the_truth_calls_hidden(table: Table) -> None:
    rest = moments_of(table, "rest")
    rng = np.random.default_rng(0)
    # on its way to the first of the two pieces, over which it then goes on to the second
    with_hand = min((table.shot(0, rest[n], rng) for n in (8, 10, 21)), key=lambda s: min(p.visible for p in s.pieces))
    without = table.shot(0, rest[-1], rng)
    assert (with_hand.hand, without.hand) == (True, False)
    assert min(piece.visible for piece in without.pieces) > 0.85
    hidden = [piece for piece in with_hand.pieces if piece.visible < 0.75]
    assert hidden
    for piece in hidden[:1]:
        mask = np.zeros(without.image.shape[:2], np.uint8)
        cv2.fillConvexPoly(mask, piece.quad.astype(np.int32), 1)
        differs = np.abs(with_hand.image.astype(int) - without.image)[mask > 0].mean()
        assert differs > 5


@pytest.mark.parametrize(("kind", "melds"), [("opening", OPENING), ("carousel", CAROUSEL)], ids=["tiles", "cards"])
def test_pieces_are_laid_in_the_order_of_a_legal_opening(kind: str, melds: tuple[tuple[str, ...], ...]) -> None:
    table = Table(kind, 1, 480)
    last = list(table.moments())[-1]
    codes = [table.bodies[0][number].code for number, _ in last.lying]
    assert codes == [code for row in melds for code in row]


def test_a_card_that_is_taken_or_moved_lies_under_no_other(cards: Table) -> None:
    moments = list(cards.moments())
    rng = np.random.default_rng(0)
    left = [(a, b) for a, b in pairwise(moments) if b.act in ("take", "move") and set(a.lying) - set(b.lying)]
    assert [after.act for _, after in left] == ["take", "move"]
    for before, after in left:
        shot = cards.shot(0, replace(before, hand=None), rng)
        (gone,) = set(before.lying) - set(after.lying)
        (piece,) = (piece for piece in shot.pieces if piece.id == gone[0])
        assert piece.visible > 0.95


def test_a_card_shows_its_second_index_once_nothing_covers_it(cards: Table) -> None:
    rng = np.random.default_rng(0)
    first, last = (cards.shot(0, moment, rng) for moment in (moments_of(cards, "still")[0], [*cards.moments()][-1]))
    seen = [{p.id: sum(share > 0.9 for _, share in p.indices) for p in shot.pieces} for shot in (first, last)]
    uncovered = [n for n in seen[0].keys() & seen[1].keys() if seen[1][n] > seen[0][n]]
    assert uncovered
    assert {len(p.indices) for p in last.pieces} <= {2, 4}


@pytest.mark.parametrize("ending", ["mjpeg", "y4m", "avi"])
def test_a_written_video_is_read_again_with_its_truth(tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"v.{ending}"
    assert write(islice(Table("opening", 1, 480).shots(), 4), out) == 4
    frames = list(open_source(str(out)))
    truth = [json.loads(line) for line in out.with_suffix(".jsonl").read_text().splitlines()]
    assert len(frames) == len(truth) == 4
    assert frames[0].image.shape == (270, 480, 3)
    assert truth[3]["time"] == round(3 / RATE, 3)
    assert truth[3]["pieces"] == []


def test_no_other_kind() -> None:
    with pytest.raises(ValueError, match="no kind of video"):
        Table("party", 1)
