"""Find and open the networks. Nothing here knows what they read."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from vision.parallel import in_parts

Tensor = NDArray[np.float32]
NAMES = ("locator", "card_locator", "witness", "corners", "card_corners", "tile_reader", "card_reader")
SINGLE = frozenset({"locator", "card_locator"})
"""Those that take one picture a call; the others take any number."""


class WeightsError(RuntimeError):
    """A network is missing or is not what its name says. The message is a sentence for a person."""


@dataclass(frozen=True)
class Network:
    """A network ready to run: `run` maps a batch of pictures (n, 3, h, w) to its outputs by name.

    Calls from several threads at once are safe, as ONNX Runtime's own are.
    """

    run: Callable[[Tensor], Mapping[str, Tensor]]
    metadata: Mapping[str, str] = field(default_factory=dict)
    batch: int = 64
    """Most pictures a call; bounds the memory."""
    threads: int = 1
    """Calls side by side, each with a part of the pictures; 0: as many as there are cores."""

    def number(self, key: str, default: float) -> float:
        """A number from the metadata (written as JSON), or `default` where the file has none."""
        try:
            return float(json.loads(self.metadata[key]))
        except (KeyError, ValueError, TypeError):
            return default

    def outputs(self, pictures: Tensor, **shapes: tuple[int, ...]) -> dict[str, Tensor]:
        """Run in parts; checks that each output named in `shapes` has that shape after the batch axis.

        Raises WeightsError where an output is missing or has another shape.
        """
        parts = in_parts(lambda part: self.run(pictures[part]), len(pictures), self.threads, self.batch)
        result = {}
        for name, shape in shapes.items():
            if any(name not in part or part[name].shape[1:] != shape for part in parts):
                raise WeightsError(f"The network's output '{name}' is missing or not of the shape {shape}.")
            found = [np.asarray(part[name], np.float32) for part in parts]
            result[name] = np.concatenate(found) if found else np.zeros((0, *shape), np.float32)
        return result


def folders() -> list[Path]:
    """Where networks are looked for: $REMI_MODELS, the installed package, a checkout's `models`."""
    here = Path(__file__).resolve().parent
    named = os.environ.get("REMI_MODELS")
    return [*([Path(named)] if named else []), here / "weights", here.parent / "models"]


def find(name: str, folder: str | Path | None = None) -> Path:
    """The file of a network. Raises WeightsError, naming the places, where there is none."""
    places = [Path(folder)] if folder is not None else folders()
    for place in places:
        if (place / f"{name}.onnx").is_file():
            return place / f"{name}.onnx"
    tried = ", ".join(str(place) for place in places)
    raise WeightsError(f"The network {name}.onnx is in none of these folders: {tried}.")


def load(name: str, folder: str | Path | None = None, threads: int = 0) -> Network:
    """Open a network on the processor; `threads` 0: all cores. Raises WeightsError.

    One that takes any number of pictures runs on parts of them side by side; one that takes a single picture shares
    each of its steps between the threads.
    """
    path = find(name, folder)
    session = _session(path, threads if name in SINGLE else 1)
    source = session.get_inputs()[0].name
    targets = [output.name for output in session.get_outputs()]

    def run(pictures: Tensor) -> Mapping[str, Tensor]:
        return dict(zip(targets, session.run(targets, {source: pictures}), strict=True))

    return Network(run, dict(session.get_modelmeta().custom_metadata_map), threads=1 if name in SINGLE else threads)


def _session(path: Path, threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    # idle threads that spin take the cores from whoever else works here, the page's server or another photo
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the runtime raises a class of its own for each way a file can be wrong
        raise WeightsError(f"The network {path} can't be opened: {error}") from error
