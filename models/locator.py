"""The locator's network: ultralytics' OBB model from a YAML and random weights, kept off the network."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("YOLO_OFFLINE", "1")
os.environ.setdefault("YOLO_AUTOINSTALL", "0")
os.environ.setdefault("YOLO_VERBOSE", "0")
os.environ.setdefault("YOLO_CONFIG_DIR", tempfile.mkdtemp(prefix="remi-yolo-"))

import torch

# PyPI's torchvision doesn't load beside this torch build unless the names it registers exist first
for _schema in (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
):
    try:
        torch.library.define(f"torchvision::{_schema.split('(')[0]}", _schema[_schema.index("(") :])
    except RuntimeError:
        break  # a build whose torchvision works has defined it itself

from ultralytics import YOLO  # noqa: E402
from ultralytics.cfg import get_cfg  # noqa: E402
from ultralytics.nn.tasks import OBBModel  # noqa: E402
from ultralytics.utils import YAML, torch_utils  # noqa: E402
from ultralytics.utils.loss import v8OBBLoss  # noqa: E402

torch_utils.NUM_THREADS = 2
LAYOUT = Path(__file__).with_name("recipes") / "p3p4-obb.yaml"


def locator(yaml: Path = LAYOUT, classes: int = 4, **hyper: float) -> Any:
    """A fresh locator with its loss. `hyper` overrides ultralytics' loss gains (box, cls, dfl, angle)."""
    # the scale is read off the file's name by ultralytics unless given in the dictionary
    layout = YAML.load(yaml)
    layout["scale"] = "n"
    model = OBBModel(layout, ch=3, nc=classes, verbose=False)
    model.args = get_cfg(overrides=hyper)
    return model


def criterion(model: Any) -> Any:
    return v8OBBLoss(model)


def predictions_float(preds: Any) -> Any:
    """bf16 predictions back to float32: the loss divides small numbers."""
    if isinstance(preds, dict):
        return {k: [f.float() for f in v] if isinstance(v, list) else v.float() for k, v in preds.items()}
    return preds


def as_ultralytics(model: Any, names: Sequence[str]) -> Any:
    """A trained locator behind ultralytics' own front door, whose `predict` letterboxes, runs on torch and merges."""
    model.names = dict(enumerate(names))
    yolo = YOLO("yolo11n-obb.yaml", task="obb")  # a shell that is at hand without a download: its network is replaced
    yolo.model = model.eval()
    return yolo
