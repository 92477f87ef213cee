"""Inks relative to their bodies and judged together: what the other tiles of a photo say about a doubtful one."""

from __future__ import annotations

from typing import Any

import numpy as np
import photo_labels
import pytest

from vision import flatten, inks
from vision.photo import load

Colours = np.ndarray[Any, np.dtype[np.float64]]
RED, BLUE, ORANGE, BLACK = (
    np.array(value)
    for value in (
        [-1.9, -2.2, -0.3],
        [-0.6, -1.2, -2.4],
        [-1.7, -0.9, 0.0],
        [-2.2, -2.4, -2.5],
    )
)
R, B, Y, K = range(4)


def mostly(best: int, p: float, second: int) -> Colours:
    """`p` at best, nearly all of the rest at second."""
    value = np.full(4, 0.002)
    value[best], value[second] = p, 0.996 - p
    return value


def several(ink: Colours, count: int) -> list[Colours]:
    """Tiles of one ink, a little different each."""
    return [ink + shift for shift in np.linspace(-0.05, 0.05, count)]


def crop_of(ink_bgr: tuple[int, int, int], lamp: tuple[float, float, float]) -> flatten.Image:
    crop = np.full((64, 48, 3), (205, 220, 228), np.uint8)
    crop[10:34, 16:32] = ink_bgr
    return (crop * np.array(lamp)).astype(np.uint8)


@pytest.mark.parametrize(
    "lamp", [(1, 1, 1), (0.5, 0.8, 1.0), (1.0, 0.8, 0.6), (0.3, 0.3, 0.3)], ids=["neutral", "warm", "cool", "dim"]
)
def test_ink_over_body_does_not_depend_on_the_lamp(lamp: tuple[float, float, float]) -> None:
    for bgr in [(60, 50, 200), (180, 90, 30), (30, 130, 230), (30, 30, 30)]:
        neutral, lit = inks.ink(np.stack([crop_of(bgr, (1, 1, 1)), crop_of(bgr, lamp)]))
        assert neutral is not None
        assert lit is not None
        assert np.abs(neutral - lit).max() < 0.4


def test_a_blank_has_no_ink() -> None:
    assert inks.ink(np.full((1, 64, 48, 3), 220, np.uint8)) == [None]
    assert inks.ink(np.zeros((0, 64, 48, 3), np.uint8)) == []


def test_a_doubtful_ink_goes_to_the_one_it_looks_like() -> None:
    seen = [RED, RED + 0.05, RED - 0.05, ORANGE, ORANGE + 0.05, RED]
    sure = [mostly(R, 0.99, Y)] * 3 + [mostly(Y, 0.99, R)] * 2
    judged = inks.judge(seen, [*sure, mostly(Y, 0.6, R)])
    assert judged[5].changed
    assert judged[5].colour.argmax() == 0
    assert not any(judgement.changed for judgement in judged[:5])


def test_without_sure_tiles_of_both_inks_nothing_moves() -> None:
    seen = [RED, RED, RED, ORANGE, RED]
    colours = [mostly(R, 0.99, Y)] * 3 + [mostly(Y, 0.99, R), mostly(Y, 0.6, R)]
    assert not any(judgement.changed for judgement in inks.judge(seen, colours))


def test_one_ink_that_looks_like_two_is_torn() -> None:
    black, petrol = np.array([-2.3, -2.4, -2.5]), np.array([-1.1, -1.9, -2.9])
    jitter = np.random.default_rng(2).normal(0, 0.03, (7, 3))
    seen = [value + j for value, j in zip([black] * 4 + [petrol] * 3, jitter, strict=True)]
    colours = [mostly(K, 0.99, B)] * 4 + [mostly(K, 0.8, B)] * 3
    assert inks.torn(seen, colours) == {4, 5, 6}
    assert inks.torn(seen[:4], colours[:4]) == set()


def test_a_lone_ink_unlike_the_sure_ones_of_its_colour_is_the_other_one() -> None:
    seen = [*several(BLUE, 4), BLACK]
    judged = inks.judge(seen, [*[mostly(B, 0.99, K)] * 4, mostly(B, 0.8, K)])
    assert judged[-1].changed
    assert int(judged[-1].colour.argmax()) == K
    assert not any(j.changed for j in judged[:-1])


@pytest.mark.parametrize("lifted", [0.0, 0.4, 0.8])
def test_a_gloss_that_lifts_an_ink_leaves_it_what_it_is(lifted: float) -> None:
    seen = [*several(BLUE, 4), BLUE + lifted]
    judged = inks.judge(seen, [*[mostly(B, 0.99, K)] * 4, mostly(B, inks.MEMBER - 0.05, K)])
    assert int(judged[-1].colour.argmax()) == B


def test_a_colour_far_from_all_that_are_known_is_left_to_the_network() -> None:
    judged = inks.judge([*several(BLUE, 3), ORANGE], [*[mostly(B, 0.99, K)] * 3, mostly(B, 0.55, K)])
    assert not judged[-1].changed


def test_without_two_sure_tiles_of_a_colour_nothing_moves() -> None:
    seen = [*several(BLUE, 1), BLACK]
    judged = inks.judge(seen, [mostly(B, 0.99, K), mostly(B, 0.8, K)])
    assert not any(j.changed for j in judged)


@pytest.mark.slow
def test_inks_of_labelled_photographs() -> None:
    """A tile without an ink of its own gets the right one from the others nearly always, and no ink is torn."""
    judged = wrong = torn = 0
    for label, _, quads in photo_labels.grouped("check"):
        codes = [piece["code"] for piece in label["pieces"]]
        numbered = [n for n, code in enumerate(codes) if code[0] in "rbyk"]
        if not numbered:
            continue
        image = load(photo_labels.PHOTOS / label["image"]).image
        crops = flatten.flatten(image, np.array([quads[n] for n in numbered]), (48, 64), 0.04)
        true = ["rbyk".index(codes[n][0]) for n in numbered]
        sure = [mostly(ink, 0.97, (ink + 1) % 4) for ink in true]
        seen = inks.ink(crops)
        torn += len(inks.torn(seen, sure))
        for n, ink in enumerate(true):
            doubtful = [*sure[:n], np.where(np.arange(4) == (ink + 1) % 4, 0.26, 0.74 / 3), *sure[n + 1 :]]
            result = inks.judge(seen, doubtful)[n]
            judged += result.changed
            wrong += result.changed and int(result.colour.argmax()) != ink
    assert judged > 800
    assert wrong / judged < 0.005
    assert torn == 0
