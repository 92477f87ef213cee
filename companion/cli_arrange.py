"""``remi arrange "r1 r2 ..."``: the best way to lay a rack or a hand, exactly."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Any

from companion.arrange import (
    ArrangeError,
    Arrangement,
    CardObjective,
    Meld,
    Opening,
    TableMeld,
    best_laying,
    best_layoff,
    best_opening,
    best_rearrangement,
)
from companion.cli_check import parse_melds
from companion.cli_output import Output, UsageError, add_output_options
from companion.cli_rules import add_rules_options, game_of, rules_of
from companion.games.messages import msg
from companion.pieces import spell

_WHY = {
    "NEEDS_RUN": msg("NEEDS_RUN"),
    "NEEDS_SET": msg("NEEDS_SET"),
    "NO_TILE_TO_DISCARD": msg("NO_TILE_TO_DISCARD"),
}

Pieces = tuple[Any, ...]


def configure(parser: ArgumentParser) -> None:
    """The options of ``remi arrange``."""
    parser.add_argument("rack", metavar="RACK", help="the pieces in hand after drawing, in any order")
    parser.add_argument(
        "--table", metavar="MELD", action="append", default=[], help="a meld on the table; may be repeated"
    )
    parser.add_argument("--mine", metavar="MELD", action="append", default=[], help="a meld on the table of one's own")
    parser.add_argument("--opened", action="store_true", help="opened already (so --table and --mine take it)")
    parser.add_argument(
        "--objective", choices=("points", "left", "tiles"),
        help="most points (the default before opening), fewest points left (the default after it) or most tiles",
    )  # fmt: skip
    add_rules_options(parser)
    add_output_options(parser)


def run(args: Namespace, output: Output) -> int:
    """Show the best laying; 1 if nothing can be laid, or the rack doesn't open."""
    game = game_of(args)
    rules = rules_of(args, game)
    (rack,) = parse_melds(game, [args.rack])
    table, mine = parse_melds(game, args.table), parse_melds(game, args.mine)
    try:
        if game.name == "remi":
            found = _remi(args, rack, table, mine, rules)
        else:
            found = _cards(args, rack, [*table, *mine], rules)
    except ArrangeError as error:
        said = str(error)
        raise UsageError(f"{said[0].upper()}{said[1:]}.", code="ARRANGE") from None
    _show(found, output)
    output.give({"game": game.name, **_json(found)})
    return 0 if found.ok else 1


def _remi(args: Namespace, rack: Pieces, table: list[Pieces], mine: list[Pieces], rules: Any) -> Arrangement[Any]:
    if args.opened or table or mine:
        melds = [TableMeld(meld) for meld in table] + [TableMeld(meld, mine=True) for meld in mine]
        return best_laying(rack, melds, rules, args.objective or "left")
    return best_opening(rack, rules, args.objective or "points")


def _cards(args: Namespace, hand: Pieces, table: list[Pieces], rules: Any) -> Arrangement[Any]:
    if args.objective == "points":
        raise UsageError("With cards the objective is left or tiles: laid cards count nothing.")
    objective: CardObjective = args.objective or "left"
    if args.game == "carousel":
        return best_rearrangement(table, hand, rules, objective)
    return best_layoff(hand, table, rules, objective)


def _show(found: Arrangement[Any], output: Output) -> None:
    for meld in found.melds:
        output.say(f"    {output.draw(meld.pieces)}{_added(meld)}")
    if found.left:
        output.say(f"    left: {output.draw(found.left)}  {found.points_left} points")
    output.say(f"{output.mark(found.ok)}  {_sentence(found)}")
    if not found.complete:
        output.say("    The search was cut short: there may be better.")


def _added(meld: Meld[Any]) -> str:
    if meld.onto is not None:
        return f"   onto meld {meld.onto + 1}: {spell(meld.added)}"
    return f"   added: {spell(meld.added)}" if meld.added and len(meld.added) < len(meld.pieces) else ""


def _sentence(found: Arrangement[Any]) -> str:
    if not isinstance(found, Opening):
        if not found.ok:
            return "Nothing can be laid."
        return f"{found.laid} to lay, {found.points_left} points left."
    if found.ok:
        return msg("opens", value=found.value).text()
    if found.reason == "BELOW_MINIMUM":
        need = found.value + found.missing
        return msg("BELOW_MINIMUM", need=need, value=found.value, missing=found.missing).text()
    return _WHY[found.reason].text()


def _json(found: Arrangement[Any]) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "ok": found.ok,
        "sentence": _sentence(found),
        "melds": [
            {"pieces": spell(m.pieces), "kind": m.kind, "added": spell(m.added), "onto": m.onto} for m in found.melds
        ],
        "left": spell(found.left),
        "points_left": found.points_left,
        "laid": found.laid,
        "value": found.value,
        "complete": found.complete,
    }
    if isinstance(found, Opening):
        answer |= {"reason": found.reason, "missing": found.missing}
    return answer
