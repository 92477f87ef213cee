"""Whole rounds of Carousel and Rummy, legal and illegal play at random: nothing lost, refusals change nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.games import RoundError, carousel, rummy
from companion.games.carousel import round as carousel_round
from companion.games.rummy import round as rummy_round
from companion.pieces import CARDS, DECLARED_CARDS, Card, parse_card, parse_cards

NAMES = ("Ana", "Bo", "Cris", "Dan", "Eva", "Flo")
SEEDS = st.integers(0, 2**32)


def mixed(chance: Random, cards: tuple[Card, ...], swaps: int) -> list[Card]:
    """A sorted pack disturbed by so many swaps; more than 100: shuffled."""
    pack = sorted(cards)
    if swaps > 100:
        chance.shuffle(pack)
        return pack
    for _ in range(swaps):
        i, j = chance.randrange(len(pack)), chance.randrange(len(pack))
        pack[i], pack[j] = pack[j], pack[i]
    return pack


# -- Carousel -------------------------------------------------------------------------------------------------------


def carousel_cards(state: carousel_round.State) -> Counter[Card]:
    held = [*state.stock, *(c for hand in state.hands for c in hand), *(c.bare() for m in state.table for c in m)]
    return Counter(held)


def carousel_wish(chance: Random, state: carousel_round.State) -> list[carousel_round.Action]:
    """New melds out of the hand, cards added to melds, a joker replaced and laid again: mostly legal."""
    hand = state.hands[state.seat]
    table = state.table
    held = set(hand)
    rows = [[CARDS[suit * 13 + (low + i) % 13] for i in range(3)] for suit in range(4) for low in range(12)]
    rows += [list(three) for rank in range(13) for three in combinations(CARDS[rank::13], 3)]
    afters: list[tuple[tuple[Card, ...], ...]] = [(*table, tuple(row)) for row in rows if held.issuperset(row)]
    for i, meld in enumerate(table):
        rest = (*table[:i], *table[i + 1 :])
        for card in held:
            new = chance.choice(DECLARED_CARDS) if card.is_joker else card
            if carousel.judge_meld((*meld, new), state.rules).ok:
                afters.append((*rest, (*meld, new)))
            for seat in (c for c in meld if c.stands is card):
                real = tuple(card if c is seat else c for c in meld)
                afters.append((*rest, (*real, chance.choice([seat, *DECLARED_CARDS]))))
        for seat in (c for c in meld if c.is_joker):
            moved = tuple(chance.choice(DECLARED_CARDS) if c is seat else c for c in meld)
            afters += [(*rest, moved, row[-1]) for row in afters[:2] if len(row) > len(table)]
    chance.shuffle(afters)
    return [carousel_round.Meld(after) for after in afters[:4]]


def carousel_nonsense(chance: Random, state: carousel_round.State) -> carousel_round.Action:
    some = tuple(chance.choice([*CARDS, *DECLARED_CARDS]) for _ in range(3))
    ours = state.hands[state.seat][: chance.randrange(4)]
    choices: list[carousel_round.Action] = [
        carousel_round.Draw(),
        carousel_round.End(),
        carousel_round.Knock(),
        carousel_round.Meld(()),
        carousel_round.Meld(state.table),
        carousel_round.Meld((*state.table, some)),
        carousel_round.Meld((*state.table, ours)),
        carousel_round.Meld(state.table[1:]),
    ]
    return chance.choice(choices)


def play_carousel(seed: int, players: int, swaps: int, keep: int, rules: carousel.HouseRules) -> Counter[str]:
    """A random round with so many cards of each dealt hand kept, the others on the stock; what happened how often."""
    chance = Random(seed)
    pack = mixed(chance, carousel.pack(players), swaps)
    dealt = carousel_round.deal(pack, NAMES[:players], NAMES[seed % players], rules)
    spare = [card for hand in dealt.hands for card in hand[keep:]]
    stock = (*dealt.stock, *spare)
    first = state = replace(
        dealt, hands=tuple(hand[:keep] for hand in dealt.hands), stock=stock, turn=carousel.begin(len(stock))
    )
    everything = carousel_cards(state)
    log: list[carousel_round.Action] = []
    seen: Counter[str] = Counter()

    def step(action: carousel_round.Action) -> bool:
        nonlocal state
        new, verdict = carousel_round.play(state, action)
        log.append(action)
        assert verdict.sentence()
        if not verdict.ok:
            assert new is state
            seen[verdict.reason] += 1
            return False
        seen[type(action).__name__] += 1
        assert carousel_cards(new) == everything
        assert all(carousel.judge_meld(meld, rules).ok for meld in new.table)
        if isinstance(action, carousel_round.Meld):
            assert len(new.hands[state.seat]) < len(state.hands[state.seat])
        state = new
        return True

    for _ in range(600):
        if state.over:
            break
        if chance.random() < 0.2:
            step(carousel_nonsense(chance, state))
            continue
        if not state.turn.complete:
            step(carousel_round.Draw())
        while not state.over and state.turn.draws < 3 and any(step(wish) for wish in carousel_wish(chance, state)):
            pass
        if state.turn.complete and not state.over:
            low = carousel.hand_points(state.hands[state.seat]) <= 5
            step(carousel_round.Knock() if low or chance.random() < 0.1 else carousel_round.End())
    assert carousel_round.replay(first, log) == state
    if state.over:
        seen["over"] += 1
        seen["out"] += any(not hand for hand in state.hands)
        seen["stock out"] += state.extra_turns == 0
        score = state.score()
        assert sum(line.points for line in score.lines) == score.value
        assert score.winners
        assert carousel_round.play(state, carousel_round.Draw())[1].reason == "ROUND_OVER"
    else:
        with pytest.raises(RoundError):
            state.score()
    return seen


CAROUSEL_RULES = [
    carousel.HouseRules(),
    carousel.HouseRules(extra_draws="optional", knock_timing="after_any_draw", run14=False),
]


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(2, 5), st.sampled_from([5, 20, 200]), st.integers(1, 10), st.sampled_from(CAROUSEL_RULES))
def test_carousel_loses_nothing(seed: int, players: int, swaps: int, keep: int, rules: carousel.HouseRules) -> None:
    play_carousel(seed, players, swaps, keep, rules)


def test_carousel_play_reaches_everything() -> None:
    seen: Counter[str] = Counter()
    for seed in range(40):
        seen += play_carousel(
            seed, 2 + seed % 4, (5, 20, 200)[seed % 3], (3, 10)[seed // 2 % 2], CAROUSEL_RULES[seed % 2]
        )
    wanted = (
        "Draw", "Meld", "Knock", "End", "over", "stock out", "TABLE_CARD_TAKEN", "NO_CARD_FROM_HAND",
        "CARD_NOT_IN_HAND", "INVALID_MELD", "DRAW_AFTER_MELD", "TOO_MANY_DRAWS",
        "MUST_DRAW_FIRST", "MELD_AFTER_THIRD", "KNOCK_TOO_EARLY", "OVER_FIVE", "MUST_DRAW_MORE", "STOCK_EMPTY",
    )  # fmt: skip
    assert not [name for name in wanted if not seen[name]], seen


def test_the_extra_turns_go_round_once_the_exhauster_last() -> None:
    """RULES.md 2.5: he first completes his running turn."""
    pack = mixed(Random(3), carousel.pack(3), 200)
    state = carousel_round.deal(pack, NAMES[:3], "Cris")
    state = replace(state, stock=state.stock[:1], turn=carousel.begin(1))
    assert state.player == "Ana"
    order = []
    for action in (carousel_round.Draw(), *(carousel_round.End(),) * 4):
        state, verdict = carousel_round.play(state, action)
        assert verdict.ok
        order.append(state.player)
    assert order[:4] == ["Ana", "Bo", "Cris", "Ana"]
    assert state.over
    assert state.knocker is None


def test_the_last_card_played_ends_the_round() -> None:
    """RULES.md 2.2.3, and a joker keeps its card on the way (2.4)."""
    state = carousel_round.deal(mixed(Random(5), carousel.pack(2), 200), NAMES[:2], "Bo")
    table = (parse_cards("5C 6C *=7C"),)
    state = replace(state, hands=(parse_cards("3C"), parse_cards("KD QD")), table=table, stock=parse_cards("4C 2S"))
    state, verdict = carousel_round.play(state, carousel_round.Draw())
    assert verdict.ok
    same, verdict = carousel_round.play(state, carousel_round.Meld((parse_cards("3C 4C 5C 6C *=2C"),)))
    assert same is state
    assert verdict.reason == "JOKER_IDENTITY_CHANGED"
    state, verdict = carousel_round.play(state, carousel_round.Meld((parse_cards("3C 4C 5C 6C *=7C"),)))
    assert verdict.ok
    assert state.over
    assert state.score().points == {"Ana": 20 + 25, "Bo": 0}


# -- Rummy ----------------------------------------------------------------------------------------------------------


def rummy_cards(state: rummy_round.State) -> Counter[Card]:
    return Counter(
        [
            *state.stock,
            *state.discards,
            *(c for hand in state.hands for c in hand),
            *(c for m in state.melds for c in m),
        ]
    )


def rummy_wish(chance: Random, state: rummy_round.State) -> list[rummy_round.Action]:
    hand = state.hands[state.seat]
    actions: list[rummy_round.Action] = [
        rummy_round.Lay(three) for three in combinations(hand, 3) if rummy.judge_meld(three, state.rules).ok
    ]
    for i, meld in enumerate(state.melds):
        actions += [rummy_round.LayOff(i, (c,)) for c in hand if rummy.judge_layoff(meld, (c,), state.rules).ok]
    chance.shuffle(actions)
    return actions[:3]


def rummy_nonsense(chance: Random, state: rummy_round.State) -> rummy_round.Action:
    some = tuple(chance.choice(CARDS) for _ in range(chance.randrange(5)))
    hand = state.hands[state.seat]
    choices: list[rummy_round.Action] = [
        rummy_round.Take("stock"),
        rummy_round.Take("discard"),
        rummy_round.Lay(some),
        rummy_round.Lay(hand),
        rummy_round.Lay(hand[:3]),
        rummy_round.LayOff(chance.randrange(-1, len(state.melds) + 1), some),
        rummy_round.LayOff(0, ()),
        rummy_round.Discard(chance.choice(CARDS)),
        rummy_round.End(),
    ]
    return chance.choice(choices)


def play_rummy(seed: int, players: int, swaps: int, rules: rummy.HouseRules) -> Counter[str]:
    chance = Random(seed)
    first = state = rummy_round.deal(mixed(chance, CARDS, swaps), NAMES[:players], NAMES[seed % players], rules)
    assert (len(state.hands[0]), len(state.stock)) == (rummy.judge_deal(players).hand, rummy.judge_deal(players).stock)
    log: list[rummy_round.Action] = []
    seen: Counter[str] = Counter()

    def step(action: rummy_round.Action) -> bool:
        nonlocal state
        new, verdict = rummy_round.play(state, action)
        log.append(action)
        assert verdict.sentence()
        if not verdict.ok:
            assert new is state
            seen[verdict.reason] += 1
            return False
        seen[type(action).__name__] += 1
        assert rummy_cards(new) == Counter(CARDS)
        assert all(rummy.judge_meld(meld, rules).ok for meld in new.melds)
        state = new
        return True

    for _ in range(500):
        if state.over:
            break
        if chance.random() < 0.2:
            step(rummy_nonsense(chance, state))
            continue
        if state.took is None:
            step(rummy_round.Take("discard" if chance.random() < 0.3 else "stock"))
        if not state.over and state.took is not None:
            while chance.random() < 0.9 and any(step(wish) for wish in rummy_wish(chance, state)):
                pass
            hand = state.hands[state.seat]
            step(rummy_round.Discard(chance.choice(hand)) if hand else rummy_round.End())
    assert rummy_round.replay(first, log) == state
    if state.over:
        seen["void" if state.winner is None else "won"] += 1
        seen["rummy"] += state.rummy
        score = state.score()
        assert sum(line.points for line in score.lines) == score.value
        assert (score.value > 0) == (state.winner is not None)
    else:
        with pytest.raises(RoundError):
            state.score()
    return seen


RUMMY_RULES = [
    rummy.HouseRules(),
    rummy.HouseRules(ace="high_or_low", rummy_layoffs=False, discard_same_card=True, final_discard="optional"),
]


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.integers(2, 6), st.sampled_from([5, 20, 200]), st.sampled_from(RUMMY_RULES))
def test_rummy_loses_nothing(seed: int, players: int, swaps: int, rules: rummy.HouseRules) -> None:
    play_rummy(seed, players, swaps, rules)


def test_rummy_play_reaches_everything() -> None:
    seen: Counter[str] = Counter()
    for seed in range(80):
        seen += play_rummy(seed, 2 + seed % 5, (5, 20, 200)[seed % 3], RUMMY_RULES[seed % 2])
    wanted = (
        "Take", "Lay", "LayOff", "Discard", "won", "void", "INVALID_MELD", "CARD_NOT_IN_HAND", "MUST_DISCARD",
        "DISCARD_SAME_CARD", "MUST_DRAW_FIRST", "ALREADY_DREW_CARD", "NO_SUCH_MELD", "NOTHING_LAID",
    )  # fmt: skip
    assert not [name for name in wanted if not seen[name]], seen


def test_the_stock_is_turned_over_once_then_the_hand_is_void() -> None:
    """RULES.md 3.2 P-S1: all but the top card, unshuffled."""
    state = rummy_round.start(
        NAMES[:2],
        {"Ana": parse_cards("2H 9D"), "Bo": parse_cards("4C KS")},
        stock=(),
        upcard=parse_card("3D"),
        first="Ana",
    )
    state = replace(state, discards=parse_cards("5S 6S 3D"))

    def did(*actions: rummy_round.Action) -> None:
        nonlocal state
        for action in actions:
            state, verdict = rummy_round.play(state, action)
            assert verdict.ok, verdict.sentence()

    did(rummy_round.Take("stock"))
    assert (state.took, state.stock, state.discards) == (parse_card("5S"), parse_cards("6S"), parse_cards("3D"))
    did(rummy_round.Discard(parse_card("2H")), rummy_round.Take("stock"), rummy_round.Discard(parse_card("4C")))
    assert not state.stock
    did(rummy_round.Take("stock"))
    assert state.over
    assert state.winner is None
    assert state.score().points == {"Ana": 0, "Bo": 0}


@pytest.mark.parametrize("final", ["required", "optional"])
def test_going_out_without_a_discard_is_a_house_rule(final: str) -> None:
    """RULES.md 3 no. 4, P-O1."""
    rules = rummy.HouseRules(final_discard=final)
    hands = {"Ana": parse_cards("2H 3H"), "Bo": parse_cards("KS")}
    state = rummy_round.start(
        NAMES[:2], hands, stock=parse_cards("4H 9C"), upcard=parse_card("3D"), first="Ana", rules=rules
    )
    state, _ = rummy_round.play(state, rummy_round.Take("stock"))
    assert rummy_round.play(state, rummy_round.End())[1].reason == "MUST_DISCARD"
    after, verdict = rummy_round.play(state, rummy_round.Lay(parse_cards("2H 3H 4H")))
    if final == "required":
        assert after is state
        assert verdict.reason == "MUST_DISCARD"
        return
    after, verdict = rummy_round.play(after, rummy_round.End())
    assert verdict.ok
    assert after.rummy
    assert after.score().points == {"Ana": 20, "Bo": 0}


def test_impossible_deals_are_typed_errors() -> None:
    bad: list[tuple[Any, ...]] = [(CARDS[:-1], NAMES[:2], "Ana"), (CARDS, NAMES[:1], "Ana"), (CARDS, NAMES[:2], "Eva")]
    for cards, players, dealer in bad:
        with pytest.raises(RoundError):
            rummy_round.deal(cards, players, dealer)
        with pytest.raises(RoundError):
            carousel_round.deal(cards, players, dealer)
    with pytest.raises(RoundError, match="one hand"):
        rummy_round.start(NAMES[:2], {"Ana": ()}, stock=(), upcard=CARDS[0], first="Ana")
