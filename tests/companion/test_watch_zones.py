"""Zones of players: what is inside, what is kept, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.watch import Zone, ZoneError, Zones, load, save, suggested
from companion.watch.zones import WHY

SQUARE = Zone("Ana", ((0.1, 0.1), (0.5, 0.1), (0.5, 0.5), (0.1, 0.5)))


@given(x=st.floats(0, 1), y=st.floats(0, 1))
def test_a_square_holds_what_lies_between_its_sides(x: float, y: float) -> None:
    inside = 0.1 < x < 0.5 and 0.1 < y < 0.5
    outside = not (0.1 <= x <= 0.5 and 0.1 <= y <= 0.5)
    if inside or outside:
        assert SQUARE.holds(x, y) is inside


def test_a_bent_zone_does_not_hold_its_dent() -> None:
    bent = Zone("Ana", ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.5, 0.3), (0.0, 1.0)))
    assert bent.holds(0.1, 0.5)
    assert not bent.holds(0.5, 0.8)


def test_where_zones_overlap_the_nearer_middle_has_it() -> None:
    other = Zone("Bo", ((0.3, 0.1), (0.9, 0.1), (0.9, 0.5), (0.3, 0.5)))
    zones = Zones((SQUARE, other))
    assert zones.owner(0.35, 0.3) == "Ana"
    assert zones.owner(0.49, 0.3) == "Bo"
    assert zones.owner(0.95, 0.95) is None


def test_zones_go_to_the_players_by_name_and_the_rest_in_order() -> None:
    zones = Zones((Zone("Ana", SQUARE.corners), Zone("Gone", SQUARE.corners), Zone("Left", SQUARE.corners)))
    seated = zones.seated(["Bo", "Ana"])
    assert [zone.player for zone in seated.zones] == ["Ana", "Bo"]


@pytest.mark.parametrize("count", range(1, 7))
def test_suggested_zones_hold_their_own_middles_and_nobody_elses(count: int) -> None:
    names = [f"p{n}" for n in range(count)]
    zones = suggested(names)
    assert [zone.player for zone in zones.zones] == names
    for zone in zones.zones:
        assert [other.player for other in zones.zones if other.holds(*zone.middle)] == [zone.player]
    assert Zones.from_dict(json.loads(json.dumps(zones.to_dict()))) == zones


def test_zones_are_kept_and_found_again(tmp_path: Path) -> None:
    file = tmp_path / "data" / "zones.json"
    assert load(file) == Zones()
    save(file, Zones((SQUARE,)))
    assert load(file) == Zones((SQUARE,))
    assert [path.name for path in file.parent.iterdir()] == ["zones.json"]


def corners(**changes: Any) -> dict[str, Any]:
    return {"player": "Ana", "corners": [[0, 0], [1, 0], [1, 1]], **changes}


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("x", "list"), ({"zones": 3}, "list"), ({"zones": ["x"]}, "list"),
        ({"zones": [corners()] * 13}, "many"), ({"zones": [corners(), corners()]}, "name"),
        ({"zones": [corners(player="  ")]}, "name"), ({"zones": [corners(player=3)]}, "name"),
        ({"zones": [corners(corners=[[0, 0], [1, 1]])]}, "corners"),
        ({"zones": [corners(corners=[[0, 0], [1.2, 0], [1, 1]])]}, "corners"),
        ({"zones": [corners(corners=[[0, 0], [True, 0], [1, 1]])]}, "corners"),
        ({"zones": [corners(corners=[[0, 0], [float("nan"), 0], [1, 1]])]}, "corners"),
        ({"zones": [corners(corners=[[0, 0], [1, 1], [0.5, 0.5]])]}, "thin"),
    ],
)  # fmt: skip
def test_zones_that_can_not_be_used_say_why(value: object, why: str) -> None:
    with pytest.raises(ZoneError) as error:
        Zones.from_dict(value)
    assert error.value.why == why
    assert WHY[why] in str(error.value)


def test_a_spoilt_file_says_so(tmp_path: Path) -> None:
    file = tmp_path / "zones.json"
    file.write_text("{")
    with pytest.raises(ZoneError):
        load(file)
