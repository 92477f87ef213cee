"""Scenes made by hand: rows of codes, laid out on a grid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion.table import Table
from vision.scene import Kind, Piece, Quad, Row, RowKind, Scene

Code = str | tuple[str, dict[str, Any]]
"""A face, or a face with more of its Piece: ``("r6", {"p": 0.5, "alternatives": (("r9", 0.4),)})``."""
WIDTH, HEIGHT = 1000, 800


def quad(x: float, y: float) -> Quad:
    """A piece 40 by 60 pixels whose top left corner lies there."""
    return ((x, y), (x + 40, y), (x + 40, y + 60), (x, y + 60))


def scene(
    *rows: str | Sequence[Code], kind: RowKind = "meld", game: str = "tile", remarks: Sequence[str] = ()
) -> Scene:
    """Rows from top to bottom; ``"r5 r6 r7"`` or a list with details. A row of one is loose."""
    pieces: list[Piece] = []
    laid: list[Row] = []
    of: Kind = "card" if game == "card" else "tile"
    for n, row in enumerate(rows):
        codes: Sequence[Code] = row.split() if isinstance(row, str) else row
        start = len(pieces)
        for m, entry in enumerate(codes):
            code, more = entry if isinstance(entry, tuple) else (entry, {})
            pieces.append(Piece(code, **{"p": 0.99, "quad": quad(50 + 42 * m, 40 + 100 * n), "kind": of, **more}))
        members = tuple(range(start, len(pieces)))
        laid.append(Row(members, "loose" if len(members) == 1 else kind))
    return Scene(WIDTH, HEIGHT, tuple(pieces), tuple(laid), tuple(remarks))


def cards(*rows: str | Sequence[Code], kind: RowKind = "meld") -> Scene:
    """Rows of cards."""
    return scene(*rows, kind=kind, game="card")


def melds(table: Table) -> list[str]:
    """What each meld counts as."""
    return [" ".join(meld.faces) for meld in table.melds]


def asked(table: Table) -> dict[int, tuple[str, tuple[str, ...]]]:
    """Why and with which answers each piece is asked about."""
    return {question.piece: (question.why, question.answers) for question in table.questions}
