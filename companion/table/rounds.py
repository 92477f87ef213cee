"""A finished round from several photos: one of each player's melds and rack, or of each hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from companion.games import RoundError, RoundScore, Verdict
from companion.games.messages import Translate, msg
from companion.table.analyse import UNSEEN, with_faults
from companion.table.show import question_dict, verdict_dict
from companion.table.values import Question, Table, TableError


@dataclass(frozen=True)
class Scored:
    """The round: its score, the record it was scored from, and the questions on each player's photo."""

    verdict: Verdict
    record: Mapping[str, Any]
    questions: Mapping[str, tuple[Question, ...]]

    @property
    def decided(self) -> bool:
        """Whether no question is open."""
        return not any(self.questions.values())

    def to_dict(self, translate: Translate | None = None) -> dict[str, Any]:
        """``{decided, record, total: V, players: [{name, verdict: V}], questions: {name: [question]}}``."""
        each = self.verdict.players if isinstance(self.verdict, RoundScore) else ()
        return {
            "decided": self.decided,
            "record": dict(self.record),
            "total": verdict_dict(self.verdict, translate),
            "players": [{"name": name, "verdict": verdict_dict(verdict, translate)} for name, verdict in each],
            "questions": {
                name: [question_dict(question, translate) for question in asked]
                for name, asked in self.questions.items()
            },
        }


def score_players(tables: Mapping[str, Table], record: Mapping[str, Any] | None = None) -> Scored:
    """Score a round from one table for each player, in seating order.

    The tables are of one game and of the view ``round`` (melds and rack) or ``rack`` (the whole picture is what was
    left). ``record``: what pictures can't tell, as in :func:`companion.table.read_table`. A record that no round can
    leave is a fault of the result. Raises TableError for tables of several games, or none.
    """
    games = {table.wishes.game.name for table in tables.values()}
    if len(games) != 1:
        raise TableError("A round is scored from pictures of one game, one for each player.")
    if any(table.wishes.view not in ("round", "rack") for table in tables.values()):
        raise TableError("A round is scored from pictures read as 'round' or 'rack'.")
    wishes = next(iter(tables.values())).wishes
    left = {name: _codes(table, table.rack) for name, table in tables.items()}
    if wishes.game.pieces == "card":
        whole: dict[str, Any] = {"hands": left, **(record or {})}
    else:
        laid = [
            {"owner": name, "tiles": tiles}
            for name, table in tables.items() for meld in table.melds if (tiles := _seen(meld.faces))
        ]  # fmt: skip
        whole = {"table": laid, "racks": left, **(record or {})}
    questions = {name: table.questions for name, table in tables.items()}
    count = sum(len(asked) for asked in questions.values())
    open_faults = [msg("QUESTIONS_OPEN", count=count)] if count else []
    try:
        verdict = with_faults(wishes.game.score_round(whole, wishes.rules), open_faults)
    except RoundError as error:
        verdict = Verdict((*open_faults, msg("round_error", sentence=str(error))))
    return Scored(verdict, whole, questions)


def _codes(table: Table, pieces: tuple[int, ...]) -> str:
    return _seen(tuple(table.code(piece) for piece in pieces))


def _seen(codes: tuple[str, ...]) -> str:
    return " ".join(code for code in codes if code not in UNSEEN)
