"""Judge all pieces of one photo together: way up along rows, inks, copies. Cards: `vision.settle_cards`.

Each step moves probabilities only on evidence from the photo itself and says so in the piece (`settled`). Nothing here
knows a game: legality is `companion.table`'s to weigh.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.corners import AGREE
from vision.flatten import Floats, Image
from vision.geometry import area, shared_area
from vision.identify import COLOURS, NUMBERS, Reading
from vision.inks import ink, judge, torn
from vision.scene import BACK, UNKNOWN, Kind

ASK_BELOW = 0.95
"""Calibrated probability under which a person is asked."""
ALTERNATIVE = 0.01
"""Least probability of an alternative that is worth naming."""
COPIES = 2
"""Tiles of one face in a 106-tile set, and cards of one face in two packs."""
ROW_WEIGHT = 20.0
"""Likelihood ratio by which a row of sure, equally turned tiles counts for a doubtful neighbour's way up."""
SURE_UP = 0.95
"""Probability from which a tile's way up is sure."""
PART, PART_OF = 0.6, 0.7
"""A reading less sure than PART_OF with this share of it on a surer piece is a part of that piece."""
CROSSED, SURE_INDEX, OUTWEIGHED = 0.4, 0.9, 0.8
"""Share of the smaller of two card indices under the other from which only one is there, if that one is read so surely
and the product of the other's score and probability is less than so much of its own."""
BELIEF: dict[Kind, float] = {"tile": 0.14, "card": 0.2}
"""Product of the locator's score and the best face's probability under which a find is none."""
WORD = 0.25
"""The same for a card's joker: any printed word looks like the one in its corner."""
GAP = 0.55
"""Brightness of a back, in that of the photo's faces, under which it is no tile."""
ODD, ODD_SPREADS, ALIKE = 14.0, 3.0, 3
"""Distance of a back's colour from the bodies of the photo's faces (CIE Lab, lightness counted half; and in their own
spreads) from which it is in doubt, unless so many backs look like it: then the set's backs are of that colour."""
SPOT, SURE_THROUGH = 0.1, 0.995
"""Share of a crop under glare, three times that of the photo's other tiles, from which a tile less sure is in doubt."""
LOCATED = 0.35
"""Locator score under which a find that can't be read is dropped as no piece."""
NOTHING, SEEN = 0.9, 0.6
"""Probability of being unreadable from which a card index has to have such a score, for the reader of cards learnt
what is none: pips, words, drawings. Of nine so dropped on rendered tables of decks never seen eight are none."""


@dataclass(frozen=True, eq=False)
class Settled:
    """A piece after judging the photo: `faces` best first, the indices of a card (positions in the readings), why
    it changed, and whether to ask."""

    reading: Reading
    faces: tuple[tuple[str, float], ...]
    members: tuple[int, ...]
    settled: str = ""
    asked: bool = False

    @property
    def code(self) -> str:
        """The best face."""
        return self.faces[0][0]

    @property
    def p(self) -> float:
        """Its probability."""
        return self.faces[0][1]


def keep(readings: Sequence[Reading]) -> list[Reading]:
    """Without the finds that are no pieces: a weak find that reads as nothing, a second find of the same face in the
    same place, a doubtful reading of a part of another piece (the half of a tile that carries the maker's word), a far
    weaker card index across a sure one, and a "back" far darker than every tile beside it (the gap between two tiles,
    the slot of a rack)."""
    bests = [r.best for r in readings]
    areas = [area(r.quad) for r in readings]
    faces = [r for r, (face, _) in zip(readings, bests, strict=True) if face not in (BACK, UNKNOWN)]
    dim = {n for n, r in enumerate(readings) if bests[n][0] == BACK and not r.face_down}
    # crops are measured only where a back may be a gap
    usual = float(np.median([_light(r) for r in faces])) if dim and faces else 0.0
    centres = np.array([r.quad.mean(axis=0) for r in readings]).reshape(-1, 2)
    away = np.hypot(*(centres[:, None] - centres[None]).transpose(2, 0, 1))
    kept = []
    for n, (reading, (face, p)) in enumerate(zip(readings, bests, strict=True)):
        if reading.spot.between:  # what it is does not matter: it is asked about
            kept.append(reading)
            continue
        if face == UNKNOWN and reading.spot.score < (SEEN if reading.kind == "card" and p >= NOTHING else LOCATED):
            continue
        if reading.spot.score * p < (WORD if reading.kind == "card" and face == "*" else BELIEF[reading.kind]):
            continue
        doubtful = p < PART_OF or face in (UNKNOWN, BACK) or reading.agreement < AGREE
        if any(
            m != n and (most := _part_from(readings[m], bests[m], reading, bests[n], doubtful, (areas[m], areas[n])))
            and shared_area(reading.quad, readings[m].quad) > most
            for m in np.flatnonzero(away[n] < reading.spot.long_side).tolist()
        ):
            continue
        if n in dim and _light(reading) < GAP * usual:
            continue
        kept.append(reading)
    return kept


def _light(reading: Reading) -> float:
    """How bright a crop is in the middle of its values, 0 to 255."""
    return float(np.median(reading.crop))


def _part_from(other: Reading, its: tuple[str, float], reading: Reading, mine: tuple[str, float], doubtful: bool,
               areas: tuple[float, float]) -> float:
    """The area on the other from which this one of two readings is a part of it and no piece; 0 where it may be one.

    `its`, `mine`: face and probability of either; `areas`: of the other and of this one.
    """
    least = max(min(areas), 1e-6)
    if its[0] == UNKNOWN:
        return 0.0
    if _outweighed(reading, mine, other, its):
        return CROSSED * least
    same = its[0] == mine[0]
    surer = its[1] > mine[1] or (other.agreement >= AGREE > reading.agreement and its[1] > PART_OF)
    if (same and reading.spot.score < other.spot.score) or (doubtful and surer):
        return PART * (least if same else max(areas[1], 1e-6))
    return 0.0


def _outweighed(reading: Reading, mine: tuple[str, float], other: Reading, its: tuple[str, float]) -> bool:
    """Is a card's index far less believed in than another that is sure? No two indices lie in one place: one of them is
    a rank taken upside down, with the blank or the suit beside it."""
    if reading.spot.kind != "card_index" or its[0] in (BACK, UNKNOWN, "*") or its[1] < SURE_INDEX:
        return False
    return reading.spot.score * (mine[1] if mine[0] != UNKNOWN else 0.0) < OUTWEIGHED * other.spot.score * its[1]


def odd_backs(readings: Sequence[Reading]) -> list[int]:
    """The backs that are of another colour than the bodies of all faces: a bare stretch of a rack, a patch of cloth."""
    bests = [r.best[0] for r in readings]
    faces = [n for n, best in enumerate(bests) if best not in (BACK, UNKNOWN) and not readings[n].face_down]
    backs = [n for n, best in enumerate(bests) if best == BACK]
    if not backs or len(faces) < 2:
        return []
    colours = np.array([_body(r.crop) for r in readings])
    usual = np.median(colours[faces], axis=0)
    spread = float(np.median(np.linalg.norm(colours[faces] - usual, axis=1)))
    limit = max(ODD, ODD_SPREADS * spread)
    odd = [n for n in backs if float(np.linalg.norm(colours[n] - usual)) > limit]
    alike = [sum(float(np.linalg.norm(colours[n] - colours[m])) < ODD for m in odd) for n in odd]
    return [n for n, count in zip(odd, alike, strict=True) if count < ALIKE]


def _body(crop: Image) -> Floats:
    """The colour (3,) of the lighter half of a crop, which is the body: CIE Lab with lightness counted half."""
    h, w = crop.shape[:2]
    lab = cv2.cvtColor(crop[h // 8 : h * 7 // 8, w // 8 : w * 7 // 8].astype(np.float32) / 255, cv2.COLOR_BGR2Lab)
    flat = lab.reshape(-1, 3)
    lighter = flat[flat[:, 0] >= np.median(flat[:, 0])]
    return np.asarray(np.median(lighter, axis=0) * (0.5, 1.0, 1.0), np.float64)


def settle_tiles(readings: Sequence[Reading], chains: Sequence[Sequence[int]], copies: int = COPIES,
                 odd: Sequence[int] = ()) -> list[Settled]:
    """Judge the tiles of one photo; `chains`: rows as `tile_rows` gives them over the same indices; `odd`: the
    `odd_backs` among them."""
    whys: list[list[str]] = [[] for _ in readings]
    asks = [False] * len(readings)
    for n in odd:
        whys[n].append("of another colour than the other tiles")
        asks[n] = True
    turned = _way_up(readings, chains, whys)
    coloured = _inks(turned, whys, asks)
    settled = [
        Settled(reading, ordered(reading.faces), (n,), "; ".join(whys[n]), asks[n])
        for n, reading in enumerate(coloured)
    ]
    settled = [_hidden(piece) if piece.reading.spot.between else piece for piece in settled]
    return [doubted(piece) for piece in limited(settled, copies)]


def under_glare(pieces: Sequence[Settled], burnt: Sequence[float]) -> list[Settled]:
    """A tile with a spot of glare where others have none is asked about unless it is very sure: half an 8 is a 3.

    `burnt`: the share of each reading's crop that light has washed out, as `photo.burnt` gives it.
    """
    if not burnt or float(np.median(burnt)) > SPOT / 3:
        return list(pieces)
    return [
        _asked(piece, "a spot of glare lies on it")
        if piece.p < SURE_THROUGH and max(burnt[n] for n in piece.members) > SPOT else piece
        for piece in pieces
    ]


def ordered(faces: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    """Faces, the likeliest first."""
    return tuple(sorted(faces.items(), key=lambda face: -face[1]))


def _hidden(piece: Settled) -> Settled:
    """What lies in the gap of a row and is hardly seen: unknown, unless it is likelier one face than all others."""
    if piece.p >= 0.5 and (piece.code != BACK or piece.reading.spot.score >= LOCATED):
        return piece
    rest = tuple((face, p / 2) for face, p in piece.faces if face not in (UNKNOWN, BACK))
    unknown = 1 - sum(p for _, p in rest)
    why = "something lies where a tile is missing in the row"
    return replace(piece, faces=((UNKNOWN, unknown), *rest), settled="; ".join(filter(None, [piece.settled, why])))


def _way_up(readings: Sequence[Reading], chains: Sequence[Sequence[int]], whys: list[list[str]]) -> list[Reading]:
    """A tile whose way up is doubtful stands as its sure neighbours do."""
    result = list(readings)
    for chain in chains:
        for n in chain:
            reading = readings[n]
            others = [m for m in chain if m != n and readings[m].upright >= SURE_UP and not readings[m].face_down]
            if len(reading.hypotheses) < 2 or len(others) < 2:
                continue
            common = np.mean([_down(readings[m].quad) for m in others], axis=0)
            if float(np.hypot(*common)) < 0.8:  # the neighbours themselves are of two minds
                continue
            fresh = reading.weighed(
                [h.weight * (ROW_WEIGHT if float(_down(h.quad) @ common) > 0.5 else 1.0) for h in reading.hypotheses]
            )
            if fresh.best[0] != reading.best[0]:
                whys[n].append("turned as its row stands")
            result[n] = fresh
    return result


def _down(quad: Floats) -> Floats:
    """The unit vector from a quad's own top to its bottom."""
    down = quad[2] + quad[3] - quad[0] - quad[1]
    return np.asarray(down / max(float(np.hypot(*down)), 1e-9), np.float64)


def _inks(readings: Sequence[Reading], whys: list[list[str]], asks: list[bool]) -> list[Reading]:
    """Inks relative to the bodies and to the other tiles' inks; a colour that looks like two is asked about."""
    numbered = [
        n for n, r in enumerate(readings)
        if not r.face_down and float(r.rank[:NUMBERS].sum()) > 0.5
    ]
    inks = ink(np.stack([readings[n].crop for n in numbered])) if numbered else []
    colours = [readings[n].colour for n in numbered]
    judged = judge(inks, colours)
    result = list(readings)
    for n, before, after in zip(numbered, colours, judged, strict=True):
        if not after.changed:
            continue
        result[n] = readings[n].coloured(after.colour)
        if int(after.colour.argmax()) != int(before.argmax()):
            whys[n].append(f"its ink is that of the other {COLOURS['tile'][int(after.colour.argmax())]} tiles")
            asks[n] = True
    for place in torn(inks, [judgement.colour for judgement in judged]):
        n = numbered[place]
        if float(result[n].colour.max()) < 0.999:
            whys[n].append("its ink differs from that of the other tiles read as this colour")
            asks[n] = True
    return result


def limited(pieces: Sequence[Settled], copies: int) -> list[Settled]:
    """More copies of a face than the set holds: the least sure of them are wrong, or doubtful.

    Where they are two more, it is the face that is misread, as where an odd print makes every number look like a
    joker: all are asked about.
    """
    seen = Counter(piece.code for piece in pieces if piece.code not in (BACK, UNKNOWN))
    result = [
        _asked(piece, f"{seen[piece.code]} of {piece.code} seen") if seen[piece.code] > copies + 1 else piece
        for piece in pieces
    ]
    count: dict[str, int] = {}
    for n in sorted(range(len(pieces)), key=lambda n: -pieces[n].p):
        if result[n].code not in (BACK, UNKNOWN) and count.get(result[n].code, 0) >= copies:
            result[n] = _not_another(result[n], copies, count)
        count[result[n].code] = count.get(result[n].code, 0) + 1
    return result


def _not_another(piece: Settled, copies: int, count: dict[str, int]) -> Settled:
    """The same piece, with the probability of every face that is used up halved, and asked about.

    Halved: of the copies seen one is misread, and the least sure is the likeliest, but not the only candidate.
    """
    faces = {face: p * (0.5 if count.get(face, 0) >= copies else 1.0) for face, p in piece.faces if face != UNKNOWN}
    ordered = sorted(faces.items(), key=lambda face: -face[1])
    # what was lost goes to "unknown", which stays last: a person is asked about the face that was seen
    ordered.append((UNKNOWN, max(1 - sum(faces.values()), 0.0)))
    return _asked(replace(piece, faces=tuple(ordered)), f"more than {copies} copies of {piece.code} seen")


def _asked(piece: Settled, why: str) -> Settled:
    return replace(piece, settled="; ".join(filter(None, [piece.settled, why])), asked=True)


def doubted(piece: Settled) -> Settled:
    """Raise the question where the reading is doubtful."""
    reading = piece.reading
    doubtful = (
        piece.asked
        or piece.code == UNKNOWN
        or piece.p < ASK_BELOW
        or reading.agreement < AGREE
        or (reading.kind == "tile" and (piece.code == BACK) != reading.face_down)
    )
    return replace(piece, asked=doubtful)
