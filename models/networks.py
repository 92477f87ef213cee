"""The small networks beside the locator: corners of a piece, what it is, and whether it is one."""

from __future__ import annotations

import os

import torch
from torch import Tensor, nn

TILE_HEADS = {"rank": 16, "ink": 4, "upright": 2}
CARD_HEADS = {"rank": 15, "suit": 4, "upright": 2}


def block(inputs: int, outputs: int, stride: int = 1) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.SiLU(inplace=True)
    )


class Residual(nn.Module):
    """A convolution beside the identity."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.body = block(width, width)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.body(x)


class CornerNet(nn.Module):
    """Patch (n, 3, 64, 64) -> `bins` (n, 4) logits and `quads` (n, 4, 8).

    Bin k: the piece's up direction lies within 45 degrees of k * 90 degrees clockwise from the picture's up. Each bin
    has corners of its own, from the piece's top left, in patch units: a piece whose direction is in doubt gives two
    sharp answers and not their mean.
    """

    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            block(3, 20, 2),
            block(20, 40, 2),
            Residual(40),
            block(40, 80, 2),
            Residual(80),
            Residual(80),
            block(80, 128, 2),
            nn.Flatten(),
            nn.Linear(128 * 16, 192),
            nn.SiLU(inplace=True),
        )
        self.bins = nn.Linear(192, 4)
        self.quads = nn.Linear(192, 32)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        h = self.trunk(x * 2 - 1)
        return self.bins(h), self.quads(h).reshape(-1, 4, 8)


class WitnessNet(nn.Module):
    """Two patches around a find (n, 6, 48, 48) -> `piece` (n, 1), the logit of a piece lying there."""

    def __init__(self) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            block(6, 24, 2),
            block(24, 48, 2),
            Residual(48),
            block(48, 80, 2),
            Residual(80),
            block(80, 112, 2),
            nn.Flatten(),
            nn.Dropout(0.2),
            nn.Linear(112 * 9, 96),
            nn.SiLU(inplace=True),
        )
        self.piece = nn.Linear(96, 1)

    def forward(self, x: Tensor) -> Tensor:
        answer: Tensor = self.piece(self.trunk(x * 2 - 1))
        return answer


class Reader(nn.Module):
    """Crop (n, 3, 64, 48) -> one tensor of logits a head, in the order of `heads`."""

    def __init__(self, heads: dict[str, int]) -> None:
        super().__init__()
        self.names = tuple(heads)
        self.trunk = nn.Sequential(
            block(3, 24, 2),
            block(24, 32),
            block(32, 56, 2),
            Residual(56),
            block(56, 96, 2),
            Residual(96),
            block(96, 144, 2),
            nn.Flatten(),
            nn.Dropout(0.1),
            nn.Linear(144 * 12, 192),
            nn.SiLU(inplace=True),
        )
        self.heads = nn.ModuleList(nn.Linear(192, n) for n in heads.values())

    def forward(self, x: Tensor) -> tuple[Tensor, ...]:
        h = self.trunk(x * 2 - 1)
        return tuple(head(h) for head in self.heads)


def parameters(model: nn.Module) -> int:
    return sum(p.numel() for p in model.parameters())


def threads() -> None:
    """Threads of a training: REMI_THREADS, else both cores of a small machine."""
    torch.set_num_threads(int(os.environ.get("REMI_THREADS", "2")))
