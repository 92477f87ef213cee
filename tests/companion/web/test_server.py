"""The server as a process: killed while it scores, watched by sixty, asked nonsense."""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from companion.ledger import Ledger
from companion.web.trust import new_invite

pytestmark = pytest.mark.slow


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


@contextmanager
def serving(port: int, folder: Path, *more: str) -> Iterator[subprocess.Popen[bytes]]:
    """``remi serve`` on loopback, ready to answer; killed at the end."""
    command = [sys.executable, "-m", "companion.cli", "serve", "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen(
        [*command, "--data", str(folder), *more], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5).close()
                break
            except OSError:
                assert process.poll() is None, "the server went away"
                time.sleep(0.05)
        yield process
    finally:
        process.kill()
        process.wait()


class Client:
    """A browser that scores, on one port whatever process answers there."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookie = ""

    def ask(self, method: str, path: str, body: Any = None, form: str | None = None) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            headers = {"Cookie": self.cookie, "Accept": "application/json"}
            data = form
            if form is not None:
                headers["Content-Type"] = "application/x-www-form-urlencoded"
            elif body is not None:
                headers["Content-Type"] = "application/json"
                data = json.dumps(body)
            connection.request(method, path, data, headers)
            answer = connection.getresponse()
            text = answer.read()
            kept = answer.getheader("Set-Cookie")
            if kept:
                self.cookie = kept.partition(";")[0]
            return answer.status, json.loads(text) if text[:1] == b"{" else text
        finally:
            connection.close()

    def pair(self, ledger: Ledger) -> None:
        status, _ = self.ask("POST", "/pair", form=f"token={new_invite(ledger)}&name=test")
        assert status == 303


def a_round(points: int) -> dict[str, Any]:
    return {"mode": "points", "players": {"p1": {"points": points}, "p2": {"points": -points}}}


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


class Watcher(threading.Thread):
    """Reads a live stream and notes when each version came."""

    def __init__(self, port: int, match: str) -> None:
        super().__init__(daemon=True)
        self.came: dict[int, float] = {}
        self._answer = urllib.request.urlopen(f"http://127.0.0.1:{port}/api/matches/{match}/events", timeout=30)
        self.stop = False

    def run(self) -> None:
        with self._answer:
            for line in self._answer:
                if line.startswith(b"id: "):
                    self.came.setdefault(int(re.findall(rb"\d+", line)[0]), time.monotonic())
                if self.stop:
                    return


def memory_kb(pid: int) -> int:
    return int(re.findall(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[0])


def test_sixty_watchers_hear_of_every_round_and_let_go(tmp_path: Path) -> None:
    """Every watcher hears of every version; nothing is held once they are gone; memory stays where it was."""
    port = free_port()
    seconds = float(os.environ.get("REMI_SOAK_SECONDS", "12"))
    with serving(port, tmp_path) as process, Ledger(tmp_path / "ledger.db") as ledger:
        client = Client(port)
        client.pair(ledger)
        _, made = client.ask("POST", "/api/matches", {"key": "m", "game": "remi", "players": ["A", "B"]})
        match = made["id"]
        while client.ask("GET", "/healthz")[1]["reader"] in ("idle", "loading"):
            time.sleep(0.1)  # the networks take memory of their own
        watchers = [Watcher(port, match) for _ in range(60)]
        for watcher in watchers:
            watcher.start()
        done: dict[int, float] = {}
        took: list[float] = []
        until, before, version = time.monotonic() + seconds, 0, 1
        while time.monotonic() < until:
            start = time.monotonic()
            body = {"key": f"k{version}", "expected": version, "round": a_round(version)}
            status, _ = client.ask("POST", f"/api/matches/{match}/rounds", body)
            assert status == 201
            version += 1
            done[version] = start
            took.append(time.monotonic() - start)
            time.sleep(0.5)
            before = before or memory_kb(process.pid)
        time.sleep(1.0)
        late = sorted(w.came[v] - at for w in watchers for v, at in done.items() if v in w.came)
        newest = {max(watcher.came) for watcher in watchers}
        after = memory_kb(process.pid)
        print(
            f"{len(done)} rounds, update p50 {late[len(late) // 2] * 1000:.0f} ms, "
            f"p95 {late[len(late) * 95 // 100] * 1000:.0f} ms, "
            f"POST max {max(took) * 1000:.0f} ms, memory {before} -> {after} kB"
        )
        assert newest == {version}
        assert after < before * 1.25 + 20_000
        for watcher in watchers:
            watcher.stop = True
        client.ask("POST", f"/api/matches/{match}/rounds", {"key": "z", "expected": version, "round": a_round(0)})
        for watcher in watchers:
            watcher.join(timeout=10)
        for _ in range(50):  # reloads: a stream opened and dropped
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api/matches/{match}/events", timeout=10).close()
        for _ in range(200):
            if client.ask("GET", "/healthz")[1]["watchers"] == 0:
                break
            time.sleep(0.1)
        assert client.ask("GET", "/healthz")[1]["watchers"] == 0


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
