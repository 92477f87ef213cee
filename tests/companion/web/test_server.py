"""The server as a process: killed while it scores, full of watchers, encrypted, two of them over one database."""

from __future__ import annotations

import http.client
import random
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from processes import Client, Watcher, a_round, free_port, serving

from companion.ledger import Ledger

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("backend", ["sqlite", "postgresql"])
def test_a_killed_server_keeps_every_confirmed_round_once(
    backend: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """200 scoring requests, the server killed at random moments among them."""
    more: list[str] = []
    place: str | Path = tmp_path / "ledger.db"
    if backend == "postgresql":
        place = request.getfixturevalue("postgresql")
        more = ["--database", place]
    port, chance = free_port(), random.Random(8)
    client = Client(port)
    match, sent = "", 0
    while sent < 200:
        with serving(port, tmp_path, *more) as process, Ledger(place) as ledger:
            if not match:
                client.pair(ledger)
                status, made = client.ask("POST", "/api/matches", {"key": "m", "game": "remi", "players": ["A", "B"]})
                assert status == 201
                match = made["id"]
            deadline = threading.Timer(chance.uniform(0.05, 1.5), process.send_signal, (signal.SIGKILL,))
            deadline.start()
            try:
                while sent < 200:
                    body = {"key": f"k{sent}", "expected": sent + 1, "round": a_round(sent + 1)}
                    status, answer = client.ask("POST", f"/api/matches/{match}/rounds", body)
                    assert status == 201, answer
                    sent += 1
            except (OSError, http.client.HTTPException):
                pass  # killed: the same request is sent again to the next server
            deadline.cancel()
    with Ledger(place) as ledger:
        found = ledger.match(match)
    assert [round_.points["p1"] for round_ in found.rounds] == list(range(1, 201))


def test_the_cap_sends_the_next_watcher_to_polling(tmp_path: Path) -> None:
    port = free_port()
    with serving(port, tmp_path, "--watchers", "2") as _, Ledger(tmp_path / "ledger.db") as ledger:
        client = Client(port)
        client.pair(ledger)
        _, made = client.ask("POST", "/api/matches", {"key": "m", "game": "remi", "players": ["A", "B"]})
        url = f"http://127.0.0.1:{port}/api/matches/{made['id']}"
        with urllib.request.urlopen(f"{url}/events"), urllib.request.urlopen(f"{url}/events"):
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(f"{url}/events")
            assert refused.value.code == 503
            assert refused.value.headers["Retry-After"] == "10"
            refused.value.close()
            assert client.ask("GET", f"/api/matches/{made['id']}")[0] == 200


def test_two_servers_over_one_postgresql(tmp_path: Path, postgresql: str) -> None:
    """Both write at once: each round is there once, and watchers of either server hear of those of both."""
    places = [tmp_path / "one", tmp_path / "two"]
    ports = [free_port(), free_port()]
    more = ["--database", postgresql]
    with serving(ports[0], places[0], *more), serving(ports[1], places[1], *more), Ledger(postgresql) as ledger:
        clients = [Client(port) for port in ports]
        for client in clients:
            client.pair(ledger)
        _, made = clients[0].ask("POST", "/api/matches", {"key": "m", "game": "remi", "players": ["A", "B"]})
        match = made["id"]
        watchers = [Watcher(port, match) for port in ports for _ in range(3)]
        for watcher in watchers:
            watcher.start()

        def score(client: Client, name: str) -> None:
            """Twelve rounds, each sent twice; whoever was too slow looks again, as a browser does."""
            path = f"/api/matches/{match}"
            for number in range(12):
                body = {"key": f"{name}{number}", "round": a_round(number + 1), "take_over": True}
                status = 409
                while status == 409:
                    body["expected"] = client.ask("GET", path)[1]["version"]
                    status, _ = client.ask("POST", f"{path}/rounds", body)
                assert status == 201
                again, _ = client.ask("POST", f"{path}/rounds", body)
                assert again in (201, 409)  # done already, or the other one is at it just now

        scorers = [threading.Thread(target=score, args=pair) for pair in zip(clients, "ab", strict=True)]
        for scorer in scorers:
            scorer.start()
        for scorer in scorers:
            scorer.join(timeout=240)
        found = ledger.match(match)
        keys = [event.key for event in ledger.events(match)]
        assert sorted(keys) == sorted(["m", *(f"{name}{number}" for name in "ab" for number in range(12))])
        assert len(found.rounds) == 24
        until = time.monotonic() + 30
        while time.monotonic() < until and any(found.version not in watcher.came for watcher in watchers):
            time.sleep(0.1)
        assert [max(watcher.came) for watcher in watchers] == [found.version] * len(watchers)
        for watcher in watchers:
            watcher.stop = True
        clients[0].ask("POST", f"/api/matches/{match}/rounds",
                       {"key": "z", "expected": found.version, "round": a_round(0), "take_over": True})  # fmt: skip
        for watcher in watchers:
            watcher.join(timeout=10)


def test_https_makes_a_certificate_that_its_authority_vouches_for(tmp_path: Path) -> None:
    pytest.importorskip("cryptography")
    import ssl

    port = free_port()
    command = [sys.executable, "-m", "companion.cli", "serve", "--host", "127.0.0.1", "--port", str(port), "--https"]
    process = subprocess.Popen([*command, "--data", str(tmp_path)], stdout=subprocess.DEVNULL)
    try:
        for _ in range(400):
            if (tmp_path / "remi-ca.crt").exists() and (tmp_path / "remi.crt").exists():
                break
            time.sleep(0.05)
        trust = ssl.create_default_context(cafile=str(tmp_path / "remi-ca.crt"))
        for _ in range(100):
            try:
                with urllib.request.urlopen(f"https://localhost:{port}/healthz", context=trust, timeout=5) as answer:
                    assert answer.status == 200
                break
            except OSError:
                time.sleep(0.1)
        else:
            pytest.fail("no answer over TLS")
        assert (tmp_path / "remi-ca.key").stat().st_mode & 0o077 == 0
    finally:
        process.kill()
        process.wait()
