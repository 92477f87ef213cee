"""Judging networks: what a photograph's label can say, and what it can't."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from datasets.labels import Labelled, Target, least_rectangle
from models.judge import Tally, judge_photo
from vision.scene import Piece

SEEN = ((20.0, 10.0), (60.0, 10.0), (70.0, 80.0), (10.0, 80.0))
"""A tile in perspective: narrower above."""


@pytest.mark.parametrize(("source", "exact"), [("nvypk", False), ("rendered-tiles", True)])
def test_a_photographs_rectangle_is_compared_with_a_rectangle(source: str, exact: bool) -> None:
    label = least_rectangle(np.array(SEEN))
    tally = Tally()
    photo = Labelled(Path("x.jpg"), (Target("tile", "r5", label),), {"source": source})
    judge_photo(tally, photo, [Piece("r5", 1.0, SEEN)], [True])
    assert tally.right == [True]
    assert (tally.errors[0] > 0.05) == exact
    assert (tally.errors[0] < 1e-6) == (not exact)
