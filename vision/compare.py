"""One photo read against its label: what was found, right, wrong, asked about, and the taps to put it right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import cv2
import numpy as np

from vision.flatten import Floats
from vision.geometry import area, overlap
from vision.scene import BACK, UNKNOWN, Piece, Quad, Scene

FOUND = 0.5
"""Overlap (intersection over union) from which a labelled piece counts as located."""
SKEWED = 0.8
"""Share of its least-area rectangle that a labelled polygon fills, under which it is held against by itself."""


class LabelError(ValueError):
    """A label that is none of the kinds of photos/README.md. The message is a sentence for a person."""


@dataclass(frozen=True)
class Wrong:
    """One edit that a person needs to make: change a reading, add a missing piece, remove a false one."""

    edit: Literal["change", "add", "remove"]
    want: str | None
    got: str | None
    p: float | None = None
    asked: bool = False
    quad: Quad | None = None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"edit": self.edit, "want": self.want, "got": self.got, "p": self.p, "asked": self.asked,
                "quad": [list(point) for point in self.quad] if self.quad else None}


@dataclass
class Compared:
    """What one photo adds to the figures. Counts are of pieces; None where the label can't tell."""

    pieces: int = 0
    found: int = 0
    right: int = 0
    false_finds: int = 0
    exact: bool = False
    rows: tuple[int, int] | None = None
    """Labelled groups found as one row in order, and all labelled groups."""
    asked: int = 0
    wrong: list[Wrong] = field(default_factory=list)
    certainties: list[tuple[float, bool]] = field(default_factory=list)
    """(p, right) of each located piece."""
    indices: tuple[int, int, int] | None = None
    """Card indices labelled, found, right."""
    confused: list[tuple[str, str]] = field(default_factory=list)
    """(labelled, read) of located pieces read wrong."""

    @property
    def taps(self) -> int:
        """Edits to make the reading right."""
        return len(self.wrong)

    @property
    def silent(self) -> int:
        """Wrong, missing or invented pieces that nobody was asked about."""
        return sum(1 for wrong in self.wrong if not wrong.asked)


@dataclass(frozen=True)
class _Find:
    """A find to match: its quad and code, and the piece it belongs to."""

    quad: Quad
    code: str
    piece: Piece
    number: int


def compare(label: Mapping[str, Any], groups: Mapping[str, Any] | None, scene: Scene) -> Compared:
    """Judge a Scene by its label (a line of labels.jsonl) and, where there is one, its line of groups.jsonl.

    Raises LabelError.
    """
    if "groups" in label:
        result = _by_groups(label, scene)
    elif isinstance(label.get("pieces"), list):
        pieces = label["pieces"]
        if (pieces and all("polygon" in piece for piece in pieces)) or not pieces:
            result = _by_polygons(label, groups, scene)
        elif all("box" in piece for piece in pieces):
            result = _by_indices(label, scene)
        elif all("card_box" in piece for piece in pieces):
            result = _by_cards(label, scene)
        else:
            raise LabelError(f"The pieces of {label.get('image')} need a polygon, a box or a card_box each.")
    else:
        raise LabelError(f"The label of {label.get('image')} has neither pieces nor groups.")
    result.asked = sum(piece.asked for piece in scene.pieces)
    result.exact = not result.wrong
    return result


def same(want: str, got: str) -> bool:
    """Whether a reading is what the label says; '?' in a label matches anything."""
    return want in (got, UNKNOWN)


def match(wanted: Sequence[Floats], found: Sequence[Floats], least: float = FOUND) -> dict[int, int]:
    """Which find covers which labelled quad, best overlap first: labelled -> found."""
    pairs = []
    for i, one in enumerate(wanted):
        low, high = one.min(axis=0), one.max(axis=0)
        for j, two in enumerate(found):
            if (two.max(axis=0) < low).any() or (two.min(axis=0) > high).any():
                continue
            share = overlap(one, two)
            if share >= least:
                pairs.append((share, i, j))
    result: dict[int, int] = {}
    taken: set[int] = set()
    for _, i, j in sorted(pairs, reverse=True):
        if i not in result and j not in taken:
            result[i] = j
            taken.add(j)
    return result


def rectangle(polygon: Sequence[Sequence[float]]) -> Floats:
    """The least-area rectangle of a labelled polygon (4, 2), as photos/README.md says."""
    return np.asarray(cv2.boxPoints(cv2.minAreaRect(np.asarray(polygon, np.float32))), np.float64)


def outline(polygon: Sequence[Sequence[float]]) -> Floats:
    """What a find is held against (k, 2): the least-area rectangle, or the polygon itself where it fills little of it,
    as a tile seen from low down does: its rectangle would then be half table."""
    hull = cv2.convexHull(np.asarray(polygon, np.float32))[:, 0]
    whole = rectangle(polygon)
    return np.asarray(hull, np.float64) if area(hull) < SKEWED * area(whole) else whole


def _judge(result: Compared, wanted: Sequence[tuple[str, Quad]], finds: Sequence[_Find],
           pairs: Mapping[int, int]) -> None:
    """Enter labelled pieces, their finds and what is left over into the result."""
    result.pieces += len(wanted)
    for n, (code, quad) in enumerate(wanted):
        if n not in pairs:
            result.wrong.append(Wrong("add", code, None, quad=quad))
            continue
        find = finds[pairs[n]]
        good = same(code, find.code)
        result.found += 1
        result.right += good
        if code != UNKNOWN:
            result.certainties.append((find.piece.p, good))
        if not good:
            result.confused.append((code, find.code))
            result.wrong.append(Wrong("change", code, find.code, find.piece.p, find.piece.asked, find.quad))
    for m, find in enumerate(finds):
        if m not in pairs.values():
            result.false_finds += 1
            result.wrong.append(Wrong("remove", None, find.code, find.piece.p, find.piece.asked, find.quad))


def _by_polygons(label: Mapping[str, Any], groups: Mapping[str, Any] | None, scene: Scene) -> Compared:
    result = Compared()
    wanted = [(str(piece["code"]), rectangle(piece["polygon"])) for piece in label["pieces"]]
    finds = [_Find(piece.quad, piece.code, piece, n) for n, piece in enumerate(scene.pieces)]
    outlines = [outline(piece["polygon"]) for piece in label["pieces"]]
    pairs = match(outlines, [np.array(find.quad) for find in finds])
    _judge(result, [(code, _as_quad(quad)) for code, quad in wanted], finds, pairs)
    if groups is not None and label.get("grouping") != "uncertain":
        rows = {row.pieces for row in scene.rows}
        maybe = [tuple(group) for group in groups.get("maybe", [])]
        allowed = {tuple(pairs.get(n, -1) for n in group) for group in maybe}
        loners = {n for group in maybe if tuple(pairs.get(n, -1) for n in group) in rows & allowed for n in group}
        good = 0
        for group in groups["groups"]:
            row = tuple(pairs.get(n, -1) for n in group)
            good += row in rows or (len(group) == 1 and group[0] in loners)
        result.rows = (good, len(groups["groups"]))
    return result


def _by_indices(label: Mapping[str, Any], scene: Scene) -> Compared:
    """Corner indices are matched by box; the cards themselves, each counted once, decide exact and taps."""
    codes = [str(piece["code"]) for piece in label["pieces"]]
    boxes = [_box(piece["box"]) for piece in label["pieces"]]
    backs_labelled = BACK in codes
    finds: list[_Find] = []
    for n, piece in enumerate(scene.pieces):
        if piece.code != BACK or backs_labelled:
            finds.extend(_Find(quad, piece.code, piece, n) for quad in piece.indices or (piece.quad,))
    pairs = match(boxes, [_box(_bounds(find.quad)) for find in finds])
    by_index = Compared()
    _judge(by_index, [(code, _as_quad(box)) for code, box in zip(codes, boxes, strict=True)], finds, pairs)
    result = Compared(by_index.pieces, by_index.found, by_index.right, by_index.false_finds)
    result.certainties, result.confused = by_index.certainties, by_index.confused
    result.indices = (by_index.pieces, by_index.found, by_index.right)
    # a card shows up to two indices
    cards = Counter({code: (count + 1) // 2 for code, count in Counter(codes).items()})
    seen = [piece for piece in scene.pieces if piece.code != BACK or backs_labelled]
    result.wrong = _edits(cards, seen, by_index.wrong)
    return result


def _by_cards(label: Mapping[str, Any], scene: Scene) -> Compared:
    """Whole cards by rank: a piece belongs to the box that its index lies in."""
    result = Compared()
    boxes = [piece["card_box"] for piece in label["pieces"]]
    ranks = [str(piece["rank"]) for piece in label["pieces"]]
    finds = [_Find(piece.quad, _rank(piece.code), piece, n) for n, piece in enumerate(scene.pieces)
             if piece.code != BACK]
    pairs: dict[int, int] = {}
    for m in sorted(range(len(finds)), key=lambda m: -finds[m].piece.p):
        x, y = np.mean(finds[m].quad, axis=0)
        inside = [n for n, (x1, y1, x2, y2) in enumerate(boxes) if x1 <= x <= x2 and y1 <= y <= y2 and n not in pairs]
        # boxes of neighbours overlap: the one with the same rank first, then the nearest corner
        inside.sort(key=lambda n: (not same(ranks[n], finds[m].code), _corner_distance(boxes[n], float(x), float(y))))
        if inside:
            pairs[inside[0]] = m
    _judge(result, [(rank, _as_quad(_box(box))) for rank, box in zip(ranks, boxes, strict=True)], finds, pairs)
    return result


def _by_groups(label: Mapping[str, Any], scene: Scene) -> Compared:
    """Pieces as a multiset, rows in order; what is cut by the border is neither asked for nor counted as false."""
    result = Compared()
    wanted = Counter(str(code) for group in label["groups"] for code in group)
    cut = Counter(str(code) for code in label.get("cut", []))
    pieces = list(scene.pieces)
    named = Counter({code: count for code, count in wanted.items() if code != UNKNOWN})
    left = list(range(len(pieces)))
    rightly: dict[int, str] = {}
    for n in sorted(left, key=lambda n: ("cut" in pieces[n].flags, -pieces[n].p)):
        if named[pieces[n].code] > 0:
            named[pieces[n].code] -= 1
            rightly[n] = pieces[n].code
    left = [n for n in left if n not in rightly]
    # then what the border cuts: by name, and where the label could not read it, the pieces nearest the border
    for n in sorted(left, key=lambda n: _margin(pieces[n].quad, scene)):
        for code in (pieces[n].code, UNKNOWN):
            if cut[code] > 0 and (code != UNKNOWN or len(left) > sum(named.values()) + wanted[UNKNOWN]):
                cut[code] -= 1
                left.remove(n)
                break
    for n in list(left)[: wanted[UNKNOWN]]:
        rightly[n] = UNKNOWN
        left.remove(n)
    missing = sorted(named.elements())
    missing += [UNKNOWN] * (wanted[UNKNOWN] - sum(1 for code in rightly.values() if code == UNKNOWN))
    result.pieces = sum(wanted.values())
    result.right = len(rightly)
    result.certainties = [(pieces[n].p, True) for n, code in rightly.items() if code != UNKNOWN]
    changed = _nearest(missing, [pieces[n].code for n in left])
    result.found = len(rightly) + len(changed)
    result.false_finds = len(left) - len(changed)
    for i, j in changed.items():
        piece = pieces[left[j]]
        result.certainties.append((piece.p, False))
        result.confused.append((missing[i], piece.code))
        result.wrong.append(Wrong("change", missing[i], piece.code, piece.p, piece.asked, piece.quad))
    result.wrong += [Wrong("add", code, None) for i, code in enumerate(missing) if i not in changed]
    for j, n in enumerate(left):
        if j not in changed.values():
            result.wrong.append(_remove(pieces[n]))
    if label.get("grouping") != "uncertain":
        ignored = set(range(len(pieces))) - set(rightly) - set(left)
        rows = [tuple(pieces[n].code for n in row.pieces if n not in ignored) for row in scene.rows]
        good = 0
        for group in sorted(label["groups"], key=lambda group: group.count(UNKNOWN)):
            fits = [row for row in rows if len(row) == len(group) and all(map(same, group, row))]
            if fits:
                rows.remove(fits[0])
                good += 1
        result.rows = (good, len(label["groups"]))
    return result


def _edits(wanted: Counter[str], pieces: Sequence[Piece], places: Iterable[Wrong]) -> list[Wrong]:
    """The edits that turn the pieces read into the multiset wanted."""
    missing = wanted - Counter(piece.code for piece in pieces)
    spare: list[Piece] = []
    count = Counter(wanted)
    for piece in sorted(pieces, key=lambda piece: -piece.p):
        if count[piece.code] > 0:
            count[piece.code] -= 1
        else:
            spare.append(piece)
    codes = sorted(missing.elements())
    changed = _nearest(codes, [piece.code for piece in spare])
    where = {wrong.want: wrong.quad for wrong in places if wrong.edit == "add"}
    wrongs = [Wrong("change", codes[i], spare[j].code, spare[j].p, spare[j].asked, spare[j].quad)
              for i, j in changed.items()]
    wrongs += [Wrong("add", code, None, quad=where.get(code)) for i, code in enumerate(codes) if i not in changed]
    return wrongs + [_remove(piece) for j, piece in enumerate(spare) if j not in changed.values()]


def _remove(piece: Piece) -> Wrong:
    return Wrong("remove", None, piece.code, piece.p, piece.asked, piece.quad)


def _nearest(wanted: Sequence[str], got: Sequence[str]) -> dict[int, int]:
    """Pair missing codes with spare ones, likest first: one change stands for an add and a removal."""
    pairs = sorted((-len(set(want) & set(code)), i, j) for i, want in enumerate(wanted) for j, code in enumerate(got))
    result: dict[int, int] = {}
    for _, i, j in pairs:
        if i not in result and j not in result.values():
            result[i] = j
    return result


def _rank(code: str) -> str:
    return code if code in ("*", BACK, UNKNOWN) else code[:-1]


def _bounds(quad: Quad) -> tuple[float, float, float, float]:
    xs, ys = [x for x, _ in quad], [y for _, y in quad]
    return min(xs), min(ys), max(xs), max(ys)


def _box(box: Sequence[float]) -> Floats:
    x1, y1, x2, y2 = box
    return np.array([[x1, y1], [x2, y1], [x2, y2], [x1, y2]], np.float64)


def _corner_distance(box: Sequence[float], x: float, y: float) -> float:
    x1, y1, x2, y2 = box
    return min(abs(x - x1), abs(x - x2)) + min(abs(y - y1), abs(y - y2))


def _margin(quad: Quad, scene: Scene) -> float:
    x1, y1, x2, y2 = _bounds(quad)
    return min(x1, y1, scene.width - x2, scene.height - y2)


def _as_quad(corners: Floats) -> Quad:
    first, second, third, fourth = ((float(x), float(y)) for x, y in corners)
    return (first, second, third, fourth)
