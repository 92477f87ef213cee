"""``remi score``: the round is over, who has what? From a file or from arguments."""

from __future__ import annotations

import json
import sys
import tomllib
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from companion.cli_output import Output, UsageError, add_output_options, message_json, verdict_json
from companion.cli_rules import add_rules_options, game_of, rules_of
from companion.games import Game, RoundError
from companion.pieces import NotationError

HELP = """examples:
  remi score --player "Ana: r10 r11 r12 / b4 b5 b6" --player "Bo: k7 k8 k9 | rack r1 y13" --closer Ana --atu r5
  remi score --game carousel --player "Ana: 3S" --player "Bo: KD 7C" --knocker Ana
  remi score --game rummy --player "Ana:" --player "Bo: KD 9C" --winner Ana --rummy
  remi score round.toml

Melds are parted by '/', 'r6@Bo' in a meld was attached by Bo; what is left follows '|'. With cards only the hand
counts. A file (TOML or JSON, '-' for JSON on standard input) has the keys of the options: table, racks, closer,
closing_tile, atu, announced_atu, not_opened, missed, spent; hands, knocker; hands, winner, rummy."""

_TEXTS = ("closer", "closing_tile", "atu", "announced_atu", "knocker", "winner")
_LISTS = ("not_opened", "missed", "spent")


def configure(parser: ArgumentParser) -> None:
    """The options of ``remi score``."""
    parser.epilog = HELP
    parser.formatter_class = _formatter()
    parser.add_argument("file", metavar="FILE", nargs="?", help="the round as TOML or JSON")
    parser.add_argument(
        "--player", metavar="'NAME: MELDS | rack PIECES'", action="append", default=[],
        help="one player's melds and what is left; once for each player",
    )  # fmt: skip
    parser.add_argument("--closer", metavar="NAME", help="Remi: who closed; nobody if the stock ran out")
    parser.add_argument("--closing-tile", metavar="TILE", help="Remi: the tile that was put down to close")
    parser.add_argument("--atu", metavar="TILE", help="Remi: the atu of the round")
    parser.add_argument("--announced-atu", metavar="NAME", help="Remi: who announced the atu's twin")
    parser.add_argument("--not-opened", metavar="NAME", action="append", help="Remi: who never opened")
    parser.add_argument("--missed", metavar="NAME", action="append", help="Remi: who didn't announce 3 tiles or fewer")
    parser.add_argument("--spent", metavar="TILE", action="append", help="Remi: a tile face down after an exchange")
    parser.add_argument("--knocker", metavar="NAME", help="Carousel: who knocked")
    parser.add_argument("--winner", metavar="NAME", help="Rummy: who went out")
    parser.add_argument("--rummy", action="store_true", help="Rummy: everything laid at once")
    add_rules_options(parser)
    add_output_options(parser)


def _formatter() -> Any:
    from argparse import RawDescriptionHelpFormatter

    return RawDescriptionHelpFormatter


def run(args: Namespace, output: Output) -> int:
    """Score the round; 1 if the table it left holds something that can't be (the points still stand)."""
    game = game_of(args)
    rules = rules_of(args, game)
    record = _record(args, game)
    try:
        score = game.score_round(record, rules)
    except NotationError as error:
        raise UsageError.notation(error) from None
    except RoundError as error:
        raise UsageError(_sentence(error), code="ROUND") from None
    for player, verdict in score.players:
        crown = "  *" if player in score.winners else ""
        output.say(f"{player}: {verdict.value:+d}{crown}")
        output.lines(verdict.lines)
    for fault in score.faults:
        output.say(f"{output.mark(False)}  {fault.text()}")
    answer = {
        "game": game.name,
        "ok": score.ok,
        "winners": list(score.winners),
        "faults": [message_json(fault) for fault in score.faults],
        "players": [{"player": player, **verdict_json(verdict)} for player, verdict in score.players],
    }
    output.give(answer)
    return 0 if score.ok else 1


def _record(args: Namespace, game: Game[Any]) -> dict[str, Any]:
    given = {name: getattr(args, name) for name in (*_TEXTS, *_LISTS) if getattr(args, name) is not None}
    if args.rummy:
        given["rummy"] = True
    if args.file is None:
        if not args.player:
            raise UsageError("Name the players (--player 'Ana: r1 r2 r3 | rack b5') or a file of the round.")
        return {**_players(args.player, game), **given}
    if args.player:
        raise UsageError("Either a file of the round or --player, not both.")
    return {**_load(args.file), **given}


def _load(name: str) -> dict[str, Any]:
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
        data = tomllib.loads(text) if name.endswith(".toml") else json.loads(text)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"The round in {name} can't be read: {error}.", code="FILE") from None
    except ValueError as error:
        kind = "TOML" if name.endswith(".toml") else "JSON"
        raise UsageError(f"The round in {name} is not {kind}: {error}.", code="FILE") from None
    if not isinstance(data, dict):
        raise UsageError(f"The round in {name} is no table of names and values.", code="FILE")
    return data


def _players(texts: list[str], game: Game[Any]) -> dict[str, Any]:
    table: list[dict[str, str]] = []
    left: dict[str, str] = {}
    for text in texts:
        name, colon, pieces = text.partition(":")
        name = name.strip()
        if not (name and colon):
            raise UsageError(f"--player takes 'NAME: pieces', not {text!r}.")
        if name in left:
            raise UsageError(f"{name} is there twice.")
        melds, bar, hand = pieces.partition("|")
        if game.pieces == "card" and not bar:
            melds, hand = "", melds
        word, _, rest = hand.strip().partition(" ")
        left[name] = rest.strip() if word in ("rack", "hand") else hand.strip()
        table += [{"owner": name, "tiles": meld.strip()} for meld in melds.split("/") if meld.strip()]
    return {"hands": left} if game.pieces == "card" else {"table": table, "racks": left}


def _sentence(error: Exception) -> str:
    said = str(error)
    return f"{said[0].upper()}{said[1:]}."
