"""Toy tiles and cards drawn as bar codes, and toy networks that truly look at the pixels they are given.

They keep the networks' contract (inputs, outputs, shapes), so every stage between them is tested without weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from vision.flatten import flatten
from vision.weights import Network

Quads = np.ndarray[Any, np.dtype[np.float64]]
Pixels = np.ndarray[Any, np.dtype[np.uint8]]
TABLE = (40, 90, 40)
BODY = (215, 228, 232)
INK = {"r": (30, 30, 200), "b": (190, 90, 20), "y": (20, 140, 235), "k": (20, 20, 20)}
SUIT = dict(zip("SHDC", INK.values(), strict=True))
RANKS = {"tile": [*map(str, range(1, 14)), "*", "back", "?"],
         "card": ["A", *map(str, range(2, 11)), "J", "Q", "K", "*", "?"]}
BACK_BODY = (172, 205, 208)
"""Face-down tiles are of another shade."""


def parts(code: str, kind: str) -> tuple[int, int]:
    """Rank and colour numbers of a code."""
    if code in ("*", "back", "?"):
        return RANKS[kind].index(code), 3
    if kind == "tile":
        return int(code[1:]) - 1, "rbyk".index(code[0])
    return RANKS[kind].index(code[:-1]), "SHDC".index(code[-1])


def face(code: str, kind: str = "tile", width: int = 240, height: int = 320) -> Pixels:
    """An upright toy: four cells of ink for the rank's bits, under them a bar that says which way is up."""
    picture = np.full((height, width, 3), BODY if code != "back" else BACK_BODY, np.uint8)
    if code in ("back", "?"):
        return picture
    rank, colour = parts(code, kind)
    ink = list(INK.values())[colour]
    for bit in range(4):
        if (rank + 1) >> bit & 1:
            x, y = 0.2 + 0.3 * (bit % 2), 0.15 + 0.2 * (bit // 2)
            cv2.rectangle(picture, (int(x * width), int(y * height)),
                          (int((x + 0.3) * width) - 1, int((y + 0.2) * height) - 1), ink, -1)
    cv2.rectangle(picture, (int(0.2 * width), int(0.65 * height)), (int(0.8 * width), int(0.75 * height)), ink, -1)
    return picture


def lay(picture: Pixels, quad: Quads, code: str, kind: str = "tile") -> None:
    """Draw a toy into a quad of a picture, with a thin dark edge."""
    toy = face(code, kind)
    height, width = toy.shape[:2]
    source = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    to_photo = cv2.getPerspectiveTransform(source - 0.5, (quad - 0.5).astype(np.float32))
    size = (picture.shape[1], picture.shape[0])
    # enlarged toys stay sharp, reduced ones are averaged: drawn at four times the size near it would be slow
    drawn = cv2.warpPerspective(toy, to_photo, size, flags=cv2.INTER_AREA)
    mask = np.zeros(picture.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, np.round(quad * 16 - 8).astype(np.int32), 255, cv2.LINE_AA, 4)
    share = mask[..., None].astype(np.float32) / 255
    picture[:] = (drawn * share + picture * (1 - share)).astype(np.uint8)
    cv2.polylines(picture, [np.round(quad * 16 - 8).astype(np.int32)], True, TABLE, 2, cv2.LINE_AA, 4)


@dataclass(frozen=True)
class Toy:
    """A toy on a table: its code, middle, height in pixels, turn in degrees clockwise."""

    code: str
    x: float
    y: float
    height: float = 90.0
    turn: float = 0.0
    kind: str = "tile"

    @property
    def quad(self) -> Quads:
        """Clockwise from its own top left."""
        angle = np.radians(self.turn)
        spin = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        unit = np.array([[-0.36, -0.5], [0.36, -0.5], [0.36, 0.5], [-0.36, 0.5]]) * self.height
        return np.asarray(unit @ spin.T + [self.x, self.y], np.float64)


def table(toys: Sequence[Toy], width: int = 800, height: int = 600) -> Pixels:
    """A picture of a table with these toys."""
    picture = np.full((height, width, 3), TABLE, np.uint8)
    for toy in toys:
        lay(picture, toy.quad, toy.code, toy.kind)
    return picture


def _bgr(planes: Any) -> Pixels:
    return np.ascontiguousarray((planes.transpose(1, 2, 0)[..., ::-1] * 255).round().astype(np.uint8))


def _blobs(picture: Pixels) -> list[np.ndarray[Any, Any]]:
    """Contours of all that is neither table nor padding."""
    away = np.abs(picture.astype(int) - TABLE).max(axis=2) > 60
    away &= np.abs(picture.astype(int) - 114).max(axis=2) > 2
    contours, _ = cv2.findContours(away.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return [c for c in contours if cv2.contourArea(c) > 12]


def locator(kind: str = "tile", smallest: float = 0.0, largest: float = 1e9) -> Network:
    """Sees pieces whose longer side lies within limits, in pixels of its input."""
    def run(pictures: Any) -> dict[str, Any]:
        assert pictures.shape[0] == 1
        assert pictures.shape[2] % 32 == 0
        assert pictures.shape[3] % 32 == 0
        picture = _bgr(pictures[0])
        found = []
        for contour in _blobs(picture):
            (x, y), (w, h), angle = cv2.minAreaRect(contour.reshape(-1, 2).astype(np.float32))
            if not smallest <= max(w, h) <= largest:
                continue
            shade = picture[int(y), int(x)].astype(int)
            face_down = np.abs(shade - BACK_BODY).max() < 12
            scores = [0.0] * 4
            scores[(1 if face_down else 0) if kind == "tile" else 2] = 0.9
            # twice, as neighbouring places of a real network do
            found += [[x + 0.5, y + 0.5, w + 1, h + 1, *scores, np.radians(angle)]] * 2
        raw = np.array(found, np.float32).T if found else np.zeros((9, 0), np.float32)
        return {"raw": raw[None]}
    return Network(run)


WHOLE_PATCH = np.array([[[8, 2]], [[55, 2]], [[55, 61]], [[8, 61]]])
"""What is taken for a piece where none lies: a real network too answers whatever it sees."""


def corner_network(turned: float = 0.0) -> Network:
    """Finds the blob in the middle; `turned`: probability that it wrongly gives to the piece standing on its head."""
    def run(pictures: Any) -> dict[str, Any]:
        assert pictures.shape[1:] == (3, 64, 64)
        bins, quads = [], []
        for planes in pictures:
            picture = _bgr(planes)
            blobs = _blobs(picture) or [WHOLE_PATCH]
            middle = min(blobs, key=lambda c: np.hypot(*(c.reshape(-1, 2).mean(axis=0) - 31.5)))
            box = cv2.boxPoints(cv2.minAreaRect(middle.reshape(-1, 2).astype(np.float32))).astype(float) + 0.5
            centre = box.mean(axis=0)
            box = centre + (box - centre) * (1 + 1 / np.maximum(np.abs(box - centre), 4))
            box = box[np.argsort(np.arctan2(box[:, 1] - centre[1], box[:, 0] - centre[0]))]
            if np.hypot(*(box[1] - box[0])) > np.hypot(*(box[2] - box[1])):
                box = np.roll(box, 1, axis=0)
            if _standing(flatten(picture, [box], (48, 64))[0]) < _standing(
                    flatten(picture, [np.roll(box, 2, axis=0)], (48, 64))[0]):
                box = np.roll(box, 2, axis=0)
            up = box[0] + box[1] - box[2] - box[3]
            true = round(np.degrees(np.arctan2(up[0], -up[1])) / 90) % 4
            p = np.full(4, 1e-4)
            p[true], p[(true + 2) % 4] = 1 - turned, max(turned, 1e-4)
            bins.append(np.log(np.maximum(p, 1e-4)))
            every = [np.roll(box, (true - k), axis=0) for k in range(4)]
            quads.append([(quad - 32) / 32 for quad in every])
        return {"bins": np.array(bins, np.float32), "quads": np.array(quads, np.float32).reshape(-1, 4, 8)}
    return Network(run)


def _darkness(crop: Pixels, x1: float, y1: float, x2: float, y2: float) -> float:
    height, width = crop.shape[:2]
    part = crop[int(y1 * height):int(y2 * height), int(x1 * width):int(x2 * width)].reshape(-1, 3)
    return float(np.abs(part.astype(int) - BODY).max(axis=1).mean())


def _standing(crop: Pixels) -> float:
    """High where the bar lies below, as it does upright."""
    bar = min(_darkness(crop, x, 0.67, x + 0.15, 0.73) for x in (0.25, 0.42, 0.6))
    return bar - _darkness(crop, 0.25, 0.8, 0.75, 0.9)


def reader(kind: str = "tile", sureness: float = 8.0, doubt: dict[str, float] | None = None) -> Network:
    """Reads the bar code; `doubt`: for a code, the logit of a tile's ink or rank in place of `sureness`."""
    margin = 0.04 if kind == "tile" else 0.10

    def run(pictures: Any) -> dict[str, Any]:
        assert pictures.shape[1:] == (3, 64, 48)
        ranks, colours, upright = [], [], []
        for planes in pictures:
            crop = _bgr(planes)
            cut = [round(side * margin / (1 + 2 * margin)) for side in crop.shape[:2]]
            crop = crop[cut[0]:64 - cut[0], cut[1]:48 - cut[1]]
            rank, colour, up = read(crop, kind)
            code = code_of(rank, colour, kind)
            size = (doubt or {}).get(code, sureness)
            ranks.append(size * np.eye(len(RANKS[kind]))[rank])
            colours.append(size * np.eye(4)[colour])
            upright.append([4.0, -4.0] if up else [-4.0, 4.0])
        name = "ink" if kind == "tile" else "suit"
        return {"rank": np.array(ranks, np.float32), name: np.array(colours, np.float32),
                "upright": np.array(upright, np.float32)}
    return Network(run)


def code_of(rank: int, colour: int, kind: str) -> str:
    """The code of a rank and a colour number."""
    name = RANKS[kind][rank]
    if name in ("*", "back", "?"):
        return name
    return f"{'rbyk'[colour]}{name}" if kind == "tile" else f"{name}{'SHDC'[colour]}"


def read(crop: Pixels, kind: str) -> tuple[int, int, bool]:
    """Rank, colour, and whether the toy stands upright."""
    plain = _darkness(crop, 0.2, 0.15, 0.8, 0.8) < 90
    if kind == "tile" and plain and np.abs(crop[32, 20].astype(int) - BACK_BODY).max() < 25:
        return RANKS[kind].index("back"), 3, True
    if max(_standing(crop), _standing(np.ascontiguousarray(crop[::-1, ::-1]))) < 30:
        return RANKS[kind].index("?"), 3, True
    up = _standing(crop) > _standing(np.ascontiguousarray(crop[::-1, ::-1]))
    height, width = crop.shape[:2]
    cells = [_darkness(crop, x + 0.08, y + 0.05, x + 0.22, y + 0.15) > 70
             for y in (0.15, 0.35) for x in (0.2, 0.5)]
    rank = sum(int(cell) << bit for bit, cell in enumerate(cells)) - 1
    top = 0.68 if up else 0.28
    bar = crop[int(top * height):int((top + 0.04) * height), int(0.3 * width):int(0.7 * width)].reshape(-1, 3)
    mean = bar.mean(axis=0)
    colour = min(range(4), key=lambda c: float(np.abs(mean - list(INK.values())[c]).sum()))
    return (rank if 0 <= rank < len(RANKS[kind]) - (2 if kind == "tile" else 1) else len(RANKS[kind]) - 1), colour, up


def witness() -> Network:
    """Believes the locator, and is so kind that a score of .4 counts."""
    return Network(lambda pairs: {"piece": np.zeros((len(pairs), 1), np.float32)}, {"weights": "[0.85, 1, 0]"})


def networks(**changed: Network) -> dict[str, Network]:
    """All toys, some replaced; one locator sees tiles and cards, as long as no other is given."""
    both = changed.get("locator", locator())
    return {"locator": both, "card_locator": both, "witness": witness(), "corners": corner_network(),
            "card_corners": corner_network(), "tile_reader": reader(),
            "card_reader": reader("card"), **changed}
