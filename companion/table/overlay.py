"""A Table drawn on its photo: melds outlined by verdict (in colour, in line and in words), questions marked."""

from __future__ import annotations

from dataclasses import replace

from companion.table.values import MeldRead, Table
from vision.draw import ILLEGAL, LEGAL, RowStyle, draw
from vision.flatten import Image, Picture
from vision.scene import Row

UNDECIDED = RowStyle((0, 140, 220), dashed=True)
"""A meld with a question in it (BGR)."""


def overlay(picture: Picture, table: Table, long_side: int = 1600) -> Image:
    """Draw a table on a copy of its upright photo (h, w, 3) BGR, reduced to ``long_side`` pixels at most."""
    scene = table.scene
    shown = [n for n in range(len(scene.pieces)) if n not in table.seen.removed]
    place = {piece: n for n, piece in enumerate(shown)}
    pieces = [scene.pieces[n] for n in shown]
    for meld in table.melds:
        for piece, face in zip(meld.pieces, meld.faces, strict=True):
            bare = "*" if face.startswith("*") else face
            pieces[place[piece]] = replace(pieces[place[piece]], code=bare)
    rows = tuple(Row(tuple(place[piece] for piece in meld.pieces)) for meld in table.melds)
    styles = {n: _style(meld) for n, meld in enumerate(table.melds)}
    return draw(picture, replace(scene, pieces=tuple(pieces), rows=rows), styles, long_side)


def _style(meld: MeldRead) -> RowStyle:
    points = f" {meld.verdict.value}" if meld.verdict.value else ""
    if not meld.decided:
        return replace(UNDECIDED, words=f"?{points}")
    return replace(LEGAL, words=f"ok{points}") if meld.verdict.ok else replace(ILLEGAL, words="no")
