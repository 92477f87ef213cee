"""Remi: the best opening, and the best to lay once opened (RULES.md 1.5-1.7, 1.10.1, 1.13)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from companion.arrange.columns import Search
from companion.arrange.result import BIG, LIMIT, ArrangeError, Arrangement, Meld, keep_one, without
from companion.arrange.task import HAS_ONES, HAS_RUN, HAS_SET, Found, Seat, TableRun, Task
from companion.games.remi.melds import RUN, SET, judge_meld
from companion.games.remi.rules import SEED, HouseRules
from companion.pieces import DECLARED, JOKER, TILES, Tile, spell

Objective = Literal["left", "tiles", "points"]
_RACK = (0, 25, *(5,) * 8, *(10,) * 4)
_OPEN_RUN = (0, *(10 if p >= 10 else 5 for p in range(1, 15)))


def rack_points(tiles: Sequence[Tile]) -> int:
    """Points that tiles on the rack cost at the end (RULES.md 1.11)."""
    return sum(50 if t.is_joker else _RACK[t.value] for t in tiles)


@dataclass(frozen=True, slots=True)
class TableMeld:
    """A meld on the table: its tiles in order, and whether this player laid it (RULES.md 1.7.2)."""

    tiles: tuple[Tile, ...]
    mine: bool = False


@dataclass(frozen=True, slots=True)
class Opening(Arrangement[Tile]):
    """The best legal opening, or why there is none.

    ``reason``: ``OK``, or the code of what stands in the way: ``NEEDS_RUN`` or ``NEEDS_SET`` (the rack has none),
    ``NO_TILE_TO_DISCARD`` (the right melds take every tile), ``BELOW_MINIMUM`` (``missing`` points short of
    ``HouseRules.opening_min``; ``melds`` then are the best there is). ``missing``: points short, 0 for an opening.
    """

    reason: str = "OK"
    missing: int = 0

    @property
    def ok(self) -> bool:
        """Whether the rack opens."""
        return self.reason == "OK"


@dataclass(frozen=True, slots=True)
class _Gains:
    run: tuple[int, ...]
    set: tuple[int, ...]
    joker_run: tuple[int, ...]
    joker_set: tuple[int, ...]


def _opening_gains() -> _Gains:
    return _Gains(_OPEN_RUN, _RACK, _OPEN_RUN, _RACK)


def _rack_gains() -> _Gains:
    return _Gains((*_RACK, 25), _RACK, (50,) * 15, (50,) * 14)


def _final_gains(rules: HouseRules) -> _Gains:
    """What tiles count on the table at the end (RULES.md 1.11, final_one, final_joker)."""
    by_place = rules.final_one == "by_position"
    run = _OPEN_RUN if by_place else (0, 25, *_OPEN_RUN[2:14], 25)
    if rules.final_joker == "flat50":
        return _Gains(run, _RACK, (50,) * 15, (50,) * 14)
    return _Gains(run, _RACK, run, _RACK)


_ONE_EACH = _Gains((1,) * 15, (1,) * 14, (1,) * 15, (1,) * 14)


def _mix(first: _Gains, second: _Gains) -> _Gains:
    def both(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(x * BIG + y for x, y in zip(a, b, strict=True))

    return _Gains(
        both(first.run, second.run),
        both(first.set, second.set),
        both(first.joker_run, second.joker_run),
        both(first.joker_set, second.joker_set),
    )


def _counts(rack: Sequence[Tile]) -> tuple[tuple[int, ...], int]:
    counts = [0] * 56
    jokers = 0
    for tile in rack:
        if tile.is_joker:
            jokers += 1
        else:
            counts[tile.colour * 14 + tile.value] += 1
            if counts[tile.colour * 14 + tile.value] > 2:
                raise ArrangeError(f"there are three of {tile.code}: a set holds two of each tile")
    if jokers > 2:
        raise ArrangeError(f"there are {jokers} jokers: a set holds two")
    return tuple(counts), jokers


def _task(rack: Sequence[Tile], rules: HouseRules, gains: _Gains) -> Task:
    counts, jokers = _counts(rack)
    return Task(
        counts,
        (0,) * 56,
        jokers,
        0,
        rules.joker_ratio,
        rules.jokers_adjacent,
        rules.run14,
        True,
        gains.run,
        gains.set,
        gains.joker_run,
        gains.joker_set,
    )


def _run_tiles(colour: int, start: int, jokers: Sequence[bool]) -> tuple[Tile, ...]:
    faces = [TILES[colour * 13 + (start + i - 1) % 13] for i in range(len(jokers))]
    return tuple(DECLARED[f.index] if joker else f for f, joker in zip(faces, jokers, strict=True))


def _set_tiles(value: int, colours: Sequence[int], jokers: int) -> tuple[Tile, ...]:
    real = tuple(TILES[c * 13 + value - 1] for c in colours)
    absent = [c for c in range(4) if c not in colours]
    if jokers == len(absent) or (jokers and len(real) == 1):  # one real tile: undeclared it could be a run
        return (*real, *(DECLARED[c * 13 + value - 1] for c in absent[:jokers]))
    return real + (JOKER,) * jokers


def _melds(
    found: Found,
    rules: HouseRules,
    table: Sequence[TableMeld] = (),
    runs: Sequence[int] = (),
    seats: Sequence[int] = (),
) -> list[Meld[Tile]]:
    melds: list[Meld[Tile]] = []
    for run in found.runs:
        if run.table is None:
            tiles = _run_tiles(run.colour, run.start, run.jokers)
            melds.append(Meld(tiles, RUN, tiles))
            continue
        index = runs[run.table]
        old = table[index].tiles
        first = judge_meld(old, rules).start
        below = _run_tiles(run.colour, first - run.below, run.jokers[: run.below])
        above = _run_tiles(run.colour, first + len(old), run.jokers[run.below :])
        melds.append(Meld((*below, *old, *above), RUN, (*below, *above), index))
    for group in found.groups:
        if group.seat is None:
            tiles = _set_tiles(group.value, group.colours, group.jokers)
            melds.append(Meld(tiles, SET, tiles))
            continue
        index = seats[group.seat]
        added = _set_tiles(group.value, group.colours, 0) + (JOKER,) * group.jokers
        melds.append(Meld((*(t.bare() for t in table[index].tiles), *added), SET, added, index))
    return sorted(melds, key=lambda m: (m.onto is not None, m.onto or 0, m.kind, [t.index for t in m.pieces]))


def _solve(task: Task, limit: int) -> Found | None:
    return Search(task, limit).solve()


def _opening_value(melds: Sequence[Meld[Tile]], rules: HouseRules) -> int:
    return sum(judge_meld(m.pieces, rules, m.kind).value for m in melds)


# --- the opening ---------------------------------------------------------------------------------------------------


def best_opening(
    rack: Sequence[Tile], rules: HouseRules = SEED, objective: Objective = "points", limit: int = LIMIT
) -> Opening:
    """The best first laying out of a rack (RULES.md 1.5.4), or the proof that there is none.

    ``rack``: the tiles in hand after drawing; one of them must stay for the discard (RULES.md 1.10.1). ``objective``:
    ``points`` the highest opening value, ``left`` the fewest rack points left, ``tiles`` the most tiles laid; ties go
    to the fewest points left. Only melds from the rack are considered, also where the house lets a player attach in
    the opening turn. Raises ArrangeError for a rack that no set holds.
    """
    rack = tuple(t.bare() for t in rack)
    first = {"points": _opening_gains(), "left": _rack_gains(), "tiles": _ONE_EACH}[objective]
    second = _opening_gains() if objective == "left" else _rack_gains()
    gains = _mix(first, second)
    best = _with_run(rack, rules, gains, limit)
    if rules.ones_set_exception and rules.ones_set_alone:
        for alone in _ones_alone(rack, rules):
            if best is None or not best.ok or _rank(alone, objective) > _rank(best, objective):
                best = replace(alone, complete=best.complete if best else True)
    return best


def _rank(opening: Opening, objective: Objective) -> tuple[int, int]:
    first = {"points": opening.value, "left": -opening.points_left, "tiles": opening.laid}[objective]
    return first, -opening.points_left


def _opening(rack: tuple[Tile, ...], melds: Sequence[Meld[Tile]], rules: HouseRules, complete: bool) -> Opening:
    laid = [t for m in melds for t in m.pieces]
    left = without(rack, laid)
    return Opening(tuple(melds), left, rack_points(left), len(laid), _opening_value(melds, rules), complete)


def _ones_alone(rack: tuple[Tile, ...], rules: HouseRules) -> list[Opening]:
    """The sets of ones that open without a run, alone (RULES.md 1.5.4, R-O4)."""
    colours = sorted({t.colour for t in rack if t.value == 1})
    jokers = rack.count(JOKER)
    found = []
    for size in (3, 4):
        for use in range(min(jokers, size) + 1):
            if size - use > len(colours) or size >= len(rack):
                continue
            tiles = _set_tiles(1, colours[: size - use], use)
            verdict = judge_meld(tiles, rules, SET)
            if verdict.ok and verdict.value >= rules.opening_min:
                found.append(_opening(rack, [Meld(tiles, SET, tiles)], rules, True))
    return found


def _wanted(rules: HouseRules) -> tuple[int, ...]:
    run = HAS_RUN | (HAS_SET if rules.opening_needs_set else 0)
    return (run, HAS_ONES) if rules.ones_set_exception and not rules.ones_set_alone else (run,)


def _meets(melds: Sequence[Meld[Tile]], rules: HouseRules) -> bool:
    bits = 0
    for meld in melds:
        bits |= HAS_RUN if meld.kind == RUN else HAS_SET
        if meld.kind == SET and any(t.value == 1 for t in meld.pieces):
            bits |= HAS_ONES
    return any(bits & want == want for want in _wanted(rules)) and _opening_value(melds, rules) >= rules.opening_min


def _with_run(rack: tuple[Tile, ...], rules: HouseRules, gains: _Gains, limit: int) -> Opening:
    """The best opening other than ones alone; else the best laying that fails only by its points."""
    task = _task(rack, rules, gains)
    tracked = replace(
        task, wanted=_wanted(rules), least=rules.opening_min, run_points=_OPEN_RUN, set_points=_RACK
    )
    plain = _solve(task, limit)
    assert plain is not None
    complete = plain.complete
    melds = _melds(plain, rules)
    if _meets(melds, rules) and sum(len(m.pieces) for m in melds) < len(rack):
        return _opening(rack, melds, rules, complete)

    def search(tiles: tuple[Tile, ...], least: int) -> Found | None:
        counts, jokers = _counts(tiles)
        return _solve(replace(tracked, free=counts, free_jokers=jokers, least=least), limit)

    for least in (rules.opening_min, 1):
        if least == 1:
            points = _mix(_opening_gains(), _rack_gains())
            tracked = replace(
                tracked,
                run_gain=points.run,
                set_gain=points.set,
                joker_run=points.joker_run,
                joker_set=points.joker_set,
            )
        found = search(rack, least)
        if found is None:
            continue
        complete = complete and found.complete
        if len(rack) == sum(len(m.pieces) for m in _melds(found, rules)):
            kept = keep_one(rack, partial(search, least=least))
            if kept is None:
                continue
            found = kept
        opening = _opening(rack, _melds(found, rules), rules, complete)
        if least > 1:
            return opening
        return replace(opening, reason="BELOW_MINIMUM", missing=rules.opening_min - opening.value)
    nothing = _opening(rack, (), rules, complete)
    return replace(nothing, reason=_why_nothing(rack, rules, tracked, limit), missing=rules.opening_min)


def _why_nothing(rack: tuple[Tile, ...], rules: HouseRules, tracked: Task, limit: int) -> str:
    """What a rack lacks that has no laying with the right melds and a tile left over."""
    anything = _solve(replace(tracked, least=1, wanted=(HAS_RUN,)), limit)
    if anything is None:
        return "NEEDS_RUN"
    return "NEEDS_SET" if _solve(replace(tracked, least=1), limit) is None else "NO_TILE_TO_DISCARD"


# --- after the opening ---------------------------------------------------------------------------------------------


def best_laying(
    rack: Sequence[Tile],
    table: Sequence[TableMeld] = (),
    rules: HouseRules = SEED,
    objective: Objective = "left",
    jokers_anywhere: bool = False,
    limit: int = LIMIT,
) -> Arrangement[Tile]:
    """What an opened player lays now: new melds, and tiles attached to the table's (RULES.md 1.5.6, 1.7).

    ``rack``: the tiles in hand after drawing; one of them must stay for the discard (RULES.md 1.10.1). ``table``: the
    melds there, which may be lengthened, never taken apart. A joker goes only onto a meld that is ``mine`` unless
    ``jokers_anywhere``. A turn that began with 1 or 2 tiles needs no care: no new meld fits beside a discard (1.9.3).
    ``objective``: ``left`` the fewest points left on the rack, ``tiles`` the most tiles laid, ``points`` the most
    points laid as the final score counts them (RULES.md 1.11); ties go to the fewest points left, then the most tiles.
    Exchanging jokers (RULES.md 1.8) is a choice of its own and not considered. Raises ArrangeError for a rack that no
    set holds or an illegal meld on the table.
    """
    rack = tuple(t.bare() for t in rack)
    _counts((*rack, *(t.bare() for meld in table for t in meld.tiles)))
    first = {"left": _rack_gains(), "tiles": _ONE_EACH, "points": _final_gains(rules)}[objective]
    gains = _mix(first, _ONE_EACH if objective == "left" else _rack_gains())
    runs, run_index, seats, seat_index = _attachable(table, rules, jokers_anywhere)
    task = replace(_task(rack, rules, gains), runs=runs, seats=seats)
    found = _solve(task, limit)
    assert found is not None
    melds = _melds(found, rules, table, run_index, seat_index)
    if rack and sum(len(m.added) for m in melds) == len(rack):

        def search(tiles: tuple[Tile, ...]) -> Found | None:
            counts, jokers = _counts(tiles)
            return _solve(replace(task, free=counts, free_jokers=jokers), limit)

        kept = keep_one(rack, search)
        assert kept is not None
        found = kept
        melds = _melds(found, rules, table, run_index, seat_index)
    laid = [t for m in melds for t in m.added]
    left = without(rack, laid)
    return Arrangement(
        tuple(melds), left, rack_points(left), len(laid), _final_points(melds, table, rules), found.complete
    )


def _final_points(melds: Sequence[Meld[Tile]], table: Sequence[TableMeld], rules: HouseRules) -> int:
    """Points of the rack's tiles where they lie, as the final score counts them."""
    gains = _final_gains(rules)
    total = 0
    for meld in melds:
        value = next(t.value for t in meld.pieces if t.value)
        start = judge_meld(meld.pieces, rules, meld.kind).start
        old = range(0)
        if meld.onto is not None and meld.kind == RUN:
            first = judge_meld(table[meld.onto].tiles, rules).start
            old = range(first, first + len(table[meld.onto].tiles))
        places = [p for p in range(start, start + len(meld.pieces)) if p not in old]
        for tile, place in zip(meld.added, places, strict=False):
            if meld.kind == SET:
                total += gains.joker_set[value] if tile.is_joker else gains.set[value]
            else:
                total += gains.joker_run[place] if tile.is_joker else gains.run[place]
    return total


def _attachable(
    table: Sequence[TableMeld], rules: HouseRules, anywhere: bool
) -> tuple[tuple[TableRun, ...], list[int], tuple[Seat, ...], list[int]]:
    runs: list[TableRun] = []
    seats: list[Seat] = []
    run_index: list[int] = []
    seat_index: list[int] = []
    for index, meld in enumerate(table):
        verdict = judge_meld(meld.tiles, rules)
        if not verdict.ok:
            raise ArrangeError(f"meld {index + 1} of the table, {spell(meld.tiles)}, is illegal: {verdict.reason}")
        takes = meld.mine or anywhere
        real = [t for t in meld.tiles if not t.is_joker]
        jokers = len(meld.tiles) - len(real)
        if verdict.kind == RUN:
            runs.append(
                TableRun(
                    real[0].colour,
                    verdict.start,
                    verdict.start + len(meld.tiles) - 1,
                    len(real),
                    jokers,
                    takes,
                    meld.tiles[0].is_joker,
                    meld.tiles[-1].is_joker,
                )
            )
            run_index.append(index)
        elif len(meld.tiles) == 3:
            missing = tuple(c for c in range(4) if all(t.colour != c for t in real))
            fits = takes and (jokers + 1) * rules.joker_ratio <= len(real)
            seats.append(Seat(real[0].value, missing, fits))
            seat_index.append(index)
    return tuple(runs), run_index, tuple(seats), seat_index
