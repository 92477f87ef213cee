"""A Scene on its picture: marks where the pieces are, in the colours asked for, at any size."""

from __future__ import annotations

import numpy as np
import pytest

from vision import draw
from vision.scene import Piece, Quad, Row, Scene


def quad(x: float, y: float, width: float = 60, height: float = 84) -> Quad:
    return ((x, y), (x + width, y), (x + width, y + height), (x, y + height))


SCENE = Scene(600, 400, (Piece("r5", 0.9, quad(100, 100)), Piece("k6", 0.5, quad(170, 100), asked=True),
                         Piece("back", 0.9, quad(400, 250))), (Row((0, 1)), Row((2,), "loose")))
GREY = np.full((400, 600, 3), 128, np.uint8)


def seen(image: draw.Image, colour: draw.Colour) -> int:
    """Pixels of about this colour."""
    return int((np.abs(image.astype(int) - colour).max(axis=2) < 20).sum())


def test_the_picture_itself_stays_as_it_was() -> None:
    before = GREY.copy()
    drawn = draw.draw(GREY, SCENE)
    assert np.array_equal(GREY, before)
    assert not np.array_equal(drawn, before)
    assert drawn.shape == GREY.shape


def test_pieces_carry_their_colour_and_the_asked_one_stands_out() -> None:
    drawn = draw.draw(GREY, SCENE)
    assert seen(drawn[100:190, 100:160], draw.INKS["r"]) > 100
    assert seen(drawn[100:190, 170:230], draw.INKS["k"]) > 100
    assert seen(drawn[90:190, 165:235], draw.ASKED) > 50
    assert seen(drawn[90:190, 95:160], draw.ASKED) < 20
    untouched = drawn[:60]
    assert (untouched == 128).all()


def test_rows_are_outlined_as_the_caller_says() -> None:
    legal, illegal = (draw.draw(GREY, SCENE, {0: style}) for style in (draw.LEGAL, draw.ILLEGAL))
    assert seen(legal, draw.LEGAL.colour) > 300
    assert seen(illegal, draw.LEGAL.colour) < 30
    # dashes: about half the line
    assert 0.2 < seen(illegal, draw.ILLEGAL.colour) / seen(legal, draw.LEGAL.colour) < 0.8
    loose = draw.draw(GREY, SCENE, {1: draw.LEGAL})
    assert seen(loose[240:350, 380:480], draw.LEGAL.colour) > 100


def test_words_beside_a_row_leave_other_pieces_free() -> None:
    above = Piece("b1", 0.9, quad(100, 10))
    scene = Scene(600, 400, (*SCENE.pieces[:2], above), (Row((0, 1)), Row((2,), "loose")))
    drawn = draw.draw(GREY, scene, {0: draw.RowStyle((0, 150, 0), "legal 21")})
    assert seen(drawn[195:240, 80:250], (0, 150, 0)) > 300


def test_a_large_photo_is_reduced() -> None:
    big = np.full((3000, 4000, 3), 128, np.uint8)
    scene = Scene(4000, 3000, (Piece("r5", 0.9, quad(2000, 1500, 300, 420)),))
    drawn = draw.draw(big, scene, long_side=1000)
    assert drawn.shape == (750, 1000, 3)
    assert seen(drawn[375:480, 500:575], draw.INKS["r"]) > 50


@pytest.mark.parametrize(("code", "asked", "want"), [
    ("r5", False, "R5"), ("10H", True, "10H?"), ("?", True, "?"), ("back", False, "back"), ("*", False, "JOLLY"),
])
def test_labels(code: str, asked: bool, want: str) -> None:
    assert draw.label(code, asked, {"*": "JOLLY"}) == want


def test_pieces_beyond_the_picture_are_no_trouble() -> None:
    scene = Scene(600, 400, (Piece("r5", 0.9, quad(-40, -60)), Piece("b5", 0.9, quad(590, 390))), (Row((0, 1)),))
    assert draw.draw(GREY, scene, {0: draw.RowStyle(words="x" * 60)}).shape == GREY.shape
