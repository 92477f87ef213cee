"""What one household's set looks like, learned once: its body, its four inks and its numerals.

A profile only weighs what the networks found: inks are compared with the set's own under the lamp of the photo,
numerals with the set's own shapes. How much each may count is bounded: a wrong profile raises doubts before it lies.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.flatten import Floats, Image
from vision.identify import COLOURS, NUMBERS, Hypothesis, Reading
from vision.inks import LINEAR, ink

SCHEMA = 1
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
INKS = COLOURS["tile"]
BORDER = 4
"""Pixels of a crop left out on each side of a numeral's picture."""
SHAPE = (56, 40)
"""Height and width of a numeral's picture: a crop without its border."""
REACH = 3
"""Pixels by which a numeral may lie elsewhere on another tile of the set."""
LEAST = 1e-4
"""Probability below which the network's word is not told apart."""
TRUST_INK, TRUST_NUMERAL = 0.5, 0.6
"""Powers of the network's own probabilities: it has not seen this set, the profile has."""
SHADE = 4.0
"""Natural logarithms in which the network's colours vary from tile to tile of one ink."""
HUE, DEPTH = 0.2, 0.45
"""Spread of one ink's hue and depth between the tiles of a photo."""
FIRM = 1.0
"""How firmly a photo's inks are expected to be as they were taught, in tiles that say otherwise."""
SHARP = 20.0
"""Natural logarithms of likelihood by which a numeral's likeness (-1 to 1) counts."""
AT_MOST_SHADE, AT_MOST_INK, AT_MOST_NUMERAL = 20.0, 50.0, 10.0
"""The most that each kind of evidence may count (likelihood ratio)."""


class ProfileError(ValueError):
    """A text that is no profile of this schema, or a name that none may have. The message is a sentence."""


@dataclass(frozen=True, eq=False)
class Profile:
    """A set as it was taught.

    `body`: BGR under the lamp of the taught photo, to be shown. `inks` (4, 3): as `vision.inks.ink` gives them, in the
    order r, b, y, k. `shades` (4, 4): mean logarithms of the network's colours for each ink. `numerals` (13, 56, 40):
    pictures of 1 to 13. `reader`: the recipe of the network that gave the shades; another's are not compared.
    """

    name: str
    made: str
    body: tuple[int, int, int]
    inks: Floats
    shades: Floats
    numerals: NDArray[np.float32]
    reader: str = ""

    def apply(self, readings: Sequence[Reading], reader: str = "") -> list[Reading]:
        """The same readings of one photo's tiles, with the set's inks and numerals weighed in.

        `reader`: recipe of the network that read them.
        """
        result = list(readings)
        numbered = [n for n, r in enumerate(readings) if r.kind == "tile" and float(r.rank[:NUMBERS].sum()) > 0.5]
        if not numbered:
            return result
        for n in numbered:
            result[n] = replace(
                readings[n], hypotheses=tuple(self._with_numeral(way) for way in readings[n].hypotheses)
            )
        colours = self.colours(
            ink(np.stack([readings[n].crop for n in numbered])),
            np.stack([readings[n].colour for n in numbered]), reader == self.reader,
        )  # fmt: skip
        for n, colour in zip(numbered, colours, strict=True):
            result[n] = result[n].coloured(colour)
        return result

    def _with_numeral(self, way: Hypothesis) -> Hypothesis:
        """Likeness to the set's numerals moves probability between numbers, never to or from jokers and backs."""
        total = float(way.rank[:NUMBERS].sum())
        if total < 0.5:
            return way
        likeness = like(picture(way.crop), self.numerals)
        weight = np.maximum(np.exp(SHARP * (likeness - likeness.max())), 1 / AT_MOST_NUMERAL)
        fresh = way.rank.copy()
        fresh[:NUMBERS] = way.rank[:NUMBERS] ** TRUST_NUMERAL * weight
        fresh[:NUMBERS] *= total / fresh[:NUMBERS].sum()
        return replace(way, rank=fresh)

    def colours(self, seen: Sequence[Floats | None], colours: Floats, same_reader: bool = True) -> Floats:
        """Probabilities of the inks (n, 4) of one photo's tiles.

        `seen`: inks as `vision.inks.ink` gives them; `colours` (n, 4): the network's. The lamp and the camera shift and
        dilute all inks of a photo alike: by how much is fitted to the photo, from what the tiles are taken for.
        """
        prior = colours**TRUST_INK
        if same_reader:
            apart = np.log(np.maximum(colours, LEAST))[:, None] - self.shades
            prior = prior * _bounded((apart**2).sum(axis=2) / SHADE**2, AT_MOST_SHADE)
        prior = prior / prior.sum(axis=1, keepdims=True)
        shown = [n for n, value in enumerate(seen) if value is not None]
        if not shown:
            return np.asarray(prior)
        points = np.stack([np.asarray(seen[n]) for n in shown])
        scale, shift = 1.0, np.zeros(3)
        belief = prior[shown]
        for _ in range(6):
            distances = _distances(points, scale * self.inks + shift)
            belief = prior[shown] * _bounded(distances, AT_MOST_INK)
            belief = belief / belief.sum(axis=1, keepdims=True)
            # a tile far from every ink is none of them: glare, or a joker's picture
            belief_kept = belief * np.minimum(1.0, 3.0 / np.sqrt(np.maximum(distances, 1e-9)))
            scale, shift = _fit(points, self.inks, belief_kept)
        prior[shown] = belief
        return np.asarray(prior)

    def to_json(self) -> str:
        """As text."""
        pictures = np.clip(np.round(self.numerals * 255), 0, 255).astype(np.uint8)
        return json.dumps({
            "schema": SCHEMA, "name": self.name, "made": self.made, "body": list(self.body), "reader": self.reader,
            "inks": dict(zip(INKS, np.round(self.inks, 4).tolist(), strict=True)),
            "shades": dict(zip(INKS, np.round(self.shades, 4).tolist(), strict=True)),
            "numerals": [base64.b64encode(one.tobytes()).decode() for one in pictures],
        }, indent=1)  # fmt: skip

    @classmethod
    def from_json(cls, text: str | bytes) -> Profile:
        """Out of the text of `to_json`. Raises ProfileError."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ProfileError("This is no JSON.") from error
        if not isinstance(data, Mapping) or data.get("schema") != SCHEMA:
            raise ProfileError(f"This is no profile of a set that this program reads (schema {SCHEMA}).")
        try:
            body = tuple(int(value) for value in data["body"])
            profile = cls(
                checked_name(data["name"]), str(data["made"]), (body[0], body[1], body[2]), _table(data["inks"], 3),
                _table(data["shades"], 4), _pictures(data["numerals"]), str(data["reader"]),
            )  # fmt: skip
        except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
            if isinstance(error, ProfileError):
                raise
            raise ProfileError("The profile is damaged.") from error
        if not all(0 <= value <= 255 for value in body) or len(body) != 3:
            raise ProfileError("The profile is damaged.")
        return profile


def checked_name(name: object) -> str:
    """A name that a profile may have, since it becomes a file's. Raises ProfileError."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise ProfileError("A set's name has 1 to 40 small letters, digits, - or _.")
    return name


def picture(crop: Image) -> NDArray[np.float32]:
    """How strongly a crop (64, 48, 3) BGR is inked, 0 to 1: (56, 40)."""
    light = np.log(LINEAR[crop] + 0.06)
    every = light.reshape(-1, 3)
    mean = every.mean(axis=1)
    body = np.median(every[mean >= np.median(mean)], axis=0)
    strength = np.sqrt((np.minimum(light - body, 0) ** 2).sum(axis=2)).astype(np.float32)
    inked = cv2.GaussianBlur(strength, (0, 0), 1.2)[BORDER:-BORDER, BORDER:-BORDER]
    return np.asarray(inked / max(float(inked.max()), 1e-3), np.float32)


def like(seen: NDArray[np.float32], numerals: NDArray[np.float32]) -> Floats:
    """How much a picture is like each numeral (n,), -1 to 1: correlation in the best place within REACH pixels."""
    inner = slice(REACH, -REACH)
    return np.array(
        [cv2.matchTemplate(seen, np.ascontiguousarray(one[inner, inner]), cv2.TM_CCOEFF_NORMED).max() for one in
         numerals], np.float64,
    )  # fmt: skip


def _bounded(distances: Floats, most: float) -> Floats:
    """Likelihoods from squared distances (n, k), none less than 1 / most of the best."""
    least = distances.min(axis=1, keepdims=True)
    return np.asarray(np.maximum(np.exp(-(distances - least) / 2), 1 / most))


def _distances(points: Floats, inks: Floats) -> Floats:
    """Squared distances (n, 4) in spreads: hue counts strictly, depth loosely."""
    gaps = points[:, None] - inks
    depth = gaps.mean(axis=2)
    return np.asarray(((gaps - depth[..., None]) ** 2).mean(axis=2) / HUE**2 + depth**2 / DEPTH**2)


def _fit(points: Floats, inks: Floats, belief: Floats) -> tuple[float, Floats]:
    """The dilution and shift that carry the taught inks onto the seen ones: weighted least squares, held to 1 and 0."""
    rows = np.zeros((4, 3, 4))
    rows[:, :, 0] = inks
    rows[:, range(3), range(1, 4)] = 1
    left = np.einsum("cij,cik,nc->jk", rows, rows, belief) + FIRM * np.eye(4)
    right = np.einsum("cij,ni,nc->j", rows, points, belief) + FIRM * np.array([1.0, 0, 0, 0])
    found = np.linalg.solve(left, right)
    return float(np.clip(found[0], 0.4, 1.6)), np.asarray(found[1:])


def _table(value: Any, width: int) -> Floats:
    table = np.array([value[letter] for letter in INKS], np.float64)
    if table.shape != (4, width) or not np.isfinite(table).all() or np.abs(table).max() > 50:
        raise ProfileError("The profile is damaged.")
    return table


def _pictures(value: Any) -> NDArray[np.float32]:
    flat = [np.frombuffer(base64.b64decode(one, validate=True), np.uint8) for one in value]
    if len(flat) != NUMBERS or any(one.size != SHAPE[0] * SHAPE[1] for one in flat):
        raise ProfileError("The profile is damaged.")
    return np.asarray(np.stack(flat).reshape(NUMBERS, *SHAPE) / np.float32(255), np.float32)
