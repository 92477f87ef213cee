"""Whole rounds of Remi, legal and illegal play at random: the invariants of RULES.md 1.14."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.games.remi import FINAL_VALUE, HouseRules, doubles, judge_meld, readings
from companion.games.remi import round as remi_round
from companion.games.remi.round import (
    Action,
    AnnounceAtu,
    Attach,
    Break,
    Discard,
    Draw,
    Exchange,
    Lay,
    PlayOnRack,
    Redeal,
    Round,
    Swap,
    TakeBack,
    play,
    problems,
    replay,
)
from companion.games.remi.state import Turn
from companion.games.score import RoundError
from companion.pieces import FULL_SET, JOKER, TILES, Tile, parse_tile, parse_tiles

NAMES = ("Ana", "Bo", "Cris", "Dan")


def shuffled(chance: Random, swaps: int) -> list[Tile]:
    """The set in a rising order, disturbed by so many swaps: few make rich racks, many a real shuffle."""
    tiles = list(FULL_SET)
    if swaps > 100:
        chance.shuffle(tiles)
        return tiles
    for _ in range(swaps):
        i, j = chance.randrange(106), chance.randrange(106)
        tiles[i], tiles[j] = tiles[j], tiles[i]
    return tiles


def melds_in(rack: tuple[Tile, ...], rules: HouseRules) -> list[tuple[Tile, ...]]:
    """Legal melds of three to five tiles of the rack; one joker at most."""
    found: list[tuple[Tile, ...]] = []
    faces = set(rack)
    for colour in range(4):
        for low in range(1, 13):
            for n in (3, 4, 5):
                if low + n > 15:
                    continue
                run = tuple(TILES[colour * 13 + (p - 1) % 13] for p in range(low, low + n))
                missing = [i for i, tile in enumerate(run) if tile not in faces]
                if not missing:
                    found.append(run)
                elif len(missing) == 1 and JOKER in faces:
                    i = missing[0]
                    found.append((*run[:i], JOKER, *run[i + 1 :]))
    for value in range(1, 14):
        ours = sorted(tile for tile in faces if tile.value == value)
        found += [chosen for n in (3, 4) for chosen in combinations(ours, n)]
        if JOKER in faces:
            found += [(*chosen, JOKER) for chosen in combinations(ours, 2)]
    return [meld for meld in found if judge_meld(meld, rules).ok]


def disjoint(chance: Random, rack: tuple[Tile, ...], rules: HouseRules) -> tuple[tuple[Tile, ...], ...]:
    """Some melds that can be laid together."""
    left = Counter(rack)
    chosen = []
    candidates = melds_in(rack, rules)
    chance.shuffle(candidates)
    for meld in candidates:
        if not Counter(meld) - left:
            chosen.append(meld)
            left -= Counter(meld)
    return tuple(chosen)


def wanted(chance: Random, state: Round) -> list[Action]:
    """What a player might sensibly do now, in random order of kinds; not all of it is legal."""
    rack = state.rack
    if not state.turn.drew and state.turns:
        at = chance.randrange(len(state.row)) if chance.random() < 0.4 else len(state.row) - 1
        return [Break(at)] if chance.random() < 0.25 else [Draw()]
    actions: list[Action] = []
    melds = disjoint(chance, rack, state.rules)
    if melds:
        actions.append(Lay(melds))
        actions.append(Lay(melds[:1]))
    if state.standing != "no":
        for i, entry in enumerate(state.melds):
            actions += [Attach(i, (tile,)) for tile in set(rack)]
            jokers = [placed for placed in entry.tiles if not placed.face.value]
            if jokers:
                faces = [p.face.face() for p in jokers if p.face.stands]
                value = next(p.face.value for p in entry.tiles if p.face.value)
                missing = [
                    t for t in TILES if t.value == value and all(t is not p.face for p in entry.tiles) and t in rack
                ]
                gives = [(face,) for face in faces if face in rack] + [tuple(missing)]
                for give in gives:
                    rest = Counter(rack) - Counter(give)
                    pairs = [pair for pair in combinations(sorted(rest), 2) if readings((*pair, JOKER), state.rules)]
                    actions += [Swap(i, give, readings((*pair, JOKER), state.rules)[0].tiles) for pair in pairs[:3]]
                    actions.append(Swap(i, give, None, chance.randrange(len(state.melds))))
    chance.shuffle(actions)
    return [*actions[:12], *([PlayOnRack()] if chance.random() < 0.01 else [])]


def trade(chance: Random, state: Round) -> Action:
    """An exchange of doubles between two seats that have one, if they do."""
    a, b = chance.sample(range(len(state.players)), 2)
    pairs = [doubles(state.racks[seat], state.rules) for seat in (a, b)]
    if not all(pairs):
        return Redeal(a)
    return Exchange(a, b, chance.choice(pairs[0]), chance.choice(pairs[1]))


def nonsense(chance: Random, state: Round) -> Action:
    """Anything, mostly illegal."""
    if not state.turns and chance.random() < 0.5:
        return trade(chance, state)
    some = tuple(chance.choice(FULL_SET) for _ in range(chance.randrange(5)))
    ours = tuple(chance.choice(state.rack) for _ in range(chance.randrange(5)))
    meld = chance.randrange(-1, len(state.melds) + 1)
    kinds: list[Action] = [
        Draw(),
        Break(chance.randrange(-1, len(state.row) + 1)),
        PlayOnRack(),
        Lay((some,)),
        Lay((ours, some)),
        Lay(()),
        Attach(meld, some),
        Attach(meld, ours),
        Swap(meld, some[:1], ours),
        Swap(meld, ours[:2], None, chance.randrange(-1, 3)),
        Discard(chance.choice(FULL_SET)),
        TakeBack(),
        Exchange(chance.randrange(-1, 4), chance.randrange(4), chance.choice(state.rack), chance.choice(FULL_SET)),
        Redeal(chance.randrange(-1, 5)),
        AnnounceAtu(chance.randrange(-1, 5)),
    ]
    return chance.choice(kinds)


def total(state: Round) -> int:
    tiles = [t for rack in state.racks for t in rack] + list(state.stock) + list(state.row)
    tiles += [placed.tile for entry in state.melds for placed in entry.tiles]
    return sum(FINAL_VALUE[tile.value] for tile in tiles)


def spent_pieces(state: Round) -> Counter[tuple[Tile, int, Tile]]:
    return Counter((p.tile, p.by, p.face) for entry in state.melds for p in entry.tiles if p.spent)


def play_round(seed: int, players: int, swaps: int, rules: HouseRules, limit: int = 400) -> tuple[Round, Counter[str]]:
    """A random round, checked at every step; the last state and what happened how often."""
    chance = Random(seed)
    first = state = remi_round.start(shuffled(chance, swaps), NAMES[:players], chance.randrange(players), rules)
    log: list[Action] = []
    seen: Counter[str] = Counter()

    def step(action: Action) -> bool:
        nonlocal state
        new, verdict = play(state, action)
        log.append(action)
        assert verdict.sentence()
        name = type(action).__name__
        if not verdict.ok:
            assert new is state
            seen[verdict.reason] += 1
            return False
        seen[name] += 1
        assert not problems(new), problems(new)
        assert total(new) == 940
        if state.row and not isinstance(action, TakeBack):
            assert new.row[0] is state.row[0]
            assert not spent_pieces(state) - spent_pieces(new)
        state = new
        return True

    for _ in range(limit):
        if state.over:
            break
        if chance.random() < 0.3:
            step(nonsense(chance, state))
            continue
        for action in wanted(chance, state):
            if step(action) and isinstance(action, (Draw, Break)):
                break
        if (state.turn.drew or not state.turns) and not state.over and chance.random() < 0.8:
            tile = chance.choice(state.rack)
            if not step(Discard(tile, chance.random() < 0.5)) and state.turn.drew == "row":
                step(TakeBack())
    assert replay(first, log) == state
    if state.over and not state.void:
        score = state.score()
        assert sum(line.points for line in score.lines) == score.value
        assert score.ok, score.sentence()
    else:
        with pytest.raises(RoundError):
            state.score()
    return state, seen


SWITCHED = HouseRules(
    joker_ratio=1,
    jokers_adjacent=False,
    run14=False,
    ones_set_alone=False,
    attach_in_opening_turn=True,
    break_use="meld_or_attach",
    break_min_rack=3,
    swap_use="meld_or_attach",
    swap_model="move",
    announce="manual",
    final_one="by_position",
    final_joker="replaced",
    not_opened="flat100",
    atu_bonus="announced",
    close_joker_double=True,
    atu_one_or_joker_doubles=True,
    dubla_same_category=True,
    jokers_are_dubla=True,
)
RULES = st.sampled_from(
    [
        HouseRules(),
        HouseRules.preset("popular"),
        SWITCHED,
        HouseRules(final_joker="replaced", swap_use="meld_or_attach"),
    ]
)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(2, 4), st.sampled_from([5, 20, 60, 200]), RULES)
def test_any_play_keeps_the_invariants(seed: int, players: int, swaps: int, rules: HouseRules) -> None:
    play_round(seed, players, swaps, rules)


def test_the_random_play_reaches_everything() -> None:
    seen: Counter[str] = Counter()
    closed = run_out = 0
    for seed in range(120):
        rules = (HouseRules(), SWITCHED)[seed % 2]
        state, happened = play_round(seed, 2 + seed % 3, (5, 20, 60)[seed % 3], rules, 800)
        seen += happened
        closed += state.closer is not None
        run_out += state.over and not state.void and state.closer is None
    for name in ("Draw", "Break", "Lay", "Attach", "Swap", "Discard", "TakeBack", "PlayOnRack", "Exchange"):
        assert seen[name], (name, seen)
    assert closed
    assert run_out
    for code in (
        "MUST_DRAW", "FIRST_ROUND", "BELOW_MINIMUM", "NEEDS_RUN", "INVALID_MELD", "TILE_NOT_ON_RACK", "NOT_OPENED",
        "JOKER_ON_OTHERS", "NO_TILE_TO_DISCARD", "DEAD_TILE", "NOT_OPENED_ONLY_LAST", "MUST_USE_BROKEN",
        "NEW_MELD_FORBIDDEN", "MUST_DRAW_STOCK", "STARTER_DOES_NOT_DRAW", "ALREADY_DREW",
    ):  # fmt: skip
        assert seen[code], (code, seen)


def rigged(*racks: str, stock: str = "", row: str = "", players: int = 2, rules: HouseRules | None = None) -> Round:
    """A round in its third round of turns with these racks; what nobody holds lies in the stock."""
    held = [parse_tiles(rack) for rack in racks]
    lying = parse_tiles(row)
    left = Counter(FULL_SET)
    for tiles in (*held, lying, parse_tiles(stock)):
        left -= Counter(tiles)
    state = remi_round.start(FULL_SET, NAMES[:players], players - 1, rules or HouseRules())
    return replace(
        state,
        racks=tuple(tuple(sorted(rack)) for rack in held),
        stock=(*parse_tiles(stock), *left.elements()),
        row=lying,
        turns=2 * players,
        turn=Turn(len(held[0])),
    )


def did(state: Round, *actions: Action) -> Round:
    for action in actions:
        state, verdict = play(state, action)
        assert verdict.ok, (action, verdict.sentence())
    return state


def refused(state: Round, action: Action) -> str:
    new, verdict = play(state, action)
    assert new is state
    return verdict.reason


def lay(*texts: str) -> Lay:
    return Lay(tuple(parse_tiles(text) for text in texts))


SWAP_RACKS = ("r10 r11 r12 r3 * r5 k2 k13 y13 y2 y3 y4 y6 b9", "b10 b11 b12 b13 b1 r4 b7 y7 k9 k10 r8 y9 y10 r1")


@pytest.mark.parametrize("model", ["mark", "move"])
def test_a_joker_is_exchanged_once_and_booked_by_the_model(model: str) -> None:
    state = rigged(*SWAP_RACKS, stock="k7 k8 k1 y1", row="k3 y8", rules=HouseRules(swap_model=model))
    state = did(state, Draw(), lay("r10 r11 r12", "r3 * r5"), Discard(parse_tile("k2")))
    state = did(state, Draw(), lay("b10 b11 b12 b13 b1"))
    joker = Swap(1, parse_tiles("r4"), parse_tiles("b7 y7 *"))
    assert refused(state, joker) == "OPENING_TURN"
    state = did(state, Discard(parse_tile("r8")), Draw(), Discard(parse_tile("k13")), Draw())
    assert refused(state, Swap(1, parse_tiles("r4"), None)) == "MUST_USE_JOKER"
    assert refused(state, Swap(1, parse_tiles("r1"), parse_tiles("b7 y7 *"))) == "WRONG_TILE"
    state = did(state, joker)
    assert not problems(state)
    assert refused(state, Swap(1, parse_tiles("r4"), parse_tiles("y9 y10 *"))) in (
        "TILE_NOT_ON_RACK",
        "ALREADY_SWAPPED",
    )
    old, new = state.melds[1], state.melds[3]
    credited = {(p.tile.code, p.by) for p in (*old.tiles, *new.tiles) if p.tile.code in ("*", "r4")}
    assert credited == ({("*", 0), ("r4", 1)} if model == "mark" else {("*", 1), ("r4", 1)})
    ended = replace(state, over=True)
    table_points = [sum(line.points for line in ended.score().of(name).lines if line.points > 0) for name in NAMES[:2]]
    assert table_points == ([90, 65 + 15] if model == "mark" else [30 + 10, 65 + 5 + 60])


def test_play_on_the_rack_binds_until_everything_is_laid_at_once() -> None:
    rack = "r5 b5 y5 r6 b6 y6 r7 b7 y7 k2 k3 k4 k5 y1"
    state = rigged(rack, "b1 b2 b3 b8 b9 k9 k10 k11 k12 k13 y9 y10 y11 y12", stock="r13 k6", row="k3 y8")
    state = did(state, Break(1))
    assert refused(state, Discard(parse_tile("y8"))) == "MUST_USE_BROKEN"
    state = did(state, PlayOnRack())
    assert refused(state, lay("k2 k3 k4 k5")) == "RACK_PLAY_ALL"
    state = did(state, Discard(parse_tile("y8")), Draw(), Discard(parse_tile("y9")), Draw())
    melds = ("r5 b5 y5", "r6 b6 y6", "r7 b7 y7")
    assert refused(state, lay(*melds, "k2 k3 k4 k5")) == "RACK_PLAY_ALL"
    state = did(state, lay(*melds, "k2 k3 k4 k5 k6"), Discard(parse_tile("y1")))
    assert state.over
    assert state.closer == 0
    assert state.score().points["Ana"] == 14 * 5 + 50
