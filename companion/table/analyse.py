"""Pieces as they lie and are read -> melds, what is left, and the verdict on all of it. Asks nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.arrange import ArrangeError, Arrangement, best_layoff, best_opening, best_rearrangement
from companion.arrange.remi import best_laying
from companion.games import Line, RoundError, RoundScore, Verdict
from companion.games.carousel.turn import KNOCK_MOST
from companion.games.messages import Message, msg
from companion.table.judge import Judge
from companion.table.outline import gaps, nearest
from companion.table.split import Look, Part, parts_of
from companion.table.values import Seen, Wishes
from vision.scene import BACK, UNKNOWN

UNSEEN = (BACK, UNKNOWN)
ARRANGED = 30
"""Most pieces that are arranged: no player holds more, and a whole set takes longer than a person waits."""


@dataclass(frozen=True, slots=True)
class Worth(Verdict):
    """What pieces are worth that are left: ``value`` is what they cost."""

    def praise(self) -> Message:
        """How many points are left."""
        return msg("rack_worth", value=self.value)


@dataclass(frozen=True, slots=True)
class Hand(Worth):
    """What a hand of Carousel is worth, and with it whether it may knock (RULES.md 2.2.2)."""

    def praise(self) -> Message:
        """How many points it has, and whether that is few enough."""
        return msg("hand_may_knock" if self.value <= KNOCK_MOST else "hand_too_dear", value=self.value)


@dataclass(frozen=True, slots=True)
class Laid(Verdict):
    """A table whose melds were judged."""

    def praise(self) -> Message:
        """That every meld is legal."""
        return msg("table_legal")


@dataclass(frozen=True, slots=True)
class Placed:
    """A meld, the group it is part of, and whose it is."""

    part: Part
    group: int
    owner: str | None


@dataclass(frozen=True)
class Analysis:
    """Everything that follows from one reading of all the pieces."""

    melds: tuple[Placed, ...]
    loose: tuple[int, ...]
    rack: tuple[int, ...]
    stock: tuple[int, ...]
    racks: Mapping[str, tuple[int, ...]]
    total: Verdict

    def outcome(self) -> tuple[Any, ...]:
        """What would change if a reading mattered: legal or not, and every number of points."""
        each = self.total.players if isinstance(self.total, RoundScore) else ()
        return (
            self.total.ok,
            self.total.value,
            tuple(verdict.value for _, verdict in each),
            sorted(placed.part.outcome() for placed in self.melds),
        )


def looks_of(seen: Seen) -> dict[int, Look]:
    """What each piece may be, by the reader and by what a person said."""
    found = {}
    for n, piece in enumerate(seen.scene.pieces):
        code = seen.declared.get(n, piece.code)
        found[n] = Look(code) if n in seen.sure else Look(code, piece.p, piece.alternatives)
    return found


def group_parts(seen: Seen, group: int, looks: Mapping[int, Look], judge: Judge) -> tuple[Part, ...]:
    """The melds of one group, were it melds."""
    row = seen.groups[group]
    room = gaps([seen.scene.pieces[piece] for piece in row.pieces])
    return parts_of(row.pieces, looks, judge, fixed=row.fixed, gaps=room)


def analyse(wishes: Wishes, seen: Seen, judge: Judge, looks: Mapping[int, Look]) -> Analysis:
    """Sort the groups into melds and the rest as the view wants it, and judge the whole."""
    melds: list[Placed] = []
    rest: dict[str, list[int]] = {"loose": [], "rack": [], "stock": []}
    racks: dict[str, list[int]] = {seat.player: [] for seat in seen.seats}
    for n, group in enumerate(seen.groups):
        if not group.pieces:
            continue
        owner = group.owner or nearest(seen.scene, group.pieces, seen.seats)
        role = _role(wishes, seen, n, looks, judge)
        if role == "meld":
            melds += [Placed(part, n, owner) for part in group_parts(seen, n, looks, judge)]
            continue
        rest[role] += group.pieces
        if role == "rack" and owner in racks:
            racks[owner] += group.pieces
    found = Analysis(
        tuple(melds),
        tuple(rest["loose"]),
        tuple(rest["rack"]),
        tuple(rest["stock"]),
        {player: tuple(pieces) for player, pieces in racks.items()},
        Verdict(),
    )
    return Analysis(**{**_fields(found), "total": _total(wishes, found, looks, judge)})


def _fields(found: Analysis) -> dict[str, Any]:
    return {name: getattr(found, name) for name in ("melds", "loose", "rack", "stock", "racks")}


def _role(wishes: Wishes, seen: Seen, n: int, looks: Mapping[int, Look], judge: Judge) -> str:
    """Whether a group is a meld, part of a rack or hand, loose, or a stock that lies face down."""
    group = seen.groups[n]
    if all(looks[piece].code == BACK for piece in group.pieces):
        return "stock"
    if wishes.view == "rack":
        return "rack"
    alone = len(group.pieces) == 1 and group.kind == "meld"
    if group.fixed and group.kind in ("meld", "rack", "loose") and not alone:
        return "rack" if group.kind == "loose" and wishes.view == "round" else group.kind
    if wishes.view == "round":
        if len(group.pieces) < 3 or (group.kind == "fan" and judge.game.pieces == "card"):
            return "rack"
        if judge.game.pieces == "card" or group.kind == "rack":
            # cards are counted by the hand alone, and what is no meld is one; a rack may look like a row of melds
            return "meld" if _all_legal(seen, n, looks, judge) else "rack"
        return "meld"
    if len(group.pieces) == 1:
        return "loose"
    if wishes.view == "table" and group.kind == "rack":
        return "meld" if _all_legal(seen, n, looks, judge) else "rack"
    return "meld"


def _all_legal(seen: Seen, n: int, looks: Mapping[int, Look], judge: Judge) -> bool:
    return all(part.judged.ok for part in group_parts(seen, n, looks, judge))


def _total(wishes: Wishes, found: Analysis, looks: Mapping[int, Look], judge: Judge) -> Verdict:
    if wishes.view == "rack":
        return _worth([looks[piece].code for piece in found.rack], judge)
    if wishes.view == "round":
        return _round(wishes, found, looks, judge)
    unread = [placed for placed in found.melds if any(code in UNSEEN for code in placed.part.judged.faces)]
    read = [placed.part for placed in found.melds if placed not in unread]
    faults = [fault for placed in unread for fault in placed.part.judged.verdict.faults]
    if not found.melds:
        faults.append(msg("NOTHING_SEEN"))
    if wishes.view == "opening" and found.melds:
        melds = [judge.pieces(_lying(part)) for part in read]
        verdict = wishes.game.judge_opening(melds, wishes.rules, rack=wishes.rack)
    else:
        verdict = _laid(read)
    return with_faults(verdict, faults)


def _lying(part: Part) -> tuple[str, ...]:
    """The faces of a meld in the order in which it is one."""
    return part.judged.faces[::-1] if part.judged.turned else part.judged.faces


def _laid(parts: Sequence[Part]) -> Verdict:
    faults: list[Message] = []
    for part in parts:
        if not part.judged.ok:
            faults += [msg("INVALID_MELD", pieces=" ".join(part.codes)), *part.judged.verdict.faults]
    lines = tuple(
        Line(msg("meld_is", pieces=" ".join(part.judged.faces)), part.judged.value)
        for part in parts if part.judged.ok and part.judged.value
    )  # fmt: skip
    return Laid(tuple(faults), sum(line.points for line in lines), lines)


def with_faults(verdict: Verdict, faults: Sequence[Message], first: bool = True) -> Verdict:
    """The verdict with more faults, before its own or after them; points and lines stay."""
    if not faults:
        return verdict
    every = (*faults, *verdict.faults) if first else (*verdict.faults, *faults)
    if isinstance(verdict, RoundScore):
        return RoundScore(every, verdict.value, (), verdict.players, verdict.winners)
    return Verdict(every, verdict.value, verdict.lines)


def _worth(codes: Sequence[str], judge: Judge) -> Verdict:
    pieces = [judge.piece(code) for code in codes if code not in UNSEEN]
    lines = tuple(Line(msg("tile_is", piece=piece.bare().code), judge.game.hand_value(piece)) for piece in pieces)
    faults = () if codes else (msg("NOTHING_SEEN"),)
    kind = Hand if judge.game.name == "carousel" else Worth
    return kind(faults, sum(line.points for line in lines), lines)


def left_of(codes: Sequence[str], judge: Judge) -> Verdict:
    """What a player's rack or hand is worth, in one line."""
    seen = [code for code in codes if code not in UNSEEN]
    if not seen:
        return Worth()
    value = sum(judge.game.hand_value(piece) for piece in judge.pieces(seen))
    pieces = " ".join(seen)
    what = msg("in_hand", pieces=pieces) if judge.game.pieces == "card" else msg("on_rack", pieces=pieces)
    return Worth((), value, (Line(what, value),))


def _round(wishes: Wishes, found: Analysis, looks: Mapping[int, Look], judge: Judge) -> Verdict:
    racks = {
        player: " ".join(looks[p].code for p in pieces if looks[p].code not in UNSEEN)
        for player, pieces in found.racks.items()
    }
    faults = [
        fault for placed in found.melds
        if any(code in UNSEEN for code in placed.part.judged.faces) for fault in placed.part.judged.verdict.faults
    ]  # fmt: skip
    try:
        return with_faults(wishes.game.score_round(record_of(wishes, found, racks), wishes.rules), faults)
    except RoundError as error:
        return Verdict((*faults, msg("round_error", sentence=str(error))))


def record_of(wishes: Wishes, found: Analysis, racks: Mapping[str, str]) -> dict[str, Any]:
    """The round as :meth:`companion.games.Game.score_round` takes it."""
    if wishes.game.pieces == "card":
        return {"hands": dict(racks), **wishes.record}
    table = []
    for placed in found.melds:
        tiles = " ".join(code for code in _lying(placed.part) if code not in UNSEEN)
        if tiles and placed.owner is not None:
            table.append({"owner": placed.owner, "tiles": tiles})
    return {"table": table, "racks": dict(racks), **wishes.record}


def too_many(found: Analysis, looks: Mapping[int, Look], copies: int) -> dict[str, list[int]]:
    """Faces seen more often than the set holds them, with the pieces that were read so."""
    chosen = {piece: code for placed in found.melds for piece, code in placed.part.chosen}
    by_face: dict[str, list[int]] = {}
    for piece in (*(p for placed in found.melds for p in placed.part.pieces), *found.loose, *found.rack):
        code = chosen.get(piece, looks[piece].code)
        if code not in UNSEEN:
            by_face.setdefault("*" if code.startswith("*") else code, []).append(piece)
    count = Counter({code: len(pieces) for code, pieces in by_face.items()})
    return {code: by_face[code] for code, n in count.items() if n > copies}


def arrange(wishes: Wishes, found: Analysis, looks: Mapping[int, Look], judge: Judge) -> Arrangement[Any] | None:
    """The best way to lay what is there: a rack or hand, or what a player wants to open with.

    None where it can't be said: a piece isn't read, no set holds these, or they are more than a player holds.
    """
    codes = [looks[piece].code for piece in found.rack]
    if wishes.view == "opening":
        codes = [code for placed in found.melds for code in placed.part.judged.faces]
        codes += [looks[piece].code for piece in (*found.loose, *found.rack)]
    if not 0 < len(codes) <= ARRANGED or any(code in UNSEEN for code in codes):
        return None
    pieces = [piece.bare() for piece in judge.pieces(codes)]
    rules: Any = wishes.rules
    try:
        if wishes.game.name == "carousel":
            return best_rearrangement([], pieces, rules)
        if wishes.game.name == "rummy":
            return best_layoff(pieces, [], rules)
        if wishes.record.get("opened") is True:
            return best_laying(pieces, (), rules)
        return best_opening(pieces, rules)
    except ArrangeError:
        return None
