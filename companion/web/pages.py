"""What people see: server-rendered pages that work without scripts and get better with them."""

from __future__ import annotations

import secrets
from typing import Any

from flask import Blueprint, Response, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response as AnyResponse

from companion.games import RoundError, get, names
from companion.games.messages import N_
from companion.match import Match, MatchError
from companion.pieces import NotationError
from companion.web import claims, exchange, forms, play, qr, statistics, trust
from companion.web.config import LANGUAGES
from companion.web.context import find_match, services
from companion.web.errors import WebError
from companion.web.help import help_of
from companion.web.photos import read_photo
from companion.web.scoring import score
from companion.web.strings import script_strings
from companion.web.switches import games_json
from companion.web.tables import judge_melds
from companion.web.view import entry_json, match_json, message_parts, names_of
from companion.web.words import gettext

Page = str | AnyResponse | tuple[str, int]


def make() -> Blueprint:
    """The routes of the pages."""
    pages = Blueprint("pages", __name__)
    for rule, methods, function in ROUTES:
        pages.add_url_rule(rule, function.__name__, function, methods=methods)

    @pages.context_processor
    def common() -> dict[str, Any]:
        return {"strings": script_strings()}

    return pages


def new_key() -> str:
    """A key for one change that a form will ask for."""
    return secrets.token_hex(12)


def home() -> Page:
    """What is going on, and where to go."""
    ledger = services().ledger
    infos = ledger.matches()
    listed = [exchange.summary(info, ledger.match(info.id)) for info in infos[:8]]
    going = next((one for one in listed if not one["over"]), None)
    current = match_json(going["id"], ledger.match(going["id"])) if going else None
    return render_template("home.html", matches=listed, current=current, more=len(infos) > len(listed))


def new_match() -> Page:
    """The form of a new match."""
    return render_template("new.html", games=games_json(), key=new_key(), given=forms.new_match_given(), fault=None)


def new_match_post() -> Page:
    """Start the match of the form, or show the form again with what is wrong."""
    device = play.scorer()
    try:
        match_id, _ = play.start_match(forms.new_match_data(request.form), device)
    except (MatchError, WebError) as error:
        fault = error.sentence(gettext) if isinstance(error, MatchError) else error.sentence()
        page = render_template(
            "new.html", games=games_json(), key=request.form.get("key") or new_key(),
            given=forms.new_match_given(request.form), fault=fault,
        )  # fmt: skip
        return page, 422
    services().hub.poke()
    return redirect(url_for("pages.live", match_id=match_id), 303)


def live(match_id: str) -> Page:
    """The tally, on every screen."""
    match = find_match(match_id)
    return render_template("live.html", match=play.state(match_id, match), big="big" in request.args)


def round_new(match_id: str) -> Page:
    """Score a round."""
    return round_page(match_id, find_match(match_id), None)


def round_edit(match_id: str, number: int) -> Page:
    """Change a round."""
    match = find_match(match_id)
    match.round(number)
    return round_page(match_id, match, number)


def round_page(
    match_id: str, match: Match, number: int | None, given: dict[str, Any] | None = None, **more: Any
) -> str:
    """The form of a round: ``number`` None for a new one, ``given`` what is filled in already."""
    if given is None:
        given = match.round(number).result.data.get("input") if number else None
        given = given if isinstance(given, dict) else forms.counted_before(match, number)
    device = trust.device(services().ledger)
    held = claims.current(services().ledger, match_id, services().config.claim_seconds)
    other = held if held is not None and (device is None or held.device != device.id) else None
    page: dict[str, Any] = {"preview": None, "fault": None, "key": new_key()}
    return render_template(
        "round.html", match=match_json(match_id, match), rules=match.house_rules.to_mapping(), number=number,
        given=given, held=other, pieces_kind=get(match.game).pieces, **{**page, **more},
    )  # fmt: skip


def round_post(match_id: str) -> Page:
    """Preview or confirm a round that was sent as a form."""
    return _take_round(match_id, None)


def round_edit_post(match_id: str, number: int) -> Page:
    """Preview or confirm what a round is changed to."""
    find_match(match_id).round(number)
    return _take_round(match_id, number)


def _take_round(match_id: str, number: int | None) -> Page:
    match = find_match(match_id)
    data = forms.round_data(request.form, match)
    keep: dict[str, Any] = {"given": data, "key": request.form.get("key") or new_key()}
    try:
        if request.form.get("do") != "confirm":
            scored = score(match, data)
            by_name = names_of(match)
            keep["preview"] = {
                "entries": [entry_json(entry, by_name) for entry in scored.result.entries],
                "warnings": [message_parts(warning, by_name) for warning in scored.warnings],
            }
            return round_page(match_id, match, number, **keep)
        body = {
            "key": keep["key"], "round": data, "expected": request.form.get("expected", type=int),
            "take_over": "take_over" in request.form,
        }  # fmt: skip
        play.save_round(match_id, body, play.scorer(), number)
    except NotationError as error:
        keep["fault"] = gettext("“%(piece)s” is not a piece of this game.", piece=error.piece)
    except RoundError as error:
        keep["fault"] = gettext("No round can end like this: %(why)s.", why=str(error))
    except MatchError as error:
        keep["fault"] = error.sentence(gettext)
    except WebError as error:
        if error.status == 403:
            raise
        keep["fault"] = error.sentence()
    if keep.get("fault"):
        return round_page(match_id, match, number, **keep), 422
    return redirect(url_for("pages.live", match_id=match_id), 303)


def match_history(match_id: str) -> Page:
    """Every round's lines, to be edited and undone."""
    match = find_match(match_id)
    return render_template("match_history.html", match=match_json(match_id, match), key=new_key())


def match_action(match_id: str) -> Page:
    """Undo or restore a round, set the dealer, rename, end or go on: from a form."""
    form = request.form
    data: dict[str, Any] = {"key": form.get("key", ""), "expected": form.get("expected", -1, type=int)}
    find_match(match_id)
    base: dict[str, Any] = {"key": data["key"], "by": play.scorer().id}
    event = forms.match_event(form, base)
    play.write(match_id, event, data["expected"])
    return redirect(url_for("pages.match_history", match_id=match_id), 303)


def sheet(match_id: str) -> Page:
    """The score sheet for the printer."""
    return render_template("sheet.html", match=match_json(match_id, find_match(match_id)))


def history() -> Page:
    """Past matches, statistics, export and import."""
    ledger = services().ledger
    infos = ledger.matches()
    full = [ledger.match(info.id) for info in infos]
    game = request.args.get("game", "")
    game = game if game in names() else ""
    rows = [row.to_json() for row in statistics.of(full, game or None)]
    listed = [exchange.summary(info, match) for info, match in zip(infos, full, strict=True)]
    return render_template("history.html", matches=listed, players=rows, game=game, games=games_json(), told=None)


def import_post() -> Page:
    """Take in an exported file."""
    import json

    upload = request.files.get("file")
    try:
        data = json.loads(upload.read()) if upload else None
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise WebError(422, "BAD_EXPORT", N_("This is no export of the companion."))
    exchange.take_in(services().ledger, data)
    services().hub.poke()
    return redirect(url_for("pages.history"), 303)


def check() -> Page:
    """Can I open with this?"""
    return render_template("check.html", **_check_page({}))


def check_post() -> Page:
    """Judge a photo or typed melds sent as a form, for browsers without scripts."""
    form = request.form
    given = {"game": form.get("game", "remi"), "as": form.get("as", "opening"), "melds": form.get("melds", "")[:2000]}
    page = _check_page(given)
    upload = request.files.get("photo")
    game = get(given["game"])
    try:
        if upload is not None and upload.filename:
            wait = services().reads.take(request.remote_addr or "")
            if wait:
                raise trust.too_many(wait)
            table = read_photo(services(), upload.read(), game, game.house(), page["given"]["as"])
            page["photo"] = table["photo"]
            page["table"] = table
            given["melds"] = "\n".join(" ".join(meld["codes"]) for meld in table["melds"])
        else:
            melds = [line for line in given["melds"].replace("/", "\n").splitlines() if line.strip()]
            page["judged"] = judge_melds(game, game.house(), melds, page["given"]["as"], None)
    except NotationError as error:
        page["fault"] = gettext("“%(piece)s” is not a piece of this game.", piece=error.piece)
        return render_template("check.html", **page), 422
    return render_template("check.html", **page)


def _check_page(given: dict[str, str]) -> dict[str, Any]:
    ledger = services().ledger
    going = [(info.id, match) for info in ledger.matches()[:8] if not (match := ledger.match(info.id)).over]
    first = going[0] if going else None
    game = given.get("game") or (first[1].game if first else "remi")
    known = {"game": get(game).name, "as": given.get("as", "opening"), "melds": given.get("melds", "")}
    if known["as"] not in ("opening", "table", "rack"):
        known["as"] = "opening"
    going_on = {"id": first[0], "game": first[1].game} if first else None
    return {
        "given": known, "games": games_json(), "match": going_on, "judged": None, "table": None, "photo": None,
        "fault": None, "samples": services().config.demo,
    }  # fmt: skip


def help_page() -> Page:
    """The rules in the reader's language, and how to take a good photo."""
    return render_template("help.html", help=help_of())


def photo(name: str) -> Page:
    """A picture on show."""
    found = services().photos.get(name)
    if found is None:
        raise WebError(404, "NO_PHOTO", N_("There is no photo in this request."))
    return Response(found, mimetype="image/jpeg")


def pair_page(token: str) -> Page:
    """Ask before pairing: a messenger that looks at the link must not use it up."""
    return render_template("pair.html", token=token, name=_device_name())


def pair_confirm() -> Page:
    """Pair this browser."""
    name = " ".join(request.form.get("name", "").split())[:40] or _device_name()
    trust.pair(services().ledger, request.form.get("token", ""), name)
    return redirect(url_for("pages.home"), 303)


def _device_name() -> str:
    agent = request.user_agent.string
    for word in ("iPhone", "iPad", "Android"):
        if word in agent:
            return word
    return gettext("computer")


def devices() -> Page:
    """The paired devices, and a code to pair another."""
    ledger = services().ledger
    trust.require_scorer(ledger)
    invite = None
    token = session.pop("invite", None)
    if isinstance(token, str):
        base = services().config.addresses[0] if services().config.addresses else request.host_url.rstrip("/")
        link = f"{base}{url_for('pages.pair_page', token=token)}"
        invite = {"link": link, "svg": qr.svg(link)}
    return render_template("devices.html", devices=ledger.devices(), invite=invite)


def devices_post() -> Page:
    """Make a pairing code, or revoke a device."""
    ledger = services().ledger
    gone = request.form.get("revoke")
    if gone:
        try:
            ledger.revoke(gone)
        except KeyError:
            raise WebError(404, "UNKNOWN_DEVICE", N_("There is no such device.")) from None
    else:
        session["invite"] = trust.new_invite(ledger)
    return redirect(url_for("pages.devices"), 303)


def language() -> Page:
    """Switch the language of this browser."""
    chosen = request.form.get("language", "")
    if chosen not in LANGUAGES:
        raise WebError(422, "BAD_LANGUAGE", N_("There is no such language here."))
    session.permanent = True
    session["language"] = chosen
    back = request.form.get("back", "/")
    safe = back.startswith("/") and not back.startswith(("//", "/\\")) and "\n" not in back and "\r" not in back
    return redirect(back if safe else "/", 303)


def icon() -> Page:
    """Browsers ask for it unasked."""
    return redirect(url_for("static", filename="icon.svg"), 301)


ROUTES: list[tuple[str, list[str], Any]] = [
    ("/", ["GET"], home),
    ("/new", ["GET"], new_match),
    ("/new", ["POST"], new_match_post),
    ("/matches/<match_id>", ["GET"], live),
    ("/matches/<match_id>/round", ["GET"], round_new),
    ("/matches/<match_id>/round", ["POST"], round_post),
    ("/matches/<match_id>/rounds/<int:number>", ["GET"], round_edit),
    ("/matches/<match_id>/rounds/<int:number>", ["POST"], round_edit_post),
    ("/matches/<match_id>/history", ["GET"], match_history),
    ("/matches/<match_id>/history", ["POST"], match_action),
    ("/matches/<match_id>/sheet", ["GET"], sheet),
    ("/history", ["GET"], history),
    ("/import", ["POST"], import_post),
    ("/check", ["GET"], check),
    ("/check", ["POST"], check_post),
    ("/help", ["GET"], help_page),
    ("/photo/<name>.jpg", ["GET"], photo),
    ("/pair/<token>", ["GET"], pair_page),
    ("/pair", ["POST"], pair_confirm),
    ("/devices", ["GET"], devices),
    ("/devices", ["POST"], devices_post),
    ("/language", ["POST"], language),
    ("/favicon.ico", ["GET"], icon),
]
"""Every page; README and the help name the ones that people go to."""
