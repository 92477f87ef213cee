"""The best opening and laying in Remi, against trying everything and against an integer program."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest
from arrange_reference import Move, exhaustive, lengthenings, new_melds, program

from companion.arrange import ArrangeError, Arrangement, TableMeld, best_laying, best_opening, rack_points
from companion.games.remi import HouseRules, judge_meld, judge_opening
from companion.games.remi.table import judge_attach
from companion.pieces import FULL_SET, JOKER, Tile, parse_tiles, spell

RULES = {
    "seed": HouseRules(),
    "no-limit": HouseRules(joker_ratio=0),
    "one-each-apart": HouseRules(joker_ratio=1, jokers_adjacent=False),
    "apart-short": HouseRules(joker_ratio=0, jokers_adjacent=False, run14=False),
    "short": HouseRules(run14=False),
    "set-too-50": HouseRules(opening_needs_set=True, opening_min=50),
    "ones-with-more": HouseRules(ones_set_alone=False),
    "no-exception": HouseRules(ones_set_exception=False),
    "by-place": HouseRules(final_one="by_position", final_joker="replaced"),
}
LAID = {"tiles": lambda tiles: len(tiles), "left": rack_points}


def close_rack(
    rng: random.Random, n: int, jokers: int, colours: str = "rbyk", low: int = 1, high: int = 13
) -> list[Tile]:
    """A rack out of few faces, so that there is much to choose between."""
    pool = [t for t in FULL_SET if t.value and t.code[0] in colours and low <= t.value <= high]
    return rng.sample(pool, n - jokers) + [JOKER] * jokers


def racks(count: int, n: int, seed: int) -> list[list[Tile]]:
    rng = random.Random(seed)
    kinds = [("rbyk", 1, 13), ("rb", 1, 13), ("rby", 1, 5), ("rbk", 9, 13), ("r", 1, 13), ("rbyk", 10, 13)]
    found = []
    for i in range(count):
        colours, low, high = kinds[i % len(kinds)]
        size = min(n, 2 * len(colours) * (high - low + 1))
        jokers = i // len(kinds) % 3
        rack = close_rack(rng, size, min(jokers, size), colours, low, high)
        if i % 2:  # the 1 above the 13 needs help to turn up
            rack[: 2 if len(rack) > 2 else 0] = parse_tiles("r13 r1")[: 2 if len(rack) > 2 else 0]
        if max(Counter(t for t in rack if t.value).values()) <= 2:
            found.append(rack)
    return found


def table_of(rng: random.Random, rack: Sequence[Tile], melds: int, rules: HouseRules) -> list[TableMeld]:
    """Random legal melds out of the tiles that the rack leaves."""
    rest = list((Counter(FULL_SET) - Counter(rack)).elements())
    table = []
    for _ in range(melds):
        rng.shuffle(rest)
        choice = new_melds([t for t in rest[:40] if t.value] + [t for t in rest if not t.value], rules)
        # one real tile with two open jokers would be read as a run later on (RULES.md 1.8.3 leaves a set's joker open)
        choice = [m for m in choice if sum(bool(t.value) for t in m.tiles) > 1]
        if not choice:
            break
        move = rng.choice(choice)
        table.append(TableMeld(move.tiles, rng.random() < 0.6))
        for tile in move.tiles:
            rest.remove(tile.bare())
    return table


def check_arrangement(
    answer: Arrangement[Tile],
    rack: Sequence[Tile],
    table: Sequence[TableMeld],
    rules: HouseRules,
    anywhere: bool = False,
) -> None:
    """The answer is legal for the rules core, adds up, and keeps a tile to discard."""
    used = [t.bare() for m in answer.melds for t in m.added]
    assert Counter(used) + Counter(answer.left) == Counter(rack)
    assert answer.laid == len(used)
    assert answer.points_left == rack_points(answer.left)
    assert answer.complete
    assert not rack or answer.left
    assert len({m.onto for m in answer.melds if m.onto is not None}) == sum(m.onto is not None for m in answer.melds)
    for meld in answer.melds:
        assert judge_meld(meld.pieces, rules, meld.kind).ok, spell(meld.pieces)
        if meld.onto is None:
            assert meld.pieces == meld.added
            assert judge_meld(meld.pieces, rules).kind == meld.kind
        else:
            old = table[meld.onto]
            verdict = judge_attach(old.tiles, meld.added, own=old.mine or anywhere, opened="earlier", rules=rules)
            assert verdict.ok, (spell(old.tiles), spell(meld.added), verdict.codes)


def final_points(move: Move, table: Sequence[TableMeld], rules: HouseRules) -> int:
    from companion.games.remi.score import TableMeld as Scored
    from companion.games.remi.score import score_round
    from companion.pieces import Laid

    added = list(move.added)
    laid = []
    start = judge_meld(move.tiles, rules, move.kind).start
    old = range(0)
    if move.onto is not None and move.kind == "run":
        first = judge_meld(table[move.onto].tiles, rules).start
        old = range(first - start, first - start + len(table[move.onto].tiles))
    for i, tile in enumerate(move.tiles):
        mine = i not in old if move.onto is None or move.kind == "run" else i == len(move.tiles) - 1
        laid.append(Laid(tile, "me" if mine else "other"))
    assert [t.tile for t in laid if t.by == "me"] == added
    score = score_round([Scored("other", tuple(laid))], {"me": (), "other": ()}, closer=None, rules=rules)
    return score.points["me"]


SOME = pytest.mark.parametrize("count", [6, pytest.param(48, marks=pytest.mark.slow)])


@SOME
@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("objective", ["left", "tiles", "points"])
def test_best_laying_equals_trying_everything(name: str, objective: str, count: int) -> None:
    rules = RULES[name]
    rng = random.Random(f"{name}{objective}{count}")
    for rack in racks(count, 8, rng.randrange(10**6)):
        table = table_of(rng, rack, rng.randrange(4), rules)
        anywhere = rng.random() < 0.3
        moves = new_melds(rack, rules) + lengthenings(rack, table, rules, anywhere)
        if len(moves) > 300:
            continue
        worth = {
            id(m): final_points(m, table, rules) if objective == "points" else LAID[objective](m.added) for m in moves
        }

        def gain(chosen: Sequence[Move], size: int = len(rack), worth: dict[int, int] = worth) -> int | None:
            return sum(worth[id(m)] for m in chosen) if sum(len(m.added) for m in chosen) < size else None

        answer = best_laying(rack, table, rules, objective, jokers_anywhere=anywhere)
        check_arrangement(answer, rack, table, rules, anywhere)
        got = {"left": rack_points(rack) - answer.points_left, "tiles": answer.laid, "points": answer.value}[objective]
        assert got == exhaustive(rack, moves, gain), (spell(rack), [(spell(m.tiles), m.mine) for m in table], anywhere)


@SOME
@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("objective", ["left", "tiles", "points"])
def test_best_opening_equals_trying_everything(name: str, objective: str, count: int) -> None:
    rules = RULES[name]
    rng = random.Random(f"opening{name}{objective}{count}")
    for rack in racks(count, 10, rng.randrange(10**6)):
        moves = new_melds(rack, rules)
        if len(moves) > 120:
            continue

        def gain(chosen: Sequence[Move], rack: Sequence[Tile] = rack) -> int | None:
            if not judge_opening([m.tiles for m in chosen], rules, rack=len(rack)).ok:
                return None
            if objective == "points":
                return sum(m.value for m in chosen)
            return sum(LAID[objective](m.added) for m in chosen)

        def points(chosen: Sequence[Move], rack: Sequence[Tile] = rack) -> int | None:
            verdict = judge_opening([m.tiles for m in chosen], rules, rack=len(rack))
            return verdict.value if chosen and set(verdict.codes) <= {"BELOW_MINIMUM"} else None

        answer = best_opening(rack, rules, objective)
        best = exhaustive(rack, moves, gain)
        if best is None:
            short = exhaustive(rack, moves, points)
            assert not answer.ok
            assert answer.missing == rules.opening_min - (short or 0), spell(rack)
            assert (answer.reason == "BELOW_MINIMUM") == (short is not None)
            assert (answer.reason == "NEEDS_RUN") == all(m.kind != "run" for m in moves)
            continue
        assert answer.ok, (spell(rack), best)
        check_arrangement(answer, rack, (), rules)
        verdict = judge_opening([m.pieces for m in answer.melds], rules, rack=len(rack))
        assert verdict.ok
        assert verdict.value == answer.value
        got = {"left": rack_points(rack) - answer.points_left, "tiles": answer.laid, "points": answer.value}[objective]
        assert got == best, (spell(rack), [spell(m.pieces) for m in answer.melds])


@pytest.mark.parametrize(("n", "jokers"), [(14, 0), (14, 1), (14, 2), (20, 0), (20, 2), (40, 0), (40, 1), (40, 2)])
def test_best_laying_equals_an_integer_program(n: int, jokers: int) -> None:
    rng = random.Random(n * 10 + jokers)
    rules = HouseRules()
    for _ in range(2):
        rack = close_rack(rng, n, jokers)
        table = table_of(rng, rack, 4, rules)
        moves = new_melds(rack, rules) + lengthenings(rack, table, rules, False)
        for objective in ("left", "tiles"):
            answer = best_laying(rack, table, rules, objective)
            check_arrangement(answer, rack, table, rules)
            got = rack_points(rack) - answer.points_left if objective == "left" else answer.laid
            assert got == program(rack, moves, [LAID[objective](m.added) for m in moves])


@pytest.mark.parametrize("jokers", [0, 1, 2])
def test_best_opening_equals_an_integer_program(jokers: int) -> None:
    rng = random.Random(jokers)
    rules = HouseRules(ones_set_exception=False)
    opened = 0
    for _ in range(12):
        rack = close_rack(rng, 15, jokers, "rbyk", 6, 13)
        moves = new_melds(rack, rules)
        best = program(rack, moves, [rack_points(m.added) for m in moves], runs=1, value=45)
        answer = best_opening(rack, rules, "left")
        assert answer.ok == (best is not None)
        if best is None:
            assert answer.missing == 45 - (program(rack, moves, [m.value for m in moves], runs=1) or 0)
            continue
        opened += 1
        assert rack_points(rack) - answer.points_left == best
    assert opened


def test_the_last_tile_stays_to_be_discarded() -> None:
    answer = best_laying(parse_tiles("r3 r4 r5 b1 b2 b3"))
    assert [spell(m.pieces) for m in answer.melds] == ["b1 b2 b3"]
    assert spell(answer.left) == "r3 r4 r5"
    answer = best_laying(parse_tiles("r3 r4 r5 r6"))
    assert answer.points_left == 5
    opening = best_opening(parse_tiles("r10 r11 r12 r13 b10 b11 b12 b13"))
    assert (opening.value, opening.laid) == (70, 7)


def test_a_narrow_first_look_is_no_answer() -> None:
    """The whole search after it must not fall back on less."""
    rack = parse_tiles("r13 r1 k12 k11 r12 k13 r11 b11 * *")
    answer = best_opening(rack, objective="left")
    assert (answer.points_left, answer.laid) == (10, 9)


@pytest.mark.parametrize(
    ("rack", "reason", "missing"),
    [
        ("r9 r10 r11 b2 b3 b4 k1", "BELOW_MINIMUM", 5),
        ("r5 b5 y5 r10 b10 y10 k1", "NEEDS_RUN", 45),
        ("r10 r11 r12 b2 b3 b4 k1", "OK", 0),
        ("r1 b1 * k7", "OK", 0),
        ("", "NEEDS_RUN", 45),
        ("r10 r11 r12", "NO_TILE_TO_DISCARD", 45),
        ("r10 r11 r12 r13 r1", "BELOW_MINIMUM", 5),
    ],
)
def test_what_an_opening_lacks(rack: str, reason: str, missing: int) -> None:
    answer = best_opening(parse_tiles(rack))
    assert (answer.reason, answer.missing) == (reason, missing)


def test_an_opening_may_lack_a_set() -> None:
    rules = HouseRules(opening_needs_set=True)
    assert best_opening(parse_tiles("r9 r10 r11 r12 r13 k2"), rules).reason == "NEEDS_SET"


def test_a_joker_goes_onto_ones_own_meld_only() -> None:
    rack = parse_tiles("* k1")
    others = [TableMeld(parse_tiles("r3 r4 r5"))]
    assert best_laying(rack, others).laid == 0
    assert spell(best_laying(rack, others, jokers_anywhere=True).melds[0].pieces) == "r3 r4 r5 *=r6"
    mine = [TableMeld(parse_tiles("r12 r13 r1"), mine=True)]
    assert spell(best_laying(rack, mine).melds[0].pieces) == "*=r11 r12 r13 r1"


@pytest.mark.parametrize("text", ["r1 r1 r1", "* * *"])
def test_a_rack_that_no_set_holds_is_refused(text: str) -> None:
    with pytest.raises(ArrangeError, match="a set holds"):
        best_laying(parse_tiles(text))


def test_more_jokers_than_a_set_holds_are_refused_on_the_table_too() -> None:
    table = [TableMeld(parse_tiles("r3 *=r4 r5"), mine=True)]
    with pytest.raises(ArrangeError, match="3 jokers: a set holds two"):
        best_laying(parse_tiles("* * r9"), table)


def test_an_illegal_meld_on_the_table_is_refused() -> None:
    with pytest.raises(ArrangeError, match="meld 2 of the table, r3 r4 r6, is illegal: NOT_CONSECUTIVE"):
        best_laying(parse_tiles("r1"), [TableMeld(parse_tiles("b3 b4 b5")), TableMeld(parse_tiles("r3 r4 r6"))])


def test_a_limit_that_was_hit_is_said() -> None:
    rack = close_rack(random.Random(4), 40, 2)
    answer = best_laying(rack, limit=5)
    assert not answer.complete
    assert answer.points_left >= best_laying(rack).points_left
