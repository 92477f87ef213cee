"""Playing a Remi round: what an action makes of a state (RULES.md 1.3-1.10).

``play(state, action)`` returns the new state and a verdict; a refused action returns the very state it was given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from companion.games.messages import Message, msg
from companion.games.remi.deal import exchange, judge_exchange, judge_redeal
from companion.games.remi.melds import RUN, MeldVerdict, judge_meld
from companion.games.remi.opening import judge_opening
from companion.games.remi.state import (
    Action,
    AnnounceAtu,
    Attach,
    Break,
    Discard,
    Draw,
    Exchange,
    Lay,
    Placed,
    PlayOnRack,
    Redeal,
    Round,
    Swap,
    TableEntry,
    TakeBack,
    Tiles,
    Turn,
    problems,
    start,
)
from companion.games.remi.table import break_faults, extend, judge_attach, judge_swap
from companion.games.verdict import OK, Verdict, refuse
from companion.pieces import JOKER, Tile, spell

__all__ = [
    "Action",
    "AnnounceAtu",
    "Attach",
    "Break",
    "Discard",
    "Draw",
    "Exchange",
    "Lay",
    "PlayOnRack",
    "Redeal",
    "Round",
    "Swap",
    "TakeBack",
    "play",
    "problems",
    "replay",
    "start",
]

Step = tuple[Round, Verdict]
T = TypeVar("T")


def play(state: Round, action: Action) -> Step:
    """The state after an action and OK, or the same state and why not."""
    if state.over:
        return state, refuse(msg("ROUND_OVER"))
    if isinstance(action, Draw):
        return _draw(state)
    if isinstance(action, Break):
        return _break(state, action.at)
    if isinstance(action, Lay):
        return _lay(state, action.melds)
    if isinstance(action, Attach):
        return _attach(state, action)
    if isinstance(action, Swap):
        return _swap(state, action)
    if isinstance(action, Discard):
        return _discard(state, action)
    if isinstance(action, PlayOnRack):
        return _play_on_rack(state)
    if isinstance(action, TakeBack):
        before = state.turn.before
        return (state, refuse(msg("NOT_FROM_ROW"))) if before is None else (before, OK)
    return _before_first_discard(state, action)


def replay(state: Round, actions: Iterable[Action]) -> Round:
    """The state after all actions in order; refused ones change nothing."""
    for action in actions:
        state, _ = play(state, action)
    return state


def _draw(state: Round) -> Step:
    if state.turns == 0:
        return state, refuse(msg("STARTER_DOES_NOT_DRAW"))
    if state.turn.drew:
        return state, refuse(msg("ALREADY_DREW"))
    drawn = replace(state, stock=state.stock[1:], turn=replace(state.turn, drew="stock"))
    return _with_rack(drawn, (*state.rack, state.stock[0])), OK


def _break(state: Round, at: int) -> Step:
    if state.turns == 0:
        return state, refuse(msg("STARTER_DOES_NOT_DRAW"))
    if state.turn.drew:
        return state, refuse(msg("ALREADY_DREW"))
    if not 0 <= at < len(state.row):
        return state, refuse(msg("NO_SUCH_PLACE"))
    faults = break_faults(
        len(state.row),
        at,
        len(state.rack),
        opened=state.standing != "no",
        round_over=state.first_round_over,
        rules=state.rules,
    )
    if faults:
        return state, refuse(*faults)
    turn = replace(state.turn, drew="row", broken=state.row[at], before=state)
    taken = replace(state, row=state.row[:at], turn=turn)
    return _with_rack(taken, (*state.rack, *state.row[at:])), OK


def _play_on_rack(state: Round) -> Step:
    faults = [] if state.first_round_over else [msg("FIRST_ROUND")]
    if state.standing != "no":
        faults.append(msg("RACK_PLAY_OPENED"))
    if faults:
        return state, refuse(*faults)
    return replace(state, rack_play=_set(state.rack_play, state.seat, True)), OK


def _lay(state: Round, melds: tuple[Tiles, ...]) -> Step:
    faults = _may_use_rack(state, [tile for meld in melds for tile in meld])
    count = sum(map(len, melds))
    if state.standing == "earlier":
        judged = [judge_meld(meld, state.rules) for meld in melds]
        faults += _illegal(judged) + _new_meld_faults(state)
    elif state.rack_play[state.seat]:
        judged = [judge_meld(meld, state.rules) for meld in melds]
        faults += _illegal(judged)
        if count != len(state.rack) - 1:
            faults.append(msg("RACK_PLAY_ALL"))
    else:
        opening = judge_opening((*state.turn.laid, *melds), state.rules, round_over=state.first_round_over)
        judged = list(opening.melds[len(state.turn.laid) :])
        faults += opening.faults
    if count >= len(state.rack):
        faults.append(msg("NO_TILE_TO_DISCARD"))
    if faults:
        return state, refuse(*faults)
    entries = tuple(TableEntry(state.seat, _place(verdict, state.seat)) for verdict in judged)
    laid = replace(
        state,
        melds=(*state.melds, *entries),
        opened=state.opened if state.standing != "no" else _set(state.opened, state.seat, state.turns),
        turn=replace(state.turn, laid=(*state.turn.laid, *melds)),
    )
    used = [tile.bare() for meld in melds for tile in meld]
    return _used(_without(laid, used), used, new_meld=True), OK


def _place(verdict: MeldVerdict, by: int) -> tuple[Placed, ...]:
    """The tiles of a legal meld as they lie: jokers declared in a run, open in a set."""
    faces = verdict.declared() if verdict.kind == RUN else tuple(tile.bare() for tile in verdict.tiles)
    return tuple(Placed(tile.bare(), by, face) for tile, face in zip(verdict.tiles, faces, strict=True))


def _attach(state: Round, action: Attach) -> Step:
    faults = _may_use_rack(state, action.tiles)
    if not 0 <= action.meld < len(state.melds):
        return state, refuse(*faults, msg("NO_SUCH_MELD"))
    entry = state.melds[action.meld]
    verdict = judge_attach(
        entry.faces,
        action.tiles,
        own=entry.owner == state.seat,
        opened=state.standing,
        rack=len(state.rack),
        rules=state.rules,
    )
    faults += verdict.faults
    if faults:
        return state, refuse(*faults)
    attached = [Placed(tile.bare(), state.seat, tile) for tile in action.tiles]
    new = TableEntry(entry.owner, _extended(entry, verdict, attached, state))
    used = [tile.bare() for tile in action.tiles]
    attached_state = _without(replace(state, melds=_set(state.melds, action.meld, new)), used)
    return _used(attached_state, used, new_meld=False), OK


def _extended(entry: TableEntry, verdict: MeldVerdict, added: list[Placed], state: Round) -> tuple[Placed, ...]:
    """The tiles of a meld after ``verdict`` put ``added`` at its ends (a set: after the others)."""
    if verdict.kind != RUN:
        return (*entry.tiles, *(placed._replace(face=placed.face.bare()) for placed in added))
    low = judge_meld(entry.faces, state.rules).start - verdict.start
    new_faces = (*verdict.tiles[:low], *verdict.tiles[low + len(entry.tiles) :])
    left = list(added)
    placed: list[Placed] = []
    for face in new_faces:
        i = next(i for i, p in enumerate(left) if (p.face if p.face.value else JOKER) is face.bare())
        placed.append(left.pop(i)._replace(face=face))
    return (*placed[:low], *entry.tiles, *placed[low:])


def _swap(state: Round, action: Swap) -> Step:
    if not 0 <= action.meld < len(state.melds):
        return state, refuse(msg("NO_SUCH_MELD"))
    entry = state.melds[action.meld]
    rules = state.rules
    verdict = judge_swap(
        entry.faces,
        action.gives,
        action.use if action.attach_to is None else "attach_own",
        opened=state.standing,
        rack_start=state.turn.rack_start,
        swapped=[placed.spent for placed in entry.tiles],
        rules=rules,
    )
    use = action.use if action.use is not None and action.attach_to is None else ()
    wild = next((i for i, tile in enumerate(use) if not tile.value), -1)
    from_rack = [tile.bare() for i, tile in enumerate(use) if i != wild]
    faults = [*_may_use_rack(state, [*action.gives, *from_rack]), *verdict.faults]
    if verdict.reason == "WRONG_TILE" and any(placed.spent and not placed.tile.value for placed in entry.tiles):
        faults.insert(0, msg("ALREADY_SWAPPED"))
    if len(action.gives) + len(from_rack) >= len(state.rack):
        faults.append(msg("NO_TILE_TO_DISCARD"))
    if faults:
        return state, refuse(*faults)
    freed, freed_entry = _freed(state, entry, verdict.joker, action.gives)
    melds = _set(state.melds, action.meld, freed_entry)
    if action.attach_to is None:
        made = judge_meld(use, rules)
        tiles = list(_place(made, state.seat))
        tiles[wild] = freed._replace(face=tiles[wild].face)
        melds = (*melds, TableEntry(state.seat, tuple(tiles)))
    else:
        if not 0 <= action.attach_to < len(melds):
            return state, refuse(msg("NO_SUCH_MELD"))
        target = melds[action.attach_to]
        if target.owner != state.seat:
            return state, refuse(msg("JOKER_ON_OTHERS"))
        longer = extend(target.faces, (JOKER,), rules)
        if not longer.ok:
            return state, refuse(*longer.faults)
        tiles_after = _extended(target, longer, [freed], state)
        melds = _set(melds, action.attach_to, TableEntry(target.owner, tiles_after))
    used = [*action.gives, *from_rack]
    turn = replace(state.turn, laid=(*state.turn.laid, use)) if use else state.turn
    swapped = _without(replace(state, melds=melds, turn=turn), used)
    return _used(swapped, used, new_meld=bool(use)), OK


def _freed(state: Round, entry: TableEntry, joker: int, gives: Tiles) -> tuple[Placed, TableEntry]:
    """The wild piece that goes on, and the meld it leaves behind (RULES.md 1.8.4, both models)."""
    tiles = list(entry.tiles)
    real = gives[-1]
    if state.rules.swap_model == "mark":
        wild = Placed(real, state.seat, JOKER, True)
        tiles[joker] = tiles[joker]._replace(face=real, spent=True)
    else:
        wild = Placed(JOKER, state.seat, JOKER, True)
        tiles[joker] = Placed(real, state.seat, real)
    others = [Placed(tile, state.seat, tile) for tile in gives[:-1]]
    return wild, TableEntry(entry.owner, (*tiles, *others))


def _discard(state: Round, action: Discard) -> Step:
    seat = state.seat
    faults = _may_use_rack(state, (action.tile,))
    if state.turn.broken is not None and not (state.standing != "earlier" and state.rack_play[seat]):
        faults.append(msg("MUST_USE_BROKEN"))
    left = len(state.rack) - 1
    if left > 14:
        faults.append(msg("RACK_OVER_14", left=left))
    if faults:
        return state, refuse(*faults)
    few = 1 <= left <= 3
    told = few and (state.announced[seat] or action.announce or state.rules.announce == "auto")
    put = replace(
        _without(state, (action.tile.bare(),)),
        row=(*state.row, action.tile.bare()),
        turns=state.turns + 1,
        announced=_set(state.announced, seat, told),
        missed=_set(state.missed, seat, state.missed[seat] or (few and not told)),
    )
    if left == 0 or not state.stock:
        return replace(put, over=True, closer=seat if left == 0 else None, turn=Turn(left)), OK
    after = (seat + 1) % len(state.players)
    return replace(put, seat=after, turn=Turn(len(state.racks[after]))), OK


def _before_first_discard(state: Round, action: Exchange | Redeal | AnnounceAtu) -> Step:
    n = len(state.players)
    seats = (action.a, action.b) if isinstance(action, Exchange) else (action.seat,)
    if any(not 0 <= seat < n for seat in seats) or len(set(seats)) < len(seats):
        return state, refuse(msg("NO_SUCH_PLAYER"))
    if isinstance(action, AnnounceAtu):
        had_turn = (action.seat - state.dealer - 1) % n < state.turns
        if had_turn or not state.held_twin[action.seat] or state.rules.atu_bonus != "announced":
            return state, refuse(msg("ATU_NOT_HELD"))
        return replace(state, atu_announcer=action.seat), OK
    if state.turns:
        return state, refuse(msg("TOO_LATE"))
    if isinstance(action, Redeal):
        if state.exchanged[action.seat]:
            return state, refuse(msg("TOO_LATE"))
        verdict = judge_redeal(state.racks[action.seat], state.rules)
        return (replace(state, over=True, void=True), OK) if verdict.ok else (state, verdict)
    a, b = state.racks[action.a], state.racks[action.b]
    verdict = judge_exchange(a, b, action.give_a, action.give_b, state.rules)
    if not verdict.ok:
        return state, verdict
    new_a, new_b = exchange(a, b, action.give_a.bare(), action.give_b.bare())
    return replace(
        state,
        racks=_set(_set(state.racks, action.a, new_a), action.b, new_b),
        exchanged=_set(_set(state.exchanged, action.a, True), action.b, True),
    ), OK


def _may_use_rack(state: Round, tiles: Iterable[Tile]) -> list[Message]:
    """Whether the turn has begun, and the rack holds these tiles."""
    used = Counter(tile.bare() for tile in tiles)
    faults = [] if state.turn.drew or state.turns == 0 else [msg("MUST_DRAW")]
    missing = used - Counter(state.rack)
    if missing:
        faults.append(msg("TILE_NOT_ON_RACK", pieces=spell(sorted(missing.elements()))))
    if not used:
        faults.append(msg("NOTHING_LAID"))
    return faults


def _illegal(judged: Iterable[MeldVerdict]) -> list[Message]:
    wrong = [verdict for verdict in judged if not verdict.ok]
    faults = [msg("INVALID_MELD", pieces=spell(verdict.tiles)) for verdict in wrong]
    return faults + [fault for verdict in wrong for fault in verdict.faults]


def _new_meld_faults(state: Round) -> list[Message]:
    return [msg("NEW_MELD_FORBIDDEN")] if state.turn.rack_start <= 2 else []


def _used(state: Round, tiles: list[Tile], *, new_meld: bool) -> Round:
    """Lifts the duty to use the broken tile once it lies where it must (RULES.md 1.6, R-B2)."""
    broken = state.turn.broken
    if broken is None or broken not in tiles or not (new_meld or state.rules.break_use == "meld_or_attach"):
        return state
    return replace(state, turn=replace(state.turn, broken=None))


def _with_rack(state: Round, rack: Iterable[Tile]) -> Round:
    return replace(state, racks=_set(state.racks, state.seat, tuple(sorted(rack))))


def _without(state: Round, tiles: Iterable[Tile]) -> Round:
    left = list(state.rack)
    for tile in tiles:
        left.remove(tile)
    return _with_rack(state, left)


def _set(values: tuple[T, ...], at: int, value: T) -> tuple[T, ...]:
    return (*values[:at], value, *values[at + 1 :])
