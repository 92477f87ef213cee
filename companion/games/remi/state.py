"""A Remi round as plain values: who holds what, what lies where, and the actions (RULES.md 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from companion.games.remi.deal import DealError, deal
from companion.games.remi.melds import judge_meld
from companion.games.remi.rules import SEED, HouseRules
from companion.games.remi.score import TableMeld, score_round
from companion.games.remi.table import Opened
from companion.games.score import RoundError, RoundScore
from companion.pieces import Laid, Tile, declare

Tiles = tuple[Tile, ...]


class Placed(NamedTuple):
    """A tile in a meld. ``tile``: the physical one. ``by``: the seat it is credited to. ``face``: what it counts as in
    meld checks: a tile, a declared joker, or an open one in a set. ``spent``: used up in a joker exchange."""

    tile: Tile
    by: int
    face: Tile
    spent: bool = False


class TableEntry(NamedTuple):
    """A meld on the table: the seat that laid it, and its tiles in order."""

    owner: int
    tiles: tuple[Placed, ...]

    @property
    def faces(self) -> Tiles:
        """What the meld checks see."""
        return tuple(placed.face for placed in self.tiles)


@dataclass(frozen=True, slots=True)
class Turn:
    """The running turn. ``rack_start``: tiles on the rack before it. ``drew``: where a tile came from so far.
    ``broken``: the tile that must still go into a meld. ``laid``: melds laid in it. ``before``: the round before the
    row was broken, to go back to."""

    rack_start: int
    drew: Literal["", "stock", "row"] = ""
    broken: Tile | None = None
    laid: tuple[Tiles, ...] = ()
    before: Round | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Round:
    """A round of Remi at one moment. Seats are indices of ``players``, counter-clockwise.

    ``racks``: sorted, by seat. ``stock``: next tile first; the atu lies in it until drawn. ``row``: oldest first.
    ``turns``: how many turns are complete. ``opened``: by seat, the turn of the first laying or None. ``rack_play``:
    who announced play on the rack. ``announced``/``missed``: who did and who didn't announce 3 tiles or fewer.
    ``exchanged``: who exchanged a double. ``held_twin``: who was dealt the atu's twin. ``closer``: None until somebody
    closes. ``void``: ended by a demand for a new deal.
    """

    rules: HouseRules
    players: tuple[str, ...]
    dealer: int
    racks: tuple[Tiles, ...]
    stock: Tiles
    atu: Tile
    seat: int
    turn: Turn
    row: Tiles = ()
    melds: tuple[TableEntry, ...] = ()
    turns: int = 0
    opened: tuple[int | None, ...] = ()
    rack_play: tuple[bool, ...] = ()
    announced: tuple[bool, ...] = ()
    missed: tuple[bool, ...] = ()
    exchanged: tuple[bool, ...] = ()
    held_twin: tuple[bool, ...] = ()
    atu_announcer: int | None = None
    over: bool = False
    void: bool = False
    closer: int | None = None

    @property
    def player(self) -> str:
        """Whose turn it is."""
        return self.players[self.seat]

    @property
    def rack(self) -> Tiles:
        """The rack of the player whose turn it is."""
        return self.racks[self.seat]

    @property
    def first_round_over(self) -> bool:
        """Whether every player has finished one turn (RULES.md 1.4.4)."""
        return self.turns >= len(self.players)

    @property
    def standing(self) -> Opened:
        """Whether the player whose turn it is opened, and when."""
        when = self.opened[self.seat]
        return "no" if when is None else "this_turn" if when == self.turns else "earlier"

    def score(self) -> RoundScore:
        """The points of the ended round (RULES.md 1.11); :class:`RoundError` before, or if it was void."""
        if not self.over or self.void:
            raise RoundError("the round isn't over" if not self.over else "the deal was repeated: there is no score")
        names = self.players
        table = [
            TableMeld(names[entry.owner], tuple(self._laid(entry.owner, placed) for placed in entry.tiles))
            for entry in self.melds
        ]
        return score_round(
            table,
            dict(zip(names, self.racks, strict=True)),
            None if self.closer is None else names[self.closer],
            closing_tile=None if self.closer is None else self.row[-1],
            atu=self.atu,
            announced_atu=None if self.atu_announcer is None else names[self.atu_announcer],
            not_opened=[name for name, when in zip(names, self.opened, strict=True) if when is None],
            missed=[name for name, late in zip(names, self.missed, strict=True) if late],
            rules=self.rules,
        )

    def _laid(self, owner: int, placed: Placed) -> Laid:
        tile = placed.tile
        if not tile.value and placed.face.face().value:
            tile = declare(placed.face)
        by = None if placed.by == owner else self.players[placed.by]
        return Laid(tile, by, placed.spent and self.rules.swap_model == "mark")


@dataclass(frozen=True, slots=True)
class Draw:
    """Take the next tile of the stock."""


@dataclass(frozen=True, slots=True)
class Break:
    """Take tile ``at`` (from 0) of the row and all after it (RULES.md 1.6)."""

    at: int


@dataclass(frozen=True, slots=True)
class PlayOnRack:
    """Announce play on the rack, binding for the round (R-T1)."""


@dataclass(frozen=True, slots=True)
class Lay:
    """Lay new melds, each in its order; for a first laying all that count for the opening."""

    melds: tuple[Tiles, ...]


@dataclass(frozen=True, slots=True)
class Attach:
    """Attach tiles to the meld with that index (RULES.md 1.7)."""

    meld: int
    tiles: Tiles


@dataclass(frozen=True, slots=True)
class Swap:
    """Exchange a joker of the meld with that index (RULES.md 1.8).

    ``gives``: what it stands for (in a set: every missing colour). ``use``: the new meld, its first joker being the
    freed right; or ``attach_to``: the index of an own meld.
    """

    meld: int
    gives: Tiles
    use: Tiles | None = None
    attach_to: int | None = None


@dataclass(frozen=True, slots=True)
class Discard:
    """Put a tile at the end of the row and end the turn; ``announce``: 3 tiles or fewer (RULES.md 1.9)."""

    tile: Tile
    announce: bool = False


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Go back to the moment before the row was broken (R-B4)."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """Two seats exchange one tile of a double each before the first discard (RULES.md 1.3.1)."""

    a: int
    b: int
    give_a: Tile
    give_b: Tile


@dataclass(frozen=True, slots=True)
class Redeal:
    """A seat with 3 doubles demands a new deal: the round is void (RULES.md 1.3.2)."""

    seat: int


@dataclass(frozen=True, slots=True)
class AnnounceAtu:
    """A seat that was dealt the atu's twin announces it (``atu_bonus=announced``, RULES.md 1.12)."""

    seat: int


Action = Draw | Break | PlayOnRack | Lay | Attach | Swap | Discard | TakeBack | Exchange | Redeal | AnnounceAtu


def start(shuffled: Sequence[Tile], players: Sequence[str], dealer: int, rules: HouseRules = SEED) -> Round:
    """Deals 106 shuffled tiles (:func:`~companion.games.remi.deal.deal`); :class:`DealError` if that can't be done."""
    seats = tuple(players)
    if len(set(seats)) != len(seats):
        raise DealError("two players have the same name")
    dealt = deal(shuffled, len(seats), dealer)
    nobody = (False,) * len(seats)
    first = dealt.plan.starter
    return Round(
        rules,
        seats,
        dealer,
        dealt.racks,
        dealt.stock,
        dealt.atu,
        first,
        Turn(len(dealt.racks[first])),
        opened=(None,) * len(seats),
        rack_play=nobody,
        announced=nobody,
        missed=nobody,
        exchanged=nobody,
        held_twin=tuple(dealt.atu in rack for rack in dealt.racks),
    )


def problems(state: Round) -> tuple[str, ...]:
    """What breaks the invariants of RULES.md 1.14 in this state; always empty unless the core is wrong."""
    found = []
    tiles = [t for rack in state.racks for t in rack] + list(state.stock) + list(state.row)
    tiles += [placed.tile for entry in state.melds for placed in entry.tiles]
    held: dict[Tile, int] = {}
    for tile in tiles:
        held[tile] = held.get(tile, 0) + 1
    if len(tiles) != 106 or any(n != 2 or t.stands is not None for t, n in held.items()):
        found.append("the 106 tiles are not each in one place")
    for entry in state.melds:
        verdict = judge_meld(entry.faces, state.rules)
        if not verdict.ok:
            found.append(f"an illegal meld lies on the table: {verdict.sentence()}")
    for seat, rack in enumerate(state.racks):
        if not rack and seat != state.closer:
            found.append(f"{state.players[seat]} has no tile but didn't close")
        if len(rack) > 14 and (seat != state.seat or (state.over and not state.void)):
            found.append(f"{state.players[seat]} has {len(rack)} tiles between turns")
    return tuple(found)
