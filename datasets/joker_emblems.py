"""Jokers without a face of their own: stars, mirror and wild tiles, animals, flowers, emblems."""

from __future__ import annotations

import numpy as np

from datasets.joker_faces import Design, Rng
from datasets.pen import Pen, bezier, suit

EMBLEMS: dict[str, Design] = {}


def _design(function: Design) -> Design:
    EMBLEMS[function.__name__.strip("_")] = function
    return function


# mirror and wild ----------------------------------------------------------------------------------------------------


@_design
def _mirror_word(pen: Pen, rng: Rng, font: str | None) -> None:
    pen.word("JOKER" if rng.random() < 0.6 else "JOLLY", font, 0, -0.5, 0.42, 1.8)
    pen.mirror()
    pen.line([(-0.9, 0.12), (0.9, -0.12)], 0.06, 2)


@_design
def _mirror_star(pen: Pen, rng: Rng, font: str | None) -> None:
    suit(pen, str(rng.choice(["star", "sun", "clover", "flower"])), 0, -0.5, 0.42)
    pen.mirror()
    if rng.random() < 0.5:
        pen.line([(-0.8, 0), (0.8, 0)], 0.06, 2)


@_design
def _mirror_crown(pen: Pen, rng: Rng, font: str | None) -> None:
    pen.poly([(-0.6, -0.2), (-0.75, -0.85), (-0.35, -0.55), (0, -0.98), (0.35, -0.55), (0.75, -0.85), (0.6, -0.2)])
    pen.mirror()
    pen.line([(-0.7, 0), (0.7, 0)], 0.07, 2)


@_design
def _mirror_j(pen: Pen, rng: Rng, font: str | None) -> None:
    pen.word("J", font, -0.35, -0.35, 0.9, 0.7)
    pen.word("J", font, 0.35, 0.35, 0.9, 0.7, 2, 180)


@_design
def _halves(pen: Pen, rng: Rng, font: str | None) -> None:
    pen.oval(0, 0, 0.9, 0.9, 1, arc=(90, 270))
    pen.oval(0, 0, 0.9, 0.9, 2, arc=(-90, 90))
    pen.star(0, 0, 0.55, 0.23, 5, 0)


@_design
def _quarters(pen: Pen, rng: Rng, font: str | None) -> None:
    for k in range(4):
        arc = np.radians(np.linspace(90 * k + 3, 90 * k + 87, 20))
        rim = np.stack([0.92 * np.cos(arc), 0.92 * np.sin(arc)], 1)
        pen.poly(np.concatenate([[[0.03, 0.03]], rim]), k + 1)
    if rng.random() < 0.6:
        pen.disc(0, 0, 0.4, 0)
        suit(pen, "star", 0, 0, 0.3)


@_design
def _pinwheel(pen: Pen, rng: Rng, font: str | None) -> None:
    blades = int(rng.integers(4, 9))
    for k in range(blades):
        a = 2 * np.pi * k / blades
        c, s = np.cos(a), np.sin(a)
        pts = [(0.05, 0.0), (0.95, -0.1), (0.6, 0.45)]
        pen.blob([(u * c - v * s, u * s + v * c) for u, v in pts], 1 + k % (4 if blades % 4 == 0 else 2))
    pen.disc(0, 0, 0.13, 0)


@_design
def _four_dots(pen: Pen, rng: Rng, font: str | None) -> None:
    """One sign in each ink: the joker stands for any colour."""
    sign = str(rng.choice(["dot", "heart", "diamond", "star", "square"]))
    for k, (x, y) in enumerate(((-0.45, -0.45), (0.45, -0.45), (-0.45, 0.45), (0.45, 0.45))):
        suit(pen, sign, x, y, 0.38, k + 1)


@_design
def _harlequin(pen: Pen, rng: Rng, font: str | None) -> None:
    rows = int(rng.integers(3, 5))
    step = 1.8 / rows
    for i in range(rows):
        for k in range(rows):
            suit(pen, "diamond", -0.9 + step * (k + 0.5), -0.9 + step * (i + 0.5), step * 0.55, 1 + (i + k) % 2)


@_design
def _rainbow(pen: Pen, rng: Rng, font: str | None) -> None:
    whole = rng.random() < 0.5
    for k in range(4):
        pen.oval(
            0, 0 if whole else 0.4, 0.9 - 0.2 * k, 0.9 - 0.2 * k, k + 1, 0.14, arc=(0, 360) if whole else (180, 360)
        )


# stars --------------------------------------------------------------------------------------------------------------


@_design
def _star(pen: Pen, rng: Rng, font: str | None) -> None:
    tips = int(rng.choice([5, 5, 6, 8]))
    pen.star(0, 0, 0.98, 0.42, tips, 1)
    if rng.random() < 0.4:
        pen.star(0, 0, 0.72, 0.3, tips, 0)


@_design
def _star_in_ring(pen: Pen, rng: Rng, font: str | None) -> None:
    filled = rng.random() < 0.4
    pen.ring(0, 0, 0.9, 0.1)
    if filled:
        pen.disc(0, 0, 0.9)
    pen.star(0, 0, 0.68, 0.28, 5, 0 if filled else int(rng.integers(1, 3)))


@_design
def _three_stars(pen: Pen, rng: Rng, font: str | None) -> None:
    for k, (x, y) in enumerate(((0, -0.45), (-0.48, 0.38), (0.48, 0.38))):
        pen.star(x, y, 0.46, 0.19, 5, k + 1)


@_design
def _star_with_j(pen: Pen, rng: Rng, font: str | None) -> None:
    pen.star(0, 0, 1, 0.5, 5)
    pen.word("J", font, 0, 0.05, 0.62, 0.4, 0)


@_design
def _comet(pen: Pen, rng: Rng, font: str | None) -> None:
    for y in (-0.1, 0.12, 0.34):
        pen.curve([(-0.95, y + 0.5), (-0.4, y + 0.35), (0.2, y - 0.3)], 0.1, 2)
    pen.star(0.35, -0.35, 0.6, 0.25, 5)


@_design
def _starburst(pen: Pen, rng: Rng, font: str | None) -> None:
    rays = int(rng.integers(6, 13))
    for k in range(rays):
        a = np.pi * k / rays
        pen.line([(-0.95 * np.cos(a), -0.95 * np.sin(a)), (0.95 * np.cos(a), 0.95 * np.sin(a))], rng.uniform(0.06, 0.1))
    pen.disc(0, 0, 0.3, 2)


# animals ------------------------------------------------------------------------------------------------------------


@_design
def _cat(pen: Pen, rng: Rng, font: str | None) -> None:
    bare = rng.random() < 0.5
    for s in (-1, 1):
        pen.poly([(s * 0.2, -0.4), (s * 0.72, -0.98), (s * 0.75, 0)])
    pen.oval(0, 0.1, 0.8, 0.66)
    if bare:
        pen.oval(0, 0.1, 0.7, 0.57, 0)
    ink = 1 if bare else 0
    for s in (-1, 1):
        pen.oval(s * 0.3, 0, 0.08, 0.15, ink)
        for dy in (-0.06, 0.08):
            pen.line([(s * 0.25, 0.3), (s * 0.95, 0.3 + 2 * dy)], 0.04, 1 if bare else 2)
        pen.curve([(0, 0.3), (s * 0.1, 0.5), (s * 0.25, 0.38)], 0.06, ink)
    pen.poly([(-0.09, 0.2), (0.09, 0.2), (0, 0.32)], ink)


@_design
def _monkey(pen: Pen, rng: Rng, font: str | None) -> None:
    for s in (-1, 1):
        pen.disc(s * 0.75, -0.05, 0.24)
        pen.disc(s * 0.75, -0.05, 0.12, 0)
    pen.disc(0, 0, 0.72)
    for s in (-1, 1):
        pen.disc(s * 0.22, -0.15, 0.28, 0)
        pen.disc(s * 0.2, -0.1, 0.09)
    pen.oval(0, 0.3, 0.48, 0.34, 0)
    pen.curve([(-0.28, 0.35), (0, 0.6), (0.28, 0.35)], 0.07)
    pen.disc(0, 0.14, 0.07, 2)


@_design
def _dragon(pen: Pen, rng: Rng, font: str | None) -> None:
    body = bezier([(-0.9, 0.8), (1.4, 0.9), (-1.5, -0.2), (0.4, -0.75)], 40)
    pen.line(body, 0.24)
    for k in range(4, 36, 4):
        x, y = body[k]
        pen.poly([(x - 0.12, y - 0.08), (x + 0.12, y - 0.08), (x, y - 0.3)], 2)
    pen.blob([(0.2, -0.95), (0.75, -0.95), (1.0, -0.6), (0.6, -0.45), (0.2, -0.5)])
    pen.disc(0.52, -0.76, 0.06, 0)


@_design
def _owl(pen: Pen, rng: Rng, font: str | None) -> None:
    pen.blob([(-0.8, -1), (0, -0.6), (0.8, -1), (0.75, 0.6), (0, 1.2), (-0.75, 0.6)])
    for s in (-1, 1):
        pen.disc(s * 0.3, -0.3, 0.26, 0)
        pen.disc(s * 0.3, -0.3, 0.12, 2)
    pen.poly([(-0.1, -0.1), (0.1, -0.1), (0, 0.12)], 2)
    for y in (0.3, 0.52):
        pen.curve([(-0.35, y), (0, y + 0.2), (0.35, y)], 0.06, 0)


@_design
def _butterfly(pen: Pen, rng: Rng, font: str | None) -> None:
    for s in (-1, 1):
        pen.blob([(s * 0.06, -0.1), (s * 0.5, -1.0), (s * 1.1, -0.7), (s * 0.8, 0.0)])
        pen.blob([(s * 0.06, 0.0), (s * 0.8, 0.05), (s * 0.85, 0.75), (s * 0.3, 0.8)], 2)
        pen.disc(s * 0.55, -0.45, 0.14, 0)
        pen.curve([(0, -0.35), (s * 0.15, -0.8), (s * 0.3, -0.9)], 0.04)
    pen.oval(0, 0, 0.07, 0.5)


@_design
def _fish(pen: Pen, rng: Rng, font: str | None) -> None:
    pen.oval(-0.15, 0, 0.7, 0.42)
    pen.poly([(0.4, 0), (0.95, -0.45), (0.95, 0.45)])
    pen.disc(-0.5, -0.1, 0.09, 0)
    for x in (-0.2, 0.05, 0.3):
        pen.oval(x, 0, 0.12, 0.25, 0, 0.05, arc=(-80, 80))


@_design
def _bird(pen: Pen, rng: Rng, font: str | None) -> None:
    pen.blob([(-0.9, 0.1), (-0.2, -0.5), (0.4, -0.9), (0.75, -0.6), (0.4, 0.5), (-0.2, 0.8)])
    pen.poly([(0.62, -0.7), (1, -0.55), (0.6, -0.45)], 2)
    pen.blob([(-0.3, -0.2), (0.3, -0.1), (0.1, 0.4), (-0.6, 0.2)], 2)
    pen.disc(0.42, -0.62, 0.07, 0)
    for x in (-0.1, 0.12):
        pen.line([(x, 0.5), (x, 0.95)], 0.05)


# flowers and emblems ------------------------------------------------------------------------------------------------


@_design
def _clover(pen: Pen, rng: Rng, font: str | None) -> None:
    """The false joker of okey: a clover leaf or a flower, often in a dished ring."""
    leaves = int(rng.integers(3, 5))
    for k in range(leaves):
        a = 2 * np.pi * k / leaves - np.pi / 2
        c, s = np.cos(a), np.sin(a)
        for side in (-1, 1):
            pen.disc(0.52 * c - side * 0.2 * s, 0.52 * s + side * 0.2 * c, 0.28)
        pen.poly([(0, 0), (0.55 * c - 0.45 * s, 0.55 * s + 0.45 * c), (0.55 * c + 0.45 * s, 0.55 * s - 0.45 * c)])
    pen.curve([(0, 0), (0.15, 0.5), (0.35, 0.98)], 0.1)


@_design
def _clover_in_ring(pen: Pen, rng: Rng, font: str | None) -> None:
    suit(pen, "clover" if rng.random() < 0.5 else "flower", 0, 0, 0.6, int(rng.integers(1, 3)))
    pen.ring(0, 0, 0.9, rng.uniform(0.07, 0.14))


@_design
def _flower(pen: Pen, rng: Rng, font: str | None) -> None:
    petals = int(rng.integers(5, 10))
    for k in range(petals):
        a = 2 * np.pi * k / petals
        pen.oval(0.58 * np.cos(a), 0.58 * np.sin(a), 0.36, 0.9 / petals + 0.1, 1, angle=float(np.degrees(a)))
    pen.disc(0, 0, 0.26, 2)


@_design
def _tulip(pen: Pen, rng: Rng, font: str | None) -> None:
    pen.poly([(-0.5, -0.9), (-0.22, -0.5), (0, -1), (0.22, -0.5), (0.5, -0.9), (0.42, -0.1), (0, 0.12), (-0.42, -0.1)])
    pen.line([(0, 0), (0, 0.95)], 0.09, 2)
    for s in (-1, 1):
        pen.blob([(0, 0.9), (s * 0.3, 0.3), (s * 0.75, 0.1), (s * 0.5, 0.7)], 2)


@_design
def _crown(pen: Pen, rng: Rng, font: str | None) -> None:
    pen.poly([(-0.75, 0.5), (-0.95, -0.55), (-0.42, -0.1), (0, -0.85), (0.42, -0.1), (0.95, -0.55), (0.75, 0.5)])
    for x, y in ((-0.95, -0.62), (0, -0.9), (0.95, -0.62)):
        pen.disc(x * 0.95, y, 0.12, 2)
    pen.poly([(-0.75, 0.6), (0.75, 0.6), (0.72, 0.8), (-0.72, 0.8)], 2)


@_design
def _spiral(pen: Pen, rng: Rng, font: str | None) -> None:
    t = np.linspace(0.6, rng.uniform(6, 9) * np.pi, 200)
    r = 0.95 * t / t[-1]
    pen.line(np.stack([r * np.cos(t), r * np.sin(t)], 1), rng.uniform(0.07, 0.11))


@_design
def _bell(pen: Pen, rng: Rng, font: str | None) -> None:
    pen.blob([(-0.45, 0.4), (-0.5, -0.9), (0.5, -0.9), (0.45, 0.4), (1.0, 0.75), (-1.0, 0.75)])
    pen.disc(0, 0.72, 0.18, 2)
    pen.ring(0, -0.82, 0.12, 0.07)


@_design
def _question(pen: Pen, rng: Rng, font: str | None) -> None:
    pen.disc(0, 0, 0.92)
    pen.word("?", font, 0, 0, 1.1, 1.0, 0)


@_design
def _yin_yang(pen: Pen, rng: Rng, font: str | None) -> None:
    pen.disc(0, 0, 0.92)
    pen.oval(0, 0, 0.84, 0.84, 0, arc=(-90, 90))
    pen.disc(0, -0.43, 0.43)
    pen.disc(0, 0.43, 0.42, 0)
    pen.disc(0, -0.43, 0.13, 0)
    pen.disc(0, 0.43, 0.13, 2)


@_design
def _horseshoe(pen: Pen, rng: Rng, font: str | None) -> None:
    pen.oval(0, -0.1, 0.66, 0.75, 1, 0.3, arc=(130, 410))
    for a in (150, 200, 250, 290, 340, 390):
        pen.disc(0.66 * np.cos(np.radians(a)), -0.1 + 0.75 * np.sin(np.radians(a)), 0.06, 0)


@_design
def _masks(pen: Pen, rng: Rng, font: str | None) -> None:
    """Comedy and tragedy."""
    for x, y, up, ink in ((-0.4, -0.2, 1, 1), (0.42, 0.25, -1, 2)):
        pen.blob(
            [
                (x - 0.65, y - 0.75),
                (x, y - 0.55),
                (x + 0.65, y - 0.75),
                (x + 0.55, y + 0.4),
                (x, y + 0.95),
                (x - 0.55, y + 0.4),
            ],
            ink,
        )
        for s in (-1, 1):
            pen.oval(x + s * 0.22, y - 0.15, 0.12, 0.07, 0)
        pen.curve([(x - 0.28, y + 0.25), (x, y + 0.25 + up * 0.3), (x + 0.28, y + 0.25)], 0.09, 0)


@_design
def _heart_arrow(pen: Pen, rng: Rng, font: str | None) -> None:
    suit(pen, "heart", 0, 0, 0.72)
    pen.line([(-0.95, 0.6), (0.9, -0.6)], 0.08, 2)
    pen.poly([(0.98, -0.66), (0.72, -0.66), (0.86, -0.42)], 2)


@_design
def _four_suits(pen: Pen, rng: Rng, font: str | None) -> None:
    for name, x, y, ink in (
        ("heart", -0.45, -0.45, 1),
        ("spade", 0.45, -0.45, 2),
        ("club", -0.45, 0.45, 2),
        ("diamond", 0.45, 0.45, 1),
    ):
        suit(pen, name, x, y, 0.38, ink)


@_design
def _wheel(pen: Pen, rng: Rng, font: str | None) -> None:
    pen.ring(0, 0, 0.88, 0.14)
    spokes = int(rng.integers(3, 7))
    for k in range(spokes):
        a = np.pi * k / spokes
        pen.line([(-0.85 * np.cos(a), -0.85 * np.sin(a)), (0.85 * np.cos(a), 0.85 * np.sin(a))], 0.08, 2)
    pen.disc(0, 0, 0.22)
