"""With the networks that ship: a set of an edition never trained on is learned, and its tables are read no worse."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from datasets.copies import TileCopies
from datasets.editions import edition
from datasets.scene import Rendered
from datasets.whole_set import table, taught
from vision.compare import Compared, compare
from vision.flatten import Image
from vision.read import Reader
from vision.teach import teach

pytestmark = pytest.mark.slow
NEAR_INKS = (242, 279)
"""Held-out editions whose blue is nearly black and whose yellow is nearly red."""


def pixels(photo: Rendered) -> Image:
    return np.asarray(cv2.imdecode(np.frombuffer(photo.jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)


@pytest.mark.parametrize("number", NEAR_INKS)
def test_a_set_with_near_inks_is_learned_and_read_better(number: int) -> None:
    tiles = TileCopies(edition(number, held_out=True), number)
    reader = Reader()
    lesson = teach(pixels(taught(tiles, "bkyr", number)), reader, "home", "")
    assert lesson.rows == "bkyr"
    assert lesson.tiles >= 47
    results: dict[bool, list[Compared]] = {False: [], True: []}
    for n in range(3):
        photo = table(tiles, number, n)
        image = pixels(photo)
        label = {"image": f"table{n}", **photo.label}
        label["pieces"] = [piece for piece in label["pieces"] if piece["visible"] >= 0.6]
        spots = reader.find(image, ("tile",))
        for with_profile in (False, True):
            reader.profile = lesson.profile if with_profile else None
            results[with_profile].append(compare(label, None, reader.read_spots(image, spots)))
    wrong = {key: sum(one.found - one.right for one in found) for key, found in results.items()}
    assert sum(one.found for one in results[True]) > 30
    assert wrong[True] <= wrong[False]
    assert sum(one.taps for one in results[True]) <= sum(one.taps for one in results[False])
