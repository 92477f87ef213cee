"""Crops: patches, corners and answers belong together, and turned crops say so."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets import crops
from datasets.crops import CARD_RANKS, CROP, NONE, TILE_RANKS, card_answer, cut_scene, jitter, tile_answer
from datasets.labels import Labelled, Target, targets_of
from datasets.scene import Recipe, render
from vision.flatten import flatten


def photo(tmp_path: Path, kind: str, index: int = 2) -> Labelled:
    made = render(21, index, Recipe(kind, 640, scenario="melds", pieces=8))
    (tmp_path / "a.jpg").write_bytes(made.jpeg)
    targets = tuple(t for piece in made.label["pieces"] for t in targets_of(piece, None, True))
    return Labelled(tmp_path / "a.jpg", targets, made.label)


@pytest.mark.parametrize("kind", ["tiles", "cards"])
def test_a_scene_gives_samples_of_one_length_and_shape(tmp_path: Path, kind: str) -> None:
    cut = cut_scene(photo(tmp_path, kind), np.random.default_rng(0), 2)
    assert len(cut.patch) == len(cut.corners) == len(cut.patch_kind) > 0
    assert len(cut.tile) == len(cut.tile_answer)
    assert len(cut.card) == len(cut.card_answer)
    mine, other = (cut.tile, cut.card) if kind == "tiles" else (cut.card, cut.tile)
    assert mine
    assert not other
    assert {crop.shape for crop in mine} == {(CROP[1], CROP[0], 3)}
    assert {patch.shape for patch in cut.patch} == {(64, 64, 3)}


def test_corners_of_a_patch_frame_the_piece_within_it() -> None:
    image = np.full((300, 400, 3), 60, np.uint8)
    quad = np.array([[150, 100], [210, 110], [196, 194], [136, 184.0]])
    cv2.fillPoly(image, [quad.round().astype(np.int32)], (230, 240, 240))
    target = Target("tile", "r5", quad)

    class Held(Labelled):
        def pixels(self) -> np.ndarray:
            return image

    cut = cut_scene(Held(Path("none"), (target,), {}), np.random.default_rng(1), 1)
    points = (cut.corners[0].astype(float) + 1) * 32
    inside = flatten(cut.patch[0], points[None], (20, 28))[0]
    around = flatten(cut.patch[0], points[None], (20, 28), 0.25)[0]
    assert inside[3:-3, 3:-3].mean() > 220
    assert around[0].mean() < 90


def test_answers_name_ranks_inks_and_suits() -> None:
    assert tile_answer("r13") == (12, 0, 0)
    assert tile_answer("k1") == (0, 3, 0)
    assert tile_answer("*")[0] == TILE_RANKS.index("*")
    assert tile_answer("back") == (TILE_RANKS.index("back"), NONE, NONE)
    assert card_answer("10H") == (CARD_RANKS.index("10"), 1, 0)
    assert card_answer("*")[0] == CARD_RANKS.index("*")


def test_jitter_moves_corners_by_its_amount_and_keeps_their_order() -> None:
    quad = np.array([[0, 0], [40, 0], [40, 56], [0, 56.0]])
    rng = np.random.default_rng(3)
    moved = np.stack([jitter(quad, rng, 0.035) for _ in range(300)])
    off = np.linalg.norm(moved - quad, axis=2)
    assert 0.5 < np.median(off) < 6
    assert all(cv2.contourArea(q.astype(np.float32), oriented=True) > 0 for q in moved)
    assert np.array_equal(jitter(quad, rng, 0.0), quad)


def index_picture() -> tuple[np.ndarray, np.ndarray]:
    """White paper with a red bar for a rank, its left end blue, a green bar for the suit; and the index's quad."""
    image = np.full((200, 200, 3), 235, np.uint8)
    image[105:125, 92:108] = (0, 0, 200)
    image[105:125, 92:96] = (200, 0, 0)
    image[130:140, 92:108] = (0, 160, 0)
    return image, np.array([[90, 102], [110, 102], [110, 142], [90, 142]], float)


def coloured(crop: np.ndarray, channel: int) -> np.ndarray:
    """Rows and columns (n, 2) of the pixels of one strong colour."""
    values = crop.astype(int)
    others = np.delete(values, channel, axis=2).max(axis=2)
    return np.argwhere(values[..., channel] > others + 80)


def test_a_card_on_the_suit_leaves_the_rank_alone() -> None:
    image, quad = index_picture()
    whole = flatten(image, quad[None], CROP, crops.CARD_MARGIN)[0]
    for seed in range(20):
        covered = crops._suit_covered(whole, np.random.default_rng(seed))
        assert len(coloured(covered, 1)) < 0.35 * len(coloured(whole, 1))
        top = [len(coloured(one[: CROP[1] // 2], 2)) for one in (whole, covered)]
        assert top[1] > 0.6 * top[0]


def test_an_index_taken_the_wrong_way_round_has_its_rank_upside_down_and_no_suit() -> None:
    image, quad = index_picture()
    other = crops._turned_about(image, quad)
    assert (coloured(other, 1)[:, 0] < 0.1 * CROP[1]).all()  # no more than its rim above the rank
    red, blue = coloured(other, 2), coloured(other, 0)
    assert red[:, 0].max() < 0.7 * CROP[1]
    assert blue[:, 1].min() > red[:, 1].max() - 4  # what was its left end is its right one
