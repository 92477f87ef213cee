"""The table under the pieces and the room beyond its edge, painted on a canvas."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.camera import Floats
from datasets.paint import Canvas
from datasets.surfaces import Surface, backdrop, rack_texture, surface

Rng = np.random.Generator
SURFACES = 4
"""Raised when surfaces are drawn or kept otherwise than before: those on disk are then left alone."""
SURFACE_COUNT, RACK_COUNT = 320, 96
UP = np.array([0.0, 0.0, 1.0])
STEP = 8
"""Light over the table is worked out at every so many pixels."""


def cache_folder() -> Path:
    """Where drawn surfaces are kept: REMI_CACHE, else `~/.cache/remi-companion`."""
    return Path(os.environ.get("REMI_CACHE", Path.home() / ".cache" / "remi-companion")) / f"surfaces-{SURFACES}"


def _write(path: Path, texture: NDArray[np.uint8]) -> None:
    """Whole or not at all: several workers may want the same one."""
    draft = path.with_name(f"{path.stem}.{os.getpid()}.tmp.npy")
    np.save(draft, texture)
    os.replace(draft, path)


def _half(texture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.asarray(cv2.resize(texture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA), np.uint8)


def _kept(name: str, make: Callable[[], Surface], smaller: int) -> Surface:
    """A surface that is drawn once and kept on disk, also at half its size and so on `smaller` times, since drawing
    it costs more than a scene."""
    folder = cache_folder()
    textures = [folder / f"{name}{f'-{k}' if k else ''}.npy" for k in range(smaller + 1)]
    rest = folder / f"{name}.json"
    if not (textures[0].exists() and rest.exists()):
        made = make()
        folder.mkdir(parents=True, exist_ok=True)
        _write(textures[0], made.texture)
        kept = {"scale": made.scale, "gloss": made.gloss, "bump": made.bump, "kind": made.kind}
        draft = rest.with_name(f"{name}.{os.getpid()}.tmp.json")
        draft.write_text(json.dumps(kept))
        os.replace(draft, rest)
    for larger, path in pairwise(textures):
        if not path.exists():
            _write(path, _half(np.load(larger)))
    # read as far as it is looked at: most pictures need a small one alone
    full, *halves = (np.asarray(np.load(path, mmap_mode="r")) for path in textures)
    return Surface(full, **json.loads(rest.read_text()), smaller=tuple(halves))


@lru_cache(maxsize=48)
def pooled_surface(number: int) -> Surface:
    """Surface number `number` of `SURFACE_COUNT`."""
    return _kept(f"{number:04d}", lambda: surface(np.random.default_rng(number)), 2)


@lru_cache(maxsize=24)
def pooled_rack(number: int) -> NDArray[np.uint8]:
    """Material number `number` of `RACK_COUNT` for a rack (256, 1024, 3)."""

    def make() -> Surface:
        return Surface(rack_texture(np.random.default_rng([number, 7]))[0], 30.0, 0.0, 0.0, "rack")

    return _kept(f"rack-{number:04d}", make, 0).texture


def paint_table(canvas: Canvas, ground: Surface, rng: Rng) -> None:
    """Lays a surface over the whole picture, lit and with the lamps' mirror spots; beyond its edge lies the room."""
    camera, light = canvas.camera, canvas.light
    size = (camera.width, camera.height)
    table = _textured(canvas, ground, rng)
    rays = camera.rays(STEP)
    down = -rays[..., 2]
    edge = rng.uniform(14, 60) if rng.random() < 0.5 else 400.0
    reach = camera.position[2] / np.maximum(down, 1e-4)
    hit = camera.position[:2] + rays[..., :2] * reach[..., None]
    far = np.abs(hit).max(-1)
    # distance to the table's edge is smooth where a yes or no would leave steps
    inside = np.where(down > 1e-3, np.clip(edge - far, -40, 40), -40).astype(np.float32)
    lit = cv2.transform(table, np.diag(light.on(UP)))
    glow = _glow(canvas, ground, rays)
    if glow is not None:
        lit = cv2.add(lit, cv2.resize(glow, size))
    if inside.min() < 0.5:
        cover = np.clip(cv2.resize(inside, size, interpolation=cv2.INTER_LINEAR) * 12, 0, 1)
        lit = cv2.blendLinear(lit, backdrop(rng, camera.height, camera.width), cover, 1 - cover)
    canvas.pixels = np.asarray(lit, np.uint8)


def _textured(canvas: Canvas, ground: Surface, rng: Rng) -> NDArray[np.uint8]:
    camera = canvas.camera
    n = ground.texture.shape[0]
    per_unit = n / ground.scale
    density = camera.focal / max(float(camera.position[2]), 0.5)
    texture, smaller, shrink = ground.texture, list(ground.smaller), 1.0
    while per_unit * shrink / density > 1.6 and texture.shape[0] > 16:
        texture = smaller.pop(0) if smaller else _half(texture)
        shrink /= 2
    a = rng.uniform(0, 2 * np.pi)
    offset = rng.uniform(0, n, 2)
    c, s = np.cos(a) * per_unit * shrink, np.sin(a) * per_unit * shrink
    to_texture = np.array([[c, -s, offset[0]], [s, c, offset[1]], [0, 0, 1]])
    matrix = to_texture @ np.linalg.inv(camera.table_homography())
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    size = (camera.width, camera.height)
    return np.asarray(cv2.warpPerspective(texture, matrix, size, flags=flags, borderMode=cv2.BORDER_WRAP), np.uint8)


def _glow(canvas: Canvas, ground: Surface, rays: Floats) -> NDArray[np.uint8] | None:
    """The lamps mirrored in the table, on the coarse grid of `rays`."""
    if ground.gloss <= 0.05:
        return None
    view = -rays / np.linalg.norm(rays, axis=-1, keepdims=True)
    glow = np.zeros(rays.shape)
    for lamp in canvas.light.lamps:
        half = view + lamp.direction
        half /= np.linalg.norm(half, axis=-1, keepdims=True)
        spot = np.clip(half[..., 2], 0, 1) ** lamp.size * ground.gloss * min(lamp.power * 1.5, 1.0) * 235
        glow += spot[..., None] * (0.35 + 0.65 * lamp.colour)
    return np.clip(glow, 0, 255).astype(np.uint8) if glow.max() > 2 else None
