"""The search: the values 1..13 and the high 1 as fourteen columns, the open runs of four colours as the state.

In a column every tile goes into a set, into a run of its colour, onto a meld of the table, or is dropped; the outcome
of a colour depends on the others only through the sets and the jokers. States that agree on all open runs, jokers left
and ones kept for the high end are one state, of which the best is kept (dynamic programming), so the answer is exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import product
from typing import NamedTuple

from companion.arrange.chains import (
    LAST_JOKER,
    LOW_ONE,
    NEVER,
    NO_JOKER,
    PENDING,
    REAL,
    SLEEP,
    TABLE,
    Column,
    Config,
    Step,
    join,
    legal,
    length,
    steps,
    surplus,
)

Four = tuple[int, int, int, int]
FOURS = range(4)
SID = 14  # bits of a colour's state in a key
MASK = (1 << SID) - 1
JOKER_AT = 4 * SID
ONES_AT = JOKER_AT + 2
EXTRA_AT = ONES_AT + 12
HAS_RUN, HAS_SET, HAS_ONES = 1, 2, 4
MANY = 200  # with fewer states in a column it does not pay to look which runs are better than others
WIDTHS = (40,)  # states of a column that the first, narrow sweep follows
TABLE_WIDTHS = (48, 400)  # ... where a table has to be laid anew, which a whole sweep is slow at


class TableRun(NamedTuple):
    """A run of the table that may be lengthened but not taken apart: positions ``low..high`` (1..14)."""

    colour: int
    low: int
    high: int
    reals: int
    jokers: int
    takes_joker: bool
    first_joker: bool = False
    last_joker: bool = False


class Seat(NamedTuple):
    """The one free place of a set of three on the table: the colours that fit, and whether a joker may go there."""

    value: int
    colours: tuple[int, ...]
    takes_joker: bool


@dataclass(frozen=True)
class Task:
    """What to arrange. ``free`` and ``must``: tiles by ``colour * 14 + value``; gains by position or value."""

    free: tuple[int, ...]
    must: tuple[int, ...]
    free_jokers: int
    must_jokers: int
    ratio: int
    adjacent: bool
    run14: bool
    high_one: bool
    run_gain: tuple[int, ...]  # of a free tile at position 1..14 of a run
    set_gain: tuple[int, ...]  # of a free tile of value 1..13 in a set
    joker_run: tuple[int, ...]
    joker_set: tuple[int, ...]
    runs: tuple[TableRun, ...] = ()
    seats: tuple[Seat, ...] = ()
    # an opening: what it must contain (bits HAS_*; any one of the alternatives) and its least value
    wanted: tuple[int, ...] = (0,)
    least: int = 0
    run_points: tuple[int, ...] = ()
    set_points: tuple[int, ...] = ()

    @property
    def positional(self) -> bool:
        """Whether a joker's gain depends on where it lies."""
        return len(set(self.joker_run[1:]) | set(self.joker_set[1:])) > 1 or bool(self.least)


@dataclass
class Run:
    """A run found: positions from ``start``; True in ``jokers`` for a joker; ``table``: index of the lengthened run."""

    colour: int
    start: int
    jokers: list[bool]
    table: int | None = None
    below: int = 0  # of a lengthened run: how many of ``jokers`` lie below the table's tiles


@dataclass
class Group:
    """A set found: colours of its real tiles, number of jokers; ``seat``: index of the seat that was filled."""

    value: int
    colours: tuple[int, ...]
    jokers: int
    seat: int | None = None


@dataclass
class Found:
    """The best arrangement. ``gain`` as the task counts; ``complete``: no limit was hit, so nothing is better."""

    gain: int
    runs: list[Run]
    groups: list[Group]
    jokers_left: int
    complete: bool = True


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


Entry = tuple[int, int, int, int, int, int]
Pair = tuple[int, int, int, int]


@dataclass
class Search:
    """One search for a task."""

    task: Task
    limit: int = 200_000
    lazy: bool = False  # jokers bring nothing by themselves and are only used where tiles need them
    ids: dict[tuple[int, ...], int] = field(default_factory=dict)
    chains: list[tuple[int, ...]] = field(default_factory=list)

    def __post_init__(self) -> None:
        task = self.task
        self.jokers = task.free_jokers + task.must_jokers
        every = self.jokers + sum(run.jokers for run in task.runs)
        forbidden = any(not run.takes_joker for run in task.runs)
        counted = self.jokers > 0 and ((every >= 2 and (task.ratio > 0 or not task.adjacent)) or forbidden)
        self.cfg = Config(
            task.ratio if counted else 0,
            task.adjacent or every < 2,
            task.run14,
            counted,
            max(3, task.ratio * every) if counted else 3,
        )
        self.count = [a + b for a, b in zip(task.free, task.must, strict=True)]
        self.table_chain = [self._table_chain(run) for run in task.runs]
        self._cells()
        self.ids[()] = 0
        self.chains.append(())
        self.memo: list[dict[int, tuple[Entry, ...]]] = [{} for _ in range(60)]
        self.pairs: list[dict[int, list[Pair]]] = [{} for _ in range(30)]
        self.options = {v: self._options(v) for v in range(1, 14)}
        self.narrowed = 0
        self.most = 0
        self.exhaustive = True
        self._bounds()

    # --- the cells -------------------------------------------------------------------------------------------------

    def _table_chain(self, run: TableRun) -> int:
        if not run.takes_joker or not self.cfg.count_jokers:
            chain = 3
        else:
            chain = min(run.reals, self.cfg.cap) | run.jokers << 3
        if not run.takes_joker:
            chain |= NO_JOKER
        if run.last_joker and not self.cfg.adjacent:
            chain |= LAST_JOKER
        if run.low == 1 and not self.task.run14:
            chain |= LOW_ONE
        return chain | TABLE

    def _cells(self) -> None:
        """Per colour and position: how many jokers a short chain lacks, where a joker may start or double."""
        task = self.task
        self.need1 = [NEVER] * 60
        self.need2 = [NEVER] * 60
        self.room1 = [0] * 60
        self.room2 = [0] * 60
        self.start = [False] * 60
        self.bridge = [True] * 60
        self.twice = [False] * 60
        self.is_must = [False] * 60
        every = self.jokers + sum(run.jokers for run in task.runs)
        sparse = not task.adjacent and every >= 2
        for c in FOURS:
            ones = self.count[c * 14 + 1]
            miss = [0, *(int(not self.count[c * 14 + v]) for v in range(1, 14)), int(not ones), 0]
            landing = Counter(run.low for run in task.runs if run.colour == c)
            many = [0, *self.count[c * 14 + 1 : c * 14 + 14], ones if task.high_one else 0, 0, 0]
            covered = {p for run in task.runs if run.colour == c for p in range(run.low, run.high + 1)}
            forbidden = any(run.colour == c and not run.takes_joker for run in task.runs)
            top = 14 if task.high_one else 13
            whole = sum(miss[1:14]) + max(0, 2 - ones) - miss[1] <= self.jokers
            gaps = 0
            for v in range(14, 0, -1):
                at = c * 15 + v
                self.room1[at] = many[v + 1] + landing[v + 1]
                self.room2[at] = many[v + 2] + landing[v + 1] + landing[v + 2]
                if v + 1 in landing:
                    self.need1[at] = self.need2[at] = 0
                elif v < top:
                    self.need2[at] = miss[v + 1]
                    if v + 2 in landing:
                        self.need1[at] = miss[v + 1]
                    elif v + 2 <= top:
                        self.need1[at] = miss[v + 1] + miss[v + 2]
                if self.lazy:
                    self.bridge[at] = bool(many[v + 1] or (self.jokers > 1 and many[v + 2]))
                self.start[at] = self.jokers > 0 and (sparse or gaps <= self.jokers - 1)
                gaps += miss[v] if v not in covered and (v < 14 or task.high_one) else 0
                self.twice[at] = self.jokers > 0 and (task.positional or whole or sparse or forbidden)
                self.is_must[at] = bool(task.must[c * 14 + (v if v < 14 else 1)])

    # --- options of a column outside the runs ----------------------------------------------------------------------

    def _options(self, v: int) -> tuple[Option, ...]:
        task = self.task
        free = [task.free[c * 14 + v] for c in FOURS]
        must = [task.must[c * 14 + v] for c in FOURS]
        mixed = [bool(free[c] and must[c]) for c in FOURS]
        seats = [s for s in task.seats if s.value == v]
        points = task.set_points[v] if task.set_points else 0
        keep = [self._high(c) if v == 1 and task.high_one else 0 for c in FOURS]
        low = [self.need1[c * 15 + 1] <= self.jokers for c in FOURS]
        best: dict[tuple[Four, int, int, int, int], Option] = {}
        for drop in product(*(range(free[c] + 1) if mixed[c] else (0,) for c in FOURS)):
            have = [free[c] + must[c] - drop[c] for c in FOURS]
            sure = sum((free[c] - drop[c]) * task.set_gain[v] for c in FOURS if mixed[c])
            ways = [(None, *s.colours, *((4,) if s.takes_joker and not self.lazy else ())) for s in seats]
            for filled in product(*ways):
                left: Four = tuple(have[c] - filled.count(c) for c in FOURS)  # type: ignore[assignment]
                on_seats = filled.count(4)
                if min(left) < 0 or on_seats > self.jokers:
                    continue
                seated = sum(task.set_gain[v] for c in filled if c is not None and c < 4)
                for use, q in group_uses(left, self.jokers - on_seats, task.ratio):
                    reals: Four = (left[0] - use[0], left[1] - use[1], left[2] - use[2], left[3] - use[3])
                    gain = sure + seated + (q + on_seats) * task.joker_set[v]
                    gain += sum(use[c] * task.set_gain[v] for c in FOURS if not must[c])
                    groups = split_groups(use, q, task.ratio) or ()
                    if self.lazy and any(j and len(colours) + j == 4 for colours, j in groups):
                        continue
                    bits = (HAS_SET | (HAS_ONES if v == 1 else 0)) if groups else 0
                    worth = points * (sum(use) + q)
                    for rest, ones in self._reserve(reals, keep, low) if v == 1 else ((reals, 0),):
                        option = Option(rest, q + on_seats, ones, gain, bits, worth, filled, groups)
                        key = (rest, option.jokers, ones, bits if task.least else 0, worth if task.least else 0)
                        known = best.get(key)
                        if known is None or known.gain < gain:
                            best[key] = option
        return tuple(sorted(best.values(), key=lambda o: o.jokers))

    def _high(self, c: int) -> int:
        """How many ones of this colour may end a run above the 13."""
        grown = sum(run.colour == c and run.high >= 11 for run in self.task.runs)
        return min(self.count[c * 14 + 12], self.count[c * 14 + 13]) + self.jokers + grown

    @staticmethod
    def _reserve(reals: Four, keep: list[int], low: list[bool]) -> Iterator[tuple[Four, int]]:
        choices = []
        for n, most, below in zip(reals, keep, low, strict=True):
            most = min(n, most)
            choices.append(range(most + 1) if below else (most,))
        for kept in product(*choices):
            rest: Four = tuple(n - k for n, k in zip(reals, kept, strict=True))  # type: ignore[assignment]
            yield rest, sum(k << 3 * c for c, k in enumerate(kept))

    # --- one colour in one column ----------------------------------------------------------------------------------

    def _id(self, chains: tuple[int, ...]) -> int:
        known = self.ids.get(chains)
        if known is None:
            known = self.ids[chains] = len(self.chains)
            self.chains.append(chains)
        return known

    def _steps(self, at: int, sid: int, reals: int, jokers: int) -> tuple[Step, ...]:
        v = at % 15
        col = Column(
            reals,
            self.is_must[at],
            jokers,
            self.need1[at],
            self.need2[at],
            self.room1[at],
            self.room2[at],
            self.start[at],
            self.bridge[at],
            self.twice[at],
            v == 1,
            v == 14,
        )
        return steps(self.chains[sid], col, self.cfg)

    def _entries(self, at: int, sid: int, reals: int, jokers: int) -> tuple[Entry, ...]:
        """The outcomes of one cell: (state id in its place, jokers, gain, has a run, opening points, pending)."""
        c, v = divmod(at, 15)
        gain, points = self.task.run_gain, self.task.run_points
        found = []
        for step in self._steps(at, sid, reals, jokers):
            worth = step.here * gain[v] + step.jokers * self.task.joker_run[v]
            value = (step.here + step.jokers) * points[v] if points else 0
            if step.back1:
                worth += step.back1 * gain[v - 1]
                value += step.back1 * points[v - 1] if points else 0
            if step.back2:
                worth += step.back2 * gain[v - 2]
                value += step.back2 * points[v - 2] if points else 0
            hope = 0
            for chain in step.chains:
                if chain & PENDING and chain < 1 << SLEEP:
                    hope += gain[v] + (gain[v - 1] if chain & REAL == 2 else 0)
            found.append((self._id(step.chains) << SID * c, step.jokers, worth, int(step.run), value, hope))
        return tuple(found)

    # --- the sweep -------------------------------------------------------------------------------------------------

    def _before(self, v: int, key: int) -> Iterator[tuple[int, int, tuple[tuple[int, int], ...]]]:
        """The table's runs that begin or end before column ``v``: (key, gain, which chain joined which run)."""
        outcomes: list[tuple[int, int, tuple[tuple[int, int], ...]]] = [(key, 0, ())]
        for index, run in enumerate(self.task.runs):
            if v not in (run.low, run.high + 1):
                continue
            shift = SID * run.colour
            after = []
            for now, gain, joined in outcomes:
                chains = self.chains[now >> shift & MASK]
                rest = now & ~(MASK << shift)
                if v == run.high + 1:
                    woken = tuple(sorted(x & (1 << SLEEP) - 1 if x >> SLEEP == index + 1 else x for x in chains))
                    after.append((rest | self._id(woken) << shift, gain, joined))
                    continue
                for pick in (None, *range(len(chains))):
                    made = self._land(chains, pick, index, run)
                    if made is None:
                        continue
                    asleep, more = made
                    others = chains if pick is None else chains[:pick] + chains[pick + 1 :]
                    state = self._id(tuple(sorted((*others, (index + 1) << SLEEP | asleep))))
                    link = joined if pick is None else (*joined, (index, pick))
                    after.append((rest | state << shift, gain + more, link))
            outcomes = after
        yield from outcomes

    def _land(self, chains: tuple[int, ...], pick: int | None, index: int, run: TableRun) -> tuple[int, int] | None:
        meld = self.table_chain[index]
        if pick is None:
            return meld, 0
        chain = chains[pick]
        if chain >= 1 << SLEEP or chain & TABLE:
            return None
        if chain & LOW_ONE and run.high == 14:
            return None
        if chain & LAST_JOKER and run.first_joker:
            return None
        asleep = join(chain, meld, self.cfg)
        if asleep is None:
            return None
        if not chain & PENDING:
            return asleep, 0
        gain = self.task.run_gain
        return asleep, gain[run.low - 1] + (gain[run.low - 2] if chain & REAL == 2 else 0)

    def solve(self, floor: int = -1) -> Found | None:
        """The best arrangement with a gain above ``floor``; None if there is none.

        None too where no arrangement keeps the conditions: every ``must`` laid, an opening that opens. A narrow sweep
        comes first: what it finds is mostly the best already, and the whole sweep then drops every state that cannot
        lead to more.
        """
        if self.jokers and not self.lazy and not self.task.positional:
            return self._jokers_last(floor)
        return self._solve(floor, None)

    def _jokers_last(self, floor: int) -> Found | None:
        """Jokers nearly always find a place, so first the tiles alone count, then the jokers left over are added.

        That is the best there is if all of them can be added; if not, it is a bound for the search that counts them.
        """
        task = self.task
        each = task.joker_run[1]
        tiles = replace(task, joker_run=(0,) * 15, joker_set=(0,) * 14, free_jokers=self.jokers, must_jokers=0)
        search = Search(tiles, self.limit, lazy=True)
        found = search.solve(floor - task.free_jokers * each)
        self.exhaustive = search.exhaustive
        if not search.exhaustive:
            return self._solve(floor, None)
        if found is None:
            return None
        self.most = min(self.most, found.gain + task.free_jokers * each)
        add_jokers(found, task)
        if found.jokers_left > task.free_jokers:
            return self._solve(floor, None)
        found.gain += (task.free_jokers - found.jokers_left) * each
        if not found.jokers_left:
            return found
        return self._solve(max(floor, found.gain), found if found.gain > floor else None)

    def _solve(self, floor: int, found: Found | None) -> Found | None:
        narrow = TABLE_WIDTHS if any(self.task.must) else WIDTHS
        for width in (*(w for w in narrow if w < self.limit), self.limit):
            better = self._sweep(floor, width)
            if better is not None:
                found, floor = better, better.gain
            self.exhaustive = not self.narrowed or floor >= self.most
            if self.exhaustive:
                break
        if found is not None:
            found.complete = self.exhaustive
        return found

    def _sweep(self, floor: int, width: int) -> Found | None:
        """Column by column. At most ``width`` states of a column go on (counted in ``narrowed``), the likeliest."""
        task = self.task
        layer = {self.jokers << JOKER_AT: 0}
        back: list[tuple[int, bool, dict[int, int], dict[int, int]]] = []
        last = 14 if task.high_one else 13
        self.narrowed = 0
        events = {p for run in task.runs for p in (run.low, run.high + 1)}
        for v in range(1, last + 1):
            if v in events:
                moved: dict[int, int] = {}
                came: dict[int, int] = {}
                for key, value in layer.items():
                    for after, gain, _ in self._before(v, key):
                        if value + gain > moved.get(after, -1):
                            moved[after] = value + gain
                            came[after] = key
                back.append((v, True, layer, came))
                layer = moved
            came = {}
            after_layer = (self._column_tracked if task.least else self._column)(v, layer, came, floor)
            back.append((v, False, layer, came))
            if not task.least and (self.lazy or len(after_layer) > MANY):
                after_layer = self._outdone(v, after_layer)
            layer = after_layer if len(after_layer) <= width else self._likeliest(v, after_layer, width)
            if not layer:
                return None
        return self._finish(layer, back)

    def _likeliest(self, v: int, layer: dict[int, int], width: int) -> dict[int, int]:
        """About ``width`` states: those that may lead to most, of these the ones that owe least."""
        gain = self.task.run_gain
        hope = [0] * len(self.chains)  # by colour state: value of the pending tiles
        owed = [0] * len(self.chains)  # ... and the tiles that must follow
        for sid, chains in enumerate(self.chains):
            for c in chains:
                if c & PENDING and c < 1 << SLEEP:
                    hope[sid] += gain[v] + (gain[v - 1] if c & REAL == 2 else 0)
                elif c < 1 << SLEEP:
                    owed[sid] += max(0, 3 - length(c))
        worth = [self.rest[v + 1][j] + j * self.joker_most for j in range(3)]
        able = []
        for key, value in layer.items():
            s0, s1, s2, s3 = key & MASK, key >> SID & MASK, key >> 2 * SID & MASK, key >> 3 * SID & MASK
            jokers = key >> JOKER_AT & 3
            bound = value + hope[s0] + hope[s1] + hope[s2] + hope[s3] + worth[jokers]
            up = key >> ONES_AT & 0xFFF
            if up:
                bound += gain[14] * ((up & 7) + (up >> 3 & 7) + (up >> 6 & 7) + (up >> 9))
            able.append((bound, -owed[s0] - owed[s1] - owed[s2] - owed[s3], value, key))
        able.sort(reverse=True)
        # what was kept for the high 1 shows only at the end, so every such choice goes on
        share = max(2, width // len({key >> ONES_AT for key in layer}))
        taken: Counter[int] = Counter()
        some = {}
        for _, _, value, key in able:
            taken[key >> ONES_AT] += 1
            if taken[key >> ONES_AT] <= share:
                some[key] = value
        self.narrowed += len(layer) - len(some)
        return some

    def _outdone(self, v: int, layer: dict[int, int]) -> dict[int, int]:
        """Without states that another one beats for every continuation: with more jokers, or in the runs of a colour.

        More jokers in hand are better only where jokers bring nothing by themselves. The look at the runs pays where
        states are many and most tiles have to be laid.
        """
        better = self._better(v, layer) if len(layer) > MANY and any(self.task.must) else None
        one = 1 << JOKER_AT
        get = layer.get
        kept = {}
        for key, value in layer.items():
            used = self.jokers - (key >> JOKER_AT & 3) if self.lazy else 0
            if used and (get(key + one, -1) >= value or (used > 1 and get(key + 2 * one, -1) >= value)):
                continue
            if better is not None:
                moves = (move for c in FOURS for move in better[c][key >> SID * c & MASK])
                if any(
                    get(key + shift, -1) >= value + need or (used and get(key + shift + one, -1) >= value + need)
                    for shift, need in moves
                ):
                    continue
            kept[key] = value
        return kept

    def _better(self, v: int, layer: dict[int, int]) -> list[dict[int, list[tuple[int, int]]]]:
        """By colour and state of it: the states there that beat it, as (change of the key, gain they must be ahead)."""
        gain, below = self.task.run_gain[v], self.task.run_gain[v - 1]
        answer: list[dict[int, list[tuple[int, int]]]] = []
        for c in FOURS:
            there = {key >> SID * c & MASK for key in layer}
            better: dict[int, list[tuple[int, int]]] = {worse: [] for worse in there}
            for worse in there:
                for sid in there:
                    need = surplus(self.chains[sid], self.chains[worse])
                    if sid != worse and need is not None:
                        better[worse].append(((sid - worse) << SID * c, need[0] * gain + need[1] * below))
            answer.append(better)
        return answer

    def _bounds(self) -> None:
        """``rest[v][j]``: the most that free tiles of value v and above can still bring with j jokers in hand.

        A tile that no meld without a joker holds needs one beside it: at most four such tiles share a joker (two on
        either side), at most two of them above a joker that lies already. ``most``: the most of all.
        """
        task = self.task
        self.joker_most = max(*task.joker_run[1:], *task.joker_set[1:]) if self.jokers else 0
        self.offset = task.must_jokers * task.joker_run[1]
        sure = 0
        near: list[list[int]] = [[] for _ in range(17)]
        self.rest = [[0] * 3 for _ in range(17)]
        for v in range(13, 0, -1):
            each = max(task.set_gain[v], task.run_gain[v], task.run_gain[14] if v == 1 else 0)
            colours = sum(1 for c in FOURS if self.count[c * 14 + v])
            seat = any(seat.value == v for seat in task.seats)
            for c in FOURS:
                tiles = task.free[c * 14 + v]
                if tiles and (seat or colours >= 3 or self._in_run(c, v, 0)):
                    sure += tiles * each
                elif tiles and (colours + self.jokers >= 3 or self._in_run(c, v, self.jokers)):
                    near[v] += [each] * tiles
            above = sorted((x for w in range(v, 14) for x in near[w]), reverse=True)
            next_two = sorted(near[v] + near[v + 1], reverse=True)
            for j in range(self.jokers + 1):
                rescued = sum(above[: 4 * j]) + sum(next_two[: 2 * (self.jokers - j)])
                self.rest[v][j] = sure + min(rescued, sum(above))
        self.most = self.rest[1][self.jokers] + self.jokers * self.joker_most - self.offset

    def _in_run(self, c: int, v: int, jokers: int) -> bool:
        """Whether tiles and so many jokers are there for some run with this value."""
        if any(run.colour == c for run in self.task.runs):
            return True
        have = [0, *(int(self.count[c * 14 + w] > 0) for w in range(1, 14)), int(self.count[c * 14 + 1] > 0)]
        places = (v, 14) if v == 1 and self.task.high_one else (v,)
        top = 14 if self.task.high_one else 13
        return any(
            3 - sum(have[low : low + 3]) <= jokers
            for place in places
            for low in range(max(1, place - 2), min(place, top - 2) + 1)
        )

    def _cell(self, at: int, sid: int, reals: int, jokers: int) -> tuple[Entry, ...]:
        k = sid << 5 | reals << 2 | jokers
        known = self.memo[at].get(k)
        if known is None:
            known = self.memo[at][k] = self._entries(at, sid, reals, jokers)
        return known

    def _pair(self, v: int, low: int, states: int, code: int) -> list[Pair]:
        """The outcomes of two colours, ``low`` and the next: (state ids, jokers, gain, value still pending)."""
        left = code & 3
        first = self._cell(low * 15 + v, states & MASK, code >> 5, left)
        second = first and self._cell((low + 1) * 15 + v, states >> SID, code >> 2 & 7, left)
        found: list[Pair] = []
        for n0, j0, g0, _, _, h0 in first:
            for n1, j1, g1, _, _, h1 in second:
                if j0 + j1 <= left:
                    found.append((n0 + n1, j0 + j1, g0 + g1, h0 + h1))
        return found

    def _column(self, v: int, layer: dict[int, int], came: dict[int, int], floor: int) -> dict[int, int]:
        """All states after column ``v`` that may still lead to more than ``floor``."""
        low, high = self.pairs[v], self.pairs[15 + v]
        options = [
            (o.reals[0] << 5 | o.reals[1] << 2, o.reals[2] << 5 | o.reals[3] << 2, o.jokers, o.ones, o.gain)
            for o in (self.options[v] if v < 14 else ())
        ]
        above = self.task.run_gain[14]
        spare = [self.rest[v + 1][j] + j * self.joker_most - floor - self.offset for j in range(3)]
        pair, both = self._pair, (1 << 2 * SID) - 1
        new: dict[int, int] = {}
        get = new.get
        for key, value in layer.items():
            s01 = key & both
            s23 = key >> 2 * SID & both
            jokers = key >> JOKER_AT & 3
            ones = key >> ONES_AT
            if v == 14:
                options = [((ones & 7) << 5 | (ones >> 3 & 7) << 2, (ones >> 6 & 7) << 5 | (ones >> 9) << 2, 0, 0, 0)]
                ones = 0
            for r01, r23, q, kept, gain in options:
                left = jokers - q
                if left < 0:
                    break
                k = s01 << 8 | r01 | left
                e01 = low.get(k)
                if e01 is None:
                    e01 = low[k] = pair(v, 0, s01, r01 | left)
                if not e01:
                    continue
                k = s23 << 8 | r23 | left
                e23 = high.get(k)
                if e23 is None:
                    e23 = high[k] = pair(v, 2, s23, r23 | left)
                base = value + gain
                up = ones or kept
                tail = up << ONES_AT
                hope = above * ((up & 7) + (up >> 3 & 7) + (up >> 6 & 7) + (up >> 9)) if up else 0
                for n01, j01, g01, h01 in e01:
                    left1 = left - j01
                    b01 = base + g01
                    h01 += hope
                    n01 += tail
                    for n23, j23, g23, h23 in e23:
                        rest = left1 - j23
                        if rest < 0:
                            continue
                        nv = b01 + g23
                        if nv + h01 + h23 + spare[rest] > 0:
                            nk = n01 + n23 + (rest << JOKER_AT)
                            if nv > get(nk, -1):
                                new[nk] = nv
                                came[nk] = key
        return new

    def _column_tracked(self, v: int, layer: dict[int, int], came: dict[int, int], floor: int) -> dict[int, int]:
        new: dict[int, int] = {}
        for key, value in layer.items():
            for nk, gain, _, _ in self._outcomes(v, key):
                if value + gain > new.get(nk, -1):
                    new[nk] = value + gain
                    came[nk] = key
        return new

    def _outcomes(self, v: int, key: int) -> Iterator[tuple[int, int, Option, tuple[Four, Four, int]]]:
        """Every way through a column from one state: (key, gain, option, (state ids, entry of each, jokers))."""
        task = self.task
        sids = [key >> SID * c & MASK for c in FOURS]
        jokers = key >> JOKER_AT & 3
        ones = key >> ONES_AT & 0xFFF
        extra = key >> EXTRA_AT
        bits, points = extra & 7, extra >> 3
        if v == 14:
            kept: Four = (ones & 7, ones >> 3 & 7, ones >> 6 & 7, ones >> 9)
            options: tuple[Option, ...] = (Option(kept, 0, 0, 0, 0, 0, (), ()),)
            ones = 0
        else:
            options = self.options[v]
        for option in options:
            left = jokers - option.jokers
            if left < 0:
                break
            lists = [self._cell(c * 15 + v, sids[c], option.reals[c], left) for c in FOURS]
            for picks in product(*(range(len(e)) for e in lists)):
                chosen = [lists[c][picks[c]] for c in FOURS]
                rest = left - sum(e[1] for e in chosen)
                if rest < 0:
                    continue
                nk = sum(e[0] for e in chosen) + (rest << JOKER_AT) + ((option.ones + ones) << ONES_AT)
                if task.least:
                    has = bits | option.bits | (HAS_RUN if any(e[3] for e in chosen) else 0)
                    worth = min(task.least, points + option.points + sum(e[4] for e in chosen))
                    nk += (has | worth << 3) << EXTRA_AT
                used: Four = picks  # type: ignore[assignment]
                yield nk, option.gain + sum(e[2] for e in chosen), option, (used, option.reals, left)

    # --- the answer ------------------------------------------------------------------------------------------------

    def _finish(
        self,
        layer: dict[int, int],
        back: list[tuple[int, bool, dict[int, int], dict[int, int]]],
    ) -> Found | None:
        ends = [(value, key) for key, value in layer.items() if self._may_end(key)]
        if not ends:
            return None
        value, key = max(ends)
        path = [key]
        for _, _, _, came in reversed(back):
            path.append(came[path[-1]])
        path.reverse()
        left = key >> JOKER_AT & 3
        found = Found(value - self.offset, [], [], left, self.narrowed == 0)
        trace = _Trace(self, found)
        for i, (v, event, before, _) in enumerate(back):
            after = back[i + 1][2] if i + 1 < len(back) else layer
            delta = after[path[i + 1]] - before[path[i]]
            (trace.land if event else trace.column)(v, path[i], path[i + 1], delta)
        trace.close(key)
        return found

    def _may_end(self, key: int) -> bool:
        task = self.task
        if (key >> JOKER_AT & 3) > task.free_jokers:
            return False
        if task.least:
            extra = key >> EXTRA_AT
            if extra >> 3 < task.least or not any(extra & 7 & w == w for w in task.wanted):
                return False
        for c in FOURS:
            for chain in self.chains[key >> SID * c & MASK]:
                bare = chain & (1 << SLEEP) - 1
                if not bare & PENDING and not legal(bare, self.cfg):
                    return False
        return True


def add_jokers(found: Found, task: Task) -> None:
    """Lays as many of the jokers left as will go onto the melds found and those of the table."""
    while found.jokers_left and (_onto_run(found, task) or _onto_group(found, task)):
        found.jokers_left -= 1


def _onto_run(found: Found, task: Task) -> bool:
    lengthened = {run.table for run in found.runs}
    still = [Run(t.colour, t.low, [], i) for i, t in enumerate(task.runs) if t.takes_joker and i not in lengthened]
    for run in sorted(found.runs, key=lambda run: run.jokers.count(True)) + still:
        table = task.runs[run.table] if run.table is not None else None
        if table is not None and not table.takes_joker:
            continue
        inner = 0 if table is None else table.high - table.low + 1
        size = len(run.jokers) + inner
        jokers = run.jokers.count(True) + (0 if table is None else table.jokers)
        below, above = run.jokers[: run.below], run.jokers[run.below :]
        first = below[0] if below else (table.first_joker if table is not None else run.jokers[0])
        last = above[-1] if above else (table.last_joker if table is not None else run.jokers[-1])
        if (jokers + 1) * task.ratio > size - jokers or size >= (14 if task.run14 and task.high_one else 13):
            continue
        if run.start + size <= (14 if task.high_one else 13) and (task.adjacent or not last):
            run.jokers.append(True)
        elif run.start > 1 and (task.adjacent or not first):
            run.jokers.insert(0, True)
            run.start -= 1
            run.below += table is not None
        else:
            continue
        if run in still:
            found.runs.append(run)
        return True
    return False


def _onto_group(found: Found, task: Task) -> bool:
    filled = {group.seat for group in found.groups}
    for group in found.groups:
        real = len(group.colours)
        if group.seat is None and real + group.jokers < 4 and (group.jokers + 1) * task.ratio <= real:
            group.jokers += 1
            return True
    for i, seat in enumerate(task.seats):
        if seat.takes_joker and i not in filled:
            found.groups.append(Group(seat.value, (), 1, i))
            return True
    return False


class _Trace:
    """Plays the best path again and writes down the melds."""

    def __init__(self, search: Search, found: Found) -> None:
        self.search = search
        self.found = found
        self.open: list[list[Run]] = [[], [], [], []]  # in the order of the chains of the state

    def land(self, v: int, key: int, after: int, delta: int) -> None:
        search = self.search
        links = next(j for k, gain, j in search._before(v, key) if k == after and gain == delta)
        landed = dict(links)
        for index, run in enumerate(search.task.runs):
            if v not in (run.low, run.high + 1):
                continue
            shift = SID * run.colour
            rows = list(zip(search.chains[key >> shift & MASK], self.open[run.colour], strict=True))
            if v == run.high + 1:
                rows = [(x & (1 << SLEEP) - 1 if x >> SLEEP == index + 1 else x, r) for x, r in rows]
            else:
                pick = landed.get(index)
                meld = Run(run.colour, run.low, [], index)
                if pick is not None:
                    _, meld = rows.pop(pick)
                    meld.table, meld.below = index, len(meld.jokers)
                chain = search.table_chain[index]
                if pick is not None:
                    joined = join(search.chains[key >> shift & MASK][pick], chain, search.cfg)
                    assert joined is not None
                    chain = joined
                rows.append(((index + 1) << SLEEP | chain, meld))
            rows.sort(key=lambda row: row[0])
            self.open[run.colour] = [r for _, r in rows]
            key = key & ~(MASK << shift) | search._id(tuple(x for x, _ in rows)) << shift

    def column(self, v: int, key: int, after: int, delta: int) -> None:
        search = self.search
        way = next(o for o in search._outcomes(v, key) if o[0] == after and o[1] == delta)
        _, _, option, (picks, reals, left) = way
        seats = [i for i, s in enumerate(search.task.seats) if s.value == v]
        for seat, colour in zip(seats, option.seats, strict=False):
            if colour is not None:
                where = () if colour == 4 else (colour,)
                self.found.groups.append(Group(v, where, int(colour == 4), seat))
        for colours, jokers in option.groups:
            self.found.groups.append(Group(v, colours, jokers))
        for c in FOURS:
            sid = key >> SID * c & MASK
            step = search._steps(c * 15 + v, sid, reals[c], left)[picks[c]]
            before = self.open[c]
            for index in step.closed:
                self._keep(before[index])
            rows: list[Run] = []
            for chain, (source, joker) in zip(step.chains, step.moves, strict=True):
                if source < 0:
                    rows.append(Run(c, v, [joker]))
                    continue
                run = before[source]
                if chain < 1 << SLEEP:
                    run.jokers.append(joker)
                rows.append(run)
            self.open[c] = rows

    def close(self, key: int) -> None:
        for c in FOURS:
            for chain, run in zip(self.search.chains[key >> SID * c & MASK], self.open[c], strict=True):
                if not chain & PENDING:
                    self._keep(run)

    def _keep(self, run: Run) -> None:
        if run.table is None or run.jokers:
            self.found.runs.append(run)
