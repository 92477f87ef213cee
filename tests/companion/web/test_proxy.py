"""The club of docs/club.md: two processes on one PostgreSQL behind nginx, with the files of docs/deploy."""

from __future__ import annotations

import http.client
import json
import re
import shlex
import shutil
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from companion.ledger import Ledger
from companion.web.trust import new_invite

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
DEPLOY = ROOT / "docs" / "deploy"
NAME = "remi.example.org"
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin")


def free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        probes = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [int(probe.getsockname()[1]) for probe in probes]


def wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(1200):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            assert process.poll() is None, "it went away"
            time.sleep(0.05)
    pytest.fail("no answer")


class Visitor:
    """A browser that asks the proxy by the club's name."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookie = ""

    def ask(self, method: str, path: str, body: Any = None, kind: str = "application/json") -> tuple[int, bytes]:
        connection = self.connect()
        data = json.dumps(body).encode() if kind == "application/json" and body is not None else body
        headers = {"Host": NAME, "Cookie": self.cookie, "Origin": f"https://{NAME}", "Content-Type": kind}
        connection.request(method, path, data, headers)
        answer = connection.getresponse()
        text = answer.read()
        kept = answer.getheader("Set-Cookie")
        if kept:
            self.cookie = kept.partition(";")[0]
        connection.close()
        return answer.status, text

    def connect(self) -> http.client.HTTPSConnection:
        trusting = ssl.create_default_context()
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE  # a certificate made for this test
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=30, context=trusting)


@pytest.fixture
def club(tmp_path: Path, postgresql: str) -> Iterator[tuple[int, list[int]]]:
    """The proxy's port and those of the two processes behind it."""
    if NGINX is None or shutil.which("openssl") is None:
        pytest.skip("nginx is not installed")
    front, *ports = free_ports(3)
    unit = (DEPLOY / "remi@.service").read_text("utf-8")
    (start,) = re.findall(r"^ExecStart=/opt/remi/bin/remi (.+)$", unit, re.MULTILINE)
    start = start.replace("postgresql://remi@/remi", postgresql).replace("/var/lib/remi", str(tmp_path))
    certificate = ("-keyout", str(tmp_path / "remi.key"), "-out", str(tmp_path / "remi.crt"))
    new = ("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", f"/CN={NAME}", "-days", "2")
    subprocess.run([*new, *certificate], check=True, capture_output=True)
    site = (DEPLOY / "nginx.conf").read_text("utf-8").replace("listen 443", f"listen 127.0.0.1:{front}")
    site = re.sub(r"/etc/ssl/(remi\.\w+)", rf"{tmp_path}/\1", site)
    for written, port in zip((8431, 8432), ports, strict=True):
        site = site.replace(f":{written};", f":{port};")
    conf = tmp_path / "nginx.conf"
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "".join(f"{kind}_temp_path {tmp_path};" for kind in kinds)
    conf.write_text(
        f"pid {tmp_path}/pid;\nerror_log {tmp_path}/errors;\ndaemon off;\nuser root;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{temporary}\n{site}}}\n",
        "utf-8",
    )
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with ExitStack() as stack:
        for port in ports:
            command = [sys.executable, "-m", "companion.cli", *shlex.split(start.replace("%i", str(port)))]
            process = stack.enter_context(subprocess.Popen(command, **quiet))  # type: ignore[call-overload]
            stack.callback(process.kill)
            wait_for(port, process)
        proxy = stack.enter_context(subprocess.Popen([NGINX, "-p", str(tmp_path), "-c", str(conf)], **quiet))  # type: ignore[call-overload]
        stack.callback(proxy.terminate)
        wait_for(front, proxy)
        yield front, ports


def test_a_club_behind_a_proxy(club: tuple[int, list[int]], postgresql: str) -> None:
    """Pair, score, watch live and read a photo through the proxy; what one process wrote, the other shows."""
    front, ports = club
    scorer = Visitor(front)
    with Ledger(postgresql) as ledger:
        token = new_invite(ledger)
    paired = scorer.ask("POST", "/pair", f"token={token}&name=scorer".encode(), "application/x-www-form-urlencoded")
    assert paired[0] == 303
    status, made = scorer.ask("POST", "/api/matches", {"key": "m", "game": "remi", "players": ["A", "B"]})
    assert status == 201
    match = json.loads(made)["id"]

    stream = Visitor(front).connect()
    stream.request("GET", f"/api/matches/{match}/events", headers={"Host": NAME})
    live = stream.getresponse()

    def heard() -> dict[str, Any]:
        while True:
            line = live.readline()
            assert line, "the stream ended"
            if line.startswith(b"data: "):
                found: dict[str, Any] = json.loads(line[6:])
                return found

    assert heard()["version"] == 1
    body = {"mode": "points", "players": {"p1": {"points": 30}, "p2": {"points": -30}}}
    status, _ = scorer.ask("POST", f"/api/matches/{match}/rounds", {"key": "r", "expected": 1, "round": body})
    assert status == 201
    assert heard()["totals"]["p1"] == 30
    stream.close()

    for port in ports:  # each process shows what was scored, whichever took it
        plain = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        plain.request("GET", f"/api/matches/{match}", headers={"Host": NAME})
        assert json.loads(plain.getresponse().read())["totals"]["p1"] == 30
        plain.close()

    photo = (ROOT / "vision" / "samples" / "table.jpg").read_bytes()
    form = b"--cut\r\nContent-Disposition: form-data; name=photo; filename=a.jpg\r\n\r\n" + photo + b"\r\n--cut--\r\n"
    status, read = scorer.ask("POST", "/api/read", form, "multipart/form-data; boundary=cut")
    assert status == 200, read[:300]
    table = json.loads(read)
    assert table["total"]["value"] == 80
    status, picture = scorer.ask("GET", table["photo"])  # from the process that read it
    assert (status, picture[:2]) == (200, b"\xff\xd8")
