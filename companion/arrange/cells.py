"""What is known of every cell (colour and position) before the search: what chains lack there, what may still come."""

from __future__ import annotations

from collections import Counter

from companion.arrange.chains import LAST_JOKER, LOW_ONE, NEVER, NO_JOKER, TABLE, Column, Config
from companion.arrange.task import FOURS, TableRun, Task


class Cells:
    """Facts of a task by cell, ``colour * 15 + position``.

    ``lazy``: jokers bring nothing by themselves and are only used where tiles need them.
    """

    def __init__(self, task: Task, lazy: bool) -> None:
        self.task = task
        self.lazy = lazy
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
        self._bounds()

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

    def column(self, at: int, reals: int, jokers: int) -> Column:
        """The cell as the chains of its colour see it, with so many tiles for runs and jokers at hand."""
        return Column(
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
            at % 15 == 1,
            at % 15 == 14,
        )

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
