"""Finds the corner indices of a printed deck from its clean faces.

The sign of an index stands at one place on all number cards of a suit, while their pips move about: what is inked on
every one of them is the sign. The rank is the ink above it. Courts are looked at in the same place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

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
    """The box of the index's sign of one suit: the largest common ink in the upper left corner."""
    first = inks["2" + suit]
    h, w = first.shape
    common = np.logical_and.reduce([inks[rank + suit][: h // 2, : round(w * 0.36)] for rank in _NUMBERS])
    blobs = [b for b in _blobs(common, 20) if b[2] - b[0] >= w * 0.03 and b[3] - b[1] >= w * 0.03]
    blobs = [b for b in blobs if b[1] > h * 0.04 and b[2] - b[0] < w * 0.3 and b[3] - b[1] < w * 0.3]
    if not blobs:
        return None
    core = max(blobs, key=lambda b: (b[2] - b[0]) * (b[3] - b[1]))
    # what is common may be less than the sign, where ranks are not printed at quite the same place
    own = []
    for rank in _NUMBERS:
        for b in _blobs(inks[rank + suit][: h // 2, : w // 2], 20):
            holds = b[0] <= core[0] and b[1] <= core[1] and b[2] >= core[2] and b[3] >= core[3]
            if holds and max(b[2] - b[0], b[3] - b[1]) < 1.8 * max(core[2] - core[0], core[3] - core[1]):
                own.append(b)
    if len(own) < 3:
        return core
    x0, y0, x1, y1 = np.median(np.array(own), 0).astype(int).tolist()
    return x0, y0, x1, y1


def _rank(ink: Ink, sign: Box, limit: int) -> Box | None:
    """The box of the rank above a sign: blobs over the sign that end before `limit` on the right.

    Where a picture touches the letter, so that no such blob is left, the picture is cut off at the limit.
    """
    x0, y0, x1, _ = sign
    middle, reach = (x0 + x1) / 2, max(x1 - x0, 14) * 0.75
    for right in (round(ink.shape[1] * 0.5), limit):
        zone = ink[: y0 + 2, :right]
        blobs = [b for b in _blobs(zone, 12) if abs((b[0] + b[2]) / 2 - middle) < reach and b[3] - b[1] > 6]
        blobs = [b for b in blobs if b[2] <= limit]
        if blobs and _around(blobs)[3] - _around(blobs)[1] > 14:
            return _around(blobs)
    return None


def find_indices(faces: Mapping[str, Face]) -> dict[str, tuple[Quad, ...]]:
    """Index quads of each card of a deck that has them where all others have; jokers by what stands in their corner."""
    inks = {code: ink_of(face) for code, face in faces.items() if code != "back"}
    boxes: dict[str, Box] = {}
    for suit in "CDHS":
        sign = _sign(inks, suit)
        if sign is None:
            continue
        w = inks["2" + suit].shape[1]
        seen = [_rank(inks[rank + suit], sign, round(w * 0.33)) for rank in _NUMBERS]
        ranks = [box for box in seen if box is not None]
        if len(ranks) < len(_NUMBERS):
            continue
        middle = (sign[0] + sign[2]) / 2
        half = float(np.median([max(b[2] - middle, middle - b[0]) for b in ranks[:-1]]))
        pattern = np.logical_and.reduce([inks[r + suit] for r in _NUMBERS])[sign[1] : sign[3], sign[0] : sign[2]]
        tall = float(np.median([b[3] - b[1] for b in ranks]))
        for rank in (*_NUMBERS, "A", "J", "Q", "K"):
            ink = inks[rank + suit]
            box = _rank(ink, sign, round(middle + half * (2.1 if rank == "10" else 1.6)) + 2)
            here = ink[sign[1] : sign[3], sign[0] : sign[2]]
            if box is None or not 0.7 * tall < box[3] - box[1] < 1.45 * tall:
                continue
            near = cv2.dilate(here.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
            if (near & pattern).sum() < 0.85 * pattern.sum():
                continue
            boxes[rank + suit] = _around([box, sign])
    # how many corners carry an index is one decision for the whole deck: single cards may mislead
    across_too = _most(_same(inks[c], box, _beside(inks[c], box)) for c, box in boxes.items())
    turned_too = _most(_same(inks[c], box, inks[c][::-1, ::-1]) for c, box in boxes.items())
    found = {c: _corners(faces[c], box, across_too, turned_too) for c, box in boxes.items()}
    for code in ("*0", "*1"):
        if code in faces:
            found[code] = _joker(faces[code], inks[code])
    return found


def _most(votes: Iterable[bool]) -> bool:
    seen = list(votes)
    return sum(seen) > 0.6 * len(seen)


def _same(ink: Ink, box: Box, other: Ink) -> bool:
    """Whether two pictures hold the same print within a box, give or take a pixel or two."""
    x0, y0, x1, y1 = box
    one, two = ink[y0:y1, x0:x1], other[y0:y1, x0:x1]
    disc = np.ones((5, 5), np.uint8)
    near_one, near_two = (cv2.dilate(m.astype(np.uint8), disc) > 0 for m in (one, two))
    return bool((one & near_two).sum() > 0.8 * one.sum() > 0 and (two & near_one).sum() > 0.8 * two.sum() > 0)


def _beside(ink: Ink, box: Box) -> Ink:
    """The picture moved so that the mirrored place of `box` lies in `box`."""
    x0, _, x1, _ = box
    return np.roll(ink, x0 - (ink.shape[1] - x1), axis=1)


def _corners(face: Face, box: Box, across_too: bool, turned_too: bool) -> tuple[Quad, ...]:
    quads = [box_quad(face, *box)]
    if across_too:
        quads.append(across(quads[0]))
    return tuple(quads + [turned(q) for q in quads]) if turned_too else tuple(quads)


def _joker(face: Face, ink: Ink) -> tuple[Quad, ...]:
    """A joker's corner: the blobs that start in the upper left and go on down (a word, a star) or across (a word)."""
    h, w = ink.shape
    blobs = [b for b in _blobs(ink, 8) if b[2] - b[0] < w * 0.2 and b[3] - b[1] < w * 0.25]
    blobs = sorted((b for b in blobs if b[2] < w * 0.5 and b[3] < h * 0.5), key=lambda b: b[0] + b[1])
    if not blobs or blobs[0][0] > w * 0.16 or blobs[0][1] > h * 0.12:
        return ()
    box, gap = blobs[0], w * 0.05
    for _ in range(len(blobs)):
        for x0, y0, x1, y1 in blobs:
            wider = _around([box, (x0, y0, x1, y1)])
            near = x0 < box[2] + gap and y0 < box[3] + gap
            if near and (wider[2] - wider[0] < w * 0.2 or wider[3] - wider[1] < w * 0.16):
                box = wider
    if box[3] - box[1] < 10:
        return ()
    across_too, turned_too = _same(ink, box, _beside(ink, box)), _same(ink, box, ink[::-1, ::-1])
    return _corners(face, box, across_too, turned_too)
