"""Labels against readings: every kind of label, every figure, by hand-made scenes and end to end with toys."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import toys
from toys import Toy

from vision import evaluate
from vision.compare import Compared, LabelError, compare
from vision.read import Reader
from vision.scene import Piece, Quad, Row, Scene


def quad(x: float, y: float, width: float = 30, height: float = 42) -> Quad:
    return ((x, y), (x + width, y), (x + width, y + height), (x, y + height))


def piece(code: str, x: float = 0, y: float = 100, p: float = 0.99, asked: bool = False, kind: str = "tile",
          indices: tuple[Quad, ...] = (), flags: tuple[str, ...] = ()) -> Piece:
    return Piece(code, p, quad(x, y), kind, asked=asked, indices=indices, flags=flags)  # type: ignore[arg-type]


def scene(*pieces: Piece, rows: tuple[tuple[int, ...], ...] = ()) -> Scene:
    return Scene(1000, 800, pieces, tuple(Row(row) for row in rows))


def polygons(**codes: float) -> dict[str, Any]:
    return {"image": "a.jpg", "pieces": [{"code": code.rstrip("_"), "polygon": [list(c) for c in quad(x, 100)],
                                          "cut": False} for code, x in codes.items()]}


def edits(result: Compared) -> list[tuple[str, str | None, str | None]]:
    return sorted((wrong.edit, wrong.want, wrong.got) for wrong in result.wrong)


def test_all_right() -> None:
    label = polygons(r5=0, r6=40, r7=80)
    groups = {"groups": [[0, 1, 2]]}
    result = compare(label, groups, scene(piece("r7", 80), piece("r6", 41), piece("r5", 0), rows=((2, 1, 0),)))
    assert (result.pieces, result.found, result.right, result.false_finds) == (3, 3, 3, 0)
    assert (result.exact, result.rows, result.taps, result.silent) == (True, (1, 1), 0, 0)


def test_every_way_to_be_wrong_costs_one_tap() -> None:
    label = polygons(r5=0, r6=40, r7=80)
    read = scene(piece("r5", 0), piece("b6", 40, p=0.6, asked=True), piece("k1", 500), rows=((0, 1), (2,)))
    result = compare(label, {"groups": [[0, 1, 2]]}, read)
    assert edits(result) == [("add", "r7", None), ("change", "r6", "b6"), ("remove", None, "k1")]
    assert (result.found, result.right, result.false_finds, result.taps) == (2, 1, 1, 3)
    assert result.silent == 2  # the changed one was asked about
    assert (result.exact, result.rows, result.asked) == (False, (0, 1), 1)
    assert result.confused == [("r6", "b6")]
    assert result.certainties == [(0.99, True), (0.6, False)]


def test_half_overlapping_is_not_found() -> None:
    result = compare(polygons(r5=0), None, scene(piece("r5", 14)))
    assert (result.found, result.false_finds, result.rows) == (0, 1, None)


def test_rows_by_index_whatever_the_codes() -> None:
    label, groups = polygons(r5=0, r6=40, k1=200), {"groups": [[0, 1], [2]]}
    pieces = piece("r5", 0), piece("r8", 40), piece("k1", 200)
    assert compare(label, groups, scene(*pieces, rows=((0, 1), (2,)))).rows == (2, 2)
    assert compare(label, groups, scene(*pieces, rows=((1, 0), (2,)))).rows == (1, 2)
    assert compare(label, groups, scene(*pieces, rows=((0, 1, 2),))).rows == (0, 2)


def test_a_row_that_may_be_one_is_right_either_way() -> None:
    label, groups = polygons(r5=0, r6=40), {"groups": [[0], [1]], "maybe": [[0, 1]]}
    pieces = piece("r5", 0), piece("r6", 40)
    assert compare(label, groups, scene(*pieces, rows=((0,), (1,)))).rows == (2, 2)
    assert compare(label, groups, scene(*pieces, rows=((0, 1),))).rows == (2, 2)


def test_an_empty_table_has_only_false_finds() -> None:
    label = {"image": "a.jpg", "pieces": []}
    assert compare(label, None, scene()).exact
    result = compare(label, None, scene(piece("r5")))
    assert (result.pieces, result.false_finds, result.exact, result.silent) == (0, 1, False, 1)


GROUPS = {"image": "a.jpg", "groups": [["k10", "k11"], ["r5"]]}


@pytest.mark.parametrize(("codes", "rows", "want"), [
    (["k10", "k11", "r5"], ((0, 1), (2,)), (3, 3, 0, 0, (2, 2))),
    (["k11", "k10", "r5"], ((0, 1), (2,)), (3, 3, 0, 0, (1, 2))),
    (["k10", "k11", "r6"], ((0, 1), (2,)), (3, 2, 0, 1, (1, 2))),
    (["k10", "k11"], ((0, 1),), (2, 2, 0, 1, (1, 2))),
    (["k10", "k11", "r5", "r5"], ((0, 1), (2,), (3,)), (3, 3, 1, 1, (2, 2))),
    ([], (), (0, 0, 0, 3, (0, 2))),
], ids=["right", "order", "misread", "missing", "extra", "nothing"])
def test_groups_without_positions(codes: list[str], rows: Any, want: Any) -> None:
    result = compare(GROUPS, None, scene(*(piece(c, 40 * n) for n, c in enumerate(codes)), rows=rows))
    assert (result.found, result.right, result.false_finds, result.taps, result.rows) == want


def test_a_question_mark_matches_anything() -> None:
    label = {"image": "a.jpg", "groups": [["k10", "?"]]}
    result = compare(label, None, scene(piece("k10"), piece("y3", 40), rows=((0, 1),)))
    assert (result.exact, result.rows, result.right) == (True, (1, 1), 2)
    assert edits(compare(label, None, scene(piece("k10"), rows=((0,),)))) == [("add", "?", None)]
    assert edits(compare(polygons(**{"?": 0}), None, scene(piece("y3")))) == []


@pytest.mark.parametrize(("extra", "exact"), [
    ([], True),
    ([piece("b2", 0)], True),
    ([piece("b2", 0), piece("k1", 970)], True),
    ([piece("b2", 0), piece("k1", 970), piece("k2", 960)], False),
    ([piece("b7", 500)], True),
], ids=["none", "one", "both", "too many", "named"])
def test_cut_pieces_are_neither_asked_for_nor_false(extra: list[Piece], exact: bool) -> None:
    cut = ["b7"] if extra and extra[0].code == "b7" else ["?", "?"]
    label = {"image": "a.jpg", "groups": [["k10", "k11"]], "cut": cut}
    pieces = [piece("k10", 300), piece("k11", 340), *extra]
    rows = ((0, 1, *range(2, len(pieces))),)  # the cut one stands in the row
    result = compare(label, None, scene(*pieces, rows=rows))
    assert result.exact is exact
    assert result.pieces == 2
    assert (result.rows == (1, 1)) is exact


def test_a_cut_list_does_not_hide_a_misreading() -> None:
    label = {"image": "a.jpg", "groups": [["k10", "k11"]], "cut": ["?"]}
    result = compare(label, None, scene(piece("k10", 300), piece("b11", 340)))
    assert edits(result) == [("change", "k11", "b11")]


def test_uncertain_grouping_counts_for_pieces_only() -> None:
    result = compare({**GROUPS, "grouping": "uncertain"}, None, scene(piece("k10"), piece("k11", 40), piece("r5", 80)))
    assert (result.exact, result.rows) == (True, None)


def card(code: str, *places: tuple[float, float], p: float = 0.99, asked: bool = False) -> Piece:
    indices = tuple(quad(x, y, 20, 40) for x, y in places)
    return Piece(code, p, indices[0], "card", asked=asked, indices=indices)


def boxes(*pieces: tuple[str, float, float]) -> dict[str, Any]:
    return {"image": "a.jpg", "pieces": [{"code": code, "box": [x, y, x + 20, y + 40]} for code, x, y in pieces]}


def test_indices_are_judged_one_by_one_and_cards_once() -> None:
    label = boxes(("10H", 0, 0), ("10H", 60, 150), ("KS", 300, 0))
    result = compare(label, None, scene(card("10H", (0, 0), (62, 151)), card("KS", (300, 2))))
    assert (result.indices, result.exact, result.taps) == ((3, 3, 3), True, 0)
    unpaired = compare(label, None, scene(card("10H", (0, 0)), card("10H", (60, 150)), card("KS", (300, 0))))
    assert (unpaired.indices, edits(unpaired)) == ((3, 3, 3), [("remove", None, "10H")])
    half = compare(label, None, scene(card("10H", (0, 0)), card("QS", (300, 0), asked=True)))
    assert (half.indices, half.exact, half.silent) == ((3, 2, 1), False, 0)
    assert edits(half) == [("change", "KS", "QS")]


def test_backs_count_only_where_a_label_names_them() -> None:
    back = Piece("back", 0.9, quad(500, 500), "card")
    assert compare(boxes(("KS", 0, 0)), None, scene(card("KS", (0, 0)), back)).exact
    assert not compare(boxes(("KS", 0, 0), ("back", 300, 300)), None, scene(card("KS", (0, 0)))).exact


def test_whole_cards_by_rank() -> None:
    label = {"image": "a.jpg", "pieces": [{"rank": "K", "card_box": [0, 0, 200, 300]},
                                          {"rank": "10", "card_box": [180, 0, 400, 300]}]}
    result = compare(label, None, scene(card("KS", (10, 10), (160, 240)), card("10H", (185, 10))))
    assert (result.found, result.right, result.exact, result.indices) == (2, 2, True, None)
    result = compare(label, None, scene(card("KS", (10, 10)), card("KS", (160, 240)), card("9H", (300, 10))))
    assert (result.found, result.right, result.false_finds) == (2, 1, 1)


@pytest.mark.parametrize("label", [
    {"image": "a.jpg"}, {"image": "a.jpg", "pieces": [{"code": "r5"}]},
    {"image": "a.jpg", "pieces": [{"code": "r5", "box": [0, 0, 1, 1]}, {"rank": "K", "card_box": [0, 0, 1, 1]}]},
])
def test_a_label_of_no_known_kind_is_refused(label: dict[str, Any]) -> None:
    with pytest.raises(LabelError, match=r"a\.jpg"):
        compare(label, None, scene())


def test_calibration_error() -> None:
    assert evaluate.calibration_error([]) is None
    assert evaluate.calibration_error([(1.0, True)] * 5) == pytest.approx(0)
    assert evaluate.calibration_error([(0.8, True)] * 8 + [(0.8, False)] * 2) == pytest.approx(0)
    assert evaluate.calibration_error([(0.9, False)] * 4) == pytest.approx(0.9)


KEYS = {"photos", "pieces", "found", "right", "false_finds", "photos_exact", "rows_exact", "taps", "asked",
        "silent_errors", "ece", "ms", "index_found", "index_right"}


def folder(root: Path) -> Path:
    """Three photos of toys with labels of two kinds, one of them wrong in one piece."""
    laid = [Toy(f"r{n + 3}", 120 + 68 * n, 120) for n in range(4)] + [Toy("b9", 500, 400, turn=30)]
    lines, groups = [], []
    (root / "set").mkdir(parents=True)
    for n, wrong in enumerate([False, True]):
        name = f"set/{n}.png"
        cv2.imwrite(str(root / name), toys.table(laid))
        pieces = [{"code": "k2" if wrong and t.code == "b9" else t.code, "polygon": t.quad.tolist(), "cut": False}
                  for t in laid]
        lines.append({"image": name, "width": 800, "height": 600, "source": "one", "pieces": pieces})
        groups.append({"image": name, "scene": "melds", "groups": [[0, 1, 2, 3], [4]], "upright": [0] * 5})
    cv2.imwrite(str(root / "set/2.png"), toys.table(laid))
    lines.append({"image": "set/2.png", "source": "two", "groups": [["r3", "r4", "r5", "r6"], ["b9"]]})
    (root / "set/labels.jsonl").write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    (root / "set/groups.jsonl").write_text("\n".join(json.dumps(line) for line in groups), "utf-8")
    return root / "set/labels.jsonl"


def test_a_labelled_folder(tmp_path: Path) -> None:
    steps: list[int] = []
    result = evaluate.evaluate_folder(folder(tmp_path), None, Reader(networks=toys.networks()),
                                      progress=lambda n, count, image: steps.append(n))
    assert steps == [0, 1, 2, 3]
    assert set(result["all"]) == KEYS
    assert set(result["sources"]) == {"one", "two"}
    assert result["all"]["photos"] == 3
    assert result["all"]["found"] == 1
    assert result["all"]["right"] == pytest.approx(14 / 15)
    assert result["all"]["photos_exact"] == pytest.approx(2 / 3)
    assert result["all"]["rows_exact"] == 1
    assert result["all"]["silent_errors"] == pytest.approx(1000 / 15)
    assert result["all"]["taps"] == pytest.approx(1 / 3)
    assert result["all"]["index_found"] is None
    assert result["sources"]["two"]["photos_exact"] == 1
    assert [photo["exact"] for photo in result["photos"]] == [True, False, True]
    assert set(result["photos"][0]) >= {"image", "exact", "taps", "wrong"}
    assert result["confusions"] == {"numbers": {"2>9": 1}, "colours": {"k>b": 1}}
    assert result["stages"]["decode"] > 0
    json.dumps(result)


def test_a_photo_that_cannot_be_read_counts_as_all_missing(tmp_path: Path) -> None:
    labels = folder(tmp_path)
    (tmp_path / "set/2.png").write_bytes(b"%PDF-1.4")
    result = evaluate.evaluate_folder(labels, tmp_path, Reader(networks=toys.networks()))
    assert result["sources"]["two"]["found"] == 0
    assert result["photos"][2]["taps"] == 5


def test_the_command_writes_json_and_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                            capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(evaluate, "Reader", lambda weights: Reader(networks=toys.networks()))
    out = tmp_path / "out.json", tmp_path / "out.html"
    assert evaluate.main([str(folder(tmp_path)), "--json", str(out[0]), "--html", str(out[1])]) == 0
    printed = capsys.readouterr().out
    assert "66.67 %" in printed
    assert "colours: k>b 1" in printed
    assert set(json.loads(out[0].read_text("utf-8"))["all"]) == KEYS
    page = out[1].read_text("utf-8")
    assert page.count("<img") == 1
    assert "k2 read as b9" in page
    assert "http" not in page


@pytest.mark.parametrize(("text", "words"), [("", "no labels"), ("{", "Line 1"), ('{"x": 1}', "names no image"),
                                             ('{"image": "none.jpg", "groups": []}', "--photos")])
def test_labels_that_are_none(tmp_path: Path, text: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "labels.jsonl").write_text(text, "utf-8")
    assert evaluate.main([str(tmp_path / "labels.jsonl"), "--weights", str(tmp_path)]) == 2
    assert words in capsys.readouterr().err


def test_a_folder_of_single_tiles(tmp_path: Path) -> None:
    for name, code in [("10_cyan", "b10"), ("3_black", "k3"), ("joker_1", "*")]:
        cv2.imwrite(str(tmp_path / f"{name}.png"), toys.table([Toy(code, 100, 100, height=150)], 200, 200))
    result = evaluate.evaluate_folder(tmp_path, None, Reader(networks=toys.networks()))
    assert (result["all"]["photos"], result["all"]["photos_exact"]) == (3, 1)
    (tmp_path / "empty").mkdir()
    with pytest.raises(LabelError, match="10_cyan"):
        evaluate.read_labels(tmp_path / "empty")


def test_shown_figures() -> None:
    from vision.report import shown

    assert [shown("found", 0.5), shown("ms", None), shown("photos", 3), shown("ece", 0.01234)] == [
        "50.00 %", "-", "3", "0.012"]
    assert np.isfinite(evaluate.peak_memory() or 1.0)
