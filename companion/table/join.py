"""Rows of cards that lie close and make one meld only together -> one row.

Where a card lies askew, or its index is a joker's, geometry alone parts a row that a person sees as one. The rules are
evidence here as they are for rows that touch: what is a meld alone stays alone, what is none is joined to a neighbour
where that makes one (DESIGN.md 4.5).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise, permutations, product
from statistics import median

from companion.table.analyse import UNSEEN, group_parts
from companion.table.judge import Judge
from companion.table.outline import centre
from companion.table.split import LONGEST, Look
from companion.table.values import Group, Seen
from vision.scene import Piece, Point

REACH = 1.9
"""Steps from one card of a row to the next within which another row may belong to it."""
REACH_OF_MELD = 1.1
"""The same where one of the rows is a meld by itself: a card left over beside it is no part of it."""
TOGETHER = 3
"""Most rows that are joined to one."""
MIDDLE = (1.45, 1.8)
"""From a card's index to its middle, right and down in index heights, until the photo's own cards tell."""


def joined(seen: Seen, judge: Judge, looks: Mapping[int, Look]) -> Seen:
    """The same pieces with rows joined that are melds only together."""
    groups = list(seen.groups)
    middles = _middles(seen, groups)
    while True:
        found = _best(replace(seen, groups=tuple(groups)), judge, looks, middles)
        if found is None:
            return replace(seen, groups=tuple(groups))
        members, order = found
        groups[members[0]] = Group(order, "meld", joined=True)
        groups = [group for n, group in enumerate(groups) if n not in members[1:]]


def _best(
    seen: Seen, judge: Judge, looks: Mapping[int, Look], middles: Mapping[int, Point]
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The closest rows that make one meld: their places and the pieces in order."""
    groups = seen.groups
    readable = [
        n for n, group in enumerate(groups)
        if not group.fixed and group.kind != "rack" and not any(looks[p].code in UNSEEN for p in group.pieces)
    ]  # fmt: skip
    legal = {n: all(part.judged.ok for part in group_parts(seen, n, looks, judge)) for n in readable}
    if all(legal.values()):
        return None
    steps = {n: [math.dist(middles[a], middles[b]) for a, b in pairwise(groups[n].pieces)] for n in readable}
    every = [step for some in steps.values() for step in some]
    if not every:
        return None
    usual = median(every)
    near: dict[frozenset[int], float] = {}
    for a, b in combinations(readable, 2):
        if not (legal[a] and legal[b]):
            own = max([*steps[a], *steps[b]], default=usual)
            reach = own * (REACH_OF_MELD if legal[a] or legal[b] else REACH)
            gap = min(math.dist(middles[p], middles[q]) for p in groups[a].pieces for q in groups[b].pieces)
            if gap < reach:
                near[frozenset((a, b))] = gap / own
    tried = []
    for members, gap in _sets(near):
        order = _order([groups[n].pieces for n in members], middles)
        if len(order) <= LONGEST and judge.meld(tuple(looks[piece].code for piece in order)).ok:
            tried.append((len(members), gap, members, order))
    if not tried:
        return None
    _, _, members, order = min(tried)
    return members, order


def _sets(near: Mapping[frozenset[int], float]) -> Iterator[tuple[tuple[int, ...], float]]:
    """Rows that hang together by being near, and how far the farthest of these links is."""
    for pair, gap in near.items():
        yield tuple(sorted(pair)), gap
    for (one, first), (two, second) in combinations(near.items(), 2):
        if len(one | two) == TOGETHER:
            yield tuple(sorted(one | two)), max(first, second)


def _order(rows: Sequence[tuple[int, ...]], middles: Mapping[int, Point]) -> tuple[int, ...]:
    """The pieces of rows one after the other along the shortest way."""
    ways = [
        tuple(piece for row in turned for piece in row)
        for order in permutations(rows) for turned in product(*((row, row[::-1]) for row in order))
    ]  # fmt: skip
    return min(ways, key=lambda way: sum(math.dist(middles[a], middles[b]) for a, b in pairwise(way)))


def _middles(seen: Seen, groups: Sequence[Group]) -> dict[int, Point]:
    """Where the middle of each card lies: between its indices, or where those of other cards say."""
    lying = [piece for group in groups for piece in group.pieces]
    pieces = {n: seen.scene.pieces[n] for n in lying}
    whole = {n: piece for n, piece in pieces.items() if len(piece.indices) > 1}
    told = [_local(piece, _between(piece)) for piece in whole.values() if piece.code != "*"]
    right, down = (median(axis) for axis in zip(*told, strict=True)) if told else MIDDLE
    heights = [_frame(piece)[1] for piece in pieces.values() if piece.code != "*"]
    usual = median([math.hypot(*high) for high in heights]) if heights else 0.0
    found = {}
    for n, piece in pieces.items():
        if n in whole:
            found[n] = _between(piece)
            continue
        across, high = _frame(piece)
        # a joker's word is no measure of how large its card is
        size = usual / max(math.hypot(*high), 1e-6) if piece.code == "*" and usual else 1.0
        x, y = centre(piece.quad)
        found[n] = (
            x + size * (right * across[0] + down * high[0]),
            y + size * (right * across[1] + down * high[1]),
        )
    return found


def _between(piece: Piece) -> Point:
    places = [centre(quad) for quad in piece.indices]
    return sum(x for x, _ in places) / len(places), sum(y for _, y in places) / len(places)


def _frame(piece: Piece) -> tuple[Point, Point]:
    """An index's own directions, right and down, both as long as it is high."""
    a, b, c, d = piece.quad
    high = ((d[0] + c[0] - a[0] - b[0]) / 2, (d[1] + c[1] - a[1] - b[1]) / 2)
    wide = ((b[0] + c[0] - a[0] - d[0]) / 2, (b[1] + c[1] - a[1] - d[1]) / 2)
    size = math.hypot(*high) / max(math.hypot(*wide), 1e-6)
    return (wide[0] * size, wide[1] * size), high


def _local(piece: Piece, point: Point) -> Point:
    """A place seen from a piece's index, in index heights right and down."""
    (ax, ay), (hx, hy) = _frame(piece)
    x, y = centre(piece.quad)
    det = ax * hy - ay * hx
    if abs(det) < 1e-6:
        return MIDDLE
    dx, dy = point[0] - x, point[1] - y
    return (dx * hy - dy * hx) / det, (ax * dy - ay * dx) / det
