"""Which numerals an edition has: a font or strokes of our own, their weight, width, feet and marks, drawn at random."""

from __future__ import annotations

import numpy as np

from datasets import fonts
from datasets.numerals import NumeralStyle, stem_share
from datasets.strokes import Strokes
from datasets.tileinks import Rng


def pick(rng: Rng, weighted: dict[str, float]) -> str:
    weights = np.array(list(weighted.values()), dtype=np.float64)
    return list(weighted)[int(rng.choice(len(weights), p=weights / weights.sum()))]


def font_path(rng: Rng, held_out: bool, looks: dict[str, float], own: float = 0.0) -> str | None:
    """A font's path, its look weighted by `looks`; None (own strokes) in a share `own` and where there is no font."""
    choice = fonts.numeral_fonts(held_out)
    if not choice or rng.random() < own:
        return None
    weights = np.array([font.weight * looks.get(font.look, 0.3) for font in choice])
    return choice[int(rng.choice(len(weights), p=weights / weights.sum()))].path


_LOOKS_OF_FONTS: dict[str, dict[str, float]] = {
    "rummikub": {"grotesk": 4, "condensed": 2.5, "round": 1.5, "serif": 0.5, "slab": 0.5, "didone": 0.3},
    "okey": {"grotesk": 2, "condensed": 3, "round": 2.5, "serif": 1, "didone": 1.2, "slab": 1},
    "remi": {"serif": 2, "didone": 2.5, "grotesk": 1.5, "condensed": 1, "round": 1, "slab": 1, "odd": 0.8},
    "plain": {"grotesk": 2, "round": 2, "serif": 1, "hand": 1.5, "odd": 1},
    "wood": {"grotesk": 2, "serif": 1.5, "hand": 1.5, "odd": 1, "round": 1.5},
}


# how thick strokes are, by the digits' height: mean and spread
_STEMS = {
    "rummikub": (0.205, 0.035),
    "okey": (0.17, 0.035),
    "remi": (0.17, 0.045),
    "plain": (0.175, 0.05),
    "wood": (0.175, 0.05),
}


def numeral_style(rng: Rng, held_out: bool, family: str, mark: str) -> NumeralStyle:
    font = font_path(rng, held_out, _LOOKS_OF_FONTS[family], own=0.09)
    stem = float(np.clip(rng.normal(*_STEMS[family]), 0.075, 0.27))
    weight = float(np.clip(rng.normal(0.0, 0.012), -0.03, 0.03))
    if font is not None:
        # few sets have numerals as thin or as fat as the extremes among fonts
        weight += float(np.clip(0.75 * (stem - stem_share(font)) / 2, -0.035, 0.055))
    return NumeralStyle(
        font=font,
        strokes=_strokes(rng, held_out, stem),
        squeeze=float(rng.uniform(0.75, 1.15) if rng.random() < 0.6 else 1.0),
        weight=weight,
        spacing=float(rng.uniform(-0.05, 0.08)),
        outline=float(rng.uniform(0.04, 0.07)) if rng.random() < 0.03 else 0.0,
        one=pick(rng, {"font": 8, "bare": 0.8, "foot": 0.9}),
        mark=mark,
        slant=float(rng.uniform(-0.05, 0.22)) if rng.random() < 0.16 else 0.0,
        stencil=bool(rng.random() < 0.02),
        rounding=float(rng.uniform(0.012, 0.05)) if rng.random() < 0.3 else 0.0,
    )


def _strokes(rng: Rng, held_out: bool, stem: float) -> Strokes:
    """A design of digits of our own; some shapes of bowls are for held-out editions."""
    rounds: tuple[tuple[int, float], ...] = ((0, 2.0), (0, 2.0), (0, 2.6), (8, 2.0))
    if held_out:
        rounds = ((5, 2.0), (12, 2.0), (0, 3.4))
    facets, bulge = rounds[int(rng.integers(len(rounds)))]
    width = float(rng.uniform(0.5, 0.76))
    contrast = float(rng.uniform(0.8, 1.8)) if rng.random() < 0.4 else 1.0
    return Strokes(
        thickness=min(stem, 0.29 * width / max(1.0, contrast), 0.17),  # bowls stay open
        width=width,
        contrast=contrast,
        square=bool(rng.random() < 0.4),
        facets=facets,
        bulge=bulge,
        waist=float(rng.uniform(0.42, 0.52)),
        open_four=bool(rng.random() < 0.35),
        flat_three=bool(rng.random() < 0.3),
        straight_tail=bool(rng.random() < 0.35),
        crossed_seven=bool(rng.random() < 0.2),
        curved_seven=bool(rng.random() < 0.25),
        flag=float(rng.choice([0.0, 0.3, 0.43, 0.5], p=[0.1, 0.3, 0.4, 0.2])),
    )
