"""Remi pe etalate, Romanian tile rummy (RULES.md 1)."""

from companion.games.remi.deal import (
    DealError,
    DealPlan,
    Dealt,
    deal,
    doubles,
    exchange,
    judge_exchange,
    judge_players,
    judge_redeal,
    plan_deal,
)
from companion.games.remi.melds import RUN, SET, MeldVerdict, judge_handful, judge_meld, readings
from companion.games.remi.opening import OpeningVerdict, judge_opening
from companion.games.remi.rules import SEED, HouseRules
from companion.games.remi.score import FINAL_VALUE, TableMeld, score_round
from companion.games.remi.table import SwapVerdict, TableError, extend, freeze, judge_attach, judge_break, judge_swap
from companion.games.remi.turn import TurnVerdict, judge_turn

__all__ = [
    "FINAL_VALUE",
    "RUN",
    "SEED",
    "SET",
    "DealError",
    "DealPlan",
    "Dealt",
    "HouseRules",
    "MeldVerdict",
    "OpeningVerdict",
    "SwapVerdict",
    "TableError",
    "TableMeld",
    "TurnVerdict",
    "deal",
    "doubles",
    "exchange",
    "extend",
    "freeze",
    "judge_attach",
    "judge_break",
    "judge_exchange",
    "judge_handful",
    "judge_meld",
    "judge_opening",
    "judge_players",
    "judge_redeal",
    "judge_swap",
    "judge_turn",
    "plan_deal",
    "readings",
    "score_round",
]
