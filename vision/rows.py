"""Which pieces lie side by side, and in which order they are read.

Every test is made in the local frame of the two pieces compared (their widths and heights are the units), so a row may
run at any angle, bend, and shrink with perspective. The order is the pieces' own: left to right as they stand.

Limits were measured on labelled photographs of laid melds, racks and scatter: neighbours of a meld lie up to half a
width apart, shifted by up to half a height, turned by up to 10 degrees; in a scatter some pairs come as close by
chance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from vision.flatten import Floats
from vision.geometry import area, shared_area
from vision.scene import Row, RowKind

GAP = 0.52
"""Widths between neighbours at which they no longer belong together."""
OVERLAP = 0.45
"""Widths by which a neighbour may lie over the other."""
SHIFT = 0.55
"""Heights by which a neighbour may be pushed up or down."""
TURN = 14.0
"""Degrees between neighbours."""
SIZE = 0.35
"""Natural logarithm of the ratio of their heights."""
CHANCE = 0.14
"""In a scatter a lone pair counts as a row only under this cost."""
CHANCE_LINK = 0.5
"""In a scatter two tiles of a longer row are linked only under this cost."""
SCATTERED = 0.9
"""Mean length of the tiles' directions (1 = all parallel, head or foot) under which a table counts as a scatter."""
FLIPPED = 0.15
"""Cost added where one of two neighbours stands on its head."""


@dataclass(frozen=True, slots=True)
class Link:
    """`right` lies to the right of `left` as the one with the lower index stands; `cost` under 1, 0 is a perfect fit;
    `flipped`: one of them stands on its head against the other."""

    cost: float
    left: int
    right: int
    flipped: bool


def tile_rows(quads: ArrayLike, known: Sequence[bool] | None = None) -> list[list[int]]:
    """Rows of tiles: each a list of indices in reading order; a tile without neighbours is a row of its own.

    `quads` (n, 4, 2) in pixels, clockwise from each tile's own top left; `known`: whether that upright can be relied
    on (face-down tiles have none). Rows come top to bottom, then left to right.
    """
    corners = np.asarray(quads, np.float64).reshape(-1, 4, 2)
    count = len(corners)
    sure = list(known) if known is not None else [True] * count
    links = _links(corners, sure)
    chains = _chains(count, links)
    if count >= 5 and _scattered(corners) and sum(len(c) for c in chains if len(c) > 2) <= 0.4 * count:
        # hardly any lie in a row of three: what lies near another is there by chance, unless it fits well
        chains = _chains(count, [link for link in links if link.cost < CHANCE_LINK])
        chains = _drop_chance_pairs(chains, links)
    return _sorted_rows([_in_reading_order(chain, corners, sure) for chain in chains], corners)


def _links(corners: Floats, sure: Sequence[bool]) -> list[Link]:
    """Every pair that could be neighbours, best first."""
    across = (corners[:, 1] + corners[:, 2] - corners[:, 0] - corners[:, 3]) / 2
    down = (corners[:, 2] + corners[:, 3] - corners[:, 0] - corners[:, 1]) / 2
    middle = corners.mean(axis=1)
    height = np.hypot(*down.T)
    reach = np.hypot(*across.T) * (1 + GAP) + height * SHIFT
    distance = np.hypot(*(middle[:, None] - middle[None]).transpose(2, 0, 1))
    i, j = np.nonzero(np.triu(distance < np.maximum(reach[:, None], reach[None]), 1))
    # a pair's own frame: the mean of both, `j` turned over where it stands on its head against `i`
    flipped = (across[i] * across[j]).sum(axis=1) < 0
    sign = np.where(flipped, -1.0, 1.0)[:, None]
    u, v = (across[i] + sign * across[j]) / 2, (down[i] + sign * down[j]) / 2
    area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    rightward = ((middle[j] - middle[i]) * u).sum(axis=1) > 0
    away = np.where(rightward, 1.0, -1.0)[:, None]
    gap = away * (middle[j] - middle[i]) - across[i] / 2 - sign * across[j] / 2
    safe = np.where(np.abs(area) < 1e-6, 1.0, area)
    along = (gap[:, 0] * v[:, 1] - gap[:, 1] * v[:, 0]) / safe
    shift = (u[:, 0] * gap[:, 1] - u[:, 1] * gap[:, 0]) / safe
    one, two = across[i], sign * across[j]
    turn = np.degrees(np.arctan2(one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0], (one * two).sum(axis=1)))
    size = np.log(np.maximum(height[i], 1e-6) / np.maximum(height[j], 1e-6))
    known = np.asarray(sure, bool)
    cost = (along / np.where(along > 0, GAP, OVERLAP)) ** 2 + (shift / SHIFT) ** 2 + (turn / TURN) ** 2
    cost += (size / SIZE) ** 2 + np.where(flipped & known[i] & known[j], FLIPPED, 0.0)
    left, right = np.where(rightward, i, j), np.where(rightward, j, i)
    links = [
        Link(float(cost[n]), int(left[n]), int(right[n]), bool(flipped[n]))
        for n in np.flatnonzero((cost < 1) & (np.abs(area) >= 1e-6))
    ]
    return sorted(links, key=lambda link: (link.cost, link.left, link.right))


def _chains(count: int, links: Sequence[Link]) -> list[list[int]]:
    """Join pieces end to end, best links first: each piece has one neighbour on either side.

    Sides are kept in a frame common to the chain: a piece that stands on its head in it has its sides exchanged.
    """
    chain_of = {i: [i] for i in range(count)}
    turned = [False] * count  # against the frame of its chain
    for link in links:
        first, second = chain_of[link.left], chain_of[link.right]
        if first is second:
            continue
        # the link speaks in the frame of the lower index
        base = min(link.left, link.right)
        other = max(link.left, link.right)
        one, two = chain_of[base], chain_of[other]
        left_is_base = link.left == base
        # in base's chain frame, `other` is on this side of `base`
        on_right = left_is_base != turned[base]
        end = one[-1] if on_right else one[0]
        if end != base:
            continue
        reverse = (turned[base] != turned[other]) != link.flipped
        members = two[::-1] if reverse else two
        if (members[0] if on_right else members[-1]) != other:
            continue
        if reverse:
            for piece in two:
                turned[piece] = not turned[piece]
        merged = [*one, *members] if on_right else [*members, *one]
        for piece in merged:
            chain_of[piece] = merged
    unique: dict[int, list[int]] = {}
    for chain in chain_of.values():
        unique.setdefault(min(chain), chain)
    return list(unique.values())


def _scattered(corners: Floats) -> bool:
    """Tiles lie at all angles. (On a rack and in melds laid by one player they are nearly parallel.)"""
    across = corners[:, 1] + corners[:, 2] - corners[:, 0] - corners[:, 3]
    double = 2 * np.arctan2(across[:, 1], across[:, 0])  # head or foot is all the same
    return len(corners) > 0 and float(np.hypot(np.cos(double).mean(), np.sin(double).mean())) < SCATTERED


def _drop_chance_pairs(chains: list[list[int]], links: Sequence[Link]) -> list[list[int]]:
    """Two tiles of a scatter are no row unless they lie as if laid together."""
    cost = {frozenset((link.left, link.right)): link.cost for link in reversed(links)}
    kept: list[list[int]] = []
    for chain in chains:
        if len(chain) == 2 and cost[frozenset(chain)] > CHANCE:
            kept.extend([piece] for piece in chain)
        else:
            kept.append(chain)
    return kept


def _in_reading_order(chain: list[int], corners: Floats, sure: Sequence[bool]) -> list[int]:
    """Turn a chain so that most of its pieces are upright when it is read from left to right."""
    if len(chain) < 2:
        return chain
    across = corners[:, 1] + corners[:, 2] - corners[:, 0] - corners[:, 3]
    run = corners[chain[-1]].mean(axis=0) - corners[chain[0]].mean(axis=0)
    votes = [float(np.sign(across[piece] @ run)) for piece in chain if sure[piece]]
    if not votes:  # all face down: as the picture lies
        votes = [float(np.sign(run[0] if abs(run[0]) >= abs(run[1]) else run[1]))]
    return chain if sum(votes) >= 0 else chain[::-1]


def _sorted_rows(chains: list[list[int]], corners: Floats) -> list[list[int]]:
    """Rows as a page is read: top to bottom in bands as high as a piece, left to right within a band."""
    if not chains:
        return []
    band = max(float(np.median([np.ptp(quad[:, 1]) for quad in corners])), 1.0)

    def place(chain: list[int]) -> tuple[int, float]:
        middle = corners[chain].mean(axis=(0, 1))
        return int(middle[1] // band), float(middle[0])

    return sorted(chains, key=place)


CARD_TURN = 35.0
"""Degrees between neighbours of a fan."""
CARD_COVERED = 0.12
"""Share of a card that a neighbour of its column, row or fan covers, or more."""
CARD_BESIDE = (0.72, 1.32)
"""Widths between the middles of two cards of a row in which none covers another."""
CARD_DROP = 0.2
"""Heights by which one of these may lie lower."""
CARD_ASKEW = 20.0
"""Degrees between these."""
CARD_BEND = 65.0
"""Degrees by which a column, row or fan may bend from one step to the next."""


@dataclass(frozen=True, slots=True)
class CardLink:
    """Two cards that may be neighbours; the lower the cost the likelier, `covered`: one lies on the other."""

    cost: float
    one: int
    two: int
    covered: bool


def card_rows(bodies: ArrayLike, known: Sequence[bool] | None = None) -> list[list[int]]:
    """Columns, rows and fans of cards, as `tile_rows` gives rows of tiles.

    `bodies` (n, 4, 2): the whole cards, clockwise from each one's own top left, as `vision.card_bodies.bodies` reckons
    them from their indices; `known`: whether that upright can be relied on. Cards that cover each other belong
    together; cards that only lie side by side do where none of either's row covers another.
    """
    whole = np.asarray(bodies, np.float64).reshape(-1, 4, 2)
    count = len(whole)
    sure = list(known) if known is not None else [True] * count
    middles = whole.mean(axis=1) if count else np.zeros((0, 2))
    chain_of = {n: [n] for n in range(count)}
    piled = [False] * count
    for link in _card_links(whole):
        first, second = chain_of[link.one], chain_of[link.two]
        if first is second or link.one not in (first[0], first[-1]) or link.two not in (second[0], second[-1]):
            continue
        if not link.covered and any(piled[n] for n in (*first, *second)):
            continue
        one = first if first[-1] == link.one else first[::-1]
        two = second if second[0] == link.two else second[::-1]
        joined = [*one, *two]
        if not _steady(middles[joined], len(one)):
            continue
        for n in joined:
            chain_of[n] = joined
            piled[n] = link.covered
    unique = {min(chain): chain for chain in chain_of.values()}
    return _sorted_rows([_card_order(chain, whole, sure) for chain in unique.values()], whole)


def _steady(path: Floats, seam: int) -> bool:
    """Whether a path (n, 2) of middles goes on in one direction where two ends of `seam` and the rest were joined."""
    for n in (seam - 1, seam):
        if 0 < n < len(path) - 1:
            back, on = path[n] - path[n - 1], path[n + 1] - path[n]
            length = float(np.hypot(*back) * np.hypot(*on))
            if length > 0 and float(back @ on) < math.cos(math.radians(CARD_BEND)) * length:
                return False
    return True


def _card_links(whole: Floats) -> list[CardLink]:
    """Every pair of cards that may be neighbours, best first: those that cover each other, the nearest first."""
    links = []
    areas = [area(quad) for quad in whole]
    for i in range(len(whole)):
        for j in range(i + 1, len(whole)):
            along, drop, turn = _card_offset(whole[i], whole[j])
            if turn > CARD_TURN or math.hypot(along, drop) > 2:
                continue
            shared = shared_area(whole[i], whole[j]) / max(min(areas[i], areas[j]), 1e-6)
            if shared > CARD_COVERED:
                links.append(CardLink(math.hypot(along, 1.4 * drop) + turn / 90, i, j, True))
            elif CARD_BESIDE[0] < along < CARD_BESIDE[1] and drop < CARD_DROP and turn < CARD_ASKEW:
                links.append(CardLink(3 + abs(along - 1.05) + drop + turn / 45, i, j, False))
    return sorted(links, key=lambda link: (link.cost, link.one, link.two))


def _card_offset(one: Floats, two: Floats) -> tuple[float, float, float]:
    """How far apart two cards lie along and down (widths, heights of their mean frame), and degrees between them."""
    across = [(q[1] + q[2] - q[0] - q[3]) / 2 for q in (one, two)]
    down = [(q[2] + q[3] - q[0] - q[1]) / 2 for q in (one, two)]
    turn = math.degrees(math.atan2(across[0][0] * across[1][1] - across[0][1] * across[1][0], across[0] @ across[1]))
    if abs(turn) > 90:  # a card on its head lies there like any other: its body is the same rectangle
        turn -= math.copysign(180, turn)
        across[1], down[1] = -across[1], -down[1]
    u, v = (across[0] + across[1]) / 2, (down[0] + down[1]) / 2
    size = abs(u[0] * v[1] - u[1] * v[0])
    if size < 1e-6:
        return math.inf, math.inf, 180.0
    gap = two.mean(axis=0) - one.mean(axis=0)
    return abs(gap[0] * v[1] - gap[1] * v[0]) / size, abs(u[0] * gap[1] - u[1] * gap[0]) / size, abs(turn)


def _card_order(chain: list[int], bodies: Floats, sure: Sequence[bool]) -> list[int]:
    """Left to right, or for a column top to bottom, in most cards' own upright."""
    if len(chain) < 2:
        return chain
    tellers = [c for c in chain if sure[c]] or chain
    # the way up of the others is only the picture's, which serves where nothing better is known
    across = (bodies[tellers, 1] - bodies[tellers, 0]).sum(axis=0)
    down = (bodies[tellers, 3] - bodies[tellers, 0]).sum(axis=0)
    middle = bodies[chain].mean(axis=1)
    run = middle[-1] - middle[0]
    along = across if abs(run @ across) * np.hypot(*down) >= abs(run @ down) * np.hypot(*across) else down
    if along @ run < 0:
        run = -run
    return [chain[n] for n in np.argsort(middle @ run, kind="stable")]


def classify(chains: Sequence[Sequence[int]], quads: ArrayLike, cards: bool = False) -> list[RowKind]:
    """The kind of each row: a lone piece is loose; cards in a row are a fan where they turn, else a meld; tiles on
    one or two straight tiers with gaps between are a rack."""
    corners = np.asarray(quads, np.float64).reshape(-1, 4, 2)
    kinds: list[RowKind] = ["loose" if len(chain) == 1 else "meld" for chain in chains]
    if cards:
        for n, chain in enumerate(chains):
            ends = [corners[chain[0]], corners[chain[-1]]]
            a, b = (q[1] - q[0] for q in ends)
            if len(chain) > 2 and abs(math.degrees(math.atan2(a[0] * b[1] - a[1] * b[0], a @ b))) > 12:
                kinds[n] = "fan"
        return kinds
    if _is_rack(chains, corners):
        return ["rack"] * len(chains)
    return kinds


def _is_rack(chains: Sequence[Sequence[int]], corners: Floats) -> bool:
    """All tiles on at most two tiers, and what stands on them is not laid like melds (loners, pairs, long rows)."""
    count = len(corners)
    if count < 4 or not any(len(chain) < 3 or len(chain) > 7 for chain in chains):
        return False
    across = (corners[:, 1] + corners[:, 2] - corners[:, 0] - corners[:, 3]) / 2
    down = (corners[:, 2] + corners[:, 3] - corners[:, 0] - corners[:, 1]) / 2
    u, v = np.median(across, axis=0), np.median(down, axis=0)
    cosine = (across @ u) / np.maximum(np.hypot(*across.T) * math.hypot(*u), 1e-9)
    if (np.abs(cosine) < math.cos(math.radians(10))).any():
        return False
    middle = corners.mean(axis=1)
    spread = middle - middle.mean(axis=0)
    longest = spread[np.argmax(np.abs(spread @ u))]
    line = longest if abs(longest @ u) > 0 else u
    line = line if abs(line @ v) < 0.5 * abs(line @ u) else u
    normal = np.array([-line[1], line[0]]) / max(math.hypot(*line), 1e-9)
    drop = np.sort(spread @ normal) / max(math.hypot(*v), 1e-9)
    tiers = 1 + int((np.diff(drop) > 0.35).sum())
    lone = sum(1 for chain in chains if len(chain) == 1)
    return tiers <= 2 and float(np.ptp(drop)) < 2.2 and lone < count


def to_rows(chains: Sequence[Sequence[int]], kinds: Sequence[RowKind]) -> tuple[Row, ...]:
    """Chains and their kinds as the Scene holds them."""
    return tuple(Row(tuple(chain), kind) for chain, kind in zip(chains, kinds, strict=True))
