"""Carousel, also Manipulation Rummy (RULES.md 2)."""

from companion.games.cardmelds import GROUP, HAND_VALUE, RUN, CardMeldVerdict, hand_points
from companion.games.carousel.rules import SEED, HouseRules
from companion.games.carousel.score import judge_game, score_round
from companion.games.carousel.table import HAND, judge_meld, judge_players, judge_transition, pack
from companion.games.carousel.turn import (
    EVENTS,
    EventError,
    Turn,
    after_event,
    begin,
    event_fault,
    judge_knock,
    judge_turn,
)

__all__ = [
    "EVENTS",
    "GROUP",
    "HAND",
    "HAND_VALUE",
    "RUN",
    "SEED",
    "CardMeldVerdict",
    "EventError",
    "HouseRules",
    "Turn",
    "after_event",
    "begin",
    "event_fault",
    "hand_points",
    "judge_game",
    "judge_knock",
    "judge_meld",
    "judge_players",
    "judge_transition",
    "judge_turn",
    "pack",
    "score_round",
]
