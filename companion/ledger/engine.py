"""Connections to the ledger's database, set up so that what is confirmed is on disk."""

from __future__ import annotations

import sqlite3
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, create_engine, event, text
from sqlalchemy.engine import URL, Engine, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from companion.ledger.copies import private_file
from companion.ledger.schema import LedgerError

BUSY_TIMEOUT_MS = 10_000
BUSY_PAUSE = 0.01
"""Seconds between two attempts where SQLite itself does not wait."""
WRITES = "remi_write"
"""Execution option of connections whose transactions write."""


def ledger_url(where: str | Path) -> URL:
    """The URL of a ledger given as URL or as the path of an SQLite file. Raises :class:`LedgerError`."""
    if isinstance(where, Path) or "://" not in where:
        return URL.create("sqlite", database=str(where))
    try:
        url = make_url(where)
    except ArgumentError:
        raise LedgerError(f"{where} is no database URL.") from None
    backend = url.get_backend_name()
    if backend not in ("sqlite", "postgresql"):
        raise LedgerError(f"A ledger lives in SQLite or PostgreSQL, not in {backend}.")
    if backend == "sqlite" and url.database in (None, "", ":memory:"):
        raise LedgerError("A ledger in SQLite needs a file.")
    if url.drivername == "postgresql":  # SQLAlchemy would look for psycopg2
        url = url.set(drivername="postgresql+psycopg")
    return url


def open_engine(url: URL) -> Engine:
    """An engine for a ledger's URL. Raises :class:`LedgerError` when its driver is not installed."""
    if url.get_backend_name() == "sqlite":
        return _sqlite(url)
    try:
        engine = create_engine(url, pool_pre_ping=True)
    except (ImportError, NoSuchModuleError):
        raise LedgerError("PostgreSQL needs the extra: pip install 'remi-companion[postgres]'.") from None
    event.listen(engine, "begin", _begin_postgresql)
    return engine


def _sqlite(url: URL) -> Engine:
    with suppress(OSError):  # SQLite says better what is wrong with the place
        private_file(Path(str(url.database)))
    engine = create_engine(url, connect_args={"timeout": BUSY_TIMEOUT_MS / 1000})
    event.listen(engine, "connect", _set_up_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _set_up_sqlite(dbapi_connection: Any, _record: Any) -> None:
    dbapi_connection.isolation_level = None  # sqlite3 opens no transaction of its own: _begin_sqlite does
    mode = _write_ahead(dbapi_connection)
    if mode != "wal":
        raise LedgerError(f"SQLite can't keep a write-ahead log in this place (journal mode {mode}).")
    dbapi_connection.execute("PRAGMA synchronous=FULL")
    dbapi_connection.execute("PRAGMA foreign_keys=ON")


def _write_ahead(dbapi_connection: Any) -> Any:
    """Ask for a write-ahead log; the journal mode after it. SQLite does not wait for a busy database in this change, so
    that of several who open a fresh ledger at once some would be refused."""
    until = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            return dbapi_connection.execute("PRAGMA journal_mode=WAL").fetchone()[0]
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
        time.sleep(BUSY_PAUSE)


def _begin_sqlite(conn: Connection) -> None:
    # a writer takes the write lock at once: one that read first and asked for it later could only fail
    conn.exec_driver_sql("BEGIN IMMEDIATE" if conn.get_execution_options().get(WRITES) else "BEGIN")


def _begin_postgresql(conn: Connection) -> None:
    if conn.get_execution_options().get(WRITES):
        conn.execute(text("SET LOCAL synchronous_commit TO on"))  # whatever the server's default says
