"""Arrays of samples from `datasets.crops`, as shuffled and altered batches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F


class Shards:
    """Several folders' arrays of one name, seen as one; mapped from disk, not read whole."""

    def __init__(self, folders: Sequence[Path], name: str) -> None:
        files = sorted(f for folder in folders for f in folder.glob(f"{name}-[0-9]*.npy"))
        parts = [np.load(f, mmap_mode="r") for f in files]
        self.parts = [p for p in parts if len(p)]
        self.starts = np.cumsum([0, *(len(p) for p in self.parts)])

    def __len__(self) -> int:
        return int(self.starts[-1])

    def take(self, index: NDArray[np.int64]) -> NDArray[np.generic]:
        """Rows by number, in the order asked for."""
        order = np.argsort(index)
        shard = np.searchsorted(self.starts, index[order], side="right") - 1
        rows = [self.parts[s][index[o] - self.starts[s]] for o, s in zip(order, shard, strict=True)]
        out = np.stack(rows)
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        return out[back]


def order(count: int, batch: int, seed: int, step: int) -> Iterator[NDArray[np.int64]]:
    """Endless batches of row numbers from a step on; the same seed and step give the same rows."""
    while True:
        yield np.random.default_rng([seed, step]).integers(0, count, batch)
        step += 1


def to_planes(crops: NDArray[np.generic]) -> Tensor:
    """BGR uint8 (n, h, w, 3) to RGB float (n, 3, h, w), 0..1, channels last in memory."""
    x = torch.from_numpy(np.ascontiguousarray(crops[..., ::-1])).permute(0, 3, 1, 2)
    return x.float().div_(255)


def alter(x: Tensor, generator: torch.Generator) -> Tensor:
    """Light, cast, blur, coarse pixels, noise and a small cover, drawn for each sample."""
    n, _, h, w = x.shape

    def normal(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator)

    def chance(p: float) -> Tensor:
        return (torch.rand(n, 1, 1, 1, generator=generator) < p).float()

    gain = torch.exp(normal(n, 1, 1, 1) * 0.22 + normal(n, 3, 1, 1) * 0.07)
    x = x * gain
    x = x.clamp(1e-4, 1.0) ** torch.exp(normal(n, 1, 1, 1) * 0.2)
    mean = x.mean((1, 2, 3), keepdim=True)
    x = mean + (x - mean) * (1 + normal(n, 1, 1, 1) * 0.15)
    soft = F.avg_pool2d(F.pad(x, (1, 1, 1, 1), mode="replicate"), 3, 1)
    amount = chance(0.3) * torch.rand(n, 1, 1, 1, generator=generator)
    x = x + (soft - x) * amount
    coarse = F.interpolate(F.avg_pool2d(x, 2), size=(h, w), mode="bilinear", align_corners=False)
    x = torch.where(chance(0.15) > 0, coarse, x)
    across, along = torch.linspace(-1, 1, w).view(1, 1, 1, w), torch.linspace(-1, 1, h).view(1, 1, h, 1)
    ramp = across * normal(n, 1, 1, 1) + along * normal(n, 1, 1, 1)
    x = x * (1 + 0.1 * ramp)
    x = x + normal(n, 1, h, w) * (0.03 * torch.rand(n, 1, 1, 1, generator=generator) * chance(0.5))
    return x.clamp(0, 1)


GRID = 4
"""Points across and down that are moved; what lies between follows smoothly."""


def warp(x: Tensor, generator: torch.Generator, share: float, reach: float) -> Tensor:
    """A `share` of the samples (n, 3, h, w) bent smoothly, as a numeral of another design or a worn stamp is.

    Points of a coarse grid move by `reach` (standard deviation, in widths of the sample).
    """
    n, _, h, w = x.shape
    amount = reach * torch.rand(n, 1, 1, 1, generator=generator)
    amount = amount * (torch.rand(n, 1, 1, 1, generator=generator) < share).float()
    moves = torch.randn(n, 2, GRID, GRID, generator=generator) * amount * 2
    field = F.interpolate(moves, size=(h, w), mode="bicubic", align_corners=True)
    field = field * torch.tensor([1.0, w / h]).view(1, 2, 1, 1)
    plain = F.affine_grid(torch.eye(2, 3).expand(n, 2, 3), [n, 3, h, w], align_corners=False)
    return F.grid_sample(x, plain + field.permute(0, 2, 3, 1), padding_mode="border", align_corners=False)
