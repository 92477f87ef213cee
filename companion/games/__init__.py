"""The rules of Remi, Carousel and Rummy, exact and explained (RULES.md 0-3).

What every game can be asked (:class:`~companion.games.base.Game`)::

    games.names() -> ("remi", "carousel", "rummy");  games.get(name) -> Game
    game.name .title .pieces ("tile" | "card") .players (low, high) .house (its HouseRules) .rules(mapping)
    game.parse(text); game.judge_meld(pieces, rules); game.readings(pieces, rules)
    game.judge_opening(melds, rules, rack=None, round_over=True)
    game.score_round(record, rules) -> RoundScore      # record: JSON as in the *.score cases of RULES.md 6
    game.judge_game(totals, rounds_won, rules) -> GameEnd; game.hand_value(piece)

What comes back (:mod:`~companion.games.verdict`)::

    Verdict: .ok .reason .faults .codes .value .lines .sentence(translate);  sum of line.points == value, always
    RoundScore(Verdict): .players ((name, Verdict), ...) .points .winners .of(name) .explain(translate)

House rules (:mod:`~companion.games.house`): ``HouseRules(...)``, ``.preset("popular")``, ``.from_mapping``,
``.from_toml``, ``.load``, ``.switches()``, ``.changes()``; :class:`HouseRuleError` names switch, value and choices.

Each game's own functions are in :mod:`companion.games.remi`, :mod:`~companion.games.carousel` and
:mod:`~companion.games.rummy`; a whole round is played with their ``round`` modules.

Nothing here imports cv2, numpy, flask or onnxruntime; points are ints; there is no state outside the values.
"""

from companion.games.base import Game
from companion.games.gameend import GameEnd
from companion.games.house import HouseRuleError, HouseRulesBase, Switch
from companion.games.messages import Message
from companion.games.registry import UnknownGameError, get, names
from companion.games.score import RoundError, RoundScore
from companion.games.verdict import Line, MeldJudgement, Verdict

__all__ = [
    "Game",
    "GameEnd",
    "HouseRuleError",
    "HouseRulesBase",
    "Line",
    "MeldJudgement",
    "Message",
    "RoundError",
    "RoundScore",
    "Switch",
    "UnknownGameError",
    "Verdict",
    "get",
    "names",
]
