"""The same real photo under other lamps and exposures and with the camera turned: readings stay, or are asked about."""

from __future__ import annotations

from functools import cache
from typing import Any

import cv2
import numpy as np
import pytest
from photo_labels import PHOTOS
from real_changes import CASTS, EXPOSURES, changes, lit, sample, tally, turned

from vision.photo import Image, load
from vision.read import Reader
from vision.scene import Scene

MOST = 0.01
"""Share of the codes that may change, be lost or be invented without a question."""
WASHED_OUT = 0.08
"""The same where the sensor is saturated (+1.5 EV): the seams between white tiles are gone from the picture."""
SIDE = 1600
"""Pixels of the longer side with which the camera is turned; larger photos are shrunk."""
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (PHOTOS / "tiles/check/labels.jsonl").is_file(), reason="the photographs are not here"),
]


@cache
def reader() -> Reader:
    return Reader()


def read(image: Image) -> Scene:
    return reader().read(image, ("tile",))




@cache
def before(each: int) -> dict[str, tuple[Image, Scene]]:
    images = {name: load(path).image for name, path in sample(each)}
    return {name: (image, read(image)) for name, image in images.items()}


def share(said: dict[str, list[str]], pieces: int) -> float:
    return sum(map(len, said.values())) / pieces


@pytest.mark.parametrize("cast", CASTS)
def test_the_colour_of_the_lamp_changes_no_code(cast: str) -> None:
    said = {name: changes(scene, read(lit(image, CASTS[cast]))) for name, (image, scene) in before(4).items()}
    pieces = sum(len(scene.pieces) for _, scene in before(4).values())
    assert pieces > 100
    assert share(said, pieces) <= MOST, tally(said)


@pytest.mark.parametrize("stops", EXPOSURES)
def test_exposure_changes_no_code(stops: float) -> None:
    said = {name: changes(scene, read(lit(image, stops=stops))) for name, (image, scene) in before(4).items()}
    pieces = sum(len(scene.pieces) for _, scene in before(4).values())
    assert share(said, pieces) <= (WASHED_OUT if stops >= 1.5 else MOST), tally(said)


def test_a_turned_camera_changes_no_code() -> None:
    """In steps of 15 degrees, each photo at every one of them."""
    said: dict[str, Any] = {}
    pieces = 0
    for name, (image, _) in before(2).items():
        scale = min(SIDE / max(image.shape), 1.0)
        small = np.asarray(cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA), np.uint8)
        scene = read(small)
        for degrees in range(15, 360, 15):
            picture, spin = turned(small, degrees)
            said[f"{name} at {degrees}"] = changes(scene, read(picture), spin)
            pieces += len(scene.pieces)
    assert pieces > 1000
    assert share(said, pieces) <= MOST, tally(said)
