"""The one shape of a judgement: ok or the reason, every fault seen, lines that add up, words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from companion.games.messages import Message, Translate, sentence
from companion.pieces import Piece


class Line(NamedTuple):
    """What gave points, and how many (negative ones were lost)."""

    what: Message
    points: int

    def text(self, translate: Translate | None = None) -> str:
        """The line in words, without its points."""
        return sentence(self.what, translate)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judgement. Invariant: ``sum(line.points for line in lines) == value``.

    ``faults``: everything wrong, in the order of checks of RULES.md 0.4; empty means legal.
    ``value``: the points the judgement is about (opening value, score); 0 where there are none.
    """

    faults: tuple[Message, ...] = ()
    value: int = 0
    stored_lines: tuple[Line, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults

    @property
    def reason(self) -> str:
        """``OK`` or the first failing code in the order of RULES.md 0.4."""
        return self.faults[0].code if self.faults else "OK"

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of all faults, in order."""
        return tuple(fault.code for fault in self.faults)

    @property
    def lines(self) -> tuple[Line, ...]:
        """What gave the points; the sum is ``value``."""
        return self.stored_lines

    def praise(self) -> Message:
        """What to say when nothing is wrong."""
        return Message("legal")

    def sentence(self, translate: Translate | None = None) -> str:
        """The judgement in words: why not (all faults, the first first), or what it is."""
        if not self.faults:
            return sentence(self.praise(), translate)
        first, *others = (sentence(fault, translate) for fault in self.faults)
        also = [sentence(Message("also", (("sentence", other),)), translate) for other in others]
        return " ".join([first, *also])


@dataclass(frozen=True, slots=True)
class MeldJudgement(Verdict):
    """What the judgements of one meld share. ``kind``: ``run``, ``set`` or ``group`` (cards), '' for neither."""

    kind: str = ""

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The pieces as judged, the jokers of a legal meld declared where their faces are known."""
        raise NotImplementedError


OK = Verdict()
"""Legal, no points."""


def refuse(*faults: Message) -> Verdict:
    """A verdict with these faults (none at all: legal)."""
    return Verdict(faults) if faults else OK
