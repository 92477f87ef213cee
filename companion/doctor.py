"""What works on this machine, and what to do about what doesn't: the checks behind ``remi doctor``.

Nothing is made, changed or sent: a folder that isn't there yet stays away, a ledger is opened to read only, and the
only address that is asked is this machine's own.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import sqlite3
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from glob import glob
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

State = Literal["ok", "note", "no"]
"""Works; is missing but not needed to play; doesn't work."""

SAMPLE_POINTS = 80
"""What the sample table opens with (``datasets/sample.py``: 45, 15 and 20)."""
ROOM = 200 * 1024 * 1024
"""Bytes free under which a disk counts as nearly full: a ledger of years has a few megabytes, a backup as many."""
SOON_DAYS = 30
PATIENCE = 10.0
"""Seconds that a camera may take to give a picture."""


@dataclass(frozen=True)
class Finding:
    """What one check found: its name, a sentence for the person, and what would help where something is missing."""

    check: str
    state: State
    sentence: str
    remedy: str = ""

    def to_dict(self) -> dict[str, str]:
        """For programs."""
        return asdict(self)


@dataclass(frozen=True)
class Place:
    """What is looked at: where the ledger lies, where the page listens, which networks, which camera."""

    folder: Path
    ledger: str | Path
    host: str
    port: int
    weights: Path | None
    camera: str | None


def examine(place: Place) -> Iterator[Finding]:
    """Every check's findings, one after the other."""
    for check in CHECKS:
        try:
            yield from check(place)
        except ImportError as error:  # a library of the system's that a package stands on, seldom a package itself
            name = check.__name__.removeprefix("_")
            yield Finding(name, "no", f"A library can't be loaded: {error}.", LIBRARIES)


def _networks(place: Place) -> Iterator[Finding]:
    from vision.photo import load
    from vision.read import Reader
    from vision.scene import Kind
    from vision.weights import WeightsError

    reader = Reader(place.weights)
    kinds: tuple[tuple[Kind, str], ...] = (("tile", "tiles"), ("card", "cards"))
    opened = []
    for kind, what in kinds:
        try:
            reader.warm((kind,))
        except WeightsError as error:
            yield Finding("networks", "no", f"Photos of {what} can't be read. {error}", REINSTALL)
        else:
            opened.append(what)
    if "tiles" in opened:
        from companion.table import read_table

        photo = load(Path(str(files("vision") / "samples" / "table.jpg")))
        total = read_table(reader.read(photo, ("tile",)), "remi").total
        if total.value == SAMPLE_POINTS:
            yield Finding("networks", "ok", f"Photos of {' and '.join(opened)} can be read; the sample table was.")
        else:
            said = f"The sample table opens with {SAMPLE_POINTS} points but was read as {total.value}."
            yield Finding("networks", "no", said, REINSTALL)


def _formats(_: Place) -> Iterator[Finding]:
    if find_spec("pillow_heif"):
        yield Finding("formats", "ok", "JPEG, PNG, WebP and HEIC photos are taken.")
    else:
        said = "JPEG, PNG and WebP photos are taken, HEIC is not; iPhones send JPEG to a web page by themselves."
        yield Finding("formats", "note", said, "pip install 'remi-companion[heic]'")


def _camera(place: Place) -> Iterator[Finding]:
    source = place.camera
    if source is None:
        devices = sorted(glob("/dev/video*"))
        if not devices:
            said = "No camera is plugged into this machine. Phones take photos with their own."
            yield Finding("camera", "note", said, "Plug one in to use remi watch.")
            return
        closed = [device for device in devices if not os.access(device, os.R_OK | os.W_OK)]
        if closed == devices:
            said = f"{', '.join(closed)} may not be opened by this user."
            yield Finding("camera", "no", said, "sudo usermod -aG video $USER, then log in again.")
            return
        source = next(device for device in devices if device not in closed)
    yield _frame(source)


def _frame(source: str) -> Finding:
    from vision.camera import CameraError, open_source, without_password

    shown = without_password(source)
    try:
        opened = open_source(source)
    except CameraError as error:
        return Finding("camera", "no", str(error))
    patience = threading.Timer(PATIENCE, opened.close)
    patience.start()
    try:
        frame = next(iter(opened), None)
    finally:
        patience.cancel()
        opened.close()
    if frame is None:
        return Finding("camera", "no", f"{shown} gives no picture.", "Does another program hold the camera?")
    height, width = frame.image.shape[:2]
    return Finding("camera", "ok", f"{shown} gives pictures of {width} x {height}.")


def _data(place: Place) -> Iterator[Finding]:
    folder = place.folder
    there = next(known for known in (folder, *folder.parents) if known.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        yield Finding("data", "no", f"Nothing can be written to {there}.", "Name another folder: --data DIR.")
        return
    free = shutil.disk_usage(there).free
    if free < ROOM:
        said = f"The disk of {folder} is nearly full: {free // 1_000_000} MB are left."
        yield Finding("data", "no", said, "Make room: a round can't be confirmed when the disk is full.")
    elif there == folder:
        yield Finding("data", "ok", f"{folder} can be written to; {free // 1_000_000_000} GB are free.")
    else:
        yield Finding("data", "ok", f"{folder} will be made at the first start.")


def _ledger(place: Place) -> Iterator[Finding]:
    if isinstance(place.ledger, Path) and not place.ledger.exists():
        yield Finding("ledger", "ok", "There is no ledger yet; the first start makes one.")
        return
    from sqlalchemy.exc import SQLAlchemyError

    from companion.ledger.engine import ledger_url
    from companion.ledger.schema import LedgerError

    remedy = "Is the database server running, and the address right?"
    try:
        url = ledger_url(place.ledger)
        if url.get_backend_name() == "sqlite":
            remedy = "remi restore BACKUP puts a copy back."
            said = _sqlite(Path(str(url.database)))
        else:
            said = _postgresql(place.ledger)
    except (LedgerError, SQLAlchemyError, sqlite3.Error) as error:
        first = str(error).strip().splitlines()[0]
        yield Finding("ledger", "no", f"The ledger can't be used: {first}", remedy)
    else:
        yield Finding("ledger", "ok", said)


def _sqlite(path: Path) -> str:
    from companion.ledger.copies import check_sound
    from companion.ledger.schema import check_version

    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=5)) as conn:
        check_sound(conn)
        found = conn.execute("SELECT version FROM schema_version").fetchone()
        check_version(int(found[0]))
        matches = conn.execute("SELECT count(*) FROM matches").fetchone()[0]
    return f"{path} is sound and holds {_matches(matches)}."


def _postgresql(where: str | Path) -> str:
    from sqlalchemy import func, select

    from companion.ledger.engine import ledger_url, open_engine
    from companion.ledger.schema import MATCHES, check_version, version

    url = ledger_url(where)
    engine = open_engine(url)
    try:
        with engine.connect() as conn:
            found = version(conn)
            check_version(found)
            if not found:
                return "PostgreSQL answers; the first start makes the tables."
            matches = conn.execute(select(func.count()).select_from(MATCHES)).scalar_one()
    finally:
        engine.dispose()
    return f"PostgreSQL at {url.render_as_string(hide_password=True)} answers and holds {_matches(matches)}."


def _matches(count: int) -> str:
    return f"{count} {'match' if count == 1 else 'matches'}"


def _sets(place: Place) -> Iterator[Finding]:
    from companion.profiles import Profiles
    from vision.profile import ProfileError

    kept = Profiles(place.folder)
    names = kept.names()
    try:
        for name in names:
            kept.load(name)
    except ProfileError as error:
        yield Finding("sets", "no", str(error), "Teach it anew: remi teach PHOTO.")
    else:
        said = f"Taught sets: {', '.join(names)}." if names else "No set was taught; tiles are read without it too."
        yield Finding("sets", "ok", said)


def _port(place: Place) -> Iterator[Finding]:
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((place.host, place.port))
        except OSError as error:
            if _serving(place):
                yield Finding("port", "ok", f"The companion is serving at port {place.port} already.")
            else:
                said = f"Port {place.port} of {place.host} can't be used: {error.strerror or error}."
                yield Finding("port", "no", said, "remi serve --port N takes another.")
            return
    yield Finding("port", "ok", f"Port {place.port} is free.")


def _serving(place: Place) -> bool:
    host = "127.0.0.1" if place.host in ("0.0.0.0", "::", "") else place.host
    with suppress(OSError, ValueError), urllib.request.urlopen(f"http://{host}:{place.port}/healthz", timeout=3) as got:
        return "watchers" in json.loads(got.read(1000))
    return False


def _network(place: Place) -> Iterator[Finding]:
    from companion.cli_serve import local_addresses

    if place.host not in ("0.0.0.0", "::", ""):
        yield Finding("network", "ok", f"The page will be reachable at {place.host} alone.")
    elif local_addresses() == ["127.0.0.1"]:
        said = "This machine is in no network: the page opens on this machine alone."
        yield Finding("network", "note", said, "Join the phones' Wi-Fi, or open a hotspot on this machine.")
    else:
        yield Finding("network", "ok", f"Phones in this network reach it at http://{local_addresses()[0]}:{place.port}")


def _certificate(place: Place) -> Iterator[Finding]:
    if not find_spec("cryptography"):
        said = "Pages are served unencrypted; the live camera in a phone's browser needs --https."
        yield Finding("certificate", "note", said, "pip install 'remi-companion[https]'")
        return
    authority = place.folder / "remi-ca.crt"
    if not authority.exists():
        yield Finding("certificate", "ok", "remi serve --https will make a certificate at its first start.")
        return
    from cryptography import x509

    try:
        until = x509.load_pem_x509_certificate(authority.read_bytes()).not_valid_after_utc
    except (OSError, ValueError) as error:
        said = f"{authority} is no certificate: {error}."
        yield Finding("certificate", "no", said, "Delete it and its key; remi serve --https makes both anew.")
        return
    left = (until - datetime.now(UTC)).days
    if left < SOON_DAYS:
        said = f"{authority} is good for {left} more days." if left >= 0 else f"{authority} is out of date."
        yield Finding("certificate", "no", said, "Delete it and its key; phones then have to trust the new one.")
    else:
        yield Finding("certificate", "ok", f"Phones that trust {authority} see no warning until {until:%d %B %Y}.")


def _languages(_: Place) -> Iterator[Finding]:
    from companion.web.config import LANGUAGES

    folder = files("companion") / "web" / "translations"
    missing = [code for code in LANGUAGES if not (folder / code / "LC_MESSAGES" / "messages.mo").is_file()]
    if missing:
        yield Finding("languages", "no", f"The page lacks these languages: {', '.join(missing)}.", REINSTALL)
    else:
        yield Finding("languages", "ok", f"The page speaks {', '.join(LANGUAGES)}.")


REINSTALL = "Install the companion again."
LIBRARIES = "On Debian: sudo apt install libgl1 libglib2.0-0"
"""What OpenCV needs of a system without a desktop."""
CHECKS: tuple[Callable[[Place], Iterator[Finding]], ...] = (
    _networks, _formats, _camera, _data, _ledger, _sets, _port, _network, _certificate, _languages,
)  # fmt: skip
