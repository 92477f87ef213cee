"""The house rules of Remi (RULES.md 1.13)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from companion.games.house import HouseRulesBase, Value, switch
from companion.games.messages import N_


@dataclass(frozen=True)
class HouseRules(HouseRulesBase):
    """Every switch of RULES.md 1.13; the defaults are the seeds' text."""

    game: ClassVar[str] = "remi"
    popular_changes: ClassVar[tuple[tuple[str, Value], ...]] = (
        ("dubla_same_category", True),
        ("atu_bonus", "announced"),
        ("not_opened", "flat100"),
        ("close_joker_double", True),
        ("atu_one_or_joker_doubles", True),
    )

    joker_ratio: int = switch(
        2,
        1,
        0,
        meaning=N_("How many real tiles a meld needs for each joker (0: no limit)."),
        source="RULES.md 1.5.3 R-J1",
    )
    jokers_adjacent: bool = switch(
        True, False, meaning=N_("Two jokers may lie side by side in a run."), source="RULES.md 1.5.3 R-J2"
    )
    run14: bool = switch(
        True, False, meaning=N_("A run may go from the low 1 to the high 1, 14 tiles."), source="RULES.md 1.5.1 R-M2"
    )
    opening_min: int = switch(45, 50, meaning=N_("Points the first laying needs."), source="RULES.md 1.5.4 R-O0")
    ones_set_exception: bool = switch(
        True, False, meaning=N_("A set of ones opens without a run."), source="RULES.md 1.5.4"
    )
    ones_set_alone: bool = switch(
        True,
        False,
        meaning=N_("A set of ones that opens without a run must be laid alone."),
        source="RULES.md 1.5.4 R-O3",
    )
    opening_needs_set: bool = switch(
        False, True, meaning=N_("The first laying needs a set as well as a run."), source="RULES.md 1.13"
    )
    attach_in_opening_turn: bool = switch(
        False,
        True,
        meaning=N_("One may attach and swap jokers in the turn of one's own first laying."),
        source="RULES.md 1.7.1 R-O2",
    )
    break_use: str = switch(
        "new_meld",
        "meld_or_attach",
        meaning=N_("Where a tile taken from the row must go: a new meld, or attached too."),
        source="RULES.md 1.6 R-B2",
    )
    break_min_rack: int = switch(
        4, 3, meaning=N_("Tiles on the rack from which any tile of the row may be taken."), source="RULES.md 1.6 R-B1"
    )
    swap_use: str = switch(
        "new_meld",
        "meld_or_attach",
        meaning=N_("Where a freed joker must go: a new meld, or attached to one's own too."),
        source="RULES.md 1.8.2 R-J5",
    )
    swap_model: str = switch(
        "mark",
        "move",
        meaning=N_("How a joker exchange is booked: the joker stays, or tile and joker change places."),
        source="RULES.md 1.8.4 R-J4",
    )
    announce: str = switch(
        "auto",
        "manual",
        meaning=N_("Who announces 3 tiles or fewer: the companion, or the player (else -500)."),
        source="RULES.md 1.9.1 R-P1",
    )
    final_one: str = switch(
        "flat25",
        "by_position",
        meaning=N_("What a 1 on the table counts at the end: 25, or by its place as when opening."),
        source="RULES.md 1.11 R-E1",
    )
    final_joker: str = switch(
        "flat50",
        "replaced",
        meaning=N_("What a joker on the table counts at the end: 50, or the tile it stands for."),
        source="RULES.md 1.11 R-E2",
    )
    not_opened: str = switch(
        "rack",
        "flat100",
        meaning=N_("What a player who never opened loses: the rack, or 100."),
        source="RULES.md 1.12 R-E4",
    )
    atu_bonus: str = switch(
        "closer_used",
        "announced",
        meaning=N_("Who gets 50 for the atu: the closer who used it, or who announced its twin."),
        source="RULES.md 1.12 R-E3",
    )
    close_joker_double: bool = switch(
        False, True, meaning=N_("Closing with a joker doubles the closer's score."), source="RULES.md 1.12 R-E6"
    )
    atu_one_or_joker_doubles: bool = switch(
        False, True, meaning=N_("When the atu is a 1 or a joker, everybody's score is doubled."), source="RULES.md 1.12"
    )
    dubla_same_category: bool = switch(
        False, True, meaning=N_("Doubles are exchanged only within ones, 2-9 or 10-13."), source="RULES.md 1.3.1 R-D2"
    )
    jokers_are_dubla: bool = switch(False, True, meaning=N_("Two jokers are a double."), source="RULES.md 1.3.1 R-D3")


SEED = HouseRules()
"""The defaults: the seeds' literal text."""
