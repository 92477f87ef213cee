"""What a photo holds: pieces in rows. The one result type of `vision`, to and from JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

SCHEMA = 1
"""Version of the JSON form; a reader refuses a number it does not know."""

TILE_FACES: tuple[str, ...] = (*(f"{c}{v}" for c in "rbyk" for v in range(1, 14)), "*")
CARD_FACES: tuple[str, ...] = (
    *(f"{r}{s}" for s in "SHDC" for r in ("A", *map(str, range(2, 11)), "J", "Q", "K")),
    "*",
)
BACK = "back"
UNKNOWN = "?"
"""A face that could not be read. Never a guess, never a joker."""

Point = tuple[float, float]
Quad = tuple[Point, Point, Point, Point]
"""Four corners in pixels of the upright photo, clockwise from the piece's own top left."""

Kind = Literal["tile", "card"]
RowKind = Literal["meld", "rack", "fan", "loose"]
Flag = Literal["cut", "blurred", "glare", "small"]


class SceneError(ValueError):
    """A JSON text that is no Scene of this schema. The message is a sentence for a person."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One tile or card as read.

    `code` is the best face ("r5", "10H", "*", "back", "?"), `p` its calibrated probability,
    `alternatives` the next faces with theirs, best first. `quads` of a card lists every index seen;
    `quad` is the tile's face, or the card's first index.
    """

    code: str
    p: float
    quad: Quad
    kind: Kind = "tile"
    alternatives: tuple[tuple[str, float], ...] = ()
    upright_known: bool = True
    flags: tuple[Flag, ...] = ()
    settled: str = ""
    """Why judging the whole photo changed this piece's reading; empty if it did not."""
    asked: bool = False
    """The reading is doubtful: a person is asked before it counts."""
    indices: tuple[Quad, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """Pieces side by side in reading order, by their place in `Scene.pieces`."""

    pieces: tuple[int, ...]
    kind: RowKind = "meld"


@dataclass(frozen=True, slots=True)
class Scene:
    """A photo read: its size in pixels (upright), its pieces, and how they lie."""

    width: int
    height: int
    pieces: tuple[Piece, ...] = ()
    rows: tuple[Row, ...] = ()
    remarks: tuple[str, ...] = ()
    """Words on the photo itself: codes such as "dark", "blurred", "far", "glare", "nothing_found"."""
    timings: Mapping[str, float] = field(default_factory=dict, compare=False)
    """Milliseconds a stage; not part of equality."""

    def codes(self, row: Row) -> tuple[str, ...]:
        """The codes of a row in reading order."""
        return tuple(self.pieces[i].code for i in row.pieces)
