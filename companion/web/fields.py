"""What a request's JSON holds, checked: every field that isn't as it should be is a typed error."""

from __future__ import annotations

import json
from typing import Any

from flask import request

from companion.games import get
from companion.games.house import HouseRulesBase
from companion.games.messages import N_
from companion.web.errors import WebError


def body() -> dict[str, Any]:
    """The JSON object that was sent. Raises WebError 400 or 415."""
    if not request.is_json:
        raise WebError(415, "NOT_JSON", N_("This wants JSON."))
    try:
        data = json.loads(request.get_data())
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise WebError(400, "BAD_JSON", N_("This wants a JSON object."))
    return data


def text_of(data: dict[str, Any], key: str, default: str | None = None, limit: int = 200) -> str:
    """A text of the body. Raises WebError 422."""
    value = data.get(key, default)
    if not isinstance(value, str) or len(value) > limit or "\x00" in value:
        raise WebError(422, "BAD_FIELD", N_("“%(field)s” is not as it should be."), field=key, detail={"field": key})
    try:
        value.encode()
    except UnicodeEncodeError:  # half a surrogate pair can't be kept
        raise WebError(422, "BAD_FIELD", N_("“%(field)s” is not as it should be."), field=key) from None
    return value


def number_of(data: dict[str, Any], key: str) -> int:
    """A whole number of the body. Raises WebError 422."""
    value = data.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**31:
        raise WebError(422, "BAD_FIELD", N_("“%(field)s” is not as it should be."), field=key, detail={"field": key})
    return value


def flag_of(data: dict[str, Any], key: str) -> bool:
    """A truth of the body, false if absent. Raises WebError 422."""
    value = data.get(key, False)
    if not isinstance(value, bool):
        raise WebError(422, "BAD_FIELD", N_("“%(field)s” is not as it should be."), field=key, detail={"field": key})
    return value


def house_rules(data: dict[str, Any]) -> tuple[str, HouseRulesBase]:
    """The game and the house rules that a body names."""
    game = get(text_of(data, "game", "remi"))
    rules = data.get("rules", {})
    if not isinstance(rules, dict):
        raise WebError(422, "BAD_FIELD", N_("“%(field)s” is not as it should be."), field="rules")
    preset = text_of(data, "preset", "seed")
    return game.name, game.rules({**rules, "preset": preset})
