"""Jokers left over once the tiles are arranged: onto which melds they go."""

from __future__ import annotations

from companion.arrange.task import Found, Group, Run, Task


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
