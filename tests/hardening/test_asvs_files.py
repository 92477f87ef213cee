"""OWASP ASVS 5.0, chapter V5 (file handling): one test for each requirement that applies, by its number.

Of the chapter, 5.2.3, 5.2.5 and 5.3.3 speak of archives, which are never accepted (5.2.2 tests that). 5.4.3 wants
files of strangers scanned for malware before they are served: none is ever served, only pictures made anew (5.3.1).
"""

from __future__ import annotations

import io
import json
import struct
import tracemalloc
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pytest
from attacked_server import Attacked
from test_fuzz_reading import PICTURES

from companion import corrections
from companion.web.config import MAX_BODY, MAX_UPLOAD
from vision import photo

SECURITY = Path(__file__).resolve().parents[2] / "docs" / "security.md"
PHP = b"<?php system($_GET['c']); ?><script>alert(1)</script>"


def send(attacked: Attacked, data: bytes, name: str = "a.jpg", kind: str = "image/jpeg", to: str = "/api/read") -> Any:
    if len(data) < 400_000:
        return attacked.scorer.post(to, data={"photo": (io.BytesIO(data), name, kind), "game": "remi"})
    # the test client would leave a large form in a file that nobody closes
    head = f'--x\r\nContent-Disposition: form-data; name="photo"; filename="{name}"\r\nContent-Type: {kind}\r\n\r\n'
    body = head.encode() + data + b"\r\n--x--\r\n"
    return attacked.scorer.post(to, data=body, content_type="multipart/form-data; boundary=x")


def archive() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("../../up.jpg", PICTURES["jpeg"])
    return file.getvalue()


def png(width: int, height: int) -> bytes:
    """A PNG that says it has this size, and has no such pixels."""
    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rest = chunk(b"IDAT", zlib.compress(bytes(4096))) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + rest


def test_v5_1_1_types_and_sizes_are_written_down_for_each_upload() -> None:
    text = SECURITY.read_text("utf-8")
    for word in ("JPEG, PNG, WebP or HEIC", "20 MB", "25 megapixels", "by their first bytes", "made anew"):
        assert word in text
    assert photo.MAX_BYTES == 20 * 1024 * 1024
    assert photo.MAX_PIXELS == 25_000_000


def test_v5_2_1_larger_files_are_refused(attacked: Attacked) -> None:
    assert send(attacked, PICTURES["jpeg"] + bytes(photo.MAX_BYTES)).status_code == 413
    assert send(attacked, bytes(MAX_UPLOAD + 1)).status_code == 413
    big = json.dumps({"scene": "x" * MAX_BODY})
    assert attacked.scorer.post("/api/table", data=big, content_type="application/json").status_code == 413
    assert send(attacked, PICTURES["jpeg"]).status_code == 200


@pytest.mark.parametrize("data", [
    b"", b"\xff\xd8\xff", PHP, b"GIF89a" + PHP, b"%PDF-1.7", b"<svg xmlns='http://www.w3.org/2000/svg'/>",
    b"II*\0" + bytes(99),
    b"BM" + bytes(99), archive(), b"\x1f\x8b" + bytes(50), b"8BPS" + bytes(50), b"#EXTM3U", b"P6 9 9 255 " + bytes(243),
], ids=["empty", "a beginning", "php", "gif", "pdf", "svg", "tiff", "bmp", "zip", "gzip", "psd", "playlist", "ppm"])
def test_v5_2_2_the_content_decides_whatever_name_and_type_say(attacked: Attacked, data: bytes) -> None:
    answer = send(attacked, data)
    assert answer.status_code in (415, 422)
    assert answer.json["error"]["sentence"]
    assert not list((attacked.folder / "kept").glob("*")), "nothing of it is kept"


def test_v5_2_2_names_and_types_that_lie_change_nothing(attacked: Attacked) -> None:
    for name, kind in (("a.php", "text/html"), ("a.jpg.exe", "application/x-dosexec"), ("", "image/svg+xml")):
        answer = send(attacked, PICTURES["png"], name or "x", kind)
        assert answer.status_code == 200
        assert attacked.watcher.get(answer.json["photo"]).mimetype == "image/jpeg"


def test_v5_2_4_kept_photos_have_a_quota(attacked: Attacked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corrections, "MOST", 3)
    for _ in range(6):
        assert send(attacked, PICTURES["jpeg"]).status_code == 200, "reading goes on"
    assert 0 < len(list((attacked.folder / "kept").glob("*.jpg"))) <= 3


def test_v5_2_6_a_flood_of_pixels_is_refused_by_its_header(attacked: Attacked) -> None:
    tracemalloc.start()
    try:
        for size in ((30_000, 30_000), (65_535, 65_535), (2**31 - 1, 1), (1, 2**31 - 1)):
            assert send(attacked, png(*size)).status_code in (413, 422)
        assert tracemalloc.get_traced_memory()[1] < 30_000_000
    finally:
        tracemalloc.stop()


def test_v5_3_1_what_was_sent_is_never_served_or_kept(attacked: Attacked) -> None:
    poisoned = PICTURES["jpeg"][:-2] + b"\xff\xfe" + struct.pack(">H", len(PHP) + 2) + PHP + b"\xff\xd9" + PHP
    answer = send(attacked, poisoned)
    assert answer.status_code == 200
    shown = attacked.watcher.get(answer.json["photo"])
    kept = [path.read_bytes() for path in (attacked.folder / "kept").glob("*")]
    assert len(kept) == 2
    for data in (shown.data, *kept):
        assert b"<?php" not in data
        assert b"<script" not in data
        assert b"a maker" not in data, "nor what the camera wrote about itself"
    assert shown.headers["X-Content-Type-Options"] == "nosniff"
    assert attacked.watcher.get("/kept/").status_code == 404


@pytest.mark.parametrize("name", [
    "../../../../tmp/x.jpg", "/etc/passwd", "..\\..\\x.jpg", "a\0.jpg", "x" * 300 + ".jpg", "CON", ".htaccess",
    "%2e%2e%2fx",
], ids=str)
def test_v5_3_2_no_path_comes_from_the_sender(attacked: Attacked, name: str) -> None:
    before = set(attacked.folder.parent.rglob("*"))
    assert send(attacked, PICTURES["jpeg"], name).status_code == 200
    fresh = set(attacked.folder.parent.rglob("*")) - before
    assert {path.parent for path in fresh} <= {attacked.folder, attacked.folder / "kept"}
    for path in fresh - {attacked.folder / "kept"}:
        assert path.suffix in (".jpg", ".json", ".db-wal", ".db-shm")
        assert name[:6] not in path.name
    assert attacked.watcher.get(f"/photo/{name}.jpg").status_code in (400, 404, 308)


def test_v5_4_1_and_5_4_2_downloads_are_named_by_the_server(attacked: Attacked) -> None:
    odd = 'Ana"\r\nX-Evil: 1; filename="x.exe'
    body = {"key": "k", "game": "remi", "players": ["Ana", "Bo"], "title": odd}
    match_id = attacked.scorer.post("/api/matches", json=body).json["id"]
    for path in (f"/api/matches/{match_id}/export.json", f"/api/matches/{match_id}/export.csv", "/api/export.json"):
        answer = attacked.watcher.get(path, query_string={"filename": "evil.exe", "name": odd})
        disposition = answer.headers["Content-Disposition"]
        assert disposition.startswith('attachment; filename="remi-')
        assert "evil" not in disposition.lower()
        assert "X-Evil" not in answer.headers
        assert disposition.isascii()
    assert attacked.watcher.get('/api/matches/x";evil/export.csv').status_code == 404
