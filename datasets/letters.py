"""Print on things: words, paragraphs and single letters in whatever fonts the machine has."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

import cv2
import numpy as np

from datasets.noise import Colour, Image

FONT_FOLDERS = ("/usr/share/fonts/truetype", "/usr/share/fonts/opentype")
_WORDS = """
casa masa seara joc prieten carte vara lumina drum apa soare munte vremea noua piata stiri cafea lapte paine
familie oras copil muzica scoala timp liber pentru astazi maine the and house table evening game light with
from paper news dum stul vecer hra mesa noite jogo amigo festa Haus Tisch Abend Spiel
"""
WORDS = tuple(_WORDS.split())
"""Print is made of these: no digits, so that none can be taken for a piece's number."""
SYMBOLIC = (
    "symbol",
    "dingbat",
    "emoji",
    "math",
    "awesome",
    "standardsymbols",
    "d050000l",
    "opens___",
    "cursor",
    "braille",
)


@cache
def fonts() -> tuple[str, ...]:
    """Paths of text fonts, sorted; empty where none is installed (then OpenCV's own strokes serve).

    At least one of those found must be Latin, which every font package of a desktop brings.
    """
    found: list[str] = []
    for folder in FONT_FOLDERS:
        found += [str(p) for p in Path(folder).rglob("*") if p.suffix.lower() in {".ttf", ".otf"}]
    return tuple(sorted(p for p in found if not any(word in p.lower() for word in SYMBOLIC)))


@lru_cache(maxsize=2048)
def glyphs(text: str, size: int, style: int) -> Image:
    """(h, w) coverage 0..255 of one line, ``size`` pixels high per line; ``style`` chooses the font."""
    paths = fonts()
    if paths:
        from PIL import Image as Pictures
        from PIL import ImageDraw

        while not _latin(paths[style % len(paths)]):
            style += 1
        font = _face(paths[style % len(paths)], size)
        left, top, right, bottom = font.getbbox(text)
        sheet = Pictures.new("L", (max(int(right - left), 1) + 2, max(int(bottom - top), 1) + 2))
        ImageDraw.Draw(sheet).text((1 - left, 1 - top), text, 255, font)
        return np.asarray(sheet, np.uint8)
    scale = size / 30.0
    (width, height), base = cv2.getTextSize(text, cv2.FONT_HERSHEY_DUPLEX, scale, 2)
    mask = np.zeros((height + base + 2, width + 2), np.uint8)
    cv2.putText(mask, text, (1, height + 1), cv2.FONT_HERSHEY_DUPLEX, scale, 255, 2, cv2.LINE_AA)
    return mask


@lru_cache(maxsize=256)
def _face(path: str, size: int):  # type: ignore[no-untyped-def]
    from PIL import ImageFont

    return ImageFont.truetype(path, size)


@cache
def _latin(path: str) -> bool:
    """Whether a font draws Latin letters, each its own: others print blanks or boxes, or are no fonts at all."""
    try:
        masks = [bytes(_face(path, 20).getmask(letter)) for letter in "AKg"]
    except OSError:
        return False
    return all(any(mask) for mask in masks) and len(set(masks)) == 3


def words(rng: np.random.Generator, count: int, upper: bool = False) -> str:
    """A line of ordinary words."""
    line = " ".join(WORDS[int(k)] for k in rng.integers(0, len(WORDS), count))
    return line.upper() if upper else line.capitalize()


def write(
    image: Image,
    text: str,
    at: tuple[int, int],
    size: int,
    ink: Colour,
    room: int | None = None,
    bold: bool = False,
    style: int = 0,
) -> None:
    """Print a line with its top left corner at ``at``, cut off at ``room`` pixels and at the picture's border."""
    mask = glyphs(text, size, style)
    if bold:
        mask = cv2.dilate(mask, np.ones((2, 2), np.uint8))
    x, y = at
    mask = mask[max(-y, 0) :, max(-x, 0) :]
    x, y = max(x, 0), max(y, 0)
    height = min(mask.shape[0], image.shape[0] - y)
    width = min(mask.shape[1], image.shape[1] - x, room if room is not None else mask.shape[1])
    if height <= 0 or width <= 0:
        return
    share = mask[:height, :width, None].astype(np.float32) * np.float32(1 / 255)
    patch = image[y : y + height, x : x + width]
    patch[:, :, :3] = (patch[:, :, :3] * (1 - share) + np.array(ink, np.float32) * share).astype(np.uint8)
    if image.shape[2] == 4:
        np.maximum(patch[:, :, 3], mask[:height, :width], out=patch[:, :, 3])


def centred(image: Image, text: str, at: tuple[float, float], size: int, ink: Colour, style: int = 0) -> None:
    """Print a line with its middle at ``at``."""
    mask = glyphs(text, size, style)
    write(image, text, (round(at[0] - mask.shape[1] / 2), round(at[1] - mask.shape[0] / 2)), size, ink, style=style)


def paragraph(rng: np.random.Generator, width: int, height: int, line: int) -> Image:
    """(height, width) coverage of running text; ragged last line."""
    block = np.zeros((max(height, 1), width), np.uint8)
    style = int(rng.integers(1 << 16)) % 7
    lines = []
    for _ in range(4):  # rendering print is slow: four long lines, each begun at another place, serve for all
        text = " ".join(WORDS[int(k)] for k in rng.integers(0, len(WORDS), 3 + width // (line * 2)))
        lines.append(_strip(text, int(line * 0.75), style))
    for number, y in enumerate(range(0, height - line, line)):
        mask = lines[int(rng.integers(len(lines)))]
        mask = mask[:, int(rng.integers(0, max(mask.shape[1] - width, 1))) :]
        room = width if number % 9 != 8 else int(width * rng.uniform(0.3, 0.9))
        tall, wide = min(mask.shape[0], height - y), min(mask.shape[1], room)
        block[y : y + tall, :wide] = mask[:tall, :wide]
    return block


def _strip(text: str, size: int, style: int) -> Image:
    return glyphs(text, size, style * 41 + 3)
