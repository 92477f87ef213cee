"""An app over a ledger of its own, and clients that watch or score."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.ledger import Ledger
from companion.web.app import create_app, services_of
from companion.web.config import WebConfig

sys.path.insert(0, str(Path(__file__).parent))
from fakes import FakeReader
from livefakes import FakeFollower
from sites import Site


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    ledger = Ledger(tmp_path / "ledger.db")
    reader = FakeReader()
    app = create_app(ledger, WebConfig(reads=5), lambda: reader, FakeFollower)
    app.testing = True
    made = Site(app, ledger, reader, app.test_client(), app.test_client())
    made.scorer = made.pair("Ana")
    yield made
    services_of(app).hub.close()
    ledger.close()


@pytest.fixture
def remi_round() -> dict[str, Any]:
    """The worked example of RULES.md 1.11: 95 and -20."""
    return {
        "players": {
            "p1": {"melds": ["r10 r11 r12", "b4 b5 b6"], "rack": ""},
            "p2": {"melds": ["k7 k8 k9"], "rack": "r1 y13"},
        },
        "closer": "p1",
    }
