"""The live stream of a match as the API answers it; ``live`` says when there is something to send."""

from __future__ import annotations

import json
from collections.abc import Callable

from flask import Response, current_app, request
from flask_babel import force_locale, get_locale

from companion.games.messages import N_
from companion.web.context import Services, find_match, services
from companion.web.errors import WebError
from companion.web.play import state


def events(match_id: str) -> Response:
    """The live stream of a match."""
    at_hand = services()
    find_match(match_id)
    if not at_hand.hub.enter():
        error = WebError(503, "TOO_MANY_WATCHERS", N_("Too many are watching; this page asks again now and then."))
        error.headers["Retry-After"] = "10"
        raise error
    app, language = current_app._get_current_object(), str(get_locale() or "en")  # type: ignore[attr-defined]
    gone: Callable[[], bool] = request.environ.get("waitress.client_disconnected", lambda: False)

    def newest(change: int) -> tuple[str, str]:
        def make_text() -> tuple[str, str]:
            with app.app_context(), force_locale(language):
                return stream_text(at_hand, match_id)

        return at_hand.snapshots.get(match_id, language, change, make_text)

    stream = at_hand.hub.stream(newest, request.headers.get("Last-Event-ID", ""), gone)
    response = Response(stream, mimetype="text/event-stream")
    response.headers["Cache-Control"] = "no-store"
    response.headers["X-Accel-Buffering"] = "no"
    response.call_on_close(stream.close)  # type: ignore[attr-defined]
    return response


def stream_text(at_hand: Services, match_id: str) -> tuple[str, str]:
    """The id and the data of an event: the newest state."""
    try:
        found = at_hand.ledger.match(match_id)
    except KeyError:  # a restored backup knows no such match
        return "gone", json.dumps({"gone": True})
    said = state(match_id, found)
    mark = "" if said["claim"] is None else f"-{said['claim']['name']}-{said['claim']['since'][:16]}"
    return f"{found.version}{mark}".encode("ascii", "replace").decode(), json.dumps(said, ensure_ascii=False)
