"""Remi behind the interface that all games share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, Literal

from companion.games.base import Game, Record, own_rules, record_hands, record_names, record_text
from companion.games.gameend import GameEnd, finished
from companion.games.house import HouseRulesBase
from companion.games.messages import msg
from companion.games.remi import melds as remi_melds
from companion.games.remi import opening as remi_opening
from companion.games.remi import score as remi_score
from companion.games.remi.rules import HouseRules
from companion.games.score import RoundError, RoundScore
from companion.games.verdict import Line, Verdict
from companion.pieces import JOKER, Tile, parse_laid, parse_tile, parse_tiles


class Remi(Game[Tile]):
    """Remi pe etalate (RULES.md 1)."""

    name: ClassVar[str] = "remi"
    title: ClassVar[str] = "Remi"
    pieces: ClassVar[Literal["tile", "card"]] = "tile"
    players: ClassVar[tuple[int, int]] = (2, 4)
    house: ClassVar[type[HouseRulesBase]] = HouseRules

    def parse(self, text: str) -> tuple[Tile, ...]:
        return parse_tiles(text)

    def judge_meld(self, pieces: Sequence[Tile], rules: HouseRulesBase | None = None) -> remi_melds.MeldVerdict:
        return remi_melds.judge_meld(pieces, own_rules(HouseRules, rules))

    def readings(
        self, pieces: Iterable[Tile], rules: HouseRulesBase | None = None
    ) -> tuple[remi_melds.MeldVerdict, ...]:
        return remi_melds.readings(pieces, own_rules(HouseRules, rules))

    def judge_opening(
        self,
        melds: Iterable[Sequence[Tile]],
        rules: HouseRulesBase | None = None,
        *,
        rack: int | None = None,
        round_over: bool = True,
    ) -> remi_opening.OpeningVerdict:
        return remi_opening.judge_opening(melds, own_rules(HouseRules, rules), rack=rack, round_over=round_over)

    def score_round(self, record: Record, rules: HouseRulesBase | None = None) -> RoundScore:
        """Keys: ``table`` [{``owner``, ``tiles``}], ``racks``, ``closer``; and where they apply ``closing_tile``,
        ``atu``, ``announced_atu`` (a player), ``not_opened`` and ``missed`` (players), ``spent`` (tiles that lie face
        down as jokers after an exchange)."""
        house = own_rules(HouseRules, rules)
        closing = record_text(record, "closing_tile")
        atu = record_text(record, "atu")
        return remi_score.score_round(
            _mark_spent(_table(record), record_names(record, "spent") or (), house),
            {player: parse_tiles(text) for player, text in record_hands(record, "racks").items()},
            record_text(record, "closer"),
            closing_tile=parse_tile(closing) if closing else None,
            atu=parse_tile(atu) if atu else None,
            announced_atu=record_text(record, "announced_atu"),
            not_opened=record_names(record, "not_opened"),
            missed=record_names(record, "missed") or (),
            rules=house,
        )

    def judge_game(
        self, totals: Mapping[str, int], rounds_won: Mapping[str, int], rules: HouseRulesBase | None = None
    ) -> GameEnd:
        """Never over: the seeds know no end of a match (RULES.md 1.15 R-E7)."""
        lines = {player: (Line(msg("points_so_far"), total),) for player, total in totals.items()}
        return finished(False, tuple((player, Verdict((), total, lines[player])) for player, total in totals.items()))

    def hand_value(self, piece: Tile) -> int:
        return remi_score.FINAL_VALUE[piece.value]


def _table(record: Record) -> list[remi_score.TableMeld]:
    table = record.get("table", [])
    if not isinstance(table, (list, tuple)):
        raise RoundError(f"table of a round is a list of melds, not {table!r}")
    melds = []
    for meld in table:
        owner = meld.get("owner") if isinstance(meld, Mapping) else None
        tiles = meld.get("tiles") if isinstance(meld, Mapping) else None
        if not isinstance(owner, str) or not isinstance(tiles, str):
            raise RoundError(f"a meld of a round has an owner and tiles as text, not {meld!r}")
        melds.append(remi_score.TableMeld(owner, parse_laid(tiles)))
    return melds


def _mark_spent(
    melds: list[remi_score.TableMeld], spent: Iterable[str], rules: HouseRules
) -> list[remi_score.TableMeld]:
    """Marks each spent tile where it makes a meld legal that isn't so without it, else where it first lies."""
    for code in spent:
        tile = parse_tile(code)
        if not tile.value:
            continue
        places = [
            (m, i) for m, meld in enumerate(melds) for i, laid in enumerate(meld.tiles) if laid[::2] == (tile, False)
        ]
        if not places:
            raise RoundError(f"{code} was spent in a joker exchange but lies in no meld")
        m, i = next((place for place in places if _wants_joker(melds[place[0]], place[1], rules)), places[0])
        laid = list(melds[m].tiles)
        laid[i] = laid[i]._replace(spent=True)
        melds[m] = remi_score.TableMeld(melds[m].owner, tuple(laid))
    return melds


def _wants_joker(meld: remi_score.TableMeld, at: int, rules: HouseRules) -> bool:
    tiles = [remi_score.acts_as(laid) for laid in meld.tiles]
    if remi_melds.judge_meld(tiles, rules).ok:
        return False
    tiles[at] = JOKER
    return remi_melds.judge_meld(tiles, rules).ok
