"""Rounds of cards from pictures of the hands, by command: knocking, rummy, the end of a match and its bonuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from table_scenes import cards

from companion.cli import main


def read(tmp_path: Path, capsys: pytest.CaptureFixture[str], *words: str, **hands: str) -> dict[str, Any]:
    """The answer of `remi read --as round` with a picture of each hand."""
    for name, codes in hands.items():
        (tmp_path / f"{name}.json").write_text((cards(codes, kind="fan") if codes else cards()).to_json())
    files = [str(tmp_path / f"{name}.json") for name in hands]
    code = main(["read", *files, "--as", "round", "--players", ",".join(hands), "--json", *words])
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return {**answer, "exit": code}


@pytest.mark.parametrize(
    ("knocker", "hands", "points"),
    [
        ("Ana", {"Ana": "3S", "Bo": "KD 7C"}, {"Ana": 14, "Bo": 0}),
        ("Ana", {"Ana": "5S", "Bo": "2C"}, {"Ana": 0, "Bo": 13}),
        ("Ana", {"Ana": "2S", "Bo": "10C", "Cy": "* ", "Di": "7D"}, {"Ana": 36, "Bo": 0, "Cy": 0, "Di": 0}),
    ],
)
def test_a_knock_is_scored_from_pictures_of_the_hands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], knocker: str, hands: dict[str, str], points: dict[str, int]
) -> None:
    answer = read(tmp_path, capsys, "--game", "carousel", "--knocker", knocker, **hands)
    assert {one["name"]: one["verdict"]["value"] for one in answer["players"]} == points
    assert answer["exit"] == 0


def test_rummy_counts_double(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--game", "rummy", "--winner", "you")
    hands = {"you": "", "Ada": "3D 8D AC 5S", "Bo": "7D 6C 2D 3C"}
    plain, double = read(tmp_path, capsys, *words, **hands), read(tmp_path, capsys, *words, "--rummy", **hands)
    assert [one["players"][0]["verdict"]["value"] for one in (plain, double)] == [35, 70]


@pytest.mark.parametrize(("before", "over", "winners"), [(("130", "120"), True, ["Bo"]), (("20", "40"), False, [])])
def test_the_match_ends_with_its_bonuses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: tuple[str, str], over: bool, winners: list[str]
) -> None:
    totals = f"Ana={before[0]},Bo={before[1]}"
    words = ("--game", "carousel", "--knocker", "Ana", "--totals", totals, "--won", "Ana=2,Bo=6")
    match = read(tmp_path, capsys, *words, Ana="3S", Bo="KD KC 5C")["match"]
    assert (match["over"], match["winners"]) == (over, winners)
    if over:  # 130 + 22 reach the target: 100 for Ana, 25 for each of Bo's rounds
        assert {one["player"]: one["value"] for one in match["players"]} == {"Ana": 252, "Bo": 270}


def test_totals_are_names_and_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--game", "carousel", "--totals", "Ana:3")
    assert read(tmp_path, capsys, *words, Ana="3S", Bo="KD")["exit"] == 2
