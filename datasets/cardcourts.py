"""Court pictures drawn from simple shapes: a crowned half figure in patterned clothes, the same from either end.

They only need to be as busy, as bright and as outlined as printed courts: what is read is the index beside them.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.cardpaint import Colour, Face, stamp
from datasets.suits import suit_mask

_PALETTES: tuple[tuple[Colour, ...], ...] = (
    ((40, 30, 210), (40, 205, 240), (170, 60, 20), (25, 25, 25)),
    ((35, 25, 190), (90, 190, 225), (120, 70, 30), (30, 30, 40)),
    ((60, 60, 200), (110, 200, 230), (190, 120, 50), (60, 45, 35)),
    ((45, 40, 180), (60, 170, 210), (70, 110, 40), (40, 40, 40)),
    ((70, 50, 160), (150, 210, 235), (130, 90, 110), (60, 50, 60)),
    ((50, 90, 220), (80, 200, 240), (150, 140, 30), (50, 40, 30)),
    ((40, 40, 40), (220, 220, 220), (30, 30, 170), (90, 90, 90)),
)
_SKIN: tuple[Colour, ...] = ((205, 225, 245), (190, 210, 235), (235, 240, 250), (150, 180, 215))

Points = NDArray[np.float64]


@dataclass(frozen=True)
class CourtStyle:
    """What the courts of one deck share."""

    seed: int
    palette: int
    outline: Colour
    line: float  # px of a 250 px wide face
    frame: Colour | None
    inset: tuple[float, float]  # frame's distance from the sides and from top and bottom, fractions of the width
    slanted: bool  # the halves meet on a diagonal
    suit_style: int
    pip: float  # height of the sign inside the frame, of the width; 0: none


def court_style(rng: np.random.Generator, suit_style: int, side: float) -> CourtStyle:
    """A court style at random; `side` is the width of the index column, which most frames keep clear of."""
    inset = side if rng.random() < 0.75 else rng.uniform(0.05, 0.12)
    dark = int(rng.integers(10, 60))
    frames: tuple[Colour, ...] = ((dark, dark, dark), (170, 70, 30), (40, 40, 190), (60, 150, 190))
    return CourtStyle(
        seed=int(rng.integers(2**31)),
        palette=int(rng.integers(len(_PALETTES))),
        outline=(dark, dark, dark),
        line=float(rng.uniform(0.7, 1.8)),
        frame=frames[int(rng.choice(4, p=[0.45, 0.35, 0.1, 0.1]))] if rng.random() < 0.75 else None,
        inset=(float(inset), float(rng.uniform(0.05, 0.14))),
        slanted=bool(rng.random() < 0.4),
        suit_style=suit_style,
        pip=float(rng.choice([0.0, rng.uniform(0.14, 0.24)], p=[0.2, 0.8])),
    )


def draw_court(face: Face, style: CourtStyle, code: str, ink: Colour, body: Colour) -> None:
    """Draws a jack, queen or king with both its halves and its frame onto the face, in place."""
    h, w = face.shape[:2]
    left, top = round(style.inset[0] * w), round(style.inset[1] * w)
    box = (w - 2 * left, h - 2 * top)
    over = 2
    half = _Half(style, code, ink, body, box[0] * over, box[1] * over // 2 + 1).draw()
    whole = np.empty((half.shape[0] * 2, half.shape[1], 3), np.uint8)
    if style.slanted:
        tall = np.vstack([half, half[-1:].repeat(half.shape[0], 0)])
        ys, xs = np.mgrid[: tall.shape[0], : tall.shape[1]]
        lean = (xs / tall.shape[1] - 0.5) * 0.3 * tall.shape[1]
        upper = (ys + lean < tall.shape[0] / 2)[..., None]
        whole = np.where(upper, tall, tall[::-1, ::-1])
    else:
        whole = np.vstack([half, half[::-1, ::-1]])
    face[top : top + box[1], left : left + box[0]] = cv2.resize(whole, box, interpolation=cv2.INTER_AREA)
    if style.pip:
        mask = suit_mask(style.suit_style, code[-1], round(style.pip * w))
        x, y = left + 5, top + 6
        stamp(face, mask, x, y, ink)
        stamp(face, mask[::-1, ::-1], w - x - mask.shape[1], h - y - mask.shape[0], ink)
    if style.frame is not None:
        corner = (left + box[0] - 1, top + box[1] - 1)
        cv2.rectangle(face, (left, top), corner, style.frame, max(1, round(style.line * 1.4)), cv2.LINE_AA)


class _Half:
    """The upper half figure on its own canvas; one object a drawing, so that the shapes share sizes and colours."""

    def __init__(self, style: CourtStyle, code: str, ink: Colour, body: Colour, width: int, height: int) -> None:
        self.rng = np.random.default_rng([style.seed, "JQK".index(code[0]), "SHDC".index(code[-1])])
        self.rank = code[0]
        self.w, self.h = width, height
        self.image = np.full((height, width, 3), body, np.uint8)
        self.style = style
        inks = list(_PALETTES[style.palette])
        self.rng.shuffle(inks)
        self.inks: list[Colour] = [tuple(int(v) for v in c) for c in inks]  # type: ignore[misc]
        self.ink = ink
        self.skin = _SKIN[style.seed % len(_SKIN)]
        self.line = max(1, round(style.line * 2))
        self.flip = bool(self.rng.random() < 0.5)

    def at(self, points: list[tuple[float, float]] | Points) -> NDArray[np.int32]:
        """Unit coordinates (0..1 across, 0..1 down) to pixels."""
        unit = np.asarray(points, float)
        return np.rint(unit * [self.w, self.h]).astype(np.int32)

    def fill(self, points: list[tuple[float, float]] | Points, colour: Colour) -> None:
        cv2.fillPoly(self.image, [self.at(points)], colour, cv2.LINE_AA)
        cv2.polylines(self.image, [self.at(points)], True, self.style.outline, self.line, cv2.LINE_AA)

    def stroke(self, points: list[tuple[float, float]], colour: Colour, thick: int) -> None:
        cv2.polylines(self.image, [self.at(points)], False, colour, thick, cv2.LINE_AA)

    def oval(self, x: float, y: float, rx: float, ry: float, colour: Colour) -> None:
        centre, axes = tuple(self.at([(x, y)])[0].tolist()), (max(1, round(rx * self.w)), max(1, round(ry * self.w)))
        cv2.ellipse(self.image, centre, axes, 0, 0, 360, colour, -1, cv2.LINE_AA)
        cv2.ellipse(self.image, centre, axes, 0, 0, 360, self.style.outline, self.line, cv2.LINE_AA)

    def cloth(self, points: list[tuple[float, float]], ground: Colour) -> None:
        """A garment: a filled shape with stripes, checks, dots or ermine in two other inks."""
        self.fill(points, ground)
        mask = np.zeros((self.h, self.w), np.uint8)
        cv2.fillPoly(mask, [self.at(points)], 255)
        pattern = self.image.copy()
        one, two = self.inks[int(self.rng.integers(4))], self.inks[int(self.rng.integers(4))]
        step = int(self.rng.integers(14, 40))
        kind = int(self.rng.integers(5))
        if kind == 0:
            lean = float(self.rng.uniform(-1, 1))
            for x in range(-self.h, self.w + self.h, step):
                end = (int(x + lean * self.h), self.h)
                cv2.line(pattern, (x, 0), end, one, max(2, step // 3), cv2.LINE_AA)
                cv2.line(pattern, (x + step // 2, 0), (end[0] + step // 2, self.h), two, 2, cv2.LINE_AA)
        elif kind == 1:
            for y in range(0, self.h, step):
                cv2.line(pattern, (0, y), (self.w, y + step // 2), one, max(2, step // 3), cv2.LINE_AA)
        else:
            for row, y in enumerate(range(0, self.h + step, step)):
                for x in range((row % 2) * step // 2, self.w + step, step):
                    if kind == 2:
                        cv2.circle(pattern, (x, y), max(2, step // 4), one, -1, cv2.LINE_AA)
                    elif kind == 3:
                        r = step // 2
                        diamond = np.array([(x, y - r), (x + r, y), (x, y + r), (x - r, y)])
                        cv2.fillPoly(pattern, [diamond], one if row % 2 else two, cv2.LINE_AA)
                    else:
                        cv2.line(pattern, (x, y), (x, y + step // 2), self.style.outline, 2, cv2.LINE_AA)
        np.copyto(self.image, pattern, where=mask[..., None] > 0)
        cv2.polylines(self.image, [self.at(points)], True, self.style.outline, self.line, cv2.LINE_AA)

    def draw(self) -> Face:
        rng = self.rng
        shoulder = float(rng.uniform(0.58, 0.7))
        if rng.random() < 0.5:
            self.prop(0.86, rng)
        self.cloth([(0.02, 1.05), (0.08, shoulder + 0.08), (0.36, shoulder - 0.05), (0.64, shoulder - 0.05),
                    (0.92, shoulder + 0.08), (0.98, 1.05)], self.inks[0])  # fmt: skip
        for side in (0.0, 1.0):
            sleeve = [(0.02, 1.05), (0.06, shoulder + 0.1), (0.26, shoulder), (0.34, 1.05)]
            self.cloth([(abs(side - x), y) for x, y in sleeve], self.inks[1])
        self.cloth([(0.42, shoulder - 0.06), (0.58, shoulder - 0.06), (0.6, 1.05), (0.4, 1.05)], self.inks[2])
        self.fill([(0.3, shoulder - 0.02), (0.5, shoulder + 0.12), (0.7, shoulder - 0.02), (0.5, shoulder - 0.1)],
                  (235, 240, 245))  # fmt: skip
        self.head(shoulder - 0.22)
        self.prop(0.14, rng)
        flipped = self.image[:, ::-1] if self.flip else self.image
        return np.ascontiguousarray(flipped)

    def head(self, y: float) -> None:
        hair = self.inks[int(self.rng.integers(4))]
        rx = float(self.rng.uniform(0.12, 0.15))
        ry = rx * 1.25
        long = 0.75 if self.rank == "J" else 1.0
        for side in (-1, 1):
            for step in range(3):
                self.oval(0.5 + side * rx * 1.1, y + (step - 0.5) * 0.09 * long, rx * 0.45, rx * 0.4, hair)
        self.oval(0.5, y, rx, ry, self.skin)
        dark, unit = self.style.outline, self.w / self.h
        for side in (-1, 1):
            eye = 0.5 + side * rx * 0.42
            self.stroke([(eye - rx * 0.22, y - 0.02), (eye + rx * 0.22, y - 0.02)], dark, self.line)
            self.stroke([(eye - rx * 0.25, y - 0.05), (eye + rx * 0.25, y - 0.055)], dark, self.line)
        tip = y + rx * 0.4 * unit
        self.stroke([(0.5, y - 0.02), (0.5 - rx * 0.2, tip), (0.5, tip + 0.01)], dark, self.line)
        mouth = y + rx * 0.75 * unit
        self.stroke([(0.5 - rx * 0.3, mouth), (0.5 + rx * 0.3, mouth)], (60, 50, 190), self.line + 1)
        if self.rank == "K":
            beard = [(0.5 - rx, y + 0.02), (0.5 - rx * 0.4, mouth - 0.01), (0.5 + rx * 0.4, mouth - 0.01),
                     (0.5 + rx, y + 0.02), (0.5 + rx * 0.5, mouth + 0.12), (0.5, mouth + 0.16),
                     (0.5 - rx * 0.5, mouth + 0.12)]  # fmt: skip
            self.fill(beard, hair)
            lip = mouth + 0.012
            self.stroke([(0.5 - rx * 0.3, lip), (0.5 + rx * 0.3, lip)], (60, 50, 190), self.line + 1)
        self.crown(y - ry * unit * 0.75, rx)

    def crown(self, y: float, rx: float) -> None:
        gold, gem = self.inks[1], self.inks[2]
        wide = rx * 1.15
        if self.rank == "J":
            left, right = 0.5 - wide, 0.5 + wide
            self.fill([(left, y), (left - wide * 0.2, y - 0.09), (right + wide * 0.1, y - 0.12), (right, y)], gem)
            feather = [(right, y - 0.1), (right + wide * 0.7, y - 0.2), (right + wide * 0.4, y - 0.05)]
            self.stroke(feather, gold, 3 * self.line)
            return
        spikes = 5 if self.rank == "K" else 3
        height = 0.17 if self.rank == "K" else 0.11
        rim: list[tuple[float, float]] = [(0.5 - wide, y)]
        for n in range(spikes):
            x0 = 0.5 - wide + 2 * wide * n / spikes
            rim += [(x0 + wide / spikes, y - height), (x0 + 2 * wide / spikes, y - height * 0.45)]
        rim[-1] = (0.5 + wide, y - height * 0.3)
        self.fill([*rim, (0.5 + wide, y)], gold)
        for n in range(spikes):
            self.oval(0.5 - wide + 2 * wide * (n + 0.5) / spikes, y - height, 0.018, 0.018, gem)
        left, right, low = 0.5 - wide, 0.5 + wide, y + 0.03
        self.cloth([(left, y - 0.005), (right, y - 0.005), (right, low), (left, low)], gem)

    def prop(self, x: float, rng: np.random.Generator) -> None:
        """A sword, a sceptre, a flower or an axe beside the figure."""
        top, lean = float(rng.uniform(0.12, 0.4)), float(rng.uniform(-0.06, 0.06))
        metal = self.inks[1] if rng.random() < 0.5 else (215, 215, 210)
        self.stroke([(x, 1.0), (x + lean, top)], self.style.outline, 4 * self.line)
        self.stroke([(x, 1.0), (x + lean, top)], metal, 2 * self.line)
        kind = int(rng.integers(3))
        if kind == 0:
            for turn in np.linspace(0, 2 * np.pi, 6)[:-1]:
                dx, dy = 0.045 * np.cos(turn), 0.045 * np.sin(turn) * self.w / self.h
                self.oval(x + lean + dx, top + dy, 0.032, 0.032, self.inks[2])
            self.oval(x + lean, top, 0.025, 0.025, self.inks[1])
        elif kind == 1:
            self.fill([(x + lean - 0.03, top), (x + lean, top - 0.1), (x + lean + 0.03, top)], metal)
            self.stroke([(x - 0.08, 0.8), (x + 0.08, 0.8)], self.style.outline, 3 * self.line)
        else:
            self.oval(x + lean, top, 0.05, 0.05, metal)
        self.oval(x, 0.88, 0.05, 0.04, self.skin)
