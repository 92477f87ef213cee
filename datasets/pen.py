"""A pen for jokers, suits and emblems: shapes in unit coordinates on a canvas of ink numbers.

The canvas holds, for each supersampled pixel, 0 (bare body) or the number of an ink; `alphas` turns it into soft masks.
Coordinates: x to the right, y down, both -1..1 over the drawing's square.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import numpy.typing as npt

from datasets.numerals import OVER, Mask, word_mask

Point = tuple[float, float]
INKS = 4


class Pen:
    """Draws on a square of `size` output pixels."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.canvas = np.zeros((size * OVER, size * OVER), np.uint8)
        self._half = size * OVER / 2
        self._unit = 0.96 * self._half  # a margin for line ends and bells

    def _at(self, points: Sequence[Point] | npt.NDArray[np.float64]) -> npt.NDArray[np.int32]:
        scaled = (np.asarray(points, dtype=np.float64) * self._unit + self._half) * 8
        return np.round(scaled).astype(np.int32).reshape(-1, 1, 2)

    def _width(self, width: float) -> int:
        return max(2, round(width * self._half))

    def poly(self, points: Sequence[Point] | npt.NDArray[np.float64], ink: int = 1) -> None:
        cv2.fillPoly(self.canvas, [self._at(points)], ink, cv2.LINE_8, 3)

    def line(
        self, points: Sequence[Point] | npt.NDArray[np.float64], width: float, ink: int = 1, closed: bool = False
    ) -> None:
        cv2.polylines(self.canvas, [self._at(points)], closed, ink, self._width(width), cv2.LINE_8, 3)

    def oval(
        self,
        x: float,
        y: float,
        rx: float,
        ry: float,
        ink: int = 1,
        width: float = 0.0,
        angle: float = 0.0,
        arc: tuple[float, float] = (0.0, 360.0),
    ) -> None:
        """An ellipse, filled where `width` is 0, else a line along `arc` (degrees, 0 right, 90 down)."""
        turn = np.radians(np.linspace(arc[0], arc[1], 61))
        lean = np.radians(angle)
        px, py = rx * np.cos(turn), ry * np.sin(turn)
        points = np.stack([x + px * np.cos(lean) - py * np.sin(lean), y + px * np.sin(lean) + py * np.cos(lean)], 1)
        if width > 0:
            self.line(points, width, ink)
        else:
            self.poly(points, ink)

    def disc(self, x: float, y: float, r: float, ink: int = 1) -> None:
        self.oval(x, y, r, r, ink)

    def ring(self, x: float, y: float, r: float, width: float, ink: int = 1) -> None:
        self.oval(x, y, r, r, ink, width)

    def curve(self, points: Sequence[Point], width: float, ink: int = 1) -> None:
        """A smooth line: a Bezier curve with these control points."""
        self.line(bezier(points), width, ink)

    def blob(self, points: Sequence[Point], ink: int = 1) -> None:
        """A smooth closed shape through the midpoints of these points."""
        corners = np.asarray(points, dtype=np.float64)
        after = np.roll(corners, -1, axis=0)
        parts = []
        for before, corner, following in zip(np.roll(corners, 1, axis=0), corners, after, strict=True):
            parts.append(bezier([(before + corner) / 2, corner, (corner + following) / 2], 12))
        self.poly(np.concatenate(parts), ink)

    def star(self, x: float, y: float, outer: float, inner: float, tips: int, ink: int = 1, turn: float = 0.0) -> None:
        self.poly(star_points(x, y, outer, inner, tips, turn), ink)

    def word(
        self,
        text: str,
        font: str | None,
        x: float,
        y: float,
        height: float,
        max_width: float,
        ink: int = 1,
        angle: float = 0.0,
    ) -> None:
        """Text centred at x, y; narrower letters where it would be wider than `max_width`."""
        mask = word_mask(text, font, max(6.0, height * self._half))
        if mask.shape[1] > max_width * self._half:
            squeeze = max_width * self._half / mask.shape[1]
            tall = max(0.75, squeeze)  # letters get narrower first, then smaller
            size = (max(1, round(mask.shape[1] * squeeze)), max(1, round(mask.shape[0] * tall)))
            mask = cv2.resize(mask, size, interpolation=cv2.INTER_AREA)
        self.stamp(mask, x, y, ink, angle)

    def stamp(self, mask: Mask, x: float, y: float, ink: int = 1, angle: float = 0.0) -> None:
        """Ink where `mask` (supersampled pixels) is set, its middle at x, y."""
        move = cv2.getRotationMatrix2D((mask.shape[1] / 2, mask.shape[0] / 2), angle, 1.0)
        move[:, 2] += [x * self._unit + self._half - mask.shape[1] / 2, y * self._unit + self._half - mask.shape[0] / 2]
        side = self.canvas.shape[0]
        self.canvas[cv2.warpAffine(mask, move, (side, side), flags=cv2.INTER_LINEAR) > 127] = ink

    def inset(self, other: Pen, x: float, y: float) -> None:
        """Another, smaller drawing with its inks, its middle at x, y; it must lie within the canvas."""
        side = other.canvas.shape[0]
        left = round(x * self._unit + self._half - side / 2)
        top = round(y * self._unit + self._half - side / 2)
        part = self.canvas[top : top + side, left : left + side]
        part[other.canvas > 0] = other.canvas[other.canvas > 0]

    def mirror(self) -> None:
        """Turn the upper half upside down into the lower half, as on court cards."""
        half = self.canvas.shape[0] // 2
        self.canvas[-half:] = self.canvas[:half][::-1, ::-1]

    def invert(self, ground: str) -> None:
        """Leave the drawing bare on an inked 'disc' or 'panel', smaller so that it lies within."""
        side = self.canvas.shape[0]
        share = 0.66 if ground == "disc" else 0.78
        shrink = np.array([[share, 0, (1 - share) * side / 2], [0, share, (1 - share) * side / 2]])
        bare = cv2.warpAffine(self.canvas, shrink, (side, side), flags=cv2.INTER_NEAREST) > 0
        self.canvas[:] = 0
        if ground == "disc":
            self.disc(0, 0, 1)
        else:
            self.blob([(-1, -1), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0)])
        self.canvas[bare] = 0

    def alphas(self) -> list[Mask]:
        """One soft mask of size x size for each ink in use, in order of the ink's number; empty masks included."""
        size = (self.size, self.size)
        masks = []
        for ink in range(1, int(self.canvas.max(initial=1)) + 1):
            hard = (self.canvas == ink).astype(np.uint8) * 255
            masks.append(cv2.resize(hard, size, interpolation=cv2.INTER_AREA))
        return masks


def bezier(points: Sequence[Point] | Sequence[npt.NDArray[np.float64]], count: int = 30) -> npt.NDArray[np.float64]:
    """`count` points of the Bezier curve with these control points."""
    level = np.repeat(np.asarray(points, dtype=np.float64)[:, None, :], count, axis=1)
    t = np.linspace(0, 1, count)[None, :, None]
    while len(level) > 1:
        level = level[:-1] * (1 - t) + level[1:] * t
    return level[0]


def star_points(
    x: float, y: float, outer: float, inner: float, tips: int, turn: float = 0.0
) -> npt.NDArray[np.float64]:
    angle = np.pi * np.arange(2 * tips) / tips - np.pi / 2 + np.radians(turn)
    radius = np.where(np.arange(2 * tips) % 2 == 0, outer, inner)
    return np.stack([x + radius * np.cos(angle), y + radius * np.sin(angle)], 1)


def suit(pen: Pen, name: str, x: float, y: float, r: float, ink: int = 1) -> None:
    """The small sign under a numeral: heart, spade, club, diamond, dot, ring, sun, star, clover, flower, bar,
    drop, square."""
    if name in ("heart", "spade"):
        up = -1.0 if name == "spade" else 1.0
        half = [(0.0, 0.95), (-0.75, 0.3), (-1.25, -0.35), (-0.85, -1.05), (-0.2, -1.0), (0.0, -0.45)]
        left = bezier([half[0], half[1], half[2], half[3]], 20)
        top = bezier([half[3], (-0.5, -1.3), half[4], half[5]], 20)
        side = np.concatenate([left, top])
        shape = np.concatenate([side, (side * [-1, 1])[::-1]])
        pen.poly(shape * [r, up * r * (0.85 if up < 0 else 1)] + [x, y - (0.12 * r if up < 0 else 0)], ink)
        if up < 0:
            pen.poly([(x - 0.4 * r, y + r), (x + 0.4 * r, y + r), (x + 0.05 * r, y), (x - 0.05 * r, y)], ink)
    elif name == "club":
        for dx, dy in ((0.0, -0.5), (-0.5, 0.22), (0.5, 0.22)):
            pen.disc(x + dx * r, y + dy * r, 0.45 * r, ink)
        pen.poly(
            [(x - 0.38 * r, y + r), (x + 0.38 * r, y + r), (x + 0.06 * r, y - 0.1 * r), (x - 0.06 * r, y - 0.1 * r)],
            ink,
        )
    elif name == "diamond":
        pen.poly([(x, y - r), (x + 0.72 * r, y), (x, y + r), (x - 0.72 * r, y)], ink)
    elif name == "sun":
        pen.star(x, y, r, 0.62 * r, 12, ink)
        pen.disc(x, y, 0.42 * r, 0)
        pen.disc(x, y, 0.28 * r, ink)
    elif name == "star":
        pen.star(x, y, r, 0.42 * r, 5, ink)
    elif name in ("clover", "flower"):
        petals = 4 if name == "clover" else 6
        for k in range(petals):
            a = 2 * np.pi * (k + 0.5) / petals
            pen.disc(x + 0.55 * r * np.cos(a), y + 0.55 * r * np.sin(a), (0.46 if petals == 4 else 0.34) * r, ink)
        pen.disc(x, y, 0.25 * r, ink if petals == 4 else 0)
    elif name == "ring":
        pen.ring(x, y, 0.8 * r, 0.26 * r, ink)
    elif name == "bar":
        pen.line([(x - r, y), (x + r, y)], 0.3 * r, ink)
    elif name == "drop":
        pen.blob([(x, y - 1.4 * r), (x + 0.9 * r, y + 0.5 * r), (x, y + 1.2 * r), (x - 0.9 * r, y + 0.5 * r)], ink)
    elif name == "square":
        pen.poly(
            [
                (x - 0.7 * r, y - 0.7 * r),
                (x + 0.7 * r, y - 0.7 * r),
                (x + 0.7 * r, y + 0.7 * r),
                (x - 0.7 * r, y + 0.7 * r),
            ],
            ink,
        )
    else:
        pen.disc(x, y, 0.7 * r, ink)


SUITS = ("heart", "spade", "club", "diamond", "dot", "ring", "sun", "star", "clover", "flower", "bar", "drop", "square")
