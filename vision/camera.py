"""Frames from a USB camera, a network stream, a video file or a folder of pictures.

Of what is live only the newest frame is given: a thread reads on, and what nobody took in time is dropped. A live
source that goes away is opened again, more seldom each time. A file or a folder gives every frame, in order, at its
own clock. Frames of more than 1920 pixels along the longer side are reduced to that.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

import cv2
import numpy as np

from vision.flatten import Image
from vision.locate import shrink
from vision.photo import PhotoError, load

State = Literal["open", "lost", "ended"]
LONGEST = 1920
"""Most pixels along the longer side of a frame."""
FIRST_WAIT, LONGEST_WAIT = 0.5, 20.0
"""Seconds before a lost source is opened again; doubled each time up to the second."""
SILENCE = 5.0
"""Seconds without a frame after which a source that says nothing counts as lost. More than a frame of a 1 fps one."""
TIMEOUT = 5000
"""Milliseconds that a network stream may take to open, or to give its next frame."""
FOLDER_RATE = 1.0
"""Frames a second of a folder of pictures, where nothing else is said."""
PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".bmp")
NETWORK = re.compile(r"^(rtsps?|https?|rtmps?|udp|tcp)://", re.IGNORECASE)


class CameraError(OSError):
    """A source that can't be opened. The message is a sentence for a person."""


@dataclass(frozen=True, eq=False)
class Frame:
    """One picture (h, w, 3) uint8 BGR. `number` counts from 0 and skips what was dropped; `time` in seconds: of a
    live source since it was opened, of a file by the file's own clock."""

    number: int
    time: float
    image: Image


class Capture(Protocol):
    """What is asked of `cv2.VideoCapture`."""

    def read(self) -> tuple[bool, Image | None]:
        """The next picture, or (False, None)."""
        ...

    def release(self) -> None:
        """Let go of the device."""
        ...


class Source(Protocol):
    """Frames, one after the other, until they end or someone closes it."""

    @property
    def state(self) -> State:
        """`lost`: a live source gives no frames, and is opened again and again; `ended`: there will be none."""
        ...

    @property
    def sentence(self) -> str:
        """How it is, for a person."""
        ...

    def __iter__(self) -> Iterator[Frame]: ...

    def close(self) -> None:
        """Let go of it; whoever waits for a frame gets no more."""
        ...


def open_source(source: str, *, fps: float | None = None) -> Source:
    """Open a camera by its number ("0") or device (/dev/video0), a stream by its URL, a video file, or a folder.

    `fps`: at most so many frames a second; of a folder, so many exactly. Raises CameraError where it can't be opened.
    """
    if fps is not None and not fps > 0:
        raise CameraError(f"There are no {fps:g} frames a second.")
    source = source.strip()
    if source.isdigit() or source.startswith("/dev/"):
        index = int(source) if source.isdigit() else source
        name = f"camera {source}" if source.isdigit() else f"the camera {source}"
        return LiveSource(lambda: _device(index, name), name, fps)
    if NETWORK.match(source):
        name = f"the stream {without_password(source)}"
        return LiveSource(lambda: _stream(source, name), name, fps)
    path = Path(source).expanduser()
    if source and path.is_dir():
        return FolderSource(path, fps)
    if path.is_file():
        return FileSource(path, fps)
    if "://" in source:
        raise CameraError(f"{without_password(source)} is no kind of stream this program reads (rtsp, http, https).")
    raise CameraError(f"There is no camera, file or folder {source!r}.")


def without_password(url: str) -> str:
    """A URL that may be shown: the user and password in it left out."""
    return re.sub(r"//[^/@]*@", "//", url)


def _device(index: int | str, name: str) -> Capture:
    if isinstance(index, str) and not Path(index).exists():
        raise CameraError(f"There is no {index}: the camera is not plugged in.")
    capture = cv2.VideoCapture(index)
    if not capture.isOpened():
        raise CameraError(f"{_upper(name)} can't be opened: it is not plugged in, or another program uses it.")
    # motion JPEG is how USB cameras send 720p at full speed; one that can't keeps what it has
    capture.set(cv2.CAP_PROP_FOURCC, float(int.from_bytes(b"MJPG", "little")))
    capture.set(cv2.CAP_PROP_FRAME_WIDTH, 1280)
    capture.set(cv2.CAP_PROP_FRAME_HEIGHT, 720)
    capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
    return capture  # type: ignore[return-value]


def _stream(url: str, name: str) -> Capture:
    capture = cv2.VideoCapture(
        url, cv2.CAP_FFMPEG, [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, TIMEOUT, cv2.CAP_PROP_READ_TIMEOUT_MSEC, TIMEOUT]
    )
    if not capture.isOpened():
        raise CameraError(f"{_upper(name)} can't be opened: check the address, and that the camera is on.")
    return capture  # type: ignore[return-value]


def _upper(name: str) -> str:
    return name[0].upper() + name[1:]


def reduced(image: Image) -> Image:
    """A frame of at most LONGEST pixels along the longer side, in three channels."""
    if image.ndim == 2:
        image = np.asarray(cv2.cvtColor(image, cv2.COLOR_GRAY2BGR), np.uint8)
    scale = LONGEST / max(image.shape[:2])
    if scale >= 1:
        return image
    return shrink(image, (max(round(image.shape[1] * scale), 1), max(round(image.shape[0] * scale), 1)))


class LiveSource:
    """A camera or stream read by a thread of its own. Raises CameraError where it can't be opened at first.

    `opener` opens it and raises CameraError where it can't; `name` is what sentences call it.
    """

    def __init__(
        self,
        opener: Callable[[], Capture],
        name: str,
        fps: float | None = None,
        *,
        first_wait: float = FIRST_WAIT,
        silence: float = SILENCE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._open, self._name, self._fps = opener, name, fps
        self._first_wait, self._silence, self._clock = first_wait, silence, clock
        self._new = threading.Condition()
        self._closed = threading.Event()
        self._newest: Frame | None = None
        self._given = -1
        self._next = 0.0
        self._lost = ""
        capture = opener()
        self._start = self._heard = clock()
        self._thread = threading.Thread(target=self._run, args=(capture,), name="frames", daemon=True)
        self._thread.start()

    @property
    def state(self) -> State:
        """`lost` also where a source says nothing for SILENCE seconds."""
        if self._closed.is_set():
            return "ended"
        return "lost" if self._lost or self._silent else "open"

    @property
    def sentence(self) -> str:
        """How it is, for a person."""
        if self._closed.is_set():
            return f"{_upper(self._name)} was closed."
        if self._lost:
            return self._lost
        if self._silent:
            return f"{_upper(self._name)} has sent no picture for {self._clock() - self._heard:.0f} seconds."
        return f"{_upper(self._name)} is open."

    @property
    def _silent(self) -> bool:
        return self._clock() - self._heard > self._silence

    def __iter__(self) -> Iterator[Frame]:
        return self

    def __next__(self) -> Frame:
        """The newest frame not given yet; waits for one while the source is lost."""
        with self._new:
            while not self._closed.is_set():
                frame = self._newest
                if frame is not None and frame.number > self._given:
                    self._given = frame.number
                    return frame
                self._new.wait(1.0)
        raise StopIteration

    def close(self) -> None:
        """Let go of the camera; whoever waits for a frame gets no more."""
        self._closed.set()
        with self._new:
            self._new.notify_all()
        if self._thread is not threading.current_thread():
            # a driver may hang in its read: the thread ends with the program then
            self._thread.join(timeout=2)

    def _run(self, capture: Capture | None) -> None:
        number, wait = 0, self._first_wait
        while not self._closed.is_set():
            if capture is None:
                try:
                    capture = self._open()
                except CameraError as error:
                    self._lost = f"{error} Trying again."
            if capture is None:
                self._closed.wait(wait)
                wait = min(2 * wait, LONGEST_WAIT)
                continue
            before = number
            number = self._read(capture, number)
            capture.release()
            capture = None
            if self._closed.is_set():
                return
            if number > before:
                wait = self._first_wait
            self._lost = f"{_upper(self._name)} was lost. Trying again."
            self._closed.wait(wait)
            wait = min(2 * wait, LONGEST_WAIT)

    def _read(self, capture: Capture, number: int) -> int:
        """Read until no more comes; the number of the next frame."""
        while not self._closed.is_set():
            good, image = capture.read()
            if not good or image is None:
                return number
            now = self._clock()
            self._heard, self._lost = now, ""
            if self._fps is not None:
                if now < self._next:
                    continue
                self._next = max(self._next + 1 / self._fps, now)
            frame = Frame(number, now - self._start, reduced(image))
            number += 1
            with self._new:
                self._newest = frame
                self._new.notify_all()
        return number


class FileSource:
    """Every frame of a video file, in order. Raises CameraError for what is no video."""

    def __init__(self, path: Path, fps: float | None = None) -> None:
        self._path = path
        self._capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
        if not self._capture.isOpened():
            raise CameraError(f"{path} can't be read: it is no video this program knows.")
        rate = float(self._capture.get(cv2.CAP_PROP_FPS))
        self._rate = rate if 0 < rate < 1000 else 25.0
        self._every = 1 / fps if fps is not None and fps < self._rate else 0.0
        self._frames = 0
        self._due = 0.0
        self._ended = False

    @property
    def state(self) -> State:
        """`ended` after the last frame."""
        return "ended" if self._ended else "open"

    @property
    def sentence(self) -> str:
        """How it is, for a person."""
        if not self._ended:
            return f"{self._path.name} is being played."
        return f"{self._path.name} has ended." if self._frames else f"{self._path.name} holds no picture."

    def __iter__(self) -> Iterator[Frame]:
        return self

    def __next__(self) -> Frame:
        """The next frame."""
        while not self._ended:
            good, image = self._capture.read()
            if not good or image is None:
                self.close()
                break
            number, at = self._frames, self._frames / self._rate
            self._frames += 1
            if at + 1e-9 >= self._due:
                self._due += self._every
                return Frame(number, at, reduced(np.asarray(image, np.uint8)))
        raise StopIteration

    def close(self) -> None:
        """Let go of the file."""
        self._ended = True
        self._capture.release()


class FolderSource:
    """The pictures of a folder by name, as many a second as wanted. Raises CameraError where there are none."""

    def __init__(self, folder: Path, fps: float | None = None) -> None:
        self._folder = folder
        self._files = sorted(path for path in folder.iterdir() if path.suffix.lower() in PICTURES)
        if not self._files:
            raise CameraError(f"The folder {folder} holds no pictures.")
        self._rate = fps or FOLDER_RATE
        self._number = 0
        self._unread: list[str] = []

    @property
    def state(self) -> State:
        """`ended` after the last picture."""
        return "ended" if self._number >= len(self._files) else "open"

    @property
    def sentence(self) -> str:
        """How it is, for a person; names what could not be read."""
        unread = f" Could not be read: {', '.join(self._unread[:5])}." if self._unread else ""
        if self.state == "ended":
            return f"All pictures of {self._folder.name} have been shown.{unread}"
        return f"The pictures of {self._folder.name} are being shown.{unread}"

    def __iter__(self) -> Iterator[Frame]:
        return self

    def __next__(self) -> Frame:
        """The next picture that can be read."""
        while self._number < len(self._files):
            number = self._number
            self._number += 1
            try:
                image = load(self._files[number]).image
            except PhotoError:
                self._unread.append(self._files[number].name)
                continue
            return Frame(number, number / self._rate, reduced(image))
        raise StopIteration

    def close(self) -> None:
        """Show no more."""
        self._number = len(self._files)
