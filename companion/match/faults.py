"""Why an event can't be: one code and one sentence for each, so that a page can translate the sentence."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from companion.games.messages import N_, Translate


class Fault(StrEnum):
    """The reason a match refuses an event. Nothing changes when one of these is raised."""

    BAD_EVENT = "BAD_EVENT"
    NEWER_EVENT = "NEWER_EVENT"
    NOT_STARTED = "NOT_STARTED"
    ALREADY_STARTED = "ALREADY_STARTED"
    KEY_REUSED = "KEY_REUSED"
    CONFLICT = "CONFLICT"
    UNKNOWN_GAME = "UNKNOWN_GAME"
    BAD_RULES = "BAD_RULES"
    PLAYER_COUNT = "PLAYER_COUNT"
    UNKNOWN_PLAYER = "UNKNOWN_PLAYER"
    PLAYER_TWICE = "PLAYER_TWICE"
    PLAYER_MISSING = "PLAYER_MISSING"
    BAD_NAME = "BAD_NAME"
    NAME_TAKEN = "NAME_TAKEN"
    LINES_DO_NOT_ADD_UP = "LINES_DO_NOT_ADD_UP"
    POINTS_IMPOSSIBLE = "POINTS_IMPOSSIBLE"
    BAD_ATU = "BAD_ATU"
    BAD_LIMIT = "BAD_LIMIT"
    CAROUSEL_TARGET = "CAROUSEL_TARGET"
    UNKNOWN_ROUND = "UNKNOWN_ROUND"
    ROUND_IS_UNDONE = "ROUND_IS_UNDONE"
    ROUND_NOT_UNDONE = "ROUND_NOT_UNDONE"
    MATCH_OVER = "MATCH_OVER"
    MATCH_NOT_OVER = "MATCH_NOT_OVER"


SENTENCES: Final[Mapping[Fault, str]] = {
    Fault.BAD_EVENT: N_("This is not an event of a match: %(why)s."),
    Fault.NEWER_EVENT: N_(
        "This event was written by a newer version of the companion (schema %(found)s, known: %(known)s)."
    ),
    Fault.NOT_STARTED: N_("The first event of a match must start it."),
    Fault.ALREADY_STARTED: N_("This match has already been started."),
    Fault.KEY_REUSED: N_("The key %(key)s already belongs to a different event of this match."),
    Fault.CONFLICT: N_(
        "Someone else was quicker: the match is at version %(found)s, this change was made for %(expected)s."
    ),
    Fault.UNKNOWN_GAME: N_("There is no game called %(game)s."),
    Fault.BAD_RULES: N_("These house rules can't be used: %(why)s"),
    Fault.PLAYER_COUNT: N_("%(game)s is played by %(least)s to %(most)s players, not %(found)s."),
    Fault.UNKNOWN_PLAYER: N_("No player of this match is called %(player)s."),
    Fault.PLAYER_TWICE: N_("Player %(player)s appears twice."),
    Fault.PLAYER_MISSING: N_("Points of player %(player)s are missing."),
    Fault.BAD_NAME: N_("A player's name needs 1 to %(most)s characters, all of them printable."),
    Fault.NAME_TAKEN: N_("There is already a player named %(name)s."),
    Fault.LINES_DO_NOT_ADD_UP: N_("The lines of %(player)s add up to %(sum)s, not to %(points)s."),
    Fault.POINTS_IMPOSSIBLE: N_("%(player)s can't have %(points)s points in a round of %(game)s."),
    Fault.BAD_ATU: N_("%(atu)s is not a tile that can be the atu."),
    Fault.BAD_LIMIT: N_("A match ends at a whole number above zero, not at %(limit)s."),
    Fault.CAROUSEL_TARGET: N_("Carousel ends at 150 points, not at %(limit)s."),
    Fault.UNKNOWN_ROUND: N_("This match has no round %(round)s."),
    Fault.ROUND_IS_UNDONE: N_("Round %(round)s has been undone."),
    Fault.ROUND_NOT_UNDONE: N_("Round %(round)s has not been undone."),
    Fault.MATCH_OVER: N_("This match is over."),
    Fault.MATCH_NOT_OVER: N_("This match is not over."),
}
"""English templates, marked for extraction."""


class MatchError(ValueError):
    """An event that can't be. ``fault`` is the code, ``params`` fill its sentence; ``str()`` is the English one."""

    def __init__(self, fault: Fault, **params: object) -> None:
        self.fault = fault
        self.params = params
        super().__init__(SENTENCES[fault] % params)

    def sentence(self, translate: Translate) -> str:
        """The sentence through a gettext-like function (template -> template)."""
        return translate(SENTENCES[self.fault]) % self.params


class ConflictError(MatchError):
    """The match moved on since the writer last looked; read again and decide anew."""

    def __init__(self, *, expected: int, found: int) -> None:
        super().__init__(Fault.CONFLICT, expected=expected, found=found)
        self.expected = expected
        self.found = found
