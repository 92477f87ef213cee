"""Labelled photographs, rendered or real, in one shape; to and from JSON lines and ultralytics' OBB text."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.locate import KINDS
from vision.scene import Kind

Floats = NDArray[np.float64]
CLASSES: tuple[str, ...] = KINDS
"""The locator's classes, in the order of its output."""


def shared_photos() -> Path:
    """Where the real photographs lie: REMI_PHOTOS, else `../shared/photos` beside the repository."""
    return Path(os.environ.get("REMI_PHOTOS", Path(__file__).resolve().parents[2] / "shared" / "photos"))


@dataclass(frozen=True)
class Target:
    """One thing the locator finds: its class, its quad (4, 2) in pixels and how sure the label is of it.

    `upright_known` is False where the quad's first corner is not the piece's own top left.
    `visible` is the share that shows; `legible` the share of what is read: of a tile's numeral, of an index's rank or
    its suit, whichever shows less.
    """

    kind: str
    code: str
    quad: Floats
    upright_known: bool = True
    visible: float = 1.0
    legible: float = 1.0

    @property
    def piece(self) -> Kind:
        """What the thing belongs to."""
        return "tile" if self.kind.startswith("tile") else "card"


@dataclass(frozen=True)
class Labelled:
    """A photograph and what is on it."""

    image: Path
    targets: tuple[Target, ...]
    label: dict[str, Any]

    def pixels(self) -> NDArray[np.uint8]:
        """BGR (h, w, 3), EXIF orientation applied."""
        data = cv2.imread(str(self.image), cv2.IMREAD_COLOR)
        if data is None:
            raise FileNotFoundError(f"The photo {self.image} can't be read.")
        return np.asarray(data, np.uint8)


def least_rectangle(polygon: Any) -> Floats:
    """The least-area rectangle (4, 2) round a polygon, clockwise from any corner."""
    box = cv2.boxPoints(cv2.minAreaRect(np.asarray(polygon, np.float32)))
    area = sum(box[i][0] * box[(i + 1) % 4][1] - box[(i + 1) % 4][0] * box[i][1] for i in range(4))
    return np.asarray(box if area > 0 else box[::-1], float)


def turned(quad: Floats, upright: float | None) -> Floats:
    """The quad's corners in order from the piece's own top left, given where up is (degrees clockwise)."""
    if upright is None:
        return quad
    a = np.radians(upright)
    up = np.array([np.sin(a), -np.cos(a)])
    heads = (quad + np.roll(quad, -1, 0)) / 2 - quad.mean(0)
    # by direction, not by length: a tile is longer than it is wide
    first = int(np.argmax(heads @ up / np.maximum(np.linalg.norm(heads, axis=1), 1e-6)))
    return np.roll(quad, -first, 0)


def targets_of(piece: dict[str, Any], upright: float | None, rendered: bool) -> Iterator[Target]:
    code = piece.get("code", "")
    if "indices" in piece or (rendered and piece.get("kind") == "card"):
        if code == "back":
            yield Target("card_back", code, np.array(piece["polygon"], float), True, piece["visible"], piece["visible"])
        for index in piece.get("indices", ()):
            shown = index["visible"]
            legible = index.get("legible", shown)
            yield Target("card_index", code, np.array(index["polygon"], float), True, shown, legible)
    elif rendered:
        kind = "tile_back" if code == "back" else "tile"
        legible = piece["legible"] if code != "back" else piece["visible"]
        yield Target(kind, code, np.array(piece["polygon"], float), True, piece["visible"], legible)
    elif "polygon" in piece:
        quad = turned(least_rectangle(piece["polygon"]), upright)
        share = 0.5 if piece.get("cut") else 1.0
        yield Target("tile_back" if code == "back" else "tile", code, quad, upright is not None, share, share)
    elif "box" in piece and code != "back":
        x1, y1, x2, y2 = piece["box"]
        yield Target("card_index", code, np.array([[x1, y1], [x2, y1], [x2, y2], [x1, y2]], float), False)


def load(path: Path, photos: Path | None = None, groups: Path | None = None) -> list[Labelled]:
    """Reads a `labels.jsonl`; image paths are relative to `photos` (default: beside the file, or its parents).

    A `groups.jsonl` beside it tells which way pieces stand.
    """
    lines = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    upright: dict[str, list[float | None]] = {}
    beside = groups or path.with_name("groups.jsonl")
    if beside.exists():
        for line in beside.read_text().splitlines():
            row = json.loads(line)
            upright[row["image"]] = row["upright"]
    out = []
    for line in lines:
        root = photos or next((p for p in path.parents if (p / line["image"]).exists()), path.parent)
        exact = rendered(line)
        ups = upright.get(line["image"], [])
        targets: list[Target] = []
        for i, piece in enumerate(line.get("pieces", ())):
            targets.extend(targets_of(piece, ups[i] if i < len(ups) else None, exact))
        out.append(Labelled(root / line["image"], tuple(targets), line))
    return out


def rendered(line: Mapping[str, Any]) -> bool:
    """Does a label line tell of a rendered scene, so that its quads are exact and begin at the pieces' own top left?"""
    return str(line.get("source", "")).startswith("rendered")


INK_WORDS = {"red": "r", "cyan": "b", "orange": "y", "black": "k"}


def load_crops(folder: Path) -> list[Labelled]:
    """Pictures of single upright tiles whose names say which: `10_cyan.png`, `joker_red.png`.

    Raises ValueError for a name that doesn't.
    """
    out = []
    for file in sorted(folder.glob("*.png")):
        number, _, ink = file.stem.partition("_")
        code = "*" if number == "joker" else f"{INK_WORDS.get(ink, '')}{number}"
        if code != "*" and not (number.isdigit() and 1 <= int(number) <= 13 and ink in INK_WORDS):
            raise ValueError(f"The picture's name {file.name} doesn't say which tile it shows.")
        image = cv2.imread(str(file), cv2.IMREAD_COLOR)
        if image is None:
            raise FileNotFoundError(f"The photo {file} can't be read.")
        h, w = image.shape[:2]
        quad = np.array([[0, 0], [w, 0], [w, h], [0, h]], float)
        label = {"image": file.name, "width": w, "height": h, "source": "crops"}
        out.append(Labelled(file, (Target("tile", code, quad),), label))
    return out


def obb_text(targets: Iterable[Target], width: int, height: int, least: float = 0.3) -> str:
    """ultralytics' OBB label text: class and four corners as shares of the picture, one target a line."""
    lines = []
    for t in targets:
        if t.visible < least:
            continue
        corners = (np.clip(t.quad / (width, height), 0, 1)).round(5).ravel()
        lines.append(" ".join([str(CLASSES.index(t.kind)), *map(str, corners)]))
    return "\n".join(lines) + ("\n" if lines else "")
