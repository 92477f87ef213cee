"""The house rules of Rummy (RULES.md 3.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from companion.games.house import HouseRulesBase, number, switch
from companion.games.messages import N_


@dataclass(frozen=True)
class HouseRules(HouseRulesBase):
    """Every switch of RULES.md 3; the defaults are the seed's text, and what most tables play."""

    game: ClassVar[str] = "rummy"

    ace: str = switch(
        "low",
        "high_or_low",
        meaning=N_("Whether the ace stands only below the 2, or above the king too (never both)."),
        source="RULES.md 3 no. 2 P-A1",
    )
    rummy_layoffs: bool = switch(
        True,
        False,
        meaning=N_("Going out at once counts as rummy even if cards were added to others' melds."),
        source="RULES.md 3 no. 5 P-R1",
    )
    discard_same_card: bool = switch(
        False,
        True,
        meaning=N_("The card taken from the discards may be discarded in the same turn."),
        source="RULES.md 3.2 P-T1",
    )
    final_discard: str = switch(
        "required",
        "optional",
        meaning=N_("Whether going out needs a last card to discard."),
        source="RULES.md 3 no. 4 P-O1",
    )
    target: int = number(100, 1, 100_000, meaning=N_("Points that end the game."), source="RULES.md 3 no. 7")


SEED = HouseRules()
"""The defaults: the seed's literal text."""
