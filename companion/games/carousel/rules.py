"""The house rules of Carousel (RULES.md 2.7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from companion.games.house import HouseRulesBase, Value, switch
from companion.games.messages import N_


@dataclass(frozen=True)
class HouseRules(HouseRulesBase):
    """Every switch of RULES.md 2.7; the defaults are the seed's text."""

    game: ClassVar[str] = "carousel"
    popular_changes: ClassVar[tuple[tuple[str, Value], ...]] = (("run14", False),)

    extra_draws: str = switch(
        "mandatory",
        "optional",
        meaning=N_("Whether a player who hasn't melded must draw a second and a third card."),
        source="RULES.md 2.2.1 C-D1",
    )
    knock_timing: str = switch(
        "turn_end",
        "after_any_draw",
        meaning=N_("When one may knock: when the turn is complete, or after any card drawn."),
        source="RULES.md 2.2.2 C-K1",
    )
    run14: bool = switch(
        True,
        False,
        meaning=N_("A sequence may go from ace to ace, 14 cards."),
        source="RULES.md 2.3.2 C-M1",
    )
    round_bonus_to: str = switch(
        "others",
        "all",
        meaning=N_("Who gets 25 for each round won: those who didn't reach 150, or everybody."),
        source="RULES.md 2.6 C-G1",
    )


SEED = HouseRules()
"""The defaults: the seed's literal text."""
