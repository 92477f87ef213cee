"""What an edition of tiles looks like, drawn at random from parts: colours, numerals, layout, signs, jokers,
backs, wear."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from datasets import fonts, jokers
from datasets.numerals import NumeralStyle, stem_share
from datasets.pen import SUITS
from datasets.strokes import Strokes
from datasets.tileinks import Bgr, body, four_inks, vary

Rng = np.random.Generator


@dataclass(frozen=True)
class Logo:
    """The maker's word: blind-embossed (`depth` in tile widths, up or down) or printed (`ink`)."""

    text: str
    font: str | None
    y: float
    width: float
    height: float  # at most
    depth: float
    ink: Bgr | None
    above: str = ""  # a small word over it


@dataclass(frozen=True)
class Dish:
    """A dished circle or a raised or sunken ring of the mould. Lengths in tile widths, y in shares of the height."""

    y: float
    radius: float
    depth: float
    flat: bool
    ring: bool = False
    panel: bool = (
        False  # a rectangle with round corners, `radius` half its width, from y upwards and downwards to the rim
    )


@dataclass(frozen=True)
class Look:
    """Everything that one edition fixes. y and heights in shares of the tile's height, x, radii and depths in
    its width."""

    family: str
    aspect: float
    body: Bgr
    texture: str  # 'plastic', 'speckle', 'wood'
    texture_strength: float
    inks: tuple[Bgr, Bgr, Bgr, Bgr]
    numeral: NumeralStyle
    numeral_height: float
    x: float
    y: float
    max_width: float
    layout: str  # 'single', 'twin', 'corner', 'corners', 'disc', 'ringed'
    carve: float  # depth of the engraving, 0: printed
    paint_gloss: float
    unevenness: float
    dishes: tuple[Dish, ...]
    sign: str
    sign_y: float
    sign_radius: float
    sign_ring: bool
    frame: float  # width of an ink frame, 0: none
    logo: Logo | None
    joker_designs: tuple[str, str]
    joker_palettes: tuple[tuple[Bgr, ...], tuple[Bgr, ...]]
    joker_y: float
    joker_radius: float
    joker_font: str | None
    joker_seed: int
    joker_sign: bool
    joker_twin: bool  # once more upside down
    ragged: float  # how roughly paint ends at the rim of an engraving
    joker_inverse: str  # '', 'disc' or 'panel': an inked ground with the design left bare
    back: str  # 'plain', 'paint', 'grid', 'stripes', 'dots', 'emblem', 'word', 'dish'
    back_ink: Bgr
    print_shift: float
    print_turn: float
    wear: float


def _pick(rng: Rng, weighted: dict[str, float]) -> str:
    weights = np.array(list(weighted.values()), dtype=np.float64)
    return list(weighted)[int(rng.choice(len(weights), p=weights / weights.sum()))]


def _font(rng: Rng, held_out: bool, looks: dict[str, float], own: float = 0.0) -> str | None:
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
    "rummikub": (0.185, 0.04),
    "okey": (0.15, 0.035),
    "remi": (0.15, 0.045),
    "plain": (0.16, 0.05),
    "wood": (0.16, 0.05),
}


def _numeral(rng: Rng, held_out: bool, family: str, mark: str) -> NumeralStyle:
    font = _font(rng, held_out, _LOOKS_OF_FONTS[family], own=0.09)
    stem = float(np.clip(rng.normal(*_STEMS[family]), 0.075, 0.27))
    weight = float(np.clip(rng.normal(0.0, 0.012), -0.03, 0.03))
    if font is not None:
        # few sets have numerals as thin or as fat as the extremes among fonts
        weight += float(np.clip(0.65 * (stem - stem_share(font)) / 2, -0.035, 0.05))
    return NumeralStyle(
        font=font,
        strokes=_strokes(rng, held_out, stem),
        squeeze=float(rng.uniform(0.75, 1.15) if rng.random() < 0.6 else 1.0),
        weight=weight,
        spacing=float(rng.uniform(-0.05, 0.08)),
        outline=float(rng.uniform(0.04, 0.07)) if rng.random() < 0.03 else 0.0,
        one=_pick(rng, {"font": 8, "bare": 0.8, "foot": 0.9}),
        mark=mark,
        slant=float(rng.uniform(-0.05, 0.22)) if rng.random() < 0.08 else 0.0,
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


_ABOVE = ("Original", "Classic", "The", "Travel", "Junior", "Super", "Royal", "Jocul")
_SYLLABLES = (
    "ru",
    "mi",
    "ko",
    "la",
    "ta",
    "rem",
    "do",
    "bo",
    "zar",
    "pol",
    "ni",
    "ve",
    "sol",
    "tin",
    "ga",
    "lu",
    "per",
    "mat",
    "si",
    "ol",
)


def _logo(rng: Rng, held_out: bool, y: float, inks: tuple[Bgr, ...]) -> Logo:
    word = "".join(str(s) for s in rng.choice(_SYLLABLES, size=int(rng.integers(2, 4)))).capitalize()
    style = rng.random()
    text = word.upper() if style < 0.25 else word
    looks = {"serif": 2.0, "odd": 3.0, "grotesk": 1.0, "round": 2.0, "slab": 1.5, "didone": 1.5}
    return Logo(
        text=text,
        font=_font(rng, held_out, looks),
        y=y,
        width=float(rng.uniform(0.4, 0.74)),
        height=float(rng.uniform(0.07, 0.13)),
        depth=float(rng.choice([-1, 1]) * rng.uniform(0.003, 0.011)),
        ink=inks[int(rng.integers(len(inks)))] if rng.random() < 0.12 else None,
        above=str(rng.choice(_ABOVE)) if rng.random() < 0.35 else "",
    )


def sample(seed: int, held_out: bool) -> Look:
    """The look of edition `seed`; the same for the same arguments and the same installed fonts."""
    rng = np.random.default_rng([seed, int(held_out), 7])
    family = _pick(rng, {"rummikub": 0.4, "okey": 0.23, "remi": 0.2, "plain": 0.11, "wood": 0.06})
    ground, texture, strength = body(rng, family)
    inks = four_inks(ground, rng)
    aspect = float(
        np.clip(
            rng.normal(
                {"rummikub": 1.41, "okey": 1.4, "remi": 1.4}.get(family, 1.36), 0.03 if rng.random() < 0.5 else 0.1
            ),
            1.2,
            1.6,
        )
    )
    layout = "single"
    if family in ("plain", "wood", "remi"):
        layout = _pick(rng, {"single": 8, "twin": 0.3, "corner": 0.4, "corners": 0.3, "disc": 0.4, "ringed": 0.6})
    y = rng.uniform(0.3, 0.39)
    height = rng.uniform(0.25, 0.36)
    if family == "okey":
        y, height = rng.uniform(0.29, 0.38), rng.uniform(0.3, 0.46)
    elif family == "remi":
        y, height = rng.uniform(0.28, 0.42), rng.uniform(0.26, 0.45)
    elif family in ("plain", "wood"):
        y, height = (0.5 if rng.random() < 0.5 else rng.uniform(0.3, 0.45)), rng.uniform(0.3, 0.5)
    centred = abs(y - 0.5) < 0.06
    x = 0.5
    if layout in ("corner", "corners"):
        x, y, height = rng.uniform(0.24, 0.32), rng.uniform(0.18, 0.26), rng.uniform(0.2, 0.27)
    elif layout == "twin":
        y, height = rng.uniform(0.25, 0.29), rng.uniform(0.24, 0.34)
    elif layout in ("disc", "ringed"):
        y, height = rng.uniform(0.34, 0.5), rng.uniform(0.24, 0.3)
    y = max(y, height / 2 + 0.08)
    must = centred or layout == "twin" or (layout in ("disc", "ringed") and y > 0.44)
    mark = (
        _pick(rng, {"dot": 1, "bar": 1.2, "after": 0.4})
        if must
        else _pick(rng, {"": 62, "dot": 16, "bar": 15, "after": 7})
    )
    room = 1 - (y + height / 2)  # left under the numeral
    sign, dishes, sign_y, sign_radius, sign_ring = _beneath(rng, family, layout, y, height, room, centred)
    carve = (
        rng.uniform(0.008, 0.028)
        if rng.random() < {"okey": 0.85, "remi": 0.5, "rummikub": 0.07, "wood": 0.3}.get(family, 0.3)
        else 0.0
    )
    logo = None
    if (
        not sign
        and not dishes[1:]
        and not centred
        and layout == "single"
        and rng.random() < {"rummikub": 0.75, "remi": 0.25}.get(family, 0.1)
    ):
        logo = _logo(rng, held_out, rng.uniform(0.76, 0.84), inks)
    designs = jokers.designs(held_out)
    first = "moon_face" if family == "rummikub" and not held_out and rng.random() < 0.25 else str(rng.choice(designs))
    second = first if rng.random() < 0.75 else str(rng.choice(designs))
    beneath = [dish for dish in dishes if dish.y > y + 0.1 and not dish.panel]
    placed = layout == "single" and (rng.random() < 0.55 or bool(beneath))
    joker_y = max(y, 0.33 if beneath else 0.36) if placed else rng.uniform(0.42, 0.52)
    joker_radius = rng.uniform(0.24, 0.36) if placed else rng.uniform(0.3, 0.42)
    if beneath:  # clear of the mould's dish
        joker_radius = min(joker_radius, (beneath[0].y - joker_y) * aspect - beneath[0].radius - 0.01)
    return Look(
        family=family,
        aspect=aspect,
        body=ground,
        texture=texture,
        texture_strength=strength,
        inks=inks,
        numeral=_numeral(rng, held_out, family, mark),
        numeral_height=float(height),
        x=float(x),
        y=float(y),
        max_width=float(rng.uniform(0.56, 0.74)) if x == 0.5 else 0.36,
        layout=layout,
        carve=float(carve),
        paint_gloss=float(rng.uniform(0.35, 1.0)),
        unevenness=float(rng.uniform(0, 0.25)),
        dishes=dishes,
        sign=sign,
        sign_y=sign_y,
        sign_radius=sign_radius,
        sign_ring=sign_ring,
        frame=float(rng.uniform(0.012, 0.03)) if rng.random() < 0.03 else 0.0,
        logo=logo,
        joker_designs=(first, second),
        joker_palettes=(_palette(rng, inks, None), _palette(rng, inks, 3 if rng.random() < 0.5 else 0)),
        joker_y=float(joker_y),
        joker_radius=float(max(joker_radius, 0.16)),
        joker_font=_font(rng, held_out, {}),
        joker_seed=int(rng.integers(1 << 31)),
        joker_sign=bool(placed and rng.random() < 0.5),
        joker_twin=bool(rng.random() < 0.06),
        ragged=float(rng.uniform(0, 1)) if rng.random() < 0.6 else 0.0,
        joker_inverse=_pick(rng, {"": 12, "disc": 0.5, "panel": 0.5}),
        back=_pick(
            rng,
            {
                "plain": 5,
                "paint": 0.8,
                "grid": 0.5,
                "stripes": 0.5,
                "dots": 0.4,
                "emblem": 1.2,
                "word": 1.0,
                "dish": 0.8,
            },
        ),
        back_ink=vary(inks[int(rng.integers(4))], rng, 12),
        print_shift=float(rng.uniform(0.003, 0.012)),
        print_turn=float(rng.uniform(0.2, 1.2)),
        wear=float(rng.beta(0.8, 3.2)),
    )


def _beneath(
    rng: Rng, family: str, layout: str, y: float, height: float, room: float, centred: bool
) -> tuple[str, tuple[Dish, ...], float, float, bool]:
    """What lies under (and around) the numeral: the ink sign, the mould's dishes, where and how large, ring or not."""
    depth = rng.uniform(0.012, 0.035)
    sign_y = 1 - room * rng.uniform(0.48, 0.56)
    radius = float(min(rng.uniform(0.14, 0.26), 0.45 * room * 1.4))
    if layout in ("corner", "corners"):
        return str(rng.choice(SUITS)), (), 0.55, float(rng.uniform(0.16, 0.26)), bool(rng.random() < 0.2)
    if layout != "single" or centred:
        around = (
            (Dish(y, rng.uniform(0.34, 0.42), depth, bool(rng.random() < 0.5)),)
            if rng.random() < 0.25 and layout != "twin"
            else ()
        )
        return "", around, sign_y, radius, False
    if family == "rummikub":
        around = (Dish(y, rng.uniform(0.31, 0.4), depth, bool(rng.random() < 0.5)),) if rng.random() < 0.7 else ()
        sign = str(rng.choice(SUITS)) if rng.random() < 0.15 else ""
        return sign, around, sign_y, radius * 0.6, bool(rng.random() < 0.1)
    if rng.random() < (0.85 if family == "okey" else 0.55):
        sign = _pick(
            rng,
            {
                "heart": 5,
                "spade": 2,
                "dot": 3,
                "club": 1,
                "diamond": 1,
                "star": 1,
                "sun": 0.7,
                "clover": 0.7,
                "flower": 0.7,
                "ring": 1.5,
                "bar": 0.7,
                "drop": 0.4,
                "square": 0.3,
            },
        )
        dished = sign != "bar" and rng.random() < (0.8 if family == "okey" else 0.4)
        dishes = (Dish(sign_y, radius, depth, bool(rng.random() < 0.5), bool(rng.random() < 0.3)),) if dished else ()
        return sign, dishes, sign_y, radius * rng.uniform(0.42, 0.62), bool(rng.random() < 0.2)
    if rng.random() < 0.4:
        return (
            "",
            (Dish(sign_y, radius, depth, bool(rng.random() < 0.5), bool(rng.random() < 0.4)),),
            sign_y,
            radius,
            False,
        )
    return "", (), sign_y, radius, False


def _palette(rng: Rng, inks: tuple[Bgr, Bgr, Bgr, Bgr], first: int | None) -> tuple[Bgr, ...]:
    """The four inks in the order a joker uses them; often one ink for all its parts."""
    order = [int(k) for k in rng.permutation(4)]
    if first is None:
        first = int(rng.choice([3, 0, 1, 2], p=[0.4, 0.35, 0.15, 0.1]))
    order.remove(first)
    order.insert(0, first)
    if rng.random() < 0.55:
        order = [first] * 4
    return tuple(inks[k] for k in order)
