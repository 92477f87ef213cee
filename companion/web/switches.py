"""The house rules of each game as the page offers them: every switch with its meaning and its choices in words."""

from __future__ import annotations

from typing import Any

from companion.games import get, names
from companion.games.house import Switch, Value
from companion.games.messages import N_
from companion.web.words import gettext

CHOICES: dict[tuple[str, Value], str] = {
    ("joker_ratio", 2): N_("2 real tiles"),
    ("joker_ratio", 1): N_("1 real tile"),
    ("joker_ratio", 0): N_("no limit"),
    ("break_use", "new_meld"): N_("a new meld"),
    ("break_use", "meld_or_attach"): N_("a new meld or attached"),
    ("swap_use", "new_meld"): N_("a new meld"),
    ("swap_use", "meld_or_attach"): N_("a new meld or attached"),
    ("swap_model", "mark"): N_("the joker stays"),
    ("swap_model", "move"): N_("they change places"),
    ("announce", "auto"): N_("the companion"),
    ("announce", "manual"): N_("the player"),
    ("final_one", "flat25"): N_("25 always"),
    ("final_one", "by_position"): N_("by its place"),
    ("final_joker", "flat50"): N_("50 always"),
    ("final_joker", "replaced"): N_("the tile it stands for"),
    ("not_opened", "rack"): N_("the rack"),
    ("not_opened", "flat100"): N_("100 points"),
    ("atu_bonus", "closer_used"): N_("the closer who used it"),
    ("atu_bonus", "announced"): N_("who announced its twin"),
    ("extra_draws", "mandatory"): N_("must"),
    ("extra_draws", "optional"): N_("may"),
    ("knock_timing", "turn_end"): N_("turn complete"),
    ("knock_timing", "after_any_draw"): N_("after any card drawn"),
    ("round_bonus_to", "others"): N_("the others"),
    ("round_bonus_to", "all"): N_("everybody"),
    ("ace", "low"): N_("low only"),
    ("ace", "high_or_low"): N_("low or high"),
    ("final_discard", "required"): N_("needed"),
    ("final_discard", "optional"): N_("not needed"),
}
"""What a choice is called; numbers speak for themselves, true and false are yes and no."""
PRESETS = {"seed": N_("as the rules say"), "popular": N_("as most tables play")}


def choice_word(name: str, value: Value) -> str:
    """A choice in the reader's language."""
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    template = CHOICES.get((name, value))
    return gettext(template) if template else str(value)


def switch_json(switch: Switch) -> dict[str, Any]:
    """One switch with its meaning."""
    return {
        "name": switch.name,
        "meaning": gettext(switch.meaning),
        "default": switch.default,
        "choices": [{"value": value, "word": choice_word(switch.name, value)} for value in switch.choices],
        "low": switch.low,
        "high": switch.high,
        "source": switch.source,
    }


def games_json() -> list[dict[str, Any]]:
    """Every game: players, presets with the values they set, switches."""
    found = []
    for name in names():
        game = get(name)
        presets = [
            {"name": preset, "word": gettext(PRESETS[preset]), "values": game.house.preset(preset).to_mapping()}
            for preset in game.house.presets()
        ]
        found.append({
            "name": name,
            "title": game.title,
            "pieces": game.pieces,
            "players": list(game.players),
            "presets": presets,
            "switches": [switch_json(switch) for switch in game.house.switches()],
        })  # fmt: skip
    return found


def value_of(switch: Switch, text: str) -> Value | None:
    """The value of a switch from a form's text; None if it has no such value."""
    for choice in switch.choices:
        if str(choice).lower() == text.lower():
            return choice
    return int(text) if not switch.choices and text.isdigit() else None
