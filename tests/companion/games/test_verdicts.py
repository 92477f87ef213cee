"""Verdicts: all faults in order, lines that add up, words for everything; the registry; what may be imported."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion import games
from companion.games import RoundError, UnknownGameError, carousel, messages, remi, rummy
from companion.games.messages import TEMPLATES, Message, msg
from companion.pieces import (
    CARDS,
    DECLARED,
    DECLARED_CARDS,
    FULL_SET,
    JOKER,
    TILES,
    Tile,
    parse_cards,
    parse_tiles,
    spell,
)

PACKAGE = Path(games.__file__).parent
ORDER = (
    "TOO_FEW", "JOKER_RATIO", "NOT_A_MELD", "SET_TOO_BIG", "DUP_COLOUR", "ONE_IN_MIDDLE", "NOT_CONSECUTIVE",
    "JOKER_MISMATCH", "JOKERS_ADJACENT", "RUN_TOO_LONG",
)  # fmt: skip


def run_from(i: int) -> list[Tile]:
    """The three faces that follow in the colour of face i, round the corner."""
    return [TILES[i // 13 * 13 + (i + d) % 13] for d in (1, 2, 3)]


near = st.integers(0, 51).flatmap(
    lambda i: st.lists(
        st.sampled_from([TILES[i], *run_from(i), *TILES[i % 13 :: 13], JOKER, *DECLARED[i::17]]),
        max_size=7,
    )
)
RULES = st.builds(
    remi.HouseRules,
    joker_ratio=st.sampled_from([0, 1, 2]),
    jokers_adjacent=st.booleans(),
    run14=st.booleans(),
)


@settings(max_examples=400)
@given(near, RULES)
def test_a_remi_verdict_is_consistent(tiles: list[Tile], rules: remi.HouseRules) -> None:
    verdict = remi.judge_meld(tiles, rules)
    assert verdict.ok == (not verdict.faults) == (verdict.reason == "OK")
    assert sum(line.points for line in verdict.lines) == verdict.value
    assert verdict.sentence()
    assert all(line.text() for line in verdict.lines)
    where = [ORDER.index(code) for code in verdict.codes if code != "RUN_TOO_LONG"]
    assert where == sorted(where)
    if verdict.ok:
        assert len(verdict.declared()) == len(tiles)
        assert remi.judge_meld(verdict.declared(), rules, verdict.kind).value == verdict.value
    found = remi.readings(tiles, rules)
    assert [v.value for v in found] == sorted((v.value for v in found), reverse=True)
    assert all(v.ok and sorted(t.bare() for t in v.tiles) == sorted(t.bare() for t in tiles) for v in found)
    if verdict.ok:
        assert found
        assert found[0].value >= verdict.value
        assert verdict.declared() in {v.declared() for v in found} or verdict.kind == remi.SET
    handful = remi.judge_handful(tiles, rules)
    assert handful.ok == bool(found)


def test_every_fault_is_told_at_once() -> None:
    verdict = remi.judge_meld(parse_tiles("r5 b5 r5 * *=r5"))
    assert verdict.codes == ("JOKER_RATIO", "SET_TOO_BIG", "DUP_COLOUR", "JOKER_MISMATCH")
    assert verdict.sentence().count("Also:") == len(verdict.codes) - 1
    opening = remi.judge_opening([parse_tiles("r5 b5 y5")], rack=3, round_over=False)
    assert opening.codes == ("FIRST_ROUND", "NEEDS_RUN", "BELOW_MINIMUM", "NO_TILE_TO_DISCARD")
    assert "30 short" in opening.sentence()
    wrong = carousel.judge_transition([], parse_cards("8S"), [parse_cards("8S 8H *")])
    assert wrong.codes[:3] == ("CARD_NOT_IN_HAND", "JOKER_UNDECLARED", "INVALID_MELD")


def test_sentences_translate_by_template() -> None:
    verdict = remi.judge_meld(parse_tiles("r3 r4"))
    seen: list[str] = []

    def translate(template: str) -> str:
        seen.append(template)
        return "Prea puțin: %(count)s." if "at least 3" in template else template

    assert verdict.sentence(translate).startswith("Prea puțin: 2.")
    assert seen[0] == TEMPLATES["TOO_FEW"]


def codes_used() -> dict[str, set[str]]:
    """Every code the core and its table make, with the names of its parameters, read from the source."""
    used: dict[str, set[str]] = {}
    for path in (*PACKAGE.rglob("*.py"), *(PACKAGE.parent / "table").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("msg", "Message"):
                for code in branches(node.args[0]):
                    used.setdefault(code, set()).update(str(keyword.arg) for keyword in node.keywords)
    return used


def branches(node: ast.expr) -> set[str]:
    """The texts an expression can be: itself, or both arms of a choice."""
    if isinstance(node, ast.IfExp):
        return branches(node.body) | branches(node.orelse)
    return {node.value} if isinstance(node, ast.Constant) and isinstance(node.value, str) else set()


def test_every_code_has_words_and_every_template_is_used() -> None:
    used = codes_used()
    assert set(used) == set(TEMPLATES)
    for code, names in used.items():
        wanted = set(re.findall(r"%\((\w+)\)s", TEMPLATES[code]))
        assert wanted == names or code == "also", code


def test_reason_codes_of_the_rules_all_have_words(shared_rules: str) -> None:
    section = shared_rules.split("### 0.4")[1].split("\n---")[0]
    codes = set(re.findall(r"`([A-Z_0-9]{4,})`", section))
    assert len(codes) > 50
    assert codes <= set(TEMPLATES)


def test_a_missing_word_is_an_error() -> None:
    with pytest.raises(KeyError):
        messages.sentence(Message("NO_SUCH_CODE"))
    assert str(msg("OVER_FIVE", points=6)) == "One may knock with 5 points at most; here are 6."


def test_nothing_heavy_is_imported_and_no_point_is_a_float() -> None:
    files = [*PACKAGE.rglob("*.py"), PACKAGE.parent / "pieces.py"]
    assert len(files) > 20
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert len(text.splitlines()) <= 400, path
        for node in ast.walk(ast.parse(text)):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            assert not {name.split(".")[0] for name in names} & {"cv2", "numpy", "flask", "onnxruntime", "vision"}, path
            assert not isinstance(node, (ast.Global, ast.Nonlocal)), path
            assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), path
            assert not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)), path


def test_the_registry() -> None:
    assert games.names() == ("remi", "carousel", "rummy")
    for name in games.names():
        game = games.get(name)
        assert game.name == name == game.house.game
        text = "r3 r4 r5" if game.pieces == "tile" else "3S 4S 5S"
        assert game.judge_meld(game.parse(text)).kind == "run"
        assert spell(game.readings(game.parse(text))[0].pieces) == text
        assert not game.judge_opening([game.parse(text[:5])]).ok
        assert isinstance(game.rules({"preset": "popular"}), game.house)
    assert games.get("remi").hand_value(JOKER) == 50
    assert games.get("remi").hand_value(TILES[0]) == 25
    assert games.get("rummy").hand_value(CARDS[12]) == 10
    with pytest.raises(UnknownGameError, match="remi, carousel, rummy"):
        games.get("chess")


def test_a_joker_in_carousel_has_readings() -> None:
    game = games.get("carousel")
    found = {spell(v.pieces) for v in game.readings(parse_cards("5C 6C *"))}
    assert found == {"5C 6C *=7C", "*=4C 5C 6C"}
    assert {v.kind for v in game.readings(parse_cards("5C 5D *"))} == {"group"}
    assert game.readings(parse_cards("5C 9D *")) == ()


BAD_RECORDS = [
    ("remi", {"racks": {"A": "", "B": "r5"}, "closer": "C"}, "C"),
    ("remi", {"racks": ["r5"]}, "racks"),
    ("remi", {"racks": {"A": 5}}, "racks"),
    ("remi", {"racks": {"A": ""}, "table": "r3 r4 r5"}, "table"),
    ("remi", {"racks": {"A": ""}, "table": [{"owner": "A"}]}, "owner"),
    ("remi", {"racks": {"A": ""}, "table": [{"owner": "A", "tiles": "r3 r4 r5@Z"}]}, "Z"),
    ("remi", {"racks": {"A": ""}, "missed": "A"}, "missed"),
    ("remi", {"racks": {"A": ""}, "closer": 5}, "closer"),
    ("remi", {"racks": {"A": ""}, "spent": ["r4"]}, "r4"),
    ("carousel", {"hands": {"A": "5S"}}, "two hands"),
    ("carousel", {"hands": {"A": "5S", "B": "6S"}, "knocker": "Z"}, "Z"),
    ("carousel", {"hands": {"A": "", "B": ""}}, "only one"),
    ("rummy", {"hands": {"A": "5S", "B": ""}, "winner": "A"}, "5S"),
    ("rummy", {"hands": {"A": "", "B": ""}, "winner": "Z"}, "Z"),
    ("rummy", {"hands": {"A": "", "B": "5S"}, "winner": "A", "rummy": 1}, "rummy"),
]


@pytest.mark.parametrize(("name", "record", "says"), BAD_RECORDS)
def test_an_impossible_round_is_a_typed_error(name: str, record: dict[str, object], says: str) -> None:
    with pytest.raises(RoundError, match=says):
        games.get(name).score_round(record)


def test_a_round_with_faults_is_still_counted() -> None:
    score = games.get("remi").score_round(
        {"table": [{"owner": "A", "tiles": "r3 r4 r6"}], "racks": {"A": "", "B": "r3 r3"}, "closer": "A"}
    )
    assert score.codes == ("INVALID_MELD", "NOT_CONSECUTIVE", "TOO_MANY_COPIES")
    assert score.points == {"A": 65, "B": -10}
    assert score.explain().splitlines()[0] == "A: +65"
    with pytest.raises(RoundError):
        score.of("C")


def test_the_deal_refuses_what_is_no_set() -> None:
    with pytest.raises(remi.DealError, match="106"):
        remi.deal(FULL_SET[:-1], 4, 0)
    with pytest.raises(remi.DealError, match="2 to 4"):
        remi.plan_deal(JOKER, 5, 0)
    with pytest.raises(remi.DealError, match="seat"):
        remi.plan_deal(JOKER, 4, 4)
    with pytest.raises(remi.TableError):
        remi.judge_break(3, 3, 14, opened=True)
    with pytest.raises(remi.TableError):
        remi.judge_attach(parse_tiles("r3 r5 r6"), parse_tiles("r7"), own=True, opened="earlier")
    with pytest.raises(carousel.EventError):
        carousel.judge_turn(["dance"])


def test_a_rummy_void_hand_scores_nothing() -> None:
    assert games.get("rummy").score_round({"hands": {"A": "5S", "B": "6S"}, "winner": None}).points == {"A": 0, "B": 0}
    assert rummy.judge_meld((DECLARED_CARDS[0], *CARDS[1:3])).codes == ("NO_JOKERS",)


def test_a_set_of_one_tile_and_two_jokers_stays_a_set_when_it_is_extended() -> None:
    rules = remi.HouseRules(joker_ratio=0)
    laid = parse_tiles("k8 *=b8 *=r8")
    assert remi.extend(laid, parse_tiles("y8"), rules).ok
    assert not remi.extend(laid, parse_tiles("k9"), rules).ok
