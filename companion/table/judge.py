"""A row of codes as read -> its verdict: face-down pieces by their place, jokers by what they must be."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from companion.games import Game, HouseRulesBase, MeldJudgement, Verdict
from companion.games.messages import msg
from companion.pieces import CARDS, TILES, Card, Tile, parse_card, parse_tile
from vision.scene import BACK, UNKNOWN

Codes = tuple[str, ...]
JOKER = "*"
_FILLS = 256
"""Most ways in which the jokers of one meld are tried."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A row judged as one meld.

    ``faces``: what each piece counts as, in the order of the codes (a joker that is known: ``*=r6``). ``turned``: it is
    a meld when read from the other end. ``jokers``: by place the declarations that a joker may have, best first, where
    there are several.
    """

    verdict: Verdict
    faces: Codes
    kind: str = ""
    turned: bool = False
    jokers: tuple[tuple[int, Codes], ...] = ()

    @property
    def ok(self) -> bool:
        """Whether it is a legal meld."""
        return self.verdict.ok

    @property
    def value(self) -> int:
        """Its points, 0 if it is not legal."""
        return self.verdict.value


@dataclass(frozen=True)
class Judge:
    """Judges rows of codes under one game's house rules, each row once."""

    game: Game[Any]
    rules: HouseRulesBase
    _seen: dict[Codes, Judged] = field(default_factory=dict, compare=False, repr=False)

    def piece(self, code: str) -> Tile | Card:
        """The piece of this game with that code. Raises NotationError."""
        return parse_tile(code) if self.game.pieces == "tile" else parse_card(code)

    def pieces(self, codes: Sequence[str]) -> tuple[Any, ...]:
        """The pieces of codes that are all faces."""
        return tuple(self.piece(code) for code in codes)

    def meld(self, codes: Codes) -> Judged:
        """Judge a row as one meld, as it lies or else from its other end."""
        known = self._seen.get(codes)
        if known is None:
            known = self._judge(codes)
            if not known.ok and UNKNOWN not in codes:
                back = self._judge(codes[::-1])
                if back.ok:
                    last = len(codes) - 1
                    jokers = tuple((last - place, choices) for place, choices in back.jokers)
                    known = Judged(back.verdict, back.faces[::-1], back.kind, True, jokers)
            self._seen[codes] = known
        return known

    def _judge(self, codes: Codes) -> Judged:
        if UNKNOWN in codes:
            return Judged(Verdict((msg("UNREAD", pieces=" ".join(codes)),)), codes)
        if BACK not in codes:
            return self._read(codes)
        legal = [judged for filled in fill(codes, self.game.pieces) if (judged := self._read(filled)).ok]
        if legal:
            return max(legal, key=lambda judged: judged.value)
        return Judged(Verdict((msg("UNREAD", pieces=" ".join(codes)),)), codes)

    def _read(self, codes: Codes) -> Judged:
        """Judge codes that are all faces."""
        pieces = self.pieces(codes)
        if self.game.pieces == "tile" or JOKER not in codes:
            verdict = self.game.judge_meld(pieces, self.rules)
            return Judged(verdict, self._faces(codes, verdict), verdict.kind)
        return self._declared(codes, pieces)

    def _faces(self, codes: Codes, verdict: MeldJudgement) -> Codes:
        """The codes with the jokers declared; cards of a legal sequence come back sorted, so only tiles have news."""
        if self.game.pieces == "tile" and verdict.ok:
            return tuple(str(piece) for piece in verdict.pieces)
        return codes

    def _declared(self, codes: Codes, pieces: tuple[Card, ...]) -> Judged:
        """Cards with jokers nobody has declared: every declaration that makes a meld, by place."""
        open_places = [n for n, code in enumerate(codes) if code == JOKER]
        choices: list[Codes] = []
        readings = self.game.readings(pieces, self.rules)
        for reading in readings[:_FILLS]:
            rest = [str(piece) for piece in reading.pieces]
            for code in codes:
                if code != JOKER:
                    rest.remove(code)
            choices.append(_seated(codes, open_places, sorted(rest, key=lambda code: parse_card(code).face().index)))
        if not choices:
            verdict = self.game.judge_meld(pieces, self.rules)
            return Judged(verdict, codes, verdict.kind)
        choices = sorted(dict.fromkeys(choices), key=disorder)
        verdict = self.game.judge_meld(self.pieces(choices[0]), self.rules)
        by_place = tuple(
            (place, options)
            for place in open_places
            if len(options := tuple(dict.fromkeys(choice[place] for choice in choices))) > 1
        )
        return Judged(verdict, choices[0], verdict.kind, False, by_place)


def _seated(codes: Codes, places: Sequence[int], declared: Sequence[str]) -> Codes:
    filled = list(codes)
    for place, code in zip(places, declared, strict=True):
        filled[place] = code
    return tuple(filled)


def disorder(codes: Codes) -> int:
    """How many neighbours of a row of cards do not rise by one (an ace may stand above a king)."""
    values = [parse_card(code).face().value for code in codes]
    return sum((b - a) % 13 != 1 for a, b in itertools.pairwise(values))


def fill(codes: Codes, pieces: str) -> list[Codes]:
    """Every naming of the face-down pieces of a row by their places: in a run by counting, in a set any missing colour.

    Two pieces at least must be seen, else nothing is known.
    """
    parse: Any = parse_tile if pieces == "tile" else parse_card
    seen = [(n, parse(code).face()) for n, code in enumerate(codes) if code not in (BACK, UNKNOWN)]
    known = [(n, face) for n, face in seen if face.value]
    if len(seen) < 2 or not known:
        return []
    faces: Sequence[Any] = TILES if pieces == "tile" else CARDS
    backs = [n for n, code in enumerate(codes) if code == BACK]
    found: list[Codes] = []
    if len({_suit(face) for _, face in known}) == 1:
        for step in (1, -1) if pieces == "card" else (1,):
            row = list(codes)
            start, anchor = known[0]
            if anchor.value == 1 and step == 1 and start > 0:  # a 1 behind others stands above the 13
                start, value = start, 14
            else:
                value = anchor.value
            for n in backs:
                place = value + step * (n - start)
                if not 1 <= place <= 14:
                    break
                row[n] = str(faces[_suit(anchor) * 13 + (place - 1) % 13])
            else:
                found.append(tuple(row))
    if len({face.value for _, face in known}) == 1:
        missing = [c for c in range(4) if all(_suit(face) != c for _, face in known)]
        if len(backs) <= len(missing):
            row = list(codes)
            for n, colour in zip(backs, missing, strict=False):
                row[n] = str(faces[colour * 13 + known[0][1].value - 1])
            found.append(tuple(row))
    return list(dict.fromkeys(found))


def _suit(face: Any) -> int:
    return int(face.colour if isinstance(face, Tile) else face.suit)


def completions(codes: Codes, place: int, judge: Judge) -> Codes:
    """Faces that would make a legal meld of a row in which the piece at ``place`` can't be read, best first."""
    rest = [code for n, code in enumerate(codes) if n != place and code not in (UNKNOWN, BACK)]
    if len(rest) < 2 or sum(code == UNKNOWN for code in codes) > 1:
        return ()
    faces = TILES if judge.game.pieces == "tile" else CARDS
    fits = [
        (judge.meld((*codes[:place], face.code, *codes[place + 1 :])), face.code) for face in faces
    ]
    legal = [(judged.value, code) for judged, code in fits if judged.ok and not judged.turned]
    return tuple(code for _, code in sorted(legal, key=lambda fit: -fit[0]))


