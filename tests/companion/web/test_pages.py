"""The pages work without scripts, in every language."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pytest
from fakes import sample
from sites import Site

from companion.web import catalogues
from companion.web.config import LANGUAGES


@pytest.fixture(scope="module")
def wanted() -> set[str]:
    """Every sentence of the code and the templates."""
    return {m.id if isinstance(m.id, str) else m.id[0] for m in catalogues.extract() if m.id}


@pytest.mark.parametrize("language", LANGUAGES)
def test_catalogues_are_complete(language: str, wanted: set[str]) -> None:
    catalogue = catalogues.load(language)
    known = {message.id if isinstance(message.id, str) else message.id[0] for message in catalogue if message.id}
    assert wanted - known == set()
    assert catalogues.missing(catalogue) == []
    assert not [message.id for message in catalogue if message.id and message.fuzzy]


@pytest.mark.parametrize("language", LANGUAGES)
def test_compiled_catalogues_are_those_of_the_words(language: str) -> None:
    path = catalogues.po_file(language)
    assert path.with_suffix(".mo").read_bytes() == catalogues.compiled(catalogues.load(language))


@pytest.mark.parametrize("language", LANGUAGES)
def test_translations_keep_their_places(language: str) -> None:
    places = re.compile(r"%\((\w+)\)[sd]")
    for message in catalogues.load(language):
        ids = (message.id,) if isinstance(message.id, str) else tuple(message.id)
        words = (message.string,) if isinstance(message.string, str) else tuple(message.string)
        for text in words:
            assert set(places.findall(text)) == set(places.findall(ids[-1])), message.id


def test_romanian_letters_carry_commas() -> None:
    text = catalogues.po_file("ro").read_text(encoding="utf-8")
    assert not set("şţŞŢ") & set(text)
    for word in ("suită", "terță", "etalare", "atu", "joly"):
        assert word in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_in_every_language(site: Site, language: str, remi_round: dict[str, Any]) -> None:
    match = site.start()
    site.scorer.post(f"/api/matches/{match}/rounds", json={"key": "a", "expected": 1, "round": remi_round})
    base = f"/matches/{match}"
    paths = ["/", "/new", "/check", "/help", "/history", "/devices", "/pair/x", "/viewfinder", "/watch", "/trust",
             base, f"{base}?big=1", f"{base}/round", f"{base}/rounds/1", f"{base}/history", f"{base}/sheet"]  # fmt:skip
    for path in paths:
        answer = site.scorer.get(path, headers={"Accept-Language": f"{language};q=0.9"})
        assert answer.status_code == 200, path
        assert f'<html lang="{language}">' in answer.text


@pytest.mark.parametrize(("count", "words"), [(1, "1 rundă"), (2, "2 runde"), (20, "20 de runde")])
def test_plurals(site: Site, remi_round: dict[str, Any], count: int, words: str) -> None:
    match = site.start()
    for n in range(count):
        given = {"mode": "points", "players": {"p1": {"points": 5}, "p2": {"points": 0}}}
        body = {"key": f"k{n}", "expected": n + 1, "round": given}
        assert site.scorer.post(f"/api/matches/{match}/rounds", json=body).status_code == 201
    assert words in site.watcher.get("/history", headers={"Accept-Language": "ro"}).text


def test_an_evening_without_scripts(site: Site) -> None:
    form = {"key": "k", "game": "remi", "player0": "Ana", "player1": "Bo", "dealer": "1", "preset": "popular"}
    started = site.scorer.post("/new", data=form)
    assert started.status_code == 303
    url = started.headers["Location"]
    entry = {"key": "r1", "expected": "1", "mode": "pieces", "p1-melds": "r10 r11 r12\nb4 b5 b6",
             "p2-melds": "k7 k8 k9", "p2-rack": "r1 y13", "closer": "p1"}  # fmt: skip
    assert "+95" in site.scorer.post(f"{url}/round", data={**entry, "do": "preview"}).text
    assert site.scorer.post(f"{url}/round", data={**entry, "do": "confirm"}).status_code == 303
    assert "+95" in site.watcher.get(url).text
    wrong = site.scorer.post(f"{url}/round", data={**entry, "key": "r2", "p1-melds": "zz", "do": "confirm"})
    assert wrong.status_code == 422
    assert "zz" in wrong.text
    undo = {"do": "undo", "round": "1", "key": "u", "expected": "2"}
    assert site.scorer.post(f"{url}/history", data=undo).status_code == 303
    assert site.watcher.get(f"/api{url}").json["totals"] == {"p1": 0, "p2": 0}


def test_checking_a_photo_without_scripts(site: Site) -> None:
    form = {"photo": (io.BytesIO(sample(1).read_bytes()), "a.jpg"), "game": "remi", "as": "opening"}
    page = site.watcher.post("/check", data=form)
    assert page.status_code == 200
    assert "90" in page.text


def test_new_match_says_what_is_wrong_and_keeps_what_was_typed(site: Site) -> None:
    page = site.scorer.post("/new", data={"key": "k", "game": "remi", "player0": "Ana", "preset": "seed"})
    assert page.status_code == 422
    assert 'value="Ana"' in page.text
    assert not site.ledger.matches()


def test_nothing_comes_from_elsewhere() -> None:
    folder = Path(catalogues.__file__).parent
    for path in [*folder.glob("templates/*.html"), *folder.glob("static/js/*.js"), *folder.glob("static/*.css")]:
        links = set(re.findall(r"https?://[^\s\"')]+", path.read_text(encoding="utf-8")))
        assert links <= {"http://www.w3.org/2000/svg"}, path
    assert (folder / "static" / "vendor" / "uPlot.LICENSE").exists()
