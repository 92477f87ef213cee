"""Requests that were tampered with: an answer of the API's own error shape, never a 5xx, and nothing half written."""

from __future__ import annotations

import io
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from attacked_server import Attacked
from hypothesis import given
from hypothesis import strategies as st
from mutations import JSON, bounded, broken_bytes, broken_json
from test_fuzz_reading import EDITS, PICTURES, scene, told
from test_ledger_faults import START

from companion.ledger import Ledger, LedgerError
from companion.match import replay

pytestmark = pytest.mark.slow
ROUND = {
    "players": {
        "p1": {"melds": ["r10 r11 r12", "b4 b5 b6"], "rack": ""},
        "p2": {"melds": ["k7 k8 k9"], "rack": "r1 y13"},
    },
    "closer": "p1",
}
MATCH = {"key": "start-1", "game": "remi", "players": ["Ana", "Bo"]}
BODIES: dict[str, tuple[str, str, Any]] = {
    "table": ("POST", "/api/table", {"scene": scene().to_dict(), "edits": EDITS[:2], "game": "remi", "as": "opening"}),
    "judge": ("POST", "/api/judge", {"game": "remi", "melds": ["r10 r11 r12", "b4 b5 b6"], "as": "opening"}),
    "match": ("POST", "/api/matches", {**MATCH, "house_rules": {"opening_min": 45}}),
    "change": ("PATCH", "/api/matches/ID", {"key": "c", "expected": 1, "rename": {"player": "p1", "name": "Eva"}}),
    "preview": ("POST", "/api/matches/ID/preview", {"round": ROUND}),
    "round": ("POST", "/api/matches/ID/rounds", {"key": "r", "expected": 1, "round": ROUND}),
    "edit": ("PUT", "/api/matches/ID/rounds/1", {"key": "e", "expected": 2, "round": ROUND}),
    "undo": ("PATCH", "/api/matches/ID/rounds/1", {"key": "u", "expected": 2, "undone": True}),
    "claim": ("PUT", "/api/matches/ID/claim", {"take_over": False, "draft": ROUND}),
}


def started(attacked: Attacked) -> str:
    """A match with one round."""
    made = attacked.scorer.post("/api/matches", json=MATCH)
    match_id = str(made.json["id"])
    first = {"key": "first", "expected": made.json["version"], "round": ROUND}
    assert attacked.scorer.post(f"/api/matches/{match_id}/rounds", json=first).status_code == 201
    return match_id


def check(answer: Any) -> None:
    """Refused in words, or done."""
    assert answer.status_code < 500, answer.get_data(as_text=True)[:300]
    if answer.status_code >= 400:
        error = answer.json["error"]
        assert error["code"]
        assert error["sentence"]


@pytest.mark.parametrize("what", BODIES)
def test_broken_bodies(attacked: Attacked, what: str) -> None:
    match_id = started(attacked)
    method, path, whole = BODIES[what]

    @bounded(60)
    @given(broken_json(whole))
    def ask(value: Any) -> None:
        data = json.dumps(value).encode("utf-8", "replace")
        check(attacked.scorer.open(path.replace("ID", match_id), method=method, data=data,
                                   content_type="application/json"))  # fmt: skip

    ask()
    for info in attacked.ledger.matches():
        attacked.ledger.match(info.id)


def test_broken_bytes_of_any_kind(attacked: Attacked) -> None:
    kinds = st.sampled_from(("application/json", "text/plain", "multipart/form-data; boundary=x", "", "a/b"))

    @bounded(60)
    @given(st.sampled_from(sorted(BODIES)), kinds, st.data())
    def send(what: str, kind: str, data: st.DataObject) -> None:
        method, path, whole = BODIES[what]
        body = data.draw(broken_bytes(json.dumps(whole).encode()))
        check(attacked.scorer.open(path.replace("ID", "x"), method=method, data=body, content_type=kind))

    send()


@pytest.mark.parametrize("form", ["jpeg", "png", "webp"])
def test_broken_uploads(attacked: Attacked, form: str) -> None:
    @bounded(25)
    @given(broken_bytes(PICTURES[form]), st.text(max_size=20))
    def send(data: bytes, name: str) -> None:
        check(attacked.scorer.post("/api/read", data={"photo": (io.BytesIO(data), name), "game": "remi"}))

    send()


def test_broken_exports_change_nothing_or_all(attacked: Attacked) -> None:
    match_id = started(attacked)
    whole = attacked.scorer.get("/api/export.json").json
    before = attacked.ledger.events(match_id)

    @bounded(60)
    @given(broken_json(whole))
    def bring(value: Any) -> None:
        here = {info.id for info in attacked.ledger.matches()}
        answer = attacked.scorer.post("/api/import", json=value) if _writable(value) else None
        if answer is None:
            return
        check(answer)
        if answer.status_code >= 400:
            assert {info.id for info in attacked.ledger.matches()} == here, "a refused file changes nothing"
        for info in attacked.ledger.matches():
            assert attacked.ledger.match(info.id) == replay(attacked.ledger.events(info.id))

    bring()
    assert attacked.ledger.events(match_id)[: len(before)] == before, "what was there is never rewritten"


def _writable(value: Any) -> bool:
    try:
        json.dumps(value).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def test_broken_backups_are_refused_and_change_nothing(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.db") as ledger:
        match_id, _ = ledger.start(START)
        ledger.backup(tmp_path / "backup.db")
        whole = (tmp_path / "backup.db").read_bytes()
        mine = ledger.events(match_id)

        @bounded(40)
        @given(broken_bytes(whole))
        def restore(data: bytes) -> None:
            (tmp_path / "bad.db").write_bytes(data)
            try:
                ledger.restore(tmp_path / "bad.db")
            except LedgerError as error:
                told(error)
                assert ledger.events(match_id) == mine
                return
            for info in ledger.matches():
                ledger.match(info.id)
            ledger.restore(tmp_path / "backup.db")

        restore()
    with sqlite3.connect(tmp_path / "ledger.db") as conn:
        assert conn.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_anything_at_all_as_a_body(attacked: Attacked) -> None:
    @bounded(40)
    @given(JSON)
    def ask(value: Any) -> None:
        for method, path, _ in BODIES.values():
            if _writable(value):
                check(attacked.scorer.open(path.replace("ID", "x"), method=method, json=value))

    ask()
