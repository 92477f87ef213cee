"""Jokers and aces: what stands in the middle of them, and a joker's corner (a word, a star, a letter)."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.cardletters import text_mask
from datasets.cardpaint import Colour, Face, IndexStyle, Quad, print_corners, stamp
from datasets.suits import Mask, suit_mask

CORNERS = ("stacked", "stacked", "stacked", "turned", "star", "star", "star", "ringed star", "ringed star", "letters",
           "star and word", "star and word", "word")
WORDS = ("JOKER", "JOKER", "Joker", "Joker", "JOLLY", "joker")
PICTURES = ("jester", "jester", "cap", "star", "word", "wheel", "sun", "none")


@dataclass(frozen=True)
class JokerStyle:
    """A deck's jokers: the kind of corner, the kind of picture, the word."""

    corner: str
    picture: str
    font: str
    word: str
    points: int  # of the star
    colours: tuple[Colour, Colour, Colour]
    seed: int


def joker_style(rng: np.random.Generator, font: str) -> JokerStyle:
    """A joker style at random, its word in `font`; only installed fonts have all letters for other than JOKER."""
    colours: list[Colour] = []
    for _ in range(3):
        hsv = np.array([[[rng.integers(0, 180), rng.integers(90, 255), rng.integers(90, 240)]]], np.uint8)
        b, g, r = cv2.cvtColor(hsv, cv2.COLOR_HSV2BGR)[0, 0].tolist()
        colours.append((b, g, r))
    return JokerStyle(
        corner=str(rng.choice(CORNERS)),
        picture=str(rng.choice(PICTURES)),
        font=font,
        word="JOKER" if font.startswith("stroke:") else str(rng.choice(WORDS)),
        points=int(rng.choice([5, 5, 5, 6, 8])),
        colours=(colours[0], colours[1], colours[2]),
        seed=int(rng.integers(2**31)),
    )


def star_mask(points: int, size: int, ringed: bool = False) -> Mask:
    """A star as an alpha mask (size, size), cut out of a disc when `ringed`."""
    canvas = np.zeros((4 * size, 4 * size), np.uint8)
    c = 2 * size
    turn = np.arange(2 * points) * np.pi / points - np.pi / 2
    reach = c * (0.75 if ringed else 0.98)
    radius = np.where(np.arange(2 * points) % 2 == 0, 1.0, 0.4 if points == 5 else 0.55) * reach
    star = np.rint(np.stack([c + radius * np.cos(turn), c + radius * np.sin(turn)], 1)).astype(np.int32)
    if ringed:
        cv2.circle(canvas, (c, c), c - 2, 255, -1)
    cv2.fillPoly(canvas, [star], 0 if ringed else 255)
    return np.asarray(cv2.resize(canvas, (size, size), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _scaled(mask: Mask, width: int, height: int) -> Mask:
    return np.asarray(cv2.resize(mask, (max(3, width), max(3, height)), interpolation=cv2.INTER_AREA), dtype=np.uint8)


def _stacked(joker: JokerStyle, style: IndexStyle, letter_height: int) -> Mask:
    letters = []
    for letter in joker.word:
        mask = text_mask(joker.font, letter)
        width = round(mask.shape[1] * style.squeeze * letter_height / mask.shape[0])
        letters.append(_scaled(mask, width, letter_height))
    gap = max(1, letter_height // 6)
    width = max(m.shape[1] for m in letters)
    column = np.zeros((len(letters) * (letter_height + gap) - gap, width), np.uint8)
    for n, mask in enumerate(letters):
        x = (width - mask.shape[1]) // 2
        column[n * (letter_height + gap) :][: mask.shape[0], x : x + mask.shape[1]] = mask
    return column


def _corner(joker: JokerStyle, style: IndexStyle) -> tuple[Mask, Mask | None]:
    """Upper and lower part of the joker's corner mark."""
    size = style.rank_height
    star = star_mask(joker.points, max(8, round(size * 0.9)), joker.corner == "ringed star")
    word = text_mask(joker.font, joker.word, 0.6)
    small = max(7, round(size * 0.55))
    if joker.corner == "stacked":
        return _stacked(joker, style, small), None
    if joker.corner == "turned":
        lying = _scaled(word, round(word.shape[1] * style.squeeze * small / word.shape[0]), small)
        return np.ascontiguousarray(lying.T[:, ::-1]), None
    if joker.corner == "star and word":
        return star, _stacked(joker, style, max(6, round(small * 0.8)))
    if joker.corner == "letters":
        letters = text_mask(joker.font, joker.word[:2].upper(), 0.4)
        return _scaled(letters, round(letters.shape[1] * style.squeeze * size / letters.shape[0]), size), None
    if joker.corner == "word":
        low = max(7, round(size * 0.4))
        return _scaled(word, round(word.shape[1] * style.squeeze * low / word.shape[0]), low), None
    return star, None


def draw_joker(face: Face, joker: JokerStyle, style: IndexStyle, ink: Colour, body: Colour) -> tuple[Quad, ...]:
    """Prints a joker's picture and corners, and returns the corners' quads."""
    draw_picture(face, joker, ink)
    return joker_corners(face, joker, style, ink, body)


def joker_corners(face: Face, joker: JokerStyle, style: IndexStyle, ink: Colour, body: Colour) -> tuple[Quad, ...]:
    """Prints the corners alone, over whatever picture is there."""
    head, sign = _corner(joker, style)
    return print_corners(face, head, sign, style, ink, body)


def draw_picture(face: Face, joker: JokerStyle, ink: Colour) -> None:
    """The joker's picture, in place."""
    h, w = face.shape[:2]
    if joker.picture == "star":
        size = round(w * 0.55)
        stamp(face, star_mask(joker.points, size), (w - size) / 2, (h - size) / 2, joker.colours[0])
    elif joker.picture == "word":
        mask = text_mask(joker.font, joker.word, 0.6)
        wide = _scaled(mask, round(h * 0.6), round(w * 0.16))
        spin = cv2.getRotationMatrix2D((h / 2, h / 2), 56, 1.0)
        pad = np.zeros((h, h), np.uint8)
        y, x = (h - wide.shape[0]) // 2, (h - wide.shape[1]) // 2
        pad[y : y + wide.shape[0], x : x + wide.shape[1]] = wide
        stamp(face, np.asarray(cv2.warpAffine(pad, spin, (h, h)), dtype=np.uint8), (w - h) / 2, 0, ink)
    elif joker.picture == "wheel":
        for n, suit in enumerate("SHCD"):
            mask = suit_mask(joker.seed % 400, suit, round(w * 0.24))
            x, y = w / 2 + (n - 1.5) * w * 0.16 * (n % 2), h / 2 + (n - 1.5) * w * 0.2 * ((n + 1) % 2)
            stamp(face, mask, x - mask.shape[1] / 2, y - mask.shape[0] / 2, joker.colours[n % 3])
    elif joker.picture != "none":
        _figure(face, joker)


def _figure(face: Face, joker: JokerStyle) -> None:
    """A jester's head, his cap alone, or a sun with a face."""
    h, w = face.shape[:2]
    rng = np.random.default_rng(joker.seed)
    over = 2
    canvas: NDArray[np.uint8] = np.asarray(cv2.resize(face, (w * over, h * over)), dtype=np.uint8)
    cx, cy, r = w * over // 2, round(h * over * rng.uniform(0.48, 0.6)), round(w * over * rng.uniform(0.13, 0.2))
    dark, line = (25, 25, 30), max(2, round(rng.uniform(2, 5)))
    one, two, three = joker.colours

    def shape(points: list[tuple[float, float]], colour: Colour) -> None:
        pixels = np.rint(np.array(points) * r + [cx, cy]).astype(np.int32)
        cv2.fillPoly(canvas, [pixels], colour, cv2.LINE_AA)
        cv2.polylines(canvas, [pixels], True, dark, line, cv2.LINE_AA)

    def ball(x: float, y: float, radius: float, colour: Colour) -> None:
        centre = (round(cx + x * r), round(cy + y * r))
        cv2.circle(canvas, centre, max(2, round(radius * r)), colour, -1, cv2.LINE_AA)
        cv2.circle(canvas, centre, max(2, round(radius * r)), dark, line, cv2.LINE_AA)

    if joker.picture == "sun":
        for turn in np.linspace(0, 2 * np.pi, 13)[:-1]:
            tip = [(np.cos(turn + d) * s, np.sin(turn + d) * s) for d, s in ((-0.2, 1.0), (0, 1.6), (0.2, 1.0))]
            shape(tip, one)
        ball(0, 0, 1.0, two)
    else:
        for side, colour in ((-1, one), (1, two)):
            horn = [(0.0, -0.6), (0.9, -1.5), (1.7, -0.9), (1.8, -0.3), (1.3, -0.7), (0.9, 0.0)]
            shape([(side * x, y) for x, y in horn], colour)
            ball(side * 1.8, -0.25, 0.18, three)
        shape([(-0.6, -0.5), (0.0, -2.0), (0.6, -0.5)], three)
        ball(0, -2.05, 0.18, one)
        shape([(x * 0.34 - 1.2, 0.95 + 0.5 * (x % 2)) for x in range(8)] + [(1.1, 0.6), (-1.1, 0.6)], two)
        if joker.picture == "jester":
            ball(0, 0, 0.95, (205, 225, 245))
    if joker.picture != "cap":
        for side in (-1, 1):
            ball(side * 0.35, -0.2, 0.1, (255, 255, 255))
            pupil = (round(cx + side * 0.35 * r), round(cy - 0.18 * r))
            cv2.circle(canvas, pupil, max(2, r // 16), dark, -1, cv2.LINE_AA)
        smile = (round(r * 0.5), round(r * 0.35))
        cv2.ellipse(canvas, (cx, round(cy + 0.2 * r)), smile, 0, 10, 170, (50, 40, 190), line + 1, cv2.LINE_AA)
    face[:] = cv2.resize(canvas, (w, h), interpolation=cv2.INTER_AREA)


def draw_ace(face: Face, suit_style: int, code: str, size: float, ornament: int, ink: Colour) -> None:
    """The middle of an ace: one sign of height `size` (of the width), ornamented as `ornament` says (0: plain)."""
    h, w = face.shape[:2]
    mask = suit_mask(suit_style, code[-1], round(w * size))
    x, y = (w - mask.shape[1]) / 2, (h - mask.shape[0]) / 2
    stamp(face, mask, x, y, ink)
    if ornament == 0:
        return
    rng = np.random.default_rng([ornament, "SHDC".index(code[-1])])
    paper: Colour = tuple(int(v) for v in face[h // 2, 3])  # type: ignore[assignment]
    inner = suit_mask(suit_style, code[-1], max(6, round(w * size * rng.uniform(0.35, 0.6))))
    if ornament % 3 == 0:
        stamp(face, inner, (w - inner.shape[1]) / 2, (h - inner.shape[0]) / 2, paper)
        core = suit_mask(suit_style, code[-1], max(4, inner.shape[0] // 2))
        stamp(face, core, (w - core.shape[1]) / 2, (h - core.shape[0]) / 2, ink)
    if ornament % 3 == 1:
        radius = round(w * size * 0.75)
        cv2.circle(face, (w // 2, h // 2), radius, ink, 1, cv2.LINE_AA)
        petals = int(rng.integers(8, 24))
        for turn in np.linspace(0, 2 * np.pi, petals + 1)[:-1]:
            at = (round(w / 2 + radius * np.cos(turn)), round(h / 2 + radius * np.sin(turn)))
            cv2.circle(face, at, int(rng.integers(2, 6)), ink, 1, cv2.LINE_AA)
    if ornament % 2 == 0:  # the maker's name, too small to read
        for n in range(int(rng.integers(1, 4))):
            wide = round(w * rng.uniform(0.12, 0.3))
            for x0 in range(w // 2 - wide, w // 2 + wide, 5):
                foot = round(h / 2 + w * size * 0.5 + 10 + n * 8)
                tip = (x0 + int(rng.integers(1, 4)), foot - int(rng.integers(2, 6)))
                cv2.line(face, (x0, foot), tip, ink, 1, cv2.LINE_AA)
