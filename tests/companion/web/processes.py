"""Servers as processes of their own, and clients that speak to them over a port."""

from __future__ import annotations

import http.client
import json
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from companion.ledger import Ledger
from companion.web.trust import new_invite


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

    def pair(self, ledger: Ledger, name: str = "test") -> None:
        status, _ = self.ask("POST", "/pair", form=f"token={new_invite(ledger)}&name={name}")
        assert status == 303


def a_round(points: int) -> dict[str, Any]:
    return {"mode": "points", "players": {"p1": {"points": points}, "p2": {"points": -points}}}


class Watcher(threading.Thread):
    """Reads a live stream and notes when each version came."""

    def __init__(self, port: int, match: str) -> None:
        super().__init__(daemon=True)
        self.came: dict[int, float] = {}
        self.told = 0
        self._answer = urllib.request.urlopen(f"http://127.0.0.1:{port}/api/matches/{match}/events", timeout=30)
        self.stop = False

    def run(self) -> None:
        with self._answer:
            for line in self._answer:
                if line.startswith(b"id: "):
                    self.told += 1
                    self.came.setdefault(int(re.findall(rb"\d+", line)[0]), time.monotonic())
                if self.stop:
                    return


def _status(pid: int, what: str) -> int:
    return int(re.findall(rf"{what}:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[0])


def memory_kb(pid: int) -> int:
    """Memory that a process holds of its own, without the files it has mapped."""
    return _status(pid, "RssAnon")


def threads_of(pid: int) -> int:
    """Threads of a process."""
    return _status(pid, "Threads")
