"""A real server and a real Chromium for the tests of the page."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from waitress import wasyncore
from waitress.server import create_server

from companion.ledger import Ledger
from companion.web.app import create_app, services_of
from companion.web.config import MAX_UPLOAD, WebConfig

sys.path.insert(0, str(Path(__file__).parents[1] / "companion" / "web"))
from fakes import FakeReader, labels, scene_of
from livefakes import FakeFollower
from served import Server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A server with a reader that knows the sample photos; it doubts one tile and misreads another."""
    ledger = Ledger(tmp_path / "ledger.db")
    listener = socket.create_server(("127.0.0.1", 0))
    config = WebConfig(reads=1000, heartbeat=1.0)
    scenes = {
        1: scene_of(labels(1), doubt={13: "k12"}),
        2: scene_of(labels(2), wrong={11: "k4"}),
        3: scene_of(labels(3)),
    }
    reader = FakeReader(scenes)
    app = create_app(ledger, config, lambda: reader, FakeFollower)
    running = create_server(app, sockets=[listener], threads=40, channel_request_lookahead=1,
                            max_request_body_size=MAX_UPLOAD)  # fmt: skip
    stop = threading.Event()

    def loop() -> None:
        while not stop.is_set():
            wasyncore.loop(timeout=0.2, map=running._map, count=1)

    thread = threading.Thread(target=loop, daemon=True)
    thread.start()
    try:
        yield Server(f"http://127.0.0.1:{listener.getsockname()[1]}", ledger, reader)
    finally:
        services_of(app).hub.close()
        stop.set()
        thread.join(timeout=5)
        running.task_dispatcher.shutdown()
        wasyncore.close_all(running._map)
        ledger.close()
