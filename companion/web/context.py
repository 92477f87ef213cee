"""What one app is made of, at hand in every request."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import cast

from flask import current_app

from companion.ledger import Ledger
from companion.match import Match
from companion.web.config import WebConfig
from companion.web.errors import WebError
from companion.web.live import Hub, Snapshots
from companion.web.reading import Photos, ReaderBox
from companion.web.trust import Rate


@dataclass(frozen=True)
class Services:
    """The ledger, the camera's reader and what is shared between requests."""

    ledger: Ledger
    config: WebConfig
    hub: Hub
    snapshots: Snapshots
    reader: ReaderBox
    photos: Photos
    reads: Rate
    reading: threading.Semaphore


KEY = "remi"


def services() -> Services:
    """Those of the app that answers this request."""
    return cast(Services, current_app.extensions[KEY])


def find_match(match_id: str) -> Match:
    """The match as it stands. Raises WebError 404."""
    try:
        return services().ledger.match(match_id)
    except KeyError:
        raise WebError(404, "UNKNOWN_MATCH", "There is no such match.") from None
