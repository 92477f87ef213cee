"""Scoring a hand of Rummy and ending the game (RULES.md 3 no. 5-7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from companion.games.cardmelds import hand_points
from companion.games.gameend import GameEnd, finished
from companion.games.messages import msg
from companion.games.rummy.rules import SEED, HouseRules
from companion.games.score import RoundError, RoundScore, scored
from companion.games.verdict import Line, Verdict
from companion.pieces import Card, spell


def score_round(hands: Mapping[str, Sequence[Card]], winner: str | None, *, rummy: bool = False) -> RoundScore:
    """Points of a hand (RULES.md 3 no. 6): the winner gets what is left in the others' hands, twice that for rummy.

    ``winner`` None: the hand is void, the stock ran out twice (P-S1). :class:`RoundError` if the winner isn't a
    player or still holds cards.
    """
    if winner is None:
        return scored((), tuple((player, Verdict()) for player in hands), ())
    if winner not in hands:
        raise RoundError(f"{winner!r} is not one of the players {', '.join(hands)}")
    if hands[winner]:
        raise RoundError(f"{winner} went out but still holds {spell(hands[winner])}")
    lines = [
        Line(msg("left_in_hand", player=player, pieces=spell(cards)), hand_points(cards))
        for player, cards in hands.items()
        if player != winner
    ]
    if rummy:
        lines.append(Line(msg("doubled_rummy"), sum(line.points for line in lines)))
    won = Verdict((), sum(line.points for line in lines), tuple(lines))
    return scored((), tuple((player, won if player == winner else Verdict()) for player in hands), (winner,))


def points_left(hands: Mapping[str, Sequence[Card]], winner: str) -> dict[str, int]:
    """Points left in each loser's hand, melds still in hand included (P-M1)."""
    return {player: hand_points(cards) for player, cards in hands.items() if player != winner}


def judge_game(totals: Mapping[str, int], rules: HouseRules = SEED) -> GameEnd:
    """Whether somebody has the target, and who wins (RULES.md 3 no. 7)."""
    over = any(total >= rules.target for total in totals.values())
    lines = {player: (Line(msg("points_so_far"), total),) for player, total in totals.items()}
    return finished(over, tuple((player, Verdict((), total, lines[player])) for player, total in totals.items()))
