"""Deal, melds, lay-offs and going out in Rummy (RULES.md 3 no. 1-5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from companion.games.cardmelds import CardMeldVerdict, CardRules, judge_cards
from companion.games.messages import Message, msg
from companion.games.rummy.rules import SEED, HouseRules
from companion.games.verdict import Verdict
from companion.pieces import Card, spell

PACK: Final = 52
_HANDS: Final = {2: 10, 3: 7, 4: 7, 5: 6, 6: 6}
_RULES: Final = {
    "low": CardRules(ace_high=False, longest=13, jokers=False),
    "high_or_low": CardRules(ace_high=True, longest=13, jokers=False),
}


@dataclass(frozen=True, slots=True)
class DealVerdict(Verdict):
    """Whether Rummy can be dealt to so many, the cards each gets and the stock left beside the upcard."""

    hand: int = 0
    stock: int = 0


def judge_deal(players: int) -> DealVerdict:
    """Cards each and the stock left (RULES.md 3 no. 1)."""
    if players not in _HANDS:
        return DealVerdict((msg("PLAYERS_2_6", players=players),))
    hand = _HANDS[players]
    return DealVerdict((), 0, (), hand, PACK - players * hand - 1)


def judge_meld(cards: Iterable[Card], rules: HouseRules = SEED) -> CardMeldVerdict:
    """Judges one meld (RULES.md 0.4, 3 no. 2)."""
    return judge_cards(cards, _RULES[rules.ace])


def judge_layoff(meld: Iterable[Card], cards: Iterable[Card], rules: HouseRules = SEED) -> CardMeldVerdict:
    """Judges adding cards to a meld on the table, anyone's (RULES.md 3 no. 3): the meld check of the result."""
    return judge_meld((*meld, *cards), rules)


@dataclass(frozen=True, slots=True)
class TurnVerdict(Verdict):
    """The judgement of a turn. ``out``: it ended the hand. ``rummy``: all at once. ``left``: cards still in hand."""

    out: bool = False
    rummy: bool = False
    left: tuple[Card, ...] = ()

    def praise(self) -> Message:
        """That it went out, if it did."""
        return Message("rummy" if self.rummy else "out" if self.out else "legal")


def judge_turn(
    hand: Iterable[Card],
    melds: Iterable[Sequence[Card]],
    layoffs: Iterable[Card],
    discard: Card | None,
    *,
    laid_before: bool = False,
    took_discard: Card | None = None,
    rules: HouseRules = SEED,
) -> TurnVerdict:
    """Judges a turn after its draw (RULES.md 0.4, 3 no. 3-5).

    ``hand``: with the card drawn. ``layoffs``: cards added to melds on the table (each judged by
    :func:`judge_layoff`). ``laid_before``: whether the player laid or added anything in an earlier turn.
    ``took_discard``: the card, if it came from the discards.
    """
    held = Counter(hand)
    laid = [judge_meld(meld, rules) for meld in melds]
    added = list(layoffs)
    faults: list[Message] = [msg("INVALID_MELD", pieces=spell(meld.cards)) for meld in laid if not meld.ok]
    used = Counter(card for meld in laid for card in meld.cards)
    used.update(added)
    if discard is not None:
        used[discard] += 1
    missing = used - held
    if missing:
        faults.append(msg("CARD_NOT_IN_HAND", pieces=spell(sorted(missing.elements()))))
    left = tuple(sorted((held - used).elements()))
    if discard is None and (left or rules.final_discard == "required"):
        faults.append(msg("MUST_DISCARD"))
    if discard is not None and discard is took_discard and not rules.discard_same_card:
        faults.append(msg("DISCARD_SAME_CARD"))
    faults += [fault for meld in laid for fault in meld.faults]
    out = not faults and not left
    rummy = out and not laid_before and (rules.rummy_layoffs or not added)
    return TurnVerdict(tuple(faults), 0, (), out, rummy, left)
