"""Jokers that say so: JOKER, JOLLY, OKEY, J, along a line, an arc or the edge."""

from __future__ import annotations

import numpy as np

from datasets.joker_faces import FACES, Design, Rng
from datasets.pen import Pen, suit

WORDS: dict[str, Design] = {}


def _word(function: Design) -> Design:
    WORDS[function.__name__.strip("_")] = function
    return function


def _one_word(pen: Pen, rng: Rng, font: str | None, words: tuple[str, ...]) -> None:
    pen.word(
        str(rng.choice(words)), font, 0, 0, rng.uniform(0.45, 0.75), 1.85, angle=float(rng.choice([0, 0, 0, 90, 35]))
    )
    if rng.random() < 0.3:
        pen.line([(-0.9, 0.55), (0.9, 0.55)], 0.08, 2)
        pen.line([(-0.9, -0.55), (0.9, -0.55)], 0.08, 2)


@_word
def _word_joker(pen: Pen, rng: Rng, font: str | None) -> None:
    _one_word(pen, rng, font, ("JOKER", "Joker", "joker"))


@_word
def _word_jolly(pen: Pen, rng: Rng, font: str | None) -> None:
    _one_word(pen, rng, font, ("JOLLY", "Jolly", "JOLY", "Joly", "JOLI"))


@_word
def _word_okey(pen: Pen, rng: Rng, font: str | None) -> None:
    _one_word(pen, rng, font, ("OKEY", "Okey", "WILD", "REMI", "RUMMY"))


@_word
def _jolly_joker(pen: Pen, rng: Rng, font: str | None) -> None:
    pair = ("JOLLY", "JOKER") if rng.random() < 0.7 else ("Jolly", "Joker")
    gap = rng.uniform(0.3, 0.6)
    pen.word(pair[0], font, 0, -gap, rng.uniform(0.35, 0.55), 1.85)
    pen.word(pair[1], font, 0, gap, rng.uniform(0.35, 0.55), 1.85, 2 if rng.random() < 0.3 else 1)
    if gap > 0.5:
        pen.star(0, 0, 0.22, 0.09, 5, 2)


@_word
def _letter_j(pen: Pen, rng: Rng, font: str | None) -> None:
    pen.word("J", font, 0, 0, rng.uniform(1.1, 1.6), 1.4)
    if rng.random() < 0.4:
        pen.ring(0, 0, 0.95, 0.09, 2)


@_word
def _column_joker(pen: Pen, rng: Rng, font: str | None) -> None:
    """The word down the edge, letter below letter, as on playing cards, with a star beside it."""
    word = "JOKER" if rng.random() < 0.6 else "JOLLY"
    for k, letter in enumerate(word):
        pen.word(letter, font, -0.6, -0.8 + 0.4 * k, 0.32, 0.4)
    suit(pen, str(rng.choice(["star", "sun", "clover", "flower", "diamond"])), 0.3, 0, 0.55, 2)


@_word
def _arc_joker(pen: Pen, rng: Rng, font: str | None) -> None:
    word = "JOKER" if rng.random() < 0.6 else "JOLLY"
    for k, letter in enumerate(word):
        a = np.radians(-90 + (k - 2) * 32)
        pen.word(letter, font, 0.78 * np.cos(a), 0.78 * np.sin(a), 0.38, 0.4, angle=-(k - 2) * 32.0)
    pen.disc(0, 0.15, 0.42, 2)
    FACES["smiley"](inner := Pen(pen.size * 4 // 10), rng, font)
    pen.stamp((inner.canvas > 0).astype(np.uint8) * 255, 0, 0.15, 0)
