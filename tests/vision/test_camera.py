"""Frames from cameras that come and go, from streams, files and folders."""

from __future__ import annotations

import http.server
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from vision.camera import CameraError, LiveSource, open_source, without_password

Picture = np.ndarray[Any, np.dtype[np.uint8]]


def picture(value: int, width: int = 64, height: int = 48) -> Picture:
    return np.full((height, width, 3), value, np.uint8)


class Cable:
    """A camera of pictures that is unplugged after its last one; it waits where `hold` is set."""

    def __init__(self, pictures: list[Picture], hold: threading.Event | None = None) -> None:
        self.pictures, self.hold, self.released = list(pictures), hold, False

    def read(self) -> tuple[bool, Picture | None]:
        if self.pictures:
            return True, self.pictures.pop(0)
        if self.hold is not None:
            self.hold.wait(5)
        return False, None

    def release(self) -> None:
        self.released = True


def openings(*given: Cable | None) -> Callable[[], Cable]:
    """Opens these one after the other; None can't be opened, nor can anything after the last."""
    left: Iterator[Cable | None] = iter(given)

    def opener() -> Cable:
        found = next(left, None)
        if found is None:
            raise CameraError("Camera 0 can't be opened.")
        return found

    return opener


def until(true: Callable[[], bool]) -> bool:
    end = time.monotonic() + 5
    while not true() and time.monotonic() < end:
        time.sleep(0.005)
    return true()


def test_a_live_source_gives_the_newest_frame_and_drops_what_nobody_took() -> None:
    hold = threading.Event()
    source = LiveSource(openings(Cable([picture(n) for n in range(50)], hold)), "camera 0")
    assert until(lambda: source._newest is not None and source._newest.number == 49)
    frame = next(iter(source))
    assert (frame.number, int(frame.image[0, 0, 0])) == (49, 49)
    hold.set()
    source.close()
    assert list(source) == []
    assert source.state == "ended"


def test_an_unplugged_camera_is_lost_and_comes_back() -> None:
    hold = threading.Event()
    first = Cable([picture(1)])
    source = LiveSource(openings(first, None, None, Cable([picture(2)], hold)), "camera 0", first_wait=0.02)
    assert until(lambda: source._newest is not None and source._newest.number == 1)
    assert int(next(iter(source)).image[0, 0, 0]) == 2
    assert first.released
    assert source.state == "open"
    hold.set()
    assert until(lambda: source.state == "lost")
    assert source.sentence.endswith("Trying again.")
    source.close()


def test_frames_before_and_after_a_loss_never_share_a_number() -> None:
    hold = threading.Event()
    source = LiveSource(openings(Cable([picture(1)]), Cable([picture(2)], hold)), "camera 0", first_wait=0.01)
    assert until(lambda: source._newest is not None and source._newest.number == 1)
    hold.set()
    source.close()


def test_a_source_that_says_nothing_is_lost() -> None:
    hold, now = threading.Event(), [0.0]
    source = LiveSource(openings(Cable([picture(1)], hold)), "the stream x", clock=lambda: now[0])
    assert until(lambda: source._newest is not None)
    now[0] = 2.0
    assert source.state == "open"  # one frame a second is no silence
    now[0] = 6.0
    assert source.state == "lost"
    assert "no picture for 6 seconds" in source.sentence
    hold.set()
    source.close()


def test_no_more_frames_than_wanted() -> None:
    hold, now = threading.Event(), [0.0]

    class Ticking(Cable):
        def read(self) -> tuple[bool, Picture | None]:
            now[0] += 0.05
            return super().read()

    source = LiveSource(openings(Ticking([picture(n) for n in range(40)], hold)), "camera 0", 5, clock=lambda: now[0])
    assert until(lambda: now[0] >= 40 * 0.05)
    assert until(lambda: source._newest is not None and source._newest.number >= 8)
    assert source._newest is not None
    assert source._newest.number <= 10
    hold.set()
    source.close()


def test_closing_wakes_whoever_waits() -> None:
    hold = threading.Event()
    source = LiveSource(openings(Cable([], hold)), "camera 0")
    got: list[int] = []
    waiting = threading.Thread(target=lambda: got.extend(frame.number for frame in source))
    waiting.start()
    hold.set()
    source.close()
    waiting.join(5)
    assert not waiting.is_alive()
    assert got == []


def test_a_large_frame_is_reduced() -> None:
    hold = threading.Event()
    source = LiveSource(openings(Cable([picture(7, 3840, 2160)], hold)), "camera 0")
    assert next(iter(source)).image.shape == (1080, 1920, 3)
    hold.set()
    source.close()


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("97", "can't be opened"),
        ("/dev/video97", "not plugged in"),
        ("rtsp://somebody:secret@127.0.0.1:9/table", "check the address"),
        ("http://127.0.0.1:9/video", "check the address"),
        ("gopher://table", "no kind of stream"),
        ("nowhere.mp4", "no camera, file or folder"),
        ("", "no camera, file or folder"),
    ],
)
def test_what_can_not_be_opened_is_said(source: str, says: str) -> None:
    with pytest.raises(CameraError, match=says) as caught:
        open_source(source)
    assert "secret" not in str(caught.value)


def test_passwords_are_not_shown() -> None:
    assert without_password("rtsp://u:p@10.0.0.7/s?x=1") == "rtsp://10.0.0.7/s?x=1"


def write_video(path: Path, frames: int, rate: float = 10.0) -> None:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter_fourcc(*"MJPG"), rate, (64, 48))
    for n in range(frames):
        writer.write(picture(20 * n))
    writer.release()


def test_a_video_file_gives_every_frame_at_its_own_clock(tmp_path: Path) -> None:
    write_video(tmp_path / "v.avi", 8)
    source = open_source(str(tmp_path / "v.avi"))
    frames = list(source)
    assert [frame.number for frame in frames] == list(range(8))
    assert [round(frame.time, 3) for frame in frames] == [round(n / 10, 3) for n in range(8)]
    assert [abs(int(frame.image[20, 20, 0]) - 20 * n) < 6 for n, frame in enumerate(frames)] == [True] * 8
    assert (source.state, source.sentence) == ("ended", "v.avi has ended.")


def test_a_video_file_at_fewer_frames_a_second(tmp_path: Path) -> None:
    write_video(tmp_path / "v.avi", 10)
    assert [frame.number for frame in open_source(str(tmp_path / "v.avi"), fps=5)] == [0, 2, 4, 6, 8]


def test_no_video_is_said(tmp_path: Path) -> None:
    (tmp_path / "v.mp4").write_bytes(b"no video at all" * 50)
    with pytest.raises(CameraError, match="no video"):
        open_source(str(tmp_path / "v.mp4"))


def test_a_folder_gives_its_pictures_by_name_and_names_what_is_none(tmp_path: Path) -> None:
    for n in (2, 0, 1):
        cv2.imwrite(str(tmp_path / f"{n}.png"), picture(40 * n + 10))
    (tmp_path / "3.jpg").write_bytes(b"no picture")
    source = open_source(str(tmp_path), fps=2)
    frames = list(source)
    assert [int(frame.image[0, 0, 0]) for frame in frames] == [10, 50, 90]
    assert [frame.time for frame in frames] == [0, 0.5, 1.0]
    assert source.state == "ended"
    assert "3.jpg" in source.sentence


def test_an_empty_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(CameraError, match="no pictures"):
        open_source(str(tmp_path))


def test_no_frames_a_second_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CameraError, match="frames a second"):
        open_source(str(tmp_path), fps=0)


class Streaming(http.server.BaseHTTPRequestHandler):
    """A camera's motion JPEG over HTTP: three pictures a visit, then it hangs up."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
        self.end_headers()
        for n in range(3):
            jpeg = cv2.imencode(".jpg", picture(60 + 40 * n))[1].tobytes()
            head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n"
            self.wfile.write(head.encode() + jpeg + b"\r\n")

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


def test_a_stream_over_http_is_read_and_opened_again_when_it_hangs_up() -> None:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Streaming)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    source = open_source(f"http://127.0.0.1:{server.server_port}/video.mjpeg")
    try:
        frames = iter(source)
        seen = [next(frames) for _ in range(2)]
        while seen[-1].number < 3:  # the second visit's
            seen.append(next(frames))
        assert all(frame.image.shape == (48, 64, 3) for frame in seen)
    finally:
        source.close()
        server.shutdown()
        server.server_close()
