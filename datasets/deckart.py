"""Card art out of installed packages: rasterised once, cached, cut into faces.

Three Debian packages are looked for (`datasets/assets/CARDS.md`); nothing here is needed: without them, or without
`rsvg-convert`, there is simply no art. Rasterised faces lie under `$REMI_CACHE` (default `~/.cache/remi-companion`).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np

from datasets.cardpaint import RANKS, WIDTH, Face, Quad
from datasets.indexfind import find_indices
from datasets.suits import held_out

GNOME = Path("/usr/share/aisleriot/cards")
KDE = Path("/usr/share/carddecks")
OPENCLIPART = Path("/usr/share/openclipart/svg/recreation/games/cards")
RSVG = "rsvg-convert"

CODES: tuple[str, ...] = tuple(rank + suit for suit in "CDHS" for rank in RANKS)
_FORMAT = "cards-8"  # folder of the cache: raised when what is stored changes


@dataclass(frozen=True)
class Source:
    """A deck of a package. Decks of one `family` share drawings, so they stay on one side of the split."""

    key: str
    family: str
    language: str
    indices: bool = True  # False: its own indices are Cyrillic, so that only its pictures serve
    bare: bool = False  # its courts carry no index


_SOURCES: tuple[Source, ...] = (
    Source("gnome/ancient_french", "french", "fr"),
    Source("gnome/anglo", "anglo", "en"),
    Source("gnome/anglo_bitmap", "anglo", "en"),
    Source("gnome/anglo_modern", "anglo-modern", "en"),
    Source("gnome/anglo_modern_4_color", "anglo-modern", "en"),
    Source("gnome/anglo_poker", "anglo-poker", "en"),
    Source("gnome/atlasnye", "atlasnye", "en"),
    Source("gnome/atlasnye_skat", "atlasnye", "de"),
    Source("gnome/bellot", "french", "en"),
    Source("gnome/berlin", "berlin", "de"),
    Source("gnome/dondorf", "dondorf", "en"),
    Source("gnome/gnomangelo", "anglo", "en"),
    Source("gnome/gnomangelo_bitmap", "anglo", "en"),
    Source("gnome/guyenne-classic", "guyenne", "en", bare=True),
    Source("gnome/lattmann", "lattmann", "de"),
    Source("gnome/neoclassical", "neoclassical", "en"),
    Source("gnome/neoclassical_4_color", "neoclassical", "en"),
    Source("gnome/orell", "orell", "en"),
    Source("gnome/ornamental", "nicu", "en"),
    Source("gnome/paris", "french", "en"),
    Source("gnome/plastic", "plastic", "en"),
    Source("gnome/rheinland", "rheinland", "de"),
    Source("gnome/simplistic", "simplistic", "en"),
    Source("gnome/slavic_costumes", "slavic", "ru", indices=False),
    Source("gnome/tango", "tango", "en"),
    Source("gnome/tarocco", "tarocco", "it"),
    Source("gnome/tigullio", "tigullio", "en"),
    Source("kde/svg-standard/standard", "standard", "en"),
    Source("openclipart/bordered", "nicu", "en"),
    Source("openclipart/ornamental", "nicu", "en"),
    Source("openclipart/simple", "nicu", "en"),
    Source("openclipart/white", "nicu", "en"),
)


def cache_dir() -> Path:
    """Where rasterised art is kept."""
    return Path(os.environ.get("REMI_CACHE", str(Path.home() / ".cache" / "remi-companion"))) / _FORMAT


def sources(held: bool) -> tuple[Source, ...]:
    """The decks of one side of the split that are installed and can be rasterised."""
    if shutil.which(RSVG) is None:
        return ()
    return tuple(s for s in _SOURCES if held_out(f"art:{s.family}") == held and _path(s.key).exists())


def _path(key: str) -> Path:
    package, _, name = key.partition("/")
    if package == "gnome":
        return GNOME / f"{name}.svgz"
    return KDE / f"{name}.svgz" if package == "kde" else OPENCLIPART / name


@dataclass(frozen=True)
class Art:
    """One rasterised deck. Faces are (H, 250, 3) BGR, opaque to the corners."""

    source: Source
    folder: Path
    aspect: float
    usable: bool  # all 52 cards have their indices found

    def face(self, code: str) -> Face | None:
        """The whole card as printed ('*0', '*1', 'back' where the deck has them)."""
        path = self.folder / f"{code.replace('*', 'joker')}.png"
        return np.asarray(cv2.imread(str(path)), dtype=np.uint8) if path.exists() else None

    def indices(self, code: str) -> tuple[Quad, ...]:
        """Quads of the card's own indices; none for the back."""
        return tuple(np.array(q, np.float32) for q in _meta(self.folder)["indices"].get(code, []))

    def whole_joker(self) -> bool:
        """Whether the marks in all corners of both jokers were found; else the jokers are drawn."""
        return all(len(self.indices(code)) in (2, 4) and self.face(code) is not None for code in ("*0", "*1"))

    def picture(self, code: str) -> Face | None:
        """What stands on the card besides its indices, cut out, on white; '*' is any joker, 'back' the whole back."""
        if code == "back":
            return self.face("back")
        code = "*0" if code == "*" else code
        face = self.face(code)
        if code == "*0" and not self.whole_joker():
            return None
        bare = self.source.bare and code[:-1] in ("J", "Q", "K")
        if face is None or (code not in _meta(self.folder)["indices"] and not bare):
            return None
        return inner_picture(face, () if bare else self.indices(code))


def inner_picture(face: Face, quads: tuple[Quad, ...]) -> Face | None:
    """The picture of a card: indices whited out, cropped alike from either end; None where hardly anything is left."""
    h, w = face.shape[:2]
    paper = _paper(face)
    clean = np.clip(face.astype(np.float32) * (255 / paper), 0, 255).astype(np.uint8)
    for quad in quads:
        (x0, y0), (x1, y1) = quad.min(0) * (w, h), quad.max(0) * (w, h)
        cv2.rectangle(clean, (int(x0) - 1, int(y0) - 1), (int(x1) + 1, int(y1) + 1), (255, 255, 255), -1)
    ink = (255 - clean.min(2)) > 40
    ink[: h // 40] = ink[-(h // 40) :] = False
    ink[:, : w // 40] = ink[:, -(w // 40) :] = False
    ys, xs = np.flatnonzero(ink.any(1)), np.flatnonzero(ink.any(0))
    if len(ys) < h * 0.08 or len(xs) < w * 0.08:
        return None
    left, top = min(int(xs[0]), w - 1 - int(xs[-1])), min(int(ys[0]), h - 1 - int(ys[-1]))
    return np.ascontiguousarray(clean[top : h - top, left : w - left])


def _paper(face: Face) -> np.ndarray:
    """Colour of the bare paper: the usual colour just inside the border."""
    d = face.shape[1] // 25
    ring = np.concatenate([face[d, d:-d], face[-d, d:-d], face[d:-d, d], face[d:-d, -d]])
    return np.maximum(np.median(ring, 0), 1)


@lru_cache(maxsize=64)
def _meta(folder: Path) -> dict[str, dict[str, list[object]]]:
    return dict(json.loads((folder / "meta.json").read_text()))


@lru_cache(maxsize=64)
def load(source: Source) -> Art | None:
    """Rasterises a deck, or finds it in the cache; None where the package's file can't be rendered as a deck."""
    folder = cache_dir() / source.key.replace("/", "-")
    if not (folder / "meta.json").exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as work:
            rasterised = Path(work) / "deck"
            rasterised.mkdir()
            _rasterise(source, rasterised)
            try:
                rasterised.rename(folder)
            except OSError:  # another process was first
                if not (folder / "meta.json").exists():
                    raise
    meta = json.loads((folder / "meta.json").read_text())
    if not meta["complete"]:
        return None
    return Art(source, folder, float(meta["aspect"]), bool(meta["usable"] and source.indices))


def _rasterise(source: Source, folder: Path) -> None:
    package = source.key.partition("/")[0]
    read = {"gnome": _from_grid, "kde": _from_ids, "openclipart": _from_files}[package]
    faces = {code: _opaque(face) for code, face in read(_path(source.key)).items()}
    complete = all(code in faces for code in CODES)
    meta: dict[str, object] = {"complete": complete, "usable": False, "aspect": 1.0, "indices": {}}
    if complete:
        heights = [round(WIDTH * f.shape[0] / f.shape[1]) for f in faces.values()]
        height = int(np.median(heights))
        faces = {
            c: np.asarray(cv2.resize(f, (WIDTH, height), interpolation=cv2.INTER_AREA), dtype=np.uint8)
            for c, f in faces.items()
        }
        found = find_indices(faces)
        meta |= {"aspect": height / WIDTH, "usable": all(c in found for c in CODES)}
        meta["indices"] = {c: [np.round(q, 5).tolist() for q in quads] for c, quads in found.items()}
        for code, face in faces.items():
            cv2.imwrite(str(folder / f"{code.replace('*', 'joker')}.png"), face)
    (folder / "meta.json").write_text(json.dumps(meta))


def _render(path: Path, *options: str) -> np.ndarray | None:
    """An SVG as BGRA, or None where it has nothing to show."""
    done = subprocess.run([RSVG, *options, str(path)], capture_output=True, check=False)
    if done.returncode != 0 or not done.stdout:
        return None
    image = cv2.imdecode(np.frombuffer(done.stdout, np.uint8), cv2.IMREAD_UNCHANGED)
    return image if image is not None and image.ndim == 3 and image.shape[2] == 4 else None


def _from_grid(path: Path) -> dict[str, np.ndarray]:
    """gnome-cards-data: 13 x 5 cells; clubs, diamonds, hearts, spades; then black joker, red joker, back."""
    sheet = _render(path, "-w", str(13 * WIDTH))
    if sheet is None:
        return {}
    tall = sheet.shape[0] / 5

    def cell(row: int, column: int) -> np.ndarray:
        return sheet[round(row * tall) : round((row + 1) * tall), column * WIDTH : (column + 1) * WIDTH]

    faces = {rank + suit: cell(row, col) for row, suit in enumerate("CDHS") for col, rank in enumerate(RANKS)}
    return faces | {"*0": cell(4, 0), "*1": cell(4, 1), "back": cell(4, 2)}


def _from_ids(path: Path) -> dict[str, np.ndarray]:
    """kdegames-card-data: one object a card. The exported canvas may start at the page's origin: cropped to ink."""
    ranks = {"A": "1", "J": "jack", "Q": "queen", "K": "king"}
    suits = {"C": "club", "D": "diamond", "H": "heart", "S": "spade"}
    names = {code: f"{ranks.get(code[:-1], code[:-1])}_{suits[code[-1]]}" for code in CODES}
    names |= {"back": "back", "*0": "joker"}
    small = _render(path, "--export-id=king_heart")
    if small is None:
        return {}
    zoom = 1.2 * WIDTH / max(1, _cropped(small).shape[1])
    found = {}
    for code, name in names.items():
        image = _render(path, f"--export-id={name}", "--zoom", f"{zoom:.3f}")
        card = None if image is None else _cropped(image)
        if card is not None and 1.25 < card.shape[0] / max(1, card.shape[1]) < 1.65:
            found[code] = card
    return found


def _cropped(image: np.ndarray) -> np.ndarray:
    ys, xs = np.flatnonzero(image[..., 3].max(1) > 100), np.flatnonzero(image[..., 3].max(0) > 100)
    return image[ys[0] : ys[-1] + 1, xs[0] : xs[-1] + 1] if len(ys) and len(xs) else image[:1, :1]


def _from_files(folder: Path) -> dict[str, np.ndarray]:
    """openclipart: one file a card."""
    names = {code: f"{folder.name}_{code[-1].lower()}_{code[:-1].lower()}.svg" for code in CODES}
    names |= {"*0": f"{folder.name}_jk_b.svg", "*1": f"{folder.name}_jk_r.svg"}
    names["back"] = f"../cardbacks/back{1 + sum(folder.name.encode()) % 10:02d}.svg"
    images = {code: _render(folder / name, "-w", str(WIDTH)) for code, name in names.items()}
    return {code: image for code, image in images.items() if image is not None}


def _opaque(card: np.ndarray) -> Face:
    """Fills see-through corners with paper and takes off the drawn outline: real cards end in bare paper."""
    card = _cropped(card)
    h, w = card.shape[:2]
    colour = card[..., :3].astype(np.float32)
    paper = _paper(card[..., :3])
    trim, ring = max(2, round(w * 0.012)), round(w * 0.034)
    solid = np.zeros((h, w), np.uint8)
    cv2.rectangle(solid, (trim, trim), (w - 1 - trim, h - 1 - trim), 255, -1)
    solid = np.minimum(solid, cv2.erode(card[..., 3], np.ones((2 * trim + 1, 2 * trim + 1), np.uint8)))
    outer = np.ones((h, w), np.uint8)
    outer[ring:-ring, ring:-ring] = 0
    marks = ((np.abs(colour - paper).max(2) > 25) & (card[..., 3] > 200)).astype(np.uint8) * outer
    count, labels, stats, _ = cv2.connectedComponentsWithStats(marks)
    for n in range(1, count):
        if max(stats[n][cv2.CC_STAT_WIDTH], stats[n][cv2.CC_STAT_HEIGHT]) > 0.5 * w:  # a line along an edge
            solid[cv2.dilate((labels == n).astype(np.uint8), np.ones((3, 3), np.uint8)) > 0] = 0
    share = cv2.GaussianBlur(solid, (3, 3), 0).astype(np.float32)[..., None] / 255
    return np.rint(colour * share + paper.astype(np.float32) * (1 - share)).astype(np.uint8)
