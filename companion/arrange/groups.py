"""Sets: which tiles of one value can be laid as sets, and what a column may do outside the runs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import product
from typing import NamedTuple

from companion.arrange.cells import Cells
from companion.arrange.task import FOURS, HAS_ONES, HAS_SET, Four


class Option(NamedTuple):
    """One way to use a column outside the runs."""

    reals: Four  # left for runs
    jokers: int
    ones: int  # ones kept for the high end, three bits a colour
    gain: int
    bits: int
    points: int
    seats: tuple[int | None, ...]  # colour (4: a joker) put on each seat of this column
    groups: tuple[tuple[tuple[int, ...], int], ...]


@cache
def split_groups(use: Four, jokers: int, ratio: int) -> tuple[tuple[tuple[int, ...], int], ...] | None:
    """The tiles of one value, all of them, as legal sets (colours, jokers); None if that cannot be."""
    if not any(use):
        return None if jokers else ()
    first = next(c for c in FOURS if use[c])
    for size in (4, 3, 2, 1):
        for bits in range(16):
            colours = tuple(c for c in FOURS if bits >> c & 1)
            if len(colours) != size or first not in colours or any(not use[c] for c in colours):
                continue
            for j in range(max(0, 3 - size), min(jokers, 4 - size) + 1):
                if j * ratio > size:
                    continue
                rest = (
                    use[0] - (0 in colours),
                    use[1] - (1 in colours),
                    use[2] - (2 in colours),
                    use[3] - (3 in colours),
                )
                below = split_groups(rest, jokers - j, ratio)
                if below is not None:
                    return ((colours, j), *below)
    return None


@lru_cache(maxsize=20_000)
def group_uses(have: Four, jokers: int, ratio: int) -> tuple[tuple[Four, int], ...]:
    """Every choice out of ``have`` tiles of one value and ``jokers`` that can be laid as sets."""
    found: list[tuple[Four, int]] = []
    for use in product(*(range(n + 1) for n in have)):
        four: Four = use  # type: ignore[assignment]
        found.extend((four, q) for q in range(jokers + 1) if split_groups(four, q, ratio) is not None)
    return tuple(found)


def options_of(cells: Cells, v: int) -> tuple[Option, ...]:
    """Every way to use the tiles of value ``v`` outside the runs, those with fewer jokers first."""
    task = cells.task
    free = [task.free[c * 14 + v] for c in FOURS]
    must = [task.must[c * 14 + v] for c in FOURS]
    mixed = [bool(free[c] and must[c]) for c in FOURS]
    seats = [s for s in task.seats if s.value == v]
    points = task.set_points[v] if task.set_points else 0
    keep = [_high(cells, c) if v == 1 and task.high_one else 0 for c in FOURS]
    low = [cells.need1[c * 15 + 1] <= cells.jokers for c in FOURS]
    best: dict[tuple[Four, int, int, int, int], Option] = {}
    for drop in product(*(range(free[c] + 1) if mixed[c] else (0,) for c in FOURS)):
        have = [free[c] + must[c] - drop[c] for c in FOURS]
        sure = sum((free[c] - drop[c]) * task.set_gain[v] for c in FOURS if mixed[c])
        ways = [(None, *s.colours, *((4,) if s.takes_joker and not cells.lazy else ())) for s in seats]
        for filled in product(*ways):
            left: Four = tuple(have[c] - filled.count(c) for c in FOURS)  # type: ignore[assignment]
            on_seats = filled.count(4)
            if min(left) < 0 or on_seats > cells.jokers:
                continue
            seated = sum(task.set_gain[v] for c in filled if c is not None and c < 4)
            for use, q in group_uses(left, cells.jokers - on_seats, task.ratio):
                reals: Four = (left[0] - use[0], left[1] - use[1], left[2] - use[2], left[3] - use[3])
                gain = sure + seated + (q + on_seats) * task.joker_set[v]
                gain += sum(use[c] * task.set_gain[v] for c in FOURS if not must[c])
                groups = split_groups(use, q, task.ratio) or ()
                if cells.lazy and any(j and len(colours) + j == 4 for colours, j in groups):
                    continue
                bits = (HAS_SET | (HAS_ONES if v == 1 else 0)) if groups else 0
                worth = points * (sum(use) + q)
                for rest, ones in _reserve(reals, keep, low) if v == 1 else ((reals, 0),):
                    option = Option(rest, q + on_seats, ones, gain, bits, worth, filled, groups)
                    key = (rest, option.jokers, ones, bits if task.least else 0, worth if task.least else 0)
                    known = best.get(key)
                    if known is None or known.gain < gain:
                        best[key] = option
    return tuple(sorted(best.values(), key=lambda o: o.jokers))


def _high(cells: Cells, c: int) -> int:
    """How many ones of this colour may end a run above the 13."""
    grown = sum(run.colour == c and run.high >= 11 for run in cells.task.runs)
    return min(cells.count[c * 14 + 12], cells.count[c * 14 + 13]) + cells.jokers + grown


def _reserve(reals: Four, keep: list[int], low: list[bool]) -> Iterator[tuple[Four, int]]:
    choices = []
    for n, most, below in zip(reals, keep, low, strict=True):
        most = min(n, most)
        choices.append(range(most + 1) if below else (most,))
    for kept in product(*choices):
        rest: Four = tuple(n - k for n, k in zip(reals, kept, strict=True))  # type: ignore[assignment]
        yield rest, sum(k << 3 * c for c, k in enumerate(kept))
