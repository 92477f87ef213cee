"""Remi pe etalate, Romanian tile rummy (RULES.md 1)."""

from companion.games.remi.melds import RUN, SET, MeldVerdict, judge_handful, judge_meld, readings
from companion.games.remi.rules import SEED, HouseRules

__all__ = ["RUN", "SEED", "SET", "HouseRules", "MeldVerdict", "judge_handful", "judge_meld", "readings"]
