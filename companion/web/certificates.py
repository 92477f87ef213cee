"""How to trust this server: the certificate authority to download, and what to tap on each kind of device."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flask import Blueprint, Response, render_template

from companion.games.messages import N_
from companion.web.context import services
from companion.web.errors import WebError
from companion.web.strings import script_strings
from companion.web.tls import fingerprint


def make() -> Blueprint:
    """The routes of the trust page."""
    certificates = Blueprint("certificates", __name__)
    for rule, methods, function in ROUTES:
        certificates.add_url_rule(rule, function.__name__, function, methods=methods)

    @certificates.context_processor
    def common() -> dict[str, Any]:
        return {"strings": script_strings()}

    return certificates


def page() -> str:
    """What to do on a phone and a laptop so that no warning is shown."""
    config = services().config
    print_ = ""
    if config.authority:
        try:
            print_ = fingerprint(Path(config.authority))
        except (OSError, ValueError):
            print_ = ""  # the file was taken away: the page says the rest
    return render_template("trust.html", authority=bool(print_), https=config.https, fingerprint=print_)


def authority() -> Response:
    """The authority's certificate. It is public; its key never leaves the data folder."""
    file = services().config.authority
    try:
        data = Path(file).read_bytes() if file else b""
    except OSError:
        data = b""
    if not data:
        raise WebError(404, "NO_AUTHORITY", N_("This server has no certificate authority of its own."))
    response = Response(data, mimetype="application/x-x509-ca-cert")
    response.headers["Content-Disposition"] = 'attachment; filename="remi-ca.crt"'
    return response


ROUTES: list[tuple[str, list[str], Any]] = [
    ("/trust", ["GET"], page),
    ("/remi-ca.crt", ["GET"], authority),
]
