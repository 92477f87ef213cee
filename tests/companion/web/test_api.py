"""The JSON API: the same answers as the rules, one error shape, nothing written twice."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from fakes import sample
from sites import Site

from companion.match import replay
from companion.web.openapi import describe


def test_every_route_is_documented_and_every_documented_route_exists(site: Site) -> None:
    existing = {
        (re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in site.app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if rule.rule.startswith(("/api/", "/healthz"))
    }
    documented = {(path, method) for path, item in describe()["paths"].items() for method in item}
    assert existing == documented


def test_a_round_is_scored_by_the_rules(site: Site, remi_round: dict[str, Any]) -> None:
    match = site.start()
    answer = site.scorer.post(f"/api/matches/{match}/rounds", json={"key": "a", "expected": 1, "round": remi_round})
    assert answer.status_code == 201
    assert answer.json["totals"] == {"p1": 95, "p2": -20}
    assert answer.json["leaders"] == ["p1"]
    for entry in answer.json["rounds"][0]["entries"]:
        assert sum(line["points"] for line in entry["lines"]) == entry["points"]
    assert site.ledger.match(match) == replay(site.ledger.events(match))


def test_the_same_key_again_is_the_same_round(site: Site, remi_round: dict[str, Any]) -> None:
    match = site.start()
    body = {"key": "a", "expected": 1, "round": remi_round}
    first = site.scorer.post(f"/api/matches/{match}/rounds", json=body)
    again = site.scorer.post(f"/api/matches/{match}/rounds", json=body)
    assert (first.status_code, again.status_code) == (201, 201)
    assert len(again.json["rounds"]) == 1


def test_who_comes_late_is_told(site: Site, remi_round: dict[str, Any]) -> None:
    match = site.start()
    site.scorer.post(f"/api/matches/{match}/rounds", json={"key": "a", "expected": 1, "round": remi_round})
    late = site.scorer.post(f"/api/matches/{match}/rounds", json={"key": "b", "expected": 1, "round": remi_round})
    assert late.status_code == 409
    assert late.json["error"]["code"] == "CONFLICT"
    assert late.json["error"]["detail"] == {"expected": 1, "found": 2}


def test_undo_edit_and_restore(site: Site, remi_round: dict[str, Any]) -> None:
    match = site.start()
    url = f"/api/matches/{match}/rounds"
    site.scorer.post(url, json={"key": "a", "expected": 1, "round": remi_round})
    gone = site.scorer.patch(f"{url}/1", json={"key": "b", "expected": 2, "undone": True})
    assert gone.json["totals"] == {"p1": 0, "p2": 0}
    back = site.scorer.patch(f"{url}/1", json={"key": "c", "expected": 3, "undone": False})
    assert back.json["totals"] == {"p1": 95, "p2": -20}
    changed = {**remi_round, "double": True}
    twice = site.scorer.put(f"{url}/1", json={"key": "d", "expected": 4, "round": changed})
    assert twice.json["totals"] == {"p1": 190, "p2": -40}
    assert site.watcher.get(f"{url}/1").json["edits"] == 1
    assert site.watcher.get(f"{url}/2").status_code == 404


def test_two_scorers_cant_both_write(site: Site, remi_round: dict[str, Any]) -> None:
    match = site.start()
    other = site.pair("Bo's phone")
    claim = f"/api/matches/{match}/claim"
    assert site.scorer.put(claim, json={"draft": remi_round}).status_code == 200
    refused = other.put(claim, json={})
    assert refused.status_code == 409
    assert refused.json["error"]["detail"]["name"] == "Ana"
    assert refused.json["error"]["detail"]["draft"] == remi_round
    body = {"key": "b", "expected": 1, "round": remi_round}
    assert other.post(f"/api/matches/{match}/rounds", json=body).status_code == 409
    assert site.watcher.get(f"/api/matches/{match}").json["claim"]["name"] == "Ana"
    assert other.put(claim, json={"take_over": True}).json["draft"] == remi_round
    assert site.scorer.post(f"/api/matches/{match}/rounds", json={**body, "key": "c"}).status_code == 409
    assert other.post(f"/api/matches/{match}/rounds", json=body).status_code == 201
    assert site.watcher.get(f"/api/matches/{match}").json["claim"] is None


@pytest.mark.parametrize(
    ("game", "given", "points"),
    [
        ("carousel", {"players": {"p1": {"rack": "3S"}, "p2": {"rack": "KD 7C"}}, "knocker": "p1"},
         {"p1": 14, "p2": 0}),
        ("rummy", {"players": {"p1": {"rack": ""}, "p2": {"rack": "KD 9C"}}, "winner": "p1", "rummy": True},
         {"p1": 38, "p2": 0}),
        ("remi", {"mode": "points", "players": {"p1": {"points": 120}, "p2": {"points": -35}}}, {"p1": 120, "p2": -35}),
        ("remi", {"players": {"p1": {"melds": ["r1 b1 k1"]}, "p2": {"rack": "*"}}, "missed": ["p2"]},
         {"p1": 75, "p2": -500}),
        ("remi", {"players": {"p1": {"melds": ["r1 b1 k1"], "extra": -10}, "p2": {"rack": "*"}}},
         {"p1": 65, "p2": -50}),
        ("remi", {"players": {"p1": {"melds": ["r3 r4 r5 r6@p2"]}, "p2": {"melds": ["b1 r1 k1"]}}},
         {"p1": 15, "p2": 80}),
    ],
    ids=["carousel", "rummy", "just points", "penalty", "correction", "attached"],
)  # fmt: skip
def test_previews(site: Site, game: str, given: dict[str, Any], points: dict[str, int]) -> None:
    match = site.start(game)
    answer = site.watcher.post(f"/api/matches/{match}/preview", json={"round": given})
    assert answer.status_code == 200, answer.json
    assert {entry["player"]: entry["points"] for entry in answer.json["entries"]} == points
    assert len(site.ledger.events(match)) == 1


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"players": {"p1": {"melds": ["r3 x4"]}}}, "NOTATION"),
        ({"players": {"p9": {}}}, "BAD_ROUND"),
        ({"players": {}, "closer": "p7"}, "BAD_ROUND"),
        ({"mode": "points", "players": {"p1": {"points": 4}}}, "POINTS_MISSING"),
        ({"players": {"p1": {"melds": "r3"}}}, "BAD_ROUND"),
        ([], "BAD_ROUND"),
        ({"players": {"p1": {"melds": ["r3 r4 r5@nobody"]}}}, "NOTATION"),
    ],
)
def test_bad_rounds_are_refused_in_words(site: Site, given: Any, code: str) -> None:
    answer = site.watcher.post(f"/api/matches/{site.start()}/preview", json={"round": given})
    assert answer.status_code == 422
    assert answer.json["error"]["code"] == code


def test_an_illegal_meld_is_said_and_its_points_stand(site: Site) -> None:
    given = {"players": {"p1": {"melds": ["r3 r5 r9"]}, "p2": {}}}
    answer = site.watcher.post(f"/api/matches/{site.start()}/preview", json={"round": given})
    assert answer.json["warnings"]
    assert answer.json["entries"][0]["points"] == 15


def test_judging_typed_melds(site: Site) -> None:
    opens = site.watcher.post("/api/judge", json={"melds": ["r10 r11 r12", "b2 b3 b4"]}).json["opening"]
    assert (opens["ok"], opens["value"], opens["need"]) == (True, 45, 45)
    short = site.watcher.post("/api/judge", json={"melds": ["r9 r10 r11", "b2 b3 b4"]}).json["opening"]
    assert (short["ok"], short["reason"], short["value"]) == (False, "BELOW_MINIMUM", 40)


def test_reading_a_photo_and_putting_it_right(site: Site) -> None:
    form = {"photo": (io.BytesIO(sample(2).read_bytes()), "a.jpg"), "game": "remi", "as": "opening"}
    read = site.watcher.post("/api/read", data=form)
    assert read.status_code == 200
    table = read.json
    shown = site.watcher.get(table["photo"])
    assert shown.mimetype == "image/jpeg"
    assert shown.data != sample(2).read_bytes()  # re-encoded, never the upload itself
    wrong = next(n for n, meld in enumerate(table["melds"]) if not meld["verdict"]["ok"])
    edits = [{"do": "remove", "piece": piece} for piece in table["melds"][wrong]["pieces"]]
    body = {"scene": table["read"], "edits": edits, "game": "remi", "as": "opening"}
    fixed = site.watcher.post("/api/table", json=body).json
    assert fixed["total"]["ok"]
    assert fixed["total"]["value"] == 80
    bad = site.watcher.post("/api/table", json={**body, "edits": [{"do": "change", "piece": 999, "code": "r1"}]})
    assert (bad.status_code, bad.json["error"]["code"]) == (422, "BAD_EDIT")


def test_export_and_import_bring_the_same_matches(site: Site, remi_round: dict[str, Any], tmp_path: Any) -> None:
    match = site.start()
    site.scorer.post(f"/api/matches/{match}/rounds", json={"key": "a", "expected": 1, "round": remi_round})
    exported = site.watcher.get("/api/export.json").json
    other = site.ledger
    before = other.match(match)
    assert site.scorer.post("/api/import", json=exported).json == {
        "added": 0, "completed": 0, "unchanged": 1, "differ": [],
    }  # fmt: skip
    exported["matches"][0]["events"][0]["key"] = "another-match"
    assert site.scorer.post("/api/import", json=exported).json["added"] == 1
    assert [m.totals for m in (before, *(other.match(i.id) for i in other.matches()))] == [{"p1": 95, "p2": -20}] * 3
    exported["matches"][0]["events"][1]["result"]["entries"][0]["points"] = 7
    refused = site.scorer.post("/api/import", json=exported)
    assert (refused.status_code, refused.json["error"]["code"]) == (422, "BAD_EXPORT")
    assert len(other.matches()) == 2


def test_csv_holds_every_line_and_no_formula(site: Site, remi_round: dict[str, Any]) -> None:
    match = site.start(players=("=Ana", "Bo"))
    site.scorer.post(f"/api/matches/{match}/rounds", json={"key": "a", "expected": 1, "round": remi_round})
    text = site.watcher.get(f"/api/matches/{match}/export.csv").text
    assert text.count("\r\n") == 6  # a head, three lines of one player, two of the other
    assert "'=Ana" in text


def test_statistics(site: Site, remi_round: dict[str, Any]) -> None:
    match = site.start()
    site.scorer.post(f"/api/matches/{match}/rounds", json={"key": "a", "expected": 1, "round": remi_round})
    site.scorer.patch(f"/api/matches/{match}", json={"key": "b", "expected": 2, "ended": True})
    ana = site.watcher.get("/api/statistics?game=remi").json["players"][0]
    assert ana == {
        "name": "Ana", "matches": 1, "matches_won": 1, "rounds": 1, "rounds_won": 1, "mean": 95.0, "best": 95,
        "openings": 1, "closings": 1,
    }  # fmt: skip


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'"x"', b"\xff\xfe", b"[" * 100_000])
def test_bodies_that_are_no_object(site: Site, body: bytes) -> None:
    answer = site.scorer.post("/api/matches", data=body, content_type="application/json")
    assert answer.status_code == 400
    assert answer.json["error"]["code"] == "BAD_JSON"


def test_the_stream_begins_with_the_state_and_skips_what_is_known(site: Site) -> None:
    match = site.start()
    with site.watcher.get(f"/api/matches/{match}/events", buffered=False) as answer:
        parts = answer.iter_encoded()
        assert b"retry:" in next(parts)
        assert next(parts).startswith(b"id: 1\ndata: {")
    assert site.watcher.get("/healthz").json["watchers"] == 0
