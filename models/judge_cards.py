"""How well cards are put together: indices to cards, cards to groups, tables to verdicts on a move, with counts.

`python -m models.judge_cards played --tables 300 [--size 1280] [--networks]` renders moves of Carousel with decks kept
out of training, with one and with two packs, and prints: cards right, groups exact, moves judged as the truth says.
A move is hidden where either table has a card of which no index is seen for three quarters: such a card can't be read,
and what can't be told is to be asked. Moves are counted with these and without.
Readings are true ones (shaken as real ones are) or, with `--networks`, the networks'.

`python -m models.judge_cards labels LABELS.jsonl` takes the indices from a labelled folder, each read perfectly, their
direction from the corner network, and prints in how many photos as many cards came out as there are different ones
(the photographs show one pack).
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.games import carousel
from companion.pieces import parse_card
from companion.table import judge_turn, read_table
from datasets.decks import deck
from datasets.labels import shared_photos
from datasets.moves import Move, some_move
from datasets.played import Taken, photograph
from datasets.truth import SHOWN, perfect, reading_of, scene_of
from vision.corners import outline
from vision.locate import Spot
from vision.read import Reader
from vision.scene import Scene
from vision.weights import load

SHAKE = 0.03
"""How far the corner network's corners scatter, in heights of an index."""


class Counts(Counter[str]):
    """Counts by name; `right of all` pairs are printed as a share."""

    def rate(self, name: str, right: bool) -> None:
        """One more case of `name`, right or not."""
        self[f"{name}/all"] += 1
        self[f"{name}/right"] += right

    def lines(self) -> list[str]:
        """What was counted, one line each."""
        found = []
        for name in dict.fromkeys(key.rpartition("/")[0] for key in self if key.endswith("/all")):
            right, every = self[f"{name}/right"], self[f"{name}/all"]
            found.append(f"{name}: {right} of {every} ({100 * right / every:.1f} %)")
        return found + [f"{key}: {count}" for key, count in self.items() if "/" not in key]


def truth_of(move: Move) -> tuple[str, ...]:
    """The codes of the faults of a move by the rules alone; jokers get the face that makes their meld legal."""
    before, after = ([_named(codes) for codes in table.codes] for table in (move.before, move.after))
    hand = [parse_card(code) for code in move.hand]
    return carousel.judge_transition(before, hand, after).codes


def _named(codes: Sequence[str]) -> tuple[Any, ...]:
    """A meld with its joker declared by its place, as the first reading says."""
    from companion.games import get

    cards = tuple(parse_card(code) for code in codes)
    if "*" not in codes:
        return cards
    readings = get("carousel").readings(cards)
    return readings[0].pieces if readings else cards


def count_scene(counts: Counts, name: str, scene: Scene, label: Mapping[str, Any]) -> None:
    """Cards right (as a multiset of what shows) and groups exact, of one picture."""
    shown = [
        n for n, piece in enumerate(label["pieces"])
        if any(index["visible"] >= SHOWN for index in piece.get("indices", ()))
    ]  # fmt: skip
    want = Counter(label["pieces"][n]["code"] for n in shown)
    have = Counter(piece.code for piece in scene.pieces)
    counts[f"{name} cards/all"] += want.total()
    counts[f"{name} cards/right"] += (want & have).total()
    counts[f"{name} cards too many"] += (have - want).total()
    groups = Counter(
        tuple(label["pieces"][n]["code"] for n in group if n in shown) for group in label["groups"]
    )  # fmt: skip
    found: Counter[tuple[str, ...]] = Counter()
    for row in scene.rows:
        codes = tuple(scene.pieces[n].code for n in row.pieces)
        # a row of cards that all show both corners is the same from either side of the table
        whole = all(len(scene.pieces[n].indices) > 1 for n in row.pieces)
        found[codes[::-1] if whole and codes not in groups and codes[::-1] in groups else codes] += 1
    counts[f"{name} groups/all"] += groups.total()
    counts[f"{name} groups/right"] += (groups & found).total()
    counts.rate(f"{name} photos", groups == found)


def hidden(label: Mapping[str, Any]) -> int:
    """How many cards of a picture show no index that can be read."""
    return sum(
        all(index["visible"] < SHOWN for index in piece.get("indices", ()))
        for piece in label["pieces"] if piece["code"] != "back"
    )  # fmt: skip


def count_move(counts: Counts, name: str, move: Move, scenes: Sequence[Scene], seen: bool = True) -> bool:
    """Whether the move is judged as the truth says; where it is not, whether a question was asked. `seen`: every card
    of both tables shows an index."""
    before, after = (read_table(scene, "carousel", as_="table") for scene in scenes)
    turn = judge_turn(before, after, hand=move.hand)
    codes = [code for code in turn.verdict.codes if code != "QUESTIONS_OPEN"]
    truth = truth_of(move)
    right = bool(codes) == bool(truth) and (not truth or codes[0] == truth[0])
    counts.rate(f"{name} moves", right)
    counts.rate(f"{name} moves right or asked", right or not turn.decided)
    if seen:
        counts.rate(f"{name} moves with every card in sight", right)
        counts.rate(f"{name} moves with every card in sight right or asked", right or not turn.decided)
    counts[f"{name} moves with a card hidden"] += not seen
    counts[f"{name} questions"] += len(turn.questions)
    counts[f"{name} moves right without a question"] += right and turn.decided
    return right


def played(args: argparse.Namespace) -> Counts:
    """Render, read and judge moves."""
    counts = Counts()
    readers = {1: Reader(copies=1), 2: Reader(copies=2)} if args.networks else {}
    for n in range(args.first, args.first + args.tables):
        packs = 1 + n % 2
        rng = np.random.default_rng([args.seed, n])
        move = some_move(rng, deck(int(rng.integers(160)), held_out=True), packs)
        name = f"{packs} pack{'s' if packs > 1 else ''}:"
        scenes, seen = [], True
        for k, table in enumerate((move.before, move.after)):
            taken = photograph(table, (args.seed * 100_000 + n) * 2 + k, args.size, sharp=not args.networks)
            scene = read(taken, packs, readers, n)
            count_scene(counts, name, scene, taken.label)
            scenes.append(scene)
            seen = seen and not hidden(taken.label)
        right = count_move(counts, name, move, scenes, seen)
        if args.verbose and not right:
            print(n, move.kind, truth_of(move), "" if seen else "a card is hidden", flush=True)
    return counts


def read(taken: Taken, packs: int, readers: Mapping[int, Reader], seed: int) -> Scene:
    """The picture as the networks or the perfect reader see it."""
    if readers:
        return readers[packs].read(taken.image, ("card",))
    return perfect(taken.label, packs, seed, SHAKE)[0]


def labelled(args: argparse.Namespace) -> Counts:
    """Cards out of labelled indices."""
    counts = Counts()
    corners = load("card_corners")
    for line in args.labels.read_text("utf-8").splitlines():
        label = json.loads(line)
        boxes = [piece for piece in label["pieces"] if "box" in piece and piece["code"] != "back"]
        if not boxes or args.series not in label["image"]:
            continue
        image = np.asarray(cv2.imread(str(shared_photos() / label["image"])), np.uint8)
        quads = [np.array([[a, b], [c, b], [c, d], [a, d]], float) for a, b, c, d in (p["box"] for p in boxes)]
        outlines = outline(image, [Spot("card_index", 1.0, quad) for quad in quads], corners)
        readings = [
            reading_of(piece["code"], found.quads[found.best]) for piece, found in zip(boxes, outlines, strict=True)
        ]  # fmt: skip
        for copies in (1, 2):
            scene, _ = scene_of(readings, label["width"], label["height"], copies)
            want = Counter({piece["code"]: 1 for piece in boxes})
            right = Counter(piece.code for piece in scene.pieces) == want
            counts.rate(f"photos with every card once, {copies} pack{'s' if copies > 1 else ''} in play", right)
            counts[f"cards too many, {copies} in play"] += len(scene.pieces) - len(want)
            if args.verbose and not right:
                extra = Counter(piece.code for piece in scene.pieces) - want
                print(copies, label["image"], dict(extra), flush=True)
    return counts


def main(argv: Sequence[str] | None = None) -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    first = commands.add_parser("played")
    first.add_argument("--tables", type=int, default=300)
    first.add_argument("--first", type=int, default=0)
    first.add_argument("--seed", type=int, default=7)
    first.add_argument("--size", type=int, default=960)
    first.add_argument("--networks", action="store_true")
    first.add_argument("--verbose", action="store_true")
    first.set_defaults(run=played)
    second = commands.add_parser("labels")
    second.add_argument("labels", type=Path)
    second.add_argument("--series", default="WIN")
    second.add_argument("--verbose", action="store_true")
    second.set_defaults(run=labelled)
    args = parser.parse_args(argv)
    print("\n".join(args.run(args).lines()))


if __name__ == "__main__":
    main()
