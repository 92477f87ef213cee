"""The best rearrangement in Carousel and lay-off in Rummy, against trying everything and an integer program."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from companion.arrange import ArrangeError, Arrangement, best_layoff, best_rearrangement
from companion.games import carousel, rummy
from companion.games.cardmelds import hand_points
from companion.pieces import CARD_JOKER, CARDS, DECLARED_CARDS, Card, parse_card, parse_cards, spell

Melds = Sequence[Sequence[Card]]


def carousel_melds(have: Counter[Card], rules: carousel.HouseRules) -> list[tuple[Card, ...]]:
    """Every legal meld out of bare cards, jokers declared."""
    seats: list[list[Card]] = [
        [CARDS[suit * 13 + (p - 1) % 13] for p in range(start, start + n)]
        for suit in range(4)
        for start in range(1, 13)
        for n in range(3, 16 - start)
    ]
    for value in range(13):
        seats += [[CARDS[s * 13 + value] for s in suits] for n in (3, 4) for suits in combinations(range(4), n)]
    found = []
    for faces in seats:
        for k in range(have[CARD_JOKER] + 1):
            for by_joker in combinations(range(len(faces)), k):
                cards = tuple(DECLARED_CARDS[f.index] if i in by_joker else f for i, f in enumerate(faces))
                if not Counter(c.bare() for c in cards) - have and carousel.judge_meld(cards, rules).ok:
                    found.append(cards)
    return found


def every_table(
    table: Melds, hand: Sequence[Card], melds: Sequence[tuple[Card, ...]]
) -> Iterator[list[tuple[Card, ...]]]:
    """Every choice of melds that lays all cards of the table and some of the hand."""
    must = Counter(c.bare() for m in table for c in m)
    needs = [Counter(c.bare() for c in m) for m in melds]

    def go(first: int, have: Counter[Card], due: Counter[Card], chosen: list[tuple[Card, ...]]):  # type: ignore[no-untyped-def]
        if not due:
            yield chosen
        for i in range(first, len(melds)):
            if all(have[c] >= n for c, n in needs[i].items()):
                yield from go(i, have - needs[i], due - needs[i], [*chosen, melds[i]])

    yield from go(0, must + Counter(hand), must, [])


def program(table: Melds, hand: Sequence[Card], melds: Sequence[tuple[Card, ...]]) -> int:
    """The most hand points that can be played, by integer programming."""
    must = Counter(c.bare() for m in table for c in m)
    have = must + Counter(hand)
    identities = Counter(c.stands for m in table for c in m if c.stands)
    faces = sorted(have)
    n, k = len(melds), len(identities)
    uses = [[sum(c.bare() is f for c in m) for m in melds] + [0] * k for f in faces]
    rows, low, high = list(uses), [must[f] for f in faces], [have[f] for f in faces]
    for i, (face, count) in enumerate(identities.items()):
        lost = [int(i == j) for j in range(k)]
        rows.append([sum(c.stands is face for c in m) for m in melds] + lost)
        low.append(count)
        high.append(99)
        real = uses[faces.index(face)][:n] if face in have else [0] * n
        rows.append(real + [-x for x in lost])
        low.append(0)
        high.append(99)
    gains = [hand_points(c.bare() for c in m) for m in melds] + [0] * k
    answer = milp(
        -np.array(gains, dtype=float),
        constraints=LinearConstraint(np.array(rows, dtype=float), low, high),
        integrality=np.ones(n + k),
        bounds=Bounds(0, 2),
        options={"mip_rel_gap": 0.0},
    )
    assert answer.status == 0, answer.message
    return round(-answer.fun) - hand_points(c for f, n in must.items() for c in [f] * n)


def some_table(
    rng: random.Random, pack: Sequence[Card], cards: int, rules: carousel.HouseRules
) -> tuple[list[tuple[Card, ...]], list[Card]]:
    """Random legal melds of about so many cards, and the rest of the pack, shuffled."""
    rest = list(pack)
    table: list[tuple[Card, ...]] = []
    while sum(map(len, table)) < cards:
        rng.shuffle(rest)
        seen = [c for c in rest if not c.is_joker][:50]
        if CARD_JOKER in rest and rng.random() < 0.3:
            seen.append(CARD_JOKER)
        choice = [m for m in carousel_melds(Counter(seen), rules) if len(m) <= 6]
        if not choice:
            break
        meld = rng.choice(choice)
        table.append(meld)
        for card in meld:
            rest.remove(card.bare())
    return table, rest


def check(answer: Arrangement[Card], table: Melds, hand: Sequence[Card], rules: carousel.HouseRules) -> None:
    after = [m.pieces for m in answer.melds]
    added = [c.bare() for m in answer.melds for c in m.added]
    assert answer.complete
    assert Counter(added) + Counter(answer.left) == Counter(hand)
    assert (answer.laid, answer.points_left) == (len(added), hand_points(answer.left))
    assert answer.value == hand_points(hand) - answer.points_left
    verdict = carousel.judge_transition(table, hand, after, rules)
    assert verdict.reason == ("OK" if answer.ok else "NO_CARD_FROM_HAND"), (table, after, verdict.codes)


FEW = [c for c in CARDS if c.suit < 3 and (c.value <= 5 or c.value >= 12)]


@pytest.mark.parametrize("count", [40, pytest.param(400, marks=pytest.mark.slow)])
@pytest.mark.parametrize("run14", [True, False])
@pytest.mark.parametrize("objective", ["left", "tiles"])
def test_best_rearrangement_equals_trying_everything(objective: str, run14: bool, count: int) -> None:
    rules = carousel.HouseRules(run14=run14)
    rng = random.Random(f"{objective}{run14}{count}")
    played = freed = 0
    for _ in range(count):
        pool = [*FEW, *FEW] if rng.random() < 0.7 else [*CARDS, *CARDS]
        table, rest = some_table(rng, [*pool, CARD_JOKER, CARD_JOKER], rng.choice((0, 3, 6, 9)), rules)
        identities = [c.stands for m in table for c in m if c.stands]
        hand = rest[: rng.randrange(1, 5)]
        hand += [c for c in identities if c in rest and c not in hand and rng.random() < 0.7]
        melds = carousel_melds(Counter(hand) + Counter(c.bare() for m in table for c in m), rules)
        if len(melds) > 400:
            continue
        best = 0
        for after in every_table(table, hand, melds):
            if carousel.judge_transition(table, hand, after, rules).ok:
                now = Counter(c.bare() for m in after for c in m) - Counter(c.bare() for m in table for c in m)
                best = max(best, now.total() if objective == "tiles" else hand_points(now.elements()))
        answer = best_rearrangement(table, hand, rules, objective)  # type: ignore[arg-type]
        check(answer, table, hand, rules)
        assert best == (answer.laid if objective == "tiles" else answer.value), ([spell(m) for m in table], spell(hand))
        played += answer.ok
        kept = Counter(c.stands for m in answer.melds for c in m.pieces if c.stands)
        freed += answer.ok and bool(Counter(identities) - kept)
    assert played > count / 8
    assert freed


@pytest.mark.parametrize(("cards", "held"), [(20, 10), (40, 14), pytest.param(60, 12, marks=pytest.mark.slow)])
def test_best_rearrangement_equals_an_integer_program(cards: int, held: int) -> None:
    rng = random.Random(cards)
    rules = carousel.HouseRules()
    for _ in range(2):
        table, rest = some_table(rng, carousel.pack(4), cards, rules)
        hand = rest[:held]
        melds = carousel_melds(Counter(hand) + Counter(c.bare() for m in table for c in m), rules)
        answer = best_rearrangement(table, hand, rules)
        check(answer, table, hand, rules)
        assert answer.value == program(table, hand, melds)


@pytest.mark.parametrize(
    ("table", "hand", "after"),
    [
        # the joker is the 8 of diamonds until that card lies on the table
        (["7D *=8D 9D"], "8D 2C", ["*=6D 7D 8D 9D", "7D 8D 9D *=10D"]),
        (["7D *=8D 9D"], "10S", None),
        # four of a rank lend one to a sequence
        (["5S 5H 5D 5C"], "6S 7S", ["5H 5D 5C|5S 6S 7S"]),
    ],
)
def test_how_a_table_is_rearranged(table: list[str], hand: str, after: list[str] | None) -> None:
    answer = best_rearrangement([parse_cards(m) for m in table], parse_cards(hand))
    assert answer.ok == (after is not None)

    def written(melds: Iterable[Sequence[Card]]) -> set[str]:
        return {spell(sorted(m, key=lambda c: (c.face().value, c.face().suit))) for m in melds}

    got = written(m.pieces for m in answer.melds)
    if after is None:
        assert got == set(table)
        assert answer.left == parse_cards(hand)
    else:
        assert got in [written(map(parse_cards, way.split("|"))) for way in after]


@pytest.mark.parametrize(
    ("table", "hand", "what"),
    [
        (["7D 8D 10D"], "2C", "meld 1 of the table, 7D 8D 10D, is illegal: NOT_CONSECUTIVE"),
        (["7D 8D 9D"], "7D 7D", "there are 3 cards 7D"),
        (["7D 8D *=9D"], "* *", "there are 3 cards"),
    ],
)
def test_a_table_that_cannot_be_is_refused(table: list[str], hand: str, what: str) -> None:
    with pytest.raises(ArrangeError) as error:
        best_rearrangement([parse_cards(m) for m in table], parse_cards(hand))
    assert what in str(error.value)


# --- Rummy ---------------------------------------------------------------------------------------------------------


def layoffs(table: Melds, hand: Sequence[Card], rules: rummy.HouseRules) -> Iterator[list[tuple[int, Card]]]:
    """Every way to add cards of the hand to the table, one by one."""
    melds = [tuple(m) for m in table]

    def go(now: list[tuple[Card, ...]], have: tuple[Card, ...], done: list[tuple[int, Card]]):  # type: ignore[no-untyped-def]
        yield done
        for card in have:
            for i, meld in enumerate(now):
                if done and (i, card.index) < (done[-1][0], -1):
                    continue
                if rummy.judge_layoff(meld, (card,), rules).ok:
                    grown = [(*m, card) if i == j else m for j, m in enumerate(now)]
                    yield from go(grown, tuple(c for c in have if c is not card), [*done, (i, card)])

    yield from go(melds, tuple(hand), [])


@pytest.mark.parametrize("count", [60, pytest.param(600, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "rules",
    [rummy.HouseRules(), rummy.HouseRules(ace="high_or_low"), rummy.HouseRules(final_discard="optional")],
    ids=["seed", "high-ace", "no-discard"],
)
@pytest.mark.parametrize("objective", ["left", "tiles"])
def test_best_layoff_equals_trying_everything(objective: str, rules: rummy.HouseRules, count: int) -> None:
    rng = random.Random(f"{objective}{rules}{count}")
    keep = rules.final_discard == "required"
    played = 0
    for i in range(count):
        pool = CARDS if i % 2 else [c for c in CARDS if c.value <= 4 or c.value >= 11]
        rest = rng.sample(pool, len(pool))
        table: list[tuple[Card, ...]] = []
        for _ in range(rng.randrange(4)):
            choice = [m for m in carousel_melds(Counter(rest), carousel.SEED) if rummy.judge_meld(m, rules).ok]
            table.append(rng.choice(choice))
            rest = [c for c in rest if c not in table[-1]]
        hand = rest[: rng.randrange(3, 9)]
        melds = [m for m in carousel_melds(Counter(hand), carousel.SEED) if rummy.judge_meld(m, rules).ok]
        best = 0
        for added in layoffs(table, hand, rules):
            left = [c for c in hand if c not in {card for _, card in added}]
            for chosen in every_table((), left, melds):
                laid = [c for m in chosen for c in m] + [card for _, card in added]
                if not keep or len(laid) < len(hand):
                    best = max(best, len(laid) if objective == "tiles" else hand_points(laid))
        answer = best_layoff(hand, table, rules, objective)  # type: ignore[arg-type]
        assert best == (answer.laid if objective == "tiles" else answer.value), ([spell(m) for m in table], spell(hand))
        used = [c for m in answer.melds for c in m.added]
        assert Counter(used) + Counter(answer.left) == Counter(hand)
        assert answer.points_left == hand_points(answer.left)
        for meld in answer.melds:
            assert rummy.judge_meld(meld.pieces, rules).ok
            if meld.onto is not None:
                assert rummy.judge_layoff(table[meld.onto], meld.added, rules).ok
        played += answer.ok
    assert played > count / 4


def test_the_golden_hand_goes_out() -> None:
    """RULES.md 3.1, step 4: with 7H everything but the discard is laid."""
    answer = best_layoff(parse_cards("4H 5H 6H 9C 9D 9S 2C 7H"))
    assert [spell(m.pieces) for m in answer.melds] == ["9S 9D 9C", "4H 5H 6H 7H"]
    assert answer.left == (parse_card("2C"),)


@pytest.mark.parametrize(("table", "hand"), [([], "*"), (["2C 3C 4C"], "3C"), (["2C 3C 5C"], "9C")])
def test_a_rummy_hand_that_cannot_be_is_refused(table: list[str], hand: str) -> None:
    with pytest.raises(ArrangeError):
        best_layoff(parse_cards(hand), [parse_cards(m) for m in table])
