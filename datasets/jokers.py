"""Designs of jokers: faces, suns, jesters, stars, words, mirror tiles, animals, emblems, glyphs of symbol fonts.

A design is a function that draws on a `Pen` with the edition's own random generator, so that one design gives many
jokers. Some designs (by a stable hash of their names) are reserved for held-out editions.
"""

from __future__ import annotations

from functools import lru_cache

from datasets import fonts
from datasets.joker_emblems import EMBLEMS
from datasets.joker_faces import FACES, Rng
from datasets.joker_words import WORDS
from datasets.pen import Pen

GLYPHS = "☺☻♛♚★✪☀🌞🌝🃏✿❀☘🐉🐒🐱🐸🐵🐘🐓🐬👑🎭🎪👹👽😀😃😎😜😁🎩🔔☯⚜❄♞"
# designs that also come small, over or under the word: these are held out or not as they are on their own
_CAPTIONED = (
    "smiley",
    "moon_face",
    "clown",
    "jester",
    "sun_face",
    "star",
    "crown",
    "cat",
    "top_hat",
    "pirate",
    "halves",
    "flower",
)
_DESIGNS = {**FACES, **WORDS, **EMBLEMS}


@lru_cache(maxsize=2)
def designs(held_out: bool) -> tuple[str, ...]:
    """Names of the designs an edition may use, in a stable order. Glyphs only where the symbol font has them."""
    names = [*_DESIGNS, *(f"glyph-{ord(g):x}" for g in GLYPHS if _has_glyph(g))]
    mine = [name for name in names if fonts.held_out_name("joker:" + name) == held_out]
    return (*mine, *(f"captioned-{name}" for name in mine if name in _CAPTIONED))


def _has_glyph(glyph: str) -> bool:
    path = fonts.symbol_font()
    if path is None:
        return False
    face = fonts.load(path, 40)
    missing = face.getmask("\U0010fffd")
    return bytes(face.getmask(glyph)) != bytes(missing) and max(face.getbbox(glyph)) > 8


def draw(name: str, pen: Pen, rng: Rng, font: str | None) -> None:
    """Draw the design on the pen. Words are set in `font` (a path, or None for Pillow's own)."""
    if name.startswith("glyph-"):
        _glyph(pen, rng, chr(int(name[6:], 16)))
    elif name.startswith("captioned-"):
        _captioned(pen, rng, font, name.removeprefix("captioned-"))
    else:
        _DESIGNS[name](pen, rng, font)


def _captioned(pen: Pen, rng: Rng, font: str | None, name: str) -> None:
    picture = Pen(round(pen.size * rng.uniform(0.58, 0.7)))
    _DESIGNS[name](picture, rng, font)
    side = 1 if rng.random() < 0.7 else -1
    pen.inset(picture, 0, -0.25 * side)
    word = str(rng.choice(["JOKER", "Joker", "JOLLY", "Jolly", "joker"]))
    pen.word(word, font, 0, 0.72 * side, rng.uniform(0.3, 0.42), 1.85, int(rng.integers(1, 3)))


def _glyph(pen: Pen, rng: Rng, glyph: str) -> None:
    ringed = rng.random() < 0.35
    pen.word(glyph, fonts.symbol_font(), 0, 0, 1.15 if ringed else 1.7, 1.25 if ringed else 1.8)
    if ringed:
        pen.ring(0, 0, 0.92, rng.uniform(0.05, 0.12))
