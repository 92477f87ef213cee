"""Stone, plaster, plastic, metal, glass and printed covers: the surfaces that are neither wood nor woven."""

from __future__ import annotations

import cv2
import numpy as np

from datasets import letters
from datasets.noise import (
    Colour,
    Image,
    N,
    any_colour,
    axes,
    crease,
    fbm,
    grain,
    hsv,
    mix,
    modulate,
    near,
    noise,
    paint,
    pick,
    ramp,
    rgb,
    shades,
    warp,
)


def marble(rng: np.random.Generator) -> Image:
    """White, black or coloured marble: a cloudy ground, thin broken veins with halos."""
    ground, vein = (
        (near(rng, rgb(g), 5), near(rng, rgb(v), 10))
        for g, v in (
            (
                ("e6e3de", "77706b"),
                ("e9e9ea", "8d8f93"),
                ("efeae0", "9b8468"),
                ("17181a", "b9b6b0"),
                ("2e3b33", "b8c2b4"),
                ("c9a98c", "7b4f3a"),
            )[int(rng.choice(6, p=(0.3, 0.25, 0.15, 0.12, 0.08, 0.10)))],
        )
    ).__next__()
    image = paint(0.55 + 0.16 * fbm(rng, 3, 3, 4, 0.6), shades(ground, 0.12))
    jagged = fbm(rng, 6, 6, 5, 0.58)
    for k in range(int(rng.integers(1, 4))):
        course = noise(rng, 1, 2) if rng.random() < 0.7 else noise(rng, 2, 2)
        field = course + float(rng.uniform(0.05, 0.14)) * np.roll(jagged, 311 * k, k % 2)
        field -= field.mean() + np.float32(rng.normal(0, 0.25))
        broken = np.clip(0.55 + 0.6 * noise(rng, 5 + k, 4), 0.0, 1.0)
        width = float(rng.uniform(0.012, 0.04)) * (1 + 0.6 * k)
        share = 0.75 * crease(field, width) * broken + 0.25 * crease(field, width * 6) * broken**2
        image = mix(image, vein, share)
    return modulate(image, 0.012 * grain(rng), 1.0)


def granite(rng: np.random.Generator) -> Image:
    """Granite and quartz worktops: specks of several sizes and tones."""
    base = pick(rng, ("18191b", "2a2b2e", "6b6661", "a59b8f", "c9c2b6", "5a3d35", "3c4a46"))
    image = paint(0.5 + 0.10 * fbm(rng, 6, 6, 4, 0.7) + 0.10 * grain(rng), shades(base, 0.5))
    for cells in (512, 256, 128)[: int(rng.integers(1, 4))]:
        tone = near(rng, base, 10)
        light = rng.random() < 0.6
        speck: Colour = tuple(np.clip(np.array(tone) * (0.4 if not light else 1) + (70 if light else 0), 0, 255))
        share = np.clip((noise(rng, cells, cells) - rng.uniform(0.8, 1.8)) * 3.0, 0.0, 0.9)
        image = mix(image, speck, share)
    return image


def terrazzo(rng: np.random.Generator) -> Image:
    """Chips of several stones in a pale cement."""
    ground = pick(rng, ("e4e0d8", "d8d3cc", "efece6", "b5b2ae", "3b3c3f"))
    image = paint(0.5 + 0.10 * fbm(rng, 16, 16, 4), shades(ground, 0.15))
    tones = [any_colour(rng) for _ in range(3)] + [pick(rng, ("6f5b4b", "9b8b7c", "2f2f33", "c2a48c", "f4f2ee"))]
    count, size = int(rng.integers(150, 600)), float(rng.uniform(5, 16))
    for _ in range(count):
        centre = rng.uniform(0, N, 2)
        angles = np.sort(rng.uniform(0, 2 * np.pi, int(rng.integers(4, 8))))
        radius = size * rng.gamma(3.0, 0.4) * rng.uniform(0.7, 1.3, len(angles))
        points = centre + np.stack([np.cos(angles), np.sin(angles)], 1) * radius[:, None]
        colour = near(rng, tones[int(rng.integers(len(tones)))], 8)
        cv2.fillPoly(image, [np.rint(points).astype(np.int32)], colour, cv2.LINE_AA)
    return image


def concrete(rng: np.random.Generator) -> Image:
    """Concrete, plaster, slate, sandstone."""
    base = pick(rng, ("9a9894", "b8b5ae", "6e6f70", "c7b79d", "3f4347", "a8887a"))
    field = 0.5 + 0.13 * fbm(rng, 4, 4, 6, 0.65) + 0.04 * grain(rng)
    image = paint(field, shades(base, 0.35))
    holes = np.clip((noise(rng, 128, 128) - 2.0) * 2.5, 0, 1)
    return modulate(image, -0.5 * holes, 1.0)


def tiles(rng: np.random.Generator) -> Image:
    """Ceramic tiles with grout: square, brick or mosaic; glaze a little uneven from one to the next."""
    cells = int(rng.choice([2, 4, 8, 16], p=(0.35, 0.35, 0.2, 0.1)))
    wide = int(rng.choice([1, 1, 2]))
    side = N // cells
    base = pick(rng, ("e9e2d4", "f2f0ea", "c9b79c", "7a4a35", "2f5f6a", "9aa5a8", "33363a", "d9cbb0"))
    tone = 1.0 + 0.05 * rng.standard_normal((cells, cells // wide if wide > 1 else cells))
    flat = cv2.resize(tone.astype(np.float32), (N, N), interpolation=cv2.INTER_NEAREST)
    image = paint(0.5 + 0.10 * fbm(rng, 8, 8, 4) + 1.2 * (flat - 1.0), shades(base, 0.3))
    line = np.zeros((N, N), np.uint8)
    grout = max(int(side * rng.uniform(0.012, 0.04)), 2)
    for row in range(cells):
        cv2.line(line, (0, row * side), (N, row * side), 255, grout)
        shift = (row % 2) * side * wide // 2 if wide > 1 else 0
        for column in range(-1, cells // wide + 1):
            at = column * side * wide + shift
            cv2.line(line, (at, row * side), (at, (row + 1) * side), 255, grout)
    if rng.random() < 0.25:
        motif = near(rng, any_colour(rng))
        for row in range(cells):
            for column in range(cells // wide):
                at = (int((column * wide + wide / 2) * side), int((row + 0.5) * side))
                cv2.circle(image, at, side // 4, motif, max(side // 24, 1), cv2.LINE_AA)
                cv2.drawMarker(image, at, motif, cv2.MARKER_TILTED_CROSS, side // 3, max(side // 30, 1), cv2.LINE_AA)
    share = cv2.GaussianBlur(line, (0, 0), 1.0).astype(np.float32) / 255.0
    return mix(image, pick(rng, ("b5b0a6", "8a8781", "d9d6d0", "5c5a57")), share)


PLAIN: dict[str, tuple[str, ...]] = {
    "white": ("f2f2f0", "e6e6e4", "dfe2e6", "f5f3ee"),
    "cream": ("e9dbc5", "dcd7ca", "efe6d2", "e2d3b4", "d8c7a6", "f0e8d8"),
    "black": ("0d0d0e", "1a1a1c", "26262a"),
    "grey": ("c4c5c7", "a9abad", "85878a", "5d5f62"),
    "colour": ("9c2f2b", "23527c", "2f6b4a", "d6a63a", "6a4c7c", "c96f4a", "87a7b5"),
}


def plain(rng: np.random.Generator, tone: str) -> Image:
    """Lacquer, melamine, plastic, painted board: almost nothing to see but faint orange peel, scuffs and dust."""
    base = near(rng, rgb(PLAIN[tone][int(rng.integers(len(PLAIN[tone])))]), 5)
    peel = float(rng.uniform(0.0, 0.05))
    image = paint(0.5 + peel * noise(rng, 256, 256) + 0.03 * fbm(rng, 2, 2, 3) + 0.02 * grain(rng), shades(base, 0.3))
    for _ in range(int(rng.poisson(6))):
        start = rng.uniform(0, N, 2)
        end = start + rng.normal(0, 60, 2)
        cv2.line(image, _point(start), _point(end), near(rng, base, 9), 1, cv2.LINE_AA)
    for _ in range(int(rng.poisson(12))):
        cv2.circle(image, _point(rng.uniform(0, N, 2)), int(rng.integers(1, 3)), near(rng, base, 30), -1, cv2.LINE_AA)
    return image


def gradient(rng: np.random.Generator) -> Image:
    """A smooth table on which one lamp fades from bright to dim (mirrored, so it repeats)."""
    base = np.array(pick(rng, ("dcd7ca", "b7b0a0", "d8d8d6", "8c8a84", "c9b79c", "9aa5b0", "2c2a28")))
    turn, strength = rng.uniform(0, 2 * np.pi), float(rng.uniform(0.3, 0.8))
    x, y = axes()
    wave = np.cos((x * round(np.cos(turn)) + y * round(np.sin(turn) + 0.3)) * np.float32(2 * np.pi / N))
    image = modulate(np.broadcast_to(base.astype(np.uint8), (N, N, 3)).copy(), strength * wave, 0.6)
    return modulate(image, 0.03 * noise(rng, 256, 256) + 0.02 * grain(rng), 1.0)


def glass(rng: np.random.Generator) -> Image:
    """Glass over a dark or tinted ground: soft bands of a window's reflection, smears."""
    ground = pick(rng, ("14181a", "2b3a3a", "38474d", "6f8583", "a9b8b6", "1c130e"))
    image = paint(0.5 + 0.08 * fbm(rng, 2, 2, 3), shades(ground, 0.3))
    share = np.zeros((N, N), np.float32)
    for _ in range(int(rng.integers(1, 4))):
        centre, size = rng.uniform(150, N - 150, 2), rng.uniform(60, 220, 2)
        box = cv2.boxPoints((tuple(centre), tuple(size), float(rng.uniform(0, 90))))
        cv2.fillPoly(share, [np.rint(box).astype(np.int32)], float(rng.uniform(0.2, 0.7)))
    small = cv2.resize(share, (256, 256), interpolation=cv2.INTER_AREA)
    soft = cv2.GaussianBlur(small, (0, 0), float(rng.uniform(1.5, 12.0)))
    share = np.asarray(cv2.resize(soft, (N, N), interpolation=cv2.INTER_LINEAR), np.float32)
    return mix(image, pick(rng, ("e8eef2", "cfd8dc", "fff4dd")), np.clip(share * (1 + 0.25 * fbm(rng, 4, 32, 3)), 0, 1))


def metal(rng: np.random.Generator) -> Image:
    """Brushed steel or aluminium."""
    base = pick(rng, ("b4b6b8", "8d9092", "cfcfcd", "a38f6b"))
    return paint(0.5 + 0.10 * noise(rng, 2, 512) + 0.08 * noise(rng, 8, 256) + 0.06 * fbm(rng, 2, 2), shades(base, 0.4))


def leather(rng: np.random.Generator) -> Image:
    """Leather, leatherette, desk pads: a net of fine creases."""
    base = pick(rng, ("3a2418", "5d3a22", "1b1a1a", "7a1f1f", "284034", "b08a62", "d9cdb9"))
    cells = int(rng.choice([48, 64, 96]))
    net = crease(noise(rng, cells, cells), 0.35) + crease(noise(rng, cells, cells), 0.35)
    return modulate(
        paint(0.55 + 0.07 * fbm(rng, 3, 3, 4), shades(base, 0.35)), 0.15 - 0.3 * net + 0.04 * grain(rng), 1.0
    )


def cork(rng: np.random.Generator) -> Image:
    """Cork mats and chipboard."""
    base = pick(rng, ("b98a58", "a87848", "c9a06e", "8d6238"))
    field = 0.5 + 0.14 * fbm(rng, 64, 64, 3, 0.8) + 0.05 * grain(rng)
    image = paint(field, shades(base, 0.5, 0.2))
    return modulate(image, -0.6 * np.clip((noise(rng, 128, 128) - 1.6) * 2, 0, 1), 1.0)


def newspaper(rng: np.random.Generator) -> Image:
    """Newsprint or an open book as a table cover: columns, headlines and grey pictures, letters only."""
    ground = pick(rng, ("e4e0d4", "d9d4c6", "f0eee8", "e9dfc9"))
    image = paint(0.5 + 0.07 * fbm(rng, 8, 8, 4) + 0.04 * grain(rng), shades(ground, 0.25))
    ink = pick(rng, ("2a2826", "3a3a3c", "1c1a18"))
    columns = int(rng.integers(2, 6))
    width = N // columns
    for column in range(columns):
        y = int(rng.integers(10, 60))
        while y < N - 40:
            roll = rng.random()
            left, room = column * width + 14, width - 28
            if roll < 0.15:
                size = int(rng.integers(36, 80))
                letters.write(
                    image, letters.words(rng, 3, upper=rng.random() < 0.4), (left, y), size, ink, room, bold=True
                )
                y += int(size * 1.4)
            elif roll < 0.27:
                tall = int(rng.integers(60, 200))
                picture = fbm(rng, 4, 4, 4, n=256)
                grey = cv2.resize(paint(0.5 + 0.3 * picture, shades(any_colour(rng), 0.8)), (room, tall))
                bottom = min(y + tall, N)
                image[y:bottom, left : left + room] = grey[: bottom - y]
                y += tall + 16
            else:
                tall = int(rng.integers(80, 300))
                line = int(rng.integers(13, 24))
                block = letters.paragraph(rng, room, min(tall, N - y), line)
                mask = block.astype(np.float32)[:, :, None] * np.float32(0.85 / 255)
                patch = image[y : y + block.shape[0], left : left + room]
                patch[:] = (patch * (1 - mask) + np.array(ink) * mask).astype(np.uint8)
                y += block.shape[0] + 14
    return image


def oilcloth(rng: np.random.Generator) -> Image:
    """Printed cover: scattered flowers, lemons, cherries, leaves or dots on a plain or checked ground."""
    ground = pick(rng, ("f4f1e8", "f7f5f0", "e9e0c8", "f2d9a0", "c9dbe0", "e4efe2", "9c2f2b", "27496d"))
    image = np.broadcast_to(np.array(ground, np.uint8), (N, N, 3)).copy()
    if rng.random() < 0.35:
        cells = int(rng.choice([8, 16]))
        on = (np.arange(N) * cells // N % 2).astype(np.float32)
        image = mix(image, pick(rng, ("d7534e", "5b86b8", "7fae7a", "e0b34f")), 0.3 * (on[:, None] + on[None, :]))
    motif = int(rng.integers(6))
    leaf, bloom, heart = hsv(rng.uniform(80, 150), 0.6, 0.5), any_colour(rng), hsv(rng.uniform(35, 60), 0.8, 0.95)
    cells = int(rng.integers(3, 9))
    side = N / cells
    for row in range(cells):
        for column in range(cells):
            at = np.array([column + 0.5 + 0.5 * (row % 2), row + 0.5]) * side + rng.normal(0, side * 0.06, 2)
            size = side * rng.uniform(0.24, 0.4)
            turn = float(rng.uniform(0, 360))
            for dx in (-N, 0, N):  # what crosses the edge comes in again on the other side
                if -side < at[0] + dx < N + side:
                    _motif(image, motif, (at[0] + dx, at[1]), size, turn, (leaf, bloom, heart))
    return modulate(image, 0.03 * fbm(rng, 64, 64, 3), 1.0)


def _motif(
    image: Image, kind: int, at: tuple[float, float], size: float, turn: float, ink: tuple[Colour, Colour, Colour]
) -> None:
    leaf, bloom, heart = ink
    dark: Colour = (bloom[0] * 0.7, bloom[1] * 0.7, bloom[2] * 0.7)

    def ellipse(away: float, angle: float, a: float, b: float, colour: Colour) -> None:
        rad = np.radians(angle)
        centre = (int(at[0] + away * np.cos(rad)), int(at[1] + away * np.sin(rad)))
        cv2.ellipse(image, centre, (max(int(a), 1), max(int(b), 1)), angle, 0, 360, colour, -1, cv2.LINE_AA)

    if kind == 0:  # flower
        for k in range(2):
            ellipse(size * 0.9, turn + 40 + 200 * k, size * 0.5, size * 0.2, leaf)
        for k in range(6):
            ellipse(size * 0.5, turn + 60 * k, size * 0.42, size * 0.26, bloom if k % 2 else dark)
        ellipse(0, 0, size * 0.24, size * 0.24, heart)
    elif kind == 1:  # lemon
        ellipse(size * 0.9, turn + 25, size * 0.6, size * 0.24, leaf)
        ellipse(0, turn, size * 0.75, size * 0.5, heart)
        ellipse(size * 0.72, turn, size * 0.14, size * 0.12, heart)
        ellipse(-size * 0.25, turn, size * 0.2, size * 0.1, (200, 245, 255))
    elif kind == 2:  # cherries
        ellipse(size * 0.8, turn + 270, size * 0.5, size * 0.2, leaf)
        for k in (-40, 40):
            ellipse(size * 0.7, turn + 90 + k, size * 0.36, size * 0.36, (40, 30, 190))
    elif kind == 3:  # dots
        ellipse(0, 0, size * 0.4, size * 0.4, bloom)
    elif kind == 4:  # leaves
        for k in range(3):
            ellipse(size * 0.5, turn + 50 * k, size * 0.6, size * 0.18, leaf if k % 2 else dark)
    else:  # rings and rosettes
        for share, colour in ((1.0, dark), (0.75, heart), (0.5, bloom), (0.2, leaf)):
            ellipse(0, 0, size * share, size * share, colour)


def crumpled(rng: np.random.Generator, image: Image) -> Image:
    """Any cover with folds: broad light and shade, threads displaced along."""
    folds = fbm(rng, 3, 3, 3, 0.6)
    slope_x = np.roll(folds, -6, 1) - folds
    slope_y = np.roll(folds, -6, 0) - folds
    light = np.clip(slope_x * 4 + slope_y * 3, -1, 1)
    return modulate(warp(image, 60 * slope_x, 60 * slope_y), light, float(rng.uniform(0.12, 0.38)))


def worn(rng: np.random.Generator, image: Image) -> Image:
    """Any top after years: rings of glasses, stains, scratches."""
    marks = np.zeros((N, N), np.uint8)
    for _ in range(int(rng.poisson(1.2))):
        cv2.circle(
            marks, _point(rng.uniform(0, N, 2)), int(rng.uniform(50, 110)), 255, int(rng.integers(2, 7)), cv2.LINE_AA
        )
    for _ in range(int(rng.poisson(3))):
        start = rng.uniform(0, N, 2)
        cv2.line(marks, _point(start), _point(start + rng.normal(0, 130, 2)), 200, 1, cv2.LINE_AA)
    share = marks.astype(np.float32) / 255.0 * np.clip(0.5 + 0.5 * noise(rng, 6, 6), 0, 1)
    tint = ramp([(0.0, (60, 80, 100)), (1.0, (235, 240, 245))])[int(rng.integers(256)), 0]
    return mix(image, (float(tint[0]), float(tint[1]), float(tint[2])), 0.35 * share)


def _point(at: np.ndarray) -> tuple[int, int]:
    return (int(at[0]), int(at[1]))
