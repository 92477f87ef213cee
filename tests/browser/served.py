"""What the browser tests share: where Chromium lies, and a server at hand."""

from __future__ import annotations

import shutil
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from flask import Flask
from waitress import wasyncore
from waitress.server import create_server

from companion.ledger import Ledger
from companion.web.app import services_of
from companion.web.config import MAX_UPLOAD
from companion.web.trust import new_invite

sys.path.insert(0, str(Path(__file__).parents[1] / "companion" / "web"))
from fakes import FakeReader

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"


@dataclass
class Server:
    """A server on loopback over a ledger of its own."""

    url: str
    ledger: Ledger
    reader: FakeReader

    def invite(self) -> str:
        """A fresh pairing link."""
        return f"{self.url}/pair/{new_invite(self.ledger)}"


@contextmanager
def running(app: Flask, scheme: str = "http") -> Iterator[int]:
    """The app on a port of loopback, as waitress serves it; its streams end and its threads stop afterwards."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = create_server(app, sockets=[listener], threads=40, channel_request_lookahead=1,
                           max_request_body_size=MAX_UPLOAD, url_scheme=scheme)  # fmt: skip
    stop = threading.Event()

    def loop() -> None:
        while not stop.is_set():
            wasyncore.loop(timeout=0.2, map=server._map, count=1)

    thread = threading.Thread(target=loop, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        services_of(app).hub.close()
        stop.set()
        thread.join(timeout=5)
        server.task_dispatcher.shutdown()
        wasyncore.close_all(server._map)
