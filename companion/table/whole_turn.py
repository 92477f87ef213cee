"""Carousel: a whole turn, its draws and its end told, its move from pictures (RULES.md 2.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from companion.games import Verdict, carousel
from companion.pieces import Card, parse_card
from companion.table.analyse import UNSEEN
from companion.table.turn import Turn
from companion.table.values import Table, TableError


def hand_left(turn: Turn, hand: Table | Sequence[str]) -> tuple[Card, ...]:
    """What is left after the move of the hand that was held before it."""
    codes = [hand.code(piece) for piece in hand.rack] if isinstance(hand, Table) else hand
    cards = Counter(parse_card(code).bare() for code in codes if code not in UNSEEN)
    cards -= Counter(parse_card(turn.after.code(piece)).bare() for piece in turn.added)
    return tuple(sorted(cards.elements()))


def judge_whole_turn(
    turn: Turn, events: Sequence[str], hand: Table | Sequence[str] | None = None, stock: int = 52, final: bool = False
) -> Verdict:
    """Judge a turn by its events and by the move that its pictures show.

    ``events``: in order, of ``draw``, ``meld``, ``knock`` and ``end``. ``hand``: before the move, with every card that
    was drawn; None: its points are not checked at a knock. ``stock``: cards left before the turn. ``final``: the extra
    turn after the stock ran out. Faults of the events come first. Raises TableError for an event that is none, and for
    cards laid in a turn that is told without a meld.
    """
    unknown = [event for event in events if event not in carousel.EVENTS]
    if unknown:
        raise TableError(f"{unknown[0]!r} is no part of a turn: {', '.join(carousel.EVENTS)} are.")
    melded = "meld" in events
    if turn.added and not melded:
        raise TableError("Cards were laid, but the turn is told without a meld.")
    points = carousel.hand_points(hand_left(turn, hand)) if hand is not None else None
    rules: carousel.HouseRules = turn.after.wishes.rules  # type: ignore[assignment]
    told = carousel.judge_turn(events, stock=stock, final_turn=final, hand_points=points, rules=rules)
    seen = [fault for fault in turn.verdict.faults if melded or fault.code != "NO_CARD_FROM_HAND"]
    return Verdict((*told.faults, *seen))
