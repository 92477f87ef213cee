"""Pieces followed through toy films: noise, hands, laid, taken, moved and swapped tiles, bumps and lamps."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
import pytest
import toys
from toys import Toy

from vision.carry import Lying, by_code, common_movement, in_place, lying
from vision.follow import AGAIN, Event, Follower, Seen
from vision.identify import Hypothesis, Reading
from vision.locate import Spot
from vision.motion import Motion
from vision.read import Reader
from vision.scene import TILE_FACES, Kind, Scene
from vision.votes import Votes, carry

Pixels = np.ndarray[Any, np.dtype[np.uint8]]
WIDE, HIGH, RATE = 640, 360, 10
FOUR = tuple(Toy(f"r{n + 3}", 150 + 50 * n, 130, height=64) for n in range(4))
B7 = Toy("b7", 430, 130, height=64)
HAND = (120, 150, 200)
NOISE = np.random.default_rng(1).normal(0, 3, (HIGH + 40, WIDE + 40, 3)).astype(np.int16)
TURN = np.array([[0.988, 0.156, -10.0], [-0.156, 0.988, 74.0], [0.0, 0.0, 1.0]])
"""The camera turned by nine degrees and shifted."""


@lru_cache(maxsize=16)
def table(laid: tuple[Toy, ...]) -> Pixels:
    return toys.table(laid, WIDE, HIGH)


class Film:
    """Shows frames to a follower at RATE a second and keeps what it says."""

    def __init__(self, kinds: Sequence[Kind] = ("tile",), **changed: Any) -> None:
        self.follower = Follower(Reader(networks=toys.networks(**changed)), kinds)
        self.time, self.number = 0.0, 0
        self.events: list[Event] = []
        self.seen: Seen | None = None

    def show(self, seconds: float, laid: Sequence[Toy], hand: Callable[[float], tuple[float, float]] | None = None,
             camera: Any = None, light: float = 1.0) -> Seen:
        """`hand`: from 0 to 1 over the shot, where the fingers are; `camera`: a homography of the picture."""
        self.events = []
        frames = max(round(seconds * RATE), 1)
        for n in range(frames):
            picture = table(tuple(laid)).copy()
            if hand is not None:
                x, y = (round(v) for v in hand(n / frames))
                cv2.line(picture, (x, y), (x + 40, HIGH + 60), HAND, 56)
            if camera is not None:
                picture = cv2.warpPerspective(picture, camera, (WIDE, HIGH), borderValue=toys.TABLE)
            a, b = self.number * 7 % 40, self.number * 11 % 40
            noisy = cv2.add(picture, NOISE[a : a + HIGH, b : b + WIDE], dtype=cv2.CV_16S)
            self.seen = self.follower.update(np.clip(noisy * light, 0, 255).astype(np.uint8), self.time)
            self.events += self.seen.events
            self.time += 1 / RATE
            self.number += 1
        assert self.seen is not None
        return self.seen

    @property
    def said(self) -> list[str]:
        return [event.kind for event in self.events]


def known(seen: Seen) -> dict[str, int]:
    return {piece.code: number for piece, number in zip(seen.scene.pieces, seen.ids, strict=True)}


@pytest.fixture
def film() -> Film:
    """Four tiles lie, and have been read."""
    film = Film()
    film.show(1.0, FOUR)
    return film


def test_a_still_table_is_read_a_few_times_at_first_and_keeps_its_identities(film: Film) -> None:
    first = known(film.seen) if film.seen else {}
    film.show(3.0, FOUR)
    seen = film.show(3.0, FOUR)
    assert film.said == []
    assert known(seen) == first == {"r3": first["r3"], "r4": first["r4"], "r5": first["r5"], "r6": first["r6"]}
    assert len(set(first.values())) == 4
    assert (seen.state, seen.changed, seen.frame) == ("still", False, 1 + len(AGAIN))


def test_what_is_seen_goes_to_a_browser_and_back(film: Film) -> None:
    scene = film.show(2.0, FOUR).scene
    assert Scene.from_dict(json.loads(json.dumps(scene.to_dict()))) == scene


def test_a_passing_hand_changes_nothing(film: Film) -> None:
    before = known(film.seen) if film.seen else {}
    film.show(2.0, FOUR, lambda u: (100 + 250 * u, HIGH - 300 * np.sin(np.pi * u)))
    assert film.said == []
    assert known(film.show(1.0, FOUR)) == before
    assert film.said == []


def test_what_lies_under_a_resting_hand_is_believed(film: Film) -> None:
    before = known(film.seen) if film.seen else {}
    seen = film.show(4.0, FOUR, lambda u: (200, 120))
    assert (film.said, seen.state, known(seen)) == ([], "changing", before)
    seen = film.show(1.5, FOUR)
    assert (film.said, seen.state, known(seen)) == ([], "still", before)


def test_a_laid_tile_is_new_within_a_second_of_the_hand_leaving(film: Film) -> None:
    before = known(film.seen) if film.seen else {}
    film.show(1.0, FOUR, lambda u: (430, HIGH - 240 * u))
    film.show(1.0, (*FOUR, B7), lambda u: (430, 120 + 280 * u))
    seen = film.show(1.0, (*FOUR, B7))
    assert known(seen) == {**before, "b7": known(seen)["b7"]}
    film.show(4.0, (*FOUR, B7))
    assert film.said == []


def test_a_taken_tile_is_lost(film: Film) -> None:
    before = known(film.seen) if film.seen else {}
    seen = film.show(1.5, FOUR[1:])
    assert [(event.kind, event.id) for event in film.events] == [("lost", before["r3"])]
    assert known(seen) == {code: number for code, number in before.items() if code != "r3"}


def test_a_moved_tile_keeps_its_identity(film: Film) -> None:
    before = known(film.seen) if film.seen else {}
    seen = film.show(2.5, (*FOUR[1:], Toy("r3", 480, 260, height=64)))
    assert ([(event.kind, event.id) for event in film.events], known(seen)) == ([("moved", before["r3"])], before)


def test_a_tile_taken_and_laid_elsewhere_later_is_the_same_one(film: Film) -> None:
    before = known(film.seen) if film.seen else {}
    film.show(2.0, FOUR[1:])
    seen = film.show(2.0, (*FOUR[1:], Toy("r3", 480, 260, height=64)))
    assert ([(event.kind, event.id) for event in film.events], known(seen)) == ([("moved", before["r3"])], before)


def test_a_tile_moved_under_a_hand_that_hides_its_old_place_is_the_same_one(film: Film) -> None:
    before = known(film.seen) if film.seen else {}
    laid = (*FOUR[1:], Toy("r3", 480, 260, height=64))
    film.show(1.0, laid, lambda u: (150, 130 + 30 * (u * 40 % 2)))
    assert film.said == []
    seen = film.show(2.0, laid)
    assert ([(event.kind, event.id) for event in film.events], known(seen)) == ([("moved", before["r3"])], before)


def test_the_second_copy_of_a_hidden_tile_is_a_piece_of_its_own(film: Film) -> None:
    before = known(film.seen) if film.seen else {}
    laid = (*FOUR, Toy("r3", 480, 260, height=64))
    film.show(0.6, laid, lambda u: (150, 130 + 30 * (u * 40 % 2)))
    seen = film.show(2.0, laid)
    assert film.said == ["new"]
    assert set(before.values()) < set(seen.ids)


def test_a_joker_swapped_for_its_tile_is_another_piece() -> None:
    film = Film()
    joker = (*FOUR[:3], Toy("*", 300, 130, height=64))
    before = known(film.show(1.0, joker))
    after = known(film.show(2.0, FOUR))
    assert after["r6"] not in before.values()
    assert sorted(film.said) == ["lost", "new"]
    assert {code: after[code] for code in ("r3", "r4", "r5")} == {code: before[code] for code in ("r3", "r4", "r5")}


def test_identities_go_along_with_a_bumped_camera(film: Film) -> None:
    before = known(film.seen) if film.seen else {}
    seen = film.show(2.0, FOUR, camera=TURN)
    assert (film.said, known(seen), seen.state) == (["bump"], before, "still")
    middle = np.mean(seen.scene.pieces[seen.ids.index(before["r3"])].quad, axis=0)
    assert np.abs(middle - carry(np.array([[150.0, 130.0]]), TURN)[0]).max() < 4


def test_identities_go_along_where_the_table_shows_grain() -> None:
    grain = np.random.default_rng(5).integers(-24, 24, (HIGH // 4, WIDE // 4))
    grain = cv2.resize(grain.astype(np.float32), (WIDE, HIGH))[..., None]
    follower = Follower(Reader(networks=toys.networks()), ("tile",))
    still = np.clip(table(FOUR) + grain, 0, 255).astype(np.uint8)
    first = [follower.update(still, n / 10) for n in range(10)][-1]
    moved = np.asarray(cv2.warpPerspective(still, TURN, (WIDE, HIGH), borderMode=cv2.BORDER_REFLECT), np.uint8)
    seen = [follower.update(moved, 1 + n / 10) for n in range(20)]
    assert known(seen[-1]) == known(first)
    assert [event.kind for one in seen for event in one.events] == ["bump"]


def test_a_bump_that_looks_like_a_hand_is_a_bump() -> None:
    """All that changes hangs together and reaches over the border, as an arm does."""
    film = Film()
    laid = [Toy(f"{ink}{n + 1}", 80 + 50 * n, y, height=64) for ink, y in (("r", 40), ("k", 110)) for n in range(9)]
    before = known(film.show(3, laid))
    seen = film.show(2, laid, camera=np.array([[0.99, 0.02, 60.0], [-0.02, 0.99, 10.0], [0.0, 0.0, 1.0]]))
    assert film.said.count("bump") == 1
    assert "lost" not in film.said
    assert known(seen).items() <= before.items()
    assert len(known(seen)) > len(laid) // 2  # the border cuts some of them


@pytest.mark.parametrize("light", [0.85, 1.1], ids=["darker", "brighter"])
def test_a_lamp_changes_nothing(film: Film, light: float) -> None:
    before = known(film.seen) if film.seen else {}
    seen = film.show(2.0, FOUR, light=light)
    assert (film.said, known(seen)) == ([], before)


def test_another_table_is_looked_for_and_then_new() -> None:
    film = Film()
    film.show(1.0, FOUR)
    film.follower.update(np.full((HIGH, WIDE, 3), 250, np.uint8), film.time)
    before = set(film.seen.ids) if film.seen else set()
    other = tuple(Toy(f"k{n + 8}", 130 + 60 * n, 250, height=64, turn=180) for n in range(5))
    seen = film.show(3.0, other)
    assert sorted(known(seen)) == sorted(toy.code for toy in other)
    assert not before & set(seen.ids)


def test_an_empty_table_is_empty() -> None:
    seen = Film(("tile", "card")).show(0.5, ())
    assert (seen.scene.pieces, seen.ids, seen.events, seen.state) == ((), (), (), "still")


def test_a_frame_of_another_size_carries_the_identities() -> None:
    follower = Follower(Reader(networks=toys.networks()), ("tile",))
    first = known(follower.update(table(FOUR), 0.0))
    larger = toys.table([Toy(toy.code, toy.x * 1.5, toy.y * 1.5, toy.height * 1.5) for toy in FOUR], 960, 540)
    seen = follower.update(larger, 0.1)
    assert (known(seen), seen.scene.width) == (first, 960)


def test_forgetting_gives_no_identity_twice(film: Film) -> None:
    before = set(film.seen.ids) if film.seen else set()
    film.follower.reset()
    assert not before & set(film.show(0.3, FOUR).ids)


def test_one_frame_a_second_is_enough(film: Film) -> None:
    for n in range(3):
        seen = film.follower.update(table((*FOUR, B7)), film.time + 1.0 + n)
    assert "b7" in known(seen)


def look_of(p: float, code: str = "r5", shift: float = 0.0) -> Reading:
    quad = Toy(code, 100 + shift, 100).quad
    rank, colour = np.full(16, (1 - p) / 15), np.full(4, 0.001)
    rank[int(code[1:]) - 1], colour["rbyk".index(code[0])] = p, 0.997
    crop = np.zeros((64, 48, 3), np.uint8)
    return Reading("tile", Spot("tile", 0.9, quad), (Hypothesis(quad, 1.0, rank, colour, crop),))


def test_a_piece_looked_at_often_is_surer_but_never_certain() -> None:
    votes = Votes(look_of(0.7))
    found = [votes.reading.faces["r5"]]
    for _ in range(30):
        votes.add(look_of(0.7))
        found.append(votes.reading.faces["r5"])
    assert found == sorted(found)
    assert 0.9 < found[-1] < 0.9999


def test_one_wrong_look_does_not_outweigh_many_right_ones() -> None:
    votes = Votes(look_of(0.9))
    for _ in range(4):
        votes.add(look_of(0.9))
    votes.add(look_of(0.97, "r8"))
    assert votes.reading.best[0] == "r5"
    for _ in range(12):
        votes.add(look_of(0.9, "r8"))
    assert votes.reading.best[0] == "r8"


def laid_at_random(rng: np.random.Generator, count: int) -> Lying:
    quads = np.stack([
        Toy("r1", float(x), float(y), 40, float(rng.uniform(0, 360))).quad
        for x, y in zip(np.linspace(60, 900, count), rng.uniform(60, 500, count), strict=True)
    ])
    return Lying(quads, tuple(rng.choice(TILE_FACES, count)))


@pytest.mark.parametrize("seed", range(12))
def test_a_common_movement_is_found_among_lost_new_and_misread_pieces(seed: int) -> None:
    rng = np.random.default_rng(seed)
    old = laid_at_random(rng, 14)
    angle, shift = rng.uniform(-0.6, 0.6), rng.uniform(-80, 80, 2)
    true = np.array([[np.cos(angle), -np.sin(angle), shift[0]], [np.sin(angle), np.cos(angle), shift[1]], [0, 0, 1]])
    true[2, :2] = rng.normal(0, 5e-5, 2)
    quads = np.stack([carry(quad, true) for quad in old.quads]) + rng.normal(0, 1, old.quads.shape)
    codes = list(old.codes)
    codes[3], codes[7] = "k13", "*"
    new = Lying(np.concatenate([quads[2:], laid_at_random(rng, 3).quads]), (*codes[2:], "b1", "b2", "b3"))
    found = common_movement(old, new)
    assert found is not None
    assert np.abs(carry(old.centres, found) - carry(old.centres, true)).max() < 6


def test_no_movement_is_made_up() -> None:
    rng = np.random.default_rng(3)
    assert common_movement(laid_at_random(rng, 10), laid_at_random(rng, 10)) is None
    assert common_movement(lying([], []), laid_at_random(rng, 2)) is None


def test_pieces_pair_by_place_then_by_code() -> None:
    old = Lying(np.stack([Toy("r1", 100, 100).quad, Toy("r2", 300, 100).quad]), ("r1", "r2"))
    new = Lying(np.stack([Toy("r2", 110, 104).quad, Toy("r2", 500, 300).quad]), ("r2", "r2"))
    assert in_place(old, new) == [(0, 0)]
    assert by_code(old, new) == [(1, 0)]


def test_noise_and_light_are_no_movement() -> None:
    motion, rng = Motion(WIDE, HIGH), np.random.default_rng(2)
    for n in range(20):
        noisy = np.clip(table(FOUR) * (1.0 if n < 10 else 0.85) + rng.normal(0, 3, (HIGH, WIDE, 1)), 0, 255)
        assert motion.update(noisy.astype(np.uint8), n / 10).regions == ()


def test_a_flickering_screen_becomes_noise() -> None:
    motion = Motion(WIDE, HIGH)
    regions = []
    for n in range(600):
        picture = table(FOUR).copy()
        picture[280:340, 500:600] = 90 + 60 * (n % 2)
        regions.append(len(motion.update(picture, n / 10).regions))
    assert regions[5] == 1
    assert regions[-10:] == [0] * 10


@pytest.mark.slow
def test_an_evening_takes_no_more_memory_than_its_beginning() -> None:
    film = Film()

    def round_of_play(number: int) -> None:
        film.show(1.0, FOUR, lambda u: (430, HIGH - 240 * u))
        laid = (*FOUR, Toy(f"b{number % 13 + 1}", 430, 130, height=64))
        film.show(2.0, laid)
        film.show(2.0, FOUR, camera=TURN if number % 5 == 4 else None)
        film.show(2.0, FOUR)

    for number in range(6):
        round_of_play(number)
    tracemalloc.start()
    for number in range(13):
        round_of_play(number)
    table.cache_clear()
    first = tracemalloc.take_snapshot()
    for number in range(26):
        round_of_play(number)
    table.cache_clear()
    grown = sum(one.size_diff for one in tracemalloc.take_snapshot().compare_to(first, "filename"))
    tracemalloc.stop()
    assert grown < 3_000_000
