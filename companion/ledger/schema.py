"""The tables of the ledger and the migrations that made them."""

from __future__ import annotations

from sqlalchemy import Column, Connection, Integer, MetaData, Table, Text, inspect, select, text

META = MetaData()
VERSION = Table("schema_version", META, Column("version", Integer, primary_key=True))
MATCHES = Table("matches", META, Column("id", Text, primary_key=True), Column("created", Text, nullable=False))
EVENTS = Table(
    "events",
    META,
    Column("match_id", Text, primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("key", Text, nullable=False),
    Column("body", Text, nullable=False),
)
DEVICES = Table(
    "devices",
    META,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("token_hash", Text, nullable=False),
    Column("created", Text, nullable=False),
    Column("revoked", Text),
)
INVITES = Table(
    "invites",
    META,
    Column("token_hash", Text, primary_key=True),
    Column("created", Text, nullable=False),
    Column("expires", Text, nullable=False),
    Column("device_id", Text),
)
SETTINGS = Table("settings", META, Column("name", Text, primary_key=True), Column("value", Text, nullable=False))

CONTENT = (MATCHES, EVENTS, DEVICES, INVITES, SETTINGS)
"""The tables that a backup holds, in an order in which rows may be put in."""

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE matches (id TEXT PRIMARY KEY, created TEXT NOT NULL)",
        "CREATE TABLE events (match_id TEXT NOT NULL REFERENCES matches (id), seq INTEGER NOT NULL, key TEXT NOT NULL,"
        " body TEXT NOT NULL, PRIMARY KEY (match_id, seq), UNIQUE (match_id, key))",
    ),
    (
        "CREATE TABLE devices (id TEXT PRIMARY KEY, name TEXT NOT NULL, token_hash TEXT NOT NULL UNIQUE,"
        " created TEXT NOT NULL, revoked TEXT)",
        "CREATE TABLE invites (token_hash TEXT PRIMARY KEY, created TEXT NOT NULL, expires TEXT NOT NULL,"
        " device_id TEXT REFERENCES devices (id))",
        "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    ),
)
"""Migration n (from 1) takes the schema from version n - 1 to n. Written ones never change; new ones go to the end."""

_MIGRATION_LOCK = 0x72656D69  # 'remi': any fixed number will do, PostgreSQL locks by it


class LedgerError(RuntimeError):
    """The ledger can't be opened, read, backed up or restored; ``str()`` is a sentence for the person."""


class DamagedLedgerError(LedgerError):
    """The ledger's file is no sound database any more. Nothing was written over it."""

    def __init__(self, where: str, why: object) -> None:
        super().__init__(
            f"The ledger {where} is damaged ({why}). Nothing was written over it. Stop the companion and bring back "
            "the newest backup with remi restore FILE; the damaged file is kept beside it."
        )


def version(conn: Connection) -> int:
    """The version of the schema behind a connection, 0 for a database without one."""
    if not inspect(conn).has_table(VERSION.name):
        return 0
    return int(conn.execute(select(VERSION.c.version)).scalar_one())


def check_version(found: int) -> None:
    """Raise :class:`LedgerError` when a schema is newer than this companion."""
    if found > len(MIGRATIONS):
        raise LedgerError(
            f"This ledger was written by a newer companion (schema {found}, known up to {len(MIGRATIONS)}): "
            "update the companion to open it."
        )


def migrate(conn: Connection) -> None:
    """Bring the schema up to date within the connection's open transaction, which must be a writing one."""
    if conn.dialect.name == "postgresql":
        conn.execute(text("SELECT pg_advisory_xact_lock(:n)"), {"n": _MIGRATION_LOCK})
    found = version(conn)
    check_version(found)
    if found == 0:
        conn.execute(text("CREATE TABLE schema_version (version INTEGER PRIMARY KEY)"))
        conn.execute(VERSION.insert().values(version=0))
    for statements in MIGRATIONS[found:]:
        for statement in statements:
            conn.execute(text(statement))
    if found < len(MIGRATIONS):
        conn.execute(VERSION.update().values(version=len(MIGRATIONS)))
