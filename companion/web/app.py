"""The app factory."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from flask import Flask, request, session
from flask_babel import Babel, get_locale

from companion.ledger import Ledger
from companion.web import api, cameras, certificates, errors, pages, teach, trust, turns, viewfinder
from companion.web.config import LANGUAGES, WebConfig
from companion.web.context import KEY, Services
from companion.web.live import Hub, Snapshots
from companion.web.pictures import install_template_helpers
from companion.web.reading import CanRead, Photos, ReaderBox, default_reader
from companion.web.trust import Rate
from companion.web.viewfinder import MakeFollower, Viewfinders, default_follower


def create_app(
    ledger: Ledger, config: WebConfig | None = None, make_reader: Callable[[], CanRead] = default_reader,
    make_follower: MakeFollower = default_follower,
) -> Flask:  # fmt: skip
    """An app over a ledger. ``make_reader`` opens what reads photos; it is called on first use, once.

    ``make_follower`` makes what follows the pieces of a phone's live camera, one for each phone.

    The caller closes ``services(app).hub`` before it closes the ledger.
    """
    settings = config or WebConfig()
    app = Flask(__name__)
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    app.config["BABEL_TRANSLATION_DIRECTORIES"] = "translations"
    taught = app.extensions[teach.KEY] = teach.Taught(ledger, settings.data)
    app.extensions[KEY] = Services(
        ledger=ledger,
        config=settings,
        hub=Hub(ledger, settings.watchers, settings.heartbeat),
        snapshots=Snapshots(),
        reader=ReaderBox(make_reader, taught.prepare),
        photos=Photos(),
        reads=Rate(settings.reads),
        reading=threading.Semaphore(settings.readers),
    )
    Babel(app, locale_selector=choose_language)
    trust.install(app, ledger, settings)
    errors.install(app)
    app.register_blueprint(api.make())
    app.register_blueprint(pages.make())
    app.extensions[viewfinder.KEY] = Viewfinders(make_follower)
    for module in (viewfinder, cameras, certificates, teach, turns):
        app.register_blueprint(module.make())
    install_template_helpers(app)

    @app.context_processor
    def common() -> dict[str, Any]:
        return {
            "language": str(get_locale() or "en"),
            "languages": LANGUAGES,
            "scorer": trust.device(ledger),
            "demo": settings.demo,
        }

    return app


def choose_language() -> str:
    """The language that was switched to, else the first one of the browser's that there is a catalogue for."""
    chosen = session.get("language")
    if chosen in LANGUAGES:
        return str(chosen)
    return request.accept_languages.best_match(LANGUAGES) or "en"


def services_of(app: Flask) -> Services:
    """The services of an app, for who started it."""
    found: Services = app.extensions[KEY]
    return found
