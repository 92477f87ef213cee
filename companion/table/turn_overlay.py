"""A move drawn on the picture after it: new cards, cards that moved and from where, cards that are gone."""

from __future__ import annotations

import cv2
import numpy as np

from companion.table.overlay import overlay
from companion.table.turn import Turn
from vision.draw import DARK, WHITE, Colour
from vision.flatten import Floats, Image, Picture
from vision.scene import Quad

NEW: Colour = (70, 150, 0)
MOVED: Colour = (200, 110, 0)
GONE: Colour = (40, 40, 220)
"""BGR; a plus, an arrow and a cross say the same."""


def turn_overlay(picture: Picture, turn: Turn, long_side: int = 1600) -> Image:
    """Draw a move on a copy of the upright photo after it (h, w, 3) BGR: its melds with their verdicts, and on top
    a ring with a plus round each new card, an arrow to each that moved, a cross where one lay that is gone."""
    canvas = overlay(picture, turn.after, long_side)
    scene = turn.after.seen.scene
    ratio = np.array([canvas.shape[1] / scene.width, canvas.shape[0] / scene.height])
    thick = max(2, round(max(canvas.shape[:2]) / 450))

    def ring(quad: Quad) -> tuple[Floats, int]:
        corners = np.array(quad) * ratio
        return corners.mean(axis=0), int(0.75 * np.hypot(*(corners[2] - corners[0]))) + 2 * thick

    for piece in turn.added:
        middle, radius = ring(scene.pieces[piece].quad)
        _circle(canvas, middle, radius, NEW, thick)
        badge = middle + np.array([0.8, -0.8]) * radius
        _cross(canvas, badge, 4 * thick, NEW, thick, turned=False)
    for piece, start in turn.moved:
        middle, radius = ring(scene.pieces[piece].quad)
        _circle(canvas, middle, radius, MOVED, thick)
        origin = np.array(start) * ratio
        way = middle - origin
        length = float(np.hypot(*way))
        if length > radius:
            _arrow(canvas, origin, middle - way / length * radius, MOVED, thick)
    size = int(np.median([ring(piece.quad)[1] for piece in scene.pieces])) if scene.pieces else 10 * thick
    for point in turn.taken_at:
        middle = np.clip(np.array(point) * ratio, size, np.array(canvas.shape[1::-1]) - size)
        _circle(canvas, middle, size, GONE, thick)
        _cross(canvas, middle, round(0.6 * size), GONE, thick, turned=True)
    return canvas


def _at(point: Floats) -> tuple[int, int]:
    return round(float(point[0])), round(float(point[1]))


def _circle(canvas: Image, middle: Floats, radius: int, colour: Colour, thick: int) -> None:
    cv2.circle(canvas, _at(middle), radius, WHITE, 2 * thick + 1, cv2.LINE_AA)
    cv2.circle(canvas, _at(middle), radius, colour, thick + 1, cv2.LINE_AA)


def _arrow(canvas: Image, start: Floats, end: Floats, colour: Colour, thick: int) -> None:
    tip = min(0.3, 10 * thick / max(float(np.hypot(*(end - start))), 1.0))
    cv2.arrowedLine(canvas, _at(start), _at(end), WHITE, 2 * thick + 1, cv2.LINE_AA, 0, tip)
    cv2.arrowedLine(canvas, _at(start), _at(end), colour, thick + 1, cv2.LINE_AA, 0, tip)


def _cross(canvas: Image, middle: Floats, size: int, colour: Colour, thick: int, *, turned: bool) -> None:
    """A cross, or (`turned`) an x, on a white disc."""
    arms = ((1, 1), (1, -1)) if turned else ((1, 0), (0, 1))
    cv2.circle(canvas, _at(middle), size + 2 * thick, WHITE, -1, cv2.LINE_AA)
    cv2.circle(canvas, _at(middle), size + 2 * thick, DARK, 1, cv2.LINE_AA)
    for arm in arms:
        reach = np.array(arm) * size * (0.7 if turned else 1.0)
        cv2.line(canvas, _at(middle - reach), _at(middle + reach), colour, 2 * thick, cv2.LINE_AA)
