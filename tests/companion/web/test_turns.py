"""Carousel's move from two photos, in the page and the API."""

from __future__ import annotations

import html
import io
import re
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from sites import Site
from werkzeug.datastructures import FileStorage
from werkzeug.test import encode_multipart

sys.path.insert(0, str(Path(__file__).parents[1]))
from table_scenes import cards

from companion.web.config import MAX_MOVE
from vision.photo import MAX_BYTES, Photo
from vision.scene import Kind, Scene

BEFORE = cards("10H JH QH", "9C 9D 9S")


class Shades:
    """A reader that tells photos by how bright they are."""

    def __init__(self, *scenes: Scene) -> None:
        self.scenes = scenes

    def read(self, picture: Photo, kinds: tuple[Kind, ...] = ("card",)) -> Scene:
        return self.scenes[round(float(picture.image.mean()) / 40)]


def shot(shade: int) -> tuple[io.BytesIO, str]:
    done, data = cv2.imencode(".png", np.full((200, 250, 3), shade * 40, np.uint8))
    assert done
    return io.BytesIO(bytes(data)), f"{shade}.png"


def photos(site: Site, after: Scene, hand: Scene | None = None) -> dict[str, Any]:
    site.app.extensions["remi"].reader._reader = Shades(BEFORE, after, *([hand] if hand else []))
    given: dict[str, Any] = {"before": shot(0), "after": shot(1)}
    return {**given, "hand_photo": shot(2)} if hand else given


@pytest.mark.parametrize(
    ("after", "hand", "reason"),
    [
        (cards("10H JH QH KH", "9C 9D 9S"), "KH 2D", "OK"),
        (cards("10H JH QH KH", "9C 9D 9S"), "2D", "CARD_NOT_IN_HAND"),
        (cards("10H JH QH", "9C 9D 9S"), "KH", "NO_CARD_FROM_HAND"),
    ],
)
def test_a_move_is_judged_from_two_photos(site: Site, after: Scene, hand: str, reason: str) -> None:
    answer = site.scorer.post("/api/turn", data={**photos(site, after), "hand": hand})
    assert answer.status_code == 200, answer.json
    assert answer.json["verdict"]["reason"] == reason
    assert site.watcher.get(answer.json["photo"]).mimetype == "image/jpeg"
    again = site.scorer.post("/api/turn", json=answer.json["read"])
    assert again.json["verdict"] == answer.json["verdict"]


def test_the_hand_may_be_a_photo(site: Site) -> None:
    hand = cards("KH AD 3C", kind="fan")
    answer = site.scorer.post("/api/turn", data=photos(site, cards("10H JH QH KH", "9C 9D 9S"), hand))
    assert answer.json["left"] == {"cards": ["AD", "3C"], "points": 4, "knock": True}


@pytest.mark.parametrize(("told", "words"), [("gone", "The move is not legal."), ("hidden", "The move is legal.")])
def test_the_page_asks_about_a_card_that_is_missing(site: Site, told: str, words: str) -> None:
    page = site.watcher.post("/turn", data=photos(site, cards("10H JH QH KH", "9C 9D")))
    text = html.unescape(page.get_data(as_text=True))
    assert page.status_code == 200
    assert 'name="before-5"' in text
    state = re.search(r'name="state" value="([^"]*)"', page.get_data(as_text=True))
    assert state
    answered = site.watcher.post("/turn", data={"state": html.unescape(state[1]), "before-5": told})
    assert words in html.unescape(answered.get_data(as_text=True))


@pytest.mark.parametrize(("told", "words"), [("2S", "The move is legal."), ("", "The move is not legal.")])
def test_the_page_asks_what_lies_hidden_beside_cards_that_are_no_meld(site: Site, told: str, words: str) -> None:
    after = cards("10H JH QH", "9C 9D 9S", "2C 2D")
    page = site.watcher.post("/turn", data={**photos(site, after), "hand": "2C 2D 2S"}).get_data(as_text=True)
    assert 'name="after-7-covered"' in page
    state = re.search(r'name="state" value="([^"]*)"', page)
    assert state
    answered = site.watcher.post("/turn", data={"state": html.unescape(state[1]), "after-7-covered": told})
    assert words in html.unescape(answered.get_data(as_text=True))


def test_what_can_not_be_used_is_said(site: Site) -> None:
    assert "Judge the move" in site.watcher.get("/turn").get_data(as_text=True)
    assert site.watcher.post("/turn", data={"state": "nonsense"}).status_code == 422
    assert site.watcher.post("/turn", data={"before": shot(0)}).status_code == 422
    for state in ({}, {"before": 1, "after": []}, {"before": BEFORE.to_dict(), "after": BEFORE.to_dict(), "hand": "x"}):
        assert site.scorer.post("/api/turn", json=state).status_code == 422
    wrong = {"before": BEFORE.to_dict(), "after": BEFORE.to_dict(), "answers": [["after", 99, "9H"]]}
    assert site.scorer.post("/api/turn", json=wrong).json["error"]["code"] == "BAD_EDIT"
    for more in ({"events": "sleep"}, {"events": "end", "stock": "x"}, {"game": "rummy"}):
        assert site.watcher.post("/api/turn", data={"before": "-", "after": "-", **more}).status_code == 422


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ({"before": "9C 9D 9S", "after": "9C 9D 9S 9H", "hand": "9H 2D"}, "OK"),
        ({"before": "9C 9D 9S", "after": "9C 9D 9S 9H", "hand": "9H 6D", "events": "draw meld knock"}, "OVER_FIVE"),
        ({"before": "9C 9D 9S", "after": "9C 9D 9S", "events": "end", "stock": "0", "final": "1"}, "OK"),
        ({"before": "-", "after": "9C 9D 9S", "game": "rummy", "hand": "9C 9D 9S 2H", "discard": "2H"}, "OK"),
        ({"before": "-", "after": "9C 9D 9S", "game": "rummy", "hand": "9C 9D 9S 2H"}, "MUST_DISCARD"),
    ],
)
def test_tables_may_be_typed_and_a_whole_turn_told(site: Site, told: dict[str, str], reason: str) -> None:
    answer = site.watcher.post("/api/turn", data=told)
    assert answer.status_code == 200, answer.json
    assert answer.json["verdict"]["reason"] == reason
    page = site.watcher.post("/turn", data=told).get_data(as_text=True)
    assert ("The move is legal." if reason == "OK" else "The move is not legal.") in page


def large(shade: int, size: int) -> tuple[io.BytesIO, str]:
    """A photo with so many bytes: a JPEG may go on after its end."""
    done, data = cv2.imencode(".jpg", np.full((200, 250, 3), shade * 40, np.uint8))
    assert done
    return io.BytesIO(bytes(data).ljust(size, b"\0")), f"{shade}.jpg"


def test_three_photos_as_large_as_a_photo_may_be_are_taken(site: Site) -> None:
    given = photos(site, cards("10H JH QH KH", "9C 9D 9S"), cards("KH AD 3C", kind="fan"))
    given |= {name: large(n, MAX_BYTES - 100) for n, name in enumerate(("before", "after", "hand_photo"))}
    boundary, whole = encode_multipart({name: FileStorage(*shown, name) for name, shown in given.items()})
    answer = site.watcher.post("/api/turn", data=whole, content_type=f"multipart/form-data; boundary={boundary}")
    assert answer.status_code == 200, answer.json
    assert answer.json["verdict"]["ok"]


def test_photos_larger_than_that_are_refused_with_a_sentence(site: Site) -> None:
    head = b'--x\r\nContent-Disposition: form-data; name="before"; filename="a.jpg"\r\n\r\n'
    whole = head + bytes(MAX_MOVE) + b"\r\n--x--\r\n"
    for path, accept in (("/api/turn", "application/json"), ("/turn", "text/html")):
        answer = site.watcher.post(
            path, data=whole, content_type="multipart/form-data; boundary=x", headers={"Accept": accept}
        )
        assert answer.status_code == 413
        assert "61 MB" in answer.get_data(as_text=True)
