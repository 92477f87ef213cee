"""Light over a table: lamps with colour and direction, and what they do to a face."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.camera import Camera, Floats

Image = NDArray[np.uint8]


@dataclass(frozen=True)
class Lamp:
    """`direction` points from the table to the lamp (unit); `colour` is BGR around 1; `soft` blurs its shadow."""

    direction: Floats
    colour: Floats
    power: float
    soft: float
    size: float


@dataclass(frozen=True)
class Light:
    """All light of a scene: lamps plus what the room sends from everywhere."""

    lamps: tuple[Lamp, ...]
    ambient: Floats

    def on(self, normals: Floats) -> Floats:
        """BGR factor of a matt white surface with this normal (3,), or with each of these (n, 3)."""
        directions, strengths = self.beams
        up = np.maximum(normals[..., 2:3], 0.0)
        return np.asarray(self.ambient * (0.75 + 0.25 * up) + np.maximum(normals @ directions, 0.0) @ strengths)

    @cached_property
    def beams(self) -> tuple[Floats, Floats]:
        """Directions (3, lamps) and what each sends to a surface square to it (lamps, 3)."""
        strengths = np.array([lamp.colour * lamp.power for lamp in self.lamps]).reshape(-1, 3)
        return np.array([lamp.direction for lamp in self.lamps]).reshape(-1, 3).T, strengths


def kelvin(temperature: float) -> Floats:
    """BGR multipliers of a black body's light against 5500 K (Tanner Helland's fit, luminance kept)."""
    t = temperature / 100.0
    red = 255.0 if t <= 66 else 329.7 * (t - 60) ** -0.1332
    green = 99.47 * np.log(t) - 161.12 if t <= 66 else 288.12 * (t - 60) ** -0.0755
    blue = 255.0 if t >= 66 else (138.52 * np.log(t - 10) - 305.04 if t > 19 else 0.0)
    rgb = np.clip([blue, green, red], 1, 255)
    white = np.array([235.0, 241.0, 255.0])
    out = rgb / white
    return out / (out @ [0.114, 0.587, 0.299])


def random_light(rng: np.random.Generator, to_camera: Floats) -> Light:
    """One to three lamps, a share of ambient light, colours from candle to overcast sky; now and then a flash.

    `to_camera`: unit vector from the pieces to the camera, where a flash sits.
    """
    count = int(rng.choice([1, 2, 3], p=[0.55, 0.33, 0.12]))
    base = rng.uniform(2500, 7500)
    ambient_share = rng.uniform(0.3, 0.92)
    powers = rng.dirichlet(np.ones(count)) * (1 - ambient_share) * rng.uniform(1.0, 1.7)
    lamps = []
    for power in powers:
        azimuth = rng.uniform(0, 2 * np.pi)
        height = np.arcsin(rng.uniform(0.25, 0.98))
        direction = np.array([np.cos(height) * np.cos(azimuth), np.cos(height) * np.sin(azimuth), np.sin(height)])
        near = base if rng.random() < 0.7 else rng.uniform(2500, 7500)
        soft = float(rng.choice([0.02, 0.1, 0.3, 0.8]))
        lamps.append(Lamp(direction, kelvin(near), float(power), soft, rng.uniform(25, 500)))
    if rng.random() < 0.07:
        flash = to_camera + rng.normal(0, 0.02, 3)
        flash[2] = max(flash[2], 0.2)
        power = float(rng.uniform(0.35, 0.9))
        lamps.append(Lamp(flash / np.linalg.norm(flash), kelvin(5600), power, 0.05, rng.uniform(40, 400)))
        ambient_share *= rng.uniform(0.4, 0.9)
    light = Light(tuple(lamps), kelvin(rng.uniform(3500, 7500)) * ambient_share)
    # a phone's white balance takes most of the lamps' common colour away, never all of it
    common = light.on(np.array([0.0, 0.0, 1.0]))
    undo = (common.mean() / common) ** (rng.uniform(0.85, 1.0) if rng.random() < 0.82 else rng.uniform(0.45, 0.9))
    balanced = tuple(replace(lamp, colour=lamp.colour * undo) for lamp in light.lamps)
    # what is white shall just not be blown out: that is left to the camera
    level = min(1.0, 0.95 / float((common * undo).max()))
    balanced = tuple(replace(lamp, power=lamp.power * level) for lamp in balanced)
    return Light(balanced, light.ambient * undo * level)


@dataclass(frozen=True)
class Facing:
    """How one face stands to a scene's lamps.

    `level` (3,): the light on it while it is even, BGR. `slopes` (3, 2): what each channel gains with a slope to the
    right and to the foot. `lit`, `near`: for each lamp whether it shines on the face, and how near to its mirror
    direction the face comes. `half` (lamps, 4, 3): the directions between lamp and camera at its corners, in its own
    axes.
    """

    level: Floats
    slopes: Floats
    lit: list[bool]
    near: list[float]
    half: NDArray[np.float32]


def facings(light: Light, camera: Camera, axes: Floats, corners: Floats) -> list[Facing]:
    """How faces with these axes (n, 3, 3) and corners (n, 4, 3) stand to the lamps."""
    directions, strengths = light.beams
    aligned = axes @ directions
    lit = aligned[:, 2] > 0
    up = np.maximum(axes[:, 2, 2:], 0.0)
    level = light.ambient * (0.75 + 0.25 * up) + np.where(lit, aligned[:, 2], 0.0) @ strengths
    slopes = -np.einsum("lc,nkl->nck", strengths, np.where(lit[:, None], aligned[:, :2], 0.0))
    view = camera.position - corners
    view /= np.linalg.norm(view, axis=-1, keepdims=True)
    half = view[:, None] + directions.T[:, None]
    half /= np.linalg.norm(half, axis=-1, keepdims=True)
    half = (half @ axes.transpose(0, 2, 1)[:, None]).astype(np.float32)
    near = half[..., 2].max(-1)
    return [Facing(*parts) for parts in zip(level, slopes, lit.tolist(), near.tolist(), half, strict=True)]


def shade(
    albedo: Image,
    relief: NDArray[np.float32] | None,
    gloss: NDArray[np.float32] | float,
    aspect: float,
    facing: Facing,
    light: Light,
    shine: float,
) -> Image:
    """A face as lit, BGR: matt shading, relief and the lamps' mirror spots.

    `relief` is a height in tile widths on the albedo's own grid; `gloss` of any size; `aspect`: the face's height in
    widths.
    """
    h, w = albedo.shape[:2]
    gx = gy = None
    if relief is not None:
        gx = cv2.Sobel(relief, cv2.CV_32F, 1, 0, scale=w / 8.0)
        gy = cv2.Sobel(relief, cv2.CV_32F, 0, 1, scale=h / 8.0 / aspect)
    if gx is None or gy is None:
        # one gain a channel for the whole face
        out = cv2.transform(albedo, np.diag(facing.level))
    else:
        # a slope gains or loses each lamp's light in proportion; what turns away from all of them is black
        gain = cv2.transform(cv2.merge([gx, gy]), np.column_stack([facing.slopes, facing.level]))
        out = cv2.multiply(albedo, gain, dtype=cv2.CV_8U)
    for k, lamp in enumerate(light.lamps):
        reach = max(facing.near[k] if gx is None else min(facing.near[k] + 0.15, 1.0), 0.0)
        if not facing.lit[k] or shine <= 0.01 or reach**lamp.size < 0.02:
            continue
        field = cv2.resize(facing.half[k][[0, 1, 3, 2]].reshape(2, 2, 3), (w, h), interpolation=cv2.INTER_LINEAR)
        aligned = field[..., 2] if gx is None else field[..., 2] - gx * field[..., 0] - gy * field[..., 1]
        if isinstance(gloss, np.ndarray) and gloss.shape != (h, w):
            gloss = np.asarray(cv2.resize(gloss, (w, h), interpolation=cv2.INTER_AREA), np.float32)
        mirror = cv2.pow(np.clip(aligned, 0, 1), float(lamp.size)) * (gloss * np.float32(190 * shine))
        tint = (0.35 + 0.65 * lamp.colour) * min(lamp.power * 1.6, 1.0)
        spot = cv2.merge([cv2.convertScaleAbs(mirror, alpha=part) for part in tint.tolist()])
        out = cv2.add(out, spot)
    return np.asarray(out, np.uint8)
