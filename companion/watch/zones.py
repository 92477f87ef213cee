"""Where each player lays, on the picture of a fixed camera: polygons in shares of its width and height."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from companion.games.messages import N_

SCHEMA = 1
FILE = "zones.json"
MOST_ZONES = 12
CORNERS = range(3, 13)
"""How many corners a zone may have."""
LONGEST_NAME = 80

Point = tuple[float, float]

NO_ZONES = N_("These are no zones of a table: %(why)s")
WHY: Mapping[str, str] = {
    "list": N_("a list of zones is needed."),
    "many": N_("there may be at most 12."),
    "name": N_("each one needs the name of a player, and each player has one."),
    "corners": N_("each one needs 3 to 12 corners within the picture."),
    "thin": N_("one of them has no room inside."),
}
"""What may be wrong, as templates for translation."""


class ZoneError(ValueError):
    """Zones that can't be used. ``why`` is a key of :data:`WHY`; the message is a sentence."""

    def __init__(self, why: str) -> None:
        super().__init__(NO_ZONES % {"why": WHY[why]})
        self.why = why


@dataclass(frozen=True, slots=True)
class Zone:
    """A player's part of the picture: ``corners`` in order, each (x, y) from 0 to 1 of width and height."""

    player: str
    corners: tuple[Point, ...]

    @property
    def middle(self) -> Point:
        """The mean of the corners."""
        n = len(self.corners)
        return sum(x for x, _ in self.corners) / n, sum(y for _, y in self.corners) / n

    def holds(self, x: float, y: float) -> bool:
        """Whether a point lies inside, by the even-odd rule."""
        inside = False
        for (x1, y1), (x2, y2) in zip(self.corners, (*self.corners[1:], self.corners[0]), strict=True):
            if (y1 > y) != (y2 > y) and x < (x2 - x1) * (y - y1) / (y2 - y1) + x1:
                inside = not inside
        return inside

    @property
    def area(self) -> float:
        """Share of the picture that it covers."""
        pairs = zip(self.corners, (*self.corners[1:], self.corners[0]), strict=True)
        return abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in pairs)) / 2


@dataclass(frozen=True, slots=True)
class Zones:
    """The zones of one camera. Without any, pieces go to whoever sits nearest."""

    zones: tuple[Zone, ...] = field(default_factory=tuple)

    def __bool__(self) -> bool:
        return bool(self.zones)

    def seated(self, names: Sequence[str]) -> Zones:
        """The zones with the players of a match in them: by name, the others in the order of their zones.

        A zone nobody is left for is dropped.
        """
        taken = {zone.player for zone in self.zones if zone.player in names}
        rest = iter([name for name in names if name not in taken])
        found = []
        for zone in self.zones:
            name = zone.player if zone.player in taken else next(rest, None)
            if name is not None:
                found.append(Zone(name, zone.corners))
        return Zones(tuple(found))

    def owner(self, x: float, y: float) -> str | None:
        """Whose zone a point lies in; where zones overlap, the one whose middle is nearest. None outside of all."""
        around = [zone for zone in self.zones if zone.holds(x, y)]
        if not around:
            return None
        return min(around, key=lambda zone: math.dist(zone.middle, (x, y))).player

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return {
            "schema": SCHEMA,
            "zones": [{"player": one.player, "corners": [list(point) for point in one.corners]} for one in self.zones],
        }

    @classmethod
    def from_dict(cls, value: object) -> Zones:
        """Read the JSON form, checking all of it. Raises ZoneError."""
        listed = value.get("zones") if isinstance(value, Mapping) else None
        if not isinstance(listed, list):
            raise ZoneError("list")
        if len(listed) > MOST_ZONES:
            raise ZoneError("many")
        zones = tuple(_zone(item) for item in listed)
        if len({zone.player for zone in zones}) != len(zones):
            raise ZoneError("name")
        return cls(zones)


def _zone(item: object) -> Zone:
    if not isinstance(item, Mapping):
        raise ZoneError("list")
    player, corners = item.get("player"), item.get("corners")
    if not isinstance(player, str) or not 0 < len(player.strip()) <= LONGEST_NAME:
        raise ZoneError("name")
    if not isinstance(corners, list) or len(corners) not in CORNERS:
        raise ZoneError("corners")
    zone = Zone(player.strip(), tuple(_corner(corner) for corner in corners))
    if zone.area < 1e-3:
        raise ZoneError("thin")
    return zone


def _corner(value: object) -> Point:
    if not isinstance(value, list) or len(value) != 2:
        raise ZoneError("corners")
    x, y = value
    for share in (x, y):
        if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 <= share <= 1:
            raise ZoneError("corners")
    return round(float(x), 4), round(float(y), 4)


def load(path: Path) -> Zones:
    """The zones kept in a file; none where there is no file. Raises ZoneError, OSError."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Zones()
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise ZoneError("list") from None
    return Zones.from_dict(value)


def save(path: Path, zones: Zones) -> None:
    """Keep zones in a file: the old ones stay until the new ones are written. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(f".{os.getpid()}.new")
    fresh.write_text(json.dumps(zones.to_dict(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    fresh.replace(path)


_BELOW: tuple[Point, ...] = ((0.02, 0.98), (0.98, 0.98), (0.7, 0.62), (0.3, 0.62))
_RIGHT: tuple[Point, ...] = ((0.98, 0.96), (0.98, 0.04), (0.72, 0.4), (0.72, 0.6))
_ABOVE: tuple[Point, ...] = ((0.98, 0.02), (0.02, 0.02), (0.3, 0.38), (0.7, 0.38))
_LEFT: tuple[Point, ...] = ((0.02, 0.04), (0.02, 0.96), (0.28, 0.6), (0.28, 0.4))


def _part(left: float, top: float, right: float, bottom: float) -> tuple[Point, ...]:
    return (left, top), (right, top), (right, bottom), (left, bottom)


_PLACES: Mapping[int, tuple[tuple[Point, ...], ...]] = {
    1: (_part(0.02, 0.02, 0.98, 0.98),),
    2: (_part(0.02, 0.54, 0.98, 0.98), _part(0.02, 0.02, 0.98, 0.46)),
    3: (_BELOW, _RIGHT, _LEFT),
    4: (_BELOW, _RIGHT, _ABOVE, _LEFT),
    5: (_part(0.02, 0.6, 0.49, 0.98), _part(0.51, 0.6, 0.98, 0.98), _part(0.68, 0.02, 0.98, 0.56),
        _part(0.34, 0.02, 0.66, 0.4), _part(0.02, 0.02, 0.32, 0.56)),
    6: (_part(0.02, 0.62, 0.34, 0.98), _part(0.35, 0.62, 0.65, 0.98), _part(0.66, 0.62, 0.98, 0.98),
        _part(0.66, 0.02, 0.98, 0.38), _part(0.35, 0.02, 0.65, 0.38), _part(0.02, 0.02, 0.34, 0.38)),
}  # fmt: skip


def suggested(names: Sequence[str]) -> Zones:
    """Zones to begin drawing from: the first player at the lower side, on counter-clockwise (RULES.md 1.1.2).

    ``names``: one to six players; more get none.
    """
    places = _PLACES.get(len(names), ())
    return Zones(tuple(Zone(name, corners) for name, corners in zip(names, places, strict=False)))
