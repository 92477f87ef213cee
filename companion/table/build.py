"""Scene + game + house rules -> Table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.games import HouseRulesBase, UnknownGameError, get
from companion.games.messages import Message, msg
from companion.table.analyse import Analysis, Placed, analyse, arrange, left_of, looks_of, too_many, with_faults
from companion.table.ask import questions
from companion.table.join import joined
from companion.table.judge import Judge
from companion.table.outline import outline, seats
from companion.table.split import Look
from companion.table.values import VIEWS, Group, MeldRead, Player, Question, Seen, Table, TableError, View, Wishes
from vision.scene import BACK, Scene


def read_table(
    scene: Scene,
    game: str = "remi",
    rules: HouseRulesBase | None = None,
    as_: View = "opening",
    players: Sequence[str] = (),
    record: Mapping[str, Any] | None = None,
    rack: int | None = None,
    copies: int | None = None,
) -> Table:
    """See a Scene as a table of a game.

    ``rules``: the house rules of that game, None for its defaults. ``as_``: what is wanted to be known. ``players``:
    for ``round``, counter-clockwise from the lower side of the picture. ``record``: what a picture can't tell of the
    round (closer, atu, knocker ...). ``rack``: pieces held after drawing, for ``opening``. ``copies``: how often the
    set holds each face. Pieces of the other kind (cards in a game of tiles) are left out. Raises TableError.
    """
    try:
        played = get(game)
    except UnknownGameError as error:
        raise TableError(f"{str(error)[0].upper()}{str(error)[1:]}.") from None
    if as_ not in VIEWS:
        raise TableError(f"There is no view {as_!r}: there are {', '.join(VIEWS)}.")
    if len(set(players)) != len(players):
        raise TableError("Two players have the same name.")
    if rules is not None and not isinstance(rules, played.house):
        raise TableError(f"These are the house rules of {rules.game}, not of {game}.")
    named = tuple(players) or (("player",) if as_ == "round" else ())
    wishes = Wishes(
        played, rules or played.house(), as_, dict(record or {}), rack, copies or (1 if game == "rummy" else 2)
    )
    seen = _seen(scene, played.pieces, named if as_ == "round" else ())
    if played.pieces == "card" and as_ in ("opening", "table"):  # elsewhere what is no meld is a hand
        seen = joined(seen, Judge(played, wishes.rules), looks_of(seen))
    return table_of(wishes, seen)


def _seen(scene: Scene, kind: str, players: Sequence[str]) -> Seen:
    mine = {n for n, piece in enumerate(scene.pieces) if piece.kind == kind}
    groups = [Group(tuple(n for n in row.pieces if n in mine), row.kind) for row in scene.rows]
    placed = {n for group in groups for n in group.pieces}
    groups += [Group((n,), "loose") for n in sorted(mine - placed)]
    return Seen(scene, tuple(group for group in groups if group.pieces), seats=seats(players))


def table_of(wishes: Wishes, seen: Seen) -> Table:
    """All that follows from the pieces as they now are."""
    judge = Judge(wishes.game, wishes.rules)
    looks = looks_of(seen)
    found = analyse(wishes, seen, judge, looks)
    asked = questions(wishes, seen, judge, looks, found)
    total = found.total
    told = [
        msg("TOO_MANY_COPIES", piece=code) for code in too_many(found, looks, wishes.copies)
        if not any(fault.code == "TOO_MANY_COPIES" and dict(fault.params)["piece"] == code for fault in total.faults)
    ]  # fmt: skip
    total = with_faults(total, told, first=False)
    if asked:
        total = with_faults(total, [msg("QUESTIONS_OPEN", count=len(asked))])
    return Table(
        wishes=wishes,
        seen=seen,
        melds=tuple(_meld(placed, seen, looks, asked) for placed in found.melds),
        loose=found.loose,
        rack=found.rack,
        stock=found.stock,
        questions=asked,
        total=total,
        arrangement=_arrangement(wishes, found, looks, judge),
        owners=_owners(seen, found, looks, judge),
    )


def _arrangement(wishes: Wishes, found: Analysis, looks: Mapping[int, Look], judge: Judge) -> Any:
    """How a rack is best laid; for an opening that fails, whether its tiles open in another way."""
    if wishes.view == "rack" or (wishes.view == "opening" and wishes.game.name == "remi" and not found.total.ok):
        return arrange(wishes, found, looks, judge)
    return None


def _meld(placed: Placed, seen: Seen, looks: Mapping[int, Look], asked: Sequence[Question]) -> MeldRead:
    part = placed.part
    remarks: list[Message] = []
    if part.touching:
        remarks.append(msg("touching"))
    if seen.groups[placed.group].joined:
        remarks.append(msg("joined"))
    remarks += [msg("chosen_reading", piece=code, other=looks[piece].code) for piece, code in part.chosen]
    remarks += [
        msg("face_down", piece=face)
        for code, face in zip(part.codes, part.judged.faces, strict=True) if code == BACK and face != BACK
    ]  # fmt: skip
    doubtful = {question.piece for question in asked}
    pieces, codes, faces = part.pieces, part.codes, part.judged.faces
    if part.judged.turned:  # as it counts: from its low end
        pieces, codes, faces = pieces[::-1], codes[::-1], faces[::-1]
    return MeldRead(
        pieces=pieces,
        codes=codes,
        faces=faces,
        kind=part.judged.kind,
        verdict=part.judged.verdict,
        outline=outline(seen.scene.pieces[piece].quad for piece in pieces),
        group=placed.group,
        decided=not doubtful.intersection(pieces),
        owner=placed.owner,
        remarks=tuple(remarks),
        jokers=tuple((part.pieces[place], options) for place, options in part.judged.jokers),
    )


def _owners(seen: Seen, found: Analysis, looks: Mapping[int, Look], judge: Judge) -> tuple[Player, ...]:
    points = dict(getattr(found.total, "players", ()))
    return tuple(
        Player(
            seat.player,
            seat.x,
            seat.y,
            tuple(n for n, placed in enumerate(found.melds) if placed.owner == seat.player),
            found.racks.get(seat.player, ()),
            points.get(seat.player),
            left_of([looks[piece].code for piece in found.racks.get(seat.player, ())], judge),
        )
        for seat in seen.seats
    )
