"""Where a video changes and where it is still, from a small grey picture of each frame.

A frame is reduced to 320 pixels across; its logarithm less its own blur is what is compared, so that a lamp switched
on, a darker exposure or a soft shadow, which all multiply the light, change next to nothing. Differences are averaged
over cells of 8 x 8, against two things: the moment before (`moving`), and what was there when it was last read
(`changed`).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.flatten import Floats, Image
from vision.locate import shrink

Cells = NDArray[np.bool_]
Plane = NDArray[np.float32]
ACROSS = 40
"""Cells across the longer side."""
CELL = 8
"""Pixels of the small picture along a cell."""
FLOOR = 10.0
"""Grey value added before the logarithm: what is darker than this is mostly noise."""
BLUR = 25
"""Pixels of the small picture over which a cell's light is taken to be even."""
LEAST = 0.03
"""Difference (of logarithms) under which nothing changed, however quiet the camera."""
NOISY = 3.5
"""Differences under so many times a cell's usual noise are noise."""
FORGIVES = 0.0015
"""How fast a frame's movement is learnt as noise: in some 200 frames, more than a hand stays in one place."""
AGO = 0.12
"""Seconds between the frames that are compared for movement: a slow hand moves little from one to the next."""


@dataclass(frozen=True, eq=False)
class Region:
    """Cells that hang together and differ from what was read, or move. `still`: seconds since the last of them moved;
    `border`: it reaches the picture's border."""

    cells: Cells
    still: float
    border: bool

    @property
    def size(self) -> int:
        """How many cells."""
        return int(self.cells.sum())


@dataclass(frozen=True, eq=False)
class Stir:
    """What of the picture is not as it was read. `share`: of all cells, how many differ."""

    regions: tuple[Region, ...]
    share: float
    moving: Cells

    @property
    def busy(self) -> Cells:
        """All cells of all regions."""
        return np.logical_or.reduce([region.cells for region in self.regions]) if self.regions else self.moving


class Motion:
    """Compares frames of one size. `settle` says what has been read."""

    def __init__(self, width: int, height: int) -> None:
        longest = max(width, height)
        self.width, self.height = width, height
        self.columns, self.rows = (max(round(ACROSS * side / longest), 1) for side in (width, height))
        shape = (self.rows, self.columns)
        self._before: deque[tuple[float, Plane]] = deque()
        self._now: Plane | None = None
        self._read: Plane | None = None
        self._noise = np.full(shape, LEAST / NOISY, np.float32)
        self._moved = np.full(shape, -np.inf)

    def update(self, image: Image, time: float) -> Stir:
        """Take in the next frame (h, w, 3) of this size at this time in seconds."""
        now = self._plane(image)
        if self._read is None:
            self._read = now.copy()
        while len(self._before) > 1 and self._before[1][0] <= time - AGO:
            self._before.popleft()
        # against the last frame too: what flickers may look the same every other frame
        earlier = {id(plane): plane for plane in (self._before[0][1], self._before[-1][1])} if self._before else {}
        steps = [self._cells(now, plane) for plane in earlier.values()]
        step = np.maximum.reduce(steps) if steps else np.zeros_like(self._noise)
        self._before.append((time, now))
        self._now = now
        limit = np.maximum(LEAST, NOISY * self._noise)
        moving = step > limit
        # what never comes to rest (a candle, a screen) is noise in the end
        self._noise += np.where(moving, FORGIVES, 0.08).astype(np.float32) * (step - self._noise)
        self._moved[moving] = time
        changed = self._cells(now, self._read) > limit
        self._drift(now, ~(changed | moving))
        return Stir(self._regions(changed | moving, time), float(changed.mean()), moving)

    def settle(self, cells: Cells | None = None) -> None:
        """What these cells (all of them where None) show now has been read."""
        if self._now is None or self._read is None:
            return
        mask = self._pixels(np.ones((self.rows, self.columns), bool) if cells is None else cells)
        self._read[mask] = self._now[mask]

    def box(self, cells: Cells, pad: float) -> tuple[int, int, int, int]:
        """The pixels (x0, y0, x1, y1) of the frame round these cells, and `pad` more on each side."""
        rows, columns = np.flatnonzero(cells.any(axis=1)), np.flatnonzero(cells.any(axis=0))
        tall, wide = self.height / self.rows, self.width / self.columns
        return (
            int(max(columns[0] * wide - pad, 0)),
            int(max(rows[0] * tall - pad, 0)),
            int(min((columns[-1] + 1) * wide + pad, self.width)),
            int(min((rows[-1] + 1) * tall + pad, self.height)),
        )

    def touches(self, cells: Cells, quad: Floats) -> bool:
        """Does a quad (4, 2) in pixels of the frame lie on any of these cells?"""
        return bool(cells[self.under(quad)].any())

    def under(self, quad: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The cells under a quad's corners, edges and middle, as rows and columns; what lies outside is left out."""
        middle = quad.mean(axis=0)
        points = np.concatenate([quad, (quad + np.roll(quad, -1, axis=0)) / 2, middle[None]])
        points = middle + (points - middle) * 0.9
        columns = np.floor(points[:, 0] * self.columns / self.width).astype(int)
        rows = np.floor(points[:, 1] * self.rows / self.height).astype(int)
        inside = (columns >= 0) & (columns < self.columns) & (rows >= 0) & (rows < self.rows)
        return rows[inside], columns[inside]

    def cells_of(self, size: float) -> float:
        """How many cells a square of this side in pixels covers."""
        return (size * self.columns / self.width) ** 2

    def _plane(self, image: Image) -> Plane:
        grey = np.asarray(cv2.cvtColor(shrink(image, (self.columns * CELL, self.rows * CELL)), cv2.COLOR_BGR2GRAY))
        light = np.log(grey.astype(np.float32) + np.float32(FLOOR))
        return np.asarray(light - cv2.blur(light, (BLUR, BLUR)), np.float32)

    def _cells(self, one: Plane, two: Plane) -> Plane:
        away = cv2.absdiff(one, two)
        return np.asarray(cv2.resize(away, (self.columns, self.rows), interpolation=cv2.INTER_AREA), np.float32)

    def _pixels(self, cells: Cells) -> Cells:
        return np.repeat(np.repeat(cells, CELL, axis=0), CELL, axis=1)

    def _drift(self, now: Plane, calm: Cells) -> None:
        """Where nothing happens, what was read follows the daylight."""
        if self._read is not None:
            self._read += self._pixels(calm) * np.float32(0.03) * (now - self._read)

    def _regions(self, cells: Cells, time: float) -> tuple[Region, ...]:
        if not cells.any():
            return ()
        grown = np.asarray(cv2.dilate(cells.astype(np.uint8), np.ones((3, 3), np.uint8)), np.uint8)
        count, numbers = cv2.connectedComponents(grown, connectivity=8)
        found = []
        for number in range(1, count):
            mine = np.asarray(numbers == number)
            core = mine & cells
            border = bool(core[0].any() or core[-1].any() or core[:, 0].any() or core[:, -1].any())
            found.append(Region(mine, float(time - self._moved[mine].max()), border))
        return tuple(found)
