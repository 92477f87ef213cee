"""A real server and a real Chromium for the tests of the page."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.ledger import Ledger
from companion.web.app import create_app
from companion.web.config import WebConfig
from companion.web.serving import running

sys.path.insert(0, str(Path(__file__).parents[1] / "companion" / "web"))
from fakes import FAILS, OPENS, ROUND, FakeReader, labels, scene_of
from livefakes import FakeFollower
from served import WATCHERS, Server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A server with a reader that knows the sample photos; it doubts one tile and misreads another."""
    ledger = Ledger(tmp_path / "ledger.db")
    config = WebConfig(reads=1000, heartbeat=1.0)
    scenes = {
        OPENS: scene_of(labels(OPENS), doubt={4: "k12"}),
        FAILS: scene_of(labels(FAILS), wrong={5: "k4"}),
        ROUND: scene_of(labels(ROUND)),
    }
    reader = FakeReader(scenes)
    app = create_app(ledger, config, lambda: reader, FakeFollower)
    try:
        with running(app, WATCHERS) as port:
            yield Server(f"http://127.0.0.1:{port}", ledger, reader)
    finally:
        ledger.close()
