"""Who may do what: pairing, same-origin checks, trusted hosts, headers, rates (DESIGN.md 7).

Watching is free. Whatever changes anything needs a paired device; what only computes (a reading, a judgement, a
preview) does not, but is limited in rate. A request that changes something must come from this very site.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

from flask import Flask, Response, g, request, session
from werkzeug.exceptions import SecurityError

from companion.games.messages import N_
from companion.ledger import Device, Ledger
from companion.web.config import MAX_BODY, MAX_MOVE, MAX_UPLOAD, WebConfig
from companion.web.errors import WebError

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
OPEN_ENDPOINTS = frozenset({
    "api.read", "api.judge", "api.table", "api.preview", "pages.pair_confirm", "pages.language", "pages.check_post",
    "viewfinder.start", "viewfinder.frame", "viewfinder.freeze", "viewfinder.stop",
    "turns.page_post", "turns.judge",
})  # fmt: skip
"""Unsafe methods that change nothing in the ledger, or that pair; all others need a paired device."""
UPLOADS = frozenset({
    "api.read", "pages.check_post", "pages.import_post", "api.import_matches", "turns.page_post", "turns.judge",
})  # fmt: skip
MOVES = frozenset({"turns.page_post", "turns.judge"})
"""Uploads of several photos in one form."""
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "font-src 'self'; manifest-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
INVITE_MINUTES = 30
DEVICE = "device"
"""Name of the device's token in the signed cookie."""


def install(app: Flask, ledger: Ledger, config: WebConfig) -> None:
    """Give the app its checks before and its headers after each request."""
    app.config.update(
        SECRET_KEY=ledger.default_setting("secret_key", secrets.token_hex(32)),
        TRUSTED_HOSTS=list(config.hosts),
        SESSION_COOKIE_NAME="remi",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=config.https,
        PERMANENT_SESSION_LIFETIME=timedelta(days=400),
        MAX_CONTENT_LENGTH=MAX_UPLOAD,
        MAX_FORM_MEMORY_SIZE=MAX_BODY,
        MAX_FORM_PARTS=200,
    )

    @app.before_request
    def check() -> None:
        if isinstance(request.routing_exception, SecurityError):
            raise WebError(400, "UNTRUSTED_HOST", N_("This server doesn't answer to that name."))
        if request.method in SAFE:
            return
        require_same_origin()
        if request.endpoint not in UPLOADS:
            request.max_content_length = MAX_BODY
        elif request.endpoint in MOVES and request.mimetype == "multipart/form-data":
            request.max_content_length = MAX_MOVE
        if request.endpoint is not None and request.endpoint not in OPEN_ENDPOINTS:
            require_scorer(ledger)

    @app.after_request
    def headers(response: Response) -> Response:
        response.headers.setdefault("Content-Security-Policy", POLICY)
        response.headers.setdefault("X-Content-Type-Options", "nosniff")
        response.headers.setdefault("X-Frame-Options", "DENY")
        response.headers.setdefault("Referrer-Policy", "same-origin")
        response.headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
        response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        response.headers.setdefault("Permissions-Policy", "camera=(self), screen-wake-lock=(self), geolocation=()")
        if not request.path.startswith("/static/"):
            response.headers.setdefault("Cache-Control", "no-store")
        return response


def require_same_origin() -> None:
    """Refuse a request that another site sent. Programs that are no browsers send neither header and may pass."""
    site = request.headers.get("Sec-Fetch-Site")
    origin = request.headers.get("Origin")
    if site is not None:
        fine = site in ("same-origin", "none")
    elif origin is not None:
        sent = urlsplit(origin)
        fine = sent.netloc == request.host and sent.scheme in ("http", "https")
    else:
        fine = True
    if not fine:
        raise WebError(403, "CROSS_SITE", N_("This request came from another site and was refused."))


def device(ledger: Ledger) -> Device | None:
    """The paired device that asks, None for a watcher."""
    if "device" not in g:
        token = session.get(DEVICE)
        g.device = ledger.device(token) if isinstance(token, str) else None
    found: Device | None = g.device
    return found


def require_scorer(ledger: Ledger) -> Device:
    """The paired device that asks. Raises WebError 403 for a watcher."""
    found = device(ledger)
    if found is None:
        raise WebError(
            403, "NOT_PAIRED", N_("Only paired devices may score. Scan the pairing code that the host shows.")
        )
    return found


def new_invite(ledger: Ledger) -> str:
    """A one-time pairing token, good for half an hour."""
    token = secrets.token_urlsafe(18)
    until = datetime.now(UTC) + timedelta(minutes=INVITE_MINUTES)
    ledger.invite(token, until.isoformat(timespec="milliseconds"))
    return token


def pair(ledger: Ledger, invite: str, name: str) -> Device:
    """Trade the invite for this browser's own token, kept in its signed cookie. Raises WebError 403."""
    token = secrets.token_urlsafe(32)
    found = ledger.pair(invite, token, name)
    if found is None:
        raise WebError(403, "BAD_INVITE", N_("This pairing link was used already or is too old. Ask for a new one."))
    session.permanent = True
    session[DEVICE] = token
    g.device = found
    return found


class Rate:
    """At most ``count`` calls a ``span`` of seconds for each key, refilled steadily. Safe between threads."""

    KEYS = 1000

    def __init__(self, count: int, span: float = 60.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._count, self._span, self._clock = count, span, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, key: str) -> float:
        """0.0 if the call may go on, else the seconds to wait."""
        now = self._clock()
        with self._lock:
            left, at = self._left.pop(key, (float(self._count), now))
            left = min(float(self._count), left + (now - at) * self._count / self._span)
            fine = left >= 1
            self._left[key] = (left - 1 if fine else left, now)
            while len(self._left) > self.KEYS:
                self._left.popitem(last=False)
        return 0.0 if fine else (1 - left) * self._span / self._count


def too_many(wait: float) -> WebError:
    """The answer to one who asks too often."""
    error = WebError(429, "TOO_MANY", N_("That was a lot at once; try again in a moment."))
    error.headers["Retry-After"] = str(max(1, round(wait + 0.5)))
    return error
