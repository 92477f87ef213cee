"""Labelled real photographs for tests: where they lie, and their quads."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np

SHARED = Path(os.environ.get("REMI_SHARED", Path(__file__).parents[3] / "shared"))
PHOTOS = SHARED / "photos"


def quad_of(polygon: list[list[float]], upright: float | None) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The least-area rectangle, clockwise from the piece's own top left; `upright` in degrees clockwise."""
    box = cv2.boxPoints(cv2.minAreaRect(np.array(polygon, np.float32))).astype(np.float64)
    middle = box.mean(axis=0)
    box = box[np.argsort(np.arctan2(box[:, 1] - middle[1], box[:, 0] - middle[0]))]
    angle = np.radians(upright or 0.0)
    up = np.array([np.sin(angle), -np.cos(angle)])
    first = max(range(4), key=lambda k: float(((box[k] + box[(k + 1) % 4]) / 2 - middle) @ up))
    return np.roll(box, -first, axis=0)


def grouped(part: str) -> Iterator[tuple[dict[str, Any], dict[str, Any], list[np.ndarray[Any, np.dtype[np.float64]]]]]:
    """Every photo of tiles/`part` with groups: its label, its groups, its quads."""
    folder = PHOTOS / "tiles" / part
    labels = {}
    for line in (folder / "labels.jsonl").read_text("utf-8").splitlines():
        label = json.loads(line)
        labels[label["image"]] = label
    for line in (folder / "groups.jsonl").read_text("utf-8").splitlines():
        groups = json.loads(line)
        label = labels[groups["image"]]
        pieces = zip(label["pieces"], groups["upright"], strict=True)
        yield label, groups, [quad_of(piece["polygon"], upright) for piece, upright in pieces]
