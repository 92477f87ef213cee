"""The Scene's JSON form: there and back, and every way in which a text is none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vision.scene import BACK, CARD_FACES, TILE_FACES, UNKNOWN, Piece, Row, Scene, SceneError

numbers = st.floats(-1e5, 1e5)
quads = st.tuples(*[st.tuples(numbers, numbers)] * 4)
chances = st.floats(0, 1)


@st.composite
def pieces(draw: st.DrawFn) -> Piece:
    kind = draw(st.sampled_from(["tile", "card"]))
    faces = st.sampled_from([*(TILE_FACES if kind == "tile" else CARD_FACES), BACK, UNKNOWN])
    return Piece(
        code=draw(faces),
        p=draw(chances),
        quad=draw(quads),
        kind=kind,
        alternatives=tuple(draw(st.lists(st.tuples(faces, chances), max_size=3))),
        upright_known=draw(st.booleans()),
        flags=tuple(draw(st.lists(st.sampled_from(["cut", "blurred", "glare", "small"]), unique=True))),
        settled=draw(st.text(max_size=20)),
        asked=draw(st.booleans()),
        indices=tuple(draw(st.lists(quads, max_size=2))),
    )


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    found = draw(st.lists(pieces(), max_size=6))
    order = draw(st.permutations(range(len(found))))
    cut = draw(st.integers(0, len(order)))
    rows = tuple(Row(tuple(part), draw(st.sampled_from(["meld", "rack", "fan", "loose"])))
                 for part in (order[:cut], order[cut:]) if part)
    return Scene(draw(st.integers(1, 9999)), draw(st.integers(1, 9999)), tuple(found), rows,
                 tuple(draw(st.lists(st.sampled_from(["dark", "far"])))), {"locate": 1.5})


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(scenes())
def test_there_and_back(scene: Scene) -> None:
    again = Scene.from_json(scene.to_json())
    assert again == scene
    assert again.timings == scene.timings


QUAD = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.4), (0.0, 1.4))
GOOD = Scene(640, 480, (Piece("r5", 0.9, QUAD), Piece("r6", 0.8, QUAD)), (Row((1, 0)),)).to_dict()


def test_codes_of_a_row() -> None:
    scene = Scene.from_dict(GOOD)
    assert scene.codes(scene.rows[0]) == ("r6", "r5")


def changed(path: tuple[Any, ...], value: object) -> dict[str, Any]:
    data: Any = json.loads(json.dumps(GOOD))
    place = data
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return dict(data)


@pytest.mark.parametrize(("path", "value", "words"), [
    (("schema",), 2, "schema 2"),
    (("width",), 0, "width"),
    (("height",), 1.5, "height"),
    (("pieces",), {}, "pieces must be a list"),
    (("pieces", 0), 3, "Piece 0 must be"),
    (("pieces", 0, "code"), "r14", "'r14'"),
    (("pieces", 0, "code"), "10H", "'10H'"),
    (("pieces", 0, "p"), 1.1, "between 0 and 1"),
    (("pieces", 0, "p"), "high", "a number"),
    (("pieces", 0, "quad"), [[0, 0]] * 3, "four corners"),
    (("pieces", 0, "quad"), [[0, 0], [1, 0], [1, 1], [0, "y"]], "a number"),
    (("pieces", 0, "kind"), "coin", "'coin'"),
    (("pieces", 0, "alternatives"), [["r5"]], "pairs"),
    (("pieces", 0, "alternatives"), [["x", 0.1]], "'x'"),
    (("pieces", 0, "flags"), ["dusty"], "'dusty'"),
    (("pieces", 0, "asked"), 1, "true or false"),
    (("pieces", 0, "settled"), None, "words"),
    (("pieces", 0, "indices"), [[1]], "four corners"),
    (("rows", 0, "pieces"), [2], "there are 2 pieces"),
    (("rows", 0, "pieces"), [0, 0], "two rows"),
    (("rows", 0, "kind"), "heap", "'heap'"),
    (("remarks",), [1], "words"),
    (("timings",), {"a": "b"}, "timing"),
])
def test_refused_with_a_sentence(path: tuple[Any, ...], value: object, words: str) -> None:
    with pytest.raises(SceneError, match=words):
        Scene.from_dict(changed(path, value))


@pytest.mark.parametrize("text", ["", "[]", "3", "{", '{"schema": 1}', b"\xff"])
def test_no_scene_at_all(text: str | bytes) -> None:
    with pytest.raises(SceneError):
        Scene.from_json(text)
