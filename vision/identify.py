"""What each piece is: every quad flattened and read, in every way up that is not out of the question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter

import numpy as np

from vision.corners import AGREE, Outline, from_box, softmax
from vision.flatten import Floats, Image, Picture, as_input, flatten
from vision.locate import Spot
from vision.scene import BACK, UNKNOWN, Kind
from vision.weights import Network

CROP = (48, 64)
"""Width and height of a crop in pixels."""
MARGINS: Mapping[Kind, float] = {"tile": 0.04, "card": 0.10}
RANKS: Mapping[Kind, tuple[str, ...]] = {
    "tile": (*map(str, range(1, 14)), "*", BACK, UNKNOWN),
    "card": ("A", *map(str, range(2, 11)), "J", "Q", "K", "*", UNKNOWN),
}
COLOURS: Mapping[Kind, str] = {"tile": "rbyk", "card": "SHDC"}
COLOUR_OUTPUT: Mapping[Kind, str] = {"tile": "ink", "card": "suit"}
NUMBERS = 13
"""The ranks that have a colour come first."""
FACES: Mapping[Kind, tuple[str, ...]] = {
    "tile": (*(f"{ink}{rank}" for rank in RANKS["tile"][:NUMBERS] for ink in COLOURS["tile"]),
             *RANKS["tile"][NUMBERS:]),
    "card": (*(f"{rank}{suit}" for rank in RANKS["card"][:NUMBERS] for suit in COLOURS["card"]),
             *RANKS["card"][NUMBERS:]),
}
"""What a reader can say, every number with every colour and then what has none."""
LONGER = (0.2, 0.4, 0.6, 0.8)
"""By how much of its height a card's index is read longer as well: decks differ in how far the suit stands from the
rank, and corners that end at the rank cut the suit off."""
SURER = 0.005
"""By how much a longer reading has to be surer: between equals the corners' own stands."""
STEADY = 0.97
"""Probability of its best face under which a tile is read again from cuts that lie a little otherwise."""
SHIFTS = ((1.05, 0.0, 0.0), (0.95, 0.0, 0.0), (1.0, 0.04, 0.02), (1.0, -0.04, -0.02))
"""How these lie: the quad's scale, and by how much of its width and height it is moved."""
TURNED_AT_LEAST = 1e-3
"""Prior of the other way up when the reader asks for it against the corner network."""


@dataclass(frozen=True, eq=False)
class Hypothesis:
    """A piece read in one way up: `weight` among the hypotheses of the piece, probabilities of ranks and colours."""

    quad: Floats
    weight: float
    rank: Floats
    colour: Floats
    crop: Image


@dataclass(frozen=True, eq=False)
class Reading:
    """All that one look says about a piece: its hypotheses, best first, and how far the networks agree."""

    kind: Kind
    spot: Spot
    hypotheses: tuple[Hypothesis, ...]
    agreement: float = 1.0

    @property
    def quad(self) -> Floats:
        """The likeliest quad (4, 2)."""
        return self.hypotheses[0].quad

    @property
    def crop(self) -> Image:
        """The likeliest crop (64, 48, 3), BGR."""
        return self.hypotheses[0].crop

    @property
    def face_down(self) -> bool:
        """The locator saw a back."""
        return self.spot.kind in ("tile_back", "card_back")

    @property
    def upright(self) -> float:
        """How sure the way up is, 0 to 1."""
        return self.hypotheses[0].weight

    @cached_property
    def rank(self) -> Floats:
        """Probabilities of `RANKS[kind]`, over all hypotheses."""
        return np.asarray(sum(h.weight * h.rank for h in self.hypotheses), np.float64)

    @cached_property
    def colour(self) -> Floats:
        """Probabilities of `COLOURS[kind]`, over all hypotheses."""
        return np.asarray(sum(h.weight * h.colour for h in self.hypotheses), np.float64)

    @cached_property
    def faces(self) -> Mapping[str, float]:
        """The probability of every face (TILE_FACES or CARD_FACES, back, unknown); they sum to 1."""
        if self.spot.kind == "card_back":
            return {BACK: self.spot.score, UNKNOWN: 1 - self.spot.score}
        return face_probabilities(self.kind, self.rank, self.colour)

    @cached_property
    def best(self) -> tuple[str, float]:
        """The likeliest face and its probability."""
        return max(self.faces.items(), key=itemgetter(1))

    def weighed(self, weights: Sequence[float]) -> Reading:
        """The same look with other weights of its hypotheses (normalised here), best first."""
        total = sum(weights)
        if total <= 0:
            return self
        fresh = [replace(h, weight=w / total) for h, w in zip(self.hypotheses, weights, strict=True)]
        return replace(self, hypotheses=tuple(sorted(fresh, key=lambda h: -h.weight)))

    def coloured(self, colour: Floats) -> Reading:
        """The same look with other probabilities of the colours."""
        return replace(self, hypotheses=tuple(replace(h, colour=colour) for h in self.hypotheses))


def face_probabilities(kind: Kind, rank: Floats, colour: Floats) -> dict[str, float]:
    """Faces out of independent ranks and colours: 'r5' or '10H' for numbers, '*', 'back' and '?' as they are."""
    numbers = np.outer(rank[:NUMBERS], colour).ravel().tolist()
    faces = dict(zip(FACES[kind], [*numbers, *rank[NUMBERS:].tolist()], strict=True))
    if kind == "card":
        faces[BACK] = 0.0
    return faces


@dataclass(frozen=True, eq=False)
class _Look:
    """What the reader says of a batch of crops."""

    crops: Image
    rank: Floats
    colour: Floats
    up: Floats


def identify(picture: Picture, spots: Sequence[Spot], outlines: Sequence[Outline], kind: Kind,
             network: Network) -> list[Reading]:
    """Read every piece of one kind on a photo (h, w, 3) BGR; one reading a spot, in their order."""
    if not spots:
        return []
    owners = [n for n, o in enumerate(outlines) for _ in o.likely]
    bins = [k for o in outlines for k in o.likely]
    quads = np.stack([outlines[n].quads[k] for n, k in zip(owners, bins, strict=True)])
    priors = [float(outlines[n].bins[k]) for n, k in zip(owners, bins, strict=True)]
    first = _look(picture, quads, kind, network)
    found: list[list[Hypothesis]] = [[] for _ in spots]
    for m, n in enumerate(owners):
        found[n].append(_hypothesis(quads[m], priors[m], first, m))
    # Where the reader says "upside down" more surely than the corners said "up", the piece is read turned round as
    # well; so is a number that is another on its head, for its row may know better.
    again = []
    for m, (n, k) in enumerate(zip(owners, bins, strict=True)):
        other = (k + 2) % 4
        doubted = 1 - first.up[m] > priors[m] * first.up[m] or RANKS[kind][int(first.rank[m].argmax())] in ("6", "9")
        if k == outlines[n].best and other not in outlines[n].likely and doubted:
            again.append((n, other, np.roll(quads[m], 2, axis=0)))
    if again:
        second = _look(picture, np.stack([quad for _, _, quad in again]), kind, network)
        for m, (n, other, quad) in enumerate(again):
            found[n].append(_hypothesis(quad, max(float(outlines[n].bins[other]), TURNED_AT_LEAST), second, m))
    readings = [
        Reading(kind, spot, tuple(hypotheses), outline.agreement).weighed([h.weight for h in hypotheses])
        for spot, outline, hypotheses in zip(spots, outlines, found, strict=True)
    ]
    readings = _by_box(picture, readings, kind, network)
    return (_longer if kind == "card" else _steadied)(picture, readings, network)


def _steadied(picture: Picture, readings: list[Reading], network: Network) -> list[Reading]:
    """Tiles that are not read surely, read as the mean of several cuts: a reading that hangs on where exactly the
    corners lie is a doubtful one, and the mean is right more often."""
    doubtful = [n for n, reading in enumerate(readings) if reading.best[1] < STEADY]
    if not doubtful:
        return readings
    quads = np.stack([readings[n].quad for n in doubtful])
    middle = quads.mean(axis=1, keepdims=True)
    across = (quads[:, 1] + quads[:, 2] - quads[:, 0] - quads[:, 3])[:, None] / 2
    down = (quads[:, 2] + quads[:, 3] - quads[:, 0] - quads[:, 1])[:, None] / 2
    moved = [middle + scale * (quads - middle) + x * across + y * down for scale, x, y in SHIFTS]
    look = _look(picture, np.concatenate(moved), "tile", network)
    rank, colour = (of.reshape(len(SHIFTS), len(doubtful), -1).sum(axis=0) for of in (look.rank, look.colour))
    result = list(readings)
    for k, n in enumerate(doubtful):
        best, *others = readings[n].hypotheses
        steady = replace(best, rank=(best.rank + rank[k]) / (len(SHIFTS) + 1),
                         colour=(best.colour + colour[k]) / (len(SHIFTS) + 1))
        result[n] = replace(readings[n], hypotheses=(steady, *others))
    return result


def _longer(picture: Picture, readings: list[Reading], network: Network) -> list[Reading]:
    """Each index read also with its lower edge further down; the surest of these readings is kept."""
    result = list(readings)
    short = np.stack([reading.quad for reading in readings])
    down = (short[:, [3, 2]] - short[:, [0, 1]]).mean(axis=1)
    quads = np.concatenate([short] * len(LONGER))
    quads[:, 2:] += np.concatenate([reach * down for reach in LONGER])[:, None]
    look = _look(picture, quads, "card", network)
    for m, quad in enumerate(quads):
        n = m % len(readings)
        longer = replace(readings[n], hypotheses=(_hypothesis(quad, 1.0, look, m),)).weighed([1.0])
        if _sureness(longer) > _sureness(result[n]) + SURER:
            result[n] = longer
    return result


def _by_box(picture: Picture, readings: list[Reading], kind: Kind, network: Network) -> list[Reading]:
    """Where corners and box disagree, the box is read too, and the surer reading of the two is kept: corners now and
    then collapse onto the numeral, boxes now and then lie a quarter turn off."""
    doubted = [n for n, r in enumerate(readings) if r.agreement < AGREE]
    if not doubted:
        return readings
    boxes = [from_box(readings[n].spot) for n in doubted]
    look = _look(picture, np.concatenate([box.quads[[0, 2]] for box in boxes]), kind, network)
    result = list(readings)
    for k, n in enumerate(doubted):
        ways = tuple(_hypothesis(boxes[k].quads[2 * i], 0.5, look, 2 * k + i) for i in range(2))
        boxed = replace(readings[n], hypotheses=ways).weighed([way.weight for way in ways])
        if _sureness(boxed) > _sureness(readings[n]):
            result[n] = boxed
    return result


def _sureness(reading: Reading) -> float:
    """Probability of the best face that is one: neither a back nor unknown."""
    return max(p for face, p in reading.faces.items() if face not in (BACK, UNKNOWN))


def unread(spot: Spot, outline: Outline) -> Reading:
    """A face-down card: nothing to read, the locator's word stands."""
    rank = np.zeros(len(RANKS["card"]))
    blank = np.zeros((CROP[1], CROP[0], 3), np.uint8)
    return Reading("card", spot, (Hypothesis(outline.quads[0], 1.0, rank, np.full(4, 0.25), blank),))


def _hypothesis(quad: Floats, prior: float, look: _Look, m: int) -> Hypothesis:
    """The weight joins what the corner network and the reader say about the way up."""
    return Hypothesis(quad, prior * float(look.up[m]), look.rank[m], look.colour[m], look.crops[m])


def _look(picture: Picture, quads: Floats, kind: Kind, network: Network) -> _Look:
    crops = flatten(picture, quads, CROP, MARGINS[kind])
    colour = COLOUR_OUTPUT[kind]
    shapes = {"rank": (len(RANKS[kind]),), colour: (len(COLOURS[kind]),), "upright": (2,)}
    found = network.outputs(as_input(crops), **shapes)
    logits = {name: np.nan_to_num(values.astype(np.float64)) for name, values in found.items()}
    return _Look(
        crops,
        softmax(logits["rank"], network.number("temperature_rank", 1.0)),
        softmax(logits[colour], network.number(f"temperature_{colour}", 1.0)),
        np.clip(softmax(logits["upright"], network.number("temperature_upright", 1.0))[:, 0], 1e-6, 1.0),
    )
