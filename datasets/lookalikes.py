"""Things that look like tiles or cards and are none, so that the locator learns to leave them alone.

No single piece here bears a lone number from 1 to 13 in the manner of a tile: numbers occur only in grids, on dark
buttons, or with several digits. Blank cream plates of a tile's own size and proportion are left out too: they would be
honest tile backs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import cv2
import numpy as np

from datasets import letters, papers
from datasets.noise import Colour, any_colour, near, noise, pick
from datasets.sprites import Sprite, blank, box, dim, ellipse, puff, shine, slab, slab_mask, texture

BODIES = ("e9dbc5", "dcd7ca", "f2efe6", "f4f4f2", "e2d3b4", "dfe6ea")
"""Colours of tile bodies, which sugar, ivory, china and keys share."""
INKS = ("1667bd", "1a9ca7", "b25509", "e04440", "9c0603", "150e08", "2a2a2c", "2f6b3a")
ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Letters of loose pieces: without I and O, which could be a 1 or a 0."""
KEY_ROWS = ("QWERTYUP", "ASDFGHJKL", "ZXCVBNM")
KEY_WORDS = ("pgup", "pgdn", "home", "end", "ins", "del", "esc", "shift", "ctrl", "alt", "tab", "enter", "Fn", "pause")
PIPS: dict[int, tuple[tuple[int, int], ...]] = {
    0: (),
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, 1), (-1, 1), (1, -1)),
    5: ((-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)),
    6: ((-1, -1), (1, 1), (-1, 1), (1, -1), (-1, 0), (1, 0)),
}


def _style(rng: np.random.Generator) -> int:
    return int(rng.integers(1 << 16))


def _letter(rng: np.random.Generator) -> str:
    return ALPHABET[int(rng.integers(len(ALPHABET)))]


def _domino(rng: np.random.Generator) -> Sprite:
    """Domino: ivory or black, a bar across the middle, pips in both halves."""
    w, h = 78, 152
    dark = rng.random() < 0.3
    body = pick(rng, ("1a1a1c", "2a1a14")) if dark else pick(rng, BODIES)
    image = slab(h, w, body, 9)
    ink = (
        near(rng, (235, 238, 240)) if dark else (pick(rng, INKS) if rng.random() < 0.3 else near(rng, (25, 22, 20), 5))
    )
    cv2.line(image, (12, h // 2), (w - 13, h // 2), (*ink, 255), 2, cv2.LINE_AA)
    for half in (0, 1):
        for dx, dy in PIPS[int(rng.integers(0, 7))]:
            ellipse(image, (w / 2 + dx * 20, h / 4 + half * h / 2 + dy * 20), (6.5, 6.5), 0, ink)
    if rng.random() < 0.4:
        ellipse(image, (w / 2, h / 2), (5, 5), 0, (90, 180, 210))
    return Sprite(
        texture(rng, puff(rng, image, 6), 0.012), float(rng.uniform(0.8, 1.0)), float(rng.uniform(0.25, 0.5)), "domino"
    )


def _die(rng: np.random.Generator) -> Sprite:
    """A die's upper face."""
    w = 84
    body = pick(rng, (*BODIES, "b02020", "2040a0", "1a1a1c", "2a7a3a"))
    bright = sum(body) > 380
    image = slab(w, w, body, 14)
    ink: Colour = near(rng, (20, 20, 20), 5) if bright else near(rng, (240, 240, 240), 5)
    face = int(rng.integers(1, 7))
    if face in (1, 4) and bright and rng.random() < 0.3:
        ink = (40, 30, 190)
    for dx, dy in PIPS[face]:
        ellipse(image, (w / 2 + dx * 20, w / 2 + dy * 20), (8, 8), 0, ink)
    return Sprite(puff(rng, image, 9, 0.7), float(rng.uniform(0.5, 0.75)), float(rng.uniform(0.5, 0.75)), "die")


def _key(rng: np.random.Generator) -> Sprite:
    """One keycap with a letter or a word, dished."""
    w = 90
    body = pick(rng, ("f2efe6", "dcd7ca", "2a2a2c", "55585c", "f4f4f2", "c0c2c4"))
    image = slab(w, w, dim(body, 0.7), 10)
    top = slab(w, w, body, 9, margin=12)
    share = top[:, :, 3:].astype(np.float32) / 255
    image[:, :, :3] = (image[:, :, :3] * (1 - share) + top[:, :, :3] * share).astype(np.uint8)
    ink: Colour = (35, 33, 30) if sum(body) > 380 else (235, 235, 235)
    legend = (
        _letter(rng)
        if rng.random() < 0.75
        else str(rng.choice(["Esc", "Ctrl", "Alt", "Tab", "Shift", "Fn", "?", "@", "#", "Home"]))
    )
    letters.centred(
        image,
        legend,
        (w * rng.uniform(0.38, 0.52), w * rng.uniform(0.36, 0.5)),
        30 if len(legend) == 1 else 18,
        ink,
        _style(rng),
    )
    return Sprite(puff(rng, image, 8, 0.5), float(rng.uniform(0.55, 0.75)), float(rng.uniform(0.2, 0.45)), "key")


def _keyboard(rng: np.random.Generator) -> Sprite:
    """A piece of a keyboard: three rows of lettered keys, the outer ones named by words, which red or black on a pale
    key look like the corner of a joker."""
    w, h = 340, 130
    dark = rng.random() < 0.45
    case, cap = (
        (pick(rng, ("1a1a1c", "303338")), pick(rng, ("26282b", "3a3d42")))
        if dark
        else (pick(rng, ("c0c2c4", "dcd7ca", "8a8c8e")), pick(rng, BODIES))
    )
    ink: Colour = (230, 230, 230) if dark else (40, 40, 40)
    word_ink = near(rng, (50, 40, 190), 12) if rng.random() < 0.4 else ink
    image = slab(h, w, case, 8)
    style, side = _style(rng), 35
    for row, legends in enumerate(KEY_ROWS):
        worded = int(rng.integers(1, 4))
        for column in range(9):
            left, top = 12 + row * 2 + column * (side + 1), 10 + row * (side + 3)
            if left + side > w - 6:
                break
            box(image, left, top, left + side - 4, top + side - 4, cap)
            cv2.rectangle(image, (left, top), (left + side - 4, top + side - 4), (*dim(cap, 0.8), 255), 1)
            if column < 9 - worded and column < len(legends):
                letters.centred(image, legends[column], (left + 14, top + 14), 15, ink, style)
            else:
                legend = str(rng.choice(KEY_WORDS))
                letters.centred(image, legend, (left + 15, top + 15), 28.0 / max(len(legend), 3) + 3, word_ink, style)
    return Sprite(image, w / 52.0 * float(rng.uniform(0.9, 1.5)), 0.35, "keyboard")


def _brand(rng: np.random.Generator) -> Sprite:
    """A bag's, shirt's or box's maker: bold letters and a sign on cloth or board."""
    w, h = 240, 190
    ground = pick(rng, ("1a1a1c", "27496d", "8f2f2f", "f4f4f2", "2a7a3a", "dcd7ca", "303338"))
    ink: Colour = (238, 240, 240) if sum(ground) < 380 else near(rng, (30, 26, 40), 10)
    image = slab(h, w, ground, 12)
    style = int(rng.integers(3))
    if style == 0:  # bars that lean
        for k in range(int(rng.integers(2, 5))):
            x, top = 44 + k * 38, 96 - k * 18
            bar = np.array([(x, top), (x + 26, top - 14), (x + 52, 118), (x + 26, 118)], np.int32)
            cv2.fillPoly(image, [bar], (*ink, 255), cv2.LINE_AA)
    elif style == 1:
        ellipse(image, (w / 2, 66), (44, 44), 0, ink, thickness=8)
    word = letters.words(rng, 1)
    word = word.lower() if rng.random() < 0.6 else word.upper()
    letters.centred(image, word, (w / 2, 148 if style < 2 else h / 2), 40 if style < 2 else 60, ink, _style(rng))
    return Sprite(texture(rng, image, 0.03), float(rng.uniform(2.0, 6.0)), 0.1, "brand")


def _sugar(rng: np.random.Generator) -> Sprite:
    """Sugar cubes, one or a few in a row."""
    count = int(rng.choice([1, 1, 2, 3]))
    w, h = 64 * count, 64
    tone = pick(rng, ("f6f5f2", "faf8f4", "b98a58", "efe9dc"))
    image = blank(h, w)
    for k in range(count):
        cube = slab(h, 64, near(rng, tone, 4), 3)
        image[:, k * 64 : k * 64 + 64] = puff(rng, cube, 4, 0.5, 0.8)
    return Sprite(texture(rng, image, 0.05, 48), 0.62 * count * float(rng.uniform(0.9, 1.1)), 0.55, "sugar")


def _button(rng: np.random.Generator) -> Sprite:
    """A shirt or coat button with two or four holes."""
    w = 90
    image = blank(w, w)
    tone = pick(rng, (*BODIES, "1a1a1c", "6b3a1f", "27496d", "8f2f2f"))
    ellipse(image, (w / 2, w / 2), (42, 42), 0, tone)
    puff(rng, image, 7, 0.7)
    ellipse(image, (w / 2, w / 2), (28, 28), 0, dim(tone, 0.85), thickness=2)
    for dx, dy in ((-1, -1), (1, 1)) if rng.random() < 0.4 else ((-1, -1), (1, 1), (1, -1), (-1, 1)):
        ellipse(image, (w / 2 + dx * 8, w / 2 + dy * 8), (4, 4), 0, (30, 28, 25))
    return Sprite(image, float(rng.uniform(0.4, 1.1)), 0.12, "button")


def _eraser(rng: np.random.Generator) -> Sprite:
    """White eraser in a printed paper sleeve."""
    w, h = 176, 80
    image = slab(h, w, pick(rng, ("f6f5f2", "f2efe6", "eef0f2")), 8)
    puff(rng, image, 8, 0.5)
    band = any_colour(rng)
    cut = int(w * rng.uniform(0.3, 0.5))
    box(image, cut, 2, w - 3, h - 3, band)
    box(image, cut, int(h * 0.36), w - 3, int(h * 0.62), near(rng, (240, 240, 240), 6))
    letters.centred(
        image, letters.words(rng, 1, upper=True), ((cut + w) / 2, h / 2), 20, near(rng, (40, 40, 40), 10), _style(rng)
    )
    image[:, :, 3] = slab_mask(h, w, 8)
    return Sprite(image, float(rng.uniform(1.4, 2.4)), 0.45, "eraser")


def _chocolate(rng: np.random.Generator) -> Sprite:
    """A piece of a chocolate bar: moulded blocks, brown or white."""
    columns, rows = int(rng.integers(2, 5)), int(rng.integers(1, 4))
    tone = pick(rng, ("4a2818", "6b3d22", "2b170e", "efe2c4"))
    image = blank(rows * 56, columns * 72)
    for row in range(rows):
        for column in range(columns):
            block = puff(rng, slab(56, 72, tone, 6, margin=1), 9, 0.7, 0.8)
            image[row * 56 : row * 56 + 56, column * 72 : column * 72 + 72] = block
    image[:, :, 3] = slab_mask(rows * 56, columns * 72, 4, 1)
    low = image[:, :, :3].max(2) < 8
    image[low, :3] = np.array(tone, np.uint8) // 2
    return Sprite(image, columns * float(rng.uniform(0.7, 1.1)), 0.3, "chocolate")


def _mahjong(rng: np.random.Generator) -> Sprite:
    """Mahjong tile with circles, bamboos or a flower: the right body, and no number."""
    w, h = 90, 122
    image = puff(rng, slab(h, w, pick(rng, BODIES), 10), 8, 0.5)
    red, green, blue = (pick(rng, (c,)) for c in ("b01f24", "1f6b3f", "1f3f8a"))
    style = int(rng.integers(3))
    if style == 0:
        count = int(rng.integers(2, 9))
        for k in range(count):
            at = (w * (0.3 + 0.4 * (k % 2)), h * (0.2 + 0.6 * (k // 2) / max((count - 1) // 2, 1)))
            ellipse(image, at, (11, 11), 0, (red, green, blue)[k % 3], thickness=3)
            ellipse(image, at, (4, 4), 0, (red, green, blue)[(k + 1) % 3])
    elif style == 1:
        for k in range(int(rng.integers(2, 8))):
            x, y = w * (0.25 + 0.25 * (k % 3)), h * (0.24 + 0.27 * (k // 3))
            for part in (-8, 4):
                box(image, x - 4, y + part, x + 4, y + part + 8, green if k % 4 else red)
    else:
        for k in range(6):
            turn = k * np.pi / 3
            ellipse(
                image, (w / 2 + 16 * np.cos(turn), h / 2 + 16 * np.sin(turn)), (13, 8), float(np.degrees(turn)), red
            )
        ellipse(image, (w / 2, h / 2), (8, 8), 0, green)
    return Sprite(image, float(rng.uniform(0.8, 1.2)), float(rng.uniform(0.4, 0.8)), "mahjong")


def _scrabble(rng: np.random.Generator) -> Sprite:
    """Letter tile of wood or plastic."""
    w, h = 84, 90
    image = slab(h, w, pick(rng, ("dfc08e", "cfa872", "e9d3a8", "b98a58", "f0e6d0", *BODIES)), 7)
    letters.centred(image, _letter(rng), (w / 2, h / 2), 52, near(rng, (30, 26, 24), 6), _style(rng))
    image = shine(puff(rng, image, 5, 0.5), 1.0 + 0.04 * noise(rng, 3, 40, h)[:h, :w])
    return Sprite(image, float(rng.uniform(0.68, 0.95)), 0.18, "scrabble")


def _remote(rng: np.random.Generator) -> Sprite:
    """Remote control: columns of small dark buttons, some numbered, some coloured."""
    w, h = 92, 340
    case = pick(rng, ("1a1a1c", "2a2c30", "c0c2c4", "e4e4e2"))
    image = puff(rng, slab(h, w, case, 16), 8, 0.5)
    button = near(rng, (60, 58, 56), 8) if sum(case) < 380 else near(rng, (90, 88, 86), 10)
    round_ = rng.random() < 0.5
    style = _style(rng)
    numbered = int(rng.integers(1, 5))
    for row in range(11):
        for column in range(3):
            if row == 5:
                continue
            at = (22 + column * 24, 26 + row * 28)
            tone = button
            if row == 8:
                tone = ((50, 50, 190), (60, 140, 50), (50, 190, 220))[column]
            if round_:
                ellipse(image, at, (9, 9), 0, tone)
            else:
                box(image, at[0] - 9, at[1] - 7, at[0] + 9, at[1] + 7, tone)
            if numbered <= row < numbered + 3:
                letters.centred(image, str(3 * (row - numbered) + column + 1), at, 12, (225, 225, 225), style)
    ellipse(image, (w / 2, 26 + 5 * 28), (24, 12), 0, button, thickness=5)
    return Sprite(image, float(rng.uniform(1.6, 2.1)), 0.7, "remote")


def _ceramic(rng: np.random.Generator) -> Sprite:
    """A loose ceramic tile or coaster: square, glazed, with a motif or plain."""
    w = 180
    image = puff(rng, slab(w, w, pick(rng, ("f4f2ec", "e2d3b4", "2f5f6a", "b86f52", "e8eef2", "27496d")), 5), 6, 0.6)
    ink = any_colour(rng)
    if rng.random() < 0.75:
        for turn in range(0, 360, 90 if rng.random() < 0.5 else 45):
            rad = np.radians(turn)
            ellipse(image, (w / 2 + 44 * np.cos(rad), w / 2 + 44 * np.sin(rad)), (30, 11), float(turn), ink)
        ellipse(image, (w / 2, w / 2), (74, 74), 0, ink, thickness=3)
        ellipse(image, (w / 2, w / 2), (14, 14), 0, any_colour(rng))
    return Sprite(texture(rng, image, 0.02, 8), float(rng.uniform(1.6, 4.0)), 0.3, "ceramic")


def _piano(rng: np.random.Generator) -> Sprite:
    """A strip of piano keys."""
    count = 7
    w, h = count * 44, 220
    image = slab(h, w, near(rng, (228, 238, 240), 5), 2)
    for k in range(1, count):
        cv2.line(image, (k * 44, 2), (k * 44, h - 3), (60, 60, 60, 255), 2)
    for k in (1, 2, 4, 5, 6):
        box(image, k * 44 - 13, 2, k * 44 + 13, h * 0.62, (26, 24, 22))
        box(image, k * 44 - 9, 2, k * 44 + 9, h * 0.57, (52, 48, 46))
    return Sprite(image, 6.2, 0.5, "piano")


def _plaque(rng: np.random.Generator) -> Sprite:
    """A switch plate, matchbox, soap or sweet: pale, rounded and with a rim, of other proportions than a tile."""
    ratio = float(rng.choice([1.0, 2.0, 2.4]))
    w, h = 90, int(90 * ratio)
    body = pick(rng, BODIES)
    image = puff(rng, slab(h, w, body, float(rng.uniform(4, 30))), 12, 0.6)
    style = int(rng.integers(3))
    if style == 0:
        cv2.rectangle(image, (22, 22), (w - 23, h - 23), (*dim(body, 0.86), 255), 2, cv2.LINE_AA)
        cv2.line(image, (22, h // 2), (w - 23, h // 2), (*dim(body, 0.75), 255), 2, cv2.LINE_AA)
    elif style == 1:
        ellipse(image, (w / 2, h / 2), (w * 0.36, h * 0.38), 0, dim(body, 0.93))
        letters.centred(image, letters.words(rng, 1), (w / 2, h / 2), 18, dim(body, 0.8), _style(rng))
    else:
        for dx in (-1, 1):
            ellipse(image, (w / 2 + dx * 15, h / 2), (5, 5), 0, (40, 38, 36))
    return Sprite(texture(rng, image, 0.01), float(rng.uniform(0.7, 3.0)), float(rng.uniform(0.2, 0.6)), "plaque")


KINDS: Mapping[str, Callable[[np.random.Generator], Sprite]] = {
    "domino": _domino,
    "die": _die,
    "key": _key,
    "keyboard": _keyboard,
    "brand": _brand,
    "calendar": papers.calendar,
    "sugar": _sugar,
    "button": _button,
    "eraser": _eraser,
    "chocolate": _chocolate,
    "mahjong": _mahjong,
    "scrabble": _scrabble,
    "card": papers.visiting,
    "remote": _remote,
    "price": papers.price,
    "print": papers.clipping,
    "ceramic": _ceramic,
    "piano": _piano,
    "sticky": papers.sticky,
    "lottery": papers.lottery,
    "photo": papers.photo,
    "plaque": _plaque,
}
WORDED = ("keyboard", "brand", "key", "print", "card")
"""Kinds with words, which look like the corners of jokers: drawn more often than the rest."""
