"""What lies over pieces: hands, fingers, sleeves, paws, tails, cables."""

from __future__ import annotations

import cv2
import numpy as np

from datasets.noise import Colour, any_colour, near, noise, pick
from datasets.sprites import Point, Sprite, bar, blank, curve, dim, ellipse, limb, shine, stroke, texture, trim

SKINS = ("f0c8aa", "e6b595", "d9a07c", "c68642", "a86f4b", "8d5524", "5c3a24", "f3d3bf", "e0ac8a")
UNIT = 26.0
"""Pixels of a hand's picture per tile width."""


def _out(at: Point, angle: float, length: float) -> Point:
    return (at[0] + length * np.cos(angle), at[1] + length * np.sin(angle))


def _finger(
    rng: np.random.Generator,
    image: np.ndarray,
    base: Point,
    angle: float,
    length: float,
    radius: float,
    skin: Colour,
    lit: float,
    nail: bool,
) -> None:
    """Three joints, each a bit thinner and bent; a nail at the tip where the back of the hand is seen."""
    heading, bend = angle, float(rng.normal(0, 0.10))
    points, turns = [base], [heading]
    for part in (0.45, 0.32, 0.26):
        points.append(_out(points[-1], heading, length * part))
        turns.append(heading)
        heading += bend
    bar(image, points, (radius, radius * 0.96, radius * 0.88, radius * 0.74), skin, lit)
    for k in (1, 2):  # creases over the joints
        across = turns[k] + np.pi / 2
        for shift in (-radius * 0.2, radius * 0.18):
            middle = _out(points[k], turns[k], shift)
            wide = radius * float(rng.uniform(0.25, 0.55))
            stroke(image, np.array([_out(middle, across, -wide), _out(middle, across, wide)]), dim(skin, 0.88), 1)
    if nail:
        at = _out(points[3], turns[3], radius * 0.05)
        ellipse(image, at, (radius * 0.58, radius * 0.46), float(np.degrees(turns[3])), dim(skin, 0.86))
        ellipse(
            image,
            _out(at, turns[3], 1.0),
            (radius * 0.52, radius * 0.40),
            float(np.degrees(turns[3])),
            _nail(rng, skin),
        )


def _nail(rng: np.random.Generator, skin: Colour) -> Colour:
    if rng.random() < 0.15:
        return pick(rng, ("b0182c", "d46a8a", "6a1f4a", "f2e6e6"))
    return (min(skin[0] * 1.08, 255.0), min(skin[1] * 1.02, 255.0), min(skin[2] * 1.06, 255.0))


def _cuff(rng: np.random.Generator, image: np.ndarray, wrist: Point, bottom: float, radius: float, lit: float) -> None:
    """A sleeve from the wrist to the lower border, plain or striped, with a hem."""
    cloth = any_colour(rng)
    limb(image, (wrist[0], wrist[1]), (wrist[0], bottom), radius, radius * 1.45, cloth, lit, 0.6)
    if rng.random() < 0.3:
        for y in np.arange(wrist[1] + 14, bottom, float(rng.uniform(8, 24))):
            wide = radius * (1 + 0.45 * (y - wrist[1]) / max(bottom - wrist[1], 1))
            stroke(
                image,
                np.array([(wrist[0] - wide + 1, y), (wrist[0], y + 4), (wrist[0] + wide - 1, y)]),
                dim(cloth, 0.6),
                3,
            )
    hem = np.array(
        [(wrist[0] - radius, wrist[1] + 3), (wrist[0], wrist[1] - radius * 0.7), (wrist[0] + radius, wrist[1] + 3)]
    )
    stroke(image, curve(hem, 12), dim(cloth, 0.75), 3)


def hand(rng: np.random.Generator) -> Sprite:
    """A hand with its arm, flat, pointing, pinching or closed. The arm leaves through the lower border of the picture:
    place that border outside the photograph."""
    w, h = 230, 470
    image = blank(h, w)
    skin = pick(rng, SKINS)
    lit = float(rng.uniform(0, 2 * np.pi))
    back = rng.random() < 0.8
    pose = int(rng.integers(4))
    palm = (w / 2, 190.0)
    wrist = (w / 2 + float(rng.normal(0, 8)), 262.0)
    if rng.random() < 0.7:
        limb(image, (w / 2, 268), (w / 2, h + 60), 27, 36, skin, lit)
        if rng.random() < 0.7:
            _cuff(rng, image, (w / 2, float(rng.uniform(285, 400))), h + 60, 38, lit)
    else:
        _cuff(rng, image, (w / 2, 275), h + 60, 36, lit)
    fan = float(rng.uniform(0.06, 0.24))
    order = (0, 3, 1, 2)
    lengths, radii = (92.0, 106.0, 100.0, 76.0), (13.0, 13.5, 13.0, 11.0)
    limb(image, wrist, (palm[0], palm[1] + 22), 27, 40, skin, lit, 0.25)
    for k in order:
        curl = {0: 1.0, 1: 1.0 if k == 0 else 0.45, 2: 0.75 if k == 0 else 0.55, 3: 0.5}[pose] * rng.uniform(0.92, 1.05)
        angle = -np.pi / 2 + fan * (k - 1.5) + rng.normal(0, 0.04)
        base = (palm[0] + (k - 1.5) * 22.0, palm[1] - 26.0 + 5.0 * abs(k - 1.3))
        _finger(rng, image, base, angle, lengths[k] * curl, radii[k], skin, lit, back)
    limb(image, (palm[0] - 12, palm[1] + 14), (palm[0] + 14, palm[1] - 4), 40, 40, skin, lit, 0.22)
    for k in range(4):  # knuckles or the lines of the palm
        at = (palm[0] + (k - 1.5) * 21.0, palm[1] - 24.0 + 5.0 * abs(k - 1.3))
        if back:
            ellipse(image, at, (7, 4), 0, dim(skin, 0.93))
    if not back:
        for shift in (-14, 6):
            line = curve(
                np.array(
                    [
                        (palm[0] - 34, palm[1] + shift + 8),
                        (palm[0], palm[1] + shift),
                        (palm[0] + 36, palm[1] + shift - 8),
                    ]
                ),
                16,
            )
            stroke(image, line, dim(skin, 0.8), 1)
    spread = {0: 0.75, 1: 0.2, 2: -0.1, 3: 0.1}[pose] + rng.normal(0, 0.1)
    _finger(rng, image, (palm[0] - 40, palm[1] + 22), -np.pi / 2 - spread, 82, 15.5, skin, lit, back)
    if rng.random() < 0.15:
        ellipse(image, (palm[0] + 11, palm[1] - 52), (14, 4), 0, pick(rng, ("c9a94a", "c4c6c8")), thickness=3)
    soft = cv2.GaussianBlur(image[:, :, :3], (0, 0), 1.1)
    image[:, :, :3] = soft
    texture(rng, image, 0.025, 12)
    if rng.random() < 0.5:
        image = image[:, ::-1].copy()
    return Sprite(image, w / UNIT, float(rng.uniform(0.5, 2.5)), "hand")


def finger(rng: np.random.Generator) -> Sprite:
    """One finger or two that push a piece; leaves through the lower border."""
    w, h = 120, 300
    image = blank(h, w)
    skin, lit = pick(rng, SKINS), float(rng.uniform(0, 2 * np.pi))
    count = int(rng.choice([1, 1, 2]))
    for k in range(count):
        base = (w / 2 + (k - (count - 1) / 2) * 30, h + 30.0)
        _finger(
            rng,
            image,
            base,
            -np.pi / 2 + float(rng.normal(0, 0.05)),
            float(rng.uniform(200, 290)),
            15.0,
            skin,
            lit,
            rng.random() < 0.8,
        )
    image[:, :, :3] = cv2.GaussianBlur(image[:, :, :3], (0, 0), 0.9)
    return Sprite(texture(rng, image, 0.03, 12), w / 42.0, float(rng.uniform(0.3, 1.2)), "finger")


def thumb(rng: np.random.Generator) -> Sprite:
    """A thumb with the ball of the hand, as it holds cards or a rack; leaves through the lower border."""
    w, h = 150, 240
    image = blank(h, w)
    skin, lit = pick(rng, SKINS), float(rng.uniform(0, 2 * np.pi))
    limb(image, (w / 2 + 6, h + 20), (w / 2, h - 60), 56, 36, skin, lit, 0.3)
    _finger(
        rng, image, (w / 2, h - 70), -np.pi / 2 + float(rng.normal(0, 0.2)), 130, 25, skin, lit, rng.random() < 0.85
    )
    image[:, :, :3] = cv2.GaussianBlur(image[:, :, :3], (0, 0), 1.2)
    return Sprite(texture(rng, image, 0.03, 10), w / 56.0, float(rng.uniform(0.3, 1.0)), "thumb")


def sleeve(rng: np.random.Generator) -> Sprite:
    """An elbow in a knitted or woven sleeve: upper arm and forearm both leave through the lower border."""
    w, h = 260, 300
    image = blank(h, w)
    cloth = any_colour(rng)
    bend = (w / 2 + float(rng.normal(0, 25)), 76.0)
    ends = ((w * float(rng.uniform(0.1, 0.3)), h + 50.0), bend, (w * float(rng.uniform(0.65, 0.95)), h + 50.0))
    bar(image, ends, (48, 42, 56), cloth, float(rng.uniform(0, 6.28)), 0.7)
    rows = int(rng.choice([24, 48, 96]))
    shine(image, 1.0 + 0.06 * noise(rng, 8, rows, h)[:, :w] + 0.06 * noise(rng, 6, 6, h)[:, :w])
    if rng.random() < 0.4:
        stripe = (np.arange(h) // int(rng.integers(8, 30))) % 2
        shine(image, np.where(stripe, 1.0, float(rng.uniform(0.4, 0.8)))[:, None].repeat(w, 1))
    for _ in range(4):  # folds around the elbow
        start = (bend[0] + float(rng.normal(0, 20)), bend[1] + float(rng.uniform(-10, 30)))
        fold = curve(np.array([start, _out(start, 1.2, 25), _out(start, float(rng.uniform(0.8, 2.2)), 60)]), 12)
        stroke(image, fold, dim(cloth, 0.75), int(rng.integers(1, 4)))
    return Sprite(image, w / UNIT, float(rng.uniform(1.5, 3.0)), "sleeve")


def tail(rng: np.random.Generator) -> Sprite:
    """A cat's tail: curved, furry, plain or ringed."""
    side = 256
    image = blank(side, side)
    fur = pick(rng, ("2a2625", "8a7a68", "c98a4a", "e9e4dc", "5f564d", "b5a48e"))
    points = curve(
        np.array(
            [(40.0, 250.0), (rng.uniform(40, 120), 180.0), (rng.uniform(90, 200), 110.0), (rng.uniform(150, 230), 40.0)]
        ),
        60,
    )
    ringed = rng.random() < 0.5
    for k, at in enumerate(points):
        radius = 22.0 * (1.0 - 0.35 * k / 60) * (1.0 if k < 54 else 1.0 - 0.09 * (k - 54))
        colour = dim(fur, 0.6) if ringed and (k // 6) % 2 else fur
        ellipse(image, (at[0], at[1]), (radius, radius), 0, colour)
    ragged = cv2.GaussianBlur(image[:, :, 3], (0, 0), 3.0).astype(np.float32) + 40 * noise(rng, 128, 128, side)
    image[:, :, 3] = np.clip((ragged - 100) * 4, 0, 255).astype(np.uint8)
    spread = cv2.GaussianBlur(image[:, :, :3], (0, 0), 2.0)
    thick = np.maximum(cv2.GaussianBlur((image[:, :, 3] > 0).astype(np.float32), (0, 0), 2.0), 0.2)[:, :, None]
    image[:, :, :3] = np.clip(spread / thick, 0, 255).astype(np.uint8)
    away = np.minimum(cv2.distanceTransform((image[:, :, 3] > 127).astype(np.uint8), cv2.DIST_L2, 3) / 16.0, 1.0)
    shine(image, 0.65 + 0.4 * away + 0.10 * noise(rng, 64, 128, side))
    out, share = trim(image)
    return Sprite(out, share * side / 22.0, float(rng.uniform(0.8, 2.0)), "tail")


def paw(rng: np.random.Generator) -> Sprite:
    """A cat's foreleg with its toes."""
    w, h = 120, 260
    image = blank(h, w)
    fur = pick(rng, ("2a2625", "8a7a68", "c98a4a", "e9e4dc", "5f564d", "b5a48e"))
    socks = near(rng, (235.0, 240.0, 242.0), 5) if rng.random() < 0.4 else fur
    lit = float(rng.uniform(0, 6.28))
    limb(image, (w / 2, 80), (w / 2, h + 30), 32, 40, fur, lit)
    limb(image, (w / 2, 62), (w / 2, 90), 36, 33, socks, lit, 0.3)
    for k in (0, 3, 1, 2):
        at = w / 2 + (k - 1.5) * 19
        limb(image, (at, 42 + 5 * abs(k - 1.5)), (at, 62), 12, 13, socks, lit, 0.6)
    shine(image, 1.0 + 0.09 * noise(rng, 64, 40, h)[:, :w])
    ragged = cv2.GaussianBlur(image[:, :, 3], (0, 0), 1.5).astype(np.float32) + 30 * noise(rng, 128, 128, h)[:, :w]
    image[:, :, 3] = np.clip((ragged - 90) * 3, 0, 255).astype(np.uint8)
    return Sprite(image, w / 46.0, float(rng.uniform(0.8, 1.6)), "paw")


def cable(rng: np.random.Generator) -> Sprite:
    """A charging cable or a string across the table."""
    side = 256
    image = blank(side, side)
    colour = pick(rng, ("f2f2f2", "1a1a1c", "d8d8d6", "b03030", "3060a0", "8a6a40"))
    points = curve(np.stack([np.linspace(6, 250, 5), rng.uniform(30, 226, 5)], 1), 60)
    width = int(rng.integers(4, 9))
    stroke(image, points, dim(colour, 0.7), width)
    stroke(image, points - (0.6, 0.8), colour, max(width - 3, 1))
    return Sprite(image, side / float(rng.uniform(20, 40)), float(rng.uniform(0.1, 0.25)), "cable")
