"""Who may do what (DESIGN.md 7)."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

import pytest
from fakes import sample
from sites import Site

from companion.web.trust import OPEN_ENDPOINTS, SAFE, Rate, new_invite


def error_of(answer: Any) -> dict[str, Any]:
    """The one error shape, checked."""
    error = answer.json["error"]
    assert set(error) == {"code", "sentence", "detail"}
    assert error["sentence"]
    return dict(error)


def test_an_unpaired_client_can_change_nothing(site: Site, remi_round: dict[str, Any]) -> None:
    match = site.start()
    before = site.ledger.match(match)
    devices = site.ledger.devices()
    for rule in site.app.url_map.iter_rules():
        for method in (rule.methods or set()) - SAFE:
            if rule.endpoint in OPEN_ENDPOINTS:
                continue
            values = {"match_id": match, "number": 1, "device_id": devices[0].id}
            url = rule.rule
            for name, value in values.items():
                url = url.replace(f"<int:{name}>", str(value)).replace(f"<{name}>", str(value))
            body = {"key": "x", "expected": 1, "round": remi_round, "ended": True}
            answer = site.watcher.open(url, method=method, json=body)
            assert answer.status_code == 403, (method, url)
    assert site.ledger.match(match) == before
    assert site.ledger.devices() == devices


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Origin": "http://localhost"},
    ],
)
def test_requests_of_other_sites_are_refused(site: Site, headers: dict[str, str]) -> None:
    body = {"key": "k", "game": "remi", "players": ["A", "B"]}
    answer = site.scorer.post("/api/matches", json=body, headers=headers)
    assert answer.status_code == 403
    assert error_of(answer)["code"] == "CROSS_SITE"
    assert not site.ledger.matches()


def test_requests_of_this_site_pass(site: Site) -> None:
    body = {"key": "k", "game": "remi", "players": ["A", "B"]}
    assert site.scorer.post("/api/matches", json=body, headers={"Origin": "http://localhost"}).status_code == 201


@pytest.mark.parametrize("path", ["/", "/api/games", "/healthz", "/nowhere"])
def test_forged_hosts_are_refused(site: Site, path: str) -> None:
    answer = site.watcher.get(path, headers={"Host": "evil.example"})
    assert answer.status_code == 400
    assert error_of(answer)["code"] == "UNTRUSTED_HOST"


def test_pairing_links_work_once(site: Site) -> None:
    token = new_invite(site.ledger)
    assert site.watcher.get(f"/pair/{token}").status_code == 200  # a look doesn't use it up
    assert site.app.test_client().post("/pair", data={"token": token}).status_code == 303
    again = site.app.test_client().post("/pair", data={"token": token}, headers={"Accept": "application/json"})
    assert again.status_code == 403
    assert error_of(again)["code"] == "BAD_INVITE"


def test_a_revoked_device_only_watches(site: Site) -> None:
    other = site.pair()
    mine, his = (device.id for device in site.ledger.devices())
    assert site.scorer.delete(f"/api/devices/{his}").status_code == 204
    assert other.get("/api/devices").status_code == 403
    assert site.scorer.get("/api/devices").status_code == 200
    assert site.ledger.devices()[0].id == mine


def test_cookies_are_signed_and_kept_from_scripts(site: Site) -> None:
    client = site.app.test_client()
    cookie = client.post("/pair", data={"token": new_invite(site.ledger)}).headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    forged = site.app.test_client()
    forged.set_cookie("remi", "eyJkZXZpY2UiOiJ4In0.aaaaaa.bbbbbbbbbbbb")
    assert forged.get("/api/devices").status_code == 403


def test_every_page_forbids_inline_scripts_and_other_hosts(site: Site) -> None:
    match = site.start()
    for path in ("/", "/new", "/check", "/help", "/history", f"/matches/{match}", f"/matches/{match}/round"):
        answer = site.scorer.get(path)
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        html = answer.text
        assert " style=" not in html
        assert " onclick=" not in html
        for script in html.split("<script")[1:]:
            head = script.partition(">")[0]
            assert 'src="/static/' in head or 'type="application/json"' in head


def test_oversize_uploads_are_refused(site: Site) -> None:
    head = b'--x\r\nContent-Disposition: form-data; name="photo"; filename="a.jpg"\r\n\r\n\xff\xd8\xff'
    big = head + b"0" * (22 * 1024 * 1024) + b"\r\n--x--\r\n"
    answer = site.watcher.post("/api/read", data=big, content_type="multipart/form-data; boundary=x")
    assert answer.status_code == 413
    error_of(answer)
    large = site.scorer.post(
        "/api/matches", data=b'{"key": "' + b"x" * 2_000_000 + b'"}', content_type="application/json"
    )
    assert large.status_code == 413
    error_of(large)


def bomb() -> bytes:
    """A small PNG that claims 30000 x 30000 pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 30000, 30000, 8, 2, 0, 0, 0)
    body = zlib.compress(b"\0" * 1_000_000, 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    ("data", "status", "code"),
    [
        (bomb(), 413, "PHOTO_TOO_MANY_PIXELS"),
        (b"GIF89a" + b"0" * 100, 415, "PHOTO_UNKNOWN_FORMAT"),
        (b"", 422, "PHOTO_EMPTY"),
        (sample(1).read_bytes()[:5000], 422, "PHOTO_DAMAGED"),
    ],
    ids=["bomb", "other format", "empty", "cut short"],
)
def test_bad_photos_are_refused(site: Site, data: bytes, status: int, code: str) -> None:
    answer = site.watcher.post("/api/read", data={"photo": (io.BytesIO(data), "a.jpg")})
    assert answer.status_code == status
    assert error_of(answer)["code"] == code
    assert site.reader.reads == 0


def test_reads_are_limited_in_rate(site: Site) -> None:
    photo = sample(1).read_bytes()
    answers = [site.watcher.post("/api/read", data={"photo": (io.BytesIO(photo), "a.jpg")}) for _ in range(6)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    assert int(answers[-1].headers["Retry-After"]) >= 1
    assert error_of(answers[-1])["code"] == "TOO_MANY"


def test_rate_refills_steadily() -> None:
    now = [0.0]
    rate = Rate(2, 60.0, lambda: now[0])
    assert [rate.take("a"), rate.take("a")] == [0.0, 0.0]
    assert rate.take("a") == pytest.approx(30.0)
    assert rate.take("b") == 0.0
    now[0] = 31.0
    assert rate.take("a") == 0.0


@pytest.mark.parametrize("back", ["//evil.example", "/\\evil.example", "https://evil.example", "/x\r\nA: b"])
def test_switching_the_language_leads_nowhere_else(site: Site, back: str) -> None:
    answer = site.watcher.post("/language", data={"language": "ro", "back": back})
    assert answer.headers["Location"] == "/"
    assert 'lang="ro"' in site.watcher.get("/").text
