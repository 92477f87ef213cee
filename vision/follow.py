"""Follow the pieces of a video: the same piece from frame to frame, looks gathered, and reading only what changed.

Small grey pictures say where something moves (`vision.motion`). What has changed and come to rest is read, once and
then again a few times, and the looks are gathered (`vision.votes`). A piece keeps its identity by its place, by a
movement common to most pieces (the camera was bumped) or by its code (someone moved it). Only readings make events, and
what lies under a hand is believed to lie there still.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from vision import geometry
from vision.carry import NEAR, Lying, by_code, common_movement, in_place, lying
from vision.flatten import Floats, Image
from vision.follow_track import Gone, Track, another, good
from vision.identify import Reading
from vision.locate import Spot
from vision.motion import Cells, Motion, Region, Stir
from vision.read import Reader, default_reader
from vision.scene import BACK, UNKNOWN, Kind, Scene
from vision.votes import Votes, carry

EventKind = Literal["new", "moved", "lost", "read", "bump", "looking"]
State = Literal["still", "changing", "looking"]
STILL = 0.25
"""Seconds without movement after which what changed is read."""
HAND_STILL, HAND_RESTS = 0.8, 15.0
"""The same for what may be a hand: looked at for sure finds after the first, taken for part of the table after the
second."""
HAND_SHARE = 0.02
"""Share of the picture's cells from which what comes in over the border may be a hand."""
HAND_TILES = 4.0
"""And pieces it must be as large as."""
AGAIN = (0.4, 1.2, 3.0)
"""Seconds after a reading at which the same place is read again."""
DOUBTED = 5.0
"""Seconds from one more look at what is still doubtful to the next."""
WHOLE = 0.55
"""Share of the picture that differs when the camera itself moved, or the lamp."""
MOVING = 0.35
"""Seconds from reading to reading while the camera moves."""
MISSED = 2.0
"""Readings in a row that miss a piece before it is gone."""
GONE = 120.0
"""Seconds in which a piece that was gone gets its identity back."""
SURE = 0.9
SURE_SPOT: Mapping[Kind, float] = {"tile": 0.85, "card": 0.6}
"""What is read within a possible hand must be as sure as this, and located as surely."""
MOST_OF = 0.45
"""Share of the picture from which the whole of it is read, rather than a part."""
ORIGIN = 3.0
"""Seconds for which a piece waits to hear whether a like one, which a hand hides, is still in its place."""
SAME_PIECE = 0.5
"""Share of a find on a known piece from which it is no piece of its own."""


@dataclass(frozen=True, slots=True)
class Event:
    """What happened to piece `id` (-1: to all of them) at `time`.

    `read`: its face is another now; `bump`: the camera moved and the identities went along; `looking`: the table is
    not where it was, and is looked for.
    """

    kind: EventKind
    id: int
    time: float


@dataclass(frozen=True, eq=False)
class Seen:
    """The table as it is known now. `ids`: a steady identity for each piece of `scene`, in its order; `frame`: how
    many readings there were; `changed`: anything of scene or identities is other than one frame before."""

    scene: Scene
    ids: tuple[int, ...]
    events: tuple[Event, ...]
    state: State
    changed: bool
    frame: int


class Follower:
    """Takes frame after frame and says what lies on the table.

    `reader`: the networks, those that ship where None; `kinds`: what may lie there; `copies`: how many pieces of one
    face a set holds, the reader's own where None. One thread at a time.
    """

    def __init__(
        self, reader: Reader | None = None, kinds: Sequence[Kind] = ("tile", "card"), copies: int | None = None
    ) -> None:
        self._reader = reader if reader is not None else default_reader()
        self._kinds = tuple(kinds)
        self._copies = copies
        self._next = 0
        self.reset()

    def reset(self) -> None:
        """Forget the table; identities given before are not given again."""
        self._motion: Motion | None = None
        self._tracks: list[Track] = []
        self._gone: list[Gone] = []
        self._scene: Scene | None = None
        self._ids: tuple[int, ...] = ()
        self._events: list[Event] = []
        self._again: list[tuple[float, Cells]] = []
        self._last = self._settled = -np.inf
        self._adrift = 0
        self._bumped = False
        self._readings = 0

    def update(self, image: Image, time: float) -> Seen:
        """The next frame (h, w, 3) uint8 BGR and its time in seconds, which never runs back. Raises WeightsError."""
        self._events = []
        before = self._scene, self._ids
        height, width = image.shape[:2]
        fresh = self._motion is None or (self._motion.width, self._motion.height) != (width, height)
        if self._motion is None or fresh:
            self._motion = Motion(width, height)
            self._again = []
        stir = self._motion.update(image, time)
        looking = False
        if fresh:
            self._read(image, time, None, stir.moving, everything=True)
            self._plan(time, np.ones_like(stir.moving))
        elif stir.share > WHOLE or self._adrift:
            looking = self._whole(image, time, stir)
        else:
            self._parts(image, time, stir)
        if any(track.origin is not None for track in self._tracks) and self._origins(time, stir.busy):
            self._judge(image, time)
        state: State = "looking" if self._adrift or looking else "changing" if stir.regions else "still"
        if state == "still":
            self._bumped = False
        assert self._scene is not None  # the first frame is read
        changed = before != (self._scene, self._ids)
        return Seen(self._scene, self._ids, tuple(self._events), state, changed, self._readings)

    # --- what to read ---

    def _whole(self, image: Image, time: float, stir: Stir) -> bool:
        """Most of the picture differs: the camera moved, or the light did. True while nothing is known of it."""
        rests = not stir.moving.mean() > 0.02
        still = rests and all(region.still >= STILL for region in stir.regions)
        if not still and time - self._last < MOVING:
            return self._adrift > 0
        found = self._read(image, time, None, np.zeros_like(stir.moving), everything=True, moving=not still)
        if found and still and self._motion is not None:
            self._motion.settle()
            self._plan(time, np.ones_like(stir.moving))
        return not found

    def _parts(self, image: Image, time: float, stir: Stir) -> None:
        """Read the places that changed and rest, or, where it is time, look again."""
        assert self._motion is not None
        hands = [region for region in stir.regions if self._may_be_hand(region)]
        rest = [region for region in stir.regions if region not in hands and region.still >= STILL]
        rest += [region for region in hands if region.still >= HAND_RESTS]
        hands = [region for region in hands if region.still < HAND_RESTS]
        if rest:
            self._take_in(image, time, np.logical_or.reduce([region.cells for region in rest]), stir)
            return
        due = [cells for at, cells in self._again if at <= time]
        if due:
            self._again = [(at, cells) for at, cells in self._again if at > time]
            area = np.logical_or.reduce(due) & ~stir.busy
            if area.any():
                self._read(image, time, area, stir.busy, fresh=False)
            return
        under = [region for region in hands if region.still >= HAND_STILL]
        if under and time - self._last >= HAND_STILL:
            self._peek(image, time, np.logical_or.reduce([region.cells for region in under]), stir)
        elif not stir.regions and time - self._last >= DOUBTED and any(p.asked for p in self._scene_now.pieces):
            self._look_again(image, time)

    def _take_in(self, image: Image, time: float, area: Cells, stir: Stir, *, fresh: bool = True) -> None:
        """Read a place that rests; what it shows is known then, and looked at again soon."""
        assert self._motion is not None
        self._read(image, time, area, stir.busy & ~area, fresh=fresh)
        self._motion.settle(area)
        self._plan(time, area)

    @property
    def _scene_now(self) -> Scene:
        assert self._scene is not None
        return self._scene

    def _may_be_hand(self, region: Region) -> bool:
        assert self._motion is not None
        sizes = [track.votes.reading.spot.long_side for track in self._tracks]
        tiles = HAND_TILES * self._motion.cells_of(float(np.median(sizes))) if sizes else 0.0
        return region.border and region.size > max(HAND_SHARE * region.cells.size, tiles)

    def _plan(self, time: float, area: Cells) -> None:
        """Look at this place again soon, and a few times more."""
        self._again = [(at, cells & ~area) for at, cells in self._again]
        self._again = [(at, cells) for at, cells in self._again if cells.any()]
        self._again += [(time + wait, area) for wait in AGAIN]

    # --- reading ---

    def _finds(self, image: Image, area: Cells | None) -> list[Reading]:
        """Looks at every piece found in the picture, or in the part of it round an area."""
        assert self._motion is not None
        kinds = self._kinds_now()
        height, width = image.shape[:2]
        x0, y0, x1, y1 = 0, 0, width, height
        if area is not None:
            sizes = [track.votes.reading.spot.long_side for track in self._tracks]
            pad = max(1.5 * float(np.median(sizes)) if sizes else 0.0, 0.06 * max(width, height))
            x0, y0, x1, y1 = self._motion.box(area, pad)
            if (x1 - x0) * (y1 - y0) > MOST_OF * width * height:
                x0, y0, x1, y1 = 0, 0, width, height
        spots = []
        for spot in self._reader.find(image[y0:y1, x0:x1], kinds):
            shifted = Spot(spot.kind, spot.score, spot.quad + np.array([x0, y0], float))
            low, high = shifted.quad.min(axis=0), shifted.quad.max(axis=0)
            # the part's own border cuts pieces: they lie outside of the area that is read
            cut = (low[0] < x0 + 2 and x0 > 0) or (low[1] < y0 + 2 and y0 > 0)
            cut |= (high[0] > x1 - 2 and x1 < width) or (high[1] > y1 - 2 and y1 < height)
            if not cut:
                spots.append(shifted)
        return self._reader.look(image, spots)

    def _kinds_now(self) -> tuple[Kind, ...]:
        """What is looked for: only tiles where tiles lie, only cards where cards do, since a table holds one game."""
        seen = {piece.kind for piece in self._scene.pieces} if self._scene else set()
        if len(seen) == 1 and len(self._tracks) >= 3:
            return tuple(kind for kind in self._kinds if kind in seen) or self._kinds
        return self._kinds

    def _read(self, image: Image, time: float, area: Cells | None, busy: Cells, *, everything: bool = False,
              fresh: bool = True, moving: bool = False) -> bool:
        """Read a place (all of it where None) and make of it what is new, moved and gone; False where the table is
        not where it was. `busy` cells are left out, `fresh` says that the place changed, `moving` that it moves."""
        assert self._motion is not None
        motion = self._motion
        self._readings += 1
        self._last = time
        finds = [find for find in self._finds(image, area) if not motion.touches(busy, find.quad)]
        if everything and self._tracks and not self._placed(image, finds, time, moving):
            return False
        if fresh and not everything:
            self._bump(finds, time, area)
        old, new = self._lying(self._tracks), _read_at(finds)
        taken: set[int] = set()
        matched: set[int] = set()
        for a, b in in_place(old, new):
            track, find = self._tracks[a], finds[b]
            if fresh and not moving and another(track, find):
                track.missed = MISSED
                continue
            track.found(find, time)
            matched.add(a)
            taken.add(b)
        within = [
            n for n, track in enumerate(self._tracks)
            if n not in matched and self._inside(track.quad, area) and not motion.touches(busy, track.quad)
        ]
        free = [n for n, find in enumerate(finds) if n not in taken and self._inside(find.quad, area)]
        for a, b in by_code(self._lying([self._tracks[n] for n in within]),
                            lying([finds[n].quad for n in free], [new.codes[n] for n in free])):
            track = self._tracks[within[a]]
            # while the camera itself moves, what lies elsewhere was not moved by anybody
            track.votes, track.seen, track.missed, track.moved = Votes(finds[free[b]]), time, 0.0, not moving
            matched.add(within[a])
            taken.add(free[b])
        gone = [self._tracks[n] for n in within if n not in matched]
        for track in gone if moving else self._overlooked(image, gone, time):
            track.missed += 0.5 if moving else 1.0
        self._drop(time)
        self._add([finds[n] for n in free if n not in taken], time, sure=not moving, busy=busy)
        self._origins(time, busy)
        self._judge(image, time)
        return True

    def _overlooked(self, image: Image, tracks: Sequence[Track], time: float) -> list[Track]:
        """Those of these, which were not found, that are not there."""
        there = self._still_read(image, [track for track in tracks if track.missed < MISSED])
        for track, look in there:
            track.found(look, time)
        return [track for track in tracks if not any(track is one for one, _ in there)]

    def _still_read(self, image: Image, tracks: Sequence[Track]) -> list[tuple[Track, Reading]]:
        """Those of which the same face is read for sure where they lie, without locating anything: a piece that is
        there may not be located. And the look at each."""
        looks = [look for look in self._reader.look(image, [track.votes.reading.spot for track in tracks])
                 if look.best[0] != UNKNOWN and look.best[1] >= SURE]
        pairs = in_place(self._lying(tracks), _read_at(looks))
        return [(tracks[a], looks[b]) for a, b in pairs if tracks[a].code == looks[b].best[0]]

    def _placed(self, image: Image, finds: Sequence[Reading], time: float, moving: bool) -> bool:
        """Are the pieces where they were, or all moved alike? They are carried along. False where neither."""
        shown = [track for track in self._tracks if track.shown]
        old, new = self._lying(shown), _read_at(finds)
        there = {a for a, b in in_place(old, new) if old.codes[a] == new.codes[b]}
        if not moving and 2 * len(there) < len(shown):
            unseen = [n for n in range(len(shown)) if n not in there]
            found = [track for track, _ in self._still_read(image, [shown[n] for n in unseen])]
            there |= {n for n in unseen if any(shown[n] is track for track in found)}
        if 2 * len(there) >= len(shown):
            self._adrift = 0
            return True
        transform = common_movement(old, new)
        if transform is None and len(shown) >= 3:
            self._adrift += 1
            if self._adrift == 1:
                self._events.append(Event("looking", -1, time))
            if moving or self._adrift < 3:
                return False
            # it rests, and nothing of it is known: this is another table
            self._gone = []
            for track in self._tracks:
                track.missed = MISSED
            self._drop(time)
        self._adrift = 0
        if transform is not None:
            self._carry_along(transform, time)
        return True

    def _bump(self, finds: Sequence[Reading], time: float, area: Cells | None) -> bool:
        """On a table that shows nothing, a bumped camera changes the pieces' places alone. True where it did."""
        there = [track for track in self._tracks if track.shown and self._inside(track.quad, area)]
        if len(there) < 3 or 2 * len(there) < len(self._tracks):
            return False
        old, new = self._lying(there), _read_at(finds)
        if 2 * sum(old.codes[a] == new.codes[b] for a, b in in_place(old, new)) >= len(there):
            return False
        transform = common_movement(old, new)
        if transform is not None:
            self._carry_along(transform, time)
        return transform is not None

    def _carry_along(self, transform: Floats, time: float) -> None:
        for track in self._tracks:
            track.votes.moved(transform)
        self._gone = [replace(gone, quad=carry(gone.quad, transform)) for gone in self._gone]
        if not self._bumped:
            self._events.append(Event("bump", -1, time))
            self._bumped = True

    def _peek(self, image: Image, time: float, area: Cells, stir: Stir) -> None:
        """Something large came in over the border and rests: a hand, a row of pieces, or other light. Only what is
        surely a piece counts, and nothing there is held for gone. Where it hides no piece it is part of the table;
        so it is where all pieces lie elsewhere now, for the camera was bumped."""
        assert self._motion is not None
        self._readings += 1
        self._last = time
        finds = [
            find for find in self._finds(image, area)
            if find.spot.score >= SURE_SPOT[find.kind] and find.best[1] >= SURE
            and find.best[0] != UNKNOWN and self._inside(find.quad, area)
            and not self._motion.touches(stir.busy & ~area, find.quad)
        ]
        if self._bump(finds, time, area):
            self._take_in(image, time, area, stir, fresh=False)
            return
        known = self._lying(self._tracks)
        new = _read_at(finds)
        placed = in_place(known, new)
        for a, b in placed:
            track = self._tracks[a]
            if not track.shown and track.code == new.codes[b]:
                track.votes.add(finds[b])
                track.shown, track.seen = True, time
        self._add([find for n, find in enumerate(finds) if n not in {b for _, b in placed}], time, sure=False)
        self._judge(image, time)
        seen = {a for a, b in placed if known.codes[a] == new.codes[b]}
        if not any(self._inside(quad, area) and n not in seen for n, quad in enumerate(known.quads)):
            self._motion.settle(area)
            self._plan(time, area)

    def _look_again(self, image: Image, time: float) -> None:
        """One more look at what is doubtful, where it lies, without locating anything."""
        self._last = time
        asked = {self._ids[n] for n, piece in enumerate(self._scene_now.pieces) if piece.asked}
        tracks = [track for track in self._tracks if track.piece in asked]
        looks = self._reader.look(image, [track.votes.reading.spot for track in tracks])
        for a, b in in_place(self._lying(tracks), _read_at(looks)):
            tracks[a].votes.add(looks[b])
        self._judge(image, time)

    # --- pieces ---

    def _lying(self, tracks: Sequence[Track]) -> Lying:
        return lying([track.quad for track in tracks], [track.code for track in tracks])

    def _inside(self, quad: Floats, area: Cells | None) -> bool:
        return area is None or (self._motion is not None and self._motion.touches(area, quad))

    def _drop(self, time: float) -> None:
        """Forget what was missed too often, but not who it was."""
        self._gone = [gone for gone in self._gone if time - gone.time < GONE]
        pieces = {track.piece for track in self._tracks if track.missed < MISSED}
        for track in self._tracks:
            if track.missed >= MISSED and track.piece >= 0 and track.piece not in pieces:
                self._gone.append(Gone(track.piece, track.code, track.quad, time))
        self._tracks = [track for track in self._tracks if track.missed < MISSED]

    def _origins(self, time: float, busy: Cells) -> bool:
        """Was it moved from where a hand hid it, or is it one more of its face? Whether any of that is clear now."""
        assert self._motion is not None
        clear = False
        for track in self._tracks:
            origin = track.origin
            if origin is None:
                continue
            if origin not in self._tracks:
                gone = next((gone for gone in self._gone if gone.piece == origin.piece), None)
                if gone is not None:
                    self._gone.remove(gone)
                    track.piece, track.moved = gone.piece, True
            # where nothing hides it and the picture is as it was read, it still lies there
            elif (origin.missed or self._motion.touches(busy, origin.quad)) and time - track.born < ORIGIN:
                continue
            track.origin, track.shown, clear = None, True, True
        return clear

    def _add(self, finds: Sequence[Reading], time: float, *, sure: bool, busy: Cells | None = None) -> None:
        """Take in finds that are of no known piece; shown at once where the find is a good one."""
        for find in finds:
            size = find.spot.long_side
            if any(
                float(np.hypot(*(track.quad.mean(axis=0) - find.quad.mean(axis=0)))) < size
                and not track.missed
                and geometry.shared_area(track.quad, find.quad) > SAME_PIECE * geometry.area(find.quad)
                for track in self._tracks
            ):
                continue
            code = find.best[0]
            shown = sure and good(find, code)
            track = Track(Votes(find), time, shown=shown, born=time)
            track.origin = self._hidden_like(find, code, busy) if shown else None
            track.shown = shown and track.origin is None
            back = [gone for gone in self._gone if gone.code == code != UNKNOWN]
            if back:
                away = [float(np.hypot(*(gone.quad - find.quad).mean(axis=0))) for gone in back]
                gone = back[int(np.argmin(away))]
                self._gone.remove(gone)
                track.piece, track.moved = gone.piece, min(away) > NEAR * size
            self._tracks.append(track)

    def _hidden_like(self, find: Reading, code: str, busy: Cells | None) -> Track | None:
        """A piece of this face that something hides, or that was just missed; the nearest."""
        motion = self._motion
        if motion is None or busy is None or code in (BACK, UNKNOWN):
            return None
        alike = [
            track for track in self._tracks
            if track.shown and track.code == code and (track.missed or motion.touches(busy, track.quad))
        ]
        return min(alike, key=lambda track: float(np.hypot(*(track.quad - find.quad).mean(axis=0))), default=None)

    def _judge(self, image: Image, time: float) -> None:
        """All that is known, judged together; what that changes are the events."""
        shown = [track for track in self._tracks if track.shown]
        judged = self._reader.judge(image, [track.votes.reading for track in shown], copies=self._copies)
        before = dict(zip(self._ids, self._scene.pieces, strict=True)) if self._scene else {}
        used: set[int] = set()
        ids: list[int] = []
        for members in judged.members:
            known = sorted({shown[m].piece for m in members} - used - {-1})
            if known:
                number = known[0]
            else:
                number, self._next = self._next, self._next + 1
            used.add(number)
            ids.append(number)
            # an index of a card that stayed where it was says that the card did
            moved = any(shown[m].moved for m in members) and not any(
                shown[m].piece == number and not shown[m].moved for m in members
            )
            for m in members:
                shown[m].piece, shown[m].moved = number, False
            piece = before.get(number)
            if moved:
                self._events.append(Event("moved", number, time))
            elif piece is None:
                self._events.append(Event("new", number, time))
            if piece is not None and piece.code != judged.scene.pieces[len(ids) - 1].code:
                self._events.append(Event("read", number, time))
        self._events += [Event("lost", number, time) for number in before if number not in used]
        self._scene, self._ids = judged.scene, tuple(ids)


def _read_at(looks: Sequence[Reading]) -> Lying:
    """What these looks saw, and where."""
    return lying([look.quad for look in looks], [look.best[0] for look in looks])
