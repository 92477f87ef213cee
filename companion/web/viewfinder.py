"""The live viewfinder of a phone: frames come up one after the other, outlines and the verdict go back.

Each phone has a session with a follower of its own, in which readings accumulate over frames; one tap freezes it into
an ordinary reading. Sessions are few, end when their phone is silent, and keep nothing on disk.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from flask import Blueprint, Response, current_app, jsonify, render_template, request

from companion.games import HouseRulesBase, get
from companion.games.base import Game
from companion.games.messages import N_
from companion.watch.live import Follows, Seen
from companion.web import fields, reading, trust
from companion.web.context import Services, find_match, services
from companion.web.errors import WebError
from companion.web.photos import table_of
from companion.web.reading import CanRead
from companion.web.seen import LOOKING
from companion.web.strings import script_strings
from companion.web.switches import games_json
from companion.web.tables import check_use
from companion.web.words import gettext

if TYPE_CHECKING:
    from vision.photo import Photo
    from vision.scene import Kind

KEY = "remi-viewfinders"
MOST = 6
"""Phones with a viewfinder at once."""
EACH = 2
"""Sessions of one address."""
SECONDS = 20.0
"""Silence after which a session ends."""
TURN = 2.0
"""Seconds that a frame waits for the networks before it is dropped."""
MAX_FRAME_PIXELS = 4_200_000

MakeFollower = Callable[[CanRead, "Sequence[Kind]"], Follows]

WORDS = {
    "starting": N_("The camera is being opened…"),
    "denied": N_("The camera may not be used: allow it in the browser's settings for this page, or take a photo."),
    "no_camera": N_("This device has no camera that can be used; take a photo instead."),
    "in_use": N_("Another program uses the camera. Close it, then try again."),
    "camera_gone": N_("The camera stopped. Try again."),
    "slow": N_("Reading takes longer just now…"),
    "nothing_yet": N_("Point the phone at the melds."),
    "freeze": N_("Freeze"),
    "on_again": N_("Live again"),
}


def default_follower(reader: CanRead, kinds: Sequence[Kind]) -> Follows:
    """One that follows pieces with the networks that ship."""
    from vision.follow import Follower
    from vision.read import Reader

    return Follower(cast(Reader, reader), tuple(kinds))


@dataclass
class Session:
    """One phone: what it wants to know, its follower, and its newest frame with what is known of it."""

    address: str
    game: Game[Any]
    rules: HouseRulesBase
    use: str
    follower: Follows
    last: float
    busy: threading.Lock = field(default_factory=threading.Lock)
    photo: Photo | None = None
    seen: Seen | None = None
    frames: int = 0


class Viewfinders:
    """The sessions, a bounded number. Safe between threads."""

    def __init__(self, make: MakeFollower = default_follower, clock: Callable[[], float] = time.monotonic) -> None:
        self.make = make
        self.clock = clock
        self._sessions: dict[str, Session] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        with self._lock:
            self._forget()
            return len(self._sessions)

    def add(self, session: Session) -> str:
        """Take a session in; its name. An address's oldest makes room for its new one. Raises WebError 503."""
        with self._lock:
            self._forget()
            own = [name for name, one in self._sessions.items() if one.address == session.address]
            for name in own[: max(0, len(own) - EACH + 1)]:
                del self._sessions[name]
            if len(self._sessions) >= MOST:
                raise WebError(503, "TOO_MANY_VIEWFINDERS", N_("Too many phones are reading live; take a photo."))
            name = secrets.token_urlsafe(12)
            self._sessions[name] = session
            return name

    def get(self, name: str) -> Session:
        """A session, kept alive by this. Raises WebError 404."""
        with self._lock:
            self._forget()
            found = self._sessions.get(name)
            if found is None:
                raise WebError(404, "NO_VIEWFINDER", N_("This viewfinder was closed; start it again."))
            found.last = self.clock()
            return found

    def drop(self, name: str) -> None:
        """End a session, if it is there."""
        with self._lock:
            self._sessions.pop(name, None)

    def _forget(self) -> None:
        now = self.clock()
        for name in [name for name, one in self._sessions.items() if now - one.last > SECONDS]:
            del self._sessions[name]


def make() -> Blueprint:
    """The routes of the viewfinder."""
    viewfinder = Blueprint("viewfinder", __name__)
    for rule, methods, function in ROUTES:
        viewfinder.add_url_rule(rule, function.__name__, function, methods=methods)

    @viewfinder.context_processor
    def common() -> dict[str, Any]:
        words = {name: gettext(template) for name, template in WORDS.items()}
        looking = {f"looking_{name}": gettext(template) for name, template in LOOKING.items()}
        return {"strings": {**script_strings(), **words, **looking}}

    return viewfinder


def viewfinders() -> Viewfinders:
    """Those of this app."""
    found: Viewfinders = current_app.extensions[KEY]
    return found


def page() -> str:
    """The viewfinder; where the connection is not encrypted it says why there is none."""
    ledger = services().ledger
    going = next(((i.id, m) for i in ledger.matches()[:8] if not (m := ledger.match(i.id)).over), None)
    given = {"game": going[1].game if going else "remi", "as": "opening"}
    secure = [url for url in services().config.addresses if url.startswith("https:")]
    return render_template(
        "viewfinder.html", games=games_json(), given=given, secure=secure,
        match={"id": going[0], "game": going[1].game} if going else None,
    )  # fmt: skip


def start() -> tuple[Response, int]:
    """Open a session: ``game``, ``as``, and ``match`` for its house rules."""
    at_hand = services()
    address = request.remote_addr or ""
    if wait := at_hand.reads.take(address):
        raise trust.too_many(wait)
    data = fields.body()
    name, rules = fields.house_rules(data)
    if data.get("match"):
        match = find_match(fields.text_of(data, "match"))
        name, rules = match.game, match.house_rules
    use = check_use(data.get("as", "opening"))
    game, known = get(name), viewfinders()
    kinds: Sequence[Kind] = ("card",) if game.pieces == "card" else ("tile",)
    follower = known.make(at_hand.reader.get(), kinds)
    session = known.add(Session(address, game, rules, use, follower, known.clock()))
    return jsonify(session=session), 201


def frame(session: str) -> Response:
    """The next frame, as JPEG in the body; the table as it is known now."""
    at_hand, found = services(), viewfinders().get(session)
    if not found.busy.acquire(blocking=False):
        raise WebError(409, "ONE_AT_A_TIME", N_("The frame before this one is still being read."))
    try:
        photo = reading.decode(request.get_data())
        if photo.width * photo.height > MAX_FRAME_PIXELS:
            raise WebError(413, "FRAME_TOO_LARGE", N_("That is too large."))
        seen = _follow(at_hand, found, photo)
        found.photo, found.seen = photo, seen
        found.frames += 1
        table = table_of(seen.scene.to_dict(), [], found.game, found.rules, found.use)
        return jsonify(table=table, looking=seen.state, frames=found.frames)
    finally:
        found.busy.release()


def _follow(at_hand: Services, session: Session, photo: Photo) -> Seen:
    from vision.weights import WeightsError

    if not at_hand.reading.acquire(timeout=TURN):  # photos and frames take turns at the networks
        error = WebError(503, "BUSY", N_("This can't be done just now; try again in a moment."))
        error.headers["Retry-After"] = "1"
        raise error
    try:
        return session.follower.update(photo.image, time.monotonic())
    except WeightsError as error:
        raise WebError(503, "NO_READER", reading.NO_READER) from error
    finally:
        at_hand.reading.release()


def freeze(session: str) -> Response:
    """The newest frame as a reading, as if it were a photo, with all that was gathered; ends the session."""
    at_hand, known = services(), viewfinders()
    found = known.get(session)
    with found.busy:
        if found.photo is None or found.seen is None:
            raise WebError(409, "NO_FRAME", N_("Nothing has been seen yet."))
        scene = found.seen.scene.to_dict()
        picture = reading.shown(found.photo)
    known.drop(session)
    if at_hand.config.keep_photos:
        reading.keep(at_hand.config.keep_photos, picture, found.seen.scene)
    table = table_of(scene, [], found.game, found.rules, found.use)
    return jsonify({**table, "read": scene, "photo": f"/photo/{at_hand.photos.put(picture)}.jpg"})


def stop(session: str) -> tuple[str, int]:
    """End a session."""
    viewfinders().drop(session)
    return "", 204


ROUTES: list[tuple[str, list[str], Any]] = [
    ("/viewfinder", ["GET"], page),
    ("/api/viewfinder", ["POST"], start),
    ("/api/viewfinder/<session>/frame", ["POST"], frame),
    ("/api/viewfinder/<session>/freeze", ["POST"], freeze),
    ("/api/viewfinder/<session>", ["DELETE"], stop),
]
"""What computes and changes nothing asks for no pairing (``trust.OPEN_ENDPOINTS``); sessions are limited instead."""
