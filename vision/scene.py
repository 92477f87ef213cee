"""What a photo holds: pieces in rows. The one result type of `vision`, to and from JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

SCHEMA = 1
"""Version of the JSON form; a reader refuses a number it does not know."""

TILE_FACES: tuple[str, ...] = (*(f"{c}{v}" for c in "rbyk" for v in range(1, 14)), "*")
CARD_FACES: tuple[str, ...] = (
    *(f"{r}{s}" for s in "SHDC" for r in ("A", *map(str, range(2, 11)), "J", "Q", "K")),
    "*",
)
BACK = "back"
UNKNOWN = "?"
"""A face that could not be read. Never a guess, never a joker."""
ONE_OR_TWO = "one joker or two: its indices don't tell"
"""Stands in `Piece.settled` of a joker whose indices may be of two cards."""

Point = tuple[float, float]
Quad = tuple[Point, Point, Point, Point]
"""Four corners in pixels of the upright photo, clockwise from the piece's own top left."""

Kind = Literal["tile", "card"]
RowKind = Literal["meld", "rack", "fan", "loose"]
Flag = Literal["cut", "blurred", "glare", "small"]


class SceneError(ValueError):
    """A JSON text that is no Scene of this schema. The message is a sentence for a person."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One tile or card as read.

    `code` is the best face ("r5", "10H", "*", "back", "?"), `p` its calibrated probability,
    `alternatives` the next faces with theirs, best first. `quad` is the tile's face, or the card's first index (a
    face-down card's whole back); `indices` lists every index seen of a card, the first included.
    """

    code: str
    p: float
    quad: Quad
    kind: Kind = "tile"
    alternatives: tuple[tuple[str, float], ...] = ()
    upright_known: bool = True
    flags: tuple[Flag, ...] = ()
    settled: str = ""
    """Why judging the whole photo changed this piece's reading; empty if it did not."""
    asked: bool = False
    """The reading is doubtful: a person is asked before it counts."""
    indices: tuple[Quad, ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """Pieces side by side in reading order, by their place in `Scene.pieces`."""

    pieces: tuple[int, ...]
    kind: RowKind = "meld"


@dataclass(frozen=True, slots=True)
class Scene:
    """A photo read: its size in pixels (upright), its pieces, and how they lie."""

    width: int
    height: int
    pieces: tuple[Piece, ...] = ()
    rows: tuple[Row, ...] = ()
    remarks: tuple[str, ...] = ()
    """Words on the photo itself: codes such as "dark", "blurred", "far", "glare", "cut", "nothing_found"."""
    timings: Mapping[str, float] = field(default_factory=dict, compare=False)
    """Milliseconds a stage; not part of equality."""

    def codes(self, row: Row) -> tuple[str, ...]:
        """The codes of a row in reading order."""
        return tuple(self.pieces[i].code for i in row.pieces)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: plain lists and numbers, with the schema's version."""
        return {
            "schema": SCHEMA,
            "width": self.width,
            "height": self.height,
            "pieces": [_piece_to_dict(piece) for piece in self.pieces],
            "rows": [{"pieces": list(row.pieces), "kind": row.kind} for row in self.rows],
            "remarks": list(self.remarks),
            "timings": {stage: round(float(ms), 3) for stage, ms in self.timings.items()},
        }

    def to_json(self) -> str:
        """The JSON form as text."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Scene:
        """Read the JSON form. Raises SceneError."""
        try:
            value = json.loads(text)
        except ValueError as error:
            raise SceneError(f"This is no JSON: {error}.") from error
        return cls.from_dict(value)

    @classmethod
    def from_dict(cls, value: object) -> Scene:
        """Read the JSON form, checking all of it. Raises SceneError."""
        data = _mapping(value, "A scene")
        if data.get("schema") != SCHEMA:
            raise SceneError(f"The scene has schema {data.get('schema')!r}; this program reads {SCHEMA}.")
        pieces = tuple(_piece(item, n) for n, item in enumerate(_list(data, "pieces", "The scene")))
        rows = tuple(_row(item, n, len(pieces)) for n, item in enumerate(_list(data, "rows", "The scene")))
        placed = [index for row in rows for index in row.pieces]
        if len(placed) != len(set(placed)):
            raise SceneError("A piece stands in two rows.")
        remarks = _list(data, "remarks", "The scene")
        if not all(isinstance(word, str) for word in remarks):
            raise SceneError("The scene's remarks must be words.")
        timings = _mapping(data.get("timings", {}), "The scene's timings")
        return cls(
            width=_size(data, "width"),
            height=_size(data, "height"),
            pieces=pieces,
            rows=rows,
            remarks=tuple(remarks),
            timings={str(stage): _number(ms, "A timing") for stage, ms in timings.items()},
        )


def _piece_to_dict(piece: Piece) -> dict[str, Any]:
    return {
        "code": piece.code,
        "p": piece.p,
        "quad": [list(point) for point in piece.quad],
        "kind": piece.kind,
        "alternatives": [[code, p] for code, p in piece.alternatives],
        "upright_known": piece.upright_known,
        "flags": list(piece.flags),
        "settled": piece.settled,
        "asked": piece.asked,
        "indices": [[list(point) for point in quad] for quad in piece.indices],
    }


def _mapping(value: object, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise SceneError(f"{what} must be a JSON object.")
    return value


def _list(data: Mapping[str, Any], key: str, what: str) -> list[Any]:
    value = data.get(key, [])
    if not isinstance(value, list):
        raise SceneError(f"{what}'s {key} must be a list.")
    return value


def _number(value: object, what: str) -> float:
    if not isinstance(value, bool) and isinstance(value, (int, float)):
        with suppress(OverflowError):  # JSON may hold whole numbers of any length
            number = float(value)
            if math.isfinite(number):
                return number
    raise SceneError(f"{what} must be a number.")


def _size(data: Mapping[str, Any], key: str) -> int:
    value = data.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise SceneError(f"The scene's {key} must be a whole number of pixels.")
    return value


def _choice(value: object, choices: tuple[Any, ...], what: str) -> Any:
    if value not in choices:
        raise SceneError(f"{what} is {value!r}; known are {', '.join(map(str, choices))}.")
    return value


def _truth(data: Mapping[str, Any], key: str, default: bool, what: str) -> bool:
    value = data.get(key, default)
    if not isinstance(value, bool):
        raise SceneError(f"{what}'s {key} must be true or false.")
    return value


def _quad(value: object, what: str) -> Quad:
    if not isinstance(value, list) or len(value) != 4 or any(not isinstance(p, list) or len(p) != 2 for p in value):
        raise SceneError(f"{what} must be four corners [x, y].")
    first, second, third, fourth = ((_number(x, "A corner"), _number(y, "A corner")) for x, y in value)
    return (first, second, third, fourth)


def _probability(value: object, what: str) -> float:
    p = _number(value, what)
    if not 0 <= p <= 1:
        raise SceneError(f"{what} must lie between 0 and 1.")
    return p


def _piece(value: object, n: int) -> Piece:
    what = f"Piece {n}"
    data = _mapping(value, what)
    kind = _choice(data.get("kind", "tile"), get_args(Kind), f"{what}'s kind")
    faces = (*(TILE_FACES if kind == "tile" else CARD_FACES), BACK, UNKNOWN)
    alternatives = []
    for item in _list(data, "alternatives", what):
        if not isinstance(item, list) or len(item) != 2:
            raise SceneError(f"{what}'s alternatives must be pairs of a face and its probability.")
        face = _choice(item[0], faces, f"An alternative of {what.lower()}")
        alternatives.append((str(face), _probability(item[1], f"The probability of {what.lower()}")))
    settled = data.get("settled", "")
    if not isinstance(settled, str):
        raise SceneError(f"{what}'s settled must be words.")
    return Piece(
        code=str(_choice(data.get("code"), faces, f"The face of {what.lower()}")),
        p=_probability(data.get("p"), f"The probability of {what.lower()}"),
        quad=_quad(data.get("quad"), f"The quad of {what.lower()}"),
        kind=kind,
        alternatives=tuple(alternatives),
        upright_known=_truth(data, "upright_known", True, what),
        flags=tuple(_choice(flag, get_args(Flag), f"A flag of {what.lower()}") for flag in _list(data, "flags", what)),
        settled=settled,
        asked=_truth(data, "asked", False, what),
        indices=tuple(_quad(quad, f"An index of {what.lower()}") for quad in _list(data, "indices", what)),
    )


def _row(value: object, n: int, count: int) -> Row:
    data = _mapping(value, f"Row {n}")
    members = _list(data, "pieces", f"Row {n}")
    for index in members:
        if isinstance(index, bool) or not isinstance(index, int) or not 0 <= index < count:
            raise SceneError(f"Row {n} names piece {index!r}; there are {count} pieces.")
    return Row(tuple(members), _choice(data.get("kind", "meld"), get_args(RowKind), f"The kind of row {n}"))
