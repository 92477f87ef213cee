"""From a Scene to judged melds: splitting, face-down pieces, what legality may choose and what it may not."""

from __future__ import annotations

import json

import pytest
from table_scenes import asked, cards, melds, scene

from companion.games import get
from companion.table import MeldRead, Table, TableError, read_table
from companion.table.values import VIEWS
from vision.scene import Scene

JACK = {"p": 0.55, "alternatives": (("r12", 0.4),)}
"""A tile whose second reading is close to its first."""


def test_an_opening_adds_up() -> None:
    table = read_table(scene("r10 r11 r12", "b4 b5 b6", "k9"))
    assert table.total.ok
    assert table.decided
    assert table.total.value == 45 == sum(line.points for line in table.total.lines)
    assert table.total.sentence() == "This opens: 45 points."
    assert table.loose == (6,)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("r10 r11 r12 b4 b5 b6", ["r10 r11 r12", "b4 b5 b6"]),
        ("r1 r2 r3 r4 r5 r6", ["r1 r2 r3 r4 r5 r6"]),
        ("r1 r2 r3 r5 r6 r7", ["r1 r2 r3", "r5 r6 r7"]),
        ("y5 k5 b5 r5 r6 r7", ["y5 k5 b5", "r5 r6 r7"]),
        ("y5 k5 b5 r5 r6 r7 r8", ["y5 k5 b5", "r5 r6 r7 r8"]),
        ("r4 r5 r6 b9 k9 y9 k1 k2 k3", ["r4 r5 r6", "b9 k9 y9", "k1 k2 k3"]),
        ("r12 r11 r10", ["r10 r11 r12"]),
        ("r1 r2 r3 k9", ["r1 r2 r3 k9"]),
        ("r1 r2 r3 b7 b8 b10", ["r1 r2 r3", "b7 b8 b10"]),
    ],
    ids=["two-runs", "one-long", "one-ink", "set-run", "set-longer-run", "three", "turned", "rest", "one-wrong"],
)
def test_a_row_is_parted_the_best_legal_way(row: str, expected: list[str]) -> None:
    assert melds(read_table(scene(row))) == expected


def test_a_clear_gap_tells_where_melds_touch() -> None:
    made = scene("b5 k5 y5 r5 r6 r7 r8")
    pieces = list(made.pieces)
    for n in range(4, 7):  # r5 stands with the set, a gap before r6
        moved = tuple((x + 16, y) for x, y in pieces[n].quad)
        pieces[n] = type(pieces[n])(pieces[n].code, 0.99, moved)  # type: ignore[arg-type]
    table = read_table(Scene(made.width, made.height, tuple(pieces), made.rows))
    assert melds(table) == ["b5 k5 y5 r5", "r6 r7 r8"]
    assert all("touch" in table.melds[n].remarks[0].text() for n in (0, 1))


@pytest.mark.parametrize(
    ("row", "faces"),
    [
        ("r5 back r7", "r5 r6 r7"),
        ("r12 r13 back", "r12 r13 r1"),
        ("back r12 r13", "r11 r12 r13"),
        ("r5 * back", "r5 *=r6 r7"),
        ("y9 back k9", "y9 r9 k9"),
        ("r4 back back r7", "r4 r5 r6 r7"),
    ],
)
def test_a_face_down_tile_is_what_its_place_says(row: str, faces: str) -> None:
    table = read_table(scene(row, "b10 b11 b12"))
    assert melds(table)[0] == faces
    assert table.decided
    assert table.melds[0].verdict.ok
    assert "back" in table.melds[0].codes
    assert any("face-down" in remark.text() for remark in table.melds[0].remarks)


def test_a_face_down_tile_that_its_place_does_not_tell_is_asked_about() -> None:
    table = read_table(scene("r5 back back", "b10 b11 b12"))
    assert {why for why, _ in asked(table).values()} == {"face_down"}
    assert not table.total.ok


def test_pieces_all_face_down_are_a_stock() -> None:
    table = read_table(scene("back back back", "r10 r11 r12 r13", "back"))
    assert table.stock == (0, 1, 2, 7)
    assert table.decided


def test_a_joker_gets_its_face() -> None:
    assert melds(read_table(scene("r10 * r12"))) == ["r10 *=r11 r12"]


def test_an_unreadable_tile_is_asked_about_and_never_totalled() -> None:
    table = read_table(scene(["r10", "r11", ("?", {"p": 0.4})], "b10 b11 b12 b13 b1"))
    assert asked(table) == {2: ("unreadable", ("r12",))}
    assert not table.total.ok
    assert table.total.reason == "QUESTIONS_OPEN"
    assert table.melds[0].verdict.reason == "UNREAD"
    assert table.melds[0].verdict.value == 0
    assert not table.melds[0].decided
    assert table.melds[1].decided


def test_a_lone_unreadable_tile_is_asked_about_too() -> None:
    table = read_table(scene("r10 r11 r12", "b4 b5 b6", ["?"]))
    assert asked(table) == {6: ("unreadable", ())}
    assert not table.total.ok


def test_a_third_copy_is_asked_about_and_never_totalled() -> None:
    third = ("r5", {"p": 0.93, "alternatives": (("r6", 0.05),)})
    table = read_table(scene("r3 r4 r5", "r5 b5 k5", [third, "y5", "b5"], "k10 k11 k12"))
    assert asked(table)[6][0] == "copy"
    assert asked(table)[6][1][:2] == ("r5", "r6")
    assert {"QUESTIONS_OPEN", "TOO_MANY_COPIES"} <= set(table.total.codes)


def test_legality_chooses_between_close_readings_says_so_and_asks() -> None:
    table = read_table(scene(["r10", "r11", ("r2", JACK)], "b4 b5 b6"))
    assert melds(table)[0] == "r10 r11 r12"
    assert "not r2" in table.melds[0].remarks[0].text()
    assert asked(table) == {2: ("close", ("r12", "r2"))}
    assert not table.total.ok


@pytest.mark.parametrize(
    "wrong",
    [
        "r2",
        ("r2", {"p": 0.97, "alternatives": (("r12", 0.02),)}),
        ("r2", {"p": 0.92, "alternatives": (("r12", 0.07),)}),
    ],
    ids=["sharp", "sure", "fairly-sure"],
)
def test_a_sure_illegal_meld_stays_illegal(wrong: object) -> None:
    table = read_table(scene(["r10", "r11", wrong], "b4 b5 b6"))  # type: ignore[list-item]
    assert table.decided
    assert table.total.reason == "INVALID_MELD"
    assert table.melds[0].codes == ("r10", "r11", "r2")


def test_a_doubt_is_asked_about_only_where_it_changes_something() -> None:
    unsure = {"p": 0.8, "asked": True}
    decides = ("b6", {**unsure, "alternatives": (("b8", 0.15),)})
    loose = ("k9", {**unsure, "alternatives": (("k6", 0.15),)})
    wrong_anyhow = ("y2", {**unsure, "alternatives": (("y3", 0.15),)})
    table = read_table(scene("r10 r11 r12", ["b4", "b5", decides], [loose], ["k1", "b9", wrong_anyhow]))
    assert list(asked(table)) == [5]
    assert asked(table)[5] == ("doubtful", ("b6", "b8"))


def test_two_doubts_that_matter_only_together_are_both_asked_about() -> None:
    def one(code: str, other: str) -> tuple[str, dict[str, object]]:
        return code, {"p": 0.86, "asked": True, "alternatives": ((other, 0.1),)}

    table = read_table(scene(["r4", one("k5", "r5"), one("y6", "r6")], "b10 b11 b12"))
    assert set(asked(table)) == {1, 2}


def test_six_or_nine_is_asked_about_when_the_way_up_is_not_known() -> None:
    table = read_table(scene(["r5", ("r6", {"upright_known": False}), "r7"], "b10 b11 b12"))
    assert asked(table) == {1: ("orientation", ("r6", "r9"))}


def test_the_scene_that_comes_out_marks_what_is_asked_about() -> None:
    loose = ("k9", {"p": 0.8, "asked": True, "alternatives": (("k6", 0.15),)})
    table = read_table(scene(["r10", "r11", "?"], [loose]))
    assert [piece.asked for piece in table.scene.pieces] == [False, False, True, False]


def test_a_rack_is_worth_its_points_and_is_laid_best() -> None:
    table = read_table(scene("r10 r11 r12 b4", "b5 b6 k9 *", kind="rack"), as_="rack")
    assert table.total.value == 30 + 15 + 5 + 50 == sum(line.points for line in table.total.lines)
    assert table.arrangement is not None
    assert table.arrangement.ok
    assert table.arrangement.value >= 45


def test_on_a_rack_an_ink_matters_where_it_decides_what_can_be_laid() -> None:
    def of(code: str, other: str) -> tuple[str, dict[str, object]]:
        return code, {"p": 0.8, "asked": True, "alternatives": ((other, 0.15),)}

    table = read_table(scene(["r10", "r11", of("r12", "y12"), of("k2", "b2")], kind="rack"), as_="rack")
    assert asked(table) == {2: ("doubtful", ("r12", "y12"))}


def test_an_opening_that_fails_says_how_its_tiles_would_open() -> None:
    table = read_table(scene("r10 r11 r12 b7", "b4 b5 b6 k7"))
    assert not table.total.ok
    assert table.arrangement is not None
    assert table.arrangement.ok
    assert table.arrangement.value == 50


def test_nothing_seen_is_no_opening() -> None:
    assert read_table(Scene(100, 100)).total.reason == "NOTHING_SEEN"


def test_cards_are_left_out_of_a_game_of_tiles() -> None:
    table = read_table(cards("10H JH QH"))
    assert not table.melds
    assert not table.loose


@pytest.mark.parametrize("game", ["remi", "carousel", "rummy"])
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_is_json_and_speaks_any_language(game: str, view: str) -> None:
    made = scene("r10 r11 r12", ["b4", "?"], "back") if game == "remi" else cards("10H JH QH", ["9C", "?"], "back")
    table = read_table(made, game, None, view, ["Ana", "Bo"])  # type: ignore[arg-type]
    told = json.loads(table.to_json(lambda template: f"¡{template}"))
    assert told["as"] == view
    assert told["game"] == game
    assert Scene.from_dict(told["scene"]).pieces == table.scene.pieces
    assert told["questions"]
    assert told["questions"][0]["sentence"].startswith("¡")
    for verdict in (told["total"], *(meld["verdict"] for meld in told["melds"])):
        assert sum(line["points"] for line in verdict["lines"]) == verdict["value"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"game": "bridge"}, "no game 'bridge'"),
        ({"as_": "ceiling"}, "no view 'ceiling'"),
        ({"players": ["Ana", "Ana"], "as_": "round"}, "the same name"),
        ({"rules": get("rummy").house()}, "house rules of rummy"),
    ],
)
def test_what_can_not_be_asked_is_refused_in_words(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(TableError, match=words):
        read_table(scene("r1 r2 r3"), **arguments)  # type: ignore[arg-type]


def test_remarks_on_the_photo_are_told_in_words() -> None:
    told = read_table(scene("r1 r2 r3", remarks=["dark"])).to_dict()
    assert told["remarks"][0]["sentence"] == "The photo is too dark; more light helps."


def test_an_outline_runs_around_the_meld() -> None:
    meld: MeldRead = read_table(scene("r10 r11 r12")).melds[0]
    xs, ys = [x for x, _ in meld.outline], [y for _, y in meld.outline]
    assert min(xs) < 50
    assert max(xs) > 174
    assert min(ys) < 40
    assert max(ys) > 100


def test_house_rules_decide() -> None:
    made = scene("r10 r11 r12", "b4 b5 b6")
    assert read_table(made).total.ok
    fifty: Table = read_table(made, rules=get("remi").rules({"opening_min": 50}))
    assert fifty.total.reason == "BELOW_MINIMUM"
    assert read_table(made, rack=6).total.reason == "NO_TILE_TO_DISCARD"
