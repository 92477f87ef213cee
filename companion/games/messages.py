"""What the core says, as codes with parameters, and the English for them in one place.

A :class:`Message` is a code and its parameters. :func:`sentence` makes a sentence of it through any gettext-like
function (``translate(template) -> template``), so the core itself knows no language. Templates are marked with :func:`N_` for
Babel (``pybabel extract -k N_``). Reason codes are those of RULES.md 0.4; codes in small letters are lines and remarks.
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
        # lines and remarks
        "tile_is": N_("%(piece)s"),
        "joker_as": N_("joker as %(piece)s"),
        "legal_run": N_("A legal run, worth %(value)s for opening."),
        "legal_set": N_("A legal set, worth %(value)s for opening."),
        "legal": N_("Legal."),
        "also": N_("Also: %(sentence)s"),
    }
)
"""Every code and its English template with ``%(name)s`` places."""
