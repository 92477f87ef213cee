"""Boxes to spots: decoding, merging, and the size of the second look."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from vision import geometry, locate
from vision.locate import Spot
from vision.weights import Network


def spot(x: float, y: float, kind: str = "tile", score: float = 0.9, width: float = 30, height: float = 42,
         angle: float = 0.0) -> Spot:
    quad = geometry.box_quads([[x, y, width, height]], [angle])[0]
    return Spot(kind, score, quad)  # type: ignore[arg-type]


def raw(*finds: tuple[float, ...]) -> Network:
    """A locator that always gives these finds: cx, cy, w, h, four scores, angle."""
    output = np.array(finds, np.float32).T.reshape(1, 9, len(finds))
    return Network(lambda pictures: {"raw": output})


def test_a_rotated_box_becomes_a_quad_in_photo_pixels() -> None:
    image = np.zeros((600, 1280, 3), np.uint8)
    (found,) = locate.look(image, raw((100, 50, 60, 40, 0.1, 0.0, 0.8, 0.2, np.pi / 2)), 640)
    assert (found.kind, round(found.score, 3)) == ("card_index", 0.8)
    assert np.allclose(found.centre, [200, 100])
    assert np.allclose(found.quad[0], [240, 40])  # its first corner, turned clockwise by a quarter
    assert found.long_side == pytest.approx(120)


def test_the_input_is_rgb_padded_with_grey_to_multiples_of_32() -> None:
    seen: list[Any] = []

    def run(pictures: Any) -> dict[str, Any]:
        seen.append(pictures)
        return {"raw": np.zeros((1, 9, 0), np.float32)}
    image = np.full((300, 650, 3), (0, 0, 255), np.uint8)
    locate.look(image, Network(run), 640)
    (picture,) = seen
    assert picture.shape == (1, 3, 320, 640)
    assert picture[0, :, 5, 5] == pytest.approx([1, 0, 0])
    assert picture[0, :, 310, 5] == pytest.approx([114 / 255] * 3)


def test_weak_finds_are_left_out_by_the_files_own_threshold() -> None:
    image = np.zeros((64, 64, 3), np.uint8)
    finds = (20.0, 20.0, 20.0, 28.0, 0.4, 0.0, 0.0, 0.0, 0.0)
    assert len(locate.look(image, raw(finds), 640)) == 1
    strict = Network(raw(finds).run, {"threshold": "0.5"})
    assert locate.look(image, strict, 640) == []


@pytest.mark.parametrize(("spots", "left"), [
    ([spot(100, 100), spot(102, 101, score=0.8)], 1),
    ([spot(100, 100), spot(130, 100, score=0.8)], 2),
    ([spot(100, 100), spot(118, 100, score=0.8)], 2),
    ([spot(100, 100), spot(100, 108, height=21, score=0.6)], 1),
    ([spot(100, 100), spot(101, 100, kind="tile_back", score=0.6)], 1),
    ([spot(100, 100, kind="card_back", width=120, height=170), spot(90, 90, kind="card_index", score=0.5)], 2),
    ([spot(100, 100, kind="card_index"), spot(100, 125, kind="card_index", score=0.5)], 2),
    ([spot(100, 100, angle=0.5), spot(100, 100, angle=0.55, score=0.5)], 1),
    ([], 0),
], ids=["twice", "touching", "overlapping", "half a tile", "face or back", "index on a back", "column", "turned",
        "none"])
def test_merging(spots: list[Spot], left: int) -> None:
    kept = locate.merge(spots[::-1])
    assert len(kept) == left
    assert kept[:1] == spots[:1]


@pytest.mark.parametrize(("side", "longest", "again"), [
    (14, 4000, 1280), (12, 900, 900), (12, 700, None), (40, 4000, None), (99, 4000, None), (120, 4000, 256),
    (101, 4000, 304), (300, 4000, 256), (4, 3000, 3000),
])
def test_the_second_look_depends_on_what_the_first_saw(side: float, longest: int, again: int | None) -> None:
    scale = longest / 640
    spots = [spot(100, 100, width=side * 0.7 * scale, height=side * scale)] * 4
    assert locate.second_size(spots, 640, longest) == again


def test_small_pieces_are_looked_at_again_only_where_they_lie() -> None:
    tiles = [spot(1000 + 60 * n, 800, score=0.9, width=44, height=60) for n in range(5)]
    stray = spot(3900, 2900, score=0.3, width=44, height=60)
    left, top, right, bottom = locate.region([*tiles, stray], 4000, 3000)
    assert (left, top) == (738, 530)
    assert (right, bottom) == (1502, 1070)
    wide = [spot(100, 100), spot(3900, 2900)]
    assert locate.region(wide, 4000, 3000) == (0, 0, 4000, 3000)
    assert locate.region([stray], 4000, 3000)[:2] == (3638, 2630)


def test_where_hardly_anything_is_sure_all_finds_tell_where_pieces_lie() -> None:
    faint = [spot(900.0 + 300 * k, 1200.0, score=0.3) for k in range(6)]
    left, _, right, _ = locate.region([*faint, spot(900.0, 1500.0, score=0.8)], 4000, 3000)
    assert left < 900 < 2400 < right


def one_answer_a_size(answers: dict[int, tuple[float, ...]]) -> Network:
    """A locator that gives one find by the long side of what it is shown, in that picture's pixels."""
    def run(pictures: Any) -> dict[str, Any]:
        find = answers.get(max(pictures.shape[2:]))
        return {"raw": np.array([find] if find else np.zeros((0, 9)), np.float32).T.reshape(1, 9, -1)}
    return Network(run)


def test_the_whole_tile_of_the_smaller_look_stands_for_the_surer_part_of_the_larger() -> None:
    image = np.zeros((480, 640, 3), np.uint8)
    half = (320.0, 200.0, 104.0, 96.0, 0.95, 0.0, 0.0, 0.0, 0.0)
    whole = (128.0, 90.0, 42.0, 58.0, 0.6, 0.0, 0.0, 0.0, 0.0)
    (found,) = locate.locate(image, one_answer_a_size({640: half, 320: whole}))
    assert found.score == pytest.approx(0.6)
    assert found.long_side == pytest.approx(58 * 640 / 295, rel=0.01)


def test_a_find_outside_the_second_look_stays() -> None:
    image = np.zeros((3000, 4000, 3), np.uint8)
    near = [(60.0 + 12 * n, 60.0, 8.0, 11.0, 0.9, 0.0, 0.0, 0.0, 0.0) for n in range(4)]
    far = (600.0, 440.0, 8.0, 11.0, 0.3, 0.0, 0.0, 0.0, 0.0)

    def run(pictures: Any) -> dict[str, Any]:
        finds = [*near, far] if max(pictures.shape[2:]) == 640 else np.zeros((0, 9))
        return {"raw": np.array(finds, np.float32).T.reshape(1, 9, -1)}
    (found,) = locate.locate(image, Network(run))
    assert np.allclose(found.centre, [3750, 2750])


def test_shrinking_keeps_the_average() -> None:
    image = np.zeros((1201, 1603, 3), np.uint8)
    image[::2] = 200
    small = locate.shrink(image, (321, 240))
    assert small.shape == (240, 321, 3)
    assert np.abs(small.astype(int) - 100).max() <= 15
    assert locate.shrink(image, (1603, 1201)) is image


def test_overlap_of_quads() -> None:
    one = geometry.box_quads([[0, 0, 10, 10]], [0])[0]
    two = geometry.box_quads([[5, 0, 10, 10]], [0])[0]
    turned = geometry.box_quads([[0, 0, 10, 10]], [np.pi / 4])[0]
    assert geometry.overlap(one, one) == pytest.approx(1)
    assert geometry.overlap(one, two) == pytest.approx(1 / 3, abs=1e-4)
    assert geometry.overlap(one, turned) == pytest.approx(0.7071, abs=1e-3)
    assert geometry.overlap(one, np.zeros((4, 2))) == 0
    assert geometry.beyond(one, 100, 100) == pytest.approx(0.75)
    assert geometry.beyond(one + 20, 100, 100) == pytest.approx(0)
    assert [float(v[0]) for v in geometry.sides([two])] == pytest.approx([10, 10])


def row_with_a_gap(ground: int, gap: int) -> Any:
    """A picture of two white tiles on a ground of one grey, with another grey between them."""
    image = np.full((300, 400, 3), ground, np.uint8)
    image[120:180, 179:221] = gap
    for x in (155, 245):
        image[120:180, x - 21 : x + 21] = 235
    return image


@pytest.mark.parametrize(("gap", "filled"), [(60, False), (140, True), (235, True)], ids=["bare", "thumb", "blurred"])
def test_what_lies_in_the_gap_of_a_row_is_no_bare_ground(gap: int, filled: bool) -> None:
    image = row_with_a_gap(60, gap)
    neighbours = [(x, 150.0, 42.0, 60.0, 0.9, 0.0, 0.0, 0.0, 0.0) for x in (155.0, 245.0)]
    faint = (200.0, 150.0, 42.0, 60.0, 0.08, 0.0, 0.0, 0.0, 0.0)
    network = raw(*neighbours, faint)
    assert len(locate.locate(image, network)) == 2
    found = locate.locate(image, network, faint=True)
    assert [spot.between for spot in found] == [False, False, True][: 2 + filled]


def test_a_faint_find_beside_a_row_is_none() -> None:
    image = row_with_a_gap(60, 140)
    neighbours = [(x, 150.0, 42.0, 60.0, 0.9, 0.0, 0.0, 0.0, 0.0) for x in (155.0, 245.0)]
    for x, y in ((200.0, 190.0), (310.0, 150.0)):
        faint = (x, y, 42.0, 60.0, 0.08, 0.0, 0.0, 0.0, 0.0)
        assert len(locate.locate(image, raw(*neighbours, faint), faint=True)) == 2


def test_one_weak_find_at_the_first_look_does_not_keep_from_looking_closer() -> None:
    """Tiles of a dozen pixels are a blur to the first look, and a patch of it may look like one."""
    tiles = [(100.0 + 40 * n, 300.0, 20.0, 28.0, 0.9, 0.0, 0.0, 0.0, 0.0) for n in range(12)]

    def run(pictures: Any) -> dict[str, Any]:
        finds = tiles if pictures.shape[3] == 1280 else [(400.0, 300.0, 60.0, 80.0, 0.55, 0.0, 0.0, 0.0, 0.0)]
        return {"raw": np.array(finds, np.float32).T.reshape(1, 9, len(finds))}

    found = locate.locate(np.zeros((3000, 4000, 3), np.uint8), Network(run))
    assert len(found) == 12
