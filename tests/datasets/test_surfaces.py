"""Surfaces: the same seed gives the same bytes, every kind is drawn, and they differ enough to be worth training on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from datasets import surfaces
from datasets.noise import N, fbm, noise


@pytest.mark.parametrize("kind", surfaces.KINDS)
def test_each_kind_is_a_texture_and_repeats_itself_from_its_seed(kind: str) -> None:
    first = surfaces.surface(np.random.default_rng(5), kind)
    again = surfaces.surface(np.random.default_rng(5), kind)
    assert first.texture.shape == (N, N, 3)
    assert first.texture.dtype == np.uint8
    assert first.texture.flags.c_contiguous
    assert first.kind == kind
    assert 2 <= first.scale <= 100
    assert 0 <= first.gloss <= 1
    assert 0 <= first.bump <= 1
    assert np.array_equal(first.texture, again.texture)
    assert (first.scale, first.gloss, first.bump) == (again.scale, again.gloss, again.bump)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(KeyError):
        surfaces.surface(np.random.default_rng(0), "lava")


def test_every_kind_comes_up_by_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    tiny = np.zeros((N, N, 3), np.uint8)
    recipes = {
        kind: surfaces.Recipe(lambda rng: tiny, recipe.scale, recipe.gloss, recipe.bump, recipe.weight, turn=False)
        for kind, recipe in surfaces.RECIPES.items()
    }
    monkeypatch.setattr(surfaces, "RECIPES", recipes)
    monkeypatch.setattr(surfaces, "packaged", lambda: ())
    monkeypatch.setattr(surfaces, "_lit", lambda rng, image: image)
    rng = np.random.default_rng(1)
    assert {surfaces.surface(rng).kind for _ in range(900)} == set(surfaces.KINDS)


def test_colours_and_busyness_are_spread_wide() -> None:
    looks = [surfaces.surface(np.random.default_rng([9, k])).texture[::8, ::8].astype(float) for k in range(40)]
    assert len({look.tobytes() for look in looks}) == len(looks)
    means = np.array([look.mean((0, 1)) for look in looks])
    assert means.mean(1).std() > 35
    assert (means.max(1) - means.min(1)).max() > 80
    spread = np.array([look.std() for look in looks])
    assert spread.min() < 12
    assert spread.max() > 50
    close_to_bodies = np.abs(means - np.array([197.0, 219.0, 233.0])).max(1) < 30
    assert close_to_bodies.any(), "no table as pale as a tile"


@pytest.mark.parametrize("kind", ["walnut", "felt", "marble", "white", "leather", "linen"])
def test_texture_repeats_without_a_seam(kind: str) -> None:
    texture = surfaces.surface(np.random.default_rng(3), kind).texture.astype(float)
    seam = np.abs(texture[:, -1] - texture[:, 0]).mean()
    inside = np.abs(np.diff(texture, axis=1)).mean((0, 2))
    assert seam < 3 * inside.max() + 2


def test_backdrop_has_the_size_asked_for() -> None:
    room = surfaces.backdrop(np.random.default_rng(2), 90, 160)
    assert room.shape == (90, 160, 3)
    assert room.dtype == np.uint8
    assert room.std() > 5
    assert np.array_equal(room, surfaces.backdrop(np.random.default_rng(2), 90, 160))


def test_rack_material_and_its_mean_colour() -> None:
    means = []
    for seed in range(12):
        texture, colour = surfaces.rack_texture(np.random.default_rng(seed))
        assert texture.shape == (256, 1024, 3)
        assert texture.dtype == np.uint8
        assert np.allclose(texture.mean((0, 1)), colour, atol=0.5)
        means.append(colour)
    assert np.array(means).std(0).min() > 20


def test_packaged_pictures_are_optional(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    listing = tmp_path / "surfaces.txt"
    picture = tmp_path / "oak.png"
    import cv2

    cv2.imwrite(str(picture), np.full((40, 60, 3), 90, np.uint8))
    listing.write_text(f"# comment\napt: some-package\n{picture}\n/nowhere/at/all.jpg\n")
    monkeypatch.setattr(surfaces, "PHOTOS", listing)
    monkeypatch.setattr(surfaces, "PHOTO_SHARE", 0.5)
    surfaces.packaged.cache_clear()
    try:
        assert surfaces.packaged() == (str(picture),)
        kinds = {surfaces.surface(np.random.default_rng([1, k])).kind for k in range(8)}
        assert "photo" in kinds
    finally:
        surfaces.packaged.cache_clear()


def test_noise_is_even_and_tiles() -> None:
    field = fbm(np.random.default_rng(4), 8, 8, 3)
    assert abs(float(field.mean())) < 0.3
    assert 0.6 < float(field.std()) < 1.4
    smooth = noise(np.random.default_rng(4), 8, 4)
    assert np.abs(smooth[:, 0] - smooth[:, -1]).max() < 0.1


@pytest.mark.slow
def test_contact_sheets(tmp_path: Path) -> None:
    assert surfaces.main(["--out", str(tmp_path), "--each", "1"]) == 0
    names = {path.stem for path in tmp_path.glob("*.jpg")}
    assert {"surfaces", "close", "rooms", "clutter", "occluders", "lookalikes"} <= names
