"""Copies of a ledger: backups are SQLite files whatever the ledger lives in."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import Connection, select, text

from companion.ledger.schema import CONTENT


def copy_sqlite(source: Path, target: Path) -> None:
    """Copy an SQLite database that may be written to meanwhile. Raises ``sqlite3.Error`` if ``source`` is none."""
    private_file(target)
    with (
        closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as reader,
        closing(sqlite3.connect(target)) as writer,
    ):
        reader.backup(writer)


def private_file(path: Path) -> None:
    """Make an empty file, unless there is one, that only its owner may read: a ledger holds secrets of devices."""
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))


def seal(path: Path) -> None:
    """Make a copied database one plain file, check it, and wait until the disk has it. Raises ``sqlite3.Error``."""
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("PRAGMA journal_mode=DELETE")
        check_sound(conn)
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def check_sound(conn: sqlite3.Connection) -> None:
    """Raise ``sqlite3.DatabaseError`` when SQLite finds the database damaged."""
    answer = conn.execute("PRAGMA quick_check(1)").fetchone()[0]
    if answer != "ok":
        raise sqlite3.DatabaseError(str(answer))


def copy_rows(source: Connection, sink: Connection) -> None:
    """Replace the content of ``sink`` by that of ``source``, in the open transaction; both have the newest schema."""
    if sink.dialect.name == "postgresql":
        # or a writer that waits for a row meanwhile would find it gone and not see the new one
        names = ", ".join(table.name for table in CONTENT)
        sink.execute(text(f"LOCK TABLE {names} IN ACCESS EXCLUSIVE MODE"))
    for table in reversed(CONTENT):
        sink.execute(table.delete())
    for table in CONTENT:
        rows = source.execute(select(table))
        while batch := rows.mappings().fetchmany(1000):
            sink.execute(table.insert(), [dict(row) for row in batch])
