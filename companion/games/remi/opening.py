"""The first laying: 45 points with a run, or one set of ones alone (RULES.md 1.5.4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from companion.games.messages import Message, msg
from companion.games.remi.melds import RUN, SET, MeldVerdict, judge_meld
from companion.games.remi.rules import SEED, HouseRules
from companion.games.verdict import Line, Verdict
from companion.pieces import Tile, spell


@dataclass(frozen=True, slots=True)
class OpeningVerdict(Verdict):
    """The judgement of a first laying. ``value``: opening value, 0 with an illegal meld. ``melds``: each one's own."""

    melds: tuple[MeldVerdict, ...] = ()

    @property
    def lines(self) -> tuple[Line, ...]:
        """One line a meld."""
        if not all(meld.ok for meld in self.melds):
            return ()
        return tuple(Line(msg("meld_is", pieces=spell(meld.declared())), meld.value) for meld in self.melds)

    def praise(self) -> Message:
        """That it opens."""
        return msg("opens", value=self.value)


def judge_opening(
    melds: Iterable[Sequence[Tile]],
    rules: HouseRules = SEED,
    *,
    rack: int | None = None,
    round_over: bool = True,
) -> OpeningVerdict:
    """Judges everything a player lays in the turn of his first laying (RULES.md 0.4, 1.4.4, 1.5.4).

    ``melds``: tiles in order. ``rack``: tiles held after drawing, so that one is left to discard; None: not checked.
    ``round_over``: whether everyone has had one turn.
    """
    judged = tuple(judge_meld(meld, rules) for meld in melds)
    faults: list[Message] = []
    if not round_over:
        faults.append(msg("FIRST_ROUND"))
    wrong = [meld for meld in judged if not meld.ok]
    faults += [msg("INVALID_MELD", pieces=spell(meld.tiles)) for meld in wrong]
    value = 0 if wrong else sum(meld.value for meld in judged)
    kinds = [meld.kind for meld in judged if meld.ok]
    if RUN not in kinds:
        ones = [meld for meld in judged if meld.ok and meld.kind == SET and _is_ones(meld)]
        if not ones or not rules.ones_set_exception:
            faults.append(msg("NEEDS_RUN"))
        elif rules.ones_set_alone and len(judged) > 1:
            faults.append(msg("ONES_SET_NOT_ALONE"))
    if rules.opening_needs_set and SET not in kinds:
        faults.append(msg("NEEDS_SET"))
    if not wrong and value < rules.opening_min:
        faults.append(msg("BELOW_MINIMUM", need=rules.opening_min, value=value, missing=rules.opening_min - value))
    if rack is not None and sum(len(meld.tiles) for meld in judged) >= rack:
        faults.append(msg("NO_TILE_TO_DISCARD"))
    for meld in wrong:
        faults += meld.faults
    return OpeningVerdict(tuple(faults), value, (), judged)


def _is_ones(meld: MeldVerdict) -> bool:
    return any(tile.value == 1 for tile in meld.tiles)
