"""What a match must know of each game: how many play, what ends it, which bonuses its end brings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from companion.match.events import Line
from companion.pieces import NotationError, parse_tile

CAROUSEL_TARGET = 150
RUMMY_TARGET = 100
GAME_BONUS = 100
ROUND_BONUS = 25


@dataclass(frozen=True)
class GameFacts:
    """``players``: least and most. ``below_zero``: whether a round can cost a player points."""

    game: str
    title: str
    players: tuple[int, int]
    below_zero: bool

    def target(self, preset: str, rules: Mapping[str, object]) -> int | None:
        """The total that ends the match unless agreed otherwise, None where only the players end it."""
        return {"carousel": CAROUSEL_TARGET, "rummy": RUMMY_TARGET}.get(self.game)

    def is_atu(self, code: str) -> bool:
        """Whether this can be the round's atu: a tile of Remi or its joker, undeclared (RULES.md 1.2.3)."""
        if self.game != "remi":
            return False
        try:
            return parse_tile(code).stands is None
        except NotationError:
            return False

    def bonuses(
        self, totals: Mapping[str, int], won: Mapping[str, int], target: int, preset: str, rules: Mapping[str, object]
    ) -> dict[str, tuple[Line, ...]]:
        """Player -> lines that the end of the game adds; RULES.md 2.6 for Carousel, none in the others."""
        if self.game != "carousel" or max(totals.values()) < target:
            return {}
        everybody = rules.get("round_bonus_to") == "all"
        out: dict[str, tuple[Line, ...]] = {}
        for player, total in totals.items():
            lines = [Line("game-bonus", GAME_BONUS)] if total >= target else []
            if won[player] and (everybody or total < target):
                lines.append(Line("rounds-won", ROUND_BONUS * won[player]))
            out[player] = tuple(lines)
        return out


GAMES: Mapping[str, GameFacts] = {
    facts.game: facts
    for facts in (
        GameFacts("remi", "Remi", (2, 4), True),
        GameFacts("carousel", "Carousel", (2, 5), False),
        GameFacts("rummy", "Rummy", (2, 6), False),
    )
}
"""Game -> its facts (RULES.md 1.1.2, 2.1.1, 3 no. 1)."""
