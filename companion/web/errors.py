"""One shape for everything that goes wrong, as JSON or as a page.

``{"error": {"code": "BELOW_MINIMUM", "sentence": "...", "detail": {...}}}`` with an HTTP status of 400 or more.
"""

from __future__ import annotations

import logging
from typing import Any

from flask import Flask, Response, jsonify, make_response, render_template, request
from werkzeug.exceptions import HTTPException

from companion.games import RoundError, UnknownGameError
from companion.games.house import HouseRuleError
from companion.games.messages import N_
from companion.ledger import LedgerError
from companion.match import ConflictError, Fault, MatchError
from companion.pieces import NotationError
from companion.web.words import gettext

LOG = logging.getLogger("companion.web")

NO_LEDGER = N_("The tally can't be written just now; nothing that was confirmed is lost.")
TOO_LARGE = N_(
    "That is too large: %(most)s MB are taken at once, and 20 MB a photo. Let the camera take smaller pictures."
)
SENTENCES: dict[int, str] = {
    400: N_("This request can't be understood."),
    403: N_("This is not allowed."),
    404: N_("There is nothing here."),
    405: N_("This can't be done here."),
    408: N_("The request took too long."),
    413: N_("That is too large."),
    415: N_("This kind of content can't be read here."),
    422: N_("This can't be used."),
    429: N_("That was a lot at once; try again in a moment."),
    500: N_("Something went wrong here. Nothing that was confirmed is lost."),
    503: N_("This can't be done just now; try again in a moment."),
}


class WebError(Exception):
    """An answer with ``status`` of 400 or more: a code for programs and an English template for people."""

    def __init__(self, status: int, code: str, template: str, *, detail: dict[str, Any] | None = None, **params: Any):
        super().__init__(template)
        self.status = status
        self.code = code
        self.template = template
        self.params = params
        self.detail = detail or {}
        self.headers: dict[str, str] = {}

    def sentence(self) -> str:
        """The sentence in the reader's language."""
        words = gettext(self.template)
        return words % self.params if self.params else words


def wants_json() -> bool:
    """Whether the answer goes to a program."""
    if request.path.startswith("/api/") or request.path == "/healthz":
        return True
    best = request.accept_mimetypes.best_match(["text/html", "application/json"])
    return best == "application/json"


def answer(status: int, code: str, sentence: str, detail: dict[str, Any] | None = None) -> Response:
    """The one error shape."""
    error = {"code": code, "sentence": sentence, "detail": detail or {}}
    if wants_json() or code == "UNTRUSTED_HOST":  # no page can name its own address under a name that isn't ours
        response = make_response(jsonify(error=error), status)
    else:
        response = make_response(render_template("error.html", error=error, status=status), status)
    response.headers["Cache-Control"] = "no-store"
    return response


def install(app: Flask) -> None:
    """Give the app its error handlers."""

    @app.errorhandler(WebError)
    def web_error(error: WebError) -> Response:
        response = answer(error.status, error.code, error.sentence(), error.detail)
        response.headers.update(error.headers)
        return response

    @app.errorhandler(MatchError)
    def match_error(error: MatchError) -> Response:
        detail: dict[str, Any] = {}
        status = 422
        if isinstance(error, ConflictError):
            status, detail = 409, {"expected": error.expected, "found": error.found}
        elif error.fault in (
            Fault.KEY_REUSED,
            Fault.MATCH_OVER,
            Fault.MATCH_NOT_OVER,
            Fault.ROUND_IS_UNDONE,
            Fault.ROUND_NOT_UNDONE,
        ):
            status = 409
        elif error.fault is Fault.UNKNOWN_ROUND:
            status = 404
        return answer(status, error.fault.value, error.sentence(gettext), detail)

    @app.errorhandler(NotationError)
    def notation_error(error: NotationError) -> Response:
        detail = {"text": error.text, "piece": error.piece, "start": error.start, "end": error.end}
        kind = gettext("tile") if error.kind == "tile" else gettext("card")
        words = gettext("“%(piece)s” is not a %(kind)s.", piece=error.piece, kind=kind)
        return answer(422, "NOTATION", words, detail)

    @app.errorhandler(RoundError)
    def round_error(error: RoundError) -> Response:
        return answer(422, "ROUND", gettext("No round can end like this: %(why)s.", why=str(error)))

    @app.errorhandler(HouseRuleError)
    def house_error(error: HouseRuleError) -> Response:
        detail = {"switch": error.switch, "allowed": error.allowed}
        return answer(422, "HOUSE_RULES", gettext("These house rules can't be used: %(why)s", why=str(error)), detail)

    @app.errorhandler(UnknownGameError)
    def unknown_game(error: UnknownGameError) -> Response:
        return answer(422, "UNKNOWN_GAME", gettext("There is no such game."))

    @app.errorhandler(LedgerError)
    def ledger_error(error: LedgerError) -> Response:
        LOG.error("ledger: %s", error)
        return answer(503, "LEDGER", gettext(NO_LEDGER))

    @app.errorhandler(HTTPException)
    def http_error(error: HTTPException) -> Response:
        status = error.code or 500
        if status < 400:
            return make_response(error.get_response())
        code = (error.name or "error").upper().replace(" ", "_")
        words = gettext(SENTENCES.get(status, SENTENCES[400 if status < 500 else 500]))
        if status == 413 and request.mimetype == "multipart/form-data" and request.max_content_length:
            words = gettext(TOO_LARGE, most=request.max_content_length // 1024**2)
        response = answer(status, code, words)
        for name, value in error.get_headers(request.environ):
            if name.lower() in ("allow", "retry-after", "accept"):
                response.headers[name] = value
        return response

    @app.errorhandler(Exception)
    def surprise(error: Exception) -> Response:
        LOG.exception("%s %s", request.method, request.path)
        return answer(500, "INTERNAL", gettext(SENTENCES[500]))
