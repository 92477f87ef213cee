"""Judging a photo as a whole: copies, ways up, two indices; each change says why."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from vision import settle
from vision.identify import Hypothesis, Reading, face_probabilities
from vision.locate import Spot

Colours = np.ndarray[Any, np.dtype[np.float64]]
STANDING = np.array([[0, 0], [30, 0], [30, 42], [0, 42]], float)


def probabilities(size: int, best: int, p: float, second: int | None = None) -> Colours:
    """`p` at best, the rest at second, or spread."""
    values = np.full(size, (1 - p) / (size - 1) if second is None else 0.0)
    if second is not None:
        values[second] = 1 - p
    values[best] = p
    return values


def tile(code: str, p: float = 0.99, x: float = 0.0, score: float = 0.9, agreement: float = 0.95,
         other: tuple[str, float] | None = None, turned: bool = False) -> Reading:
    """A tile read; `other`: what it reads as on its head, and how likely that way up is."""
    crop = np.full((64, 48, 3), 220, np.uint8)
    hypotheses = []
    for name, weight, head in [(code, 1 - (other[1] if other else 0), turned)] + (
            [(other[0], other[1], not turned)] if other else []):
        rank = probabilities(16, int(name[1:]) - 1 if name not in ("*", "back", "?") else
                             {"*": 13, "back": 14, "?": 15}[name], p)
        colour = probabilities(4, "rbyk".index(name[0]) if name[0] in "rbyk" else 0, p)
        quad = np.roll(STANDING, 2 if head else 0, axis=0) + np.array([x, 0])
        hypotheses.append(Hypothesis(quad, weight, rank, colour, crop))
    kind = "tile_back" if code == "back" else "tile"
    spot = Spot(kind, score, STANDING + np.array([x, 0]))  # type: ignore[arg-type]
    return Reading("tile", spot, tuple(sorted(hypotheses, key=lambda h: -h.weight)), agreement)


def test_faces_sum_to_one() -> None:
    faces = face_probabilities("tile", probabilities(16, 4, 0.9), probabilities(4, 0, 0.8))
    assert sum(faces.values()) == pytest.approx(1)
    assert faces["r5"] == pytest.approx(0.72)
    assert sum(face_probabilities("card", probabilities(15, 9, 0.9), np.full(4, 0.25)).values()) == pytest.approx(1)


def test_a_sure_photo_stays_as_it_was_read() -> None:
    readings = [tile(f"r{n}", x=30 * n) for n in range(1, 5)]
    settled = settle.settle_tiles(readings, [[0, 1, 2, 3]])
    assert [piece.code for piece in settled] == ["r1", "r2", "r3", "r4"]
    assert [piece.p for piece in settled] == pytest.approx([r.faces[f"r{n}"] for n, r in enumerate(readings, 1)])
    assert not any(piece.settled or piece.asked for piece in settled)


def test_nine_or_six_is_as_its_row_stands() -> None:
    doubt = tile("r6", x=30, other=("r9", 0.45))
    row = [tile("r8", x=0, turned=True), doubt, tile("r10", x=60, turned=True), tile("r11", x=90, turned=True)]
    assert settle.settle_tiles([doubt], [[0]])[0].code == "r6"
    settled = settle.settle_tiles(row, [[0, 1, 2, 3]])
    assert settled[1].code == "r9"
    assert "row" in settled[1].settled
    sure = [row[0], tile("r6", x=30, other=("r9", 0.001)), *row[2:]]
    assert settle.settle_tiles(sure, [[0, 1, 2, 3]])[1].code == "r6"


def test_the_third_copy_is_the_least_sure_one() -> None:
    settled = settle.settle_tiles([tile("k5", 0.999), tile("k5", 0.97), tile("k5", 0.999)], [[0], [1], [2]])
    assert [piece.asked for piece in settled] == [False, True, False]
    assert settled[1].p < 0.6
    assert settled[1].code == "k5"
    assert "copies of k5" in settled[1].settled


def test_a_third_copy_takes_its_next_face_where_that_is_likelier() -> None:
    near = tile("k5", 0.99)
    near = near.coloured(probabilities(4, 3, 0.6, second=1))
    settled = settle.settle_tiles([tile("k5", 0.999), tile("k5", 0.999), near], [[0], [1], [2]])
    assert (settled[2].code, settled[2].asked) == ("b5", True)


def test_more_copies_where_the_set_has_them() -> None:
    readings = [tile("k5", 0.999)] * 4
    assert not any(piece.asked for piece in settle.settle_tiles(readings, [[n] for n in range(4)], copies=4))


def test_twice_as_many_copies_are_all_asked_about() -> None:
    """Nobody lays four jokers of two: the print of the numbers is taken for one."""
    jokers = [tile("*", 0.9999)] * 4
    settled = settle.settle_tiles(jokers, [[n] for n in range(4)])
    assert all(piece.asked for piece in settled)
    assert "4 of * seen" in settled[0].settled
    assert sum(piece.asked for piece in settle.settle_tiles(jokers[:3], [[n] for n in range(3)])) == 1


@pytest.mark.parametrize(("reading", "asked"), [
    (tile("r5", 0.999), False),
    (tile("r5", 0.9), True),
    (tile("?", 0.999), True),
    (tile("back", 0.999), False),
    (tile("r5", 0.999, agreement=0.5), True),
], ids=["sure", "unsure", "unknown", "back", "networks disagree"])
def test_questions(reading: Reading, asked: bool) -> None:
    assert settle.settle_tiles([reading], [[0]])[0].asked is asked


def test_back_and_face_disagree() -> None:
    face = tile("r5", 0.999)
    seen_as_back = Reading("tile", Spot("tile_back", 0.9, STANDING), face.hypotheses)
    assert settle.settle_tiles([seen_as_back], [[0]])[0].asked


def test_a_weak_find_that_reads_as_nothing_is_none() -> None:
    readings = [tile("?", score=0.3), tile("?", score=0.8), tile("r5", score=0.3)]
    assert settle.keep(readings) == readings[1:]


def test_a_spot_of_glare_that_other_tiles_lack_is_asked_about() -> None:
    read = [("y3", 0.98), ("r7", 0.999), ("b5", 0.98)]
    pieces = [settle.Settled(tile(code), ((code, p), ("?", 1 - p)), (n,)) for n, (code, p) in enumerate(read)]
    asked = [piece.asked for piece in settle.under_glare(pieces, [0.15, 0.15, 0.0])]
    assert asked == [False, False, False]  # half of the tiles shine: the lamp's doing
    assert [piece.asked for piece in settle.under_glare(pieces, [0.15, 0.0, 0.0])] == [True, False, False]
    sure = settle.under_glare(pieces, [0.0, 0.15, 0.0])
    assert [piece.asked for piece in sure] == [False, False, False]
