"""The page of the camera over the table."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from fakes import labels, sample, scene_of
from livefakes import FakeSource, Told
from sites import Site

from companion.watch import Watch, Zones
from companion.web import cameras
from companion.web.config import LANGUAGES
from companion.web.seen import CAMERA, Overseer
from vision.flatten import Image
from vision.photo import load
from vision.scene import Scene


class Over:
    """A site with a camera over its table."""

    def __init__(self, site: Site, folder: Path, *scenes: Scene) -> None:
        self.source = FakeSource()
        self.watch = Watch(lambda: self.source, lambda: Told(*scenes), first_wait=0.01)
        self.zones = folder / "zones.json"
        self.overseer = Overseer(self.watch, site.ledger, self.zones, "rtsp://kitchen/live")
        cameras.attach(site.app, self.overseer)
        self.watch.start()

    def show(self, image: Image | None = None) -> None:
        """A frame, followed to its end."""
        before = self.watch.look.number if self.watch.look else 0
        self.source.show(image)
        look = self.watch.wait(before, 10)
        assert look is not None
        assert look.number > before


@pytest.fixture
def over(site: Site, tmp_path: Path) -> Iterator[Over]:
    made = Over(site, tmp_path, scene_of(labels(1)))
    yield made
    made.watch.close()


def players_of(state: dict[str, Any]) -> dict[str, list[str]]:
    return {one["name"]: [" ".join(meld["faces"]) for meld in one["melds"]] for one in state["players"]}


def test_without_a_camera_the_page_says_how_to_start(site: Site) -> None:
    page = site.watcher.get("/watch")
    assert page.status_code == 200
    assert "remi watch 0" in page.text
    assert site.watcher.get("/api/watch").status_code == 404
    assert site.scorer.get("/watch/preview.mjpg").status_code == 404


def test_before_the_first_picture(site: Site, over: Over) -> None:
    state = site.watcher.get("/api/watch").json
    assert (state["camera"]["state"], state["looking"]["state"], state["agreement"]) == ("opening", "", None)
    assert site.scorer.get("/watch/frame.jpg").status_code == 503
    assert site.scorer.get("/watch").status_code == 200
    assert site.scorer.get("/watch/zones").status_code == 200


def test_melds_without_a_match(site: Site, over: Over) -> None:
    over.show()
    state = site.watcher.get("/api/watch").json
    assert state["match"] is None
    assert len(state["melds"]) == 4
    assert all(meld["verdict"]["ok"] for meld in state["melds"])
    assert "k9" in str(state["melds"])


def test_melds_of_each_player_with_points(site: Site, over: Over) -> None:
    match = site.start()
    over.show()
    state = site.watcher.get("/api/watch").json
    assert state["match"]["id"] == match
    found = players_of(state)
    assert sum(map(len, found.values())) == 4
    assert all(one["points"] > 0 for one in state["players"] if one["melds"])
    assert "Ana" in site.watcher.get("/watch").text


def test_racks_are_counted_and_not_named(site: Site, tmp_path: Path) -> None:
    over = Over(site, tmp_path, scene_of(labels(3)))
    try:
        site.start()
        over.show()
        state = site.watcher.get("/api/watch").json
        assert sum(one["rack"] for one in state["players"]) == 1
        assert '"y5"' not in json.dumps(state) or "y5" not in str([one["rack"] for one in state["players"]])
        assert all(isinstance(one["rack"], int) for one in state["players"])
    finally:
        over.watch.close()


def test_zones_are_kept_and_used(site: Site, over: Over) -> None:
    site.start()
    over.show()
    everything = {"zones": [{"player": "Bo", "corners": [[0, 0], [1, 0], [1, 1], [0, 1]]}]}
    assert site.watcher.put("/api/watch/zones", json=everything).status_code == 403
    assert site.scorer.put("/api/watch/zones", json=everything).status_code == 200
    assert len(players_of(site.watcher.get("/api/watch").json)["Bo"]) == 4
    assert site.watcher.get("/api/watch/zones").json["zones"] == everything["zones"]
    assert json.loads(over.zones.read_text())["zones"] == everything["zones"]
    bad = site.scorer.put("/api/watch/zones", json={"zones": [{"player": "Bo", "corners": [[0, 0]]}]})
    assert bad.status_code == 422
    assert bad.json["error"]["code"] == "BAD_ZONES"
    assert over.overseer.zones == Zones.from_dict(everything)


def test_zones_that_can_not_be_written_stay_as_they_were(
    site: Site, over: Over, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, zones: Zones) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("companion.web.seen.save", full)
    answer = site.scorer.put("/api/watch/zones", json={"zones": []})
    assert (answer.status_code, answer.json["error"]["code"]) == (503, "NOT_KEPT")


def test_the_table_and_the_score_disagree(site: Site, over: Over) -> None:
    match = site.start()
    over.show()
    seen = players_of(site.watcher.get("/api/watch").json)
    assert site.watcher.get("/api/watch").json["agreement"]["state"] == "playing"
    melds = {"Ana": list(seen["Ana"]), "Bo": list(seen["Bo"])}
    wrong = {**melds, "Bo": [*melds["Bo"][:-1], "r1 b1 y1"]} if melds["Bo"] else melds
    ids = {"Ana": "p1", "Bo": "p2"}

    def given(all_: dict[str, list[str]]) -> dict[str, Any]:
        return {"players": {ids[name]: {"melds": listed, "rack": ""} for name, listed in all_.items()}}

    body = {"key": "a", "expected": 1, "round": given(wrong)}
    assert site.scorer.post(f"/api/matches/{match}/rounds", json=body).status_code == 201
    found = site.watcher.get("/api/watch").json["agreement"]
    assert found["state"] == "disagrees"
    assert [one["player"] for one in found["differences"]] == ["Bo"]
    assert found["differences"][0]["scored"] == ["b1 r1 y1"]
    right = {"key": "b", "expected": 2, "round": given(melds)}
    assert site.scorer.put(f"/api/matches/{match}/rounds/1", json=right).status_code == 200
    assert site.watcher.get("/api/watch").json["agreement"]["state"] == "agrees"


def test_what_lies_there_fills_the_form_and_counts_only_when_confirmed(site: Site, over: Over) -> None:
    match = site.start()
    before = site.ledger.match(match)
    assert site.scorer.get(f"/matches/{match}/round/watched").status_code == 409
    over.show()
    page = site.scorer.get(f"/matches/{match}/round/watched")
    assert page.status_code == 200
    assert "k9 k10 k11 k12 k13" in page.text
    assert site.watcher.get(f"/matches/{match}/round/watched").status_code == 403
    assert site.ledger.match(match) == before


def test_the_picture_is_for_paired_devices(site: Site, over: Over) -> None:
    over.show(load(sample(1)).image)
    for path in ("/watch/preview.mjpg", "/watch/frame.jpg", "/watch/zones"):
        assert site.watcher.get(path).status_code == 403, path
    assert "preview.mjpg" not in site.watcher.get("/watch").text
    frame = site.scorer.get("/watch/frame.jpg")
    picture = cv2.imdecode(np.frombuffer(frame.data, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    assert picture.shape == load(sample(1)).image.shape


def test_the_preview_moves_and_lets_go(site: Site, over: Over) -> None:
    over.show(load(sample(1)).image)
    answer = site.scorer.get("/watch/preview.mjpg", buffered=False)
    assert answer.mimetype == "multipart/x-mixed-replace"
    stream = answer.response
    assert next(iter(stream)) == b"--remi\r\n"
    first = next(iter(stream))
    over.show(load(sample(2)).image)
    second = next(iter(stream))
    assert first.endswith(b"\r\n--remi\r\n")
    pictures = [chunk[chunk.index(b"\r\n\r\n") + 4 : -10] for chunk in (first, second)]
    assert all(cv2.imdecode(np.frombuffer(one, np.uint8), 1) is not None for one in pictures)
    assert pictures[0] != pictures[1]
    assert site.watcher.get("/healthz").json["watchers"] == 1
    answer.close()
    assert site.watcher.get("/healthz").json["watchers"] == 0


def test_the_stream_tells_of_every_change(site: Site, over: Over) -> None:
    answer = site.watcher.get("/api/watch/events", buffered=False)
    stream = iter(answer.response)

    def next_state() -> dict[str, Any]:
        while True:
            found = re.match(rb"data: (.*)\n\n", next(stream))
            if found:
                return dict(json.loads(found[1]))

    assert next_state()["camera"]["state"] == "opening"
    over.show()
    state = next_state()
    assert state["camera"]["state"] == "open"
    assert len(state["melds"]) == 4
    over.source.state = "lost"
    assert next_state()["camera"]["state"] == "lost"
    answer.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_state_has_a_sentence_in_every_language(site: Site, over: Over, language: str) -> None:
    seen = set()
    for state in CAMERA:
        over.watch._say(state)  # type: ignore[arg-type]
        found = site.watcher.get("/api/watch", headers={"Accept-Language": language}).json["camera"]
        assert found["state"] == state
        seen.add(found["sentence"])
    assert len(seen) == len(CAMERA)
    assert any("rtsp://kitchen/live" in sentence for sentence in seen)
