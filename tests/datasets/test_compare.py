"""Figures of pieces: known pictures give known figures, and overlaps lie where they should."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from datasets.compare import look, overlap
from datasets.labels import Labelled, Target
from datasets.overlay import draw


def tile(ink: tuple[int, int, int], blur: float = 0.0) -> np.ndarray:
    image = np.full((200, 300, 3), (60, 80, 90), np.uint8)
    image[40:140, 100:170] = (200, 215, 225)
    image[55:95, 125:145] = ink
    return np.asarray(cv2.GaussianBlur(image, (0, 0), blur) if blur else image)


TARGET = Target("tile", "r7", np.array([[100, 40], [170, 40], [170, 140], [100, 140.0]]))


def test_body_ink_and_size_are_measured() -> None:
    found = look(tile((40, 40, 210)), TARGET)
    assert found["size, share of the picture's long side"] == pytest.approx(100 / 300, abs=0.01)
    assert found["body L"] == pytest.approx(86, abs=3)
    assert found["ink a - body a"] > 40
    assert found["ink L - body L"] < -30
    assert look(tile((150, 60, 30)), TARGET)["ink b - body b"] < -30


def test_blur_softens_edges() -> None:
    name = "steepest edges (L a pixel, 98 %, of contrast)"
    sharp, soft = (look(tile((20, 20, 20), blur), TARGET)[name] for blur in (0.0, 3.0))
    assert sharp > 2 * soft


def test_overlap_runs_from_nothing_to_all() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(0, 1, 4000), rng.normal(0, 1, 4000)
    assert overlap(a, b) > 0.93
    assert overlap(a, b + 100) == 0
    assert 0.25 < overlap(a, b + 2) < 0.4
    with pytest.raises(ValueError, match="both sides"):
        overlap(a, [])


def test_labels_are_drawn_where_they_lie(tmp_path) -> None:  # type: ignore[no-untyped-def]
    cv2.imwrite(str(tmp_path / "a.png"), tile((20, 20, 20)))
    photo = Labelled(tmp_path / "a.png", (TARGET,), {})
    changed = np.abs(draw(photo).astype(int) - photo.pixels()).sum(2) > 60
    assert changed[40, 105:165].all()
    assert changed[130:138, 100].all()
    assert not changed[:30].any()
    assert not changed[150:].any()
