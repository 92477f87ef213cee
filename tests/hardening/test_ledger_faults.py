"""What happens to the ledger on a bad day: disk full, folder read-only, clock set back, file damaged, two at once."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from companion.cli import main
from companion.ledger import DamagedLedgerError, Ledger, LedgerError, Watch
from companion.ledger import ledger as module
from companion.match import ConflictError, MatchError, MatchStarted, Player, PlayerRenamed

ROOT = Path(__file__).resolve().parents[2]
START = MatchStarted(key="start", game="remi", players=(Player("p1", "Ana"), Player("p2", "Bo")), dealer="p1")


def filled(path: Path, matches: int = 30) -> list[str]:
    """A ledger on disk, its write-ahead log folded in; the ids of its matches."""
    with Ledger(path) as ledger:
        return [ledger.start(replace(START, key=f"start-{n}"))[0] for n in range(matches)]


def alone(code: str, *args: object) -> str:
    """Run this in a process of its own, since it limits or gives up rights; what it printed."""
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{Path(__file__).parent}"}
    command = [sys.executable, "-c", code, *map(str, args)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


FULL = """
import os, resource, sys
from dataclasses import replace
from companion.ledger import Ledger, LedgerError
from test_ledger_faults import START

place = sys.argv[1]
with Ledger(place) as ledger:
    ledger.start(START)
    most = os.path.getsize(place + "-wal") + 40_000
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
    confirmed = 1
    try:
        for n in range(10_000):
            ledger.start(replace(START, key=f"start-{n}"))
            confirmed += 1
    except LedgerError as error:
        print(error)
    assert len(ledger.matches()) == confirmed, "reading goes on, and what was confirmed is there"
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    ledger.start(replace(START, key="room again"))
    print(confirmed + 1)
"""


def test_a_full_disk_is_a_sentence_and_loses_nothing_confirmed(tmp_path: Path) -> None:
    told, count = alone(FULL, tmp_path / "ledger.db").splitlines()
    assert told.startswith("The ledger can't be used just now: ")
    with Ledger(tmp_path / "ledger.db") as ledger:
        assert len(ledger.matches()) == int(count) > 2
        for info in ledger.matches():
            ledger.match(info.id)


@pytest.mark.skipif(os.geteuid() != 0, reason="a small disk is mounted by root")
def test_a_disk_that_is_truly_full(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(disk)], capture_output=True).returncode:
        pytest.skip("nothing may be mounted here")
    try:
        confirmed: list[str] = []
        with Ledger(disk / "ledger.db") as ledger:

            def fill() -> None:
                for n in range(10_000):
                    confirmed.append(ledger.start(replace(START, key=f"start-{n}"))[0])  # noqa: PERF401 (until full)

            with pytest.raises(LedgerError, match="full"):
                fill()
            assert {info.id for info in ledger.matches()} == set(confirmed)
            with pytest.raises(LedgerError, match="could not be written"):
                ledger.backup(disk / "backup.db")
            ledger.backup(tmp_path / "backup.db")
        with Ledger(tmp_path / "backup.db") as saved:
            assert {info.id for info in saved.matches()} == set(confirmed)
    finally:
        subprocess.run(["umount", str(disk)], check=True)


READ_ONLY = """
import os, sys
from companion.ledger import Ledger, LedgerError

if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
for name in ("ledger.db", "new.db"):
    try:
        Ledger(sys.argv[1] + "/" + name)
    except LedgerError as error:
        print(error)
"""


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user can come to, as pytest's own can't."""
    with tempfile.TemporaryDirectory(prefix="remi-test-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def test_a_read_only_folder_is_a_sentence_and_stays_as_it_was(open_folder: Path) -> None:
    place = open_folder / "data"
    place.mkdir()
    filled(place / "ledger.db", 2)
    before = (place / "ledger.db").read_bytes()
    (place / "ledger.db").chmod(0o444)
    place.chmod(0o555)
    try:
        told = alone(READ_ONLY, place).splitlines()
    finally:
        place.chmod(0o755)
    assert len(told) == 2
    assert "can't be opened" in told[0]
    assert "can't be opened" in told[1]
    assert (place / "ledger.db").read_bytes() == before
    assert [path.name for path in place.iterdir()] == ["ledger.db"]


def test_a_clock_set_back_loses_no_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    noon = datetime(2026, 11, 30, 12, tzinfo=UTC)
    times = iter([noon, *(noon - timedelta(days=400 * n) for n in range(1, 40))])
    monkeypatch.setattr(module, "now", lambda: next(times).isoformat(timespec="milliseconds"))
    with Ledger(tmp_path / "ledger.db") as ledger:
        match_id, match = ledger.start(START)
        for n in range(5):
            match = ledger.append(match_id, PlayerRenamed(key=f"k{n}", player="p1", name=f"Ana {n}"), match.version)
        assert [event.key for event in ledger.events(match_id)] == ["start", "k0", "k1", "k2", "k3", "k4"]
        assert ledger.match(match_id).name("p1") == "Ana 4"
        assert ledger.match(match_id) == match
        assert [info.id for info in ledger.matches()] == [match_id]


DAMAGES: dict[str, Any] = {
    "header": lambda data, noise: noise(16) + data[16:],
    "schema": lambda data, noise: data[:100] + noise(3996) + data[4096:],
    "middle": lambda data, noise: data[:8192] + noise(len(data) // 2 - 8192) + data[len(data) // 2 :],
    "tail": lambda data, noise: data[:-6000] + noise(6000),
    "truncated": lambda data, noise: data[: len(data) // 2],
    "noise": lambda data, noise: noise(len(data)),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_ledger_is_named_left_alone_and_replaced_by_a_backup(
    tmp_path: Path, damage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "ledger.db"
    ids = filled(place)
    with Ledger(place) as ledger:
        ledger.backup(tmp_path / "backup.db")
    bad = DAMAGES[damage](place.read_bytes(), random.Random(1).randbytes)
    place.write_bytes(bad)

    def use() -> None:
        with Ledger(place) as ledger:
            for info in ledger.matches():
                ledger.match(info.id)
            ledger.start(replace(START, key="new"))

    with pytest.raises(DamagedLedgerError, match="remi restore"):
        use()
    assert place.read_bytes() == bad, "nothing was written over it"
    assert main(["backup", str(tmp_path / "other.db"), "--data", str(tmp_path)]) == 2
    assert "remi restore" in capsys.readouterr().err
    assert not (tmp_path / "other.db").exists()
    assert main(["restore", str(tmp_path / "none.db"), "--data", str(tmp_path)]) == 2
    assert place.read_bytes() == bad, "a backup that is none changes nothing"
    assert main(["restore", str(tmp_path / "backup.db"), "--data", str(tmp_path)]) == 0
    with Ledger(place) as ledger:
        assert {info.id for info in ledger.matches()} == set(ids)
    kept = list(tmp_path.glob("damaged-*.db"))
    assert [path.read_bytes() for path in kept] == [bad]
    assert not list(tmp_path.glob(".restored*"))


def test_an_event_that_the_disk_gives_back_wrong_is_named(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.db") as ledger:
        match_id, match = ledger.start(START)
        with ledger._write() as conn:
            conn.exec_driver_sql("UPDATE events SET body = substr(body, 1, 20)")
        with pytest.raises(DamagedLedgerError):
            ledger.match(match_id)
        with pytest.raises(DamagedLedgerError):
            ledger.append(match_id, PlayerRenamed(key="k", player="p1", name="Eva"), match.version)


SECOND = """
import json, sys
from companion.ledger import Ledger
from companion.match import ConflictError, PlayerRenamed

done = 0
with Ledger(sys.argv[1]) as ledger:
    print("ready", flush=True)
    while done < int(sys.argv[3]):
        match = ledger.match(sys.argv[2])
        try:
            event = PlayerRenamed(key=f"theirs-{done}", player="p2", name=f"Bo {done}")
            ledger.append(sys.argv[2], event, match.version)
            done += 1
        except ConflictError:
            pass
"""


def test_two_processes_on_one_ledger_take_turns_and_hear_of_each_other(tmp_path: Path) -> None:
    place, count = tmp_path / "ledger.db", 25
    with Ledger(place) as ledger, Watch(ledger) as watch:
        match_id, _ = ledger.start(START)
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        other = subprocess.Popen([sys.executable, "-c", SECOND, str(place), match_id, str(count)], env=environment,
                                 stdout=subprocess.PIPE)
        assert other.stdout is not None
        assert other.stdout.readline() == b"ready\n"
        done = 0
        while done < count:
            match = ledger.match(match_id)
            try:
                event = PlayerRenamed(key=f"ours-{done}", player="p1", name=f"Ana {done}")
                ledger.append(match_id, event, match.version)
                done += 1
            except ConflictError:
                continue  # the other was quicker: look again
        assert other.wait(60) == 0
        other.stdout.close()
        assert watch.wait(5)
        keys = [event.key for event in ledger.events(match_id)]
        assert keys[0] == "start"
        assert [key for key in keys if key.startswith("ours")] == [f"ours-{n}" for n in range(count)]
        assert [key for key in keys if key.startswith("theirs")] == [f"theirs-{n}" for n in range(count)]
        assert (ledger.match(match_id).name("p1"), ledger.match(match_id).name("p2")) == ("Ana 24", "Bo 24")


def test_a_restore_under_a_running_ledger_is_seen_by_it(tmp_path: Path) -> None:
    place = tmp_path / "ledger.db"
    with Ledger(place) as ledger:
        match_id, _ = ledger.start(START)
        ledger.backup(tmp_path / "backup.db")
        ledger.append(match_id, PlayerRenamed(key="k", player="p1", name="Eva"), 1)
        assert main(["restore", str(tmp_path / "backup.db"), "--data", str(tmp_path)]) == 0
        assert ledger.match(match_id).name("p1") == "Ana"
        with pytest.raises((ConflictError, MatchError)):
            ledger.append(match_id, PlayerRenamed(key="k2", player="p1", name="Eva"), 2)
