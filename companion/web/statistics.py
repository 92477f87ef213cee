"""Figures of each player over evenings. A player is known by name, whatever the capitals."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from companion.match import Match, Round

OPENING_LINES = ("meld_is", "attached")


@dataclass
class Figures:
    """What one player did, added up round by round."""

    name: str
    matches: int = 0
    matches_won: int = 0
    points: list[int] = field(default_factory=list)
    rounds_won: int = 0
    closings: int = 0
    openings: int = 0

    def to_json(self) -> dict[str, Any]:
        """As the API gives it; mean and best are null before the first round."""
        rounds = len(self.points)
        return {
            "name": self.name,
            "matches": self.matches,
            "matches_won": self.matches_won,
            "rounds": rounds,
            "rounds_won": self.rounds_won,
            "mean": round(sum(self.points) / rounds, 1) if rounds else None,
            "best": max(self.points) if rounds else None,
            "openings": self.openings,
            "closings": self.closings,
        }


def of(matches: Iterable[Match], game: str | None = None) -> list[Figures]:
    """The figures of all players of these matches (of one game, or all), most matches won first.

    A match counts as won by whoever won it once it is over. ``openings``: rounds in which something was laid;
    ``closings``: rounds closed, knocked or gone out.
    """
    found: dict[str, Figures] = {}
    for match in matches:
        if game is not None and match.game != game:
            continue
        mine = {}
        for player in match.players:
            key = unicodedata.normalize("NFKC", player.name).casefold()
            mine[player.id] = found.setdefault(key, Figures(player.name))
            mine[player.id].matches += 1
        for winner in match.winners:
            mine[winner].matches_won += 1
        for round_ in match.counted:
            _add(round_, mine)
    return sorted(found.values(), key=lambda f: (-f.matches_won, -f.rounds_won, f.name))


def _add(round_: Round, mine: dict[str, Figures]) -> None:
    for entry in round_.result.entries:
        figures = mine[entry.player]
        figures.points.append(entry.points)
        figures.rounds_won += entry.player in round_.winners
        figures.closings += entry.player == round_.result.closer
        figures.openings += any(line.what in OPENING_LINES for line in entry.lines)
