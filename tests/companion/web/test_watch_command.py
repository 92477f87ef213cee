"""``remi watch``: the server with a camera inside."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from companion.cli import main
from vision.read import Reader
from vision.weights import WeightsError

TABLE = Path(__file__).parents[3] / "vision" / "samples" / "table.jpg"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--fps", "0"], "--fps takes"),
        (["--match", "none"], "There is no match none"),
        (["--zones", "spoilt.json"], "These are no zones of a table"),
        (["--certificate", "a.pem"], "--certificate and --key go together"),
    ],
)
def test_what_can_not_be_watched_says_why(
    words: list[str], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("spoilt.json").write_text("{")
    assert main(["watch", "0", "--host", "127.0.0.1", "--port", "0", "--data", str(tmp_path), *words]) == 2
    assert why in capsys.readouterr().err


@contextmanager
def watched(source: str, folder: Path, *more: str) -> Iterator[str]:
    """The command at work; the address of its page."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "companion.cli", "watch", source, "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen([*words, "--data", str(folder), *more], stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)  # fmt: skip
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=20)


def until(url: str, camera: str) -> dict[str, Any]:
    """What the page shows once the camera is in this state."""
    state: dict[str, Any] = {}
    for _ in range(600):
        try:
            with urllib.request.urlopen(f"{url}/api/watch", timeout=10) as answer:
                state = json.load(answer)
        except OSError:
            pass
        if state.get("camera", {}).get("state") == camera:
            return state
        time.sleep(0.2)
    pytest.fail(f"the camera never was {camera}: {state}")


@pytest.mark.slow
def test_a_folder_of_pictures_is_watched_to_its_end(tmp_path: Path) -> None:
    try:
        Reader().warm(("tile",))
    except WeightsError:
        pytest.skip("the networks are not here")
    film = tmp_path / "film"
    film.mkdir()
    for n in range(3):
        shutil.copy(TABLE, film / f"{n}.jpg")
    with watched(str(film), tmp_path, "--fps", "2") as url:
        state = until(url, "ended")
    assert sorted(len(meld["faces"]) for meld in state["melds"]) == [3, 4, 5]
    assert all(meld["verdict"]["ok"] for meld in state["melds"])


@pytest.mark.slow
def test_a_source_that_is_not_there_yet_is_found_when_it_comes(tmp_path: Path) -> None:
    film = tmp_path / "film"
    with watched(str(film), tmp_path, "--fps", "1") as url:
        assert str(film) in until(url, "wrong")["camera"]["sentence"]
        ready = tmp_path / "ready"
        ready.mkdir()
        shutil.copy(TABLE, ready / "0.jpg")
        ready.rename(film)
        until(url, "ended")


@pytest.mark.slow
def test_a_stream_that_nobody_sends_hides_its_password(tmp_path: Path) -> None:
    with watched("http://ana:secret@127.0.0.1:9/live?password=secret", tmp_path) as url:
        state = until(url, "wrong")
    assert "http://127.0.0.1:9/live" in state["camera"]["sentence"]
    assert "secret" not in json.dumps(state)
