"""The facts a match is made of: append-only, frozen, to and from JSON.

Every event carries a ``key`` that its writer made up once for this one fact; sending it again with the same key is
the same event, so a phone that lost the answer may simply repeat the question.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from companion.games.messages import N_, TEMPLATES, Translate
from companion.games.verdict import Verdict
from companion.match.faults import Fault, MatchError

SCHEMA = 1
"""Version of the JSON form of events. A newer one is refused, never guessed at."""

Json = Mapping[str, Any]
SOURCES = ("typed", "photo")
DOUBLED = "doubled_game"
WORDS: Mapping[str, str] = {DOUBLED: N_("double game: doubled")}
"""English templates of the lines that come from the match and not from the rules of a round."""


@dataclass(frozen=True)
class Player:
    """Someone at the table. The id stays for ever, the name may change."""

    id: str
    name: str


@dataclass(frozen=True)
class Line:
    """Points and what they are for: ``Line("closing", 50)``.

    ``what`` is a code of ``companion.games.messages`` with its ``params``, or words that someone typed.
    """

    what: str
    points: int
    params: tuple[tuple[str, str | int], ...] = ()

    def text(self, translate: Translate | None = None) -> str:
        """What the points are for, in words; the bare ``what`` where this companion has no words that fit."""
        template = TEMPLATES.get(self.what) or WORDS.get(self.what, "")
        if template and translate is not None:
            template = translate(template)
        try:
            return template % dict(self.params) if template else self.what
        except (KeyError, TypeError, ValueError):  # written by a companion whose words had other places
            return self.what


@dataclass(frozen=True)
class Entry:
    """One player's part of a round. ``points`` is what the writer says the lines add up to; the match checks it."""

    player: str
    lines: tuple[Line, ...]
    points: int

    @classmethod
    def of(cls, player: str, *lines: Line) -> Entry:
        """An entry whose points are the sum of its lines."""
        return cls(player, lines, sum(line.points for line in lines))

    @classmethod
    def from_verdict(cls, player: str, verdict: Verdict) -> Entry:
        """A player's part of a scored round (``companion.games.score``)."""
        return cls.of(player, *(Line(line.what.code, line.points, line.what.params) for line in verdict.lines))


def doubled(entry: Entry) -> Entry:
    """The entry in a double game (joc dublu): everything twice, but for a penalty (RULES.md 1.12, R-P3)."""
    more = sum(line.points for line in entry.lines if line.what not in ("missed_announcement", DOUBLED))
    return Entry.of(entry.player, *entry.lines, *([Line(DOUBLED, more)] if more else []))


@dataclass(frozen=True, kw_only=True)
class Result:
    """What a round brought.

    ``winners`` are the players who won the round; None means "whoever has the most points, if any are above zero".
    Carousel needs it where the winners of a tie get nothing (RULES.md 2.5). ``double`` says that a double game (joc
    dublu) was played; the lines already say so (:func:`doubled`). ``data`` is free: melds, racks, the reading.
    """

    entries: tuple[Entry, ...]
    closer: str | None = None
    winners: tuple[str, ...] | None = None
    atu: str | None = None
    double: bool = False
    source: str = "typed"
    data: Json = field(default_factory=dict, hash=False)


@dataclass(frozen=True, kw_only=True)
class Event:
    """``key``: unique within the match. ``at``: when (ISO 8601, UTC). ``by``: the device that wrote it."""

    kind: ClassVar[str]
    key: str
    at: str = ""
    by: str = ""

    def same_fact(self, other: Event) -> bool:
        """Equal but for when and by whom it was sent."""
        return type(self) is type(other) and replace(self, at="", by="") == replace(other, at="", by="")


@dataclass(frozen=True, kw_only=True)
class MatchStarted(Event):
    """Players in the order of play; ``rules`` are the switches, all of them or those that differ from the preset.

    ``target``: the total that ends the match; None takes the game's own (Carousel 150, Rummy 100, Remi none).
    ``rounds``: the number of rounds after which it ends, None for no such limit.
    """

    kind: ClassVar[str] = "match-started"
    game: str
    players: tuple[Player, ...]
    dealer: str
    preset: str = "seed"
    rules: Json = field(default_factory=dict, hash=False)
    target: int | None = None
    rounds: int | None = None
    title: str = ""


@dataclass(frozen=True, kw_only=True)
class RoundScored(Event):
    kind: ClassVar[str] = "round-scored"
    result: Result


@dataclass(frozen=True, kw_only=True)
class RoundEdited(Event):
    """Round ``round`` (from 1, undone ones counted) is now this."""

    kind: ClassVar[str] = "round-edited"
    round: int
    result: Result


@dataclass(frozen=True, kw_only=True)
class RoundUndone(Event):
    kind: ClassVar[str] = "round-undone"
    round: int


@dataclass(frozen=True, kw_only=True)
class RoundRestored(Event):
    """An undone round counts again."""

    kind: ClassVar[str] = "round-restored"
    round: int


@dataclass(frozen=True, kw_only=True)
class PlayerRenamed(Event):
    kind: ClassVar[str] = "player-renamed"
    player: str
    name: str


@dataclass(frozen=True, kw_only=True)
class DealerSet(Event):
    """The next round is dealt by this player; the deal goes round from there."""

    kind: ClassVar[str] = "dealer-set"
    dealer: str


@dataclass(frozen=True, kw_only=True)
class MatchEnded(Event):
    kind: ClassVar[str] = "match-ended"


@dataclass(frozen=True, kw_only=True)
class MatchReopened(Event):
    """Play goes on. If the target or the number of rounds is reached, it no longer ends the match by itself."""

    kind: ClassVar[str] = "match-reopened"


def to_json(event: Event) -> dict[str, Any]:
    """A JSON object that :func:`from_json` reads back to an equal event."""
    out: dict[str, Any] = {"v": SCHEMA, "kind": event.kind, "key": event.key, "at": event.at, "by": event.by}
    if isinstance(event, MatchStarted):
        out |= {"game": event.game, "players": [{"id": p.id, "name": p.name} for p in event.players]}
        out |= {"dealer": event.dealer, "preset": event.preset, "rules": dict(event.rules)}
        out |= {"target": event.target, "rounds": event.rounds, "title": event.title}
    elif isinstance(event, RoundScored):
        out |= {"result": result_to_json(event.result)}
    elif isinstance(event, RoundEdited):
        out |= {"round": event.round, "result": result_to_json(event.result)}
    elif isinstance(event, RoundUndone | RoundRestored):
        out |= {"round": event.round}
    elif isinstance(event, PlayerRenamed):
        out |= {"player": event.player, "name": event.name}
    elif isinstance(event, DealerSet):
        out |= {"dealer": event.dealer}
    return out


def result_to_json(result: Result) -> dict[str, Any]:
    """The JSON object of a round's result."""
    return {
        "entries": [
            {
                "player": entry.player,
                "points": entry.points,
                "lines": [{"what": i.what, "points": i.points, "params": dict(i.params)} for i in entry.lines],
            }
            for entry in result.entries
        ],
        "closer": result.closer,
        "winners": None if result.winners is None else list(result.winners),
        "atu": result.atu,
        "double": result.double,
        "source": result.source,
        "data": dict(result.data),
    }


def from_json(data: object) -> Event:
    """The event of a JSON object. Raises :class:`MatchError` (BAD_EVENT, NEWER_EVENT) for anything else."""
    read = _Reader(data, "event")
    version = read.integer("v")
    if version > SCHEMA:
        raise MatchError(Fault.NEWER_EVENT, found=version, known=SCHEMA)
    kind = read.text("kind")
    base = {"key": read.text("key"), "at": read.text("at", ""), "by": read.text("by", "")}
    event: Event
    match kind:
        case MatchStarted.kind:
            event = MatchStarted(
                game=read.text("game"),
                players=tuple(_player(item) for item in read.objects("players")),
                dealer=read.text("dealer"),
                preset=read.text("preset", "seed"),
                rules=read.mapping("rules"),
                target=read.optional_integer("target"),
                rounds=read.optional_integer("rounds"),
                title=read.text("title", ""),
                **base,
            )
        case RoundScored.kind:
            event = RoundScored(result=result_from_json(read.take("result")), **base)
        case RoundEdited.kind:
            event = RoundEdited(round=read.integer("round"), result=result_from_json(read.take("result")), **base)
        case RoundUndone.kind:
            event = RoundUndone(round=read.integer("round"), **base)
        case RoundRestored.kind:
            event = RoundRestored(round=read.integer("round"), **base)
        case PlayerRenamed.kind:
            event = PlayerRenamed(player=read.text("player"), name=read.text("name"), **base)
        case DealerSet.kind:
            event = DealerSet(dealer=read.text("dealer"), **base)
        case MatchEnded.kind:
            event = MatchEnded(**base)
        case MatchReopened.kind:
            event = MatchReopened(**base)
        case _:
            raise MatchError(Fault.BAD_EVENT, why=f"there is no kind {kind}")
    read.done()
    return event


def result_from_json(data: object) -> Result:
    """The result of a JSON object. Raises :class:`MatchError` (BAD_EVENT)."""
    read = _Reader(data, "result")
    entries = []
    for item in read.objects("entries"):
        lines = tuple(_line(line) for line in item.objects("lines"))
        entries.append(Entry(item.text("player"), lines, item.integer("points")))
        item.done()
    source = read.text("source", "typed")
    if source not in SOURCES:
        raise MatchError(Fault.BAD_EVENT, why=f"a round's source is {' or '.join(SOURCES)}, not {source}")
    winners = read.take("winners", None)
    if winners is not None and not (isinstance(winners, list | tuple) and all(isinstance(w, str) for w in winners)):
        raise MatchError(Fault.BAD_EVENT, why="winners is a list of player ids")
    result = Result(
        entries=tuple(entries),
        closer=read.optional_text("closer"),
        winners=None if winners is None else tuple(winners),
        atu=read.optional_text("atu"),
        double=read.flag("double"),
        source=source,
        data=read.mapping("data"),
    )
    read.done()
    return result


def _line(read: _Reader) -> Line:
    what, points, params = read.text("what"), read.integer("points"), read.mapping("params")
    for name, value in params.items():
        if not isinstance(value, str | int) or isinstance(value, bool):
            raise MatchError(Fault.BAD_EVENT, why=f"{name} of a line is neither text nor a whole number")
    line = Line(what, points, tuple(params.items()))
    read.done()
    return line


def _player(read: _Reader) -> Player:
    player = Player(read.text("id"), read.text("name"))
    read.done()
    return player


_MISSING = object()


class _Reader:
    """Takes a JSON object apart field by field, and complains in a sentence about what is wrong or left over."""

    def __init__(self, data: object, name: str) -> None:
        if not isinstance(data, Mapping):
            raise MatchError(Fault.BAD_EVENT, why=f"{name} is no JSON object")
        self._data = data
        self._name = name
        self._seen: set[str] = set()

    def take(self, field_name: str, default: object = _MISSING) -> Any:
        self._seen.add(field_name)
        value = self._data.get(field_name, default)
        if value is _MISSING:
            raise MatchError(Fault.BAD_EVENT, why=f"{self._name} lacks {field_name}")
        return value

    def _typed(self, field_name: str, value: object, kind: type, word: str) -> Any:
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise MatchError(Fault.BAD_EVENT, why=f"{field_name} of {self._name} is no {word}")
        return value

    def text(self, field_name: str, default: object = _MISSING) -> str:
        return str(self._typed(field_name, self.take(field_name, default), str, "text"))

    def integer(self, field_name: str) -> int:
        return int(self._typed(field_name, self.take(field_name), int, "whole number"))

    def flag(self, field_name: str) -> bool:
        return bool(self._typed(field_name, self.take(field_name, False), bool, "true or false"))

    def optional_text(self, field_name: str) -> str | None:
        return None if self.take(field_name, None) is None else self.text(field_name)

    def optional_integer(self, field_name: str) -> int | None:
        return None if self.take(field_name, None) is None else self.integer(field_name)

    def objects(self, field_name: str) -> list[_Reader]:
        items = self.take(field_name)
        if not isinstance(items, list | tuple):
            raise MatchError(Fault.BAD_EVENT, why=f"{field_name} of {self._name} is no list")
        return [_Reader(item, f"an item of {field_name}") for item in items]

    def mapping(self, field_name: str) -> dict[str, Any]:
        value = self._typed(field_name, self.take(field_name, {}), Mapping, "JSON object")
        try:
            copy: dict[str, Any] = json.loads(json.dumps(dict(value), allow_nan=False))
        except (TypeError, ValueError):
            raise MatchError(Fault.BAD_EVENT, why=f"{field_name} of {self._name} is no JSON object") from None
        return copy

    def done(self) -> None:
        extra = sorted(str(k) for k in set(self._data) - self._seen)
        if extra:
            raise MatchError(Fault.BAD_EVENT, why=f"{self._name} has an unknown field {extra[0]}")
