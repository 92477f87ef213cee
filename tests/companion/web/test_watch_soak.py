"""``remi watch`` for as long as one likes: a 4K stream of one or a few frames a second that hangs up now and then.

REMI_SOAK_SECONDS is how long it lasts once the networks are warm (30 minutes by hand, much shorter otherwise).

What a program holds for a moment differs by frames of 4K, 25 MB each, and says nothing: the lower quartiles of two
halves are compared, and may differ by a few such frames. Frames that are kept, once reduced 6 MB each, weigh far more.
"""

from __future__ import annotations

import http.server
import json
import os
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from processes import memory_kb
from test_watch_command import TABLE, until, watched

from vision.read import Reader
from vision.weights import WeightsError

SECONDS = float(os.environ.get("REMI_SOAK_SECONDS", "25"))
WIDE, HIGH = 3840, 2160
HELD_KB = 3 * WIDE * HIGH * 3 // 1024
"""What may differ by chance: three frames as the camera sends them."""
FRAMES = 30
"""Frames of a half at least: kept, they are more than twice HELD_KB even when they are reduced."""
A_VISIT = 25
"""Frames after which the camera hangs up."""


def frames() -> list[bytes]:
    """The table that ships, in 4K: as it is, and with one tile taken away."""
    sample = cv2.imread(str(TABLE))
    scale = HIGH / sample.shape[0]
    whole = np.full((HIGH, WIDE, 3), 96, np.uint8)
    large = cv2.resize(sample, None, fx=scale, fy=scale)[:, :WIDE]
    whole[:, : large.shape[1]] = large
    taken = whole.copy()
    scene = Reader().read(whole, ("tile",))
    middle = np.array(next(piece.quad for piece in scene.pieces if piece.code == "k11"), int)
    cv2.fillConvexPoly(taken, cv2.convexHull(middle), (70, 90, 110))
    return [cv2.imencode(".jpg", view, [cv2.IMWRITE_JPEG_QUALITY, 80])[1].tobytes() for view in (whole, taken)]


@contextmanager
def camera(views: list[bytes], fps: float) -> Iterator[str]:
    """A network camera's address."""

    class Camera(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
            self.end_headers()
            try:
                for n in range(A_VISIT):
                    jpeg = views[n // 8 % len(views)]
                    head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n"
                    self.wfile.write(head.encode() + jpeg + b"\r\n")
                    time.sleep(1 / fps)
            except OSError:
                pass  # whoever watched has gone

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Camera)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/video.mjpeg"
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.slow
@pytest.mark.parametrize("fps", [1.0, 4.0])
def test_a_large_slow_stream_that_hangs_up_is_watched_without_growing(fps: float, tmp_path: Path) -> None:
    try:
        views = frames()
    except WeightsError:
        pytest.skip("the networks are not here")
    with camera(views, fps) as address, watched(address, tmp_path) as url:
        state = until(url, "open")
        begun = time.monotonic()
        while not state["melds"] or time.monotonic() - begun < 12:  # networks, buffers and the first loss are behind it
            time.sleep(0.5)
            assert time.monotonic() - begun < 60, state
            state = now(url)
        pid = child_of(url)
        states, held = set(), []
        for _ in range(2):
            half, end = [], time.monotonic() + max(SECONDS / 2, FRAMES / fps)
            while time.monotonic() < end:
                time.sleep(0.2)
                states.add(now(url)["camera"]["state"])
                half.append(memory_kb(pid))
            held.append(int(np.percentile(half, 25)))
            print(f"at {fps:g} frames a second: {held[-1]} kB held, at least {min(half)} kB, at most {max(half)} kB")
        state = until(url, "open")
        assert sorted(len(meld["faces"]) for meld in state["melds"]) == [3, 4, 5]
        assert states <= {"open", "lost"}
        assert held[1] - held[0] < HELD_KB


def now(url: str) -> dict[str, Any]:
    """What the page shows."""
    with urllib.request.urlopen(f"{url}/api/watch", timeout=10) as answer:
        return dict(json.load(answer))


def child_of(url: str) -> int:
    """The process that serves an address of this machine."""
    port = int(url.rpartition(":")[2])
    for status in Path("/proc").glob("[0-9]*/cmdline"):
        words = status.read_bytes().split(b"\0")
        if b"watch" in words and str(port).encode() in words:
            return int(status.parent.name)
    raise AssertionError("nobody serves there")
