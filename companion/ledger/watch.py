"""Learning that someone wrote to a ledger, in this process or another."""

from __future__ import annotations

import time
from typing import Any, cast

from companion.ledger.ledger import CHANNEL, Ledger

POLL = 0.1
"""Seconds between two looks at an SQLite ledger; one costs no more than a look into shared memory."""


class Watch:
    """Hears of every write to a ledger from its making on, by whatever process.

    What changed is for the listener to look up (``Ledger.match(id).version``); several writes may be told as one.
    PostgreSQL tells by LISTEN, SQLite is asked. For one thread at a time. Raises the driver's own error when the
    database goes away.
    """

    def __init__(self, ledger: Ledger) -> None:
        pooled = ledger.connection()
        self._conn = cast(Any, pooled.driver_connection)
        pooled.detach()
        self._asks = ledger.is_sqlite
        if self._asks:
            self._seen = self._data_version()
        else:
            self._conn.autocommit = True
            self._conn.execute(f"LISTEN {CHANNEL}")

    def wait(self, timeout: float) -> bool:
        """True as soon as something was written since the last call, False after ``timeout`` seconds without."""
        if not self._asks:
            return len(list(self._conn.notifies(timeout=timeout, stop_after=1))) > 0
        until = time.monotonic() + timeout
        while True:
            found = self._data_version()
            if found != self._seen:
                self._seen = found
                return True
            left = until - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(POLL, left))

    def _data_version(self) -> int:
        # rises with every commit of another connection, and this one never writes
        return int(self._conn.execute("PRAGMA data_version").fetchone()[0])

    def close(self) -> None:
        """Listen no more."""
        self._conn.close()

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
