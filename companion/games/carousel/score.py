"""Scoring a Carousel round and ending the game (RULES.md 2.5, 2.6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from companion.games.cardmelds import hand_points
from companion.games.carousel.rules import SEED, HouseRules
from companion.games.gameend import GameEnd, finished
from companion.games.messages import msg
from companion.games.score import RoundError, RoundScore, scored
from companion.games.verdict import Line, Verdict
from companion.pieces import Card

UNDERCUT: Final = 10
OUT: Final = 25
TARGET: Final = 150
TARGET_BONUS: Final = 100
ROUND_BONUS: Final = 25


def score_round(hands: Mapping[str, Iterable[Card]], knocker: str | None = None) -> RoundScore:
    """Points of a round from the hands left (RULES.md 2.5); ``knocker`` None: gone out, or the stock ran out.

    An empty hand went out. :class:`RoundError` if the knocker isn't a player, or two hands are empty.
    """
    left = {player: hand_points(cards) for player, cards in hands.items()}
    if len(left) < 2:
        raise RoundError("a round has at least two hands")
    if knocker is not None and knocker not in left:
        raise RoundError(f"{knocker!r} is not one of the players {', '.join(left)}")
    out = [player for player, points in left.items() if points == 0]
    if len(out) > 1:
        raise RoundError(f"only one player can go out, not {' and '.join(out)}")
    lowest = min(left.values())
    winners = [player for player, points in left.items() if points == lowest]
    if knocker in winners and len(winners) > 1:
        winners.remove(knocker)
    results = []
    for player, own in left.items():
        lines: list[Line] = []
        if player in winners:
            lines = [
                Line(msg("hand_of", player=other, points=points, own=own), points - own)
                for other, points in left.items()
                if other != player
            ]
            if out:
                lines.append(Line(msg("went_out"), OUT))
            elif knocker is not None and player != knocker:
                lines.append(Line(msg("undercut"), UNDERCUT))
        results.append((player, Verdict((), sum(line.points for line in lines), tuple(lines))))
    return scored((), tuple(results), tuple(winners))


def judge_game(totals: Mapping[str, int], rounds_won: Mapping[str, int], rules: HouseRules = SEED) -> GameEnd:
    """Whether the game is over at 150, and the final points with their bonuses (RULES.md 2.6)."""
    over = any(total >= TARGET for total in totals.values())
    results = []
    for player, total in totals.items():
        lines = [Line(msg("points_so_far"), total)]
        if over and total >= TARGET:
            lines.append(Line(msg("reached_target", target=TARGET), TARGET_BONUS))
        if over and (total < TARGET or rules.round_bonus_to == "all"):
            won = rounds_won.get(player, 0)
            lines.append(Line(msg("rounds_won", count=won), ROUND_BONUS * won))
        results.append((player, Verdict((), sum(line.points for line in lines), tuple(lines))))
    return finished(over, tuple(results))
