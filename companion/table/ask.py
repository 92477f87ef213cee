"""The fewest questions: pieces that can't be read, copies too many, and doubts that would change the outcome."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from companion.games.messages import Message, msg
from companion.table.analyse import UNSEEN, Analysis, analyse, arrange, group_parts, too_many
from companion.table.judge import Judge, completions
from companion.table.split import Look, Part
from companion.table.values import Question, Seen, Why, Wishes
from vision.scene import BACK, ONE_OR_TWO, UNKNOWN, Piece

SURE: Mapping[str, float] = {"tile": 0.90, "card": 0.85}
"""Probability under which a reading is doubtful though the reader did not say so."""
PLAUSIBLE = 0.02
"""Probability under which another reading is no doubt."""
ANSWERS = 4
"""Most answers that are offered."""
JOINT = 81
"""Most combinations of doubtful readings that a row is tried with."""
TURNED = {"6": "9", "9": "6"}


@dataclass(frozen=True)
class Doubt:
    """What a doubtful piece may be besides its reading; ``turned``: its way up is what is not known."""

    others: tuple[str, ...]
    turned: bool = False


def questions(wishes: Wishes, seen: Seen, judge: Judge, looks: Mapping[int, Look], found: Analysis) -> tuple[
        Question, ...]:
    """What a person has to be asked, in the order of the pieces."""
    asked: dict[int, Question] = {}
    part_of = {piece: placed.part for placed in found.melds for piece in placed.part.pieces}
    lying = [piece for group in seen.groups for piece in group.pieces if piece not in found.stock]

    def ask(piece: int, answers: Iterable[str], why: Why, message: Message) -> None:
        few = tuple(dict.fromkeys(code for code in answers if code not in UNSEEN))[:ANSWERS]
        asked.setdefault(piece, Question(piece, few, why, message, seen.scene.pieces[piece].quad))

    for piece in lying:
        look, part = looks[piece], part_of.get(piece)
        if look.code == UNKNOWN:
            ask(piece, (*_names(look), *_fitting(piece, part, judge)), "unreadable", msg("ask_unread"))
        elif look.code == BACK and (
            part.judged.faces[part.pieces.index(piece)] == BACK if part else piece in found.rack
        ):
            if piece not in seen.sure or part:
                ask(piece, (*_names(look), *_fitting(piece, part, judge)), "face_down", msg("ask_face_down"))
        elif part:
            for place, code in part.chosen:
                if place == piece:
                    answers = (code, look.code, *(other for other, _ in look.close()))
                    ask(piece, answers, "close", msg("ask_close", answers=_or(answers[:2])))
    _ask_copies(wishes, seen, looks, found, judge, ask)
    doubts = {piece: doubt for piece in lying if piece not in asked and (doubt := doubt_of(seen, piece, looks[piece]))}
    for piece, doubt in doubts.items():
        part = part_of.get(piece)
        if part is not None and not part.judged.ok:  # few lay what is not legal: the likeliest slip is the reader's
            more = [code for code in _fitting(piece, part, judge) if code not in doubt.others]
            doubts[piece] = replace(doubt, others=(*doubt.others, *more)[: ANSWERS - 1 + len(more[:1])])
    if doubts:
        for piece, answers in _mattering(wishes, seen, judge, looks, found, doubts).items():
            why, message = _why(looks[piece], answers, doubts[piece])
            if ONE_OR_TWO in seen.scene.pieces[piece].settled:
                message = msg("ask_jokers")
            ask(piece, answers, why, message)
    return tuple(asked[piece] for piece in sorted(asked))


def _ask_copies(wishes: Wishes, seen: Seen, looks: Mapping[int, Look], found: Analysis, judge: Judge, ask: Any) -> None:
    part_of = {piece: placed.part for placed in found.melds for piece in placed.part.pieces}
    for code, pieces in too_many(found, looks, wishes.copies).items():
        open_ones = sorted((p for p in pieces if p not in seen.sure), key=lambda p: looks[p].p)
        for piece in open_ones[: len(pieces) - wishes.copies]:
            answers = (code, *_names(looks[piece]), *_fitting(piece, part_of.get(piece), judge))
            ask(piece, answers, "copy", msg("ask_copy", count=len(pieces), piece=code, most=wishes.copies))


def _names(look: Look) -> tuple[str, ...]:
    return tuple(code for code, p in look.others if p >= PLAUSIBLE and code not in UNSEEN)


def _fitting(piece: int, part: Part | None, judge: Judge) -> tuple[str, ...]:
    """Faces that would make a meld of the row in which a piece lies."""
    if part is None:
        return ()
    return completions(part.codes, part.pieces.index(piece), judge)


def doubt_of(seen: Seen, n: int, look: Look) -> Doubt | None:
    """What a piece may be besides its reading; None if it is not doubtful."""
    piece = seen.scene.pieces[n]
    if n in seen.sure or look.code == UNKNOWN:
        return None
    other = _turned(piece)
    turned = other is not None and not piece.upright_known and (not look.others or other in _names(look))
    if not (piece.asked or look.p < SURE[piece.kind] or turned):
        return None
    names = [code for code, p in look.others if p >= PLAUSIBLE and code != UNKNOWN][: ANSWERS - 1]
    if turned and other is not None and other not in names:
        names.append(other)
    return Doubt(tuple(names), turned)


def _turned(piece: Piece) -> str | None:
    """What a 6 or 9 would be on its head."""
    number = piece.code[1:] if piece.kind == "tile" else piece.code[:-1]
    if number not in TURNED:
        return None
    return piece.code[0] + TURNED[number] if piece.kind == "tile" else TURNED[number] + piece.code[-1]


def _mattering(
    wishes: Wishes,
    seen: Seen,
    judge: Judge,
    looks: Mapping[int, Look],
    found: Analysis,
    doubts: Mapping[int, Doubt],
) -> dict[int, tuple[str, ...]]:
    """The doubtful pieces whose other readings change a verdict or points, with those readings, their own first."""
    def outcome(other: Mapping[int, Look]) -> tuple[Any, ...]:
        fresh = analyse(wishes, seen, judge, other)
        if wishes.view != "rack":
            return fresh.outcome()
        best = arrange(wishes, fresh, other, judge)  # what a rack is worth is also how it can be laid
        return (*fresh.outcome(), best and (best.ok, best.value, best.points_left))

    base = outcome(looks)
    in_meld = {piece: placed.group for placed in found.melds for piece in placed.part.pieces}
    counted = {*in_meld, *found.rack}
    result: dict[int, tuple[str, ...]] = {}
    for piece, doubt in doubts.items():
        if piece not in counted:
            continue
        own = looks[piece].code
        changing = [
            code for code in doubt.others
            if outcome({**looks, piece: Look(code)}) != base
        ]  # fmt: skip
        if not changing and piece in in_meld:
            changing = _jointly(seen, judge, looks, doubts, in_meld[piece], piece)
        if changing or not doubt.others:
            result[piece] = (own, *changing)
    return result


def _jointly(
    seen: Seen, judge: Judge, looks: Mapping[int, Look], doubts: Mapping[int, Doubt], group: int, piece: int
) -> list[str]:
    """Readings of a piece that change its row's outcome under some reading of the row's other doubtful pieces."""
    others = [p for p in seen.groups[group].pieces if p in doubts and p != piece]
    options = [(looks[p].code, *doubts[p].others) for p in others]
    size = 1 + len(doubts[piece].others)
    for option in options:
        size *= len(option)
    if not others or size > JOINT:
        return []
    changing: list[str] = []
    for combination in product(*options):
        fixed = {**looks, **{p: Look(code) for p, code in zip(others, combination, strict=True)}}
        results = {
            code: [part.outcome() for part in group_parts(seen, group, {**fixed, piece: Look(code)}, judge)]
            for code in (looks[piece].code, *doubts[piece].others)
        }
        plain = results[looks[piece].code]
        changing += [code for code, result in results.items() if result != plain and code not in changing]
    return changing


def _why(look: Look, answers: Sequence[str], doubt: Doubt) -> tuple[Why, Message]:
    if doubt.turned:
        return "orientation", msg("ask_orientation", answers=_or(answers[:2]))
    if {code for code, _ in look.close()} & set(answers):
        return "close", msg("ask_close", answers=_or(answers[:2]))
    return "doubtful", msg("ask_doubtful", piece=look.code)


def _or(codes: Sequence[str]) -> str:
    return " / ".join(codes)
