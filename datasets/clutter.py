"""Things on and over a game table that are no pieces: clutter, occluders and look-alikes.

Three doors, each drawing one sprite from a generator (same state, same bytes): `clutter`, `occluder`, `lookalike`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import cv2
import numpy as np

from datasets import bodies, letters, lookalikes
from datasets.noise import any_colour, near, pick
from datasets.sprites import (
    Sprite,
    blank,
    box,
    dim,
    ellipse,
    limb,
    on_ground,
    polygon,
    puff,
    shine,
    slab,
    stroke,
    texture,
    trim,
)

__all__ = ["CLUTTER", "FAMILIES", "LOOKALIKES", "OCCLUDERS", "Sprite", "clutter", "lookalike", "occluder", "on_ground"]


def _cup(rng: np.random.Generator) -> Sprite:
    """Cup, mug or glass from above, with coffee, tea, milk or water, maybe on a saucer."""
    w = 240
    image = blank(w, w)
    china, c = pick(rng, ("f2f0ea", "d9cdb4", "27496d", "8f2f2f", "2a2a2c", "6a8a7a", "e0b34f")), (w / 2, w / 2)
    saucer = rng.random() < 0.4
    outer = 62.0 if saucer else 92.0
    if saucer:
        ellipse(image, c, (114, 114), 0, china)
        ellipse(image, c, (88, 88), 0, near(rng, china, 8), thickness=3)
    angle = float(rng.uniform(0, 2 * np.pi))
    if rng.random() < 0.7:
        far = (c[0] + outer * 1.25 * np.cos(angle), c[1] + outer * 1.25 * np.sin(angle))
        limb(image, c, far, outer * 0.16, outer * 0.16, china, 0.5)
    ellipse(image, c, (outer, outer), 0, china)
    puff(rng, image, 10, 0.6)
    ellipse(image, c, (outer * 0.88, outer * 0.88), 0, dim(china, 0.6))
    drink = pick(rng, ("2b160c", "7a4a24", "a5541a", "efe6d8", "b9c4c4", "6a1420"))
    ellipse(image, (c[0] + 3, c[1] + 3), (outer * 0.80, outer * 0.80), 0, drink)
    ellipse(
        image,
        (c[0] - outer * 0.3, c[1] - outer * 0.35),
        (outer * 0.22, outer * 0.1),
        -35,
        tuple(min(v + 70, 255) for v in drink),
    )
    return Sprite(image, w / (58.0 if not saucer else 44.0), float(rng.uniform(2.0, 4.0)), "cup")


def _box(rng: np.random.Generator) -> Sprite:
    """The lid or side of a game or food box: print, bands, a big word."""
    w, h = int(rng.integers(160, 360)), int(rng.integers(120, 300))
    ground = any_colour(rng)
    image = slab(h, w, ground, 3)
    for _ in range(int(rng.integers(1, 5))):
        tone = any_colour(rng)
        if rng.random() < 0.5:
            points = rng.uniform(0, 1, (int(rng.integers(3, 6)), 2)) * (w - 10, h - 10) + 5
            polygon(image, points, tone)
        else:
            ellipse(
                image,
                tuple(rng.uniform(0.2, 0.8, 2) * (w, h)),
                tuple(rng.uniform(0.1, 0.3, 2) * (w, h)),
                float(rng.uniform(0, 180)),
                tone,
            )
    letters.centred(
        image,
        letters.words(rng, 1, upper=True),
        (w / 2, h * rng.uniform(0.3, 0.7)),
        int(h * rng.uniform(0.15, 0.3)),
        any_colour(rng),
        int(rng.integers(1 << 16)),
    )
    image[:, :, 3] = slab(h, w, ground, 3)[:, :, 3]
    puff(rng, image, 4, 0.4)
    return Sprite(texture(rng, image, 0.03, 6), w / float(rng.uniform(18, 34)), float(rng.uniform(0.3, 3.0)), "box")


def _tray(rng: np.random.Generator) -> Sprite:
    """An open box or bowl with something in it: rim, dark inside, snacks."""
    w, h = int(rng.integers(200, 320)), int(rng.integers(160, 280))
    shell = pick(rng, ("c9b08a", "e9e2d2", "8f2f2f", "2a2a2c", "b0b4b8", "7a5236"))
    bowl = rng.random() < 0.5
    image = slab(h, w, shell, min(w, h) / 2 if bowl else 8)
    puff(rng, image, 9, 0.6)
    inner = slab(h, w, dim(shell, 0.5), min(w, h) / 2 - 14 if bowl else 4, margin=14)
    where = inner[:, :, 3:] > 127
    image[:, :, :3] = np.where(where, inner[:, :, :3], image[:, :, :3])
    snack = pick(rng, ("d8a860", "8a5a30", "5a2f1c", "e8d8a8", "6a8a3a", "b03a2a"))
    for _ in range(int(rng.integers(0, 60))):
        at = (w / 2 + rng.uniform(-0.3, 0.3) * w, h / 2 + rng.uniform(-0.3, 0.3) * h)
        ellipse(image, at, tuple(rng.uniform(6, 15, 2)), float(rng.uniform(0, 180)), near(rng, snack, 22))
    return Sprite(image, w / float(rng.uniform(28, 44)), float(rng.uniform(0.8, 2.5)), "tray")


def _phone(rng: np.random.Generator) -> Sprite:
    """A phone, screen up (dark, reflecting or showing an app) or back up with lenses."""
    w, h = 150, 310
    body = pick(rng, ("0f0f11", "1c1d20", "d9dadc", "3a4a6a", "8a2f3a"))
    image = slab(h, w, body, 22)
    puff(rng, image, 5, 0.5)
    if rng.random() < 0.7:
        lit = rng.random() < 0.5
        glass = any_colour(rng) if lit else (14.0, 12.0, 11.0)
        box(image, 8, 12, w - 9, h - 13, glass)
        if lit:
            for k in range(int(rng.integers(2, 8))):
                box(
                    image,
                    16,
                    30 + k * 34,
                    w - 17 - int(rng.integers(0, 40)),
                    54 + k * 34,
                    near(rng, any_colour(rng), 5),
                )
        else:
            field = np.linspace(0.0, 1.0, w)[None, :] + np.linspace(-0.6, 0.6, h)[:, None]
            shine(image, 1.0 + 3.0 * np.clip(field - 0.5, 0, 0.4))
        ellipse(image, (w / 2, 20), (4, 4), 0, (5, 5, 5))
    else:
        box(image, 14, 16, 62, 80, dim(body, 0.8))
        for y in (32, 62):
            ellipse(image, (38, y), (13, 13), 0, (20, 18, 16))
            ellipse(image, (38, y), (7, 7), 0, (60, 40, 30))
    image[:, :, 3] = slab(h, w, body, 22)[:, :, 3]
    return Sprite(image, 2.8 * float(rng.uniform(0.95, 1.08)), 0.3, "phone")


def _paper(rng: np.random.Generator) -> Sprite:
    """A sheet: blank, ruled, squared or printed, with a fold; score pads and rule sheets look like it."""
    w, h = int(rng.integers(180, 300)), int(rng.integers(200, 380))
    sheet = pick(rng, ("f6f5f0", "f2ecd9", "fafafa", "e6efe0", "f0dcc0"))
    image = slab(h, w, sheet, 1)
    style = int(rng.integers(4))
    ink = pick(rng, ("2a2a2c", "2a4a8a", "8a8a8c"))
    if style in (1, 2):
        rule, step = (np.clip(np.array(sheet) * 0.86, 0, 255)), int(rng.integers(10, 20))
        for y in range(step, h - 3, step):
            cv2.line(image, (3, y), (w - 4, y), (*rule, 255), 1)
        if style == 2:
            for x in range(step, w - 3, step):
                cv2.line(image, (x, 3), (x, h - 4), (*rule, 255), 1)
        for y in range(step, int(h * rng.uniform(0.2, 0.9)), step * 2):  # handwriting: loops that wander
            x = np.arange(14, 14 + int((w - 30) * rng.uniform(0.3, 0.95)), 3.0)
            line = np.stack([x, y + rng.normal(0, step * 0.25, len(x)) - step * 0.2], 1)
            stroke(image, line, ink, 1)
    elif style == 3:
        block = letters.paragraph(rng, w - 30, h - 60, int(rng.integers(10, 16)))
        share = block[:, :, None].astype(np.float32) / 255
        patch = image[40 : 40 + block.shape[0], 15 : 15 + block.shape[1], :3]
        patch[:] = (patch * (1 - share) + np.array(ink) * share).astype(np.uint8)
        letters.write(image, letters.words(rng, 2), (16, 12), 22, ink, w - 20)
    if rng.random() < 0.5:
        fold = int(h * rng.uniform(0.3, 0.7))
        gain = np.ones((h, w), np.float32)
        gain[fold:] = float(rng.uniform(0.9, 0.98))
        gain[fold - 1 : fold + 1] = 0.85
        shine(image, gain)
    return Sprite(image, w / float(rng.uniform(26, 48)), 0.0, "paper")


def _coin(rng: np.random.Generator) -> Sprite:
    """A coin with a milled rim and a head or a coat of arms."""
    w = 96
    image = blank(w, w)
    metal = pick(rng, ("b87a4a", "c9a94a", "b4b6b8", "8a6a4a"))
    ellipse(image, (w / 2, w / 2), (46, 46), 0, metal)
    ellipse(image, (w / 2, w / 2), (40, 40), 0, dim(metal, 0.75), thickness=2)
    points = np.array([w / 2, w / 2]) + rng.normal(0, 12, (7, 2))
    polygon(image, points, dim(metal, 0.8))
    puff(rng, image, 5, 0.8)
    return Sprite(texture(rng, image, 0.03, 12), float(rng.uniform(0.65, 1.05)), 0.08, "coin")


def _pen(rng: np.random.Generator) -> Sprite:
    """Ball pen or pencil."""
    w, h = 40, 340
    image = blank(h, w)
    barrel = any_colour(rng)
    lit = float(rng.choice([0.0, np.pi]))
    limb(image, (20, 34), (20, 322), 11, 11, barrel, lit, 0.8)
    if rng.random() < 0.5:
        polygon(image, np.array([(10, 34), (30, 34), (22, 6), (18, 6)]), pick(rng, ("dcb98a", "b0b4b8")))
        ellipse(image, (20, 7), (2, 4), 0, (30, 30, 30))
    else:
        limb(image, (20, 34), (20, 110), 12, 12, near(rng, (30, 30, 30)), lit, 0.8)
        limb(image, (29, 40), (29, 100), 3, 3, (190, 190, 190), lit)
    return Sprite(image, w / 58.0, 0.3, "pen")


def _glasses(rng: np.random.Generator) -> Sprite:
    """Spectacles lying folded."""
    w, h = 280, 130
    image = blank(h, w)
    frame = pick(rng, ("1a1a1c", "5a3420", "b4b6b8", "8f2f2f"))
    for x in (72, 208):
        ellipse(image, (x, 66), (56, 46), 0, (150, 150, 145), alpha=40)
        ellipse(image, (x, 66), (56, 46), 0, frame, thickness=int(rng.integers(4, 10)))
    stroke(image, np.array([(124, 56), (140, 48), (156, 56)]), frame, 7)
    stroke(image, np.array([(20, 40), (120, 12), (250, 20)]), frame, 6)
    return Sprite(image, w / 52.0, 0.6, "glasses")


def _plate(rng: np.random.Generator) -> Sprite:
    """A plate, coaster or tray, maybe with biscuits."""
    w = 260
    image = blank(w, w)
    china, c = pick(rng, ("f4f2ec", "e0d4bc", "a8bcc4", "7a3a2a", "2f4a3a", "c9a36b")), (w / 2, w / 2)
    ellipse(image, c, (126, 126), 0, china)
    puff(rng, image, 14, 0.5)
    ellipse(image, c, (92, 92), 0, dim(china, 0.93))
    if rng.random() < 0.5:
        ellipse(image, c, (112, 112), 0, any_colour(rng), thickness=int(rng.integers(2, 9)))
    for _ in range(int(rng.integers(0, 7))):
        at = tuple(np.array(c) + rng.normal(0, 38, 2))
        ellipse(image, at, (26, 24), 0, near(rng, (90, 150, 200), 20))
        ellipse(image, at, (18, 17), 0, near(rng, (80, 130, 185), 15), thickness=2)
    return Sprite(image, float(rng.uniform(3.5, 9.0)), float(rng.uniform(0.2, 0.9)), "plate")


def _keys(rng: np.random.Generator) -> Sprite:
    """A bunch of keys on a ring."""
    w = 220
    image = blank(w, w)
    c = np.array([w / 2, w / 2])
    for angle in rng.uniform(0, 2 * np.pi, int(rng.integers(2, 5))):
        metal = pick(rng, ("b4b6b8", "c9a94a", "8d9092"))
        out = np.array([np.cos(angle), np.sin(angle)])
        limb(image, tuple(c + out * 40), tuple(c + out * 100), 6, 5, metal)
        ellipse(image, tuple(c + out * 32), (18, 15), float(np.degrees(angle)), metal)
        for k in range(4):
            side = np.array([-out[1], out[0]]) * 7
            ellipse(image, tuple(c + out * (70 + 8 * k) + side), (3, 3), 0, metal)
    ellipse(image, tuple(c), (24, 24), 0, (190, 190, 188), thickness=3)
    puff(rng, image, 3, 0.6)
    out_, share = trim(image)
    return Sprite(out_, share * w / 52.0, 0.2, "keys")


def _remains(rng: np.random.Generator) -> Sprite:
    """A crumpled napkin, a sweet's wrapper or foil."""
    w = 180
    image = blank(w, w)
    angles = np.sort(rng.uniform(0, 2 * np.pi, 14))
    outline = np.array([w / 2, w / 2]) + np.stack([np.cos(angles), np.sin(angles)], 1) * rng.uniform(48, 86, (14, 1))
    tone = pick(rng, ("f4f2ee", "c4c6c8", "c9a94a", "d0506a", "e8e0d0"))
    polygon(image, outline, tone)
    gain = np.ones((w, w), np.float32)
    for _ in range(30):
        facet = rng.uniform(30, w - 30, 2) + rng.normal(0, 26, (3, 2))
        cv2.fillConvexPoly(gain, cv2.convexHull(np.rint(facet).astype(np.int32)), float(rng.uniform(0.78, 1.08)))
    shine(image, cv2.GaussianBlur(gain, (0, 0), 1.2))
    return Sprite(image, float(rng.uniform(1.2, 4.0)), float(rng.uniform(0.1, 1.0)), "napkin")


def _fruit(rng: np.random.Generator) -> Sprite:
    """Apple, orange, tomato, egg: a ball with a stalk and a highlight."""
    w = 140
    image = blank(w, w)
    skin = pick(rng, ("c0392b", "e08a2a", "7aa03a", "e0c84a", "e8d2b8"))
    limb(image, (w / 2 - 3, w / 2), (w / 2 + 3, w / 2), 60, 60, skin, float(rng.uniform(0, 6.28)), 0.9)
    ellipse(image, (w / 2 + float(rng.normal(0, 8)), w / 2 + float(rng.normal(0, 8))), (5, 4), 0, (40, 60, 70))
    ellipse(image, (w * 0.36, w * 0.34), (9, 6), -40, tuple(min(v + 90, 255) for v in skin))
    return Sprite(texture(rng, image, 0.02, 24), float(rng.uniform(1.4, 3.2)), float(rng.uniform(1.4, 2.6)), "fruit")


def _scissors(rng: np.random.Generator) -> Sprite:
    """Scissors or a knife beside the board."""
    w, h = 150, 320
    image = blank(h, w)
    grip = any_colour(rng)
    for sign in (-1, 1):
        polygon(
            image,
            np.array([(75 - sign * 4, 200), (75 + sign * 10, 195), (75 + sign * 16, 8)]),
            near(rng, (190, 190, 188), 8),
        )
        ellipse(image, (75 + sign * 34, 262), (26, 42), -sign * 16, grip, thickness=13)
        limb(image, (75, 195), (75 + sign * 22, 226), 8, 9, grip)
    ellipse(image, (75, 190), (6, 6), 0, (120, 120, 118))
    puff(rng, image, 4, 0.5)
    return Sprite(image, w / 46.0, 0.35, "scissors")


Maker = Callable[[np.random.Generator], Sprite]
CLUTTER: Mapping[str, Maker] = {
    "cup": _cup,
    "box": _box,
    "tray": _tray,
    "phone": _phone,
    "paper": _paper,
    "coin": _coin,
    "pen": _pen,
    "glasses": _glasses,
    "plate": _plate,
    "keys": _keys,
    "napkin": _remains,
    "fruit": _fruit,
    "scissors": _scissors,
    "cable": bodies.cable,
}
OCCLUDERS: Mapping[str, Maker] = {
    "hand": bodies.hand,
    "finger": bodies.finger,
    "thumb": bodies.thumb,
    "sleeve": bodies.sleeve,
    "tail": bodies.tail,
    "paw": bodies.paw,
    "cup": _cup,
    "cable": bodies.cable,
    "pen": _pen,
}
_OCCLUDER_WEIGHTS = np.array([5, 2, 2, 1.5, 1, 1, 1.5, 0.7, 0.5])
LOOKALIKES: Mapping[str, Maker] = lookalikes.KINDS


def clutter(rng: np.random.Generator, kind: str | None = None) -> Sprite:
    """A neutral thing; ``kind`` forces one of `CLUTTER`. Raises KeyError for a kind that is none."""
    return CLUTTER[kind if kind is not None else _one(rng, CLUTTER)](rng)


def occluder(rng: np.random.Generator, kind: str | None = None) -> Sprite:
    """Something that lies over pieces; ``kind`` forces one of `OCCLUDERS`.

    Hands, fingers, thumbs, sleeves and paws run out through the lower border of their picture, which belongs outside
    the photograph.
    """
    if kind is None:
        kind = tuple(OCCLUDERS)[int(rng.choice(len(OCCLUDERS), p=_OCCLUDER_WEIGHTS / _OCCLUDER_WEIGHTS.sum()))]
    return OCCLUDERS[kind](rng)


def lookalike(rng: np.random.Generator, kind: str | None = None) -> Sprite:
    """Something that looks like a tile or a card and is none; ``kind`` forces one of `LOOKALIKES`."""
    if kind is None:
        kind = str(rng.choice(lookalikes.WORDED)) if rng.random() < 0.3 else _one(rng, LOOKALIKES)
    return LOOKALIKES[kind](rng)


def _one(rng: np.random.Generator, makers: Mapping[str, Maker]) -> str:
    return tuple(makers)[int(rng.integers(len(makers)))]


FAMILIES: tuple[tuple[str, tuple[str, ...], Callable[[np.random.Generator, str | None], Sprite]], ...] = (
    ("clutter", tuple(CLUTTER), clutter),
    ("occluders", tuple(OCCLUDERS), occluder),
    ("lookalikes", tuple(LOOKALIKES), lookalike),
)
"""Name, kinds and door of each family, for contact sheets and tests."""
