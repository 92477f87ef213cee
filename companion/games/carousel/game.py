"""Carousel behind the interface that all games share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations_with_replacement
from typing import ClassVar, Literal

from companion.games.base import Game, Record, own_rules, record_hands, record_text
from companion.games.cardmelds import HAND_VALUE, CardMeldVerdict
from companion.games.carousel import score as carousel_score
from companion.games.carousel import table
from companion.games.carousel.rules import HouseRules
from companion.games.gameend import GameEnd
from companion.games.house import HouseRulesBase
from companion.games.messages import msg
from companion.games.score import RoundScore
from companion.games.verdict import Verdict, refuse
from companion.pieces import CARD_JOKER, DECLARED_CARDS, Card, parse_cards, spell


class Carousel(Game[Card]):
    """Carousel, Manipulation Rummy (RULES.md 2)."""

    name: ClassVar[str] = "carousel"
    title: ClassVar[str] = "Carousel"
    pieces: ClassVar[Literal["tile", "card"]] = "card"
    players: ClassVar[tuple[int, int]] = (2, 5)
    house: ClassVar[type[HouseRulesBase]] = HouseRules

    def parse(self, text: str) -> tuple[Card, ...]:
        return parse_cards(text)

    def judge_meld(self, pieces: Sequence[Card], rules: HouseRulesBase | None = None) -> CardMeldVerdict:
        return table.judge_meld(pieces, own_rules(HouseRules, rules))

    def readings(self, pieces: Iterable[Card], rules: HouseRulesBase | None = None) -> tuple[CardMeldVerdict, ...]:
        """Every declaration of the open jokers that makes a legal meld, sequences first, by rising faces."""
        house = own_rules(HouseRules, rules)
        given = tuple(pieces)
        known = tuple(card for card in given if card is not CARD_JOKER)
        suits = {card.face().suit for card in known}
        ranks = {card.face().value for card in known}
        faces = [c for c in DECLARED_CARDS if c.face().suit in suits or c.face().value in ranks]
        legal = [
            verdict
            for chosen in combinations_with_replacement(faces, len(given) - len(known))
            if (verdict := table.judge_meld((*known, *chosen), house)).ok
        ]
        return tuple(sorted(legal, key=lambda verdict: verdict.kind, reverse=True))

    def judge_opening(
        self,
        melds: Iterable[Sequence[Card]],
        rules: HouseRulesBase | None = None,
        *,
        rack: int | None = None,
        round_over: bool = True,
    ) -> Verdict:
        """The first melder needs at least one legal meld (RULES.md 2.4); ``rack`` and ``round_over`` don't matter."""
        house = own_rules(HouseRules, rules)
        judged = [table.judge_meld(meld, house) for meld in melds]
        if not judged:
            return refuse(msg("NO_CARD_FROM_HAND"))
        wrong = [verdict for verdict in judged if not verdict.ok]
        return refuse(
            *(msg("INVALID_MELD", pieces=spell(verdict.cards)) for verdict in wrong),
            *(fault for verdict in wrong for fault in verdict.faults),
        )

    def score_round(self, record: Record, rules: HouseRulesBase | None = None) -> RoundScore:
        """Keys: ``hands``; ``knocker``, a player or None."""
        hands = {player: parse_cards(text) for player, text in record_hands(record, "hands").items()}
        return carousel_score.score_round(hands, record_text(record, "knocker"))

    def judge_game(
        self, totals: Mapping[str, int], rounds_won: Mapping[str, int], rules: HouseRulesBase | None = None
    ) -> GameEnd:
        return carousel_score.judge_game(totals, rounds_won, own_rules(HouseRules, rules))

    def hand_value(self, piece: Card) -> int:
        return HAND_VALUE[piece.value]
