"""Do the table and the score say the same? What lies there against the round that was scored last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from companion.match import Match, Round
from companion.table import Table
from vision.scene import BACK, UNKNOWN

State = Literal["empty", "playing", "agrees", "disagrees"]
FRESH = 600.0
"""Seconds after scoring within which a table that shares half its pieces with the round is taken for that round's."""
SAME = 0.5
"""Share of the scored melds (or, while fresh, pieces) that must still lie there for the table to be that round's."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Of one player: melds that only the camera sees, and melds that only the score has (codes, spaces between)."""

    player: str
    seen: tuple[str, ...]
    scored: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """``empty``: nothing lies there. ``playing``: what lies there is not of a round that was scored. ``agrees`` and
    ``disagrees``: it is that of round ``round``, and the score has the same melds, or ``differences``."""

    state: State
    round: int | None = None
    differences: tuple[Difference, ...] = ()


def compare(table: Table, match: Match | None, now: datetime | None = None) -> Agreement:
    """Compare the melds on the table with those of the last counted round.

    Only rounds of Remi that were scored by pieces can be compared; they are matched meld by meld and player by player,
    jokers as jokers. Racks stand with their backs to the camera and are not compared.
    """
    if not table.melds:
        return Agreement("empty")
    last = match.counted[-1] if match is not None and match.counted else None
    if match is None or last is None or match.game != "remi":
        return Agreement("playing")
    scored = _scored(match, last)
    if scored is None:
        return Agreement("playing")
    seen = _seen(table, scored)
    every_seen, every_scored = _all(seen), _all(scored)
    if not _of_that_round(every_seen, every_scored, last, now or datetime.now(UTC)):
        return Agreement("playing")
    differences = []
    for player in match.players:
        mine, theirs = seen[player.name], scored[player.name]
        if mine != theirs:
            differences.append(Difference(player.name, _told(mine - theirs), _told(theirs - mine)))
    return Agreement("disagrees" if differences else "agrees", last.number, tuple(differences))


Melds = Counter[tuple[str, ...]]


def _scored(match: Match, round_: Round) -> dict[str, Melds] | None:
    """Each player's melds as scored; None where only points were told."""
    given = round_.result.data.get("input")
    if not isinstance(given, Mapping) or given.get("mode", "pieces") != "pieces":
        return None
    entries: Mapping[str, Any] = given.get("players", {})
    found: dict[str, Melds] = {}
    for player in match.players:
        melds = entries.get(player.id, {}).get("melds", [])
        found[player.name] = Counter(_meld(meld.split() if isinstance(meld, str) else meld) for meld in melds)
    return found


def _seen(table: Table, players: Mapping[str, Melds]) -> dict[str, Melds]:
    found: dict[str, Melds] = {name: Counter() for name in players}
    for meld in table.melds:
        if meld.owner in found:
            found[meld.owner][_meld(meld.faces)] += 1
    return found


def _meld(codes: Any) -> tuple[str, ...]:
    """A meld to be compared: bare faces in a fixed order, whoever attached them and whatever a joker stands for."""
    bare = (str(code).partition("@")[0].partition("=")[0] for code in codes)
    return tuple(sorted(code for code in bare if code not in (BACK, UNKNOWN)))


def _all(melds: Mapping[str, Melds]) -> Melds:
    return sum(melds.values(), Counter())


def _of_that_round(seen: Melds, scored: Melds, round_: Round, now: datetime) -> bool:
    if not scored:
        return False
    if sum((seen & scored).values()) >= SAME * sum(scored.values()):
        return True
    pieces, lying = _pieces(scored), _pieces(seen)
    age = (now - datetime.fromisoformat(round_.at)).total_seconds() if round_.at else FRESH
    return age < FRESH and sum((pieces & lying).values()) >= SAME * sum(pieces.values())


def _pieces(melds: Melds) -> Counter[str]:
    return Counter(code for meld, times in melds.items() for code in meld * times)


def _told(melds: Melds) -> tuple[str, ...]:
    return tuple(" ".join(meld) for meld in melds.elements())
