"""A person's edits: pure functions from a Table to the next one. What can't be done is an EditError with a sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal

from companion.pieces import NotationError
from companion.table.build import table_of
from companion.table.judge import Judge
from companion.table.outline import centre
from companion.table.values import Group, Seat, Seen, Table
from vision.scene import BACK, Piece, Quad

Kind = Literal["meld", "rack", "loose"]
KINDS: tuple[Kind, ...] = ("meld", "rack", "loose")


class EditError(ValueError):
    """An edit that can't be made. The message is a sentence for a person."""


@dataclass(frozen=True, slots=True)
class Change:
    """This piece is ``code``: a face, a declared joker, or ``back``."""

    piece: int
    code: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question, by its place in ``Table.questions``."""

    question: int
    code: str


@dataclass(frozen=True, slots=True)
class Add:
    """A piece that was not found, before ``position`` of a meld (None: loose). ``quad``: its corners, if known."""

    code: str
    meld: int | None = None
    position: int = 0
    quad: Quad | None = None


@dataclass(frozen=True, slots=True)
class Remove:
    """This is no piece."""

    piece: int


@dataclass(frozen=True, slots=True)
class Move:
    """These pieces belong into another meld, before ``position``, or make a new one (``meld`` None)."""

    pieces: tuple[int, ...]
    meld: int | None = None
    position: int = 0


@dataclass(frozen=True, slots=True)
class Mark:
    """The rows in which these pieces lie are melds, racks, or loose pieces."""

    pieces: tuple[int, ...]
    kind: Kind


@dataclass(frozen=True, slots=True)
class Give:
    """The rows in which these pieces lie belong to a player; None: to who sits nearest."""

    pieces: tuple[int, ...]
    player: str | None


@dataclass(frozen=True, slots=True)
class SeatAt:
    """A player sits there: shares (0 to 1) of the picture's width and height."""

    player: str
    x: float
    y: float


Edit = Change | Answer | Add | Remove | Move | Mark | Give | SeatAt
_BY_NAME: Mapping[str, type[Edit]] = {
    "change": Change,
    "answer": Answer,
    "add": Add,
    "remove": Remove,
    "move": Move,
    "mark": Mark,
    "give": Give,
    "seat": SeatAt,
}


def edit_to_dict(edit: Edit) -> dict[str, Any]:
    """The JSON form of an edit."""
    name = next(name for name, kind in _BY_NAME.items() if kind is type(edit))
    return {"do": name, **asdict(edit)}


def edit_from_dict(value: object) -> Edit:
    """Read the JSON form of an edit. Raises EditError."""
    if not isinstance(value, Mapping) or not isinstance(value.get("do"), str) or value["do"] not in _BY_NAME:
        raise EditError(f"An edit is an object whose 'do' is one of {', '.join(_BY_NAME)}.")
    name, kind = str(value["do"]), _BY_NAME[str(value["do"])]
    given = {key: item for key, item in value.items() if key != "do"}
    known = {f.name for f in fields(kind)}
    if given.keys() - known:
        raise EditError(f"{name} takes {', '.join(sorted(known))}, not {', '.join(sorted(given.keys() - known))}.")
    try:
        return kind(**{key: _field(key, item) for key, item in given.items()})
    except TypeError:
        raise EditError(f"{name} needs {', '.join(sorted(known))}.") from None


def _field(key: str, value: object) -> Any:
    whole = isinstance(value, int) and not isinstance(value, bool)
    if key in ("piece", "question", "position") and whole:
        return value
    if key == "meld" and (whole or value is None):
        return value
    if key in ("code", "kind") and isinstance(value, str):
        return value
    if key == "player" and (isinstance(value, str) or value is None):
        return value
    if key in ("x", "y") and isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    if key == "pieces" and isinstance(value, (list, tuple)) and all(type(n) is int for n in value):
        return tuple(value)
    if key == "quad" and (value is None or _is_quad(value)):
        return None if value is None else tuple((float(x), float(y)) for x, y in value)  # type: ignore[attr-defined]
    raise EditError(f"{key} of an edit can't be {value!r}.")


def _is_quad(value: object) -> bool:
    if not isinstance(value, (list, tuple)) or len(value) != 4:
        return False
    if not all(isinstance(point, (list, tuple)) and len(point) == 2 for point in value):
        return False
    return all(isinstance(v, (int, float)) and math.isfinite(v) for point in value for v in point)


def apply(table: Table, edit: Edit) -> Table:
    """The table after an edit. Raises EditError."""
    match edit:
        case Change(piece, code):
            seen = _named(table, piece, code)
        case Answer(question, code):
            if not 0 <= question < len(table.questions):
                raise EditError(f"There is no question {question}; there are {len(table.questions)}.")
            seen = _named(table, table.questions[question].piece, code)
        case Add():
            seen = _added(table, edit)
        case Remove(piece):
            _check(table, piece)
            groups = tuple(_without(group, {piece}) for group in table.seen.groups)
            seen = replace(table.seen, groups=_full(groups), removed=table.seen.removed | {piece})
        case Move():
            seen = _moved(table, edit)
        case Mark(pieces, kind):
            if kind not in KINDS:
                raise EditError(f"A row is one of {', '.join(KINDS)}, not {kind!r}.")
            seen = _each_group(table, pieces, lambda group: replace(group, kind=kind, fixed=True))
        case Give(pieces, player):
            if player is not None:
                _check_player(table, player)
            seen = _each_group(table, pieces, lambda group: replace(group, owner=player))
        case SeatAt(player, x, y):
            _check_player(table, player)
            if not (0 <= x <= 1 and 0 <= y <= 1):
                raise EditError("A seat lies between 0 and 1 of the picture's width and height.")
            seats = tuple(Seat(player, x, y) if seat.player == player else seat for seat in table.seen.seats)
            seen = replace(table.seen, seats=seats)
    return table_of(table.wishes, seen)


def _check(table: Table, piece: int) -> None:
    if not any(piece in group.pieces for group in table.seen.groups):
        raise EditError(f"There is no piece {piece} on this table.")


def _check_player(table: Table, player: str) -> None:
    names = [seat.player for seat in table.seen.seats]
    if player not in names:
        raise EditError(f"Nobody called {player!r} sits here; there are {', '.join(names) or 'no players'}.")


def _check_meld(table: Table, meld: int, position: int) -> None:
    if not 0 <= meld < len(table.melds):
        raise EditError(f"There is no meld {meld}; there are {len(table.melds)}.")
    if not 0 <= position <= len(table.melds[meld].pieces):
        raise EditError(f"Meld {meld} has no place {position}; it has {len(table.melds[meld].pieces)} pieces.")


def _face(table: Table, code: str) -> tuple[str, str | None]:
    """The face as a Scene writes it, and the declaration of a joker. Raises EditError."""
    if code == BACK:
        return BACK, None
    try:
        piece = Judge(table.wishes.game, table.wishes.rules).piece(code)
    except NotationError as error:
        raise EditError(f"{str(error)[0].upper()}{str(error)[1:]}.") from None
    return piece.bare().code, piece.code if piece.stands is not None else None


def _named(table: Table, piece: int, code: str) -> Seen:
    _check(table, piece)
    face, declared = _face(table, code)
    seen = table.seen
    pieces = list(seen.scene.pieces)
    pieces[piece] = replace(pieces[piece], code=face, p=1.0, alternatives=(), asked=False)
    known = {n: joker for n, joker in seen.declared.items() if n != piece}
    if declared is not None:
        known[piece] = declared
    return replace(
        seen, scene=replace(seen.scene, pieces=tuple(pieces)), sure=seen.sure | {piece}, declared=known
    )


def _added(table: Table, edit: Add) -> Seen:
    face, declared = _face(table, edit.code)
    seen = table.seen
    new = len(seen.scene.pieces)
    if edit.meld is not None:
        _check_meld(table, edit.meld, edit.position)
    quad = edit.quad or _guessed(table, edit)
    piece = Piece(face, 1.0, quad, kind=table.wishes.game.pieces)
    scene = replace(seen.scene, pieces=(*seen.scene.pieces, piece))
    if edit.meld is None:
        groups = (*seen.groups, Group((new,), "loose"))
    else:
        groups = _inserted(table, seen.groups, (new,), edit.meld, edit.position)
    known = {**seen.declared, new: declared} if declared is not None else seen.declared
    return replace(seen, scene=scene, groups=groups, sure=seen.sure | {new}, declared=known)


def _guessed(table: Table, edit: Add) -> Quad:
    """Where an added piece is drawn: halfway between its neighbours, one step outside of an end, or in the middle."""
    scene = table.seen.scene
    if edit.meld is None or not table.melds[edit.meld].pieces:
        side = min(scene.width, scene.height) / 20
        mx, my = scene.width / 2, scene.height / 2
        return ((mx - side, my - side), (mx + side, my - side), (mx + side, my + side), (mx - side, my + side))
    row = table.melds[edit.meld].pieces
    at = edit.position
    near = scene.pieces[row[min(at, len(row) - 1)]].quad
    if 0 < at < len(row):
        dx, dy = (
            (b - a) / 2 for a, b in zip(centre(near), centre(scene.pieces[row[at - 1]].quad), strict=True)
        )
    else:
        sign = -1 if at == 0 else 1
        dx, dy = sign * (near[1][0] - near[0][0]), sign * (near[1][1] - near[0][1])
    first, second, third, fourth = ((x + dx, y + dy) for x, y in near)
    return (first, second, third, fourth)


def _without(group: Group, pieces: set[int]) -> Group:
    return replace(group, pieces=tuple(piece for piece in group.pieces if piece not in pieces))


def _full(groups: tuple[Group, ...]) -> tuple[Group, ...]:
    return tuple(group for group in groups if group.pieces)


def _inserted(
    table: Table, groups: tuple[Group, ...], pieces: tuple[int, ...], meld: int, position: int
) -> tuple[Group, ...]:
    """The groups with pieces put into the row of a meld, before one of its pieces or behind its last one."""
    target = table.melds[meld]
    row = table.seen.groups[target.group].pieces
    turned = len(target.pieces) > 1 and row.index(target.pieces[0]) > row.index(target.pieces[-1])
    found = []
    for group in groups:
        members = [piece for piece in group.pieces if piece in target.pieces]
        if not members:
            found.append(group)
            continue
        ahead = [piece for piece in target.pieces[:position] if piece in members]
        behind = [piece for piece in target.pieces[position:] if piece in members]
        if behind:
            at = group.pieces.index(behind[0]) + (1 if turned else 0)
        else:
            at = group.pieces.index(ahead[-1]) + (0 if turned else 1)
        put = pieces[::-1] if turned else pieces
        found.append(replace(group, pieces=(*group.pieces[:at], *put, *group.pieces[at:])))
    return tuple(found)


def _moved(table: Table, edit: Move) -> Seen:
    if not edit.pieces or len(set(edit.pieces)) != len(edit.pieces):
        raise EditError("To move, name each piece once.")
    for piece in edit.pieces:
        _check(table, piece)
    moving = set(edit.pieces)
    touched = {meld.group for meld in table.melds if moving.intersection(meld.pieces)}
    if edit.meld is not None:
        _check_meld(table, edit.meld, edit.position)
        if moving.issuperset(table.melds[edit.meld].pieces):
            raise EditError("A meld can't be moved into itself.")
        touched.add(table.melds[edit.meld].group)
    groups = _full(tuple(_without(group, moving) for group in _parted(table, touched)))
    if edit.meld is None:
        owner = next(group.owner for group in table.seen.groups if edit.pieces[0] in group.pieces)
        kind: Kind = "meld" if len(edit.pieces) > 1 else "loose"
        groups = (*groups, Group(edit.pieces, kind, fixed=True, owner=owner))
    else:
        groups = _inserted(table, groups, edit.pieces, edit.meld, edit.position)
    return replace(table.seen, groups=groups)


def _parted(table: Table, which: set[int]) -> tuple[Group, ...]:
    """The groups, those of ``which`` taken apart into the melds seen in them: a person has now said what is one."""
    groups: list[Group] = []
    for n, group in enumerate(table.seen.groups):
        melds = [meld for meld in table.melds if meld.group == n]
        if n in which and melds:
            kind = "meld" if group.kind in ("loose", "rack") else group.kind
            groups += [replace(group, pieces=_as_lying(group, meld.pieces), kind=kind, fixed=True) for meld in melds]
        else:
            groups.append(group)
    return tuple(groups)


def _as_lying(group: Group, pieces: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(piece for piece in group.pieces if piece in pieces)


def _each_group(table: Table, pieces: tuple[int, ...], change: Any) -> Seen:
    """A change to every row that holds one of these pieces (each meld of a parted row on its own)."""
    if not pieces:
        raise EditError("Name at least one piece.")
    for piece in pieces:
        _check(table, piece)
    named = set(pieces)
    touched = {n for n, group in enumerate(table.seen.groups) if named.intersection(group.pieces)}
    groups = tuple(
        change(group) if named.intersection(group.pieces) else group for group in _parted(table, touched)
    )
    return replace(table.seen, groups=groups)
