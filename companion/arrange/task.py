"""What is to be arranged and what was found, in the search's own numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

Four = tuple[int, int, int, int]
FOURS = range(4)
HAS_RUN, HAS_SET, HAS_ONES = 1, 2, 4
"""What a laying holds, as bits."""


class TableRun(NamedTuple):
    """A run of the table that may be lengthened but not taken apart: positions ``low..high`` (1..14)."""

    colour: int
    low: int
    high: int
    reals: int
    jokers: int
    takes_joker: bool
    first_joker: bool = False
    last_joker: bool = False


class Seat(NamedTuple):
    """The one free place of a set of three on the table: the colours that fit, and whether a joker may go there."""

    value: int
    colours: tuple[int, ...]
    takes_joker: bool


@dataclass(frozen=True)
class Task:
    """What to arrange. ``free`` and ``must``: tiles by ``colour * 14 + value``; gains by position or value."""

    free: tuple[int, ...]
    must: tuple[int, ...]
    free_jokers: int
    must_jokers: int
    ratio: int
    adjacent: bool
    run14: bool
    high_one: bool
    run_gain: tuple[int, ...]  # of a free tile at position 1..14 of a run
    set_gain: tuple[int, ...]  # of a free tile of value 1..13 in a set
    joker_run: tuple[int, ...]
    joker_set: tuple[int, ...]
    runs: tuple[TableRun, ...] = ()
    seats: tuple[Seat, ...] = ()
    # an opening: what it must contain (bits HAS_*; any one of the alternatives) and its least value
    wanted: tuple[int, ...] = (0,)
    least: int = 0
    run_points: tuple[int, ...] = ()
    set_points: tuple[int, ...] = ()

    @property
    def positional(self) -> bool:
        """Whether a joker's gain depends on where it lies."""
        return len(set(self.joker_run[1:]) | set(self.joker_set[1:])) > 1 or bool(self.least)


@dataclass
class Run:
    """A run found: positions from ``start``; True in ``jokers`` for a joker; ``table``: index of the lengthened run."""

    colour: int
    start: int
    jokers: list[bool]
    table: int | None = None
    below: int = 0  # of a lengthened run: how many of ``jokers`` lie below the table's tiles


@dataclass
class Group:
    """A set found: colours of its real tiles, number of jokers; ``seat``: index of the seat that was filled."""

    value: int
    colours: tuple[int, ...]
    jokers: int
    seat: int | None = None


@dataclass
class Found:
    """The best arrangement. ``gain`` as the task counts; ``complete``: no limit was hit, so nothing is better."""

    gain: int
    runs: list[Run]
    groups: list[Group]
    jokers_left: int
    complete: bool = True
