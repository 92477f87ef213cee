"""The words that the scripts need, in the reader's language; the page hands them over as JSON."""

from __future__ import annotations

from companion.games.messages import N_
from companion.web.pictures import COLOUR_NAMES, letter
from companion.web.words import gettext

WORDS = {
    "add": N_("Add a piece"),
    "add_meld": N_("Add a meld"),
    "remove": N_("Remove"),
    "close": N_("Close"),
    "done": N_("Done"),
    "joker": N_("joker"),
    "joker_as": N_("joker as %(piece)s"),
    "face_down": N_("face down"),
    "not_read": N_("not read"),
    "left": N_("Move left"),
    "right": N_("Move right"),
    "to_meld": N_("Move to meld %(number)s"),
    "to_new_meld": N_("Move to a new meld"),
    "meld": N_("Meld %(number)s"),
    "loose": N_("Loose pieces"),
    "rack": N_("Rack"),
    "what_is_it": N_("Which one is this?"),
    "other": N_("another one"),
    "legal": N_("legal"),
    "not_legal": N_("not legal"),
    "points": N_("points"),
    "of_needed": N_("Sum: %(value)s · needed: %(need)s"),
    "so_far": N_("The rest rests on the likeliest reading."),
    "reading": N_("Reading the photo…"),
    "offline": N_("No connection; trying again…"),
    "failed": N_("That didn't work."),
    "awake": N_("The screen stays on."),
    "laid_by": N_("Laid by"),
    "sum": N_("Together"),
    "round": N_("Round %(number)s"),
    "undone": N_("undone"),
    "leads": N_("leads"),
    "won": N_("won"),
    "scoring": N_("%(name)s is scoring this round just now."),
    "delete_last": N_("Delete the last one"),
    "update": N_("There is a newer version of this match; look again."),
    "use": N_("Take these over"),
    "photo_of": N_("Photo of %(name)s's pieces"),
}


def script_strings() -> dict[str, object]:
    """Every word by name, the letters and names of the colours."""
    return {
        **{name: gettext(template) for name, template in WORDS.items()},
        "letters": {colour: letter(colour) for colour in "rbyk"},
        "colours": {code: gettext(word) for code, word in COLOUR_NAMES.items()},
    }
