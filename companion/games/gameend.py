"""The shape of a game's end, the same for every game that has one."""

from __future__ import annotations

from dataclasses import dataclass

from companion.games.verdict import Verdict


@dataclass(frozen=True, slots=True)
class GameEnd:
    """Whether the game is over, each player's points with their lines, and who wins (several share)."""

    over: bool
    players: tuple[tuple[str, Verdict], ...]
    winners: tuple[str, ...]

    @property
    def points(self) -> dict[str, int]:
        """Points by player, bonuses included once the game is over."""
        return {player: verdict.value for player, verdict in self.players}


def finished(over: bool, players: tuple[tuple[str, Verdict], ...]) -> GameEnd:
    """A :class:`GameEnd` in which, once it is over, the most points win."""
    best = max((verdict.value for _, verdict in players), default=0)
    winners = tuple(player for player, verdict in players if verdict.value == best) if over else ()
    return GameEnd(over, players, winners)
