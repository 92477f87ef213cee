"""A server under attack: its ledger, its data folder, and a browser that may score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from flask import Flask
from flask.testing import FlaskClient

from companion.ledger import Ledger
from vision.photo import Photo
from vision.scene import Kind, Piece, Row, Scene


class OneTile:
    """Sees one tile on every picture."""

    def read(self, picture: Photo, kinds: Sequence[Kind] = ("tile",)) -> Scene:
        """A red 5 in the corner."""
        quad = ((1.0, 1.0), (9.0, 1.0), (9.0, 13.0), (1.0, 13.0))
        return Scene(picture.width, picture.height, (Piece("r5", 0.99, quad),), (Row((0,), "loose"),))


@dataclass
class Attacked:
    """The app, its folder and two browsers."""

    app: Flask
    ledger: Ledger
    folder: Path
    watcher: FlaskClient
    scorer: FlaskClient
