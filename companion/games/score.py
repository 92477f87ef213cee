"""The shape of a scored round, the same for every game."""

from __future__ import annotations

from dataclasses import dataclass

from companion.games.messages import Message, Translate, msg
from companion.games.verdict import Line, Verdict


class RoundError(ValueError):
    """A record that no round can have left behind (a closer nobody knows, a player without a hand)."""


@dataclass(frozen=True, slots=True)
class RoundScore(Verdict):
    """A scored round. ``value`` and ``lines`` are those of all players together; each has his own in ``players``.

    ``winners``: who won the round, empty where the game knows none.
    """

    players: tuple[tuple[str, Verdict], ...] = ()
    winners: tuple[str, ...] = ()

    @property
    def points(self) -> dict[str, int]:
        """Points by player, in seating order."""
        return {player: verdict.value for player, verdict in self.players}

    @property
    def lines(self) -> tuple[Line, ...]:
        """Every player's lines, one after the other."""
        return tuple(line for _, verdict in self.players for line in verdict.lines)

    def of(self, player: str) -> Verdict:
        """One player's points and lines."""
        for name, verdict in self.players:
            if name == player:
                return verdict
        raise RoundError(f"nobody called {player!r} played this round")

    def praise(self) -> Message:
        """Who scored what."""
        return msg("scored", scores=", ".join(f"{player} {points:+d}" for player, points in self.points.items()))

    def explain(self, translate: Translate | None = None) -> str:
        """One text line a player and a line of points."""
        said = []
        for player, verdict in self.players:
            said.append(f"{player}: {verdict.value:+d}")
            said += [f"  {line.points:+d} {line.text(translate)}" for line in verdict.lines]
        return "\n".join(said)


def scored(
    faults: tuple[Message, ...], players: tuple[tuple[str, Verdict], ...], winners: tuple[str, ...]
) -> RoundScore:
    """A :class:`RoundScore` whose value is the sum of the players'."""
    return RoundScore(faults, sum(verdict.value for _, verdict in players), (), players, winners)
