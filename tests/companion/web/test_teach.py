"""Teaching a set in the page: who may, what is learned, what is asked, and that reading uses it at once."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fakes import FakeReader, sample
from livefakes import FakeFollower
from sites import Site

import vision.teach
from companion.cli import main
from companion.ledger import Ledger
from companion.profiles import Profiles
from companion.web.app import create_app, services_of
from companion.web.config import WebConfig
from companion.web.teach import SETTING
from vision.profile import Profile
from vision.teach import Lesson, TeachError

QUADS = {f"{letter}{number}": np.zeros((4, 2)) for letter in "rbyk" for number in range(1, 14)}


class Reader(FakeReader):
    """Reads by heart, and can be given a profile."""

    profile: Profile | None = None


def profile(name: str = "home") -> Profile:
    return Profile(name, "2026-11-30", (200, 220, 230), np.full((4, 3), -1.0), np.full((4, 4), -1.0),
                   np.zeros((13, 56, 40), np.float32))


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Site]:
    """A server with a data folder."""
    ledger = Ledger(tmp_path / "ledger.db")
    reader = Reader()
    app = create_app(ledger, WebConfig(data=str(tmp_path)), lambda: reader, FakeFollower)
    made = Site(app, ledger, reader, app.test_client(), app.test_client())
    made.scorer = made.pair("Ana")
    yield made
    services_of(app).hub.close()
    ledger.close()


@pytest.fixture(autouse=True)
def lessons(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the next photo teaches: an error, or rows that are sure or not unless they are named."""
    told: dict[str, Any] = {"rows": "ykbr", "sure": True, "error": None}

    def teach(photo: object, reader: object, name: str, made: str, rows: str = "") -> Lesson:
        if told["error"]:
            raise told["error"]
        return Lesson(profile(name), rows or told["rows"], bool(rows) or told["sure"], QUADS)

    monkeypatch.setattr(vision.teach, "teach", teach)
    return told


def send(site: Site, **more: str) -> Any:
    form = {"photo": (io.BytesIO(sample(2).read_bytes()), "a.jpg"), "name": "home", **more}
    return site.scorer.post("/teach", data=form, headers={"Accept-Language": "en"})


def test_a_set_is_learned_kept_and_used_at_once(home: Site, tmp_path: Path) -> None:
    assert send(home).status_code == 200
    assert Profiles(tmp_path).names() == ("home",)
    assert home.ledger.setting(SETTING) == "home"
    home.watcher.post("/api/read", data={"photo": (io.BytesIO(sample(2).read_bytes()), "a.jpg")})
    assert isinstance(home.reader, Reader)
    assert home.reader.profile is not None
    assert home.reader.profile.name == "home"


def test_colours_that_are_too_near_are_asked_about_with_the_photo_still_there(
    home: Site, lessons: dict[str, Any], tmp_path: Path
) -> None:
    lessons["sure"] = False
    page = send(home).get_data(as_text=True)
    assert "Which colour is which row?" in page
    assert Profiles(tmp_path).names() == ()
    shown = page.partition('name="shown" value="')[2].partition('"')[0]
    answer = home.scorer.post("/teach", data={"shown": shown, "name": "home", **dict(zip(
        ("row0", "row1", "row2", "row3"), "rbyk", strict=True))})
    assert answer.status_code == 200
    assert Profiles(tmp_path).names() == ("home",)


@pytest.mark.parametrize(("code", "words"), [("FEW", "none covered"), ("ROWS", "Four rows"), ("ORDER", "from 1 on"),
                                             ("NUMBERS", "go nearer"), ("FAINT", "without glare")])
def test_a_photo_that_teaches_nothing_says_what_to_do(
    home: Site, lessons: dict[str, Any], code: str, words: str
) -> None:
    lessons["error"] = TeachError(code, "Whatever.")
    answer = send(home)
    assert answer.status_code == 422
    assert words in answer.get_data(as_text=True)


def test_only_paired_devices_teach(home: Site, tmp_path: Path) -> None:
    form = {"photo": (io.BytesIO(sample(2).read_bytes()), "a.jpg")}
    assert home.watcher.post("/teach", data=form).status_code == 403
    assert home.watcher.post("/teach/set", data={"use": ""}).status_code == 403
    assert "<form method=\"post\" enctype" not in home.watcher.get("/teach").get_data(as_text=True)
    assert Profiles(tmp_path).names() == ()


@pytest.mark.parametrize("name", ["../up", "a/b", "x" * 41, "ä", "a\0b"])
def test_a_name_never_leaves_the_folder(home: Site, tmp_path: Path, name: str) -> None:
    before = {path for path in tmp_path.parent.rglob("*") if path.suffix == ".json"}
    assert send(home, name=name).status_code in (200, 422)
    assert {path for path in tmp_path.parent.rglob("*") if path.suffix == ".json"} == before
    assert home.scorer.post("/teach/set", data={"use": name}).status_code == 404
    assert home.scorer.post("/teach/set", data={"forget": name}).status_code == 404


def test_sets_are_chosen_and_forgotten(home: Site, tmp_path: Path) -> None:
    for name in ("home", "grandma"):
        send(home, name=name)
    assert home.ledger.setting(SETTING) == "grandma"
    home.scorer.post("/teach/set", data={"use": "home"})
    assert home.ledger.setting(SETTING) == "home"
    home.scorer.post("/teach/set", data={"forget": "home"})
    assert home.ledger.setting(SETTING) == ""
    assert Profiles(tmp_path).names() == ("grandma",)
    page = home.scorer.get("/teach", headers={"Accept-Language": "en"}).get_data(as_text=True)
    assert "grandma" in page


def test_a_damaged_profile_is_left_aside(home: Site, tmp_path: Path) -> None:
    send(home)
    Profiles(tmp_path).path("home").write_text("{")
    answer = home.watcher.post("/api/read", data={"photo": (io.BytesIO(sample(2).read_bytes()), "a.jpg")})
    assert answer.status_code == 200
    assert isinstance(home.reader, Reader)
    assert home.reader.profile is None
    assert home.scorer.get("/teach").status_code == 200


def test_the_command_lists_and_forgets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Profiles(tmp_path).save(profile("grandma"))
    assert main(["teach", "--list", "--data", str(tmp_path)]) == 0
    assert "grandma: taught 2026-11-30" in capsys.readouterr().out
    assert main(["teach", "--forget", "grandma", "--data", str(tmp_path)]) == 0
    assert main(["teach", "--forget", "grandma", "--data", str(tmp_path)]) == 2
    assert main(["teach", "--data", str(tmp_path)]) == 2
    assert main(["teach", str(tmp_path / "none.jpg"), "--data", str(tmp_path)]) == 2
    assert main(["teach", str(sample(2)), "--rows", "red,red,blue,black", "--data", str(tmp_path)]) == 2
    assert main(["read", str(sample(2)), "--profile", "none", "--data", str(tmp_path)]) == 2
    assert "There is no set named none" in capsys.readouterr().err
