"""Finds the corner indices of a printed deck from its clean faces.

The sign of an index stands at one place on all number cards of a suit, while their pips move about: what is inked on
every one of them is the sign. The rank is the ink above it. Courts are looked at in the same place.
"""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.cardpaint import Face, Quad, across, box_quad, turned

Box = tuple[int, int, int, int]  # x0, y0, x1, y1 in pixels, the last two excluded
Ink = NDArray[np.bool_]

_NUMBERS = ("2", "3", "4", "5", "6", "7", "8", "9", "10")


def ink_of(face: Face) -> Ink:
    """Where a face is printed: pixels that differ from its paper."""
    h, w = face.shape[:2]
    ring = np.concatenate([face[w // 30, w // 5 : -w // 5], face[h // 3 : -h // 3, w // 30]])
    paper = np.median(ring, 0)
    ink: Ink = np.abs(face.astype(np.int16) - paper).max(2) > 70
    edge = round(w * 0.016)
    ink[:edge] = ink[-edge:] = False
    ink[:, :edge] = ink[:, -edge:] = False
    return ink


def _blobs(mask: Ink, least: int) -> list[Box]:
    count, _, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    boxes = []
    for n in range(1, count):
        x, y, w, h, area = (int(v) for v in stats[n])
        if area >= least:
            boxes.append((x, y, x + w, y + h))
    return boxes


def _around(boxes: list[Box]) -> Box:
    x0, y0, x1, y1 = zip(*boxes, strict=True)
    return min(x0), min(y0), max(x1), max(y1)


def _sign(inks: Mapping[str, Ink], suit: str) -> Box | None:
    """The box of the index's sign of one suit: the highest common ink in the upper left corner."""
    first = inks["2" + suit]
    h, w = first.shape
    common = np.logical_and.reduce([inks[rank + suit][: h // 2, : round(w * 0.36)] for rank in _NUMBERS])
    blobs = [b for b in _blobs(common, 20) if b[2] - b[0] >= w * 0.03 and b[3] - b[1] >= w * 0.03]
    blobs = [b for b in blobs if b[1] > h * 0.04 and b[2] - b[0] < w * 0.3 and b[3] - b[1] < w * 0.3]
    return min(blobs, key=lambda b: b[0] + b[1]) if blobs else None


def _rank(ink: Ink, sign: Box, limit: int) -> Box | None:
    """The box of the rank above a sign: blobs with their middle over the sign that end before `limit` on the right."""
    x0, y0, x1, _ = sign
    middle, reach = (x0 + x1) / 2, max(x1 - x0, 14) * 1.1
    zone = np.zeros_like(ink)
    zone[: y0 + 2, :limit] = ink[: y0 + 2, :limit]
    blobs = [b for b in _blobs(zone, 12) if abs((b[0] + b[2]) / 2 - middle) < reach and b[3] - b[1] > 6]
    return _around(blobs) if blobs else None


def find_indices(faces: Mapping[str, Face]) -> dict[str, tuple[Quad, ...]]:
    """Index quads of each card of a deck that has them where all others have; jokers by what stands in their corner."""
    inks = {code: ink_of(face) for code, face in faces.items() if code != "back"}
    found: dict[str, tuple[Quad, ...]] = {}
    for suit in "CDHS":
        sign = _sign(inks, suit)
        if sign is None:
            continue
        w = inks["2" + suit].shape[1]
        seen = [_rank(inks[rank + suit], sign, round(w * 0.33)) for rank in _NUMBERS]
        ranks = [box for box in seen if box is not None]
        if len(ranks) < len(_NUMBERS):
            continue
        limit = max(_around(ranks)[2], sign[2]) + 2
        pattern = np.logical_and.reduce([inks[r + suit] for r in _NUMBERS])[sign[1] : sign[3], sign[0] : sign[2]]
        tall = float(np.median([b[3] - b[1] for b in ranks]))
        for rank in (*_NUMBERS, "A", "J", "Q", "K"):
            ink = inks[rank + suit]
            box = _rank(ink, sign, limit)
            here = ink[sign[1] : sign[3], sign[0] : sign[2]]
            if box is None or not 0.7 * tall < box[3] - box[1] < 1.45 * tall:
                continue
            if (here & pattern).sum() < 0.9 * pattern.sum():
                continue
            found[rank + suit] = _corners(faces[rank + suit], ink, _around([box, sign]))
    for code in ("*0", "*1"):
        if code in faces:
            found[code] = _joker(faces[code], inks[code])
    return found


def _same(ink: Ink, box: Box, other: Ink) -> bool:
    x0, y0, x1, y1 = box
    one, two = ink[y0:y1, x0:x1], other[y0:y1, x0:x1]
    grown = cv2.dilate(two.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    return bool((one & grown).sum() > 0.85 * max(1, one.sum()))


def _corners(face: Face, ink: Ink, box: Box) -> tuple[Quad, ...]:
    """The upper left quad, and those of the other corners that hold the same print."""
    quad = box_quad(face, *box)
    quads = [quad]
    x0, y0, x1, y1 = box
    w = ink.shape[1]
    moved = np.zeros_like(ink)
    moved[y0:y1, x0:x1] = ink[y0:y1, w - x1 : w - x0]
    if _same(ink, box, moved) and _same(moved, box, ink):
        quads.append(across(quad))
    if _same(ink, box, ink[::-1, ::-1]):
        quads += [turned(q) for q in quads]
    return tuple(quads)


def _joker(face: Face, ink: Ink) -> tuple[Quad, ...]:
    """A joker's corner: the column of blobs (a word, a star) that starts in the upper left."""
    h, w = ink.shape
    blobs = [b for b in _blobs(ink, 8) if b[0] < w * 0.16 and b[2] < w * 0.24 and b[1] < h * 0.42 and b[3] < h * 0.5]
    blobs = [b for b in blobs if b[3] - b[1] < h * 0.45]
    if not blobs or min(b[1] for b in blobs) > h * 0.12:
        return ()
    column = [min(blobs, key=lambda b: b[1])]
    for blob in sorted(blobs, key=lambda b: b[1]):
        if blob[1] - _around(column)[3] < w * 0.06:
            column.append(blob)
    box = _around(column)
    if box[3] - box[1] < 10:
        return ()
    return _corners(face, ink, box)
