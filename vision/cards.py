"""Which index quads belong to one physical card, by where they lie to one another.

A card shows its index in two opposite corners, in some decks in all four. Seen from one index, upright, another index
of the same card lies sideways (the same way up), below or above (on its head), or opposite (on its head). Two packs
hold every card twice, so the face alone decides nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.flatten import Floats
from vision.identify import Reading
from vision.scene import BACK, UNKNOWN

SIDEWAYS, BELOW, OPPOSITE = 1, 2, 3
"""Corners apart, as bits: left and right, top and bottom, both."""
TURN = 25.0
"""Degrees by which two indices of a card may differ from standing alike or on their heads."""
SIZE = 0.5
"""Natural logarithm of the ratio of the two indices' heights."""
WIDE, HIGH = (0.9, 11.0), (0.95, 15.0)
"""How far apart the indices lie across and down a card, in heights of the index: from jumbo to tiny ones."""
USUAL = (2.9, 3.6)
"""The usual distances, until the photo's own cards tell."""
STRAIGHT = 0.17
"""Share of its distance by which an index sideways or below may be off the straight line."""
TALL = (0.3, 4.0)
"""Height of a joker's index in heights of a usual one."""
SLACK = 0.35
"""Natural logarithm by which a pair may differ from the distances usual on this photo."""
LONE = 0.6
"""The same for the only two indices of a face: two cards of it would have to lie just so by chance."""
STRETCHES = (1.0, 1.15, 1.3, 1.5, 1.75, 2.0, 2.3)
"""By how much a picture may be longer one way than the table is: a camera held low, a picture squeezed to a square."""
DIRECTIONS = 12
"""So many directions of the stretch are tried."""
TELLING = 3
"""So many cards with opposite corners tell the stretch."""
PLAIN = 0.12
"""Spread of the distances (natural logarithm) that a whole unit of stretch must save to be believed."""
DOUBTFUL = 0.8
"""Probability of its best face under which an index is hardly read."""
EXACT = 0.25
"""The same as SLACK for an index whose face tells nothing."""
SAME = 0.3
"""Least agreement of two readings (Bhattacharyya coefficient) for one card."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two readings that may be one card: which corners apart, and how far across and down in index heights."""

    one: int
    two: int
    apart: int
    right: float
    below: float

    face: str

    def off(self, usual: tuple[float, float]) -> float:
        """How far the pair is from the usual distances (natural logarithm)."""
        if self.face == "*":
            # its index may be a word down the side, or a star: it is `tall` times as high as a usual one, and the
            # distances shrink as its middle moves inwards
            tall = usual[0] / abs(self.right) if self.apart & SIDEWAYS else (usual[1] + 1) / (self.below + 1)
            if not TALL[0] < tall < TALL[1]:
                return math.inf
            below = max((usual[1] + 1) / tall - 1, 0.1)
            return abs(math.log(self.below / below)) if self.apart == OPPOSITE else 0.0
        wide = abs(math.log(abs(self.right) / usual[0])) if self.apart & SIDEWAYS else 0.0
        high = abs(math.log(abs(self.below) / usual[1])) if self.apart & BELOW else 0.0
        return max(wide, high)


def one_card(readings: Sequence[Reading]) -> list[tuple[int, ...]]:
    """Group readings into physical cards: up to four indices each, lone indices, backs. Every reading appears once,
    a card's indices best first."""
    flat = level(readings)
    pairs = _pairs(readings, flat)
    opposite = [pair for pair in pairs if pair.apart == OPPOSITE]
    lone = _lone(opposite)
    usual = USUAL
    if lone:
        usual = (float(np.median([abs(p.right) for p in lone])), float(np.median([abs(p.below) for p in lone])))
    if not _four_corners(pairs, usual):
        # an index is then always top left: the other lies to its right; but a joker has words where it likes
        pairs = [pair for pair in pairs if pair.face == "*" or (pair.apart == OPPOSITE and pair.right > 0)]
    only = Counter(index for pair in pairs for index in (pair.one, pair.two))
    card = {n: {n: 0} for n in range(len(readings))}  # each reading's card: its members and their corners
    for pair in sorted(pairs, key=lambda p: (p.apart != OPPOSITE, p.off(usual), p.one, p.two)):
        first, second = card[pair.one], card[pair.two]
        slack = LONE if only[pair.one] == only[pair.two] == 1 else SLACK
        if first is second or pair.off(usual) > slack:
            continue
        shift = first[pair.one] ^ pair.apart ^ second[pair.two]
        moved = {n: corner ^ shift for n, corner in second.items()}
        if set(moved.values()) & set(first.values()):
            continue
        first.update(moved)
        for n in moved:
            card[n] = first
    _add_doubtful(readings, flat, usual, card)
    cards = {id(members): members for members in card.values()}
    grouped = [tuple(sorted(members, key=lambda n: (-readings[n].spot.score, n))) for members in cards.values()]
    return sorted(grouped, key=min)


def _add_doubtful(
    readings: Sequence[Reading], flat: Floats, usual: tuple[float, float], card: dict[int, dict[int, int]]
) -> None:
    """A lone index that is hardly read is the other index of the one card that wants it in that very place."""
    best = [max(reading.faces().items(), key=lambda face: face[1]) for reading in readings]
    quads = [reading.quad @ flat.T for reading in readings]
    for n, (face, p) in enumerate(best):
        if len(card[n]) > 1 or (p >= DOUBTFUL and face != UNKNOWN):
            continue
        fits = [
            m for m in range(len(readings))
            if m != n and best[m][1] >= DOUBTFUL and best[m][0] not in (UNKNOWN, BACK, "*") and len(card[m]) == 1
            and (pair := _pair(readings, quads, m, n, any_face=True)) is not None
            and pair.apart == OPPOSITE and pair.right > 0 and pair.off(usual) < EXACT
        ]
        if len(fits) == 1:
            card[fits[0]][n] = card[fits[0]][fits[0]] ^ OPPOSITE
            card[n] = card[fits[0]]


def level(readings: Sequence[Reading]) -> Floats:
    """The matrix (2, 2) that takes the picture's pixels back to a table seen from straight above, but for scale and
    turn: the one that makes the cards that show opposite corners the most alike. The unit matrix where none is told.
    """
    flat = np.eye(2)
    lone = _lone([pair for pair in _pairs(readings, flat) if pair.apart == OPPOSITE and pair.right > 0])
    if len(lone) < TELLING:
        return flat
    best = _spread(readings, lone, flat)
    for stretch in STRETCHES[1:]:
        for angle in np.arange(DIRECTIONS) * np.pi / DIRECTIONS:
            u = np.array([[np.cos(angle), np.sin(angle)]])
            tried = np.eye(2) - (1 - 1 / stretch) * (u.T @ u)
            cost = _spread(readings, lone, tried) + PLAIN * (stretch - 1)
            if cost < best:
                best, flat = cost, tried
    return flat


def _spread(readings: Sequence[Reading], pairs: Sequence[Pair], flat: Floats) -> float:
    """How much the distances of pairs differ on a levelled picture (natural logarithm)."""
    spans = []
    for pair in pairs:
        frames = [_frame(readings[n].quad @ flat.T) for n in (pair.one, pair.two)]
        frame = (frames[0] - frames[1]) / 2
        if abs(float(np.linalg.det(frame))) < 1e-6:
            return math.inf
        gap = flat @ (readings[pair.two].quad.mean(axis=0) - readings[pair.one].quad.mean(axis=0))
        spans.append(np.log(np.maximum(np.abs(np.linalg.solve(frame, gap)), 0.1)))
    logs = np.array(spans)
    return float(np.abs(logs - np.median(logs, axis=0)).mean(axis=0).sum())


def _pairs(readings: Sequence[Reading], flat: Floats) -> list[Pair]:
    """Every two readings that may be one card."""
    quads = [reading.quad @ flat.T for reading in readings]
    return [
        pair for i in range(len(readings)) for j in range(i + 1, len(readings))
        if (pair := _pair(readings, quads, i, j)) is not None
    ]


def _lone(pairs: Sequence[Pair]) -> list[Pair]:
    """Pairs of which neither index is in another, jokers left out."""
    among = Counter(index for pair in pairs for index in (pair.one, pair.two))
    return [pair for pair in pairs if pair.face != "*" and among[pair.one] == among[pair.two] == 1]


def _four_corners(pairs: Sequence[Pair], usual: tuple[float, float]) -> bool:
    """The deck on this photo shows four indices a card: pairs that two corners can't make, closed by a third index
    or seen on two faces."""
    odd = [p for p in pairs if (p.apart != OPPOSITE or p.right < 0) and p.off(usual) < SLACK]
    linked = {frozenset((p.one, p.two)) for p in pairs if p.off(usual) < SLACK}
    for p in odd:
        for n in {m for pair in linked for m in pair} - {p.one, p.two}:
            if frozenset((p.one, n)) in linked and frozenset((p.two, n)) in linked:
                return True
    return len({p.face for p in odd if p.apart == SIDEWAYS}) >= 2


def _pair(
    readings: Sequence[Reading], quads: Sequence[Floats], i: int, j: int, any_face: bool = False
) -> Pair | None:
    """How `j` lies to `i`, if the two can be indices of one card; `quads`: theirs on the levelled picture."""
    one, two = readings[i], readings[j]
    if one.spot.kind != "card_index" or two.spot.kind != "card_index" or not (any_face or same_face(one, two)):
        return None
    frames = [_frame(quads[i]), _frame(quads[j])]
    heights = [float(np.hypot(*frame[:, 1])) for frame in frames]
    if min(heights) < 1e-6 or abs(math.log(heights[0] / heights[1])) > SIZE:
        return None
    cosine = float(frames[0][:, 1] @ frames[1][:, 1]) / (heights[0] * heights[1])
    if abs(cosine) < math.cos(math.radians(TURN)):
        return None
    gap = quads[j].mean(axis=0) - quads[i].mean(axis=0)
    sign = 1.0 if cosine > 0 else -1.0
    # the mean of what either index says, in the first one's frame
    frame = (frames[0] + sign * frames[1]) / 2
    if abs(float(np.linalg.det(frame))) < 1e-6:
        return None
    right, below = (float(v) for v in np.linalg.solve(frame, gap))
    face = max(one.faces().items(), key=lambda item: item[1])[0]
    shrunk, grown = (1 / TALL[1], 1 / TALL[0]) if face == "*" else (1.0, 1.0)
    wide = WIDE[0] * shrunk <= abs(right) <= WIDE[1] * grown
    high = HIGH[0] * shrunk <= below <= HIGH[1] * grown
    if cosine > 0:
        return Pair(i, j, SIDEWAYS, right, below, face) if wide and abs(below) < STRAIGHT * abs(right) else None
    if high and abs(right) < STRAIGHT * below:
        return Pair(i, j, BELOW, right, below, face)
    return Pair(i, j, OPPOSITE, right, below, face) if wide and high else None


def _frame(quad: Floats) -> Floats:
    """An index's own directions (2, 2): columns right and down, both as long as the index is high."""
    down = (quad[2] + quad[3] - quad[0] - quad[1]) / 2
    across = (quad[1] + quad[2] - quad[0] - quad[3]) / 2
    across = across / max(float(np.hypot(*across)), 1e-6) * float(np.hypot(*down))
    return np.stack([across, down], axis=1)


def same_face(one: Reading, two: Reading) -> bool:
    """Both may show the same face."""
    first, second = one.faces(), two.faces()
    return sum(math.sqrt(first[face] * second[face]) for face in first if face not in (UNKNOWN, BACK)) > SAME


CARD = (3.6, 4.9)
"""A card's width and height in heights of its index (rank and suit), about what common decks measure."""
SPANS = (1.55, 1.8)
"""Index heights from which a group of indices spans the card's width or height."""
RIM = 0.15
"""Index heights from an index to the card's edge."""


def bodies(
    cards: Sequence[Sequence[Floats]], flat: Floats | None = None, words: Sequence[bool] | None = None
) -> tuple[Floats, list[bool]]:
    """Where whole cards lie (n, 4, 2), each reckoned from the quads of its indices, and whether its way up is known.

    A lone index is its card's top left one; how large the card is tell the cards that show opposite corners, else
    what decks usually measure. A card that shows opposite corners is the same on its head, so its way up is taken
    from the picture's. `flat`: what levels the picture, as `level` gives it. `words`: cards whose index is of no usual
    size, jokers: how high one would be tell the cards nearest to them.
    """
    flat = np.eye(2) if flat is None else flat
    cards = [[quad @ flat.T for quad in quads] for quads in cards]
    frames = _frames(cards, words or [False] * len(cards))
    boxes = [_box(quads, frame) for quads, frame in zip(cards, frames, strict=True)]
    sizes = np.array([(right - left, bottom - top) for left, top, right, bottom in boxes]).reshape(-1, 2)
    # one index alone, however long its word, spans nothing
    spans = (sizes >= SPANS) & np.array([len(quads) > 1 for quads in cards], bool).reshape(-1, 1)
    usual = [
        float(np.median(sizes[spans[:, axis], axis])) if spans[:, axis].any() else CARD[axis] for axis in (0, 1)
    ]
    result, known = [], []
    for quads, frame, (left, top, right, bottom), (across, high) in zip(cards, frames, boxes, spans, strict=True):
        right = right if across else left + usual[0]
        bottom = bottom if high else top + usual[1]
        corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
        body = quads[0][0] + corners @ frame.T
        if high and body[0, 1] + body[1, 1] > body[2, 1] + body[3, 1]:
            body = np.roll(body, 2, axis=0)
        result.append(body)
        known.append(not high)
    whole = np.stack(result) if result else np.zeros((0, 4, 2))
    return whole @ np.linalg.inv(flat).T, known


NEAREST = 4
"""So many indices about a joker tell how high an index would be there."""


def _frames(cards: Sequence[Sequence[Floats]], words: Sequence[bool]) -> list[Floats]:
    """The frame of each card's first index, jokers' as long as the indices about them are high."""
    frames = [_frame(quads[0]) for quads in cards]
    plain = [n for n, word in enumerate(words) if not word]
    if not plain:
        return frames
    middles = np.stack([quads[0].mean(axis=0) for quads in cards])
    heights = np.array([float(np.hypot(*frame[:, 1])) for frame in frames])
    for n, word in enumerate(words):
        if word and heights[n] > 0:
            near = sorted(plain, key=lambda m: float(np.hypot(*(middles[m] - middles[n]))))[:NEAREST]
            frames[n] = frames[n] * (float(np.median(heights[near])) / heights[n])
    return frames


def _box(quads: Sequence[Floats], frame: Floats) -> tuple[float, float, float, float]:
    """Left, top, right, bottom of a card's indices in a frame at the first one's top left, with the rim."""
    if abs(float(np.linalg.det(frame))) < 1e-6:
        return -RIM, -RIM, RIM, RIM
    local = np.linalg.solve(frame, (np.concatenate(quads) - quads[0][0]).T).T
    (left, top), (right, bottom) = local.min(axis=0) - RIM, local.max(axis=0) + RIM
    return float(left), float(top), float(right), float(bottom)
