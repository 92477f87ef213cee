"""How many legal melds and openings there are, counted by the core and again by an independent enumeration.

The core's count asks it about every candidate. The second count never asks the core: it writes down what RULES.md says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement, product
from math import comb

import pytest

from companion.games import carousel, remi, rummy
from companion.pieces import CARDS, DECLARED_CARDS, JOKER, TILES, Card, Tile

REMI = remi.HouseRules()


# -- Remi melds -----------------------------------------------------------------------------------------------------


def run_rows(jokers: int) -> Iterator[tuple[Tile, ...]]:
    """Every row of 2 to 15 tiles of one colour whose real tiles stand at rising places of the circle of 13, with so
    many open jokers anywhere: a superset of all legal runs, wrong starts, corners and lengths included."""
    for colour, first, n in product(range(4), range(13), range(2, 16)):
        row = [TILES[colour * 13 + (first + i) % 13] for i in range(n)]
        for places in combinations(range(n), jokers):
            yield tuple(JOKER if i in places else tile for i, tile in enumerate(row))


def set_rows(jokers: int) -> Iterator[tuple[Tile, ...]]:
    """Every handful of 2 to 5 tiles of one value, doubles included, with so many of them open jokers."""
    for value, n in product(range(13), range(2, 6)):
        faces = [TILES[colour * 13 + value] for colour in range(4)]
        for real in combinations_with_replacement(faces, n - jokers) if n >= jokers else ():
            yield (*real, *(JOKER,) * jokers)


def core_melds(jokers: int, rules: remi.HouseRules) -> tuple[int, int]:
    """Legal runs and sets with so many jokers, as laid (jokers open, by place), by asking the core."""
    runs = {row for row in run_rows(jokers) if (v := remi.judge_meld(row, rules)).ok and v.kind == remi.RUN}
    sets = {row for row in set_rows(jokers) if (v := remi.judge_meld(row, rules)).ok and v.kind == remi.SET}
    return len(runs), len(sets)


def own_melds(jokers: int, ratio: int, longest: int = 14) -> tuple[int, int]:
    """The same by arithmetic: a run of n has 15 - n starts in each of 4 colours, and its jokers any places.

    With jokers one row can be read from one start only as long as a real tile is left, which the ratio sees to.
    """
    runs = sum(4 * (15 - n) * comb(n, jokers) for n in range(3, longest + 1) if n - jokers >= max(2, jokers * ratio))
    sets = sum(13 * comb(4, n - jokers) for n in (3, 4) if n - jokers >= max(2, jokers * ratio))
    return runs, sets


@pytest.mark.parametrize(
    ("jokers", "ratio", "counts"),
    [
        (0, 2, (312, 65)),
        (1, 2, (2080, 130)),
        (2, 2, (6420, 0)),
        (1, 1, (2080, 130)),
        (2, 1, (7084, 78)),
    ],
)
def test_remi_melds(jokers: int, ratio: int, counts: tuple[int, int]) -> None:
    assert core_melds(jokers, remi.HouseRules(joker_ratio=ratio)) == counts
    assert own_melds(jokers, ratio) == counts


def test_remi_melds_without_the_longest_run() -> None:
    assert core_melds(0, remi.HouseRules(run14=False)) == own_melds(0, 2, 13) == (308, 65)


# -- Remi openings --------------------------------------------------------------------------------------------------


def core_all_melds() -> list[remi.MeldVerdict]:
    rows = [row for row in (*run_rows(0), *set_rows(0)) if len(row) <= 14]
    return [verdict for row in dict.fromkeys(rows) if (verdict := remi.judge_meld(row, REMI)).ok]


def own_all_melds() -> list[tuple[str, int, bool, Counter[tuple[int, int]]]]:
    """(kind, opening value, set of ones, tiles as (colour, value)) of every meld without joker, by the rules' text."""
    found = []
    for colour, n in product(range(4), range(3, 15)):
        for start in range(1, 16 - n):
            places = range(start, start + n)
            value = sum(10 if 10 <= place <= 14 else 5 for place in places)
            found.append(("run", value, False, Counter((colour, 1 if place == 14 else place) for place in places)))
    for value, n in product(range(1, 14), (3, 4)):
        worth = 25 if value == 1 else 5 if value < 10 else 10
        found += [
            ("set", n * worth, value == 1, Counter((colour, value) for colour in colours))
            for colours in combinations(range(4), n)
        ]
    return found


def opening_counts(core: bool) -> dict[str, int]:
    """Openings of one and of two melds without joker that reach 45, and those that miss it by exactly 5.

    Two melds must be possible with two copies of each tile.
    """
    counts: Counter[str] = Counter()
    if core:
        melds = core_all_melds()
        for verdict in melds:
            tell(counts, "one", remi.judge_opening([verdict.tiles], REMI))
        tiles = [Counter(verdict.tiles) for verdict in melds]
        for i, j in combinations_with_replacement(range(len(melds)), 2):
            if max((tiles[i] + tiles[j]).values()) <= 2:
                tell(counts, "two", remi.judge_opening([melds[i].tiles, melds[j].tiles], REMI))
        return dict(counts)
    own = own_all_melds()
    for kind, value, ones, _ in own:
        if kind == "run" or ones:
            counts["one opens"] += value >= 45
            counts["one misses by 5"] += value == 40
    for a, b in combinations_with_replacement(own, 2):
        if any(n > 2 for n in (a[3] + b[3]).values()):
            continue
        if "run" in (a[0], b[0]):
            counts["two opens"] += a[1] + b[1] >= 45
            counts["two misses by 5"] += a[1] + b[1] == 40
    return dict(counts)


def tell(counts: Counter[str], name: str, verdict: remi.OpeningVerdict) -> None:
    counts[f"{name} opens"] += verdict.ok
    counts[f"{name} misses by 5"] += verdict.codes == ("BELOW_MINIMUM",) and verdict.value == 40


def test_remi_openings() -> None:
    counts = opening_counts(core=True)
    assert counts == opening_counts(core=False)
    assert counts == {"one opens": 145, "one misses by 5": 28, "two opens": 63484, "two misses by 5": 2310}


# -- cards ----------------------------------------------------------------------------------------------------------


def core_card_melds(judge: object, packs: int, jokers: int = 0) -> tuple[int, int]:
    """Legal sequences and groups as sets of cards with so many declared jokers, by asking the core."""
    runs, groups = set(), set()
    for suit, first, n in product(range(4), range(13), range(2, 16)):
        row = [CARDS[suit * 13 + (first + i) % 13] for i in range(n)]
        if max(Counter(row).values()) > packs:
            continue
        for places in combinations(range(n), jokers):
            cards = tuple(DECLARED_CARDS[c.index] if i in places else c for i, c in enumerate(row))
            verdict = judge(cards)  # type: ignore[operator]
            if verdict.ok and verdict.kind == "run":
                runs.add(tuple(sorted(cards)))
    for rank, n in product(range(13), range(2, 6)):
        faces = [CARDS[suit * 13 + rank] for suit in range(4)]
        for held in combinations_with_replacement(faces, n):
            for places in combinations(range(n), jokers):
                cards = tuple(DECLARED_CARDS[c.index] if i in places else c for i, c in enumerate(held))
                verdict = judge(cards)  # type: ignore[operator]
                if verdict.ok and verdict.kind == "group":
                    groups.add(tuple(sorted(cards)))
    return len(runs), len(groups)


def test_carousel_melds() -> None:
    """As sets of cards: all 13 of a suit are one sequence wherever the ace lies; two packs also make the 14."""
    groups = sum(13 * comb(4, n) for n in (3, 4))
    one_pack = (sum(4 * (15 - n) for n in range(3, 13)) + 4, groups)
    assert core_card_melds(carousel.judge_meld, 1) == one_pack == (304, 65)
    two_packs = (one_pack[0] + 4, groups)
    assert core_card_melds(carousel.judge_meld, 2) == two_packs == (308, 65)


def test_carousel_melds_with_one_declared_joker() -> None:
    """Any one card of a meld may be the joker; which of the two aces of a 14 it stands for makes no difference."""
    runs = sum(4 * (15 - n) * n for n in range(3, 13)) + 4 * 13 + 4 * 13
    groups = sum(13 * comb(4, n) * n for n in (3, 4))
    assert core_card_melds(carousel.judge_meld, 2, 1) == (runs, groups) == (2024, 208)


def test_rummy_melds() -> None:
    low = (sum(4 * (14 - n) for n in range(3, 14)), 65)
    assert core_card_melds(rummy.judge_meld, 1) == low == (264, 65)
    high = rummy.HouseRules(ace="high_or_low")

    def judge(cards: tuple[Card, ...]) -> object:
        return rummy.judge_meld(cards, high)

    both = (sum(4 * (15 - n) for n in range(3, 13)) + 4, 65)
    assert core_card_melds(judge, 1) == both == (304, 65)
