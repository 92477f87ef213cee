"""The camera over the table, in the page: what it sees for everyone; its picture and the zones for paired devices.

``remi watch`` runs the server with the camera inside it (:func:`attach`). Without a camera the page says how to start.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from typing import Any, cast

from flask import Blueprint, Flask, Response, current_app, jsonify, render_template, request
from flask_babel import force_locale, get_locale

from companion.games.messages import N_
from companion.watch import ZoneError, Zones, suggested
from companion.watch.zones import NO_ZONES, WHY
from companion.web import fields, pages, trust
from companion.web.context import find_match, services
from companion.web.errors import WebError
from companion.web.live import LOOK, RETRY_MS
from companion.web.seen import Overseer, draft_of, state_of
from companion.web.strings import script_strings
from companion.web.words import gettext

KEY = "remi-camera"
SIDE = 1280
"""Pixels along the longer side of the picture on the page."""
QUALITY = 75
PICTURES = 8
"""Pictures of the preview a second, at most."""
PAUSE = 0.15
"""Seconds between two states that are sent, at least."""
BOUNDARY = b"--remi\r\n"
"""Between pictures. It is sent right after each: browsers show a picture only once they have seen its end."""

WORDS = {
    "points_on_table": N_("%(points)s on the table"),
    "on_rack": N_("Seen on the rack: %(count)s"),
    "nothing_laid": N_("nothing laid yet"),
    "only_seen": N_("only on the table:"),
    "only_scored": N_("only in the score:"),
    "zone_of": N_("Zone of %(name)s"),
    "corner_of": N_("%(name)s, corner %(number)s"),
    "kept": N_("The zones are kept."),
    "not_kept": N_("Not kept yet."),
    "doubtful": N_("to be checked"),
    "open_questions": N_("Pieces to be checked: %(count)s"),
}


def make() -> Blueprint:
    """The routes of the camera."""
    cameras = Blueprint("cameras", __name__)
    for rule, methods, function in ROUTES:
        cameras.add_url_rule(rule, function.__name__, function, methods=methods)

    @cameras.context_processor
    def common() -> dict[str, Any]:
        words = {name: gettext(template) for name, template in WORDS.items()}
        return {"strings": {**script_strings(), **words}}

    @cameras.app_context_processor
    def everywhere() -> dict[str, Any]:
        return {"camera_over_table": lambda: camera() is not None}

    return cameras


def attach(app: Flask, overseer: Overseer) -> None:
    """Let an app show what this camera sees."""
    app.extensions[KEY] = overseer


def camera() -> Overseer | None:
    """The camera of this server, if it has one."""
    return cast("Overseer | None", current_app.extensions.get(KEY))


def need_camera() -> Overseer:
    """The camera. Raises WebError 404."""
    found = camera()
    if found is None:
        raise WebError(404, "NO_CAMERA", N_("No camera watches the table; the host starts one with “remi watch”."))
    return found


def watch_page() -> pages.Page:
    """The table as seen now."""
    found = camera()
    return render_template("watch.html", state=None if found is None else state_of(found))


def watch_state() -> Response:
    """The same for programs."""
    return jsonify(state_of(need_camera()))


def watch_events() -> Response:
    """Live: server-sent events, each the whole state."""
    at_hand, found = services(), need_camera()
    if not at_hand.hub.enter():
        error = WebError(503, "TOO_MANY_WATCHERS", N_("Too many are watching; this page asks again now and then."))
        error.headers["Retry-After"] = "10"
        raise error
    app, language = current_app._get_current_object(), str(get_locale() or "en")  # type: ignore[attr-defined]

    def newest(mark: str) -> str:
        def make_text() -> str:
            with app.app_context(), force_locale(language):
                return json.dumps(state_of(found), ensure_ascii=False)

        return found.text(language, mark, make_text)

    gone: Callable[[], bool] = request.environ.get("waitress.client_disconnected", lambda: False)
    stream = _states(found, newest, gone, at_hand.config.heartbeat, at_hand.hub.leave)
    return _endless(stream, "text/event-stream")


def _states(
    found: Overseer, newest: Callable[[str], str], gone: Callable[[], bool], heartbeat: float, leave: Callable[[], None]
) -> Iterator[bytes]:  # fmt: skip
    try:
        yield f"retry: {RETRY_MS}\n\n".encode()
        sent, beat = "", 0.0
        while not found.watch.closed and not gone():
            mark = found.mark()
            if mark != sent:
                sent, beat = mark, time.monotonic()
                yield f"data: {newest(mark)}\n\n".encode()
            elif time.monotonic() - beat >= heartbeat:
                beat = time.monotonic()
                yield b": still here\n\n"
            time.sleep(PAUSE)
            seen = found.watch.look
            found.watch.wait(seen.number if seen else 0, LOOK)
    finally:
        leave()


def _endless(stream: Iterator[bytes], kind: str) -> Response:
    response = Response(stream, content_type=kind)
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    response.call_on_close(stream.close)  # type: ignore[attr-defined]
    return response


def preview() -> Response:
    """The picture with what is read on it, moving; for paired devices."""
    at_hand, found = services(), need_camera()
    trust.require_scorer(at_hand.ledger)
    if not at_hand.hub.enter():
        raise WebError(503, "TOO_MANY_WATCHERS", N_("Too many are watching; this page asks again now and then."))
    gone: Callable[[], bool] = request.environ.get("waitress.client_disconnected", lambda: False)
    stream = _pictures(found, gone, at_hand.hub.leave)
    return _endless(stream, "multipart/x-mixed-replace; boundary=remi")


def _pictures(found: Overseer, gone: Callable[[], bool], leave: Callable[[], None]) -> Iterator[bytes]:
    try:
        number, twice = 0, False
        yield BOUNDARY
        while not found.watch.closed and not gone():
            newest = found.watch.wait(number, LOOK)
            # Chromium shows a picture when the next one begins: the last one, if no other comes, is sent twice
            if newest is None or (newest.number == number and twice):
                continue
            number, twice = newest.number, newest.number == number
            picture = drawn(found)
            if picture is not None:
                head = b"Content-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % len(picture)
                yield head + picture + b"\r\n" + BOUNDARY
            time.sleep(1 / PICTURES)
    finally:
        leave()


def drawn(found: Overseer, plain: bool = False) -> bytes | None:
    """The newest picture as JPEG, with what was read drawn on it unless ``plain``; None before the first."""
    import cv2

    from vision.locate import shrink

    newest = found.watch.look
    if newest is None:
        return None
    table = None if plain else found.table_of(newest)
    height, width = newest.image.shape[:2]
    scale = min(1.0, SIDE / max(height, width))
    image = shrink(newest.image, (max(1, round(width * scale)), max(1, round(height * scale))))
    if table is not None:
        from companion.table.overlay import overlay  # OpenCV takes longer to import than the first page may take

        image = overlay(image, table, SIDE)
    _, encoded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    return bytes(encoded)


def frame() -> Response:
    """One picture as the camera sees it, to draw zones on; for paired devices."""
    found = need_camera()
    trust.require_scorer(services().ledger)
    picture = drawn(found, plain=True)
    if picture is None:
        raise WebError(503, "NO_PICTURE", N_("The camera has sent no picture yet."))
    return Response(picture, mimetype="image/jpeg")


def zones_page() -> pages.Page:
    """Draw each player's zone."""
    found = need_camera()
    trust.require_scorer(services().ledger)
    _, match = found.match()
    names = [player.name for player in match.players] if match else [gettext("Player %(number)s", number=n)
                                                                     for n in range(1, 5)]  # fmt: skip
    start = found.zones.seated(names) if match else found.zones
    missing = [zone for zone in suggested(names).zones if zone.player not in {one.player for one in start.zones}]
    shown = Zones((*start.zones, *missing)) if start else suggested(names)
    return render_template("zones.html", zones=shown.to_dict()["zones"], ready=found.watch.look is not None)


def zones_get() -> Response:
    """The zones that are kept."""
    return jsonify(need_camera().zones.to_dict())


def zones_put() -> Response:
    """Keep other zones; an empty list takes them away."""
    found = need_camera()
    try:
        zones = Zones.from_dict(fields.body())
    except ZoneError as error:
        raise WebError(422, "BAD_ZONES", NO_ZONES, why=gettext(WHY[error.why])) from error
    try:
        found.draw(zones)
    except OSError as error:
        raise WebError(503, "NOT_KEPT", N_("The zones can't be written to the disk of this computer.")) from error
    return jsonify(zones.to_dict())


def round_watched(match_id: str) -> pages.Page:
    """The form of a round with what lies on the table filled in: nothing counts until a person confirms it."""
    match = find_match(match_id)
    trust.require_scorer(services().ledger)
    judged = need_camera().judge()
    given = draft_of(judged) if judged.match_id == match_id else None
    if given is None:
        raise WebError(409, "NOTHING_SEEN", N_("The camera sees no round of this match to take over."))
    return pages.round_page(match_id, match, None, given)


def round_watched_post(match_id: str) -> pages.Page:
    """The same form sent without scripts."""
    return pages.round_post(match_id)


ROUTES: list[tuple[str, list[str], Any]] = [
    ("/watch", ["GET"], watch_page),
    ("/watch/preview.mjpg", ["GET"], preview),
    ("/watch/frame.jpg", ["GET"], frame),
    ("/watch/zones", ["GET"], zones_page),
    ("/api/watch", ["GET"], watch_state),
    ("/api/watch/events", ["GET"], watch_events),
    ("/api/watch/zones", ["GET"], zones_get),
    ("/api/watch/zones", ["PUT"], zones_put),
    ("/matches/<match_id>/round/watched", ["GET"], round_watched),
    ("/matches/<match_id>/round/watched", ["POST"], round_watched_post),
]
