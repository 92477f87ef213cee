"""How well pieces are followed through rendered videos (`python -m datasets.video`), against their exact truth.

`python -m models.judge_video FILE.avi [FILE ...] [--models DIR]` prints, per video and over all, with counts: settled
codes right, events that a hand, a lamp or a shadow alone made, identities kept through a bump and through the whole
video, how long after the hand left a laid piece was told, and frames a second by what goes on.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from vision.camera import open_source
from vision.flatten import Floats
from vision.follow import Follower, Seen
from vision.geometry import overlap
from vision.read import Reader
from vision.scene import Kind

SAME = 0.5
SHOWN = 0.9
"""Share of a piece in sight from which it is asked for."""
QUIET = ("pass", "rest", "lamp", "shadow", "bump")
"""Acts in which no piece is laid, taken or moved."""
ALONE = 30
"""Every so many frames one is read by itself too, to tell what following adds from what the networks can't read."""
SOON = 1.0
"""Seconds after the hand left within which a laid piece must be told."""


@dataclass
class Figures:
    """Growing counts."""

    right: int = 0
    asked_for: int = 0
    extra: int = 0
    wrong: Counter[str] = field(default_factory=Counter)
    silent: int = 0
    alone: list[bool] = field(default_factory=list)
    quiet_events: list[str] = field(default_factory=list)
    bumped: list[bool] = field(default_factory=list)
    identities: list[int] = field(default_factory=list)
    late: list[float] = field(default_factory=list)
    spent: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def add(self, other: Figures) -> None:
        """Take in another video's."""
        self.right += other.right
        self.asked_for += other.asked_for
        self.extra += other.extra
        self.wrong += other.wrong
        self.silent += other.silent
        for name in ("alone", "quiet_events", "bumped", "identities", "late"):
            getattr(self, name).extend(getattr(other, name))
        for act, seconds in other.spent.items():
            self.spent[act] += seconds

    def lines(self) -> list[str]:
        """For people."""
        spent = {act: f"{len(s) / sum(s):.1f} ({len(s)} frames)" for act, s in self.spent.items()}
        told = [v for v in self.late if v <= SOON]
        return [
            f"settled codes right     {self.right}/{self.asked_for} = {self.right / max(self.asked_for, 1):.4f}, "
            f"extra {self.extra}, wrong and not asked {self.silent}, most wrong {self.wrong.most_common(6)}",
            f"one frame by itself     {sum(self.alone)}/{len(self.alone)}",
            f"events without a cause  {len(self.quiet_events)} {self.quiet_events[:8]}",
            f"kept through a bump     {sum(self.bumped)}/{len(self.bumped)}",
            f"one identity all along  {sum(n == 1 for n in self.identities)}/{len(self.identities)}",
            f"laid told within {SOON:g} s   {len(told)}/{len(self.late)} {[round(v, 2) for v in self.late]}",
            f"frames a second by act  {spent}",
        ]


def matched(seen: Seen, pieces: Sequence[dict[str, Any]]) -> dict[int, int]:
    """For the id of each true piece, the place in the Scene of the one found there: of a card, by any of its indices
    that is in sight."""
    found: dict[int, int] = {}
    parts = [(n, quad) for n, piece in enumerate(seen.scene.pieces) for quad in piece.indices or (piece.quad,)]
    for true in pieces:
        best = max(
            ((overlap(part, quad), n) for quad in places_of(true) for n, part in parts
             if np.hypot(*(np.mean(part, axis=0) - quad.mean(axis=0))) < 60),
            default=(0.0, -1),
        )  # fmt: skip
        if best[0] >= SAME:
            found[true["id"]] = best[1]
    return found


def places_of(true: dict[str, Any]) -> list[Floats]:
    """Where a true piece can be seen: its face, or the indices (4, 2) of a card that are not wholly hidden."""
    if "indices" not in true:
        return [np.array(true["polygon"])]
    return [np.array(index["polygon"]) for index in true["indices"] if index["visible"] > 1 - SHOWN]


def shown(true: dict[str, Any]) -> bool:
    """Is a true piece asked for: is it, or an index of the card, in sight?"""
    seen = max((index["visible"] for index in true["indices"]), default=0.0) if "indices" in true else true["visible"]
    return float(seen) >= SHOWN


def judge(path: Path, reader: Reader) -> Figures:
    """Follow one video; the truth lies beside it as .jsonl."""
    truth = [json.loads(line) for line in path.with_suffix(".jsonl").read_text("utf-8").splitlines()]
    kinds: tuple[Kind, ...] = ("card",) if any("indices" in p for p in truth[-1]["pieces"]) else ("tile",)
    figures, follower = Figures(), Follower(reader, kinds)
    told: dict[int, float] = {}
    left: dict[int, float] = {}
    owners: dict[int, set[int]] = defaultdict(set)
    before_bump: dict[int, int] = {}
    known: dict[int, int] = {}
    start = {piece["id"] for piece in truth[0]["pieces"]}
    for frame, true in zip(open_source(str(path)), truth, strict=True):
        began = time.perf_counter()
        seen = follower.update(frame.image, frame.time)
        if frame.number:  # the first opens the networks
            figures.spent["still" if true["act"] == "still" else "others"].append(time.perf_counter() - began)
        places = matched(seen, true["pieces"])
        if true["act"] in QUIET:
            figures.quiet_events += [
                f"{true['act']} {frame.time:.1f} {event.kind} {event.id}" for event in seen.events
                if event.kind != "bump" and not (true["act"] == "bump" and event.kind == "looking")
            ]
        if true["act"] == "bump" and not before_bump:
            before_bump = dict(known)
        known = {one: seen.ids[place] for one, place in places.items()}
        for one, number in known.items():
            told.setdefault(one, frame.time)
            owners[one].add(number)
        for piece in true["pieces"]:
            if piece["id"] not in start and not true["hand"]:
                left.setdefault(piece["id"], frame.time)
        if seen.state == "still":
            asked = [piece for piece in true["pieces"] if shown(piece)]
            figures.asked_for += len(asked)
            for piece in asked:
                place = places.get(piece["id"])
                code = seen.scene.pieces[place].code if place is not None else "missing"
                figures.right += code == piece["code"]
                figures.silent += code != piece["code"] and (place is None or not seen.scene.pieces[place].asked)
                if code != piece["code"]:
                    figures.wrong[f"{piece['code']}:{code}"] += 1
            figures.extra += len(seen.scene.pieces) - len(places)
            if frame.number % ALONE == 0:
                lone = replace(seen, scene=reader.read(frame.image, kinds))
                found = matched(lone, asked)
                figures.alone += [
                    p["id"] in found and lone.scene.pieces[found[p["id"]]].code == p["code"] for p in asked
                ]
        if before_bump and true["act"] != "bump" and not figures.bumped:
            figures.bumped = [known.get(one) == number for one, number in before_bump.items()]
    figures.identities = [len(numbers) for numbers in owners.values()]
    figures.late = [told.get(one, np.inf) - at for one, at in left.items()]
    return figures


def main(argv: Sequence[str] | None = None) -> int:
    """Command line: which videos."""
    parser = argparse.ArgumentParser(prog="python -m models.judge_video", description=__doc__)
    parser.add_argument("videos", type=Path, nargs="+")
    parser.add_argument("--models", type=Path, help="folder of the networks")
    args = parser.parse_args(argv)
    reader, all_of_them = Reader(args.models), Figures()
    for path in args.videos:
        figures = judge(path, reader)
        all_of_them.add(figures)
        print(f"{path.name}", *figures.lines(), sep="\n  ", flush=True)
    if len(args.videos) > 1:
        print(f"all {len(args.videos)} videos", *all_of_them.lines(), sep="\n  ")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
