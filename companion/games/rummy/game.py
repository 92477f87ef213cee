"""Rummy behind the interface that all games share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, Literal

from companion.games.base import Game, Record, own_rules, record_hands, record_text
from companion.games.cardmelds import HAND_VALUE, CardMeldVerdict
from companion.games.gameend import GameEnd
from companion.games.house import HouseRulesBase
from companion.games.messages import msg
from companion.games.rummy import score as rummy_score
from companion.games.rummy import turn
from companion.games.rummy.rules import HouseRules
from companion.games.score import RoundError, RoundScore
from companion.games.verdict import Verdict, refuse
from companion.pieces import Card, parse_cards, spell


class Rummy(Game[Card]):
    """Basic Rummy (RULES.md 3)."""

    name: ClassVar[str] = "rummy"
    title: ClassVar[str] = "Rummy"
    pieces: ClassVar[Literal["tile", "card"]] = "card"
    players: ClassVar[tuple[int, int]] = (2, 6)
    house: ClassVar[type[HouseRulesBase]] = HouseRules

    def parse(self, text: str) -> tuple[Card, ...]:
        return parse_cards(text)

    def judge_meld(self, pieces: Sequence[Card], rules: HouseRulesBase | None = None) -> CardMeldVerdict:
        return turn.judge_meld(pieces, own_rules(HouseRules, rules))

    def readings(self, pieces: Iterable[Card], rules: HouseRulesBase | None = None) -> tuple[CardMeldVerdict, ...]:
        """The meld itself if it is legal: there are no jokers."""
        verdict = turn.judge_meld(pieces, own_rules(HouseRules, rules))
        return (verdict,) if verdict.ok else ()

    def judge_opening(
        self,
        melds: Iterable[Sequence[Card]],
        rules: HouseRulesBase | None = None,
        *,
        rack: int | None = None,
        round_over: bool = True,
    ) -> Verdict:
        """Any legal melds will do (RULES.md 3 no. 3); ``rack``: one card must be left to discard."""
        house = own_rules(HouseRules, rules)
        judged = [turn.judge_meld(meld, house) for meld in melds]
        wrong = [verdict for verdict in judged if not verdict.ok]
        faults = [msg("INVALID_MELD", pieces=spell(verdict.cards)) for verdict in wrong]
        needed = 1 if house.final_discard == "required" else 0
        if rack is not None and sum(len(verdict.cards) for verdict in judged) > rack - needed:
            faults.append(msg("MUST_DISCARD"))
        return refuse(*faults, *(fault for verdict in wrong for fault in verdict.faults))

    def score_round(self, record: Record, rules: HouseRulesBase | None = None) -> RoundScore:
        """Keys: ``hands``; ``winner``, a player or None for a void hand; ``rummy``, whether it was one."""
        hands = {player: parse_cards(text) for player, text in record_hands(record, "hands").items()}
        rummy = record.get("rummy", False)
        if not isinstance(rummy, bool):
            raise RoundError(f"rummy of a round is true or false, not {rummy!r}")
        return rummy_score.score_round(hands, record_text(record, "winner"), rummy=rummy)

    def judge_game(
        self, totals: Mapping[str, int], rounds_won: Mapping[str, int], rules: HouseRulesBase | None = None
    ) -> GameEnd:
        return rummy_score.judge_game(totals, own_rules(HouseRules, rules))

    def hand_value(self, piece: Card) -> int:
        return HAND_VALUE[piece.value]
