"""Groups and sequences of cards, for Carousel and Rummy (RULES.md 2.3, 3 no. 2).

Cards of a meld may come in any order: what they are decides, not how they lie.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from companion.games.messages import Message, msg
from companion.games.verdict import MeldJudgement
from companion.pieces import CARD_JOKER, Card, spell

RUN: Final = "run"
GROUP: Final = "group"
HAND_VALUE: Final[tuple[int, ...]] = (25, *range(1, 11), 10, 10, 10)
"""Points of a card in the hand by its rank value, 0 the joker (RULES.md 2.5, 3 no. 6)."""


@dataclass(frozen=True, slots=True)
class CardRules:
    """What decides about a card meld: may the ace stand above the king, how long is a sequence, are there jokers."""

    ace_high: bool = True
    longest: int = 14
    jokers: bool = True


@dataclass(frozen=True, slots=True)
class CardMeldVerdict(MeldJudgement):
    """The judgement of one meld. ``kind``: ``run``, ``group`` or ''. ``cards``: a legal sequence in rising order."""

    cards: tuple[Card, ...] = ()

    @property
    def pieces(self) -> tuple[Card, ...]:
        """The cards."""
        return self.cards

    def praise(self) -> Message:
        """What the legal meld is."""
        return Message("legal_sequence" if self.kind == RUN else "legal_group")


def hand_points(cards: Iterable[Card]) -> int:
    """Points of cards in a hand: joker 25, J Q K 10, ace 1, others their face value."""
    return sum(HAND_VALUE[card.value] for card in cards)


def judge_cards(cards: Iterable[Card], rules: CardRules) -> CardMeldVerdict:
    """Judges one meld; faults in the order of RULES.md 0.4 (Carousel meld, Rummy meld)."""
    laid = tuple(cards)
    n = len(laid)
    suits = ranks = ones = 0
    suit = value = -1
    one_suit = one_rank = True
    for card in laid:
        face = card.stands or card
        if not face.value:
            return _diagnose(laid, rules)
        if value < 0:
            suit, value = face.suit, face.value
        if face.suit != suit:
            one_suit = False
        if face.value != value:
            one_rank = False
        suits |= 1 << face.suit
        ranks |= 1 << face.value
        ones += face.value == 1
    if n < 3 or (not rules.jokers and any(not card.value for card in laid)):
        return _diagnose(laid, rules)
    if one_rank:
        if n <= 4 and suits.bit_count() == n:
            return CardMeldVerdict((), 0, (), GROUP, laid)
    elif one_suit and n <= rules.longest:
        if ranks.bit_count() == n and _row(ranks):
            return CardMeldVerdict((), 0, (), RUN, tuple(sorted(laid, key=_low)))
        high = ranks & ~2 | 1 << 14
        if rules.ace_high and ones == 1 and ranks.bit_count() == n and _row(high):
            return CardMeldVerdict((), 0, (), RUN, tuple(sorted(laid, key=_high)))
        if rules.ace_high and ones == 2 and n == 14 and ranks.bit_count() == 13:
            low, *rest = sorted(laid, key=_low)
            return CardMeldVerdict((), 0, (), RUN, (low, *sorted(rest, key=_high)))
    return _diagnose(laid, rules)


def _row(ranks: int) -> bool:
    """Whether the set bits follow one another."""
    lowest = ranks & -ranks
    return ranks & (ranks + lowest) == 0


def _low(card: Card) -> int:
    return card.face().value


def _high(card: Card) -> int:
    value = card.face().value
    return 14 if value == 1 else value


def _diagnose(cards: tuple[Card, ...], rules: CardRules) -> CardMeldVerdict:
    faults: list[Message] = []
    faces = [card.face() for card in cards]
    if not rules.jokers and any(not card.value for card in cards):
        faults.append(msg("NO_JOKERS"))
    elif CARD_JOKER in faces:
        faults.append(msg("JOKER_UNDECLARED"))
    if len(cards) < 3:
        faults.append(msg("TOO_FEW", count=len(cards)))
    known = [face for face in faces if face.value]
    kind = ""
    if len({face.value for face in known}) == 1:
        kind = GROUP
        if len(cards) > 4:
            faults.append(msg("GROUP_TOO_BIG", count=len(cards)))
        twice = [face for i, face in enumerate(known) if face in known[:i]]
        if twice:
            faults.append(msg("DUP_SUIT", pieces=spell(dict.fromkeys(twice))))
    elif len({face.suit for face in known}) == 1:
        kind = RUN
        faults += _run_faults(cards, known, rules)
    elif known:
        faults.append(msg("NOT_A_MELD", pieces=spell(cards)))
    return CardMeldVerdict(tuple(faults), 0, (), kind, cards)


def _run_faults(cards: tuple[Card, ...], known: list[Card], rules: CardRules) -> list[Message]:
    faults: list[Message] = []
    if len(cards) > rules.longest:
        faults.append(msg("RUN_TOO_LONG", most=rules.longest, count=len(cards)))
    values = sorted(face.value for face in known)
    if values == list(range(values[0], values[0] + len(values))):
        return faults
    ring = sorted(set(values))
    doubled = len(ring) < len(values)
    gaps = [(b - a) % 13 for a, b in zip(ring, [*ring[1:], ring[0]], strict=True)]
    cut = [i for i, gap in enumerate(gaps) if gap != 1]
    both_ends = doubled and len(ring) == 13 and len(values) == 14 and values[:2] == [1, 1]
    if (doubled and not both_ends) or len(cut) > 1:
        return [*faults, msg("NOT_CONSECUTIVE", pieces=spell(cards))]
    passes = not both_ends and bool(cut) and ring[cut[0]] != 1
    if not rules.ace_high:
        faults.append(msg("ACE_LOW_ONLY"))
    if passes:
        faults.append(msg("AROUND_CORNER", pieces=spell(cards)))
    return faults
