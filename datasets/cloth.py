"""Cloth, rugs and mats: threads over and under one another, with checks, stripes, tartans, ornaments and prints."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import cv2
import numpy as np

from datasets.noise import (
    Colour,
    Floats,
    Image,
    N,
    any_colour,
    fbm,
    grain,
    hsv,
    mix,
    modulate,
    noise,
    paint,
    pick,
    rgb,
    shades,
    warp,
)

INKS = ("1667bd", "1a9ca7", "e28a5b", "b25509", "e04440", "9c0603", "150e08", "f0f0ea", "2f5f3a", "d8b13a")
"""Strong cloth colours; the first seven are the inks of tiles, which bold blankets wear too."""
NAPERY = ("e9e4d8", "f4f2ec", "d9cdb4", "c3b091", "8f2f2f", "27496d", "3d5a45", "5a5a5c", "b86f52", "c9a227", "7f93a8")


@cache
def _lattice(threads: int, twill: int, relief: float) -> tuple[Floats, Floats]:
    """Share of the weft (0 or 1) and shading of a weave with so many threads a side; ``twill`` 0 is plain weave."""
    step = N // threads
    line = (np.arange(step, dtype=np.float32) + 0.5) / step
    round_ = np.sqrt(np.maximum(1.0 - (2.0 * line - 1.0) ** 2, 0.0))
    over = round_[:, None] * (
        0.55 + 0.45 * round_[None, :]
    )  # a weft thread on top: rounded across, dipping at both ends
    under = over.T
    period = 2 if twill == 0 else 2 * twill
    share = np.zeros((period * step, period * step), np.float32)
    light = np.zeros_like(share)
    for row in range(period):
        for column in range(period):
            weft = (row + column) % 2 == 0 if twill == 0 else (row + column) % period < twill
            box = np.s_[row * step : (row + 1) * step, column * step : (column + 1) * step]
            share[box] = float(weft)
            light[box] = over if weft else under
    repeat = -(-N // (period * step))
    full_share = np.tile(share, (repeat, repeat))[:N, :N]
    full_light = (np.tile(light, (repeat, repeat))[:N, :N] - 0.62) * np.float32(relief)
    return np.ascontiguousarray(full_share), np.ascontiguousarray(full_light)


def weave(
    rng: np.random.Generator,
    warp_colours: np.ndarray,
    weft_colours: np.ndarray,
    twill: int = 0,
    relief: float = 0.5,
    crooked: float = 1.5,
    fleck: float = 0.08,
) -> Image:
    """(N, N, 3) woven cloth; each thread has its own colour: two arrays (threads, 3), a power of two of threads."""
    threads = len(warp_colours)
    share, light = _lattice(threads, twill, relief)
    upright = np.broadcast_to(warp_colours[None], (threads, threads, 3)).astype(np.float32)
    across = np.broadcast_to(weft_colours[:, None], (threads, threads, 3)).astype(np.float32)
    # Flecks: yarn is uneven along itself.
    upright = upright * (1.0 + fleck * rng.standard_normal((threads, threads, 1), dtype=np.float32))
    across = across * (1.0 + fleck * rng.standard_normal((threads, threads, 1), dtype=np.float32))
    size = (N, N)
    a = cv2.resize(np.clip(upright, 0, 255).astype(np.uint8), size, interpolation=cv2.INTER_NEAREST)
    b = cv2.resize(np.clip(across, 0, 255).astype(np.uint8), size, interpolation=cv2.INTER_NEAREST)
    image = np.asarray(cv2.blendLinear(a, b, 1.0 - share, share), np.uint8)
    image = modulate(image, light + 0.05 * grain(rng), 1.0)
    if crooked > 0:
        step = N / threads
        image = warp(image, crooked * step * 0.12 * noise(rng, 16, 16), crooked * step * 0.12 * noise(rng, 16, 16))
    return image


def _threads(count: int) -> int:
    return 1 << (int(count) - 1).bit_length()


def plain_weave(rng: np.random.Generator) -> Image:
    """Linen, canvas, burlap: one colour, visible threads."""
    threads = int(rng.choice([64, 128, 256]))
    base = np.array(pick(rng, NAPERY))
    rough = float(rng.uniform(0.02, 0.09))
    colours = np.clip(base * (1 + rough * rng.standard_normal((2, threads, 1))), 0, 255)
    return weave(rng, colours[0], colours[1], int(rng.choice([0, 0, 2])), float(rng.uniform(0.3, 0.8)), fleck=rough)


def rug_flecked(rng: np.random.Generator) -> Image:
    """Chunky flat-woven rug: pale and dark yarn twisted together, dark weft that shows for a while and dives again."""
    threads = int(rng.choice([32, 64, 64]))
    pale = np.array(pick(rng, ("d9d4ca", "c9cdd2", "e3dccb", "c8b898")))
    dark = np.array(pick(rng, ("2b2b30", "4a4c55", "5b4636", "27405e")))
    middle = 0.5 * (pale + dark) + rng.normal(0, 12, 3)
    palette = np.stack([pale, pale * 0.85, middle, dark])
    # Whole rows tend to be dark or pale, and within a row the dark yarn comes and goes in short runs.
    row = 0.7 * rng.standard_normal((threads, 1))
    runs = noise(rng, threads // 4, threads, threads * 4)[::4, ::4]
    small = palette[np.digitize(row + runs + 0.35 * rng.standard_normal((threads, threads)), (0.3, 1.1, 1.5))]
    small = np.clip(small * (1 + 0.06 * rng.standard_normal((threads, threads, 1))), 0, 255).astype(np.uint8)
    over = cv2.resize(small, (N, N), interpolation=cv2.INTER_NEAREST)
    share, light = _lattice(threads, 0, 0.8)
    image = modulate(np.asarray(over, np.uint8), light - 0.14 * (1.0 - share), 1.0)
    image = np.asarray(cv2.resize(image[:, : N // 2], (N, N), interpolation=cv2.INTER_LINEAR), np.uint8)
    fibres = 0.10 * noise(rng, 96, 384) + 0.07 * noise(rng, 384, 128) + 0.05 * grain(rng)
    image = modulate(image, fibres, 1.0)
    step = N / threads
    return warp(image, step * 0.3 * noise(rng, 16, 16), step * 0.14 * noise(rng, 24, 24))


def _sequence(rng: np.random.Generator, palette: Sequence[Colour], threads: int, bands: int) -> np.ndarray:
    """(threads, 3) colours of a sett: bands of random widths, mirrored so that it repeats without a seam."""
    widths = rng.gamma(1.2, 1.0, bands) + 0.08
    half = threads // 2
    bounds = np.rint(np.cumsum(widths) / widths.sum() * half).astype(int)
    index = np.searchsorted(bounds, np.arange(half), side="right").clip(0, bands - 1)
    order = rng.integers(0, len(palette), bands)
    line = np.array(palette, np.float32)[order[index]]
    return np.concatenate([line, line[::-1]])


def _palette(rng: np.random.Generator, count: int) -> list[Colour]:
    style = rng.random()
    if style < 0.4:
        return [pick(rng, INKS) for _ in range(count)]
    if style < 0.75:
        hue = rng.uniform(0, 360)
        return [hsv(hue + rng.normal(0, 25), rng.uniform(0.05, 0.75), rng.uniform(0.2, 0.8)) for _ in range(count)]
    return [any_colour(rng) for _ in range(count)]


def tartan(rng: np.random.Generator) -> Image:
    """Wool plaid: the same sett both ways, in twill."""
    threads = 256
    sett = _sequence(rng, _palette(rng, int(rng.integers(2, 5))), threads, int(rng.integers(4, 12)))
    return weave(rng, sett, sett, 2, float(rng.uniform(0.15, 0.4)), fleck=0.05)


def stripes(rng: np.random.Generator) -> Image:
    """Striped blanket, deck-chair cloth or tea towel."""
    threads = int(rng.choice([128, 256]))
    sett = _sequence(rng, _palette(rng, int(rng.integers(2, 7))), threads, int(rng.integers(3, 16)))
    other = sett if rng.random() < 0.1 else np.tile(np.array(pick(rng, NAPERY), np.float32), (threads, 1))
    strong = rng.random() < 0.6
    image = weave(rng, sett, sett.mean(0, keepdims=True).repeat(threads, 0) if not strong else other, 0, 0.25)
    if strong:  # warp-faced cloth: the weft hardly shows
        flat = cv2.resize(np.clip(sett, 0, 255).astype(np.uint8)[None], (N, N), interpolation=cv2.INTER_NEAREST)
        image = mix(
            image,
            modulate(np.asarray(flat, np.uint8), 0.06 * fbm(rng, 128, 32, 2), 1.0),
            np.full((N, N), 0.8, np.float32),
        )
    return image


def gingham(rng: np.random.Generator) -> Image:
    """Checked table cloth: full, half and no colour."""
    cells = int(rng.choice([4, 8, 16, 32]))
    threads = max(_threads(cells * 8), 128)
    ground = rgb("f4f2ec") if rng.random() < 0.7 else pick(rng, NAPERY)
    ink = pick(rng, INKS)
    line = np.array([ground, ink], np.float32)[(np.arange(threads) * cells // threads) % 2]
    image = weave(rng, line, line, int(rng.choice([0, 2])), float(rng.uniform(0.1, 0.35)), fleck=0.04)
    if rng.random() < 0.35:  # chequered print: no half tone
        on = ((np.arange(N) * cells // N) % 2).astype(bool)
        pair = np.array([ground, ink], np.uint8)
        board = pair[(on[:, None] ^ on[None, :]).astype(np.intp)]
        image = modulate(board, 0.05 * fbm(rng, 128, 128, 2), 1.0)
    return image


def felt(rng: np.random.Generator) -> Image:
    """Card-table cloth, velvet, fleece: one colour with a fine nap."""
    base = pick(
        rng, ("1f6b3f", "2f7d4f", "0f4d2c", "8c1d24", "1d3f73", "5c5d60", "31343a", "6d4a86", "b7a98d", "2a6f78")
    )
    coarse = float(rng.uniform(0.02, 0.09))
    field = 0.5 + coarse * 2.2 * fbm(rng, 128, 128, 3, 0.9) + 0.04 * fbm(rng, 3, 3, 3) + 0.05 * grain(rng)
    return paint(field, shades(base, 0.4))


def knit(rng: np.random.Generator) -> Image:
    """Knitted blanket: columns of V stitches, maybe with bands."""
    count = int(rng.choice([16, 32, 64]))
    step = N // count
    x, y = np.meshgrid(np.arange(step, dtype=np.float32), np.arange(step, dtype=np.float32))
    u = np.abs(x / step - 0.5) * 2.0
    v = (y / step - 0.55 * u) % 1.0
    lobe = np.sin(np.pi * v) * np.sqrt(np.maximum(np.sin(np.pi * np.clip(u, 0.02, 0.98)), 0))
    light = np.tile(lobe.astype(np.float32), (count, count))
    light = np.pad(light, ((0, N - light.shape[0]), (0, N - light.shape[1])), mode="wrap")
    colours = _sequence(rng, _palette(rng, int(rng.integers(1, 4))), count, int(rng.integers(1, 6)))
    flat = cv2.resize(np.clip(colours, 0, 255).astype(np.uint8)[:, None], (N, N), interpolation=cv2.INTER_NEAREST)
    image = modulate(np.asarray(flat, np.uint8), 0.8 * (light - 0.65) + 0.06 * grain(rng), 1.0)
    return warp(image, step * 0.12 * noise(rng, 24, 24), step * 0.12 * noise(rng, 24, 24))


def rug_ornament(rng: np.random.Generator) -> Image:
    """Knotted rug: a mirrored pattern of medallions, stars and borders on a coarse grid of knots."""
    knots = int(rng.choice([64, 128, 128]))
    quarter = knots // 2
    colours = np.array(_palette(rng, 6), np.float32)
    u, v = np.meshgrid(np.arange(quarter) + 0.5, np.arange(quarter) + 0.5)
    layers = np.zeros((quarter, quarter), int)
    for _ in range(int(rng.integers(4, 9))):
        cx, cy = rng.uniform(0, quarter, 2) * rng.integers(0, 2, 2)
        size = quarter * rng.uniform(0.15, 0.8)
        shape = int(rng.integers(4))
        away = (
            np.abs(u - cx) + np.abs(v - cy), np.hypot(u - cx, v - cy), np.maximum(np.abs(u - cx), np.abs(v - cy)),
            np.hypot(u - cx, v - cy) * (1 + 0.25 * np.cos(8 * np.arctan2(v - cy, u - cx))),
        )[shape]  # fmt: skip
        band = size * rng.uniform(0.1, 1.0)
        layers[(away < size) & (away > size - band)] = int(rng.integers(len(colours)))
    sprinkle = (u.astype(int) % int(rng.integers(5, 12)) == 0) & (v.astype(int) % int(rng.integers(5, 12)) == 0)
    layers[sprinkle] = int(rng.integers(len(colours)))
    half = np.concatenate([layers, layers[:, ::-1]], axis=1)
    full = colours[np.concatenate([half, half[::-1]], axis=0)]
    full = full * (1 + 0.06 * rng.standard_normal((knots, knots, 1)))
    image = cv2.resize(np.clip(full, 0, 255).astype(np.uint8), (N, N), interpolation=cv2.INTER_NEAREST)
    _, light = _lattice(128, 0, 0.5)
    image = modulate(np.asarray(image, np.uint8), light + 0.09 * fbm(rng, 256, 256, 2) + 0.05 * grain(rng), 1.0)
    return warp(image, 3.0 * noise(rng, 48, 48), 3.0 * noise(rng, 48, 48))


def shag(rng: np.random.Generator) -> Image:
    """Deep-pile carpet."""
    base = pick(rng, ("8a7a66", "b8ad9b", "4d4a48", "6a2f2f", "34506a", "d8d2c6", "5a6b4a"))
    tuft = fbm(rng, 96, 96, 3, 0.8)
    return warp(
        paint(0.5 + 0.17 * tuft + 0.06 * grain(rng) + 0.05 * fbm(rng, 3, 3), shades(base, 0.7)),
        5 * noise(rng, 64, 64),
        5 * noise(rng, 64, 64),
    )


def lace(rng: np.random.Generator) -> Image:
    """White crochet over a darker table: rosettes of rings and petals joined by mesh."""
    ground = pick(rng, ("5d3a2a", "7c4f26", "3f140d", "2f5f3a", "27496d", "8f2f2f", "b98250"))
    under = paint(0.5 + 0.12 * fbm(rng, 2, 48, 4), shades(ground, 0.4))
    cells = int(rng.choice([2, 4, 8]))
    side = N // cells
    motif = np.zeros((side, side), np.uint8)
    centre, thick = side // 2, max(side // 40, 2)
    petals = int(rng.choice([6, 8, 10, 12]))
    for share in np.sort(rng.uniform(0.06, 0.47, int(rng.integers(3, 7)))):
        cv2.circle(motif, (centre, centre), int(side * share), 255, thick, cv2.LINE_AA)
    for k in range(petals):
        angle = 2 * np.pi * k / petals
        at = (int(centre + side * 0.25 * np.cos(angle)), int(centre + side * 0.25 * np.sin(angle)))
        cv2.ellipse(
            motif,
            at,
            (int(side * 0.16), int(side * 0.06)),
            np.degrees(angle),
            0,
            360,
            255,
            thick if k % 2 else -1,
            cv2.LINE_AA,
        )
    for k in range(0, side, max(side // 12, 8)):
        for start, end in (((k, 0), (k, side)), ((0, k), (side, k))):
            cv2.line(motif, start, end, 200, max(thick // 2, 1), cv2.LINE_AA)
    share = np.tile(motif, (cells, cells)).astype(np.float32) / 255.0
    thread = modulate(np.full((N, N, 3), 238, np.uint8), 0.10 * fbm(rng, 256, 256, 2), 1.0)
    shadow = np.roll(share, (5, 4), (0, 1))
    return mix(modulate(under, -0.45 * shadow, 1.0), thread, share)


def wicker(rng: np.random.Generator) -> Image:
    """Basket work and cane: wide flat strands over and under."""
    threads = int(rng.choice([16, 32]))
    base = np.array(pick(rng, ("a9794a", "c9a36b", "6b4423", "8b6f4e", "ddc69b")))
    tone = np.clip(base * (1 + 0.12 * rng.standard_normal((2, threads, 1))), 0, 255)
    image = weave(rng, tone[0], tone[1], int(rng.choice([0, 2])), 1.1, 0.35, 0.06)
    return modulate(image, 0.06 * noise(rng, 8, 256) + 0.06 * noise(rng, 256, 8), 1.0)
