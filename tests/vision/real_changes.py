"""Real photographs under another lamp, another exposure, another turn of the camera; what a reading loses by it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from photo_labels import PHOTOS

from vision.flatten import Floats, Image
from vision.inks import LINEAR
from vision.scene import Piece, Scene

CASTS: dict[str, tuple[float, float, float]] = {
    "bulb": (0.60, 0.95, 1.15),
    "shade": (1.25, 1.0, 0.80),
    "tube": (0.88, 1.10, 0.86),
    "magenta": (1.10, 0.85, 1.12),
    "candle": (0.42, 0.85, 1.20),
}
"""Gains of blue, green and red light."""
EXPOSURES = (-2.0, -1.0, 0.75, 1.5)
"""Stops (EV)."""


def sample(each: int) -> list[tuple[str, Path]]:
    """Photos of tiles/check evenly over every series: name and file. All of `others`."""
    lines = (PHOTOS / "tiles/check/labels.jsonl").read_text("utf-8").splitlines()
    names = [json.loads(line)["image"] for line in lines]
    series: dict[str, list[str]] = {}
    for name in sorted(names):
        series.setdefault(Path(name).parent.name, []).append(name)
    chosen = [n for key, of in series.items() for n in (of if key == "others" else of[:: -(-len(of) // each)][:each])]
    return [(name, PHOTOS / name) for name in chosen]


def lit(image: Image, gains: Sequence[float] = (1.0, 1.0, 1.0), stops: float = 0.0) -> Image:
    """The same scene in other light: linear gains of blue, green and red, clipped as a sensor does."""
    light = LINEAR[:, None] * (np.array(gains) * 2.0**stops)[None]
    table = np.where(light <= 0.0031308, 12.92 * light, 1.055 * np.maximum(light, 1e-9) ** (1 / 2.4) - 0.055)
    rows = np.clip(np.rint(table * 255), 0, 255).astype(np.uint8).reshape(1, 256, 3)
    return np.asarray(cv2.LUT(image, rows), np.uint8)


def turned(image: Image, degrees: float) -> tuple[Image, Floats]:
    """A camera turned by so much, nothing cut off; the picture, and the map (2, 3) of its points."""
    height, width = image.shape[:2]
    spin = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0)
    across, down = (np.abs(spin[:, :2]) @ [width, height]).round()
    spin[:, 2] += [across / 2 - width / 2, down / 2 - height / 2]
    ground = tuple(int(v) for v in np.median(image[::8, ::8].reshape(-1, 3), axis=0))
    whole = cv2.warpAffine(image, spin, (int(across), int(down)), flags=cv2.INTER_LINEAR, borderValue=ground)
    return np.asarray(whole, np.uint8), np.asarray(spin, np.float64)


def changes(before: Scene, after: Scene, spin: Floats | None = None) -> list[str]:
    """What the second reading says otherwise without asking: codes changed, lost or invented. A piece that was asked
    about before counts only where a sure reading contradicts it by being elsewhere."""
    shift = np.eye(2, 3) if spin is None else spin
    places = {n: np.array(p.quad) @ shift[:, :2].T + shift[:, 2] for n, p in enumerate(before.pieces)}
    left: dict[int, Piece] = dict(enumerate(after.pieces))
    said = []
    for n, piece in enumerate(before.pieces):
        middle, reach = places[n].mean(axis=0), np.ptp(places[n], axis=0).max() / 2
        near = [m for m, other in left.items() if np.hypot(*(np.mean(other.quad, axis=0) - middle)) < reach]
        near.sort(key=lambda m: float(np.hypot(*(np.mean(left[m].quad, axis=0) - middle))))
        if not near:
            if not piece.asked:
                said.append(f"{piece.code} is lost")
            continue
        other = left.pop(near[0])
        if other.code != piece.code and not other.asked and not piece.asked:
            said.append(f"{piece.code} becomes {other.code} ({other.p:.2f})")
    return said + [f"{p.code} is invented ({p.p:.2f})" for p in left.values() if not p.asked]


def tally(found: dict[str, Any]) -> str:
    """For the message of a failed test."""
    return "; ".join(f"{name}: {', '.join(said)}" for name, said in found.items() if said)
