"""What an edition of tiles looks like, drawn at random from parts: colours, numerals, layout, signs, jokers,
backs, wear."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from datasets import jokers
from datasets.numerals import NumeralStyle
from datasets.pen import SUITS
from datasets.tilefonts import font_path, numeral_style, pick
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
    edge: Bgr | None  # numerals with a thin line of this colour around them
    joker_twin: bool  # once more upside down
    ragged: float  # how roughly paint ends at the rim of an engraving
    joker_inverse: str  # '', 'disc' or 'panel': an inked ground with the design left bare
    back: str  # 'plain', 'paint', 'grid', 'stripes', 'dots', 'emblem', 'word', 'dish'
    back_ink: Bgr
    print_shift: float
    print_turn: float
    wear: float


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
        font=font_path(rng, held_out, looks),
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
    family = pick(rng, {"rummikub": 0.4, "okey": 0.23, "remi": 0.2, "plain": 0.11, "wood": 0.1})
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
        layout = pick(rng, {"single": 8, "twin": 0.4, "corner": 0.5, "corners": 0.4, "disc": 2.0, "ringed": 1.3})
    y = rng.uniform(0.3, 0.39)
    height = rng.uniform(0.25, 0.36)
    if family == "okey":
        y, height = rng.uniform(0.29, 0.38), rng.uniform(0.3, 0.46)
    elif family == "remi":
        y, height = (0.5 if rng.random() < 0.15 else rng.uniform(0.28, 0.42)), rng.uniform(0.26, 0.45)
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
    emblem = layout == "single" and family in ("okey", "remi", "plain") and rng.random() < 0.13
    if emblem:  # a large sign, the numeral small above it
        y, height = rng.uniform(0.17, 0.23), rng.uniform(0.16, 0.24)
    y = max(y, height / 2 + 0.08)
    must = centred or layout in ("twin", "corners") or (layout in ("disc", "ringed") and y > 0.44)
    mark = (
        pick(rng, {"dot": 1, "bar": 1.2, "after": 0.4})
        if must
        else pick(rng, {"": 56, "dot": 16, "bar": 21, "after": 7})
    )
    numeral = numeral_style(rng, held_out, family, mark)
    edge = inks[3] if rng.random() < 0.5 else vary(ground, rng, 20)
    room = 1 - (y + height / 2)  # left under the numeral
    sign, dishes, sign_y, sign_radius, sign_ring = _beneath(rng, family, layout, y, height, room, centred, emblem)
    carve = (
        rng.uniform(0.008, 0.028)
        if rng.random() < {"okey": 0.85, "remi": 0.5, "rummikub": 0.07, "wood": 0.3}.get(family, 0.3)
        else 0.0
    )
    logo = None
    if (
        not sign
        and all(dish.y <= y for dish in dishes)
        and not centred
        and layout == "single"
        and rng.random() < {"rummikub": 0.75, "remi": 0.25}.get(family, 0.1)
    ):
        logo = _logo(rng, held_out, rng.uniform(0.76, 0.84), inks)
    designs = jokers.designs(held_out)
    edged = carve == 0 and numeral.outline == 0 and layout == "single" and rng.random() < 0.05
    first = "moon_face" if family == "rummikub" and not held_out and rng.random() < 0.25 else str(rng.choice(designs))
    second = first if rng.random() < 0.75 else str(rng.choice(designs))
    printed = {design: jokers.varied(design, held_out, np.random.default_rng([seed, int(held_out), 17, k]))
               for k, design in enumerate(dict.fromkeys((first, second)))}
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
        numeral=numeral,
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
        joker_designs=(printed[first], printed[second]),
        joker_palettes=(_palette(rng, inks, None), _palette(rng, inks, 3 if rng.random() < 0.5 else 0)),
        joker_y=float(joker_y),
        joker_radius=float(max(joker_radius, 0.16)),
        joker_font=font_path(rng, held_out, {}),
        joker_seed=int(rng.integers(1 << 31)),
        joker_sign=bool(placed and rng.random() < 0.5),
        edge=edge if edged else None,
        joker_twin=bool(rng.random() < 0.06),
        ragged=float(rng.uniform(0, 1)) if rng.random() < 0.6 else 0.0,
        joker_inverse=pick(rng, {"": 12, "disc": 0.5, "panel": 0.5}),
        back=pick(
            rng,
            {
                "plain": 3.5,
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
    rng: Rng, family: str, layout: str, y: float, height: float, room: float, centred: bool, emblem: bool
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
    if emblem:
        large = float(rng.uniform(0.2, 0.34))
        mould = (Dish(sign_y, large * 1.1, depth, bool(rng.random() < 0.5)),) if rng.random() < 0.3 else ()
        return str(rng.choice(SUITS)), mould, sign_y, large * rng.uniform(0.6, 0.9), bool(rng.random() < 0.5)
    if family == "rummikub":
        around = (Dish(y, rng.uniform(0.31, 0.44), depth, bool(rng.random() < 0.5)),) if rng.random() < 0.7 else ()
        sign = str(rng.choice(SUITS)) if rng.random() < 0.15 else ""
        return sign, around, sign_y, radius * 0.6, bool(rng.random() < 0.1)
    if rng.random() < (0.85 if family == "okey" else 0.55):
        sign = pick(
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
