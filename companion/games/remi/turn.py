"""One turn by its counts: drawing, laying, the discard, the announcement (RULES.md 1.4, 1.9)."""

from __future__ import annotations

from dataclasses import dataclass

from companion.games.messages import Message, msg
from companion.games.remi.rules import SEED, HouseRules
from companion.games.verdict import Verdict


@dataclass(frozen=True, slots=True)
class TurnVerdict(Verdict):
    """The judgement of a turn.

    ``left``: tiles on the rack after the discard. ``closed``: whether it ended the round. ``penalty``: whether 3 tiles
    or fewer went unannounced (RULES.md 1.9.1).
    """

    left: int = 0
    closed: bool = False
    penalty: bool = False


def judge_turn(
    start: int,
    taken: int,
    laid: int,
    *,
    starter: bool = False,
    new_meld: bool = False,
    announced: bool = False,
    rules: HouseRules = SEED,
) -> TurnVerdict:
    """Judges a whole turn (RULES.md 0.4).

    ``start``: tiles on the rack before it. ``taken``: tiles drawn or broken. ``laid``: tiles laid and attached.
    ``starter``: the starter's opening turn. ``new_meld``: whether a new meld was laid.
    """
    faults: list[Message] = []
    if starter and taken:
        faults.append(msg("STARTER_DOES_NOT_DRAW"))
    if not starter and not taken:
        faults.append(msg("MUST_DRAW"))
    if new_meld and start <= 2:
        faults.append(msg("NEW_MELD_FORBIDDEN"))
    left = start + taken - laid - 1
    if left < 0:
        faults.append(msg("NO_TILE_TO_DISCARD"))
    if left > 14:
        faults.append(msg("RACK_OVER_14", left=left))
    if starter and (laid or new_meld):
        faults.append(msg("FIRST_ROUND"))
    closed = not faults and left == 0
    missed = not faults and rules.announce == "manual" and 1 <= left <= 3 and not announced
    return TurnVerdict(tuple(faults), 0, (), left, closed, missed)
