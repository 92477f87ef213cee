"""An app under test with two browsers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fakes import FakeReader
from flask import Flask
from flask.testing import FlaskClient

from companion.ledger import Ledger
from companion.web.trust import new_invite


@dataclass
class Site:
    """The app, its ledger and two browsers."""

    app: Flask
    ledger: Ledger
    reader: FakeReader
    watcher: FlaskClient
    scorer: FlaskClient

    def pair(self, name: str = "Bo") -> FlaskClient:
        """One more paired browser."""
        client = self.app.test_client()
        answer = client.post("/pair", data={"token": new_invite(self.ledger), "name": name})
        assert answer.status_code == 303
        return client

    def start(self, game: str = "remi", players: tuple[str, ...] = ("Ana", "Bo"), **more: Any) -> str:
        """A match; its id."""
        body = {"key": f"start-{game}-{len(self.ledger.matches())}", "game": game, "players": list(players), **more}
        answer = self.scorer.post("/api/matches", json=body)
        assert answer.status_code == 201, answer.json
        return str(answer.json["id"])
