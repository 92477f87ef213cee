"""Players, rounds and tally: the state of a match as a pure fold over append-only events.

>>> from companion.match import Entry, Line, MatchStarted, Player, Result, RoundScored, replay
>>> start = MatchStarted(key="k1", game="remi", players=(Player("a", "Ana"), Player("b", "Bogdan")), dealer="a")
>>> lines = Entry.of("a", Line("melds", 45), Line("closing", 50)), Entry.of("b", Line("rack", -35))
>>> match = replay([start, RoundScored(key="k2", result=Result(entries=lines, closer="a"))])
>>> match.totals, match.leaders, match.dealer
({'a': 95, 'b': -35}, ('a',), 'b')
"""

from companion.match.events import (
    SCHEMA,
    SOURCES,
    DealerSet,
    Entry,
    Event,
    Line,
    MatchEnded,
    MatchReopened,
    MatchStarted,
    Player,
    PlayerRenamed,
    Result,
    RoundEdited,
    RoundRestored,
    RoundScored,
    RoundUndone,
    doubled,
    from_json,
    result_from_json,
    result_to_json,
    to_json,
)
from companion.match.faults import SENTENCES, ConflictError, Fault, MatchError
from companion.match.state import KEY_LIMIT, NAME_LIMIT, POINTS_LIMIT, Match, Round, Standing, append, apply, replay

__all__ = [
    "KEY_LIMIT",
    "NAME_LIMIT",
    "POINTS_LIMIT",
    "SCHEMA",
    "SENTENCES",
    "SOURCES",
    "ConflictError",
    "DealerSet",
    "Entry",
    "Event",
    "Fault",
    "Line",
    "Match",
    "MatchEnded",
    "MatchError",
    "MatchReopened",
    "MatchStarted",
    "Player",
    "PlayerRenamed",
    "Result",
    "Round",
    "RoundEdited",
    "RoundRestored",
    "RoundScored",
    "RoundUndone",
    "Standing",
    "append",
    "apply",
    "doubled",
    "from_json",
    "replay",
    "result_from_json",
    "result_to_json",
    "to_json",
]
