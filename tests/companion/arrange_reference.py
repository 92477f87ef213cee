"""Two slow and simple ways to the same answers: trying everything, and an integer program.

Both work on *moves*: a new meld or one lengthening of a meld of the table, with the tiles it takes. Moves are listed by
asking the rules core about every candidate, so they share nothing with the search under test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from companion.arrange import TableMeld
from companion.games.remi import HouseRules, judge_meld
from companion.games.remi.table import judge_attach
from companion.pieces import DECLARED, JOKER, TILES, Tile


@dataclass(frozen=True)
class Move:
    tiles: tuple[Tile, ...]  # as they come to lie; of a lengthened meld all of it
    added: tuple[Tile, ...]
    kind: str
    value: int = 0
    onto: int | None = None

    @property
    def needs(self) -> Counter[Tile]:
        return Counter(t.bare() for t in self.added)


def seatings(colour: int, start: int, n: int, have: Counter[Tile], least: int = 0) -> Iterable[tuple[Tile, ...]]:
    faces = [TILES[colour * 13 + (p - 1) % 13] for p in range(start, start + n)]
    for k in range(have[JOKER] + 1):
        for seats in combinations(range(n), k):
            tiles = tuple(DECLARED[f.index] if i in seats else f for i, f in enumerate(faces))
            if not Counter(t.bare() for t in tiles) - have:
                yield tiles


def new_melds(rack: Sequence[Tile], rules: HouseRules) -> list[Move]:
    have = Counter(rack)
    moves = []
    for colour in range(4):
        for start in range(1, 13):
            for n in range(3, 16 - start):
                for tiles in seatings(colour, start, n, have):
                    verdict = judge_meld(tiles, rules, "run")
                    if verdict.ok and verdict.kind == "run":
                        moves.append(Move(tiles, tiles, "run", verdict.value))
    for value in range(1, 14):
        for n in (1, 2, 3, 4):
            for colours in combinations(range(4), n):
                for k in range(max(0, 3 - n), 5 - n):
                    real = tuple(TILES[c * 13 + value - 1] for c in colours)
                    rest = [c for c in range(4) if c not in colours]
                    tiles = (*real, *(DECLARED[c * 13 + value - 1] for c in rest[:k]))
                    if Counter(t.bare() for t in tiles) - have:
                        continue
                    verdict = judge_meld(tiles, rules, "set")
                    if verdict.ok and verdict.kind == "set":
                        moves.append(Move(tiles, tiles, "set", verdict.value))
    return moves


def lengthenings(rack: Sequence[Tile], table: Sequence[TableMeld], rules: HouseRules, anywhere: bool) -> list[Move]:
    have = Counter(rack)
    moves = []
    for index, meld in enumerate(table):
        fixed = judge_meld(meld.tiles, rules)
        own = meld.mine or anywhere
        if fixed.kind == "set":
            for tile in have:
                verdict = judge_attach(meld.tiles, (tile,), own=own, opened="earlier", rules=rules)
                if verdict.ok:
                    moves.append(Move((*(t.bare() for t in meld.tiles), tile), (tile,), "set", 0, index))
            continue
        colour = next(t.colour for t in meld.tiles if t.value)
        for start in range(1, fixed.start + 1):
            for stop in range(fixed.start + len(meld.tiles), 16):
                below, above = fixed.start - start, stop - fixed.start - len(meld.tiles)
                if not below and not above:
                    continue
                for low in seatings(colour, start, below, have):
                    for high in seatings(colour, stop - above, above, have - Counter(t.bare() for t in low)):
                        if not own and any(t.is_joker for t in low + high):
                            continue
                        if judge_meld((*low, *meld.tiles, *high), rules, "run").ok:
                            moves.append(Move((*low, *meld.tiles, *high), low + high, "run", 0, index))
    return moves


def exhaustive(rack: Sequence[Tile], moves: Sequence[Move], gain: Callable[[Sequence[Move]], int | None]) -> int | None:
    """The greatest gain over every choice of moves that the rack allows; None where gain refuses all."""
    best: int | None = None

    def go(first: int, have: Counter[Tile], chosen: list[Move]) -> None:
        nonlocal best
        now = gain(chosen)
        if now is not None and (best is None or now > best):
            best = now
        for i in range(first, len(moves)):
            move = moves[i]
            if move.onto is not None and any(c.onto == move.onto for c in chosen):
                continue
            needs = move.needs
            if all(have[t] >= n for t, n in needs.items()):
                go(i, have - needs, [*chosen, move])

    go(0, Counter(rack), [])
    return best


def program(
    rack: Sequence[Tile],
    moves: Sequence[Move],
    gains: Sequence[int],
    *,
    keep_one: bool = True,
    runs: int = 0,
    value: int = 0,
) -> int | None:
    """The greatest sum of gains by integer programming; at least ``runs`` runs and opening ``value`` in all."""
    if not moves:
        return None if runs or value else 0
    faces = sorted(set(rack))
    have = Counter(rack)
    rows = [[m.needs[f] for m in moves] for f in faces]
    low, high = [0.0] * len(faces), [float(have[f]) for f in faces]
    for index in {m.onto for m in moves if m.onto is not None}:
        rows.append([int(m.onto == index) for m in moves])
        low.append(0)
        high.append(1)
    if keep_one:
        rows.append([len(m.added) for m in moves])
        low.append(0)
        high.append(len(rack) - 1)
    rows.append([int(m.kind == "run" and m.onto is None) for m in moves])
    low.append(runs)
    high.append(np.inf)
    rows.append([m.value for m in moves])
    low.append(value)
    high.append(np.inf)
    answer = milp(
        -np.array(gains, dtype=float),
        constraints=LinearConstraint(np.array(rows, dtype=float), low, high),
        integrality=np.ones(len(moves)),
        bounds=Bounds(0, 2),
        options={"mip_rel_gap": 0.0},
    )
    if answer.status == 2:
        return None
    assert answer.status == 0, answer.message
    return round(-answer.fun)
