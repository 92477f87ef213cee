"""What the camera over the table sees, in the reader's language: each player's melds, and whether the score agrees.

Tiles on racks are counted, never named: who watches on a phone sits at the table too.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from companion.games import get
from companion.games.messages import N_
from companion.ledger import Ledger
from companion.match import Match
from companion.table import MeldRead, Table
from companion.table.show import verdict_dict
from companion.watch import Agreement, Look, Watch, Zones, compare, load, look, save
from companion.web.words import gettext
from vision.scene import Kind

AGAIN = 0.3
"""Seconds after which the ledger is asked again which match goes on, however many watch."""
CAMERA: Mapping[str, str] = {
    "opening": N_("The camera is being opened…"),
    "open": N_("The camera sees the table."),
    "lost": N_("The camera is gone. Is it plugged in and in the network? It is tried again by itself."),
    "wrong": N_("There is no camera at “%(source)s”. Check the address or the plug; it is tried again by itself."),
    "ended": N_("The video is at its end. What was seen last is shown."),
    "no_reader": N_("The networks that read photos are missing; the camera can only be shown."),
    "failed": N_("The picture couldn't be read. It is tried again by itself."),
}
LOOKING: Mapping[str, str] = {
    "still": N_("Nothing moves; this is what lies there."),
    "changing": N_("Something is being laid…"),
    "looking": N_("The table or the camera moved: looking again…"),
}
AGREEMENT: Mapping[str, str] = {
    "empty": N_("No melds lie on the table."),
    "playing": N_("This round is not scored yet."),
    "agrees": N_("The table and the score of round %(number)s agree."),
    "disagrees": N_("The table and the score of round %(number)s disagree."),
}


class Overseer:
    """The watch, whose match it is of, and the zones. Safe between threads.

    ``match``: an id, '' for the newest one that goes on; ``game``: what is played while no match goes on. ``source``:
    as a person named it.
    """

    def __init__(self, watch: Watch, ledger: Ledger, zones_file: Path, source: str, match: str = "",
                 game: str = "remi") -> None:  # fmt: skip
        self.watch, self.source, self.match_id, self.game = watch, source, match, game
        self._ledger, self._file = ledger, zones_file
        self._lock = threading.Lock()
        self._zones = load(zones_file)
        self._drawn = 0
        self._judged: Judged | None = None
        self._found: tuple[float, str, Match | None] = (-AGAIN, "", None)
        self._texts: dict[str, tuple[str, str]] = {}
        self._writing = threading.Lock()
        self._kinds = self.kinds

    @property
    def zones(self) -> Zones:
        """Those that are kept."""
        with self._lock:
            return self._zones

    def draw(self, zones: Zones) -> None:
        """Keep other zones. Raises OSError, and then the old ones stay."""
        with self._lock:
            save(self._file, zones)
            self._zones = zones
            self._drawn += 1

    def match(self) -> tuple[str, Match | None]:
        """The match that is watched, and its id."""
        if self.match_id:
            try:
                return self.match_id, self._ledger.match(self.match_id)
            except KeyError:  # a restored backup knows no such match
                return "", None
        for info in self._ledger.matches()[:8]:
            found = self._ledger.match(info.id)
            if not found.over:
                return info.id, found
        return "", None

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """What is followed: tiles or cards, as the game has them."""
        match = self.match()[1]
        return ("card",) if get(match.game if match else self.game).pieces == "card" else ("tile",)

    def mark(self) -> str:
        """Changes whenever what is to be shown does. Of the match as it was a moment ago: every watcher asks often."""
        now = time.monotonic()
        if now - self._found[0] > AGAIN:
            self._found = (now, *self.match())
        return self._mark(*self._found[1:])

    def _mark(self, match_id: str, match: Match | None) -> str:
        newest = self.watch.look
        seen = newest.change if newest else 0
        return f"{self.watch.camera[0]}-{seen}-{self._drawn}-{match_id}-{match.version if match else 0}"

    def text(self, language: str, mark: str, make: Callable[[], str]) -> str:
        """The state as text, made once for each language and mark, so that many watchers cost one rendering."""
        with self._writing:
            kept = self._texts.get(language)
            if kept is None or kept[0] != mark:
                kept = self._texts[language] = (mark, make())
            return kept[1]

    def judge(self) -> Judged:
        """The newest look as a table of the match; judged once for each change."""
        newest = self.watch.look
        match_id, match = self.match()
        kinds = self.kinds
        with self._lock:
            if kinds != self._kinds:
                self._kinds = kinds
                self.watch.renew()
            mark = self._mark(match_id, match)
            if self._judged is None or self._judged.mark != mark:
                self._judged = Judged(newest, match_id, match, mark, *self._judge(newest, match))
            return self._judged

    def table_of(self, newest: Look) -> Table | None:
        """The table on this very picture, for drawing on it."""
        return self._judge(newest, self.match()[1])[0]

    def _judge(self, newest: Look | None, match: Match | None) -> tuple[Table | None, Agreement | None]:
        if newest is None:
            return None, None
        names = tuple(player.name for player in match.players) if match else ()
        rules = match.house_rules if match else None
        table = look(newest.scene, match.game if match else self.game, rules, names, self._zones)
        return table, compare(table, match)


@dataclass(frozen=True, eq=False)
class Judged:
    """A look with its table and the match it is of."""

    look: Look | None
    match_id: str
    match: Match | None
    mark: str
    table: Table | None = None
    agreement: Agreement | None = field(default=None)


def state_of(overseer: Overseer) -> dict[str, Any]:
    """What the page shows; ``mark`` changes whenever anything else does."""
    judged = overseer.judge()
    camera = overseer.watch.camera[0]
    match, table, seen = judged.match, judged.table, judged.look
    looking = seen.state if seen else ""
    return {
        "mark": judged.mark,
        "camera": {"state": camera, "sentence": gettext(CAMERA[camera]) % {"source": overseer.source}},
        "looking": {"state": looking, "sentence": gettext(LOOKING[looking]) if looking in LOOKING else ""},
        "game": match.game if match else overseer.game,
        "match": None if match is None else {
            "id": judged.match_id, "title": match.title, "game": get(match.game).title,
            "players": [{"id": player.id, "name": player.name} for player in match.players],
        },
        "zones": bool(overseer.zones),
        "players": _players(table, match),
        "melds": [] if table is None else [meld_json(meld) for meld in table.melds if meld.owner is None],
        "questions": len(table.questions) if table else 0,
        "agreement": _agreement(judged.agreement),
    }  # fmt: skip


def meld_json(meld: MeldRead) -> dict[str, Any]:
    """A meld as the page draws it."""
    return {
        "faces": list(meld.faces), "kind": meld.kind, "decided": meld.decided,
        "verdict": verdict_dict(meld.verdict, gettext),
    }  # fmt: skip


def _players(table: Table | None, match: Match | None) -> list[dict[str, Any]]:
    if table is None or match is None:
        return []
    ids = {player.name: player.id for player in match.players}
    return [
        {
            "id": ids[owner.name],
            "name": owner.name,
            "melds": [meld_json(table.melds[n]) for n in owner.melds],
            "points": sum(line.points for line in owner.verdict.lines if line.what.code != "on_rack")
            if owner.verdict else 0,
            "rack": len(owner.rack),
        }
        for owner in table.owners
    ]  # fmt: skip


def _agreement(found: Agreement | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "state": found.state,
        "sentence": gettext(AGREEMENT[found.state]) % {"number": found.round},
        "differences": [
            {"player": one.player, "seen": list(one.seen), "scored": list(one.scored)} for one in found.differences
        ],
    }


def draft_of(judged: Judged) -> dict[str, Any] | None:
    """The round as it lies there, to be looked at and confirmed by a person; None while there is nothing to score."""
    if judged.table is None or judged.match is None or judged.match.game != "remi" or not judged.table.owners:
        return None
    table = judged.table
    ids = {player.name: player.id for player in judged.match.players}
    players = {
        ids[owner.name]: {
            "melds": [" ".join(code for code in table.melds[n].faces if code != "?") for n in owner.melds],
            "rack": " ".join(code for piece in owner.rack if (code := table.code(piece)) not in ("back", "?")),
            "points": None, "extra": 0,
        }
        for owner in table.owners
    }  # fmt: skip
    closer = ids.get(table.likely_closer or "")
    return {"mode": "pieces", "source": "photo", "players": players, "closer": closer}
