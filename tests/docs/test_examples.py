"""What documents tell a person to type runs, and does something."""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
import subprocess
import threading
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest

from companion.cli import COMMANDS, main
from companion.games import get
from companion.ledger import Ledger
from companion.web.app import create_app, services_of
from companion.web.demo import set_up

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs").glob("*.md"))
STAY = frozenset({"serve", "watch"})
"""Commands that go on until they are stopped: here only their options are read."""
OWN = re.compile(r"--database |--profile |^remi teach |^remi corrections ")
"""Examples that need what only the reader has, a database server or a photo of a set: here only options are read."""


def blocks(page: Path, language: str) -> list[str]:
    """The blocks of one language in a page."""
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def lines(page: Path) -> list[str]:
    """The `remi` commands of a page."""
    return [line for block in blocks(page, "sh") for line in block.splitlines() if line.startswith("remi ")]


def commands(pages: list[Path]) -> list[tuple[str, str]]:
    return [(page.name, line) for page in pages for line in lines(page)]


@pytest.fixture
def at_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that examples speak of, an own data folder with one match, and both in use."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REMI_DATA", str(tmp_path / "data"))
    (tmp_path / "data").mkdir()
    with Ledger(tmp_path / "data" / "ledger.db") as ledger:
        set_up(ledger)
        ledger.backup(tmp_path / "evening.db")
    shutil.copy(ROOT / "vision" / "samples" / "table.jpg", tmp_path / "table.jpg")
    (example,) = (block for block in blocks(ROOT / "docs" / "commands.md", "toml") if "[racks]" in block)
    (tmp_path / "round.toml").write_text(example, "utf-8")
    (tmp_path / "house.toml").write_text(blocks(ROOT / "docs" / "rules.md", "toml")[0], "utf-8")
    return tmp_path


def parsed(words: list[str]) -> argparse.Namespace:
    """The options of a command, read but not acted on."""
    parser = argparse.ArgumentParser(exit_on_error=False)
    import_module(COMMANDS[words[0]][0]).configure(parser)
    return parser.parse_args(words[1:])


@pytest.mark.parametrize(("page", "line"), commands(PAGES))
def test_a_command_of_the_documents_runs(
    page: str, line: str, at_the_table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = shlex.split(line, comments=True)[1:]
    assert words[0] in COMMANDS
    if words[0] in STAY or OWN.search(line):
        parsed(words)
        return
    assert main(words) in (0, 1)
    assert capsys.readouterr().out.strip()


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "toml")], ids=lambda page: page.name)
def test_toml_of_the_documents_is_toml(page: Path) -> None:
    for block in blocks(page, "toml"):
        assert tomllib.loads(block)


def test_the_house_rules_of_the_documents_are_house_rules() -> None:
    (block,) = blocks(ROOT / "docs" / "rules.md", "toml")
    assert get("remi").house.from_toml(block).to_mapping()["opening_min"] == 50
    assert get("carousel").house.from_toml(block).to_mapping()["run14"] is False


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


@pytest.fixture
def demo(tmp_path: Path) -> Iterator[str]:
    """A demo server's address."""
    with Ledger(tmp_path / "ledger.db") as ledger:
        set_up(ledger)
        app = create_app(ledger)
        with make_server("127.0.0.1", 0, app, handler_class=_Quiet) as server:
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            yield f"http://127.0.0.1:{server.server_port}"
            server.shutdown()
            thread.join()
        services_of(app).hub.close()


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")], ids=lambda page: page.name)
def test_python_of_the_documents_runs(page: Path, demo: str, capsys: pytest.CaptureFixture[str]) -> None:
    for block in blocks(page, "python"):
        code = block.replace("http://127.0.0.1:8421", demo)
        exec(compile(code, page.name, "exec"), {})
        assert capsys.readouterr().out.strip()


# -- what starts it on a small board or for a club ----------------------------------------------------------------

UNITS = sorted((ROOT / "docs" / "deploy").glob("*.service"))


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_starts_remi_with_options_that_exist(unit: Path) -> None:
    (start,) = re.findall(r"^ExecStart=/opt/remi/bin/remi (.+)$", unit.read_text("utf-8"), re.MULTILINE)
    assert 0 < parsed(shlex.split(start.replace("%i", "8431"))).port < 65536


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_systemd_takes_the_unit(unit: Path, tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed")
    copy = tmp_path / unit.name.replace("@.", "@8431.")
    copy.write_text(unit.read_text("utf-8").replace("/opt/remi/bin/remi", shutil.which("true") or "/bin/true"), "utf-8")
    done = subprocess.run(["systemd-analyze", "verify", str(copy)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert copy.name not in done.stderr


def test_the_container_file_takes_along_what_exists_and_starts_remi() -> None:
    text = (ROOT / "docs" / "deploy" / "Containerfile").read_text("utf-8")
    for sources in re.findall(r"^COPY (?!--)(.+) \S+$", text, re.MULTILINE):
        assert [name for name in sources.split() if not (ROOT / name).exists()] == []
    (command,) = re.findall(r'^CMD \["(.+)"\]$', text, re.MULTILINE)
    assert command.split('", "')[0] in COMMANDS


def test_nginx_takes_its_file(tmp_path: Path) -> None:
    """With a certificate made for the test, all paths in a folder of its own."""
    nginx = shutil.which("nginx", path="/usr/sbin:/usr/bin")
    if nginx is None or shutil.which("openssl") is None:
        pytest.skip("nginx is not installed")
    made = ("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=remi", "-days", "2")
    where = ("-keyout", str(tmp_path / "remi.key"), "-out", str(tmp_path / "remi.crt"))
    subprocess.run(["openssl", *made, *where], check=True, capture_output=True)
    site = (ROOT / "docs" / "deploy" / "nginx.conf").read_text("utf-8")
    site = re.sub(r"/etc/ssl/(remi\.\w+)", rf"{tmp_path}/\1", site).replace("listen 443", "listen 127.0.0.1:8443")
    conf = tmp_path / "nginx.conf"
    around = f"pid {tmp_path}/pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n%s}}\n"
    conf.write_text(around % site, "utf-8")
    done = subprocess.run([nginx, "-t", "-p", str(tmp_path), "-c", str(conf)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
