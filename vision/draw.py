"""A Scene drawn on its picture: every piece with its letter and number, every row outlined as the caller wishes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np

from vision.flatten import Floats, Image, Picture, pixels
from vision.locate import shrink
from vision.scene import BACK, UNKNOWN, Piece, Scene

Colour = tuple[int, int, int]
"""BGR, 0 to 255."""
INKS: Mapping[str, Colour] = {
    "r": (38, 28, 190), "b": (176, 84, 14), "y": (0, 112, 196), "k": (24, 24, 24),
    "S": (24, 24, 24), "C": (24, 24, 24), "H": (38, 28, 190), "D": (38, 28, 190),
}
"""Grounds of the labels, dark enough for white letters; the letter says the colour too."""
OTHER: Colour = (110, 60, 110)
ASKED: Colour = (0, 215, 255)
PLAIN: Colour = (255, 160, 40)
WHITE: Colour = (255, 255, 255)
DARK: Colour = (20, 20, 20)
FONT = cv2.FONT_HERSHEY_SIMPLEX


@dataclass(frozen=True)
class RowStyle:
    """How a row is outlined: `colour`, words beside it such as "legal 21", `dashed` for those who see no colours."""

    colour: Colour = PLAIN
    words: str = ""
    dashed: bool = False


LEGAL = RowStyle((70, 150, 0))
ILLEGAL = RowStyle((40, 40, 220), dashed=True)


def draw(picture: Picture, scene: Scene, rows: Mapping[int, RowStyle] | None = None, long_side: int = 1600,
         names: Mapping[str, str] | None = None) -> Image:
    """Draw a Scene on a copy of its upright photo (h, w, 3) BGR, reduced to `long_side` pixels at most.

    `rows`: a style by place in `scene.rows` (a row without one gets a plain outline if it has two pieces or more);
    `names`: other words for faces, such as {"*": "JOLLY"}.
    """
    height, width = picture.shape[:2]
    scale = min(long_side / max(height, width), 1.0)
    size = (max(round(width * scale), 1), max(round(height * scale), 1))
    canvas = pixels(picture).copy() if scale == 1.0 else shrink(picture, size)
    ratio = np.array([size[0] / scene.width, size[1] / scene.height])
    styles = rows or {}
    quads = [np.array(piece.quad) * ratio for piece in scene.pieces]
    thick = max(2, round(max(size) / 500))
    for n, row in enumerate(scene.rows):
        style = styles.get(n, RowStyle() if len(row.pieces) > 1 else None)
        if style is not None:
            others = [quads[i] for i in range(len(quads)) if i not in row.pieces]
            _outline(canvas, [quads[i] for i in row.pieces], others, style, thick)
    for piece, quad in zip(scene.pieces, quads, strict=True):
        _mark(canvas, piece, quad, names or {}, thick)
    return canvas


def label(code: str, asked: bool = False, names: Mapping[str, str] | None = None) -> str:
    """What is written on a piece: colour as a letter, then the number; a question mark where it is asked about."""
    word = (names or {}).get(code) or ("back" if code == BACK else code.upper())
    return f"{word}?" if asked and code != UNKNOWN else word


def _outline(canvas: Image, quads: list[Floats], others: list[Floats], style: RowStyle, thick: int) -> None:
    grown = [quad.mean(axis=0) + (quad - quad.mean(axis=0)) * 1.14 for quad in quads]
    hull = np.asarray(cv2.convexHull(np.concatenate(grown).astype(np.float32)), np.float64).reshape(-1, 2)
    for colour, weight in ((WHITE, 2 * thick + 1), (style.colour, thick + 1)):
        if style.dashed and colour != WHITE:
            _dashes(canvas, hull, colour, weight, 7 * thick)
        else:
            cv2.polylines(canvas, [np.round(hull).astype(np.int32)], True, colour, weight, cv2.LINE_AA)
    if style.words:
        height = int(np.clip(np.median([np.ptp(q[:, 1]) for q in quads]) * 0.22, 14, 40))
        (left, top), (right, bottom) = hull.min(axis=0), hull.max(axis=0)
        places = [(left, top - 0.8 * height), (left, bottom + 0.8 * height), (right + 0.5 * height, (top + bottom) / 2)]
        reach = np.array([height * 0.6 * len(style.words), 2 * height])

        def hidden(place: tuple[float, float]) -> int:
            """How many other pieces the words would cover there, or whether they would leave the picture."""
            low, high = np.array(place) - [0, height], np.array(place) + reach - [0, height]
            outside = (low < 0).any() or (high > [canvas.shape[1], canvas.shape[0]]).any()
            return int(outside) + sum(
                not ((quad.max(axis=0) < low).any() or (quad.min(axis=0) > high).any()) for quad in others
            )

        at = min(places, key=hidden)
        _tag(canvas, style.words, (float(at[0]), float(at[1])), height, style.colour, centred=False)


def _dashes(canvas: Image, hull: Floats, colour: Colour, weight: int, step: int) -> None:
    for start, end in zip(hull, np.roll(hull, -1, axis=0), strict=True):
        length = float(np.hypot(*(end - start)))
        for at in np.arange(0, length, 2 * step):
            ends = [start + (end - start) * min(t, length) / max(length, 1e-6) for t in (at, at + step)]
            one, two = (tuple(int(v) for v in np.round(point)) for point in ends)
            cv2.line(canvas, one, two, colour, weight, cv2.LINE_AA)


def _mark(canvas: Image, piece: Piece, quad: Floats, names: Mapping[str, str], thick: int) -> None:
    edge = ASKED if piece.asked else WHITE
    corners = np.round(quad).astype(np.int32)
    cv2.polylines(canvas, [corners], True, DARK, thick + 1, cv2.LINE_AA)
    cv2.polylines(canvas, [corners], True, edge, max(thick - 1, 1), cv2.LINE_AA)
    side = float(min(np.hypot(*(quad[1] - quad[0])), np.hypot(*(quad[3] - quad[0]))))
    height = int(np.clip(side * 0.34, 13, 46))
    # the lower part of a tile's face is empty or holds an ornament; the numeral above stays to be compared
    top, bottom = (quad[0] + quad[1]) / 2, (quad[2] + quad[3]) / 2
    at = top + (bottom - top) * 0.8
    ground = INKS.get(piece.code[:1] if piece.kind == "tile" else piece.code[-1:], OTHER)
    _tag(canvas, label(piece.code, piece.asked, names), (float(at[0]), float(at[1])), height,
         ground if piece.code not in (BACK, UNKNOWN, "*") else OTHER, border=ASKED if piece.asked else WHITE)


def _tag(canvas: Image, words: str, at: tuple[float, float], height: int, ground: Colour, centred: bool = True,
         border: Colour = WHITE) -> None:
    """Words in white on a ground, `height` pixels high, kept inside the picture."""
    scale = height / 32
    weight = max(1, round(height / 12))
    (wide, high), _ = cv2.getTextSize(words, FONT, scale, weight)
    pad = max(2, height // 6)
    left = at[0] - wide / 2 if centred else at[0]
    x = int(np.clip(left, pad, max(canvas.shape[1] - wide - pad, pad)))
    y = int(np.clip(at[1] + high / 2, high + pad, max(canvas.shape[0] - pad, high + pad)))
    cv2.rectangle(canvas, (x - pad, y - high - pad), (x + wide + pad, y + pad), ground, -1)
    cv2.rectangle(canvas, (x - pad, y - high - pad), (x + wide + pad, y + pad), border, 1)
    cv2.putText(canvas, words, (x, y), FONT, scale, WHITE, weight, cv2.LINE_AA)
