"""The plug is pulled: a process that appends in a loop dies by SIGKILL, and what it had confirmed is there, once."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from companion.ledger import Ledger, match_id_of
from companion.match import replay

WRITER = """
import sys
from companion.ledger import Ledger, match_id_of
from companion.match import Entry, Line, MatchStarted, Player, Result, RoundScored
where, first = sys.argv[1], int(sys.argv[2])
start = MatchStarted(key="start", game="remi", players=(Player("a", "Ana"), Player("b", "Bo")), dealer="a")
with Ledger(where) as ledger:
    match_id, match = ledger.start(start)
    for n in range(first, first + 100_000):
        result = Result(entries=(Entry.of("a", Line("points", n)), Entry.of("b")), data={"pad": "x" * 2000})
        match = ledger.append(match_id, RoundScored(key=f"round-{n}", result=result), match.version)
        print(n, flush=True)
"""


def _kill_while_writing(where: str, first: int, seconds: float) -> list[int]:
    """Rounds that a writer confirmed before it was killed in the middle of its work."""
    writer = subprocess.Popen([sys.executable, "-c", WRITER, where, str(first)], stdout=subprocess.PIPE)
    assert writer.stdout is not None
    confirmed = [int(writer.stdout.readline())]
    time.sleep(seconds)
    writer.kill()
    confirmed += [int(line) for line in writer.stdout.read().split(b"\n") if line]
    writer.stdout.close()
    assert writer.wait() == -9
    return confirmed


def _check_killed_writers(where: str, times: int) -> None:
    dice = random.Random(7)
    first = 1
    for _ in range(times):
        confirmed = _kill_while_writing(where, first, dice.uniform(0, 0.2))
        assert confirmed == list(range(first, first + len(confirmed)))
        with Ledger(where) as ledger:
            match = ledger.match(match_id_of("start"))
            assert match == replay(ledger.events(match_id_of("start")))
        rounds = [round_.points["a"] for round_ in match.rounds]
        # every round once and in order; at most one more that was written but not yet confirmed
        assert rounds == list(range(1, len(rounds) + 1))
        assert len(rounds) - confirmed[-1] in (0, 1)
        first = len(rounds) + 1


def test_a_killed_writer_loses_nothing_on_sqlite(tmp_path: Path) -> None:
    _check_killed_writers(str(tmp_path / "ledger.db"), times=2)


@pytest.mark.slow
def test_many_killed_writers_lose_nothing_on_sqlite(tmp_path: Path) -> None:
    _check_killed_writers(str(tmp_path / "ledger.db"), times=15)


@pytest.mark.slow
def test_many_killed_writers_lose_nothing_on_postgresql(postgresql: str) -> None:
    _check_killed_writers(postgresql, times=10)
