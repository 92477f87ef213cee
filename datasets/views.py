"""Where tiles lie in the picture and how they are lit, worked out for all tiles of a scene at once.

A scene has dozens of tiles of a few dozen points each: a step over all of them costs hardly more than over one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from datasets.camera import Camera, Floats
from datasets.lamps import Facing, Light, facings
from datasets.slabs import CORNERS, Body

SHIFT = 4
FARTHEST = 20_000.0
"""Pixels from the picture beyond which a shape is taken for one behind the camera."""
LEAST_BEVEL = 0.004

Drawn = NDArray[np.int32]
Colour = list[float]


def fixed(points: Floats, origin: Floats | Sequence[float] = (0.0, 0.0)) -> Drawn:
    """Points in pixels as OpenCV draws them: sixteenths, from the first pixel's centre, relative to `origin`."""
    out = (points - origin - 0.5) * float(1 << SHIFT)
    return np.rint(out, out=out).astype(np.int32)


@dataclass(frozen=True)
class SlabView:
    """One tile as a camera sees it. What is drawn is in sixteenths of a pixel, as `fixed` gives it.

    `seen`: at least partly in the picture. `hull` (2 n, 2): the edge of its face, then that of its foot. `walls`: by
    number the edge's points from which a wall that faces the camera runs to the next point, with its colour.
    `bevels`: from the outermost, what is filled before the face, with its colour. `face` (n, 2): the outline within
    the bevel, and `quad` (4, 2): the face's own corners, in pixels. `inside`: the outline keeps clear of the corners.
    """

    seen: bool
    hull: Drawn
    walls: tuple[tuple[int, Colour], ...]
    bevels: tuple[tuple[Drawn, Colour], ...]
    face: Floats
    quad: Floats
    inside: bool
    facing: Facing


def slab_views(camera: Camera, light: Light, bodies: Sequence[Body], side: Floats, bevel: float) -> list[SlabView]:
    """How each flat body is seen. `side`: the walls' colour in BGR; `bevel`: its width in tile widths."""
    groups: dict[tuple[float, float, float, float, int, int], list[int]] = {}
    centres = np.array([body.pose.centre for body in bodies]).reshape(-1, 3)
    nearness = (camera.focal / np.maximum(camera.depth(centres), 0.5)).tolist()
    for k, (body, near) in enumerate(zip(bodies, nearness, strict=True)):
        steps = 4 if near > 60 else 3 if near > 30 else 2
        rings = 0 if bevel <= LEAST_BEVEL else 3 if near > 70 else 1
        groups.setdefault((body.width, body.height, body.corner, body.thickness, steps, rings), []).append(k)
    views: dict[int, SlabView] = {}
    for (*_, steps, rings), members in groups.items():
        like = [bodies[k] for k in members]
        inside = [bevel * nearness[k] > 2.0 and rings > 0 for k in members]
        views.update(zip(members, _alike(camera, light, like, side, bevel, steps, rings, inside), strict=True))
    return [views[k] for k in range(len(bodies))]


def _alike(
    camera: Camera,
    light: Light,
    bodies: Sequence[Body],
    side: Floats,
    bevel: float,
    steps: int,
    rings: int,
    inside: Sequence[bool],
) -> list[SlabView]:
    """The views of bodies of one size that are drawn with as many points."""
    first = bodies[0]
    size = np.array([first.width, first.height])
    edge = (first.outline(steps) - 0.5) * size
    n = len(edge)
    shrunk = [edge * (1 - 2 * bevel * (k + 1) / rings / size) for k in range(rings)]
    flat = np.concatenate([edge, edge, *shrunk, (CORNERS - 0.5) * size])
    local = np.column_stack([flat, np.zeros(len(flat))])
    local[n : 2 * n, 2] = -first.thickness
    axes = np.array([body.pose.axes for body in bodies])
    world = local @ axes + np.array([body.pose.centre for body in bodies])[:, None]
    pixels = camera.project(world.reshape(-1, 3)).reshape(len(bodies), -1, 2)
    # lists at once: a body's few numbers are quicker to fetch from them
    low, high = pixels[:, : 2 * n].min(1), pixels[:, : 2 * n].max(1)
    frame = np.array([camera.width, camera.height])
    seen = ((low > -FARTHEST) & (high < FARTHEST) & (low < frame) & (high > 0)).all(1).tolist()
    drawn = fixed(np.clip(pixels[:, : (2 + rings) * n], -FARTHEST, FARTHEST))
    outward = first.edges_out(steps) @ axes[:, :2]
    towards = (((camera.position - world[:, :n]) * outward).sum(-1) > 0).tolist()
    walls = (side * light.on(outward) * 0.93).tolist()
    bright = _bevel_colours(light, axes[:, 2], side, rings).tolist()
    facing = facings(light, camera, axes, world[:, -4:])
    views = []
    for k in range(len(bodies)):
        before = [drawn[k, :n], *(drawn[k, (2 + r) * n : (3 + r) * n] for r in range(rings - 1))]
        views.append(
            SlabView(
                seen=seen[k],
                hull=drawn[k, : 2 * n],
                walls=tuple((i, colour) for i, colour in enumerate(walls[k]) if towards[k][i]),
                bevels=tuple(zip(before[:rings], bright[k], strict=True)),
                face=pixels[k, -4 - n : -4] if rings else pixels[k, :n],
                quad=pixels[k, -4:],
                inside=inside[k],
                facing=facing[k],
            )
        )
    return views


def _bevel_colours(light: Light, normals: Floats, side: Floats, rings: int) -> Floats:
    """The bevel turns from the wall to the face: each of its rings is lit as one plane that leans to the lamp.

    (n, rings, 3) for faces with these normals (n, 3).
    """
    lamp = light.lamps[0].direction
    lean = lamp - (normals @ lamp)[:, None] * normals
    part = 0.6 - 0.4 * np.arange(rings) / max(rings, 1)
    tilted = normals[:, None] + part[:, None] * lean[:, None]
    tilted /= np.linalg.norm(tilted, axis=-1, keepdims=True)
    return np.asarray(side * np.clip(light.on(tilted) * 1.02, 0, 1.15))
