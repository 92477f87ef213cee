"""Piles, the atu, who gets what, and doubles (RULES.md 1.1-1.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from companion.games.messages import Message, msg
from companion.games.remi.rules import SEED, HouseRules
from companion.games.verdict import OK, Verdict, refuse
from companion.pieces import FULL_SET, Tile

PILES: Final = 15
PILE: Final = 7


class DealError(ValueError):
    """Tiles or seats that no deal can have."""


@dataclass(frozen=True, slots=True)
class DealPlan:
    """Who gets which piles (RULES.md 1.2). Piles are numbered 1..15 from the left; seats 0.. counter-clockwise.

    ``piles``: by seat, in the order received. ``stock``: piles in the order drawn, the atu's last.
    ``stock_tiles``: their tiles, atu included.
    """

    atu_pile: int
    big_pile: int
    starter: int
    piles: tuple[tuple[int, ...], ...]
    stock: tuple[int, ...]
    stock_tiles: int


@dataclass(frozen=True, slots=True)
class Dealt:
    """The tiles after the deal. ``stock``: next to be drawn first; the atu is the first tile of the last pile."""

    plan: DealPlan
    racks: tuple[tuple[Tile, ...], ...]
    stock: tuple[Tile, ...]
    atu: Tile


def judge_players(players: int) -> Verdict:
    """Whether Remi can be played by so many (RULES.md 1.1.2)."""
    return OK if 2 <= players <= 4 else refuse(msg("PLAYERS_2_4", players=players))


def plan_deal(spare: Tile, players: int, dealer: int) -> DealPlan:
    """Which piles go where, from the spare tile alone (RULES.md 1.2); :class:`DealError` for impossible seats.

    A spare joker counts as 1 (R-S1).
    """
    verdict = judge_players(players)
    if not verdict.ok:
        raise DealError(verdict.sentence())
    if not 0 <= dealer < players:
        raise DealError(f"the dealer's seat is 0 to {players - 1}, not {dealer}")
    atu_pile = spare.value or 1
    starter = (dealer + 1) % players
    order = [(atu_pile + i) % PILES + 1 for i in range(PILES)]
    piles: list[list[int]] = [[] for _ in range(players)]
    for i, pile in enumerate(order[: 2 * players]):
        piles[(starter + i) % players].append(pile)
    stock = tuple(order[2 * players :])
    return DealPlan(atu_pile, order[0], starter, tuple(map(tuple, piles)), stock, PILE * len(stock))


def deal(shuffled: Sequence[Tile], players: int, dealer: int) -> Dealt:
    """Deals 106 shuffled tiles: pile i is ``shuffled[7 * (i - 1) : 7 * i]``, its top tile first; the last is the spare.

    :class:`DealError` unless they are exactly the 106 tiles of a set.
    """
    if Counter(shuffled) != Counter(FULL_SET):
        raise DealError("a deal needs exactly the 106 tiles of a set")
    spare = shuffled[-1]
    plan = plan_deal(spare, players, dealer)
    pile = {i + 1: list(shuffled[PILE * i : PILE * (i + 1)]) for i in range(PILES)}
    pile[plan.big_pile].insert(0, pile[plan.atu_pile].pop(0))
    pile[plan.atu_pile].insert(0, spare)
    racks = tuple(tuple(sorted(t for number in numbers for t in pile[number])) for numbers in plan.piles)
    return Dealt(plan, racks, tuple(t for number in plan.stock for t in pile[number]), spare)


def category(tile: Tile) -> str:
    """``one``, ``small`` (2-9), ``big`` (10-13) or ``joker`` (RULES.md 1.13, ``dubla_same_category``)."""
    if not tile.value:
        return "joker"
    return "one" if tile.value == 1 else "small" if tile.value < 10 else "big"


def doubles(hand: Iterable[Tile], rules: HouseRules = SEED) -> tuple[Tile, ...]:
    """The faces held twice (RULES.md 1.3.1)."""
    held = Counter(tile.bare() for tile in hand)
    return tuple(t for t, n in sorted(held.items()) if n >= 2 and (t.value or rules.jokers_are_dubla))


def judge_exchange(
    a: Iterable[Tile], b: Iterable[Tile], give_a: Tile, give_b: Tile, rules: HouseRules = SEED
) -> Verdict:
    """Whether A and B may exchange one tile of a pair each (RULES.md 1.3.1)."""
    faults: list[Message] = []
    for hand, tile in ((a, give_a), (b, give_b)):
        if tile.bare() not in doubles(hand, rules):
            faults.append(msg("NO_DUBLA", piece=tile.code))
    if rules.dubla_same_category and category(give_a) != category(give_b):
        faults.append(msg("CATEGORY_MISMATCH"))
    return refuse(*faults)


def exchange(a: Iterable[Tile], b: Iterable[Tile], give_a: Tile, give_b: Tile) -> tuple[tuple[Tile, ...], ...]:
    """Both hands after the exchange, sorted; judge it first."""
    hand_a, hand_b = list(a), list(b)
    hand_a.remove(give_a)
    hand_b.remove(give_b)
    return tuple(sorted((*hand_a, give_b))), tuple(sorted((*hand_b, give_a)))


def judge_redeal(hand: Iterable[Tile], rules: HouseRules = SEED) -> Verdict:
    """Whether a player dealt this hand may demand a new deal: 3 doubles or more (RULES.md 1.3.2)."""
    count = len(doubles(hand, rules))
    return OK if count >= 3 else refuse(msg("TOO_FEW_DUBLE", count=count))
