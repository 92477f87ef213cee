"""The OpenAPI description of the JSON API."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import Any

from companion.games import names
from companion.web.tables import USES

Schema = dict[str, Any]


def _object(required: str = "", **properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": required.split()}


def _list(items: Schema, **more: Any) -> Schema:
    return {"type": "array", "items": items, **more}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _or_null(kind: str, **more: Any) -> Schema:
    return {"type": [kind, "null"], **more}


TEXT: Schema = {"type": "string"}
SHORT: Schema = {"type": "string", "maxLength": 200}
KEY: Schema = {
    "type": "string", "minLength": 1, "maxLength": 100, "pattern": "^[!-~]+$",
    "description": "Made up once by the writer for this one change: sending it again changes nothing.",
}  # fmt: skip
EXPECTED: Schema = {
    "type": "integer", "minimum": 0, "maximum": 2147483647,
    "description": "The match's version that the writer saw; 409 CONFLICT if it has moved on.",
}  # fmt: skip
WHOLE: Schema = {"type": "integer"}
FLAG: Schema = {"type": "boolean"}
GAME: Schema = {"type": "string", "enum": list(names())}
USE: Schema = {"type": "string", "enum": list(USES)}
RULES: Schema = {
    "type": "object", "additionalProperties": {"type": ["string", "integer", "boolean"]},
    "description": "Switches that differ from the preset; /api/games names them.",
}  # fmt: skip
PARTS = _list(_object("", text=TEXT, pieces=_list(TEXT)))
LINE = _object("what points parts text", what=TEXT, points=WHOLE, params={"type": "object"}, parts=PARTS, text=TEXT)
VERDICT = _object(
    "ok reason sentence value lines faults", ok=FLAG, reason=TEXT, sentence=TEXT, value=WHOLE,
    lines=_list({"type": "object"}), faults=_list({"type": "object"}),
)  # fmt: skip
ENTRY = _object("player points lines", player=TEXT, points=WHOLE, lines=_list(_ref("Line")))

SCHEMAS: dict[str, Schema] = {
    "Error": _object(
        "error", error=_object("code sentence detail", code=TEXT, sentence=TEXT, detail={"type": "object"})
    ),
    "Line": LINE,
    "Verdict": VERDICT,
    "Entry": ENTRY,
    "RoundInput": _object(
        "players",
        mode={"type": "string", "enum": ["pieces", "points"]},
        players={
            "type": "object",
            "additionalProperties": _object(
                "", melds=_list({"type": "string", "maxLength": 600}, maxItems=40),
                rack={"type": "string", "maxLength": 600}, points=_or_null("integer"), extra=_or_null("integer"),
            ),
        },
        closer=_or_null("string"), closing_tile=_or_null("string"), atu=_or_null("string"),
        announced_atu=_or_null("string"), missed=_list(TEXT), knocker=_or_null("string"),
        winner=_or_null("string"), rummy=FLAG, double=FLAG,
        source={"type": "string", "enum": ["typed", "photo"]},
    ),
    "Round": _object(
        "number undone points entries winners", number=WHOLE, at=TEXT, undone=FLAG, edits=WHOLE,
        closer=_or_null("string"), atu=_or_null("string"), double=FLAG, source=TEXT, dealer=TEXT,
        winners=_list(TEXT), points={"type": "object", "additionalProperties": WHOLE}, entries=_list(_ref("Entry")),
        input={"type": ["object", "null"]},
    ),
    "Match": _object(
        "id version game players totals standings rounds over", id=TEXT, version=WHOLE, game=GAME, game_title=TEXT,
        title=TEXT, started=TEXT, updated=TEXT, players=_list(_object("id name", id=TEXT, name=TEXT)), preset=TEXT,
        rules={"type": "object"}, target=_or_null("integer"), round_limit=_or_null("integer"), over=FLAG, dealer=TEXT,
        starter=TEXT, leaders=_list(TEXT), winners=_list(TEXT),
        totals={"type": "object", "additionalProperties": WHOLE}, standings=_list({"type": "object"}),
        rounds=_list(_ref("Round")), claim={"type": ["object", "null"]},
    ),
    "Table": _object(
        "schema game melds questions total scene", schema=WHOLE, game=GAME, melds=_list({"type": "object"}),
        questions=_list({"type": "object"}), total={"type": "object"}, scene={"type": "object"},
        photo={"type": "string"}, read={"type": "object"},
    ),
    "Judgement": _object(
        "game melds opening", game=GAME,
        melds=_list(_object("pieces verdict", pieces=_list(TEXT), kind=TEXT, verdict=_ref("Verdict"))),
        opening={"anyOf": [_ref("Verdict"), {"type": "null"}]},
    ),
    "Watched": _object(
        "mark camera looking game match zones players melds questions agreement", mark=TEXT, game=GAME, zones=FLAG,
        camera=_object("state sentence", state=TEXT, sentence=TEXT),
        looking=_object("state sentence", state=TEXT, sentence=TEXT), match={"type": ["object", "null"]},
        players=_list(_object("id name melds points rack", id=TEXT, name=TEXT, points=WHOLE, rack=WHOLE,
                              melds=_list({"type": "object"}))),
        melds=_list({"type": "object"}), questions=WHOLE,
        agreement={"anyOf": [_object("state sentence differences", state=TEXT, sentence=TEXT,
                                     differences=_list({"type": "object"})), {"type": "null"}]},
    ),
    "Zones": _object(
        "zones", schema=WHOLE,
        zones=_list(_object("player corners", player=SHORT, corners=_list(
            _list({"type": "number", "minimum": 0, "maximum": 1}, minItems=2, maxItems=2), minItems=3, maxItems=12,
        )), maxItems=12),
    ),
}  # fmt: skip

MATCH_ID: Schema = {"name": "match_id", "in": "path", "required": True, "schema": TEXT}
NUMBER: Schema = {"name": "number", "in": "path", "required": True, "schema": {"type": "integer", "minimum": 1}}
DEVICE_ID: Schema = {"name": "device_id", "in": "path", "required": True, "schema": TEXT}
LAST_EVENT: Schema = {"name": "Last-Event-ID", "in": "header", "required": False, "schema": TEXT}
SESSION: Schema = {"name": "session", "in": "path", "required": True, "schema": TEXT}
GAME_QUERY: Schema = {"name": "game", "in": "query", "required": False, "schema": GAME}


def _answer(schema: Schema, status: int = 200, what: str = "fine", kind: str = "application/json") -> Schema:
    return {str(status): {"description": what, "content": {kind: {"schema": schema}}}}


def _operation(
    summary: str, answers: Schema, body: Schema | None = None, *parameters: Schema, kind: str = "application/json",
    paired: bool = False,
) -> Schema:  # fmt: skip
    error = {"description": "the one error shape", "content": {"application/json": {"schema": _ref("Error")}}}
    operation: Schema = {"summary": summary, "responses": {**answers, "default": error}}
    if parameters:
        operation["parameters"] = list(parameters)
    if body is not None:
        operation["requestBody"] = {"required": True, "content": {kind: {"schema": body}}}
    if paired:
        operation["security"] = [{"device": []}]
    return operation


_CHANGED = _answer(_ref("Match"))
_ROUND_BODY = _object("key expected round", key=KEY, expected=EXPECTED, round=_ref("RoundInput"), take_over=FLAG)

PATHS: dict[str, Schema] = {
    "/healthz": {"get": _operation("Is it up?", _answer(_object("status", status=TEXT, reader=TEXT, watchers=WHOLE)))},
    "/api/openapi.json": {"get": _operation("This description", _answer({"type": "object"}))},
    "/api/games": {"get": _operation("The games and their switches", _answer(_object("games", games=_list({})))) },
    "/api/read": {"post": _operation(
        "Read a photo", _answer(_ref("Table")),
        {"type": "object", "required": ["photo"], "properties": {
            "photo": {"type": "string", "format": "binary"}, "game": GAME, "as": USE, "match": TEXT}},
        kind="multipart/form-data",
    )},
    "/api/table": {"post": _operation(
        "Judge a reading again after edits", _answer(_ref("Table")),
        _object("scene", scene={"type": "object"}, edits=_list({"type": "object"}), game=GAME, match=SHORT,
                preset=SHORT, rules=RULES, **{"as": USE}),
    )},
    "/api/turn": {"post": _operation(
        "Carousel and Rummy: judge the move between two tables, each a photo or its cards (`9C 9D 9S / 4H 5H 6H`), "
        "or, as JSON, between what was `read` from them, with answers",
        _answer(_object(
            "decided verdict added moved taken questions pieces read",
            decided=FLAG, verdict=_ref("Verdict"), added=_list(WHOLE), moved=_list({"type": "object"}),
            taken=_list(WHOLE), questions=_list({"type": "object"}), pieces={"type": "object"},
            left=_or_null("object"), read={"type": "object"}, photo=_or_null("string"),
        )),
        {"type": "object", "required": ["before", "after"], "properties": {
            "before": {"type": "string", "format": "binary"}, "after": {"type": "string", "format": "binary"},
            "hand_photo": {"type": "string", "format": "binary"}, "hand": SHORT,
            "game": {"type": "string", "enum": ["carousel", "rummy"]},
            "events": {**SHORT, "description": "Carousel: the whole turn: draw, meld, knock, end"},
            "stock": {**WHOLE, "description": "Carousel: cards in the stock before the turn"},
            "final": {**FLAG, "description": "Carousel: the extra turn after the stock ran out"},
            "discard": {**SHORT, "description": "Rummy: the card discarded"},
            "took": {**SHORT, "description": "Rummy: the card taken from the discards"},
            "laid_before": {**FLAG, "description": "Rummy: the player has laid cards before"}}},
        kind="multipart/form-data",
    )},
    "/api/judge": {"post": _operation(
        "Judge melds given as text", _answer(_ref("Judgement")),
        _object("melds", game=GAME, preset=SHORT, rules=RULES, rack=_or_null("integer"),
                melds=_list({"type": "string", "maxLength": 600}, maxItems=40), **{"as": USE}),
    )},
    "/api/matches": {
        "get": _operation("All matches", _answer(_object("matches", matches=_list({"type": "object"})))),
        "post": _operation(
            "Start a match", _answer(_ref("Match"), 201),
            _object("key game players", key=KEY, game=GAME, players=_list(SHORT, maxItems=12),
                    dealer={"type": "integer", "minimum": 0, "description": "place among the players"}, preset=SHORT,
                    rules=RULES, target=_or_null("integer"), rounds=_or_null("integer"), title=SHORT),
            paired=True,
        ),
    },
    "/api/matches/{match_id}": {
        "get": _operation("State and tally", _answer(_ref("Match")), None, MATCH_ID),
        "patch": _operation(
            "Rename a player, set the dealer, end or go on", _CHANGED,
            _object("key expected", key=KEY, expected=EXPECTED, dealer=SHORT, ended=FLAG,
                    rename=_object("player name", player=SHORT, name=SHORT)),
            MATCH_ID, paired=True,
        ),
    },
    "/api/matches/{match_id}/preview": {"post": _operation(
        "Score a round without writing it",
        _answer(_object("entries warnings", entries=_list(_ref("Entry")), warnings=_list(PARTS))),
        _object("round", round=_ref("RoundInput")), MATCH_ID,
    )},
    "/api/matches/{match_id}/rounds": {"post": _operation(
        "Score a round", _answer(_ref("Match"), 201), _ROUND_BODY, MATCH_ID, paired=True,
    )},
    "/api/matches/{match_id}/rounds/{number}": {
        "get": _operation("One round", _answer(_ref("Round")), None, MATCH_ID, NUMBER),
        "put": _operation("Change a round", _CHANGED, _ROUND_BODY, MATCH_ID, NUMBER, paired=True),
        "patch": _operation(
            "Undo a round or let it count again", _CHANGED,
            _object("key expected undone", key=KEY, expected=EXPECTED, undone=FLAG), MATCH_ID, NUMBER, paired=True,
        ),
    },
    "/api/matches/{match_id}/claim": {
        "put": _operation(
            "Claim the scoring, keep it, or take it over",
            _answer(_object("name since", name=TEXT, since=TEXT, draft={})),
            _object("", draft={"type": ["object", "null"]}, take_over=FLAG), MATCH_ID, paired=True,
        ),
        "delete": _operation(
            "Let go of the claim", {"204": {"description": "let go"}}, None, MATCH_ID, paired=True
        ),
    },
    "/api/matches/{match_id}/events": {"get": _operation(
        "Live: server-sent events, each the whole Match, its id the version; comments as heartbeats",
        _answer(TEXT, kind="text/event-stream"), None, MATCH_ID, LAST_EVENT,
    )},
    "/api/matches/{match_id}/export.json": {"get": _operation(
        "One match with its events", _answer({"type": "object"}), None, MATCH_ID)},
    "/api/matches/{match_id}/export.csv": {"get": _operation(
        "A line for each line of points", _answer(TEXT, kind="text/csv"), None, MATCH_ID)},
    "/api/export.json": {"get": _operation("All matches with their events", _answer({"type": "object"}))},
    "/api/import": {"post": _operation(
        "Take in what was exported",
        _answer(_object("added completed unchanged differ", added=WHOLE, completed=WHOLE, unchanged=WHOLE,
                        differ=_list(TEXT))),
        _object("format version matches", format=TEXT, version=WHOLE, matches=_list({"type": "object"})), paired=True,
    )},
    "/api/statistics": {"get": _operation(
        "Each player over all evenings", _answer(_object("players", players=_list({"type": "object"}))), None,
        GAME_QUERY,
    )},
    "/api/devices": {"get": _operation(
        "The paired devices", _answer(_object("devices", devices=_list({"type": "object"}))), None, paired=True)},
    "/api/devices/{device_id}": {"delete": _operation(
        "A device may no longer score", {"204": {"description": "revoked"}}, None, DEVICE_ID, paired=True)},
    "/api/viewfinder": {"post": _operation(
        "Open a live viewfinder: a session in which readings of frames accumulate; it ends after 20 s of silence",
        _answer(_object("session", session=TEXT), 201),
        _object("", game=GAME, match=SHORT, preset=SHORT, rules=RULES, **{"as": USE}),
    )},
    "/api/viewfinder/{session}": {"delete": _operation(
        "End a viewfinder", {"204": {"description": "ended"}}, None, SESSION)},
    "/api/viewfinder/{session}/frame": {"post": _operation(
        "The next frame, one at a time; the table as it is known now",
        _answer(_object("table looking frames", table=_ref("Table"), looking=TEXT, frames=WHOLE)),
        {"type": "string", "format": "binary"}, SESSION, kind="image/jpeg",
    )},
    "/api/viewfinder/{session}/freeze": {"post": _operation(
        "The newest frame as a reading, with all that was gathered; ends the session", _answer(_ref("Table")), None,
        SESSION,
    )},
    "/api/watch": {"get": _operation("What the camera over the table sees now", _answer(_ref("Watched")))},
    "/api/watch/events": {"get": _operation(
        "Live: server-sent events, each what is seen now; comments as heartbeats",
        _answer(TEXT, kind="text/event-stream"),
    )},
    "/api/watch/zones": {
        "get": _operation("The players' zones", _answer(_ref("Zones"))),
        "put": _operation("Keep other zones; an empty list takes them away", _answer(_ref("Zones")), _ref("Zones"),
                          paired=True),
    },
}  # fmt: skip


def describe() -> dict[str, Any]:
    """The whole description, OpenAPI 3.1."""
    try:
        number = version("remi-companion")
    except PackageNotFoundError:
        number = "0"
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Remi Companion",
            "version": number,
            "description": "Watching is free; what changes something needs the signed cookie of a paired device.",
        },
        "paths": PATHS,
        "components": {
            "schemas": SCHEMAS,
            "securitySchemes": {"device": {"type": "apiKey", "in": "cookie", "name": "remi"}},
        },
    }
