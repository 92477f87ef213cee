"""Many looks at one piece, gathered into one reading.

Looks at a still piece err alike (the same glare, the same blur), so their logarithms are averaged, older ones are
slowly forgotten, and the whole counts as a few independent looks, never as thirty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.flatten import Floats
from vision.identify import TURNED_AT_LEAST, Hypothesis, Reading

MEMORY = 8
"""Looks over which the average runs."""
EACH, MOST = 0.3, 3.0
"""What each further look adds to the first, and as how many independent looks all of them count at most."""
SMALLEST = 1e-6
"""No look rules a face out more surely than this."""
SAME_WAY = 0.7
"""Cosine from which two ways up are one."""


@dataclass(frozen=True, eq=False)
class _Way:
    """One way up: the newest look at it, and averaged logarithms of weight, ranks and colours."""

    newest: Hypothesis
    weight: float
    rank: Floats
    colour: Floats
    looks: int


class Votes:
    """The looks at one piece. `looks`: how many."""

    def __init__(self, first: Reading) -> None:
        self.looks = 1
        self._newest = first
        self._ways = [_way(hypothesis) for hypothesis in first.hypotheses]
        self._agreement = first.agreement
        self.reading = first

    def add(self, look: Reading) -> None:
        """One more look at the piece, where it lies now."""
        self.looks += 1
        share = 1 / min(self.looks, MEMORY)
        ways = []
        fresh = list(look.hypotheses)
        for way in self._ways:
            mine = next((h for h in fresh if float(down(h.quad) @ down(way.newest.quad)) > SAME_WAY), None)
            if mine is None:
                unseen = float(np.log(TURNED_AT_LEAST))
                ways.append(replace(way, weight=way.weight + share * (unseen - way.weight)))
                continue
            fresh.remove(mine)
            one, part = _way(mine), 1 / min(way.looks + 1, MEMORY)
            ways.append(_Way(
                mine,
                way.weight + share * (one.weight - way.weight),
                way.rank + part * (one.rank - way.rank),
                way.colour + part * (one.colour - way.colour),
                way.looks + 1,
            ))
        ways += [replace(_way(h), weight=float(np.log(max(h.weight * share, SMALLEST)))) for h in fresh]
        self._ways = ways
        self._agreement += share * (look.agreement - self._agreement)
        self._newest = look
        self.reading = self._gathered()

    def moved(self, transform: Floats) -> None:
        """Carry the piece along by a homography (3, 3) of the picture."""
        self._ways = [replace(way, newest=_carried(way.newest, transform)) for way in self._ways]
        self._newest = carried(self._newest, transform)
        self.reading = self._gathered()

    def _gathered(self) -> Reading:
        hypotheses = [
            Hypothesis(way.newest.quad, 1.0, _power(way.rank, way.looks), _power(way.colour, way.looks),
                       way.newest.crop)
            for way in self._ways
        ]
        whole = Reading(self._newest.kind, self._newest.spot, tuple(hypotheses), self._agreement)
        return whole.weighed(list(_power(np.array([way.weight for way in self._ways]), self.looks)))


def carried(reading: Reading, transform: Floats) -> Reading:
    """A reading with its quads carried along by a homography (3, 3) of the picture."""
    spot = replace(reading.spot, quad=carry(reading.spot.quad, transform))
    return replace(reading, spot=spot, hypotheses=tuple(_carried(h, transform) for h in reading.hypotheses))


def carry(points: Floats, transform: Floats) -> Floats:
    """Points (n, 2) through a homography (3, 3)."""
    through = np.column_stack([points, np.ones(len(points))]) @ transform.T
    return np.asarray(through[:, :2] / through[:, 2:], np.float64)


def down(quad: Floats) -> Floats:
    """The unit vector from a quad's own top to its bottom."""
    way = quad[2] + quad[3] - quad[0] - quad[1]
    return np.asarray(way / max(float(np.hypot(*way)), 1e-9), np.float64)


def _carried(hypothesis: Hypothesis, transform: Floats) -> Hypothesis:
    return replace(hypothesis, quad=carry(hypothesis.quad, transform))


def _way(hypothesis: Hypothesis) -> _Way:
    return _Way(
        hypothesis, float(np.log(max(hypothesis.weight, SMALLEST))), _logs(hypothesis.rank), _logs(hypothesis.colour), 1
    )


def _logs(p: Floats) -> Floats:
    return np.asarray(np.log(np.maximum(p, SMALLEST)), np.float64)


def _power(logs: Floats | Sequence[float], looks: int) -> Floats:
    """Probabilities out of averaged logarithms of so many looks."""
    scaled = np.asarray(logs, np.float64) * min(1 + EACH * (looks - 1), MOST)
    powers = np.exp(scaled - scaled.max())
    return np.asarray(powers / powers.sum(), np.float64)
