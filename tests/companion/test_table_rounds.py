"""Rounds, hands and turns from Scenes: who has what, a hand's worth, Carousel's move from one table to the next."""

from __future__ import annotations

import pytest
from table_scenes import cards, scene

from companion.table import Answer, Change, Mark, Table, TableError, Turn, judge_turn, read_table, score_players
from vision.scene import Scene


def test_who_has_what_by_sides_of_the_picture() -> None:
    made = scene("r10 r11 r12", "k9 r3", "", "", "", "b4 b5 b6", "b1 y1 k1")
    table = read_table(made, as_="round", players=["Ana", "Bo"], record={"closer": "Ana"})
    assert [player.name for player in table.owners] == ["Ana", "Bo"]
    ana, bo = table.owners
    assert ana.verdict is not None
    assert ana.verdict.value == 15 + 75 + 50
    assert bo.verdict is not None
    assert bo.verdict.value == 30 - 10
    assert bo.left.value == 10
    assert bo.rack == (3, 4)
    assert table.likely_closer == "Ana"


def test_four_players_sit_at_four_sides() -> None:
    table = read_table(scene("r10 r11 r12"), as_="round", players=["A", "B", "C", "D"])
    assert [(p.x, p.y) for p in table.owners] == [(0.5, 1.0), (1.0, 0.5), (0.5, 0.0), (0.0, 0.5)]


def test_an_unreadable_tile_on_a_rack_keeps_the_round_open() -> None:
    table = read_table(scene("r10 r11 r12", ["k9", "?"]), as_="round", players=["Ana"])
    assert table.total.reason == "QUESTIONS_OPEN"
    assert table.edit(Answer(0, "r2")).total.ok


def test_a_doubt_that_changes_the_points_of_a_rack_is_asked_about() -> None:
    def rack(code: str, other: str) -> Table:
        doubtful = (code, {"p": 0.8, "asked": True, "alternatives": ((other, 0.15),)})
        return read_table(scene("r10 r11 r12", ["k9", doubtful]), as_="round", players=["Ana"])

    assert rack("k1", "k7").questions
    assert not rack("k8", "k7").questions


def test_a_photo_for_each_player_makes_one_round() -> None:
    ana = read_table(scene("r10 r11 r12", "b4 b5 b6"), as_="round", players=["Ana"])
    bo = read_table(scene("k7 k8 k9", "r1 y13"), as_="round", players=["Bo"])
    scored = score_players({"Ana": ana, "Bo": bo}, {"closer": "Ana", "atu": "r10"})
    assert scored.decided
    assert scored.verdict.ok
    told = scored.to_dict()
    assert {p["name"]: p["verdict"]["value"] for p in told["players"]} == {"Ana": 30 + 15 + 50 + 50, "Bo": 15 - 35}
    with pytest.raises(TableError, match="one game"):
        score_players({})
    with pytest.raises(TableError, match="'round' or 'rack'"):
        score_players({"Ana": read_table(scene("r1 r2 r3"))})


def test_a_record_that_no_round_can_leave_is_a_fault() -> None:
    ana = read_table(scene("r10 r11 r12"), as_="round", players=["Ana"])
    scored = score_players({"Ana": ana}, {"closer": "Eve"})
    assert scored.verdict.reason == "round_error"
    assert "Eve" in scored.verdict.sentence()


def test_carousel_and_rummy_score_from_photos_of_the_hands() -> None:
    hands = {"Ana": cards("3S", "2H", kind="fan"), "Bo": cards("KD 7C", kind="fan")}
    carousel = {name: read_table(made, "carousel", as_="rack") for name, made in hands.items()}
    assert carousel["Ana"].total.value == 5
    assert score_players(carousel, {"knocker": "Ana"}).to_dict()["players"][0]["verdict"]["value"] == 12
    # the worked hand of RULES.md 3.1: 17 + 18, doubled
    left = {"you": Scene(100, 100), "Ada": cards("3D 8D AC 5S", kind="fan"), "Bo": cards("7D 6C 2D 3C", kind="fan")}
    rummy = {name: read_table(made, "rummy", as_="round", players=[name]) for name, made in left.items()}
    scored = score_players(rummy, {"winner": "you", "rummy": True})
    assert scored.to_dict()["players"][0]["verdict"]["value"] == 70


def test_groups_of_cards_are_judged_and_parted() -> None:
    table = read_table(cards("10H JH QH 9C 9D 9S", kind="fan"), "rummy", as_="table")
    assert [meld.kind for meld in table.melds] == ["run", "group"]
    assert table.total.ok
    twice = read_table(cards("10H JH QH", "10H 10C 10S"), "rummy", as_="table")
    assert [q.why for q in twice.questions] == ["copy"], "one pack holds each card once"


def carousel(*rows: str, **more: object) -> Table:
    return read_table(cards(*rows), "carousel", as_="table", **more)  # type: ignore[arg-type]


BEFORE = ("10H JH QH", "9C 9D 9S")


@pytest.mark.parametrize(
    ("after", "codes", "added", "taken"),
    [
        (("10H JH QH KH", "9C 9D 9S 9H"), (), 2, 0),
        (("9H 10H JH QH", "9C 9D 9S"), (), 1, 0),
        (("10H JH QH", "9C 9D 9S"), ("NO_CARD_FROM_HAND",), 0, 0),
        (("10H JH QH KH", "9C 9D 8S"), ("INVALID_MELD", "NOT_A_MELD", "TABLE_CARD_TAKEN"), 2, 1),
        (("10H JH QH", "9C 9D 9S", "4D"), ("INVALID_MELD", "TOO_FEW"), 1, 0),
    ],
    ids=["adds", "below", "nothing", "taken", "leftover"],
)
def test_a_turn_is_judged_from_two_photos(
    after: tuple[str, ...], codes: tuple[str, ...], added: int, taken: int
) -> None:
    first = carousel(*BEFORE)
    turn = judge_turn(first, carousel(*after))
    if taken:
        assert [(where, q.why) for where, q in turn.questions] == [("before", "gone")]
        turn = judge_turn(first, carousel(*after), gone=turn.taken)
    assert turn.decided
    assert set(turn.verdict.codes) == set(codes)
    assert (len(turn.added), len(turn.taken)) == (added, taken)
    assert turn.to_dict()["verdict"]["ok"] is (not codes)


def test_a_turn_against_the_hand() -> None:
    hand = read_table(cards("KH 3D", kind="fan"), "carousel", as_="rack")
    first, second = carousel(*BEFORE), carousel("10H JH QH KH", "9C 9D 9S")
    assert judge_turn(first, second, hand).verdict.ok
    assert judge_turn(first, second, ["3D"]).verdict.reason == "CARD_NOT_IN_HAND"


def test_of_two_equal_cards_the_one_in_a_new_place_was_added() -> None:
    turn = judge_turn(carousel("10H JH QH"), carousel("10H JH QH", "10H 10C 10D"))
    assert turn.added == (3, 4, 5)


def test_a_joker_keeps_the_face_it_had_in_its_place() -> None:
    first = carousel("9H 10H *", "5S 6S 7S").edit(Change(2, "*=8H"))
    turn: Turn = judge_turn(first, carousel("9H 10H *", "5S 6S 7S 8S"))
    assert turn.after.code(2) == "*=8H"
    assert turn.verdict.ok
    assert turn.decided


def test_a_joker_whose_card_decides_is_asked_about() -> None:
    first = carousel("9H 10H *", "5S 6S 7S")
    turn = judge_turn(first, carousel("9H 10H JH", "5S 6S 7S *"))
    assert ("before", "joker") in {(where, q.why) for where, q in turn.questions}
    assert turn.verdict.reason == "QUESTIONS_OPEN"
    told = judge_turn(first.edit(Change(2, "*=JH")), carousel("9H 10H JH", "5S 6S 7S *"))
    assert told.verdict.ok
    other = judge_turn(first.edit(Change(2, "*=8H")), carousel("9H 10H JH", "5S 6S 7S *"))
    assert "JOKER_IDENTITY_CHANGED" in other.verdict.codes


def test_a_doubtful_card_that_decides_about_the_turn_is_asked_about() -> None:
    made = cards(["10H", "JH", ("QH", {"p": 0.7, "asked": True, "alternatives": (("QD", 0.25),)})], "9C 9D 9S 9H")
    turn = judge_turn(carousel(*BEFORE), read_table(made, "carousel", as_="table"))
    assert [(where, q.piece) for where, q in turn.questions] == [("after", 2)]
    assert turn.verdict.reason == "QUESTIONS_OPEN"


def test_the_hand_in_the_picture_is_left_out_of_the_turn() -> None:
    second = carousel("10H JH QH KH", "9C 9D 9S", "2D 3C").edit(Mark((7, 8), "rack"))
    assert judge_turn(carousel(*BEFORE), second).verdict.ok


def test_a_turn_needs_two_tables_of_carousel() -> None:
    with pytest.raises(TableError, match="Carousel"):
        judge_turn(carousel(*BEFORE), read_table(cards(*BEFORE), "rummy", as_="table"))
