"""The command that renders: a stopped run goes on where it stopped and ends in the same files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import cv2
import pytest

from datasets.render import CHUNK, main

ROOT = Path(__file__).resolve().parents[2]


def arguments(out: Path, scenes: int) -> list[str]:
    fixed = ["--kind", "mixed", "--size", "160", "--seed", "4", "--workers", "1"]
    return [*fixed, "--scenes", str(scenes), "--out", str(out)]


def files(folder: Path) -> dict[str, bytes]:
    found = sorted(p for p in folder.rglob("*") if p.suffix in (".jpg", ".txt"))
    return {str(p.relative_to(folder)): p.read_bytes() for p in found}


def test_a_folder_of_scenes_is_whole_and_its_obb_texts_are_sound(tmp_path: Path) -> None:
    assert main(arguments(tmp_path, 10)) == 0
    lines = [json.loads(line) for line in (tmp_path / "labels.jsonl").read_text().splitlines()]
    assert [line["image"] for line in lines] == [f"images/{k:06d}.jpg" for k in range(10)]
    for k, line in enumerate(lines):
        image = cv2.imread(str(tmp_path / line["image"]))
        assert image.shape[:2] == (line["height"], line["width"])
        for row in (tmp_path / f"labels/{k:06d}.txt").read_text().splitlines():
            name, *corners = row.split()
            assert name in "0123"
            assert len(corners) == 8
            assert all(0 <= float(c) <= 1 for c in corners)
    assert sum(len(line["pieces"]) for line in lines) > 10


@pytest.mark.slow
def test_a_killed_run_is_resumed_to_the_same_files(tmp_path: Path) -> None:
    scenes = 3 * CHUNK
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    main(arguments(whole, scenes))
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "datasets.render", *arguments(broken, scenes)]
    run = subprocess.Popen(
        command, cwd=ROOT, env=env, start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    parts = broken / "parts"
    for _ in range(1200):
        if parts.exists() and list(parts.glob("*.jsonl")):
            break
        time.sleep(0.05)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    done = len(list(parts.glob("*.jsonl")))
    assert 0 < done < 3
    assert not (broken / "labels.jsonl").exists()
    main(arguments(broken, scenes))
    assert (broken / "labels.jsonl").read_bytes() == (whole / "labels.jsonl").read_bytes()
    assert files(broken) == files(whole)
