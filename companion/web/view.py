"""A match as JSON in the reader's language: what the pages draw, the API answers and the live stream sends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from companion.games import get
from companion.games.messages import N_, Message, sentence
from companion.games.verdict import Verdict
from companion.match import Entry, Line, Match, Round
from companion.web.words import gettext

TYPED_POINTS = "typed_points"
CORRECTION = "correction"
OWN_WORDS: Mapping[str, str] = {TYPED_POINTS: N_("points as counted at the table"), CORRECTION: N_("correction")}
"""Templates of the lines that the page itself writes."""
_MARK = "\x00"


def parts(text: str) -> list[dict[str, Any]]:
    """Words and pieces in turn: ``{"text": ...}`` or ``{"pieces": [codes]}``."""
    found: list[dict[str, Any]] = []
    for number, bit in enumerate(text.split(_MARK)):
        if number % 2:
            found.append({"pieces": [code.partition("@")[0] for code in bit.split()]})
        elif bit:
            found.append({"text": bit})
    return found


def message_parts(message: Message, names: Mapping[str, str]) -> list[dict[str, Any]]:
    """A message in the reader's language, the pieces in it kept apart, player ids as names."""
    params = tuple((key, _param(key, value, names)) for key, value in message.params)
    return parts(sentence(Message(message.code, params), gettext))


def line_json(line: Line, names: Mapping[str, str]) -> dict[str, Any]:
    """A line of points: ``what`` for programs, ``parts`` and ``text`` for people."""
    params = tuple((key, _param(key, value, names)) for key, value in line.params)
    if line.what in OWN_WORDS:
        said = [{"text": gettext(OWN_WORDS[line.what])}]
    else:
        said = parts(replace(line, params=params).text(gettext))
    return {
        "what": line.what,
        "points": line.points,
        "params": dict(line.params),
        "parts": said,
        "text": "".join(p.get("text") or " ".join(p["pieces"]) for p in said),
    }


def _param(key: str, value: str | int, names: Mapping[str, str]) -> str | int:
    if key in ("pieces", "piece", "declared") and isinstance(value, str):
        return f"{_MARK}{value}{_MARK}"
    if key == "player" and isinstance(value, str):
        return names.get(value, value)
    return value


def names_of(match: Match) -> dict[str, str]:
    """Player id -> name."""
    return {player.id: player.name for player in match.players}


def entry_json(entry: Entry, names: Mapping[str, str]) -> dict[str, Any]:
    """One player's part of a round."""
    return {
        "player": entry.player,
        "points": entry.points,
        "lines": [line_json(line, names) for line in entry.lines],
    }


def round_json(match: Match, round_: Round) -> dict[str, Any]:
    """A round with its lines."""
    names = names_of(match)
    return {
        "number": round_.number,
        "at": round_.at,
        "undone": round_.undone,
        "edits": round_.edits,
        "closer": round_.result.closer,
        "atu": round_.result.atu,
        "double": round_.result.double,
        "source": round_.result.source,
        "dealer": match.dealer_of(round_.number),
        "winners": list(round_.winners),
        "points": round_.points,
        "entries": [entry_json(entry, names) for entry in round_.result.entries],
        "input": round_.result.data.get("input"),
    }


def match_json(match_id: str, match: Match) -> dict[str, Any]:
    """The state and the tally of a match."""
    names = names_of(match)
    return {
        "id": match_id,
        "version": match.version,
        "game": match.game,
        "game_title": get(match.game).title,
        "title": match.title,
        "started": match.events[0].at,
        "updated": match.events[-1].at,
        "players": [{"id": player.id, "name": player.name} for player in match.players],
        "preset": match.preset,
        "rules": match.house_rules.to_mapping(),
        "target": match.target,
        "round_limit": match.round_limit,
        "over": match.over,
        "dealer": match.dealer,
        "starter": match.starter,
        "leaders": list(match.leaders),
        "winners": list(match.winners),
        "totals": match.totals,
        "standings": [
            {
                "player": s.player,
                "total": s.total,
                "final": s.final,
                "rank": s.rank,
                "rounds_won": s.rounds_won,
                "bonuses": [line_json(line, names) for line in s.bonuses],
            }
            for s in match.standings
        ],
        "rounds": [round_json(match, round_) for round_ in match.rounds],
    }


def verdict_json(verdict: Verdict, names: Mapping[str, str] | None = None) -> dict[str, Any]:
    """A judgement: codes for programs, words for people; the lines add up to the value."""
    known = names or {}
    faults = [
        {"code": fault.code, "parts": (said := message_parts(fault, known)), "text": _plain(said)}
        for fault in verdict.faults
    ]
    praise = message_parts(verdict.praise(), known)
    return {
        "ok": verdict.ok,
        "reason": verdict.reason,
        "value": verdict.value,
        "sentence": faults[0]["text"] if faults else _plain(praise),
        "faults": faults,
        "lines": [
            line_json(Line(line.what.code, line.points, line.what.params), known) for line in verdict.lines
        ],
    }  # fmt: skip


def _plain(said: list[dict[str, Any]]) -> str:
    return "".join(p.get("text") or " ".join(p["pieces"]) for p in said)
