"""Rummy: a turn from the table before it, the table after it and the hand (RULES.md 3 no. 3-5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from companion.games import rummy
from companion.games.messages import Message, Translate, msg
from companion.games.rummy import TurnVerdict
from companion.pieces import Card, parse_card, spell
from companion.table.analyse import UNSEEN
from companion.table.show import question_dict, verdict_dict
from companion.table.turn import Picture
from companion.table.values import Question, Table, TableError


@dataclass(frozen=True)
class RummyTurn:
    """A turn judged: what was laid and added, and whether it went out. ``questions``: by picture; while one is open the
    verdict's first reason is ``QUESTIONS_OPEN``."""

    verdict: TurnVerdict
    before: Table
    after: Table
    melds: tuple[tuple[Card, ...], ...]
    layoffs: tuple[Card, ...]
    questions: tuple[tuple[Picture, Question], ...]

    @property
    def decided(self) -> bool:
        """Whether no question is open."""
        return not self.questions

    def to_dict(self, translate: Translate | None = None) -> dict[str, Any]:
        """``{decided, verdict: V, out, rummy, left, points, melds, layoffs, questions, before, after}``."""
        return {
            "decided": self.decided,
            "verdict": verdict_dict(self.verdict, translate),
            "out": self.verdict.out,
            "rummy": self.verdict.rummy,
            "left": [card.code for card in self.verdict.left],
            "points": rummy.hand_points(self.verdict.left),
            "melds": [spell(meld) for meld in self.melds],
            "layoffs": [card.code for card in self.layoffs],
            "questions": [{"picture": where, **question_dict(q, translate)} for where, q in self.questions],
            "before": self.before.to_dict(translate),
            "after": self.after.to_dict(translate),
        }


def judge_rummy_turn(
    before: Table,
    after: Table,
    hand: Table | Sequence[str],
    discard: str | None = None,
    laid_before: bool = False,
    took_discard: str | None = None,
) -> RummyTurn:
    """Judge a turn of Rummy.

    Both tables are of Rummy, read as ``table``: everybody's melds before and after it. ``hand``: with the card drawn,
    as codes or a picture of it. ``discard``: None where nothing was discarded; ``took_discard``: the card that was
    taken from the discards. Raises TableError and NotationError.
    """
    for table in (before, after):
        if table.wishes.game.name != "rummy" or table.wishes.view != "table":
            raise TableError("A turn of Rummy is judged from two tables of Rummy, read as 'table'.")
    rules: Any = after.wishes.rules
    codes = [hand.code(piece) for piece in hand.rack] if isinstance(hand, Table) else hand
    was, now = _rows(before), _rows(after)
    old = Counter(card for row in was for card in row)
    melds: list[tuple[Card, ...]] = []
    layoffs: list[Card] = []
    faults: list[Message] = []
    torn = old - Counter(card for row in now for card in row)
    for row in now:
        here = [card for card in row if old[card] > 0]
        if not here:
            melds.append(row)
            continue
        fresh = [card for card in row if old[card] <= 0]
        layoffs += fresh
        mates = next((other for other in was if here[0] in other), ())
        torn += Counter(mates) - Counter(here) - torn
        if fresh:
            faults += rummy.judge_meld(row, rules).faults
    told: list[Message] = [msg("TABLE_CARD_TAKEN", pieces=spell(sorted(torn.elements())))] if torn else []
    verdict = rummy.judge_turn(
        [parse_card(code) for code in codes if code not in UNSEEN], melds, layoffs,
        parse_card(discard) if discard else None,
        laid_before=laid_before, took_discard=parse_card(took_discard) if took_discard else None, rules=rules,
    )  # fmt: skip
    pictures: tuple[tuple[Picture, Table], ...] = (("before", before), ("after", after))
    questions = tuple((where, question) for where, table in pictures for question in table.questions)
    if questions:
        told.insert(0, msg("QUESTIONS_OPEN", count=len(questions)))
    if told or faults:
        every = (*told, *faults, *verdict.faults)
        verdict = TurnVerdict(every, 0, (), False, False, verdict.left)
    return RummyTurn(verdict, before, after, tuple(melds), tuple(layoffs), questions)


def _rows(table: Table) -> list[tuple[Card, ...]]:
    """Every row of a table, lone cards as rows of one."""
    rows = [meld.faces for meld in table.melds] + [(table.code(piece),) for piece in table.loose]
    read = [tuple(parse_card(code) for code in row if code not in UNSEEN) for row in rows]
    return [row for row in read if row]
