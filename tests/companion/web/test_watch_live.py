"""The thread that watches: recovery from everything that happens to a camera."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from livefakes import FakeSeen, FakeSource, Told

from companion.watch import Watch
from vision.scene import Piece, Row, Scene
from vision.weights import WeightsError

QUAD = ((0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0))


def scene(*codes: str, shift: float = 0.0) -> Scene:
    quad = tuple((x + shift, y) for x, y in QUAD)
    pieces = tuple(Piece(code, 0.99, quad) for code in codes)  # type: ignore[arg-type]
    return Scene(80, 60, pieces, (Row(tuple(range(len(codes)))),) if codes else ())


class Cameras:
    """Opens what it is given, one after the other; an exception is raised."""

    def __init__(self, *sources: FakeSource | Exception) -> None:
        self.sources = list(sources)
        self.opened = 0

    def __call__(self) -> FakeSource:
        self.opened += 1
        source = self.sources.pop(0) if len(self.sources) > 1 else self.sources[0]
        if isinstance(source, Exception):
            raise source
        return source


@contextmanager
def watching(open_source: Callable[[], Any], follower: Any) -> Iterator[Watch]:
    watch = Watch(open_source, lambda: follower, first_wait=0.01)
    watch.start()
    try:
        yield watch
    finally:
        watch.close()


def until(true: Callable[[], bool]) -> None:
    """Wait for it."""
    for _ in range(1000):
        if true():
            return
        time.sleep(0.01)
    pytest.fail("it never came to that")


def test_a_change_is_what_is_read_not_how_the_corners_tremble() -> None:
    source = FakeSource()
    told = Told(scene("r1"), scene("r1", shift=0.5), scene("r2"), FakeSeen(scene("r2"), "changing"))
    with watching(lambda: source, told) as watch:
        for number, change in ((1, 1), (2, 1), (3, 2), (4, 3)):
            source.show()
            look = watch.wait(number - 1, 5)
            assert look is not None
            assert (look.number, look.change) == (number, change)
        assert watch.camera[0] == "open"
    assert source.closed


def test_a_wrong_address_is_tried_again() -> None:
    source = FakeSource()
    source.show()
    cameras = Cameras(OSError("no such camera"), OSError("no such camera"), source)
    gate = threading.Event()

    def opening() -> FakeSource:
        if cameras.opened == 2:
            gate.wait(5)
        return cameras()

    with watching(opening, Told(scene("r1"))) as watch:
        until(lambda: watch.camera == ("wrong", "no such camera"))
        gate.set()
        until(lambda: watch.camera[0] == "open")
    assert cameras.opened == 3


def test_a_camera_that_comes_back_is_seen_again() -> None:
    first, second = FakeSource(), FakeSource()
    cameras = Cameras(first, OSError("unplugged"), second)
    with watching(cameras, Told(scene("r1"))) as watch:
        first.show()
        until(lambda: watch.camera[0] == "open")
        first.finish("lost")
        until(lambda: cameras.opened == 3)
        assert watch.look is not None  # what was seen last stays
        second.show()
        until(lambda: watch.camera[0] == "open" and watch.look is not None and watch.look.number == 2)
    assert first.closed


def test_a_source_that_waits_by_itself_is_lost_meanwhile() -> None:
    source = FakeSource()
    with watching(lambda: source, Told(scene("r1"))) as watch:
        source.show()
        until(lambda: watch.camera[0] == "open")
        source.state, source.sentence = "lost", "unplugged"
        assert watch.camera == ("lost", "unplugged")
        source.state = "open"
        source.show()
        assert watch.camera[0] == "open"


def test_a_video_that_ends_stays_ended() -> None:
    source = FakeSource()
    cameras = Cameras(source)
    with watching(cameras, Told(scene("r1"))) as watch:
        source.show()
        source.finish("ended")
        until(lambda: watch.camera[0] == "ended")
        assert watch.look is not None
    assert cameras.opened == 1


def test_without_networks_the_camera_is_only_shown() -> None:
    source = FakeSource()
    source.show()
    with watching(lambda: source, Told(WeightsError("no networks here"))) as watch:
        until(lambda: watch.look is not None)
        source.show()
        look = watch.wait(1, 5)
        assert watch.camera == ("no_reader", "no networks here")
        assert look is not None
        assert (look.number, look.scene) == (2, Scene(80, 60))


def test_a_reading_that_breaks_is_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    first, second = FakeSource(), FakeSource()
    first.show()
    second.show()
    with watching(Cameras(first, second), Told(ValueError("broken"), scene("r1"))) as watch:
        until(lambda: watch.camera[0] == "open")
    assert "broken" in caplog.text
    assert first.closed


def test_something_else_is_played() -> None:
    made = []

    def make() -> Told:
        made.append(Told(scene("r1")))
        return made[-1]

    source = FakeSource()
    watch = Watch(lambda: source, make)
    watch.start()
    try:
        source.show()
        watch.wait(0, 5)
        watch.renew()
        source.show()
        watch.wait(1, 5)
    finally:
        watch.close()
    assert len(made) == 2


def test_closing_does_not_wait_for_a_frame() -> None:
    source = FakeSource()
    with watching(lambda: source, Told(scene("r1"))) as watch:
        until(lambda: source.closed is False and watch.camera[0] == "opening")
    assert source.closed
    assert watch.closed
