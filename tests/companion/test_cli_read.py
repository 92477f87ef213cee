"""``remi read`` and ``remi evaluate``: words, JSON, exit codes, and words for files that are no photos."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest
from table_scenes import cards, scene

from companion.cli import main
from companion.table import Change, read_table
from companion.table.overlay import overlay
from vision.photo import Photo
from vision.scene import Kind, Scene

SAMPLE = Path(__file__).parents[2] / "vision" / "samples" / "table.jpg"
TRUTH = Path(__file__).parent / "data" / "sample.json"


class Reads:
    """Stands in for the networks: whatever the picture, it reads these scenes, one after the other."""

    scenes: Sequence[Scene] = ()

    def __init__(self, weights: Path | None = None, copies: int = 2, profile: object = None) -> None:
        self.left = list(self.scenes)

    def read(self, picture: Photo, kinds: Sequence[Kind]) -> Scene:
        return self.left.pop(0)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> type[Reads]:
    """The reader replaced by one that has been told what to see."""
    monkeypatch.setattr("vision.read.Reader", Reads)
    monkeypatch.setattr(Reads, "scenes", [Scene.from_json(TRUTH.read_text("utf-8"))])
    return Reads


def on_disk(folder: Path, made: Scene, name: str = "scene.json") -> str:
    path = folder / name
    path.write_text(made.to_json(), "utf-8")
    return str(path)


def picture(folder: Path, name: str) -> Path:
    path = folder / name
    assert cv2.imwrite(str(path), np.full((80, 100, 3), 200, np.uint8))
    return path


def test_the_sample_ships_and_opens(reads: type[Reads], capsys: pytest.CaptureFixture[str]) -> None:
    assert SAMPLE.stat().st_size < 200_000
    assert main(["read", "--sample"]) == 0
    told = capsys.readouterr().out
    assert "[r9] [r10] [r11] [r12] [r13]  45" in told
    assert "+20  r7 k7 b7 y7" in told
    assert "This opens: 80 points." in told


def test_the_picture_of_the_sample_is_drawn_on(reads: type[Reads], tmp_path: Path) -> None:
    out = tmp_path / "judged.png"
    assert main(["read", "--sample", "--draw", str(out)]) == 0
    before, after = cv2.imread(str(SAMPLE)), cv2.imread(str(out))
    assert before is not None
    assert after is not None
    assert after.shape == before.shape
    assert np.abs(after.astype(int) - before).max(axis=2).mean() > 5


def test_verdicts_differ_in_the_drawing_by_more_than_colour() -> None:
    made = Scene.from_json(TRUTH.read_text("utf-8"))
    blank = np.full((made.height, made.width, 3), 255, np.uint8)
    legal = overlay(blank, read_table(made))
    wrong = overlay(blank, read_table(made).edit(Change(6, "b9")))
    grey = [cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) for image in (legal, wrong)]
    assert (np.abs(grey[0].astype(int) - grey[1]) > 60).sum() > 500


def test_json_is_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = scene(["r10", "r11", "?"], "b4 b5 b6")
    assert main(["read", on_disk(tmp_path, made), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["questions"][0]["answers"] == ["r12"]
    assert not told["decided"]
    again = tmp_path / "again.json"
    again.write_text(json.dumps(told), "utf-8")
    assert main(["read", str(again), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["melds"] == told["melds"]


def test_questions_and_remarks_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = scene("r10 r11 r12", ["b4", "?", "b6"], remarks=["blurred"])
    assert main(["read", on_disk(tmp_path, made)]) == 1
    told = capsys.readouterr().out
    assert "The photo is blurred" in told
    assert "meld 2, piece 2: This piece can't be read. Which is it?  b5" in told


@pytest.mark.parametrize(
    ("view", "words"),
    [("table", "Every meld is legal."), ("rack", "45 points are left here."), ("round", "Ana: +45")],
)
def test_views(view: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = on_disk(tmp_path, scene("r10 r11 r12", "b4 b5 b6"))
    assert main(["read", path, "--as", view, "--players", "Ana"]) == 0
    assert words in capsys.readouterr().out


def test_house_rules_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text("[remi]\nopening_min = 50\n", "utf-8")
    assert main(["read", on_disk(tmp_path, scene("r10 r11 r12", "b4 b5 b6")), "--rules", str(rules)]) == 1
    assert "5 short" in capsys.readouterr().out


def test_cards(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = on_disk(tmp_path, cards("10H JH QH", "9C 9D 9S"))
    assert main(["read", path, "--game", "carousel", "--as", "table"]) == 0
    assert "A legal sequence." in capsys.readouterr().out


def test_a_folder_with_progress_and_a_drawing_each(
    reads: type[Reads], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Reads, "scenes", [scene("r10 r11 r12", "b4 b5 b6"), scene("r1 r2 r4")])
    folder = tmp_path / "photos"
    folder.mkdir()
    for name in ("b.png", "a.jpg"):
        picture(folder, name)
    (folder / "notes.txt").write_text("no photo", "utf-8")
    assert main(["read", str(folder), "--draw", str(tmp_path / "out.png")]) == 1
    told = capsys.readouterr()
    assert told.err.splitlines() == [f"1/2 {folder / 'a.jpg'}", f"2/2 {folder / 'b.png'}"]
    assert (tmp_path / "out-1.png").is_file()
    assert (tmp_path / "out-2.png").is_file()


def test_a_photo_for_each_player(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ana = on_disk(tmp_path, scene("r10 r11 r12"), "ana.json")
    bo = on_disk(tmp_path, scene("k7 k8 k9", "r1 y13"), "bo.json")
    assert main(["read", ana, bo, "--as", "round", "--players", "Ana,Bo", "--closer", "Ana", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {p["name"]: p["verdict"]["value"] for p in told["players"]} == {"Ana": 80, "Bo": -20}


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("empty.jpg", b"", "empty"),
        ("paper.jpg", b"%PDF-1.7", "not a photo"),
        ("missing.jpg", None, "can't be opened"),
        ("scene.json", b"{", "can't be read"),
        ("other.json", b"{}", "schema"),
    ],
)
def test_a_file_that_is_no_photo(
    name: str, data: bytes | None, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    if data is not None:
        path.write_bytes(data)
    assert main(["read", str(path)]) == 2
    assert words in capsys.readouterr().err


def test_one_bad_photo_does_not_stop_the_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.jpg"
    bad.write_bytes(b"")
    good = on_disk(tmp_path, scene("r10 r11 r12", "b4 b5 b6"))
    assert main(["read", str(bad), good, "--json"]) == 2
    told = json.loads(capsys.readouterr().out)["photos"]
    assert told[0]["error"]["code"] == "PHOTO_EMPTY"
    assert told[1]["total"]["ok"]


def test_nothing_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", on_disk(tmp_path, Scene(100, 100, remarks=("nothing_found",)))]) == 2
    assert "No tiles or cards are found in the photo." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "Name a photo"),
        (["--sample", "x.jpg"], "not both"),
        (["EMPTY"], "no photo in the folder"),
        (["SCENE", "--draw", "x.png"], "needs a photo"),
        (["SCENE", "--as", "round", "--players", "Ana,Ana"], "same name"),
    ],
)
def test_usage(words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty").mkdir()
    known = {"EMPTY": str(tmp_path / "empty"), "SCENE": on_disk(tmp_path, scene("r1 r2 r3"))}
    assert main(["read", *(known.get(word, word) for word in words)]) == 2
    assert said in capsys.readouterr().err


def test_networks_that_are_missing_are_said_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    photo = picture(tmp_path, "photo.png")
    assert main(["read", str(photo), "--weights", str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().err


def test_evaluate_is_wired(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = tmp_path / "labels.jsonl"
    labels.write_text("", "utf-8")
    assert main(["evaluate", str(labels)]) == 2
    assert "holds no labels" in capsys.readouterr().err
