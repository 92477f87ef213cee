"""Photos: decoded in memory, read, re-encoded before they are shown, and forgotten (DESIGN.md 7)."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from companion.games.messages import N_
from companion.web.errors import WebError

if TYPE_CHECKING:  # cv2 and onnxruntime take longer to import than the first page may take
    from vision.photo import Photo
    from vision.scene import Kind, Scene

LOG = logging.getLogger("companion.web")
SHOWN_SIDE = 1600
"""Pixels along the longer side of a photo as it is shown."""

NO_READER = N_("The networks that read photos are missing; type the pieces instead.")
PHOTO_SENTENCES = {
    "empty": N_("The file is empty."),
    "too_many_bytes": N_("The photo has more than 20 MB."),
    "unknown_format": N_("This is not a photo in JPEG, PNG, WebP or HEIC format."),
    "heic_not_installed": N_("HEIC photos can't be read here; choose “most compatible” in the camera's settings."),
    "too_many_pixels": N_("The photo has more than 25 megapixels."),
    "too_small": N_("The photo is too small."),
    "damaged": N_("The photo is damaged and can't be opened."),
    "moving": N_("This is a moving picture; take a still photo."),
}


class CanRead(Protocol):
    """What is asked of ``vision.read.Reader``."""

    def read(self, picture: Photo, kinds: Sequence[Kind]) -> Scene:
        """Read an upright photo."""
        ...


class ReaderBox:
    """The reader, loaded in the background so that the first page doesn't wait for it.

    ``make`` imports and opens the networks; ``prepare`` is called with it each time it is asked for. ``state``:
    ``idle``, ``loading``, ``ready`` or ``missing``.
    """

    def __init__(self, make: Callable[[], CanRead], prepare: Callable[[CanRead], None] = lambda reader: None) -> None:
        self._make = make
        self._prepare = prepare
        self._reader: CanRead | None = None
        self._lock = threading.Lock()
        self.state = "idle"

    def load_in_background(self, after: float = 0.0) -> None:
        """Begin loading after so many seconds."""
        timer = threading.Timer(after, self._load_quietly)
        timer.daemon = True
        timer.start()

    def _load_quietly(self) -> None:
        try:
            self.get()
        except WebError as error:
            LOG.warning("photos can't be read: %s", error.__cause__)

    def get(self) -> CanRead:
        """The reader, waiting for it if need be. Raises WebError 503 where the networks are missing."""
        with self._lock:
            if self._reader is None:
                self.state = "loading"
                try:
                    self._reader = self._make()
                except Exception as error:
                    self.state = "missing"
                    LOG.debug("no reader", exc_info=True)
                    raise WebError(503, "NO_READER", NO_READER) from error
                self.state = "ready"
            reader = self._reader
        self._prepare(reader)
        return reader


def default_reader() -> CanRead:
    """The networks that ship with the companion: those for tiles opened, those for cards where they are there."""
    from vision.read import Reader
    from vision.weights import WeightsError

    reader = Reader()
    reader.warm(("tile",))
    try:
        reader.warm(("card",))
    except WeightsError as error:
        LOG.warning("photos of cards can't be read: %s", error)
    return reader


def read(reader: CanRead, photo: Photo, pieces: str) -> Scene:
    """Read a photo of a game that is played with ``tile`` or ``card``. Raises WebError 503 without its networks."""
    from vision.weights import WeightsError

    kinds: Sequence[Kind] = ("card",) if pieces == "card" else ("tile",)
    try:
        return reader.read(photo, kinds)
    except WeightsError as error:
        raise WebError(503, "NO_READER", NO_READER) from error


def decode(data: bytes) -> Photo:
    """Decode an upload. Raises WebError 413, 415 or 422 with words of the reader's language."""
    from vision.photo import PhotoError
    from vision.photo import decode as decode_photo

    try:
        return decode_photo(data)
    except PhotoError as error:
        status = {"too_many_bytes": 413, "too_many_pixels": 413, "unknown_format": 415, "heic_not_installed": 415}
        template = PHOTO_SENTENCES.get(error.code, error.sentence)
        raise WebError(status.get(error.code, 422), f"PHOTO_{error.code.upper()}", template) from error


def shown(photo: Photo) -> bytes:
    """The upright picture as a small JPEG of our own making: nothing of the upload but its pixels."""
    import cv2

    from vision.locate import shrink

    scale = min(1.0, SHOWN_SIDE / max(photo.width, photo.height))
    size = (max(1, round(photo.width * scale)), max(1, round(photo.height * scale)))
    done, encoded = cv2.imencode(".jpg", shrink(photo.levels, size), [cv2.IMWRITE_JPEG_QUALITY, 82])
    if not done:
        raise WebError(422, "PHOTO_DAMAGED", PHOTO_SENTENCES["damaged"])
    return bytes(encoded)


def keep(folder: str, picture: bytes, scene: Scene) -> None:
    """Keep a photo that was read, where the host has switched that on. One that can't be kept is read all the same."""
    from companion.corrections import keep as keep_with

    try:
        keep_with(Path(folder), picture, scene)
    except OSError as error:
        LOG.warning("a photo can't be kept: %s", error)


class Photos:
    """Pictures on show, in memory only: the newest few, for some minutes."""

    KEPT = 24
    SECONDS = 900.0

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: OrderedDict[str, tuple[float, bytes]] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, picture: bytes) -> str:
        """Show a picture; the name under which it is found."""
        name = secrets.token_urlsafe(12)
        with self._lock:
            self._forget()
            self._kept[name] = (self._clock(), picture)
            while len(self._kept) > self.KEPT:
                self._kept.popitem(last=False)
        return name

    def get(self, name: str) -> bytes | None:
        """The picture, while it is there."""
        with self._lock:
            self._forget()
            found = self._kept.get(name)
            return None if found is None else found[1]

    def _forget(self) -> None:
        while self._kept and self._clock() - next(iter(self._kept.values()))[0] > self.SECONDS:
            self._kept.popitem(last=False)
