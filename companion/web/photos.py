"""A photo, or the Scene that was read from one and a person's edits, as the page shows it (``companion.table``)."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.games import RoundError
from companion.games.base import Game
from companion.games.house import HouseRulesBase
from companion.games.messages import N_
from companion.web import reading, trust
from companion.web.context import Services, services
from companion.web.errors import WebError
from companion.web.tables import MAX_PIECES
from companion.web.words import gettext, ngettext

if TYPE_CHECKING:
    from companion.table import Table
    from vision.scene import Scene

LOG = logging.getLogger("companion.web")

MAX_EDITS = 400


def read_photo(
    at_hand: Services, data: bytes, game: Game[Any], rules: HouseRulesBase, use: str, players: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Read an uploaded photo; its Scene, its Table and where the picture is shown. Raises WebError."""
    photo = reading.decode(data)
    reader = at_hand.reader.get()
    with at_hand.reading:  # photos are read one after the other: the networks use every core
        scene = reading.read(reader, photo, game.pieces)
    picture = reading.shown(photo)
    if at_hand.config.keep_photos:
        reading.keep(at_hand.config.keep_photos, picture, scene)
    name = at_hand.photos.put(picture)
    table = table_of(scene.to_dict(), [], game, rules, use, players)
    return {**table, "read": scene.to_dict(), "photo": f"/photo/{name}.jpg"}


def table_of(
    scene: object, edits: object, game: Game[Any], rules: HouseRulesBase, use: str, players: tuple[str, ...] = ()
) -> dict[str, Any]:
    """A Scene as read, with the edits a person made since, judged. Raises WebError 422.

    Nothing of a photo is kept here between two taps: the browser sends what was read and every edit.
    """
    from companion.table import EditError, TableError, edit_from_dict, read_table
    from vision.scene import Scene, SceneError

    if not isinstance(edits, list) or len(edits) > MAX_EDITS:
        raise WebError(422, "BAD_FIELD", N_("“%(field)s” is not as it should be."), field="edits")
    try:
        parsed = Scene.from_dict(scene)
    except (SceneError, OverflowError) as error:
        raise WebError(422, "BAD_SCENE", N_("This is no reading of a photo.")) from error
    if len(parsed.pieces) > MAX_PIECES:
        raise WebError(422, "TOO_MANY_PIECES", N_("More pieces than any set has."))
    try:
        table = read_table(parsed, game.name, rules=rules, as_=use, players=players)  # type: ignore[arg-type]
        table = table.edited([edit_from_dict(edit) for edit in edits])
    except (EditError, TableError, RoundError) as error:
        raise WebError(422, "BAD_EDIT", N_("This can't be changed so: %(why)s"), why=str(error)) from error
    if edits:
        _note_correction(parsed, table)
    shown: dict[str, Any] = table.to_dict(gettext)
    if game.name == "remi" and use == "opening":
        shown["need"] = getattr(rules, "opening_min", 45)
    asked = len(table.questions)
    if asked:
        shown["asks"] = ngettext("I'm not sure of %(num)d piece.", "I'm not sure of %(num)d pieces.", asked)
    return shown


def _note_correction(scene: Scene, table: Table) -> None:
    """On a photo that the host keeps, what a paired device put right becomes a label; guests' edits don't."""
    at_hand = services()
    if at_hand.config.keep_photos and trust.device(at_hand.ledger) is not None:
        from companion.corrections import note

        try:
            note(Path(at_hand.config.keep_photos), scene, table)
        except OSError as error:  # the person's own work goes on: it needs no label
            LOG.warning("a correction can't be kept: %s", error)
