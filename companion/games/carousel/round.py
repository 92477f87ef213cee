"""A whole round of Carousel as plain values: the state, the actions, and what each makes of it (RULES.md 2).

``play(state, action)`` returns the new state and a verdict; a refused action returns the very state it was given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from companion.games.cardmelds import hand_points
from companion.games.carousel.rules import SEED, HouseRules
from companion.games.carousel.score import score_round
from companion.games.carousel.table import HAND, judge_meld, judge_players, judge_transition, pack
from companion.games.carousel.turn import Turn, after_event, begin, event_fault
from companion.games.messages import msg
from companion.games.score import RoundError, RoundScore
from companion.games.verdict import OK, Verdict, refuse
from companion.pieces import Card

Cards = tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Draw:
    """Draw a card."""


@dataclass(frozen=True, slots=True)
class Meld:
    """Rearrange the table to ``after``, adding cards of the hand (RULES.md 2.4)."""

    after: tuple[Cards, ...]


@dataclass(frozen=True, slots=True)
class Knock:
    """Knock and end the round."""


@dataclass(frozen=True, slots=True)
class End:
    """End the turn."""


Action = Draw | Meld | Knock | End


@dataclass(frozen=True, slots=True)
class State:
    """A round of Carousel. ``hands``: sorted, by seat. ``stock``: next card first. ``table``: melds, jokers declared.

    ``extra_turns``: how many extra turns are left once the stock ran out, None before (RULES.md 2.5).
    """

    rules: HouseRules
    players: tuple[str, ...]
    hands: tuple[Cards, ...]
    stock: Cards
    seat: int
    turn: Turn
    table: tuple[Cards, ...] = ()
    extra_turns: int | None = None
    over: bool = False
    knocker: str | None = None

    @property
    def player(self) -> str:
        """Whose turn it is."""
        return self.players[self.seat]

    def score(self) -> RoundScore:
        """The points of the ended round (RULES.md 2.5); :class:`RoundError` before."""
        if not self.over:
            raise RoundError("the round isn't over")
        return score_round(dict(zip(self.players, self.hands, strict=True)), self.knocker)


def deal(shuffled: Sequence[Card], players: Sequence[str], dealer: str, rules: HouseRules = SEED) -> State:
    """Deals ten cards each, one by one from the dealer's left, who also starts (RULES.md 2.1).

    :class:`RoundError` unless the cards are exactly the packs for so many players.
    """
    verdict = judge_players(len(players))
    if not verdict.ok:
        raise RoundError(verdict.sentence())
    if Counter(shuffled) != Counter(pack(len(players))) or dealer not in players:
        raise RoundError("a deal needs exactly the packs for these players, and a dealer among them")
    n = len(players)
    left = (list(players).index(dealer) + 1) % n
    hands = tuple(tuple(sorted(shuffled[(seat - left) % n : n * HAND : n])) for seat in range(n))
    stock = tuple(shuffled[n * HAND :])
    return State(rules, tuple(players), hands, stock, left, begin(len(stock)))


def play(state: State, action: Action) -> tuple[State, Verdict]:
    """The state after an action and OK, or the same state and why not."""
    if state.over:
        return state, refuse(msg("ROUND_OVER"))
    if isinstance(action, Meld):
        return _meld(state, action.after)
    event = {Draw: "draw", Knock: "knock", End: "end"}[type(action)]
    fault = event_fault(state.turn, event, hand_points(state.hands[state.seat]), state.rules)
    if fault is not None:
        return state, refuse(fault)
    if isinstance(action, Draw):
        hand = tuple(sorted((*state.hands[state.seat], state.stock[0])))
        turn = after_event(state.turn, event)
        return replace(state, hands=_set(state.hands, state.seat, hand), stock=state.stock[1:], turn=turn), OK
    if isinstance(action, Knock):
        return replace(state, over=True, knocker=state.player), OK
    return _next(state), OK


def replay(state: State, actions: Iterable[Action]) -> State:
    """The state after all actions in order; refused ones change nothing."""
    for action in actions:
        state, _ = play(state, action)
    return state


def _meld(state: State, after: tuple[Cards, ...]) -> tuple[State, Verdict]:
    fault = event_fault(state.turn, "meld", rules=state.rules)
    if fault is not None:
        return state, refuse(fault)
    hand = state.hands[state.seat]
    verdict = judge_transition(state.table, hand, after, state.rules)
    if not verdict.ok:
        return state, verdict
    old = Counter(card.bare() for meld in state.table for card in meld)
    added = Counter(card.bare() for meld in after for card in meld) - old
    left = tuple(sorted((Counter(hand) - added).elements()))
    table = tuple(judge_meld(meld, state.rules).cards for meld in after)
    melded = replace(
        state, table=table, hands=_set(state.hands, state.seat, left), turn=after_event(state.turn, "meld")
    )
    return (melded if left else replace(melded, over=True)), OK


def _next(state: State) -> State:
    """The next player's turn; after the last card of the stock one extra turn each, the exhauster's last (C-D2)."""
    extra = state.extra_turns
    if extra is not None:
        extra -= 1
    elif not state.stock:
        extra = len(state.players)
    if extra == 0:
        return replace(state, over=True, extra_turns=0)
    seat = (state.seat + 1) % len(state.players)
    return replace(state, seat=seat, extra_turns=extra, turn=begin(len(state.stock), extra=extra is not None))


def _set(hands: tuple[Cards, ...], seat: int, hand: Cards) -> tuple[Cards, ...]:
    return (*hands[:seat], hand, *hands[seat + 1 :])
