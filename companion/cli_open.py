"""``remi open "r10 r11 r12" "b2 b3 b4"``: can I open with these?"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from companion.cli_check import meld_json, parse_melds, show_meld
from companion.cli_output import Output, add_output_options, verdict_json
from companion.cli_rules import add_rules_options, game_of, rules_of


def configure(parser: ArgumentParser) -> None:
    """The options of ``remi open``."""
    parser.add_argument("melds", metavar="MELD", nargs="+", help="everything laid in that turn, each meld in its order")
    parser.add_argument(
        "--rack", metavar="N", type=int, help="pieces in hand before laying, so that one is left to put down"
    )
    parser.add_argument("--first-round", action="store_true", help="not everyone has had a turn yet")
    add_rules_options(parser)
    add_output_options(parser)


def run(args: Namespace, output: Output) -> int:
    """Judge the opening; 1 if it doesn't open."""
    game = game_of(args)
    rules = rules_of(args, game)
    melds = parse_melds(game, args.melds)
    verdict = game.judge_opening(melds, rules, rack=args.rack, round_over=not args.first_round)
    judged = [game.judge_meld(meld, rules) for meld in melds]
    for meld in judged:
        show_meld(output, meld)
    output.say(f"{output.mark(verdict.ok)}  {verdict.sentence()}")
    output.give({"game": game.name, **verdict_json(verdict), "melds": [meld_json(meld) for meld in judged]})
    return 0 if verdict.ok else 1
