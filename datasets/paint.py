"""A canvas that bodies, surfaces and sprites are painted on, with who-is-where kept beside the colours."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.camera import Camera, Floats
from datasets.lamps import Lamp, Light, shade
from datasets.slabs import CORNERS, Body

Image = NDArray[np.uint8]
SHIFT = 4
NOBODY = -1


class Canvas:
    """BGR picture (h, w, 3) uint8 and `ids` (h, w) int16: the index of the body seen at each pixel."""

    def __init__(self, camera: Camera, light: Light) -> None:
        self.camera, self.light = camera, light
        self.pixels: Image = np.zeros((camera.height, camera.width, 3), np.uint8)
        self.ids = np.full((camera.height, camera.width), NOBODY, np.int16)

    def fill(self, polygon: Floats, colour: Floats, ident: int = NOBODY) -> None:
        """Fills a polygon (n, 2) in pixels with one BGR colour."""
        if not _near(polygon, self.pixels):
            return
        fixed = np.round((polygon - 0.5) * (1 << SHIFT)).astype(np.int32)
        bgr = tuple(float(c) for c in np.clip(colour, 0, 255))
        cv2.fillPoly(self.pixels, [fixed], bgr, cv2.LINE_AA, SHIFT)
        cv2.fillPoly(self.ids, [fixed], ident, cv2.LINE_8, SHIFT)

    def warp(
        self,
        texture: NDArray[np.float32] | Image,
        quad: Floats,
        outline: Floats,
        ident: int = NOBODY,
        alpha: NDArray[np.float32] | None = None,
    ) -> None:
        """Lays a texture into the picture: its corners go to `quad` (4, 2), cut to `outline` (n, 2) pixels."""
        height, width = self.ids.shape
        if not _near(outline, self.pixels):
            return
        x0, y0 = np.maximum(np.floor(outline.min(0)).astype(int) - 1, 0)
        x1, y1 = np.minimum(np.ceil(outline.max(0)).astype(int) + 2, (width, height))
        if x1 <= x0 or y1 <= y0:
            return
        h, w = texture.shape[:2]
        source = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32) - 0.5
        matrix = cv2.getPerspectiveTransform(source, (quad - (x0, y0)).astype(np.float32) - 0.5)
        roi = (int(x1 - x0), int(y1 - y0))
        patch = cv2.warpPerspective(texture, matrix, roi, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        fixed = np.round((outline - (x0, y0) - 0.5) * (1 << SHIFT)).astype(np.int32)
        mask = np.zeros((roi[1], roi[0]), np.uint8)
        cv2.fillPoly(mask, [fixed], 255, cv2.LINE_AA, SHIFT)
        cover = mask.astype(np.float32)[..., None] * np.float32(1 / 255)
        if alpha is not None:
            cover = cover * cv2.warpPerspective(alpha, matrix, roi, flags=cv2.INTER_LINEAR)[..., None]
        area = self.pixels[y0:y1, x0:x1]
        mixed = area + (np.clip(patch, 0, 255) - area) * cover
        self.pixels[y0:y1, x0:x1] = mixed.astype(np.uint8)
        self.ids[y0:y1, x0:x1][cover[..., 0] > 0.5] = ident

    def darken(self, polygons: list[Floats], lamp: Lamp, strength: float, blur: float) -> None:
        """A lamp's shadow: the polygons (pixels) lose `strength` of the light, edges blurred by `blur` pixels."""
        shapes = [p for p in polygons if _near(p, self.pixels)]
        if not shapes:
            return
        every = np.concatenate(shapes)
        pad = int(3 * blur) + 2
        height, width = self.ids.shape
        x0, y0 = np.maximum(np.floor(every.min(0)).astype(int) - pad, 0)
        x1, y1 = np.minimum(np.ceil(every.max(0)).astype(int) + pad, (width, height))
        if x1 <= x0 or y1 <= y0:
            return
        mask = np.zeros((int(y1 - y0), int(x1 - x0)), np.uint8)
        for shape in shapes:
            hull = cv2.convexHull(np.round((shape - (x0, y0)) * 16).astype(np.int32))
            cv2.fillPoly(mask, [hull], 255, cv2.LINE_AA, SHIFT)
        if blur > 0.4:
            mask = cv2.GaussianBlur(mask, (0, 0), min(blur, 30.0))
        loss = (lamp.colour * (strength / 255)).astype(np.float32)
        area = self.pixels[y0:y1, x0:x1]
        kept = 1 - mask[..., None] * np.clip(loss, 0, 0.95 / 255)
        self.pixels[y0:y1, x0:x1] = (area * kept).astype(np.uint8)


def _near(polygon: Floats, pixels: Image) -> bool:
    """Is the polygon sane and at least partly in the picture?"""
    height, width = pixels.shape[:2]
    low, high = polygon.min(0), polygon.max(0)
    if not np.isfinite(polygon).all() or np.abs(polygon).max() > 20_000:
        return False
    return bool(low[0] < width and low[1] < height and high[0] > 0 and high[1] > 0)


def shadow_shapes(bodies: list[Body], lamp: Lamp, camera: Camera, floor: float) -> list[Floats]:
    """Where bodies keep a lamp's light off the level `floor`, as outlines in pixels."""
    shapes = []
    for body in bodies:
        top = body.points(body.outline(steps=2))
        reach = (top[:, 2:3] - floor) / max(lamp.direction[2], 0.2)
        thrown = top - reach * lamp.direction
        low = body.points(body.outline(steps=2), body.thickness)
        low[:, 2] = floor
        shapes.append(camera.project(np.concatenate([thrown, low])))
    return shapes


def paint_slab(
    canvas: Canvas,
    body: Body,
    albedo: Image,
    relief: NDArray[np.float32] | None,
    gloss: NDArray[np.float32] | float,
    side: Floats,
    shine: float,
    bevel: float,
    ident: int,
) -> None:
    """A tile: its side walls as lit, a bevel round the face, the face itself."""
    camera, light, pose = canvas.camera, canvas.light, body.pose
    ring = body.outline()
    top = body.points(ring)
    low = body.points(ring, body.thickness)
    edge = np.roll(top, -1, 0) - top
    outward = np.cross(edge, pose.normal)
    outward /= np.maximum(np.linalg.norm(outward, axis=1, keepdims=True), 1e-9)
    away = ((top + edge / 2 - pose.centre) * outward).sum(1)
    outward *= np.where(away < 0, -1.0, 1.0)[:, None]
    faces_us = (outward * (camera.position - top)).sum(1) > 0
    flat_top, flat_low = camera.project(top), camera.project(low)
    for i in np.flatnonzero(faces_us):
        j = (i + 1) % len(ring)
        colour = side * light.on(outward[i]) * 0.93
        canvas.fill(np.stack([flat_top[i], flat_top[j], flat_low[j], flat_low[i]]), colour, ident)
    if bevel > 0.004:
        # the bevel turns from the wall to the face; each ring is lit as one plane that leans to the lamp
        lamp = light.lamps[0].direction
        lean = lamp - (lamp @ pose.normal) * pose.normal
        rings = 3 if np.ptp(flat_top[:, 0]) > 70 else 1
        for k in range(rings):
            tilt = pose.normal + (0.6 - 0.4 * k / rings) * lean
            bright = np.clip(light.on(tilt / np.linalg.norm(tilt)) * 1.02, 0, 1.15)
            canvas.fill(flat_top, side * bright, ident)
            scale = 1 - 2 * bevel * (k + 1) / rings / np.array([body.width, body.height])
            flat_top = camera.project(body.points((ring - 0.5) * scale + 0.5))
    paint_face(canvas, body, albedo, relief, gloss, shine, flat_top, ident)


def paint_face(
    canvas: Canvas,
    body: Body,
    albedo: Image,
    relief: NDArray[np.float32] | None,
    gloss: NDArray[np.float32] | float,
    shine: float,
    outline: Floats,
    ident: int,
) -> None:
    """The face alone, at a resolution that fits its size in the picture; a bent one in strips."""
    camera = canvas.camera
    quad = camera.project(body.points(CORNERS))
    sides = np.linalg.norm(np.roll(quad, -1, 0) - quad, axis=1)
    aim = int(np.clip(max(sides[0], sides[2]) * 1.15, 10, albedo.shape[1]))
    if aim < albedo.shape[1]:
        shape = (aim, max(round(aim * albedo.shape[0] / albedo.shape[1]), 4))
        albedo = cv2.resize(albedo, shape, interpolation=cv2.INTER_AREA)
        relief = None if relief is None else cv2.resize(relief, shape, interpolation=cv2.INTER_AREA)
        if isinstance(gloss, np.ndarray):
            gloss = cv2.resize(gloss, shape, interpolation=cv2.INTER_AREA)
    lit = shade(albedo, relief, gloss, body, canvas.light, camera, shine)
    if abs(body.bend) < 0.01:
        canvas.warp(lit, quad, outline, ident)
        return
    strips, along = 4, body.bend_along
    for k in range(strips):
        low, high = k / strips, (k + 1) / strips
        uv = CORNERS.copy()
        uv[:, along] = low + uv[:, along] * (high - low)
        n = lit.shape[1 - along]
        a, b = round(low * n), round(high * n)
        part = lit[:, a:b] if along == 0 else lit[a:b]
        fall = 1 + body.bend * 0.35 * ((low + high) - 1)
        corner = camera.project(body.points(uv))
        # half a pixel of overlap hides the seams between strips
        grown = corner + 0.6 * (corner - corner.mean(0)) / np.linalg.norm(corner - corner.mean(0), axis=1)[:, None]
        canvas.warp(part * np.float32(fall), corner, grown, ident)
