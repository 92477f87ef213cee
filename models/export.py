"""Writes trained networks as ONNX with their metadata: `python -m models.export --run RUN --out DIR`."""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import onnx
import torch
from torch import Tensor, nn

from models.networks import CARD_HEADS, TILE_HEADS, CornerNet, Reader, WitnessNet
from models.training import recipe
from vision.identify import COLOURS, RANKS
from vision.locate import KINDS

VERSION = "1"
LICENCE = "AGPL-3.0-or-later"
UPRIGHT = ["upright", "upside down"]
NAMES: dict[str, dict[str, list[str]]] = {
    "locator": {"classes": list(KINDS)},
    "card_locator": {"classes": list(KINDS)},
    "witness": {"piece": ["piece"]},
    "corners": {"bins": ["up", "right", "down", "left"]},
    "card_corners": {"bins": ["up", "right", "down", "left"]},
    "tile_reader": {"rank": list(RANKS["tile"]), "ink": list(COLOURS["tile"]), "upright": UPRIGHT},
    "card_reader": {"rank": list(RANKS["card"]), "suit": list(COLOURS["card"]), "upright": UPRIGHT},
}


class _RawLocator(nn.Module):
    """The locator with the raw head only: boxes, scores and angle of every anchor."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, x: Tensor) -> Tensor:
        out = self.model(x)
        return out[0] if isinstance(out, tuple) else out


def network(name: str) -> tuple[nn.Module, Tensor, list[str]]:
    """A fresh network of this name, an example input and its outputs' names."""
    if name in LOCATORS:
        from models.locator import locator

        model = locator()
        head = model.model[-1]
        head.export, head.format, head.dynamic = True, "onnx", True
        return _RawLocator(model), torch.zeros(1, 3, 416, 320), ["raw"]
    if name in CORNERS:
        return CornerNet(), torch.zeros(2, 3, 64, 64), ["bins", "quads"]
    if name == "witness":
        return WitnessNet(), torch.zeros(2, 6, 48, 48), ["piece"]
    heads = TILE_HEADS if name == "tile_reader" else CARD_HEADS
    return Reader(heads), torch.zeros(2, 3, 64, 48), list(heads)


LOCATORS = ("locator", "card_locator")
CORNERS = ("corners", "card_corners")
INPUTS = {
    **dict.fromkeys(LOCATORS, "image"), "witness": "pairs", **dict.fromkeys(CORNERS, "patches"),
    "tile_reader": "crops", "card_reader": "crops",
}


def export(name: str, weights: Path, out: Path, *, recipe_hash: str, extra: dict[str, Any] | None = None) -> Path:
    """Loads a run's weights into the network and writes `out/name.onnx`, checked by onnx itself."""
    model, example, outputs = network(name)
    inner = model.model if isinstance(model, _RawLocator) else model
    inner.load_state_dict(torch.load(weights, weights_only=True))
    model.eval()
    path = out / f"{name}.onnx"
    batch = {0: "n"} if name not in LOCATORS else {2: "height", 3: "width"}
    axes: dict[str, dict[int, str]] = {INPUTS[name]: batch}
    axes.update({o: {0: "n"} if name not in LOCATORS else {2: "anchors"} for o in outputs})
    with warnings.catch_warnings():
        # the tracing exporter writes one plain graph with free sizes, though torch calls it legacy
        warnings.simplefilter("ignore", DeprecationWarning)
        torch.onnx.export(
            model,
            (example,),
            str(path),
            input_names=[INPUTS[name]],
            output_names=outputs,
            dynamic_axes=axes,
            opset_version=17,
            dynamo=False,
        )
    proto = onnx.load(str(path))
    onnx.checker.check_model(proto)
    facts = {
        "names": NAMES[name],
        "version": VERSION,
        "date": date.today().isoformat(),
        "recipe": recipe_hash,
        "licence": LICENCE,
        **(extra or {}),
    }
    for key, value in facts.items():
        entry = proto.metadata_props.add()
        entry.key, entry.value = key, value if isinstance(value, str) else json.dumps(value)
    onnx.save(proto, str(path))
    return path


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m models.export", description=__doc__)
    parser.add_argument("--run", type=Path, required=True, help="folder with NAME-final.pt")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    parser.add_argument("--only", choices=tuple(INPUTS), nargs="*", default=tuple(INPUTS))
    parser.add_argument("--recipes", type=Path, default=Path(__file__).with_name("recipes"))
    args = parser.parse_args(argv)
    args.out.mkdir(parents=True, exist_ok=True)
    for name in args.only:
        weights = args.run / f"{name}-final.pt"
        if not weights.exists():
            continue
        _, digest = recipe(args.recipes / f"{name}.toml")
        temperatures = args.run / f"{name}-temperature.json"
        extra = json.loads(temperatures.read_text()) if temperatures.exists() else {}
        path = export(name, weights, args.out, recipe_hash=digest, extra=extra)
        print(f"{path}  {path.stat().st_size / 1e6:.2f} MB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
