"""Parts of the work side by side: in order, none left out, errors passed on, also in a process that was forked."""

from __future__ import annotations

import os
import threading

import pytest

from vision.parallel import LEAST, in_parts


@pytest.mark.parametrize("threads", [0, 1, 3])
@pytest.mark.parametrize("count", [0, 1, LEAST - 1, 2 * LEAST, 1001])
@pytest.mark.parametrize("most", [None, 5])
def test_every_piece_is_worked_on_once_and_in_order(count: int, threads: int, most: int | None) -> None:
    parts = in_parts(lambda part: list(range(*part.indices(count))), count, threads, most)
    assert [n for part in parts for n in part] == list(range(count))
    assert all(0 < len(part) <= (most or count) for part in parts)


def test_parts_run_beside_each_other() -> None:
    both = threading.Barrier(2, timeout=20)
    assert in_parts(lambda part: both.wait() >= 0, 2 * LEAST, threads=2) == [True, True]


def test_one_thread_is_the_callers_own() -> None:
    assert set(in_parts(lambda part: threading.get_ident(), 1000, 1, 10)) == {threading.get_ident()}


def test_what_fails_in_a_part_reaches_the_caller() -> None:
    with pytest.raises(ZeroDivisionError):
        in_parts(lambda part: 1 // (part.start - 8 * LEAST), 1000, 2, LEAST)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no forks here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own() -> None:
    in_parts(lambda part: None, 1000)
    child = os.fork()
    if not child:
        os._exit(len(in_parts(lambda part: None, 1000, 2, 100)))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 10
