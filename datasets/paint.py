"""A canvas that bodies, surfaces and sprites are painted on, with who-is-where kept beside the colours."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.camera import Camera, Floats
from datasets.lamps import Facing, Lamp, Light, facings, shade
from datasets.slabs import CORNERS, Body, outlines
from datasets.views import FARTHEST, SHIFT, SlabView, fixed, slab_views

Image = NDArray[np.uint8]
Masks = NDArray[np.float32]
NOBODY = -1
STRIPS = 6
"""How many flat strips stand for a bent sheet."""


class Canvas:
    """BGR picture (h, w, 3) uint8 and `ids` (h, w) int16: the index of the body seen at each pixel."""

    def __init__(self, camera: Camera, light: Light) -> None:
        self.camera, self.light = camera, light
        self.pixels: Image = np.zeros((camera.height, camera.width, 3), np.uint8)
        self.ids = np.full((camera.height, camera.width), NOBODY, np.int16)

    def sees(self, polygon: Floats) -> bool:
        """Is the polygon (n, 2) sane and at least partly in the picture?"""
        (x0, y0), (x1, y1) = polygon.min(0).tolist(), polygon.max(0).tolist()
        # a comparison with a value that is no number is False as well
        sane = x0 > -FARTHEST and y0 > -FARTHEST and x1 < FARTHEST and y1 < FARTHEST
        return bool(sane and x0 < self.camera.width and y0 < self.camera.height and x1 > 0 and y1 > 0)

    def nearness(self, body: Body) -> float:
        """Pixels that a tile's width spans where the body lies, as if it faced the camera."""
        far = float((body.pose.centre - self.camera.position) @ self.camera.axes[2])
        return self.camera.focal / max(far, 0.5)

    def shows(self, body: Body) -> bool:
        """May anything of the body be in the picture? Says yes to some that just miss it."""
        x, y, far = (self.camera.axes @ (body.pose.centre - self.camera.position)).tolist()
        near = self.camera.focal / max(far, 0.5)
        # a lens bends the picture's rim by some hundredths
        reach = near * (body.width + body.height) + 0.1 * max(self.camera.width, self.camera.height)
        return abs(x) * near < self.camera.width / 2 + reach and abs(y) * near < self.camera.height / 2 + reach

    def fill(self, polygon: Floats, colour: Floats, ident: int | None = NOBODY) -> None:
        """Fills a polygon (n, 2) in pixels with one BGR colour; `ident` None leaves `ids` as they are."""
        if not self.sees(polygon):
            return
        points = [fixed(polygon)]
        bgr = tuple(float(c) for c in colour)
        cv2.fillPoly(self.pixels, points, bgr, cv2.LINE_AA, SHIFT)
        if ident is not None:
            cv2.fillPoly(self.ids, points, ident, cv2.LINE_8, SHIFT)

    def warp(
        self, texture: Image, quad: Floats, outline: Floats, ident: int | None = NOBODY, *, inside: bool = False
    ) -> None:
        """Lays a texture into the picture: its corners go to `quad` (4, 2), cut to `outline` (n, 2) pixels.

        `ident` None leaves `ids` as they are; `inside`: the outline keeps clear of the texture's border.
        """
        box = self.box(outline)
        if box is None:
            return
        x0, y0, x1, y1 = box
        roi = (x1 - x0, y1 - y0)
        matrix = _to_quad(texture, quad - (x0, y0))
        # a border of one colour is quicker to fetch from
        border = cv2.BORDER_CONSTANT if inside else cv2.BORDER_REPLICATE
        patch = cv2.warpPerspective(texture, matrix, roi, flags=cv2.INTER_LINEAR, borderMode=border)
        self._blend(patch, _cover(outline - (x0, y0), roi), box, ident)

    def stamp(self, sheet: Image, quad: Floats) -> None:
        """Lays a sheet (h, w, 4) over the picture, its corners at `quad` (4, 2): colours weighted by their cover, and
        the cover itself. Nobody is seen where it covers."""
        box = self.box(quad)
        if box is None:
            return
        x0, y0, x1, y1 = box
        patch = cv2.warpPerspective(sheet, _to_quad(sheet, quad - (x0, y0)), (x1 - x0, y1 - y0), flags=cv2.INTER_LINEAR)
        blue, green, red, cover = cv2.split(patch)
        rest = cv2.bitwise_not(cover)
        area = self.pixels[y0:y1, x0:x1]
        under = cv2.multiply(area, cv2.merge([rest, rest, rest]), scale=1 / 255)
        area[:] = cv2.add(under, cv2.merge([blue, green, red]))
        self.ids[y0:y1, x0:x1][cover > 127] = NOBODY

    def shadow(self, cover: Image, quad: Floats, strength: float) -> None:
        """Takes `strength` of the light away where a sheet's cover (h, w) falls, its corners at `quad` (4, 2)."""
        box = self.box(quad)
        if box is None:
            return
        x0, y0, x1, y1 = box
        matrix = _to_quad(cover, quad - (x0, y0))
        mask = cv2.warpPerspective(cover, matrix, (x1 - x0, y1 - y0), flags=cv2.INTER_LINEAR)
        self._lose(np.asarray(mask, np.uint8), np.full(3, strength), box)

    def warp_strips(self, texture: Image, edges: Floats, along: int, outline: Floats, ident: int) -> None:
        """Lays a bent texture: `edges` (n + 1, 2, 2) are the ends of the lines, in pixels, where its n strips meet.

        `along` 0: the strips follow each other from left to right, the lines run down; 1: from head to foot.
        """
        box = self.box(outline)
        if box is None:
            return
        x0, y0, x1, y1 = box
        roi = (x1 - x0, y1 - y0)
        patch = np.empty((roi[1], roi[0], 3), np.uint8)
        count = len(edges) - 1
        size = texture.shape[1 - along]
        for k in range(count):
            a, b = round(k * size / count), round((k + 1) * size / count)
            part = texture[:, a:b] if along == 0 else texture[a:b]
            (p, q), (r, s) = edges[k] - (x0, y0), edges[k + 1] - (x0, y0)
            quad = np.array([p, r, s, q] if along == 0 else [p, q, s, r])
            lit = cv2.warpPerspective(
                np.ascontiguousarray(part), _to_quad(part, quad), roi, borderMode=cv2.BORDER_REPLICATE
            )
            # each strip covers all that follows, so that no seam shows the ground between two
            far = count - k + 0.5
            reach = np.array([p, q, q + (s - q) * far, p + (r - p) * far])
            mask = np.full((roi[1], roi[0]), 255 * (k == 0), np.uint8)
            if k:
                cv2.fillConvexPoly(mask, np.clip(fixed(reach), -(2**20), 2**20), 255, cv2.LINE_8, SHIFT)
            cv2.copyTo(lit, mask, patch)
        self._blend(patch, _cover(outline - (x0, y0), roi), box, ident)

    def darken(
        self, polygons: Sequence[Floats], lamp: Lamp, strength: float, blur: float, within: Floats | None = None
    ) -> None:
        """A lamp's shadow: within the convex hulls of the polygons (pixels) `strength` of the light is lost.

        Edges are blurred by `blur` pixels; `within` (n, 2): only there.
        """
        if not polygons:
            return
        sizes = np.array([len(p) for p in polygons])
        ends, every = np.cumsum(sizes), np.concatenate(polygons)
        low, high = np.minimum.reduceat(every, ends - sizes), np.maximum.reduceat(every, ends - sizes)
        sane = (low > -FARTHEST) & (high < FARTHEST)
        seen = np.flatnonzero((sane & (low < self.ids.shape[::-1]) & (high > 0)).all(1))
        box = self.box(np.concatenate([low[seen], high[seen]]), int(3 * blur) + 1) if len(seen) else None
        if box is None:
            return
        x0, y0, x1, y1 = box
        # a soft shadow has no detail: fewer pixels do
        coarse = 8 if blur > 20 else 4 if blur > 8 else 2 if blur > 3 else 1
        small = (max((x1 - x0) // coarse, 1), max((y1 - y0) // coarse, 1))
        mask = np.zeros((small[1], small[0]), np.uint8)
        near = np.clip(every - (x0, y0), -FARTHEST, FARTHEST)
        drawn = fixed(near * (small[0] / (x1 - x0), small[1] / (y1 - y0)))
        for k in seen.tolist():
            hull = cv2.convexHull(drawn[ends[k] - sizes[k] : ends[k]])
            cv2.fillConvexPoly(mask, hull, 255, cv2.LINE_AA, SHIFT)
        if blur > 0.4:
            mask = cv2.GaussianBlur(mask, (0, 0), min(blur, 30.0) / coarse)
        if coarse > 1:
            mask = cv2.resize(mask, (x1 - x0, y1 - y0), interpolation=cv2.INTER_LINEAR)
        if within is not None:
            inside = np.zeros(mask.shape, np.uint8)
            cv2.fillPoly(inside, [fixed(within, (x0, y0))], 255, cv2.LINE_AA, SHIFT)
            mask = cv2.min(mask, inside)
        self._lose(np.asarray(mask, np.uint8), np.minimum(lamp.colour * strength, 0.95), box)

    def box(self, outline: Floats, pad: int = 1) -> tuple[int, int, int, int] | None:
        """Whole pixels (x0, y0, x1, y1) round an outline, or None where nothing of it is in the picture."""
        (left, top), (right, foot) = outline.min(0).tolist(), outline.max(0).tolist()
        # a comparison with a value that is no number is False as well
        if not (left > -FARTHEST and top > -FARTHEST and right < FARTHEST and foot < FARTHEST):
            return None
        height, width = self.ids.shape
        x0, y0 = max(math.floor(left) - pad, 0), max(math.floor(top) - pad, 0)
        x1, y1 = min(math.ceil(right) + pad + 1, width), min(math.ceil(foot) + pad + 1, height)
        return (x0, y0, x1, y1) if x1 > x0 and y1 > y0 else None

    def _lose(self, mask: Image, loss: Floats, box: tuple[int, int, int, int]) -> None:
        """Where a mask is 255 so much of each channel (3,) is lost."""
        x0, y0, x1, y1 = box
        area = self.pixels[y0:y1, x0:x1]
        left = cv2.merge([cv2.convertScaleAbs(mask, alpha=-part, beta=255) for part in loss.tolist()])
        area[:] = cv2.multiply(area, left, scale=1 / 255)

    def _blend(self, patch: Image, cover: Masks, box: tuple[int, int, int, int], ident: int | None) -> None:
        x0, y0, x1, y1 = box
        area = self.pixels[y0:y1, x0:x1]
        area[:] = cv2.blendLinear(patch, np.ascontiguousarray(area), cover, 1 - cover)
        if ident is not None:
            self.ids[y0:y1, x0:x1][cover > 0.5] = ident


def _to_quad(texture: Image, quad: Floats) -> NDArray[np.float64]:
    h, w = texture.shape[:2]
    source = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32) - np.float32(0.5)
    return np.asarray(cv2.getPerspectiveTransform(source, quad.astype(np.float32) - np.float32(0.5)))


def _cover(outline: Floats, size: tuple[int, int]) -> Masks:
    """How much of each pixel lies within an outline, 0..1."""
    mask = np.zeros((size[1], size[0]), np.uint8)
    cv2.fillPoly(mask, [fixed(outline)], 255, cv2.LINE_AA, SHIFT)
    return mask * np.float32(1 / 255)


def thrown(points: Floats, lamp: Lamp, floor: float) -> Floats:
    """Where points (n, 3) cast their shadow on the level `floor` (n, 3)."""
    reach = (points[:, 2:3] - floor) / max(lamp.direction[2], 0.2)
    return np.asarray(points - reach * lamp.direction)


def shadow_shapes(bodies: Sequence[Body], lamps: Sequence[Lamp], camera: Camera, floor: float) -> list[list[Floats]]:
    """For each lamp where bodies keep its light off the level `floor`: points (n, 2) in pixels round each shadow."""
    if not bodies:
        return [[] for _ in lamps]
    both = outlines(bodies, drops=(0.0, 1.0))
    ends = np.cumsum([len(points) for points in both])
    spans = list(zip([0, *ends[:-1]], ends, strict=True))
    every = np.concatenate(both)
    shapes = []
    for lamp in lamps:
        flat = camera.project(thrown(every, lamp, floor))
        shapes.append([flat[a:b] for a, b in spans])
    return shapes


def paint_slab(
    canvas: Canvas,
    body: Body,
    albedo: Image,
    relief: Masks | None,
    gloss: Masks | float,
    side: Floats,
    shine: float,
    bevel: float,
    ident: int,
    view: SlabView | None = None,
) -> None:
    """A tile: its side walls as lit, a bevel round the face, the face itself. `view`: as `slab_views` gives it."""
    if view is None:
        view = slab_views(canvas.camera, canvas.light, [body], side, bevel)[0]
    if not view.seen:
        return
    # a slab is convex, so what it covers is the hull of its corners
    cv2.fillConvexPoly(canvas.ids, cv2.convexHull(view.hull), ident, cv2.LINE_8, SHIFT)
    count = len(view.hull) // 2
    for i, colour in view.walls:
        j = (i + 1) % count
        cv2.fillConvexPoly(canvas.pixels, view.hull[[i, j, j + count, i + count]], colour, cv2.LINE_AA, SHIFT)
    for ring, colour in view.bevels:
        cv2.fillConvexPoly(canvas.pixels, ring, colour, cv2.LINE_AA, SHIFT)
    lit = _lit_face(canvas, body, albedo, relief, gloss, shine, view.quad, view.facing)
    canvas.warp(lit, view.quad, view.face, None, inside=view.inside)


def _lit_face(
    canvas: Canvas,
    body: Body,
    albedo: Image,
    relief: Masks | None,
    gloss: Masks | float,
    shine: float,
    quad: Floats,
    facing: Facing,
) -> Image:
    """The face as lit, as many pixels wide as fits its corners `quad` in the picture."""
    (a, b), (c, d) = (quad[1] - quad[0]).tolist(), (quad[3] - quad[2]).tolist()
    h, w = albedo.shape[:2]
    aim = min(max(int(max(a * a + b * b, c * c + d * d) ** 0.5 * 1.15), 10), w)
    if aim < w:
        shape = (aim, max(round(aim * h / w), 4))
        # to half the size at most, four neighbours hold all there is
        how = cv2.INTER_LINEAR if w <= 2 * aim else cv2.INTER_AREA
        albedo = np.asarray(cv2.resize(albedo, shape, interpolation=how), np.uint8)
        relief = None if relief is None else cv2.resize(relief, shape, interpolation=how)
    return shade(albedo, relief, gloss, body.height / body.width, facing, canvas.light, shine)


def paint_face(
    canvas: Canvas,
    body: Body,
    albedo: Image,
    relief: Masks | None,
    gloss: Masks | float,
    shine: float,
    outline: Floats,
    ident: int,
) -> None:
    """The face alone, at a resolution that fits its size in the picture; a bent one in strips."""
    camera = canvas.camera
    corners = body.points(CORNERS)
    quad = camera.project(corners)
    facing = facings(canvas.light, camera, body.pose.axes[None], corners[None])[0]
    lit = _lit_face(canvas, body, albedo, relief, gloss, shine, quad, facing)
    if abs(body.bend) < 0.01:
        canvas.warp(lit, quad, outline, ident)
        return
    along = body.bend_along
    at = np.linspace(0, 1, STRIPS + 1)
    slope = body.bend * 8 * (at - 0.5) / (body.width if along == 0 else body.height)
    direction = body.pose.right if along == 0 else body.pose.down
    normals = body.pose.normal - slope[:, None] * direction
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    gain = (canvas.light.on(normals) / canvas.light.on(body.pose.normal)).mean(1).astype(np.float32)
    row = np.interp((np.arange(lit.shape[1 - along]) + 0.5) / lit.shape[1 - along], at, gain).astype(np.float32)
    fall = np.broadcast_to((row[None, :] if along == 0 else row[:, None])[..., None], lit.shape)
    lit = np.asarray(cv2.multiply(lit, np.ascontiguousarray(fall), dtype=cv2.CV_8U), np.uint8)
    ends = np.array([0.0, 1.0])
    uv = np.stack(np.meshgrid(at, ends, indexing="ij"), -1)
    uv = uv if along == 0 else uv[..., ::-1]
    edges = camera.project(body.points(uv.reshape(-1, 2))).reshape(STRIPS + 1, 2, 2)
    canvas.warp_strips(lit, edges, along, outline, ident)
