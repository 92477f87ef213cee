"""What is known of one piece that is followed, and what a find of it counts for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from vision.flatten import Floats
from vision.identify import Reading
from vision.scene import BACK, UNKNOWN, Kind
from vision.votes import Votes

GOOD_SPOT: Mapping[Kind, float] = {"tile": 0.8, "card": 0.5}
FAIR, CERTAIN = 0.8, 0.98
"""A find counts at once where it is located this surely (and, of a card, read fairly), or where it is read for certain;
else once it is found again."""
UNREAD = 3
"""Looks from which what is hardly read is a piece, and asked about: a pattern of the table is seldom found as often."""
OTHER, RULED_OUT = 0.8, 0.05
"""In a place that changed, a look this sure that holds the old face for this unlikely saw another piece."""


@dataclass(eq=False)
class Track:
    """A tile, or one index of a card. `piece`: the identity of the piece it is of, -1 before it has one; `shown`: it
    has been seen surely enough to count; `origin`: a like piece, out of sight since, that may have been moved here."""

    votes: Votes
    seen: float
    piece: int = -1
    missed: float = 0.0
    shown: bool = True
    moved: bool = False
    origin: Track | None = None
    born: float = 0.0

    def found(self, find: Reading, time: float) -> None:
        """It was found in its place."""
        self.votes.add(find)
        self.seen, self.missed = time, 0.0
        self.shown = self.origin is None and (self.shown or self.votes.looks >= UNREAD or _fair(self.votes.reading))

    @property
    def quad(self) -> Floats:
        """Where it lies (4, 2)."""
        return self.votes.reading.quad

    @property
    def code(self) -> str:
        """Its best face."""
        return self.votes.reading.best[0]


@dataclass(frozen=True, eq=False)
class Gone:
    """A piece that is no longer there."""

    piece: int
    code: str
    quad: Floats
    time: float


def another(track: Track, find: Reading) -> bool:
    """Has another piece come to lie in this place?"""
    code, faces = find.best[0], find.faces
    return code not in (track.code, UNKNOWN) and faces[code] >= OTHER and faces[track.code] < RULED_OUT


def good(find: Reading, code: str) -> bool:
    """Does a find count without being found again?"""
    if find.spot.score < GOOD_SPOT[find.kind]:
        return code not in (UNKNOWN, BACK) and find.faces[code] >= CERTAIN
    return _fair(find)


def _fair(reading: Reading) -> bool:
    """Is it read at all, and of a card well: patterns pass for indices of cards more than for tiles?"""
    code, p = reading.best
    return code != UNKNOWN and (reading.kind == "tile" or p >= FAIR)
