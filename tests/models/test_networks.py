"""Each network trains for a few steps on a dozen scenes, is exported, and says in ONNX Runtime what torch says."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import onnxruntime
import pytest

torch = pytest.importorskip("torch", reason="training needs torch, which serving does not")

from datasets import crops, render  # noqa: E402
from datasets.labels import load  # noqa: E402
from models import calibrate, faces, finds, mistaken, train_corners, train_locator, train_reader, train_witness  # noqa: E402
from models.export import INPUTS, export, network  # noqa: E402
from models.networks import CARD_HEADS, TILE_HEADS, CornerNet, Reader  # noqa: E402
from models.start import start  # noqa: E402
from models.train_corners import bin_targets, turn  # noqa: E402
from models.training import Plan, rate_at  # noqa: E402
from vision import weights  # noqa: E402
from vision.identify import RANKS  # noqa: E402

PLAN = "[plan]\nsteps = {steps}\nbatch = {batch}\nrate = 0.001\nwarmup = 2\n"


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dozen rendered scenes, tiles and cards, and the samples cut from them."""
    out = tmp_path_factory.mktemp("scenes")
    render.main(["--kind", "mixed", "--scenes", "12", "--seed", "5", "--out", str(out), "--workers", "1"])
    crops.main(["--labels", str(out / "labels.jsonl"), "--out", str(out / "samples"), "--workers", "1"])
    return out


def recipe_file(folder: Path, text: str) -> Path:
    path = folder / "recipe.toml"
    path.write_text(text)
    return path


def same_in_onnx(name: str, weights: Path, out: Path) -> None:
    """Compares torch and ONNX Runtime on random pictures of another batch or size than the export's example."""
    path = export(name, weights, out, recipe_hash="test")
    model, example, outputs = network(name)
    inner = model.model if name == "locator" else model
    inner.load_state_dict(torch.load(weights, weights_only=True))
    model.eval()
    shape = (1, 3, 256, 352) if name == "locator" else (5, *example.shape[1:])
    pictures = torch.rand(shape, generator=torch.Generator().manual_seed(3))
    with torch.no_grad():
        wanted = model(pictures)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    found = session.run(outputs, {INPUTS[name]: pictures.numpy()})
    for a, b in zip(wanted, found, strict=True):
        scale = max(float(a.abs().max()), 1.0)
        assert np.abs(a.numpy() - b).max() <= 1e-3 * scale
    facts = session.get_modelmeta().custom_metadata_map
    assert {"names", "version", "date", "recipe", "licence"} <= set(facts)
    assert json.loads(facts["names"])


@pytest.mark.slow
def test_locator_trains_exports_and_agrees(scenes: Path, tmp_path: Path) -> None:
    recipe = recipe_file(tmp_path, "side = 256\n" + PLAN.format(steps=4, batch=4))
    train_locator.main(["--labels", str(scenes / "labels.jsonl"), "--out", str(tmp_path), "--recipe", str(recipe)])
    log = [json.loads(line) for line in (tmp_path / "locator.log.jsonl").read_text().splitlines()]
    assert log[-1]["step"] == 4
    assert np.isfinite(log[-1]["box_loss"])
    same_in_onnx("locator", tmp_path / "locator-final.pt", tmp_path)


@pytest.mark.slow
def test_a_detector_of_faces_trains_and_is_judged_beside_the_shipped_networks(
    scenes: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = recipe_file(tmp_path, "side = 128\n" + PLAN.format(steps=2, batch=2) + "[zoom]\nmirror = 0.0\n")
    labels = str(scenes / "labels.jsonl")
    faces.main(["train", "--labels", labels, "--out", str(tmp_path), "--recipe", str(recipe)])
    capsys.readouterr()
    faces.main(["judge", str(tmp_path / "faces-final.pt"), labels])
    theirs, ours = capsys.readouterr().out.splitlines()
    assert theirs.startswith("one detector of faces: found 0 of")
    assert int(ours.split("found ")[1].split()[0]) > 0


@pytest.mark.slow
def test_corners_train_export_and_agree(scenes: Path, tmp_path: Path) -> None:
    recipe = recipe_file(tmp_path, PLAN.format(steps=4, batch=16))
    args = ["--data", str(scenes / "samples"), "--val", str(scenes / "samples"), "--out", str(tmp_path)]
    train_corners.main([*args, "--recipe", str(recipe)])
    same_in_onnx("corners", tmp_path / "corners-final.pt", tmp_path)


@pytest.mark.slow
def test_witness_trains_on_finds_exports_and_agrees(scenes: Path, tmp_path: Path) -> None:
    finds.main(["--labels", str(scenes / "labels.jsonl"), "--out", str(tmp_path / "finds")])
    truth = np.load(tmp_path / "finds" / "truth-000.npy")
    assert {0.0, 1.0} == set(truth.tolist())
    recipe = recipe_file(tmp_path, PLAN.format(steps=4, batch=16))
    folder = str(tmp_path / "finds")
    args = ["--data", folder, "--weigh", folder, "--val", folder, "--out", str(tmp_path), "--recipe", str(recipe)]
    train_witness.main(args)
    weights = json.loads(json.loads((tmp_path / "witness-temperature.json").read_text())["weights"])
    assert len(weights) == 3
    assert weights[1] > 0  # the locator's score tells tiles whatever four steps of training do
    same_in_onnx("witness", tmp_path / "witness-final.pt", tmp_path)


def test_what_is_taken_for_a_tile_is_taught_as_none(scenes: Path, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in (scenes / "labels.jsonl").read_text().splitlines()]
    tiles = sum(piece["kind"] == "tile" and piece["visible"] > 0.8 for line in lines for piece in line["pieces"])
    for line in lines:  # without labels every find is one of nothing
        line["pieces"] = []
    labels = scenes / "bare.jsonl"
    labels.write_text("".join(json.dumps(line) + "\n" for line in lines))
    mistaken.main(["--what", "tile", "--labels", str(labels), "--out", str(tmp_path / "all")])
    mistaken.main(["--what", "tile", "--labels", str(scenes / "labels.jsonl"), "--out", str(tmp_path / "none")])
    every, few = (np.load(tmp_path / name / "tile-0000.npy") for name in ("all", "none"))
    assert len(every) > 0.8 * tiles + len(few)
    answers = np.load(tmp_path / "all" / "tile_answer-0000.npy")
    assert len(answers) == len(every)
    assert set(map(tuple, answers.tolist())) == {(len(RANKS["tile"]) - 1, -1, -1)}


def test_a_find_is_a_tile_none_or_too_much_a_part_of_one_to_say() -> None:
    tile = np.array([[0.0, 0.0], [20.0, 0.0], [20.0, 30.0], [0.0, 30.0]])
    assert finds.truth(tile + 3, [tile]) == 1.0
    assert finds.truth(tile + 100, [tile]) == 0.0
    assert finds.truth(tile * [1.0, 0.3], [tile]) is None
    assert finds.truth(tile, []) == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("what", ["tile", "card"])
def test_reader_trains_calibrates_exports_and_agrees(scenes: Path, tmp_path: Path, what: str) -> None:
    recipe = recipe_file(tmp_path, PLAN.format(steps=4, batch=16))
    args = ["--what", what, "--data", str(scenes / "samples"), "--out", str(tmp_path), "--recipe", str(recipe)]
    train_reader.main(args)
    calibrate.main(["--run", str(tmp_path), "--what", what, "--val", str(scenes / "samples")])
    heads = json.loads((tmp_path / f"{what}_reader-temperature.json").read_text())
    assert all(t > 0 for t in heads.values())
    same_in_onnx(f"{what}_reader", tmp_path / f"{what}_reader-final.pt", tmp_path)


@pytest.mark.slow
def test_a_stopped_training_resumes_where_it_was(scenes: Path, tmp_path: Path) -> None:
    recipe = recipe_file(tmp_path, PLAN.format(steps=3, batch=8))
    args = ["--data", str(scenes / "samples"), "--out", str(tmp_path), "--recipe", str(recipe)]
    train_corners.main(args)
    assert torch.load(tmp_path / "corners.pt", weights_only=True)["step"] == 3
    recipe_file(tmp_path, PLAN.format(steps=5, batch=8))
    train_corners.main(args)
    steps = [json.loads(line)["step"] for line in (tmp_path / "corners.log.jsonl").read_text().splitlines()]
    assert steps == [3, 5]


@pytest.mark.parametrize("name", ["locator", "corners", "witness", "tile_reader", "card_reader"])
def test_a_further_round_starts_from_a_network_that_ships(name: str) -> None:
    generator = torch.Generator().manual_seed(8)
    model, example, outputs = network(name)
    shape = (1, 3, 96, 128) if name == "locator" else (3, *example.shape[1:])
    pictures = torch.rand(shape, generator=generator)
    session = onnxruntime.InferenceSession(str(weights.find(name)), providers=["CPUExecutionProvider"])
    wanted = session.run(outputs, {INPUTS[name]: pictures.numpy()})
    start(model, weights.find(name), lambda: iter([torch.rand(shape, generator=generator) for _ in range(99)]))
    norms = [m for m in model.modules() if isinstance(m, torch.nn.BatchNorm2d)]
    assert all(float(norm.running_mean.abs().max()) > 0 for norm in norms)  # measured, not the identity's
    with torch.no_grad():
        found = model.eval()(pictures)
    for a, b in zip(found if isinstance(found, tuple) else (found,), wanted, strict=True):
        assert np.abs(a.numpy() - b).max() <= 1e-4 * max(float(np.abs(b).max()), 1.0)


def test_a_round_does_not_start_from_another_network() -> None:
    with pytest.raises(ValueError, match="another network"):
        start(CornerNet(), weights.find("tile_reader"), lambda: iter([torch.zeros(2, 3, 64, 64)] * 20))


def corners_of(angle: float, x: float = 0.1, y: float = -0.2) -> torch.Tensor:
    """A tile's corners in patch units, its up turned clockwise by `angle` degrees."""
    a = np.radians(angle)
    turn_by = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    unit = np.array([[-0.3, -0.45], [0.3, -0.45], [0.3, 0.45], [-0.3, 0.45]])
    return torch.tensor(unit @ turn_by.T + (x, y), dtype=torch.float32)


@pytest.mark.parametrize(("angle", "bin_number"), [(0, 0), (20, 0), (90, 1), (120, 1), (180, 2), (-90, 3), (300, 3)])
def test_the_bin_is_the_quarter_that_up_points_to(angle: float, bin_number: int) -> None:
    share, quads, taught = bin_targets(corners_of(angle)[None], torch.zeros(1))
    assert int(share.argmax()) == bin_number
    assert taught[0, bin_number] == 1
    assert torch.equal(quads[0, bin_number].reshape(4, 2), corners_of(angle))


def test_between_two_quarters_both_bins_are_taught() -> None:
    share, _, taught = bin_targets(corners_of(45.0)[None], torch.zeros(1))
    assert share[0, 0] == pytest.approx(0.5, abs=1e-4)
    assert share[0, 1] == pytest.approx(0.5, abs=1e-4)
    assert taught[0].tolist() == [1, 1, 0, 0]


def test_a_back_may_stand_either_way() -> None:
    share, quads, _ = bin_targets(corners_of(10.0)[None], torch.ones(1))
    assert share[0].tolist() == pytest.approx([0.5, 0, 0.5, 0])
    assert torch.equal(quads[0, 2].reshape(4, 2), torch.roll(corners_of(10.0), 2, 0))


@pytest.mark.parametrize("k", [0, 1, 2, 3])
def test_a_turned_patch_takes_its_corners_along(k: int) -> None:
    size = 64
    patch = torch.zeros(1, 3, size, size)
    corners = corners_of(0.0)[None]
    column, row = ((corners[0, 0] + 1) / 2 * size).long().tolist()
    patch[0, :, row, column] = 1.0
    turned, moved = turn(patch, corners, k)
    place = (turned[0, 0] > 0).nonzero()[0]
    found = (moved[0, 0] + 1) / 2 * size
    assert abs(float(found[0]) - float(place[1])) <= 1.01
    assert abs(float(found[1]) - float(place[0])) <= 1.01


def test_networks_give_the_shapes_that_reading_expects() -> None:
    bins, quads = CornerNet().eval()(torch.zeros(2, 3, 64, 64))
    assert (bins.shape, quads.shape) == ((2, 4), (2, 4, 8))
    for heads in (TILE_HEADS, CARD_HEADS):
        outputs = Reader(heads).eval()(torch.zeros(2, 3, 64, 48))
        assert [o.shape[1] for o in outputs] == list(heads.values())


def test_the_rate_warms_up_and_falls_to_a_fiftieth() -> None:
    plan = Plan(steps=1000, batch=1, rate=1.0, warmup=100)
    rates = [rate_at(plan, s) for s in range(1001)]
    assert rates[0] == pytest.approx(0.01)
    assert max(rates) == pytest.approx(1.0)
    assert rates[1000] == pytest.approx(0.02)
    assert all(a >= b for a, b in pairwise(rates[100:]))


def test_boxes_are_taught_with_their_long_side_first() -> None:
    quad = np.array([[0, 0], [10, 0], [10, 30], [0, 30]], float)
    cx, cy, w, h, angle = train_locator.rotated(quad)
    assert (cx, cy, w, h) == pytest.approx((5, 15, 30, 10))
    assert -np.pi / 4 <= angle < 3 * np.pi / 4
    assert abs(np.cos(angle)) == pytest.approx(0, abs=1e-6)


@pytest.mark.slow
def test_altered_photographs_keep_their_targets(scenes: Path) -> None:
    photo = max(load(scenes / "labels.jsonl"), key=lambda p: len(p.targets))
    rng = np.random.default_rng(1)
    for _ in range(5):
        image, rows = train_locator.altered(photo, rng, 256)
        assert image.shape == (256, 256, 3)
        assert (rows[:, 3] >= rows[:, 4]).all()
        assert ((rows[:, 1:3] >= -0.01) & (rows[:, 1:3] <= 1.01)).all()


def test_a_head_that_is_always_right_has_a_bounded_temperature() -> None:
    found = calibrate.temperature(torch.eye(4) * 9, torch.arange(4))
    assert found == pytest.approx(calibrate.COLDEST)
