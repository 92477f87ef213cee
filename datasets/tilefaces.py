"""Clean faces of one look: where ink lies, what the mould gives, what is carved. `datasets/tilewear.py` makes
tiles of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from datasets import jokers
from datasets.numerals import OVER, Mask, Numeral, numeral, word_mask
from datasets.pen import Pen, suit
from datasets.tileinks import INK_NAMES, Bgr
from datasets.tilelooks import Dish, Logo, Look

WIDTH = 144  # pixels across a face
Image = npt.NDArray[np.uint8]
Relief = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Drawn:
    """A clean face: `alpha` (H, W) where ink lies, its colour (one for all, or a picture), the relief of the mould,
    which stays in its place, and the carving, which moves with the ink."""

    alpha: Mask
    paint: Bgr | Image
    mould: Relief | None
    carving: Relief | None
    body: Bgr
    has_ink: bool


def height_of(look: Look) -> int:
    return round(WIDTH * look.aspect)


def draw(look: Look, key: str) -> Drawn:
    """The clean face of a code; '*' and '*2' are the set's two jokers."""
    height = height_of(look)
    if key == "back":
        return _back(look, height)
    mould = _mould(look, height)
    if key in ("*", "*2"):
        alpha, paint = _joker(look, height, int(key == "*2"))
        return Drawn(alpha, paint, mould, _carving(look, alpha), look.body, True)
    ink = look.inks[INK_NAMES.index(key[0])]
    alpha, carving = _numbered(look, height, int(key[1:]))
    printed = look.logo is not None and look.logo.ink is not None
    if not printed and look.edge is None:
        return Drawn(alpha, ink, mould, carving, look.body, True)
    paint = np.full((height, WIDTH, 3), ink, np.uint8)
    if look.edge is not None:
        paint[alpha < 100] = look.edge
        alpha = np.asarray(cv2.dilate(alpha, np.ones((5, 5), np.uint8)), dtype=np.uint8)
    if look.logo is not None and look.logo.ink is not None:
        word = _word(look.logo, height)
        paint[word > 0] = look.logo.ink
        alpha = np.maximum(alpha, word)
    return Drawn(alpha, paint, mould, carving, look.body, True)


def halved(drawn: Drawn) -> Drawn:
    """The same face at half the size, for tiles that are seen small."""
    size = (drawn.alpha.shape[1] // 2, drawn.alpha.shape[0] // 2)

    def small(layer: Relief | None) -> Relief | None:
        return None if layer is None else cv2.resize(layer, size, interpolation=cv2.INTER_AREA).astype(np.float32)

    paint = drawn.paint
    if not isinstance(paint, tuple):
        paint = np.asarray(cv2.resize(paint, size, interpolation=cv2.INTER_AREA), np.uint8)
    alpha = np.asarray(cv2.resize(drawn.alpha, size, interpolation=cv2.INTER_AREA), np.uint8)
    return Drawn(alpha, paint, small(drawn.mould), small(drawn.carving), drawn.body, drawn.has_ink)


def _carving(look: Look, alpha: Mask) -> Relief | None:
    """The engraving under the ink: walls that slope over about two pixels, and a flat floor."""
    if look.carve == 0:
        return None
    soft = cv2.GaussianBlur(alpha, (0, 0), 1.1)
    return soft.astype(np.float32) * np.float32(-look.carve / 255)


def _paste(canvas: Mask, drawn: Numeral, x: float, y: float, turned: bool = False) -> None:
    """The numeral's mask onto the canvas, the centre of its digits at x, y (pixels)."""
    sign = -1.0 if turned else 1.0
    move = np.array([[sign, 0, x - sign * drawn.centre[0]], [0, sign, y - sign * drawn.centre[1]]], np.float64)
    move[:, 2] -= 0.5 * (1 - sign)
    placed = cv2.warpAffine(drawn.mask, move, (canvas.shape[1], canvas.shape[0]), flags=cv2.INTER_LINEAR)
    np.maximum(canvas, placed, out=canvas)


@lru_cache(maxsize=26)
def _numbered(look: Look, height: int, rank: int) -> tuple[Mask, Relief | None]:
    """Where a rank's ink lies, in whichever of the four colours, and its engraving."""
    alpha = np.zeros((height, WIDTH), np.uint8)
    drawn = numeral(rank, look.numeral, look.numeral_height * height, look.max_width * WIDTH)
    x, y = look.x * WIDTH, look.y * height
    _paste(alpha, drawn, x, y)
    if look.layout in ("twin", "corners"):
        _paste(alpha, drawn, WIDTH - x, height - y, turned=True)
    if look.layout in ("disc", "ringed"):
        radius = max(0.56 * look.numeral_height * height, 0.36 * WIDTH)
        round_ = _disc(height, x, y, radius)
        if look.layout == "disc":
            alpha = cv2.subtract(round_, alpha)
        else:
            ring = cv2.subtract(round_, _disc(height, x, y, radius - 0.03 * WIDTH))
            alpha = cv2.max(alpha, ring)
    alpha = _signed(look, alpha)
    return alpha, _carving(look, alpha)


def _disc(height: int, x: float, y: float, radius: float) -> Mask:
    rows, columns = np.mgrid[0:height, 0:WIDTH].astype(np.float32)
    away = np.hypot(columns + 0.5 - x, rows + 0.5 - y)
    return (np.clip(radius - away + 0.5, 0, 1) * 255).astype(np.uint8)


def _signed(look: Look, alpha: Mask) -> Mask:
    """The sign under the numeral and the frame, in the numeral's own ink."""
    height = alpha.shape[0]
    if look.sign:
        pen = Pen(round(look.sign_radius * WIDTH * 2 * 1.5))
        suit(pen, look.sign, 0, 0, 0.66 if not look.sign_ring else 0.55)
        if look.sign_ring and look.sign not in ("ring", "bar"):
            pen.ring(0, 0, 0.9, 0.12)
        masks = pen.alphas()
        half = masks[0].shape[0] / 2
        _paste(alpha, Numeral(masks[0], (half, half)), WIDTH / 2, look.sign_y * height)
    if look.frame:
        line = max(1, round(look.frame * WIDTH))
        edge = round(0.085 * WIDTH)
        cv2.rectangle(alpha, (edge, edge), (WIDTH - edge, height - edge), 255, line, cv2.LINE_AA)
    return alpha


def _joker(look: Look, height: int, which: int) -> tuple[Mask, Image]:
    spots = [look.joker_y * height]
    radius = min(look.joker_radius * WIDTH, spots[0] - 0.06 * WIDTH)
    if look.joker_twin:
        radius = min(radius, 0.22 * height - 1)
        spots = [0.27 * height, 0.73 * height]
    pen = Pen(round(2 * radius))
    rng = np.random.default_rng(look.joker_seed + (which if look.joker_designs[0] != look.joker_designs[1] else 0))
    jokers.draw(look.joker_designs[which], pen, rng, look.joker_font)
    palette = look.joker_palettes[which]
    if look.joker_inverse and not look.joker_designs[which].startswith("mirror"):  # two bare blobs read as an 8
        pen.invert(look.joker_inverse)
    alpha = np.zeros((height, WIDTH), np.uint8)
    paint = np.full((height, WIDTH, 3), palette[0], np.uint8)
    for ink, mask in enumerate(pen.alphas()):
        layer = np.zeros_like(alpha)
        for y in spots:
            _paste(layer, Numeral(mask, (mask.shape[1] / 2, mask.shape[0] / 2)), WIDTH / 2, y, turned=y > spots[0])
        if ink:
            paint[layer > alpha] = palette[ink]
        alpha = cv2.add(alpha, layer)
    if (
        look.joker_sign
        and look.sign
        and look.joker_y * height + radius < (look.sign_y * height - look.sign_radius * WIDTH * 1.3)
    ):
        alpha = _signed(look, alpha)
    return alpha, paint


@lru_cache(maxsize=4)
def _mould(look: Look, height: int) -> Relief | None:
    """Dishes, rings and the blind-embossed word."""
    relief: Relief | None = None
    for dish in look.dishes:
        one = _dish(dish, height)
        relief = one if relief is None else relief + one
    if look.logo is not None and look.logo.ink is None:
        word = cv2.GaussianBlur(_word(look.logo, height), (0, 0), 0.7).astype(np.float32) * np.float32(
            look.logo.depth / 255
        )
        relief = word if relief is None else relief + word
    return relief


def _dish(dish: Dish, height: int) -> Relief:
    rows, columns = np.mgrid[0:height, 0:WIDTH].astype(np.float32)
    away = np.hypot(columns + 0.5 - WIDTH / 2, rows + 0.5 - dish.y * height) / (dish.radius * WIDTH)
    if dish.panel:
        x = np.abs(columns + 0.5 - WIDTH / 2) / WIDTH
        y = np.abs(rows + 0.5 - height / 2) / WIDTH + dish.radius - (height / WIDTH / 2 - 0.5 + dish.radius)
        corner = np.float32(0.06)
        outside = np.hypot(np.maximum(x - dish.radius + corner, 0), np.maximum(y - dish.radius + corner, 0)) - corner
        profile = np.clip(-outside / 0.02, 0, 1)
    elif dish.ring:
        profile = np.clip(1 - np.abs(away - 0.92) / 0.08, 0, 1)
    elif dish.flat:
        profile = np.clip((1 - away) / 0.14, 0, 1)
    else:
        profile = np.clip(1 - away**2, 0, 1)
    return (profile * -dish.depth).astype(np.float32)


def _word(logo: Logo, height: int) -> Mask:
    """The maker's word as wide as the logo says, at most so high, and the small word over it."""
    canvas = np.zeros((height, WIDTH), np.uint8)
    mask = word_mask(logo.text, logo.font, logo.height * height * OVER)
    scale = logo.width * WIDTH * OVER / mask.shape[1]
    tall = min(1.0, scale)
    size = (max(1, round(mask.shape[1] * min(scale, 1.25) / OVER)), max(1, round(mask.shape[0] * tall / OVER)))
    mask = cv2.resize(mask, size, interpolation=cv2.INTER_AREA)
    y = logo.y * height
    _paste(canvas, Numeral(mask, (size[0] / 2, size[1] / 2)), WIDTH / 2, y)
    if logo.above:
        small = word_mask(logo.above, logo.font, max(5.0, 0.5 * size[1]))
        middle = (small.shape[1] / 2, small.shape[0] / 2)
        _paste(canvas, Numeral(small, middle), WIDTH / 2 - 0.25 * size[0], y - size[1] / 2 - middle[1] - 1)
    return canvas


def _back(look: Look, height: int) -> Drawn:
    """The back: plain, painted, patterned or with a design of the mould; never a numeral."""
    alpha = np.zeros((height, WIDTH), np.uint8)
    mould: Relief | None = None
    body = look.body
    rng = np.random.default_rng(look.joker_seed + 5)
    step = int(rng.integers(8, 24))
    if look.back == "paint":
        body = look.back_ink
    elif look.back == "grid":
        alpha[::step] = alpha[:, ::step] = 255
        alpha = cv2.GaussianBlur(cv2.dilate(alpha, np.ones((2, 2), np.uint8)), (0, 0), 0.6)
    elif look.back == "stripes":
        rows, columns = np.mgrid[0:height, 0:WIDTH]
        alpha = (
            (rows * int(rng.integers(0, 2)) + columns * int(rng.integers(0, 2)) + rows * 0.001) % step * 2 < step
        ).astype(np.uint8) * 255
        alpha = cv2.GaussianBlur(alpha, (0, 0), 0.7)
    elif look.back == "dots":
        for y in range(step // 2, height, step):
            for x in range(step // 2, WIDTH, step):
                cv2.circle(alpha, (x, y), step // 4, 255, -1, cv2.LINE_AA)
    elif look.back == "dish":
        mould = _dish(
            Dish(
                0.5,
                float(rng.uniform(0.25, 0.4)),
                float(rng.uniform(0.01, 0.03)),
                bool(rng.random() < 0.5),
                bool(rng.random() < 0.4),
            ),
            height,
        )
    elif look.back in ("emblem", "word"):
        alpha, mould = _back_design(look, height, rng)
    return Drawn(alpha, look.back_ink, mould, None, body, bool(alpha.any()))


def _back_design(look: Look, height: int, rng: np.random.Generator) -> tuple[Mask, Relief | None]:
    if look.back == "word" or look.logo is not None:
        text = (
            look.logo.text
            if look.logo is not None
            else str(rng.choice(["Remi", "REMI", "Rummy", "Okey", "Domus", "Lux"]))
        )
        mask = _word(
            Logo(text, look.joker_font, 0.5, float(rng.uniform(0.4, 0.7)), float(rng.uniform(0.1, 0.2)), 0.0, None),
            height,
        )
    else:
        pen = Pen(round(WIDTH * rng.uniform(0.4, 0.7)))
        suit(pen, str(rng.choice(["sun", "star", "clover", "flower", "diamond", "heart", "spade"])), 0, 0, 0.9)
        mask = np.zeros((height, WIDTH), np.uint8)
        emblem = pen.alphas()[0]
        _paste(mask, Numeral(emblem, (pen.size / 2, pen.size / 2)), WIDTH / 2, height / 2)
    if rng.random() < 0.6:
        depth = float(rng.choice([-1, 1]) * rng.uniform(0.004, 0.014))
        return np.zeros_like(mask), cv2.GaussianBlur(mask, (0, 0), 0.8).astype(np.float32) * np.float32(depth / 255)
    return mask, None


def lit(albedo: Image, relief: Relief | None) -> Image:
    """The face under one lamp from the upper left, for contact sheets."""
    if relief is None:
        return albedo
    across = cv2.Sobel(relief, cv2.CV_32F, 1, 0, scale=WIDTH / 8)
    down = cv2.Sobel(relief, cv2.CV_32F, 0, 1, scale=WIDTH / 8)
    shade = np.clip(1 + 0.9 * (across + down), 0.5, 1.35)
    return np.clip(albedo * shade[..., None], 0, 255).astype(np.uint8)
