"""Masks of the numerals 1-13 and of words, from installed fonts or from strokes of our own.

A numeral is drawn three times too large, thickened or thinned, given its foot, gap or dot, squeezed, and resized by
area: a soft-edged 8-bit mask. Nothing here knows colours or tiles.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from datasets import fonts
from datasets.strokes import Strokes

Mask = npt.NDArray[np.uint8]
OVER = 3  # supersampling


@dataclass(frozen=True)
class NumeralStyle:
    """How one edition draws its numerals. Lengths are shares of the digits' height."""

    font: str | None  # path of a font file; None: our own strokes
    strokes: Strokes = field(default_factory=Strokes)
    squeeze: float = 1.0  # horizontal scale
    weight: float = 0.0  # thickened (> 0) or thinned (< 0) on each side
    spacing: float = 0.0  # added between the digits of 10-13
    outline: float = 0.0  # > 0: hollow numerals with a line of this width
    one: str = "font"  # 'font', 'bare' (a plain bar), 'foot'
    mark: str = ""  # under 6 and 9: '', 'dot', 'after' (a dot on the line after it), 'bar'
    slant: float = 0.0  # shear, x per y
    stencil: bool = False
    rounding: float = 0.0  # radius of rounded corners, as a milling cutter leaves them


@dataclass(frozen=True)
class Numeral:
    """A numeral's mask with the centre (x, y) of its digits in mask pixels: a dot or bar beside them doesn't
    move it."""

    mask: Mask
    centre: tuple[float, float]


@dataclass(frozen=True)
class _Glyph:
    mask: Mask  # digit height plus a margin of `pad` above and below, ink from edge to edge horizontally
    left: float  # bearings, pixels
    right: float


def _own_glyph(digit: str, style: NumeralStyle, height: int, pad: int) -> _Glyph:
    mask = style.strokes.draw(digit, height, pad, style.one == "foot")
    gap = 0.07 * height
    return _Glyph(_trim(mask), gap, gap)


def _trim(mask: Mask) -> Mask:
    columns = np.flatnonzero(mask.max(axis=0))
    return mask[:, columns[0] : columns[-1] + 1] if columns.size else mask[:, :1]


@lru_cache(maxsize=512)
def _font_metrics(path: str) -> tuple[float, float, float]:
    """Height of the digits, their top and the size measured at, for a font at 200 pixels an em."""
    font = fonts.load(path, 200)
    tops, bottoms = zip(*((font.getbbox(d)[1], font.getbbox(d)[3]) for d in "0123456789"), strict=True)
    # the median leaves old-style descenders out of the height
    top, bottom = float(np.median(tops)), float(np.median(bottoms))
    return max(1.0, bottom - top), top, 200.0


@lru_cache(maxsize=512)
def stem_share(path: str) -> float:
    """How thick the font's strokes are, by the digits' height: twice the way from a stroke's middle to its edge."""
    glyphs = [_font_glyph(digit, path, 100, 30).mask for digit in "0147"]
    inside = [cv2.distanceTransform((mask > 127).astype(np.uint8), cv2.DIST_L2, 5) for mask in glyphs]
    return float(np.median([2 * np.percentile(d[d > 0], 95) for d in inside if (d > 0).any()])) / 100


def _font_glyph(digit: str, path: str, height: int, pad: int) -> _Glyph:
    tall, top, size = _font_metrics(path)
    scale = height / tall
    font = fonts.load(path, max(4, round(size * scale)))
    left, _, right, _ = font.getbbox(digit)
    canvas = Image.new("L", (int(right - left) + 2 * pad, height + 2 * pad))
    ImageDraw.Draw(canvas).text((pad - left, pad - top * scale), digit, fill=255, font=font)
    advance = float(font.getlength(digit))
    return _Glyph(_trim(np.asarray(canvas)), float(left), advance - float(right))


def _bare_one(glyph: _Glyph, height: int, pad: int) -> _Glyph:
    """A plain bar as thick as the stem of the font's own 1."""
    row = glyph.mask[pad + height // 2] > 127
    stem = max(3, int(row.sum()))
    mask = np.zeros((glyph.mask.shape[0], stem), np.uint8)
    mask[pad : pad + height] = 255
    return _Glyph(mask, max(glyph.left, 0.05 * height), max(glyph.right, 0.05 * height))


def _footed_one(glyph: _Glyph, height: int, pad: int) -> _Glyph:
    row = np.flatnonzero(glyph.mask[pad + height * 2 // 3] > 127)
    if row.size == 0:
        return glyph
    stem, middle = row.size, (row[0] + row[-1]) / 2
    reach = max(glyph.mask.shape[1] - middle, stem * 1.25)
    extra = max(0, int(np.ceil(middle + reach)) - glyph.mask.shape[1])
    mask = cv2.copyMakeBorder(glyph.mask, 0, 0, 0, extra, cv2.BORDER_CONSTANT, value=0)
    thick = max(2, int(min(stem, 0.16 * height) * 0.85))
    mask[pad + height - thick : pad + height, max(0, int(middle - reach)) : int(middle + reach)] = 255
    return _Glyph(mask, glyph.left, max(0.03 * height, glyph.right - extra))


def _glyph(digit: str, style: NumeralStyle, height: int, pad: int) -> _Glyph:
    if style.font is None:
        return _own_glyph(digit, style, height, pad)
    glyph = _font_glyph(digit, style.font, height, pad)
    if digit == "1" and style.one == "bare":
        return _bare_one(glyph, height, pad)
    if digit == "1" and style.one == "foot":
        return _footed_one(glyph, height, pad)
    return glyph


def _disc(diameter: int) -> Mask:
    return cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (diameter, diameter))


def _weigh(mask: Mask, change: float, height: int) -> Mask:
    """Thicken or thin by `change` of the height on each side, but never so much that the numeral thins away."""
    if change < 0:
        thickest = cv2.distanceTransform((mask > 127).astype(np.uint8), cv2.DIST_L2, 3)
        change = -min(-change, 0.35 * float(np.percentile(thickest[thickest > 0], 90)) / height)
    radius = abs(change) * height
    if radius < 0.7:
        return mask
    kernel = _disc(2 * round(radius) + 1)
    return cv2.dilate(mask, kernel) if change > 0 else cv2.erode(mask, kernel)


def numeral(number: int, style: NumeralStyle, height: float, max_width: float) -> Numeral:
    """The numeral `number` (1-13), digits `height` pixels high and squeezed where it would be wider than
    `max_width`."""
    tall = max(8, round(height * OVER))
    pad = max(4, tall // 3)
    glyphs = [_glyph(digit, style, tall, pad) for digit in str(number)]
    gap = 0
    if len(glyphs) == 2:
        natural = glyphs[0].right + glyphs[1].left
        gap = round(min(max(natural, 0.03 * tall), 0.2 * tall) + (style.spacing + 2 * style.weight) * tall)
        gap = max(gap, round(0.03 * tall))
    body = glyphs[0].mask
    if len(glyphs) == 2:
        space = np.zeros((body.shape[0], gap), np.uint8)
        body = np.hstack([body, space, glyphs[1].mask])
    width = body.shape[1]
    canvas = cv2.copyMakeBorder(body, 0, 0, pad, pad, cv2.BORDER_CONSTANT, value=0)
    canvas = _weigh(canvas, style.weight, tall)
    if style.rounding > 0:
        reach = max(3, round(3 * style.rounding * tall) | 1)
        blurred = cv2.stackBlur(canvas, (reach, reach))
        canvas = np.asarray(cv2.threshold(blurred, 127, 255, cv2.THRESH_BINARY)[1], dtype=np.uint8)
    if style.outline > 0:
        line = max(2, round(style.outline * tall))
        canvas = cv2.subtract(cv2.dilate(canvas, _disc(3)), cv2.erode(canvas, _disc(2 * line + 1)))
    if style.stencil:
        bridge = max(2, round(0.055 * tall))
        canvas[pad + tall // 2 - bridge // 2 : pad + tall // 2 + bridge // 2 + 1] = 0
    if style.mark and number in (6, 9):
        canvas = _mark(canvas, style, tall, pad, width)
    centre_x = pad + width / 2
    if style.slant:
        shear = np.array([[1, -style.slant, style.slant * canvas.shape[0] / 2], [0, 1, 0]], np.float32)
        canvas = cv2.warpAffine(canvas, shear, (canvas.shape[1], canvas.shape[0]))
    squeeze = min(style.squeeze, max_width * OVER / max(1.0, width))
    size = (max(2, round(canvas.shape[1] * squeeze / OVER)), max(2, round(canvas.shape[0] / OVER)))
    small = cv2.resize(canvas, size, interpolation=cv2.INTER_AREA)
    return Numeral(small, (centre_x * size[0] / canvas.shape[1], (pad + tall / 2) * size[1] / canvas.shape[0]))


def _mark(canvas: Mask, style: NumeralStyle, tall: int, pad: int, width: int) -> Mask:
    """The dot or bar that tells 6 from 9."""
    thick = max(3, round(0.1 * tall))
    if style.mark == "bar":
        top = pad + tall + round(0.09 * tall)
        reach = round(0.04 * tall)
        canvas[top : top + round(0.8 * thick), pad - reach : pad + width + reach] = 255
    elif style.mark == "after":
        wide = cv2.copyMakeBorder(canvas, 0, 0, 0, 2 * thick, cv2.BORDER_CONSTANT, value=0)
        return cv2.circle(
            wide, (pad + width + round(1.4 * thick), pad + tall - thick // 2), round(0.8 * thick), 255, -1
        )
    else:
        cv2.circle(canvas, (pad + width // 2, pad + tall + round(1.75 * thick)), round(0.8 * thick), 255, -1)
    return canvas


def word_mask(text: str, font: str | None, height: float) -> Mask:
    """One line of text, letters about `height` pixels high from the highest to the lowest ink, cropped to its ink."""
    size = max(8, round(height * OVER * 1.3))
    face = fonts.load(font, size)
    left, top, right, bottom = (int(v) for v in face.getbbox(text))
    canvas = Image.new("L", (max(1, right - left), max(1, bottom - top)))
    ImageDraw.Draw(canvas).text((-left, -top), text, fill=255, font=face)
    mask = np.asarray(canvas)
    scale = height / mask.shape[0]
    return cv2.resize(mask, (max(1, round(mask.shape[1] * scale)), max(1, round(height))), interpolation=cv2.INTER_AREA)
