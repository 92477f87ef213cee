"""Flattening: geometry, borders, and thin strokes that survive a large shrink."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision import flatten as fl


def gradient(width: int = 200, height: int = 160) -> fl.Image:
    """Blue grows by one a pixel to the right, green by one a pixel downwards."""
    image = np.zeros((height, width, 3), np.uint8)
    image[..., 0] = np.arange(width)[None, :]
    image[..., 1] = np.arange(height)[:, None]
    return image


def test_a_quad_of_its_own_size_is_a_plain_cut() -> None:
    image = gradient()
    crop = fl.flatten(image, [[[10, 20], [58, 20], [58, 84], [10, 84]]], (48, 64))[0]
    assert np.array_equal(crop, image[20:84, 10:58])


@pytest.mark.parametrize("turns", range(4))
def test_the_first_corner_becomes_the_top_left(turns: int) -> None:
    image = gradient()
    quad = np.roll(np.array([[10, 20], [58, 20], [58, 68], [10, 68]], float), -turns, axis=0)
    crop = fl.flatten(image, [quad], (48, 48))[0]
    assert np.array_equal(crop, np.rot90(image[20:68, 10:58], turns))


def test_the_margin_adds_a_share_of_each_side() -> None:
    image = gradient()
    crop = fl.flatten(image, [[[50, 50], [90, 50], [90, 70], [50, 70]]], (48, 24), margin=0.1)[0]
    assert np.array_equal(crop, image[48:72, 46:94])


def test_perspective_is_undone() -> None:
    board = np.full((64, 48, 3), 230, np.uint8)
    cv2.rectangle(board, (10, 8), (30, 40), (20, 20, 200), -1)
    quad = np.array([[40.0, 30], [120, 50], [110, 150], [30, 120]])
    to_photo = cv2.getPerspectiveTransform(
        np.array([[0, 0], [48, 0], [48, 64], [0, 64]], np.float32) - 0.5, (quad - 0.5).astype(np.float32))
    photo = cv2.warpPerspective(board, to_photo, (200, 200))
    crop = fl.flatten(photo, [quad], (48, 64))[0]
    inside = np.s_[4:60, 4:44]
    assert np.abs(crop[inside].astype(int) - board[inside]).mean() < 6


def test_thin_strokes_are_averaged_not_dropped() -> None:
    image = np.full((1280, 960, 3), 255, np.uint8)
    image[:, ::8] = 0  # an eighth of the ink
    crop = fl.flatten(image, [[[0, 0], [960, 0], [960, 1280], [0, 1280]]], (48, 64))[0]
    assert np.abs(crop.astype(int) - 223).max() <= 8  # plain sampling would give 0 and 255


def test_beyond_the_picture_its_border_repeats() -> None:
    image = gradient(40, 40)
    crop = fl.patches(image, [[0, 20]], [40], 40)[0]
    assert (crop[:, :20, 0] == 0).all()
    assert np.array_equal(crop[:, 20:], image[:, :20])


@pytest.mark.parametrize("quad", [
    [[-500, -500], [-400, -500], [-400, -400], [-500, -400]],
    [[5, 5], [5, 5], [5, 5], [5, 5]],
    [[0, 0], [10, 0], [20, 0], [30, 0]],
    [[0, 0], [40, 40], [40, 0], [0, 40]],
], ids=["outside", "point", "line", "crossed"])
def test_odd_quads_give_a_crop_of_the_right_shape(quad: list[list[float]]) -> None:
    assert fl.flatten(gradient(), [quad], (48, 64), 0.1).shape == (1, 64, 48, 3)


def test_no_quads_no_crops() -> None:
    assert fl.flatten(gradient(), np.zeros((0, 4, 2)), (48, 64)).shape == (0, 64, 48, 3)
    assert fl.as_input(np.zeros((0, 64, 48, 3), np.uint8)).shape == (0, 3, 64, 48)


def test_a_corner_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="no number"):
        fl.flatten(gradient(), [[[0, 0], [1, 0], [1, np.nan], [0, 1]]], (48, 64))


def test_patch_units_go_there_and_back() -> None:
    points = np.random.default_rng(1).uniform(-1, 1, (3, 4, 2))
    centres, sides = [[10, 20], [30, 5], [7, 7]], [16, 40, 3]
    pixels = fl.from_patch(points, centres, sides)
    assert np.allclose(fl.to_patch(pixels, centres, sides), points)
    assert np.allclose(fl.from_patch([[[-1, -1], [1, 1]]], [[10, 20]], [8]), [[[6, 16], [14, 24]]])


def test_network_input_is_rgb_from_0_to_1() -> None:
    crops = np.zeros((1, 2, 2, 3), np.uint8)
    crops[..., 2] = 255
    planes = fl.as_input(crops)
    assert planes.dtype == np.float32
    assert planes[0, 0].min() == pytest.approx(1)
    assert planes[0, 1:].max() == 0


def test_many_large_quads_share_one_average() -> None:
    """The shared levels give what each quad alone gives, to within rounding."""
    image = cv2.GaussianBlur(np.random.default_rng(5).integers(0, 255, (1201, 1603, 3), dtype=np.uint8), (0, 0), 8)
    quads = fl.squares(np.random.default_rng(6).uniform(300, 900, (12, 2)), np.full(12, 510.0)) + 0.3
    together = fl.flatten(image, quads, (48, 64), 0.04)
    alone = np.stack([fl.flatten(image, [quad], (48, 64), 0.04)[0] for quad in quads])
    assert np.abs(together.astype(int) - alone).max() <= 12
    assert np.abs(together.astype(int) - alone).mean() < 1.5


def test_a_half_stands_in_for_a_whole_that_is_not_there() -> None:
    image = cv2.GaussianBlur(np.random.default_rng(7).integers(0, 255, (1200, 1600, 3), dtype=np.uint8), (0, 0), 6)
    half = cv2.resize(image, (800, 600), interpolation=cv2.INTER_AREA)

    def whole() -> fl.Image:
        raise AssertionError("the whole picture was asked for")

    quads = fl.squares(np.random.default_rng(8).uniform(300, 900, (9, 2)), np.linspace(90, 500, 9)) + 0.3
    reduced = fl.flatten(fl.Levels(image.shape, {2: half}, whole), quads, (48, 48))
    assert np.abs(reduced.astype(int) - fl.flatten(image, quads, (48, 48))).mean() < 1.5
    with pytest.raises(AssertionError, match="asked for"):  # finer than the half is
        fl.flatten(fl.Levels(image.shape, {2: half}, whole), fl.squares([[400, 400]], [60]), (48, 48))


@pytest.mark.parametrize(("factor", "level"), [(1.0, 1), (1.9, 1), (2.0, 2), (7.9, 4), (8.0, 8)])
def test_a_part_is_no_smaller_than_asked_for(factor: float, level: int) -> None:
    image = gradient(200, 160)
    box = (33, 50, 97, 111)
    seen, reduced, start = fl.part(fl.levels_of(image), box, factor)
    assert reduced == level
    assert (start <= (33, 50)).all()
    assert (start > np.array([33, 50]) - level).all()
    assert seen.shape[0] * level >= 61
    middle = seen[seen.shape[0] // 2, seen.shape[1] // 2]
    x, y = start + level * (np.array(seen.shape[1::-1]) // 2) + (level - 1) / 2
    assert middle[:2] == pytest.approx([x, y], abs=1)
    assert fl.part(image, box, factor)[0].shape[:2] == (61, 64)
