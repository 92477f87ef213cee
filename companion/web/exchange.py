"""Matches out of the house and in again: CSV for a spreadsheet, JSON for another companion."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import Any

from flask import Response

from companion.games import get
from companion.games.messages import N_
from companion.ledger import Ledger, MatchInfo, match_id_of
from companion.match import Event, Match, MatchError, from_json, replay, to_json
from companion.web.errors import WebError
from companion.web.view import line_json, names_of
from companion.web.words import gettext

FORMAT = "remi-companion-matches"
FORMAT_VERSION = 1
MAX_MATCHES = 2000


def summary(info: MatchInfo, match: Match) -> dict[str, Any]:
    """A line in a list of matches."""
    return {
        "id": info.id,
        "game": match.game,
        "game_title": get(match.game).title,
        "title": match.title,
        "created": info.created,
        "updated": info.updated,
        "version": info.version,
        "players": [player.name for player in match.players],
        "totals": [match.totals[player.id] for player in match.players],
        "rounds": len(match.counted),
        "over": match.over,
        "winners": [match.name(player) for player in match.winners],
    }


def json_file(ledger: Ledger, match_id: str | None) -> Response:
    """Matches with all their events, as :func:`take_in` reads them."""
    ids = [match_id] if match_id is not None else [info.id for info in ledger.matches()]
    data = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "matches": [{"id": one, "events": [to_json(event) for event in ledger.events(one)]} for one in ids],
    }
    response = Response(json.dumps(data, ensure_ascii=False, indent=1), mimetype="application/json")
    response.headers["Content-Disposition"] = f'attachment; filename="remi-{match_id or "all"}.json"'
    return response


def csv_file(match_id: str, match: Match) -> Response:
    """Every line of points: round, player, what for, points, and the player's total after the round."""
    names = names_of(match)
    out = io.StringIO()
    write = csv.writer(out)
    head = (N_("round"), N_("time"), N_("player"), N_("what for"), N_("points"), N_("round's points"), N_("total"))
    write.writerow(gettext(word) for word in head)
    totals = dict.fromkeys(names, 0)
    for round_ in match.counted:
        for entry in round_.result.entries:
            totals[entry.player] += entry.points
            lines = entry.lines or ()
            for line in lines:
                text = line_json(line, names)["text"]
                row = [round_.number, round_.at, names[entry.player], text, line.points, entry.points]
                write.writerow([_harmless(cell) for cell in (*row, totals[entry.player])])
            if not lines:
                row = [round_.number, round_.at, names[entry.player], "", 0, entry.points]
                write.writerow([_harmless(cell) for cell in (*row, totals[entry.player])])
    response = Response("\ufeff" + out.getvalue(), mimetype="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="remi-{match_id}.csv"'
    return response


def _harmless(cell: object) -> object:
    """A text that a spreadsheet would take for a formula gets a quote before it."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell


def take_in(ledger: Ledger, data: dict[str, Any]) -> dict[str, Any]:
    """Take in exported matches. All are checked first, so a bad file changes nothing. Raises WebError 422.

    A match that is here already gets the events it lacks; one that went on differently here is left as it is and
    named in ``differ``.
    """
    listed = data.get("matches")
    if data.get("format") != FORMAT or not isinstance(listed, list) or len(listed) > MAX_MATCHES:
        raise WebError(422, "BAD_EXPORT", N_("This is no export of the companion."))
    if data.get("version") != FORMAT_VERSION:
        raise WebError(422, "NEWER_EXPORT", N_("This export was written by another version of the companion."))
    checked = []
    for number, item in enumerate(listed, 1):
        events = item.get("events") if isinstance(item, dict) else None
        if not isinstance(events, list):
            raise WebError(422, "BAD_EXPORT", N_("This is no export of the companion."))
        try:
            parsed = tuple(from_json(event) for event in events)
            replay(parsed)
        except MatchError as error:
            raise WebError(
                422, "BAD_EXPORT", N_("Match %(number)s of the file can't be used: %(why)s"), number=number,
                why=error.sentence(gettext),
            ) from None  # fmt: skip
        checked.append(parsed)
    here = {info.id for info in ledger.matches()}
    counts = {"added": 0, "completed": 0, "unchanged": 0}
    differ = []
    for parsed in checked:
        match_id = match_id_of(parsed[0].key)
        ours = ledger.events(match_id) if match_id in here else ()
        if not all(_same(a, b) for a, b in zip(ours, parsed, strict=False)):
            differ.append(match_id)
            continue
        for seen in range(len(ours), len(parsed)):
            ledger.append(match_id, parsed[seen], seen)
        more = len(parsed) > len(ours)
        counts["added" if match_id not in here else "completed" if more else "unchanged"] += 1
        here.add(match_id)
    return {**counts, "differ": differ}


def _same(ours: Event, theirs: Event) -> bool:
    return replace(ours, at="", by="") == replace(theirs, at="", by="")
