"""A move from two photos: judged, drawn on the second, its questions put (RULES.md 2.4); and a turn of Rummy (3).

Nothing of a photo is kept here but the pictures on show: the page carries what was read and every answer.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from flask import Blueprint, Response, jsonify, render_template, request

from companion import games
from companion.games import carousel
from companion.games.messages import N_
from companion.pieces import NotationError, parse_cards
from companion.web import reading, trust
from companion.web.context import Services, services
from companion.web.errors import WebError
from companion.web.fields import body
from companion.web.strings import script_strings
from companion.web.tables import MAX_PIECES
from companion.web.view import verdict_json
from companion.web.words import gettext

if TYPE_CHECKING:
    from companion.table import RummyTurn, Table, Turn
    from companion.table.turn import Picture

MAX_STATE = 2_000_000
"""Characters of what the page carries."""
MAX_ANSWERS = 200
MAX_TYPED = 2000
"""Characters of a table that is typed."""
PICTURES = ("before", "after")
TOLD = ("game", "events", "stock", "final", "discard", "took", "laid_before")
"""What no photo tells of a turn."""


def make() -> Blueprint:
    """The routes of the page and of the API."""
    turns = Blueprint("turns", __name__)
    for rule, methods, function in ROUTES:
        turns.add_url_rule(rule, function.__name__, function, methods=methods)

    @turns.context_processor
    def common() -> dict[str, Any]:
        return {"strings": script_strings()}

    return turns


def page() -> str:
    """Where the photos are taken."""
    return render_template("turn.html", turn=None, fault=None, hand="")


def page_post() -> str | tuple[str, int]:
    """The move judged: from photos, or again with the answers to its questions."""
    hand = request.form.get("hand", "")[:400]
    try:
        if request.form.get("state"):
            state = _answered(_state(request.form["state"]))
        else:
            state = _from_photos(services(), hand)
        turn, answer = _judged(state)
    except WebError as error:
        return render_template("turn.html", turn=None, fault=error.sentence(), hand=hand), error.status
    return render_template(
        "turn.html", turn=answer, state=json.dumps(state), photo=_drawn(services(), state, turn), fault=None,
        hand=str(state.get("hand") or ""), before_photo=state.get("before_photo", ""),
    )  # fmt: skip


def judge() -> Response:
    """Judge a move: multipart ``before``, ``after`` and the ``hand`` (photos or text), what photos can't tell
    (:data:`TOLD`), or JSON of what was read."""
    if request.is_json:
        state = body()
    else:
        hand = request.form.get("hand", "")[:400]
        state = _from_photos(services(), hand)
    turn, answer = _judged(state)
    drawn = _drawn(services(), state, turn)
    return jsonify(**answer, read=state, photo=f"/photo/{drawn}.jpg" if drawn else None)


def _from_photos(at_hand: Services, hand: str) -> dict[str, Any]:
    """What was read from the uploaded photos. Raises WebError."""
    wait = at_hand.reads.take(request.remote_addr or "")
    if wait:
        raise trust.too_many(wait)
    state: dict[str, Any] = {"hand": hand.strip() or None, "answers": [], "gone": []}
    state |= {name: value[:200] for name in TOLD if (value := request.form.get(name, "").strip())}
    reader = None
    for name in (*PICTURES, "hand_photo"):
        upload = request.files.get(name)
        if upload is None or not upload.filename:
            if name in PICTURES and request.form.get(name, "").strip():
                state[name] = request.form[name][:MAX_TYPED]  # typed instead of photographed
            elif name in PICTURES:
                raise WebError(422, "NO_PHOTO", N_("There is no photo in this request."))
            continue
        photo = reading.decode(upload.read())
        reader = reader or at_hand.reader.get()
        with at_hand.reading:
            scene = reading.read(reader, photo, "card")
        if name == "hand_photo":
            state["hand"] = _hand_of(scene)
        else:
            state[name] = scene.to_dict()
            state[f"{name}_photo"] = at_hand.photos.put(reading.shown(photo))
    return state


def _hand_of(scene: Any) -> str:
    """The cards of a photo of the hand, as text; what can't be read is for a person to type. Raises WebError 422."""
    codes = [piece.code for piece in scene.pieces if piece.kind == "card"]
    if not codes or "?" in codes or "back" in codes:
        raise WebError(422, "HAND_UNREAD", N_("Not every card of the hand can be read; type the hand instead."))
    return " ".join(codes)


def _state(text: str) -> dict[str, Any]:
    """What the page carried. Raises WebError 422."""
    try:
        data = json.loads(text) if len(text) <= MAX_STATE else None
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise WebError(422, "BAD_SCENE", N_("This is no reading of a photo."))
    return data


def _answered(state: dict[str, Any]) -> dict[str, Any]:
    """What the page carried with the answers of its form in it: fields ``after-4`` = ``9H``, ``gone``, ``new``,
    ``hidden``; ``after-4-covered`` = the cards that lie hidden there, none or some."""
    answers, gone, new, whole = (list(state.get(key) or []) for key in ("answers", "gone", "new", "whole"))
    for field, value in request.form.items():
        picture, _, number = field.partition("-")
        number, _, covered = number.partition("-")
        if covered and picture in PICTURES and number.isdigit():
            answers += [[picture, int(number), f"+{code}"] for code in value.upper().split()[:8]]
            if not value.strip():
                whole.append([picture, int(number)])
            continue
        if picture not in PICTURES or not number.isdigit() or not value.strip():
            continue
        if value == "gone":
            gone.append(int(number))
        elif value == "new":
            new.append(int(number))
        elif value == "hidden":
            answers.append(["after" if picture == "before" else "before", None, number])
        else:
            answers.append([picture, int(number), value.strip()[:8]])
    return {**state, "answers": answers, "gone": gone, "new": new, "whole": whole}


def _judged(state: Mapping[str, Any]) -> tuple[Turn | RummyTurn, dict[str, Any]]:
    """A move out of what was read and answered. Raises WebError 422."""
    from companion.table import EditError, TableError, judge_turn, judge_whole_turn, read_table, typed_scene
    from vision.scene import Scene, SceneError

    game = games.get("rummy" if state.get("game") == "rummy" else "carousel")
    answers, gone, new, whole = (state.get(key) or [] for key in ("answers", "gone", "new", "whole"))
    if not all(isinstance(given, list) and len(given) <= MAX_ANSWERS for given in (answers, gone, new, whole)):
        raise WebError(422, "BAD_FIELD", N_("“%(field)s” is not as it should be."), field="answers")
    tables: dict[str, Table] = {}
    for name in PICTURES:
        read = state.get(name)
        try:
            scene = typed_scene(read[:MAX_TYPED], game) if isinstance(read, str) else Scene.from_dict(read)
        except (SceneError, OverflowError) as error:
            raise WebError(422, "BAD_SCENE", N_("This is no reading of a photo.")) from error
        if len(scene.pieces) > MAX_PIECES:
            raise WebError(422, "TOO_MANY_PIECES", N_("More pieces than any set has."))
        tables[name] = read_table(scene, game.name, as_="table")
    hand = _cards(state.get("hand"))
    try:
        for answer in answers:
            _apply(tables, answer)
        if game.name == "rummy":
            return _rummy(state, tables, hand)
        missing, fresh = ([number for number in given if type(number) is int] for given in (gone, new))
        turn = judge_turn(tables["before"], tables["after"], hand, missing, fresh, _named(whole))
        events = str(state.get("events") or "")[:400].split()
        told = judge_whole_turn(turn, events, hand, _stock(state), _flag(state, "final")) if events else None
    except (EditError, TableError) as error:
        raise WebError(422, "BAD_EDIT", N_("This can't be changed so: %(why)s"), why=str(error)) from error
    answer_json: dict[str, Any] = turn.to_dict(gettext)
    verdict = turn.verdict if told is None else told
    answer_json["verdict"] = verdict_json(verdict)
    answer_json["pieces"] = {
        "added": [turn.after.code(piece) for piece in turn.added],
        "moved": [turn.after.code(piece) for piece, _ in turn.moved],
        "taken": [turn.before.code(piece) for piece in turn.taken],
    }
    answer_json["left"] = _left(turn, hand) if hand is not None and turn.decided and verdict.ok else None
    return turn, answer_json


def _flag(state: Mapping[str, Any], name: str) -> bool:
    """A yes or no of a form or of JSON."""
    return str(state.get(name) or "").lower() not in ("", "false", "no", "off", "0")


def _stock(state: Mapping[str, Any]) -> int:
    """Cards in the stock before the turn; where nobody told, enough. Raises WebError 422."""
    told = str(state.get("stock", ""))[:9] or "52"
    if not told.isdecimal():
        raise WebError(422, "BAD_FIELD", N_("“%(field)s” is not as it should be."), field="stock")
    return int(told)


def _rummy(
    state: Mapping[str, Any], tables: Mapping[str, Table], hand: list[str] | None
) -> tuple[RummyTurn, dict[str, Any]]:
    """A turn of Rummy: what was laid and added, and whether it goes out. Raises WebError 422 and TableError."""
    from companion.table import judge_rummy_turn

    discard, took = (next(iter(_cards(state.get(name)) or ()), None) for name in ("discard", "took"))
    if hand is None:
        raise WebError(422, "BAD_FIELD", N_("“%(field)s” is not as it should be."), field="hand")
    turn = judge_rummy_turn(
        tables["before"], tables["after"], hand, discard, _flag(state, "laid_before"), took
    )
    answer: dict[str, Any] = turn.to_dict(gettext)
    answer["verdict"] = verdict_json(turn.verdict)
    laid = [card.code for meld in turn.melds for card in meld]
    answer["pieces"] = {"added": [*laid, *answer["layoffs"]], "moved": [], "taken": []}
    answer |= {"added": [], "moved": [], "taken": []}
    answer["left"] = {"cards": answer["left"], "points": answer["points"], "knock": None}
    return turn, answer


def _named(whole: list[Any]) -> list[tuple[Picture, int]]:
    """Pictures and pieces beside which nothing is hidden; what is none is left out."""
    found: list[tuple[Picture, int]] = []
    for one in whole:
        match one:
            case [("before" | "after") as where, int(piece)]:
                found.append(("before" if where == "before" else "after", piece))
    return found


def _apply(tables: dict[str, Table], answer: Any) -> None:
    """One answer: ``[picture, piece, card]`` (``+9H``: hidden beside it), or, for a card that lies hidden,
    ``[picture, null, piece of the other]``."""
    from companion.table import Change, EditError, with_hidden

    match answer:
        case [("before" | "after") as where, int(piece), str(code)] if code.startswith("+"):
            tables[where] = with_hidden(tables[where], piece, code[1:])
        case [("before" | "after") as where, int(piece), str(code)]:
            tables[where] = tables[where].edit(Change(piece, code))
        case ["after", None, str(number)] if number.isdigit():
            tables["after"] = _with_hidden(tables["after"], tables["before"], int(number))
        case ["before", None, str(number)] if number.isdigit():
            tables["before"] = _with_hidden(tables["before"], tables["after"], int(number))
        case _:
            raise EditError("An answer names a picture, a piece and a card.")


def _with_hidden(table: Table, other: Table, piece: int) -> Table:
    """A table with a card that lies hidden in it, beside cards that it lies with in the other picture."""
    from companion.table import Add, EditError

    if piece >= len(other.scene.pieces):
        raise EditError(f"There is no piece {piece} on this table.")
    code = other.scene.pieces[piece].code
    mates: set[str] = next((set(meld.codes) for meld in other.melds if piece in meld.pieces), set())
    fits = [
        (trial.melds[n].verdict.ok, len(mates & set(meld.codes)), trial)
        for n, meld in enumerate(table.melds)
        for trial in (table.edit(Add(code, n, len(meld.pieces))),)
        if len(trial.melds) > n
    ]
    legal, shared, best = max(fits, key=lambda fit: fit[:2], default=(False, 0, table))
    return best if legal or shared else table.edit(Add(code))


def _cards(hand: object) -> list[str] | None:
    """The hand as codes, None where nobody told it. Raises WebError 422."""
    if hand is None or hand == "":
        return None
    try:
        return [str(card) for card in parse_cards(str(hand)[:400])]
    except NotationError as error:
        words = N_("The hand can't be understood at “%(piece)s”.")
        raise WebError(422, "BAD_HAND", words, piece=error.piece) from error


def _left(turn: Turn, hand: list[str]) -> dict[str, Any]:
    """What is left of the hand after the move, and whether it may knock (RULES.md 2.2.2)."""
    from companion.table.whole_turn import hand_left

    cards = hand_left(turn, hand)
    knock = carousel.judge_knock(cards)
    return {"cards": [card.code for card in cards], "points": knock.value, "knock": knock.ok}


def _drawn(at_hand: Services, state: Mapping[str, Any], turn: Turn | RummyTurn) -> str:
    """The second picture with the move drawn on it, put on show; '' where it is no longer there."""
    name = state.get("after_photo")
    found = at_hand.photos.get(name) if isinstance(name, str) else None
    if found is None:
        return ""
    import cv2
    import numpy as np

    from companion.table import Turn
    from companion.table.turn_overlay import turn_overlay

    if not isinstance(turn, Turn):
        return str(name)  # of a turn of Rummy nothing is drawn
    image = cv2.imdecode(np.frombuffer(found, np.uint8), cv2.IMREAD_COLOR)
    done, data = cv2.imencode(".jpg", turn_overlay(np.asarray(image, np.uint8), turn), [cv2.IMWRITE_JPEG_QUALITY, 85])
    return at_hand.photos.put(bytes(data)) if done else ""


ROUTES: list[tuple[str, list[str], Any]] = [
    ("/turn", ["GET"], page),
    ("/turn", ["POST"], page_post),
    ("/api/turn", ["POST"], judge),
]
