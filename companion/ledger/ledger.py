"""The ledger itself: matches, devices, settings, backup and restore."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from json import JSONDecodeError
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, func, select, text
from sqlalchemy.exc import DatabaseError, IntegrityError, OperationalError
from sqlalchemy.pool import PoolProxiedConnection

from companion.ledger.copies import check_sound, copy_rows, copy_sqlite, seal
from companion.ledger.engine import WRITES, ledger_url, open_engine
from companion.ledger.schema import (
    DEVICES,
    EVENTS,
    INVITES,
    MATCHES,
    MIGRATIONS,
    SETTINGS,
    DamagedLedgerError,
    LedgerError,
    check_version,
    migrate,
    version,
)
from companion.match import ConflictError, Event, Match, MatchStarted, append, from_json, replay, to_json

EVENT_LIMIT = 256 * 1024
"""Bytes of one event's JSON."""
CHANNEL = "remi_events"
"""PostgreSQL: every append notifies this channel with ``<match id>:<version>``, a restore with ``*``."""


@dataclass(frozen=True)
class MatchInfo:
    """A line in the list of matches. ``updated``: when its last event was written, ISO 8601 UTC."""

    id: str
    created: str
    updated: str
    version: int


@dataclass(frozen=True)
class Device:
    """A browser that may score. ``revoked``: since when it may no longer, None while it may."""

    id: str
    name: str
    created: str
    revoked: str | None


def now() -> str:
    """The time, ISO 8601 in UTC with milliseconds; as text it sorts by time."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def hash_token(token: str) -> str:
    """What the ledger keeps of a device's or an invite's secret token."""
    return hashlib.sha256(token.encode()).hexdigest()


def match_id_of(key: str) -> str:
    """The id of the match that an event with this key starts: starting it twice is starting it once."""
    return hashlib.sha256(key.encode()).hexdigest()[:12]


class Ledger:
    """The ledger behind a URL (``sqlite:///...``, ``postgresql+psycopg://...``) or the path of an SQLite file.

    Safe to share between threads; several processes may use the same ledger at once. Opening brings the schema up to
    date. Raises :class:`LedgerError` when it can't be opened or was written by a newer companion.
    """

    def __init__(self, where: str | Path) -> None:
        self.url = ledger_url(where)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._engine = open_engine(self.url)
        self._writer = self._engine.execution_options(**{WRITES: True})
        try:
            self._migrate()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- events ------------------------------------------------------------------------------------------------

    def start(self, event: MatchStarted) -> tuple[str, Match]:
        """Start a match; its id follows from the event's key. Raises :class:`companion.match.MatchError`."""
        match_id = match_id_of(event.key)
        return match_id, self.append(match_id, event, 0)

    def append(self, match_id: str, event: Event, expected: int) -> Match:
        """Write one event for a writer who saw version ``expected``; the state after it.

        When this returns the event is on disk. The same key again changes nothing and returns the present state.
        Raises :class:`companion.match.ConflictError` when someone else was quicker, :class:`companion.match.MatchError`
        when the event can't be, ``KeyError`` when there is no such match, :class:`LedgerError` when it's too large.
        """
        event = event if event.at else replace(event, at=now())
        body = json.dumps(to_json(event), separators=(",", ":"))
        if len(body) > EVENT_LIMIT:
            raise LedgerError(f"An event may have at most {EVENT_LIMIT} bytes, this one has {len(body)}.")
        try:
            with self._write() as conn:
                row = conn.execute(select(MATCHES.c.id).where(MATCHES.c.id == match_id).with_for_update()).first()
                if row is None and not isinstance(event, MatchStarted):
                    raise KeyError(match_id)
                before = None if row is None else replay(self._read_events(conn, match_id))
                after = append(before, event, expected)
                if after is before:
                    return after
                if row is None:
                    conn.execute(MATCHES.insert().values(id=match_id, created=event.at))
                conn.execute(EVENTS.insert().values(match_id=match_id, seq=after.version, key=event.key, body=body))
                self._tell(conn, f"{match_id}:{after.version}")
            return after
        except IntegrityError:  # PostgreSQL: two writers started the same match at once, there was no row to lock
            return self._lost_race(match_id, event, expected)

    def _tell(self, conn: Connection, what: str) -> None:
        if not self.is_sqlite:
            conn.execute(select(func.pg_notify(CHANNEL, what)))

    def _lost_race(self, match_id: str, event: Event, expected: int) -> Match:
        present = self.match(match_id)
        after = append(present, event, expected)
        if after is not present:
            raise ConflictError(expected=expected, found=present.version)
        return after

    def events(self, match_id: str, after: int = 0) -> tuple[Event, ...]:
        """The events of a match from version ``after`` on: event i of the answer made version ``after + i + 1``.

        Raises ``KeyError`` when there is no such match.
        """
        query = (
            select(EVENTS.c.body)
            .select_from(MATCHES)
            .outerjoin(EVENTS, (EVENTS.c.match_id == MATCHES.c.id) & (EVENTS.c.seq > after))
            .where(MATCHES.c.id == match_id)
            .order_by(EVENTS.c.seq)
        )
        with self._read() as conn:
            bodies = conn.execute(query).scalars().all()
        if not bodies:
            raise KeyError(match_id)
        return tuple(self._event(body) for body in bodies if body is not None)

    def _read_events(self, conn: Connection, match_id: str) -> Iterator[Event]:
        query = select(EVENTS.c.body).where(EVENTS.c.match_id == match_id).order_by(EVENTS.c.seq)
        for body in conn.execute(query).scalars():
            yield self._event(body)

    def match(self, match_id: str) -> Match:
        """The state of a match now. Raises ``KeyError`` when there is no such match."""
        return replay(self.events(match_id))

    def matches(self) -> tuple[MatchInfo, ...]:
        """All matches, the one written to last first."""
        last = select(EVENTS.c.match_id, func.max(EVENTS.c.seq).label("seq")).group_by(EVENTS.c.match_id).subquery()
        query = (
            select(MATCHES.c.id, MATCHES.c.created, EVENTS.c.seq, EVENTS.c.body)
            .join(last, last.c.match_id == MATCHES.c.id)
            .join(EVENTS, (EVENTS.c.match_id == last.c.match_id) & (EVENTS.c.seq == last.c.seq))
        )
        with self._read() as conn:
            rows = conn.execute(query).all()
        infos = [MatchInfo(row.id, row.created, str(json.loads(row.body)["at"]), row.seq) for row in rows]
        return tuple(sorted(infos, key=lambda info: (info.updated, info.id), reverse=True))

    # -- devices and settings ----------------------------------------------------------------------------------

    def invite(self, token: str, expires: str) -> None:
        """Remember a one-time pairing token until ``expires`` (ISO 8601 UTC as :func:`now` writes it)."""
        with self._write() as conn:
            conn.execute(INVITES.insert().values(token_hash=hash_token(token), created=now(), expires=expires))

    def pair(self, invite_token: str, device_token: str, name: str) -> Device | None:
        """Trade an invite for a paired device, once. None when the invite is unknown, used or out of time."""
        device = Device(secrets.token_hex(8), name, now(), None)
        row = {"token_hash": hash_token(device_token), "id": device.id, "name": name, "created": device.created}
        invite = INVITES.c.token_hash == hash_token(invite_token)
        good = select(INVITES).where(invite, INVITES.c.device_id.is_(None), INVITES.c.expires > device.created)
        with self._write() as conn:
            if conn.execute(good.with_for_update()).first() is None:
                return None
            conn.execute(DEVICES.insert().values(**row))
            conn.execute(INVITES.update().where(invite).values(device_id=device.id))
        return device

    def device(self, token: str) -> Device | None:
        """The paired device with this token; None when there is none or it was revoked."""
        query = select(DEVICES).where(DEVICES.c.token_hash == hash_token(token), DEVICES.c.revoked.is_(None))
        with self._read() as conn:
            row = conn.execute(query).first()
        return None if row is None else _device(row)

    def devices(self) -> tuple[Device, ...]:
        """All devices ever paired, oldest first, with the revoked ones."""
        with self._read() as conn:
            return tuple(map(_device, conn.execute(select(DEVICES).order_by(DEVICES.c.created, DEVICES.c.id))))

    def revoke(self, device_id: str) -> None:
        """From now on this device may no longer score. Raises ``KeyError`` for an unknown device."""
        chosen = DEVICES.c.id == device_id
        with self._write() as conn:
            if conn.execute(select(DEVICES.c.id).where(chosen)).first() is None:
                raise KeyError(device_id)
            conn.execute(DEVICES.update().where(chosen, DEVICES.c.revoked.is_(None)).values(revoked=now()))

    def setting(self, name: str, default: Any = None) -> Any:
        """A JSON value kept under a name."""
        with self._read() as conn:
            value = conn.execute(select(SETTINGS.c.value).where(SETTINGS.c.name == name)).scalar()
        return default if value is None else json.loads(value)

    def set_setting(self, name: str, value: Any) -> None:
        """Keep a JSON value under a name."""
        upsert = "INSERT INTO settings VALUES (:name, :value) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
        with self._write() as conn:
            conn.execute(text(upsert), {"name": name, "value": json.dumps(value)})

    def default_setting(self, name: str, value: Any) -> Any:
        """The value under a name, which becomes ``value`` if there was none: several processes get the same one."""
        insert = "INSERT INTO settings VALUES (:name, :value) ON CONFLICT (name) DO NOTHING"
        with self._write() as conn:
            conn.execute(text(insert), {"name": name, "value": json.dumps(value)})
        return self.setting(name)

    # -- backup ------------------------------------------------------------------------------------------------

    def backup(self, path: str | Path) -> None:
        """A consistent copy of the ledger as one SQLite file, taken while others go on writing.

        An existing file at ``path`` is replaced, at once and only by a complete copy. Raises :class:`LedgerError`.
        """
        target = Path(path)
        try:
            with tempfile.TemporaryDirectory(prefix=".remi-backup-", dir=target.parent) as folder:
                part = Path(folder) / "ledger.db"
                if self.is_sqlite:
                    copy_sqlite(Path(str(self.url.database)), part)
                else:
                    with Ledger(part) as copy, self._read(snapshot=True) as source, copy._write() as sink:
                        copy_rows(source, sink)
                seal(part)
                os.replace(part, target)
        except (OSError, sqlite3.Error, DatabaseError) as error:
            if _is_damage(error):
                raise DamagedLedgerError(str(self.url.database), error) from error
            raise LedgerError(f"The backup could not be written to {target}: {error}") from error

    def restore(self, path: str | Path) -> int:
        """Replace everything in this ledger by what a backup holds, in one transaction; the number of matches.

        The backup is checked first: a file that isn't one, is damaged, newer than this companion, or holds events
        that don't replay, raises :class:`LedgerError` and changes nothing.
        """
        source = Path(path)
        if not source.is_file():
            raise LedgerError(f"There is no backup at {source}.")
        with tempfile.TemporaryDirectory(prefix="remi-restore-") as folder:
            work = Path(folder) / "ledger.db"
            try:
                copy_sqlite(source, work)
                with closing(sqlite3.connect(work)) as conn:
                    check_sound(conn)
                    # an empty file is a database to SQLite, but no backup of a ledger
                    conn.execute("SELECT version FROM schema_version")
                copy = Ledger(work)
            except (OSError, sqlite3.Error, DamagedLedgerError) as error:
                raise LedgerError(f"{source} is no usable backup: {error}") from error
            with copy:
                try:
                    infos = copy.matches()
                    for info in infos:
                        copy.match(info.id)
                except (KeyError, ValueError, DatabaseError, DamagedLedgerError) as error:
                    raise LedgerError(f"{source} is no usable backup: {error}") from error
                with copy._read() as rows, self._write() as sink:
                    copy_rows(rows, sink)
                    self._tell(sink, "*")
        return len(infos)

    # -- connections -------------------------------------------------------------------------------------------

    def connection(self) -> PoolProxiedConnection:
        """A bare connection of the database's driver, to be closed by who asked for it."""
        return self._engine.raw_connection()

    @contextmanager
    def _read(self, *, snapshot: bool = False) -> Iterator[Connection]:
        """A transaction that reads; with ``snapshot`` all its statements see one moment (on SQLite they always do)."""
        engine = self._engine
        if snapshot and not self.is_sqlite:
            engine = engine.execution_options(isolation_level="REPEATABLE READ")
        with self._in_words(), engine.begin() as conn:
            yield conn

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        """A transaction that writes: committed at the end, rolled back on any exception."""
        with self._in_words(), self._writer.begin() as conn:
            yield conn

    def _migrate(self) -> None:
        try:
            with self._engine.begin() as conn:
                found = version(conn)
            if found == len(MIGRATIONS):
                return
            check_version(found)
            with self._writer.begin() as conn:
                migrate(conn)
        except DatabaseError as error:
            if _is_damage(error.orig):
                raise DamagedLedgerError(str(self.url.database), error.orig) from error
            raise LedgerError(f"The ledger at {self.url!r} can't be opened: {error.orig}") from error

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        """A database that is locked for too long, full, gone or damaged is a :class:`LedgerError`."""
        try:
            yield
        except DatabaseError as error:
            if _is_damage(error.orig):
                raise DamagedLedgerError(str(self.url.database), error.orig) from error
            if isinstance(error, OperationalError):
                raise LedgerError(f"The ledger can't be used just now: {error.orig}") from error
            raise

    def _event(self, body: str) -> Event:
        """An event as it was written. Raises LedgerError where the disk gives back something else."""
        try:
            return from_json(json.loads(body))
        except JSONDecodeError as error:
            raise DamagedLedgerError(str(self.url.database), error) from error


def _is_damage(error: object) -> bool:
    """Whether SQLite finds its file malformed or no database; a full or locked disk is an OperationalError."""
    return type(error) is sqlite3.DatabaseError


def _device(row: Row[Any]) -> Device:
    return Device(row.id, row.name, row.created, row.revoked)
