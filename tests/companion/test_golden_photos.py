"""The worked hand of Rummy (RULES.md 3.1) from deal to 70 points, every table and hand a rendered photograph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from companion.games import RoundScore
from companion.games.rummy.round import Discard, Lay, State, Take, play, start
from companion.pieces import Card, parse_card, parse_cards
from companion.table import Table, read_table, score_players
from datasets.decks import deck
from datasets.played import Played, Style, photograph
from datasets.truth import perfect

HANDS = {"you": "4H 5H 6H 9C 9D KS 2C", "Ada": "KH KD QC 3D 8D AC 5S", "Bo": "10S JS QS 8H 7D 6C 2D"}
Melds = tuple[tuple[Card, ...], ...]


@lru_cache(maxsize=1)
def empty_table() -> Played:
    return Played(deck(7, held_out=True), ground=3)


def shot(groups: Sequence[Sequence[str]], style: Style, view: str, seed: int) -> Table:
    """A photograph of groups of cards, read without an error."""
    rng = np.random.default_rng(seed)
    table = empty_table()
    for codes in groups:
        table = table.lay(rng, codes, style if len(codes) > 1 else None)
    taken = photograph(table, seed, 480, sharp=True)
    scene, _ = perfect(taken.label, 1, seed, shake=0.02)
    return read_table(scene, "rummy", as_=view)  # type: ignore[arg-type]


def seen(table: Table) -> tuple[Card, ...]:
    return tuple(sorted(parse_card(piece.code) for piece in table.scene.pieces))


def hand_of(state: State, player: str) -> tuple[Card, ...]:
    return state.hands[state.players.index(player)]


def check_hand(state: State, player: str, seed: int, points: int) -> Table:
    """The hand photographed as a fan: its cards, and what they cost."""
    cards = hand_of(state, player)
    table = shot([[card.code for card in cards]] if cards else [], "fan", "rack", seed)
    assert seen(table) == cards
    assert table.total.value == points
    return table


def laid(before: Melds, after: Melds, seed: int) -> tuple[Card, ...]:
    """What a photograph of the table shows more than one from before: the meld that was laid."""
    tables = [shot([[c.code for c in meld] for meld in melds], "column", "table", seed + n)
              for n, melds in enumerate((before, after)) if melds]
    assert all(meld.verdict.ok for meld in tables[-1].melds)
    old = seen(tables[0]) if len(tables) > 1 else ()
    return tuple(card for card in seen(tables[-1]) if card not in old)


@pytest.mark.slow
def test_the_worked_hand_is_played_from_photographs() -> None:
    dealt = {}
    for n, (player, text) in enumerate(HANDS.items()):
        photo = shot([text.split()], "fan", "rack", 100 + n)
        assert seen(photo) == tuple(sorted(parse_cards(text)))
        dealt[player] = seen(photo)
    state = start(("you", "Ada", "Bo"), dealt, stock=parse_cards("3C 7H"), upcard=parse_card("9S"), first="you")

    def act(*actions: Take | Lay | Discard) -> None:
        nonlocal state
        for action in actions:
            state, verdict = play(state, action)
            assert verdict.ok, verdict.sentence()

    def lay_from_photos(text: str, seed: int) -> None:
        cards = laid(state.melds, (*state.melds, tuple(parse_cards(text))), seed)
        act(Lay(cards))

    act(Take("discard"), Discard(parse_card("KS")))
    check_hand(state, "you", 110, 44)
    act(Take("discard"))
    lay_from_photos("KH KD KS", 120)
    act(Discard(parse_card("QC")))
    check_hand(state, "Ada", 121, 17)
    act(Take("stock"))
    lay_from_photos("10S JS QS", 130)
    act(Discard(parse_card("8H")))
    check_hand(state, "Bo", 131, 18)
    act(Take("stock"))
    lay_from_photos("4H 5H 6H 7H", 140)
    lay_from_photos("9C 9D 9S", 142)
    act(Discard(parse_card("2C")))
    assert (state.over, state.winner, state.rummy) == (True, "you", True)

    left = {player: check_hand(state, player, 150 + n, points) for n, (player, points) in
            enumerate((("Ada", 17), ("Bo", 18)))}
    nobody = replace(left["Ada"].seen.scene, pieces=(), rows=())
    tables = {"you": read_table(nobody, "rummy", as_="rack"), **left}
    scored = score_players(tables, {"winner": "you", "rummy": True})
    assert scored.verdict.ok
    assert isinstance(scored.verdict, RoundScore)
    assert {name: verdict.value for name, verdict in scored.verdict.players} == {"you": 70, "Ada": 0, "Bo": 0}
