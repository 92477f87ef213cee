"""Work on many pieces side by side, on all cores.

The pieces of a photo are small and many: cutting them out and running a network on a part of them in each thread is
faster than sharing each single step between threads, and where another program holds a core the other threads take
over its parts.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

Result = TypeVar("Result")
LEAST = 8
"""Fewest pieces of a part: less isn't worth a thread."""
SHARES = 2
"""Parts for each thread: a slow one leaves its second to another."""


def cores() -> int:
    """Processor cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(cores(), thread_name_prefix="pieces")


if hasattr(os, "register_at_fork"):  # threads don't survive a fork: the child makes its own
    os.register_at_fork(after_in_child=_pool.cache_clear)


def in_parts(work: Callable[[slice], Result], count: int, threads: int = 0, most: int | None = None) -> list[Result]:
    """`work` on consecutive parts of `count` pieces, each at most `most` long; the results in order, [] for none.

    `threads`: 1 works in the caller's thread alone, 0 on all cores. `work` must not call this again: the threads that
    wait could be the last ones.
    """
    threads = threads or cores()
    parts = max(min(SHARES * threads if threads > 1 else 1, count // LEAST), 1)
    length = -(-count // parts)
    length = max(min(length, most or length), 1)
    slices = [slice(start, min(start + length, count)) for start in range(0, count, length)]
    if threads == 1 or len(slices) == 1:
        return [work(part) for part in slices]
    return list(_pool().map(work, slices))
