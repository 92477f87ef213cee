"""Editions of tiles: any number of sets as different makers would make them, as faces for the scene renderer.

`edition(seed)` gives one set; `TileEdition.face(code, rng)` one tile's face as colour, relief and gloss, worn
differently by each `rng`. The same seed and the same installed fonts give the same bytes. `edition(seed,
held_out=True)` uses fonts and joker designs that never occur otherwise, so that reading can be judged on sets never
seen.

    python -m datasets.editions --seed 0 --count 24 --out DIR     contact sheets to look at
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

from datasets import tilefaces, tileinks, tilelooks, tilewear

FACE_WIDTH = tilefaces.WIDTH
CODES = (*tuple(f"{ink}{rank}" for ink in tileinks.INK_NAMES for rank in range(1, 14)), "*", "back")


@dataclass(frozen=True)
class Face:
    """One tile's top face, full bleed: the corners are cut by `TileEdition.corner_radius`.

    albedo: (H, W, 3) uint8 BGR. relief: (H, W) float32 height in tile widths, 0 flat, negative carved; None where flat.
    gloss: (H, W) float32 0..1, a factor of the specular light; None where even.
    """

    albedo: npt.NDArray[np.uint8]
    relief: npt.NDArray[np.float32] | None
    gloss: npt.NDArray[np.float32] | None


@dataclass(frozen=True)
class TileEdition:
    """One maker's set. `aspect` is height / width; thickness, corner radius and bevel are in tile widths."""

    name: str
    seed: int
    held_out: bool
    aspect: float
    thickness: float
    corner_radius: float
    bevel: float
    body_bgr: tuple[int, int, int]
    side_bgr: tuple[int, int, int]
    gloss: float
    look: tilelooks.Look = field(repr=False)
    _drawn: dict[tuple[str, bool], tilefaces.Drawn] = field(default_factory=dict, repr=False, compare=False)

    def face(self, code: str, rng: np.random.Generator, *, half: bool = False) -> Face:
        """The face of 'r1'..'k13', '*' or 'back', as worn as this rng makes this tile. ValueError for another code.

        `half`: the same tile drawn at half of FACE_WIDTH, a quarter of the work.
        """
        if code not in CODES:
            raise ValueError(f"No tile has the code {code!r}: r, b, y or k with 1-13, '*' or 'back'.")
        key = code
        if code == "*" and rng.random() < 0.5:
            key = "*2"
        return Face(*tilewear.use(self.look, self._clean(key, half), rng))

    def _clean(self, key: str, half: bool) -> tilefaces.Drawn:
        drawn = self._drawn.get((key, half))
        if drawn is None:
            drawn = tilefaces.halved(self._clean(key, False)) if half else tilefaces.draw(self.look, key)
            self._drawn[key, half] = drawn
        return drawn


@lru_cache(maxsize=32)
def edition(seed: int, held_out: bool = False) -> TileEdition:
    """Edition number `seed` (0 or more), of fonts and joker designs that are held out, or of the others."""
    look = tilelooks.sample(seed, held_out)
    rng = np.random.default_rng([seed, int(held_out), 11])
    side = np.array(look.body) * rng.uniform(0.86, 1.0)
    if rng.random() < 0.06:  # two-layer tiles: a coloured back under a pale face
        side = np.array(look.back_ink)
    return TileEdition(
        name=f"{look.family}-{seed}{'-held-out' if held_out else ''}",
        seed=seed,
        held_out=held_out,
        aspect=look.aspect,
        thickness=float(rng.uniform(0.14, 0.36)),
        corner_radius=float(rng.uniform(0.02, 0.13)),
        bevel=float(rng.uniform(0.0, 0.03) if rng.random() < 0.4 else rng.uniform(0.03, 0.09)),
        body_bgr=look.body,
        side_bgr=(int(side[0]), int(side[1]), int(side[2])),
        gloss=float(rng.uniform(0.05, 0.4) if look.texture == "wood" else rng.uniform(0.2, 1.0)),
        look=look,
    )


def contact_sheet(sets: list[TileEdition], codes: tuple[str, ...], tile_width: int = 84) -> npt.NDArray[np.uint8]:
    """One row of faces for each set, simply lit, for looking at."""
    rows = []
    tall = round(tile_width * 1.62)
    for one in sets:
        rng = np.random.default_rng(one.seed)
        row = np.full((tall + 8, (tile_width + 6) * len(codes), 3), 70, np.uint8)
        for k, code in enumerate(codes):
            lit = tilefaces.lit(*_parts(one.face(code, rng)))
            height = round(tile_width * one.aspect)
            small = cv2.resize(lit, (tile_width, height), interpolation=cv2.INTER_AREA)
            row[4 : 4 + height, k * (tile_width + 6) + 3 : k * (tile_width + 6) + 3 + tile_width] = small
        rows.append(row)
    return np.vstack(rows)


def _parts(face: Face) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32] | None]:
    return face.albedo, face.relief


def main() -> None:
    parser = argparse.ArgumentParser(description="Contact sheets of tile editions, as PNG.")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=24)
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    codes = ("r1", "b2", "y3", "k4", "r5", "b6", "y7", "k8", "r9", "b10", "y11", "k12", "r13", "*", "*", "back")
    per_sheet = 8
    for start in range(0, args.count, per_sheet):
        seeds = range(args.seed + start, args.seed + min(args.count, start + per_sheet))
        sets = [edition(seed, args.held_out) for seed in seeds]
        path = args.out / f"editions-{seeds[0]:05d}{'-held-out' if args.held_out else ''}.png"
        cv2.imwrite(str(path), contact_sheet(sets, codes))
        print(path)


if __name__ == "__main__":
    main()
