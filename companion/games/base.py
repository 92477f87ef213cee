"""What the page, the match and the camera may ask of any game."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Generic, Literal, TypeVar

from companion.games.gameend import GameEnd
from companion.games.house import HouseRulesBase
from companion.games.score import RoundError, RoundScore
from companion.games.verdict import MeldJudgement, Verdict
from companion.pieces import Card, Tile

P = TypeVar("P", Tile, Card)
Record = Mapping[str, Any]
"""A round as JSON: names, notation and lists, as in the ``*.score`` cases of RULES.md 6."""


class Game(ABC, Generic[P]):
    """One game. Stateless; ``rules`` None means the defaults of its ``house``.

    ``name``: as in the registry. ``title``: as people say it. ``pieces``: what it is played with. ``players``: fewest
    and most. ``house``: its ``HouseRules``.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    pieces: ClassVar[Literal["tile", "card"]]
    players: ClassVar[tuple[int, int]]
    house: ClassVar[type[HouseRulesBase]]

    @abstractmethod
    def parse(self, text: str) -> tuple[P, ...]:
        """Pieces from notation; :class:`~companion.pieces.NotationError` points at the wrong one."""

    @abstractmethod
    def judge_meld(self, pieces: Sequence[P], rules: HouseRulesBase | None = None) -> MeldJudgement:
        """Judges one meld as it lies."""

    @abstractmethod
    def readings(self, pieces: Iterable[P], rules: HouseRulesBase | None = None) -> tuple[MeldJudgement, ...]:
        """Every legal reading of pieces in any order with their jokers, best first."""

    @abstractmethod
    def judge_opening(
        self,
        melds: Iterable[Sequence[P]],
        rules: HouseRulesBase | None = None,
        *,
        rack: int | None = None,
        round_over: bool = True,
    ) -> Verdict:
        """Judges everything laid in the turn of a first laying; cards only need legal melds."""

    @abstractmethod
    def score_round(self, record: Record, rules: HouseRulesBase | None = None) -> RoundScore:
        """Scores a round; :class:`RoundError` or ``NotationError`` if the record can't be one."""

    @abstractmethod
    def judge_game(
        self, totals: Mapping[str, int], rounds_won: Mapping[str, int], rules: HouseRulesBase | None = None
    ) -> GameEnd:
        """Whether the totals end the game, and the final points."""

    @abstractmethod
    def hand_value(self, piece: P) -> int:
        """Points of a piece that is left in the hand or on the rack."""

    def rules(self, values: Mapping[str, object] | None = None) -> HouseRulesBase:
        """House rules from switch names and values; :class:`~companion.games.house.HouseRuleError` if wrong."""
        return self.house.from_mapping(values or {})


R = TypeVar("R", bound=HouseRulesBase)


def own_rules(kind: type[R], rules: HouseRulesBase | None) -> R:
    """``rules`` as this game's, the defaults for None; TypeError for another game's."""
    if rules is None:
        return kind()
    if not isinstance(rules, kind):
        raise TypeError(f"these are the house rules of {rules.game}, not of {kind.game}")
    return rules


def record_text(record: Record, key: str) -> str | None:
    """A text or None of a record; :class:`RoundError` for anything else."""
    value = record.get(key)
    if value is None or isinstance(value, str):
        return value
    raise RoundError(f"{key} of a round is text, not {value!r}")


def record_names(record: Record, key: str) -> tuple[str, ...] | None:
    """A list of texts of a record, None if absent; :class:`RoundError` for anything else."""
    value = record.get(key)
    if value is None:
        return None
    if isinstance(value, (list, tuple)) and all(isinstance(name, str) for name in value):
        return tuple(value)
    raise RoundError(f"{key} of a round is a list of texts, not {value!r}")


def record_hands(record: Record, key: str) -> dict[str, str]:
    """Players and their pieces as text; :class:`RoundError` for anything else."""
    value = record.get(key)
    if isinstance(value, Mapping) and all(isinstance(k, str) and isinstance(v, str) for k, v in value.items()):
        return dict(value)
    raise RoundError(f"{key} of a round gives each player's pieces as text, not {value!r}")
