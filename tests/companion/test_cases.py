"""Every worked case of ``cases.json``, by kind; ``REMI_CASES=<file>`` runs another file of the same format."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from companion import games
from companion.games import carousel, remi, rummy
from companion.games.rummy import round as rummy_round
from companion.games.verdict import Verdict
from companion.pieces import parse_card, parse_cards, parse_tile, parse_tiles, spell

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("REMI_SHARED", ROOT.parent / "shared"))
CASES = Path(os.environ.get("REMI_CASES", SHARED / "rules" / "cases.json"))

Input = dict[str, Any]
Answer = dict[str, Any]


def told(verdict: Verdict, **more: Any) -> Answer:
    """A verdict as the cases write it; its lines must add up and it must say something."""
    assert sum(line.points for line in verdict.lines) == verdict.value
    assert verdict.sentence()
    return {"ok": verdict.ok, "reason": verdict.reason, **more}


def melds(texts: list[str]) -> list[tuple[Any, ...]]:
    return [parse_tiles(text) for text in texts]


def card_melds(texts: list[str]) -> list[tuple[Any, ...]]:
    return [parse_cards(text) for text in texts]


def remi_meld(given: Input, rules: Any) -> Answer:
    verdict = remi.judge_meld(parse_tiles(given["tiles"]), rules, given.get("as"))
    return told(verdict, type=verdict.kind, open=verdict.value)


def written(verdict: remi.MeldVerdict) -> str:
    return spell(verdict.tiles)


def remi_readings(given: Input, rules: Any) -> Answer:
    found = remi.readings(parse_tiles(given["unordered"]), rules)
    return {
        "count": len(found),
        "readings": [{"as": written(verdict), "open": verdict.value} for verdict in found],
        "pick": written(found[0]) if found else None,
    }


def remi_opening(given: Input, rules: Any) -> Answer:
    verdict = remi.judge_opening(
        melds(given["melds"]), rules, rack=given.get("rack"), round_over=given.get("round_over", True)
    )
    return told(verdict, value=verdict.value)


def remi_deal(given: Input, rules: Any) -> Answer:
    verdict = remi.judge_players(given["players"])
    if not verdict.ok:
        return told(verdict)
    plan = remi.plan_deal(parse_tile(given["spare"]), given["players"], given["dealer"])
    return told(
        verdict,
        atu_pile=plan.atu_pile,
        big_pile=plan.big_pile,
        starter=plan.starter,
        piles={str(seat): list(piles) for seat, piles in enumerate(plan.piles)},
        stock_piles=list(plan.stock),
        stock_tiles=plan.stock_tiles,
    )


def remi_dubla(given: Input, rules: Any) -> Answer:
    if given["do"] == "redeal":
        return told(remi.judge_redeal(parse_tiles(given["hand"]), rules))
    a, b = parse_tiles(given["a"]), parse_tiles(given["b"])
    give_a, give_b = parse_tile(given["give_a"]), parse_tile(given["give_b"])
    verdict = remi.judge_exchange(a, b, give_a, give_b, rules)
    if not verdict.ok:
        return told(verdict)
    new_a, new_b = remi.exchange(a, b, give_a, give_b)
    return told(verdict, a=spell(new_a), b=spell(new_b))


def remi_break(given: Input, rules: Any) -> Answer:
    return told(
        remi.judge_break(
            len(parse_tiles(given["row"])),
            given["at"],
            given["rack"],
            opened=given["opened"],
            round_over=given.get("round_over", True),
            rack_play=given.get("rack_play", False),
            use=given.get("use") or "none",
            opening_ok=given.get("opening_ok", True),
            laid=given.get("laid", 0),
            rules=rules,
        )
    )


def remi_attach(given: Input, rules: Any) -> Answer:
    verdict = remi.judge_attach(
        parse_tiles(given["meld"]),
        parse_tiles(given["tiles"]),
        own=given["owner"] == given["who"],
        opened=given["opened"],
        rack=given.get("rack"),
        rules=rules,
    )
    return told(verdict, result=written(verdict))


def remi_swap(given: Input, rules: Any) -> Answer:
    use = given["use"]
    return told(
        remi.judge_swap(
            parse_tiles(given["meld"]),
            parse_tiles(given["gives"]),
            use if use in (None, "attach_own") else parse_tiles(use),
            opened=given["opened"],
            rack_start=given["rack_start"],
            swapped=given.get("swapped", False),
            rules=rules,
        )
    )


def remi_turn(given: Input, rules: Any) -> Answer:
    verdict = remi.judge_turn(
        given["start"],
        int(given["draw"]),
        given.get("laid", 0),
        starter=given.get("first_turn", False) and given["start"] == 15,
        new_meld=given.get("new_meld", False),
        announced=given.get("announced", False),
        rules=rules,
    )
    return told(verdict, left=verdict.left, closed=verdict.closed, penalty=verdict.penalty)


def remi_score(given: Input, rules: Any) -> Answer:
    record = dict(given)
    for key in [key for key in record if "announced" in key]:
        who = record.pop(key)
        record["announced_atu"] = who[0] if isinstance(who, list) and who else who or None
    score = games.get("remi").score_round(record, rules)
    return scores_add_up(score)


def scores_add_up(score: games.RoundScore) -> Answer:
    assert sum(line.points for line in score.lines) == score.value == sum(score.points.values())
    for player, verdict in score.players:
        assert sum(line.points for line in verdict.lines) == score.points[player]
    assert score.explain()
    return dict(score.points)


def carousel_meld(given: Input, rules: Any) -> Answer:
    verdict = carousel.judge_meld(parse_cards(given["cards"]), rules)
    return told(verdict, type=verdict.kind)


def carousel_transition(given: Input, rules: Any) -> Answer:
    return told(
        carousel.judge_transition(
            card_melds(given["before"]), parse_cards(given["hand"]), card_melds(given["after"]), rules
        )
    )


def carousel_turn(given: Input, rules: Any) -> Answer:
    return told(
        carousel.judge_turn(
            given["events"],
            stock=given.get("stock", 52),
            final_turn=given.get("final_turn", False),
            hand_points=given.get("hand_points"),
            rules=rules,
        )
    )


def carousel_knock(given: Input, rules: Any) -> Answer:
    verdict = carousel.judge_knock(parse_cards(given["hand"]))
    return told(verdict, points=verdict.value)


def carousel_score(given: Input, rules: Any) -> Answer:
    score = games.get("carousel").score_round(given, rules)
    return {"scores": scores_add_up(score), "winners": list(score.winners)}


def carousel_game(given: Input, rules: Any) -> Answer:
    end = carousel.judge_game(given["totals"], given["rounds_won"], rules)
    return {"over": end.over, "final": end.points, "winners": list(end.winners)}


def rummy_deal(given: Input, rules: Any) -> Answer:
    verdict = rummy.judge_deal(given["players"])
    return told(verdict, hand=verdict.hand, stock=verdict.stock)


def rummy_meld(given: Input, rules: Any) -> Answer:
    verdict = rummy.judge_meld(parse_cards(given["cards"]), rules)
    return told(verdict, type=verdict.kind)


def rummy_layoff(given: Input, rules: Any) -> Answer:
    return told(rummy.judge_layoff(parse_cards(given["meld"]), parse_cards(given["cards"]), rules))


def rummy_goout(given: Input, rules: Any) -> Answer:
    verdict = rummy.judge_turn(
        parse_cards(given["hand"]),
        card_melds(given["melds"]),
        [card for text in given["layoffs"] for card in parse_cards(text)],
        parse_card(given["discard"]) if given["discard"] else None,
        laid_before=given.get("laid_before", False),
        took_discard=parse_card(given["took_discard"]) if given.get("took_discard") else None,
        rules=rules,
    )
    return told(verdict, out=verdict.out, rummy=verdict.rummy)


def rummy_score(given: Input, rules: Any) -> Answer:
    score = games.get("rummy").score_round(given, rules)
    scores_add_up(score)
    left = rummy.points_left({who: parse_cards(text) for who, text in given["hands"].items()}, given["winner"])
    return {"left": left, "sum": sum(left.values()), "score": score.points[given["winner"]]}


def rummy_game(given: Input, rules: Any) -> Answer:
    end = rummy.judge_game(given["totals"], rules)
    return {"over": end.over, "winners": list(end.winners)}


def rummy_golden(given: Input, rules: Any) -> Answer:
    """Replays the script step by step; what each step says must hold after it."""
    players = tuple(given["players"])
    state = rummy_round.start(
        players,
        {player: parse_cards(text) for player, text in given["hands"].items()},
        stock=parse_cards(given["stock_top_first"]),
        upcard=parse_card(given["upcard"]),
        first=given["first"],
        rules=rules,
    )
    for step in given["steps"]:
        who, after = step["who"], step["after"]
        assert state.player == who
        assert step["take"] in ("stock", "discard")
        drawn = state.stock[0] if step["take"] == "stock" else state.discards[-1]
        actions: list[rummy_round.Action] = [rummy_round.Take(step["take"])]
        actions += [rummy_round.Lay(parse_cards(text)) for text in step["melds"]]
        for action in actions:
            state, verdict = rummy_round.play(state, action)
            assert verdict.ok, verdict.sentence()
        for card in (card for text in step["layoffs"] for card in parse_cards(text)):
            fits = [rummy_round.play(state, rummy_round.LayOff(i, (card,))) for i in range(len(state.melds))]
            state = next(new for new, verdict in fits if verdict.ok)
        state, verdict = rummy_round.play(state, rummy_round.Discard(parse_card(step["discard"])))
        assert verdict.ok, verdict.sentence()
        hand = state.hands[players.index(who)]
        seen = {
            "drawn": drawn.code,
            "hand": spell(hand),
            "top": state.discards[-1].code,
            "hand_points": rummy.hand_points(hand),
            "out": state.winner == who,
            "rummy": state.rummy,
        }
        assert alike(seen, after), (seen, after)
    score = state.score()
    return {"winner": state.winner, "rummy": state.rummy, "scores": scores_add_up(score)}


ADAPTERS: dict[str, Callable[[Input, Any], Answer]] = {
    "remi.meld": remi_meld,
    "remi.readings": remi_readings,
    "remi.opening": remi_opening,
    "remi.deal": remi_deal,
    "remi.dubla": remi_dubla,
    "remi.break": remi_break,
    "remi.attach": remi_attach,
    "remi.swap": remi_swap,
    "remi.turn": remi_turn,
    "remi.score": remi_score,
    "carousel.meld": carousel_meld,
    "carousel.transition": carousel_transition,
    "carousel.turn": carousel_turn,
    "carousel.knock": carousel_knock,
    "carousel.score": carousel_score,
    "carousel.game": carousel_game,
    "rummy.deal": rummy_deal,
    "rummy.meld": rummy_meld,
    "rummy.layoff": rummy_layoff,
    "rummy.goout": rummy_goout,
    "rummy.score": rummy_score,
    "rummy.game": rummy_game,
    "rummy.golden": rummy_golden,
}

UNORDERED = ("a", "b", "hand")
"""Keys whose pieces are a multiset."""
MELD_TEXT = ("as", "pick", "result")
"""Keys that write a meld: order means nothing in a set, nor does the colour its joker could take."""


def meld_text(text: str | None) -> object:
    """A meld as it compares: a run by its order, a set by its tiles."""
    if text is None:
        return None
    tiles = parse_tiles(text)
    if len({tile.value for tile in tiles if tile.value}) == 1:
        return Counter(tile.bare() for tile in tiles)
    return tiles


def alike(got: object, wanted: object, key: str = "") -> bool:
    """Whether everything the case says is so; what it doesn't say is free."""
    if isinstance(wanted, dict):
        return isinstance(got, dict) and all(name in got and alike(got[name], wanted[name], name) for name in wanted)
    if isinstance(wanted, list) and key == "winners":
        return isinstance(got, list) and sorted(got) == sorted(wanted)
    if isinstance(wanted, list):
        return (
            isinstance(got, list)
            and len(got) == len(wanted)
            and all(alike(mine, its, key) for mine, its in zip(got, wanted, strict=True))
        )
    if key in MELD_TEXT and isinstance(got, (str, type(None))) and isinstance(wanted, (str, type(None))):
        return meld_text(got) == meld_text(wanted)
    if key in UNORDERED and isinstance(got, str) and isinstance(wanted, str):
        return Counter(got.split()) == Counter(wanted.split())
    return got == wanted and type(got) is type(wanted)


def load() -> list[Any]:
    if not CASES.exists():
        return [pytest.param(None, marks=pytest.mark.skip(reason=f"{CASES} is not there"), id="no-cases")]
    return [pytest.param(case, id=case["id"]) for case in json.loads(CASES.read_text(encoding="utf-8"))["cases"]]


@pytest.mark.parametrize("case", load())
def test_case(case: dict[str, Any]) -> None:
    game = games.get(case["kind"].partition(".")[0])
    rules = game.house.from_mapping(case.get("opts") or {})
    got = ADAPTERS[case["kind"]](case["input"], rules)
    assert alike(got, case["expect"]), f"{case['input']}: {got}, but {case['expect']}"


def test_the_comparison_sees_differences() -> None:
    assert not alike({"ok": True}, {"ok": False})
    assert not alike({"ok": 1}, {"ok": True})
    assert not alike({}, {"ok": True})
    assert not alike({"result": "r4 r5 r3"}, {"result": "r3 r4 r5"})
    assert alike({"result": "r5 b5 k5"}, {"result": "b5 k5 r5"})
    assert not alike({"a": "r5 r5"}, {"a": "r5"})
    assert not alike({"winners": ["A", "B"]}, {"winners": ["A"]})
