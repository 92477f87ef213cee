"""One rendered scene: a layout, a camera, light, what is painted, and labels exact by construction."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np

from datasets.camera import Camera, Floats
from datasets.clutter import occluder
from datasets.copies import CardCopies, TileCopies
from datasets.decks import deck
from datasets.develop import develop
from datasets.editions import edition
from datasets.ground import RACK_COUNT, SURFACE_COUNT, UP, paint_table, pooled_rack, pooled_surface
from datasets.lamps import Light, random_light
from datasets.layout import Layout
from datasets.paint import Canvas, paint_face, paint_slab, shadow_shapes
from datasets.racks import paint_rack
from datasets.racks import shadow as rack_shadow
from datasets.slabs import CORNERS, Body, outlines, placed
from datasets.stage import lay_out, place_camera
from datasets.things import paint_sprite, paint_things, paint_tray
from datasets.views import SlabView, fixed, slab_views

Rng = np.random.Generator
NUMERAL = np.array([[0.12, 0.06], [0.88, 0.06], [0.88, 0.66], [0.12, 0.66]])
"""Where a tile carries what is read, in face coordinates."""
CARD_EDGE = np.array([150.0, 150.0, 150.0])


@dataclass(frozen=True)
class Recipe:
    """What a data set is made of. `editions`, `decks`: how many there are to draw from.

    `scenario` and `pieces`: a name of `datasets.stage` and about how many pieces, where chance shall not decide.
    `block`: so many neighbouring scenes share a set. Drawing one for every two scenes costs a sixth more than one for
    sixteen, and networks that learn from it meet eight times as many designs.
    """

    kind: str = "tiles"
    size: int = 640
    editions: int = 600
    decks: int = 160
    held_out: bool = False
    scenario: str = ""
    pieces: int = 0
    block: int = 16


@dataclass(frozen=True)
class Rendered:
    """A finished scene: JPEG bytes and one label line (photos/README.md, extended)."""

    jpeg: bytes
    label: dict[str, Any]


@dataclass(frozen=True)
class Sets:
    """What a scene is played with; None where it has no tiles or no cards."""

    tiles: TileCopies | None
    cards: CardCopies | None


@dataclass(frozen=True)
class Painted:
    """A scene before it is developed: its geometry beside its pixels. `scale`: pixels a tile width in the middle."""

    scenario: str
    surface: str
    sets: Sets
    layout: Layout
    camera: Camera
    canvas: Canvas
    scale: float


@lru_cache(maxsize=2)
def _tiles(seed: int, block: int, number: int, held_out: bool) -> TileCopies:
    return TileCopies(edition(number, held_out), (seed << 32) + block)


@lru_cache(maxsize=2)
def _cards(seed: int, block: int, number: int, held_out: bool) -> CardCopies:
    return CardCopies(deck(number, held_out), (seed << 32) + block)


def render(seed: int, index: int, recipe: Recipe) -> Rendered:
    """Scene number `index` of the data set `seed`. The same three give the same bytes."""
    rng, kind, sets = _begin(seed, index, recipe)
    return photographed(rng, paint_scene(rng, sets, recipe), kind)


def photographed(rng: Rng, painted: Painted, kind: str) -> Rendered:
    """A painted scene as a camera's file, with its label."""
    sets = painted.sets
    grey, webcam = (0.05, 0.25) if kind == "cards" else (0.0, 0.06)
    photo = develop(painted.canvas.pixels, rng, scale=painted.scale, grey_chance=grey, webcam_chance=webcam)
    label = {
        "width": painted.camera.width,
        "height": painted.camera.height,
        "source": f"rendered-{kind}",
        "scenario": painted.scenario,
        "edition": sets.tiles and sets.tiles.edition.name,
        "deck": sets.cards and sets.cards.deck.name,
        "blur": round(photo.blur, 2),
        "surface": painted.surface,
        "pieces": labels(painted),
    }
    return Rendered(photo.jpeg, label)


def compose(seed: int, index: int, recipe: Recipe) -> Painted:
    """The scene that `render` develops, with its geometry: to look at, and to check labels against."""
    rng, _, sets = _begin(seed, index, recipe)
    return paint_scene(rng, sets, recipe)


def _begin(seed: int, index: int, recipe: Recipe) -> tuple[Rng, str, Sets]:
    rng = np.random.default_rng([seed, index, zlib.crc32(recipe.kind.encode())])
    kind = recipe.kind
    if kind == "mixed":
        kind = str(rng.choice(["tiles", "cards", "both"], p=[0.55, 0.4, 0.05]))
    number = index // recipe.block
    block = np.random.default_rng([seed, number])
    tiles, cards = int(block.integers(recipe.editions)), int(block.integers(recipe.decks))
    sets = Sets(
        _tiles(seed, number, tiles, recipe.held_out) if kind != "cards" else None,
        _cards(seed, number, cards, recipe.held_out) if kind != "tiles" else None,
    )
    return rng, kind, sets


def paint_scene(rng: Rng, sets: Sets, recipe: Recipe) -> Painted:
    """Lays out, photographs and paints one scene."""
    tiles, cards = sets.tiles and sets.tiles.edition, sets.cards and sets.cards.deck
    scenario, layout = lay_out(rng, tiles, cards, recipe.scenario, recipe.pieces)
    painted = paint_laid(rng, sets, scenario, layout, place_camera(rng, layout, scenario, recipe.size))
    if rng.random() < 0.14 and layout.bodies:
        middle = layout.bodies[int(rng.integers(len(layout.bodies)))].pose.centre
        over, spot = occluder(rng), middle[:2] + rng.normal(0, 1.6, 2)
        paint_sprite(painted.canvas, over, spot, turn=float(rng.uniform(0, 2 * np.pi)), lift=1.0)
    return painted


def paint_laid(rng: Rng, sets: Sets, scenario: str, layout: Layout, camera: Camera) -> Painted:
    """Lights and paints what lies already, as this camera sees it; `rng` chooses lamps, table and things about."""
    light = random_light(rng, -camera.axes[2])
    canvas = Canvas(camera, light)
    ground = pooled_surface(int(rng.integers(SURFACE_COUNT)))
    paint_table(canvas, ground, rng)
    scale = scale_of(camera, layout)
    paint_things(canvas, rng, layout.bodies, empty=scenario == "empty")
    paint_bodies(canvas, layout, sets, rng, scale)
    return Painted(scenario, ground.kind, sets, layout, camera, canvas, scale)


def paint_bodies(canvas: Canvas, layout: Layout, sets: Sets, rng: Rng, scale: float) -> None:
    """What lies in a layout, over its shadows; `scale` as `scale_of` gives it, `rng` chooses how much pieces shine."""
    _paint_shadows(canvas, layout, scale)
    _paint_pieces(canvas, layout, sets, rng, scale)


def scale_of(camera: Camera, layout: Layout) -> float:
    """Pixels of a tile's width where the middle of the pieces lies."""
    if not layout.bodies:
        return 40.0
    middle = np.mean([b.pose.centre for b in layout.bodies], 0)
    return float(camera.focal / max(camera.depth(middle[None])[0], 0.5))


def _lamp_share(light: Light, k: int) -> float:
    """How much of the light on a level surface comes from lamp number `k`."""
    lamp = light.lamps[k]
    return float((lamp.colour * lamp.power * lamp.direction[2] / light.on(UP)).mean())


def _paint_shadows(canvas: Canvas, layout: Layout, scale: float) -> None:
    """What lies on the table keeps each lamp's light off it, and closes off the room's light at its foot."""
    bodies = [b for b in layout.bodies if b.tier < 0 and not b.boxed]
    racks = rack_shadow(layout.rack, canvas) if layout.rack else None
    lamps = canvas.light.lamps
    for k, (lamp, shapes) in enumerate(zip(lamps, shadow_shapes(bodies, lamps, canvas.camera, 0.0), strict=True)):
        shapes += racks[k] if racks else []
        canvas.darken(shapes, lamp, _lamp_share(canvas.light, k), lamp.soft * scale * 0.35)
    feet = outlines([b for b in bodies if b.level == 0], 1.05, (1.0,))
    if feet:
        ends = np.cumsum([len(points) for points in feet])
        flat = canvas.camera.project(np.concatenate(feet))
        grown = [flat[a:b] for a, b in zip([0, *ends[:-1]], ends, strict=True)]
        canvas.darken(grown, lamps[0], 0.3, 0.09 * scale)


def _paint_pieces(canvas: Canvas, layout: Layout, sets: Sets, rng: Rng, scale: float) -> None:
    """All pieces from the farthest to the nearest, with the rack and the open box at their places among them."""
    camera, bodies = canvas.camera, layout.bodies
    shine = {"tile": float(rng.uniform(0, 1.0)), "card": float(rng.uniform(0, 0.9))}
    number = {id(body): k for k, body in enumerate(bodies)}
    depths = camera.depth(np.array([b.pose.centre for b in bodies]).reshape(-1, 3)).tolist()
    views: dict[int, SlabView] = {}
    if sets.tiles:
        tiles, flat = sets.tiles.edition, [k for k, b in enumerate(bodies) if b.kind == "tile"]
        side = np.array(tiles.side_bgr, float)
        seen = slab_views(camera, canvas.light, [bodies[k] for k in flat], side, tiles.bevel)
        views = dict(zip(flat, seen, strict=True))

    def paint(body: Body) -> None:
        ident = number[id(body)]
        _paint_piece(canvas, body, ident, sets, shine[body.kind], scale, views.get(ident))

    def far(body: Body) -> float:
        return depths[number[id(body)]]

    if layout.tray:
        paint_tray(canvas, layout.tray, near=False)
        for body in sorted((b for b in layout.bodies if b.boxed), key=lambda b: b.level):
            paint(body)
        paint_tray(canvas, layout.tray, near=True)
    lying = sorted((b for b in layout.bodies if b.tier < 0 and not b.boxed), key=lambda b: (b.level, -far(b)))
    before = lying
    if layout.rack:
        texture = pooled_rack(int(rng.integers(RACK_COUNT)))
        middle = float(camera.depth(layout.rack.world(np.array([[0.0, 0.0, 0.0]])))[0])
        for body in lying:
            if far(body) > middle:
                paint(body)
        before = [b for b in lying if far(b) <= middle]
        tiers = [[b for b in layout.bodies if b.tier == k] for k in range(len(layout.rack.tiers))]
        paint_rack(canvas, layout.rack, texture, tiers, paint, scale)
    for body in before:
        paint(body)


def _paint_piece(
    canvas: Canvas, body: Body, ident: int, sets: Sets, shine: float, scale: float, view: SlabView | None
) -> None:
    camera = canvas.camera
    if not canvas.shows(body):
        return
    if body.level > 0:
        floor = max(float(body.pose.centre[2]) - body.thickness - 0.03, 0.0)
        shade = shadow_shapes([body], canvas.light.lamps[:1], camera, floor)[0]
        canvas.darken(shade, canvas.light.lamps[0], 0.35, max(0.035 * scale, 0.6))
    if body.kind == "tile" and sets.tiles:
        tiles = sets.tiles.edition
        near = canvas.nearness(body)
        face = sets.tiles.face(body.code, body.copy, near)
        gloss = tiles.gloss if face.gloss is None else face.gloss * np.float32(tiles.gloss)
        side = np.array(tiles.side_bgr, float)
        paint_slab(canvas, body, face.albedo, face.relief, gloss, side, shine, tiles.bevel, ident, view)
    elif sets.cards:
        card = sets.cards.face(body.code, body.copy)
        outline = camera.project(body.points(body.outline()))
        canvas.fill(camera.project(body.points(body.outline(), body.thickness)), CARD_EDGE, ident)
        paint_face(canvas, body, card.albedo, None, sets.cards.deck.gloss, shine, outline, ident)


def labels(painted: Painted) -> list[dict[str, Any]]:
    """One label a piece of the layout, in its order: photos/README.md's fields and more."""
    bodies, camera = painted.layout.bodies, painted.camera
    tiles = [k for k, body in enumerate(bodies) if body.kind == "tile"]
    spots: dict[int, Floats] = {}
    if tiles:
        first = bodies[tiles[0]]
        points = placed([bodies[k] for k in tiles], np.concatenate([CORNERS, NUMERAL, first.outline()]))
        flat = camera.project(points.reshape(-1, 3)).reshape(len(tiles), -1, 2)
        spots = dict(zip(tiles, flat, strict=True))
    return [_label(painted, k, body, spots.get(k)) for k, body in enumerate(bodies)]


def _label(painted: Painted, ident: int, body: Body, flat: Floats | None) -> dict[str, Any]:
    """`flat`: corners, parts that are read and outline in pixels, where they are known."""
    camera, canvas = painted.camera, painted.canvas
    indices: tuple[Floats, ...] = ()
    if body.kind == "card" and body.code != "back" and painted.sets.cards:
        indices = painted.sets.cards.face(body.code, body.copy).indices
    parts = [NUMERAL] if body.kind == "tile" else [np.asarray(index, float) for index in indices]
    if flat is None:
        flat = camera.project(body.points(np.concatenate([CORNERS, *parts, body.outline()])))
    quad, outline = flat[:4], flat[4 + 4 * len(parts) :]
    up = (quad[0] + quad[1] - quad[2] - quad[3]) / 2
    label: dict[str, Any] = {
        "code": body.code,
        "kind": body.kind,
        "polygon": quad.round(2).tolist(),
        "upright": round(float(np.degrees(np.arctan2(up[0], -up[1]))), 1),
        "visible": round(visible_share(canvas, ident, outline), 3),
        "cut": bool((quad < -1).any() or (quad > np.array([camera.width, camera.height]) + 1).any()),
        "row": body.row,
        "place": body.place,
    }
    if body.kind == "tile":
        label["legible"] = round(visible_share(canvas, ident, flat[4:8]), 3)
    elif body.code != "back" and painted.sets.cards:
        label["indices"] = []
        for k in range(len(indices)):
            spot = flat[4 + 4 * k : 8 + 4 * k]
            share = round(visible_share(canvas, ident, spot), 3)
            read = min([share] if body.code == "*" else [visible_share(canvas, ident, part) for part in halves(spot)])
            label["indices"].append({"polygon": spot.round(2).tolist(), "visible": share, "legible": round(read, 3)})
    return label


SUIT_FROM = 0.56
"""Where an index's suit begins under its rank, in the index's height."""


def halves(index: Floats) -> tuple[Floats, Floats]:
    """The quads of rank and suit of an index's quad (4, 2)."""
    left, right = (index[k] + SUIT_FROM * (index[m] - index[k]) for k, m in ((0, 3), (1, 2)))
    return np.stack([index[0], index[1], right, left]), np.stack([left, right, index[2], index[3]])


def visible_share(canvas: Canvas, ident: int, outline: Floats) -> float:
    """Share of an outline's area that shows this body: the picture's border and what lies on top take away."""
    box = canvas.box(outline, 0)
    area = float(cv2.contourArea(outline.astype(np.float32))) if box else 0.0
    if box is None or area < 1:
        return 0.0
    x0, y0, x1, y1 = box
    mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
    cv2.fillPoly(mask, [fixed(outline, (x0, y0))], 1, cv2.LINE_8, 4)
    shown = int(np.count_nonzero(mask & (canvas.ids[y0:y1, x0:x1] == ident)))
    return min(shown / max(area, float(cv2.countNonZero(mask))), 1.0)
