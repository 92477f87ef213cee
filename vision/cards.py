"""Which index quads belong to one physical card, by where they lie to one another.

A card shows its index in two opposite corners, in some decks in all four. Seen from one index, upright, another index
of the same card lies sideways (the same way up), below or above (on its head), or opposite (on its head). Two packs
hold every card twice, so the face alone decides nothing.

A joker's index may be a word down the side or a star, so its size tells nothing: how large its card is tell the other
cards. Where there are none, one joker or two is a guess, and said to be one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.card_frames import frames, leaning, skewness, stretches, usual_heights
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
BROAD = 0.6
"""An index's usual width in its heights, until the photo's own tell."""
STRAIGHT = 0.17
"""Share of its distance by which an index sideways or below may be off the straight line."""
SLACK = 0.35
"""Natural logarithm by which a pair may differ from the distances usual on this photo."""
LONE = 0.8
"""The same for the only two indices of a face: two cards of it would have to lie just so by chance."""
JOKER = {SIDEWAYS: 0.2, BELOW: 0.2, OPPOSITE: 0.33}
"""The same for a joker, whose distances are taken from the corners of the card."""
TOLD = (0.75, 1.6)
"""Shares of that between which one joker or two is a question."""
TELLING = 3
"""So many cards with opposite corners tell the stretch."""
MANY = 6
"""So many indices tell it by their right angles."""
LEVEL = 0.08
"""Radians by which indices of cards on a plane are off right angles at most."""
PLAIN = 0.12
"""Spread of the distances (natural logarithm) that a whole unit of stretch must save to be believed."""
DOUBTFUL = 0.8
"""Probability of its best face under which an index is hardly read."""
EXACT = 0.25
"""The same as SLACK for an index whose face tells nothing."""
VERY = 0.15
"""The same where both indices are read, and read apart: the next card of a column lies hardly further off."""
SAME = 0.3
"""Least agreement of two readings (Bhattacharyya coefficient) for one card."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two readings that may be one card: which corners apart, and how far across and down.

    In heights of the index, from middle to middle; for jokers (`face` "*") in heights of the usual indices about them,
    from the card's corner to its other corner. `sized`: there are such indices. `leaning`: right and below as the
    indices' own sides have it, where the card may not lie flat.
    """

    one: int
    two: int
    apart: int
    right: float
    below: float
    face: str
    sized: bool = True
    leaning: tuple[float, float] | None = None

    def off(self, usual: tuple[float, float], broad: float) -> float:
        """How far the pair is from the usual distances (natural logarithm); `broad`: width of an index."""
        width, height = (usual[0] + broad, usual[1] + 1) if self.face == "*" else usual
        if not self.sized:  # its shape alone can be told
            shape = abs(math.log(abs(self.right) / max(self.below, 1e-6) * height / width))
            return shape if self.apart == OPPOSITE else 0.0
        found = []
        for right, below in filter(None, [(self.right, self.below), self.leaning]):
            wide = abs(math.log(abs(right) / width)) if self.apart & SIDEWAYS else 0.0
            high = abs(math.log(abs(below) / height)) if self.apart & BELOW else 0.0
            found.append(max(wide, high))
        return min(found)


@dataclass(frozen=True, slots=True)
class _Photo:
    """The indices of a photo, levelled: which readings are index corners, their best faces, and geometry by reading."""

    readings: Sequence[Reading]
    faces: tuple[str, ...]
    sure: tuple[float, ...]
    alike: NDArray[np.bool_]
    quads: Floats
    frames: Floats
    leaning: Floats
    heights: Floats
    units: Floats


def one_card(readings: Sequence[Reading]) -> list[tuple[int, ...]]:
    """Group readings into physical cards: up to four indices each, lone indices, backs. Every reading appears once,
    a card's indices best first."""
    return together(readings)[0]


def together(readings: Sequence[Reading]) -> tuple[list[tuple[int, ...]], frozenset[int]]:
    """The readings grouped into physical cards, as `one_card` says, and those of jokers of which the photo does not
    tell whether they are one card or two."""
    photo = _photo(readings, level(readings))
    pairs = _pairs(photo)
    lone = _lone([pair for pair in pairs if pair.apart == OPPOSITE])
    usual, broad = USUAL, BROAD
    if lone:
        usual = (float(np.median([abs(p.right) for p in lone])), float(np.median([abs(p.below) for p in lone])))
        indices = photo.quads[[n for p in lone for n in (p.one, p.two)]]
        wide = np.hypot(*(indices[:, 1] + indices[:, 2] - indices[:, 0] - indices[:, 3]).T) / 2
        broad = float(np.median(wide / np.maximum(photo.heights[[n for p in lone for n in (p.one, p.two)]], 1e-6)))
    if not _four_corners(pairs, usual):
        # an index is then always top left: the other lies to its right; but a joker has words where it likes
        pairs = [pair for pair in pairs if pair.face == "*" or (pair.apart == OPPOSITE and pair.right > 0)]
    card = _merged(len(readings), pairs, usual, broad)
    _add_doubtful(photo, usual, card)
    _add_misread(photo, usual, card)
    unsure = frozenset(
        n for pair in pairs if pair.face == "*" and _untold(pair, card, usual, broad) for n in (pair.one, pair.two)
    )
    cards = {id(members): members for members in card.values()}
    grouped = [tuple(sorted(members, key=lambda n: (-readings[n].spot.score, n))) for members in cards.values()]
    return sorted(grouped, key=min), unsure


def _merged(
    count: int, pairs: Sequence[Pair], usual: tuple[float, float], broad: float
) -> dict[int, dict[int, int]]:
    """Each reading's card: its members and their corners, the best pairs joined first."""
    only = Counter(index for pair in pairs for index in (pair.one, pair.two))
    link = {(pair.one, pair.two): pair for pair in pairs}
    card = {n: {n: 0} for n in range(count)}
    for pair in sorted(pairs, key=lambda p: (p.apart != OPPOSITE, p.off(usual, broad), p.one, p.two)):
        first, second = card[pair.one], card[pair.two]
        slack = JOKER[pair.apart] if pair.face == "*" else LONE if only[pair.one] == only[pair.two] == 1 else SLACK
        if first is second or pair.off(usual, broad) > slack:
            continue
        if not pair.sized and pair.apart != OPPOSITE and min(len(first), len(second)) < 2:
            continue  # two words side by side: of two jokers as well as of one
        shift = first[pair.one] ^ pair.apart ^ second[pair.two]
        moved = {n: corner ^ shift for n, corner in second.items()}
        if set(moved.values()) & set(first.values()) or not _rectangle({**first, **moved}, link):
            continue
        first.update(moved)
        for n in moved:
            card[n] = first
    return card


def _rectangle(corners: Mapping[int, int], link: Mapping[tuple[int, int], Pair]) -> bool:
    """Whether indices in these corners of a card (but for a turn of all) lie to one another as corners do."""
    members = sorted(corners)
    ends = [(i, j) for k, i in enumerate(members) for j in members[k + 1 :]]
    for mirrored in (0, 1):
        agreed, against = 0, False
        for i, j in ends:
            pair = link.get((i, j))
            if pair is None or pair.apart != corners[i] ^ corners[j]:
                continue  # a little askew, it looks like another one
            # seen from an index that stands on its head, left is right
            rightward = bool((corners[i] ^ mirrored) & SIDEWAYS) == bool(corners[i] & BELOW)
            against = against or bool(pair.apart & SIDEWAYS and (pair.right > 0) != rightward)
            agreed += 1
        if not against and 2 * agreed >= len(ends):
            return True
    return False


def _untold(pair: Pair, card: Mapping[int, Mapping[int, int]], usual: tuple[float, float], broad: float) -> bool:
    """Whether two indices of jokers may be one card as well as two."""
    close = pair.off(usual, broad) / JOKER[pair.apart]
    if card[pair.one] is card[pair.two]:
        return not pair.sized or (len(card[pair.one]) == 2 and close > TOLD[0])
    if len(card[pair.one]) > 1 and len(card[pair.two]) > 1:
        return False
    return not pair.sized or close < TOLD[1]


def _add_doubtful(photo: _Photo, usual: tuple[float, float], card: dict[int, dict[int, int]]) -> None:
    """A lone index that is hardly read is the other index of the one card that wants it in that very place."""
    count = len(photo.readings)
    for n in range(count):
        if len(card[n]) > 1 or (photo.sure[n] >= DOUBTFUL and photo.faces[n] != UNKNOWN):
            continue
        fits = [
            m for m in range(count)
            if m != n and photo.sure[m] >= DOUBTFUL and photo.faces[m] not in (UNKNOWN, BACK, "*") and len(card[m]) == 1
            and (pair := _pair(photo, m, n)) is not None
            and pair.apart == OPPOSITE and pair.right > 0 and pair.off(usual, BROAD) < EXACT
        ]  # fmt: skip
        if len(fits) == 1:
            card[fits[0]][n] = card[fits[0]][fits[0]] ^ OPPOSITE
            card[n] = card[fits[0]]


def _add_misread(photo: _Photo, usual: tuple[float, float], card: dict[int, dict[int, int]]) -> None:
    """Two lone indices that lie just as those of one card do, read as one rank in two suits of one ink or as two ranks
    in one suit, are one card of which one is misread: another card would show more of itself."""
    lone = [
        n for n in range(len(photo.readings))
        if len(card[n]) == 1 and photo.readings[n].spot.kind == "card_index" and photo.faces[n] not in (UNKNOWN, "*")
    ]  # fmt: skip
    fits: dict[int, list[int]] = {n: [] for n in lone}
    for k, n in enumerate(lone):
        for m in lone[k + 1 :]:
            pair = _pair(photo, n, m)
            if (
                pair is not None and pair.apart == OPPOSITE and pair.right > 0 and pair.off(usual, BROAD) < VERY
                and _near_miss(photo.faces[n], photo.faces[m])
            ):  # fmt: skip
                fits[n].append(m)
                fits[m].append(n)
    for n, others in fits.items():
        if len(others) == 1 and fits[others[0]] == [n] and n < others[0]:
            card[n][others[0]] = card[n][n] ^ OPPOSITE
            card[others[0]] = card[n]


def _near_miss(one: str, two: str) -> bool:
    """Are these faces of one rank and one ink, or of one suit?"""
    if one[-1] == two[-1]:
        return one != two
    return one[:-1] == two[:-1] and {one[-1], two[-1]} in ({"S", "C"}, {"H", "D"})


def level(readings: Sequence[Reading]) -> Floats:
    """The matrix (2, 2) that takes the picture's pixels back to a table seen from straight above, but for scale and
    turn: the one that makes the cards that show opposite corners the most alike, and the corners of the indices right
    angles. The unit matrix where none is told.
    """
    flat = np.eye(2)
    photo = _photo(readings, flat)
    lone = _lone([pair for pair in _pairs(photo) if pair.apart == OPPOSITE and pair.right > 0])
    ends = np.array([[pair.one, pair.two] for pair in lone], int).reshape(-1, 2)
    plain = [
        n for n, reading in enumerate(readings)
        if reading.spot.kind == "card_index" and photo.faces[n] not in (UNKNOWN, "*")
    ]  # fmt: skip
    if len(lone) < TELLING and len(plain) < MANY:
        return flat
    ways = stretches()
    costs = np.array([PLAIN * (stretch - 1) for stretch, _ in ways])
    if len(lone) >= TELLING:
        costs += [_spread(photo.quads[ends[:, 0]] @ tried.T, photo.quads[ends[:, 1]] @ tried.T) for _, tried in ways]
    if len(plain) >= MANY:
        skews = np.array([skewness(photo.quads[plain] @ tried.T) for _, tried in ways])
        # where the best still leaves them askew the cards lie on no plane, each leaning its own way
        costs += skews * min(1.0, (LEVEL / max(float(skews.min()), 1e-9)) ** 2)
    return ways[int(costs.argmin())][1]


def _spread(one: Floats, two: Floats) -> float:
    """How much the distances between indices (n, 4, 2) of cards differ on a levelled picture (natural logarithm)."""
    frame = (frames(one) - frames(two)) / 2
    gap = two.mean(axis=1) - one.mean(axis=1)
    size = np.maximum((frame[:, :, 0] ** 2).sum(axis=1), 1e-9)
    spans = np.abs(np.einsum("nij,ni->nj", frame, gap)) / size[:, None]
    logs = np.log(np.maximum(spans, 0.1))
    return float(np.abs(logs - np.median(logs, axis=0)).mean(axis=0).sum())


def _photo(readings: Sequence[Reading], flat: Floats) -> _Photo:
    """The readings levelled by `flat`."""
    every = [reading.faces for reading in readings]
    best = [max(faces.items(), key=lambda face: face[1]) for faces in every]
    quads = np.array([reading.quad for reading in readings], np.float64).reshape(-1, 4, 2) @ flat.T
    found = frames(quads)
    heights = np.hypot(*found[:, :, 1].T)
    index = np.array([reading.spot.kind == "card_index" for reading in readings], bool)
    plain = index & np.array([face not in ("*", UNKNOWN) for face, _ in best], bool)
    middles = quads.mean(axis=1)
    return _Photo(
        readings, tuple(face for face, _ in best), tuple(p for _, p in best), _alike(every), quads, found,
        leaning(quads), heights, usual_heights(middles, middles, heights, plain),
    )  # fmt: skip


def _alike(every: Sequence[Mapping[str, float]]) -> NDArray[np.bool_]:
    """Which readings (n, n) may show the same face, by the probabilities of their faces."""
    names = {face: k for k, face in enumerate(dict.fromkeys(f for faces in every for f in faces))}
    roots = np.zeros((len(every), len(names)))
    for n, faces in enumerate(every):
        for face, p in faces.items():
            if face not in (UNKNOWN, BACK):
                roots[n, names[face]] = math.sqrt(max(p, 0.0))
    return np.asarray(roots @ roots.T > SAME, bool)


def _pairs(photo: _Photo) -> list[Pair]:
    """Every two readings that may be one card."""
    near = np.argwhere(np.triu(photo.alike, 1)).tolist()
    return [pair for i, j in near if (pair := _pair(photo, i, j)) is not None]


def _lone(pairs: Sequence[Pair]) -> list[Pair]:
    """Pairs of which neither index is in another, jokers left out."""
    among = Counter(index for pair in pairs for index in (pair.one, pair.two))
    return [pair for pair in pairs if pair.face != "*" and among[pair.one] == among[pair.two] == 1]


def _four_corners(pairs: Sequence[Pair], usual: tuple[float, float]) -> bool:
    """The deck on this photo shows four indices a card: pairs that two corners can't make, closed by a third index
    or seen on two faces."""
    plain = [p for p in pairs if p.face != "*" and p.off(usual, BROAD) < SLACK]
    odd = [p for p in plain if p.apart != OPPOSITE or p.right < 0]
    linked = {frozenset((p.one, p.two)) for p in plain}
    for p in odd:
        for n in {m for pair in linked for m in pair} - {p.one, p.two}:
            if frozenset((p.one, n)) in linked and frozenset((p.two, n)) in linked:
                return True
    return len({p.face for p in odd if p.apart == SIDEWAYS}) >= 2


def _pair(photo: _Photo, i: int, j: int) -> Pair | None:
    """How `j` lies to `i`, if the two can be indices of one card by their places alone."""
    if any(photo.readings[n].spot.kind != "card_index" for n in (i, j)):
        return None
    heights = [float(photo.heights[n]) for n in (i, j)]
    if min(heights) < 1e-6 or abs(math.log(heights[0] / heights[1])) > SIZE:
        return None
    one, two = photo.frames[i], photo.frames[j]
    # by their sides alone, or by sides and tops: whichever agrees better
    sides = photo.leaning[i, :, 1], photo.leaning[j, :, 1]
    cosines = [float(a @ b) / float(np.hypot(*a) * np.hypot(*b)) for a, b in ((one[:, 1], two[:, 1]), sides)]
    cosine = max(cosines, key=abs)
    if abs(cosine) < math.cos(math.radians(TURN)):
        return None
    sign = 1.0 if cosine > 0 else -1.0
    frame = (one + sign * two) / 2  # the mean of what either index says, in the first one's
    first, second = photo.quads[i], photo.quads[j]
    right, below = (float(v) for v in np.linalg.solve(frame, second.mean(axis=0) - first.mean(axis=0)))
    face, sized = photo.faces[i], True
    wide, high = WIDE, HIGH
    if face == "*":
        unit = float(np.mean([photo.units[n] for n in (i, j)]))
        sized = math.isfinite(unit)
        if sized:
            frame = frame * (unit / float(np.hypot(*frame[:, 1])))
        # from where the first one begins to where the other one ends
        corner = (0, 1) if right > 0 else (1, 0)
        start, end = corner if cosine > 0 else (corner[0], corner[0])
        right, below = (float(v) for v in np.linalg.solve(frame, second[end] - first[start]))
        wide, high = (0.0, math.inf), (0.0, math.inf)
    kind = _apart(right, below, cosine > 0, wide, high)
    if face == "*":
        return Pair(i, j, kind, right, below, face, sized) if kind else None
    own = (photo.leaning[i] + sign * photo.leaning[j]) / 2
    if abs(float(np.linalg.det(own))) < 1e-6:
        return None
    leant = [float(v) for v in np.linalg.solve(own, second.mean(axis=0) - first.mean(axis=0))]
    other = _apart(leant[0], leant[1], cosine > 0, wide, high)
    if kind and other == kind:
        return Pair(i, j, kind, right, below, face, True, (leant[0], leant[1]))
    if kind != OPPOSITE and other == OPPOSITE:
        return Pair(i, j, other, leant[0], leant[1], face)
    return Pair(i, j, kind, right, below, face) if kind else None


def _apart(right: float, below: float, alike: bool, wide: tuple[float, float], high: tuple[float, float]) -> int:
    """Which corners lie so far apart; 0 where none do. `alike`: both stand the same way up."""
    across, down = wide[0] < abs(right) < wide[1], high[0] < below < high[1]
    if alike:
        return SIDEWAYS if across and abs(below) < STRAIGHT * abs(right) else 0
    if down and abs(right) < STRAIGHT * below:
        return BELOW
    return OPPOSITE if across and down else 0
