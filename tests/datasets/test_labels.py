"""Labels: real and rendered in one shape, angles and EXIF as the README of the photographs says, OBB text."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from datasets.labels import CLASSES, Target, least_rectangle, load, load_crops, obb_text, turned

ROOT = Path(__file__).resolve().parents[2]
PHOTOS = Path(os.environ.get("REMI_SHARED", ROOT.parent / "shared")) / "photos"
shared = pytest.mark.skipif(not PHOTOS.exists(), reason="the shared photographs are not here")
SERIES = [
    ("tiles/fit", ("rummy2", "rummy4"), 139, 1087),
    ("tiles/fit", ("rummyBackground",), 11, 0),
    ("tiles/check", ("rummy", "rummy3"), 80, 1529),
    ("tiles/check", ("others",), 4, 30),
    ("cards/fit", ("IMG_date",), 438, 926),
    ("cards/check", ("WIN",), 86, 1150),
    ("cards/check", ("whole",), 67, 143),
]


@shared
@pytest.mark.parametrize(("part", "series", "photos", "pieces"), SERIES)
def test_each_series_has_as_many_photographs_and_pieces_as_told(
    part: str, series: tuple[str, ...], photos: int, pieces: int
) -> None:
    found = [p for p in load(PHOTOS / part / "labels.jsonl") if p.image.parent.name in series]
    assert len(found) == photos
    labelled = [p.label.get("pieces") or [c for g in p.label.get("groups", ()) for c in g] for p in found]
    # rummy2 and rummy4 hold one piece less than the README's sum
    assert sum(map(len, labelled)) == pieces - (pieces == 1087)
    assert all(p.image.exists() for p in found)


@shared
def test_single_tiles_are_labelled_by_their_names() -> None:
    found = load_crops(PHOTOS / "tiles/check/crops")
    codes = [p.targets[0].code for p in found]
    assert len(codes) == 54
    assert codes.count("*") == 2
    assert set(codes) == {"*", *(f"{ink}{number}" for ink in "rbyk" for number in range(1, 14))}


def test_a_picture_whose_name_names_no_tile_is_refused(tmp_path: Path) -> None:
    Image.new("RGB", (20, 28)).save(tmp_path / "14_cyan.png")
    with pytest.raises(ValueError, match="14_cyan"):
        load_crops(tmp_path)


@shared
@pytest.mark.parametrize("family", ["tiles", "cards"])
def test_fit_and_check_share_no_photograph_and_no_series(family: str) -> None:
    fit, check = ({p.image for p in load(PHOTOS / family / part / "labels.jsonl")} for part in ("fit", "check"))
    assert fit
    assert check
    assert not fit & check
    assert not {p.parent for p in fit} & {p.parent for p in check}
    assert all("/fit/" in str(p) for p in fit)
    assert all("/check/" in str(p) for p in check)


@shared
def test_upright_counts_clockwise_so_that_rows_read_from_left_to_right() -> None:
    photos = {p.label["image"]: p for p in load(PHOTOS / "tiles/check/labels.jsonl")}
    forwards = total = 0
    for line in (PHOTOS / "tiles/check/groups.jsonl").read_text().splitlines():
        row = json.loads(line)
        targets = photos[row["image"]].targets
        for group in row["groups"]:
            ups = [row["upright"][i] for i in group]
            if len(group) < 3 or None in ups:
                continue
            a = np.radians(ups[0])
            across = targets[group[-1]].quad.mean(0) - targets[group[0]].quad.mean(0)
            forwards += bool(across @ [np.cos(a), np.sin(a)] > 0)
            total += 1
            # the quad begins at the piece's own top left, as rendered ones do
            quad = targets[group[0]].quad
            up = (quad[0] + quad[1] - quad[2] - quad[3]) / np.linalg.norm(quad[0] + quad[1] - quad[2] - quad[3])
            assert up @ [np.sin(a), -np.cos(a)] > 0.7
    assert total > 100
    assert forwards / total > 0.97


@pytest.mark.parametrize("angle", [0.0, 30.0, 90.0, 170.0, -60.0, -135.0])
def test_a_rectangle_is_begun_at_the_pieces_own_top_left(angle: float) -> None:
    a = np.radians(angle)
    clockwise = np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
    own = np.array([[-20, -28], [20, -28], [20, 28], [-20, 28.0]]) @ clockwise + (100, 90)
    assert np.allclose(turned(least_rectangle(np.roll(own, 2, 0)), angle), own, atol=0.1)


@pytest.mark.parametrize(("orientation", "corner"), [(1, (0, 0)), (3, (1, 1)), (6, (0, 1)), (8, (1, 0))])
def test_pictures_are_turned_as_their_exif_says(tmp_path: Path, orientation: int, corner: tuple[int, int]) -> None:
    stored = np.zeros((40, 80, 3), np.uint8)
    stored[:20, :40] = 255
    exif = Image.Exif()
    exif[0x0112] = orientation
    Image.fromarray(stored).save(tmp_path / "photo.jpg", exif=exif, quality=95)
    (tmp_path / "labels.jsonl").write_text(json.dumps({"image": "photo.jpg", "source": "test", "pieces": []}) + "\n")
    upright = load(tmp_path / "labels.jsonl")[0].pixels()
    assert upright.shape[:2] == ((80, 40) if orientation in (6, 8) else (40, 80))
    h, w = upright.shape[:2]
    y, x = (h // 4 + corner[0] * h // 2, w // 4 + corner[1] * w // 2)
    assert upright[y, x].min() > 200
    assert (upright > 200).mean() == pytest.approx(0.25, abs=0.03)


def test_obb_text_holds_class_and_corners_as_shares() -> None:
    quad = np.array([[-10, 20], [60, 20], [60, 90], [-10, 90.0]])
    targets = [Target(kind, "r1", quad, visible=0.9) for kind in CLASSES]
    hidden = Target("tile", "r1", quad, visible=0.1)
    lines = obb_text([*targets, hidden], 100, 100).splitlines()
    assert [line.split()[0] for line in lines] == ["0", "1", "2", "3"]
    for line in lines:
        values = list(map(float, line.split()[1:]))
        assert len(values) == 8
        assert 0 <= min(values) <= max(values) <= 1
    assert obb_text([], 10, 10) == ""
