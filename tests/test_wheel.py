"""The wheel alone, in a fresh environment, away from this checkout and without network: it reads, judges and scores."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
NETWORKS = {path.name for path in (ROOT / "models").glob("*.onnx")}
CARRIED = ("companion", "vision", "models", "pyproject.toml", "setup.py", "README.md", "LICENSE")
TRAINING = ("torch", "ultralytics", "onnx", "scipy", "pillow")
"""Packages that only training or tests need."""


def told(*command: str | Path, cwd: Path, **more: str) -> str:
    """What a command says; it must succeed. Nothing of this checkout or of the caller's environment reaches it."""
    kept = {name: os.environ[name] for name in os.environ if not name.startswith(("PYTHON", "REMI_", "VIRTUAL_ENV"))}
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env={**kept, **more}, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy: what an earlier build left in the checkout must not slip in."""
    source = tmp_path_factory.mktemp("source")
    for name in CARRIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, source / name)
    out = tmp_path_factory.mktemp("wheel")
    told(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", out, source, cwd=out)
    (found,) = out.glob("remi_companion-*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an environment that holds the wheel and what it needs."""
    folder = tmp_path_factory.mktemp("environment")
    told(sys.executable, "-m", "venv", folder, cwd=folder)
    told(folder / "bin" / "pip", "install", "-q", wheel, cwd=folder)
    return folder


def cut_off() -> list[str]:
    """What runs a command without any network, where this system lets one."""
    command = ["unshare", "--map-root-user", "--net"]
    if shutil.which("unshare") is None:
        return []
    return command if subprocess.run([*command, "true"], capture_output=True).returncode == 0 else []


def remi(installed: Path, away: Path, *words: str) -> Any:
    """The JSON that the installed command gives, without network."""
    return json.loads(told(*cut_off(), installed / "bin" / "remi", *words, "--json", cwd=away, HOME=str(away)))


def test_the_wheel_carries_the_networks_and_no_name_too_many(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0].split("-")[0] for name in names} == {"companion", "vision", "remi_companion"}
    assert {name.split("/")[-1] for name in names if name.startswith("vision/weights/")} == NETWORKS
    templates = {path.name for path in (ROOT / "companion" / "web" / "templates").iterdir()}
    assert {Path(name).name for name in names if name.startswith("companion/web/templates/")} == templates
    print(f"wheel: {wheel.stat().st_size / 1e6:.1f} MB")


def test_nothing_for_training_is_installed(installed: Path) -> None:
    listed = json.loads(told(installed / "bin" / "pip", "list", "--format=json", cwd=installed))
    names = {one["name"].lower() for one in listed}
    assert "remi-companion" in names
    assert names.isdisjoint(TRAINING)
    (packages,) = (installed / "lib").glob("python3*/site-packages")
    sizes = {
        folder.name: sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
        for folder in packages.iterdir()
        if not folder.name.startswith(("pip", "setuptools"))
    }
    largest = sorted(sizes.items(), key=lambda one: -one[1])[:6]
    print(f"installed: {sum(sizes.values()) / 1e6:.0f} MB, " + ", ".join(f"{n} {s / 1e6:.0f}" for n, s in largest))


def test_it_reads_the_sample_table_without_network(installed: Path, tmp_path: Path) -> None:
    read = remi(installed, tmp_path, "read", "--sample")
    assert read["total"]["ok"] is True
    assert read["total"]["value"] == 80


def test_it_judges_and_scores_without_network(installed: Path, tmp_path: Path) -> None:
    assert remi(installed, tmp_path, "check", "r3 r4 r5", "y1 b1 *")["ok"] is True
    players = ("--player", "Ana: r10 r11 r12", "--player", "Bo: | r5")
    scored = remi(installed, tmp_path, "score", *players, "--closer", "Ana")
    assert [one["player"] for one in scored["players"]] == ["Ana", "Bo"]


def test_the_doctor_finds_it_in_order(installed: Path, tmp_path: Path) -> None:
    answer = remi(installed, tmp_path, "doctor", "--port", "0")
    assert answer["ok"] is True, answer
    (place,) = {one["state"] for one in answer["checks"] if one["check"] == "networks"}
    assert place == "ok"


@contextmanager
def serving(installed: Path, away: Path) -> Iterator[dict[str, str]]:
    """The installed ``remi serve``: what it told, its address and pairing link."""
    command = [str(installed / "bin" / "remi"), "serve", "--json", "--host", "127.0.0.1", "--port", "0"]
    environment = {"PATH": os.environ["PATH"], "HOME": str(away)}
    with subprocess.Popen(command, cwd=away, env=environment, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        told = ""
        while not told.endswith("}\n"):
            line = server.stdout.readline()
            assert line, "the server went away"
            told += line
        try:
            yield json.loads(told)
        finally:
            server.terminate()


def asked(browser: OpenerDirector, url: str, data: bytes, kind: str) -> Any:
    """What the server answers to a request that must succeed."""
    with browser.open(Request(url, data, {"Content-Type": kind, "Accept": "application/json"}), timeout=120) as answer:
        text = answer.read()
    return json.loads(text) if text.startswith(b"{") else None


def test_from_nothing_to_a_scored_round(installed: Path, tmp_path: Path) -> None:
    """The README's evening: serve, pair, start a match, read a photo, score what it shows, see the tally."""
    photo = (ROOT / "vision" / "samples" / "table.jpg").read_bytes()
    form = b"--cut\r\nContent-Disposition: form-data; name=photo; filename=a.jpg\r\n\r\n" + photo + b"\r\n--cut--\r\n"
    with serving(installed, tmp_path) as told:
        base = told["watch"][0]
        browser = build_opener(HTTPCookieProcessor(CookieJar()))
        token = told["pair"].rpartition("/")[2]
        asked(browser, f"{base}/pair", f"token={token}&name=phone".encode(), "application/x-www-form-urlencoded")
        start = {"key": "m", "game": "remi", "players": ["Ana", "Bo"]}
        match = asked(browser, f"{base}/api/matches", json.dumps(start).encode(), "application/json")
        table = asked(browser, f"{base}/api/read", form, "multipart/form-data; boundary=cut")
        melds = [" ".join(meld["codes"]) for meld in table["melds"]]
        assert len(melds) == 3
        players = {"p1": {"melds": melds, "rack": ""}, "p2": {"melds": [], "rack": "k11 y2"}}
        played = {"closer": "p1", "players": players}
        body = json.dumps({"key": "r", "expected": match["version"], "round": played}).encode()
        scored = asked(browser, f"{base}/api/matches/{match['id']}/rounds", body, "application/json")
    assert scored["totals"] == {"p1": 80 + 50, "p2": -15}
