"""``remi watch`` for as long as one likes: a 4K stream of one or a few frames a second that hangs up now and then.

REMI_SOAK_SECONDS is how long it lasts once the networks are warm (30 minutes by hand, much shorter otherwise).
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
LEAK_KB = 40_000
WIDE, HIGH = 3840, 2160
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
        states, most = set(), []
        for _ in range(2):  # what is held for a moment differs by frames of 25 MB, so the peaks are compared
            peak, end = 0, time.monotonic() + SECONDS / 2
            while time.monotonic() < end:
                time.sleep(0.2)
                states.add(now(url)["camera"]["state"])
                peak = max(peak, memory_kb(pid))
            most.append(peak)
        print(f"{SECONDS:.0f} s at {fps:g} frames a second: at most {most[0]} kB in the first half, {most[1]} after")
        state = until(url, "open")
        assert sorted(len(meld["faces"]) for meld in state["melds"]) == [3, 4, 5]
        assert states <= {"open", "lost"}
        assert most[1] - most[0] < LEAK_KB


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
