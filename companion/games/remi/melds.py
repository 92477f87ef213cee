"""Remi melds: runs, sets and the readings of their jokers (RULES.md 1.5.1-1.5.5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Final

from companion.games.messages import Message, msg
from companion.games.remi.rules import SEED, HouseRules
from companion.games.verdict import Line, MeldJudgement
from companion.pieces import DECLARED, JOKER, TILES, Tile, spell

RUN: Final = "run"
SET: Final = "set"


def position_value(position: int) -> int:
    """Opening value of a place in a run, 1..14 (RULES.md 1.5, table)."""
    return 10 if position >= 10 else 5


SET_VALUE: Final = (0, 25, *(5,) * 8, *(10,) * 4)
"""Opening value of a tile in a set, by its value."""
RUN_VALUE: Final = tuple(
    tuple(sum(10 if p >= 10 else 5 for p in range(start, start + n)) if 1 <= start <= 15 - n else 0 for n in range(15))
    for start in range(15)
)
"""Opening value of a run by its first position and its length."""


@dataclass(frozen=True, slots=True)
class MeldVerdict(MeldJudgement):
    """The judgement of one meld.

    ``kind``: ``run``, ``set`` or '' (neither). ``tiles``: as judged, in order. ``start``: position (1..14) of the first
    tile of a legal run, else 0. ``value``: opening value, 0 if illegal.
    """

    tiles: tuple[Tile, ...] = ()
    start: int = 0

    @property
    def lines(self) -> tuple[Line, ...]:
        """One line a tile with its opening value."""
        if self.faults:
            return ()
        if self.kind == SET:
            each = self.value // len(self.tiles)
            return tuple(Line(_named(t, t.face()), each) for t in self.tiles)
        return tuple(
            Line(_named(tile, face), position_value(self.start + i))
            for i, (tile, face) in enumerate(zip(self.tiles, self.faces(), strict=True))
        )

    @property
    def pieces(self) -> tuple[Tile, ...]:
        """The tiles, jokers declared where their faces are known."""
        return self.declared()

    def faces(self) -> tuple[Tile, ...]:
        """What each tile counts as. In a run every joker has its face; in a set an open one stays a joker."""
        if self.kind == RUN and not self.faults:
            colour = next(t.colour for t in self.tiles if t.value)
            return tuple(TILES[colour * 13 + (self.start + i - 1) % 13] for i in range(len(self.tiles)))
        return tuple(t.face() for t in self.tiles)

    def declared(self) -> tuple[Tile, ...]:
        """The tiles with every joker declared whose face is known: how the meld is written down once laid."""
        return tuple(
            DECLARED[face.index] if not tile.value and face.value else tile
            for tile, face in zip(self.tiles, self.faces(), strict=True)
        )

    def praise(self) -> Message:
        """What the legal meld is."""
        return msg("legal_run" if self.kind == RUN else "legal_set", value=self.value)


def _named(tile: Tile, face: Tile) -> Message:
    return msg("joker_as", piece=face.code) if not tile.value else msg("tile_is", piece=tile.code)


def judge_meld(tiles: Sequence[Tile], rules: HouseRules = SEED, kind: str | None = None) -> MeldVerdict:
    """Judges tiles that lie in this order (RULES.md 0.4, 1.5.1-1.5.3).

    ``kind`` (``run`` or ``set``) decides only where a single real tile leaves both open; without it the more valuable
    legal reading is taken, the run on a tie.
    """
    laid = tuple(tiles)
    fit = _fit(laid, rules, kind)
    if fit is not None:
        return MeldVerdict((), fit[2], (), fit[0], laid, fit[1])
    faults, found = _diagnose(laid, rules, kind)
    return MeldVerdict(faults, 0, (), found, laid)


def _fit(tiles: tuple[Tile, ...], rules: HouseRules, kind: str | None) -> tuple[str, int, int] | None:
    """(kind, start, value) of a legal meld, None if illegal. The fast path: no sentence is made."""
    n = len(tiles)
    jokers = value = colour = 0
    one_value = one_colour = True
    for tile in tiles:
        if not tile.value:
            jokers += 1
        elif not value:
            value, colour = tile.value, tile.colour
        else:
            if tile.value != value:
                one_value = False
            if tile.colour != colour:
                one_colour = False
    real = n - jokers
    if n < 3 or jokers * rules.joker_ratio > real or not real:
        return None
    if real == 1:
        choices = [
            fit
            for name, check in ((RUN, _fit_run(tiles, colour, rules)), (SET, _fit_set(tiles, value)))
            if check is not None and kind in (None, name) and (fit := check)
        ]
        return max(choices, key=lambda fit: fit[2], default=None)
    if one_value:
        return _fit_set(tiles, value)
    return _fit_run(tiles, colour, rules) if one_colour else None


def _fit_set(tiles: tuple[Tile, ...], value: int) -> tuple[str, int, int] | None:
    if len(tiles) > 4:
        return None
    seen = 0
    for tile in tiles:
        face = tile.stands or tile
        if face is JOKER:
            continue
        bit = 1 << face.colour
        if seen & bit or face.value != value:
            return None
        seen |= bit
    return SET, 0, SET_VALUE[value] * len(tiles)


def _fit_run(tiles: tuple[Tile, ...], colour: int, rules: HouseRules) -> tuple[str, int, int] | None:
    n = len(tiles)
    start = _start(tiles)
    if start < 1 or start + n > 15 or (n == 14 and not rules.run14):
        return None
    position = start
    for tile in tiles:
        face = tile.stands or tile
        if face is not JOKER and (face.value != (position if position < 14 else 1) or face.colour != colour):
            return None
        position += 1
    if not rules.jokers_adjacent and _adjacent(tiles):
        return None
    return RUN, start, RUN_VALUE[start][n]


def _start(tiles: tuple[Tile, ...]) -> int:
    """Where the first tile stands if the first real tile above 1 (else a 1 at an end) is in place; 0 if nowhere."""
    for i, tile in enumerate(tiles):
        if tile.value > 1:
            return tile.value - i
    if tiles[0].value == 1:
        return 1
    return 15 - len(tiles) if tiles[-1].value == 1 else 0


def _adjacent(tiles: tuple[Tile, ...]) -> bool:
    return any(not a.value and not b.value for a, b in pairwise(tiles))


def _diagnose(tiles: tuple[Tile, ...], rules: HouseRules, kind: str | None) -> tuple[tuple[Message, ...], str]:
    """Every fault in the order of RULES.md 0.4, and the kind it was judged as."""
    n = len(tiles)
    real = [t for t in tiles if t.value]
    jokers = n - len(real)
    faults: list[Message] = []
    if n < 3:
        faults.append(msg("TOO_FEW", count=n))
    if jokers * rules.joker_ratio > len(real):
        faults.append(msg("JOKER_RATIO", jokers=jokers, need=jokers * rules.joker_ratio, real=len(real)))
    one_value = len({t.value for t in real}) == 1
    one_colour = len({t.colour for t in real}) == 1
    found = ""
    if len(real) == 1:
        found = kind or (SET if any(t.stands and t.stands.value == real[0].value for t in tiles) else RUN)
    elif one_value:
        found = SET
    elif one_colour:
        found = RUN
    if found == SET:
        faults += _set_faults(tiles, real[0].value)
    elif found == RUN:
        faults += _run_faults(tiles, real[0].colour, rules)
    else:
        faults.append(msg("NOT_A_MELD", pieces=spell(tiles)))
    return tuple(faults), found


def _set_faults(tiles: tuple[Tile, ...], value: int) -> list[Message]:
    faults: list[Message] = []
    if len(tiles) > 4:
        faults.append(msg("SET_TOO_BIG", count=len(tiles)))
    real = [t for t in tiles if t.value]
    twice = [t for i, t in enumerate(real) if any(t.colour == other.colour for other in real[:i])]
    if twice:
        faults.append(msg("DUP_COLOUR", pieces=spell(dict.fromkeys(twice))))
    colours = {t.colour for t in real}
    for tile in tiles:
        if tile.stands is None:
            continue
        if tile.stands.value != value or tile.stands.colour in colours:
            faults.append(msg("JOKER_MISMATCH", declared=tile.stands.code))
        colours.add(tile.stands.colour)
    return faults


def _run_faults(tiles: tuple[Tile, ...], colour: int, rules: HouseRules) -> list[Message]:
    n = len(tiles)
    faults: list[Message] = []
    if n > 14:
        faults.append(msg("RUN_TOO_LONG", most=14 if rules.run14 else 13, count=n))
    start = _start(tiles)
    in_place = 1 <= start <= 15 - n and all(
        tile.value in (0, start + i if start + i < 14 else 1) for i, tile in enumerate(tiles)
    )
    if n >= 2 and not in_place:
        first = next(i for i, t in enumerate(tiles) if t.value)
        ring = tiles[first].value - first - 1
        around = all(not t.value or (ring + i) % 13 + 1 == t.value for i, t in enumerate(tiles))
        faults.append(msg("ONE_IN_MIDDLE" if around else "NOT_CONSECUTIVE", pieces=spell(tiles)))
    if in_place:
        for i, tile in enumerate(tiles):
            if tile.stands is not None and tile.stands is not TILES[colour * 13 + (start + i - 1) % 13]:
                faults.append(msg("JOKER_MISMATCH", declared=tile.stands.code))
    if not rules.jokers_adjacent and _adjacent(tiles):
        faults.append(msg("JOKERS_ADJACENT"))
    if n == 14 and not rules.run14:
        faults.append(msg("RUN_TOO_LONG", most=13, count=n))
    return faults


def readings(tiles: Iterable[Tile], rules: HouseRules = SEED) -> tuple[MeldVerdict, ...]:
    """Every legal reading of tiles in any order, best first (RULES.md 1.5.5).

    Best: the highest opening value, on a tie the higher end. In a run each joker comes declared; in a set it keeps its
    open colour. A joker that comes in declared keeps its declaration.
    """
    given = tuple(tiles)
    real = [t for t in given if t.value]
    jokers = [t for t in given if not t.value]
    found: dict[tuple[Tile, ...], MeldVerdict] = {}
    if real and len({t.value for t in real}) == 1:
        verdict = judge_meld((*real, *jokers), rules, SET)
        if verdict.ok and verdict.kind == SET:
            found[verdict.tiles] = verdict
    if real and len({t.colour for t in real}) == 1 and len(given) <= 14:
        for seats in _run_seatings(real, jokers, len(given)):
            verdict = judge_meld(seats, rules, RUN)
            if verdict.ok and verdict.kind == RUN:
                found.setdefault(verdict.tiles, verdict)
    return tuple(sorted(found.values(), key=_best_first, reverse=True))


def _best_first(verdict: MeldVerdict) -> tuple[int, int, tuple[bool, ...]]:
    return verdict.value, verdict.start or -1, tuple(bool(t.value) for t in verdict.tiles)


def _run_seatings(real: list[Tile], jokers: list[Tile], n: int) -> Iterable[tuple[Tile, ...]]:
    """Every way to seat the tiles at n following positions, each joker declared as its seat."""
    colour = real[0].colour
    ones = sum(t.value == 1 for t in real)
    others = {t.value: t for t in real if t.value > 1}
    if len(others) + ones != len(real) or ones > 2:
        return
    for start in range(1, 16 - n):
        ends = [p for p in (1, 14) if start <= p < start + n]
        if any(not start <= v < start + n for v in others):
            continue
        for placed in combinations(ends, ones):
            seats = [
                others[p]
                if p in others
                else TILES[colour * 13]
                if p in placed
                else DECLARED[colour * 13 + (p - 1) % 13]
                for p in range(start, start + n)
            ]
            free = [s for s in seats if not s.value]
            for declared in jokers:
                if declared.stands is None or declared in free:
                    if declared in free:
                        free.remove(declared)
                    continue
                break
            else:
                yield tuple(seats)


def judge_handful(tiles: Iterable[Tile], rules: HouseRules = SEED) -> MeldVerdict:
    """Judges tiles in no order: the best reading, or why there is none (judged in rising order)."""
    given = tuple(tiles)
    best = readings(given, rules)
    if best:
        return best[0]
    one_colour = len({t.colour for t in given if t.value}) == 1
    return judge_meld(_rising(given) if one_colour else given, rules)


def _rising(tiles: tuple[Tile, ...]) -> tuple[Tile, ...]:
    """One colour in rising order with jokers in the gaps, then at the end; a 1 comes last beside a 13."""
    real = sorted((t for t in tiles if t.value), key=lambda t: t.value)
    if real[-1].value == 13 and real[0].value == 1 and not (len(real) > 1 and real[1].value == 2):
        real = [*real[1:], real[0]]
    jokers = [t for t in tiles if not t.value]
    row = real[:1]
    for before, tile in pairwise(real):
        gap = max(0, (tile.value - before.value) % 13 - 1)
        row += [*jokers[:gap], tile]
        jokers = jokers[gap:]
    return (*row, *jokers)
