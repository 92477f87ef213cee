"""Learn a set's profile from one photo: four rows, one an ink, 1 to 13 from the left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import cv2
import numpy as np

from vision.flatten import Floats, Image, levels_of
from vision.identify import NUMBERS, Reading
from vision.inks import LINEAR, ink
from vision.photo import Photo
from vision.profile import INKS, LEAST, Profile, checked_name, picture
from vision.read import Reader
from vision.rows import tile_rows

LEAST_CELLS = 47
"""Tiles of the 52 that must be found."""
OFF_LINE = 0.4
"""Heights of a tile by which it may lie off its row's line."""
OFF_CELL = 0.36
"""Columns by which a tile may lie off its place."""
SURE_NUMBER = 0.8
DARK = 70.0
"""Median value of the tiles' pixels under which misread numbers are laid to the light."""
UNREADABLE = "The numbers can't be read; take the photo from nearer, in more light."
AGREE = 0.6
"""Share of the surely read numbers that must be what their places say."""
SURE_ORDER = 1.0
"""Natural logarithms, a tile of each row, by which the best order of the inks must beat the second."""


class TeachError(ValueError):
    """A photo that a set can't be learned from. `code` is for programs, the message a sentence that says what to do."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


@dataclass(frozen=True, eq=False)
class Lesson:
    """What was found on a photo of the layout: `rows` the inks from the top ('rbyk'), `sure` whether they were
    recognised beyond doubt, `tiles` found of 52, and the `quads` of the rows' tiles by code."""

    profile: Profile
    rows: str
    sure: bool
    quads: dict[str, Floats]

    @property
    def tiles(self) -> int:
        """How many of the 52."""
        return len(self.quads)


def teach(picture_: Photo | Image, reader: Reader, name: str, made: str, rows: str = "") -> Lesson:
    """Learn from an upright photo or its pixels (h, w, 3) BGR.

    `rows`: the inks of the rows from the top, such as 'rbyk', where they are known; else they are recognised. `made`:
    the date to note. Raises TeachError, ProfileError for a name that can't be, WeightsError.
    """
    checked_name(name)
    if rows and sorted(rows) != sorted(INKS):
        raise TeachError("BAD_ROWS", "The rows are named by the four letters r, b, y and k, each once.")
    picture = picture_.levels if isinstance(picture_, Photo) else levels_of(picture_)
    # the set as the networks see it: a profile in use would teach itself
    readings = [r for r in reader.look(picture, reader.find(picture, ("tile",)), taught=False) if not r.face_down]
    cells = places(readings)
    order, sure = (rows, True) if rows else ink_order([[readings[n] for n in row if n >= 0] for row in cells])
    by_code = {
        f"{order[row]}{column + 1}": readings[n]
        for row, line in enumerate(cells) for column, n in enumerate(line) if n >= 0
    }
    profile = _profile(by_code, name, made, reader.recipe("tile_reader"))
    return Lesson(profile, order, sure, {code: reading.quad for code, reading in by_code.items()})


def places(readings: Sequence[Reading]) -> list[list[int]]:
    """Which reading lies in each of the 4 x 13 places, -1 where none was found. Raises TeachError."""
    lines = _lines(readings)
    if len(lines) != 4:
        raise TeachError("ROWS", f"{len(lines)} rows of tiles are seen, not four; lay four rows a little apart.")
    centres = np.array([r.quad.mean(axis=0) for r in readings]).reshape(-1, 2)
    known: list[tuple[float, float]] = []
    seen: list[Floats] = []
    for row, line in enumerate(lines):
        for place, n in enumerate(line):
            number = int(readings[n].rank.argmax())
            column = place if len(line) == NUMBERS else number
            if len(line) == NUMBERS or (number < NUMBERS and readings[n].rank[number] > 0.5):
                known.append((column, row))
                seen.append(centres[n])
    width = float(np.median([np.linalg.norm(r.quad[1] - r.quad[0]) for r in readings]))
    layout = None
    if len(known) >= 12:
        layout, _ = cv2.findHomography(np.array(seen), np.array(known), cv2.RANSAC, 0.4, maxIters=2000)
    if layout is None:
        raise TeachError("NUMBERS", UNREADABLE)
    cells = [[-1] * NUMBERS for _ in range(4)]
    for row, line in enumerate(lines):
        where = cv2.perspectiveTransform(centres[line][None], layout)[0]
        for n, (x, _) in zip(line, where, strict=True):
            column = round(float(x))
            if 0 <= column < NUMBERS and abs(x - column) < OFF_CELL and cells[row][column] < 0:
                cells[row][column] = n
    found = [(n, column) for row in cells for column, n in enumerate(row) if n >= 0]
    if len(found) < LEAST_CELLS or width <= 0:
        raise TeachError("FEW", f"{len(found)} of the 52 tiles are seen in their places; "
                                "lay all of them in four rows from 1 to 13, none covered, and go nearer.")
    sure = [(n, column) for n, column in found if readings[n].rank.max() > SURE_NUMBER]
    right = sum(int(readings[n].rank.argmax()) == column for n, column in sure)
    if sure and right < AGREE * len(sure):
        if float(np.median([np.median(r.crop) for r in readings])) < DARK:
            raise TeachError("NUMBERS", UNREADABLE)
        raise TeachError("ORDER", "The numbers don't run from 1 on the left to 13 on the right; lay them so, and hold "
                                  "the camera so that they stand upright.")
    return cells


def _lines(readings: Sequence[Reading]) -> list[list[int]]:
    """The rows from the top, each from the left: tiles side by side, joined along straight lines."""
    if len(readings) < LEAST_CELLS:
        raise TeachError("FEW", f"{len(readings)} tiles are seen, a whole layout has 52; go nearer, with more "
                                "light.")
    quads = np.stack([r.quad for r in readings])
    centres = quads.mean(axis=1)
    down = (quads[:, 2] + quads[:, 3] - quads[:, 0] - quads[:, 1]) / 2
    height = float(np.median(np.linalg.norm(down, axis=1)))
    axis = np.median(down / np.linalg.norm(down, axis=1, keepdims=True), axis=0)
    axis = axis / max(float(np.linalg.norm(axis)), 1e-9)
    across = np.array([axis[1], -axis[0]])
    x, y = centres @ across, centres @ axis
    chains = sorted(tile_rows(quads, [True] * len(quads)), key=lambda chain: -len(chain))
    free = set(range(len(readings)))
    lines = []
    for chain in chains:
        mine = [n for n in chain if n in free]
        if len(mine) < 4:
            continue
        for _ in range(3):
            slope, start = np.polyfit(x[mine], y[mine], 1)
            mine = [n for n in free if abs(y[n] - start - slope * x[n]) < OFF_LINE * height]
            if len(mine) < 4:
                break
        else:
            free -= set(mine)
            lines.append(sorted(mine, key=lambda n: float(x[n])))
    return sorted((line for line in lines if len(line) >= 8), key=lambda line: float(np.mean(y[line])))


def ink_order(rows: Sequence[Sequence[Reading]]) -> tuple[str, bool]:
    """The likeliest order of the four inks over the rows, and whether no other comes near."""
    seen = np.array([
        np.mean([np.log(np.maximum(reading.colour, LEAST)) for reading in row], axis=0) for row in rows
    ])  # fmt: skip
    ranked = sorted(
        ((float(sum(seen[row, ink_] for row, ink_ in enumerate(order))), order) for order in permutations(range(4))),
        reverse=True,
    )
    return "".join(INKS[n] for n in ranked[0][1]), ranked[0][0] - ranked[1][0] >= SURE_ORDER


def _profile(tiles: dict[str, Reading], name: str, made: str, recipe: str) -> Profile:
    """What the placed tiles have in common."""
    inks, shades = [], []
    for letter in INKS:
        mine = [reading for code, reading in tiles.items() if code[0] == letter]
        seen = [value for value in ink(np.stack([r.crop for r in mine])) if value is not None]
        if len(seen) < 5:
            raise TeachError("FAINT", "The colours can't be seen; take the photo in more light, without glare.")
        inks.append(np.median(np.stack(seen), axis=0))
        shades.append(np.mean([np.log(np.maximum(r.hypotheses[0].colour, LEAST)) for r in mine], axis=0))
    numerals = []
    for number in range(1, NUMBERS + 1):
        shapes = [picture(reading.crop) for code, reading in tiles.items() if int(code[1:]) == number]
        if not shapes:
            raise TeachError("FEW", f"No tile with the number {number} is seen in its place.")
        numerals.append(np.mean([shape / max(float(np.linalg.norm(shape)), 1e-6) for shape in shapes], axis=0))
    stack = np.stack(numerals).astype(np.float32)
    return Profile(name, made, _body([r.crop for r in tiles.values()]), np.stack(inks), np.stack(shades),
                   stack / stack.max(), recipe)


def _body(crops: Sequence[Image]) -> tuple[int, int, int]:
    """The body's BGR: the median of the brighter half of every crop."""
    pixels = np.stack(crops)[:, 10:-10, 8:-8].reshape(-1, 3)
    light = LINEAR[pixels].mean(axis=1)
    blue, green, red = (int(v) for v in np.median(pixels[light >= np.median(light)], axis=0))
    return blue, green, red
