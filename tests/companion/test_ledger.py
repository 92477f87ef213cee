"""The ledger on SQLite and on PostgreSQL: what is confirmed stays, once, and nothing else does."""

from __future__ import annotations

import json
import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from companion.ledger import EVENT_LIMIT, Ledger, LedgerError, Watch, match_id_of
from companion.ledger.schema import MIGRATIONS
from companion.match import (
    ConflictError,
    Entry,
    Fault,
    Line,
    MatchEnded,
    MatchError,
    MatchStarted,
    Player,
    Result,
    RoundScored,
    RoundUndone,
    replay,
)

START = MatchStarted(key="start", game="remi", players=(Player("a", "Ana"), Player("b", "Bogdan")), dealer="a")


def scored(key: str, *points: int) -> RoundScored:
    entries = tuple(Entry.of(p, Line("points", n)) for p, n in zip("ab", points, strict=True))
    return RoundScored(key=key, result=Result(entries=entries))


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'ledger.db'}"
    url: str = request.getfixturevalue("postgresql")
    return url


@pytest.fixture
def ledger(where: str) -> Iterator[Ledger]:
    with Ledger(where) as opened:
        yield opened


def test_what_was_written_is_there_after_reopening(where: str) -> None:
    with Ledger(where) as ledger:
        match_id, match = ledger.start(START)
        match = ledger.append(match_id, scored("1", 95, -20), 1)
        match = ledger.append(match_id, RoundUndone(key="2", round=1), 2)
        match = ledger.append(match_id, scored("3", 50, 10), 3)
    with Ledger(where) as again:
        assert again.match(match_id) == match
        assert again.match(match_id).totals == {"a": 50, "b": 10}
        assert replay(again.events(match_id)) == match
        assert all(event.at for event in again.events(match_id))
        assert again.events(match_id, after=2) == match.events[2:]


def test_the_same_key_is_one_event_and_one_match(ledger: Ledger) -> None:
    match_id, _ = ledger.start(START)
    assert ledger.start(START)[0] == match_id == match_id_of("start")
    after = ledger.append(match_id, scored("1", 1, 2), 1)
    assert ledger.append(match_id, scored("1", 1, 2), 1) == after
    assert ledger.append(match_id, scored("1", 1, 2), 2) == after
    with pytest.raises(MatchError) as caught:
        ledger.append(match_id, scored("1", 3, 4), 2)
    assert caught.value.fault is Fault.KEY_REUSED
    assert len(ledger.events(match_id)) == 2
    assert len(ledger.matches()) == 1


def test_the_second_of_two_writers_is_told(ledger: Ledger) -> None:
    match_id, _ = ledger.start(START)
    ledger.append(match_id, scored("1", 1, 2), 1)
    with pytest.raises(ConflictError):
        ledger.append(match_id, scored("2", 1, 2), 1)
    assert ledger.match(match_id).version == 2


def test_what_cannot_be_is_not_written(ledger: Ledger) -> None:
    match_id, before = ledger.start(START)
    with pytest.raises(MatchError):
        ledger.append(match_id, RoundUndone(key="x", round=1), 1)
    entries = scored("x", 1, 2).result.entries
    too_long = RoundScored(key="x", result=Result(entries=entries, data={"x": "x" * EVENT_LIMIT}))
    with pytest.raises(LedgerError, match="at most"):
        ledger.append(match_id, too_long, 1)
    with pytest.raises(KeyError):
        ledger.append("nobody", MatchEnded(key="x"), 0)
    with pytest.raises(KeyError):
        ledger.events("nobody")
    assert [e.key for e in ledger.match(match_id).events] == [e.key for e in before.events]
    assert [info.id for info in ledger.matches()] == [match_id]


def test_strange_text_survives(ledger: Ledger) -> None:
    result = Result(entries=scored("x", 1, 2).result.entries, data={"note": "ș ț 🂡 \x00 \ud800"})
    match_id, _ = ledger.start(START)
    match = ledger.append(match_id, RoundScored(key="1", result=result), 1)
    assert ledger.match(match_id) == match


def test_matches_are_listed_last_played_first(ledger: Ledger) -> None:
    ids = []
    for name in "xyz":
        start = MatchStarted(
            key=name, game="rummy", players=START.players, dealer="a", at=f"2026-01-0{'xyz'.index(name) + 1}"
        )
        ids.append(ledger.start(start)[0])
    ledger.append(ids[0], MatchEnded(key="end", at="2026-02-01"), 1)
    assert [(info.id, info.version) for info in ledger.matches()] == [(ids[0], 2), (ids[2], 1), (ids[1], 1)]
    assert ledger.matches()[0].created == "2026-01-01"
    assert ledger.matches()[0].updated == "2026-02-01"


def test_writers_at_once_lose_nothing(where: str) -> None:
    with Ledger(where) as ledger:
        match_id, _ = ledger.start(START)
        failures: list[BaseException] = []

        def write(name: str) -> None:
            try:
                with Ledger(where) as own:
                    for n in range(8):
                        while True:
                            try:
                                own.append(match_id, scored(f"{name}{n}", 1, 0), own.match(match_id).version)
                                break
                            except ConflictError:
                                continue
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=write, args=(name,)) for name in "pqr"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        keys = [event.key for event in ledger.events(match_id)]
        assert sorted(keys[1:]) == sorted(f"{name}{n}" for name in "pqr" for n in range(8))
        assert ledger.match(match_id).totals == {"a": 24, "b": 0}


def test_opening_waits_for_who_writes_before_the_ledger_has_its_log(tmp_path: Path) -> None:
    """As among several who open a fresh file at once: SQLite waits for nobody when it changes to a write-ahead log."""
    path = tmp_path / "ledger.db"
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("CREATE TABLE other (n)")
        other.execute("BEGIN IMMEDIATE")
        done = threading.Timer(0.3, other.execute, ["COMMIT"])
        done.start()
        with Ledger(path) as ledger:
            assert ledger.start(START)[1].version == 1
        done.join()


def test_one_match_started_by_many_at_once_is_one(where: str) -> None:
    barrier = threading.Barrier(4, timeout=30)
    found: list[object] = []

    def start() -> None:
        with Ledger(where) as own:
            barrier.wait()
            try:
                found.append(own.start(START)[0])
            except BaseException as error:
                found.append(error)

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [match_id_of("start")] * 4
    with Ledger(where) as ledger:
        assert ledger.match(match_id_of("start")).version == 1


def test_a_device_pairs_once_with_an_invite_and_can_be_revoked(ledger: Ledger) -> None:
    ledger.invite("invite", expires="9999")
    ledger.invite("old", expires="2000")
    assert ledger.pair("wrong", "t0", "Thief") is None
    assert ledger.pair("old", "t0", "Late") is None
    device = ledger.pair("invite", "token", "Ana's phone")
    assert device is not None
    assert ledger.pair("invite", "t2", "Second") is None
    assert ledger.device("token") == device
    assert ledger.device("t2") is None
    assert ledger.devices() == (device,)
    ledger.revoke(device.id)
    assert ledger.device("token") is None
    (revoked,) = ledger.devices()
    assert revoked.revoked is not None
    with pytest.raises(KeyError):
        ledger.revoke("nobody")


def test_tokens_are_not_kept_in_the_clear(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with Ledger(path) as ledger:
        ledger.invite("secret-invite", expires="9999")
        ledger.pair("secret-invite", "secret-device", "Phone")
    content = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"Phone" in content
    assert b"secret" not in content


def test_settings(ledger: Ledger) -> None:
    assert ledger.setting("language", "ro") == "ro"
    ledger.set_setting("language", "en")
    ledger.set_setting("language", {"of": ["cs"]})
    assert ledger.setting("language") == {"of": ["cs"]}
    assert ledger.default_setting("secret", "one") == "one"
    assert ledger.default_setting("secret", "two") == "one"


def test_backup_while_open_and_restore(ledger: Ledger, tmp_path: Path) -> None:
    match_id, _ = ledger.start(START)
    before = ledger.append(match_id, scored("1", 10, 20), 1)
    ledger.set_setting("language", "ro")
    ledger.backup(tmp_path / "copy.db")
    ledger.append(match_id, scored("2", 1, 1), 2)
    ledger.start(MatchStarted(key="later", game="remi", players=START.players, dealer="b"))
    ledger.set_setting("language", "en")
    assert ledger.restore(tmp_path / "copy.db") == 1
    assert ledger.match(match_id) == before
    assert len(ledger.matches()) == 1
    assert ledger.setting("language") == "ro"
    assert [file.name for file in tmp_path.iterdir() if "copy" in file.name or "backup" in file.name] == ["copy.db"]
    with Ledger(tmp_path / "copy.db") as copy:
        assert copy.match(match_id) == before


def test_a_backup_is_taken_and_restored_while_others_write(where: str, tmp_path: Path) -> None:
    with Ledger(where) as ledger:
        match_id, _ = ledger.start(START)
        stop = threading.Event()
        failures: list[BaseException] = []

        def write() -> None:
            n = 0
            try:
                with Ledger(where) as own:
                    while not stop.is_set():
                        n += 1
                        try:
                            own.append(match_id, scored(f"k{n}", 1, 0), own.match(match_id).version)
                        except ConflictError:
                            continue
            except BaseException as error:
                failures.append(error)

        thread = threading.Thread(target=write)
        thread.start()
        try:
            for n in range(5):
                ledger.backup(tmp_path / "copy.db")
                with Ledger(tmp_path / "copy.db") as copy:
                    match = copy.match(match_id)
                    assert match.totals["a"] == match.version - 1
                if n % 2:
                    ledger.restore(tmp_path / "copy.db")
        finally:
            stop.set()
            thread.join()
        assert failures == []
        match = ledger.match(match_id)
        assert match.totals["a"] == match.version - 1


def test_a_watcher_learns_of_every_writer(where: str, tmp_path: Path) -> None:
    with Ledger(where) as ledger, Ledger(where) as other:
        match_id, _ = ledger.start(START)
        ledger.backup(tmp_path / "copy.db")
        with Watch(ledger) as watch:
            assert not watch.wait(0)
            for writer, version in ((ledger, 1), (other, 2)):
                writer.append(match_id, scored(f"{version}", 1, 0), version)
                assert watch.wait(20)
                assert not watch.wait(0)
            other.restore(tmp_path / "copy.db")
            assert watch.wait(20)
            with pytest.raises(ConflictError):
                other.append(match_id, scored("x", 1, 0), 7)
            assert not watch.wait(0.2)


def test_a_watcher_waits_for_what_is_still_to_come(where: str) -> None:
    with Ledger(where) as ledger, Watch(ledger) as watch:
        writer = threading.Timer(0.3, ledger.start, args=(START,))
        writer.start()
        assert watch.wait(20)
        assert len(ledger.matches()) == 1
        writer.join()


def test_a_ledger_and_its_backup_are_for_their_owner_alone(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.start(START)
        ledger.backup(tmp_path / "copy.db")
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
    assert {"ledger.db", "ledger.db-wal", "copy.db"} <= set(modes)
    assert set(modes.values()) == {0o600}


def test_a_ledger_locked_for_too_long_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("companion.ledger.engine.BUSY_TIMEOUT_MS", 20)
    with Ledger(tmp_path / "ledger.db") as ledger:
        match_id, before = ledger.start(START)
        with closing(sqlite3.connect(tmp_path / "ledger.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert ledger.match(match_id).version == 1
            with pytest.raises(LedgerError, match="just now"):
                ledger.append(match_id, scored("1", 1, 2), 1)
        assert ledger.append(match_id, scored("1", 1, 2), 1).version == before.version + 1


def newer(path: Path) -> None:
    Ledger(path).close()
    with closing(sqlite3.connect(path)) as conn, conn:
        conn.execute("UPDATE schema_version SET version = version + 1")


def broken_events(path: Path) -> None:
    with Ledger(path) as ledger:
        ledger.start(START)
    with closing(sqlite3.connect(path)) as conn, conn:
        conn.execute("UPDATE events SET body = ?", (json.dumps({"v": 1, "kind": "nonsense", "key": "start"}),))


def damaged(path: Path) -> None:
    with Ledger(path) as ledger:
        match_id, _ = ledger.start(START)
        for n in range(30):
            ledger.append(match_id, scored(f"k{n}", 1, 1), n + 1)
    content = bytearray(path.read_bytes())
    content[8192 : len(content) - 100 : 3] = bytes(len(range(8192, len(content) - 100, 3)))
    path.write_bytes(content)


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda path: None, id="no file"),
        pytest.param(lambda path: path.touch(), id="an empty file"),
        pytest.param(lambda path: path.write_text("hello " * 1000), id="no database"),
        pytest.param(newer, id="of a newer companion"),
        pytest.param(broken_events, id="events that do not replay"),
        pytest.param(damaged, id="damaged"),
    ],
)
def test_a_bad_backup_is_refused_and_nothing_is_lost(make: object, tmp_path: Path) -> None:
    bad = tmp_path / "bad.db"
    make(bad)  # type: ignore[operator]
    with Ledger(tmp_path / "ledger.db") as ledger:
        match_id, match = ledger.start(START)
        with pytest.raises(LedgerError, match=r"[.:]"):
            ledger.restore(bad)
        assert ledger.match(match_id).events == ledger.match(match_id).events
        assert ledger.match(match_id).version == match.version


def test_a_backup_to_nowhere_is_a_sentence(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.db") as ledger, pytest.raises(LedgerError, match="could not be written"):
        ledger.backup(tmp_path / "no" / "such" / "folder.db")


@pytest.mark.parametrize("done", range(len(MIGRATIONS)))
def test_every_older_schema_is_brought_up_to_date(where: str, done: int) -> None:
    engine = create_engine(where)
    with engine.begin() as conn:
        if done:
            conn.execute(text("CREATE TABLE schema_version (version INTEGER PRIMARY KEY)"))
            conn.execute(text(f"INSERT INTO schema_version VALUES ({done})"))
        for statements in MIGRATIONS[:done]:
            for statement in statements:
                conn.execute(text(statement))
        if done:
            conn.execute(text("INSERT INTO matches VALUES ('old', '2025')"))
    engine.dispose()
    with Ledger(where) as ledger:
        match_id, match = ledger.start(START)
        ledger.set_setting("x", 1)
        assert ledger.match(match_id).version == match.version
    with Ledger(where) as again:
        assert again.setting("x") == 1
    engine = create_engine(where)
    with engine.connect() as conn:
        assert conn.execute(text("SELECT version FROM schema_version")).scalar_one() == len(MIGRATIONS)
        assert conn.execute(text("SELECT count(*) FROM matches")).scalar_one() == 1 + bool(done)
    engine.dispose()


def test_a_newer_schema_is_refused_with_a_sentence(where: str) -> None:
    Ledger(where).close()
    engine = create_engine(where)
    with engine.begin() as conn:
        conn.execute(text("UPDATE schema_version SET version = 999"))
    engine.dispose()
    with pytest.raises(LedgerError, match=r"newer companion \(schema 999"):
        Ledger(where)


@pytest.mark.parametrize(
    ("url", "word"),
    [
        ("mysql://x/y", "mysql"),
        ("sqlite://", "file"),
        ("sqlite:///:memory:", "file"),
        ("postgresql+psycopg://nobody@/x?host=/nowhere", "can't be opened"),
        ("/no/such/folder/ledger.db", "can't be opened"),
    ],
)
def test_a_ledger_that_cannot_be_opened_is_a_sentence(url: str, word: str) -> None:
    with pytest.raises(LedgerError, match=word):
        Ledger(url)


def test_sqlite_is_set_up_to_lose_nothing(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.db") as ledger, ledger._read() as conn:
        pragmas = {name: conn.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("journal_mode", "synchronous")}
        assert pragmas == {"journal_mode": "wal", "synchronous": 2}
        assert conn.exec_driver_sql("PRAGMA busy_timeout").scalar() == 10_000
