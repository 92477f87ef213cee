"""What the commands share: options, words for bad input, and pieces drawn in colour or as JSON."""

from __future__ import annotations

import json
import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterable
from typing import Any

from companion.games.messages import Message
from companion.games.verdict import Line, Verdict
from companion.pieces import Card, Laid, NotationError, Tile

# 256-colour codes of a tile's body and inks, readable on light and dark terminals; the letter alone says it all
_BODY = "\x1b[48;5;230m"
_INKS = {"r": 160, "b": 26, "y": 130, "k": 16, "H": 160, "D": 160, "S": 16, "C": 16, "*": 90}
_RESET = "\x1b[0m"
_GOOD, _BAD = "\x1b[32m", "\x1b[31m"


class UsageError(Exception):
    """Input that can't be understood: a sentence, and where there is one the text with the wrong piece underlined."""

    def __init__(self, sentence: str, *, code: str = "USAGE", pointer: str = "", detail: dict[str, Any] | None = None):
        super().__init__(sentence)
        self.code = code
        self.pointer = pointer
        self.detail = detail or {}

    @classmethod
    def notation(cls, error: NotationError, where: str = "") -> UsageError:
        """Of a piece that can't be read; ``where`` says in which part of the input."""
        detail = {"text": error.text, "piece": error.piece, "start": error.start, "end": error.end}
        said = f"{where}: {error}." if where else f"{error}."
        return cls(said[0].upper() + said[1:], code="NOTATION", pointer=error.pointer(), detail=detail)


class Output:
    """Writes for a person (in colour where the terminal shows it) or, with ``as_json``, one JSON object."""

    def __init__(self, *, as_json: bool, colour: str = "auto") -> None:
        self.as_json = as_json
        if colour == "auto":
            # NO_COLOR: https://no-color.org, set and not empty
            self.colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        else:
            self.colour = colour == "always"

    def say(self, text: str = "") -> None:
        """A line for the person; nothing when the answer is JSON."""
        if not self.as_json:
            print(text)

    def give(self, answer: object) -> None:
        """The answer as JSON, if that was asked for."""
        if self.as_json:
            print(json.dumps(answer, ensure_ascii=False, indent=2))

    def usage_error(self, error: UsageError) -> None:
        """Why the input can't be used: on stderr, and as JSON too if that was asked for."""
        self.give({"error": {"code": error.code, "sentence": str(error), **error.detail}})
        if not self.as_json:
            for line in (*error.pointer.splitlines(), str(error)):
                print(line, file=sys.stderr)

    def draw(self, pieces: Iterable[Tile | Card | Laid]) -> str:
        """Pieces side by side. Each carries its letter, so that the colour is never needed."""
        codes = [str(piece) for piece in pieces]
        if not self.colour:
            return " ".join(f"[{code}]" for code in codes)
        return " ".join(f"{_BODY}\x1b[1;38;5;{_ink(code)}m {code} {_RESET}" for code in codes)

    def mark(self, ok: bool) -> str:
        """``ok`` or ``no``, in colour where there is any."""
        word = "ok" if ok else "no"
        return f"{_GOOD if ok else _BAD}{word}{_RESET}" if self.colour else word

    def lines(self, lines: Iterable[Line], indent: str = "    ") -> None:
        """Lines that add up."""
        for line in lines:
            self.say(f"{indent}{line.points:+5d}  {line.text()}")


def _ink(code: str) -> int:
    return _INKS["*"] if code.startswith("*") else _INKS.get(code[0]) or _INKS[code.partition("@")[0][-1]]


def message_json(message: Message) -> dict[str, Any]:
    """A message for programs."""
    return {"code": message.code, "params": dict(message.params), "sentence": message.text()}


def verdict_json(verdict: Verdict) -> dict[str, Any]:
    """A verdict for programs: the lines add up to the value."""
    return {
        "ok": verdict.ok,
        "reason": verdict.reason,
        "sentence": verdict.sentence(),
        "faults": [message_json(fault) for fault in verdict.faults],
        "value": verdict.value,
        "lines": [
            {"what": line.what.code, "params": dict(line.what.params), "text": line.text(), "points": line.points}
            for line in verdict.lines
        ],
    }


def add_output_options(parser: ArgumentParser) -> None:
    """``--json`` and ``--colour``."""
    parser.add_argument("--json", action="store_true", help="answer in JSON, for programs")
    parser.add_argument(
        "--colour", "--color", choices=("auto", "always", "never"), default="auto",
        help="colours: where the terminal shows them and NO_COLOR is not set (auto), always or never",
    )  # fmt: skip
