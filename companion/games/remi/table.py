"""What one may do with the row and with melds on the table: break, attach, swap (RULES.md 1.6-1.8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from companion.games.messages import Message, msg
from companion.games.remi.melds import RUN, SET, MeldVerdict, judge_meld
from companion.games.remi.rules import SEED, HouseRules
from companion.games.verdict import Verdict, refuse
from companion.pieces import DECLARED, JOKER, TILES, Tile, spell

Opened = Literal["no", "this_turn", "earlier"]
Use = Literal["new_meld", "attach", "none"]

_ORDER = (
    "TOO_FEW", "JOKER_RATIO", "NOT_A_MELD", "SET_TOO_BIG", "DUP_COLOUR", "NOT_CONSECUTIVE", "ONE_IN_MIDDLE",
    "JOKER_MISMATCH", "JOKERS_ADJACENT", "RUN_TOO_LONG",
)  # fmt: skip
"""How near to legal a meld with this first fault is: the nearest try explains best why nothing fits."""


class TableError(ValueError):
    """A question about a row or a meld that isn't there."""


def judge_break(
    row: int,
    at: int,
    rack: int,
    *,
    opened: bool,
    round_over: bool = True,
    rack_play: bool = False,
    use: Use = "new_meld",
    opening_ok: bool = True,
    laid: int = 0,
    rules: HouseRules = SEED,
) -> Verdict:
    """Judges taking tile ``at`` (0-based) and all after it from a row of ``row`` tiles (RULES.md 0.4, 1.6).

    ``rack``: tiles at the start of the turn. ``use``: where the broken tile goes this turn. ``opening_ok``: whether an
    unopened player's laying is valid. ``laid``: tiles leaving the rack for the table this turn.
    """
    if not 0 <= at < row:
        raise TableError(f"the row has {row} tiles; there is none at {at}")
    faults = break_faults(row, at, rack, opened=opened, round_over=round_over, rules=rules)
    if use == "none":
        used = rack_play and not opened
    else:
        used = use == "new_meld" or (opened and rules.break_use == "meld_or_attach")
    if not used:
        faults.append(msg("MUST_USE_BROKEN"))
    if not opened and use == "new_meld" and not opening_ok:
        faults.append(msg("OPENING_INVALID"))
    left = rack + row - at - laid - 1
    if left > 14:
        faults.append(msg("RACK_OVER_14", left=left))
    return refuse(*faults)


def break_faults(row: int, at: int, rack: int, *, opened: bool, round_over: bool, rules: HouseRules) -> list[Message]:
    """What can be said of a break before anything is laid: the first five checks of RULES.md 0.4."""
    last = at == row - 1
    faults: list[Message] = []
    if not round_over:
        faults.append(msg("FIRST_ROUND"))
    if at == 0:
        faults.append(msg("DEAD_TILE"))
    if rack <= 2:
        faults.append(msg("MUST_DRAW_STOCK", rack=rack))
    if not opened and not last:
        faults.append(msg("NOT_OPENED_ONLY_LAST"))
    if opened and rack == 3 and rules.break_min_rack > 3 and not last:
        faults.append(msg("ONLY_LAST_WITH_3"))
    return faults


def standing_faults(opened: Opened, rules: HouseRules) -> list[Message]:
    """Whether a player may touch melds on the table yet (RULES.md 1.7.1)."""
    if opened == "no":
        return [msg("NOT_OPENED")]
    if opened == "this_turn" and not rules.attach_in_opening_turn:
        return [msg("OPENING_TURN")]
    return []


def freeze(meld: Sequence[Tile], rules: HouseRules = SEED) -> tuple[Tile, ...]:
    """A laid meld with its jokers fixed: declared in a run (1.5.5), open in a set (1.8.3)."""
    verdict = judge_meld(meld, rules)
    if not verdict.ok:
        raise TableError(f"{spell(meld)} is no meld that could lie on the table: {verdict.sentence()}")
    if verdict.kind == SET:
        return tuple(tile.bare() for tile in meld)
    return verdict.declared()


def judge_attach(
    meld: Sequence[Tile],
    tiles: Sequence[Tile],
    *,
    own: bool,
    opened: Opened,
    rack: int | None = None,
    rules: HouseRules = SEED,
) -> MeldVerdict:
    """Judges attaching ``tiles`` to a legal ``meld`` (RULES.md 0.4, 1.7); the verdict's ``tiles`` are the result.

    ``own``: whether the player laid the meld. ``rack``: tiles held before attaching; None: not checked. The best place
    is found: a bare joker at an end takes the more valuable one. :class:`TableError` if ``meld`` itself is illegal.
    """
    faults = standing_faults(opened, rules)
    if not own and any(not tile.value for tile in tiles):
        faults.append(msg("JOKER_ON_OTHERS"))
    if rack is not None and len(tiles) >= rack:
        faults.append(msg("NO_TILE_TO_DISCARD"))
    result = extend(meld, tiles, rules)
    if not faults:
        return result
    return MeldVerdict((*faults, *result.faults), 0, (), result.kind, result.tiles, result.start)


def extend(meld: Sequence[Tile], tiles: Sequence[Tile], rules: HouseRules = SEED) -> MeldVerdict:
    """The best meld made of a laid meld and more tiles, or the fault nearest to legal."""
    fixed = freeze(meld, rules)
    # as it was laid: with one real tile, a set whose jokers are open again would pass for a run
    before = judge_meld(fixed, rules, judge_meld(meld, rules).kind)
    if before.kind == SET:
        return judge_meld((*fixed, *tiles), rules, SET)
    tries = [judge_meld(seats, rules, RUN) for seats in _extensions(fixed, before.start, tuple(tiles))]
    legal = [verdict for verdict in tries if verdict.ok]
    if legal:
        return max(legal, key=lambda verdict: (verdict.value, verdict.start))
    return max((judge_meld((*fixed, *tiles), rules, RUN), *tries), key=lambda verdict: _ORDER.index(verdict.reason))


def _extensions(fixed: tuple[Tile, ...], start: int, tiles: tuple[Tile, ...]) -> Iterable[tuple[Tile, ...]]:
    """Every way to lay the tiles at both ends of a run, values going round the corner so that it can be explained."""
    colour = next(tile.colour for tile in fixed if tile.value)
    for low in range(len(tiles) + 1):
        first = start - low
        seats = [(first + i - 1) % 13 for i in range(low)]
        seats += [(start + len(fixed) + i - 1) % 13 for i in range(len(tiles) - low)]
        left = list(tiles)
        placed: list[Tile | None] = []
        for value in seats:
            face = TILES[colour * 13 + value]
            for wanted in (face, DECLARED[face.index]):
                if wanted in left:
                    left.remove(wanted)
                    placed.append(wanted)
                    break
            else:
                placed.append(None)
        jokers = [tile for tile in left if not tile.value]
        if len(jokers) != placed.count(None):
            continue
        filled = []
        for seat, tile in zip(seats, placed, strict=True):
            if tile is None:
                joker = jokers.pop(0)
                tile = DECLARED[colour * 13 + seat] if joker is JOKER else joker
            filled.append(tile)
        yield (*filled[:low], *fixed, *filled[low:])


@dataclass(frozen=True, slots=True)
class SwapVerdict(Verdict):
    """The judgement of a joker exchange. ``joker``: index in the meld of the joker that comes free, -1 if none does."""

    joker: int = -1


def judge_swap(
    meld: Sequence[Tile],
    gives: Sequence[Tile],
    use: Sequence[Tile] | Literal["attach_own"] | None,
    *,
    opened: Opened,
    rack_start: int,
    swapped: bool | Sequence[bool] = False,
    rules: HouseRules = SEED,
) -> SwapVerdict:
    """Judges exchanging a joker of a legal ``meld`` for ``gives`` (RULES.md 0.4, 1.8).

    ``gives``: the very tile it stands for; in a set every colour that is still missing. ``use``: the new meld, in
    order, with ``*`` where the freed right stands; ``attach_own``; None: not used. ``swapped``: whether the joker was
    exchanged before, or so for each place of the meld. ``rack_start``: tiles at the start of the turn.
    """
    fixed = freeze(meld, rules)
    kind = judge_meld(fixed, rules).kind
    done = [swapped] * len(fixed) if isinstance(swapped, bool) else list(swapped)
    faults = standing_faults(opened, rules)
    jokers = [i for i, tile in enumerate(fixed) if not tile.value]
    fresh = [i for i in jokers if not done[i]]
    if jokers and not fresh:
        faults.append(msg("ALREADY_SWAPPED"))
    at, fault = (_set_joker if kind == SET else _run_joker)(fixed, fresh or jokers, gives)
    if fault is not None:
        faults.append(fault)
    made = None if use is None or use == "attach_own" else judge_meld(tuple(use), rules)
    if use == "attach_own":
        if rules.swap_use != "meld_or_attach":
            faults.append(msg("MUST_USE_JOKER"))
    elif made is None or not made.ok or all(tile.value for tile in made.tiles):
        faults.append(msg("MUST_USE_JOKER"))
    if made is not None and rack_start <= 2:
        faults.append(msg("NEW_MELD_FORBIDDEN"))
    if made is not None:
        faults += made.faults
    return SwapVerdict(tuple(faults), 0, (), at)


def _run_joker(meld: tuple[Tile, ...], jokers: list[int], gives: Sequence[Tile]) -> tuple[int, Message | None]:
    if len(gives) == 1:
        for i in jokers:
            if meld[i].stands is gives[0]:
                return i, None
    return -1, msg("WRONG_TILE", pieces=spell(gives))


def _set_joker(meld: tuple[Tile, ...], jokers: list[int], gives: Sequence[Tile]) -> tuple[int, Message | None]:
    real = [tile for tile in meld if tile.value]
    colours = {tile.colour for tile in real}
    given = {tile.colour for tile in gives}
    fits = len(given) == len(gives) and not given & colours and all(tile.value == real[0].value for tile in gives)
    if not jokers or not gives or not fits:
        return -1, msg("WRONG_TILE", pieces=spell(gives))
    if len(colours) + len(given) < 4:
        return -1, msg("SET_NEEDS_BOTH")
    return jokers[-1], None
