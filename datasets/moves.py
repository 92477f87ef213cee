"""Tables of melds as Carousel leaves them, and moves from one to the next, legal and not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from datasets.box import RANKS, SUITS, Box
from datasets.decks import Deck
from datasets.layout import Rng
from datasets.played import Played

MELDS = (2, 8)
"""Fewest and most melds of a table."""
MOVES = ("new", "add", "split", "nothing", "taken", "broken", "foreign", "leftover")
"""A new meld, a card added to a meld, a meld parted and both parts filled up; nothing, a card of the table taken, a
meld left illegal, a card that was not in the hand, a card left over."""


@dataclass(frozen=True)
class Move:
    """A move: its kind, the table before and after it, and the hand before it."""

    kind: str
    before: Played
    after: Played
    hand: tuple[str, ...]


def some_meld(rng: Rng, box: Box) -> list[str] | None:
    """A legal meld out of what is left in the box, one in eight with a joker; None where chance finds none."""
    if rng.random() < 0.55:
        length = int(rng.integers(3, 7))
        first = int(rng.integers(0, 14 - length + 1))
        suit = SUITS[int(rng.integers(4))]
        wanted = [f"{RANKS[n % 13]}{suit}" for n in range(first, first + length)]
    else:
        rank = RANKS[int(rng.integers(13))]
        wanted = [f"{rank}{SUITS[int(n)]}" for n in rng.permutation(4)[: int(rng.integers(3, 5))]]
    if rng.random() < 0.125 and box.left["*"] > 0:
        wanted[int(rng.integers(len(wanted)))] = "*"
    if any(box.left[code] < count for code, count in Counter(wanted).items()):
        return None
    return [box.take(code) for code in wanted]


def some_table(rng: Rng, made: Deck, packs: int, box: Box | None = None) -> Played:
    """A table of legal melds of so many packs, each with one joker a pack."""
    box = box or carousel_box(rng, packs)
    table = Played(made, ground=int(rng.integers(10_000)))
    turned = float(rng.choice([0.0, 0.25, 1.0], p=[0.55, 0.25, 0.2]))
    for _ in range(int(rng.integers(MELDS[0], MELDS[1] + 1))):
        meld = some_meld(rng, box)
        if meld:
            # to one player, to several round the table, or any way
            quarter = float(rng.integers(4)) * np.pi / 2 if rng.random() < 2 * turned else 0.0
            yaw = float(rng.uniform(0, 2 * np.pi)) if turned == 1.0 else quarter + float(rng.normal(0, 0.1))
            table = table.lay(rng, meld, yaw=yaw)
    return table if table.heaps else table.lay(rng, [box.take(f"{rank}H") for rank in RANKS[:3]])


def carousel_box(rng: Rng, packs: int) -> Box:
    """The cards of Carousel (RULES.md 2.1): one joker a pack."""
    box = Box("card", packs, rng)
    box.left["*"] = packs
    return box


def some_move(rng: Rng, made: Deck, packs: int, kind: str = "") -> Move:
    """A table and a move on it, of this kind or one by chance. What lies untouched stays where it lay."""
    box = carousel_box(rng, packs)
    before = some_table(rng, made, packs, box)
    kind = kind or MOVES[int(rng.integers(len(MOVES)))]
    hand = [box.any() for _ in range(5)]
    after = _moved(rng, before, box, kind, hand)
    if after is None:
        return some_move(rng, made, packs, kind)
    rng.shuffle(hand)
    return Move(kind, before, after, tuple(hand))


def _moved(rng: Rng, before: Played, box: Box, kind: str, hand: list[str]) -> Played | None:
    """The table after a move; cards it needs are taken from the box into the hand. None where it can't be made."""
    place = int(rng.integers(len(before.heaps)))
    codes = list(before.heaps[place].codes)
    rest = before.without(place)
    if kind == "nothing":
        return before
    if kind == "new":
        meld = some_meld(rng, box)
        if meld is None or "*" in meld:
            return None
        hand += meld
        return before.lay(rng, meld)
    if kind == "leftover":
        hand.append(box.any())
        return before.lay(rng, [hand[-1]])
    if kind == "taken":
        return rest.lay(rng, codes[:-1]) if len(codes) > 3 else None
    if "*" in codes:
        return None
    if kind == "split":
        return _split(rng, before, rest, codes, box, hand)
    added = _fitting(codes, box) if kind in ("add", "foreign") else _wrong(rng, codes, box)
    if added is None:
        return None
    if kind != "foreign":
        hand.append(added)
    elif added in hand:
        return None
    return rest.lay(rng, _sorted([*codes, added]) if kind != "broken" else [*codes, added])


def _split(
    rng: Rng, before: Played, rest: Played, codes: list[str], box: Box, hand: list[str]
) -> Played | None:
    """The last card of a meld of four or more goes into a group of three of its rank, filled up from the hand."""
    if len(codes) < 4:
        return None
    moved = codes[-1]
    others = [f"{moved[:-1]}{suit}" for suit in SUITS if suit != moved[-1] and box.left[f"{moved[:-1]}{suit}"] > 0]
    if len(others) < 2:
        return None
    filled = [box.take(code) for code in others[:2]]
    hand += filled
    return rest.lay(rng, codes[:-1]).lay(rng, [moved, *filled])


def _fitting(codes: Sequence[str], box: Box) -> str | None:
    """A card left in the box that lengthens a meld."""
    ranks = [RANKS.index(code[:-1]) for code in codes]
    if len(set(ranks)) == 1:
        options = [f"{codes[0][:-1]}{suit}" for suit in SUITS if f"{codes[0][:-1]}{suit}" not in codes]
    else:
        options = [f"{RANKS[n]}{codes[0][-1]}" for n in (min(ranks) - 1, max(ranks) + 1) if 0 <= n < 13]
        if "A" in {code[:-1] for code in codes}:
            return None
    return next((box.take(code) for code in options if box.left[code] > 0), None)


def _wrong(rng: Rng, codes: Sequence[str], box: Box) -> str | None:
    """A card left in the box of another suit and far from the ranks of a meld."""
    ranks = [RANKS.index(code[:-1]) for code in codes]
    options = [
        code for code, count in box.left.items()
        if count > 0 and code != "*" and code[-1] not in {c[-1] for c in codes[:1]}
        and min(abs(RANKS.index(code[:-1]) - rank) for rank in ranks) > 2
    ]  # fmt: skip
    return box.take(options[int(rng.integers(len(options)))]) if options else None


def _sorted(codes: Sequence[str]) -> list[str]:
    return sorted(codes, key=lambda code: RANKS.index(code[:-1]))
