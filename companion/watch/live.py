"""The thread that watches: frames from a camera, pieces followed, and how the camera is.

It knows no game: what it has is a :class:`Look`, the newest picture with what was read on it. A camera that goes away
is opened again and again, more seldom each time; a video that ends stays ended.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from vision.flatten import Image
    from vision.scene import Scene

LOG = logging.getLogger("companion.watch")
FIRST_WAIT, LONGEST_WAIT = 1.0, 5.0
"""Seconds before a camera that is gone is opened again: doubled each time."""
LONGEST_PAUSE = 5.0
"""Seconds that the next picture of a file is waited for at most."""

Camera = Literal["opening", "open", "lost", "wrong", "ended", "no_reader", "failed"]
"""``wrong``: it can't be opened at all; ``no_reader``: the networks are missing, and it is only shown; ``failed``:
reading broke."""


class Frame(Protocol):
    """One picture: (h, w, 3) uint8 BGR, and its time in seconds."""

    @property
    def image(self) -> Image: ...
    @property
    def time(self) -> float: ...


class Source(Protocol):
    """What is asked of ``vision.camera.Source``: frames, and how it is (``open``, ``lost``, ``ended``)."""

    @property
    def state(self) -> str: ...
    @property
    def sentence(self) -> str: ...
    def __iter__(self) -> Iterator[Any]: ...
    def close(self) -> None:
        """Let go of the camera."""
        ...


class Seen(Protocol):
    """What is asked of ``vision.follow.Seen``."""

    @property
    def scene(self) -> Scene: ...
    @property
    def state(self) -> str: ...


class Follows(Protocol):
    """What is asked of ``vision.follow.Follower``."""

    def update(self, image: Image, time: float) -> Seen:
        """The newest frame in, the table as it is known now out."""
        ...

    def reset(self) -> None:
        """Forget everything."""
        ...


@dataclass(frozen=True, eq=False)
class Look:
    """The newest picture and what is known of it.

    ``number`` counts pictures, ``change`` those on which something else was read than before. ``state``: ``still``,
    ``changing`` (a hand is there) or ``looking`` (the table moved).
    """

    number: int
    change: int
    image: Image
    scene: Scene
    state: str


class Watch:
    """Watches one source in a thread of its own. ``open_source`` and ``make_follower`` are called in that thread.

    ``gone``: the errors by which a source says that it can't be opened or was lost.
    """

    def __init__(
        self,
        open_source: Callable[[], Source],
        make_follower: Callable[[], Follows],
        gone: tuple[type[Exception], ...] = (OSError,),
        first_wait: float = FIRST_WAIT,
    ) -> None:
        self._open, self._make, self._gone = open_source, make_follower, gone
        self._first_wait = first_wait
        self._changed = threading.Condition()
        self._stop = threading.Event()
        self._camera: Camera = "opening"
        self._sentence = ""
        self._look: Look | None = None
        self._source: Source | None = None
        self._follower: Follows | None = None
        self._blind = ""
        """Why nothing can be read, once that is known."""
        self._thread = threading.Thread(target=self._run, name="camera", daemon=True)

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def renew(self) -> None:
        """Follow anew from the next frame on, with a follower made then: something else is played."""
        self._follower = None

    def close(self) -> None:
        """Stop, and let go of the camera."""
        self._stop.set()
        with self._changed:
            self._changed.notify_all()
            source = self._source
        if source is not None:
            with suppress(Exception):  # whatever a driver says when it is closed under a read
                source.close()
        if self._thread.is_alive():
            self._thread.join(timeout=5)

    @property
    def closed(self) -> bool:
        """Whether it was told to stop."""
        return self._stop.is_set()

    @property
    def camera(self) -> tuple[Camera, str]:
        """How the camera is now, and what it says of itself (a technical sentence in English, or '')."""
        with self._changed:
            source, state, sentence = self._source, self._camera, self._sentence
        if source is not None and state in ("open", "opening") and source.state == "lost":
            return "lost", source.sentence  # it waits for its camera by itself
        return state, sentence

    @property
    def look(self) -> Look | None:
        """The newest picture; None before the first."""
        return self._look

    def wait(self, number: int, timeout: float) -> Look | None:
        """The newest picture, waiting up to ``timeout`` seconds for one that is newer than ``number``."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._stop.is_set() or (self._look is not None and self._look.number > number), timeout
            )
            return self._look

    def _say(self, camera: Camera, sentence: str = "") -> None:
        if camera != self._camera:
            LOG.warning("the camera: %s. %s", camera, sentence)
        with self._changed:
            self._camera, self._sentence = camera, sentence
            self._changed.notify_all()

    def _run(self) -> None:
        wait = self._first_wait
        while not self._stop.is_set():
            before = self._look.number if self._look else 0
            try:
                ended = self._watch()
            except self._gone as error:
                self._say("lost" if self._look is not None else "wrong", str(error))
                ended = False
            except Exception as error:
                LOG.exception("the camera can't be watched")
                self._say("failed", str(error))
                ended = False
            finally:
                with self._changed:
                    self._source = None
            if ended:
                return
            seen = (self._look.number if self._look else 0) > before
            wait = self._first_wait if seen else min(2 * wait, LONGEST_WAIT)
            self._stop.wait(wait)

    def _watch(self) -> bool:
        """Read the source to its end; whether it will have no more frames ever."""
        source = self._open()
        with self._changed:
            self._source = source
        try:
            start = time.monotonic()
            for frame in source:
                # a video file is ahead of its own clock, a camera never is
                self._stop.wait(max(0.0, min(frame.time - (time.monotonic() - start), LONGEST_PAUSE)))
                if self._stop.is_set():
                    return True
                self._take(frame)
            ended, sentence = source.state == "ended", source.sentence
        finally:
            with suppress(Exception):
                source.close()
        self._say("ended" if ended else "lost", sentence)
        return ended or self._stop.is_set()

    def _take(self, frame: Frame) -> None:
        scene, state = self._follow(frame)
        before = self._look
        same = before is not None and before.state == state and _same(before.scene, scene)
        number = before.number + 1 if before else 1
        change = before.change + (not same) if before else 1
        with self._changed:
            self._look = Look(number, change, frame.image, scene, state)
            self._camera, self._sentence = ("no_reader", self._blind) if self._blind else ("open", "")
            self._changed.notify_all()

    def _follow(self, frame: Frame) -> tuple[Scene, str]:
        """What is known with this frame; nothing, ever, where the networks are missing."""
        from vision.scene import Scene
        from vision.weights import WeightsError

        if not self._blind:
            try:
                follower = self._follower
                if follower is None:
                    follower = self._follower = self._make()
                seen = follower.update(frame.image, frame.time)
                return seen.scene, seen.state
            except WeightsError as error:
                self._blind = str(error)
                LOG.warning("the camera is only shown: %s", error)
        return Scene(frame.image.shape[1], frame.image.shape[0]), ""


def _same(one: Scene, two: Scene) -> bool:
    """Whether the same was read in the same order, however the corners tremble."""
    if one.rows != two.rows or len(one.pieces) != len(two.pieces):
        return False
    return all(a.code == b.code and a.asked == b.asked for a, b in zip(one.pieces, two.pieces, strict=True))
