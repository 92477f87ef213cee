"""Doubts on real and rendered photographs: copies too many, what can't be read, what is truly illegal.

A real photograph is altered in memory only: a tile is covered, washed out or blurred, or another tile of the same photo
is laid over it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "vision"))
from photo_labels import PHOTOS

from companion.table import Table, read_table
from vision import photo
from vision.flatten import homographies
from vision.read import Reader
from vision.scene import Scene

Pixels = np.ndarray[Any, np.dtype[np.uint8]]
Quad = np.ndarray[Any, np.dtype[np.float64]]
REAL = "tiles/check/rummy/rummy-31.jpg"
"""Five runs on walnut: b4-6, r6-8, r3-5, k1-5, y7-9."""
pytestmark = pytest.mark.slow


@dataclass(frozen=True, eq=False)
class Laid:
    """A photo with legal melds, all of them read right: where each tile lies."""

    image: Pixels
    places: dict[str, Quad]


@cache
def reader() -> Reader:
    return Reader()


def read(image: Pixels) -> Scene:
    return reader().read(image, ("tile",))


@cache
def laid(which: str) -> Laid:
    if which == "rendered":
        image = photo.load(Path(str(files("vision") / "samples" / "table.jpg"))).image
    elif (PHOTOS / REAL).is_file():
        image = photo.load(PHOTOS / REAL).image
    else:
        pytest.skip("the real photographs are not here")
    scene = read(image)
    places = {piece.code: np.array(piece.quad) for piece in scene.pieces}
    table = judged(image)
    assert table.decided
    assert len(places) == len(scene.pieces)
    assert all(meld.verdict.ok for meld in table.melds)
    return Laid(image, places)


def judged(image: Pixels) -> Table:
    return read_table(read(image), "remi", as_="table")


def pasted(given: Laid, moves: dict[str, str]) -> Pixels:
    """Tiles laid over others: place -> tile that comes there, edges softened as a lens does."""
    image = given.image.copy()
    height, width = image.shape[:2]
    for place, tile in moves.items():
        to, source = given.places[place], given.places[tile]
        there = homographies(to[None])[0] @ np.linalg.inv(homographies(source[None])[0])
        moved = cv2.warpPerspective(given.image, there, (width, height), flags=cv2.INTER_LINEAR)
        mask = np.zeros((height, width), np.float32)
        cv2.fillConvexPoly(mask, np.rint(to).astype(np.int32), 1.0)
        mask = cv2.GaussianBlur(mask, (0, 0), 1.0)[..., None]
        image = np.asarray(np.rint(moved * mask + image * (1 - mask)), np.uint8)
    return image


def within(quad: Quad, left: float, top: float, right: float, bottom: float, size: tuple[int, int]) -> Pixels:
    """A mask (h, w) of an ellipse in the unit square of a quad."""
    turn = np.linspace(0, 2 * np.pi, 40)
    unit = np.stack([(left + right) / 2 + (right - left) / 2 * np.cos(turn),
                     (top + bottom) / 2 + (bottom - top) / 2 * np.sin(turn), np.ones(40)])  # fmt: skip
    points = homographies(quad[None])[0] @ unit
    mask = np.zeros(size, np.uint8)
    cv2.fillPoly(mask, [np.rint((points[:2] / points[2]).T).astype(np.int32)], 255)
    return mask


def blurred(given: Laid, code: str) -> Pixels:
    quad = given.places[code]
    mask = within(quad, -0.2, -0.2, 1.2, 1.2, given.image.shape[:2])
    sigma = 0.22 * float(np.hypot(*(quad[3] - quad[0])))
    soft = cv2.GaussianBlur(given.image, (0, 0), sigma)
    return np.asarray(np.where(mask[..., None] > 0, soft, given.image), np.uint8)


def thumbed(given: Laid, code: str) -> Pixels:
    image = given.image.copy()
    image[within(given.places[code], 0.05, 0.0, 0.95, 0.75, image.shape[:2]) > 0] = (120, 150, 205)
    return np.asarray(cv2.GaussianBlur(image, (0, 0), 0.7), np.uint8)


def glaring(given: Laid, code: str) -> Pixels:
    mask = within(given.places[code], 0.0, 0.0, 1.0, 0.7, given.image.shape[:2]).astype(np.float32) / 255
    mask = cv2.GaussianBlur(mask, (0, 0), 2.5)[..., None]
    return np.asarray(np.rint(given.image + (255 - given.image.astype(np.float32)) * mask), np.uint8)


BOTH = pytest.mark.parametrize("which", ["real", "rendered"])


def codes(table: Table) -> list[str]:
    return sorted(" ".join(meld.faces) for meld in table.melds)


@BOTH
def test_a_third_copy_is_asked_about(which: str) -> None:
    given = laid(which)
    twice = ("r7", {"b5": "r7", "y8": "r7"}) if which == "real" else ("r10", {"b4": "r10", "k11": "r10"})
    table = judged(pasted(given, twice[1]))
    assert sum(piece.code == twice[0] for piece in table.scene.pieces) == 3
    assert "copy" in {question.why for question in table.questions}
    assert not table.total.ok
    assert not table.decided


@BOTH
def test_two_copies_are_none_too_many(which: str) -> None:
    given = laid(which)
    moves = {"r6": "r3", "r7": "r4", "r8": "r5"} if which == "real" else {"y2": "k11"}
    table = judged(pasted(given, moves))
    assert "copy" not in {question.why for question in table.questions}


@BOTH
@pytest.mark.parametrize("damage", [blurred, thumbed, glaring], ids=["blurred", "thumb", "glare"])
def test_what_cannot_be_read_gives_no_silent_total(which: str, damage: Callable[[Laid, str], Pixels]) -> None:
    """Read right all the same, asked about, or the melds say that they are not legal: never another total."""
    given = laid(which)
    truth = judged(given.image)
    for code in ["b5", "r7", "k3", "y8"] if which == "real" else ["r11", "b4", "k7"]:
        table = judged(damage(given, code))
        right = codes(table) == codes(truth)
        all_legal = all(meld.verdict.ok for meld in table.melds)
        assert right or table.questions or not all_legal, f"{damage.__name__} {code}: {codes(table)}"
        if not right:
            assert not table.decided or not all_legal


@BOTH
def test_a_truly_illegal_meld_stays_illegal(which: str) -> None:
    given = laid(which)
    cases = [{"r7": "k2"}, {"y8": "b4"}, {"k3": "r6"}] if which == "real" else [{"b4": "k7"}, {"r11": "b5"}]
    for moves in cases:
        (place, tile), = moves.items()
        table = judged(pasted(given, moves))
        assert sorted(piece.code for piece in table.scene.pieces) == sorted(
            [code for code in given.places if code != place] + [tile]
        )
        wrong = [meld for meld in table.melds if not meld.verdict.ok]
        assert len(wrong) == 1, codes(table)
        assert tile in wrong[0].codes
        assert not table.questions


@BOTH
def test_a_misread_that_would_make_an_illegal_meld_is_asked_about(which: str) -> None:
    """The numeral is half washed out: whatever it is taken for, nobody gets an illegal meld without being asked."""
    given = laid(which)
    truth = judged(given.image)
    for code in ["b5", "r7", "y8", "k3"] if which == "real" else ["b4", "k7", "r12"]:
        image = given.image.astype(np.float32)
        mask = within(given.places[code], 0.0, 0.0, 0.55, 0.7, image.shape[:2]).astype(np.float32) / 255
        mask = 0.92 * cv2.GaussianBlur(mask, (0, 0), 1.5)[..., None]
        table = judged(np.asarray(np.rint(image + (250 - image) * mask), np.uint8))
        assert codes(table) == codes(truth) or table.questions, f"{code}: {codes(table)}"


def test_the_real_photo_is_labelled_as_it_is_read() -> None:
    given = laid("real")
    lines = (PHOTOS / "tiles/check/labels.jsonl").read_text("utf-8").splitlines()
    label = next(found for found in map(json.loads, lines) if found["image"] == REAL)
    assert sorted(piece["code"] for piece in label["pieces"]) == sorted(given.places)
