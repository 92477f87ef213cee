"""The copies of a set's tiles or a deck's cards that a few neighbouring scenes share, each with its own wear."""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets import decks, editions
from datasets.decks import CardFace, Deck
from datasets.editions import Face, TileEdition

COPIES = 2
"""A box holds each tile twice."""
FULL, HALF, QUARTER = 0, 1, 2


@dataclass
class TileCopies:
    """Tiles of one edition as `block` shows them: the same block, code and copy give the same tile."""

    edition: TileEdition
    block: int
    _kept: dict[tuple[str, int, int], Face] = field(default_factory=dict)

    def face(self, code: str, copy: int, pixels: float) -> Face:
        """One worn tile, at half or a quarter of its full size where it is seen no more than `pixels` wide."""
        width = editions.FACE_WIDTH
        size = QUARTER if pixels * 1.2 < width / 4 else HALF if pixels * 1.2 < width / 2 else FULL
        key = (code, copy % COPIES, size)
        face = self._kept.get(key)
        if face is None:
            if size == QUARTER:
                large = self.face(code, copy, width * 0.3)
                face = Face(_halved(large.albedo), _maybe(large.relief), _maybe(large.gloss))
            else:
                rng = np.random.default_rng([self.block, editions.CODES.index(code), key[1]])
                face = self.edition.face(code, rng, half=size == HALF)
            self._kept[key] = face
        return face


@dataclass
class CardCopies:
    """Cards of one deck as `block` shows them."""

    deck: Deck
    block: int
    _kept: dict[tuple[str, int], CardFace] = field(default_factory=dict)

    def face(self, code: str, copy: int) -> CardFace:
        """One worn card."""
        key = (code, copy % COPIES)
        face = self._kept.get(key)
        if face is None:
            rng = np.random.default_rng([self.block, decks.CODES.index(code), key[1]])
            face = self._kept[key] = self.deck.face(code, rng)
        return face


def _halved(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    h, w = picture.shape[:2]
    return np.asarray(cv2.resize(picture, (w // 2, h // 2), interpolation=cv2.INTER_AREA), np.uint8)


def _maybe(field_: NDArray[np.float32] | None) -> NDArray[np.float32] | None:
    if field_ is None:
        return None
    h, w = field_.shape[:2]
    return np.asarray(cv2.resize(field_, (w // 2, h // 2), interpolation=cv2.INTER_AREA), np.float32)
