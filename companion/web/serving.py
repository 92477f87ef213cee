"""The web server under the app: waitress, set for many watchers who each hold a stream open."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flask import Flask
from waitress import wasyncore
from waitress.server import create_server

from companion.web.app import services_of
from companion.web.config import MAX_MOVE, MAX_UPLOAD

MAX_TAKEN = MAX_MOVE + MAX_UPLOAD
"""Bytes of a request that waitress takes in: one photo more than the app does, so that the app says what is wrong."""
OUTBUF = 16 * 1024
"""Bytes sent on one connection that waitress keeps at most: a stream would hold them for hours."""


def make_server(app: Flask, listener: socket.socket, watchers: int, *, secure: bool = False) -> Any:
    """A waitress server on a listening socket, for so many watchers; `secure`: TLS ends in front of it."""
    return create_server(
        app,
        sockets=[listener],
        threads=watchers + 16,  # a watcher holds one as long as it watches
        connection_limit=watchers * 2 + 200,
        channel_request_lookahead=1,  # so that a stream learns when its browser went away
        outbuf_high_watermark=OUTBUF,
        max_request_body_size=MAX_TAKEN,
        channel_timeout=60,
        clear_untrusted_proxy_headers=True,
        ident="remi",
        url_scheme="https" if secure else "http",
    )


@contextmanager
def running(app: Flask, watchers: int, *, secure: bool = False) -> Iterator[int]:
    """The app on a free port of loopback, in a thread; afterwards its streams end and its threads stop."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = make_server(app, listener, watchers, secure=secure)
    stop = threading.Event()

    def loop() -> None:
        while not stop.is_set():
            wasyncore.loop(timeout=0.2, map=server._map, count=1)

    thread = threading.Thread(target=loop, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        services_of(app).hub.close()
        stop.set()
        thread.join(timeout=5)
        server.task_dispatcher.shutdown()
        wasyncore.close_all(server._map)
