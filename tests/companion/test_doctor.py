"""``remi doctor``: what is in order, what is not, and that looking changes nothing."""

from __future__ import annotations

import json
import socket
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion import doctor
from companion.cli import main
from companion.ledger import Ledger
from companion.match import MatchStarted, Player

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


@pytest.fixture(autouse=True)
def no_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The networks have a test of their own; here they would only take time."""
    kept = tuple(check for check in doctor.CHECKS if check.__name__ != "_networks")
    monkeypatch.setattr(doctor, "CHECKS", kept)


def examined(capsys: Capture, folder: Path, port: int, *more: str, code: int = 0) -> dict[str, dict[str, str]]:
    words = ["doctor", "--data", str(folder), "--host", "127.0.0.1", "--port", str(port), "--json", *more]
    assert main(words) == code
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert answer["ok"] is (code == 0)
    return {one["check"]: one for one in answer["checks"]}


def test_a_fresh_machine_is_in_order_and_nothing_is_made(capsys: Capture, tmp_path: Path, port: int) -> None:
    folder = tmp_path / "not yet"
    found = examined(capsys, folder, port)
    assert {found[name]["state"] for name in ("data", "ledger", "port", "languages", "network")} == {"ok"}
    assert "will be made" in found["data"]["sentence"]
    assert not folder.exists()


def test_in_words(capsys: Capture, tmp_path: Path, port: int) -> None:
    assert main(["doctor", "--data", str(tmp_path), "--host", "127.0.0.1", "--port", str(port)]) == 0
    out = capsys.readouterr().out
    assert f"Port {port} is free." in out
    assert out.splitlines()[-1] == "ok  All that play needs works here."


def test_a_ledger_is_counted_and_left_as_it_is(capsys: Capture, tmp_path: Path, port: int) -> None:
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.start(MatchStarted(key="m", game="remi", players=(Player("p1", "Ana"), Player("p2", "Bo")), dealer="p1"))
    before = (tmp_path / "ledger.db").read_bytes()
    assert "holds 1 match." in examined(capsys, tmp_path, port)["ledger"]["sentence"]
    assert (tmp_path / "ledger.db").read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"no database at all, but long enough to look like one" * 40])
def test_a_damaged_ledger_is_named(capsys: Capture, tmp_path: Path, port: int, content: bytes) -> None:
    (tmp_path / "ledger.db").write_bytes(content)
    found = examined(capsys, tmp_path, port, code=1)
    assert found["ledger"]["state"] == "no"
    assert "remi restore" in found["ledger"]["remedy"]
    assert (tmp_path / "ledger.db").read_bytes() == content


def test_a_ledger_of_a_newer_companion_is_named(capsys: Capture, tmp_path: Path, port: int) -> None:
    Ledger(tmp_path / "ledger.db").close()
    conn = sqlite3.connect(tmp_path / "ledger.db")
    with conn:
        conn.execute("UPDATE schema_version SET version = 99")
    conn.close()
    assert "newer companion" in examined(capsys, tmp_path, port, code=1)["ledger"]["sentence"]


def test_postgresql(capsys: Capture, tmp_path: Path, port: int, postgresql: str) -> None:
    assert "the first start" in examined(capsys, tmp_path, port, "--database", postgresql)["ledger"]["sentence"]
    Ledger(postgresql).close()
    assert "holds 0 matches" in examined(capsys, tmp_path, port, "--database", postgresql)["ledger"]["sentence"]


def test_a_database_that_does_not_answer(capsys: Capture, tmp_path: Path, port: int) -> None:
    url = f"postgresql://remi@127.0.0.1:{port}/remi"
    found = examined(capsys, tmp_path, port, "--database", url, code=1)["ledger"]
    assert found["state"] == "no"
    assert "running" in found["remedy"]


def test_sets_that_were_taught(capsys: Capture, tmp_path: Path, port: int) -> None:
    assert "No set was taught" in examined(capsys, tmp_path, port)["sets"]["sentence"]
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "home.json").write_text("{}")
    assert examined(capsys, tmp_path, port, code=1)["sets"]["state"] == "no"


def test_a_port_that_is_taken(capsys: Capture, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        other.settimeout(0.1)
        found = examined(capsys, tmp_path, other.getsockname()[1], code=1)
    assert "--port" in found["port"]["remedy"]


def test_a_data_folder_that_is_a_file(capsys: Capture, tmp_path: Path, port: int) -> None:
    (tmp_path / "file").write_text("")
    assert examined(capsys, tmp_path / "file" / "data", port, code=1)["data"]["state"] == "no"


def test_a_full_disk(capsys: Capture, tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "ROOM", 1 << 60)
    assert "nearly full" in examined(capsys, tmp_path, port, code=1)["data"]["sentence"]


def test_a_camera_that_gives_pictures_and_one_that_does_not(capsys: Capture, tmp_path: Path, port: int) -> None:
    import cv2
    import numpy as np

    film = tmp_path / "film.avi"
    writer = cv2.VideoWriter(str(film), cv2.VideoWriter.fourcc(*"MJPG"), 5, (320, 240))
    for _ in range(3):
        writer.write(np.full((240, 320, 3), 90, np.uint8))
    writer.release()
    assert "320 x 240" in examined(capsys, tmp_path, port, "--camera", str(film))["camera"]["sentence"]
    film.write_bytes(b"")
    assert examined(capsys, tmp_path, port, "--camera", str(film), code=1)["camera"]["state"] == "no"


def test_a_certificate_and_what_is_none(capsys: Capture, tmp_path: Path, port: int) -> None:
    pytest.importorskip("cryptography")
    from companion.web.tls import own

    own(tmp_path, ["127.0.0.1"])
    assert "no warning until" in examined(capsys, tmp_path, port)["certificate"]["sentence"]
    (tmp_path / "remi-ca.crt").write_text("nothing")
    assert examined(capsys, tmp_path, port, code=1)["certificate"]["state"] == "no"


def test_a_library_that_is_missing(
    capsys: Capture, tmp_path: Path, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: doctor.Place) -> Iterator[doctor.Finding]:
        raise ImportError("libGL.so.1: cannot open shared object file")

    broken.__name__ = "_networks"
    monkeypatch.setattr(doctor, "CHECKS", (broken, *doctor.CHECKS))
    assert "libGL.so.1" in examined(capsys, tmp_path, port, code=1)["networks"]["sentence"]


def test_networks_that_are_missing(tmp_path: Path) -> None:
    place = doctor.Place(tmp_path, tmp_path / "ledger.db", "127.0.0.1", 0, tmp_path, None)
    found = list(doctor._networks(place))
    assert [one.state for one in found] == ["no", "no"]
    assert str(tmp_path) in found[0].sentence


def test_the_networks_read_the_sample_table(tmp_path: Path) -> None:
    place = doctor.Place(tmp_path, tmp_path / "ledger.db", "127.0.0.1", 0, None, None)
    (found,) = doctor._networks(place)
    assert found.state == "ok", found.sentence


def test_a_port_that_is_none(capsys: Capture) -> None:
    assert main(["doctor", "--port", "70000"]) == 2
    assert "65535" in capsys.readouterr().err
