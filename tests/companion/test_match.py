"""The match as a fold: what each event does, and what it refuses."""

from __future__ import annotations

import doctest
from dataclasses import replace

import pytest

import companion.match
from companion.match import (
    ConflictError,
    DealerSet,
    Entry,
    Event,
    Fault,
    Line,
    Match,
    MatchEnded,
    MatchError,
    MatchReopened,
    MatchStarted,
    Player,
    PlayerRenamed,
    Result,
    RoundEdited,
    RoundRestored,
    RoundScored,
    RoundUndone,
    append,
    apply,
    doubled,
    replay,
)

ABC = (Player("a", "Ana"), Player("b", "Bogdan"), Player("c", "Cristi"))


def started(game: str = "remi", players: tuple[Player, ...] = ABC, **more: object) -> Match:
    return apply(None, MatchStarted(key="start", game=game, players=players, dealer=players[0].id, **more))  # type: ignore[arg-type]


def result(*points: int, **more: object) -> Result:
    entries = tuple(Entry.of(p.id, Line("points", n)) for p, n in zip(ABC, points, strict=False))
    return Result(entries=entries, **more)  # type: ignore[arg-type]


def scored(match: Match, *rounds: tuple[int, ...]) -> Match:
    for points in rounds:
        match = apply(match, RoundScored(key=f"r{match.version}", result=result(*points)))
    return match


def refused(match: Match | None, event: Event) -> Fault:
    with pytest.raises(MatchError) as caught:
        apply(match, event)
    assert str(caught.value).endswith((".", "!"))
    return caught.value.fault


def test_readme_example_of_the_module() -> None:
    assert doctest.testmod(companion.match).attempted > 0


def test_points_are_summed() -> None:
    match = scored(started(), (95, -20, 10), (5, 100, -30))
    assert match.totals == {"a": 100, "b": 80, "c": -20}
    assert match.leaders == ("a",)
    assert [(s.player, s.final, s.rank) for s in match.standings] == [("a", 100, 1), ("b", 80, 2), ("c", -20, 3)]


def test_nobody_leads_before_the_first_round_and_ties_share() -> None:
    assert started().leaders == ()
    match = scored(started(), (10, 10, 5))
    assert match.leaders == ("a", "b")
    assert [s.rank for s in match.standings] == [1, 1, 3]


def test_the_deal_goes_round_in_the_order_of_play() -> None:
    match = started()
    seen = []
    for _ in range(4):
        seen.append((match.dealer, match.starter))
        match = scored(match, (0, 0, 0))
    assert seen == [("a", "b"), ("b", "c"), ("c", "a"), ("a", "b")]


def test_an_undone_round_gives_the_deal_back() -> None:
    match = scored(started(), (1, 0, 0), (0, 1, 0))
    undone = apply(match, RoundUndone(key="u", round=1))
    assert (match.dealer, undone.dealer) == ("c", "b")
    assert undone.totals == {"a": 0, "b": 1, "c": 0}
    assert apply(undone, RoundRestored(key="v", round=1)).totals == match.totals


def test_a_dealer_set_by_hand_holds_from_the_next_round_on() -> None:
    match = apply(scored(started(), (1, 0, 0)), DealerSet(key="d", dealer="a"))
    assert match.dealer == "a"
    match = scored(match, (0, 0, 0))
    assert match.dealer == "b"
    assert [match.dealer_of(n) for n in (1, 2, 3)] == ["a", "a", "b"]


def test_any_round_can_be_edited() -> None:
    match = scored(started(), (1, 0, 0), (0, 2, 0), (0, 0, 3))
    match = apply(match, RoundEdited(key="e", round=2, result=result(7, 0, 0, closer="a", double=True)))
    assert match.totals == {"a": 8, "b": 0, "c": 3}
    assert match.round(2).edits == 1
    assert match.round(2).result.closer == "a"


def test_a_name_changes_and_points_stay() -> None:
    match = apply(scored(started(), (5, 0, 0)), PlayerRenamed(key="n", player="a", name="Anca"))
    assert match.name("a") == "Anca"
    assert match.totals["a"] == 5


def test_a_target_ends_the_match() -> None:
    match = scored(started(target=100), (60, 10, 0))
    assert not match.over
    match = scored(match, (40, 95, 0))
    assert match.over
    assert match.winners == ("b",)
    assert refused(match, RoundScored(key="x", result=result(1, 1, 1))) is Fault.MATCH_OVER


def test_a_number_of_rounds_ends_the_match() -> None:
    match = scored(started(rounds=2), (60, 10, 0))
    assert not match.over
    assert scored(match, (1, 1, 1)).over


def test_correcting_the_last_round_takes_the_end_back() -> None:
    match = scored(started(target=100), (100, 0, 0))
    assert match.over
    fixed = apply(match, RoundEdited(key="e", round=1, result=result(10, 0, 0)))
    assert not fixed.over
    assert fixed.winners == ()
    assert not apply(match, RoundUndone(key="u", round=1)).over


def test_a_match_ended_by_hand_can_be_reopened() -> None:
    match = apply(scored(started(), (1, 2, 3)), MatchEnded(key="end"))
    assert match.over
    assert match.winners == ("c",)
    assert refused(match, MatchEnded(key="again")) is Fault.MATCH_OVER
    reopened = apply(match, MatchReopened(key="re"))
    assert not reopened.over
    assert refused(reopened, MatchReopened(key="re2")) is Fault.MATCH_NOT_OVER


def test_a_reopened_match_plays_on_past_its_target() -> None:
    match = apply(scored(started(target=100), (100, 0, 0)), MatchReopened(key="re"))
    match = scored(match, (0, 150, 0))
    assert not match.over
    assert apply(match, MatchEnded(key="end")).winners == ("b",)


def test_a_match_reopened_before_its_target_still_ends_there() -> None:
    match = apply(apply(scored(started(target=100), (50, 0, 0)), MatchEnded(key="end")), MatchReopened(key="re"))
    assert scored(match, (50, 0, 0)).over


CAROUSEL = [  # totals, rounds won, switch, final: RULES.md 2.6 and the cases CG-002 to CG-008
    pytest.param((160, 120), (3, 4), {}, (260, 220), ("a",), id="worked example"),
    pytest.param((150, 149), (2, 6), {}, (250, 299), ("b",), id="literal: the one at 150 loses"),
    pytest.param((150, 149), (2, 6), {"round_bonus_to": "all"}, (300, 299), ("a",), id="everybody gets the 25s"),
    pytest.param((150, 150), (2, 2), {}, (250, 250), ("a", "b"), id="shared"),
]


@pytest.mark.parametrize(("totals", "won", "rules", "final", "winners"), CAROUSEL)
def test_carousel_ends_at_150_with_its_bonuses(
    totals: tuple[int, int], won: tuple[int, int], rules: dict[str, str], final: tuple[int, int], winners: tuple[str]
) -> None:
    match = started("carousel", ABC[:2], rules=rules)
    for i, who in enumerate("a" * won[0] + "b" * won[1]):
        match = apply(match, RoundScored(key=f"r{i}", result=result(0, 0, winners=(who,))))
    match = apply(match, RoundEdited(key="e", round=1, result=result(*totals, winners=("a",))))
    assert match.over
    assert match.totals == dict(zip("ab", totals, strict=True))
    standings = {s.player: s for s in match.standings}
    assert (standings["a"].rounds_won, standings["b"].rounds_won) == won
    assert (standings["a"].final, standings["b"].final) == final
    assert all(s.final == s.total + sum(line.points for line in s.bonuses) for s in match.standings)
    assert match.winners == winners


def test_carousel_ended_by_hand_before_150_brings_no_bonus() -> None:
    match = apply(scored(started("carousel"), (100, 0, 0)), MatchEnded(key="end"))
    assert [s.final for s in match.standings] == [100, 0, 0]


def test_carousel_winners_of_nothing_have_still_won() -> None:
    match = apply(started("carousel", ABC[:2]), RoundScored(key="r", result=result(0, 0, winners=("a", "b"))))
    assert match.rounds_won == {"a": 1, "b": 1}


def test_a_double_game_doubles_all_but_a_penalty() -> None:
    entry = doubled(Entry.of("a", Line("meld_is", 45, (("pieces", "r10 r11 r12"),)), Line("on_rack", -10)))
    assert (entry.points, entry.lines[-1].points) == (70, 35)
    assert entry.lines[-1].text() == "double game: doubled"
    assert doubled(Entry.of("a", Line("missed_announcement", -500))).points == -500


def test_house_rules_are_the_presets_and_the_changes() -> None:
    rules = started(preset="popular", rules={"opening_min": 50}).house_rules.to_mapping()
    assert (rules["opening_min"], rules["not_opened"], rules["run14"]) == (50, "flat100", True)


def test_rummy_ends_at_exactly_100_unless_agreed_otherwise() -> None:
    assert scored(started("rummy"), (100, 0, 0)).over
    assert not scored(started("rummy"), (99, 0, 0)).over
    assert not scored(started("rummy", target=150), (105, 0, 0)).over
    assert not scored(started("rummy", rules={"target": 150}), (105, 0, 0)).over


BAD = [
    pytest.param(RoundScored(key="x", result=result(1, 2)), Fault.PLAYER_MISSING, id="a player missing"),
    pytest.param(
        RoundScored(key="x", result=Result(entries=(*result(1, 2, 3).entries, Entry.of("z")))),
        Fault.UNKNOWN_PLAYER,
        id="unknown player",
    ),
    pytest.param(
        RoundScored(key="x", result=Result(entries=(*result(1, 2, 3).entries, Entry.of("a")))),
        Fault.PLAYER_TWICE,
        id="player twice",
    ),
    pytest.param(
        RoundScored(
            key="x", result=Result(entries=(Entry("a", (Line("melds", 45),), 50), *result(0, 1, 2).entries[1:]))
        ),
        Fault.LINES_DO_NOT_ADD_UP,
        id="lines that do not add up",
    ),
    pytest.param(RoundScored(key="x", result=result(10**7, 2, 3)), Fault.POINTS_IMPOSSIBLE, id="a slip of the finger"),
    pytest.param(RoundScored(key="x", result=result(1, 2, 3, closer="z")), Fault.UNKNOWN_PLAYER, id="unknown closer"),
    pytest.param(
        RoundScored(key="x", result=result(1, 2, 3, winners=("z",))), Fault.UNKNOWN_PLAYER, id="unknown winner"
    ),
    pytest.param(
        RoundScored(key="x", result=result(1, 2, 3, winners=("a", "a"))), Fault.PLAYER_TWICE, id="winner twice"
    ),
    pytest.param(RoundScored(key="x", result=result(1, 2, 3, atu="r14")), Fault.BAD_ATU, id="no such atu"),
    pytest.param(RoundEdited(key="x", round=9, result=result(1, 2, 3)), Fault.UNKNOWN_ROUND, id="edit of no round"),
    pytest.param(
        RoundEdited(key="x", round=2, result=result(1, 2, 3)), Fault.ROUND_IS_UNDONE, id="edit of an undone one"
    ),
    pytest.param(RoundUndone(key="x", round=0), Fault.UNKNOWN_ROUND, id="undo of no round"),
    pytest.param(RoundUndone(key="x", round=2), Fault.ROUND_IS_UNDONE, id="undone twice"),
    pytest.param(RoundRestored(key="x", round=1), Fault.ROUND_NOT_UNDONE, id="restored without undo"),
    pytest.param(PlayerRenamed(key="x", player="z", name="Zoe"), Fault.UNKNOWN_PLAYER, id="rename of nobody"),
    pytest.param(PlayerRenamed(key="x", player="a", name=" "), Fault.BAD_NAME, id="an empty name"),
    pytest.param(PlayerRenamed(key="x", player="a", name="BOGDAN"), Fault.NAME_TAKEN, id="a name taken"),
    pytest.param(DealerSet(key="x", dealer="z"), Fault.UNKNOWN_PLAYER, id="unknown dealer"),
    pytest.param(MatchReopened(key="x"), Fault.MATCH_NOT_OVER, id="reopened while open"),
    pytest.param(
        MatchStarted(key="x", game="remi", players=ABC, dealer="a"), Fault.ALREADY_STARTED, id="started twice"
    ),
    pytest.param(MatchEnded(key=""), Fault.BAD_EVENT, id="no key"),
    pytest.param(MatchEnded(key="r1"), Fault.KEY_REUSED, id="the key of another event"),
]


@pytest.mark.parametrize(("event", "fault"), BAD)
def test_what_cannot_be_is_refused_and_changes_nothing(event: Event, fault: Fault) -> None:
    match = apply(scored(started(), (1, 2, 3), (4, 5, 6)), RoundUndone(key="u", round=2))
    before = replay(match.events)
    assert refused(match, event) is fault
    assert match == before


@pytest.mark.parametrize("game", ["carousel", "rummy"])
def test_a_round_of_cards_costs_nobody_points(game: str) -> None:
    assert refused(started(game), RoundScored(key="x", result=result(-1, 2, 3))) is Fault.POINTS_IMPOSSIBLE


BAD_STARTS = [
    pytest.param({"game": "bridge"}, Fault.UNKNOWN_GAME, id="unknown game"),
    pytest.param({"players": ABC[:1]}, Fault.PLAYER_COUNT, id="one player"),
    pytest.param({"players": tuple(Player(c, c) for c in "abcde")}, Fault.PLAYER_COUNT, id="five in Remi"),
    pytest.param({"players": (ABC[0], replace(ABC[0], name="X"))}, Fault.PLAYER_TWICE, id="an id twice"),
    pytest.param({"players": (ABC[0], Player("b", "ana"))}, Fault.NAME_TAKEN, id="a name twice"),
    pytest.param({"players": (ABC[0], Player("b", "x" * 41))}, Fault.BAD_NAME, id="a name too long"),
    pytest.param({"dealer": "z"}, Fault.UNKNOWN_PLAYER, id="unknown dealer"),
    pytest.param({"target": 0}, Fault.BAD_LIMIT, id="target 0"),
    pytest.param({"rounds": -1}, Fault.BAD_LIMIT, id="rounds below zero"),
    pytest.param({"rules": {"no_such_switch": True}}, Fault.BAD_RULES, id="unknown switch"),
    pytest.param({"rules": {"opening_min": 46}}, Fault.BAD_RULES, id="a value the switch can't take"),
    pytest.param({"preset": "nobody"}, Fault.BAD_RULES, id="unknown preset"),
    pytest.param({"game": "carousel", "target": 100}, Fault.CAROUSEL_TARGET, id="Carousel to 100"),
]


@pytest.mark.parametrize(("change", "fault"), BAD_STARTS)
def test_a_match_that_cannot_start(change: dict[str, object], fault: Fault) -> None:
    start = MatchStarted(key="s", game="remi", players=ABC, dealer="a")
    assert refused(None, replace(start, **change)) is fault  # type: ignore[arg-type]


def test_nothing_happens_before_the_start() -> None:
    assert refused(None, MatchEnded(key="x")) is Fault.NOT_STARTED
    with pytest.raises(MatchError):
        replay([])


def test_the_same_key_is_one_event_whenever_it_comes() -> None:
    match = scored(started(), (1, 2, 3))
    event = RoundScored(key="k", at="2026-01-01T20:00:00", by="phone", result=result(4, 5, 6))
    after = append(match, event, match.version)
    later = scored(after, (7, 8, 9))
    again = replace(event, at="2026-01-01T20:00:03", by="laptop")
    assert append(later, again, match.version) is later
    with pytest.raises(MatchError) as caught:
        append(later, replace(event, result=result(0, 0, 0)), match.version)
    assert caught.value.fault is Fault.KEY_REUSED


def test_of_two_writers_the_second_learns_of_the_first() -> None:
    match = started()
    first = append(match, RoundScored(key="first", result=result(1, 2, 3)), match.version)
    with pytest.raises(ConflictError) as caught:
        append(first, RoundScored(key="second", result=result(1, 2, 3)), match.version)
    assert (caught.value.expected, caught.value.found) == (1, 2)
    with pytest.raises(ConflictError):
        append(None, MatchEnded(key="x"), 3)
