"""Photos, Scenes, profiles and notation that were tampered with: read rightly or refused in words, nothing else."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mutations import JSON, bounded, broken_bytes, broken_json
from PIL import Image as Pil

from companion.pieces import NotationError, parse_card, parse_tile
from companion.table import EditError, TableError, edit_from_dict, read_table
from vision import photo
from vision.photo import PhotoError
from vision.profile import Profile, ProfileError
from vision.scene import Piece, Row, Scene, SceneError


def picture(form: str, **options: Any) -> bytes:
    """A small photo with structure in it, as a phone would write it."""
    y, x = np.mgrid[0:90, 0:120]
    pixels = np.stack([x * 2, y * 2, (x * y) % 256], axis=2).astype(np.uint8)
    exif = Pil.Exif()
    exif[274] = 6
    exif[271] = "a maker"
    file = io.BytesIO()
    Pil.fromarray(pixels).save(file, form, exif=exif, **options)
    return file.getvalue()


PICTURES = {
    "jpeg": picture("JPEG", quality=85), "progressive": picture("JPEG", progressive=True, quality=60),
    "png": picture("PNG"), "webp": picture("WEBP", quality=70), "webp lossless": picture("WEBP", lossless=True),
}  # fmt: skip


def told(error: Exception) -> None:
    """Refused in a sentence for a person, which may begin with what they wrote."""
    assert " " in str(error), "a sentence"
    if isinstance(error, NotationError):
        assert 0 <= error.start <= error.end <= len(error.text)


def scene() -> Scene:
    pieces = tuple(
        Piece(code, 0.97, ((10.0 + 40 * n, 10), (40.0 + 40 * n, 10), (40.0 + 40 * n, 52), (10.0 + 40 * n, 52)),
              alternatives=(("b5", 0.02),), asked=n == 1)
        for n, code in enumerate(("r3", "r4", "r5", "*", "k7", "back", "?"))
    )
    return Scene(400, 120, pieces, (Row((0, 1, 2, 3)), Row((4,), "loose"), Row((5, 6), "rack")), ("far",), {"all": 3.0})


@pytest.mark.parametrize("form", PICTURES)
def test_broken_photos(form: str) -> None:
    @bounded(80)
    @given(broken_bytes(PICTURES[form]))
    @example(PICTURES[form])
    def decode(data: bytes) -> None:
        try:
            found = photo.decode(data)
        except PhotoError as error:
            told(error)
            return
        assert found.image.ndim == 3
        assert found.image.dtype == np.uint8
        assert found.image.shape[2] == 3
        assert found.width * found.height <= photo.MAX_PIXELS

    decode()


@bounded(120)
@given(broken_json(scene().to_dict()))
def test_broken_scenes(value: Any) -> None:
    try:
        found = Scene.from_json(json.dumps(value))
    except SceneError as error:
        told(error)
        return
    assert Scene.from_json(found.to_json()) == found


@bounded(120)
@given(broken_bytes(scene().to_json().encode()))
def test_scenes_of_broken_bytes(data: bytes) -> None:
    try:
        Scene.from_json(data)
    except SceneError as error:
        told(error)


EDITS: list[dict[str, Any]] = [
    {"do": "change", "piece": 1, "code": "b4"}, {"do": "remove", "piece": 4},
    {"do": "answer", "question": 0, "code": "r4"},
    {"do": "add", "code": "r6", "meld": 0, "position": 4, "quad": None}, {"do": "mark", "pieces": [4], "kind": "rack"},
    {"do": "move", "pieces": [3, 4], "meld": None, "position": 0}, {"do": "seat", "player": "Ana", "x": 0.5, "y": 1.0},
    {"do": "give", "pieces": [0], "player": "Ana"},
]  # fmt: skip


@bounded(80)
@given(broken_json(scene().to_dict()), st.lists(st.sampled_from(EDITS), max_size=4).flatmap(broken_json),
       st.sampled_from(("remi", "rummy", "carousel")), st.sampled_from(("opening", "table", "rack", "round")))
def test_broken_tables_and_edits(value: Any, edits: Any, game: str, use: Any) -> None:
    try:
        seen = Scene.from_dict(value)
        table = read_table(seen, game, as_=use, players=("Ana", "Bo") if use == "round" else ())
        for edit in edits if isinstance(edits, list) else []:
            table = table.edit(edit_from_dict(edit))
        json.dumps(table.to_dict())
    except (SceneError, TableError, EditError) as error:
        told(error)


@bounded(200)
@given(st.one_of(st.text(max_size=12), st.text("rbyk*=@0123456789AJQKSHDC ", max_size=10)))
def test_any_text_as_a_piece(text: str) -> None:
    for parse in (parse_tile, parse_card):
        try:
            piece = parse(text)
        except NotationError as error:
            told(error)
            continue
        assert parse(str(piece)) == piece, "what is understood is written the same way again"


NUMERALS = np.zeros((13, 56, 40), np.float32)
PROFILE = Profile("home", "2026-11-30", (1, 2, 3), -np.ones((4, 3)), -np.ones((4, 4)), NUMERALS)


@bounded(80)
@given(broken_json(json.loads(PROFILE.to_json())))
def test_broken_profiles(value: Any) -> None:
    try:
        found = Profile.from_json(json.dumps(value))
    except ProfileError as error:
        told(error)
        return
    assert found.inks.shape == (4, 3)
    assert found.numerals.shape == (13, 56, 40)


@bounded(100)
@given(JSON)
def test_anything_at_all(value: Any) -> None:
    with pytest.raises(SceneError):
        Scene.from_dict(value)
    with pytest.raises(ProfileError):
        Profile.from_json(json.dumps(value))
    with pytest.raises(EditError):
        edit_from_dict(value)
