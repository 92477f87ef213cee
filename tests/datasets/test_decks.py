"""Decks: the same by seed, all faces different, indices where their quads say, and the split kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from datasets import cardletters, deckart, decks
from datasets.cardpaint import Face
from datasets.suits import STYLES, held_out, styles, suit_mask

FACES = tuple(c for c in decks.CODES if c != "back")


@pytest.fixture(autouse=True, scope="module")
def few_packages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Of the installed art only two decks of each side, rasterised into a folder of the test's own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REMI_CACHE", str(tmp_path_factory.mktemp("cache")))
        kept = [[s for s in deckart._SOURCES if held_out(f"art:{s.family}") == held][:2] for held in (False, True)]
        patch.setattr(deckart, "_SOURCES", tuple(kept[0] + kept[1]))
        forget()
        yield
    forget()


def forget() -> None:
    for cached in (decks._make, decks._clean, cardletters._text_mask, deckart.load, deckart._meta):
        cached.cache_clear()


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A machine with no card package, no rasteriser and no font."""
    monkeypatch.setattr(deckart, "RSVG", "no-such-program")
    monkeypatch.setattr(cardletters, "_letter_fonts", lambda held: ())
    monkeypatch.setenv("REMI_CACHE", str(tmp_path))
    forget()
    yield
    forget()


def fresh(made: decks.Deck, code: str, seed: int = 0) -> decks.CardFace:
    return made.face(code, np.random.default_rng(seed))


def cut(face: Face, quad: np.ndarray) -> np.ndarray:
    """What lies inside a quad, turned so that the quad's first corner is at the top left."""
    h, w = face.shape[:2]
    pixels = np.rint(quad * [w, h]).astype(int)
    (x0, y0), (x1, y1) = pixels.min(0), pixels.max(0)
    part = face[y0:y1, x0:x1]
    return part[::-1, ::-1] if quad[0, 0] > quad[2, 0] else part


def test_a_seed_is_a_deck() -> None:
    for seed in range(4):
        decks._make.cache_clear()
        one = decks.deck(seed)
        first = {code: fresh(one, code, 5).albedo for code in ("AS", "10H", "KC", "*", "back")}
        decks._make.cache_clear()
        decks._clean.cache_clear()
        two = decks.deck(seed)
        assert one == two
        for code, albedo in first.items():
            np.testing.assert_array_equal(albedo, fresh(two, code, 5).albedo)


def test_copies_of_a_card_are_worn_each_in_its_own_way() -> None:
    made = decks.deck(3)
    assert (fresh(made, "7D", 1).albedo != fresh(made, "7D", 2).albedo).any()


@pytest.mark.parametrize("seed", range(6))
def test_all_faces_differ(seed: int) -> None:
    made = decks.deck(seed)
    seen = [decks._clean(seed, False, code)[0] for code in (*decks.CODES[:52], "*0", "back")]
    for n, face in enumerate(seen):
        assert face.shape == (round(250 * made.aspect), 250, 3)
        assert face.dtype == np.uint8
        assert all((face != other).any() for other in seen[:n])


@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_quads_hold_ink_and_lie_inside(seed: int, held: bool) -> None:
    made = decks.deck(seed, held)
    assert 1.38 <= made.aspect <= 1.56
    assert fresh(made, "back").indices == ()
    for code in FACES:
        which = "*0" if code == "*" else code
        face, quads = decks._clean(seed, held, which)
        if code != "*":
            assert len(quads) in (2, 4), f"{made.name} {code}"
        for quad in quads:
            assert quad.shape == (4, 2)
            assert quad.dtype == np.float32
            assert quad.min() >= 0
            assert quad.max() <= 1
            area = (quad[1] - quad[0])[0] * (quad[3] - quad[0])[1]
            assert area > 0, "clockwise from the top left, also when turned"
            inside = cut(face, quad)
            assert inside.max(axis=(0, 1)).max() - inside.min() > 80, f"{made.name} {code}: no ink"


@pytest.mark.parametrize("seed", range(8))
def test_corners_are_the_same_by_half_a_turn(seed: int) -> None:
    made = decks.deck(seed)
    for code in ("2S", "7H", "10D", "KC"):
        face, quads = decks._clean(seed, False, code)
        half = len(quads) // 2
        for upright, upside_down in zip(quads[:half], quads[half:], strict=True):
            np.testing.assert_allclose(upright, 1 - upside_down, atol=1e-4)
            apart = np.abs(cut(face, upright).astype(int) - cut(face[::-1, ::-1], upright)).mean()
            assert apart < 25, f"{made.name} {code}: the corners differ by {apart:.0f}"


def test_the_split_shares_nothing() -> None:
    assert not set(styles(True)) & set(styles(False))
    assert len(styles(True)) + len(styles(False)) == STYLES
    learned, judged = ([decks._make(seed, held) for seed in range(60)] for held in (False, True))
    assert not {m.design.index.font for m in learned} & {m.design.index.font for m in judged}
    assert not {m.design.pips.suit_style for m in learned} & {m.design.pips.suit_style for m in judged}
    families = [{m.design.art.source.family for m in side if m.design.art} for side in (learned, judged)]
    assert not families[0] & families[1]
    assert all(held_out(f"art:{family}") for family in families[1])


def test_bare_machine_has_decks_too(bare: None) -> None:
    made = [decks.deck(seed) for seed in range(40)]
    assert all(m.name.startswith("drawn") for m in made)
    for m in made[:6]:
        for code in decks.CODES:
            face = fresh(m, code)
            assert face.albedo.shape[1] == 250
            assert bool(face.indices) == (code != "back")


def test_many_distinct_decks(bare: None) -> None:
    faces = {decks._clean(seed, False, "10H")[0].tobytes() for seed in range(40)}
    assert len(faces) == 40


def test_languages_and_both_corner_counts_occur() -> None:
    made = [decks._make(seed, False) for seed in range(150)]
    assert {"en", "de", "fr"} <= {m.deck.language for m in made}
    assert {m.design.index.corners for m in made} == {2, 4}


@pytest.mark.parametrize("code", ["1S", "AX", "", "joker", "10"])
def test_unknown_cards_are_refused(code: str) -> None:
    with pytest.raises(ValueError, match="no card"):
        decks.deck(0).face(code, np.random.default_rng(0))


def test_signs_are_tight_masks() -> None:
    for suit in "SHDC":
        mask = suit_mask(7, suit, 40)
        assert mask.shape[0] == 40
        assert mask[0].max() > 0
        assert mask[-1].max() > 0
    with pytest.raises(ValueError, match="suit"):
        suit_mask(7, "X", 40)
