"""Melds that were typed, judged; and the words for what a photo may be of and what is wrong with it."""

from __future__ import annotations

from typing import Any

from companion.games.base import Game
from companion.games.house import HouseRulesBase
from companion.games.messages import N_
from companion.web.errors import WebError
from companion.web.view import verdict_json

USES = ("opening", "table", "rack", "round")
"""What a photo is of: a first laying, melds on the table, what is left on a rack, a whole table at a round's end."""
MAX_PIECES = 220


def judge_melds(game: Game[Any], rules: HouseRulesBase, melds: list[str], use: str, rack: int | None) -> dict[str, Any]:
    """Judge melds given as text: one judgement each, and that of all as a first laying."""
    parsed = [game.parse(meld) for meld in melds if meld.strip()]
    judged = [game.judge_meld(meld, rules) for meld in parsed]
    together = None
    if use == "opening" and parsed:
        together = verdict_json(game.judge_opening(parsed, rules, rack=rack))
        if game.name == "remi":
            together["need"] = getattr(rules, "opening_min", 45)
    return {
        "game": game.name,
        "melds": [
            {"pieces": [str(piece) for piece in meld], "kind": verdict.kind, "verdict": verdict_json(verdict)}
            for meld, verdict in zip(parsed, judged, strict=True)
        ],
        "opening": together,
    }


def check_use(use: object) -> str:
    """One of :data:`USES`. Raises WebError 422."""
    if use not in USES:
        raise WebError(422, "BAD_USE", N_("A photo is of an opening, a table or a rack."))
    return str(use)
