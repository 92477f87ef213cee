"""The help page: the rules in short, the values, the camera; every sentence goes through the catalogues."""

from __future__ import annotations

from dataclasses import dataclass

from companion.games.messages import N_
from companion.web.words import gettext

RULES: dict[str, tuple[str, ...]] = {
    "remi": (
        N_(
            "A suită (run) is 3 or more tiles of one colour in a row. The 1 stands before the 2 or after the "
            "13, never in the middle."
        ),
        N_("A terță (set) is 3 or 4 tiles of one value, each of another colour."),
        N_(
            "A joly (joker) stands for any tile. A meld needs two real tiles for each joker, unless your "
            "house says otherwise."
        ),
        N_("The etalare (first laying) needs 45 points and at least one suită. A terță of ones opens alone."),
        N_(
            "From the turn after your etalare you may attach tiles to any meld on the table. A joker goes "
            "only to your own melds."
        ),
        N_("Nobody lays anything before everyone has had one turn."),
        N_(
            "Who closes puts the last tile down in the row and gets 50. Who closed and has the atu in a meld "
            "gets 50 more."
        ),
        N_("At the end everyone counts the tiles laid and takes off the tiles left on the rack."),
    ),
    "carousel": (
        N_("Ten cards each. Draw one card; if you lay nothing, a second; then a third, and that ends the turn."),
        N_(
            "A group is 3 or 4 cards of one rank in different suits; a sequence is 3 or more of one suit in "
            "a row. The ace is low or high."
        ),
        N_(
            "Everything on the table may be rearranged, as long as every meld is legal in the end and a card "
            "from the hand was added."
        ),
        N_(
            "With 5 points or fewer in hand you may knock. The lowest hand wins the difference to the "
            "others; who beats the knocker gets 10 more, who goes out 25."
        ),
        N_("At 150 the game ends: 100 for reaching it, 25 to the others for each round won."),
    ),
    "rummy": (
        N_("Take a card, lay melds or add to any meld, and discard one card."),
        N_(
            "Who has laid everything and discards the last card goes out and gets the points left in the "
            "other hands."
        ),
        N_("Everything laid in one single turn is a rummy: twice the points."),
        N_("The ace is low and counts 1, figures count 10. The game ends at 100."),
    ),
}  # fmt: skip
VALUES = (
    (N_("2 to 9"), "5", "5"),
    (N_("10 to 13"), "10", "10"),
    (N_("1 before the 2"), "5", "25"),
    (N_("1 after the 13"), "10", "25"),
    (N_("1 in a terță"), "25", "25"),
    (N_("joly"), N_("as the tile it stands for"), "50"),
    (N_("closing"), "", "50"),
    (N_("atu used by the closer"), "", "50"),
)
CAMERA = (
    N_("Hold the phone above the table, the whole row in the picture, upright to the numbers."),
    N_("Go near: the tiles should fill the picture, with a little table around them."),
    N_("Light from the side is best. If a lamp shines back from the tiles, turn a little."),
    N_("Leave a finger's breadth between two melds."),
    N_("Take hands, cups and boxes out of the picture."),
    N_("What the companion doubts it asks. Tap any piece to change it."),
)


@dataclass(frozen=True)
class Help:
    """The page's text in the reader's language."""

    rules: dict[str, tuple[str, ...]]
    values: tuple[tuple[str, str, str], ...]
    camera: tuple[str, ...]


def help_of() -> Help:
    """The help in the reader's language."""
    return Help(
        {game: tuple(gettext(text) for text in texts) for game, texts in RULES.items()},
        tuple((gettext(what), gettext(opening) if opening else "–", end) for what, opening, end in VALUES),
        tuple(gettext(text) for text in CAMERA),
    )
