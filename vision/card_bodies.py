"""Where whole cards lie, reckoned from the quads of their indices."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from vision.card_frames import frames, turned, usual_heights
from vision.flatten import Floats

CARD = (3.6, 4.9)
"""A card's width and height in heights of its index (rank and suit), about what common decks measure."""
SPANS = (1.55, 1.8)
"""Index heights from which a group of indices spans the card's width or height."""
RIM = 0.15
"""Index heights from an index to the card's edge."""
STRAIGHT = 0.25
"""Share of its distance by which an index that lies sideways or below may seem to be off the straight line."""
DIAGONAL = 0.35
"""The weight of the line between opposite indices, whose direction is that of usual cards only about."""


def bodies(
    cards: Sequence[Sequence[Floats]], flat: Floats | None = None, words: Sequence[bool] | None = None
) -> tuple[Floats, list[bool]]:
    """Where whole cards lie (n, 4, 2), each reckoned from the quads of its indices, and whether its way up is known.

    A lone index is its card's top left one; how large the card is tell the cards that show opposite corners, else
    what decks usually measure. A card that shows opposite corners is the same on its head, so its way up is taken
    from the picture's. `flat`: what levels the picture, as `vision.cards.level` gives it. `words`: cards whose index
    is of no usual size, jokers: how high one would be tell the cards nearest to them.
    """
    if not cards:
        return np.zeros((0, 4, 2)), []
    flat = np.eye(2) if flat is None else flat
    cards = [[quad @ flat.T for quad in quads] for quads in cards]
    own = _frames(cards, words or [False] * len(cards))
    usual, _ = _usual([_box(quads, frame) for quads, frame in zip(cards, own, strict=True)], cards)
    own = [_straightened(quads, frame, usual) for quads, frame in zip(cards, own, strict=True)]
    boxes = [_box(quads, frame) for quads, frame in zip(cards, own, strict=True)]
    usual, spans = _usual(boxes, cards)
    result, known = [], []
    for quads, frame, (left, top, right, bottom), (across, high) in zip(cards, own, boxes, spans, strict=True):
        right = right if across else left + usual[0]
        bottom = bottom if high else top + usual[1]
        corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
        body = quads[0][0] + corners @ frame.T
        if high and body[0, 1] + body[1, 1] > body[2, 1] + body[3, 1]:
            body = np.roll(body, 2, axis=0)
        result.append(body)
        known.append(not high)
    return np.stack(result) @ np.linalg.inv(flat).T, known


Box = tuple[float, float, float, float]


def _usual(boxes: Sequence[Box], cards: Sequence[Sequence[Floats]]) -> tuple[tuple[float, float], list[list[bool]]]:
    """A card's width and height in index heights, and which cards span theirs: one index alone, however long its word,
    spans nothing."""
    sizes = np.array([(right - left, bottom - top) for left, top, right, bottom in boxes])
    spans = (sizes >= SPANS) & np.array([len(quads) > 1 for quads in cards], bool).reshape(-1, 1)
    width, height = (
        float(np.median(sizes[spans[:, axis], axis])) if spans[:, axis].any() else CARD[axis] for axis in (0, 1)
    )
    return (width, height), [[bool(one) for one in row] for row in spans]


def _frames(cards: Sequence[Sequence[Floats]], words: Sequence[bool]) -> list[Floats]:
    """Each card's frame: the mean of its indices', turned as the first one is; jokers' as long as the indices about
    them are high."""
    result = []
    for quads in cards:
        found = frames(np.stack(quads))
        heads = np.sign(found[:, :, 1] @ found[0, :, 1])
        mean = (found * np.where(heads < 0, -1.0, 1.0)[:, None, None]).mean(axis=0)
        result.append(np.asarray(mean, np.float64))
    heights = np.array([float(np.hypot(*frame[:, 1])) for frame in result])
    middles = np.stack([quads[0].mean(axis=0) for quads in cards])
    usual = usual_heights(middles, middles, heights, ~np.array(words, bool))
    return [
        frame * (height / own) if word and own > 0 and np.isfinite(height) else frame
        for frame, word, own, height in zip(result, words, heights, usual, strict=True)
    ]


def _straightened(quads: Sequence[Floats], frame: Floats, usual: tuple[float, float]) -> Floats:
    """The frame of a card turned so that its indices lie where a card has them: a line from corner to corner is many
    times longer than an index, so it tells far better how the card is turned."""
    height = float(np.hypot(*frame[:, 1]))
    if len(quads) < 2 or height < 1e-6:
        return frame
    found = frames(np.stack(quads))
    off, weights = [0.0], [float(len(quads))]
    for n in range(1, len(quads)):
        alike = float(found[n, :, 1] @ found[0, :, 1]) > 0
        right, below = _apart(frame, quads[0].mean(axis=0), quads[n].mean(axis=0))
        weight = right**2 + below**2
        if alike:
            off.append(math.atan2(below, right) if right > 0 else math.atan2(-below, -right))
        elif abs(right) < STRAIGHT * below:
            off.append(math.atan2(-right, below))
        else:
            outer = 0 if right > 0 else 1  # from a corner of the card to the opposite one, whatever lies in them
            right, below = _apart(frame, quads[0][outer], quads[n][outer])
            away = math.atan2(below, abs(right)) - math.atan2(usual[1] - 2 * RIM, usual[0] - 2 * RIM)
            off.append(away if right > 0 else -away)
            weight *= DIAGONAL
        weights.append(weight)
    return turned(frame, float(np.average(off, weights=weights)))


def _apart(frame: Floats, start: Floats, end: Floats) -> tuple[float, float]:
    """How far right and below `end` lies from `start` in a frame."""
    right, below = np.linalg.solve(frame, end - start)
    return float(right), float(below)


def _box(quads: Sequence[Floats], frame: Floats) -> Box:
    """Left, top, right, bottom of a card's indices in a frame at the first one's top left, with the rim."""
    if abs(float(np.linalg.det(frame))) < 1e-6:
        return -RIM, -RIM, RIM, RIM
    local = np.linalg.solve(frame, (np.concatenate(quads) - quads[0][0]).T).T
    (left, top), (right, bottom) = local.min(axis=0) - RIM, local.max(axis=0) + RIM
    return float(left), float(top), float(right), float(bottom)
