"""Rank letters and digits of card indices as alpha masks: from installed fonts, and from a drawn stroke alphabet.

The stroke alphabet imitates the letterforms of card printers (slab serifs, squeezed tens) and needs no installed
font, so decks have many indices on a bare machine too.
"""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from datasets.fonts import FontFile, numeral_fonts
from datasets.suits import Mask, bezier, held_out

STROKE_STYLES = 160

_SCALE = 160  # px cap height of master drawings
# how often a look is met in card indices, against its sisters
_LOOKS = {"serif": 1.4, "didone": 1.4, "slab": 1.6, "condensed": 1.5, "grotesk": 1.0, "round": 0.8, "hand": 0.15}

Stroke = list[tuple[float, float]]


def choose_font(rng: np.random.Generator, held: bool) -> str:
    """A letter source of one side of the split: the path of a font file, or `stroke:N`, a style of the drawn alphabet.

    Designs are drawn first and their cuts second, so that a family with many weights doesn't crowd out the rest.
    """
    designs: dict[str, list[FontFile]] = {}
    for font in _letter_fonts(held):
        designs.setdefault(font.design, []).append(font)
    if designs and rng.random() < 0.6:
        names = sorted(designs)
        weights = np.array([_LOOKS.get(designs[name][0].look, 0.15) for name in names])
        cuts = designs[str(rng.choice(names, p=weights / weights.sum()))]
        return cuts[int(rng.integers(len(cuts)))].path
    strokes = [n for n in range(STROKE_STYLES) if held_out(f"stroke:{n}") == held]
    return f"stroke:{strokes[int(rng.integers(len(strokes)))]}"


@lru_cache(maxsize=2)
def _letter_fonts(held: bool) -> tuple[FontFile, ...]:
    """The numeral fonts that have Latin letters too."""
    return tuple(f for f in numeral_fonts(held) if _font(f.path)[1] > 0)


def text_mask(font: str, text: str, tight: float = 1.0) -> Mask:
    """Alpha mask of `text`, cropped to its ink, 160 px tall; `tight` < 1 squeezes the letters of a word together."""
    return _text_mask(font, text, round(tight, 2))


@lru_cache(maxsize=4096)
def _text_mask(font: str, text: str, tight: float) -> Mask:
    letters = [_stroke_letter(font, c) if font.startswith("stroke:") else _font_letter(font, c) for c in text]
    gap = round(_SCALE * 0.16 * tight)
    width = sum(m.shape[1] for m in letters) + gap * (len(letters) - 1)
    word = np.zeros((_SCALE, width), np.uint8)
    x = 0
    for letter in letters:
        word[_SCALE - letter.shape[0] :, x : x + letter.shape[1]] = letter
        x += letter.shape[1] + gap
    return word


def _fit(mask: Mask, cap: float, capital: bool) -> Mask:
    """Crops to the ink and scales a cap height of `cap` px to the master's; their tails are squeezed."""
    ys, xs = np.flatnonzero(mask.max(1) > 40), np.flatnonzero(mask.max(0) > 40)
    if len(ys) == 0:
        raise ValueError("a letter without ink")
    tight = mask[ys[0] : ys[-1] + 1, xs[0] : xs[-1] + 1]
    width = max(2, round(tight.shape[1] * _SCALE / cap))
    height = _SCALE if capital else min(_SCALE, round(tight.shape[0] * _SCALE / cap))
    return np.asarray(cv2.resize(tight, (width, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _font_letter(font: str, letter: str) -> Mask:
    face, cap = _font(font)
    left, top, right, bottom = face.getbbox(letter)
    image = Image.new("L", (max(1, int(right - left) + 8), max(1, int(bottom - top) + 8)))
    ImageDraw.Draw(image).text((4 - left, 4 - top), letter, font=face, fill=255)
    return _fit(np.asarray(image), cap, not letter.islower())


@lru_cache(maxsize=64)
def _font(font: str) -> tuple[ImageFont.FreeTypeFont, float]:
    face = ImageFont.truetype(font, 200)
    box = face.getbbox("K")
    return face, float(box[3] - box[1])


# --- the drawn alphabet ------------------------------------------------------------------------------------------


def _arc(cx: float, cy: float, rx: float, ry: float, start: float, stop: float, steps: int = 40) -> Stroke:
    """Elliptic arc in degrees, 0 = right, clockwise on the page."""
    turn = np.radians(np.linspace(start, stop, steps))
    return [(cx + rx * float(np.cos(a)), cy + ry * float(np.sin(a))) for a in turn]


def _bowl(cx: float, cy: float, rx: float, ry: float, square: float) -> Stroke:
    """A closed bowl between an ellipse (`square` = 1) and a rounded box (towards 0.4)."""
    turn = np.linspace(0, 2 * np.pi, 60)
    x, y = np.cos(turn), np.sin(turn)
    xs, ys = np.sign(x) * np.abs(x) ** square, np.sign(y) * np.abs(y) ** square
    return [(cx + rx * float(a), cy + ry * float(b)) for a, b in zip(xs, ys, strict=True)]


def _curve(*points: tuple[float, float]) -> Stroke:
    return [(float(x), float(y)) for x, y in bezier(points)]


def _letter_strokes(letter: str, w: float, rng: np.random.Generator, square: float) -> tuple[list[Stroke], Stroke]:
    """Centre lines of a letter in a box of width `w` and height 1 (y down), and the ends that may carry a serif."""
    m = w / 2
    open_four, flat_three = rng.random() < 0.3, rng.random() < 0.15
    waist, bow = float(rng.uniform(0.44, 0.52)), float(rng.uniform(0.8, 1.0))
    curl, straight_seven, hook = float(rng.uniform(180, 215)), rng.random() < 0.6, float(rng.uniform(0.62, 0.8))
    table: dict[str, tuple[list[Stroke], Stroke]] = {
        "A": ([[(0, 1), (m, 0), (w, 1)], [(w * 0.2, 0.64), (w * 0.8, 0.64)]], [(0, 1), (w, 1)]),
        "B": (
            [[(0, 0), (0, 1)], [(0, 0), *_arc(w * 0.45, waist / 2, w * 0.5, waist / 2, -90, 90), (0, waist)],
             [(0, waist), *_arc(w * 0.48, (1 + waist) / 2, w * 0.52, (1 - waist) / 2, -90, 90), (0, 1)]],
            [(0, 0), (0, 1)],
        ),
        "D": ([[(0, 0), (0, 1)], [(0, 0), *_arc(w * 0.4, 0.5, w * 0.6, 0.5, -90, 90), (0, 1)]], [(0, 0), (0, 1)]),
        "E": ([[(w, 0), (0, 0), (0, 1), (w, 1)], [(0, waist), (w * 0.8, waist)]], []),
        "F": ([[(w, 0), (0, 0), (0, 1)], [(0, waist), (w * 0.8, waist)]], [(0, 1)]),
        "H": ([[(0, 0), (0, 1)], [(w, 0), (w, 1)], [(0, waist), (w, waist)]], [(0, 0), (0, 1), (w, 0), (w, 1)]),
        "J": ([[(w * 0.8, 0), (w * 0.8, hook), *_arc(w * 0.4, hook, w * 0.4, 1 - hook, 0, 180)]], [(w * 0.8, 0)]),
        "K": (
            [[(0, 0), (0, 1)], [(w, 0), (0, 0.62)], [(w * 0.34, 0.42), (w, 1)]],
            [(0, 0), (0, 1), (w, 0), (w, 1)],
        ),
        "n": ([[(0, 0.35), (0, 1)], [*_arc(m, 0.55, m, 0.2, 180, 360), (w, 1)]], [(0, 1), (w, 1)]),
        "O": ([_bowl(m, 0.5, m, 0.5, square)], []),
        "Q": ([_bowl(m, 0.48, m, 0.48, square), [(w * 0.5, 0.7), (w * 1.02, 1.02)]], []),
        "R": (
            [[(0, 0), (0, 1)], [(0, 0), *_arc(m, 0.27, m, 0.27, -90, 90), (0, 0.54)], [(w * 0.45, 0.54), (w, 1)]],
            [(0, 0), (0, 1), (w, 1)],
        ),
        "S": ([[*_arc(m, 0.26, m, 0.26, -20, -270), *_arc(m, 0.76, m, 0.24, -90, 160)]], []),
        "T": ([[(0, 0), (w, 0)], [(m, 0), (m, 1)]], [(m, 1)]),
        "V": ([[(0, 0), (m, 1), (w, 0)]], [(0, 0), (w, 0)]),
        "W": ([[(0, 0), (w * 0.3, 1), (m, 0.25), (w * 0.7, 1), (w, 0)]], [(0, 0), (w, 0)]),
        "0": ([_bowl(m, 0.5, m, 0.5, square)], []),
        "1": ([[(m * 0.3, 0.2), (m, 0), (m, 1)]], [(m, 1)]),
        "2": (
            [[*_arc(m, 0.28, m, 0.28, curl, 360), *_curve((w, 0.28), (w, 0.55), (w * 0.1, 0.75), (0, 1)), (w, 1)]],
            [],
        ),
        "3": (
            [[(0, 0), (w * 0.95, 0), (w * 0.4, 0.4), *_arc(m, 0.7, m, 0.3, -90, 160)]]
            if flat_three
            else [_arc(m, 0.24, m * 0.92, 0.24, -170, 90), _arc(m, 0.74, m, 0.26, -90, 165)],
            [],
        ),
        "4": (
            [[(w * 0.3, 0), (0, 0.66), (w, 0.66)], [(w * 0.72, 0.3), (w * 0.72, 1)]]
            if open_four
            else [[(w, 0.7), (0, 0.7), (w * 0.72, 0), (w * 0.72, 1)]],
            [(w * 0.72, 1)],
        ),
        "5": ([[(w * 0.92, 0), (w * 0.12, 0), (w * 0.06, 0.46), *_arc(m, 0.67, m, 0.33, -130, 160)]], []),
        "6": ([_bowl(m, 0.68, m, 0.32, square), _curve((0, 0.68), (0, 0.15), (m, -0.05), (w * 0.95, 0.1 * bow))], []),
        "7": (
            [[(0, 0.12), (0, 0), (w, 0), (w * 0.35, 1)]]
            if straight_seven
            else [[(0, 0), (w, 0), *_curve((w, 0), (w * 0.45, 0.45), (w * 0.4, 0.7), (w * 0.4, 1))]],
            [],
        ),
        "8": (
            [_bowl(m, waist / 2, m * 0.9, waist / 2, square), _bowl(m, 0.5 + waist / 2, m, 0.5 - waist / 2, square)],
            [],
        ),
        "9": (
            [_bowl(m, 0.32, m, 0.32, square), _curve((w, 0.32), (w, 0.85), (m, 1.05), (w * 0.05, 1 - 0.1 * bow))],
            [],
        ),
    }
    if letter not in table:
        raise ValueError(f"the drawn alphabet has no {letter!r}")
    return table[letter]


def _stroke_letter(font: str, letter: str) -> Mask:
    rng = np.random.default_rng([int(font.removeprefix("stroke:")), 0x57A0])
    width = rng.uniform(0.42, 0.78)
    square = float(rng.choice([1.0, rng.uniform(0.45, 1.0)]))
    pen = rng.uniform(0.09, 0.21) * (0.6 + 0.55 * width)
    contrast = rng.choice([1.0, rng.uniform(1.0, 1.9)])  # how much thicker the uprights are than the bars
    serif = rng.choice([0.0, rng.uniform(0.16, 0.34)], p=[0.4, 0.6])
    slab = rng.uniform(0.4, 0.9)
    strokes, ends = _letter_strokes(letter, width, rng, square)
    size = 320
    across = size / contrast  # drawn narrow, stretched afterwards: the round pen becomes a broad one
    thick = max(2, round(pen * size * 0.8))
    pad = thick + round(serif * size)
    canvas = np.zeros((size + 2 * pad, round(width * across) + 2 * pad), np.uint8)

    def at(points: Stroke) -> NDArray[np.int32]:
        return np.rint(np.array(points) * [across, size] + pad).astype(np.int32)

    for stroke in strokes:
        cv2.polylines(canvas, [at(stroke)], False, 255, thick, cv2.LINE_AA)
    for x, y in ends if serif else []:
        reach = serif / contrast
        foot = [(x - reach * 0.6, y), (x + reach * 0.6, y)]
        cv2.polylines(canvas, [at(foot)], False, 255, max(2, round(thick * slab)), cv2.LINE_AA)
    wide = cv2.resize(canvas, None, fx=float(contrast), fy=1.0, interpolation=cv2.INTER_LINEAR)
    return _fit(np.asarray(wide, dtype=np.uint8), float(size + thick), not letter.islower())
