"""Carousel: may this table follow that one? Two photos and, if wished, the hand (RULES.md 2.4)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Any, Literal

from companion.games import Verdict, carousel
from companion.games.messages import Translate, msg
from companion.pieces import Card, parse_card
from companion.table.align import Place, alignment
from companion.table.analyse import UNSEEN, Analysis, analyse, looks_of, with_faults
from companion.table.ask import doubt_of
from companion.table.build import table_of
from companion.table.edits import Add, Move
from companion.table.judge import Judge
from companion.table.outline import centre
from companion.table.show import question_dict, verdict_dict
from companion.table.split import Look
from companion.table.values import Question, Table, TableError
from vision.scene import ONE_OR_TWO, UNKNOWN, Point

Picture = Literal["before", "after"]
NAMED = 64
"""Most ways of naming the jokers of a table that are tried."""
NEAR = 0.06
"""Share of the picture's diagonal within which a joker lies where one lay before."""


@dataclass(frozen=True)
class Turn:
    """A move judged.

    ``after``: the table after it, its jokers named as they were before where they lie in the same place or meld.
    ``added``: pieces of the picture after that were not there before; ``moved``: those that lay elsewhere, with where
    that is in the picture after; ``taken``: pieces of the picture before that are not there any more; ``taken_at``:
    where each of them lay, in the picture after. ``questions``: by picture. While one is open the verdict's first
    reason is ``QUESTIONS_OPEN``.
    """

    verdict: Verdict
    before: Table
    after: Table
    added: tuple[int, ...]
    taken: tuple[int, ...]
    questions: tuple[tuple[Picture, Question], ...]
    moved: tuple[tuple[int, Point], ...] = ()
    taken_at: tuple[Point, ...] = ()

    @property
    def decided(self) -> bool:
        """Whether no question is open."""
        return not self.questions

    def to_dict(self, translate: Translate | None = None) -> dict[str, Any]:
        """``{decided, verdict: V, added, moved: [{piece, from}], taken, taken_at, questions: [{picture, ...question}],
        before, after}``."""
        return {
            "decided": self.decided,
            "verdict": verdict_dict(self.verdict, translate),
            "added": list(self.added),
            "moved": [{"piece": piece, "from": _rounded(start)} for piece, start in self.moved],
            "taken": list(self.taken),
            "taken_at": [_rounded(point) for point in self.taken_at],
            "questions": [{"picture": where, **question_dict(q, translate)} for where, q in self.questions],
            "before": self.before.to_dict(translate),
            "after": self.after.to_dict(translate),
        }


def judge_turn(
    before: Table,
    after: Table,
    hand: Table | Sequence[str] | None = None,
    gone: Iterable[int] = (),
    new: Iterable[int] = (),
    whole: Iterable[tuple[Picture, int]] = (),
) -> Turn:
    """Judge a move from one table to another.

    Both tables are of Carousel, read as ``table``. ``hand``: the hand before the move, as codes or a picture of it;
    None: not checked. ``gone``: pieces of ``before`` that a person knows to be gone; about others that are missing it
    is asked, for a card may be hidden. ``new``: pieces of ``after`` that a person knows to be new; about others that
    are not from the hand it is asked where the table before holds no legal melds as it was read, for then one of its
    cards lay hidden, and where they lie under a card of the table. ``whole``: pictures and pieces beside which a person
    knows that nothing is hidden. It is asked about rows of ``before`` that are no meld (a table left by legal moves
    holds melds alone) and about those of ``after`` that a card left in the hand would make one, and how many jokers
    there are where the photo does not tell. A joker of ``after`` that nobody named is what makes the move legal, if
    anything does: its player names it (RULES.md 2.3.3); one of ``before`` is asked about where its name decides. Raises
    TableError.
    """
    for table in (before, after):
        if table.wishes.game.name != "carousel" or table.wishes.view != "table":
            raise TableError("A turn is judged from two tables of Carousel, read as 'table'.")
    place = _alignment(before, after)
    after = _remember_jokers(before, after, place)
    judge = Judge(after.wishes.game, after.wishes.rules)
    looks = {"before": looks_of(before.seen), "after": looks_of(after.seen)}
    added, moved, taken = _differences(before, after, place)
    held = _hand(hand)
    verdict = _named_best(before, after, looks, judge, held)
    asked: dict[tuple[Picture, int], Question] = {}
    pictures: tuple[tuple[Picture, Table], ...] = (("before", before), ("after", after))
    for where, table in pictures:
        for question in table.questions:
            asked[where, question.piece] = question
        for piece, codes in _jokers(table).items() if where == "before" else ():
            if _matters(before, after, looks, judge, held, where, piece, codes, verdict):
                asked[where, piece] = Question(
                    piece, codes, "joker", msg("ask_joker"), table.seen.scene.pieces[piece].quad
                )
        for piece in sorted({p for group in table.seen.groups for p in group.pieces} - set(table.stock)):
            doubt = doubt_of(table.seen, piece, looks[where][piece])
            if doubt is None or (where, piece) in asked:
                continue
            if _matters(before, after, looks, judge, held, where, piece, doubt.others, verdict):
                own = looks[where][piece].code
                asked[where, piece] = Question(
                    piece, (own, *doubt.others)[:4], "doubtful", msg("ask_doubtful", piece=own),
                    table.seen.scene.pieces[piece].quad,
                )  # fmt: skip
    for piece in taken:
        if piece not in set(gone) and ("before", piece) not in asked:
            code = before.code(piece)
            quad = before.seen.scene.pieces[piece].quad
            asked["before", piece] = Question(piece, (code,), "gone", msg("ask_gone", piece=code), quad)
    for piece in _foreign(after, added, held):
        if not (_broken(before) or _under(after, piece, added)):
            continue
        if piece not in set(new) and ("after", piece) not in asked:
            code = after.code(piece).partition("=")[0]
            quad = after.seen.scene.pieces[piece].quad
            asked["after", piece] = Question(piece, (code,), "hidden", msg("ask_hidden", piece=code), quad)
    sure = set(whole)
    for where, piece, cards in _covered(before, after, judge, added, held):
        if where == "before" and any(question.why == "hidden" for question in asked.values()):
            continue  # what lay hidden there has turned up
        if (where, piece) not in sure and (where, piece) not in asked:
            quad = (before if where == "before" else after).seen.scene.pieces[piece].quad
            asked[where, piece] = Question(piece, cards, "covered", msg("ask_covered"), quad)
    for where, table in pictures:
        for piece in _one_or_two(table):
            if (where, piece) not in sure:  # whatever else is asked about it, how many there are comes first
                quad = table.seen.scene.pieces[piece].quad
                asked[where, piece] = Question(piece, ("*",), "covered", msg("ask_jokers"), quad)
    questions = tuple((where, question) for (where, _), question in asked.items())
    if questions:
        verdict = with_faults(verdict, [msg("QUESTIONS_OPEN", count=len(questions))])
    was = _places(before)
    gone_from = tuple(place(was[piece]) for piece in taken)
    return Turn(verdict, before, after, added, taken, questions, moved, gone_from)


Looks = Mapping[str, Mapping[int, Look]]


def _verdict(before: Table, after: Table, looks: Looks, judge: Judge, hand: tuple[Card, ...] | None) -> Verdict:
    old = _lying(analyse(before.wishes, before.seen, judge, looks["before"]), looks["before"])
    new = _lying(analyse(after.wishes, after.seen, judge, looks["after"]), looks["after"])
    rules: Any = after.wishes.rules
    cards = hand if hand is not None else tuple(card.bare() for meld in new for card in meld)
    return carousel.judge_transition(old, cards, new, rules)


def _named_best(before: Table, after: Table, looks: Looks, judge: Judge, hand: tuple[Card, ...] | None) -> Verdict:
    """The verdict with the jokers of the picture after that nobody has named as they suit the move best."""
    jokers = _jokers(after)
    ways = islice(product(*jokers.values()), NAMED)
    found = [
        _verdict(
            before, after, {**looks, "after": {**looks["after"], **_as_named(zip(jokers, way, strict=True))}},
            judge, hand,
        )
        for way in ways
    ]  # fmt: skip
    return min(found, key=lambda verdict: (not verdict.ok, len(set(verdict.codes))))


def _as_named(names: Iterable[tuple[int, str]]) -> dict[int, Look]:
    return {piece: Look(code) for piece, code in names}


def _lying(found: Analysis, looks: Mapping[int, Look]) -> list[tuple[Card, ...]]:
    """Every meld of a table, loose cards as melds of one: leftovers are illegal (RULES.md 2.4.3)."""
    rows = [placed.part.judged.faces for placed in found.melds]
    rows += [(looks[piece].code,) for piece in found.loose]
    melds = [tuple(parse_card(code) for code in row if code not in UNSEEN) for row in rows]
    return [meld for meld in melds if meld]


def _matters(
    before: Table,
    after: Table,
    looks: Looks,
    judge: Judge,
    hand: tuple[Card, ...] | None,
    where: Picture,
    piece: int,
    codes: Iterable[str],
    verdict: Verdict,
) -> bool:
    """Whether another reading of a piece would make the move legal, or illegal in another way."""
    for code in codes:
        other = {**looks, where: {**looks[where], piece: Look(code)}}
        if set(_named_best(before, after, other, judge, hand).codes) != set(verdict.codes):
            return True
    return False


def _hand(hand: Table | Sequence[str] | None) -> tuple[Card, ...] | None:
    if hand is None:
        return None
    codes = [hand.code(piece) for piece in hand.rack] if isinstance(hand, Table) else list(hand)
    return tuple(parse_card(code).bare() for code in codes if code not in UNSEEN)


def with_hidden(table: Table, piece: int, code: str) -> Table:
    """The table with a card that lies hidden beside a piece of it, where it makes a meld if it does anywhere.
    Raises EditError."""
    for n, meld in enumerate(table.melds):
        if piece in meld.pieces:
            places = range(len(meld.pieces), -1, -1)
            tried = [table.edit(Add(code, n, place)) for place in places]
            return next((one for one in tried if one.melds[n].verdict.ok), tried[0])
    found = table.edit(Add(code))
    return found.edit(Move((piece, len(found.seen.scene.pieces) - 1)))


def _broken(table: Table) -> list[tuple[int, ...]]:
    """Rows that are no meld, lone cards among them."""
    return [meld.pieces for meld in table.melds if not meld.verdict.ok] + [(piece,) for piece in table.loose]


def _one_or_two(table: Table) -> list[int]:
    """Jokers that may be two cards, or with the next one a single card: the first of each row."""
    found = [
        [p for p in group.pieces if ONE_OR_TWO in table.seen.scene.pieces[p].settled and p not in table.seen.sure]
        for group in table.seen.groups
    ]  # fmt: skip
    return [row[0] for row in found if row]


def _covered(
    before: Table,
    after: Table,
    judge: Judge,
    added: Iterable[int],
    hand: tuple[Card, ...] | None,
) -> list[tuple[Picture, int, tuple[str, ...]]]:
    """Where a card may lie hidden: picture, piece beside it, and the cards it may be."""
    found: list[tuple[Picture, int, tuple[str, ...]]] = [("before", row[-1], ()) for row in _broken(before)]
    if hand is None:
        return found
    spare = [c.code for c in Counter(hand) - Counter(parse_card(after.code(piece)).bare() for piece in added)]
    for row in _broken(after):
        codes = tuple(after.code(piece) for piece in row)
        fits = tuple(code for code in spare if UNKNOWN not in codes and judge.meld((*codes, code)).ok)
        if fits:
            found.append(("after", row[-1], fits))
    return found


def _foreign(after: Table, added: Iterable[int], hand: tuple[Card, ...] | None) -> list[int]:
    """Pieces that came, but not from the hand; none where the hand is not known."""
    if hand is None:
        return []
    left = Counter(hand)
    found = []
    for piece in added:
        card = parse_card(after.code(piece)).bare()
        if left[card] > 0:
            left[card] -= 1
        else:
            found.append(piece)
    return found


def _under(after: Table, piece: int, added: Iterable[int]) -> bool:
    """Whether a card that came lies with cards of the table, and beneath one: it may have lain there, hidden."""
    mates = next((set(meld.pieces) for meld in after.melds if piece in meld.pieces), set())
    return bool(mates - set(added)) and len(after.seen.scene.pieces[piece].indices) == 1


def _jokers(table: Table) -> dict[int, tuple[str, ...]]:
    """The jokers that nobody has named and that may stand for several cards."""
    return {
        piece: options for meld in table.melds for piece, options in meld.jokers
        if piece not in table.seen.declared
    }  # fmt: skip


def _rounded(point: Point) -> list[float]:
    return [round(point[0], 1), round(point[1], 1)]


def _places(table: Table) -> dict[int, Point]:
    """Where each piece lies, in pixels."""
    pieces = table.seen.scene.pieces
    return {piece: centre(pieces[piece].quad) for group in table.seen.groups for piece in group.pieces}


def _by_code(table: Table) -> dict[str, list[int]]:
    """The pieces of a table by what they show, jokers bare; a hand in the picture left out."""
    found: dict[str, list[int]] = {}
    for piece in (*(p for meld in table.melds for p in meld.pieces), *table.loose):
        code = table.code(piece).partition("=")[0]
        if code not in UNSEEN:
            found.setdefault(code, []).append(piece)
    return found


def _alignment(before: Table, after: Table) -> Place:
    """The map from the picture before to the one after."""
    was, now = _places(before), _places(after)
    old, new = before.seen.scene, after.seen.scene
    return alignment(
        {code: [was[p] for p in pieces] for code, pieces in _by_code(before).items()},
        {code: [now[p] for p in pieces] for code, pieces in _by_code(after).items()},
        (old.width, old.height),
        (new.width, new.height),
    )


def _near(after: Table) -> float:
    scene = after.seen.scene
    return NEAR * math.hypot(scene.width, scene.height)


def _remember_jokers(before: Table, after: Table, place: Place) -> Table:
    """Jokers of the later picture named as before, where they lie in the same place or beside the same cards."""
    open_ones = _jokers(before)
    known = [
        (piece, face, set(meld.codes) - {"*"})
        for meld in before.melds
        for piece, face in zip(meld.pieces, meld.faces, strict=True)
        if face.startswith("*=") and piece not in open_ones
    ]
    was, now, near = _places(before), _places(after), _near(after)
    declared = dict(after.seen.declared)
    for piece, options in _jokers(after).items():
        mates = next(set(meld.codes) - {"*"} for meld in after.melds if piece in meld.pieces)
        fits = [
            (-len(mates & others), math.dist(place(was[old]), now[piece]), face)
            for old, face, others in known
            if face in options and (mates & others or math.dist(place(was[old]), now[piece]) < near)
        ]
        if fits:
            declared[piece] = min(fits)[2]
    if declared == dict(after.seen.declared):
        return after
    return table_of(after.wishes, replace(after.seen, declared=declared))


def _differences(
    before: Table, after: Table, place: Place
) -> tuple[tuple[int, ...], tuple[tuple[int, Point], ...], tuple[int, ...]]:
    """Pieces that came, that moved (and from where), and that went; of equal cards those that lie farthest from an
    old place are new."""
    was, now, near = _places(before), _places(after), _near(after)
    old, new = _by_code(before), _by_code(after)
    added: list[int] = []
    moved: list[tuple[int, Point]] = []
    taken: list[int] = []
    for code in {**old, **new}:
        here, there = old.get(code, []), new.get(code, [])
        pairs = sorted((math.dist(place(was[a]), now[b]), a, b) for a in here for b in there)
        matched_old: set[int] = set()
        matched_new: set[int] = set()
        for far, a, b in pairs:
            if a not in matched_old and b not in matched_new:
                matched_old.add(a)
                matched_new.add(b)
                if far > near:
                    moved.append((b, place(was[a])))
        taken += [a for a in here if a not in matched_old]
        added += [b for b in there if b not in matched_new]
    return tuple(sorted(added)), tuple(sorted(moved)), tuple(sorted(taken))
