"""A whole hand of Rummy as plain values: the state, the actions, and what each makes of it (RULES.md 3).

``play(state, action)`` returns the new state and a verdict; a refused action returns the very state it was given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from companion.games.messages import Message, msg
from companion.games.rummy.rules import SEED, HouseRules
from companion.games.rummy.score import score_round
from companion.games.rummy.turn import judge_deal, judge_layoff, judge_meld
from companion.games.score import RoundError, RoundScore
from companion.games.verdict import OK, Verdict, refuse
from companion.pieces import CARDS, Card, spell

Cards = tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class Take:
    """Take the top card of the stock or of the discards."""

    source: Literal["stock", "discard"]


@dataclass(frozen=True, slots=True)
class Lay:
    """Lay a meld."""

    cards: Cards


@dataclass(frozen=True, slots=True)
class LayOff:
    """Add cards to the meld with that index."""

    meld: int
    cards: Cards


@dataclass(frozen=True, slots=True)
class Discard:
    """Put a card on the discards and end the turn."""

    card: Card


@dataclass(frozen=True, slots=True)
class End:
    """End the turn without a discard, the hand being empty (``final_discard=optional``)."""


Action = Take | Lay | LayOff | Discard | End


@dataclass(frozen=True, slots=True)
class State:
    """A hand of Rummy. ``stock``: next card first. ``discards``: top card last. ``hands``: sorted, by seat.

    ``took``: what this turn took, None before. ``from_discards``: whether it came from there. ``added``: whether this
    turn added to others' melds. ``laid``: by seat, whether anything was laid or added in an earlier turn. ``turned``:
    whether the discards were turned over already. ``over``: the hand has ended; ``winner`` None then: void (P-S1).
    """

    rules: HouseRules
    players: tuple[str, ...]
    hands: tuple[Cards, ...]
    stock: Cards
    discards: Cards
    seat: int
    melds: tuple[Cards, ...] = ()
    laid: tuple[bool, ...] = ()
    took: Card | None = None
    from_discards: bool = False
    laid_now: bool = False
    added_now: bool = False
    turned: bool = False
    over: bool = False
    winner: str | None = None
    rummy: bool = False

    @property
    def player(self) -> str:
        """Whose turn it is."""
        return self.players[self.seat]

    def score(self) -> RoundScore:
        """The points of the ended hand; :class:`RoundError` before."""
        if not self.over:
            raise RoundError("the hand isn't over")
        return score_round(dict(zip(self.players, self.hands, strict=True)), self.winner, rummy=self.rummy)


def start(
    players: Sequence[str],
    hands: Mapping[str, Iterable[Card]],
    *,
    stock: Iterable[Card],
    upcard: Card,
    first: str,
    rules: HouseRules = SEED,
) -> State:
    """A hand as dealt; ``stock`` with the next card first. :class:`RoundError` if the players don't fit."""
    seats = tuple(players)
    if set(seats) != set(hands) or len(set(seats)) != len(seats) or first not in seats:
        raise RoundError(f"every player has one hand: players {', '.join(seats)}, hands of {', '.join(hands)}")
    sorted_hands = tuple(tuple(sorted(hands[player])) for player in seats)
    return State(rules, seats, sorted_hands, tuple(stock), (upcard,), seats.index(first), (), (False,) * len(seats))


def deal(shuffled: Sequence[Card], players: Sequence[str], dealer: str, rules: HouseRules = SEED) -> State:
    """Deals 52 shuffled cards one by one from the dealer's left, who also starts (RULES.md 3 no. 1)."""
    verdict = judge_deal(len(players))
    if not verdict.ok:
        raise RoundError(verdict.sentence())
    if Counter(shuffled) != Counter(CARDS) or dealer not in players:
        raise RoundError("a deal needs exactly the 52 cards of a pack and a dealer among the players")
    n = len(players)
    left = (list(players).index(dealer) + 1) % n
    hands = {players[(left + i) % n]: shuffled[i : n * verdict.hand : n] for i in range(n)}
    upcard, *stock = shuffled[n * verdict.hand :]
    return start(players, hands, stock=stock, upcard=upcard, first=players[left], rules=rules)


def play(state: State, action: Action) -> tuple[State, Verdict]:
    """The state after an action and OK, or the same state and why not."""
    if state.over:
        return state, refuse(msg("ROUND_OVER"))
    if isinstance(action, Take):
        return _take(state, action.source)
    if state.took is None:
        return state, refuse(msg("MUST_DRAW_FIRST"))
    if isinstance(action, Lay):
        return _lay(state, action.cards)
    if isinstance(action, LayOff):
        return _lay_off(state, action)
    if isinstance(action, Discard):
        return _discard(state, action.card)
    if state.hands[state.seat] or state.rules.final_discard == "required":
        return state, refuse(msg("MUST_DISCARD"))
    return _finish(state), OK


def replay(state: State, actions: Iterable[Action]) -> State:
    """The state after all actions in order; refused ones change nothing."""
    for action in actions:
        state, _ = play(state, action)
    return state


def _take(state: State, source: str) -> tuple[State, Verdict]:
    if state.took is not None:
        return state, refuse(msg("ALREADY_DREW_CARD"))
    if source == "discard":
        if not state.discards:
            return state, refuse(msg("DISCARDS_EMPTY"))
        card = state.discards[-1]
        return _with_hand(replace(state, discards=state.discards[:-1], took=card, from_discards=True), (card,)), OK
    if not state.stock:
        if state.turned or len(state.discards) < 2:
            return replace(state, over=True), OK
        turned = replace(state, stock=state.discards[:-1], discards=state.discards[-1:], turned=True)
        return _take(turned, source)
    card = state.stock[0]
    return _with_hand(replace(state, stock=state.stock[1:], took=card, from_discards=False), (card,)), OK


def _lay(state: State, cards: Cards) -> tuple[State, Verdict]:
    verdict = judge_meld(cards, state.rules)
    faults = [] if verdict.ok else [msg("INVALID_MELD", pieces=spell(cards))]
    faults += [*_missing(state, cards), *_none_left(state, cards), *verdict.faults]
    if faults:
        return state, refuse(*faults)
    laid = replace(state, melds=(*state.melds, verdict.cards), laid_now=True)
    return _without(laid, cards), OK


def _lay_off(state: State, action: LayOff) -> tuple[State, Verdict]:
    if not 0 <= action.meld < len(state.melds):
        return state, refuse(msg("NO_SUCH_MELD"))
    if not action.cards:
        return state, refuse(msg("NOTHING_LAID"))
    verdict = judge_layoff(state.melds[action.meld], action.cards, state.rules)
    faults = [*verdict.faults, *_missing(state, action.cards), *_none_left(state, action.cards)]
    if faults:
        return state, refuse(*faults)
    melds = (*state.melds[: action.meld], verdict.cards, *state.melds[action.meld + 1 :])
    return _without(replace(state, melds=melds, laid_now=True, added_now=True), action.cards), OK


def _discard(state: State, card: Card) -> tuple[State, Verdict]:
    faults = _missing(state, (card,))
    if state.from_discards and card is state.took and not state.rules.discard_same_card:
        faults.append(msg("DISCARD_SAME_CARD"))
    if faults:
        return state, refuse(*faults)
    put = _without(replace(state, discards=(*state.discards, card)), (card,))
    return _finish(put), OK


def _finish(state: State) -> State:
    """Ends the turn: out if the hand is empty, else the next player's."""
    if not state.hands[state.seat]:
        rummy = not state.laid[state.seat] and (state.rules.rummy_layoffs or not state.added_now)
        return replace(state, over=True, winner=state.player, rummy=rummy)
    laid = tuple(was or (seat == state.seat and state.laid_now) for seat, was in enumerate(state.laid))
    return replace(
        state,
        seat=(state.seat + 1) % len(state.players),
        laid=laid,
        took=None,
        from_discards=False,
        laid_now=False,
        added_now=False,
    )


def _missing(state: State, cards: Iterable[Card]) -> list[Message]:
    missing = Counter(cards) - Counter(state.hands[state.seat])
    return [msg("CARD_NOT_IN_HAND", pieces=spell(sorted(missing.elements())))] if missing else []


def _none_left(state: State, cards: Sequence[Card]) -> list[Message]:
    """Whether laying these would leave nothing that may be discarded."""
    hand = state.hands[state.seat]
    needed = state.rules.final_discard == "required"
    if len(cards) > len(hand) - needed:
        return [msg("MUST_DISCARD")]
    left = Counter(hand) - Counter(cards)
    stuck = state.from_discards and not state.rules.discard_same_card and list(left) == [state.took]
    return [msg("DISCARD_SAME_CARD")] if stuck else []


def _with_hand(state: State, cards: Iterable[Card]) -> State:
    return _set_hand(state, tuple(sorted((*state.hands[state.seat], *cards))))


def _without(state: State, cards: Iterable[Card]) -> State:
    left = list(state.hands[state.seat])
    for card in cards:
        left.remove(card)
    return _set_hand(state, tuple(left))


def _set_hand(state: State, hand: Cards) -> State:
    return replace(state, hands=(*state.hands[: state.seat], hand, *state.hands[state.seat + 1 :]))
