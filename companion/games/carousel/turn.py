"""A Carousel turn event by event, and knocking (RULES.md 2.2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from companion.games.cardmelds import HAND_VALUE
from companion.games.carousel.rules import SEED, HouseRules
from companion.games.messages import Message, msg
from companion.games.verdict import Line, Verdict, refuse
from companion.pieces import Card

KNOCK_MOST: Final = 5
DRAWS_MOST: Final = 3
EVENTS: Final = ("draw", "meld", "knock", "end")


class EventError(ValueError):
    """An event that is no part of a turn."""


@dataclass(frozen=True, slots=True)
class Turn:
    """How far a turn has come. ``stock``: cards left to draw. ``extra``: the extra turn after the stock ran out."""

    stock: int
    extra: bool = False
    draws: int = 0
    melded: bool = False
    started_empty: bool = False

    @property
    def complete(self) -> bool:
        """Whether nothing more must be drawn: melded, third card drawn, or nothing left (RULES.md 2.2.2)."""
        return self.melded or self.draws >= DRAWS_MOST or self.stock == 0 or self.extra

    def may_end(self, rules: HouseRules = SEED) -> bool:
        """Whether the player may stop here (C-D1)."""
        return self.complete or (rules.extra_draws == "optional" and self.draws > 0)


def begin(stock: int, *, extra: bool = False) -> Turn:
    """A turn before its first event."""
    return Turn(stock, extra, started_empty=stock == 0)


def event_fault(turn: Turn, event: str, hand_points: int | None = None, rules: HouseRules = SEED) -> Message | None:
    """What is wrong with ``event`` now, None if nothing; ``hand_points`` matters for a knock (None: not checked)."""
    if event == "draw":
        if turn.melded:
            return msg("DRAW_AFTER_MELD")
        if turn.draws >= DRAWS_MOST:
            return msg("TOO_MANY_DRAWS")
        return msg("STOCK_EMPTY") if turn.extra or turn.stock == 0 else None
    if event == "meld":
        if turn.draws == 0 and not turn.extra and not turn.started_empty:
            return msg("MUST_DRAW_FIRST")
        return msg("MELD_AFTER_THIRD") if turn.draws >= DRAWS_MOST else None
    if event == "knock":
        early = turn.draws == 0 if rules.knock_timing == "after_any_draw" else not turn.may_end(rules)
        if early and not turn.complete:
            return msg("KNOCK_TOO_EARLY")
        over = hand_points is not None and hand_points > KNOCK_MOST
        return msg("OVER_FIVE", points=hand_points or 0) if over else None
    if event == "end":
        return None if turn.may_end(rules) else msg("MUST_DRAW_MORE")
    raise EventError(f"{event!r} is no part of a turn: {', '.join(EVENTS)} are")


def after_event(turn: Turn, event: str) -> Turn:
    """The turn after a legal event."""
    if event == "draw":
        return replace(turn, stock=turn.stock - 1, draws=turn.draws + 1)
    return replace(turn, melded=True) if event == "meld" else turn


def judge_turn(
    events: Iterable[str],
    *,
    stock: int = 52,
    final_turn: bool = False,
    hand_points: int | None = None,
    rules: HouseRules = SEED,
) -> Verdict:
    """Judges a turn event by event: the first event that is refused gives the reason (RULES.md 0.4).

    ``events``: of ``draw``, ``meld``, ``knock``, ``end``. ``stock``: cards before the turn. ``final_turn``: the extra
    turn after the stock ran out. ``hand_points``: at the knock.
    """
    turn = begin(stock, extra=final_turn)
    faults: list[Message] = []
    for event in events:
        fault = event_fault(turn, event, hand_points, rules)
        if fault is None:
            turn = after_event(turn, event)
        else:
            faults.append(fault)
    return refuse(*faults)


def judge_knock(hand: Iterable[Card]) -> Verdict:
    """Whether a hand may knock: 5 points or fewer (RULES.md 2.2.2). ``value`` is its points, one line a card."""
    lines = tuple(Line(msg("tile_is", piece=card.code), HAND_VALUE[card.value]) for card in hand)
    points = sum(line.points for line in lines)
    faults = () if points <= KNOCK_MOST else (msg("OVER_FIVE", points=points),)
    return Verdict(faults, points, lines)
