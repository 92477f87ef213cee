"""The rules of Remi, Carousel and Rummy, exact and explained (RULES.md 0-3).

Public, stable names::

    from companion.games import get, names            # get("remi" | "carousel" | "rummy") -> Game
    from companion.games.verdict import Verdict, Line  # .ok .reason .faults .codes .value .lines .sentence(translate)
    from companion.games.messages import Message       # (code, params).text(translate)
    from companion.games.house import HouseRulesBase, Switch, HouseRuleError
    from companion.games import remi
    remi.HouseRules(opening_min=50)                    # .preset("popular") .from_mapping .from_toml .load .switches()
    remi.judge_meld(tiles, rules, kind=None) -> MeldVerdict    # tiles in their order; .kind 'run'|'set' .start .value
    remi.readings(tiles, rules) -> tuple[MeldVerdict, ...]     # tiles in any order, best first, jokers declared
    remi.judge_handful(tiles, rules) -> MeldVerdict            # any order: best reading or why there is none
    remi.judge_opening(melds, rules, rack=None, round_over=True) -> Verdict   # melds: sequences of tiles in order

Planned in the same shape (the module docstrings say when they are there)::

    game.judge_meld(pieces, rules) / game.readings(pieces, rules) / game.judge_opening(melds, rules)
    game.score_round(record, rules) -> RoundScore      # record: JSON shape of RULES.md 6
    game.house, game.pieces ('tile'|'card'), game.parse(text), game.players (low, high)

Nothing here imports cv2, numpy, flask or onnxruntime; points are ints; there is no state outside the values.
"""
