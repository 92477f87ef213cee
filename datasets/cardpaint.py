"""Printing on a card: stamping masks, corner indices with their quads, and the pips of number cards.

Everything here works on a face of 250 px width in BGR. Quads are fractions of the face's width and height.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.cardletters import text_mask
from datasets.suits import Mask, suit_mask

Face = NDArray[np.uint8]
Quad = NDArray[np.float32]
Colour = tuple[int, int, int]

WIDTH = 250
RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
QUAD_MARGIN = 2.5
"""Pixels of a 250 px wide face between an index's ink and its quad."""

# (column, row) of each pip: columns -1, 0, 1; rows 0 (top) to 1 (bottom). Those in the lower half are upside down.
PIPS: Mapping[str, tuple[tuple[float, float], ...]] = {
    "A": ((0, 0.5),),
    "2": ((0, 0), (0, 1)),
    "3": ((0, 0), (0, 0.5), (0, 1)),
    "4": ((-1, 0), (1, 0), (-1, 1), (1, 1)),
    "5": ((-1, 0), (1, 0), (0, 0.5), (-1, 1), (1, 1)),
    "6": ((-1, 0), (1, 0), (-1, 0.5), (1, 0.5), (-1, 1), (1, 1)),
    "7": ((-1, 0), (1, 0), (0, 0.25), (-1, 0.5), (1, 0.5), (-1, 1), (1, 1)),
    "8": ((-1, 0), (1, 0), (0, 0.25), (-1, 0.5), (1, 0.5), (0, 0.75), (-1, 1), (1, 1)),
    "9": ((-1, 0), (1, 0), (-1, 1 / 3), (1, 1 / 3), (0, 0.5), (-1, 2 / 3), (1, 2 / 3), (-1, 1), (1, 1)),
    "10": (
        *((-1, 0), (1, 0), (0, 1 / 6), (-1, 1 / 3), (1, 1 / 3)),
        *((-1, 2 / 3), (1, 2 / 3), (0, 5 / 6), (-1, 1), (1, 1)),
    ),
}


@dataclass(frozen=True)
class IndexStyle:
    """How a deck prints its corner indices. Lengths are pixels of a 250 px wide face."""

    font: str
    suit_style: int
    letters: Mapping[str, str]  # rank as in the code -> what is printed
    left: float  # margin of the index column
    top: float
    rank_height: int
    squeeze: float  # horizontal scale of the rank
    ten_width: float  # most width of a two-digit rank, in widths of the 8
    suit_height: int
    gap: int
    corners: int  # 2 or 4
    bold: float  # strokes thickened (+) or thinned (-), in px
    backing: bool  # the paper behind the index is left free of the picture

    def rank_mask(self, rank: str) -> Mask:
        """The printed rank as an alpha mask, `rank_height` px tall."""
        text = self.letters[rank]
        mask = text_mask(self.font, text, 0.35 if len(text) > 1 else 1.0)
        eight = text_mask(self.font, "8").shape[1]
        width = mask.shape[1] * self.squeeze
        if len(text) > 1:
            width = min(width, eight * self.squeeze * self.ten_width)
        scale = self.rank_height / mask.shape[0]
        size = (max(3, round(width * scale)), self.rank_height)
        small = np.asarray(cv2.resize(mask, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        return embolden(small, self.bold)

    @property
    def column(self) -> float:
        """Width of the index column."""
        signs = [suit_mask(self.suit_style, suit, self.suit_height) for suit in "SHDC"]
        return float(max(mask.shape[1] for mask in (*map(self.rank_mask, ("8", "10", "Q", "K")), *signs)))


def embolden(mask: Mask, by: float) -> Mask:
    """Thickens (or, below 0, thins) the strokes of a mask by a fraction of a pixel or more, at the same size."""
    if by == 0:
        return mask
    grown = cv2.dilate(mask, np.ones((3, 3), np.uint8)) if by > 0 else cv2.erode(mask, np.ones((3, 3), np.uint8))
    share = min(1.0, abs(by))
    return np.asarray(cv2.addWeighted(mask, 1 - share, np.asarray(grown), share, 0), dtype=np.uint8)


def stamp(face: Face, mask: Mask, x: float, y: float, ink: Colour) -> None:
    """Prints a mask in one ink, its top left at (x, y) rounded, clipped to the face; in place."""
    left, top = round(x), round(y)
    x0, y0 = max(0, left), max(0, top)
    x1, y1 = min(face.shape[1], left + mask.shape[1]), min(face.shape[0], top + mask.shape[0])
    if x0 >= x1 or y0 >= y1:
        return
    alpha = mask[y0 - top : y1 - top, x0 - left : x1 - left, None].astype(np.float32) * (1 / 255)
    under = face[y0:y1, x0:x1]
    under[:] = np.rint(under + (np.array(ink, np.float32) - under) * alpha).astype(np.uint8)


def box_quad(face: Face, x0: float, y0: float, x1: float, y1: float) -> Quad:
    """An upright box in pixels as a quad in fractions of the face, with a small margin, kept inside the face."""
    h, w = face.shape[:2]
    x0, y0 = max(0.0, x0 - QUAD_MARGIN), max(0.0, y0 - QUAD_MARGIN)
    x1, y1 = min(float(w), x1 + QUAD_MARGIN), min(float(h), y1 + QUAD_MARGIN)
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float32) / np.array([w, h], np.float32)


def turned(quad: Quad) -> Quad:
    """The same quad on the card turned by 180 degrees: still from its own top left, which is now at the lower right."""
    return (1 - quad).astype(np.float32)


def across(quad: Quad) -> Quad:
    """The quad of an equal, upright mark at the mirrored place."""
    moved = quad.copy()
    moved[:, 0] += 1 - quad[:, 0].min() - quad[:, 0].max()
    return moved


def print_indices(face: Face, style: IndexStyle, code: str, ink: Colour, body: Colour) -> tuple[Quad, ...]:
    """Prints the corner indices of `code` and returns their quads, upright ones first."""
    rank, suit = code[:-1], code[-1]
    return print_corners(
        face, style.rank_mask(rank), suit_mask(style.suit_style, suit, style.suit_height), style, ink, body
    )


def print_corners(
    face: Face, head: Mask, sign: Mask | None, style: IndexStyle, ink: Colour, body: Colour
) -> tuple[Quad, ...]:
    """Prints `head` over `sign` in two or four corners."""
    parts = [head] if sign is None else [head, sign]
    width = max(part.shape[1] for part in parts)
    height = sum(part.shape[0] for part in parts) + (style.gap if sign is not None else 0)
    column = max(width, style.column)
    block = np.zeros((height, width), np.uint8)
    y = 0
    for part in parts:
        x = (width - part.shape[1]) // 2
        block[y : y + part.shape[0], x : x + part.shape[1]] = part
        y += part.shape[0] + style.gap
    h, w = face.shape[:2]
    x0, y0 = round(style.left + (column - width) / 2), round(style.top)
    places = [x0] if style.corners == 2 else [x0, w - x0 - width]
    flipped = block[::-1, ::-1]
    for x in places:
        if style.backing:
            pad = 3
            cv2.rectangle(face, (x - pad, 0), (x + width + pad, y0 + height + pad), body, -1)
            cv2.rectangle(face, (w - x - width - pad, h - y0 - height - pad), (w - x + pad, h), body, -1)
    for x in places:
        stamp(face, block, x, y0, ink)
        stamp(face, flipped, w - x - width, h - y0 - height, ink)
    upright = box_quad(face, x0, y0, x0 + width, y0 + height)
    quads = [upright] if style.corners == 2 else [upright, across(upright)]
    return tuple(quads + [turned(q) for q in quads])


@dataclass(frozen=True)
class PipStyle:
    """Where and how large the pips of number cards are. Fractions of the face."""

    suit_style: int
    height: float  # of the width
    column: float  # distance of the outer columns from the middle, of the width
    top: float  # centre of the uppermost row, of the height
    single: bool  # one large sign instead of counted pips, as in some large-index decks


def print_pips(face: Face, style: PipStyle, code: str, ink: Colour) -> None:
    """Prints the pips of a number card in their proper places; those of the lower half stand on their heads."""
    rank, suit = code[:-1], code[-1]
    h, w = face.shape[:2]
    if style.single:
        mask = suit_mask(style.suit_style, suit, round(w * style.height))
        stamp(face, mask, (w - mask.shape[1]) / 2, (h - mask.shape[0]) / 2, ink)
        return
    mask = suit_mask(style.suit_style, suit, round(w * style.height))
    for column, row in PIPS[rank]:
        x = w * (0.5 + column * style.column)
        y = h * (style.top + row * (1 - 2 * style.top))
        turned_mask = mask[::-1, ::-1] if row > 0.5 else mask
        stamp(face, turned_mask, x - mask.shape[1] / 2, y - mask.shape[0] / 2, ink)
