"""From the best path through the columns back to melds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.arrange.chains import PENDING, SLEEP, join
from companion.arrange.layout import MASK, SID
from companion.arrange.task import FOURS, Found, Group, Run

if TYPE_CHECKING:
    from companion.arrange.columns import Search


class Trace:
    """Plays the best path again and writes down the melds."""

    def __init__(self, search: Search, found: Found) -> None:
        self.search = search
        self.found = found
        self.open: list[list[Run]] = [[], [], [], []]  # in the order of the chains of the state

    def land(self, v: int, key: int, after: int, delta: int) -> None:
        search = self.search
        links = next(j for k, gain, j in search.before(v, key) if k == after and gain == delta)
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
                chain = search.cells.table_chain[index]
                if pick is not None:
                    joined = join(search.chains[key >> shift & MASK][pick], chain, search.cells.cfg)
                    assert joined is not None
                    chain = joined
                rows.append(((index + 1) << SLEEP | chain, meld))
            rows.sort(key=lambda row: row[0])
            self.open[run.colour] = [r for _, r in rows]
            key = key & ~(MASK << shift) | search.state_id(tuple(x for x, _ in rows)) << shift

    def column(self, v: int, key: int, after: int, delta: int) -> None:
        search = self.search
        way = next(o for o in search.outcomes(v, key) if o[0] == after and o[1] == delta)
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
            step = search.steps_of(c * 15 + v, sid, reals[c], left)[picks[c]]
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
