"""The final score of a Remi round (RULES.md 1.9.1, 1.11, 1.12)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from companion.games.messages import Message, msg
from companion.games.remi.melds import RUN, SET_VALUE, MeldVerdict, judge_meld, position_value
from companion.games.remi.rules import SEED, HouseRules
from companion.games.score import RoundError, RoundScore, scored
from companion.games.verdict import Line, Verdict
from companion.pieces import JOKER, JOKER_INDEX, TILES, Laid, Tile, spell

FINAL_VALUE: Final[tuple[int, ...]] = (50, 25, *(5,) * 8, *(10,) * 4)
"""Final points of a tile by its value, 0 the joker (RULES.md 1.11)."""
MISSED_PENALTY: Final = -500
NEVER_OPENED: Final = -100
CLOSING: Final = 50
ATU: Final = 50


class TableMeld(NamedTuple):
    """A meld on the table. ``owner`` laid it; single tiles may be another's (:class:`~companion.pieces.Laid`)."""

    owner: str
    tiles: tuple[Laid, ...]


def score_round(
    table: Iterable[TableMeld],
    racks: Mapping[str, Sequence[Tile]],
    closer: str | None = None,
    *,
    closing_tile: Tile | None = None,
    atu: Tile | None = None,
    announced_atu: str | None = None,
    not_opened: Iterable[str] | None = None,
    missed: Iterable[str] = (),
    rules: HouseRules = SEED,
) -> RoundScore:
    """Each player's points (RULES.md 1.11): tiles laid and attached, minus the rack, plus bonuses, with every switch.

    ``racks``: by player, all players in seating order. ``closer`` None: the stock ran out. ``announced_atu``: who
    announced the atu's twin. ``not_opened``: None means everybody who owns no meld. ``missed``: who had 3 tiles or
    fewer and didn't announce. Illegal melds and tiles there are too many of are faults of the result, whose points
    still stand. :class:`RoundError` for a name that isn't among the players.
    """
    melds = tuple(table)
    players = tuple(racks)
    unopened = (
        {player for player in players if all(meld.owner != player for meld in melds)}
        if not_opened is None
        else set(not_opened)
    )
    late = set(missed)
    named = {meld.owner for meld in melds} | {laid.by for meld in melds for laid in meld.tiles}
    for who in (*named, *unopened, *late, closer, announced_atu):
        if who is not None and who not in racks:
            raise RoundError(f"{who!r} is not one of the players {', '.join(players)}")
    laid_lines: dict[str, list[Line]] = {player: [] for player in players}
    with_atu: set[str] = set()
    faults: list[Message] = []
    for meld in melds:
        verdict = _judge_laid(meld.tiles, rules)
        if not verdict.ok:
            faults.append(msg("INVALID_MELD", pieces=spell(meld.tiles)))
            faults += verdict.faults
        _credit(meld, verdict, rules, laid_lines)
        if atu is not None:
            with_atu.update([laid.by or meld.owner for laid in meld.tiles if laid.tile.bare() is atu.bare()])
    faults += _copies(melds, racks, closing_tile)
    doubled = rules.atu_one_or_joker_doubles and atu is not None and atu.value <= 1
    results = []
    for player in players:
        if player in late:
            lines = [Line(msg("missed_announcement"), MISSED_PENALTY)]
        else:
            lines = laid_lines[player]
            if player in unopened and rules.not_opened == "flat100" and player != closer:
                lines.append(Line(msg("never_opened"), NEVER_OPENED))
            elif racks[player]:
                lost = sum(FINAL_VALUE[tile.value] for tile in racks[player])
                lines.append(Line(msg("on_rack", pieces=spell(racks[player])), -lost))
            if player == closer:
                lines.append(Line(msg("closing"), CLOSING))
            gets_atu = (
                player == closer and player in with_atu if rules.atu_bonus == "closer_used" else player == announced_atu
            )
            if gets_atu and atu is not None:
                lines.append(Line(msg("atu", piece=atu.code), ATU))
            if player == closer and rules.close_joker_double and closing_tile is not None and not closing_tile.value:
                lines.append(Line(msg("doubled_closing_joker"), sum(line.points for line in lines)))
            if doubled:
                lines.append(Line(msg("doubled_atu"), sum(line.points for line in lines)))
        results.append((player, Verdict((), sum(line.points for line in lines), tuple(lines))))
    return scored(tuple(faults), tuple(results), () if closer is None else (closer,))


def _judge_laid(tiles: Sequence[Laid], rules: HouseRules) -> MeldVerdict:
    """Judges a meld on the table; spent pieces have changed their parts in meld checks (RULES.md 1.8.4)."""
    return judge_meld([acts_as(laid) if laid.spent else laid.tile for laid in tiles], rules)


def acts_as(laid: Laid) -> Tile:
    """What a tile counts as in meld checks: a spent tile is a joker, a spent joker the tile it stands for."""
    if not laid.spent:
        return laid.tile
    return JOKER if laid.tile.value else laid.tile.face()


def _credit(meld: TableMeld, verdict: MeldVerdict, rules: HouseRules, lines: dict[str, list[Line]]) -> None:
    """Adds one line for the owner's own tiles of the meld and one for each other player's."""
    flat = rules.final_one == "flat25" and rules.final_joker == "flat50"
    if flat and all(laid.by is None for laid in meld.tiles):
        points = sum([FINAL_VALUE[laid.tile.value] for laid in meld.tiles])
        lines[meld.owner].append(Line(msg("meld_is", pieces=" ".join([laid.tile.code for laid in meld.tiles])), points))
        return
    by: dict[str, list[tuple[Tile, int]]] = {}
    for i, laid in enumerate(meld.tiles):
        by.setdefault(laid.by or meld.owner, []).append((laid.tile, _final_value(laid, i, verdict, rules)))
    for player, tiles in by.items():
        what = msg("meld_is" if player == meld.owner else "attached", pieces=spell(tile for tile, _ in tiles))
        lines[player].append(Line(what, sum(points for _, points in tiles)))


def _final_value(laid: Laid, i: int, verdict: MeldVerdict, rules: HouseRules) -> int:
    """Final points of tile i of a meld under ``final_one`` and ``final_joker``."""
    tile = laid.tile
    in_run = verdict.ok and verdict.kind == RUN
    if not tile.value:
        if rules.final_joker == "flat50" or not verdict.ok:
            return FINAL_VALUE[0]
        if not in_run:
            return SET_VALUE[next(t.value for t in verdict.tiles if t.value)]
        value = (verdict.start + i - 1) % 13 + 1
    else:
        value = tile.value
    if value == 1 and rules.final_one == "by_position" and in_run and not (laid.spent and tile.value):
        return position_value(verdict.start + i)
    return FINAL_VALUE[value]


def _copies(melds: Sequence[TableMeld], racks: Mapping[str, Sequence[Tile]], closing: Tile | None) -> list[Message]:
    """A fault for every face there is more than twice; counted by index, for this runs in every scored round."""
    count = [0] * (JOKER_INDEX + 1)
    for meld in melds:
        for tile, _, _ in meld.tiles:
            count[tile.index if tile.value else JOKER_INDEX] += 1
    for rack in racks.values():
        for tile in rack:
            count[tile.index if tile.value else JOKER_INDEX] += 1
    if closing is not None:
        count[closing.bare().index] += 1
    if max(count) <= 2:
        return []
    return [msg("TOO_MANY_COPIES", piece=(*TILES, JOKER)[i].code) for i, n in enumerate(count) if n > 2]
