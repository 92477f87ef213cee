"""What the host decides when the page is started."""

from __future__ import annotations

from dataclasses import dataclass, field

LANGUAGES = ("ro", "en", "cs", "pt")
"""Languages with a catalogue; the first one that the browser accepts is chosen."""


@dataclass(frozen=True)
class WebConfig:
    """Limits and switches of one server.

    ``hosts``: names and addresses under which browsers may ask (a leading dot takes all below it). ``https``: cookies
    are sent over TLS alone. ``keep_photos``: a folder that photos which were read are kept in, '' to keep none.
    ``watchers``: live streams at once. ``reads``: photos one address may have read a minute. ``readers``: photos read
    at the same time. ``rules``: game -> house rules that a new match starts from.
    """

    hosts: tuple[str, ...] = ("localhost", "127.0.0.1", "[::1]")
    https: bool = False
    keep_photos: str = ""
    watchers: int = 100
    reads: int = 30
    readers: int = 1
    heartbeat: float = 10.0
    claim_seconds: float = 180.0
    rules: dict[str, dict[str, object]] = field(default_factory=dict)
    data: str = ""
    """The data folder, where the sets that were taught are kept; '' keeps none."""
    demo: bool = False
    addresses: tuple[str, ...] = ()
    """URLs under which other devices reach this server, best first."""
    authority: str = ""
    """File of the certificate authority that devices may download and trust; '' where there is none."""


MAX_UPLOAD = 21 * 1024 * 1024
"""Bytes of a request with a photo: the photo's own limit and what surrounds it."""
MAX_MOVE = 61 * 1024 * 1024
"""Bytes of a request with the three photos of a move: the table before it, the table after it, the hand."""
MAX_BODY = 1024 * 1024
"""Bytes of any other request."""
