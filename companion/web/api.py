"""The JSON API; ``openapi`` describes it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from flask import Blueprint, Response, jsonify, request

from companion.games import get, names
from companion.games.messages import N_
from companion.match import (
    DealerSet,
    Event,
    MatchEnded,
    MatchReopened,
    PlayerRenamed,
    RoundRestored,
    RoundUndone,
)  # fmt: skip
from companion.web import claims, exchange, statistics, trust
from companion.web.context import find_match, services
from companion.web.errors import WebError
from companion.web.fields import body, flag_of, house_rules, number_of, text_of
from companion.web.openapi import describe
from companion.web.photos import read_photo, table_of
from companion.web.play import save_round, scorer, start_match, state, write
from companion.web.scoring import score
from companion.web.stream import events
from companion.web.switches import games_json
from companion.web.tables import check_use, judge_melds
from companion.web.view import entry_json, match_json, message_parts, names_of

MAX_JUDGED = 40


def make() -> Blueprint:
    """The routes under ``/api`` and ``/healthz``."""
    api = Blueprint("api", __name__)
    for rule, methods, function in ROUTES:
        api.add_url_rule(rule, function.__name__, function, methods=methods)
    return api


def healthz() -> Response:
    """Whether the ledger answers, and how the networks stand."""
    at_hand = services()
    at_hand.ledger.setting("secret_key")
    return jsonify(status="ok", reader=at_hand.reader.state, watchers=at_hand.hub.watchers)


def openapi() -> Response:
    """The description of this API."""
    return jsonify(describe())


def games() -> Response:
    """The games with their switches, in the reader's language."""
    return jsonify(games=games_json())


def read() -> Response:
    """Read a photo: multipart ``photo``, ``game``, ``as``, and ``match`` for its house rules."""
    at_hand = services()
    wait = at_hand.reads.take(request.remote_addr or "")
    if wait:
        raise trust.too_many(wait)
    upload = request.files.get("photo")
    if upload is None:
        raise WebError(422, "NO_PHOTO", N_("There is no photo in this request."))
    use = check_use(request.form.get("as", "opening"))
    match_id = request.form.get("match", "")
    if match_id:
        match = find_match(match_id)
        game, rules = get(match.game), match.house_rules
    else:
        game = get(request.form.get("game", "remi"))
        rules = game.house()
    players = tuple(p.name for p in match.players) if match_id and use == "round" else ()
    return jsonify(read_photo(at_hand, upload.read(), game, rules, use, players))


def table() -> Response:
    """Judge a Scene again after a person has put it right."""
    data = body()
    name, rules = house_rules(data)
    use = check_use(data.get("as", "opening"))
    players: tuple[str, ...] = ()
    if data.get("match"):
        match = find_match(text_of(data, "match"))
        name, rules = match.game, match.house_rules
        players = tuple(p.name for p in match.players) if use == "round" else ()
    return jsonify(table_of(data.get("scene"), data.get("edits", []), get(name), rules, use, players))


def judge() -> Response:
    """Judge melds given as text."""
    data = body()
    name, rules = house_rules(data)
    melds = data.get("melds")
    if not isinstance(melds, list) or len(melds) > MAX_JUDGED or not all(isinstance(m, str) for m in melds):
        raise WebError(422, "BAD_FIELD", N_("“%(field)s” is not as it should be."), field="melds")
    if any(len(meld) > 600 for meld in melds):
        raise WebError(422, "BAD_FIELD", N_("“%(field)s” is not as it should be."), field="melds")
    rack = number_of(data, "rack") if data.get("rack") is not None else None
    return jsonify(judge_melds(get(name), rules, melds, check_use(data.get("as", "opening")), rack))


def matches() -> Response:
    """All matches, the one written to last first."""
    ledger = services().ledger
    return jsonify(matches=[exchange.summary(info, ledger.match(info.id)) for info in ledger.matches()])


def create_match() -> tuple[Response, int]:
    """Start a match."""
    data = body()
    match_id, match = start_match(data, scorer())
    return jsonify(state(match_id, match)), 201


def match(match_id: str) -> Response:
    """The state and tally of a match."""
    return jsonify(state(match_id, find_match(match_id)))


def change_match(match_id: str) -> Response:
    """Rename a player, set who deals, end the match or go on with it."""
    data = body()
    find_match(match_id)
    base: dict[str, Any] = {"key": text_of(data, "key", limit=100), "by": scorer().id}
    event: Event
    if isinstance(data.get("rename"), dict):
        renamed = data["rename"]
        event = PlayerRenamed(player=text_of(renamed, "player"), name=text_of(renamed, "name"), **base)
    elif "dealer" in data:
        event = DealerSet(dealer=text_of(data, "dealer"), **base)
    elif isinstance(data.get("ended"), bool):
        event = MatchEnded(**base) if data["ended"] else MatchReopened(**base)
    else:
        raise WebError(422, "NOTHING_TO_CHANGE", N_("This says nothing that could be changed."))
    return jsonify(write(match_id, event, number_of(data, "expected")))


def preview(match_id: str) -> Response:
    """Score a round without writing it."""
    found = find_match(match_id)
    scored = score(found, body().get("round"))
    by_name = names_of(found)
    return jsonify(
        entries=[entry_json(entry, by_name) for entry in scored.result.entries],
        warnings=[message_parts(warning, by_name) for warning in scored.warnings],
    )


def add_round(match_id: str) -> tuple[Response, int]:
    """Score a round. The same key again is the same round."""
    return jsonify(save_round(match_id, body(), scorer(), None)), 201


def round_(match_id: str, number: int) -> Response:
    """One round with its lines."""
    found = find_match(match_id)
    found.round(number)
    return jsonify(match_json(match_id, found)["rounds"][number - 1])


def edit_round(match_id: str, number: int) -> Response:
    """Put something else in a round's place."""
    find_match(match_id).round(number)
    return jsonify(save_round(match_id, body(), scorer(), number))


def undo_round(match_id: str, number: int) -> Response:
    """Undo a round, or let it count again: ``undone``."""
    data = body()
    find_match(match_id).round(number)
    base: dict[str, Any] = {"key": text_of(data, "key", limit=100), "by": scorer().id, "round": number}
    event: Event = RoundUndone(**base) if flag_of(data, "undone") else RoundRestored(**base)
    return jsonify(write(match_id, event, number_of(data, "expected")))


def claim(match_id: str) -> Response:
    """Claim the scoring of a round, keep the claim with a draft, or take it over."""
    data = body()
    find_match(match_id)
    draft = data.get("draft")
    if draft is not None and len(json.dumps(draft)) > claims.DRAFT_LIMIT:
        raise WebError(413, "DRAFT_TOO_LARGE", N_("That is too large."))
    at_hand = services()
    held = claims.take(
        at_hand.ledger, match_id, scorer(), at_hand.config.claim_seconds, draft, over=flag_of(data, "take_over")
    )
    at_hand.hub.poke()
    return jsonify(name=held.name, since=held.at, draft=held.draft)


def release(match_id: str) -> tuple[str, int]:
    """Let go of a claim."""
    find_match(match_id)
    at_hand = services()
    claims.release(at_hand.ledger, match_id, scorer(), at_hand.config.claim_seconds)
    at_hand.hub.poke()
    return "", 204


def export_json() -> Response:
    """Every match with its events."""
    return exchange.json_file(services().ledger, None)


def export_match_json(match_id: str) -> Response:
    """One match with its events."""
    find_match(match_id)
    return exchange.json_file(services().ledger, match_id)


def export_match_csv(match_id: str) -> Response:
    """One line for each player and round."""
    return exchange.csv_file(match_id, find_match(match_id))


def import_matches() -> Response:
    """Take in what was exported; matches that are there already are completed, never changed."""
    return jsonify(exchange.take_in(services().ledger, body()))


def figures() -> Response:
    """Statistics of each player over all evenings."""
    ledger = services().ledger
    game = request.args.get("game") or None
    if game is not None and game not in names():
        raise WebError(422, "UNKNOWN_GAME", N_("There is no such game."))
    listed = [ledger.match(info.id) for info in ledger.matches()]
    return jsonify(players=[row.to_json() for row in statistics.of(listed, game)])


def devices() -> Response:
    """The paired devices; for scorers only."""
    scorer()
    listed = [
        {"id": one.id, "name": one.name, "created": one.created, "revoked": one.revoked}
        for one in services().ledger.devices()
    ]
    return jsonify(devices=listed)


def revoke_device(device_id: str) -> tuple[str, int]:
    """From now on this device only watches."""
    try:
        services().ledger.revoke(device_id)
    except KeyError:
        raise WebError(404, "UNKNOWN_DEVICE", N_("There is no such device.")) from None
    return "", 204


ROUTES: list[tuple[str, list[str], Callable[..., Any]]] = [
    ("/healthz", ["GET"], healthz),
    ("/api/openapi.json", ["GET"], openapi),
    ("/api/games", ["GET"], games),
    ("/api/read", ["POST"], read),
    ("/api/table", ["POST"], table),
    ("/api/judge", ["POST"], judge),
    ("/api/matches", ["GET"], matches),
    ("/api/matches", ["POST"], create_match),
    ("/api/matches/<match_id>", ["GET"], match),
    ("/api/matches/<match_id>", ["PATCH"], change_match),
    ("/api/matches/<match_id>/preview", ["POST"], preview),
    ("/api/matches/<match_id>/rounds", ["POST"], add_round),
    ("/api/matches/<match_id>/rounds/<int:number>", ["GET"], round_),
    ("/api/matches/<match_id>/rounds/<int:number>", ["PUT"], edit_round),
    ("/api/matches/<match_id>/rounds/<int:number>", ["PATCH"], undo_round),
    ("/api/matches/<match_id>/claim", ["PUT"], claim),
    ("/api/matches/<match_id>/claim", ["DELETE"], release),
    ("/api/matches/<match_id>/events", ["GET"], events),
    ("/api/matches/<match_id>/export.json", ["GET"], export_match_json),
    ("/api/matches/<match_id>/export.csv", ["GET"], export_match_csv),
    ("/api/export.json", ["GET"], export_json),
    ("/api/import", ["POST"], import_matches),
    ("/api/statistics", ["GET"], figures),
    ("/api/devices", ["GET"], devices),
    ("/api/devices/<device_id>", ["DELETE"], revoke_device),
]
"""Every route of the API; the description has the same ones, which a test holds."""
