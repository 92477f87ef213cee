"""An invented match in progress, to look around in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from companion.ledger import Ledger, now
from companion.match import MatchStarted, Player, RoundScored
from companion.web.scoring import score

PLAYERS = ("Bunica", "Ana", "Bogdan", "Mihai")
ROUNDS: tuple[dict[str, Any], ...] = (
    {
        "players": {
            "p1": {"melds": ["r10 r11 r12 r13", "b4 b5 b6"], "rack": ""},
            "p2": {"melds": ["k7 k8 k9 k10", "y5 y6 y7", "r3 b3 k3"], "rack": "r1 y13"},
            "p3": {"melds": [], "rack": "b1 b2 r5 y9 k12 k13 y3 r7 b8"},
            "p4": {"melds": ["b9 b10 b11 b12", "k2 k3 k4"], "rack": "y1 r9"},
        },
        "closer": "p1",
        "atu": "r10",
    },
    {
        "players": {
            "p1": {"melds": ["r1 b1 k1"], "rack": "y4 y8"},
            "p2": {"melds": ["y10 y11 y12 y13", "r4 r5 r6", "b8 k8 y8"], "rack": ""},
            "p3": {"melds": ["k9 k10 k11 k12 k13"], "rack": "r2 b6"},
            "p4": {"melds": ["b2 b3 b4 b5", "r11 r12 r13"], "rack": "* k5"},
        },
        "closer": "p2",
        "atu": "k4",
    },
    {
        "players": {
            "p1": {"melds": ["b10 b11 b12 b13 b1"], "rack": "r6 r8"},
            "p2": {"melds": [], "rack": "y2 y6 k10 r13 b7"},
            "p3": {"melds": ["r9 r10 r11 *", "y3 y4 y5"], "rack": ""},
            "p4": {"melds": ["k5 k6 k7 k8"], "rack": "b9 y12"},
        },
        "closer": "p3",
        "atu": "y3",
        "missed": ["p4"],
    },
)


def set_up(ledger: Ledger) -> str:
    """Write the invented match into an empty ledger; its id."""
    players = tuple(Player(f"p{n}", name) for n, name in enumerate(PLAYERS, 1))
    match_id, match = ledger.start(
        MatchStarted(key="demo", game="remi", players=players, dealer="p4", title="Duminică la bunica")
    )
    for number, given in enumerate(ROUNDS, 1):
        event = RoundScored(key=f"demo{number}", result=score(match, given).result)
        match = ledger.append(match_id, replace(event, at=now()), match.version)
    return match_id
