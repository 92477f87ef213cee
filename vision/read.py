"""Read a photo: locate, corners, identify, rows, settle, in this order. The one entry for everyone else."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from vision import corners, identify, locate, photo, rows, settle, settle_cards, witness
from vision.flatten import Floats, Image, Picture, levels_of
from vision.geometry import cut
from vision.identify import Reading
from vision.photo import Photo
from vision.profile import Profile
from vision.scene import BACK, UNKNOWN, Flag, Kind, Piece, Quad, Scene
from vision.weights import Network, load

SMALL = 14.0
"""Pixels of the photo along a piece's longer side under which its reading is a guess at strokes."""
LOCATORS: Mapping[Kind, str] = {"tile": "locator", "card": "card_locator"}
"""A card's index is a tenth of the card, a tile is all tile: each has a locator of its own."""
CORNERS: Mapping[Kind, str] = {"tile": "corners", "card": "card_corners"}
"""A tile ends at its rim, an index where its print does: what is an edge to one is nothing to the other."""
NAMED = 4
"""Most alternatives a piece names."""


class Reader:
    """Reads photos. Networks are opened once, on first use; calls from several threads at once are safe.

    `weights_dir`: where the networks lie (else $REMI_MODELS, the package, a checkout's `models`); `networks`: ready
    ones by name, in place of files; `copies`: how many of one face a set holds; `threads`: for each network, 0 leaves
    the number to the runtime; `profile`: what the household's set looks like, which may be changed at any time.
    """

    def __init__(self, weights_dir: str | Path | None = None, networks: Mapping[str, Network] | None = None,
                 copies: int = settle.COPIES, threads: int = 0, profile: Profile | None = None) -> None:
        self._folder = weights_dir
        self._networks = dict(networks or {})
        self._lock = threading.Lock()
        self._threads = threads
        self.copies = copies
        self.profile = profile

    def network(self, name: str) -> Network:
        """One of the networks, opened where it is not yet. Raises WeightsError."""
        found = self._networks.get(name)
        if found is None:
            with self._lock:
                found = self._networks.get(name)
                if found is None:
                    found = self._networks[name] = load(name, self._folder, self._threads)
        return found

    def recipe(self, name: str) -> str:
        """What a network was trained by, as its file says: a hash, '' where it says nothing. Raises WeightsError."""
        return self.network(name).metadata.get("recipe", "")

    def warm(self, kinds: Iterable[Kind] = ("tile", "card")) -> None:
        """Open every network that these kinds need, so that the first photo does not wait. Raises WeightsError."""
        for kind in kinds:
            for name in (LOCATORS[kind], CORNERS[kind], f"{kind}_reader", *(["witness"] if kind == "tile" else [])):
                self.network(name)

    def read(self, picture: Photo | Picture, kinds: Sequence[Kind] = ("tile", "card")) -> Scene:
        """Read an upright photo, or its pixels (h, w, 3) uint8 BGR, into a Scene with a timing for each stage.

        `kinds`: what may lie there; finds of other kinds are left out. Raises WeightsError.
        """
        levels = picture.levels if isinstance(picture, Photo) else levels_of(picture)
        clock = Clock()
        with clock("locate"):
            spots = self.find(levels, kinds)
        return self.read_spots(levels, spots, clock)

    def find(self, picture: Picture, kinds: Sequence[Kind] = ("tile", "card")) -> list[locate.Spot]:
        """Where pieces of these kinds lie. Raises WeightsError."""
        spots: list[locate.Spot] = []
        for kind in kinds:
            # of cards a second opinion keeps no more finds apart than the locator's score does
            second = partial(witness.heard, network=self.network("witness")) if kind == "tile" else None
            found = locate.locate(picture, self.network(LOCATORS[kind]), kind == "tile", second)
            spots.extend(spot for spot in found if _kind(spot) == kind)
        return spots

    def read_spots(self, picture: Picture, spots: Sequence[locate.Spot], clock: Clock | None = None) -> Scene:
        """Read a photo whose pieces are located already, as video does from frame to frame. Raises WeightsError."""
        clock = clock or Clock()
        return self.judge(picture, self.look(picture, spots, clock), clock).scene

    def look(self, picture: Picture, spots: Sequence[locate.Spot], clock: Clock | None = None,
             taught: bool = True) -> list[Reading]:
        """One look at each spot by itself; finds that are no pieces are left out. `taught`: with the reader's profile
        of the set, where it has one. Raises WeightsError."""
        clock = clock or Clock()
        tiles: list[Reading] = []
        indices: list[Reading] = []
        both: tuple[tuple[Kind, list[Reading]], ...] = (("tile", tiles), ("card", indices))
        for kind, target in both:
            mine = [spot for spot in spots if _kind(spot) == kind and spot.kind != "card_back"]
            if not mine:
                continue
            with clock("corners"):
                outlines = corners.outline(picture, mine, self.network(CORNERS[kind]))
            with clock("identify"):
                target.extend(identify.identify(picture, mine, outlines, kind, self.network(f"{kind}_reader")))
        indices.extend(
            identify.unread(spot, corners.from_box(spot)) for spot in spots if spot.kind == "card_back"
        )
        tiles = settle.keep(tiles)
        profile = self.profile
        if profile is not None and taught and tiles:
            with clock("profile"):
                tiles = profile.apply(tiles, self.recipe("tile_reader"))
        return [*tiles, *settle.keep(indices)]

    def judge(self, picture: Picture, looks: Sequence[Reading], clock: Clock | None = None,
              copies: int | None = None) -> Judged:
        """All looks of one photo judged together, as pieces in rows. A look may stand for many, as video gathers
        them. `copies`: of one face in the set, where other than the reader's."""
        clock, copies = clock or Clock(), copies or self.copies
        tiles, indices = _one_game(
            [look for look in looks if look.kind == "tile"], [look for look in looks if look.kind == "card"]
        )
        with clock("rows"):
            quads = _stack([reading.quad for reading in tiles])
            odd = settle.odd_backs(tiles)  # hardly tiles: what stands on either side of one is no row
            laid = [n for n in range(len(tiles)) if n not in odd]
            chains = [
                [laid[n] for n in chain]
                for chain in rows.tile_rows(quads[laid], [not tiles[n].face_down for n in laid])
            ] + [[n] for n in odd]
        with clock("settle"):
            judged = settle.settle_tiles(tiles, chains, copies, odd)
            every = settle_cards.settle_cards(indices, copies)
            strays = settle_cards.strays(every, indices, picture.shape[1], picture.shape[0])
            judged_cards = [piece for n, piece in enumerate(every) if n not in strays]
        with clock("rows"):
            found = [*rows.to_rows(chains, rows.classify(chains, quads)),
                     *settle_cards.rows_of_cards(judged_cards, indices, len(judged))]
        with clock("remarks"):
            seen = [*tiles, *(reading for reading in indices if reading.spot.kind != "card_back")]
            crops = np.stack([reading.crop for reading in seen]) if seen else np.zeros((0, 64, 48, 3), np.uint8)
            soft, burnt = photo.steepness(crops), photo.burnt(crops)
            judged = settle.under_glare(judged, burnt[: len(tiles)])
            asked = {
                id(readings[n]) for readings, group in ((tiles, judged), (indices, judged_cards))
                for piece in group if piece.asked for n in piece.members
            }
            words = photo.remarks(
                picture, [reading.spot.long_side for reading in (*tiles, *indices)], soft, burnt,
                [id(reading) in asked for reading in seen], cut=bool(strays),
            )
            remarked = {id(reading): pair for reading, pair in zip(seen, zip(soft, burnt, strict=True), strict=True)}
        pieces = [
            _piece(piece, readings, remarked.get(id(readings[piece.members[0]]), (1.0, 0.0)), picture.shape)
            for readings, group in ((tiles, judged), (indices, judged_cards)) for piece in group
        ]
        place = {id(reading): n for n, reading in enumerate(looks)}
        members = tuple(
            tuple(place[id(readings[m])] for m in piece.members)
            for readings, group in ((tiles, judged), (indices, judged_cards)) for piece in group
        )
        scene = Scene(
            width=int(picture.shape[1]), height=int(picture.shape[0]), pieces=tuple(pieces), rows=tuple(found),
            remarks=words, timings=clock.stages(),
        )
        return Judged(scene, members)


@dataclass(frozen=True, eq=False)
class Judged:
    """A Scene, and for each of its pieces the looks it is made of, by their place among those given to `judge`."""

    scene: Scene
    members: tuple[tuple[int, ...], ...]


class Clock:
    """Milliseconds spent in each named stage."""

    def __init__(self) -> None:
        self._spent: dict[str, float] = {}

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Add the time of a `with` block to a stage."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self._spent[stage] = self._spent.get(stage, 0.0) + (time.perf_counter() - start) * 1000

    def stages(self) -> dict[str, float]:
        """Milliseconds by stage, and their sum as "all"."""
        return {**self._spent, "all": sum(self._spent.values())}


def read(picture: Photo | Image | bytes | str | Path, kinds: Sequence[Kind] = ("tile", "card")) -> Scene:
    """Read a photo with the networks that ship: pixels, a decoded photo, a file's bytes or its path.

    Raises PhotoError for a file that is no photo, WeightsError where the networks are missing.
    """
    if isinstance(picture, (str, Path)):
        picture = photo.load(picture)
    elif isinstance(picture, bytes):
        picture = photo.decode(picture)
    return default_reader().read(picture, kinds)


_default: list[Reader] = []
_default_lock = threading.Lock()


def default_reader() -> Reader:
    """The Reader shared by `read`; its networks are found as `vision.weights` says."""
    with _default_lock:
        if not _default:
            _default.append(Reader())
        return _default[0]


def _one_game(tiles: list[Reading], indices: list[Reading]) -> tuple[list[Reading], list[Reading]]:
    """A table holds tiles or cards, never both: what the networks believe in less goes."""
    if not tiles or not indices:
        return tiles, indices
    belief = [sum(r.spot.score * r.best[1] for r in readings) for readings in (tiles, indices)]
    return (tiles, []) if belief[0] >= belief[1] else ([], indices)


def _kind(spot: locate.Spot) -> Kind:
    return "tile" if spot.kind in locate.TILES else "card"


def _stack(quads: Sequence[Floats]) -> Floats:
    return np.stack(quads) if quads else np.zeros((0, 4, 2))


def _piece(piece: settle.Settled, readings: Sequence[Reading], look: tuple[float, float],
           shape: tuple[int, ...]) -> Piece:
    """`look`: how sharp and how burnt-out its crop is; `shape` (h, w, 3) of the photo."""
    reading = piece.reading
    flags: list[Flag] = []
    if cut(reading.quad, shape[1], shape[0]):
        flags.append("cut")
    if reading.spot.long_side < SMALL:
        flags.append("small")
    if look[1] > photo.GLARE:
        flags.append("glare")
    if look[0] < photo.SOFT:
        flags.append("blurred")
    alternatives = [(face, round(p, 6)) for face, p in piece.faces[1:] if p >= settle.ALTERNATIVE and face != UNKNOWN]
    indices = tuple(_quad(readings[n].quad) for n in piece.members) if reading.spot.kind == "card_index" else ()
    return Piece(
        code=piece.code,
        p=round(min(piece.p, 1.0), 6),
        quad=_quad(reading.quad),
        kind=reading.kind,
        alternatives=tuple(alternatives[:NAMED]),
        upright_known=piece.code != BACK and bool(reading.upright >= settle.SURE_UP),
        flags=tuple(flags),
        settled=piece.settled,
        asked=piece.asked,
        indices=indices,
    )


def _quad(corners_found: Floats) -> Quad:
    first, second, third, fourth = ((round(float(x), 2), round(float(y), 2)) for x, y in corners_found)
    return (first, second, third, fourth)
