"""Open runs of one colour, as small ints, and what a column of tiles can do to them.

The search of `companion.arrange.columns` walks the values 1, 2, ... 13 and the high 1. Between two columns all that
matters of the runs laid so far in one colour is, for each run that may still grow, how much it still needs. That is a
*chain*, packed into an int:

* ``R`` real tiles so far (capped at ``Config.cap``), ``J`` jokers so far (0 unless ``Config.count_jokers``);
* ``LAST_JOKER``: it ends in a joker (only kept where two jokers may not touch);
* ``LOW_ONE``: it holds a low 1 (only kept where 1..13,1 is no run);
* ``NO_JOKER``: a meld on the table that takes no joker of this player (RULES.md 1.7.2);
* ``TABLE``: it grew out of a meld of the table, which never joins another one;
* ``PENDING``: one or two free tiles that may yet be dropped. Their value is counted when the chain turns legal, so
  starting one costs nothing and is no decision; this is what keeps the number of states small.

Everything else is *committed*: counted at once, and the chain must turn legal.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

REAL = 7
JOKER = 1 << 3
JOKERS = 3 << 3
LAST_JOKER = 1 << 5
LOW_ONE = 1 << 6
NO_JOKER = 1 << 7
PENDING = 1 << 8
TABLE = 1 << 9
#: A meld of the table between its ends: ``(index + 1) << SLEEP | chain``. It wakes after its last tile.
SLEEP = 12

NEVER = 9


class Config(NamedTuple):
    """What the rules say about runs and jokers, as far as chains need it."""

    ratio: int  # real tiles that each joker of a meld needs (RULES.md R-J1), 0: no limit
    adjacent: bool  # two jokers may touch (R-J2), or there are fewer than two
    run14: bool  # 1..13,1 is a run (R-M2)
    count_jokers: bool  # the number of jokers in a chain matters
    cap: int  # real tiles beyond this make no difference


class Column(NamedTuple):
    """One cell (colour and value) as a chain sees it."""

    reals: int  # tiles to go into runs here
    must: bool  # they have to be laid
    jokers: int  # jokers at hand
    need1: int  # jokers that a chain of one tile ending here lacks at least, NEVER: it cannot become a run
    need2: int  # the same for a chain of two
    room1: int  # tiles at the next position, and melds of the table that begin there
    room2: int  # tiles at the position after it, and melds that begin at either
    start: bool  # a joker may begin a run here
    bridge: bool  # a joker may lengthen a run that is legal without it
    twice: bool  # a joker may take this seat though a real tile is there
    low: bool  # this is the low 1
    high: bool  # this is the high 1


class Step(NamedTuple):
    """One outcome of a cell: the chains after it, and what it added."""

    chains: tuple[int, ...]
    jokers: int  # jokers used here
    here: int  # free tiles counted at this position
    back1: int  # ... one position below
    back2: int  # ... two positions below
    run: bool  # some chain of free tiles has become a run of three or more
    moves: tuple[tuple[int, bool], ...]  # for each chain after: index of the chain before (-1: new), by a joker?
    closed: tuple[int, ...]  # chains before that end here as legal runs


def legal(chain: int, cfg: Config) -> bool:
    """Whether the chain may stand as a meld."""
    if chain & PENDING:
        return False
    if chain & NO_JOKER:
        return True
    real, jokers = chain & REAL, (chain & JOKERS) >> 3
    return real + jokers >= 3 and real >= cfg.ratio * jokers


def by_real(chain: int, must: bool, cfg: Config) -> tuple[int, int]:
    """The chain one real tile longer, and how many pending tiles this counts."""
    real = chain & REAL
    if chain & PENDING:
        if real == 2 or must:
            return (chain & ~PENDING) + 1, real
        return chain + 1, 0
    grown = chain if real >= cfg.cap else chain + 1
    return grown & ~LAST_JOKER, 0


def by_joker(chain: int, cfg: Config) -> tuple[int, int] | None:
    """The chain one joker longer, and how many pending tiles this counts; None where no joker may go."""
    if chain & NO_JOKER or (chain & LAST_JOKER):
        return None
    real = chain & REAL
    counted = real if chain & PENDING else 0
    grown = chain & ~PENDING
    if cfg.count_jokers:
        grown += JOKER
        if not cfg.adjacent:
            grown |= LAST_JOKER
    elif real < cfg.cap:
        grown += 1
    return grown, counted


def length(chain: int) -> int:
    """Tiles in the chain, exact below 3."""
    return (chain & REAL) + ((chain & JOKERS) >> 3)


def join(chain: int, meld: int, cfg: Config) -> int | None:
    """The chain that ends right below a meld of the table, joined to it; None where its joker may not go there."""
    real, jokers = chain & REAL, (chain & JOKERS) >> 3
    low = chain & LOW_ONE
    if meld & NO_JOKER:
        return meld | low if not jokers else None
    real = min(cfg.cap, real + (meld & REAL))
    return real | ((jokers << 3) + (meld & JOKERS)) | low | (meld & LAST_JOKER)


@lru_cache(maxsize=200_000)
def steps(chains: tuple[int, ...], col: Column, cfg: Config) -> tuple[Step, ...]:
    """Every outcome worth keeping of one cell for the open chains of its colour.

    Left out is only what another outcome beats for every continuation: a real tile that starts anew beside a chain
    that it could lengthen, a joker on the seat of a real tile that then starts anew (unless ``col.twice``).
    """
    found: list[Step] = []
    awake = [i for i, chain in enumerate(chains) if chain < 1 << SLEEP]
    for plan in _plans(len(awake), col.reals, col.jokers):
        step = _play(chains, awake, plan, col, cfg)
        found.extend(step)
    return tuple(_undominated(found))


def _plans(n: int, reals: int, jokers: int) -> Iterator[tuple[str, ...]]:
    if n == 0:
        yield ()
        return
    for first in "rjc":
        if (first == "r" and not reals) or (first == "j" and not jokers):
            continue
        for rest in _plans(n - 1, reals - (first == "r"), jokers - (first == "j")):
            yield (first, *rest)


def _play(
    chains: tuple[int, ...], awake: list[int], plan: tuple[str, ...], col: Column, cfg: Config
) -> Iterator[Step]:
    here = back1 = back2 = 0
    run = False
    grown: list[tuple[int, int, bool]] = []  # chain after, source, by a joker
    closed: list[int] = []
    spare = col.reals - plan.count("r")
    used = plan.count("j")
    for index, how in zip(awake, plan, strict=True):
        chain = chains[index]
        blocked = col.high and bool(chain & LOW_ONE) and not cfg.run14
        if how == "c":
            if spare and not blocked and not chain & (NO_JOKER | LOW_ONE | TABLE):
                return
            if chain & PENDING:
                continue
            if not legal(chain, cfg):
                return
            closed.append(index)
            continue
        if blocked:
            return
        if how == "r":
            after, counted = by_real(chain, col.must, cfg)
            if not after & PENDING and not col.must:
                here += 1
        else:
            if (spare and not col.twice) or (not col.bridge and length(chain) >= 3):
                return
            joined = by_joker(chain, cfg)
            if joined is None:
                return
            after, counted = joined
        back1 += counted >= 1
        back2 += counted >= 2
        run = run or (not after & PENDING and length(chain) < 3 <= length(after))
        grown.append((after, index, how == "j"))
    left = col.jokers - used
    low = LOW_ONE if col.low and not cfg.run14 else 0
    for started in range(0, (left if col.start else 0) + 1):
        born = [(1 | low | (0 if col.must else PENDING), -1, False)] * spare
        opening = (JOKER | (0 if cfg.adjacent else LAST_JOKER)) if cfg.count_jokers else 1
        born += [(opening | low, -1, True)] * started
        rest = left - started
        kept: list[tuple[int, int, bool]] = []
        owing = [0, 0, 0]  # chains by their length that must grow
        for chain, source, by in grown + born:
            size = length(chain)
            need = col.need1 if size == 1 else col.need2 if size == 2 else 0
            if need <= rest:
                kept.append((chain, source, by))
                if size < 3 and not chain & PENDING:
                    owing[size] += 1
            elif not chain & PENDING:
                break
        else:
            if owing[1] + owing[2] > col.room1 + rest or owing[1] > col.room2 + rest:
                continue
            kept += [(chain, i, False) for i, chain in enumerate(chains) if chain >= 1 << SLEEP]
            kept.sort()
            yield Step(
                tuple(k[0] for k in kept),
                used + started,
                here,
                back1,
                back2,
                run,
                tuple((k[1], k[2]) for k in kept),
                tuple(closed),
            )


def _undominated(found: list[Step]) -> list[Step]:
    """Of outcomes with the same jokers: without those that another one beats in every way."""
    best: list[Step] = []
    found.sort(key=lambda s: -(s.here + s.back1 + s.back2))
    for step in found:
        if not any(_beats(other, step) for other in best):
            best.append(step)
    return best


def _beats(a: Step, b: Step) -> bool:
    if a.jokers != b.jokers or a.run < b.run:
        return False
    if a.chains == b.chains:
        return a.here >= b.here and a.back1 >= b.back1 and a.back2 >= b.back2
    # a chain of three free tiles is better than a pending one, whose tiles would still have to be counted
    if any(c != 3 for c in a.chains) or len(b.chains) > len(a.chains):
        return False
    if any(c & ~(PENDING | REAL) or not c & PENDING for c in b.chains):
        return False
    two = sum(1 for c in b.chains if c & REAL == 2)
    return a.here >= b.here + len(b.chains) and a.back1 >= b.back1 + two and a.back2 >= b.back2


@lru_cache(maxsize=200_000)
def surplus(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, int] | None:
    """What more than ``b`` the chains ``a`` must have counted so as to be no worse for every continuation.

    As numbers of free tiles at the last position and at the one below it; None where ``b`` may do what ``a`` cannot.
    """
    best: tuple[int, int] | None = None
    for order in permutations(a, len(b)):
        here = below = 0
        for x, y in zip(order, b, strict=True):
            if x == y:
                continue
            if x & ~REAL == y & ~REAL and x < 1 << SLEEP and x > y:
                continue
            if x < PENDING and not x & ~REAL and x >= 3 and y & ~REAL == PENDING:
                here += 1
                below += y & REAL == 2
                continue
            break
        else:
            rest = list(a)
            for x in order:
                rest.remove(x)
            if all(x & ~REAL == PENDING or (x >= 3 and not x & ~REAL) for x in rest):
                best = min(best, (here, below)) if best else (here, below)
    return best
