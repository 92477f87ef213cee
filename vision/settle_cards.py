"""Judge the cards of one photo together: the indices of one card, copies, and which cards lie together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.card_bodies import bodies
from vision.card_frames import frames
from vision.cards import DOUBTFUL, level, together
from vision.flatten import Floats
from vision.geometry import cut
from vision.identify import COLOURS, NUMBERS, RANKS, Reading
from vision.inks import BLACK, RED, WEIGHT, ink, redness
from vision.rows import card_rows, classify, to_rows
from vision.scene import ONE_OR_TWO, UNKNOWN, Row
from vision.settle import ASK_BELOW, COPIES, Settled, doubted, limited, ordered


def settle_cards(readings: Sequence[Reading], copies: int = COPIES) -> list[Settled]:
    """Judge the card indices and backs of one photo: indices of one card become one piece."""
    settled = []
    readings, changed = _inked(readings)
    cards, untold = together(readings)
    drawn = _drawn(readings)
    for members in cards:
        if len(members) == 1 and members[0] in drawn:
            continue
        reading, why, contrary = readings[members[0]], "", False
        if len(members) > 1:
            looks = [readings[n] for n in members]
            reading, why = _joined(looks)
            contrary = len({look.best[0] for look in looks if look.best[1] >= DOUBTFUL}) > 1
        inked = any(n in changed for n in members)
        if inked:
            why = "; ".join(filter(None, [why, "its suit is one of its ink"]))
        faces = ordered(reading.faces)
        joker = faces[0][0] == "*"  # any printed word looks like the one in its corner: half of the lone ones are none
        told = ONE_OR_TWO if untold.intersection(members) else "a joker among cards is always asked about"
        why = "; ".join(filter(None, [why, told])) if joker else why
        settled.append(Settled(reading, faces, members, why, joker or inked or contrary))
    return [doubted(piece) for piece in limited(_letters(settled), copies)]


def strays(pieces: Sequence[Settled], readings: Sequence[Reading], width: int, height: int) -> set[int]:
    """The cards that lie by themselves and of which the picture's border leaves no more than part of an index, which
    isn't read surely: they are not what was photographed. `width`, `height` of the picture in pixels."""
    doubtful = {
        n for n, piece in enumerate(pieces)
        if piece.reading.spot.kind == "card_index" and len(piece.members) == 1
        and (piece.code == UNKNOWN or piece.p < ASK_BELOW) and cut(piece.reading.quad, width, height)
    }  # fmt: skip
    if not doubtful:
        return set()
    return doubtful & {row.pieces[0] for row in rows_of_cards(pieces, readings) if len(row.pieces) == 1}


COURT_SURE, COURT_PIP = 0.9, 0.8
"""Probability from which an index is a court card's, and under which a find beside it may be its drawing."""
WEAK = 0.6
"""Locator score of such a find at most."""
BESIDE = ((0.35, 1.6), (-0.4, 1.6))
"""Where a court card's drawing has its pip: right and below of the index, in its heights."""
PARALLEL = 15.0
"""Degrees by which that pip may be turned against the index."""


def _drawn(readings: Sequence[Reading]) -> set[int]:
    """The weak finds that are pips in the drawing of a jack, queen or king: close beside its index, turned as it is,
    and read as nothing that is sure. The index of a card that lay there would lie on top, in full sight."""
    best = [reading.best for reading in readings]
    index = [reading.spot.kind == "card_index" for reading in readings]
    weak = [
        n for n, (face, p) in enumerate(best)
        if index[n] and readings[n].spot.score < WEAK and (face in (UNKNOWN, "*") or p < COURT_PIP)
    ]  # fmt: skip
    courts = [n for n, (face, p) in enumerate(best) if index[n] and p >= COURT_SURE and face[0] in "JQK"]
    if not weak or not courts:
        return set()
    turned = frames(np.stack([reading.quad for reading in readings]))
    found = set()
    for n in weak:
        for m in courts:
            size = float(np.hypot(*turned[n][:, 1]) * np.hypot(*turned[m][:, 1]))
            if size < 1e-6 or abs(float(turned[n][:, 1] @ turned[m][:, 1])) < np.cos(np.radians(PARALLEL)) * size:
                continue
            away = np.linalg.solve(turned[m], readings[n].quad.mean(axis=0) - readings[m].quad.mean(axis=0))
            if all(low < far < high for far, (low, high) in zip(away, BESIDE, strict=True)):
                found.add(n)
    return found


def _inked(readings: Sequence[Reading]) -> tuple[list[Reading], set[int]]:
    """Suits weighed by the ink: red is no spade and no club, and black no heart and no diamond where the photo shows
    what is red. Also which of the readings got another suit by it.

    True for decks of two and of four colours, whose diamonds are blue or orange and whose clubs are green: neither red
    nor black decides on those.
    """
    result, changed = list(readings), set()
    numbered = [n for n, r in enumerate(readings) if r.spot.kind == "card_index" and r.rank[:NUMBERS].sum() > 0.5]
    values = ink(np.stack([readings[n].crop for n in numbered])) if numbered else []
    red = {n: redness(value) for n, value in zip(numbered, values, strict=True) if value is not None}
    colourful = any(value > RED for value in red.values())
    for n, value in red.items():
        if value > RED:
            unlikely = "SC"
        elif value < BLACK and colourful:
            unlikely = "HD"
        else:
            continue
        fresh = readings[n].colour * [1 / WEIGHT if suit in unlikely else 1.0 for suit in COLOURS["card"]]
        result[n] = readings[n].coloured(np.asarray(fresh / fresh.sum(), np.float64))
        if fresh.argmax() != readings[n].colour.argmax():
            changed.add(n)
    return result, changed


SURE_LETTER = 0.97
"""Probability from which a jack or a queen is told by its own letter."""
LETTER_PAIR = 0.8
"""Probability of jack and queen together from which a card is one of the two."""
LETTER_DOUBT = 0.05
"""Share of the two that the other must have at least for the letter to be in doubt."""
LETTER_WEIGHT = 8.0
"""Likelihood ratio by which the deck's other letters count: a smeared J looks like a V as well."""


def _letters(pieces: Sequence[Settled]) -> list[Settled]:
    """The letter V is the jack of a French deck, beside the dame's D, and the queen of a Dutch one, beside the boer's
    B. A deck has one letter for each: where only one of the two is seen for sure, a card in doubt between them is
    likelier the other, and is asked about."""
    jack, queen = RANKS["card"].index("J"), RANKS["card"].index("Q")
    ranks = [piece.reading.rank for piece in pieces]
    sure = [any(rank[n] >= SURE_LETTER for rank in ranks) for n in (jack, queen)]
    if sure[0] == sure[1]:
        return list(pieces)
    likelier = queen if sure[0] else jack
    result = []
    for piece, rank in zip(pieces, ranks, strict=True):
        both = float(rank[jack] + rank[queen])
        if both < LETTER_PAIR or not LETTER_DOUBT <= float(rank[likelier]) / both <= 1 - LETTER_DOUBT:
            result.append(piece)
            continue
        fresh = rank.copy()
        fresh[likelier] *= LETTER_WEIGHT
        fresh /= fresh.sum()
        hypotheses = tuple(replace(h, rank=fresh) for h in piece.reading.hypotheses)
        reading = replace(piece.reading, hypotheses=hypotheses)
        why = "; ".join(filter(None, [piece.settled, "weighed by the deck's other letters"]))
        result.append(replace(piece, reading=reading, faces=ordered(reading.faces), settled=why, asked=True))
    return result


def rows_of_cards(pieces: Sequence[Settled], readings: Sequence[Reading], offset: int = 0) -> tuple[Row, ...]:
    """Rows of cards, by where the whole cards lie: from their indices, or for a back the back itself.

    `offset`: the place of the first card among the pieces of the Scene.
    """
    if not pieces:
        return ()
    whole, known = whole_cards(pieces, readings)
    chains = card_rows(whole, known)
    kinds = classify(chains, whole, cards=True)
    return tuple(Row(tuple(offset + n for n in row.pieces), row.kind) for row in to_rows(chains, kinds))


def whole_cards(pieces: Sequence[Settled], readings: Sequence[Reading]) -> tuple[Floats, list[bool]]:
    """Where the whole cards lie (n, 4, 2), and whether their way up is known."""
    quads = [[readings[m].quad for m in piece.members] for piece in pieces]
    whole, known = bodies(quads, level(readings), [piece.code == "*" for piece in pieces])
    for n, piece in enumerate(pieces):
        if piece.reading.spot.kind == "card_back":
            whole[n], known[n] = readings[piece.members[0]].quad, False
    return whole, known


def _joined(looks: Sequence[Reading]) -> tuple[Reading, str]:
    """Several looks at one card as one reading; one that can't be read says nothing."""
    looks = [look for look in looks if look.best[0] != UNKNOWN] or looks
    rank = np.prod([look.rank for look in looks], axis=0)
    colour = np.prod([look.colour for look in looks], axis=0)
    if rank.sum() <= 0 or colour.sum() <= 0:
        return looks[0], ""
    rank, colour = rank / rank.sum(), colour / colour.sum()
    hypotheses = tuple(replace(h, rank=rank, colour=colour) for h in looks[0].hypotheses)
    joined = replace(looks[0], hypotheses=hypotheses, agreement=max(look.agreement for look in looks))
    differ = len({look.best[0] for look in looks}) > 1
    return joined, "its indices were read apart" if differ else ""
