"""Training samples of the small networks, cut from labelled photographs with the product's own `vision.flatten`.

`python -m datasets.crops --labels L.jsonl ... --out DIR` writes arrays: corner patches with their corners, reader crops
with their answers. Quads are jittered, since in use they come from a network and not from a label.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from datasets.labels import Labelled, Target, least_rectangle, load
from vision.corners import SPAN
from vision.flatten import flatten, patches, to_patch
from vision.identify import COLOURS, CROP, MARGINS, RANKS
from vision.locate import KINDS

Floats = NDArray[np.float64]
TILE_MARGIN, CARD_MARGIN = MARGINS["tile"], MARGINS["card"]
TILE_RANKS, CARD_RANKS = RANKS["tile"], RANKS["card"]
INKS, SUITS = COLOURS["tile"], COLOURS["card"]
NONE = -1
"""No answer for this head: the loss leaves it out."""
SQUEEZED = 0.65
"""Most that a picture of cards is squeezed one way (natural logarithm): 16:9 made a square is 0.58."""
SUIT_HALF, SUIT_WHOLE = 0.62, 0.88
"""Share of an index's height up to which the suit is cut off, and from which it is all there. A rank alone is no index:
taught as unreadable, for in use a longer cut then finds the suit."""
LEGIBLE, FOUND = 0.62, 0.35
SMEARED = {"tile": (0.085, 0.11), "card": (0.14, 0.2)}
"""Blur (sigma, in widths of the piece) up to which a numeral can be read, and from which it can't. An index is as wide
as its rank, a tile more than twice as wide as its numeral."""


@dataclass
class Samples:
    """Growing lists of one scene's samples; `arrays` stacks them."""

    patch: list[NDArray[np.uint8]]
    corners: list[NDArray[np.float32]]
    patch_kind: list[int]
    tile: list[NDArray[np.uint8]]
    tile_answer: list[tuple[int, int, int]]
    card: list[NDArray[np.uint8]]
    card_answer: list[tuple[int, int, int]]


HEAD, HEAD_69 = 0.12, 0.4
"""Share of the crops that stand on their head; of tiles with a six or a nine more, for there a mark alone may tell."""


def long_side(quad: Floats) -> float:
    """Long side of the least rectangle round a quad: what the locator reports."""
    (_, (w, h), _) = cv2.minAreaRect(quad.astype(np.float32))
    return float(max(w, h, 1.0))


def tile_answer(code: str) -> tuple[int, int, int]:
    """Indices (rank, ink, upright) of a tile's code; a joker's and a back's ink is not asked for."""
    if code in ("*", "back"):
        return TILE_RANKS.index(code), NONE, 0 if code == "*" else NONE
    return int(code[1:]) - 1, INKS.index(code[0]), 0


def card_answer(code: str) -> tuple[int, int, int]:
    """Indices (rank, suit, upright) of a card's code."""
    if code == "*":
        return CARD_RANKS.index("*"), NONE, 0
    return CARD_RANKS.index(code[:-1]), SUITS.index(code[-1]), 0


def jitter(quad: Floats, rng: np.random.Generator, amount: float) -> Floats:
    """A sloppy copy: shifted, scaled, turned a little, each corner moved by itself."""
    middle = quad.mean(0)
    side = np.sqrt(max(cv2.contourArea(quad.astype(np.float32)), 1.0))
    a = rng.normal(0, amount * 0.9)
    turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    moved = (quad - middle) @ turn.T * (1 + rng.normal(0, amount, 2)) + middle
    return moved + rng.normal(0, amount * side * 0.6, 2) + rng.normal(0, amount * side * 0.5, (4, 2))


def cut_scene(photo: Labelled, rng: np.random.Generator, copies: int) -> Samples:
    """All samples of one photograph. One of cards is squeezed now and then, as webcams' and datasets' pictures are."""
    image = photo.pixels()
    out = Samples([], [], [], [], [], [], [])
    targets, share = photo.targets, np.ones(2)
    if any(t.kind.startswith("card") for t in targets) and rng.random() < 0.5:
        share[int(rng.integers(2))] = np.exp(-rng.uniform(0, SQUEEZED))
        image = np.asarray(cv2.resize(image, None, fx=share[0], fy=share[1], interpolation=cv2.INTER_AREA), np.uint8)
        targets = tuple(replace(t, quad=t.quad * share) for t in targets)
    for target in targets:
        side = long_side(target.quad)
        if target.visible < FOUND or side < 9:
            continue
        if not target.upright_known:
            continue
        _cut_patch(out, image, target, side, rng)
        _cut_crops(out, image, target, haze_of(photo, target), rng, copies)
    _cut_nothing(out, image, targets, rng, photo.label.get("pieces", ()), share)
    return out


def haze_of(photo: Labelled, target: Target) -> float:
    """How far blur smears a piece, in its own widths; 0 where a photograph's label does not say."""
    width = float(np.linalg.norm(target.quad[1] - target.quad[0]) + np.linalg.norm(target.quad[2] - target.quad[3])) / 2
    return float(photo.label.get("blur", 0.0)) / max(width, 1.0)


def _cut_patch(out: Samples, image: NDArray[np.uint8], target: Target, side: float, rng: np.random.Generator) -> None:
    box = least_rectangle(target.quad)
    reach = np.array([[side * SPAN * float(np.exp(rng.normal(0, 0.09)))]])[0]
    centre = (box.mean(0) + rng.normal(0, 0.05 * side, 2))[None]
    out.patch.append(patches(image, centre, reach)[0])
    out.corners.append(to_patch(target.quad[None], centre, reach)[0].astype(np.float32))
    out.patch_kind.append(KINDS.index(target.kind))


def _cut_crops(
    out: Samples,
    image: NDArray[np.uint8],
    target: Target,
    haze: float,
    rng: np.random.Generator,
    copies: int,
) -> None:
    tile = target.piece == "tile"
    if target.kind == "card_back":
        return
    for _ in range(copies):
        quad = jitter(target.quad, rng, 0.035 if rng.random() < 0.8 else 0.07)
        answer = tile_answer(target.code) if tile else card_answer(target.code)
        blind = len(RANKS[target.piece]) - 1
        length = 1.0
        if not tile and target.code != "*" and rng.random() < 0.4:
            length = float(rng.uniform(0.4, 1.4))
            if SUIT_HALF < length < SUIT_WHOLE:
                continue
            quad = np.concatenate([quad[:2], quad[:2] + (quad[[3, 2]] - quad[:2]) * length])[[0, 1, 3, 2]]
        if length < SUIT_WHOLE:
            answer = (blind, NONE, NONE)
        elif target.legible < LEGIBLE and target.code != "back":
            # between the two limits a person might still read it: neither answer is taught
            if target.legible > 0.4:
                continue
            answer = (blind, NONE, NONE)
        elif haze > SMEARED[target.piece][0] and target.code != "back":
            if haze < SMEARED[target.piece][1]:
                continue
            answer = (blind, NONE, NONE)
        elif answer[2] == 0 and rng.random() < (HEAD_69 if tile and target.code[1:] in ("6", "9") else HEAD):
            quad = np.roll(quad, 2, 0)
            answer = (NONE, answer[1], 1)
        crop = flatten(image, quad[None], CROP, MARGINS[target.piece])[0]
        if answer[0] != NONE and target.code != "back" and faint(crop):
            answer = (blind, NONE, NONE)
        if answer[0] not in (NONE, blind) and target.code != "back":
            luck = rng.random()
            if luck < 0.03:
                crop, answer = _spoil(crop, rng), (blind, NONE, NONE)
            elif luck < 0.07 and (half := _half_hidden(crop, rng)) is not None:
                crop, answer = half, (blind, NONE, NONE)
            elif not tile and target.code != "*" and length == 1.0 and luck < 0.13:
                crop = _suit_covered(crop, rng) if luck < 0.11 else _turned_about(image, quad)
                answer = (blind, NONE, NONE)
        (out.tile if tile else out.card).append(crop)
        (out.tile_answer if tile else out.card_answer).append(answer)


def faint(crop: NDArray[np.uint8]) -> bool:
    """Has light or darkness swallowed what was printed? Then nothing can be read, whatever the label says."""
    h, w = crop.shape[:2]
    smooth = cv2.blur(crop, (3, 3))
    inner = smooth[h // 10 : h * 9 // 10, w // 8 : w * 7 // 8].reshape(-1, 3).astype(np.float32)
    low, high = np.percentile(inner, (3, 97), axis=0)
    return bool((high - low).max() < 24)


HIDDEN = (0.4, 0.8)
"""Share of the ink under a thumb or a spot of glare from which a numeral can be another: half an 8 is a 3."""
COVERS = ((120, 150, 215), (80, 110, 170), (60, 75, 110), (252, 253, 255), (252, 253, 255), (40, 40, 45))
"""Skins, glare and shadow, BGR."""


Range = tuple[float, float]


def _oval(
    h: int, w: int, rng: np.random.Generator, centre: tuple[Range, Range], axes: tuple[Range, Range], softest: float
) -> NDArray[np.float32]:
    """A soft-edged oval mask (h, w), 0 to 1; ranges of its centre and axes in widths and heights of the crop."""
    place, size = ((float(w * rng.uniform(*x)), float(h * rng.uniform(*y))) for x, y in (centre, axes))
    mask = np.zeros((h, w), np.float32)
    cv2.ellipse(mask, (place, size, float(rng.uniform(0, 180))), 1.0, -1)
    return np.asarray(cv2.GaussianBlur(mask, (0, 0), rng.uniform(0.6, softest)), np.float32)


def _half_hidden(crop: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8] | None:
    """The crop with about half of its ink under an oval spot; None where no spot of some tries hides that much."""
    h, w = crop.shape[:2]
    smooth = cv2.blur(crop, (3, 3)).astype(np.float32)
    ink = np.linalg.norm(smooth - np.median(smooth.reshape(-1, 3), axis=0), axis=2)
    ink[: h // 10], ink[-h // 10 :], ink[:, : w // 10], ink[:, -w // 10 :] = 0, 0, 0, 0
    ink = np.where(ink > 0.5 * ink.max(), 1.0, 0.0)
    for _ in range(6):
        cover = _oval(h, w, rng, ((0.1, 0.9), (0.1, 0.7)), ((0.4, 0.9), (0.35, 0.8)), 2.5)
        if HIDDEN[0] < float((ink * cover).sum() / max(ink.sum(), 1.0)) < HIDDEN[1]:
            spot = np.array(COVERS[int(rng.integers(len(COVERS)))]) * rng.uniform(0.85, 1.0)
            strength = cover[..., None] * rng.uniform(0.88, 1.0)
            return np.asarray(crop * (1 - strength) + strength * spot, np.uint8)
    return None


def _suit_covered(crop: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """The crop of an index on whose suit the next card lies, blank or with a part of its own print."""
    h, w = crop.shape[:2]
    edge = h * (CARD_MARGIN + rng.uniform(0.5, SUIT_HALF)) / (1 + 2 * CARD_MARGIN)
    slope = float(rng.normal(0, 0.12))
    rows, columns = np.mgrid[:h, :w]
    depth = rows - edge - slope * (columns - w / 2)
    over = np.clip(depth + 0.5, 0, 1)[..., None]
    paper = np.percentile(crop.reshape(-1, 3), 70, axis=0) * rng.uniform(0.9, 1.06)
    card = np.full(crop.shape, paper, np.float32)
    if rng.random() < 0.4:  # the rank of the card on top, or what else it has there
        shift = round(edge + h * rng.uniform(0.0, 0.3))
        card[shift:] = crop[: h - shift]
    shade = 1 - rng.uniform(0, 0.4) * np.exp(-np.abs(depth) / rng.uniform(0.7, 2.5))[..., None]
    return np.asarray(np.clip((crop * (1 - over) + card * over) * shade, 0, 255), np.uint8)


def _turned_about(image: NDArray[np.uint8], quad: Floats) -> NDArray[np.uint8]:
    """The crop of an index taken the wrong way round: its rank upside down on top, and no suit under it."""
    down = quad[[3, 2]] - quad[:2]
    foot = quad[:2] + SUIT_HALF * down  # of the rank, left and right
    other = np.stack([foot[1], foot[0], foot[0] - down[0], foot[1] - down[1]])
    return flatten(image, other[None], CROP, CARD_MARGIN)[0]


def _spoil(crop: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Makes a piece unreadable: a thumb on it, glare over it, or blur beyond reading."""
    h, w = crop.shape[:2]
    luck = rng.random()
    if luck < 0.4:
        cover = _oval(h, w, rng, ((0.35, 0.65), (0.28, 0.45)), ((0.8, 1.2), (0.55, 0.8)), 3)[..., None]
        skin = np.array(COVERS[int(rng.integers(len(COVERS)))])
        return np.asarray(crop * (1 - cover) + cover * skin * rng.uniform(0.8, 1.0), np.uint8)
    blurred = cv2.GaussianBlur(crop, (0, 0), rng.uniform(6, 11))
    return np.asarray(np.clip(blurred + rng.normal(0, 3, crop.shape), 0, 255), np.uint8)


def _cut_nothing(
    out: Samples,
    image: NDArray[np.uint8],
    targets: Sequence[Target],
    rng: np.random.Generator,
    pieces: Sequence[dict[str, Any]],
    share: Floats,
) -> None:
    """Places where no whole piece lies: table, halves of pieces, the space between two. `share`: how far the picture
    was squeezed since `pieces` were labelled."""
    h, w = image.shape[:2]
    centres = [t.quad.mean(0) for t in targets]
    sides = [long_side(t.quad) for t in targets]
    usual = float(np.median(sides)) if sides else 60.0
    cards = any(t.kind.startswith("card") for t in targets)
    tiles = [t for t in targets if t.kind == "tile"]
    for _ in range(2 if tiles else 0):
        quad = _beside(tiles[int(rng.integers(len(tiles)))].quad, rng)
        middle = quad.mean(0)
        if min(np.linalg.norm(middle - c) / s for c, s in zip(centres, sides, strict=True)) > 0.22:
            out.tile.append(flatten(image, jitter(quad, rng, 0.03)[None], CROP, TILE_MARGIN)[0])
            out.tile_answer.append((len(TILE_RANKS) - 1, NONE, NONE))
    faces = [share * np.array(piece["polygon"]) for piece in pieces if cards and "polygon" in piece]
    for _ in range(6 if cards else 2):
        size = usual * rng.uniform(0.6, 1.6)
        luck = rng.random()
        if faces and luck < 0.5:  # somewhere on a card: signs, a court's face, a maker's word
            whole = faces[int(rng.integers(len(faces)))]
            centre = whole.T @ rng.dirichlet(np.ones(len(whole)))
        elif targets and luck < 0.75:
            pick = int(rng.integers(len(targets)))
            a = rng.uniform(0, 2 * np.pi)
            centre = centres[pick] + np.array([np.cos(a), np.sin(a)]) * sides[pick] * rng.uniform(0.5, 0.8)
        else:
            centre = rng.uniform(0, 1, 2) * (w, h)
        if centres and min(np.linalg.norm(centre - c) / s for c, s in zip(centres, sides, strict=True)) < 0.42:
            continue
        a = rng.uniform(0, 2 * np.pi)
        turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
        unit = np.array([[-0.36, -0.5], [0.36, -0.5], [0.36, 0.5], [-0.36, 0.5]]) * size
        crop = flatten(image, (unit @ turn.T + centre)[None], CROP, CARD_MARGIN if cards else TILE_MARGIN)[0]
        if cards:
            out.card.append(crop)
            out.card_answer.append((len(CARD_RANKS) - 1, NONE, NONE))
        else:
            out.tile.append(crop)
            out.tile_answer.append((len(TILE_RANKS) - 1, NONE, NONE))


def _beside(quad: Floats, rng: np.random.Generator) -> Floats:
    """What is most often taken for a tile and is none: the half below its numeral, or the gap beside it."""
    top_left, top_right, low_right, low_left = quad
    if rng.random() < 0.5:
        share = rng.uniform(0.42, 0.56)
        half = np.array(
            [low_left + (top_left - low_left) * share, low_right + (top_right - low_right) * share, low_right, low_left]
        )
        return np.roll(half, int(rng.integers(4)), 0)
    across, down = top_right - top_left, low_left - top_left
    step = across * rng.choice([-1, 1]) * rng.uniform(0.95, 1.1) if rng.random() < 0.7 else down * rng.choice([-1, 1])
    return np.roll(quad + step, 2 * int(rng.integers(2)), 0)


def _job(job: tuple[list[Labelled], int, int]) -> dict[str, NDArray[Any]]:
    cv2.setNumThreads(1)
    photos, seed, copies = job
    rng = np.random.default_rng(seed)
    every = [cut_scene(photo, rng, copies) for photo in photos]

    def stack(name: str, shape: tuple[int, ...], kind: Any) -> NDArray[Any]:
        items = [item for s in every for item in getattr(s, name)]
        return np.array(items, kind).reshape(-1, *shape)

    w, h = CROP
    return {
        "patch": stack("patch", (64, 64, 3), np.uint8),
        "corners": stack("corners", (4, 2), np.float32),
        "patch_kind": stack("patch_kind", (), np.int8),
        "tile": stack("tile", (h, w, 3), np.uint8),
        "tile_answer": stack("tile_answer", (3,), np.int8),
        "card": stack("card", (h, w, 3), np.uint8),
        "card_answer": stack("card_answer", (3,), np.int8),
    }


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m datasets.crops", description=__doc__)
    parser.add_argument("--labels", type=Path, nargs="+", required=True)
    parser.add_argument("--groups", type=Path, help="which way the pieces of real photographs stand (`models.stand`)")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--copies", type=int, default=2, help="reader crops a piece, each with its own jitter")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    args = parser.parse_args(argv)
    photos = [photo for path in args.labels for photo in load(path, groups=args.groups)]
    chunks = [photos[i : i + 200] for i in range(0, len(photos), 200)]
    jobs = [(chunk, args.seed * 100_003 + i, args.copies) for i, chunk in enumerate(chunks)]
    args.out.mkdir(parents=True, exist_ok=True)
    counts: dict[str, int] = {}
    with ProcessPoolExecutor(args.workers, get_context("spawn")) as pool:
        for i, arrays in enumerate(tqdm(pool.map(_job, jobs), total=len(jobs), unit="chunk")):
            for name, array in arrays.items():
                np.save(args.out / f"{name}-{i:04d}.npy", array)
                counts[name] = counts.get(name, 0) + len(array)
    (args.out / "counts.json").write_text(json.dumps(counts, indent=1))
    print(json.dumps(counts))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
