"""Where pieces lie in the picture: outlines, gaps, the nearest seat. Plain geometry on quads in pixels."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence

from companion.table.values import Outline, Seat
from vision.scene import Piece, Point, Quad, Scene

GROW = 1.12
"""By how much pieces are enlarged in an outline, so that it runs around them."""


def centre(quad: Quad) -> Point:
    """The middle of four corners."""
    return sum(x for x, _ in quad) / 4, sum(y for _, y in quad) / 4


def outline(quads: Iterable[Quad]) -> Outline:
    """The convex polygon around pieces, each a little enlarged, clockwise on the screen."""
    points: list[Point] = []
    for quad in quads:
        mx, my = centre(quad)
        points += [(mx + (x - mx) * GROW, my + (y - my) * GROW) for x, y in quad]
    return tuple((round(x, 1), round(y, 1)) for x, y in _hull(points))


def _hull(points: Sequence[Point]) -> list[Point]:
    """Andrew's monotone chain."""
    rest = sorted(set(points))
    if len(rest) < 3:
        return rest

    def half(ordered: Iterable[Point]) -> list[Point]:
        chain: list[Point] = []
        for point in ordered:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0:
                chain.pop()
            chain.append(point)
        return chain[:-1]

    return half(rest) + half(reversed(rest))


def _turn(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def gaps(pieces: Sequence[Piece]) -> tuple[float, ...]:
    """Free room between neighbours of a row, in their widths; negative where they overlap."""
    found = []
    for one, two in itertools.pairwise(pieces):
        width = (_side(one.quad) + _side(two.quad)) / 2
        found.append(math.dist(centre(one.quad), centre(two.quad)) / max(width, 1e-6) - 1)
    return tuple(found)


def _side(quad: Quad) -> float:
    return (math.dist(quad[0], quad[1]) + math.dist(quad[3], quad[2])) / 2


_SIDES: dict[int, tuple[Point, ...]] = {
    1: ((0.5, 1.0),),
    2: ((0.5, 1.0), (0.5, 0.0)),
    3: ((0.5, 1.0), (1.0, 0.5), (0.0, 0.5)),
    4: ((0.5, 1.0), (1.0, 0.5), (0.5, 0.0), (0.0, 0.5)),
}


def seats(players: Sequence[str]) -> tuple[Seat, ...]:
    """Players around the picture: the first at its lower side, on counter-clockwise as turns pass (RULES.md 1.1.2)."""
    places = _SIDES.get(len(players)) or tuple(
        (0.5 + 0.5 * math.sin(turn), 0.5 + 0.5 * math.cos(turn))
        for turn in (2 * math.pi * n / len(players) for n in range(len(players)))
    )
    return tuple(Seat(player, x, y) for player, (x, y) in zip(players, places, strict=True))


def nearest(scene: Scene, pieces: Iterable[int], at: Sequence[Seat]) -> str | None:
    """Who sits nearest to the middle of these pieces, distances in shares of the picture; None without seats."""
    middles = [centre(scene.pieces[piece].quad) for piece in pieces]
    if not at or not middles:
        return None
    x = sum(px for px, _ in middles) / len(middles) / scene.width
    y = sum(py for _, py in middles) / len(middles) / scene.height
    return min(at, key=lambda seat: math.hypot(seat.x - x, seat.y - y)).player
