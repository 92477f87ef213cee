"""What someone typed or a camera read about a round -> the round's result, by the rules of the game.

The input, as JSON (players by id)::

    {"mode": "pieces", "players": {"p1": {"melds": ["r10 r11 r12"], "rack": "k5", "extra": 0}, ...},
     "closer": "p1", "closing_tile": null, "atu": "r5", "announced_atu": null, "missed": ["p2"],   # Remi
     "knocker": "p1",                                                                              # Carousel
     "winner": "p1", "rummy": false,                                                               # Rummy
     "double": false, "source": "typed"}

With ``"mode": "points"`` each player has ``points`` instead of pieces: what the table counted itself. ``r6@p2`` in a
meld was attached by p2. ``extra`` adds a correction that the table agreed on.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from companion.games import get
from companion.games.messages import N_, Message
from companion.games.verdict import Verdict
from companion.match import SOURCES, Entry, Line, Match, Player, Result, doubled
from companion.pieces import NotationError
from companion.web.errors import WebError
from companion.web.view import CORRECTION, TYPED_POINTS

MAX_MELDS = 40
MAX_TEXT = 600
EXTRA_LIMIT = 10_000


@dataclass(frozen=True)
class Scored:
    """A round ready to be confirmed. ``warnings``: what can't be on a table though its points stand."""

    result: Result
    warnings: tuple[Message, ...]


def score(match: Match, data: object) -> Scored:
    """Score the input. Raises WebError, NotationError or RoundError with words for what is wrong."""
    given = _object(data, "round")
    players = _players(match, given)
    ids = [player.id for player in match.players]
    one = {key: _who(given, key, ids) for key in ("closer", "announced_atu", "knocker", "winner")}
    mode = given.get("mode", "pieces")
    source = given.get("source", "typed")
    if mode not in ("pieces", "points") or source not in SOURCES:
        raise _bad("mode is pieces or points, source is typed or photo")
    double = _flag(given, "double")
    atu = _text(given, "atu") if match.game == "remi" else None
    closer = one["closer"] or one["knocker"] or one["winner"]
    warnings: tuple[Message, ...] = ()
    winners: tuple[str, ...] = ()
    if mode == "points":
        verdicts = {player: Verdict((), entry["points"]) for player, entry in players.items()}
        if match.game != "remi" and closer is not None:
            winners = (closer,)
    else:
        scored = get(match.game).score_round(_record(match, given, players, one), match.house_rules)
        verdicts = dict(scored.players)
        warnings, winners = scored.faults, scored.winners
    entries = []
    for player in match.players:
        if mode == "points":
            entry = Entry.of(player.id, Line(TYPED_POINTS, players[player.id]["points"]))
        else:
            entry = Entry.from_verdict(player.id, verdicts[player.id])
        if double and mode != "points":
            entry = doubled(entry)
        extra = players[player.id]["extra"]
        if extra:
            entry = Entry.of(player.id, *entry.lines, Line(CORRECTION, extra))
        entries.append(entry)
    result = Result(
        entries=tuple(entries),
        closer=closer,
        winners=winners or None,
        atu=atu,
        double=double,
        source=source,
        data={"input": _clean(given, players, one, atu)},
    )
    return Scored(result, tuple(warnings))


def _record(
    match: Match, given: Mapping[str, Any], players: Mapping[str, dict[str, Any]], one: Mapping[str, str | None]
) -> dict[str, Any]:
    racks = {player: entry["rack"] for player, entry in players.items()}
    if match.game == "carousel":
        return {"hands": racks, "knocker": one["knocker"]}
    if match.game == "rummy":
        return {"hands": racks, "winner": one["winner"], "rummy": _flag(given, "rummy")}
    table = [
        {"owner": player, "tiles": meld} for player, entry in players.items() for meld in entry["melds"]
    ]  # fmt: skip
    ids = list(players)
    return {
        "table": table,
        "racks": racks,
        "closer": one["closer"],
        "closing_tile": _text(given, "closing_tile"),
        "atu": _text(given, "atu"),
        "announced_atu": one["announced_atu"],
        "missed": _several(given, "missed", ids),
    }


def _players(match: Match, given: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    sent = _object(given.get("players"), "players")
    known = {player.id for player in match.players}
    if not set(sent) <= known:
        raise _bad("players has someone who doesn't play")
    counted = given.get("mode", "pieces") == "points"
    found = {}
    for player in match.players:
        one = _object(sent.get(player.id, {}), player.id)
        melds = one.get("melds", [])
        if not isinstance(melds, list) or not all(isinstance(meld, str) for meld in melds) or len(melds) > MAX_MELDS:
            raise _bad("melds is a list of texts")
        rack = one.get("rack", "")
        if not isinstance(rack, str) or any(len(text) > MAX_TEXT for text in (rack, *melds)):
            raise _bad("rack is a text")
        points = one.get("points")
        if counted and not _whole(points):
            raise WebError(422, "POINTS_MISSING", N_("Points of %(player)s are missing."), player=player.name)
        extra = one.get("extra") or 0
        if not _whole(extra) or abs(extra) > EXTRA_LIMIT:
            raise _bad("extra is a whole number")
        found[player.id] = {
            "melds": [_laid_by_ids(" ".join(meld.split()), match.players) for meld in melds if meld.strip()],
            "rack": " ".join(rack.split()),
            "points": points if counted else None,
            "extra": extra,
        }
    return found


def _laid_by_ids(meld: str, players: tuple[Player, ...]) -> str:
    """``r6@Bogdan`` as ``r6@p2``; a name that nobody has stays and is refused by the rules."""
    by_name = {_folded(player.name.replace(" ", "_")): player.id for player in players}
    words = []
    for word in meld.split():
        code, at, who = word.partition("@")
        if at and who not in {player.id for player in players}:
            if _folded(who) not in by_name:
                raise NotationError(meld, word, 1, meld.index(word), "tile", "after @ comes a player")
            who = by_name[_folded(who)]
        words.append(f"{code}{at}{who}")
    return " ".join(words)


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def _clean(
    given: Mapping[str, Any], players: Mapping[str, dict[str, Any]], one: Mapping[str, str | None], atu: str | None
) -> dict[str, Any]:
    """The input as it is kept, so that the round can be opened and changed later."""
    kept: dict[str, Any] = {"mode": given.get("mode", "pieces"), "players": players, "atu": atu, **one}
    kept |= {"closing_tile": _text(given, "closing_tile"), "double": _flag(given, "double")}
    kept |= {"missed": _several(given, "missed", list(players)), "rummy": _flag(given, "rummy")}
    return kept


def _bad(why: str) -> WebError:
    return WebError(422, "BAD_ROUND", N_("This is not a round that can be scored: %(why)s."), why=why)


def _object(data: object, what: str) -> Mapping[str, Any]:
    if not isinstance(data, Mapping) or not all(isinstance(key, str) for key in data):
        raise _bad(f"{what} is no JSON object")
    return data


def _whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _text(given: Mapping[str, Any], key: str) -> str | None:
    value = given.get(key)
    if value is None or value == "":
        return None
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        raise _bad(f"{key} is a text")
    return value.strip() or None


def _flag(given: Mapping[str, Any], key: str) -> bool:
    value = given.get(key, False)
    if not isinstance(value, bool):
        raise _bad(f"{key} is true or false")
    return value


def _who(given: Mapping[str, Any], key: str, ids: list[str]) -> str | None:
    value = _text(given, key)
    if value is not None and value not in ids:
        raise _bad(f"{key} is no player of this match")
    return value


def _several(given: Mapping[str, Any], key: str, ids: list[str]) -> list[str]:
    value = given.get(key) or []
    if not isinstance(value, list) or not all(who in ids for who in value if isinstance(who, str)):
        raise _bad(f"{key} is a list of players")
    if not all(isinstance(who, str) for who in value):
        raise _bad(f"{key} is a list of players")
    return value
