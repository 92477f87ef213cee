"""Pieces that were typed instead of photographed, as a Scene: from there on both go the same way."""

from __future__ import annotations

from typing import Any

from companion.games import Game
from vision.scene import Piece, Quad, Row, Scene

WIDE, HIGH = 40.0, 60.0
"""Pixels of a piece in the picture that there would be."""
APART = 3
"""Heights of a piece between rows: far enough that none belongs to another."""


def typed_scene(text: str, game: Game[Any]) -> Scene:
    """``"10H JH QH / 9C 9D *=9S"`` laid row by row; nothing for an empty text or ``-``. Raises NotationError."""
    pieces: list[Piece] = []
    rows: list[Row] = []
    for typed in text.replace("\n", "/").split("/") if text.strip() != "-" else ():
        codes = [str(piece) for piece in game.parse(typed)] if typed.strip() else []
        if not codes:
            continue
        top = len(rows) * APART * HIGH
        start = len(pieces)
        for n, code in enumerate(codes):
            left = n * WIDE
            right, low = left + WIDE, top + HIGH
            quad: Quad = ((left, top), (right, top), (right, low), (left, low))
            pieces.append(Piece(code, 1.0, quad, kind=game.pieces))
        rows.append(Row(tuple(range(start, len(pieces))), "meld" if len(codes) > 1 else "loose"))
    wide = max((len(row.pieces) for row in rows), default=1) * WIDE
    return Scene(round(wide), round(max(len(rows), 1) * APART * HIGH), tuple(pieces), tuple(rows))
