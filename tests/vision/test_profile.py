"""A set taught from one photo, and what reading with its profile may and may not change."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import toys
from test_settle import tile
from toys import Toy

from vision.flatten import Image
from vision.identify import Reading
from vision.profile import Profile, ProfileError, checked_name
from vision.read import Reader
from vision.teach import Lesson, TeachError, ink_order, places, teach

ORDER = "ykbr"
INKS = np.array([[-2.0, -2.2, -0.3], [-0.4, -1.5, -2.2], [-2.4, -1.0, -0.1], [-1.9, -2.0, -2.0]])


def layout(order: str = ORDER) -> list[Toy]:
    return [
        Toy(f"{letter}{number}", 40 + 64 * (number - 1), 80 + 110 * row, 72)
        for row, letter in enumerate(order) for number in range(1, 14)
    ]


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    """Toys laid out and taught, four of them missing."""
    reader = Reader(networks=toys.networks())
    laid = [toy for n, toy in enumerate(layout()) if n not in (0, 15, 20, 51)]
    return teach(toys.table(laid, 880, 500), reader, "home", "2026-11-30")


def placed(order: str = ORDER, backwards: bool = False) -> list[Reading]:
    """Readings of a layout seen askew, as a list to take from."""
    return [
        _at(tile(f"{letter}{14 - number if backwards else number}"), 34.0 * number + 3 * row, 52.0 * row + 2 * number)
        for row, letter in enumerate(order) for number in range(1, 14)
    ]


def _at(reading: Reading, x: float, y: float) -> Reading:
    quad = reading.quad + np.array([x, y])
    return replace(
        reading, spot=replace(reading.spot, quad=quad),
        hypotheses=tuple(replace(way, quad=quad) for way in reading.hypotheses),
    )  # fmt: skip


def profile(**changed: Any) -> Profile:
    """Numerals that look like nothing in particular, and plain inks."""
    rng = np.random.default_rng(1)
    given: dict[str, Any] = {
        "name": "home", "made": "2026-11-30", "body": (200, 220, 230), "inks": INKS,
        "shades": np.log(np.eye(4) * 0.97 + 0.01), "numerals": rng.random((13, 56, 40), np.float32),
    }  # fmt: skip
    return Profile(**{**given, **changed})


def test_a_layout_is_learned_with_its_order_of_colours(lesson: Lesson) -> None:
    assert lesson.rows == ORDER
    assert lesson.sure
    assert set(lesson.quads) == {toy.code for toy in layout()} - {"y1", "k3", "k8", "r13"}, "a gap shifts no other"
    assert lesson.quads["k7"].mean(axis=0) == pytest.approx([40 + 64 * 6, 190], abs=3)
    assert np.abs(np.array(lesson.profile.body) - toys.BODY).max() < 12
    hue = lesson.profile.inks - lesson.profile.inks.mean(axis=1, keepdims=True)
    assert hue[0].argmax() == 2, "red keeps red light"
    assert hue[1].argmax() == 0, "blue keeps blue light"


def test_every_tile_has_its_place() -> None:
    cells = places(placed())
    assert cells == np.arange(52).reshape(4, 13).tolist()
    missing = placed()
    del missing[5], missing[30]
    cells = places(missing)
    assert [row.index(-1) if -1 in row else None for row in cells] == [5, None, 5, None]


def test_numbers_that_the_network_misreads_do_not_move_tiles() -> None:
    wrong = [_at(tile("r7", 0.6), *reading.quad[0]) if n % 13 == 0 else reading
             for n, reading in enumerate(placed())]
    assert places(wrong) == np.arange(52).reshape(4, 13).tolist()


@pytest.mark.parametrize(("laid", "code"), [
    (placed()[:39], "FEW"), (placed(backwards=True), "ORDER"), ([], "FEW"),
    ([*placed(), *(_at(tile(f"r{n}"), 34.0 * n + 12, 208.0 + 2 * n) for n in range(1, 14))], "ROWS"),
    ([_at(tile(f"r{n % 13 + 1}"), 34.0 * (n % 18), 52.0 * (n // 18)) for n in range(54)], "ROWS"),
], ids=["three rows", "from the right", "nothing", "five rows", "three long rows"])
def test_what_is_no_layout_is_said(laid: list[Reading], code: str) -> None:
    with pytest.raises(TeachError) as error:
        places(laid)
    assert error.value.code == code
    assert str(error.value).endswith(".")


def test_numbers_misread_in_the_dark_are_laid_to_the_light() -> None:
    dark = [
        replace(reading, hypotheses=tuple(replace(way, crop=way.crop // 5) for way in reading.hypotheses))
        for reading in placed(backwards=True)
    ]
    with pytest.raises(TeachError) as error:
        places(dark)
    assert error.value.code == "NUMBERS"


def test_rows_are_named_by_four_letters() -> None:
    with pytest.raises(TeachError, match="four letters"):
        teach(np.zeros((9, 9, 3), np.uint8), Reader(networks={}), "home", "", "rbyy")


def test_near_colours_are_not_guessed() -> None:
    rows = [[tile(f"{letter}{n}", 0.4 if letter in "bk" else 0.9) for n in range(1, 14)] for letter in "rbyk"]
    order, sure = ink_order(rows)
    assert order == "rbyk"
    assert sure
    blurred = [[reading.coloured(np.full(4, 0.25)) for reading in row] if n in (1, 3) else row
               for n, row in enumerate(rows)]
    assert not ink_order(blurred)[1]


@pytest.mark.parametrize("name", ["", "../x", "Home", "a" * 41, "a b", ".x", None, "con/../../etc", "x\n"])
def test_a_name_becomes_a_file_so_few_are_allowed(name: object) -> None:
    with pytest.raises(ProfileError):
        checked_name(name)


def test_to_json_and_back() -> None:
    one = profile()
    two = Profile.from_json(one.to_json())
    assert (two.name, two.made, two.body, two.reader) == (one.name, one.made, one.body, one.reader)
    np.testing.assert_allclose(two.inks, one.inks, atol=1e-4)
    np.testing.assert_allclose(two.shades, one.shades, atol=1e-4)
    np.testing.assert_allclose(two.numerals, one.numerals, atol=1 / 255)


@pytest.mark.parametrize("change", [
    {"schema": 2}, {"name": "../../etc"}, {"inks": {}}, {"inks": {c: [1, 2] for c in "rbyk"}}, {"numerals": []},
    {"numerals": ["!"] * 13}, {"body": [1, 2]}, {"body": [1, 2, 999]}, {"body": None},
    {"shades": {c: [float("nan")] * 4 for c in "rbyk"}}, {"shades": {c: [1e9] * 4 for c in "rbyk"}},
], ids=lambda change: str(change)[:30])  # fmt: skip
def test_a_damaged_profile_is_refused(change: dict[str, object]) -> None:
    with pytest.raises(ProfileError):
        Profile.from_json(json.dumps({**json.loads(profile().to_json()), **change}))


@pytest.mark.parametrize("text", ["", "[]", "null", "{", "[" * 100_000, b"\xff\xfe", "1e999"])
def test_what_is_no_profile_is_refused(text: str | bytes) -> None:
    with pytest.raises(ProfileError):
        Profile.from_json(text)


def test_an_ink_that_the_network_takes_for_another_is_known_by_the_set() -> None:
    # petrol blue, which the network takes for black more often than not; the set's own black is told apart
    shades = np.log(np.array([[0.97, 0.01, 0.01, 0.01], [0.01, 0.4, 0.01, 0.58], [0.01, 0.01, 0.97, 0.01],
                              [0.003, 0.003, 0.003, 0.991]]))
    seen = [INKS[1] + 0.1, INKS[3] + 0.1, INKS[0] + 0.1, INKS[1] + 0.15]
    colours = np.exp(shades)[[1, 3, 0, 1]]
    found = profile(shades=shades).colours(seen, colours)
    assert found.argmax(axis=1).tolist() == [1, 3, 0, 1]
    assert found.sum(axis=1) == pytest.approx(1)
    assert colours.argmax(axis=1).tolist() == [3, 3, 0, 3]


def test_another_lamp_moves_all_inks_alike_and_changes_nothing() -> None:
    seen = [ink * 0.8 + [0.3, 0.1, -0.2] for ink in INKS for _ in range(3)]
    colours = np.repeat(np.eye(4) * 0.8 + 0.05, 3, axis=0)
    found = profile().colours(seen, colours)
    assert (found.argmax(axis=1) == np.repeat(range(4), 3)).all()
    assert (found.max(axis=1) > 0.9).all()


def test_shades_of_another_network_are_not_compared() -> None:
    blue_as_red = np.array([0.45, 0.4, 0.1, 0.05])
    shades = np.log(np.eye(4) * 0.97 + 0.01)
    shades[1] = np.log(blue_as_red)
    odd, unsure = profile(shades=shades, reader="another"), [tile("b5").coloured(blue_as_red)]
    assert odd.apply(unsure, "this")[0].colour.argmax() == 0
    assert odd.apply(unsure, "another")[0].colour.argmax() == 1


def test_numerals_speak_among_numbers_only(lesson: Lesson) -> None:
    reading = look_at(["y8"])[0]
    rank = np.full(16, 0.0)
    rank[[6, 7, 13, 15]] = 0.5, 0.3, 0.15, 0.05
    doubtful = Reading("tile", reading.spot, (replace(reading.hypotheses[0], rank=rank),), 1.0)
    fresh = lesson.profile.apply([doubtful])[0].rank
    assert int(fresh.argmax()) == 7, "its shape is this set's 8"
    assert fresh[13:] == pytest.approx(rank[13:]), "no word on jokers and backs"
    assert fresh.sum() == pytest.approx(1)


def test_sure_readings_stay_and_stay_sure(lesson: Lesson) -> None:
    codes = ["r3", "b3", "y10", "k13", "*", "back"]
    faces = [reading.faces for reading in lesson.profile.apply(look_at(codes))]
    assert sorted(max(face.items(), key=lambda item: item[1])[0] for face in faces) == sorted(codes)
    assert min(max(face.values()) for face in faces) > 0.95


def test_a_reader_uses_its_profile_and_says_how_long_it_took(lesson: Lesson) -> None:
    reader = Reader(networks=toys.networks(), profile=lesson.profile)
    scene = reader.read(toys.table([Toy(f"r{n}", 68 * n - 100, 100) for n in range(3, 7)], 400, 200))
    assert {piece.code for piece in scene.pieces} == {"r3", "r4", "r5", "r6"}
    assert scene.timings["profile"] > 0


def look_at(codes: list[str]) -> list[Reading]:
    picture: Image = toys.table([Toy(code, 80 + 80 * n, 100) for n, code in enumerate(codes)], 800, 220)
    reader = Reader(networks=toys.networks())
    return reader.look(picture, reader.find(picture, ("tile",)))

