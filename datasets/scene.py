"""One rendered scene: a layout, a camera, light, what is painted, and labels exact by construction."""

from __future__ import annotations

import os
import zlib
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets import layout as lay
from datasets.camera import Camera, Floats, frame
from datasets.clutter import clutter, lookalike, occluder
from datasets.decks import Deck, deck
from datasets.develop import develop
from datasets.editions import TileEdition, edition
from datasets.lamps import random_light
from datasets.paint import Canvas, paint_face, paint_slab, shadow_shapes
from datasets.slabs import CORNERS, Body
from datasets.sprites import Sprite
from datasets.surfaces import Surface, backdrop, rack_texture, surface

Rng = np.random.Generator
SURFACES = 1
"""Raised when `datasets.surfaces` draws otherwise: surfaces kept on disk are then drawn anew."""
SURFACE_COUNT = 320
CARD_WIDTH = 2.42
"""A poker card's width in tile widths (63 mm against 26 mm)."""
NUMERAL = np.array([[0.12, 0.06], [0.88, 0.06], [0.88, 0.66], [0.12, 0.66]])
"""Where a tile carries what is read, in face coordinates."""


@dataclass(frozen=True)
class Recipe:
    """What a data set is made of. `editions`, `decks`: how many there are to draw from."""

    kind: str = "tiles"
    size: int = 640
    editions: int = 600
    decks: int = 160
    held_out: bool = False


@dataclass(frozen=True)
class Rendered:
    """A finished scene: JPEG bytes and one label line (photos/README.md, extended)."""

    jpeg: bytes
    label: dict[str, Any]


@lru_cache(maxsize=3)
def _edition(seed: int, held_out: bool) -> TileEdition:
    return edition(seed, held_out)


@lru_cache(maxsize=3)
def _deck(seed: int, held_out: bool) -> Deck:
    return deck(seed, held_out)


@lru_cache(maxsize=24)
def _surface(number: int) -> Surface:
    """Surface number `number`; drawing one costs more than a scene, so it is kept on disk."""
    folder = Path(os.environ.get("REMI_CACHE", Path.home() / ".cache" / "remi-companion")) / f"surfaces-{SURFACES}"
    file = folder / f"{number:04d}.npz"
    if file.exists():
        with np.load(file) as held:
            return Surface(
                held["texture"], float(held["scale"]), float(held["gloss"]), float(held["bump"]), str(held["kind"])
            )
    made = surface(np.random.default_rng(number))
    folder.mkdir(parents=True, exist_ok=True)
    draft = folder / f"{number:04d}.{os.getpid()}.tmp.npz"
    np.savez(draft, **asdict(made))
    os.replace(draft, file)
    return made


def render(seed: int, index: int, recipe: Recipe) -> Rendered:
    """Scene number `index` of the data set `seed`. The same three give the same bytes."""
    rng = np.random.default_rng([seed, index, zlib.crc32(recipe.kind.encode())])
    kind = recipe.kind
    if kind == "mixed":
        kind = str(rng.choice(["tiles", "cards", "both"], p=[0.55, 0.4, 0.05]))
    # neighbouring scenes share an edition, since drawing a whole one costs more than a scene
    block = np.random.default_rng([seed, index // 16])
    edition_seed, deck_seed = int(block.integers(recipe.editions)), int(block.integers(recipe.decks))
    tiles = _edition(edition_seed, recipe.held_out) if kind != "cards" else None
    cards = _deck(deck_seed, recipe.held_out) if kind != "tiles" else None
    scenario, layout = _lay(rng, kind, tiles, cards)
    camera = _camera(rng, layout, scenario, recipe.size)
    light = random_light(rng)
    canvas = Canvas(camera, light)
    ground = _surface(int(rng.integers(SURFACE_COUNT)))
    _paint_table(canvas, ground, rng)
    scale = _scale(camera, layout)
    _paint_flat_things(canvas, rng, layout, scenario)
    _paint_shadows(canvas, [b for b in layout.bodies if "rack" not in b.tags], scale)
    _paint_bodies(canvas, layout, tiles, cards, rng, scale)
    if rng.random() < 0.14 and layout.bodies:
        middle = layout.bodies[int(rng.integers(len(layout.bodies)))].pose.centre
        _paint_sprite(canvas, occluder(rng), middle[:2] + rng.normal(0, 1.6, 2), rng, lift=1.0)
    photo = develop(canvas.pixels, rng, scale=scale, grey_chance=0.05 if kind == "cards" else 0.0)
    label = {
        "width": camera.width,
        "height": camera.height,
        "source": f"rendered-{kind}",
        "scenario": scenario,
        "edition": tiles and tiles.name,
        "deck": cards and cards.name,
        "blur": round(photo.blur, 2),
        "surface": ground.kind,
        "pieces": [_label(canvas, i, body, cards) for i, body in enumerate(layout.bodies)],
    }
    return Rendered(photo.jpeg, label)


def _lay(rng: Rng, kind: str, tiles: TileEdition | None, cards: Deck | None) -> tuple[str, lay.Layout]:
    layout = lay.Layout()
    tile_box, card_box = lay.Box("tile", 1, rng), lay.Box("card", int(rng.integers(1, 3)), rng)
    scenario = "melds"
    if tiles is not None:
        tile = lay.Shape("tile", 1.0, tiles.aspect, tiles.thickness, tiles.corner_radius)
        scenario = str(
            rng.choice(
                ["melds", "scatter", "grid", "rack", "close", "table", "empty"],
                p=[0.33, 0.18, 0.1, 0.15, 0.14, 0.05, 0.05],
            )
        )
        if scenario == "melds":
            lay.melds(rng, layout, tile, tile_box, int(rng.integers(3, 40)))
        elif scenario == "scatter":
            lay.scatter(rng, layout, tile, tile_box, int(rng.integers(1, 45)))
        elif scenario == "grid":
            lay.grid(rng, layout, tile, tile_box, int(rng.integers(6, 70)))
        elif scenario == "rack":
            lay.rack(rng, layout, tile, tile_box, int(rng.integers(4, 31)))
        elif scenario == "close":
            (lay.melds if rng.random() < 0.5 else lay.scatter)(rng, layout, tile, tile_box, int(rng.integers(1, 6)))
        elif scenario == "table":
            lay.melds(rng, layout, tile, tile_box, int(rng.integers(45, 100)))
    if cards is not None:
        card = lay.Shape("card", CARD_WIDTH, CARD_WIDTH * cards.aspect, 0.016, CARD_WIDTH * cards.corner_radius)
        if tiles is not None:
            lay.melds(rng, layout, card, card_box, int(rng.integers(2, 12)))
            return scenario, _bent(rng, layout)
        scenario = str(rng.choice(["melds", "scatter", "grid", "close", "empty"], p=[0.5, 0.2, 0.06, 0.2, 0.04]))
        if scenario == "melds":
            lay.melds(rng, layout, card, card_box, int(rng.integers(3, 32)))
        elif scenario == "scatter":
            lay.scatter(rng, layout, card, card_box, int(rng.integers(1, 22)))
        elif scenario == "grid":
            lay.grid(rng, layout, card, card_box, int(rng.integers(4, 30)))
        elif scenario == "close":
            (lay.melds if rng.random() < 0.5 else lay.scatter)(rng, layout, card, card_box, int(rng.integers(1, 5)))
    return scenario, _bent(rng, layout)


def _bent(rng: Rng, layout: lay.Layout) -> lay.Layout:
    """Some cards are not flat."""
    for body in layout.bodies:
        if body.kind == "card" and rng.random() < 0.35:
            body.bend = float(rng.uniform(0, 0.16))
            body.bend_along = int(rng.integers(2))
    return layout


def _camera(rng: Rng, layout: lay.Layout, scenario: str, size: int) -> Camera:
    aspect = float(rng.choice([4 / 3, 3 / 4, 1.0, 16 / 9, 9 / 16], p=[0.38, 0.3, 0.14, 0.12, 0.06]))
    width, height = (size, round(size / aspect)) if aspect >= 1 else (round(size * aspect), size)
    if layout.bodies:
        points = np.concatenate([b.points(CORNERS) for b in layout.bodies])
    else:
        points = rng.uniform(-6, 6, (8, 3)) * (1, 1, 0)
    if scenario == "rack":
        elevation, azimuth = rng.uniform(0.2, 1.25), -np.pi / 2 + rng.normal(0, 0.35)
        roll = rng.normal(0, 0.12)
    else:
        elevation = np.pi / 2 - min(abs(rng.normal(0, 0.45)), 1.2)
        azimuth, roll = rng.uniform(0, 2 * np.pi), rng.normal(0, 0.1)
    fills = {"close": (0.25, 1.15), "table": (0.85, 1.05), "melds": (0.5, 1.3)}.get(scenario, (0.4, 1.3))
    fill = rng.uniform(*fills) if rng.random() < 0.75 else rng.uniform(0.75, 1.0)
    target = (points.min(0) + points.max(0)) / 2 * (1, 1, 0.5)
    target[:2] += rng.normal(0, 0.08, 2) * np.ptp(points[:, :2], axis=0)
    return frame(
        points,
        fill,
        target=target,
        elevation=elevation,
        azimuth=azimuth,
        roll=roll,
        fov=rng.uniform(0.65, 1.35),
        size=(width, height),
        k1=float(rng.normal(0, 0.03)),
        k2=float(rng.normal(0, 0.01)),
    )


def _scale(camera: Camera, layout: lay.Layout) -> float:
    """Pixels a tile width, at the pieces' middle."""
    if not layout.bodies:
        return 40.0
    middle = np.mean([b.pose.centre for b in layout.bodies], 0)
    return float(camera.focal / max(camera.depth(middle[None])[0], 0.5))


def _paint_table(canvas: Canvas, ground: Surface, rng: Rng) -> None:
    camera, light = canvas.camera, canvas.light
    n = ground.texture.shape[0]
    per_unit = n / ground.scale
    density = _scale(camera, lay.Layout()) if camera.position[2] < 1e-6 else camera.focal / camera.position[2]
    texture, shrink = ground.texture, 1.0
    while per_unit * shrink / density > 1.6 and texture.shape[0] > 16:
        texture = cv2.resize(texture, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        shrink /= 2
    a = rng.uniform(0, 2 * np.pi)
    offset = rng.uniform(0, n, 2)
    c, s = np.cos(a) * per_unit * shrink, np.sin(a) * per_unit * shrink
    to_texture = np.array([[c, -s, offset[0]], [s, c, offset[1]], [0, 0, 1]])
    matrix = to_texture @ np.linalg.inv(camera.table_homography())
    step = 8
    rays = camera.rays(step)
    down = -rays[..., 2]
    reach = camera.position[2] / np.maximum(down, 1e-4)
    edge = rng.uniform(14, 60) if rng.random() < 0.5 else 400.0
    hit = camera.position + rays * reach[..., None]
    far = np.abs(hit[..., :2]).max(-1)
    # distance to the table's edge is smooth where a yes or no would leave steps
    inside = np.where(down > 1e-3, np.clip(edge - far, -40, 40), -40).astype(np.float32)
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    size = (camera.width, camera.height)
    table = cv2.warpPerspective(texture, matrix, size, flags=flags, borderMode=cv2.BORDER_WRAP)
    gain = light.on(np.array([0, 0, 1.0]))
    lit = np.broadcast_to(gain, (*inside.shape, 3)).astype(np.float32)
    glow = np.zeros_like(lit)
    if ground.gloss > 0.05:
        view = -rays / np.linalg.norm(rays, axis=-1, keepdims=True)
        for lamp in light.lamps:
            half = view + lamp.direction
            half /= np.linalg.norm(half, axis=-1, keepdims=True)
            spot = np.clip(half[..., 2], 0, 1) ** lamp.size * ground.gloss * min(lamp.power * 1.5, 1.0) * 235
            glow += (spot[..., None] * (0.35 + 0.65 * lamp.colour)).astype(np.float32)
    full = cv2.resize(lit, size) * table
    if glow.max() > 2:
        full += cv2.resize(glow, size)
    if inside.min() < 0.5:
        cover = np.clip(cv2.resize(inside, size, interpolation=cv2.INTER_LINEAR)[..., None] * 12, 0, 1)
        full = full * cover + backdrop(rng, camera.height, camera.width) * (1 - cover)
    canvas.pixels = np.clip(full, 0, 255).astype(np.uint8)


def _paint_flat_things(canvas: Canvas, rng: Rng, layout: lay.Layout, scenario: str) -> None:
    """Clutter and look-alikes lie about the pieces, seldom under them."""
    empty = scenario == "empty"
    number = int(rng.integers(2, 9)) if empty else int(rng.choice([0, 1, 2, 4], p=[0.55, 0.22, 0.15, 0.08]))
    spread = 8.0
    if layout.bodies:
        spread = float(np.abs(np.array([b.pose.centre[:2] for b in layout.bodies])).max()) + 2.5
    for _ in range(number):
        sprite = lookalike(rng) if rng.random() < (0.6 if empty else 0.4) else clutter(rng)
        angle, radius = rng.uniform(0, 2 * np.pi), spread * rng.uniform(0.75, 1.5)
        spot = rng.uniform(-7, 7, 2) if empty else radius * np.array([np.cos(angle), np.sin(angle)])
        if empty and rng.random() < 0.4:
            for k in range(int(rng.integers(2, 6))):
                _paint_sprite(canvas, sprite, spot + np.array([k * sprite.width * 1.05, 0.0]), rng, turn=0.0)
        else:
            _paint_sprite(canvas, sprite, spot, rng)


def _paint_sprite(
    canvas: Canvas,
    sprite: Sprite,
    spot: Floats,
    rng: Rng,
    lift: float = 0.0,
    turn: float | None = None,
) -> None:
    """A flat thing on the table (or `lift` above it), its shadow first, its height as a stack of itself."""
    h, w = sprite.bgra.shape[:2]
    width, height = sprite.width, sprite.width * h / w
    a = rng.uniform(0, 2 * np.pi) if turn is None else turn
    c, s = np.cos(a), np.sin(a)
    local = (CORNERS - 0.5) * (width, height)
    plane = local @ np.array([[c, s], [-s, c]]) * (1, -1) + spot
    camera = canvas.camera

    def at(z: float) -> Floats:
        return camera.project(np.column_stack([plane, np.full(4, z)]))

    base = at(lift)
    if not np.isfinite(base).all() or camera.depth(np.column_stack([plane, np.zeros(4)])).min() < 0.4:
        return
    alpha = sprite.bgra[..., 3].astype(np.float32) * np.float32(1 / 255)
    light = canvas.light
    black = np.zeros((h, w, 3), np.float32)
    for lamp in light.lamps:
        reach = (lift + sprite.height + 0.05) / max(lamp.direction[2], 0.3)
        thrown = plane - reach * lamp.direction[:2]
        shadow = cv2.blur(alpha, (5, 5)) * np.float32(min(0.75 * lamp.power, 0.8))
        quad = camera.project(np.column_stack([thrown, np.zeros(4)]))
        ids = canvas.ids.copy()
        canvas.warp(black, quad, quad, alpha=shadow)
        canvas.ids = ids
    lit = sprite.bgra[..., :3].astype(np.float32) * light.on(np.array([0, 0, 1.0])).astype(np.float32)
    layers = 1 if sprite.height < 0.05 else 4
    for k in range(layers):
        top = at(lift + sprite.height * (k + 1) / layers if sprite.height >= 0.05 else lift)
        canvas.warp(lit if k == layers - 1 else lit * np.float32(0.72), top, top, alpha=alpha)


def _paint_shadows(canvas: Canvas, bodies: list[Body], scale: float) -> None:
    """What lies on the table keeps each lamp's light off it, and closes off the room's light at its foot."""
    if not bodies:
        return
    for lamp in canvas.light.lamps:
        share = lamp.colour * lamp.power * lamp.direction[2]
        total = canvas.light.on(np.array([0, 0, 1.0]))
        shapes = shadow_shapes(bodies, lamp, canvas.camera, 0.0)
        canvas.darken(shapes, lamp, float((share / total).mean()), lamp.soft * scale * 0.35)
    grown = [canvas.camera.project(b.points((b.outline(steps=2) - 0.5) * 1.05 + 0.5, b.thickness)) for b in bodies]
    canvas.darken(grown, canvas.light.lamps[0], 0.3, 0.09 * scale)


def _paint_bodies(
    canvas: Canvas,
    layout: lay.Layout,
    tiles: TileEdition | None,
    cards: Deck | None,
    rng: Rng,
    scale: float,
) -> None:
    camera = canvas.camera
    shine_tiles, shine_cards = float(rng.uniform(0, 1.0)), float(rng.uniform(0, 0.9))
    standing = [i for i, b in enumerate(layout.bodies) if "rack" in b.tags]
    for stand in layout.racks:
        texture, colour = rack_texture(rng)
        for depth, height in reversed(stand.tiers):
            _rack_board(canvas, stand, depth, height, texture, np.array(colour, float))
            for i in standing:
                body = layout.bodies[i]
                foot = float((body.pose.centre + body.pose.down * body.height / 2)[2])
                if tiles is not None and abs(foot - height) < body.thickness + 0.05:
                    _paint_tile(canvas, body, i, tiles, shine_tiles, rng)
            _rack_lip(canvas, stand, depth, height, np.array(colour, float))
    rest = [i for i in range(len(layout.bodies)) if i not in set(standing)]
    order = sorted(rest, key=lambda i: (layout.bodies[i].level, -camera.depth(layout.bodies[i].pose.centre[None])[0]))
    for i in order:
        body = layout.bodies[i]
        if body.level > 0:
            lamp = canvas.light.lamps[0]
            floor = float(body.pose.centre[2]) - body.thickness - 0.03
            shade = shadow_shapes([body], lamp, camera, floor)
            canvas.darken(shade, lamp, 0.35, max(0.035 * scale, 0.6))
        if body.kind == "tile" and tiles is not None:
            _paint_tile(canvas, body, i, tiles, shine_tiles, rng)
        elif cards is not None:
            face = cards.face(body.code, rng)
            outline = camera.project(body.points(body.outline()))
            canvas.fill(camera.project(body.points(body.outline(), body.thickness)), np.array([150.0, 150, 150]), i)
            paint_face(canvas, body, face.albedo, None, cards.gloss, shine_cards, outline, i)


def _paint_tile(
    canvas: Canvas,
    body: Body,
    ident: int,
    tiles: TileEdition,
    shine: float,
    rng: Rng,
) -> None:
    face = tiles.face(body.code, rng)
    gloss = tiles.gloss if face.gloss is None else face.gloss
    paint_slab(
        canvas, body, face.albedo, face.relief, gloss, np.array(tiles.side_bgr, float), shine, tiles.bevel, ident
    )


def _rack_points(stand: lay.Rack, points: list[tuple[float, float, float]]) -> Floats:
    c, s = np.cos(stand.yaw), np.sin(stand.yaw)
    p = np.array(points)
    return np.column_stack([p[:, 0] * c - p[:, 1] * s + stand.x, p[:, 0] * s + p[:, 1] * c + stand.y, p[:, 2]])


def _rack_board(
    canvas: Canvas,
    stand: lay.Rack,
    depth: float,
    height: float,
    texture: NDArray[np.uint8],
    colour: Floats,
) -> None:
    half = stand.length / 2
    up = (np.sin(stand.tilt) * stand.board, np.cos(stand.tilt) * stand.board)
    corners = _rack_points(
        stand,
        [
            (-half, depth + up[0], height + up[1]),
            (half, depth + up[0], height + up[1]),
            (half, depth, height),
            (-half, depth, height),
        ],
    )
    quad = canvas.camera.project(corners)
    gain = canvas.light.on(np.array([0, -np.cos(stand.tilt), np.sin(stand.tilt)])).astype(np.float32)
    ramp = np.linspace(1.08, 0.72, texture.shape[0], dtype=np.float32)[:, None, None]
    canvas.warp(texture.astype(np.float32) * gain * ramp, quad, quad)
    rim = _rack_points(
        stand,
        [
            (-half, depth + up[0], height + up[1]),
            (half, depth + up[0], height + up[1]),
            (half, depth + up[0] + 0.12, height + up[1]),
            (-half, depth + up[0] + 0.12, height + up[1]),
        ],
    )
    canvas.fill(canvas.camera.project(rim), colour * canvas.light.on(np.array([0, 0, 1.0])) * 1.05)


def _rack_lip(canvas: Canvas, stand: lay.Rack, depth: float, height: float, colour: Floats) -> None:
    half, front = stand.length / 2, depth - 0.34
    light = canvas.light
    ledge = _rack_points(
        stand, [(-half, depth, height), (half, depth, height), (half, front, height), (-half, front, height)]
    )
    if stand.lip <= 0.0:
        canvas.fill(canvas.camera.project(ledge[[3, 2, 2, 3]]), colour)
    top = height + stand.lip
    wall = _rack_points(stand, [(-half, front, top), (half, front, top), (half, front, 0), (-half, front, 0)])
    canvas.fill(canvas.camera.project(wall), colour * light.on(np.array([0, -1.0, 0.1])) * 0.95)
    rim = _rack_points(
        stand, [(-half, front, top), (half, front, top), (half, front + 0.08, top), (-half, front + 0.08, top)]
    )
    canvas.fill(canvas.camera.project(rim), colour * light.on(np.array([0, 0, 1.0])))


def _label(canvas: Canvas, ident: int, body: Body, cards: Deck | None) -> dict[str, Any]:
    camera = canvas.camera
    quad = camera.project(body.points(CORNERS))
    up = (quad[0] + quad[1] - quad[2] - quad[3]) / 2
    label: dict[str, Any] = {
        "code": body.code,
        "kind": body.kind,
        "polygon": quad.round(2).tolist(),
        "upright": round(float(np.degrees(np.arctan2(up[0], -up[1]))), 1),
        "visible": round(_visible(canvas, ident, camera.project(body.points(body.outline()))), 3),
        "cut": bool((quad < -1).any() or (quad > np.array([camera.width, camera.height]) + 1).any()),
        "row": body.row,
        "place": body.place,
    }
    if body.kind == "tile":
        label["legible"] = round(_visible(canvas, ident, camera.project(body.points(NUMERAL))), 3)
    elif body.code != "back" and cards is not None:
        face = cards.face(body.code, np.random.default_rng(0))
        label["indices"] = []
        for index in face.indices:
            spot = camera.project(body.points(np.asarray(index, float)))
            label["indices"].append(
                {"polygon": spot.round(2).tolist(), "visible": round(_visible(canvas, ident, spot), 3)}
            )
    return label


def _visible(canvas: Canvas, ident: int, outline: Floats) -> float:
    """Share of an outline's area that shows this body: the picture's border and what lies on top take away."""
    area = float(cv2.contourArea(outline.astype(np.float32)))
    if area < 1 or not np.isfinite(outline).all() or np.abs(outline).max() > 20_000:
        return 0.0
    height, width = canvas.ids.shape
    x0, y0 = np.maximum(np.floor(outline.min(0)).astype(int), 0)
    x1, y1 = np.minimum(np.ceil(outline.max(0)).astype(int) + 1, (width, height))
    if x1 <= x0 or y1 <= y0:
        return 0.0
    mask = np.zeros((int(y1 - y0), int(x1 - x0)), np.uint8)
    cv2.fillPoly(mask, [np.round((outline - (x0, y0) - 0.5) * 16).astype(np.int32)], 1, cv2.LINE_8, 4)
    shown = int(((canvas.ids[y0:y1, x0:x1] == ident) & (mask > 0)).sum())
    return min(shown / max(area, float(mask.sum()), 1.0), 1.0)
