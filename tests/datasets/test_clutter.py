"""Sprites: deterministic, with honest alpha, all kinds reachable, and no look-alike that is a real tile."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from datasets import clutter, letters, lookalikes
from datasets.sprites import Sprite

Door = Callable[..., Sprite]
CASES = [pytest.param(draw, kind, id=f"{name}-{kind}") for name, kinds, draw in clutter.FAMILIES for kind in kinds]
IN_GRIDS = {"calendar", "lottery", "remote"}
"""Kinds that show many numbers at once, none of them on a pale plate of its own."""
NUMERALS = {str(number) for number in range(0, 14)}


@pytest.mark.parametrize(("draw", "kind"), CASES)
def test_sprite_is_sound_and_repeats_itself_from_its_seed(draw: Door, kind: str) -> None:
    for seed in range(3):
        first, again = draw(np.random.default_rng(seed), kind), draw(np.random.default_rng(seed), kind)
        h, w, channels = first.bgra.shape
        assert channels == 4
        assert first.bgra.dtype == np.uint8
        assert first.bgra.flags.c_contiguous
        assert 30 <= max(h, w) <= 512
        assert 0.3 <= first.width <= 25
        assert 0 <= first.height <= 4
        assert np.array_equal(first.bgra, again.bgra)
        assert (first.width, first.height, first.kind) == (again.width, again.height, again.kind)
        alpha = first.bgra[:, :, 3]
        assert (alpha > 250).mean() > 0.01, "nothing to be seen"
        assert (alpha < 5).any(), "no outline: the picture fills its frame"


@pytest.mark.parametrize(("draw", "kind"), CASES)
def test_seeds_differ(draw: Door, kind: str) -> None:
    pictures = [draw(np.random.default_rng([7, seed]), kind).bgra for seed in range(4)]
    assert any(p.shape != pictures[0].shape or not np.array_equal(p, pictures[0]) for p in pictures[1:])


@pytest.mark.parametrize("family", clutter.FAMILIES, ids=lambda family: family[0])
def test_every_kind_comes_up_by_chance(family: tuple[str, tuple[str, ...], Door]) -> None:
    _, kinds, draw = family
    rng = np.random.default_rng(3)
    seen = {draw(rng).kind for _ in range(260)}
    assert len(seen) >= len(kinds)


def test_an_unknown_kind_is_refused() -> None:
    for _, _, draw in clutter.FAMILIES:
        with pytest.raises(KeyError):
            draw(np.random.default_rng(0), "dragon")


def test_no_lookalike_is_a_tile(monkeypatch: pytest.MonkeyPatch) -> None:
    printed: list[str] = []
    real = letters.glyphs

    def spy(text: str, size: int, style: int) -> np.ndarray:
        printed.append(text.strip())
        return real(text, size, style)

    monkeypatch.setattr(letters, "glyphs", spy)
    for kind in clutter.LOOKALIKES:
        for seed in range(12):
            printed.clear()
            clutter.lookalike(np.random.default_rng([5, seed]), kind)
            numerals = [text for text in printed if text in NUMERALS]
            if kind in IN_GRIDS:
                assert not numerals or len(numerals) >= 9, "a number on its own"
            else:
                assert not numerals
    assert not set(lookalikes.ALPHABET) & {"I", "O", "l"}


def test_lookalikes_have_various_colours_and_sizes() -> None:
    sprites = [clutter.lookalike(np.random.default_rng([2, k])) for k in range(60)]
    means = np.array([s.bgra[s.bgra[:, :, 3] > 127][:, :3].mean(0) for s in sprites])
    assert means.mean(1).std() > 30
    widths = np.array([s.width for s in sprites])
    assert widths.min() < 0.9
    assert widths.max() > 3


def test_hands_run_out_through_the_lower_border() -> None:
    for kind in ("hand", "finger", "thumb", "sleeve", "paw"):
        alpha = clutter.occluder(np.random.default_rng(8), kind).bgra[:, :, 3]
        assert (alpha[-1] > 200).any(), kind
        assert (alpha[0] < 50).all(), kind


def test_print_works_without_fonts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(letters, "fonts", lambda: ())
    letters.glyphs.cache_clear()
    try:
        mask = letters.glyphs("K", 40, 0)
        assert mask.max() > 200
        assert clutter.lookalike(np.random.default_rng(0), "scrabble").kind == "scrabble"
    finally:
        letters.glyphs.cache_clear()
