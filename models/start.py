"""Weights to start a further round from: a run's own file, or a network that ships.

A run's folder may be gone while its ONNX file lies in the repository. Export folds each batch normalisation into the
convolution before it; to train on, the normalisation is built anew from what the convolution says on a few batches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

MEASURED = 16
"""Batches that the normalisations are measured on."""


def start(model: nn.Module, path: Path, inputs: Callable[[], Iterator[Tensor]]) -> None:
    """Loads weights into a network: a state dict (`NAME-final.pt`) as it is; of an exported network (`.onnx`) the same
    function, whose normalisations then have the mean and spread of `inputs` (batches as the network takes them).

    Raises ValueError where the file holds a network of another shape.
    """
    if path.suffix != ".onnx":
        model.load_state_dict(torch.load(path, weights_only=True))
        return
    was_training = model.training
    model.eval()
    stream = inputs()
    first = next(stream)
    modules = _in_order(model, first)
    stored = _stored(path)
    layers = [m for m in modules if not isinstance(m, nn.BatchNorm2d)]
    if [tuple(m.weight.shape) for m in layers] != [tuple(weight.shape) for weight, _ in stored]:
        raise ValueError(f"{path} holds another network: its layers have other shapes.")
    normalised: list[tuple[nn.Module, nn.BatchNorm2d, Tensor]] = []
    values = iter(stored)
    with torch.no_grad():
        for module, after in zip(modules, [*modules[1:], None], strict=True):
            if isinstance(module, nn.BatchNorm2d):
                continue
            weight, bias = next(values)
            module.weight.copy_(weight)
            if isinstance(after, nn.BatchNorm2d):
                normalised.append((module, after, bias if bias is not None else torch.zeros(len(weight))))
                _set(after, torch.zeros(len(weight)), torch.full((len(weight),), 1.0 - after.eps), normalised[-1][2])
            elif module.bias is not None and bias is not None:
                module.bias.copy_(bias)
    _measured(model, normalised, [first, *(next(stream) for _ in range(MEASURED - 1))])
    model.train(was_training)


def _stored(path: Path) -> list[tuple[Tensor, Tensor | None]]:
    """Weights and biases of an ONNX file's convolutions and linear layers, in the order in which they run."""
    graph = onnx.load(str(path)).graph
    arrays = {one.name: torch.from_numpy(numpy_helper.to_array(one).copy()) for one in graph.initializer}
    found: list[tuple[Tensor, Tensor | None]] = []
    for node in graph.node:
        if node.op_type in ("Conv", "Gemm"):
            bias = arrays[node.input[2]] if len(node.input) > 2 else None
            found.append((arrays[node.input[1]], bias))
    return found


def _in_order(model: nn.Module, example: Tensor) -> list[nn.Module]:
    """Convolutions, normalisations and linear layers in the order in which they run."""
    order: list[nn.Module] = []
    kinds = (nn.Conv2d, nn.BatchNorm2d, nn.Linear)
    hooks = [m.register_forward_hook(lambda module, *_: order.append(module))
             for m in model.modules() if isinstance(m, kinds)]
    with torch.no_grad():
        model(example)
    for hook in hooks:
        hook.remove()
    return order


def _set(norm: nn.BatchNorm2d, mean: Tensor, spread: Tensor, bias: Tensor) -> None:
    """A normalisation by this mean and spread (c,) that leaves its input as it was, with a bias (c,) added."""
    assert norm.running_mean is not None
    assert norm.running_var is not None
    norm.running_mean.copy_(mean)
    norm.running_var.copy_(spread)
    norm.weight.copy_((spread + norm.eps).sqrt())
    norm.bias.copy_(bias + mean)


@torch.no_grad()
def _measured(model: nn.Module, normalised: list[tuple[nn.Module, nn.BatchNorm2d, Tensor]],
              batches: list[Tensor]) -> None:
    """Gives each normalisation the mean and spread of its convolution's answers; the function stays what it was."""
    sums = {convolution: [torch.zeros(()), torch.zeros(()), 0] for convolution, _, _ in normalised}

    def note(module: nn.Module, _: object, output: Tensor) -> None:
        flat = output.double().transpose(0, 1).flatten(1)
        total = sums[module]
        total[0], total[1], total[2] = total[0] + flat.sum(1), total[1] + (flat**2).sum(1), total[2] + flat.shape[1]

    hooks = [convolution.register_forward_hook(note) for convolution in sums]
    for batch in batches:
        model(batch)
    for hook in hooks:
        hook.remove()
    for convolution, norm, bias in normalised:
        total, squares, count = sums[convolution]
        mean = total / count
        _set(norm, mean, (squares / count - mean**2).clamp(min=1e-6), bias)
