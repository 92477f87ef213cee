"""Scenes: labels agree with the geometry, with what was painted and with each other; the same seed, the same bytes."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from datasets.camera import Camera, look_at
from datasets.crops import long_side
from datasets.lamps import Lamp, Light
from datasets.layout import Shape, make_body, rest
from datasets.paint import NOBODY, Canvas, paint_slab
from datasets.scene import Painted, Recipe, compose, halves, labels, render, visible_share
from datasets.slabs import Body, lying
from datasets.stage import CARDS, TILES
from vision.flatten import flatten

ROOT = Path(__file__).resolve().parents[2]
TILE_SCENES = [("tiles", name, k) for k, name in enumerate(TILES)]
CARD_SCENES = [("cards", name, k) for k, name in enumerate(CARDS)]


def scene(kind: str, scenario: str, index: int) -> Painted:
    return compose(5, index, Recipe(kind, 480, scenario=scenario))


def seen_from(camera: Camera, point: np.ndarray) -> np.ndarray:
    """A pinhole camera with Brown's radial bend, written out anew."""
    x, y, z = (float(axis @ (point - camera.position)) for axis in camera.axes)
    x, y = x / z, y / z
    r2 = x * x + y * y
    bend = 1 + camera.k1 * r2 + camera.k2 * r2**2
    return np.array([camera.width / 2 + camera.focal * x * bend, camera.height / 2 + camera.focal * y * bend])


@pytest.mark.parametrize(("kind", "scenario", "index"), TILE_SCENES + CARD_SCENES)
def test_corners_are_where_the_geometry_puts_them(kind: str, scenario: str, index: int) -> None:
    painted = scene(kind, scenario, index)
    marks = labels(painted)
    assert len(marks) == len(painted.layout.bodies)
    for body, mark in zip(painted.layout.bodies, marks, strict=True):
        p = body.pose
        assert np.allclose([p.right @ p.right, p.down @ p.down, p.right @ p.down], [1, 1, 0], atol=1e-9)
        for (u, v), corner in zip(((-1, -1), (1, -1), (1, 1), (-1, 1)), mark["polygon"], strict=True):
            point = p.centre + u * body.width / 2 * p.right + v * body.height / 2 * p.down + body.bend * p.normal
            local = (point - painted.camera.position) @ painted.camera.axes.T
            if local[2] > 0.2 and np.hypot(*local[:2]) / local[2] < 1.2:
                assert np.allclose(seen_from(painted.camera, point), corner, atol=0.02)
        head = (np.array(mark["polygon"][0]) + mark["polygon"][1]) / 2
        foot = (np.array(mark["polygon"][2]) + mark["polygon"][3]) / 2
        a = np.radians(mark["upright"])
        # degrees clockwise from the picture's up
        along = (head - foot) / np.linalg.norm(head - foot)
        assert np.allclose([np.sin(a), -np.cos(a)], along, atol=0.03)


@pytest.mark.parametrize(("kind", "scenario", "index"), TILE_SCENES + CARD_SCENES)
def test_no_piece_is_seen_without_a_label_nor_labelled_without_being_seen(kind: str, scenario: str, index: int) -> None:
    painted = scene(kind, scenario, index)
    seen, area = np.unique(painted.canvas.ids, return_counts=True)
    marks = labels(painted)
    for ident, pixels in zip(seen, area, strict=True):
        if ident != NOBODY and pixels > 60 and marks[ident]["code"]:
            assert marks[ident]["kind"] in ("tile", "card")
    shown = set(seen.tolist())
    assert shown <= {NOBODY, *range(len(marks))}
    for ident, mark in enumerate(marks):
        assert 0 <= mark["visible"] <= 1
        assert mark["visible"] == 0 or ident in shown
    rows: dict[int, list[int]] = {}
    for mark in marks:
        if mark["row"] >= 0:
            rows.setdefault(mark["row"], []).append(mark["place"])
    assert all(sorted(places) == list(range(len(places))) for places in rows.values())


def likeness(a: np.ndarray, b: np.ndarray) -> float:
    x, y = (cv2.cvtColor(v, cv2.COLOR_BGR2GRAY).astype(float).ravel() for v in (a, b))
    x, y = x - x.mean(), y - y.mean()
    return float(x @ y / max(np.linalg.norm(x) * np.linalg.norm(y), 1e-9))


@pytest.mark.parametrize("kind", ["tiles", "cards"])
def test_crops_flattened_from_labels_show_the_face_they_were_drawn_from(kind: str) -> None:
    right, turned = [], []
    for index in range(6):
        painted = compose(8, index * 16, Recipe(kind, 640, scenario="close", pieces=4))
        for body, mark in zip(painted.layout.bodies, labels(painted), strict=True):
            if mark["visible"] < 0.97 or body.code == "back" or body.bend > 0.01:
                continue
            if body.kind == "tile":
                assert painted.sets.tiles
                face = painted.sets.tiles.face(body.code, body.copy, 999).albedo
            else:
                assert painted.sets.cards
                face = painted.sets.cards.face(body.code, body.copy).albedo
            crop = flatten(painted.canvas.pixels, np.array(mark["polygon"])[None], (48, 68))[0][4:-4, 4:-4]
            face = cv2.resize(face, (48, 68), interpolation=cv2.INTER_AREA)[4:-4, 4:-4]
            right.append(likeness(crop, face))
            turned.append(likeness(crop, face[::-1, ::-1]))
    assert len(right) >= 5
    assert np.median(right) > 0.8
    if kind == "tiles":
        assert np.mean(np.array(right) > np.array(turned)) > 0.9


def straight_down() -> Camera:
    return look_at(
        np.zeros(3), distance=12.0, elevation=np.pi / 2, azimuth=-np.pi / 2, roll=0.0, fov=0.6, size=(400, 400)
    )


def slab(x: float, y: float, z: float, yaw: float = 0.0) -> Body:
    return Body("tile", "r1", lying(x, y, yaw, z), 1.0, 1.4, 0.02, 0.0)


@pytest.mark.parametrize("shift", [0.2, 0.5, 0.8])
def test_the_visible_share_is_what_is_left_beside_what_lies_on_top(shift: float) -> None:
    camera = straight_down()
    lamp = Lamp(np.array([0, 0, 1.0]), np.ones(3), 0.5, 0.1, 50)
    canvas = Canvas(camera, Light((lamp,), np.ones(3) * 0.5))
    below, above = slab(0, 0, 0.02), slab(shift, 0.3, 0.04, 0.2)
    for ident, body in enumerate((below, above)):
        white = np.full((70, 50, 3), 240, np.uint8)
        paint_slab(canvas, body, white, None, 0.2, np.ones(3) * 200.0, 0.2, 0.0, ident)
    outlines = [camera.project(b.points(b.outline())).astype(np.float32) for b in (below, above)]
    hidden = cv2.intersectConvexConvex(*outlines)[0] / cv2.contourArea(outlines[0])
    assert visible_share(canvas, 0, outlines[0].astype(float)) == pytest.approx(1 - hidden, abs=0.04)
    assert visible_share(canvas, 1, outlines[1].astype(float)) == pytest.approx(1.0, abs=0.02)


def test_the_border_takes_from_the_visible_share() -> None:
    camera = straight_down()
    lamp = Lamp(np.array([0, 0, 1.0]), np.ones(3), 0.5, 0.1, 50)
    canvas = Canvas(camera, Light((lamp,), np.ones(3) * 0.5))
    reach = 12.0 * np.tan(0.3)
    body = slab(reach, 0, 0.02)
    paint_slab(canvas, body, np.full((70, 50, 3), 240, np.uint8), None, 0.2, np.ones(3) * 200.0, 0.2, 0.0, 0)
    assert visible_share(canvas, 0, camera.project(body.points(body.outline()))) == pytest.approx(0.5, abs=0.03)


def test_an_index_is_as_legible_as_its_rank_or_its_suit() -> None:
    marks = [mark for seed in range(3) for mark in labels(scene("cards", "melds", seed))]
    every = [(index, mark["code"]) for mark in marks for index in mark.get("indices", ())]
    assert every
    assert all(index["legible"] == index["visible"] for index, code in every if code == "*")
    hidden = [index for index, code in every if code != "*" and index["legible"] < 0.2]
    assert any(index["visible"] > 0.4 for index in hidden)  # the next card of a column lies on the suit
    assert all(index["legible"] > 0.9 for index, _ in every if index["visible"] > 0.99)
    quad = np.array(every[0][0]["polygon"])
    rank, suit = halves(quad)
    whole = sum(cv2.contourArea(part.astype(np.float32)) for part in (rank, suit))
    assert whole == pytest.approx(cv2.contourArea(quad.astype(np.float32)), rel=0.01)


def test_a_tile_lies_flat_on_one_and_leans_on_half_of_one() -> None:
    shape = Shape("tile", 1.0, 1.4, 0.25, 0.05)
    ground = make_body(shape, "r1", lying(0, 0, 0, 0))
    rest(ground, [])
    assert ground.pose.centre[2] == pytest.approx(0.25)
    flat = make_body(shape, "r2", lying(0.02, 0.02, 0, 0))
    rest(flat, [ground])
    assert flat.pose.centre[2] == pytest.approx(0.5, abs=0.01)
    assert flat.level == 1
    leaning = make_body(shape, "r3", lying(0.75, 0, 0, 0))
    rest(leaning, [ground])
    assert 0.9 < leaning.pose.normal[2] < 0.995
    corners = leaning.points(np.array([[0, 0], [1, 0], [1, 1], [0, 1.0]]), 0.25)
    assert corners[:, 2].min() == pytest.approx(0.0, abs=0.02)
    assert corners[:, 2].max() > 0.2


def digest(kind: str, index: int) -> str:
    made = render(3, index, Recipe(kind, 320))
    return hashlib.sha256(made.jpeg + repr(made.label).encode()).hexdigest()


@pytest.mark.parametrize("kind", ["tiles", "cards", "mixed"])
def test_the_same_seed_gives_the_same_bytes_whatever_came_before(kind: str) -> None:
    first = digest(kind, 7)
    for other in (40, 3, 6):
        assert digest(kind, other) != first
    assert digest(kind, 7) == first
    code = f"from tests.datasets.test_rendered_scene import digest; print(digest({kind!r}, 7))"
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, env=env, check=True)
    assert done.stdout.strip() == first


@pytest.mark.parametrize("block", [1, 2, 16])
def test_a_block_of_neighbouring_scenes_shares_a_set(block: int) -> None:
    decks = [compose(23, n, Recipe("cards", 320, decks=10_000_000, pieces=3, block=block)).sets.cards for n in range(4)]
    names = [cards.deck.name for cards in decks if cards]
    assert len(names) == 4
    assert [name == names[0] for name in names] == [n < block for n in range(4)]


def test_people_go_near_enough_to_read_cards() -> None:
    heights = []
    for index in range(24):
        painted = compose(21, index * 16, Recipe("cards", 640, decks=100_000))
        shown = [i for mark in labels(painted) for i in mark.get("indices", ()) if i["visible"] > 0.6]
        sides = [np.linalg.norm(np.subtract(i["polygon"][3], i["polygon"][0])) for i in shown]
        heights.extend([float(np.median(sides))] if sides else [])
    readable = [18 <= height <= 90 for height in heights]
    assert len(heights) >= 16
    assert np.mean(readable) > 0.6


def test_close_tiles_are_large_and_the_border_cuts_many() -> None:
    large, cut = [], []
    for index in range(12):
        painted = compose(22, index * 16, Recipe("tiles", 640, scenario="cut"))
        marks = [mark for mark in labels(painted) if mark["visible"] > 0.1]
        cut.append(any(mark["cut"] for mark in marks))
        large += [long_side(np.array(mark["polygon"])) for mark in marks]
    assert np.mean(cut) > 0.7
    assert np.percentile(large, 20) > 100
