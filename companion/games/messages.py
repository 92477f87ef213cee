"""What the core says, as codes with parameters, and the English for them in one place.

A :class:`Message` is a code and its parameters. :func:`sentence` makes a sentence of it through any gettext-like
function (``translate(template) -> template``), so the core itself knows no language. Templates are marked with
:func:`N_` for Babel (``pybabel extract -k N_``). Reason codes are those of RULES.md 0.4; codes in small letters are
lines and remarks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

Translate = Callable[[str], str]


class Message(NamedTuple):
    """A code and the parameters of its template, in order of mention."""

    code: str
    params: tuple[tuple[str, str | int], ...] = ()

    def text(self, translate: Translate | None = None) -> str:
        """The sentence, in English or through ``translate``."""
        return sentence(self, translate)

    def __str__(self) -> str:
        return sentence(self)


def msg(code: str, **params: str | int) -> Message:
    """A :class:`Message`; the keyword order is kept."""
    return Message(code, tuple(params.items()))


def N_(template: str) -> str:  # noqa: N802 - gettext's own name
    """Marks a template for extraction; returns it unchanged."""
    return template


def sentence(message: Message, translate: Translate | None = None) -> str:
    """The message in words. An unknown code is a KeyError: every code has a template."""
    template = TEMPLATES[message.code]
    if translate is not None:
        template = translate(template)
    return template % dict(message.params) if message.params else template


TEMPLATES: Final[Mapping[str, str]] = MappingProxyType(
    {
        # Remi meld
        "TOO_FEW": N_("A meld needs at least 3 pieces; here are %(count)s."),
        "JOKER_RATIO": N_("%(jokers)s joker(s) need at least %(need)s real tiles beside them; here are %(real)s."),
        "NOT_A_MELD": N_("These are neither one value in different colours nor one colour in a row: %(pieces)s."),
        "SET_TOO_BIG": N_("A set has at most 4 tiles, one of each colour; here are %(count)s."),
        "DUP_COLOUR": N_("A set holds each colour once; twice here: %(pieces)s."),
        "JOKER_MISMATCH": N_("The joker declared as %(declared)s can't stand there."),
        "RUN_TOO_LONG": N_("A run has at most %(most)s pieces; here are %(count)s."),
        "ONE_IN_MIDDLE": N_("A 1 stands before 2 or after 13, never inside a run: %(pieces)s."),
        "NOT_CONSECUTIVE": N_("The values don't follow one another: %(pieces)s."),
        "JOKERS_ADJACENT": N_("By this house's rule two jokers may not lie side by side."),
        # Remi opening
        "FIRST_ROUND": N_("Nobody may do this before everyone has had one turn."),
        "INVALID_MELD": N_("Not a legal meld: %(pieces)s."),
        "NEEDS_RUN": N_("The first laying needs a run."),
        "ONES_SET_NOT_ALONE": N_(
            "Without a run, a set of ones opens only alone; the other melds wait for a later turn."
        ),
        "NEEDS_SET": N_("By this house's rule the first laying needs a set as well."),
        "BELOW_MINIMUM": N_("The first laying needs %(need)s points; this is %(value)s, %(missing)s short."),
        "NO_TILE_TO_DISCARD": N_("One tile must be left to put down at the end of the turn."),
        # Remi row
        "DEAD_TILE": N_("The first tile of the row belongs to nobody."),
        "MUST_DRAW_STOCK": N_("With %(rack)s tile(s) on the rack one must draw from the stock."),
        "NOT_OPENED_ONLY_LAST": N_("Who hasn't opened may take only the last tile of the row."),
        "ONLY_LAST_WITH_3": N_("With 3 tiles on the rack only the last tile of the row may be taken."),
        "MUST_USE_BROKEN": N_("The tile taken from the row must go into a meld this turn."),
        "OPENING_INVALID": N_("The tile taken from the row must be part of a valid first laying."),
        "RACK_OVER_14": N_("At most 14 tiles may stay on the rack; %(left)s would."),
        # Remi attaching and swapping
        "NOT_OPENED": N_("Only who has opened may touch the melds on the table."),
        "OPENING_TURN": N_("Attaching and swapping begin in the turn after one's own first laying."),
        "JOKER_ON_OTHERS": N_("A joker may be attached only to melds of one's own."),
        "ALREADY_SWAPPED": N_("This joker was exchanged before; once is all."),
        "WRONG_TILE": N_("%(pieces)s is not what the joker stands for."),
        "SET_NEEDS_BOTH": N_("The joker of a set comes free only when both missing colours are there."),
        "MUST_USE_JOKER": N_("The freed joker must be used in a new meld in the same turn."),
        "NEW_MELD_FORBIDDEN": N_("Who began the turn with 1 or 2 tiles may only attach."),
        # Remi turn
        "STARTER_DOES_NOT_DRAW": N_("The starter has 15 tiles and puts one down without drawing."),
        "MUST_DRAW": N_("A turn begins by taking a tile."),
        "ALREADY_DREW": N_("A tile was taken in this turn already."),
        "TILE_NOT_ON_RACK": N_("%(pieces)s: not on the rack."),
        "NO_SUCH_MELD": N_("There is no such meld on the table."),
        "NO_SUCH_PLACE": N_("There is no such tile in the row."),
        "NO_SUCH_PLAYER": N_("There are no such players."),
        "NOTHING_LAID": N_("No pieces were named."),
        "RACK_PLAY_ALL": N_("Who plays on the rack lays everything but the closing tile at once."),
        "RACK_PLAY_OPENED": N_("Only who hasn't opened may play on the rack."),
        "NOT_FROM_ROW": N_("Only a turn that took from the row can be taken back."),
        "ROUND_OVER": N_("The round is over."),
        "ATU_NOT_HELD": N_("The twin of the atu is announced by who was dealt it, before the first discard."),
        "TOO_LATE": N_("That is possible only before the first discard."),
        # Remi deal
        "PLAYERS_2_4": N_("Remi is for 2 to 4 players, not %(players)s."),
        "NO_DUBLA": N_("%(piece)s is not one of a pair (same colour and value)."),
        "CATEGORY_MISMATCH": N_("By this house's rule doubles are exchanged within ones, 2-9 or 10-13 only."),
        "TOO_FEW_DUBLE": N_("A new deal needs 3 doubles; here are %(count)s."),
        # a round to be scored
        "TOO_MANY_COPIES": N_("There are more of %(piece)s than the game has."),
        # cards: melds
        "JOKER_UNDECLARED": N_("A joker on the table must be declared with rank and suit."),
        "GROUP_TOO_BIG": N_("A group has at most 4 cards; here are %(count)s."),
        "DUP_SUIT": N_("A group holds each suit once; twice here: %(pieces)s."),
        "AROUND_CORNER": N_("A sequence doesn't go round the corner from king over ace to 2: %(pieces)s."),
        "ACE_LOW_ONLY": N_("The ace is low: ace-2-3, not after the king."),
        "NO_JOKERS": N_("This game has no jokers."),
        # Carousel
        "PLAYERS_2_5": N_("Carousel is for 2 to 5 players, not %(players)s."),
        "TABLE_CARD_TAKEN": N_("Cards on the table stay there; missing: %(pieces)s."),
        "NO_CARD_FROM_HAND": N_("At least one card from the hand must be added."),
        "CARD_NOT_IN_HAND": N_("Not in the hand: %(pieces)s."),
        "JOKER_IDENTITY_CHANGED": N_("A joker keeps its card (%(pieces)s) until the real one is on the table."),
        "DRAW_AFTER_MELD": N_("After melding no more cards are drawn."),
        "TOO_MANY_DRAWS": N_("At most three cards are drawn in a turn."),
        "STOCK_EMPTY": N_("There is nothing left to draw."),
        "MUST_DRAW_FIRST": N_("A turn begins by drawing a card."),
        "MELD_AFTER_THIRD": N_("After the third card there is no melding in this turn."),
        "KNOCK_TOO_EARLY": N_("One may knock when the turn is complete."),
        "OVER_FIVE": N_("One may knock with 5 points at most; here are %(points)s."),
        "MUST_DRAW_MORE": N_("Who hasn't melded must draw on, up to three cards."),
        # Rummy
        "PLAYERS_2_6": N_("Rummy is for 2 to 6 players, not %(players)s."),
        "MUST_DISCARD": N_("A turn ends with a discard; the last card can't be laid."),
        "DISCARD_SAME_CARD": N_("The card just taken from the discards can't be discarded in the same turn."),
        "ALREADY_DREW_CARD": N_("A card was taken in this turn already."),
        "DISCARDS_EMPTY": N_("There are no discards to take from."),
        # from a photo
        "QUESTIONS_OPEN": N_("%(count)s piece(s) must be told first; what follows rests on the likeliest readings."),
        "UNREAD": N_("A piece here can't be read: %(pieces)s."),
        "NOTHING_SEEN": N_("No melds are seen in the picture."),
        "round_error": N_("The round can't be scored so: %(sentence)s."),
        "chosen_reading": N_("Read as %(piece)s, not %(other)s, which was as likely: only so it is a meld."),
        "face_down": N_("The face-down piece counts as %(piece)s by its place."),
        "touching": N_("Two melds touch here; they are judged apart."),
        "joined": N_("These lie close and are a meld only together; they are judged as one."),
        "in_hand": N_("in the hand: %(pieces)s"),
        "rack_worth": N_("%(value)s points are left here."),
        "hand_may_knock": N_("%(value)s points are in this hand: it may knock."),
        "hand_too_dear": N_("%(value)s points are in this hand: too many to knock."),
        "table_legal": N_("Every meld is legal."),
        "lay_nothing": N_("Nothing can be laid."),
        "lay_best": N_("%(laid)s can be laid; %(left)s points are left."),
        "could_open": N_("These pieces can open, laid so: %(value)s points."),
        "photo_dark": N_("The photo is too dark; more light helps."),
        "photo_blurred": N_("The photo is blurred; hold still, or wipe the lens."),
        "photo_far": N_("The pieces are too small in the photo; go nearer."),
        "photo_glare": N_("Light is mirrored on a piece; hold the camera elsewhere or shade the lamp."),
        "photo_cut": N_("A card at the edge of the photo is cut off and left out; take in the whole table."),
        "photo_nothing_found": N_("No tiles or cards are found in the photo."),
        "ask_unread": N_("This piece can't be read. Which is it?"),
        "ask_copy": N_("%(count)s of %(piece)s are seen, but the set has %(most)s. Which is this?"),
        "ask_close": N_("This could be %(answers)s. Which is it?"),
        "ask_doubtful": N_("Is this %(piece)s? The verdict depends on it."),
        "ask_orientation": N_("Which way up does this one stand: is it %(answers)s?"),
        "ask_joker": N_("Which card does this joker stand for?"),
        "ask_jokers": N_("One joker or two? The picture does not tell."),
        "ask_face_down": N_("This piece lies face down. Which is it?"),
        "ask_hidden": N_("%(piece)s is not from the hand. Did it lie on the table before, hidden?"),
        "ask_covered": N_("These cards make no meld. Is a card hidden here?"),
        "ask_gone": N_("%(piece)s lay here before. Is it gone, or hidden?"),
        # lines and remarks
        "tile_is": N_("%(piece)s"),
        "joker_as": N_("joker as %(piece)s"),
        "meld_is": N_("%(pieces)s"),
        "attached": N_("%(pieces)s, attached"),
        "on_rack": N_("on the rack: %(pieces)s"),
        "closing": N_("closing"),
        "atu": N_("atu %(piece)s"),
        "never_opened": N_("never opened"),
        "missed_announcement": N_("3 tiles or fewer, not announced"),
        "doubled_closing_joker": N_("closed with a joker: doubled"),
        "doubled_atu": N_("atu a 1 or a joker: doubled"),
        "hand_of": N_("%(player)s's hand: %(points)s against %(own)s"),
        "left_in_hand": N_("%(player)s's hand: %(pieces)s"),
        "undercut": N_("below the knocker"),
        "went_out": N_("went out"),
        "doubled_rummy": N_("rummy: doubled"),
        "points_so_far": N_("points of the rounds"),
        "reached_target": N_("reached %(target)s"),
        "rounds_won": N_("%(count)s round(s) won"),
        "opens": N_("This opens: %(value)s points."),
        "scored": N_("Scored: %(scores)s."),
        "out": N_("Out."),
        "rummy": N_("Rummy: everything laid at once."),
        "legal_sequence": N_("A legal sequence."),
        "legal_group": N_("A legal group."),
        "legal_run": N_("A legal run, worth %(value)s for opening."),
        "legal_set": N_("A legal set, worth %(value)s for opening."),
        "legal": N_("Legal."),
        "also": N_("Also: %(sentence)s"),
    }
)
"""Every code and its English template with ``%(name)s`` places."""
