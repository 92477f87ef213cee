"""Carousel: the best rearrangement of the table (RULES.md 2.4). Rummy: the best to lay and add (RULES.md 3 no. 3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Literal

from companion.arrange.columns import Search
from companion.arrange.result import BIG, LIMIT, ArrangeError, Arrangement, Meld, keep_one, without
from companion.arrange.task import Found, Seat, TableRun, Task
from companion.games import carousel, rummy
from companion.games.cardmelds import GROUP, HAND_VALUE, RUN, CardMeldVerdict, hand_points
from companion.pieces import CARD_JOKER, CARDS, DECLARED_CARDS, JOKER_INDEX, Card, spell

CardObjective = Literal["left", "tiles"]

_POINTS = HAND_VALUE[1:]
_RUN = (0, *_POINTS, _POINTS[0])
_GROUP = (0, *_POINTS)


def _task(objective: CardObjective, *, run14: bool, high_one: bool) -> Task:
    def gain(points: int) -> int:
        return points * BIG + 1 if objective == "left" else BIG + points

    joker = gain(HAND_VALUE[0])
    return Task(
        free=(0,) * 56,
        must=(0,) * 56,
        free_jokers=0,
        must_jokers=0,
        ratio=0,
        adjacent=True,
        run14=run14,
        high_one=high_one,
        run_gain=(0, *(gain(p) for p in _RUN[1:])),
        set_gain=(0, *(gain(p) for p in _GROUP[1:])),
        joker_run=(joker,) * 15,
        joker_set=(joker,) * 14,
    )


def _cells(counts: Counter[Card]) -> tuple[int, ...]:
    cells = [0] * 56
    for card, n in counts.items():
        if card.index < JOKER_INDEX:
            cells[card.suit * 14 + card.value] = n
    return tuple(cells)


def _refuse_too_many(cards: Counter[Card], packs: int, jokers: int) -> None:
    for card, n in cards.items():
        most = jokers if card is CARD_JOKER else packs
        if n > most:
            raise ArrangeError(f"there are {n} cards {card.code} in the hand and on the table: there can be {most}")


def _seat_faces(found: Found) -> list[tuple[str, list[tuple[Card, bool]], int | None, int]]:
    """Every meld found: kind, its (face, by a joker) in order, the table's run or seat it is on, cards below it."""
    melds: list[tuple[str, list[tuple[Card, bool]], int | None, int]] = []
    for run in found.runs:
        faces = [CARDS[run.colour * 13 + (run.start + i - 1) % 13] for i in range(len(run.jokers))]
        melds.append((RUN, list(zip(faces, run.jokers, strict=True)), run.table, run.below))
    for group in found.groups:
        absent = [c for c in range(4) if c not in group.colours]
        seats = [(CARDS[c * 13 + group.value - 1], False) for c in group.colours]
        seats += [(CARDS[c * 13 + group.value - 1], True) for c in absent[: group.jokers]]
        melds.append((GROUP, seats, group.seat, 0))
    return melds


# --- Carousel ------------------------------------------------------------------------------------------------------


@dataclass
class _Case:
    """One choice of which of the table's jokers keep their identity (RULES.md 2.4 no. 4)."""

    kept: Counter[Card]  # identities kept
    freed: int
    forced: Counter[Card] = field(default_factory=Counter)  # cards that must come from the hand in exchange


def _cases(jokers: Sequence[Card], table: Counter[Card], hand: Counter[Card]) -> list[_Case]:
    cases: list[_Case] = []
    seen: set[tuple[bool, ...]] = set()
    for free in product((False, True), repeat=len(jokers)):
        lost = Counter(j for j, f in zip(jokers, free, strict=True) if f)
        forced = lost - table
        if forced - hand or free in seen:
            continue
        seen.add(free)
        kept = Counter(j for j, f in zip(jokers, free, strict=True) if not f)
        cases.append(_Case(kept, lost.total(), forced))
    return cases


def best_rearrangement(
    table: Sequence[Sequence[Card]],
    hand: Sequence[Card],
    rules: carousel.HouseRules = carousel.SEED,
    objective: CardObjective = "left",
    limit: int = LIMIT,
) -> Arrangement[Card]:
    """The table that leaves the fewest points in the hand, whatever has to be moved for it (RULES.md 2.4).

    ``table``: legal melds, every joker declared. ``hand``: after drawing, jokers bare. ``objective``: ``left`` the
    fewest points left in the hand, ``tiles`` the most cards played; ties go to the other. The answer's ``melds`` are
    the whole table afterwards, with ``added`` the hand's cards; if nothing can be played they are the table as it is
    and ``ok`` is False. A joker of the table keeps its identity unless a real card of it lies there afterwards.
    Raises ArrangeError for an illegal meld or more cards than two packs hold.
    """
    hand = tuple(card.bare() for card in hand)
    for index, meld in enumerate(table):
        verdict = carousel.judge_meld(meld, rules)
        if not verdict.ok:
            raise ArrangeError(f"meld {index + 1} of the table, {spell(meld)}, is illegal: {verdict.reason}")
    lying = [card for meld in table for card in meld]
    identities = [card.stands for card in lying if card.stands is not None]
    real = Counter(card for card in lying if card.stands is None)
    held = Counter(card for card in hand if not card.is_joker)
    jokers = len(hand) - held.total()
    _refuse_too_many(Counter(card.bare() for card in (*lying, *hand)), 2, 2)
    task = _task(objective, run14=rules.run14, high_one=True)
    best: tuple[Found, _Case, int] | None = None
    complete = True
    everything = sum(task.set_gain[card.value] for card in held.elements()) + jokers * task.joker_run[1]
    for case in _cases(identities, real, held):
        search = Search(
            replace(
                task,
                free=_cells(held - case.forced),
                must=_cells(real + case.kept + case.forced),
                free_jokers=jokers,
                must_jokers=case.freed,
            ),
            limit,
        )
        forced = sum(task.set_gain[card.value] * n for card, n in case.forced.items())
        found = search.solve(best[2] - forced if best else -1)
        complete = complete and search.exhaustive
        if found is None:
            continue
        gain = found.gain + forced
        if best is None or gain > best[2]:
            best = found, case, gain
        if gain >= everything:
            break
    if best is None or not best[2]:
        melds = [Meld(tuple(m), carousel.judge_meld(m, rules).kind, ()) for m in table]
        return Arrangement(tuple(melds), hand, hand_points(hand), 0, 0, complete and best is not None)
    melds = _rearranged(best[0], best[1], real)
    laid = [card for meld in melds for card in meld.added]
    left = without(hand, laid)
    return Arrangement(tuple(melds), left, hand_points(left), len(laid), hand_points(map(Card.bare, laid)), complete)


def _rearranged(found: Found, case: _Case, real: Counter[Card]) -> list[Meld[Card]]:
    """The melds with physical cards in their seats: the table's first, so that what is left over is the hand's."""
    kept, lying, freed = Counter(case.kept), Counter(real), case.freed
    melds = []
    for kind, seats, _, _ in _seat_faces(found):
        pieces: list[Card] = []
        added: list[Card] = []
        for face, joker in seats:
            if joker:
                pieces.append(DECLARED_CARDS[face.index])
                if freed:
                    freed -= 1
                else:
                    added.append(pieces[-1])
            elif kept[face]:
                kept[face] -= 1
                pieces.append(DECLARED_CARDS[face.index])
            else:
                pieces.append(face)
                if lying[face]:
                    lying[face] -= 1
                else:
                    added.append(face)
        melds.append(Meld(tuple(pieces), kind, tuple(added)))
    return sorted(melds, key=lambda m: (m.kind, [card.face().index for card in m.pieces]))


# --- Rummy ---------------------------------------------------------------------------------------------------------


def best_layoff(
    hand: Sequence[Card],
    table: Sequence[Sequence[Card]] = (),
    rules: rummy.HouseRules = rummy.SEED,
    objective: CardObjective = "left",
    limit: int = LIMIT,
) -> Arrangement[Card]:
    """What to lay and add in Rummy so that the fewest points stay in the hand (RULES.md 3 no. 3-4, 6).

    ``hand``: after drawing; where ``rules.final_discard`` is required one card stays for it. ``table``: everybody's
    melds, which may be lengthened, never taken apart. ``objective`` as in :func:`best_rearrangement`. Raises
    ArrangeError for a joker, an illegal meld or a card that is there twice.
    """
    hand = tuple(hand)
    if any(card.is_joker for card in (*hand, *(c for meld in table for c in meld))):
        raise ArrangeError("there is a joker, but Rummy is played without")
    verdicts = [rummy.judge_meld(meld, rules) for meld in table]
    for index, verdict in enumerate(verdicts):
        if not verdict.ok:
            raise ArrangeError(f"meld {index + 1} of the table, {spell(verdict.cards)}, is illegal: {verdict.reason}")
    _refuse_too_many(Counter([*hand, *(c for meld in table for c in meld)]), 1, 0)
    runs = [(i, _table_run(v)) for i, v in enumerate(verdicts) if v.kind == RUN]
    seats = [(i, _free_seat(v)) for i, v in enumerate(verdicts) if v.kind == GROUP and len(v.cards) == 3]
    task = replace(
        _task(objective, run14=False, high_one=rules.ace == "high_or_low"),
        runs=tuple(run for _, run in runs),
        seats=tuple(seat for _, seat in seats),
    )

    def search(cards: Sequence[Card]) -> Found:
        found = Search(replace(task, free=_cells(Counter(cards))), limit).solve()
        assert found is not None  # laying nothing is always allowed
        return found

    def lay(found: Found) -> list[Meld[Card]]:
        return _laid_on(found, verdicts, [i for i, _ in runs], [i for i, _ in seats])

    found = search(hand)
    if hand and rules.final_discard == "required" and sum(len(m.added) for m in lay(found)) == len(hand):
        kept = keep_one(hand, search)
        assert kept is not None
        found = kept
    melds = lay(found)
    laid = [card for meld in melds for card in meld.added]
    left = without(hand, laid)
    return Arrangement(tuple(melds), left, hand_points(left), len(laid), hand_points(laid), found.complete)


def _table_run(verdict: CardMeldVerdict) -> TableRun:
    cards = verdict.cards
    high = 14 if cards[-1].value == 1 else cards[-1].value
    return TableRun(cards[0].suit, high - len(cards) + 1, high, len(cards), 0, True)


def _free_seat(verdict: CardMeldVerdict) -> Seat:
    suits = {card.suit for card in verdict.cards}
    return Seat(verdict.cards[0].value, tuple(c for c in range(4) if c not in suits), False)


def _laid_on(
    found: Found, table: Sequence[CardMeldVerdict], runs: Sequence[int], seats: Sequence[int]
) -> list[Meld[Card]]:
    melds = []
    for kind, faces, on, below in _seat_faces(found):
        cards = tuple(face for face, _ in faces)
        if on is None:
            melds.append(Meld(cards, kind, cards))
        elif kind == GROUP:
            melds.append(Meld((*table[seats[on]].cards, *cards), kind, cards, seats[on]))
        else:
            old = table[runs[on]].cards
            start = _table_run(table[runs[on]]).high + 1
            high = tuple(CARDS[old[0].suit * 13 + (start + i - 1) % 13] for i in range(len(cards) - below))
            melds.append(Meld((*cards[:below], *old, *high), kind, (*cards[:below], *high), runs[on]))
    return sorted(melds, key=lambda m: (m.onto is not None, m.onto or 0, m.kind, [c.index for c in m.pieces]))

