"""Sixty screens watch: every one hears of every round, and the server takes no more memory the longer they do."""

from __future__ import annotations

import os
import time
import urllib.request
from pathlib import Path

import pytest
from processes import Client, Watcher, a_round, free_port, memory_kb, serving, threads_of

from companion.ledger import Ledger

pytestmark = pytest.mark.slow

WATCHERS = 60
CHANGES = int(os.environ.get("REMI_SOAK_CHANGES", "120"))
"""Changes told to every watcher after the server has warmed up; REMI_SOAK_CHANGES=1500 is several minutes."""
LEAK_KB = 4_000
"""Growth that counts as a leak: one state of this match kept for each watcher at each tenth change would be 9 MB."""

LAST = 40
"""Turns over which the memory held is told."""


def test_sixty_watchers_hear_of_every_round_and_let_go(tmp_path: Path) -> None:
    """Every watcher hears of every version, and nothing is held once they are gone."""
    port = free_port()
    with serving(port, tmp_path), Ledger(tmp_path / "ledger.db") as ledger:
        client = Client(port)
        client.pair(ledger)
        _, made = client.ask("POST", "/api/matches", {"key": "m", "game": "remi", "players": ["A", "B"]})
        match = made["id"]
        watchers = [Watcher(port, match) for _ in range(WATCHERS)]
        for watcher in watchers:
            watcher.start()
        done: dict[int, float] = {}
        took: list[float] = []
        version = 1
        for _ in range(20):
            start = time.monotonic()
            body = {"key": f"k{version}", "expected": version, "round": a_round(version)}
            status, _ = client.ask("POST", f"/api/matches/{match}/rounds", body)
            assert status == 201
            version += 1
            done[version] = start
            took.append(time.monotonic() - start)
            time.sleep(0.3)
        patience = time.monotonic() + 60
        while time.monotonic() < patience and any(version not in watcher.came for watcher in watchers):
            time.sleep(0.1)
        late = sorted(w.came[v] - at for w in watchers for v, at in done.items() if v in w.came)
        newest = {max(watcher.came) for watcher in watchers}
        print(
            f"{len(done)} rounds, update p50 {late[len(late) // 2] * 1000:.0f} ms, "
            f"p95 {late[len(late) * 95 // 100] * 1000:.0f} ms, "
            f"POST max {max(took) * 1000:.0f} ms"
        )
        assert newest == {version}
        for watcher in watchers:
            watcher.stop = True
        client.ask("POST", f"/api/matches/{match}/rounds", {"key": "z", "expected": version, "round": a_round(0)})
        for watcher in watchers:
            watcher.join(timeout=10)
        for _ in range(50):  # reloads: a stream opened and dropped
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api/matches/{match}/events", timeout=10).close()
        for _ in range(600):
            if client.ask("GET", "/healthz")[1]["watchers"] == 0:
                break
            time.sleep(0.1)
        assert client.ask("GET", "/healthz")[1]["watchers"] == 0


def test_memory_stays_where_it_is(tmp_path: Path) -> None:
    """Two scorers take a round over from each other again and again: each time all watchers get the whole state.

    The match stays as long as it is meanwhile, so what the server takes after warming up is kept for nothing.
    """
    port = free_port()
    with serving(port, tmp_path) as process, Ledger(tmp_path / "ledger.db") as ledger:
        clients = [Client(port), Client(port)]
        for client, name in zip(clients, ("Ana", "Bo"), strict=True):
            client.pair(ledger, name)  # the names tell one state from the other
        _, made = clients[0].ask("POST", "/api/matches", {"key": "m", "game": "remi", "players": ["A", "B"]})
        path = f"/api/matches/{made['id']}"
        for version in range(1, 21):
            body = {"key": f"k{version}", "expected": version, "round": a_round(version)}
            assert clients[0].ask("POST", f"{path}/rounds", body)[0] == 201
        while clients[0].ask("GET", "/healthz")[1]["reader"] in ("idle", "loading"):
            time.sleep(0.1)  # the networks take memory of their own
        watchers = [Watcher(port, made["id"]) for _ in range(WATCHERS)]
        for watcher in watchers:
            watcher.start()

        def take_turns(times: int) -> int:
            """What the server held meanwhile, at the last turns, but for what it held for a moment."""
            held = []
            for number in range(times):
                scorer = clients[number % 2]
                assert scorer.ask("PUT", f"{path}/claim", {"take_over": True, "draft": {"n": number}})[0] == 200
                time.sleep(0.05)
                held.append(memory_kb(process.pid))
            return sorted(held[-LAST:])[LAST // 4]

        before, threads = take_turns(80), threads_of(process.pid)
        after = take_turns(CHANGES)
        told = min(watcher.told for watcher in watchers)
        print(f"{told} events at every watcher, memory {before} -> {after} kB, {threads} threads")
        assert told > CHANGES / 2  # not a quiet server: changes in the same moment are told as one
        assert after - before < LEAK_KB
        assert threads_of(process.pid) == threads
