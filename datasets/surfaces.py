"""Table tops, covers, rooms beyond the table and rack materials for the renderer of tables.

`surface` draws one of `KINDS` from a generator; the same state gives the same bytes. All is procedural (`wood`,
`cloth`, `stone`); photographs out of installed packages (`assets/SURFACES.md`) join in where present.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np

from datasets import cloth, stone
from datasets import wood as boards
from datasets.noise import Colour, Image, N, any_colour, fbm, grain, modulate, near, noise, paint, pick, rgb, shades


@dataclass(frozen=True)
class Surface:
    """What a table is covered with.

    ``texture``: (N, N, 3) uint8, blue-green-red, repeats without a seam worth seeing (photographs: when mirrored).
    ``scale``: tile widths (2.6 cm) that one period spans. ``gloss`` 0..1: how much lamps mirror in it.
    ``bump`` 0..1: how rough it is, which breaks up gloss and shadow edges. ``kind``: a name in `KINDS`.
    ``smaller``: the texture at half its size, a quarter ..., as far as it is at hand.
    """

    texture: Image
    scale: float
    gloss: float
    bump: float
    kind: str
    smaller: tuple[Image, ...] = ()


@dataclass(frozen=True)
class Recipe:
    draw: Callable[[np.random.Generator], Image]
    scale: tuple[float, float]
    gloss: tuple[float, float]
    bump: tuple[float, float]
    weight: float = 1.0
    turn: bool = True
    folds: float = 0.0
    wear: float = 0.0


def _wood(
    *species: str, across: tuple[float, ...] = (1, 2, 3, 4, 6), gap: tuple[float, ...] = (0, 0, 0.6, 1)
) -> Callable[[np.random.Generator], Image]:
    def draw(rng: np.random.Generator) -> Image:
        name = species[int(rng.integers(len(species)))]
        return boards.wood(rng, name, float(rng.choice(across)), bool(rng.random() < 0.5), float(rng.choice(gap)))

    return draw


def _plain(tone: str) -> Callable[[np.random.Generator], Image]:
    return lambda rng: stone.plain(rng, tone)


def _bamboo(rng: np.random.Generator) -> Image:
    return boards.slats(
        rng, pick(rng, ("c9ab6b", "a9834a", "6b4a2b", "d9c79a", "3f2c1c")), int(rng.choice([32, 64, 64, 128]))
    )


def _parquet(rng: np.random.Generator) -> Image:
    return boards.parquet(rng, str(rng.choice(["oak", "oak-dark", "beech", "walnut", "cherry"])))


_PINE = _wood("pine", "pine-grey", "whitewash", gap=(0, 1, 1, 1))
_HARDWOOD = _wood("beech", "cherry", "mahogany", "maple", "teak")
_LAMINATE = _wood("grey-laminate", "whitewash", "maple", "ash", across=(4, 6, 8), gap=(0.3, 0.6))

RECIPES: dict[str, Recipe] = {
    "walnut": Recipe(_wood("walnut", "walnut-red"), (10, 24), (0.1, 0.6), (0.1, 0.4), 3.0, wear=0.2),
    "oak": Recipe(_wood("oak", "oak-dark", "ash"), (10, 26), (0.05, 0.5), (0.1, 0.5), 2.4, wear=0.2),
    "pine": Recipe(_PINE, (10, 26), (0.05, 0.4), (0.1, 0.5), 1.4, wear=0.2),
    "hardwood": Recipe(_HARDWOOD, (10, 26), (0.1, 0.7), (0.1, 0.4), 1.4, wear=0.2),
    "darkwood": Recipe(_wood("wenge", "black", "walnut"), (10, 26), (0.1, 0.7), (0.1, 0.4), 1.0, wear=0.2),
    "laminate": Recipe(_LAMINATE, (14, 30), (0.1, 0.6), (0.05, 0.2)),
    "parquet": Recipe(_parquet, (12, 30), (0.1, 0.6), (0.1, 0.4), 0.6),
    "bamboo": Recipe(_bamboo, (6, 14), (0.05, 0.3), (0.5, 0.9), 0.5),
    "wicker": Recipe(cloth.wicker, (6, 14), (0.05, 0.3), (0.6, 1.0), 0.5),
    "linen": Recipe(cloth.plain_weave, (3, 10), (0.0, 0.05), (0.4, 0.8), 1.8, folds=0.4),
    "rug": Recipe(cloth.rug_flecked, (8, 20), (0.0, 0.0), (0.7, 1.0), 2.2),
    "tartan": Recipe(cloth.tartan, (6, 18), (0.0, 0.0), (0.4, 0.8), 0.4, folds=0.4),
    "stripes": Recipe(cloth.stripes, (4, 18), (0.0, 0.05), (0.3, 0.8), 0.7, folds=0.4),
    "checks": Recipe(cloth.gingham, (4, 16), (0.0, 0.2), (0.2, 0.6), 0.7, folds=0.4),
    "felt": Recipe(cloth.felt, (8, 20), (0.0, 0.02), (0.5, 0.9), 1.8, folds=0.2),
    "knit": Recipe(cloth.knit, (5, 14), (0.0, 0.02), (0.6, 1.0), 0.6, folds=0.4),
    "ornament": Recipe(cloth.rug_ornament, (10, 30), (0.0, 0.02), (0.5, 1.0), 0.5),
    "shag": Recipe(cloth.shag, (8, 20), (0.0, 0.0), (0.8, 1.0), 0.5),
    "lace": Recipe(cloth.lace, (6, 20), (0.0, 0.1), (0.3, 0.6), 0.3),
    "oilcloth": Recipe(stone.oilcloth, (10, 24), (0.2, 0.7), (0.05, 0.2), 0.5, folds=0.1),
    "marble": Recipe(stone.marble, (12, 40), (0.3, 0.9), (0.0, 0.1), 1.4),
    "granite": Recipe(stone.granite, (6, 16), (0.3, 0.9), (0.0, 0.2), 0.9),
    "terrazzo": Recipe(stone.terrazzo, (8, 24), (0.2, 0.7), (0.0, 0.2), 0.5),
    "concrete": Recipe(stone.concrete, (10, 30), (0.0, 0.2), (0.2, 0.6), 0.6),
    "tiles": Recipe(stone.tiles, (8, 26), (0.2, 0.8), (0.0, 0.3), 0.7),
    "white": Recipe(_plain("white"), (12, 30), (0.1, 0.9), (0.0, 0.2), 2.0, wear=0.15),
    "cream": Recipe(_plain("cream"), (12, 30), (0.1, 0.7), (0.0, 0.2), 1.4, wear=0.15),
    "dark": Recipe(_plain("black"), (12, 30), (0.1, 0.9), (0.0, 0.2), 0.8, wear=0.3),
    "grey": Recipe(_plain("grey"), (12, 30), (0.1, 0.8), (0.0, 0.2), 2.2, wear=0.2),
    "plastic": Recipe(_plain("colour"), (12, 30), (0.1, 0.8), (0.0, 0.3), 0.7, wear=0.2),
    "gradient": Recipe(stone.gradient, (30, 90), (0.2, 0.7), (0.0, 0.1), 0.7),
    "glass": Recipe(stone.glass, (20, 50), (0.7, 1.0), (0.0, 0.0), 0.7),
    "metal": Recipe(stone.metal, (10, 30), (0.4, 0.9), (0.0, 0.2), 0.3),
    "leather": Recipe(stone.leather, (6, 16), (0.1, 0.5), (0.3, 0.6), 0.5),
    "cork": Recipe(stone.cork, (8, 20), (0.0, 0.05), (0.4, 0.8), 0.4),
    "newspaper": Recipe(stone.newspaper, (8, 18), (0.0, 0.1), (0.1, 0.3), 0.6, turn=False, folds=0.5),
}
KINDS: tuple[str, ...] = tuple(RECIPES)
"""Procedural kinds; a photograph out of a package has the kind 'photo'."""

PHOTO_SHARE = 0.03
"""How often a packaged photograph is taken where any is installed."""
PHOTOS = Path(__file__).with_name("assets") / "surfaces.txt"


def surface(rng: np.random.Generator, kind: str | None = None) -> Surface:
    """Draw a table top; ``kind`` forces one of `KINDS`. Raises KeyError for a kind that is none."""
    if kind is None:
        photos = packaged()
        if photos and rng.random() < PHOTO_SHARE:
            return _photo(rng, photos)
        weights = np.array([recipe.weight for recipe in RECIPES.values()])
        kind = KINDS[int(rng.choice(len(KINDS), p=weights / weights.sum()))]
    recipe = RECIPES[kind]
    image = recipe.draw(rng)
    if recipe.wear and rng.random() < recipe.wear:
        image = stone.worn(rng, image)
    if recipe.folds and rng.random() < recipe.folds:
        image = stone.crumpled(rng, image)
    if recipe.turn and rng.random() < 0.5:
        image = np.ascontiguousarray(image.transpose(1, 0, 2))
    if rng.random() < 0.25:
        image = _lit(rng, image)
    return Surface(
        image,
        float(rng.uniform(*recipe.scale)),
        float(rng.uniform(*recipe.gloss)),
        float(rng.uniform(*recipe.bump)),
        kind,
    )


def _lit(rng: np.random.Generator, image: Image) -> Image:
    """A wide pool of light or shade, as lamps and windows leave on every table."""
    return modulate(image, noise(rng, 2, 2), float(rng.uniform(0.02, 0.08)))


@lru_cache(maxsize=1)
def packaged() -> tuple[str, ...]:
    """Paths of texture photographs from installed packages, as ``assets/surfaces.txt`` lists them."""
    if not PHOTOS.exists():
        return ()
    lines = (line.strip() for line in PHOTOS.read_text().splitlines())
    return tuple(line for line in lines if line.startswith("/") and Path(line).exists())


@lru_cache(maxsize=12)
def _picture(path: str) -> Image:
    image = cv2.imread(path, cv2.IMREAD_COLOR)
    if image is None:
        raise ValueError(f"{path} is listed as a texture but can't be read as a picture")
    side = min(image.shape[:2])
    left = (image.shape[1] - side) // 2
    image = cv2.resize(image[:side, left : left + side], (N, N), interpolation=cv2.INTER_AREA)
    image.setflags(write=False)
    return np.asarray(image, np.uint8)


def _photo(rng: np.random.Generator, paths: tuple[str, ...]) -> Surface:
    image = _picture(paths[int(rng.integers(len(paths)))])
    quarter = cv2.resize(image, (N // 2, N // 2), interpolation=cv2.INTER_AREA)
    row = np.concatenate([quarter, quarter[:, ::-1]], axis=1)
    image = np.concatenate([row, row[::-1]], axis=0)
    gain = np.exp(rng.normal(0, 0.08, 3) + rng.normal(0, 0.15)).astype(np.float32)
    image = np.clip(image * gain, 0, 255).astype(np.uint8)
    return Surface(
        image, float(rng.uniform(16, 40)), float(rng.uniform(0.0, 0.6)), float(rng.uniform(0.0, 0.6)), "photo"
    )


def backdrop(rng: np.random.Generator, h: int, w: int) -> Image:
    """(h, w, 3) the room beyond the table's edge: wall, floor, window, chairs, people, all out of focus."""
    tall, wide = 96, max(round(96 * w / max(h, 1)), 16)
    wall, floor = (
        pick(rng, ("cfc6b6", "b8b4ae", "8d857a", "5d5750", "d9d6d0", "a08a72", "7d8a8c")),
        pick(rng, ("6b4a30", "8d7a66", "45403c", "a89a88", "2e2a28")),
    )
    if rng.random() < 0.3:  # night: only the table is lit
        wall, floor = (tuple(c * 0.25 for c in tone) for tone in (wall, floor))
    image = np.empty((tall, wide, 3), np.uint8)
    horizon = int(tall * rng.uniform(-0.2, 0.9))
    image[:] = np.array(floor, np.uint8)
    image[: max(horizon, 0)] = np.array(wall, np.uint8)
    for _ in range(int(rng.integers(3, 12))):
        colour = any_colour(rng) if rng.random() < 0.5 else near(rng, wall, 45)
        shape, centre, size = int(rng.integers(4)), rng.uniform(0, 1, 2) * (wide, tall), rng.gamma(2.5, 9.0, 2) + 3
        at, reach = (int(centre[0]), int(centre[1])), (int(size[0]), int(size[1]))
        if shape == 0:
            cv2.ellipse(image, at, reach, float(rng.uniform(0, 180)), 0, 360, colour, -1, cv2.LINE_AA)
        elif shape == 1:
            cv2.rectangle(image, at, (at[0] + 2 * reach[0], at[1] + 2 * reach[1]), colour, -1)
        elif shape == 2:  # chair legs, lamps, door frames
            cv2.line(
                image,
                at,
                (int(centre[0] + rng.normal(0, 15)), int(centre[1] + 60)),
                colour,
                int(rng.integers(1, 6)),
                cv2.LINE_AA,
            )
        else:  # a sitting person: trunk, head, arms
            skin = pick(rng, ("e0b090", "c68e6a", "8d5a3c", "f0c8aa"))
            cv2.ellipse(image, at, (reach[0] + 6, reach[1] + 14), 0, 0, 360, colour, -1, cv2.LINE_AA)
            cv2.circle(image, (at[0], at[1] - reach[1] - 16), 8, skin, -1, cv2.LINE_AA)
            cv2.line(image, at, (at[0] + int(rng.normal(0, 20)), at[1] + 24), skin, 4, cv2.LINE_AA)
    if rng.random() < 0.35:
        left, top = int(rng.uniform(0, wide * 0.8)), int(rng.uniform(-10, tall * 0.3))
        cv2.rectangle(
            image, (left, top), (left + int(rng.uniform(12, 50)), top + int(rng.uniform(15, 45))), (250, 246, 240), -1
        )
    image = cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.8, 5.0)))
    big = cv2.resize(image, (w, h), interpolation=cv2.INTER_CUBIC)
    return np.asarray(big, np.uint8)


RACK_COLOURS = (
    "1b1a1c",
    "111113",
    "e2a88c",
    "c9b08a",
    "b5302c",
    "2456a0",
    "2f6b45",
    "e9e2d2",
    "7a5236",
    "d8a54a",
    "8a8d90",
)


def rack_texture(rng: np.random.Generator) -> tuple[Image, Colour]:
    """(256, 1024, 3) material of a rack, long side along x, and its mean colour: wood, smooth or grained plastic."""
    if rng.random() < 0.45:
        species = str(
            rng.choice(["walnut", "oak", "pine", "beech", "cherry", "mahogany", "maple", "teak", "wenge", "walnut-red"])
        )
        full = boards.wood(rng, species, 1, joints=False, gap=0.0)
    else:
        base = near(rng, rgb(RACK_COLOURS[int(rng.choice(len(RACK_COLOURS), p=_RACK_WEIGHTS))]), 7)
        field = 0.5 + 0.03 * grain(rng)
        if rng.random() < 0.45:  # moulded "wood" grain or fine horizontal ribs, as on black racks
            field = field + 0.10 * noise(rng, 8, 512) + 0.06 * noise(rng, 128, 256)
        else:
            field = field + 0.03 * fbm(rng, 32, 32, 3)
        full = paint(field, shades(base, 0.35))
    top = int(rng.integers(0, N - 256))
    strip = np.ascontiguousarray(full[top : top + 256])
    mean = strip.mean((0, 1))
    return strip, (float(mean[0]), float(mean[1]), float(mean[2]))


_RACK_WEIGHTS = np.array([5, 3, 2, 2, 1, 1, 1, 2, 2, 1, 1], np.float64) / 21.0


def _sheet(pictures: list[tuple[Image, str]], side: int = 256, columns: int = 8) -> Image:
    rows = -(-len(pictures) // columns)
    sheet = np.full((rows * (side + 18), columns * side, 3), 40, np.uint8)
    for index, (image, caption) in enumerate(pictures):
        y, x = divmod(index, columns)
        shrink = min(side / image.shape[0], side / image.shape[1])
        small = cv2.resize(image, None, fx=shrink, fy=shrink, interpolation=cv2.INTER_AREA)
        top = y * (side + 18)
        sheet[top : top + small.shape[0], x * side : x * side + small.shape[1]] = small
        cv2.putText(
            sheet,
            caption,
            (x * side + 3, top + side + 13),
            cv2.FONT_HERSHEY_SIMPLEX,
            0.4,
            (230, 230, 230),
            1,
            cv2.LINE_AA,
        )
    return sheet


def main(arguments: list[str] | None = None) -> int:
    """Write contact sheets of surfaces, backdrops, racks and of everything in `datasets.clutter`."""
    from datasets import clutter

    parser = argparse.ArgumentParser(prog="python -m datasets.surfaces", description=main.__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--each", type=int, default=3, help="pictures of each kind")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)

    def rng(*key: int) -> np.random.Generator:
        return np.random.default_rng([options.seed, *key])

    tops = [(surface(rng(0, i, k), kind), kind) for i, kind in enumerate(KINDS) for k in range(options.each)]
    pages: dict[str, Image] = {
        "surfaces": _sheet([(top.texture, f"{kind} {top.scale:.0f}") for top, kind in tops], columns=3 * options.each),
        "close": _sheet(
            [(np.ascontiguousarray(top.texture[:384, :384]), kind) for top, kind in tops], columns=3 * options.each
        ),
        "rooms": _sheet(
            [(backdrop(rng(1, k), 240, 320), "backdrop") for k in range(16)]
            + [(rack_texture(rng(2, k))[0], "rack") for k in range(16)]
        ),
    }
    photos = packaged()
    if photos:
        pages["photos"] = _sheet([(_photo(rng(3, k), photos).texture, "photo") for k in range(16)])
    for number, (name, kinds, draw) in enumerate(clutter.FAMILIES):
        sprites = [
            (draw(rng(4 + number, i, k), kind), kind) for i, kind in enumerate(kinds) for k in range(2 * options.each)
        ]
        pages[name] = _sheet(
            [(clutter.on_ground(sprite.bgra), f"{kind} {sprite.width:.1f}") for sprite, kind in sprites], 192, 12
        )
    for name, page in pages.items():
        cv2.imwrite(str(options.out / f"{name}.jpg"), page, [cv2.IMWRITE_JPEG_QUALITY, 88])
        print(options.out / f"{name}.jpg")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
