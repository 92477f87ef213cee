"""The search: the values 1..13 and the high 1 as fourteen columns, the open runs of four colours as the state.

In a column every tile goes into a set, into a run of its colour, onto a meld of the table, or is dropped; the outcome
of a colour depends on the others only through the sets and the jokers. States that agree on all open runs, jokers left
and ones kept for the high end are one state, of which the best is kept (dynamic programming), so the answer is exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import product

from companion.arrange.cells import Cells
from companion.arrange.chains import (
    LAST_JOKER,
    LOW_ONE,
    PENDING,
    REAL,
    SLEEP,
    TABLE,
    Step,
    join,
    legal,
    length,
    steps,
    surplus,
)
from companion.arrange.groups import Option, options_of
from companion.arrange.layout import EXTRA_AT, JOKER_AT, MASK, ONES_AT, SID
from companion.arrange.spare import add_jokers
from companion.arrange.task import FOURS, HAS_RUN, Found, Four, TableRun, Task
from companion.arrange.trace import Trace

MANY = 200  # with fewer states in a column it does not pay to look which runs are better than others
WIDTHS = (40,)  # states of a column that the first, narrow sweep follows
TABLE_WIDTHS = (48, 400)  # ... where a table has to be laid anew, which a whole sweep is slow at

Entry = tuple[int, int, int, int, int, int]
Pair = tuple[int, int, int, int]


@dataclass
class Search:
    """One search for a task. ``limit``: states of one column that it follows at most.

    ``lazy``: jokers bring nothing by themselves and are only used where tiles need them. ``exhaustive`` says after
    :meth:`solve` whether nothing was left out.
    """

    task: Task
    limit: int = 200_000
    lazy: bool = False
    ids: dict[tuple[int, ...], int] = field(default_factory=dict)
    chains: list[tuple[int, ...]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.cells = Cells(self.task, self.lazy)
        self.jokers = self.cells.jokers
        self.most = self.cells.most
        self.ids[()] = 0
        self.chains.append(())
        self.memo: list[dict[int, tuple[Entry, ...]]] = [{} for _ in range(60)]
        self.pairs: list[dict[int, list[Pair]]] = [{} for _ in range(30)]
        self.options = {v: options_of(self.cells, v) for v in range(1, 14)}
        self.narrowed = 0
        self.exhaustive = True

    # --- one colour in one column ----------------------------------------------------------------------------------

    def state_id(self, chains: tuple[int, ...]) -> int:
        """The number of a state of one colour."""
        known = self.ids.get(chains)
        if known is None:
            known = self.ids[chains] = len(self.chains)
            self.chains.append(chains)
        return known

    def steps_of(self, at: int, sid: int, reals: int, jokers: int) -> tuple[Step, ...]:
        """The outcomes of one cell for a state of its colour."""
        return steps(self.chains[sid], self.cells.column(at, reals, jokers), self.cells.cfg)

    def _entries(self, at: int, sid: int, reals: int, jokers: int) -> tuple[Entry, ...]:
        """The outcomes of one cell: (state id in its place, jokers, gain, has a run, opening points, pending)."""
        c, v = divmod(at, 15)
        gain, points = self.task.run_gain, self.task.run_points
        found = []
        for step in self.steps_of(at, sid, reals, jokers):
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
            found.append((self.state_id(step.chains) << SID * c, step.jokers, worth, int(step.run), value, hope))
        return tuple(found)

    # --- the sweep -------------------------------------------------------------------------------------------------

    def before(self, v: int, key: int) -> Iterator[tuple[int, int, tuple[tuple[int, int], ...]]]:
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
                    after.append((rest | self.state_id(woken) << shift, gain, joined))
                    continue
                for pick in (None, *range(len(chains))):
                    made = self._land(chains, pick, index, run)
                    if made is None:
                        continue
                    asleep, more = made
                    others = chains if pick is None else chains[:pick] + chains[pick + 1 :]
                    state = self.state_id(tuple(sorted((*others, (index + 1) << SLEEP | asleep))))
                    link = joined if pick is None else (*joined, (index, pick))
                    after.append((rest | state << shift, gain + more, link))
            outcomes = after
        yield from outcomes

    def _land(self, chains: tuple[int, ...], pick: int | None, index: int, run: TableRun) -> tuple[int, int] | None:
        meld = self.cells.table_chain[index]
        if pick is None:
            return meld, 0
        chain = chains[pick]
        if chain >= 1 << SLEEP or chain & TABLE:
            return None
        if chain & LOW_ONE and run.high == 14:
            return None
        if chain & LAST_JOKER and run.first_joker:
            return None
        asleep = join(chain, meld, self.cells.cfg)
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
                    for after, gain, _ in self.before(v, key):
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
        return self._finish(layer, back, floor)

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
        worth = [self.cells.rest[v + 1][j] + j * self.cells.joker_most for j in range(3)]
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
        spare = [self.cells.rest[v + 1][j] + j * self.cells.joker_most - floor - self.cells.offset for j in range(3)]
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
            for nk, gain, _, _ in self.outcomes(v, key):
                if value + gain > new.get(nk, -1):
                    new[nk] = value + gain
                    came[nk] = key
        return new

    def outcomes(self, v: int, key: int) -> Iterator[tuple[int, int, Option, tuple[Four, Four, int]]]:
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
        floor: int,
    ) -> Found | None:
        floor += self.cells.offset
        ends = [(value, key) for key, value in layer.items() if value > floor and self._may_end(key)]
        if not ends:
            return None
        value, key = max(ends)
        path = [key]
        for _, _, _, came in reversed(back):
            path.append(came[path[-1]])
        path.reverse()
        left = key >> JOKER_AT & 3
        found = Found(value - self.cells.offset, [], [], left, self.narrowed == 0)
        trace = Trace(self, found)
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
                if not bare & PENDING and not legal(bare, self.cells.cfg):
                    return False
        return True
