"""``remi watch`` over a table of cards."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from test_watch_command import until, watched

from datasets.video import Table
from datasets.video_rows import CAROUSEL
from vision.read import Reader
from vision.weights import WeightsError


@pytest.mark.slow
def test_the_melds_of_a_game_of_cards_are_shown(tmp_path: Path) -> None:
    try:
        Reader().warm(("card",))
    except WeightsError:
        pytest.skip("the networks are not here")
    film = tmp_path / "film"
    film.mkdir()
    table = Table("carousel", 5, 1920, held_out=True)
    last = [*table.moments()][-1]
    rng = np.random.default_rng(5)
    for number in range(4):  # as a camera sees them, each with a noise of its own
        cv2.imwrite(str(film / f"{number}.jpg"), table.shot(number, last, rng).image)
    with watched(str(film), tmp_path, "--game", "carousel", "--fps", "2") as url:
        state = until(url, "ended")
    assert sorted(sorted(meld["faces"]) for meld in state["melds"]) == sorted(sorted(meld) for meld in CAROUSEL)
    assert all(meld["verdict"]["ok"] for meld in state["melds"])
