"""What changes a match, for the API and the pages alike, and how it stands afterwards."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from companion.games.messages import N_
from companion.ledger import Device, now
from companion.match import Event, Match, MatchStarted, Player, RoundEdited, RoundScored
from companion.web import claims, trust
from companion.web.context import find_match, services
from companion.web.errors import WebError
from companion.web.fields import flag_of, number_of, text_of
from companion.web.scoring import score
from companion.web.view import match_json


def scorer() -> Device:
    """The paired device that asks; the check before each request has let it pass."""
    return trust.require_scorer(services().ledger)


def start_match(data: dict[str, Any], device: Device) -> tuple[str, Match]:
    """Start the match that a body or form describes: ``key``, ``game``, ``players`` (names), ``dealer`` (place)."""
    listed = data.get("players")
    if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed) or len(listed) > 12:
        raise WebError(422, "BAD_FIELD", N_("“%(field)s” is not as it should be."), field="players")
    players = tuple(Player(f"p{n}", " ".join(text_of({"n": name}, "n").split())) for n, name in enumerate(listed, 1))
    dealer = number_of(data, "dealer") if "dealer" in data else 0
    rules = data.get("rules", {})
    if not isinstance(rules, dict):
        raise WebError(422, "BAD_FIELD", N_("“%(field)s” is not as it should be."), field="rules")
    event = MatchStarted(
        key=text_of(data, "key", limit=100),
        at=now(),
        by=device.id,
        game=text_of(data, "game"),
        players=players,
        dealer=players[dealer].id if dealer < len(players) else "",
        preset=text_of(data, "preset", "seed"),
        rules=rules,
        target=None if data.get("target") is None else number_of(data, "target"),
        rounds=None if data.get("rounds") is None else number_of(data, "rounds"),
        title=text_of(data, "title", ""),
    )
    return services().ledger.start(event)


def state(match_id: str, match: Match) -> dict[str, Any]:
    """A match with who is scoring it."""
    at_hand = services()
    held = claims.current(at_hand.ledger, match_id, at_hand.config.claim_seconds)
    claim = None if held is None else {"name": held.name, "since": held.at}
    return {**match_json(match_id, match), "claim": claim}


def write(match_id: str, event: Event, expected: int) -> dict[str, Any]:
    """Append an event and wake the watchers; the new state."""
    at_hand = services()
    after = at_hand.ledger.append(match_id, replace(event, at=now()), expected)
    at_hand.hub.poke()
    return state(match_id, after)


def save_round(match_id: str, data: dict[str, Any], device: Device, number: int | None) -> dict[str, Any]:
    """Write a round (``number`` None) or its new content; the new state."""
    found = find_match(match_id)
    at_hand = services()
    lapse = at_hand.config.claim_seconds
    if flag_of(data, "take_over"):
        claims.take(at_hand.ledger, match_id, device, lapse, None, over=True)
    claims.check(at_hand.ledger, match_id, device, lapse)
    key, expected = text_of(data, "key", limit=100), number_of(data, "expected")
    result = score(found, data.get("round")).result
    event: Event
    if number is None:
        event = RoundScored(key=key, by=device.id, result=result)
    else:
        event = RoundEdited(key=key, by=device.id, round=number, result=result)
    after = write(match_id, event, expected)
    claims.release(at_hand.ledger, match_id, device, lapse)
    return {**after, "claim": None}
