"""Photos that the host keeps, what was read from them, and what a person made of it: labelled crops to train on.

Beside each kept `STAMP-KEY.jpg` lies `STAMP-KEY.json`: the Scene as read and, once someone put it right, the pieces as
they ended. The key follows from the Scene, which the browser sends back with every edit; nothing else ties them.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vision.scene import BACK, UNKNOWN, Piece, Scene, SceneError

if TYPE_CHECKING:  # cv2 takes longer to import than the first page may take
    from companion.table import Table
    from vision.flatten import Floats, Image

SCHEMA = 1
KEY = re.compile(r"[0-9a-f]{24}")
MOST = 5000
"""Kept photos in one folder: some 2 GB. Further ones are read and not kept."""
AROUND = 0.35
"""Share of a piece's sides by which its crop reaches beyond it."""
TALL = 160
"""Most pixels of a crop's piece along its longer side: more than any network looks at."""


class CorrectionsError(RuntimeError):
    """Corrections can't be read or written; the message is a sentence for a person."""


@dataclass(frozen=True)
class Kept:
    """A kept photo: the picture's file, its Scene as read, and the pieces as a person left them (None: untouched)."""

    picture: Path
    scene: Scene
    pieces: tuple[Piece, ...] | None


def key_of(scene: Scene) -> str:
    """What a Scene is found by again."""
    told = replace(scene, timings={}).to_dict()
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:24]


def keep(folder: Path, picture: bytes, scene: Scene) -> Path:
    """Keep a photo (JPEG) that was read; its file. Raises OSError, also once the folder holds MOST of them."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if sum(entry.name.endswith(".jpg") for entry in os.scandir(folder)) >= MOST:
        raise OSError(errno.EDQUOT, f"{folder} holds {MOST} photos")
    path = folder / f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{key_of(scene)}.jpg"
    _write(path.with_suffix(".json"), _told(scene, None))
    _write(path, picture)
    return path


def note(folder: Path, scene: Scene, table: Table) -> bool:
    """Note how a person left the pieces of a kept photo, over what was noted before; False where it wasn't kept.

    Raises OSError.
    """
    key = key_of(scene)
    there = {n for group in table.seen.groups for n in group.pieces}
    left = [piece for n, piece in enumerate(table.seen.scene.pieces) if n in there]
    pieces = tuple(replace(piece, code=piece.code.partition("=")[0]) for piece in left)
    files = sorted(folder.glob(f"*-{key}.json"))
    for path in files:
        _write(path, _told(scene, pieces))
    return bool(files)


def kept(folder: Path) -> Iterator[Kept]:
    """The kept photos, oldest first. Raises CorrectionsError for a damaged file."""
    if not folder.is_dir():
        raise CorrectionsError(f"There is no folder {folder}.")
    for path in sorted(folder.glob("*.json")):
        if not KEY.fullmatch(path.stem.rpartition("-")[2]):
            continue
        try:
            data = json.loads(path.read_bytes())
            if data["schema"] != SCHEMA:
                raise ValueError(f"schema {data['schema']}")
            scene = Scene.from_dict(data["scene"])
            left = None if data["left"] is None else Scene.from_dict(data["left"]).pieces
        except (OSError, ValueError, KeyError, TypeError, RecursionError, SceneError) as error:
            raise CorrectionsError(f"{path} can't be read: {error}.") from error
        yield Kept(path.with_suffix(".jpg"), scene, left)


def export(folder: Path, out: Path) -> tuple[int, int]:
    """Write every piece of the corrected photos as a crop with its label: `crops/`, `labels.jsonl` and `groups.jsonl`
    in the form that `datasets.labels` reads. Returns how many photos and crops. Raises CorrectionsError, OSError."""
    import cv2
    import numpy as np

    lines: list[str] = []
    ups: list[str] = []
    photos = 0
    (out / "crops").mkdir(parents=True, exist_ok=True)
    for one in kept(folder):
        if one.pieces is None:
            continue
        image = cv2.imread(str(one.picture), cv2.IMREAD_COLOR)
        if image is None:
            raise CorrectionsError(f"The photo {one.picture} can't be read.")
        scale = image.shape[1] / one.scene.width
        photos += 1
        before = {piece.quad: piece.code for piece in one.scene.pieces}
        for n, piece in enumerate(one.pieces):
            for m, quad in enumerate(piece.indices or (piece.quad,)):
                if piece.code == UNKNOWN or (piece.kind == "card" and piece.code == BACK):
                    continue
                crop, outline = _cut(np.asarray(image, np.uint8), quad, scale)
                name = f"crops/{one.picture.stem}-{n:03d}{f'-{m}' if m else ''}.png"
                done, data = cv2.imencode(".png", crop)
                if not done or min(crop.shape[:2]) < 8:
                    continue
                (out / name).write_bytes(bytes(data))
                label = _label(piece, outline, before.get(piece.quad))
                size = {"width": int(crop.shape[1]), "height": int(crop.shape[0])}
                lines.append(json.dumps({"image": name, "source": "corrections", **size, "pieces": [label]}))
                ups.append(json.dumps({"image": name, "upright": [0.0], "groups": [[0]]}))
    _write(out / "labels.jsonl", "".join(f"{line}\n" for line in lines).encode())
    _write(out / "groups.jsonl", "".join(f"{line}\n" for line in ups).encode())
    return photos, len(lines)


def _label(piece: Piece, outline: Floats, before: str | None) -> dict[str, Any]:
    polygon = outline.round(2).tolist()
    label: dict[str, Any] = {"code": piece.code, "polygon": polygon, "corrected": before != piece.code}
    if piece.kind == "card":
        label |= {"visible": 1.0, "indices": [{"polygon": polygon, "visible": 1.0}]}
    return label


def _cut(image: Image, quad: Any, scale: float) -> tuple[Image, Floats]:
    """A piece upright with its surroundings, and its outline (4, 2) in the crop."""
    import numpy as np

    from vision.flatten import flatten

    corners = np.array(quad, float) * scale
    wide = float(np.linalg.norm(corners[1] - corners[0]) + np.linalg.norm(corners[2] - corners[3])) / 2
    high = float(np.linalg.norm(corners[3] - corners[0]) + np.linalg.norm(corners[2] - corners[1])) / 2
    shrink = min(1.0, TALL / max(wide, high, 1.0))
    w, h = max(wide * shrink, 1.0), max(high * shrink, 1.0)
    size = (max(round(w * (1 + 2 * AROUND)), 1), max(round(h * (1 + 2 * AROUND)), 1))
    inner = np.array([[AROUND, AROUND], [1 + AROUND, AROUND], [1 + AROUND, 1 + AROUND], [AROUND, 1 + AROUND]])
    return flatten(image, corners[None], size, AROUND)[0], inner / (1 + 2 * AROUND) * size


def _told(scene: Scene, pieces: tuple[Piece, ...] | None) -> bytes:
    left = None if pieces is None else replace(scene, pieces=pieces, rows=(), timings={}).to_dict()
    told = {"schema": SCHEMA, "scene": replace(scene, timings={}).to_dict(), "left": left}
    return json.dumps(told, ensure_ascii=False).encode()


def _write(path: Path, data: bytes) -> None:
    """Whole or not at all."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        os.replace(part, path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
