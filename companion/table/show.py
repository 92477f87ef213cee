"""A Table as JSON, with sentences in the reader's language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.arrange import Arrangement, Opening
from companion.games import Line, Verdict
from companion.games.messages import Message, Translate, msg, sentence
from companion.pieces import spell
from companion.table.values import MeldRead, Player, Question, Table

SCHEMA = 1


REMARKS: Mapping[str, Message] = {
    "dark": msg("photo_dark"),
    "blurred": msg("photo_blurred"),
    "far": msg("photo_far"),
    "glare": msg("photo_glare"),
    "cut": msg("photo_cut"),
    "nothing_found": msg("photo_nothing_found"),
}
"""What a Scene remarks on its photo, as messages."""


def message_dict(message: Message, translate: Translate | None = None) -> dict[str, Any]:
    """A message: its code, parameters and sentence."""
    return {"code": message.code, "params": dict(message.params), "sentence": message.text(translate)}


def line_dict(line: Line, translate: Translate | None = None) -> dict[str, Any]:
    """A line of points."""
    return {
        "what": line.what.code,
        "params": dict(line.what.params),
        "text": line.text(translate),
        "points": line.points,
    }


def verdict_dict(verdict: Verdict, translate: Translate | None = None) -> dict[str, Any]:
    """A verdict; its lines add up to its value."""
    return {
        "ok": verdict.ok,
        "reason": verdict.reason,
        "sentence": verdict.sentence(translate),
        "faults": [message_dict(fault, translate) for fault in verdict.faults],
        "value": verdict.value,
        "lines": [line_dict(line, translate) for line in verdict.lines],
    }


def table_dict(table: Table, translate: Translate | None = None) -> dict[str, Any]:
    """The JSON form of :mod:`companion.table`."""
    found = table.arrangement
    return {
        "schema": SCHEMA,
        "game": table.wishes.game.name,
        "as": table.wishes.view,
        "decided": table.decided,
        "scene": table.scene.to_dict(),
        "removed": sorted(table.seen.removed),
        "edited": sorted(table.seen.sure),
        "melds": [_meld(meld, translate) for meld in table.melds],
        "loose": list(table.loose),
        "rack": list(table.rack),
        "stock": list(table.stock),
        "questions": [question_dict(question, translate) for question in table.questions],
        "total": {**verdict_dict(table.total, translate), "decided": table.decided},
        "arrangement": None if found is None else arrangement_dict(found, translate),
        "players": [_player(player, translate) for player in table.owners],
        "likely_closer": table.likely_closer,
        "knock": None if table.knock is None else verdict_dict(table.knock, translate),
        "goes_out": table.goes_out,
        "remarks": [message_dict(REMARKS[word], translate) for word in table.scene.remarks if word in REMARKS],
    }


def _meld(meld: MeldRead, translate: Translate | None) -> dict[str, Any]:
    return {
        "pieces": list(meld.pieces),
        "codes": list(meld.codes),
        "faces": list(meld.faces),
        "kind": meld.kind,
        "outline": [list(point) for point in meld.outline],
        "decided": meld.decided,
        "owner": meld.owner,
        "remarks": [remark.text(translate) for remark in meld.remarks],
        "verdict": verdict_dict(meld.verdict, translate),
    }


def question_dict(question: Question, translate: Translate | None = None) -> dict[str, Any]:
    """A question with its piece's corners."""
    return {
        "piece": question.piece,
        "answers": list(question.answers),
        "why": question.why,
        "sentence": question.message.text(translate),
        "quad": [list(point) for point in question.quad],
    }


def _player(player: Player, translate: Translate | None) -> dict[str, Any]:
    return {
        "name": player.name,
        "x": player.x,
        "y": player.y,
        "melds": list(player.melds),
        "rack": list(player.rack),
        "verdict": None if player.verdict is None else verdict_dict(player.verdict, translate),
        "left": verdict_dict(player.left, translate),
    }


def arrangement_dict(found: Arrangement[Any], translate: Translate | None = None) -> dict[str, Any]:
    """The best way to lay what is there."""
    return {
        "ok": found.ok,
        "sentence": sentence(arrangement_message(found), translate),
        "melds": [{"pieces": spell(meld.pieces), "kind": meld.kind} for meld in found.melds],
        "left": spell(found.left),
        "points_left": found.points_left,
        "value": found.value,
        "laid": found.laid,
    }


def arrangement_message(found: Arrangement[Any]) -> Message:
    """What can be laid, in a sentence."""
    if not isinstance(found, Opening):
        if not found.ok:
            return msg("lay_nothing")
        return msg("lay_best", laid=found.laid, left=found.points_left)
    if found.ok:
        return msg("could_open", value=found.value)
    if found.reason == "BELOW_MINIMUM":
        return msg("BELOW_MINIMUM", need=found.value + found.missing, value=found.value, missing=found.missing)
    return msg(found.reason)
