"""From a photo to a Scene, with toy networks that look at the pixels they are given."""

from __future__ import annotations

import io
import subprocess
import sys
import threading
from typing import Any

import cv2
import numpy as np
import pytest
import toys
from PIL import Image as Pil
from toys import Toy

from vision import read as reading
from vision.photo import Photo, decode
from vision.scene import Scene
from vision.weights import Network, WeightsError

MELDS = [
    *[Toy(f"r{n + 3}", 120 + 68 * n, 120) for n in range(4)],
    *[Toy(f"{ink}13", 480 + 70 * n, 140 + 10 * n, turn=8) for n, ink in enumerate("rby")],
    *[Toy(code, 150 + 68 * n, 400, turn=180) for n, code in enumerate(["k9", "*", "k7"])],
    Toy("b1", 600, 430, turn=40),
]
WANT = {("r3", "r4", "r5", "r6"), ("r13", "b13", "y13"), ("k7", "*", "k9"), ("b1",)}


def scene_of(toys_laid: list[Toy], **changed: Network) -> Scene:
    return reading.Reader(networks=toys.networks(**changed)).read(toys.table(toys_laid))


def rows_of(scene: Scene) -> set[tuple[str, ...]]:
    return {scene.codes(row) for row in scene.rows}


def test_melds_are_read_in_rows() -> None:
    scene = scene_of(MELDS)
    assert rows_of(scene) == WANT
    assert not any(piece.asked for piece in scene.pieces)
    assert (scene.width, scene.height) == (800, 600)
    assert set(scene.timings) == {"locate", "corners", "identify", "rows", "settle", "remarks", "all"}


def test_quads_start_at_the_pieces_own_top_left() -> None:
    scene = scene_of(MELDS)
    for toy in MELDS:
        piece = min(scene.pieces, key=lambda p: np.hypot(*(np.mean(p.quad, axis=0) - [toy.x, toy.y])))
        assert np.abs(np.array(piece.quad) - toy.quad).max() < 3


@pytest.mark.parametrize("turn", range(0, 360, 15))
def test_a_turned_camera_reads_the_same(turn: int) -> None:
    image = toys.table(MELDS)
    spin = cv2.getRotationMatrix2D((400, 300), turn, 0.75)
    spin[:, 2] += [100, 200]
    turned = cv2.warpAffine(image, spin, (1000, 1000), flags=cv2.INTER_AREA, borderValue=toys.TABLE)
    assert rows_of(reading.Reader(networks=toys.networks()).read(turned)) == WANT


@pytest.mark.parametrize("orientation", [3, 6, 8])
def test_a_photo_stored_turned_reads_the_same(orientation: int) -> None:
    stored = np.ascontiguousarray(np.rot90(toys.table(MELDS), {3: 2, 6: 1, 8: -1}[orientation])[..., ::-1])
    file, exif = io.BytesIO(), Pil.Exif()
    exif[0x0112] = orientation
    Pil.fromarray(stored).save(file, "JPEG", quality=95, exif=exif)
    photo = decode(file.getvalue())
    assert isinstance(photo, Photo)
    assert rows_of(reading.Reader(networks=toys.networks()).read(photo)) == WANT


def test_small_pieces_are_looked_at_again_larger() -> None:
    laid = [Toy(f"k{n % 13 + 1}", 100 + 46 * (n % 20), 100 + 80 * (n // 20), height=52) for n in range(40)]
    image = toys.table(laid, 2600, 2000)
    eyes = toys.networks(locator=toys.locator(smallest=11))
    sizes: list[tuple[int, ...]] = []
    seen = eyes["locator"]
    eyes["locator"] = Network(lambda pictures: (sizes.append(pictures.shape), seen.run(pictures))[1])
    scene = reading.Reader(networks=eyes, copies=9).read(image)
    assert len(sizes) == 2
    assert sizes[1][3] > sizes[0][3]  # and that of the part where they lie, less than half the picture
    assert sorted(piece.code for piece in scene.pieces) == sorted(toy.code for toy in laid)


def test_pieces_too_small_for_the_first_pass_are_still_found() -> None:
    laid = [Toy("r5", 1000, 800, height=60), Toy("b7", 1500, 800, height=60)]
    eyes = toys.networks(locator=toys.locator(smallest=22))
    scene = reading.Reader(networks=eyes).read(toys.table(laid, 2600, 2000))
    assert sorted(piece.code for piece in scene.pieces) == ["b7", "r5"]


def test_close_ups_are_looked_at_again_smaller() -> None:
    eyes = toys.networks(locator=toys.locator(largest=230))
    scene = reading.Reader(networks=eyes).read(toys.table([Toy("r5", 400, 300, height=520)]))
    assert [piece.code for piece in scene.pieces] == ["r5"]


@pytest.mark.parametrize("turned", [0.3, 0.6, 0.9])
def test_the_reader_overrules_corners_that_stand_a_piece_on_its_head(turned: float) -> None:
    scene = scene_of(MELDS, corners=toys.corner_network(turned))
    assert rows_of(scene) == WANT


def test_a_face_down_tile_keeps_its_place() -> None:
    laid = [Toy(code, 120 + 68 * n, 120) for n, code in enumerate(["r5", "back", "r7"])]
    scene = scene_of(laid)
    assert rows_of(scene) == {("r5", "back", "r7")}
    back = next(piece for piece in scene.pieces if piece.code == "back")
    assert not back.upright_known
    assert not back.asked


def test_a_back_of_another_colour_than_all_bodies_is_asked_about_and_parts_the_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(toys, "BACK_BODY", (130, 175, 225))  # a bare stretch of a wooden rack
    scene = scene_of([Toy(code, 120 + 68 * n, 120) for n, code in enumerate(["r5", "r6", "back", "r7", "r8"])])
    assert rows_of(scene) == {("r5", "r6"), ("back",), ("r7", "r8")}
    assert [piece.code for piece in scene.pieces if piece.asked] == ["back"]


def test_a_blank_tile_is_unknown_and_asked_about() -> None:
    scene = scene_of([Toy("?", 300, 300), Toy("r5", 500, 300)])
    asked = {piece.code: piece.asked for piece in scene.pieces}
    assert asked == {"?": True, "r5": False}


def test_a_third_copy_is_asked_about() -> None:
    laid = [Toy("k5", 150 + 200 * n, 150 + 100 * n) for n in range(3)]
    scene = scene_of(laid)
    asked = [piece for piece in scene.pieces if piece.asked]
    assert [piece.code for piece in scene.pieces] == ["k5"] * 3
    assert len(asked) == 1
    assert "copies" in asked[0].settled
    assert asked[0].p < 0.6
    assert not any(piece.asked for piece in scene_of(laid[:2]).pieces)


def test_a_doubtful_reading_is_asked_about_and_names_the_next_best() -> None:
    scene = scene_of([Toy("k5", 300, 300), Toy("r5", 500, 300)], tile_reader=toys.reader(doubt={"k5": 2.0}))
    doubtful = next(piece for piece in scene.pieces if piece.asked)
    assert doubtful.code == "k5"
    assert doubtful.alternatives
    assert doubtful.alternatives[0][1] <= doubtful.p
    assert all(code != "?" for code, _ in doubtful.alternatives)


def test_a_piece_over_the_border_is_flagged() -> None:
    scene = scene_of([Toy("k5", 15, 300), Toy("r5", 500, 300)], corners=Network(_straight_quads))
    flags = {piece.code: piece.flags for piece in scene.pieces}
    assert "cut" in flags[min(flags, key=lambda code: code == "r5")]
    assert "cut" not in flags["r5"]


def _straight_quads(pictures: Any) -> dict[str, Any]:
    """Corners of an upright tile of the usual shape around every centre, in or out of the picture."""
    half = 1 / 1.6
    quad = np.array([-0.72 * half, -half, 0.72 * half, -half, 0.72 * half, half, -0.72 * half, half], np.float32)
    bins = np.tile(np.array([9, 0, 0, 0], np.float32), (len(pictures), 1))
    return {"bins": bins, "quads": np.tile(quad, (len(pictures), 4, 1))}


def test_networks_that_disagree_on_the_corners_lead_to_a_question() -> None:
    def sideways(pictures: Any) -> dict[str, Any]:
        found = _straight_quads(pictures)
        return {**found, "quads": found["quads"] * np.float32(0.55)}
    scene = scene_of([Toy("k5", 300, 300)], corners=Network(sideways))
    assert all(piece.asked for piece in scene.pieces)


CARD = [Toy("10H", 150, 150, height=40, kind="card"),
        Toy("10H", 150 + 2.9 * 40, 150 + 3.6 * 40, height=40, turn=180, kind="card")]


def test_two_indices_are_one_card() -> None:
    laid = [*CARD, Toy("KS", 500, 150, height=40, kind="card")]
    scene = scene_of(laid, locator=toys.locator("card"))
    assert sorted((piece.code, len(piece.indices)) for piece in scene.pieces) == [("10H", 2), ("KS", 1)]
    assert all(piece.kind == "card" and not piece.asked for piece in scene.pieces)


@pytest.mark.parametrize("code", ["9D", "10C"])
def test_indices_of_two_cards_stay_two(code: str) -> None:
    other = Toy(code, CARD[1].x, CARD[1].y, height=40, turn=180, kind="card")
    scene = scene_of([CARD[0], other], locator=toys.locator("card"))
    assert sorted(piece.code for piece in scene.pieces) == sorted(["10H", code])


def test_a_column_of_cards() -> None:
    laid = [Toy(code, 200, 120 + 52 * n, height=40, kind="card") for n, code in enumerate(["5S", "6S", "7S", "8S"])]
    scene = scene_of(laid, locator=toys.locator("card"))
    assert rows_of(scene) == {("5S", "6S", "7S", "8S")}


def test_only_what_may_lie_there_is_read() -> None:
    eyes = {name: net for name, net in toys.networks().items() if name != "card_reader"}
    reader = reading.Reader(networks=eyes)
    assert len(reader.read(toys.table(MELDS), ("tile",)).pieces) == len(MELDS)
    assert reader.read(toys.table(MELDS), ("card",)).pieces == ()


def test_an_empty_table_says_so() -> None:
    scene = scene_of([])
    assert scene.pieces == ()
    assert scene.rows == ()
    assert "nothing_found" in scene.remarks
    black = reading.Reader(networks=toys.networks(locator=Network(lambda p: {"raw": np.zeros((1, 9, 5), "f")})))
    assert black.read(np.zeros((64, 48, 3), np.uint8)).remarks == ("dark", "nothing_found")


def test_many_threads_one_reader() -> None:
    reader = reading.Reader(networks=toys.networks())
    results: list[Scene] = []
    image = toys.table(MELDS)
    threads = [threading.Thread(target=lambda: results.append(reader.read(image))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 4
    assert all(result == results[0] for result in results)


@pytest.mark.parametrize(("name", "output"), [
    ("locator", {"raw": np.zeros((1, 8, 3), "f")}), ("locator", {}),
    ("corners", {"bins": np.zeros((1, 4), "f")}), ("tile_reader", {"rank": np.zeros((1, 15), "f")}),
])
def test_a_foreign_network_is_refused(name: str, output: dict[str, Any]) -> None:
    with pytest.raises(WeightsError, match="shape"):
        scene_of([Toy("k5", 300, 300)], **{name: Network(lambda pictures: output)})


def test_missing_weights_name_the_places(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(WeightsError, match=str(tmp_path)):
        reading.Reader(tmp_path).warm()
    monkeypatch.setenv("REMI_MODELS", str(tmp_path / "elsewhere"))
    (tmp_path / "locator.onnx").write_bytes(b"no network")
    with pytest.raises(WeightsError, match="can't be opened"):
        reading.Reader(tmp_path).network("locator")


def test_reading_needs_neither_torch_nor_the_companion() -> None:
    code = ("import sys; import vision.read, vision.evaluate, vision.draw; "
            "print([m for m in ('torch', 'ultralytics', 'companion', 'flask', 'PIL') if m in sys.modules])")
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
