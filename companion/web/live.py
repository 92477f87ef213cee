"""The live stream: every watcher hears of every change within a moment (DESIGN.md 7).

One thread watches the ledger, whoever writes to it; each stream sleeps until its match has a newer version. An event
carries the whole state, with the match's version as its id, so a phone that slept needs only the newest one.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator

from companion.ledger import Ledger, Watch

LOG = logging.getLogger("companion.web")
RETRY_MS = 2000
LOOK = 0.5
"""Seconds after which a sleeping stream looks whether its browser is still there."""


class Hub:
    """Wakes streams when the ledger was written to. ``limit``: streams at once; ``heartbeat``: in seconds."""

    def __init__(self, ledger: Ledger, limit: int, heartbeat: float) -> None:
        self._ledger = ledger
        self._limit = limit
        self._heartbeat = heartbeat
        self._changed = threading.Condition()
        self._change = 0
        self._watchers = 0
        self._closed = False
        self._thread: threading.Thread | None = None

    @property
    def watchers(self) -> int:
        """Streams that are open now."""
        return self._watchers

    def start(self) -> None:
        """Start watching the ledger; the first stream does, so that an app without watchers has no thread."""
        with self._changed:
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._watch, name="ledger-watch", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """End all streams and stop watching."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join(timeout=5)

    def poke(self) -> None:
        """Something changed that this process knows of."""
        with self._changed:
            self._change += 1
            self._changed.notify_all()

    def _watch(self) -> None:
        while not self._closed:
            try:
                with Watch(self._ledger) as watch:
                    self.poke()  # what was written between two watches
                    while not self._closed:
                        if watch.wait(0.5):
                            self.poke()
            except Exception:  # the database's own errors: it went away and may come back
                LOG.warning("the ledger can't be watched just now", exc_info=True)
                time.sleep(1.0)

    def enter(self) -> bool:
        """Take a place among the streams; False when there is none left."""
        with self._changed:
            if self._watchers >= self._limit or self._closed:
                return False
            self._watchers += 1
        self.start()
        return True

    def leave(self) -> None:
        """Give the place back."""
        with self._changed:
            self._watchers -= 1

    def stream(
        self, state: Callable[[int], tuple[str, str]], last_id: str, gone: Callable[[], bool]
    ) -> Iterator[bytes]:
        """Server-sent events for a place taken by :meth:`enter`, given back at the end.

        ``state(change) -> (id, data)`` is asked after every change, which it may use to ask the ledger only once; an
        id that the browser has already is not sent again.
        ``gone``: whether the browser went away.
        """
        try:
            yield f"retry: {RETRY_MS}\n\n".encode()
            seen = -1
            beat = time.monotonic()
            while not self._closed and not gone():
                change = self._wait(seen)
                if change != seen and not self._closed:
                    seen = change
                    found, data = state(change)
                    if found != last_id:
                        last_id = found
                        beat = time.monotonic()
                        yield f"id: {found}\ndata: {data}\n\n".encode()
                if time.monotonic() - beat >= self._heartbeat:
                    beat = time.monotonic()
                    yield b": still here\n\n"
        finally:
            self.leave()

    def _wait(self, seen: int) -> int:
        with self._changed:
            self._changed.wait_for(lambda: self._change != seen or self._closed, LOOK)
            return self._change


class Snapshots:
    """The newest state of each match as text, so that sixty watchers cost one rendering and one copy."""

    KEPT = 64

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], tuple[int, tuple[str, str]]] = {}
        self._lock = threading.Lock()

    def get(self, match_id: str, language: str, change: int, make: Callable[[], tuple[str, str]]) -> tuple[str, str]:
        """The id and text of a match in a language, no older than ``change``; made once for each change."""
        key = (match_id, language)
        with self._lock:
            found = self._kept.pop(key, None)
            if found is None or found[0] < change:
                found = (change, make())
            self._kept[key] = found  # at the end: the first one is the one that was wanted longest ago
            while len(self._kept) > self.KEPT:
                del self._kept[next(iter(self._kept))]
            return found[1]
