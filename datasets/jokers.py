"""Designs of jokers: faces, suns, jesters, stars, words, mirror tiles, animals, emblems, glyphs of symbol fonts.

A design is a function that draws on a `Pen` with the edition's own random generator, so that one design gives many
jokers. Some designs (by a stable hash of their names) are reserved for held-out editions.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from datasets import fonts
from datasets.joker_emblems import EMBLEMS
from datasets.joker_faces import FACES, Rng
from datasets.joker_words import WORDS
from datasets.pen import Pen

GLYPHS = "☺☻♛♚★✪☀🌞🌝🃏✿❀☘🐉🐒🐱🐸🐵🐘🐓🐬👑🎭🎪👹👽😀😃😎😜😁🎩🔔☯⚜❄♞"
PICTURES = ((0x1F300, 0x1F3FA), (0x1F400, 0x1F579), (0x1F5FB, 0x1F64F), (0x1F680, 0x1F6C5), (0x1F900, 0x1F9FF))
"""Blocks of pictures in Unicode: animals, faces, plants, food, things."""
_FIGURES = re.compile(
    "CLOCK|CALENDAR|NUMBER|KEYCAP|HUNDRED|INPUT SYMBOL|BALLOT|CIRCLE|SQUARE|TRIANGLE|DIAMOND|UNDER EIGHTEEN"
)
"""Pictures that show figures or are too plain to be a joker."""
PICTURED = 0.4
"""Share of the designs that are replaced by a picture out of a symbol font: makers print anything on a joker."""
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


@lru_cache(maxsize=2)
def pictures(held_out: bool) -> tuple[str, ...]:
    """Names of several hundred pictures of the symbol font, in a stable order; none where it isn't installed."""
    glyphs = [chr(code) for first, last in PICTURES for code in range(first, last + 1)]
    named = [(g, unicodedata.name(g, "")) for g in glyphs]
    wanted = [f"glyph-{ord(g):x}" for g, name in named if name and not _FIGURES.search(name) and _has_glyph(g)]
    return tuple(name for name in wanted if fonts.held_out_name("joker:" + name) == held_out)


def varied(design: str, held_out: bool, rng: Rng) -> str:
    """The design, or in a share of `PICTURED` some picture instead."""
    names = pictures(held_out)
    return str(rng.choice(names)) if names and rng.random() < PICTURED else design


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
