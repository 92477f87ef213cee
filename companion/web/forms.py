"""Forms of the pages -> the same data that the API takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from werkzeug.datastructures import MultiDict

from companion.games import get, names
from companion.games.messages import N_
from companion.match import (
    DealerSet,
    Event,
    Match,
    MatchEnded,
    MatchReopened,
    PlayerRenamed,
    RoundRestored,
    RoundUndone,
)
from companion.web.context import services
from companion.web.errors import WebError
from companion.web.switches import value_of

Form = MultiDict[str, str]
MOST_PLAYERS = 6


def new_match_given(form: Form | None = None) -> dict[str, Any]:
    """What the form of a new match shows: what was sent, else what the host's rules say."""
    if form is None:
        ledger = services().ledger
        last = next((ledger.match(info.id) for info in ledger.matches()), None)
        game = last.game if last else "remi"
        players = [player.name for player in last.players] if last else []
        rules = {name: dict(services().config.rules.get(name, {})) for name in names()}
        if last is not None:
            rules[game] = dict(last.house_rules.to_mapping())
        preset = last.preset if last else "seed"
        return {
            "game": game, "players": players, "dealer": 0, "preset": preset, "rules": rules, "target": None,
            "rounds": None, "title": "",
        }  # fmt: skip
    data = new_match_data(form)
    listed = [form.get(f"player{n}", "") for n in range(MOST_PLAYERS)]
    rules = {name: dict(_rules(form, name)) for name in names()}
    return {**data, "players": listed, "dealer": form.get("dealer", 0, type=int), "rules": rules}


def new_match_data(form: Form) -> dict[str, Any]:
    """The body of ``POST /api/matches``."""
    game = form.get("game", "remi")
    known = game if game in names() else "remi"
    most = get(known).players[1]
    places = [(n, form.get(f"player{n}", "").strip()) for n in range(MOST_PLAYERS)]
    seated = [(n, name) for n, name in places if name][:most]
    dealer = form.get("dealer", 0, type=int)
    return {
        "key": form.get("key", ""),
        "game": game,
        "players": [name for _, name in seated],
        "dealer": next((at for at, (n, _) in enumerate(seated) if n == dealer), 0),
        "preset": form.get("preset", "seed"),
        "rules": _rules(form, known),
        "target": _number(form, "target"),
        "rounds": _number(form, "rounds"),
        "title": form.get("title", "").strip(),
    }


def _rules(form: Form, game: str) -> dict[str, object]:
    found: dict[str, object] = {}
    for switch in get(game).house.switches():
        text = form.get(f"{game}.{switch.name}")
        value = None if text is None else value_of(switch, text)
        if value is not None:
            found[switch.name] = value
    return found


def _number(form: Form, name: str) -> int | None:
    text = form.get(name, "").strip()
    if not text:
        return None
    try:
        return int(text.replace("−", "-").replace(" ", ""))
    except ValueError:
        raise WebError(422, "BAD_FIELD", N_("“%(field)s” is not a whole number."), field=text[:20]) from None


def counted_before(match: Match, number: int | None) -> dict[str, Any]:
    """What the form of a round starts from: nothing, or the points of a round whose pieces were never told."""
    if number is not None:
        round_ = match.round(number)
        players = {p.id: {"melds": [], "rack": "", "points": round_.points[p.id], "extra": 0} for p in match.players}
        return {"mode": "points", "players": players, "closer": round_.result.closer, "atu": round_.result.atu,
                "double": round_.result.double}  # fmt: skip
    last = match.counted[-1].result.data.get("input") if match.counted else None
    mode = last.get("mode", "pieces") if isinstance(last, Mapping) else "pieces"
    return {
        "mode": mode,
        "players": {p.id: {"melds": [], "rack": "", "points": None, "extra": 0} for p in match.players},
    }


def round_data(form: Form, match: Match) -> dict[str, Any]:
    """The round's input as ``companion.web.scoring`` takes it."""
    players = {}
    for player in match.players:
        melds = form.get(f"{player.id}-melds", "").replace("/", "\n").splitlines()
        players[player.id] = {
            "melds": [meld.strip() for meld in melds if meld.strip()],
            "rack": form.get(f"{player.id}-rack", ""),
            "points": _quiet_number(form, f"{player.id}-points"),
            "extra": _quiet_number(form, f"{player.id}-extra") or 0,
        }
    one = {
        key: form.get(key) or None
        for key in ("closer", "closing_tile", "atu", "announced_atu", "knocker", "winner")
    }  # fmt: skip
    return {
        "mode": form.get("mode", "pieces"),
        "players": players,
        **one,
        "missed": form.getlist("missed"),
        "rummy": "rummy" in form,
        "double": "double" in form,
        "source": form.get("source", "typed"),
    }


def _quiet_number(form: Form, name: str) -> int | None:
    try:
        return _number(form, name)
    except WebError:
        return None


def match_event(form: Form, base: Mapping[str, Any]) -> Event:
    """The event that a button of a match's history asks for. Raises WebError 422."""
    number = form.get("round", 0, type=int)
    match form.get("do"):
        case "undo":
            return RoundUndone(round=number, **base)
        case "restore":
            return RoundRestored(round=number, **base)
        case "dealer":
            return DealerSet(dealer=form.get("dealer", ""), **base)
        case "rename":
            name = " ".join(form.get("name", "").split())
            return PlayerRenamed(player=form.get("player", ""), name=name, **base)
        case "end":
            return MatchEnded(**base)
        case "reopen":
            return MatchReopened(**base)
        case _:
            raise WebError(422, "NOTHING_TO_CHANGE", N_("This says nothing that could be changed."))
