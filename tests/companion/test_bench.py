"""`remi bench`: the page of ratios, on toy networks, and the baseline that reading is held against."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "vision"))
import toys

from companion import bench, bench_reading, bench_rivals
from companion.bench_report import Report
from companion.cli import main
from companion.cli_output import Output
from vision.read import Reader

CODES = ["r3", "b8", "y11", "k5"]


def report() -> Report:
    return Report(Output(as_json=True))


def laid(*tiles: toys.Toy) -> Any:
    """White tiles with their numbers, which both a person and templates can read."""
    image = np.full((400, 700, 3), (70, 100, 140), np.uint8)
    for tile in tiles:
        quad = np.array(tile.quad, np.int32)
        cv2.fillConvexPoly(image, quad, (235, 240, 240))
        ink = {"r": (40, 40, 200), "b": (190, 120, 30), "y": (30, 160, 230), "k": (40, 40, 40)}[tile.code[0]]
        (wide, high), _ = cv2.getTextSize(tile.code[1:], cv2.FONT_HERSHEY_SIMPLEX, 0.9, 3)
        place = (round(tile.x - wide / 2), round(tile.y + high / 2 - 8))
        cv2.putText(image, tile.code[1:], place, cv2.FONT_HERSHEY_SIMPLEX, 0.9, ink, 3)
    return image


def test_contours_and_templates_read_what_they_are_made_for() -> None:
    tiles = [toys.Toy(code, 120 + 140 * n, 200, height=90) for n, code in enumerate(CODES)]
    image = laid(*tiles)
    known = bench_rivals.templates(image, {tile.code: tile.quad for tile in tiles})
    assert sorted(bench_rivals.by_templates(image, known)) == sorted(CODES)
    smaller = np.asarray(cv2.resize(image, (525, 300), interpolation=cv2.INTER_AREA), np.uint8)
    assert sorted(bench_rivals.by_templates(smaller, known)) == sorted(CODES)
    touching = [toys.Toy(code, 120 + 65 * n, 200, height=90) for n, code in enumerate(CODES)]
    assert len(bench_rivals.blobs(laid(*touching))) == len(CODES)
    assert bench_rivals.by_templates(np.full((60, 60, 3), 128, np.uint8), known) == []


def test_what_is_compared_runs_in_turns() -> None:
    order: list[str] = []
    one, two = bench_reading.in_turns(2, lambda: order.append("a"), lambda: order.append("b"))
    assert order == ["a", "b"] * 3
    assert min(one.clock, two.clock) >= 0


def test_the_pictures_hold_the_sample_so_many_times() -> None:
    (count, data), *more = bench_reading.pictures(quick=True)
    assert not more
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    assert (count, image.shape) == (14, (480, 640, 3))


def test_a_photos_line_gives_ratios() -> None:
    page = report()
    bench_reading.reading(page, Reader(networks=toys.networks()), quick=True, runs=1)
    (section,) = page.values.values()
    first = section["640 x 480, 14 tiles"]
    assert first["clock_ratio"] > 0
    assert 0 <= first["right"] <= 1
    assert sum(section["stages of the last one"].values()) == pytest.approx(1)


def test_rules_are_part_of_the_page() -> None:
    page = report()
    bench.brief(page, racks=1)
    (section,) = page.values.values()
    assert section["meld verdicts"]["per_second"] > section["round scores, four players"]["per_second"]
    assert {"rack of 14, one joker", "rack of 20, one joker", "rack of 40, one joker"} < set(section)


def test_every_watcher_hears_of_every_round() -> None:
    from companion.bench_serving import UPDATES, serving

    page = report()
    serving(page, quick=True)
    (section,) = page.values.values()
    assert set(section) == {"1 watching"}
    assert UPDATES > 1
    assert section["1 watching"]["worst_ms"] >= section["1 watching"]["ms"] > 0


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["bench", "rules", "--quick", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"machine", "cores", "load", "figures"}
    assert main(["bench", "nothing"]) == 2
    assert "start, reading" in capsys.readouterr().err
    assert main(["bench", "reading", "--weights", str(tmp_path)]) == 2
    assert "in none of these folders" in capsys.readouterr().err


def test_without_torch_it_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    bench_rivals.against_torch(Report(Output(as_json=False)), Reader(networks=toys.networks()), None)
    assert "not installed" in capsys.readouterr().out
