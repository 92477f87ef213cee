"""What an arrangement is, whatever the game."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from companion.arrange.task import Found
from companion.pieces import Card, Tile

P = TypeVar("P", Tile, Card)

LIMIT = 200_000
"""States of one column that a search follows; with more it stops being exhaustive (and says so)."""
BIG = 1 << 14
"""Weight of the objective against its tie-break, which stays below it for every rack a set holds."""


class ArrangeError(ValueError):
    """A rack or table that cannot be: too many of one piece, an illegal meld on the table. Says which."""


@dataclass(frozen=True, slots=True)
class Meld(Generic[P]):
    """A meld of the answer, in order, jokers declared wherever their face is known.

    ``kind``: ``run`` or ``set``. ``onto``: index of the table's meld that it lengthens, None for a new meld.
    ``added``: the pieces from the rack among ``pieces``.
    """

    pieces: tuple[P, ...]
    kind: str
    added: tuple[P, ...]
    onto: int | None = None


@dataclass(frozen=True, slots=True)
class Arrangement(Generic[P]):
    """The best way found.

    ``melds``: what to lay (Carousel: the whole table afterwards). ``left``: pieces that stay on the rack.
    ``points_left``: their points. ``laid``: how many pieces leave the rack. ``value``: the opening value of an opening,
    the points laid otherwise.
    ``complete``: the search was exhaustive, so nothing is better; False after a limit was hit: then it is only the best
    of what was seen.
    """

    melds: tuple[Meld[P], ...]
    left: tuple[P, ...]
    points_left: int
    laid: int
    value: int
    complete: bool = True

    @property
    def ok(self) -> bool:
        """Whether anything can be laid at all."""
        return self.laid > 0


def without(pieces: Iterable[P], taken: Iterable[P]) -> tuple[P, ...]:
    """The pieces left when each of ``taken`` was removed once, a declared joker as the joker it is."""
    rest = [piece.bare() for piece in pieces]
    for piece in taken:
        rest.remove(piece.bare())
    return tuple(rest)


def keep_one(rack: Sequence[P], search: Callable[[tuple[P, ...]], Found | None]) -> Found | None:
    """The best of all arrangements that leave a piece to discard (RULES.md 1.10.1, 3 no. 4)."""
    best: Found | None = None
    for piece in dict.fromkeys(rack):
        found = search(without(rack, [piece]))
        if found is not None and (best is None or found.gain > best.gain):
            best = found
    return best
