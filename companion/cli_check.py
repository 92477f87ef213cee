"""``remi check "r3 r4 r5" "y1 b1 *"``: each meld legal or why not, and what it is worth."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from typing import Any

from companion.cli_output import Output, UsageError, add_output_options, verdict_json
from companion.cli_rules import add_rules_options, game_of, rules_of
from companion.games import Game, HouseRulesBase, MeldJudgement
from companion.pieces import NotationError, Piece


def configure(parser: ArgumentParser) -> None:
    """The options of ``remi check``."""
    parser.add_argument(
        "melds", metavar="MELD", nargs="+",
        help="pieces in their order: 'r3 r4 r5', 'y1 b1 *', 'r12 r13 *=r1'; cards '10H JH QH'",
    )  # fmt: skip
    add_rules_options(parser)
    add_output_options(parser)


def parse_melds(game: Game[Any], texts: list[str]) -> list[tuple[Any, ...]]:
    """The melds of the command line. Raises :class:`UsageError` that points at the wrong piece."""
    melds = []
    for number, text in enumerate(texts, 1):
        try:
            melds.append(game.parse(text))
        except NotationError as error:
            raise UsageError.notation(error, f"meld {number}" if len(texts) > 1 else "") from None
    return melds


def notation(pieces: Iterable[Piece]) -> str:
    """The pieces as they are typed."""
    return " ".join(map(str, pieces))


def show_meld(output: Output, verdict: MeldJudgement) -> None:
    """A meld drawn, with its verdict in words beneath."""
    worth = f"  {verdict.value}" if verdict.ok and verdict.value else ""
    output.say(f"{output.mark(verdict.ok)}  {output.draw(verdict.pieces)}{worth}")
    output.say(f"    {verdict.sentence()}")


def meld_json(verdict: MeldJudgement) -> dict[str, Any]:
    """A meld for programs."""
    return {"pieces": notation(verdict.pieces), "kind": verdict.kind, **verdict_json(verdict)}


def other_orders(
    game: Game[Any], pieces: tuple[Piece, ...], verdict: MeldJudgement, rules: HouseRulesBase
) -> list[str]:
    """How the same pieces would be legal, best first: in another order, or with the jokers declared otherwise."""
    readings = [notation(reading.pieces) for reading in game.readings(pieces, rules)]
    return [reading for reading in readings if not verdict.ok or reading != notation(verdict.pieces)]


def run(args: Namespace, output: Output) -> int:
    """Judge every meld; 1 if one is not legal."""
    game = game_of(args)
    rules = rules_of(args, game)
    melds = parse_melds(game, args.melds)
    verdicts = [game.judge_meld(meld, rules) for meld in melds]
    answers = []
    for meld, verdict in zip(melds, verdicts, strict=True):
        others = other_orders(game, meld, verdict, rules)
        answers.append({**meld_json(verdict), "readings": others})
        show_meld(output, verdict)
        if others and not verdict.ok:
            output.say(f"    In another order it is one: {others[0]}")
        elif others:
            output.say(f"    It could also be {' or '.join(others)}")
    ok = all(verdict.ok for verdict in verdicts)
    total = sum(verdict.value for verdict in verdicts)
    if len(verdicts) > 1 and total:
        output.say(f"Together {total}")
    output.give({"game": game.name, "ok": ok, "value": total, "melds": answers})
    return 0 if ok else 1
