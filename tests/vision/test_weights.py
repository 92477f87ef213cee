"""Opening real ONNX files that keep the contract: names, shapes, metadata, batches."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from vision import weights


def constant_network(path: Path, source: str, outputs: dict[str, tuple[int, ...]],
                     metadata: dict[str, str] | None = None) -> None:
    """A network whose every output is the mean of the picture in that shape."""
    shape = ["n", 3, "h", "w"]
    nodes = [helper.make_node("ReduceMean", [source, "axes"], ["mean"], keepdims=0)]
    inits = [numpy_helper.from_array(np.array([1, 2, 3]), "axes")]
    infos = []
    for name, size in outputs.items():
        inits.append(numpy_helper.from_array(np.array([-1, *[1] * len(size)]), f"{name}_in"))
        inits.append(numpy_helper.from_array(np.array([1, *size]), f"{name}_out"))
        nodes.append(helper.make_node("Reshape", ["mean", f"{name}_in"], [f"{name}_flat"]))
        nodes.append(helper.make_node("Expand", [f"{name}_flat", f"{name}_out"], [name]))
        infos.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", *size]))
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info(source, TensorProto.FLOAT, shape)], infos,
                              inits)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    helper.set_model_props(model, metadata or {})
    onnx.save(model, path)


def test_a_file_is_opened_and_run_in_batches(tmp_path: Path) -> None:
    constant_network(tmp_path / "corners.onnx", "patches", {"bins": (4,), "quads": (4, 8)}, {"temperature_ink": "1.5"})
    network = weights.load("corners", tmp_path)
    pictures = np.random.default_rng(0).random((150, 3, 64, 64), np.float32)
    found = network.outputs(pictures, bins=(4,), quads=(4, 8))
    assert found["quads"].shape == (150, 4, 8)
    assert np.allclose(found["bins"][:, 2], pictures.mean(axis=(1, 2, 3)), atol=1e-5)
    assert network.number("temperature_ink", 1.0) == 1.5
    assert network.number("temperature_rank", 1.0) == 1.0


def test_no_pictures_no_call(tmp_path: Path) -> None:
    constant_network(tmp_path / "tile_reader.onnx", "crops", {"rank": (16,)})
    found = weights.load("tile_reader", tmp_path).outputs(np.zeros((0, 3, 64, 48), np.float32), rank=(16,))
    assert found["rank"].shape == (0, 16)


def test_another_shape_is_refused(tmp_path: Path) -> None:
    constant_network(tmp_path / "tile_reader.onnx", "crops", {"rank": (15,)})
    network = weights.load("tile_reader", tmp_path)
    with pytest.raises(weights.WeightsError, match="'rank'"):
        network.outputs(np.zeros((1, 3, 64, 48), np.float32), rank=(16,))
    with pytest.raises(weights.WeightsError, match="'ink'"):
        network.outputs(np.zeros((1, 3, 64, 48), np.float32), ink=(4,))


def test_a_number_that_is_none_falls_back() -> None:
    network = weights.Network(lambda pictures: {}, {"size": "big", "threshold": "[1]"})
    assert network.number("size", 640) == 640
    assert network.number("threshold", 0.25) == 0.25


def test_the_environment_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REMI_MODELS", str(tmp_path))
    assert weights.folders()[0] == tmp_path
    (tmp_path / "locator.onnx").touch()
    assert weights.find("locator") == tmp_path / "locator.onnx"
    monkeypatch.delenv("REMI_MODELS")
    assert tmp_path not in weights.folders()
    assert "REMI_MODELS" not in os.environ
