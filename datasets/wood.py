"""Wooden table tops: boards cut from drawn trunks, with rings, fibres, pores, gaps and knots."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from datasets.noise import Colour, Floats, Image, N, axes, fbm, modulate, near, noise, paint, ramp, rgb


@dataclass(frozen=True)
class Species:
    """How one kind of wood looks: colours from latewood to earlywood and how strong each mark is."""

    dark: str
    middle: str
    light: str
    rings: float
    fibre: float
    pores: float
    boards: float
    """Spread of brightness from board to board."""
    knots: float
    """Mean number of knots in one texture."""


SPECIES: dict[str, Species] = {
    "walnut": Species("35201a", "5d3a2a", "8a5f45", 0.5, 0.6, 0.7, 0.10, 0.8),
    "walnut-red": Species("4a1f12", "7d3f26", "a8623f", 0.5, 0.6, 0.6, 0.08, 0.6),
    "oak": Species("8a6234", "b78d57", "d6b27d", 0.5, 0.6, 0.9, 0.10, 0.8),
    "oak-dark": Species("4b2d12", "7c4f26", "a3743f", 0.8, 0.7, 0.9, 0.10, 0.8),
    "pine": Species("b57a3c", "deb173", "f0d09a", 0.9, 0.25, 0.05, 0.05, 2.2),
    "pine-grey": Species("8d8a80", "bdb9ac", "d5d1c4", 0.9, 0.3, 0.1, 0.05, 1.6),
    "beech": Species("b98250", "d5a373", "e4bd92", 0.2, 0.5, 0.5, 0.06, 0.0),
    "cherry": Species("8a4424", "b2683e", "cf8d60", 0.4, 0.5, 0.3, 0.07, 0.5),
    "mahogany": Species("3f140d", "6b2519", "8c3c28", 0.3, 0.7, 0.6, 0.05, 0.0),
    "ash": Species("ab9673", "d0bf9f", "e6dac0", 0.8, 0.4, 0.5, 0.06, 0.3),
    "maple": Species("cfa976", "e3c79c", "efdcb9", 0.25, 0.35, 0.15, 0.04, 0.2),
    "wenge": Species("17100d", "2a1d18", "43322a", 0.5, 0.7, 0.6, 0.06, 0.0),
    "grey-laminate": Species("6e6a66", "98938e", "b9b5b0", 0.5, 0.7, 0.4, 0.04, 0.1),
    "teak": Species("6b4420", "96662f", "b98a4b", 0.6, 0.6, 0.7, 0.08, 0.3),
    "whitewash": Species("b7b0a4", "d8d3c9", "ebe8e1", 0.5, 0.6, 0.4, 0.05, 0.6),
    "black": Species("0c0b0b", "1c1a19", "2e2b29", 0.4, 0.6, 0.5, 0.04, 0.0),
}


def wood(rng: np.random.Generator, species: str, across: float, joints: bool = True, gap: float = 1.0) -> Image:
    """(N, N, 3) top of boards that run along x.

    ``across``: number of boards over the texture's height (below 1: one solid slab). ``joints``: boards end within the
    texture. ``gap``: darkness of the joint lines, 0 for glued boards.
    """
    look = SPECIES[species]
    y = axes()[1]
    boards = max(round(across), 1)
    edges = np.linspace(0, N, boards + 1)
    if boards > 2:
        edges[1:-1] += rng.uniform(-0.12, 0.12, boards - 1) * (N / boards)
    row_of = np.searchsorted(edges, np.arange(N) + 0.5, side="right") - 1
    pieces = int(rng.integers(1, 3)) if joints and boards > 1 else 1
    ends = np.sort(rng.uniform(0, N, (boards, pieces)), axis=1)
    part = (np.arange(N)[None, None, :] >= ends[:, :, None]).sum(1) % pieces
    board = (part + pieces * np.arange(boards)[:, None])[row_of].astype(np.int32)
    count = boards * pieces

    # A board is a plane through a trunk: ring number = distance from the pith, which wanders along the board.
    size = N / boards
    pith = (edges[:-1].repeat(pieces) + size * rng.uniform(-0.8, 1.8, count)).astype(np.float32)
    depth = (rng.uniform(0.05, 0.7, count) * min(size, 320)).astype(np.float32)
    lean = (rng.uniform(-1.0, 1.0, count) * min(size, 320) * 0.45).astype(np.float32)
    phase = rng.uniform(0, 2 * np.pi, count).astype(np.float32)
    wander = np.cos(np.linspace(0, 2 * np.pi, N, endpoint=False, dtype=np.float32)[None, :] + phase[:, None])
    below = depth[:, None] + lean[:, None] * (1.0 + wander)
    along = np.arange(N)
    gap_y = y - pith[board] + 16.0 * noise(rng, 3, 4)
    depth_here = below[board, along[None, :]]
    radius = cv2.magnitude(np.ascontiguousarray(gap_y, np.float32), np.ascontiguousarray(depth_here, np.float32))
    radius += 7.0 * noise(rng, 4, 12)

    knots = [
        (float(rng.uniform(90, N - 90)), float(rng.uniform(60, N - 60)), float(rng.gamma(3.0, 5.0) + 6.0))
        for _ in range(min(int(rng.poisson(look.knots)), 5))
    ]
    for kx, ky, kr in knots:
        _bend(radius, kx, ky, kr)
    spacing = float(rng.uniform(11.0, 30.0))
    ring = _profile(radius * np.float32(1.0 / spacing))

    fibre = noise(rng, 4, 128) + 0.7 * noise(rng, 10, 512)
    bright = rng.normal(0.0, look.boards, count).astype(np.float32)[board]
    field = 0.55 + 0.28 * look.rings * ring + 0.11 * look.fibre * fibre + bright + 0.07 * fbm(rng, 2, 6, 3)
    stops: list[tuple[float, Colour]] = [
        (0.0, near(rng, rgb(look.dark), 6)),
        (0.55, near(rng, rgb(look.middle), 6)),
        (1.0, near(rng, rgb(look.light), 6)),
    ]
    image = paint(field, ramp(stops))
    if look.pores > 0:
        image = _pores(rng, image, look.pores)
    for kx, ky, kr in knots:
        _knot(rng, image, kx, ky, kr, np.array(stops[0][1]))
    if gap > 0 and boards > 1:
        image = _gaps(rng, image, edges, ends, pieces, gap)
    return image


def parquet(rng: np.random.Generator, species: str) -> Image:
    """Small blocks laid in a basket pattern, each of its own board."""
    source = wood(rng, species, 8, joints=True, gap=0.0)
    image = np.empty_like(source)
    cells = int(rng.choice([2, 4, 8]))
    side = N // cells
    strips = int(rng.integers(3, 6))
    look = SPECIES[species]
    for row in range(cells):
        for column in range(cells):
            top, left = (int(v) for v in rng.integers(0, N - side, 2))
            block = source[top : top + side, left : left + side].copy()
            for k in range(1, strips):
                cv2.line(block, (0, k * side // strips), (side, k * side // strips), (20, 25, 30), 2, cv2.LINE_AA)
            cv2.rectangle(block, (0, 0), (side - 1, side - 1), (22, 28, 34), 2)
            block = cv2.convertScaleAbs(block, alpha=float(np.exp(rng.normal(0, look.boards))))
            turned = block.transpose(1, 0, 2) if (row + column) % 2 else block
            image[row * side : (row + 1) * side, column * side : (column + 1) * side] = turned
    return image


def slats(rng: np.random.Generator, base: Colour, count: int) -> Image:
    """Bamboo or wooden slats side by side, rounded, tied by threads across (place mats, roller blinds)."""
    n = N // count
    shape = np.sqrt(np.sin(np.linspace(0.0, np.pi, n, dtype=np.float32)).clip(0.0))
    column = np.tile(shape, count)
    column = np.pad(column, (0, N - column.size), mode="edge")
    tone = rng.normal(0.0, 0.10, count).astype(np.float32).repeat(n)
    tone = np.pad(tone, (0, N - tone.size), mode="edge")
    field = 0.15 + 0.5 * column[:, None] + tone[:, None] + 0.07 * noise(rng, 4, 256) + 0.04 * noise(rng, 64, 64)
    dark: Colour = (base[0] * 0.25, base[1] * 0.28, base[2] * 0.32)
    image = paint(
        field, ramp([(0.0, dark), (0.55, base), (1.0, near(rng, (base[0] + 20, base[1] + 20, base[2] + 20)))])
    )
    thread = near(rng, (base[0] * 0.6, base[1] * 0.6, base[2] * 0.6), 20)
    for at in np.linspace(0, N, int(rng.integers(2, 5)) + 1)[:-1] + 40:
        for k in range(count):
            if k % 2 == 0:
                cv2.line(image, (int(at), k * n), (int(at), (k + 1) * n), thread, 5, cv2.LINE_AA)
            cv2.line(
                image, (int(at) + 6, k * n), (int(at) + 6, k * n + n), tuple(c * 0.8 for c in thread), 2, cv2.LINE_AA
            )
    return image


def _profile(turns: Floats) -> Floats:
    """Earlywood to latewood across one ring: a slow darkening and a sharp return; table lookup, -1..1."""
    index = (turns * np.float32(256.0)).astype(np.int32).astype(np.uint8)
    at = np.arange(256) / 256.0
    table = (1.0 - 2.0 * at**2.6).astype(np.float32)
    table[-14:] = np.linspace(table[-15], 1.0, 14)
    return np.asarray(cv2.LUT(index, table), np.float32)


def _bend(radius: Floats, kx: float, ky: float, kr: float) -> None:
    """Let the rings flow around a knot, in place."""
    reach = int(5 * kr)
    y0, y1, x0, x1 = (
        max(int(ky) - reach, 0),
        min(int(ky) + reach, N),
        max(int(kx) - 2 * reach, 0),
        min(int(kx) + 2 * reach, N),
    )
    x, y = axes()
    across, along = (y[y0:y1, x0:x1] - ky) / kr, (x[y0:y1, x0:x1] - kx) / (2.2 * kr)
    push = np.exp(-0.5 * (along**2 + (across * 0.55) ** 2)) * np.clip(1.6 - 0.3 * np.abs(across), 0.0, 2.0)
    radius[y0:y1, x0:x1] += (kr * 1.6 * push).astype(np.float32)


def _knot(rng: np.random.Generator, image: Image, kx: float, ky: float, kr: float, dark: np.ndarray) -> None:
    """Paint the knot itself: an oval with its own rings, a dark rim, sometimes a crack."""
    reach = int(2.2 * kr)
    y0, y1, x0, x1 = max(int(ky) - reach, 0), min(int(ky) + reach, N), max(int(kx) - reach, 0), min(int(kx) + reach, N)
    x, y = axes()
    away = np.hypot((x[y0:y1, x0:x1] - kx) / 1.25, y[y0:y1, x0:x1] - ky) / kr
    away += 0.08 * noise(rng, 4, 4, 128)[:1, :1].item()
    rings = 0.5 + 0.5 * np.cos(away * rng.uniform(14, 26))
    inside = np.clip((1.0 - away) * 4.0, 0.0, 1.0)
    rim = np.exp(-(((away - 1.0) / 0.16) ** 2))
    share = (np.clip(inside * (0.45 + 0.3 * rings) + 0.6 * rim, 0, 0.92) * rng.uniform(0.7, 1.0))[:, :, None]
    patch = image[y0:y1, x0:x1]
    core = dark * rng.uniform(0.6, 1.0)
    patch[:] = np.clip(patch * (1 - share) + core * share, 0, 255).astype(np.uint8)
    if rng.random() < 0.5:
        angle = rng.uniform(0, np.pi)
        step = np.array([np.cos(angle), np.sin(angle)]) * kr * 0.7
        points = [np.array([kx, ky]) + t * step + rng.normal(0, kr * 0.08, 2) for t in (-1, -0.4, 0.1, 0.6, 1)]
        cv2.polylines(
            image, [np.rint(points).astype(np.int32)], False, tuple(core * 0.4), 1 + int(kr > 14), cv2.LINE_AA
        )


def _pores(rng: np.random.Generator, image: Image, strength: float) -> Image:
    """Short dark dashes along the grain, in bands."""
    fine = noise(rng, 48, 512) + 0.8 * noise(rng, 3, 24)
    dashes = np.maximum(fine - 1.1, 0.0)
    return modulate(image, -np.minimum(dashes, 1.0), 0.35 * strength)


def _gaps(
    rng: np.random.Generator, image: Image, edges: np.ndarray, ends: np.ndarray, pieces: int, strength: float
) -> Image:
    """Dark lines with a lit and a shaded lip between the boards."""
    line = np.zeros((N, N), np.float32)
    width = int(rng.integers(1, 5))
    for k in range(len(edges) - 1):
        top, bottom = round(float(edges[k])), round(float(edges[k + 1]))
        line[max(top - width // 2, 0) : top + width // 2 + 1] = -1.0
        line[top + width // 2 + 1 : top + width // 2 + 3] = 0.25
        if pieces > 1:
            for end in ends[k]:
                line[top:bottom, int(end) : int(end) + max(width - 1, 1)] = -1.0
    soft = cv2.GaussianBlur(line, (0, 0), 0.8)
    return modulate(image, np.asarray(soft, np.float32), 0.8 * min(strength, 1.0))
