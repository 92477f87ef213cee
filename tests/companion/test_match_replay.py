"""Whatever happens to a match, replaying its events gives the live state; events survive JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.games import remi
from companion.match import (
    SCHEMA,
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
    from_json,
    replay,
    to_json,
)
from companion.pieces import parse_tiles

IDS = ("a", "b", "c")
# a few strangers and impossible values are mixed in: refusals are part of every sequence
players = st.sampled_from((*IDS, *IDS, "z"))
names = st.sampled_from(("Ana", "Bogdan", "Ștefan", "  ", "x" * 50))
numbers = st.integers(0, 6)
keys = st.integers(0, 40).map(lambda n: f"key-{n}")
data = st.dictionaries(
    st.text(max_size=5), st.recursive(st.none() | st.integers() | st.text(max_size=5), st.lists), max_size=2
)


@st.composite
def results(draw: st.DrawFn) -> Result:
    entries = []
    for player in draw(st.sampled_from((IDS, IDS, IDS, IDS[:2]))):
        points = draw(st.lists(st.integers(-60, 120), max_size=3))
        wrong = draw(st.sampled_from((0, 0, 0, 0, 0, 5)))
        lines = tuple(Line(draw(st.sampled_from(("melds", "rack", "closing"))), n, (("n", n),)) for n in points)
        entries.append(Entry(player, lines, sum(points) + wrong))
    return Result(
        entries=tuple(entries),
        closer=draw(st.none() | players),
        winners=draw(st.none() | st.tuples(players)),
        double=draw(st.booleans()),
        source=draw(st.sampled_from(("typed", "photo"))),
        data=draw(data),
    )


events: st.SearchStrategy[Event] = st.one_of(
    st.builds(RoundScored, key=keys, result=results()),
    st.builds(RoundScored, key=keys, result=results()),
    st.builds(RoundEdited, key=keys, round=numbers, result=results()),
    st.builds(RoundUndone, key=keys, round=numbers),
    st.builds(RoundRestored, key=keys, round=numbers),
    st.builds(PlayerRenamed, key=keys, player=players, name=names),
    st.builds(DealerSet, key=keys, dealer=players),
    st.builds(MatchEnded, key=keys),
    st.builds(MatchReopened, key=keys),
)
starts = st.sampled_from((("remi", True), ("rummy", True), ("carousel", False))).flatmap(
    lambda chosen: st.builds(
        MatchStarted,
        key=st.just("start"),
        game=st.just(chosen[0]),
        players=st.just(tuple(Player(i, i.upper()) for i in IDS)),
        dealer=st.sampled_from(IDS),
        preset=st.sampled_from(("seed", "popular")),
        target=st.none() | (st.integers(50, 200) if chosen[1] else st.just(150)),
        rounds=st.none() | st.integers(1, 5),
    )
)


def through_json(event: Event) -> Event:
    return from_json(json.loads(json.dumps(to_json(event))))


def check(match: Match) -> None:
    """What holds in every state."""
    totals = {p.id: 0 for p in match.players}
    for round_ in match.rounds:
        for entry in round_.result.entries:
            assert entry.points == sum(line.points for line in entry.lines)
            totals[entry.player] += 0 if round_.undone else entry.points
    assert match.totals == totals
    assert [r.number for r in match.rounds] == list(range(1, len(match.rounds) + 1))
    assert match.dealer in totals
    assert match.starter in totals
    finals = [s.final for s in match.standings]
    assert finals == sorted(finals, reverse=True)
    assert {s.player for s in match.standings} == set(totals)
    assert bool(match.leaders) == bool(match.counted)
    assert len({e.key for e in match.events}) == match.version


@settings(max_examples=150, deadline=None)
@given(starts, st.lists(st.tuples(events, st.integers(0, 3)), max_size=25))
def test_replay_equals_live_after_any_sequence(start: MatchStarted, steps: list[tuple[Event, int]]) -> None:
    live = append(None, start, 0)
    accepted: list[Event] = [start]
    for event, behind in steps:
        before = live
        try:
            live = append(live, event, live.version - behind)
        except ConflictError:
            stale = behind > 0
            assert stale
        except MatchError:
            pass
        else:
            if live is not before:
                accepted.append(event)
        if live is before:
            assert replay(accepted) == before
        check(live)
    assert replay(map(through_json, accepted)) == live
    assert live.events == tuple(accepted)


@given(events | starts)
def test_an_event_survives_json(event: Event) -> None:
    assert through_json(event) == event
    assert to_json(through_json(event)) == to_json(event)


@given(
    st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists)
    | st.dictionaries(st.text(), st.none())
)
def test_no_junk_is_an_event(junk: object) -> None:
    with pytest.raises(MatchError) as caught:
        from_json(junk)
    assert caught.value.fault is Fault.BAD_EVENT


GOOD: dict[str, Any] = to_json(
    RoundScored(key="k", result=Result(entries=(Entry.of("a", Line("melds", 45)),), winners=("a",), data={"n": [1]}))
)
BENT: list[Any] = [
    pytest.param({"kind": "round-danced"}, id="unknown kind"),
    pytest.param({"key": 5}, id="key no text"),
    pytest.param({"v": True}, id="version no number"),
    pytest.param({"surprise": 1}, id="unknown field"),
    pytest.param({"result": {**GOOD["result"], "entries": 5}}, id="entries no list"),
    pytest.param({"result": {**GOOD["result"], "entries": [5]}}, id="entry no object"),
    pytest.param({"result": {**GOOD["result"], "entries": [{"player": "a", "lines": []}]}}, id="entry without points"),
    pytest.param({"result": {**GOOD["result"], "source": "hearsay"}}, id="unknown source"),
    pytest.param({"result": {**GOOD["result"], "winners": "a"}}, id="winners no list"),
    pytest.param({"result": {**GOOD["result"], "data": {"x": float("nan")}}}, id="data no JSON"),
    pytest.param({"result": {**GOOD["result"], "extra": 1}}, id="unknown field in the result"),
    pytest.param(
        {
            "result": {
                **GOOD["result"],
                "entries": [{"player": "a", "points": 1, "lines": [{"what": "x", "points": 1, "params": {"y": [1]}}]}],
            }
        },
        id="a list for a parameter",
    ),
    pytest.param(
        {"result": {**GOOD["result"], "entries": [{"player": "a", "points": 1.5, "lines": []}]}},
        id="points with a comma",
    ),
]


@pytest.mark.parametrize("change", BENT)
def test_a_bent_event_is_refused_with_a_sentence(change: dict[str, Any]) -> None:
    assert to_json(from_json(GOOD)) == GOOD
    with pytest.raises(MatchError, match=r"^This is not an event of a match: .+\.$") as caught:
        from_json({**GOOD, **change})
    assert caught.value.fault is Fault.BAD_EVENT


def test_a_line_speaks_the_readers_language_and_never_fails() -> None:
    assert Line("atu", 50, (("piece", "r5"),)).text() == "atu r5"
    assert Line("atu", 50, (("piece", "r5"),)).text(lambda template: f"<{template}>") == "<atu r5>"
    assert Line("atu", 50).text() == "atu"
    assert Line("100 % of what Ana typed", 50).text() == "100 % of what Ana typed"


def test_a_scored_round_of_the_rules_becomes_lines() -> None:
    score = remi.score_round((), {"a": parse_tiles("r5"), "b": ()}, "b")
    entry = Entry.from_verdict("a", score.of("a"))
    assert entry == Entry("a", (Line("on_rack", -5, (("pieces", "r5"),)),), -5)
    assert entry.lines[0].text() == score.of("a").lines[0].text()


def test_events_of_a_newer_companion_are_refused() -> None:
    with pytest.raises(MatchError) as caught:
        from_json({**GOOD, "v": SCHEMA + 1})
    assert caught.value.fault is Fault.NEWER_EVENT


def test_free_data_is_kept_apart_from_the_writers_copy() -> None:
    mutable = {"melds": ["r1 r2 r3"]}
    event = from_json({**GOOD, "result": {**GOOD["result"], "data": mutable}})
    mutable["melds"].append("x")
    assert isinstance(event, RoundScored)
    assert event.result.data == {"melds": ["r1 r2 r3"]}
    assert event.same_fact(replace(event, at="now", by="me"))
