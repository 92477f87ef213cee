"""How soon everyone who watches hears of a round: see ``remi bench``."""

from __future__ import annotations

import http.client
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path

from flask import Flask

from companion.bench_report import Report
from companion.ledger import Ledger, now
from companion.match import RoundScored
from companion.web.app import create_app, services_of
from companion.web.demo import ROUNDS, set_up
from companion.web.scoring import score
from companion.web.serving import running

WATCHERS = (1, 50)
UPDATES = 10
PATIENCE = 20.0
"""Seconds after which a watcher that has heard nothing is given up."""


class Watcher(threading.Thread):
    """Listens to a match and notes when news came."""

    def __init__(self, port: int, match_id: str) -> None:
        super().__init__(daemon=True)
        self._line = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self._path = f"/api/matches/{match_id}/events"
        self.came: list[float] = []

    def run(self) -> None:
        """Read events until the server ends the stream."""
        self._line.request("GET", self._path)
        reply = self._line.getresponse()
        while line := reply.readline():
            if line.startswith(b"data:"):
                self.came.append(time.perf_counter())
        self._line.close()


def serving(report: Report, quick: bool = False) -> None:
    """Median and slowest time from a round in the ledger to everyone who watches."""
    report.title("Watchers served: from a scored round to the last screen")
    alone = 0.0
    for count in WATCHERS[: 1 if quick else None]:
        with tempfile.TemporaryDirectory() as folder, Ledger(Path(folder) / "ledger.db") as ledger:
            match_id = set_up(ledger)
            app = create_app(ledger)
            with running(app, count) as port:
                watchers = [Watcher(port, match_id) for _ in range(count)]
                for watcher in watchers:
                    watcher.start()
                late = [_update(app, ledger, match_id, watchers, n) for n in range(1, UPDATES + 1)]
            for watcher in watchers:
                watcher.join(PATIENCE)
        middle, worst = sorted(late)[len(late) // 2], max(late)
        alone = alone or middle
        report.line(
            f"{count} watching", f"{middle * 1000:.0f} ms", f"worst {worst * 1000:.0f} ms",
            f"{middle / alone:.1f} x one watcher", ms=middle * 1000, worst_ms=worst * 1000, ratio=middle / alone,
        )  # fmt: skip


def _update(app: Flask, ledger: Ledger, match_id: str, watchers: list[Watcher], number: int) -> float:
    """Score a round; seconds until the last watcher heard of it. Raises TimeoutError."""
    _wait(watchers, number)
    match = ledger.match(match_id)
    event = RoundScored(key=f"bench{number}", result=score(match, ROUNDS[number % len(ROUNDS)]).result)
    start = time.perf_counter()
    ledger.append(match_id, replace(event, at=now()), match.version)
    services_of(app).hub.poke()
    _wait(watchers, number + 1)
    return max(watcher.came[number] for watcher in watchers) - start


def _wait(watchers: list[Watcher], events: int) -> None:
    end = time.perf_counter() + PATIENCE
    while any(len(watcher.came) < events for watcher in watchers):
        if time.perf_counter() > end:
            raise TimeoutError("A watcher heard nothing.")
        time.sleep(0.002)
