"""Editions of tiles: the same again from the same seed, all faces there and apart, inks apart, held-out parts apart."""

from __future__ import annotations

import itertools
import re

import cv2
import numpy as np
import pytest

from datasets import fonts, jokers, tileinks, tilelooks
from datasets.editions import CODES, FACE_WIDTH, TileEdition, edition

NUMBERED = [code for code in CODES if code not in ("*", "back")]


def fresh(seed: int, held_out: bool = False) -> TileEdition:
    edition.cache_clear()
    return edition(seed, held_out)


def small(one: TileEdition, code: str) -> np.ndarray:
    """The face in Lab, small, so that a shift of the print by a pixel hardly counts."""
    albedo = one.face(code, np.random.default_rng(5)).albedo
    reduced = cv2.resize(albedo, (24, 34), interpolation=cv2.INTER_AREA)
    return cv2.cvtColor(reduced.astype(np.float32) / 255, cv2.COLOR_BGR2LAB)


@pytest.mark.parametrize("code", ["r1", "b6", "y10", "k13", "*", "back"])
def test_same_seed_same_bytes(code: str) -> None:
    for seed in range(4):
        one = fresh(seed).face(code, np.random.default_rng(9))
        other = fresh(seed).face(code, np.random.default_rng(9))
        assert one.albedo.tobytes() == other.albedo.tobytes()
        for layer, again in ((one.relief, other.relief), (one.gloss, other.gloss)):
            assert (layer is None) == (again is None)
            assert layer is None or again is None or layer.tobytes() == again.tobytes()


def test_another_rng_wears_a_tile_differently() -> None:
    one = edition(3)
    assert np.any(one.face("r5", np.random.default_rng(1)).albedo != one.face("r5", np.random.default_rng(2)).albedo)


def test_shapes_and_ranges() -> None:
    for seed in range(12):
        one = edition(seed)
        assert 1.2 <= one.aspect <= 1.6
        assert 0.12 <= one.thickness <= 0.4
        assert 0 <= one.bevel <= 0.12
        for code in ("r1", "k12", "*", "back"):
            face = one.face(code, np.random.default_rng(seed))
            shape = (round(FACE_WIDTH * one.aspect), FACE_WIDTH)
            assert face.albedo.shape == (*shape, 3)
            assert face.albedo.dtype == np.uint8
            assert face.relief is None or (face.relief.shape == shape and np.abs(face.relief).max() < 0.12)
            assert face.gloss is None or (face.gloss.shape == shape and 0 <= face.gloss.min() <= face.gloss.max() <= 1)


@pytest.mark.parametrize("seed", [0, 2, 5, 13])
def test_all_faces_are_there_and_apart(seed: int) -> None:
    one = edition(seed)
    faces = {code: small(one, code) for code in CODES}
    assert len(faces) == 54
    for first, second in itertools.combinations(CODES, 2):
        gap = np.linalg.norm(faces[first] - faces[second], axis=2)
        assert np.sort(gap, axis=None)[-6:].mean() > 6, f"{one.name}: {first} and {second} look alike"


def test_unknown_code_is_refused() -> None:
    with pytest.raises(ValueError, match="r14"):
        edition(0).face("r14", np.random.default_rng(0))


def test_two_hundred_distinct_editions() -> None:
    assert len({repr(tilelooks.sample(seed, False)) for seed in range(200)}) == 200
    looks = [tilelooks.sample(seed, False) for seed in range(200)]
    assert len({look.numeral.font for look in looks}) >= min(60, len(fonts.numeral_fonts(False)))
    assert len({design for look in looks for design in look.joker_designs}) >= 40
    assert 60 <= sum(bool(look.numeral.mark) for look in looks) <= 120


@pytest.mark.parametrize("held_out", [False, True])
def test_inks_stay_apart(held_out: bool) -> None:
    for seed in range(60):
        look = tilelooks.sample(seed, held_out)
        r, b, y, k = look.inks
        assert tileinks.distance(b, k) >= 18
        assert tileinks.distance(r, y) >= 18
        assert min(tileinks.distance(one, two) for one, two in itertools.combinations(look.inks, 2)) >= 18
        assert min(tileinks.distance(ink, look.body) for ink in look.inks) >= 28


def test_numerals_are_in_their_ink() -> None:
    """The most inked pixels of a tile are nearer its own ink than any other ink of the set."""
    for seed in range(25):
        one = edition(seed)
        if one.look.edge is not None:  # the line around the numeral has another colour, by design
            continue
        rng = np.random.default_rng(seed)
        body = tileinks.lab(one.body_bgr)
        inks = [tileinks.lab(ink) for ink in one.look.inks]
        for k, name in enumerate("rbyk"):
            face = one.face(f"{name}8", rng).albedo
            pixels = cv2.cvtColor(face.astype(np.float32) / 255, cv2.COLOR_BGR2LAB).reshape(-1, 3)
            away = np.linalg.norm(pixels - body, axis=1)
            most = np.median(pixels[np.argsort(away)[-max(80, len(away) // 60) :]], axis=0)
            assert int(np.argmin([np.linalg.norm(most - ink) for ink in inks])) == k, f"{one.name} {name}"


def test_held_out_parts_never_occur_otherwise() -> None:
    def parts(held_out: bool) -> tuple[set[str], set[str]]:
        looks = [tilelooks.sample(seed, held_out) for seed in range(150)]
        used = {str(look.numeral.font) for look in looks} | {str(look.joker_font) for look in looks}
        used |= {str(look.logo.font) for look in looks if look.logo}
        return used - {"None"}, {design for look in looks for design in look.joker_designs}

    shown_fonts, shown_jokers = parts(False)
    held_fonts, held_jokers = parts(True)
    assert not shown_fonts & held_fonts
    assert not shown_jokers & held_jokers
    designs = {f.path: f.design for held in (False, True) for f in fonts.numeral_fonts(held)}
    assert not {designs[p] for p in shown_fonts} & {designs[p] for p in held_fonts}
    everything = len(jokers.designs(False)) + len(jokers.designs(True))
    assert 0.15 <= len(jokers.designs(True)) / everything <= 0.3


def test_it_works_without_any_font(monkeypatch: pytest.MonkeyPatch) -> None:
    for cache in (fonts.installed, fonts.numeral_fonts, jokers.designs, edition):
        cache.cache_clear()
    monkeypatch.setattr(fonts, "FONT_DIRS", ())
    try:
        assert fonts.numeral_fonts(False) == ()
        for seed in range(6):
            one = edition(seed)
            assert one.look.numeral.font is None
            faces = [one.face(code, np.random.default_rng(0)).albedo for code in CODES]
            assert len({face.tobytes() for face in faces}) == 54
        assert sum(not name.startswith("glyph") for name in jokers.designs(False)) >= 35
    finally:
        for cache in (fonts.installed, fonts.numeral_fonts, jokers.designs, edition):
            cache.cache_clear()


def test_names_are_plain() -> None:
    for seed, held_out in itertools.product(range(4), (False, True)):
        assert re.fullmatch(r"[a-z]+-\d+(-held-out)?", edition(seed, held_out).name)
