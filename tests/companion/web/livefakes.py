"""A camera and a follower for tests: what they give and when they fail is said beforehand."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vision.flatten import Image, levels_of
from vision.photo import Photo
from vision.scene import Kind, Scene


@dataclass
class FakeSeen:
    """What a follower knows."""

    scene: Scene
    state: str = "still"


class FakeFollower:
    """Reads every frame as a photo."""

    def __init__(self, reader: Any, kinds: Sequence[Kind] = ("tile",)) -> None:
        self._reader, self._kinds = reader, kinds

    def update(self, image: Image, time: float) -> FakeSeen:
        return FakeSeen(self._reader.read(Photo(levels_of(image), "jpeg"), self._kinds))

    def reset(self) -> None:
        """Nothing is remembered."""


@dataclass
class FakeFrame:
    """A picture and its time in seconds."""

    image: Image
    time: float = 0.0


class FakeSource:
    """Gives what it is told to, until it is closed, lost or at its end."""

    def __init__(self) -> None:
        self.state, self.sentence = "open", "open"
        self.closed = False
        self._new = threading.Condition()
        self._frames: list[FakeFrame] = []
        self._over = False

    def show(self, image: Image | None = None) -> None:
        """One more frame; a grey one where none is given."""
        picture = np.full((60, 80, 3), 120, np.uint8) if image is None else image
        with self._new:
            self._frames.append(FakeFrame(picture))
            self._new.notify_all()

    def finish(self, state: str) -> None:
        """No more frames come: ``ended`` or ``lost``."""
        with self._new:
            self.state, self.sentence, self._over = state, state, True
            self._new.notify_all()

    def __iter__(self) -> Iterator[FakeFrame]:
        while True:
            with self._new:
                self._new.wait_for(lambda: self._frames or self._over or self.closed)
                if self.closed or (self._over and not self._frames):
                    return
                frame = self._frames.pop(0)
            yield frame

    def close(self) -> None:
        with self._new:
            self.closed = True
            self._new.notify_all()


class Told:
    """A follower that says what it is told, frame after frame; the last again and again. An exception is raised."""

    def __init__(self, *scenes: Scene | FakeSeen | Exception) -> None:
        self._scenes = list(scenes)

    def update(self, image: Image, time: float) -> FakeSeen:
        now = self._scenes.pop(0) if len(self._scenes) > 1 else self._scenes[0]
        if isinstance(now, Exception):
            raise now
        return now if isinstance(now, FakeSeen) else FakeSeen(now)

    def reset(self) -> None:
        """It goes on as told."""
