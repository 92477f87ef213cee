"""The live viewfinder's sessions: frames in, the table out, frozen into a reading."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest
from fakes import sample
from livefakes import FakeFollower
from sites import Site

from companion.web.errors import WebError
from companion.web.viewfinder import EACH, KEY, MOST, SECONDS, Session, Viewfinders
from vision.weights import WeightsError

FRAME = sample(1).read_bytes()


def start(site: Site, **about: Any) -> str:
    answer = site.watcher.post("/api/viewfinder", json={"game": "remi", "as": "opening", **about})
    assert answer.status_code == 201, answer.json
    return str(answer.json["session"])


def send(site: Site, session: str, data: bytes = FRAME) -> Any:
    return site.watcher.post(f"/api/viewfinder/{session}/frame", data=data, content_type="image/jpeg")


def test_frames_give_the_verdict_and_one_tap_freezes_it(site: Site) -> None:
    session = start(site)
    for n in (1, 2):
        answer = send(site, session)
        assert answer.status_code == 200
        assert answer.json["frames"] == n
        assert answer.json["looking"] == "still"
        assert answer.json["table"]["total"]["ok"]
        assert answer.json["table"]["need"] == 45
    frozen = site.watcher.post(f"/api/viewfinder/{session}/freeze", json={})
    assert frozen.status_code == 200
    assert frozen.json["total"]["value"] == 90
    assert site.watcher.get(frozen.json["photo"]).mimetype == "image/jpeg"
    again = site.watcher.post("/api/table", json={"scene": frozen.json["read"], "edits": [], "as": "opening"})
    assert again.json["total"] == frozen.json["total"]
    assert send(site, session).status_code == 404


def test_a_match_brings_its_house_rules(site: Site) -> None:
    match = site.start(rules={"opening_min": 50})
    answer = send(site, start(site, match=match))
    assert answer.json["table"]["need"] == 50


def test_nothing_seen_can_not_be_frozen(site: Site) -> None:
    answer = site.watcher.post(f"/api/viewfinder/{start(site)}/freeze", json={})
    assert (answer.status_code, answer.json["error"]["code"]) == (409, "NO_FRAME")


@pytest.mark.parametrize(
    ("data", "status", "code"),
    [(b"", 422, "PHOTO_EMPTY"), (b"GIF89a" + b"0" * 99, 415, "PHOTO_UNKNOWN_FORMAT"),
     (FRAME[:3000], 422, "PHOTO_DAMAGED"), (b"\xff" * 1_100_000, 413, "REQUEST_ENTITY_TOO_LARGE")],
)  # fmt: skip
def test_bad_frames_are_refused_and_the_session_goes_on(site: Site, data: bytes, status: int, code: str) -> None:
    session = start(site)
    answer = send(site, session, data)
    assert (answer.status_code, answer.json["error"]["code"]) == (status, code)
    assert send(site, session).status_code == 200


def test_frames_are_no_photos(site: Site) -> None:
    _, encoded = cv2.imencode(".jpg", np.zeros((2100, 2100, 3), np.uint8))
    answer = send(site, start(site), bytes(encoded))
    assert (answer.status_code, answer.json["error"]["code"]) == (413, "FRAME_TOO_LARGE")


def test_one_frame_at_a_time(site: Site) -> None:
    session = start(site)
    busy = site.app.extensions[KEY].get(session).busy
    with busy:
        answer = send(site, session)
    assert (answer.status_code, answer.json["error"]["code"]) == (409, "ONE_AT_A_TIME")
    assert send(site, session).status_code == 200


def test_without_networks_it_says_so(site: Site) -> None:
    class Lost(FakeFollower):
        def update(self, image: Any, time: float) -> Any:
            raise WeightsError("gone")

    site.app.extensions[KEY].make = Lost
    answer = send(site, start(site))
    assert (answer.status_code, answer.json["error"]["code"]) == (503, "NO_READER")


def test_a_session_can_be_ended(site: Site) -> None:
    session = start(site)
    assert site.watcher.delete(f"/api/viewfinder/{session}").status_code == 204
    assert send(site, session).status_code == 404
    assert site.watcher.delete(f"/api/viewfinder/{session}").status_code == 204


def session_of(address: str, at: float = 0.0) -> Session:
    from companion.games import get

    return Session(address, get("remi"), get("remi").house(), "opening", FakeFollower(None), at)


def test_sessions_are_few_and_end_in_silence() -> None:
    now = [0.0]
    kept = Viewfinders(FakeFollower, lambda: now[0])
    names = [kept.add(session_of(f"10.0.0.{n}")) for n in range(MOST)]
    with pytest.raises(WebError) as refused:
        kept.add(session_of("10.0.0.99"))
    assert refused.value.code == "TOO_MANY_VIEWFINDERS"
    now[0] = SECONDS
    assert kept.get(names[0]).last == SECONDS
    now[0] = SECONDS + 1
    assert len(kept) == 1
    kept.add(session_of("10.0.0.99", now[0]))


def test_an_address_has_room_for_two_and_its_oldest_goes() -> None:
    kept = Viewfinders(FakeFollower, lambda: 0.0)
    names = [kept.add(session_of("10.0.0.1")) for _ in range(EACH + 1)]
    assert len(kept) == EACH
    with pytest.raises(WebError):
        kept.get(names[0])
    kept.get(names[-1])


def test_the_page_offers_a_photo_where_the_camera_may_not_be_used(site: Site) -> None:
    page = site.watcher.get("/viewfinder")
    assert page.status_code == 200
    assert 'href="/check"' in page.text
    assert "--https" in page.text
    assert "hidden" in page.text[page.text.index('id="viewfinder"') :][:60]
