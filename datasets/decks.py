"""Decks of playing cards without end: faces with the quads of their corner indices.

A deck is one of three kinds: as a package printed it, drawn here from parts, or drawn here with a package's court
pictures. With no package installed all are drawn. The same seed gives the same deck on machines with the same packages
and fonts. Held-out decks share no art, no index font and no suit drawing with the others.

    python -m datasets.decks --seed 0 --count 12 --out DIR      contact sheets with the index quads drawn
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np

from datasets import deckart
from datasets.cardpaint import RANKS, WIDTH, Face, Quad
from datasets.cardwear import worn
from datasets.deckdesign import Design, draw, make_design

CODES: tuple[str, ...] = (*(rank + suit for suit in "SHDC" for rank in RANKS), "*", "back")


@dataclass(frozen=True)
class CardFace:
    """One card as it lies on the table.

    `albedo`: (H, 250, 3) uint8 BGR, full bleed, white margin included; the corners are rounded by whoever lays it.
    `indices`: a (4, 2) float32 quad for each corner index, tight with a small margin, in fractions of width and height,
    clockwise from the index's own top left: a quad at the foot of the card starts at its lower right.
    """

    albedo: np.ndarray
    indices: tuple[np.ndarray, ...]


@dataclass(frozen=True)
class Deck:
    """A deck by its number. `aspect` is height / width, `corner_radius` in widths, `gloss` 0 (matt) to 1."""

    name: str
    seed: int
    held_out: bool
    aspect: float
    corner_radius: float
    language: str
    gloss: float
    age: float

    def face(self, code: str, rng: np.random.Generator) -> CardFace:
        """One copy of a card, worn by chance: 'AS' .. '10H' .. 'KC', '*' (either joker) or 'back'.

        Raises `ValueError` for any other code.
        """
        if code not in CODES:
            raise ValueError(f"a deck has no card {code!r}; cards are AS .. KC, * and back")
        which = f"*{int(rng.integers(2))}" if code == "*" else code
        clean, indices = _clean(self.seed, self.held_out, which)
        return CardFace(worn(clean, rng, self.age), indices)


@dataclass(frozen=True)
class _Make:
    deck: Deck
    design: Design
    printed: deckart.Art | None  # a package's deck as it is; the design then only fills in what it lacks
    gain: tuple[float, float, float]


def deck(seed: int, held_out: bool = False) -> Deck:
    """Deck number `seed` (0 or more) of one side of the split."""
    return _make(seed, held_out).deck


@lru_cache(maxsize=256)
def _make(seed: int, held: bool) -> _Make:
    rng = np.random.default_rng([seed, int(held), 0xDEC])
    sources = deckart.sources(held)
    kind = rng.random()
    low, high = ((1.38, 1.43), (1.43, 1.5), (1.5, 1.56))[int(rng.choice(3, p=[0.5, 0.3, 0.2]))]
    aspect = float(rng.uniform(low, high))  # poker size, in between, bridge size
    art = None
    if sources and kind < 0.62:
        families = sorted({s.family for s in sources})
        family = families[int(rng.integers(len(families)))]
        members = [s for s in sources if s.family == family]
        art = deckart.load(members[int(rng.integers(len(members)))])
    printed = art if art is not None and art.usable and kind < 0.3 else None
    if printed is not None:
        aspect = float(np.clip(printed.aspect * rng.uniform(0.97, 1.03), 1.38, 1.56))
    design = make_design(rng, aspect, held, art)
    label = "drawn" if art is None else f"{art.source.key}{'' if printed else '+drawn'}"
    language = printed.source.language if printed else design.language
    made = Deck(
        name=f"{label}#{seed}{'h' if held else ''}",
        seed=seed,
        held_out=held,
        aspect=aspect,
        corner_radius=float(rng.uniform(0.03, 0.075)),
        language=language,
        gloss=float(rng.beta(2, 2)),
        age=float(rng.beta(1.1, 2.4)),
    )
    tone = rng.uniform(0.93, 1.0) * np.array([rng.uniform(0.9, 1.0), rng.uniform(0.97, 1.0), 1.0])
    gain = (float(tone[0]), float(tone[1]), float(tone[2])) if rng.random() < 0.6 else (1.0, 1.0, 1.0)
    return _Make(made, design, printed, gain)


@lru_cache(maxsize=640)
def _clean(seed: int, held: bool, code: str) -> tuple[Face, tuple[Quad, ...]]:
    make = _make(seed, held)
    face = make.printed.face(code) if make.printed is not None else None
    if make.printed is not None and code.startswith("*") and not make.printed.whole_joker():
        face = None
    if face is None or make.printed is None:
        return draw(make.design, code)
    height = round(WIDTH * make.deck.aspect)
    sized = cv2.resize(face, (WIDTH, height), interpolation=cv2.INTER_AREA)
    toned = cv2.multiply(sized, (*make.gain, 1.0))
    return np.asarray(toned, dtype=np.uint8), make.printed.indices(code)


def contact_sheet(made: Deck, codes: tuple[str, ...] = CODES, columns: int = 14, scale: float = 0.5) -> Face:
    """All faces of a deck on one picture, index quads in green with their first corner in magenta."""
    rng = np.random.default_rng(0)
    cells = []
    for code in codes:
        card = made.face(code, rng)
        h, w = card.albedo.shape[:2]
        cell = cv2.resize(card.albedo, (round(w * scale), round(h * scale)), interpolation=cv2.INTER_AREA)
        for quad in card.indices:
            points = np.rint(quad * [cell.shape[1], cell.shape[0]]).astype(np.int32)
            cv2.polylines(cell, [points], True, (0, 170, 0), 1)
            cv2.circle(cell, tuple(points[0].tolist()), 2, (255, 0, 255), -1)
        cells.append(np.pad(cell, ((2, 2), (2, 2), (0, 0)), constant_values=90))
    blank = np.full_like(cells[0], 90)
    cells += [blank] * (-len(cells) % columns)
    sheet = np.vstack([np.hstack(cells[n : n + columns]) for n in range(0, len(cells), columns)])
    cv2.putText(sheet, f"{made.name} {made.language}", (6, 14), cv2.FONT_HERSHEY_SIMPLEX, 0.45, (200, 0, 200), 1)
    return np.asarray(sheet, dtype=np.uint8)


def main() -> None:
    """Writes one contact sheet a deck."""
    parser = argparse.ArgumentParser(description="Contact sheets of decks, with the quads of their indices.")
    parser.add_argument("--seed", type=int, default=0, help="number of the first deck")
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--held-out", action="store_true", help="decks that are kept for judging")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for seed in range(options.seed, options.seed + options.count):
        made = deck(seed, options.held_out)
        path = options.out / f"deck{seed:04d}{'h' if options.held_out else ''}.png"
        cv2.imwrite(str(path), contact_sheet(made))
        print(path, made.name, made.language)


if __name__ == "__main__":
    main()
