"""Rendered videos: the script, and truth that is the picture's own."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.video import OPENING, RATE, Moment, Table, write
from vision.camera import open_source


@pytest.fixture(scope="module")
def table() -> Table:
    return Table("evening", 3, 480)


def moments_of(table: Table, act: str) -> list[Moment]:
    return [moment for moment in table.moments() if moment.act == act]


def test_the_script_is_the_same_each_time(table: Table) -> None:
    assert list(table.moments()) == list(table.moments())


def test_a_tile_is_laid_while_the_hand_is_there(table: Table) -> None:
    before: tuple[tuple[int, int], ...] = ()
    for moment in table.moments():
        if before and moment.lying != before:
            assert moment.hand is not None
            assert len({*moment.lying} ^ {*before}) == 1
        before = moment.lying


def test_a_bump_moves_every_piece_and_nothing_else_does(table: Table) -> None:
    bump = moments_of(table, "bump")
    rng = np.random.default_rng(0)
    first = table._shot(0, moments_of(table, "shadow")[-1], rng)
    last = table._shot(1, bump[-1], rng)
    assert [(p.id, p.code) for p in first.pieces] == [(p.id, p.code) for p in last.pieces]
    assert min(float(np.abs(a.quad - b.quad).max()) for a, b in zip(first.pieces, last.pieces, strict=True)) > 2


def test_a_hand_hides_what_the_truth_calls_hidden(table: Table) -> None:
    rest = moments_of(table, "rest")
    rng = np.random.default_rng(0)
    # on its way to the first of the two pieces, over which it then goes on to the second
    with_hand = min((table._shot(0, rest[n], rng) for n in (8, 10, 21)), key=lambda s: min(p.visible for p in s.pieces))
    without = table._shot(0, rest[-1], rng)
    assert (with_hand.hand, without.hand) == (True, False)
    assert min(piece.visible for piece in without.pieces) > 0.85
    hidden = [piece for piece in with_hand.pieces if piece.visible < 0.75]
    assert hidden
    for piece in hidden[:1]:
        mask = np.zeros(without.image.shape[:2], np.uint8)
        cv2.fillConvexPoly(mask, piece.quad.astype(np.int32), 1)
        differs = np.abs(with_hand.image.astype(int) - without.image)[mask > 0].mean()
        assert differs > 5


def test_pieces_are_laid_in_the_order_of_a_legal_opening() -> None:
    table = Table("opening", 1, 480)
    last = list(table.moments())[-1]
    codes = [table.bodies[0][number].code for number, _ in last.lying]
    assert codes == [code for row in OPENING for code in row]


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
