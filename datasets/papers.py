"""Sheets and cards with print that look like cards, score sheets or rows of tiles and are none."""

from __future__ import annotations

import cv2
import numpy as np

from datasets import letters
from datasets.noise import Colour, any_colour, near, pick
from datasets.sprites import Sprite, box, ellipse, polygon, slab, stroke

INKS = ("1667bd", "1a9ca7", "b25509", "e04440", "9c0603", "150e08", "2a2a2c", "2f6b3a")


def _style(rng: np.random.Generator) -> int:
    return int(rng.integers(1 << 16))


def calendar(rng: np.random.Generator) -> Sprite:
    """A month's sheet: names of days over a grid of numbers, Sundays red."""
    w, h = 260, 240
    image = slab(h, w, pick(rng, ("faf9f5", "f2ecd9", "f4f4f2", "e4ecf2")), 2)
    head, ink, style = any_colour(rng), near(rng, (40, 38, 36), 6), _style(rng)
    box(image, 4, 4, w - 5, 40, head)
    letters.centred(image, letters.words(rng, 1, upper=True), (w / 2, 22), 24, (250, 250, 250), style)
    start, days = int(rng.integers(7)), int(rng.integers(28, 32))
    size = int(rng.integers(13, 20))
    for day in range(1, days + 1):
        row, column = divmod(start + day - 1, 7)
        letters.centred(
            image, str(day), (22 + column * 36, 72 + row * 30), size, (40, 40, 200) if column == 6 else ink, style
        )
    if rng.random() < 0.5:
        for k in range(8):
            cv2.line(image, (4 + k * 36, 56), (4 + k * 36, h - 6), (*(v * 0.5 + 110 for v in ink), 255), 1)
        for k in range(7):
            cv2.line(image, (4, 57 + k * 30), (w - 5, 57 + k * 30), (*(v * 0.5 + 110 for v in ink), 255), 1)
    return Sprite(image, float(rng.uniform(2.5, 8.0)), 0.02, "calendar")


def visiting(rng: np.random.Generator) -> Sprite:
    """Business card, ticket, bank card: the size of a playing card, other contents."""
    w, h = 240, 150
    bank = rng.random() < 0.3
    image = slab(
        h,
        w,
        any_colour(rng) if bank else pick(rng, ("faf9f5", "f2ecd9", "f4f4f2", "26262a", "dfe6ea")),
        10 if bank else 2,
    )
    bright = int(image[h // 2, w // 2, :3].sum()) > 380
    ink: Colour = (45, 42, 40) if bright else (225, 225, 225)
    if bank:
        box(image, 26, 50, 60, 78, near(rng, (110, 180, 205), 8))
        letters.write(image, "4929 0316 7750 2284", (24, 94), 18, ink, style=_style(rng))
    else:
        mark = (w * rng.uniform(0.12, 0.85), h * rng.uniform(0.2, 0.4))
        ellipse(image, mark, tuple(rng.uniform(10, 20, 2)), 0, any_colour(rng))
        style = _style(rng)
        letters.write(image, letters.words(rng, 2), (22, 80), 22, ink, w - 40, style=style)
        for k in range(int(rng.integers(1, 3))):
            letters.write(image, letters.words(rng, 3), (22, 108 + k * 16), 12, ink, w - 40, style=style)
    return Sprite(image, float(rng.uniform(3.0, 3.5)), 0.03, "card")


def price(rng: np.random.Generator) -> Sprite:
    """A price tag or receipt label: bar code and a price with decimals."""
    w, h = 130, 84
    image = slab(h, w, pick(rng, ("faf9f5", "f2e04a", "f4f4f2", "f0a030", "f2ecd9")), 6)
    price = f"{int(rng.integers(1, 100))},{int(rng.integers(10, 100))}"
    letters.centred(
        image,
        price,
        (w / 2, h * 0.36),
        30,
        near(rng, (30, 28, 26), 5) if rng.random() < 0.7 else (30, 30, 190),
        _style(rng),
    )
    x = 14
    while x < w - 16:
        bar = int(rng.integers(1, 4))
        box(image, x, h * 0.62, x + bar - 1, h * 0.88, (30, 30, 30))
        x += bar + int(rng.integers(1, 4))
    return Sprite(image, float(rng.uniform(0.8, 1.8)), 0.0, "price")


def clipping(rng: np.random.Generator) -> Sprite:
    """A piece of a newspaper or book: print and figures in columns."""
    w, h = int(rng.integers(200, 300)), int(rng.integers(180, 300))
    image = slab(h, w, pick(rng, ("e4e0d4", "f0eee8", "e9dfc9", "faf9f5")), 1)
    ink = near(rng, (45, 42, 40), 6)
    letters.write(image, letters.words(rng, 2), (12, 10), int(rng.integers(24, 40)), ink, w - 20, bold=True)
    half = (w - 36) // 2
    for column in range(2):
        block = letters.paragraph(rng, half, h - 70, int(rng.integers(9, 14)))
        share = block[:, :, None].astype(np.float32) / 255
        left = 12 + column * (half + 12)
        patch = image[56 : 56 + block.shape[0], left : left + half, :3]
        patch[:] = (patch * (1 - share) + np.array(ink) * share).astype(np.uint8)
    return Sprite(image, float(rng.uniform(3.0, 9.0)), 0.0, "print")


def sticky(rng: np.random.Generator) -> Sprite:
    """A sticky note with a scribbled word, one corner lifted."""
    w = 180
    image = slab(w, w, pick(rng, ("f7e36a", "f7a8c4", "a8e07a", "8ad0f0", "f7b45a")), 1)
    for y in range(int(rng.integers(1, 4))):
        x = np.arange(24, 24 + int(rng.integers(60, 130)), 4.0)
        stroke(image, np.stack([x, 50 + y * 38 + rng.normal(0, 8, len(x))], 1), near(rng, (60, 40, 35), 8), 2)
    fold = int(rng.integers(14, 36))
    corner = np.array([(w - 3, w - 3 - fold), (w - 3 - fold, w - 3), (w - 3 - fold, w - 3 - fold)])
    polygon(image, corner, tuple(v * 0.8 for v in image[90, 20, :3].astype(float)))
    cut = np.array([(w, w - 3 - fold), (w, w), (w - 3 - fold, w)], np.int32)
    alpha = image[:, :, 3].copy()
    cv2.fillPoly(alpha, [cut], 0, cv2.LINE_AA)
    image[:, :, 3] = alpha
    return Sprite(image, float(rng.uniform(1.9, 3.0)), 0.05, "sticky")


def lottery(rng: np.random.Generator) -> Sprite:
    """A lottery or bingo sheet: many small numbers in boxes or circles, some crossed."""
    columns, rows = int(rng.integers(5, 9)), int(rng.integers(5, 9))
    cell = 26
    w, h = columns * cell + 20, rows * cell + 50
    image = slab(h, w, pick(rng, ("faf9f5", "f7e9d0", "f4f4f2")), 2)
    tint, style, rounded = pick(rng, INKS), _style(rng), rng.random() < 0.4
    box(image, 4, 4, w - 5, 32, tint)
    letters.centred(image, letters.words(rng, 1, upper=True), (w / 2, 18), 20, (250, 250, 250), style)
    for k in range(columns * rows):
        row, column = divmod(k, columns)
        at = (10 + (column + 0.5) * cell, 40 + (row + 0.5) * cell)
        if rounded:
            ellipse(image, at, (11, 11), 0, tint, thickness=1)
        else:
            cv2.rectangle(
                image, (round(at[0] - 11), round(at[1] - 11)), (round(at[0] + 11), round(at[1] + 11)), (*tint, 255), 1
            )
        letters.centred(image, str(k + 1), at, 12, tint, style)
        if rng.random() < 0.1:
            ellipse(image, at, (9, 8), 20, near(rng, (120, 40, 30), 10), thickness=2)
    return Sprite(image, float(rng.uniform(2.5, 5.0)), 0.0, "lottery")


def photo(rng: np.random.Generator) -> Sprite:
    """A photograph or postcard with a white border, face card-like."""
    w, h = 170, 240
    image = slab(h, w, near(rng, (246, 247, 248), 3), 3)
    sky, land = any_colour(rng), any_colour(rng)
    box(image, 12, 12, w - 13, h - 13, sky)
    line = np.stack([np.linspace(12, w - 13, 8), rng.uniform(0.35, 0.8, 8) * h], 1)
    polygon(image, np.concatenate([line, [(w - 13, h - 13), (12, h - 13)]]), land)
    ellipse(image, (w * rng.uniform(0.3, 0.7), h * rng.uniform(0.2, 0.5)), (18, 18), 0, any_colour(rng))
    return Sprite(image, float(rng.uniform(2.2, 4.0)), 0.03, "photo")
