"""A row of pieces -> the melds in it: touching melds parted, close readings weighed by what is legal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from companion.table.judge import Codes, Judge, Judged
from vision.scene import BACK, UNKNOWN

CLOSE = 4.0
"""A reading is close to the best one when that is at most so many times likelier."""
LEAST_CLOSE = 0.15
"""Probability under which no reading is close to another."""
COMBINATIONS = 64
"""Most combinations of close readings that one row is tried with."""
CLEAR_GAP = 0.12
"""Piece widths by which one gap must be wider than another to tell where two melds touch."""
LONGEST = 14
SHORTEST = 3


@dataclass(frozen=True, slots=True)
class Look:
    """What one piece may be: its reading, that reading's probability, and the other readings with theirs."""

    code: str
    p: float = 1.0
    others: tuple[tuple[str, float], ...] = ()

    def close(self) -> tuple[tuple[str, float], ...]:
        """The other readings that the reader found close to this one."""
        if self.code == UNKNOWN:
            return ()
        return tuple(
            (code, p) for code, p in self.others
            if code not in (UNKNOWN, BACK) and p >= LEAST_CLOSE and p * CLOSE >= self.p
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """One meld of a row. ``chosen``: by piece, the code that legality chose instead of the likeliest one."""

    pieces: tuple[int, ...]
    codes: Codes
    judged: Judged
    chosen: tuple[tuple[int, str], ...] = ()
    touching: bool = False

    def outcome(self) -> tuple[bool, int]:
        """What a person is after: legal or not, and the points."""
        return self.judged.ok, self.judged.value


def parts_of(
    pieces: Sequence[int],
    looks: Mapping[int, Look],
    judge: Judge,
    *,
    fixed: bool = False,
    gaps: Sequence[float] = (),
) -> tuple[Part, ...]:
    """The melds of one row.

    A row that is one legal meld stays one. Else it is parted where that makes legal melds of all of it; else close
    readings are tried for the same, the likeliest first; else one illegal stretch of three or more may stand beside
    legal melds; else the row is one illegal meld. ``fixed``: a person has said that this is one meld. ``gaps``: between
    neighbours, in piece widths.
    """
    row = tuple(pieces)
    codes = tuple(looks[piece].code for piece in row)
    cuts = _legal(codes, judge, fixed, gaps)
    if cuts is not None:
        return _parts(row, codes, cuts, judge, ())
    for variant in _variants(row, looks):
        read = tuple(variant.get(piece, code) for piece, code in zip(row, codes, strict=True))
        cuts = _legal(read, judge, fixed, gaps)
        if cuts is not None:
            return _parts(row, read, cuts, judge, tuple(variant.items()))
    cuts = (0, len(row)) if fixed else _with_one_wrong(codes, judge, gaps)
    return _parts(row, codes, cuts, judge, ())


def _parts(
    row: tuple[int, ...], codes: Codes, cuts: Sequence[int], judge: Judge, chosen: tuple[tuple[int, str], ...]
) -> tuple[Part, ...]:
    found = []
    for start, end in pairwise(cuts):
        mine = row[start:end]
        found.append(
            Part(
                mine,
                codes[start:end],
                judge.meld(codes[start:end]),
                tuple(change for change in chosen if change[0] in mine),
                len(cuts) > 2,
            )
        )
    return tuple(found)


def _variants(row: tuple[int, ...], looks: Mapping[int, Look]) -> list[dict[int, str]]:
    """Changes of close readings, the likeliest first, without the empty one."""
    options: list[list[tuple[int, str | None, float]]] = []
    size = 1
    for piece in sorted(row, key=lambda piece: looks[piece].p):
        close = looks[piece].close()
        if close and size * (1 + len(close)) <= COMBINATIONS:
            size *= 1 + len(close)
            options.append([(piece, None, 0.0), *((piece, c, math.log(p / looks[piece].p)) for c, p in close)])
    scored = []
    for combination in product(*options):
        change = {piece: code for piece, code, _ in combination if code is not None}
        if change:
            scored.append((sum(score for _, _, score in combination), change))
    return [change for _, change in sorted(scored, key=lambda pair: -pair[0])]


Score = tuple[float, ...]


def _legal(codes: Codes, judge: Judge, fixed: bool, gaps: Sequence[float]) -> tuple[int, ...] | None:
    """Where to cut so that every part is legal: not at all, or the fewest times, at the widest gaps."""
    if judge.meld(codes).ok:
        return (0, len(codes))
    if fixed or len(codes) < 2 * SHORTEST:
        return None
    return _cut(codes, judge, gaps, wrong=0)


def _with_one_wrong(codes: Codes, judge: Judge, gaps: Sequence[float]) -> tuple[int, ...]:
    if len(codes) < 2 * SHORTEST:
        return (0, len(codes))
    return _cut(codes, judge, gaps, wrong=1) or (0, len(codes))


def _cut(codes: Codes, judge: Judge, gaps: Sequence[float], wrong: int) -> tuple[int, ...] | None:
    """The best cuts with at most ``wrong`` illegal parts; None if there are none, or nothing legal in them.

    Best: fewest pieces in illegal parts, fewest parts, clearly widest gaps, most points.
    """
    n = len(codes)
    best: list[dict[int, tuple[Score, tuple[int, ...]]]] = [{} for _ in range(n + 1)]
    best[0][0] = ((0.0, 0.0, 0.0, 0.0), (0,))
    for start in range(n):
        for used, (score, cuts) in best[start].items():
            for end in range(start + SHORTEST, min(n, start + LONGEST) + 1):
                if start == 0 and end == n:
                    continue
                judged = judge.meld(codes[start:end])
                count = used + (not judged.ok)
                if count > wrong:
                    continue
                gap = gaps[end - 1] if end < n and end - 1 < len(gaps) else 0.0
                fresh = (
                    score[0] - (0 if judged.ok else end - start),
                    score[1] - 1,
                    score[2] + round(gap / CLEAR_GAP),
                    score[3] + judged.value,
                )
                known = best[end].get(count)
                if known is None or fresh > known[0]:
                    best[end][count] = (fresh, (*cuts, end))
    found = [entry for entry in best[n].values() if len(entry[1]) > 2]
    if not found:
        return None
    return max(found)[1]
