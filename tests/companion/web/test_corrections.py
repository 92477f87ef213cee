"""Photos that the host keeps become labelled crops by what a paired device put right, and only so."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fakes import FakeReader, labels, sample, scene_of
from livefakes import FakeFollower
from sites import Site

from companion import corrections
from companion.cli import main
from companion.ledger import Ledger
from companion.web.app import create_app, services_of
from companion.web.config import WebConfig
from datasets.labels import load


@pytest.fixture
def keeping(tmp_path: Path) -> Iterator[Site]:
    """A server that keeps photos, and reads the first piece of sample 2 wrong."""
    ledger = Ledger(tmp_path / "ledger.db")
    reader = FakeReader({2: scene_of(labels(2), wrong={0: "k1" if labels(2)["pieces"][0]["code"] != "k1" else "k2"})})
    app = create_app(ledger, WebConfig(keep_photos=str(tmp_path / "kept")), lambda: reader, FakeFollower)
    made = Site(app, ledger, reader, app.test_client(), app.test_client())
    made.scorer = made.pair("Ana")
    yield made
    services_of(app).hub.close()
    ledger.close()


def read(site: Site) -> dict[str, Any]:
    form = {"photo": (io.BytesIO(sample(2).read_bytes()), "a.jpg"), "game": "remi", "as": "table"}
    answer = site.scorer.post("/api/read", data=form)
    assert answer.status_code == 200, answer.json
    return dict(answer.json)


def put_right(client: Any, table: dict[str, Any], *edits: dict[str, Any]) -> None:
    scene = json.loads(json.dumps(table["read"]).replace(".0,", ","))  # a browser writes 12.0 as 12
    body = {"scene": scene, "edits": list(edits), "game": "remi", "as": "table"}
    answer = client.post("/api/table", json=body)
    assert answer.status_code == 200, answer.json


def test_a_corrected_photo_becomes_crops_with_labels(keeping: Site, tmp_path: Path) -> None:
    want = labels(2)["pieces"]
    changed = {"do": "change", "piece": 0, "code": want[0]["code"]}
    put_right(keeping.scorer, read(keeping), changed, {"do": "remove", "piece": 1})
    out = tmp_path / "out"
    assert main(["corrections", "export", str(out), "--photos", str(tmp_path / "kept")]) == 0
    photos = load(out / "labels.jsonl")
    assert [photo.targets[0].code for photo in photos] == [piece["code"] for n, piece in enumerate(want) if n != 1]
    assert [photo.label["pieces"][0]["corrected"] for photo in photos] == [n == 0 for n in range(len(photos))]
    for photo in photos:
        pixels, target = photo.pixels(), photo.targets[0]
        assert target.upright_known
        assert (target.quad >= 0).all()
        assert (target.quad <= [pixels.shape[1], pixels.shape[0]]).all()
        size = target.quad[2] - target.quad[0]
        assert target.quad[0] == pytest.approx(size * corrections.AROUND, abs=2), "its own top left comes first"


def test_the_crops_show_what_the_labels_say(keeping: Site, tmp_path: Path) -> None:
    put_right(keeping.scorer, read(keeping), {"do": "change", "piece": 0, "code": labels(2)["pieces"][0]["code"]})
    photos, crops = corrections.export(tmp_path / "kept", tmp_path / "out")
    assert (photos, crops) == (1, len(labels(2)["pieces"]))
    for photo in load(tmp_path / "out" / "labels.jsonl"):
        (left, top), (right, low) = photo.targets[0].quad[0].astype(int), photo.targets[0].quad[2].astype(int)
        inside = photo.pixels()[top:low, left:right].astype(float)
        assert inside.mean() > 90, "a pale tile, not the table"
        assert np.ptp(inside) > 60, "with print on it"


def test_what_nobody_put_right_is_no_label(keeping: Site, tmp_path: Path) -> None:
    table = read(keeping)
    put_right(keeping.watcher, table, {"do": "change", "piece": 0, "code": "r5"})
    put_right(keeping.scorer, table)
    assert len(list((tmp_path / "kept").glob("*.jpg"))) == 1
    assert corrections.export(tmp_path / "kept", tmp_path / "out") == (0, 0)


def test_nothing_is_kept_unless_the_host_says_so(site: Site, tmp_path: Path) -> None:
    put_right(site.scorer, read(site), {"do": "change", "piece": 0, "code": "r5"})
    assert {path.name.partition("-")[0] for path in tmp_path.rglob("*")} <= {"ledger.db"}


def test_a_photo_that_cannot_be_kept_is_read_all_the_same(keeping: Site, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("a file is in the way")
    put_right(keeping.scorer, read(keeping), {"do": "change", "piece": 0, "code": "r5"})


def test_a_damaged_note_is_named(keeping: Site, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    read(keeping)
    file = next((tmp_path / "kept").glob("*.json"))
    file.write_text(file.read_text()[:-40])
    assert main(["corrections", "export", str(tmp_path / "out"), "--photos", str(tmp_path / "kept")]) == 2
    assert file.name in capsys.readouterr().err
    assert main(["corrections", "export", str(tmp_path / "out"), "--photos", str(tmp_path / "none")]) == 2
