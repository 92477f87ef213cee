"""Digits of our own, from lines and arcs: a designer's choices as numbers, for numerals that no font has.

They stand in where no font is installed, and beside fonts they widen what a reader has seen: square bowls, flat-topped
threes, open fours, straight-legged sixes and nines, thick and thin strokes, square or faceted ends.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

Points = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Strokes:
    """One design of digits. Lengths are shares of the digits' height."""

    thickness: float = 0.14
    width: float = 0.6
    contrast: float = 1.0  # upright strokes by level ones
    square: bool = False  # a square pen: sharp corners and ends
    facets: int = 0  # 0: round bowls, else the corners of a full circle
    bulge: float = 2.0  # 2: ellipses, more: squarer bowls
    waist: float = 0.5  # where 3, 5 and 8 narrow
    open_four: bool = False
    flat_three: bool = False
    straight_tail: bool = False  # of 6 and 9
    crossed_seven: bool = False
    curved_seven: bool = False
    flag: float = 0.43  # of the 1, by its width; 0: none

    def draw(self, digit: str, height: int, pad: int, foot: bool) -> npt.NDArray[np.uint8]:
        """The digit's mask, `height` pixels high, with `pad` pixels of margin on all sides."""
        line = max(2, round(self.thickness * height))
        # drawn narrower and then stretched, so that upright strokes get thicker than level ones
        width = max(line + 2, round(self.width * height / self.contrast))
        canvas = np.zeros((height + 2 * pad, width + 2 * pad), np.uint8)
        inner = np.array([max(2, width - line), height - line])
        for stroke in self._lines(digit, foot):
            points = np.round((stroke * inner + pad + line / 2) * 8).astype(np.int32).reshape(-1, 1, 2)
            cv2.polylines(canvas, [points], False, 255, 1 if self.square else line, cv2.LINE_8, 3)
        if self.square:
            canvas = np.asarray(cv2.dilate(canvas, np.ones((line, line), np.uint8)), dtype=np.uint8)
        if self.contrast != 1:
            size = (max(4, round(canvas.shape[1] * self.contrast)), canvas.shape[0])
            canvas = np.asarray(cv2.resize(canvas, size, interpolation=cv2.INTER_LINEAR), dtype=np.uint8)
        return canvas

    def _arc(self, cx: float, cy: float, rx: float, ry: float, start: float, stop: float) -> Points:
        """Part of an ellipse, degrees: 0 right, 90 down."""
        count = 40 if not self.facets else max(2, round(abs(stop - start) / 360 * self.facets))
        angle = np.radians(np.linspace(start, stop, count + 1))
        c, s = np.cos(angle), np.sin(angle)
        power = 2 / self.bulge
        x = cx + rx * np.sign(c) * np.abs(c) ** power
        y = cy + ry * np.sign(s) * np.abs(s) ** power
        return np.stack([x, y], 1)

    def _lines(self, digit: str, foot: bool) -> list[Points]:
        """The digit's lines in a unit box, y downwards."""
        arc = self._arc
        waist = self.waist
        low = (1 - waist) / 2
        turn = 0.0 if not self.facets else 180.0 / self.facets
        if digit == "0":
            return [arc(0.5, 0.5, 0.5, 0.5, turn, 360 + turn)]
        if digit == "1":
            stem = [(0.55, 0.0), (0.55, 1.0)]
            flag = [(0.55 - self.flag, 0.1 + 0.35 * self.flag)] if self.flag else []
            return [_line(*flag, *stem)] + ([_line((0.18, 1.0), (0.92, 1.0))] if foot else [])
        if digit == "2":
            return [np.concatenate([arc(0.5, 0.3, 0.46, 0.3, 190, 390), _line((0.0, 1.0), (1.0, 1.0))])]
        if digit == "3" and self.flat_three:
            return [
                np.concatenate([_line((0.05, 0.0), (0.92, 0.0), (0.42, 0.42)), arc(0.45, 0.7, 0.53, 0.3, 285, 510)])
            ]
        if digit == "3":
            top = arc(0.48, waist / 2, 0.43, waist / 2, 200, 450)
            return [np.concatenate([top, arc(0.48, waist + low, 0.5, low, 270, 515)])]
        if digit == "4" and self.open_four:
            return [_line((0.22, 0.0), (0.0, 0.66), (1.0, 0.66)), _line((0.72, 0.3), (0.72, 1.0))]
        if digit == "4":
            return [_line((0.72, 1.0), (0.72, 0.0), (0.0, 0.7), (1.0, 0.7))]
        if digit == "5":
            bowl = arc(0.46, 0.68, 0.52, 0.32, 232, 510)
            return [np.concatenate([_line((0.92, 0.0), (0.16, 0.0), (0.09, 0.46)), bowl])]
        if digit == "7" and self.curved_seven:
            stroke = [np.concatenate([_line((0.0, 0.0), (1.0, 0.0)), arc(1.0, 1.0, 0.65, 0.9, 262, 180)])]
        elif digit == "7":
            stroke = [_line((0.0, 0.0), (1.0, 0.0), (0.36, 1.0))]
        if digit == "7":
            return stroke + ([_line((0.3, 0.52), (0.92, 0.52))] if self.crossed_seven else [])
        if digit == "8":
            top = arc(0.5, waist / 2, 0.43, waist / 2, turn, 360 + turn)
            return [top, arc(0.5, waist + low, 0.5, low, turn, 360 + turn)]
        tail = _line((0.06, 0.55), (0.62, 0.0)) if self.straight_tail else arc(0.87, 0.68, 0.85, 0.68, 180, 268)
        six = [arc(0.5, 0.68, 0.48, 0.32, turn, 360 + turn), tail]
        return six if digit == "6" else [1.0 - stroke for stroke in six]


def _line(*points: tuple[float, float]) -> Points:
    return np.array(points, dtype=np.float64)
