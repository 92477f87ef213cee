"""What a game's box holds, and what people lay out of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

Rng = np.random.Generator
INKS, SUITS = "rbyk", "SHDC"
RANKS = ("A", *map(str, range(2, 11)), "J", "Q", "K")


@dataclass
class Box:
    """The pieces still in the box: a code can't be laid more often than the game holds it."""

    kind: str
    packs: int
    rng: Rng
    left: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        if self.kind == "tile":
            self.left.update({f"{c}{v}": 2 for c in INKS for v in range(1, 14)})
            self.left["*"] = 2
        else:
            self.left.update({f"{r}{s}": self.packs for r in RANKS for s in SUITS})
            self.left["*"] = 2 * self.packs

    def take(self, wanted: str) -> str:
        """The wanted piece, or any other that is left."""
        if self.left[wanted] <= 0:
            rest = [c for c, n in self.left.items() if n > 0]
            wanted = str(self.rng.choice(rest)) if rest else wanted
        self.left[wanted] -= 1
        return wanted

    def any(self) -> str:
        if self.rng.random() < 0.05:
            return self.take("*")
        codes = list(self.left)
        return self.take(str(codes[int(self.rng.integers(len(codes)))]))

    def meld(self, most: int = 8) -> list[str]:
        """A run, a set or (one in six) a row of anything; now and then with a joker."""
        rng = self.rng
        order = [f"{c}{{}}" for c in INKS] if self.kind == "tile" else [f"{{}}{s}" for s in SUITS]
        names = [str(v) for v in range(1, 14)] if self.kind == "tile" else list(RANKS)
        luck = rng.random()
        if luck < 0.45:
            length = min(3 + int(rng.geometric(0.5)) - 1, most)
            first = int(rng.integers(0, 14 - length + 1))
            pattern = str(rng.choice(order))
            wanted = [pattern.format(names[i % 13]) for i in range(first, first + length)]
        elif luck < 0.84:
            name = str(rng.choice(names))
            wanted = [str(p).format(name) for p in rng.permutation(order)[: int(rng.integers(3, 5))]]
        else:
            return [self.any() for _ in range(int(rng.integers(1, most + 1)))]
        if rng.random() < 0.2:
            wanted[int(rng.integers(len(wanted)))] = "*"
        return [self.take(code) for code in wanted]
