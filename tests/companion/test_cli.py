"""The command ``remi``: what it says, what it gives to programs, and its exit codes."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from companion.cli import COMMANDS, main
from companion.games import get, names
from companion.ledger import Ledger
from companion.match import MatchStarted, Player

Capture = pytest.CaptureFixture[str]


def said(capsys: Capture, *words: str, code: int = 0) -> str:
    assert main(words) == code
    return capsys.readouterr().out


def answer(capsys: Capture, *words: str, code: int = 0) -> Any:
    assert main([*words, "--json"]) == code
    captured = capsys.readouterr()
    assert captured.err == ""
    return json.loads(captured.out)


def complaint(capsys: Capture, *words: str) -> str:
    assert main(words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


def adds_up(verdict: dict[str, Any]) -> bool:
    return sum(line["points"] for line in verdict["lines"]) == int(verdict["value"])


# -- check --------------------------------------------------------------------------------------------------------


def test_check_says_what_is_legal_and_what_not(capsys: Capture) -> None:
    out = said(capsys, "check", "r3 r4 r5", "y1 b1 *", "r3 b4 y9", code=1)
    assert re.search(r"^ok  \[r3\] \[r4\] \[r5\]  15$", out, re.M)
    assert re.search(r"^ok  \[y1\] \[b1\] \[\*\]  75$", out, re.M)
    assert re.search(r"^no  \[r3\] \[b4\] \[y9\]$", out, re.M)
    assert said(capsys, "check", "r3 r4 r5").startswith("ok")


def test_check_for_programs(capsys: Capture) -> None:
    got = answer(capsys, "check", "r12 * r1", "r3 r4", code=1)
    legal, short = got["melds"]
    assert (got["ok"], legal["ok"], short["ok"]) == (False, True, False)
    assert legal["pieces"] == "r12 *=r13 r1"
    assert (legal["kind"], legal["value"]) == ("run", 30)
    assert adds_up(legal)
    assert [fault["code"] for fault in short["faults"]] == ["TOO_FEW"]
    assert short["sentence"] == short["faults"][0]["sentence"]


def test_check_tells_of_another_order_and_of_other_readings(capsys: Capture) -> None:
    assert "In another order it is one: r3 r4 r5" in said(capsys, "check", "r5 r3 r4", code=1)
    out = said(capsys, "check", "r8 r9 *")
    assert "[r8] [r9] [*=r10]  20" in out
    assert "It could also be *=r7 r8 r9" in out
    assert answer(capsys, "check", "r8 r9 *")["melds"][0]["readings"] == ["*=r7 r8 r9"]


def test_check_of_cards(capsys: Capture) -> None:
    assert "[10H] [JH] [QH]" in said(capsys, "check", "--game", "rummy", "10H JH QH")
    assert said(capsys, "check", "--game", "carousel", "8D 8S *=8H").startswith("ok")
    assert answer(capsys, "check", "--game", "rummy", "QH KH AH", code=1)["melds"][0]["reason"] == "ACE_LOW_ONLY"
    assert answer(capsys, "check", "--game", "rummy", "--set", "ace=high_or_low", "QH KH AH")["ok"]


def test_a_wrong_piece_is_pointed_at(capsys: Capture) -> None:
    lines = complaint(capsys, "check", "r3 x4 r5").splitlines()
    assert lines[:2] == ["r3 x4 r5", "   ^^"]
    assert lines[2].startswith("Piece 2, 'x4', is not a tile")
    assert lines[2].endswith(".")
    lines = complaint(capsys, "check", "r3 r4 r5", "b1 b14").splitlines()
    assert lines[:2] == ["b1 b14", "   ^^^"]
    assert lines[2].startswith("Meld 2: piece 2, 'b14', is not a tile")


def test_a_wrong_piece_for_programs(capsys: Capture) -> None:
    error = answer(capsys, "check", "r3 x4 r5", code=2)["error"]
    assert (error["code"], error["piece"], error["start"], error["end"]) == ("NOTATION", "x4", 3, 5)
    assert error["text"][error["start"] : error["end"]] == "x4"


# -- colour -------------------------------------------------------------------------------------------------------


def without_colour(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_colour_adds_nothing_that_the_letters_do_not_say(capsys: Capture) -> None:
    plain = said(capsys, "check", "r3 * r5", "k13 y13 b13")
    coloured = said(capsys, "check", "r3 * r5", "k13 y13 b13", "--colour", "always")
    assert "\x1b[" in coloured
    assert "\x1b[" not in plain
    assert without_colour(coloured).split() == plain.replace("[", " ").replace("]", " ").split()
    inks = re.findall(r"38;5;(\d+)m", coloured)
    assert len(set(inks)) == 5


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [
        ({"TERM": "xterm"}, True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
        ({"TERM": "xterm", "NO_COLOR": ""}, True),
        ({"TERM": "dumb"}, False),
    ],
)
def test_colour_on_a_terminal_unless_not_wanted(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], coloured: bool
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    assert main(["check", "r3 r4 r5"]) == 0
    assert ("\x1b[" in terminal.getvalue()) is coloured


# -- open ---------------------------------------------------------------------------------------------------------


def test_open(capsys: Capture) -> None:
    assert "This opens: 45 points." in said(capsys, "open", "r10 r11 r12", "b2 b3 b4")
    assert "5 short" in said(capsys, "open", "r9 r10 r11", "b2 b3 b4", code=1)
    got = answer(capsys, "open", "r10 r11 r12", "b2 b3 b4", "--set", "opening_min=50", code=1)
    assert (got["reason"], got["value"]) == ("BELOW_MINIMUM", 45)
    assert adds_up(got)
    assert [meld["value"] for meld in got["melds"]] == [30, 15]


def test_open_in_the_first_round_or_without_a_tile_to_put_down(capsys: Capture) -> None:
    melds = ("r10 r11 r12", "b2 b3 b4")
    assert answer(capsys, "open", *melds, "--first-round", code=1)["reason"] == "FIRST_ROUND"
    assert answer(capsys, "open", *melds, "--rack", "6", code=1)["reason"] == "NO_TILE_TO_DISCARD"
    assert answer(capsys, "open", *melds, "--rack", "7")["ok"]


# -- score --------------------------------------------------------------------------------------------------------

ROUND = (
    "score",
    "--player",
    "Ana: r10 r11 r12 / b4 b5 b6",
    "--player",
    "Bo: k7 k8 k9 | rack r1 y13",
    "--closer",
    "Ana",
)


def points(got: Any) -> dict[str, int]:
    assert all(adds_up(player) for player in got["players"])
    return {player["player"]: player["value"] for player in got["players"]}


def test_score_of_the_worked_example(capsys: Capture) -> None:  # RULES.md 1.11
    out = said(capsys, *ROUND)
    assert "Ana: +95" in out
    assert "Bo: -20" in out
    assert re.search(r"\+50  closing$", out, re.M)
    assert points(answer(capsys, *ROUND)) == {"Ana": 95, "Bo": -20}


def test_score_with_every_option_of_remi(capsys: Capture) -> None:
    assert points(answer(capsys, *ROUND, "--atu", "b5")) == {"Ana": 145, "Bo": -20}
    assert points(answer(capsys, *ROUND, "--missed", "Bo")) == {"Ana": 95, "Bo": -500}
    popular = answer(capsys, *ROUND, "--preset", "popular", "--atu", "r1", "--closing-tile", "*")
    assert points(popular) == {"Ana": 380, "Bo": -40}
    announced = answer(capsys, *ROUND, "--set", "atu_bonus=announced", "--atu", "k9", "--announced-atu", "Bo")
    assert points(announced) == {"Ana": 95, "Bo": 30}
    flat = answer(capsys, *ROUND, "--set", "not_opened=flat100", "--not-opened", "Bo")
    assert points(flat)["Bo"] == 15 - 100


def test_score_counts_an_attached_tile_for_who_attached_it(capsys: Capture) -> None:
    got = answer(capsys, "score", "--player", "A: r3 r4 r5 r6@B", "--player", "B: k10 k11 k12 | y2", "--closer", "A")
    assert points(got) == {"A": 65, "B": 30}


def test_score_of_cards(capsys: Capture) -> None:
    carousel = ("score", "--game", "carousel", "--player", "A: 5S", "--player", "B: 2S", "--knocker", "A")
    assert points(answer(capsys, *carousel)) == {"A": 0, "B": 13}
    rummy = ("score", "--game", "rummy", "--player", "A:", "--player", "B: | hand KD 9C", "--winner", "A", "--rummy")
    assert points(answer(capsys, *rummy)) == {"A": 38, "B": 0}


RECORD = {
    "table": [
        {"owner": "A", "tiles": "r10 r11 r12"},
        {"owner": "A", "tiles": "b4 b5 b6"},
        {"owner": "B", "tiles": "k7 k8 k9"},
    ],
    "racks": {"A": "", "B": "r1 y13"},
    "closer": "A",
}


def test_score_from_json_toml_and_standard_input(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = json.dumps(RECORD)
    (tmp_path / "round.json").write_text(text)
    tables = "\n".join(f'[[table]]\nowner = "{m["owner"]}"\ntiles = "{m["tiles"]}"' for m in RECORD["table"])  # type: ignore[index]
    (tmp_path / "round.toml").write_text(f'closer = "A"\n[racks]\nA = ""\nB = "r1 y13"\n{tables}\n')
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    for name in (str(tmp_path / "round.json"), str(tmp_path / "round.toml"), "-"):
        assert points(answer(capsys, "score", name)) == {"A": 95, "B": -20}


def test_score_says_when_the_table_cannot_be(capsys: Capture) -> None:
    got = answer(capsys, "score", "--player", "A: r3 b4 y9", "--player", "B: | r5", "--closer", "A", code=1)
    assert got["ok"] is False
    assert got["faults"][0]["code"] == "INVALID_MELD"


BAD_ROUNDS = [
    pytest.param(["score"], "players", id="nobody"),
    pytest.param(["score", "--player", "Ana r5"], "NAME", id="no colon"),
    pytest.param(["score", "--player", "A: |", "--player", "A: |"], "twice", id="twice"),
    pytest.param([*ROUND[:-1], "Zoe"], "Zoe", id="unknown closer"),
    pytest.param([*ROUND, "no-such-file"], "not both", id="file and players"),
    pytest.param(["score", "no-such-file"], "can't be read", id="no file"),
    pytest.param(["score", "--player", "A: q5 |", "--player", "B:"], "q5", id="wrong piece"),
]


@pytest.mark.parametrize(("words", "word"), BAD_ROUNDS)
def test_a_round_that_cannot_be_read_is_a_sentence(capsys: Capture, words: list[str], word: str) -> None:
    err = complaint(capsys, *words)
    assert word in err
    assert err.endswith(".\n")


@pytest.mark.parametrize(("name", "text"), [("r.json", "{"), ("r.json", "[1]"), ("r.toml", "=")])
def test_a_file_of_something_else_is_a_sentence(capsys: Capture, tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert str(tmp_path / name) in complaint(capsys, "score", str(tmp_path / name))


# -- arrange ------------------------------------------------------------------------------------------------------


def test_arrange_finds_the_best_opening(capsys: Capture) -> None:
    got = answer(capsys, "arrange", "y7 b3 r11 b2 r10 b4 r12")
    assert (got["ok"], got["value"], got["left"], got["complete"]) == (True, 45, "y7", True)
    assert sorted(meld["pieces"] for meld in got["melds"]) == ["b2 b3 b4", "r10 r11 r12"]
    assert "This opens: 45 points." in said(capsys, "arrange", "y7 b3 r11 b2 r10 b4 r12")


def test_arrange_proves_that_there_is_no_opening(capsys: Capture) -> None:
    got = answer(capsys, "arrange", "y7 b3 r11 b2 r9 b4 r10", code=1)
    assert (got["reason"], got["missing"]) == ("BELOW_MINIMUM", 5)
    assert "5 short" in said(capsys, "arrange", "y7 b3 r11 b2 r9 b4 r10", code=1)
    assert answer(capsys, "arrange", "r1 r5 b9 k13", code=1)["reason"] == "NEEDS_RUN"
    assert "needs a run" in said(capsys, "arrange", "r1 r5 b9 k13", code=1)


def test_arrange_attaches_to_the_table(capsys: Capture) -> None:
    got = answer(capsys, "arrange", "r6 * y2", "--table", "r3 r4 r5", "--mine", "b10 b11 b12")
    assert {meld["onto"]: meld["added"].split("=")[0] for meld in got["melds"]} == {0: "r6", 1: "*"}
    assert "onto meld 1: r6" in said(capsys, "arrange", "r6 y2", "--table", "r3 r4 r5")
    assert "Nothing can be laid." in said(capsys, "arrange", "y2 y9", "--table", "r3 r4 r5", code=1)


def test_arrange_rearranges_the_table_of_carousel(capsys: Capture) -> None:
    words = ("arrange", "--game", "carousel", "9D KC", "--table", "9S 9H 9C", "--table", "6D 7D 8D")
    got = answer(capsys, *words)
    assert (got["laid"], got["left"], got["points_left"]) == (1, "KC", 10)
    cards = sorted(card for meld in got["melds"] for card in meld["pieces"].split())
    assert cards == ["6D", "7D", "8D", "9C", "9D", "9H", "9S"]
    assert "added: 9D" in said(capsys, *words)
    assert answer(capsys, "arrange", "--game", "carousel", "KC", "--table", "9S 9H 9C", code=1)["ok"] is False


def test_arrange_lays_and_adds_in_rummy(capsys: Capture) -> None:
    got = answer(capsys, "arrange", "--game", "rummy", "7H 9C 9D 9S 2C", "--mine", "4H 5H 6H")
    assert (got["laid"], got["left"]) == (4, "2C")
    assert "objective" in complaint(capsys, "arrange", "--game", "rummy", "7H", "--objective", "points")


def test_arrange_of_a_rack_that_cannot_be(capsys: Capture) -> None:
    assert "three of r6" in complaint(capsys, "arrange", "r6 r6 r6")
    assert "^^" in complaint(capsys, "arrange", "r6 r77")


# -- rules --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", names())
@pytest.mark.parametrize("preset", ["seed", "popular"])
def test_rules_show_every_switch(capsys: Capture, game: str, preset: str) -> None:
    rules = get(game).house.preset(preset)
    out = said(capsys, "rules", "--game", game, "--preset", preset)
    got = answer(capsys, "rules", "--game", game, "--preset", preset)[game]
    assert {switch["name"]: switch["value"] for switch in got} == rules.to_mapping()
    for switch in rules.switches():
        assert f"{switch.name} = " in out
        assert switch.meaning in out
        assert switch.source in out


def test_rules_of_all_games(capsys: Capture) -> None:
    assert tuple(answer(capsys, "rules")) == names()


def test_rules_as_toml_can_be_read_back(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_text(
        said(capsys, "rules", "--game", "remi", "--set", "opening_min=50", "--set", "run14=False", "--toml")
    )
    got = {s["name"]: s["value"] for s in answer(capsys, "rules", "--game", "remi", "--rules", str(path))["remi"]}
    assert (got["opening_min"], got["run14"], got["joker_ratio"]) == (50, False, 2)
    assert "5 short" in said(capsys, "open", "r10 r11 r12", "b2 b3 b4", "--rules", str(path), code=1)


BAD_RULES = [
    pytest.param(["--set", "opening_min=46"], "45 or 50", id="a value it can't take"),
    pytest.param(["--set", "no_such=1"], "no_such", id="unknown switch"),
    pytest.param(["--set", "run14"], "SWITCH=VALUE", id="no value"),
    pytest.param(["--rules", "/no/such/file"], "can't be read", id="no file"),
    pytest.param(["--rules", __file__], "TOML", id="no TOML"),
]


@pytest.mark.parametrize(("words", "word"), BAD_RULES)
def test_wrong_house_rules_are_a_sentence(capsys: Capture, words: list[str], word: str) -> None:
    assert word in complaint(capsys, "check", "r3 r4 r5", *words)


def test_set_needs_a_game(capsys: Capture) -> None:
    assert "--game" in complaint(capsys, "rules", "--set", "run14=false")


# -- backup and restore -------------------------------------------------------------------------------------------

START = MatchStarted(key="start", game="remi", players=(Player("a", "Ana"), Player("b", "Bo")), dealer="a")


def test_backup_and_restore(capsys: Capture, tmp_path: Path) -> None:
    data, copy = str(tmp_path), str(tmp_path / "copy.db")
    with Ledger(tmp_path / "ledger.db") as ledger:
        match_id, match = ledger.start(START)
        assert answer(capsys, "backup", copy, "--data", data) == {"file": copy, "matches": 1}
        ledger.start(MatchStarted(key="later", game="rummy", players=START.players, dealer="b"))
        got = answer(capsys, "restore", copy, "--data", data)
        assert got["matches"] == 1
        assert [info.id for info in ledger.matches()] == [match_id]
    with Ledger(Path(got["before"])) as before:
        assert len(before.matches()) == 2
        assert before.match(match_id).players == match.players


def test_restore_of_something_else_changes_nothing(capsys: Capture, tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.start(START)
    (tmp_path / "no.db").write_text("no backup")
    assert "no usable backup" in complaint(capsys, "restore", str(tmp_path / "no.db"), "--data", str(tmp_path))
    with Ledger(tmp_path / "ledger.db") as ledger:
        assert len(ledger.matches()) == 1
    assert not list(tmp_path.glob("before-restore*"))


def test_backup_of_no_ledger_makes_none(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMI_DATA", str(tmp_path / "nothing"))
    assert "no ledger" in complaint(capsys, "backup", str(tmp_path / "copy.db"))
    assert list(tmp_path.iterdir()) == []


# -- the command itself -------------------------------------------------------------------------------------------


def test_help_names_every_command(capsys: Capture) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(capsys: Capture, name: str) -> None:
    assert main([name, "--help"]) == 0
    out = capsys.readouterr().out
    assert "--json" in out
    assert f"remi {name}" in out


@pytest.mark.parametrize("words", [[], ["dance"], ["check"], ["check", "r3 r4 r5", "--game", "chess"]])
def test_a_wrong_command_line_is_exit_code_2(capsys: Capture, words: list[str]) -> None:
    assert main(words) == 2
    assert "usage: remi" in capsys.readouterr().err
