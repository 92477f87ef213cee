"""Basic Rummy (RULES.md 3)."""

from companion.games.cardmelds import GROUP, HAND_VALUE, RUN, CardMeldVerdict, hand_points
from companion.games.rummy.rules import SEED, HouseRules
from companion.games.rummy.score import judge_game, points_left, score_round
from companion.games.rummy.turn import DealVerdict, TurnVerdict, judge_deal, judge_layoff, judge_meld, judge_turn

__all__ = [
    "GROUP",
    "HAND_VALUE",
    "RUN",
    "SEED",
    "CardMeldVerdict",
    "DealVerdict",
    "HouseRules",
    "TurnVerdict",
    "hand_points",
    "judge_deal",
    "judge_game",
    "judge_layoff",
    "judge_meld",
    "judge_turn",
    "points_left",
    "score_round",
]
