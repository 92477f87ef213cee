"""Jokers with a face: smileys, moons, clowns, suns, jesters."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from datasets.pen import Pen

Rng = np.random.Generator
Design = Callable[[Pen, Rng, "str | None"], None]
FACES: dict[str, Design] = {}


def _design(function: Design) -> Design:
    FACES[function.__name__.strip("_")] = function
    return function


# parts of faces -----------------------------------------------------------------------------------------------------


def _eyes(pen: Pen, rng: Rng, r: float = 1.0, y: float = -0.2, ink: int = 1) -> None:
    kind = int(rng.integers(7))
    dx = rng.uniform(0.26, 0.4) * r
    size = rng.uniform(0.08, 0.14) * r
    for side in (-1, 1):
        x = side * dx
        if kind == 0:
            pen.disc(x, y, size, ink)
        elif kind == 1:
            pen.oval(x, y, size * 0.8, size * 1.7, ink)
        elif kind == 2:
            pen.oval(x, y, size * 1.6, size, ink, 0.05 * r)
            pen.disc(x, y, size * 0.6, ink)
        elif kind == 3:
            pen.oval(x, y + size, size * 1.4, size * 1.4, ink, 0.07 * r, arc=(200, 340))
        elif kind == 4:
            pen.line([(x - size, y - size), (x + size, y + size)], 0.06 * r, ink)
            pen.line([(x - size, y + size), (x + size, y - size)], 0.06 * r, ink)
        elif kind == 5 and side < 0:
            pen.line([(x - 1.3 * size, y), (x + 1.3 * size, y)], 0.07 * r, ink)
        else:
            pen.disc(x, y, size * 1.4, ink)
            pen.disc(x + size * 0.4, y - size * 0.3, size * 0.5, 0)
    if rng.random() < 0.6:
        lift = rng.uniform(0.15, 0.28) * r
        tilt = rng.uniform(-0.08, 0.1) * r
        for side in (-1, 1):
            pen.curve(
                [
                    (side * (dx - 0.15 * r), y - lift + tilt),
                    (side * dx, y - lift - 0.12 * r),
                    (side * (dx + 0.16 * r), y - lift),
                ],
                rng.uniform(0.04, 0.08) * r,
                ink,
            )


def _mouth(pen: Pen, rng: Rng, r: float = 1.0, y: float = 0.3, ink: int = 1) -> None:
    kind = int(rng.integers(5))
    w = rng.uniform(0.35, 0.55) * r
    width = rng.uniform(0.05, 0.1) * r
    if kind == 0:
        pen.curve([(-w, y - 0.1 * r), (0, y + 0.5 * r), (w, y - 0.1 * r)], width, ink)
    elif kind == 1:
        pen.oval(0, y - 0.08 * r, w, 0.35 * r, ink, arc=(0, 180))
        pen.oval(0, y - 0.05 * r, w * 0.8, 0.1 * r, 0, arc=(0, 180))
    elif kind == 2:
        pen.oval(0, y - 0.05 * r, w, 0.33 * r, ink, width, arc=(0, 180))
        pen.line([(-w, y - 0.05 * r), (w, y - 0.05 * r)], width, ink)
    elif kind == 3:
        pen.curve([(-w, y - 0.12 * r), (-0.2 * w, y + 0.4 * r), (0.3 * w, y + 0.35 * r), (w, y - 0.15 * r)], width, ink)
        for side in (-1, 1):
            pen.curve(
                [(side * w, y - 0.2 * r), (side * (w + 0.08 * r), y - 0.1 * r), (side * (w - 0.05 * r), y)],
                width * 0.8,
                ink,
            )
    else:
        pen.curve([(-w, y), (-0.4 * w, y + 0.12 * r), (0, y + 0.02 * r), (0.4 * w, y + 0.12 * r), (w, y)], width, ink)
        pen.curve([(-0.75 * w, y + 0.06 * r), (0, y + 0.42 * r), (0.75 * w, y + 0.06 * r)], width, ink)


def _nose(pen: Pen, rng: Rng, r: float = 1.0, ink: int = 1) -> None:
    kind = int(rng.integers(5))
    if kind == 0:
        pen.curve([(0.02 * r, -0.2 * r), (-0.16 * r, 0.12 * r), (0.1 * r, 0.1 * r)], 0.05 * r, ink)
    elif kind == 1:
        pen.disc(0, 0.05 * r, rng.uniform(0.08, 0.15) * r, 2 if rng.random() < 0.4 else ink)
    elif kind == 2:
        pen.curve([(-0.1 * r, 0.1 * r), (0, 0.2 * r), (0.1 * r, 0.1 * r)], 0.05 * r, ink)
        pen.line([(-0.03 * r, -0.15 * r), (-0.05 * r, 0.06 * r)], 0.04 * r, ink)
    elif kind == 3:
        pen.line([(0, -0.18 * r), (-0.1 * r, 0.12 * r), (0.08 * r, 0.12 * r)], 0.05 * r, ink)


def face(pen: Pen, rng: Rng, r: float = 1.0, ink: int = 1) -> None:
    _eyes(pen, rng, r, -0.2 * r, ink)
    _nose(pen, rng, r, ink)
    _mouth(pen, rng, r, 0.3 * r, ink)


def _head(pen: Pen, rng: Rng, r: float) -> None:
    """A round head, as a line or filled."""
    if rng.random() < 0.3:
        pen.disc(0, 0, r, int(rng.integers(1, 3)))
        pen.disc(0, 0, r * rng.uniform(0.85, 0.94), 0 if rng.random() < 0.8 else 2)
    else:
        pen.ring(0, 0, r, rng.uniform(0.05, 0.13))


# faces --------------------------------------------------------------------------------------------------------------


@_design
def _smiley(pen: Pen, rng: Rng, font: str | None) -> None:
    _head(pen, rng, 0.92)
    face(pen, rng, 0.92)


@_design
def _smiley_filled(pen: Pen, rng: Rng, font: str | None) -> None:
    pen.disc(0, 0, 0.95, 1)
    face(pen, rng, 0.92, 0)


@_design
def _moon_face(pen: Pen, rng: Rng, font: str | None) -> None:
    """The full moon of the best-known set: almond eyes, long nose, moustache-like grin, within a bold ring."""
    pen.ring(0, 0, 0.93, rng.uniform(0.06, 0.11))
    w = rng.uniform(0.045, 0.07)
    for s in (-1, 1):
        pen.curve([(s * 0.12, -0.3), (s * 0.32, -0.48), (s * 0.56, -0.26)], w * 1.2)
        pen.curve([(s * 0.16, -0.12), (s * 0.33, -0.3), (s * 0.52, -0.1)], w)
        pen.curve([(s * 0.16, -0.12), (s * 0.33, 0.0), (s * 0.52, -0.1)], w * 0.8)
        pen.disc(s * 0.34, -0.12, 0.075)
        pen.curve([(s * 0.5, 0.18), (s * 0.62, 0.28), (s * 0.58, 0.42)], w)
        pen.curve([(0, 0.42), (s * 0.2, 0.34), (s * 0.52, 0.36)], w * 1.3)
    pen.curve([(-0.08, -0.3), (-0.04, 0), (-0.13, 0.16), (0, 0.22)], w)
    pen.curve([(0, 0.22), (0.13, 0.2), (0.1, 0.12)], w)
    pen.curve([(-0.42, 0.42), (0, rng.uniform(0.72, 0.84)), (0.42, 0.42)], w * 1.2)
    pen.curve([(-0.15, 0.72), (0, 0.78), (0.15, 0.72)], w)


@_design
def _clown(pen: Pen, rng: Rng, font: str | None) -> None:
    for s in (-1, 1):
        for dx, dy, r in ((0.68, -0.3, 0.24), (0.78, 0.02, 0.22), (0.55, -0.55, 0.2)):
            pen.disc(s * dx, dy, r, 2)
    pen.disc(0, 0.1, 0.7, 1)
    pen.disc(0, 0.1, 0.62, 0)
    _eyes(pen, rng, 0.65, -0.05)
    pen.disc(0, 0.18, 0.14, 2)
    pen.curve([(-0.4, 0.32), (0, 0.75), (0.4, 0.32)], 0.12)
    pen.poly([(-0.28, -0.5), (0.28, -0.5), (0, -1)], int(rng.integers(1, 3)))


@_design
def _top_hat(pen: Pen, rng: Rng, font: str | None) -> None:
    pen.ring(0, 0.25, 0.62, 0.08)
    pen.disc(0, -0.1, 0.35, 0)
    pen.poly([(-0.42, -0.98), (0.42, -0.98), (0.38, -0.3), (-0.38, -0.3)])
    pen.poly([(-0.75, -0.36), (0.75, -0.36), (0.75, -0.22), (-0.75, -0.22)])
    pen.line([(-0.38, -0.46), (0.38, -0.46)], 0.1, 2 if rng.random() < 0.5 else 0)
    for s in (-1, 1):
        pen.disc(s * 0.25, 0.1, 0.08)
    pen.curve([(-0.35, 0.4), (0, 0.8), (0.35, 0.4)], 0.08)


@_design
def _bearded(pen: Pen, rng: Rng, font: str | None) -> None:
    pen.blob([(-0.8, -0.1), (-0.7, 0.8), (0, 1.3), (0.7, 0.8), (0.8, -0.1), (0, 0.25)])
    pen.oval(0, -0.15, 0.6, 0.7, 1, 0.07, arc=(160, 380))
    pen.curve([(-0.3, 0.35), (0, 0.6), (0.3, 0.35)], 0.1, 0)
    _eyes(pen, rng, 0.8, -0.25)


@_design
def _crowned(pen: Pen, rng: Rng, font: str | None) -> None:
    pen.ring(0, 0.28, 0.6, 0.08)
    pen.poly(
        [(-0.62, -0.2), (-0.8, -0.85), (-0.35, -0.5), (0, -1), (0.35, -0.5), (0.8, -0.85), (0.62, -0.2)],
        int(rng.integers(1, 3)),
    )
    for s in (-1, 1):
        pen.disc(s * 0.22, 0.2, 0.08)
    _mouth(pen, rng, 0.6, 0.5)


@_design
def _horned(pen: Pen, rng: Rng, font: str | None) -> None:
    for s in (-1, 1):
        pen.poly([(s * 0.3, -0.55), (s * 0.75, -1), (s * 0.65, -0.25)])
    pen.ring(0, 0.1, 0.75, 0.09)
    face(pen, rng, 0.75)


@_design
def _girl(pen: Pen, rng: Rng, font: str | None) -> None:
    pen.disc(0, 0, 0.9, 1)
    pen.oval(0, 0.12, 0.6, 0.66, 0)
    pen.poly([(-0.6, -0.25), (0.6, -0.2), (0.1, -0.7)], 1)
    for s in (-1, 1):
        pen.disc(s * 0.24, 0.02, 0.09)
        pen.poly([(s * 0.05, -0.85), (s * 0.42, -1), (s * 0.42, -0.65)], 2)
    pen.curve([(-0.25, 0.4), (0, 0.62), (0.25, 0.4)], 0.09, 2 if rng.random() < 0.5 else 1)


@_design
def _glasses(pen: Pen, rng: Rng, font: str | None) -> None:
    _head(pen, rng, 0.92)
    for s in (-1, 1):
        pen.oval(s * 0.36, -0.18, 0.27, 0.2, int(rng.integers(1, 2)))
        pen.line([(s * 0.6, -0.2), (s * 0.88, -0.28)], 0.07)
    pen.line([(-0.15, -0.22), (0.15, -0.22)], 0.07)
    _mouth(pen, rng, 0.9, 0.35)


@_design
def _pirate(pen: Pen, rng: Rng, font: str | None) -> None:
    pen.ring(0, 0.2, 0.72, 0.08)
    pen.blob([(-0.9, -0.3), (-0.5, -1.1), (0.5, -1.1), (0.9, -0.3), (0, -0.5)])
    pen.disc(-0.28, 0.05, 0.18)
    pen.line([(-0.7, -0.25), (0.1, 0.05)], 0.05)
    pen.disc(0.28, 0.05, 0.08)
    pen.curve([(-0.35, 0.45), (0, 0.75), (0.35, 0.4)], 0.08)


# suns ---------------------------------------------------------------------------------------------------------------


@_design
def _sun_face(pen: Pen, rng: Rng, font: str | None) -> None:
    tips = int(rng.integers(8, 18))
    pen.star(0, 0, 1.0, rng.uniform(0.62, 0.76), tips, int(rng.integers(1, 3)))
    pen.disc(0, 0, 0.62, 0)
    pen.ring(0, 0, 0.6, 0.06)
    face(pen, rng, 0.58)


@_design
def _sun_rays(pen: Pen, rng: Rng, font: str | None) -> None:
    rays = int(rng.integers(8, 17))
    for k in range(rays):
        a = 2 * np.pi * k / rays
        reach = 1.0 if k % 2 else rng.uniform(0.84, 1.0)
        pen.line([(0.68 * np.cos(a), 0.68 * np.sin(a)), (reach * np.cos(a), reach * np.sin(a))], 0.09)
    pen.ring(0, 0, 0.55, 0.08)
    face(pen, rng, 0.55)


@_design
def _sun_waves(pen: Pen, rng: Rng, font: str | None) -> None:
    rays = int(rng.integers(7, 12))
    for k in range(rays):
        a = 2 * np.pi * k / rays
        c, s = np.cos(a), np.sin(a)
        pts = [(0.55, 0.0), (0.7, 0.18), (0.85, -0.15), (1.0, 0.05)]
        pen.curve([(u * c - v * s, u * s + v * c) for u, v in pts], 0.12)
    pen.disc(0, 0, 0.55, 1)
    face(pen, rng, 0.52, 0)


@_design
def _sun_plain(pen: Pen, rng: Rng, font: str | None) -> None:
    pen.star(0, 0, 1.0, 0.6, int(rng.integers(10, 24)), 1)
    pen.disc(0, 0, 0.55, 0)
    pen.disc(0, 0, 0.45, int(rng.integers(0, 3)))


# jesters ------------------------------------------------------------------------------------------------------------


def _cap(pen: Pen, rng: Rng, y: float, points: int) -> None:
    """A cap with bells: curved horns from a band at height y."""
    for k in range(points):
        f = (k / (points - 1) - 0.5) * 2 if points > 1 else 0.0
        tip = (f * 0.86, y - 0.62 + 0.34 * abs(f))
        base = 0.34
        x0 = f * 0.4
        pen.blob(
            [(x0 - base, y), (x0 - 0.3 + f * 0.2, y - 0.6), tip, (x0 + 0.3 + f * 0.2, y - 0.5), (x0 + base, y)],
            1 + k % 2 if rng.random() < 0.8 else 1,
        )
        pen.disc(tip[0] * 1.02, tip[1] + 0.06 * abs(f), 0.11, 2 - k % 2)
    pen.line([(-0.6, y), (0.6, y)], 0.13, 1)


@_design
def _jester(pen: Pen, rng: Rng, font: str | None) -> None:
    pen.oval(0, 0.28, 0.5, 0.58, 1, 0.07)
    pen.oval(0, 0.28, 0.46, 0.54, 0)
    _eyes(pen, rng, 0.55, 0.15)
    _mouth(pen, rng, 0.5, 0.5)
    _cap(pen, rng, -0.12, int(rng.integers(2, 5)))


@_design
def _jester_collar(pen: Pen, rng: Rng, font: str | None) -> None:
    pen.star(0, 0.55, 0.95, 0.45, int(rng.integers(9, 13)), 2)
    pen.oval(0, 0.1, 0.44, 0.5, 0)
    pen.oval(0, 0.1, 0.44, 0.5, 1, 0.07)
    _eyes(pen, rng, 0.5, 0.02)
    _mouth(pen, rng, 0.45, 0.32)
    _cap(pen, rng, -0.22, 3)


@_design
def _jester_profile(pen: Pen, rng: Rng, font: str | None) -> None:
    pen.poly(
        [
            (-0.3, -0.2),
            (0.3, -0.2),
            (0.36, 0.1),
            (0.62, 0.25),
            (0.36, 0.3),
            (0.42, 0.5),
            (0.3, 0.75),
            (-0.1, 0.8),
            (-0.35, 0.4),
        ]
    )
    pen.blob(
        [
            (-0.45, -0.1),
            (-1.05, -0.2),
            (-0.95, 0.5),
            (-0.7, -0.3),
            (-0.2, -0.95),
            (0.5, -0.7),
            (0.9, -0.25),
            (0.4, -0.15),
        ],
        2,
    )
    pen.disc(-0.9, 0.4, 0.12)
    pen.disc(0.82, -0.2, 0.12)
    pen.disc(0.15, 0.08, 0.07, 0)
    pen.star(-0.05, 0.72, 0.42, 0.2, 9, 2)


@_design
def _cap_and_bells(pen: Pen, rng: Rng, font: str | None) -> None:
    _cap(pen, rng, 0.42, 3)
    pen.line([(-0.62, 0.62), (0.62, 0.62)], 0.16, 2)


@_design
def _marotte(pen: Pen, rng: Rng, font: str | None) -> None:
    pen.line([(0, 0.3), (0, 1)], 0.1)
    pen.star(0, 0.28, 0.45, 0.2, 8, 2)
    pen.disc(0, -0.1, 0.34, 1)
    pen.disc(-0.1, -0.15, 0.05, 0)
    pen.disc(0.12, -0.15, 0.05, 0)
    pen.curve([(-0.15, 0), (0, 0.15), (0.15, 0)], 0.05, 0)
    _cap(pen, rng, -0.3, 3)
