"""The page on which a household teaches its set: one photo of four rows, and every photo after it is read with that.

Which set is in use is a setting of the ledger, so that all processes of a club agree; the profiles lie in the data
folder beside those of ``remi teach``.
"""

from __future__ import annotations

import logging
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flask import Blueprint, current_app, redirect, render_template, request, url_for

from companion.games.messages import N_
from companion.ledger import Ledger
from companion.web import reading, trust
from companion.web.context import services
from companion.web.errors import WebError
from companion.web.pictures import COLOUR_NAMES
from companion.web.reading import CanRead
from companion.web.strings import script_strings
from companion.web.words import gettext

if TYPE_CHECKING:
    from companion.profiles import Profiles
    from vision.profile import Profile
    from vision.teach import Lesson

LOG = logging.getLogger("companion.web")
KEY = "remi-taught"
SETTING = "profile"
LETTERS = "rbyk"
NAME = "home"
FAULTS = {
    "ROWS": N_("Four rows are needed; lay them a little apart from each other."),
    "NUMBERS": N_("The numbers can't be read; go nearer, with more light."),
    "FEW": N_("Not all tiles are seen; lay the 52 numbered tiles in four rows, none covered, and go nearer."),
    "ORDER": N_("The numbers don't run from 1 on the left to 13 on the right, seen upright."),
    "FAINT": N_("The colours can't be seen; take the photo in more light, without glare."),
    "BAD_ROWS": N_("Each of the four colours stands in one row."),
}


class Taught:
    """The set in use: its profile is given to the reader before it reads. Safe between threads."""

    def __init__(self, ledger: Ledger, data: str) -> None:
        self._ledger = ledger
        self._data = data
        self._lock = threading.Lock()
        self._seen: tuple[str, int] | None = None
        self._profile: Profile | None = None

    @property
    def kept(self) -> Profiles | None:
        """The profiles, None where this server keeps none."""
        from companion.profiles import Profiles

        return Profiles(Path(self._data)) if self._data else None

    @property
    def name(self) -> str:
        """The set in use, '' for none."""
        found = self._ledger.setting(SETTING, "")
        return found if isinstance(found, str) else ""

    def use(self, name: str) -> None:
        """From now on photos are read with this set's profile, '' for none."""
        self._ledger.set_setting(SETTING, name)

    def prepare(self, reader: CanRead) -> None:
        """Give the reader the profile of the set in use, read again where its file changed."""
        profile = self._newest()
        if hasattr(reader, "profile"):
            reader.profile = profile

    def _newest(self) -> Profile | None:
        name, kept = self.name, self.kept
        if not name or kept is None:
            return None
        from vision.profile import ProfileError

        with self._lock:
            try:
                seen = (name, kept.path(name).stat().st_mtime_ns)
                if seen != self._seen:
                    self._profile, self._seen = kept.load(name), seen
            except (OSError, ProfileError) as error:  # photos are read as well as without
                if self._seen is not None or self._profile is not None:
                    LOG.warning("the set %s can't be used: %s", name, error)
                self._profile, self._seen = None, None
            return self._profile


def taught() -> Taught:
    """That of the app that answers this request."""
    found: Taught = current_app.extensions[KEY]
    return found


def make() -> Blueprint:
    """The routes of the page."""
    teach = Blueprint("teach", __name__)
    for rule, methods, function in ROUTES:
        teach.add_url_rule(rule, function.__name__, function, methods=methods)

    @teach.context_processor
    def common() -> dict[str, Any]:
        return {"strings": script_strings()}

    return teach


def page(**more: Any) -> str:
    """What to lay, the photo, and the sets that were taught."""
    at_hand = taught()
    given: dict[str, Any] = {"fault": None, "learned": None, "ask": None, "photo": None, "name": NAME}
    return render_template(
        "teach.html", sets=_sets(at_hand), used=at_hand.name, can_keep=at_hand.kept is not None, letters=LETTERS,
        colour_name=lambda letter: gettext(COLOUR_NAMES[letter]), **{**given, **more},
    )  # fmt: skip


def learn() -> str | tuple[str, int]:
    """Learn from the photo of the form, or from the one shown with the colours named."""
    trust.require_scorer(services().ledger)
    at_hand = taught()
    kept = at_hand.kept
    if kept is None:
        raise WebError(409, "NO_DATA_FOLDER", N_("This server keeps nothing."))
    from vision.profile import ProfileError
    from vision.teach import TeachError, teach
    from vision.weights import WeightsError

    wait = services().reads.take(request.remote_addr or "")
    if wait:
        raise trust.too_many(wait)
    data, shown = _photo()
    photo = reading.decode(data)
    reader = services().reader.get()
    name = request.form.get("name", NAME).strip().lower() or NAME
    rows = "".join(request.form.get(f"row{n}", "") for n in range(4))
    shown = shown or services().photos.put(reading.shown(photo))
    try:
        with services().reading:
            lesson: Lesson = teach(photo, reader, name, datetime.now(UTC).date().isoformat(), rows)  # type: ignore[arg-type]
        if not lesson.sure:
            return page(ask=lesson.rows, photo=shown, name=name)
        kept.save(lesson.profile)
    except TeachError as error:
        return page(fault=gettext(FAULTS.get(error.code, str(error))), photo=shown, name=name), 422
    except ProfileError as error:
        LOG.warning("%s", error)
        words = N_("A set's name has small letters and digits; and the data folder must be writable.")
        return page(fault=gettext(words), photo=shown), 422
    except WeightsError as error:
        raise WebError(503, "NO_READER", reading.NO_READER) from error
    at_hand.use(name)
    return page(learned=lesson, photo=shown, name=name)


def choose() -> Any:
    """Use a set, none, or forget one."""
    trust.require_scorer(services().ledger)
    at_hand = taught()
    kept = at_hand.kept
    from vision.profile import ProfileError

    gone, name = request.form.get("forget", ""), request.form.get("use", "")
    try:
        if gone and kept is not None:
            kept.forget(gone)
            if at_hand.name == gone:
                at_hand.use("")
        elif name and kept is not None:
            kept.load(name)
            at_hand.use(name)
        else:
            at_hand.use("")
    except ProfileError as error:
        raise WebError(404, "UNKNOWN_SET", N_("There is no such set.")) from error
    return redirect(url_for("teach.page"), 303)


def _photo() -> tuple[bytes, str]:
    """The uploaded photo, or one that is still shown, with its name. Raises WebError."""
    upload = request.files.get("photo")
    if upload is not None and upload.filename:
        return upload.read(), ""
    name = request.form.get("shown", "")
    found = services().photos.get(name)
    if found is None:
        raise WebError(422, "NO_PHOTO", N_("There is no photo in this request."))
    return found, name


def _sets(at_hand: Taught) -> list[dict[str, Any]]:
    from vision.profile import ProfileError

    kept = at_hand.kept
    listed = []
    for name in kept.names() if kept is not None else ():
        try:
            listed.append({"name": name, "made": kept.load(name).made if kept is not None else ""})
        except ProfileError:
            listed.append({"name": name, "made": ""})
    return listed


ROUTES: list[tuple[str, list[str], Any]] = [
    ("/teach", ["GET"], page),
    ("/teach", ["POST"], learn),
    ("/teach/set", ["POST"], choose),
]
