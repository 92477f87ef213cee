"""Melds and moves on the Carousel table (RULES.md 2.1, 2.3, 2.4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from companion.games.cardmelds import CardMeldVerdict, CardRules, judge_cards
from companion.games.carousel.rules import SEED, HouseRules
from companion.games.messages import Message, msg
from companion.games.verdict import OK, Verdict, refuse
from companion.pieces import CARD_JOKER, CARDS, Card, spell

HAND: Final = 10
_RULES: Final = {True: CardRules(longest=14), False: CardRules(longest=13)}

Meld = Sequence[Card]


def judge_players(players: int) -> Verdict:
    """Whether Carousel can be played by so many (RULES.md 2.1.1)."""
    return OK if 2 <= players <= 5 else refuse(msg("PLAYERS_2_5", players=players))


def pack(players: int) -> tuple[Card, ...]:
    """The cards for so many players: one pack with one joker for two, twice that for three to five."""
    return (*CARDS, CARD_JOKER) * (1 if players == 2 else 2)


def judge_meld(cards: Iterable[Card], rules: HouseRules = SEED) -> CardMeldVerdict:
    """Judges one meld with its jokers declared (RULES.md 0.4, 2.3)."""
    return judge_cards(cards, _RULES[rules.run14])


def judge_transition(
    before: Iterable[Meld], hand: Iterable[Card], after: Iterable[Meld], rules: HouseRules = SEED
) -> Verdict:
    """Judges a move from one table to another with a hand (RULES.md 0.4, 2.4). ``hand`` is the hand before it."""
    old = [tuple(meld) for meld in before]
    new = [tuple(meld) for meld in after]
    was = Counter(card.bare() for meld in old for card in meld)
    now = Counter(card.bare() for meld in new for card in meld)
    faults: list[Message] = []
    taken = was - now
    if taken:
        faults.append(msg("TABLE_CARD_TAKEN", pieces=_named(taken)))
    added = now - was
    if not added:
        faults.append(msg("NO_CARD_FROM_HAND"))
    foreign = added - Counter(card.bare() for card in hand)
    if foreign:
        faults.append(msg("CARD_NOT_IN_HAND", pieces=_named(foreign)))
    if any(card is CARD_JOKER for meld in new for card in meld):
        faults.append(msg("JOKER_UNDECLARED"))
    wrong = [verdict for meld in new if not (verdict := judge_meld(meld, rules)).ok]
    faults += [msg("INVALID_MELD", pieces=spell(verdict.cards)) for verdict in wrong]
    lost = _identities(old) - _identities(new)
    unplaced = lost - now
    if unplaced:
        faults.append(msg("JOKER_IDENTITY_CHANGED", pieces=_named(unplaced)))
    told = {fault.code for fault in faults}
    faults += [fault for verdict in wrong for fault in verdict.faults if fault.code not in told]
    return refuse(*faults)


def _identities(melds: Iterable[Meld]) -> Counter[Card]:
    return Counter(card.stands for meld in melds for card in meld if card.stands is not None)


def _named(cards: Counter[Card]) -> str:
    return spell(sorted(cards.elements()))
