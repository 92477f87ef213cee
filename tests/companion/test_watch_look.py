"""Whose melds are they, and does the score say the same?"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from companion.games import get
from companion.ledger import now
from companion.match import Match, MatchStarted, Player, RoundScored, RoundUndone, replay
from companion.watch import Zone, Zones, compare, look
from companion.web.scoring import score
from vision.scene import Piece, Row, Scene

WIDE = 1000
ABOVE = Zone("Ana", ((0.0, 0.0), (1.0, 0.0), (1.0, 0.45), (0.0, 0.45)))
BELOW = Zone("Bo", ((0.0, 0.55), (1.0, 0.55), (1.0, 1.0), (0.0, 1.0)))


def scene_of(*rows: tuple[str, float]) -> Scene:
    """Rows of tiles (codes, height as a share of the picture), each beginning at the left."""
    pieces: list[Piece] = []
    kept: list[Row] = []
    for codes, share in rows:
        y = share * WIDE
        first = len(pieces)
        for n, code in enumerate(codes.split()):
            x = 100.0 + 44 * n
            pieces.append(Piece(code, 0.999, ((x, y - 28), (x + 42, y - 28), (x + 42, y + 28), (x, y + 28))))
        kept.append(Row(tuple(range(first, len(pieces))), "meld" if " " in codes else "loose"))
    return Scene(WIDE, WIDE, tuple(pieces), tuple(kept))


def match_of(players: dict[str, dict[str, Any]] | None, *, mode: str = "pieces", at: str = "") -> Match:
    """A match of Ana and Bo, with one round if ``players`` are given."""
    seats = (Player("p1", "Ana"), Player("p2", "Bo"))
    start = MatchStarted(key="s", at=now(), game="remi", players=seats, dealer="p1")
    match = replay([start])
    if players is None:
        return match
    result = score(match, {"mode": mode, "players": players}).result
    return replay([start, RoundScored(key="r", at=at or now(), result=result)])


def test_melds_belong_to_the_zone_they_lie_in() -> None:
    scene = scene_of(("r10 r11 r12", 0.2), ("b4 b5 b6", 0.8), ("k7", 0.5))
    table = look(scene, "remi", players=("Ana", "Bo"), zones=Zones((ABOVE, BELOW)))
    assert {meld.faces: meld.owner for meld in table.melds} == {("r10", "r11", "r12"): "Ana", ("b4", "b5", "b6"): "Bo"}
    assert len(table.scene.pieces) == 6  # the one in the middle is nobody's
    assert {one.name: one.verdict.value for one in table.owners if one.verdict} == {"Ana": 30, "Bo": 15}


def test_zones_decide_against_the_nearest_seat() -> None:
    scene = scene_of(("r10 r11 r12", 0.8))
    everything = Zones((Zone("Bo", ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))),))
    assert look(scene, "remi", players=("Ana", "Bo")).melds[0].owner == "Ana"  # the first sits at the lower side
    assert look(scene, "remi", players=("Ana", "Bo"), zones=everything).melds[0].owner == "Bo"


def test_without_players_and_in_other_games_melds_are_everybodys() -> None:
    scene = scene_of(("r10 r11 r12", 0.2))
    assert look(scene, "remi").melds[0].owner is None
    cards = Scene(10, 10)
    assert look(cards, "carousel", get("carousel").house(), ("Ana", "Bo")).melds == ()


SCORED = {"p1": {"melds": ["r10 r11 r12"], "rack": ""}, "p2": {"melds": ["b4 b5 b6", "k8 y8 r8"], "rack": "k1"}}
SAME = (("r10 r11 r12", 0.9), ("b4 b5 b6", 0.1), ("y8 k8 r8", 0.2))


def seen(*rows: tuple[str, float]) -> Any:
    return look(scene_of(*rows), "remi", players=("Ana", "Bo"))


def test_the_table_and_the_score_agree() -> None:
    found = compare(seen(*SAME), match_of(SCORED))
    assert (found.state, found.round, found.differences) == ("agrees", 1, ())


def test_a_mistyped_meld_is_a_disagreement() -> None:
    wrong = {**SCORED, "p2": {"melds": ["b3 b4 b5", "k8 y8 r8"], "rack": ""}}
    found = compare(seen(*SAME), match_of(wrong))
    assert found.state == "disagrees"
    assert [(one.player, one.seen, one.scored) for one in found.differences] == [("Bo", ("b4 b5 b6",), ("b3 b4 b5",))]


def test_a_meld_scored_for_someone_else_is_a_disagreement() -> None:
    other = {"p1": {"melds": ["b4 b5 b6"], "rack": ""}, "p2": {"melds": ["r10 r11 r12", "k8 y8 r8"], "rack": ""}}
    found = compare(seen(*SAME), match_of(other))
    assert {one.player for one in found.differences} == {"Ana", "Bo"}


def test_jokers_are_compared_as_jokers() -> None:
    table = seen(("r10 * r12", 0.9))
    assert compare(table, match_of({"p1": {"melds": ["r10 *=r11 r12"], "rack": ""}, "p2": {}})).state == "agrees"


def test_attached_tiles_count_where_they_lie() -> None:
    table = seen(("r10 r11 r12 r13", 0.9))
    assert compare(table, match_of({"p1": {"melds": ["r10 r11 r12 r13@p2"], "rack": ""}, "p2": {}})).state == "agrees"


def test_a_new_round_is_no_disagreement() -> None:
    found = compare(seen(("y1 y2 y3", 0.9), ("r5 b5 k5", 0.1)), match_of(SCORED))
    assert (found.state, found.round) == ("playing", None)


def test_a_single_misread_meld_is_that_rounds_only_while_it_is_fresh() -> None:
    one = {"p1": {"melds": ["r10 r11 r12 r13"], "rack": ""}, "p2": {}}
    table = seen(("r10 r11 r12", 0.9))
    assert compare(table, match_of(one)).state == "disagrees"
    old = (datetime.now(UTC) - timedelta(hours=1)).isoformat()
    assert compare(table, match_of(one, at=old)).state == "playing"


JUST_POINTS = {"p1": {"points": 5}, "p2": {"points": 0}}


@pytest.mark.parametrize("match", [None, match_of(None), match_of(JUST_POINTS, mode="points")])
def test_without_a_round_by_pieces_nothing_is_compared(match: Match | None) -> None:
    assert compare(seen(*SAME), match).state == "playing"


def test_an_empty_table_is_empty() -> None:
    assert compare(look(Scene(10, 10), "remi", players=("Ana", "Bo")), match_of(SCORED)).state == "empty"


def test_an_undone_round_is_not_compared() -> None:
    match = match_of(SCORED)
    undone = replay([*match.events, RoundUndone(key="u", at=now(), round=1)])
    assert compare(seen(*SAME), undone).state == "playing"
