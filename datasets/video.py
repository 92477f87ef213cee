"""Rendered videos of a table, with exact truth: pieces laid one by one by a hand, taken, moved; hands that only pass
or rest; a bumped camera, a lamp switched, someone's shadow; a camera's noise on every frame.

`python -m datasets.video --kind opening|still|evening|carousel|cards --out F.mjpeg|F.y4m|F.avi|F.mp4 [--seed S]
[--size PX]` writes one, and its truth beside it as F.jsonl, a line a frame: `carousel` is an opening and `cards` an
evening with cards. The same seed gives the same frames.
"""

from __future__ import annotations

import argparse
import copy
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from datasets.camera import Floats, frame
from datasets.clutter import occluder
from datasets.copies import CardCopies, TileCopies
from datasets.decks import deck
from datasets.editions import edition
from datasets.ground import SURFACE_COUNT, paint_table, pooled_surface
from datasets.lamps import Light, random_light
from datasets.layout import Layout
from datasets.paint import Canvas
from datasets.scene import Sets, paint_bodies, scale_of, visible_share
from datasets.slabs import CORNERS, Body
from datasets.sprites import Sprite
from datasets.things import paint_sprite
from datasets.video_rows import elsewhere, rows_of

Image = NDArray[np.uint8]
Rng = np.random.Generator
KINDS = ("opening", "still", "evening", "carousel", "cards")
OPENINGS, OF_CARDS = ("opening", "carousel"), ("carousel", "cards")
RATE = 15
"""Frames a second."""
ARM = 14.0
"""Tile widths by which a hand's arm is lengthened, so that it always comes in over the border."""
REACH = 2.5
"""Tile widths from the top of a hand's picture to its fingertips."""
AWAY = np.array([1.5, -16.0])
"""Where a hand is that is not in the picture, from the piece that it is for."""
FARTHER = 10.0
"""By so much more lies the border of a picture of cards away."""


@dataclass(frozen=True)
class Lain:
    """A piece of a frame: which one it is, its face, where it lies (4, 2), and which share of it is seen."""

    id: int
    code: str
    quad: Floats
    visible: float
    indices: tuple[tuple[Floats, float], ...] = ()
    """Of a card's face the corners (4, 2) of each index, and which share of it is seen."""


@dataclass(frozen=True, eq=False)
class Shot:
    """One frame (h, w, 3) BGR at its time in seconds, and all that is true of it. `act`: what is going on; `hand`:
    whether one is in the picture."""

    number: int
    time: float
    image: Image
    pieces: tuple[Lain, ...]
    act: str
    hand: bool


@dataclass(frozen=True)
class Moment:
    """What a frame shows: where each piece lies ((id, place), ...), which camera and light, hand and shadow."""

    act: str
    lying: tuple[tuple[int, int], ...]
    camera: int = 0
    light: int = 0
    gain: float = 1.0
    hand: tuple[float, float] | None = None
    shadow: float = 0.0


class Table:
    """Everything that one video is made of, chosen by its seed. `size`: the longer side in pixels, 16:9."""

    def __init__(self, kind: str, seed: int, size: int = 1280, held_out: bool = False) -> None:
        if kind not in KINDS:
            raise ValueError(f"There is no kind of video {kind!r}; there are {', '.join(KINDS)}.")
        self.kind, self.seed = kind, seed
        rng = np.random.default_rng([seed, 15])
        self.cards = kind in OF_CARDS
        block = (seed << 32) + 15
        if self.cards:
            self.sets = Sets(None, CardCopies(deck(int(rng.integers(160)), held_out), block))
        else:
            self.sets = Sets(TileCopies(edition(int(rng.integers(600)), held_out), block), None)
        rows = rows_of(rng, self.sets, kind in OPENINGS)
        self.bodies = [rows, elsewhere(rows)]
        farther = FARTHER if self.cards else 0.0
        self.away = AWAY - (0.0, farther)
        points = np.concatenate([body.points(CORNERS) for body in self.bodies[0] + self.bodies[1]])
        view: dict[str, Any] = {
            "target": (points.min(0) + points.max(0)) / 2 * (1, 1, 0),
            "elevation": float(rng.uniform(1.05, 1.45)),
            "azimuth": float(-np.pi / 2 + rng.normal(0, 0.04)),
            "roll": float(rng.normal(0, 0.03)),
            "fov": float(rng.uniform(0.8, 1.1)),
            "size": (size, size * 9 // 16),
        }
        fill = float(rng.uniform(0.68, 0.8))
        self.cameras = [frame(points, fill, **view)]
        turn, shift = rng.uniform(0.05, 0.12) * rng.choice([-1, 1]), rng.uniform(-0.9, 0.9, 2)
        for part in (0.25, 0.55, 0.85, 1.0):
            bumped = {**view, "roll": view["roll"] + turn * part, "target": view["target"] + [*(shift * part), 0.0]}
            self.cameras.append(frame(points, fill * (1 - 0.1 * part), **bumped))
        light = random_light(rng, -self.cameras[0].axes[2])
        lamps = tuple(replace(lamp, colour=lamp.colour * (0.8, 0.97, 1.25), power=lamp.power * 0.5,
                              direction=_turned(lamp.direction)) for lamp in light.lamps)  # fmt: skip
        self.lights: list[Light] = [light, Light(lamps, light.ambient * (0.55, 0.62, 0.7))]
        self.ground = int(rng.integers(SURFACE_COUNT))
        self.hand = _with_arm(occluder(rng, "hand"), ARM + farther)
        self.noise = rng.normal(0, float(rng.uniform(1.0, 3.5)), (self.cameras[0].height + 64,
                                self.cameras[0].width + 64, 3)).astype(np.int16)  # fmt: skip
        self.blur = float(rng.uniform(0.4, 0.9))
        self.painted = lru_cache(maxsize=4)(self._painted)

    def moments(self) -> Iterator[Moment]:
        """The script, frame by frame."""
        rng = np.random.default_rng([self.seed, 16])
        count = len(self.bodies[0])
        now = Moment("still", tuple((n, 0) for n in range(count)))
        if self.kind == "still":
            yield from [now] * (20 * RATE)
            return
        start = 0 if self.kind in OPENINGS else count - 4
        now = replace(now, lying=now.lying[:start])
        yield from _still(now, 1.0)
        if self.kind in OPENINGS:
            for n in range(count):
                yield from self._lay(now, n)
                now = replace(now, lying=(*now.lying, (n, 0)))
            yield from _still(now, 4.0)
            return
        for n in (start, start + 1):
            yield from self._lay(now, n)
            now = replace(now, lying=(*now.lying, (n, 0)))
        for act in ("pass", "rest"):
            yield from self._only_a_hand(now, act, rng)
            yield from _still(replace(now, act=act), 1.2)
        yield from self._lamp(now)
        now = replace(now, light=1, gain=1.25)
        yield from self._only_a_hand(now, "pass", rng)
        yield from _still(replace(now, act="pass"), 1.2)
        for n in range(int(1.6 * RATE)):
            yield replace(now, act="shadow", shadow=float(np.sin(np.pi * n / (1.6 * RATE)) ** 0.5))
        yield from _still(replace(now, act="shadow"), 1.2)
        yield from _still(now, 0.4)
        for camera in (1, 2, 3):
            yield replace(now, act="bump", camera=camera)
        now = replace(now, camera=4)
        yield from _still(replace(now, act="bump"), 1.6)
        yield from self._lay(now, start + 2)
        now = replace(now, lying=(*now.lying, (start + 2, 0)))
        free = [n for n in self._free(now) if n < start]
        taken = free[int(rng.integers(len(free)))]
        yield from self._take(now, taken)
        now = replace(now, lying=tuple(one for one in now.lying if one[0] != taken))
        moved = int(rng.choice([n for n in free if n != taken]))
        yield from self._move(now, moved)
        now = replace(now, lying=tuple((n, int(n == moved)) for n, _ in now.lying))
        yield from self._lay(now, start + 3)
        now = replace(now, lying=(*now.lying, (start + 3, 0)))
        yield from _still(now, 2.0)

    def shots(self) -> Iterator[Shot]:
        """The frames, rendered one after the other."""
        rng = np.random.default_rng([self.seed, 17])
        for number, moment in enumerate(self.moments()):
            yield self.shot(number, moment, rng)

    # --- the acts ---

    def _spot(self, number: int, place: int = 0) -> Floats:
        return np.asarray(self.bodies[place][number].pose.centre[:2], float)

    def _free(self, now: Moment) -> list[int]:
        """The pieces that lie under no other of their row, and so can be taken."""
        if not self.cards:
            return [n for n, _ in now.lying]
        return list({self.bodies[0][n].row: n for n, _ in now.lying}.values())

    def _lay(self, now: Moment, number: int) -> Iterator[Moment]:
        spot = self._spot(number)
        then = replace(now, act="lay", lying=(*now.lying, (number, 0)))
        yield from _way(replace(now, act="lay"), spot + self.away, spot, 0.5)
        yield from _way(then, spot, spot, 0.25)
        yield from _way(then, spot, spot + self.away, 0.5)
        yield from _still(then, 1.2)

    def _take(self, now: Moment, number: int) -> Iterator[Moment]:
        spot = self._spot(number)
        then = replace(now, act="take", lying=tuple(one for one in now.lying if one[0] != number))
        yield from _way(replace(now, act="take"), spot + self.away, spot, 0.5)
        yield from _way(then, spot, spot + self.away, 0.5)
        yield from _still(then, 1.6)

    def _move(self, now: Moment, number: int) -> Iterator[Moment]:
        start, end = self._spot(number), self._spot(number, 1)
        gone = replace(now, act="move", lying=tuple(one for one in now.lying if one[0] != number))
        then = replace(now, act="move", lying=tuple((n, int(n == number)) for n, _ in now.lying))
        yield from _way(replace(now, act="move"), start + self.away, start, 0.5)
        yield from _way(gone, start, end, 0.5)
        yield from _way(then, end, end + self.away, 0.5)
        yield from _still(then, 2.0)

    def _only_a_hand(self, now: Moment, act: str, rng: Rng) -> Iterator[Moment]:
        now = replace(now, act=act)
        one, two = (self._spot(int(rng.integers(len(now.lying)))) for _ in range(2))
        yield from _way(now, one + self.away, one, 0.5)
        yield from _way(now, one, two, 0.4)
        yield from _way(now, two, two, 1.6 if act == "rest" else 0.1)
        yield from _way(now, two, two + self.away, 0.5)

    def _lamp(self, now: Moment) -> Iterator[Moment]:
        """A lamp goes out, and the camera's exposure follows within half a second."""
        then = replace(now, act="lamp", light=1)
        for n in range(RATE // 2):
            yield replace(then, gain=1.0 + 0.25 * n / (RATE // 2))
        yield from _still(replace(then, gain=1.25), 1.2)

    # --- painting ---

    def _painted(self, laid: tuple[tuple[int, int], ...], camera: int, light: int) -> tuple[Canvas, tuple[Body, ...]]:
        bodies = [copy.copy(self.bodies[place][number]) for number, place in laid]
        canvas = Canvas(self.cameras[camera], self.lights[light])
        paint_table(canvas, pooled_surface(self.ground), np.random.default_rng(self.seed))
        layout = Layout(bodies=bodies)
        scale = scale_of(self.cameras[0], Layout(bodies=list(self.bodies[0])))
        if bodies:
            paint_bodies(canvas, layout, self.sets, np.random.default_rng(self.seed), scale)
        return canvas, tuple(bodies)

    def shot(self, number: int, moment: Moment, rng: Rng) -> Shot:
        """One frame as the camera sees it at a moment, with its truth."""
        ready, bodies = self.painted(moment.lying, moment.camera, moment.light)
        canvas = copy.copy(ready)
        canvas.pixels, canvas.ids = ready.pixels.copy(), ready.ids.copy()
        if moment.hand is not None:
            arm = self.hand.width * self.hand.bgra.shape[0] / self.hand.bgra.shape[1]
            spot = np.array(moment.hand) - (0.0, arm / 2 - REACH)
            paint_sprite(canvas, self.hand, spot, turn=0.0, lift=0.6)
        pieces = tuple(
            self._lain(canvas, n, body, ident) for n, ((ident, _), body) in enumerate(zip(moment.lying, bodies,
                                                                                          strict=True))
        )  # fmt: skip
        hand = moment.hand is not None and bool((canvas.pixels != ready.pixels).any())
        image = self._taken(canvas.pixels, moment, rng)
        return Shot(number, number / RATE, image, pieces, moment.act, hand)

    def _lain(self, canvas: Canvas, number: int, body: Body, ident: int) -> Lain:
        quad = canvas.camera.project(body.points(CORNERS))
        seen = visible_share(canvas, number, canvas.camera.project(body.points(body.outline())))
        indices = []
        if self.sets.cards is not None:
            for index in self.sets.cards.face(body.code, body.copy).indices:
                spot = canvas.camera.project(body.points(np.asarray(index, float)))
                indices.append((spot, round(visible_share(canvas, number, spot), 3)))
        return Lain(ident, body.code, quad, round(seen, 3), tuple(indices))

    def _taken(self, pixels: Image, moment: Moment, rng: Rng) -> Image:
        """The camera's own: exposure, blur, noise, and motion JPEG."""
        height, width = pixels.shape[:2]
        light = moment.gain * (1.0 - 0.4 * moment.shadow * _standing(width, height)[..., None])
        out = cv2.GaussianBlur(pixels, (0, 0), self.blur).astype(np.float32) * light.astype(np.float32)
        y, x = (int(v) for v in rng.integers(64, size=2))
        out = np.clip(out + self.noise[y : y + height, x : x + width], 0, 255).astype(np.uint8)
        jpeg = cv2.imencode(".jpg", out, [cv2.IMWRITE_JPEG_QUALITY, 88])[1]
        return np.asarray(cv2.imdecode(jpeg, cv2.IMREAD_COLOR), np.uint8)


def _turned(direction: Floats) -> Floats:
    """The direction of a lamp on the other side of the room."""
    return np.asarray(direction * (-0.7, 0.6, 1.0) / np.linalg.norm(direction * (-0.7, 0.6, 1.0)), float)


def _with_arm(hand: Sprite, arm_length: float) -> Sprite:
    rows = round(arm_length * hand.bgra.shape[1] / hand.width)
    arm = np.repeat(hand.bgra[-12:-11], rows, axis=0)
    return replace(hand, bgra=np.concatenate([hand.bgra[:-12], arm]), height=0.6)


def _way(now: Moment, start: Floats, end: Floats, seconds: float) -> Iterator[Moment]:
    """A hand whose fingers go from one spot of the table to another."""
    frames = max(round(seconds * RATE), 1)
    for n in range(frames):
        x, y = start + (end - start) * (n / frames)
        yield replace(now, hand=(float(x), float(y)))


def _still(now: Moment, seconds: float) -> Iterator[Moment]:
    yield from [now] * round(seconds * RATE)


@lru_cache(maxsize=2)
def _standing(width: int, height: int) -> NDArray[np.float32]:
    """How much of the light someone keeps off who leans over the table (h, w), 0 to 1."""
    mask = np.zeros((height, width), np.float32)
    cv2.ellipse(mask, (int(width * 0.8), int(height * 0.3)), (int(width * 0.35), int(height * 0.6)), 20, 0, 360, 1, -1)
    return np.asarray(cv2.GaussianBlur(mask, (0, 0), width / 45), np.float32)


def _line(piece: Lain) -> dict[str, Any]:
    line: dict[str, Any] = {
        "id": piece.id, "code": piece.code, "polygon": piece.quad.round(2).tolist(), "visible": piece.visible,
    }  # fmt: skip
    if piece.indices:
        line["indices"] = [{"polygon": quad.round(2).tolist(), "visible": seen} for quad, seen in piece.indices]
    return line


def write(shots: Iterator[Shot], out: Path) -> int:
    """Write a video by its name's ending (.mjpeg, .y4m, .avi, .mp4) and its truth beside it; how many frames."""
    count, lines = 0, []
    writer: cv2.VideoWriter | None = None
    with open(out, "wb") as file:  # OpenCV's own writer opens the path anew
        for shot in shots:
            height, width = shot.image.shape[:2]
            if out.suffix == ".mjpeg":
                file.write(cv2.imencode(".jpg", shot.image, [cv2.IMWRITE_JPEG_QUALITY, 90])[1].tobytes())
            elif out.suffix == ".y4m":
                if not count:
                    file.write(f"YUV4MPEG2 W{width} H{height} F{RATE}:1 Ip A1:1 C420jpeg\n".encode())
                file.write(b"FRAME\n" + cv2.cvtColor(shot.image, cv2.COLOR_BGR2YUV_I420).tobytes())
            else:
                code = "MJPG" if out.suffix == ".avi" else "mp4v"
                writer = writer or cv2.VideoWriter(str(out), cv2.VideoWriter_fourcc(*code), RATE, (width, height))
                writer.write(shot.image)
            lines.append(json.dumps({
                "frame": shot.number, "time": round(shot.time, 3), "act": shot.act, "hand": shot.hand,
                "pieces": [_line(piece) for piece in shot.pieces],
            }))  # fmt: skip
            count += 1
    if writer is not None:
        writer.release()
    out.with_suffix(".jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    return count


def main(argv: Sequence[str] | None = None) -> int:
    """Command line: which video, and where to."""
    parser = argparse.ArgumentParser(prog="python -m datasets.video", description=__doc__)
    parser.add_argument("--kind", choices=KINDS, default="opening")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", type=int, default=1280)
    parser.add_argument("--held-out", action="store_true", help="an edition, fonts or a deck kept out of training")
    args = parser.parse_args(argv)
    if args.out.suffix not in (".mjpeg", ".y4m", ".avi", ".mp4"):
        parser.error("the file's name must end in .mjpeg, .y4m, .avi or .mp4")
    print(f"{write(Table(args.kind, args.seed, args.size, args.held_out).shots(), args.out)} frames")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
