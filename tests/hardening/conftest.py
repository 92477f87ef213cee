"""A server under attack, for each test anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from attacked_server import Attacked, OneTile

from companion.ledger import Ledger
from companion.web.app import create_app, services_of
from companion.web.config import WebConfig
from companion.web.trust import new_invite


@pytest.fixture
def attacked(tmp_path: Path) -> Iterator[Attacked]:
    """It keeps photos and never says that there were too many."""
    ledger = Ledger(tmp_path / "ledger.db")
    config = WebConfig(data=str(tmp_path), keep_photos=str(tmp_path / "kept"), reads=1_000_000)
    app = create_app(ledger, config, OneTile)
    scorer = app.test_client()
    assert scorer.post("/pair", data={"token": new_invite(ledger), "name": "Ana"}).status_code == 303
    yield Attacked(app, ledger, tmp_path, app.test_client(), scorer)
    services_of(app).hub.close()
    ledger.close()
