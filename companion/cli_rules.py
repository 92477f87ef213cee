"""``remi rules``, and the options by which every command takes house rules."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from companion.cli_output import Output, UsageError, add_output_options
from companion.games import Game, get, names
from companion.games.house import HouseRuleError, HouseRulesBase, Switch


def add_rules_options(parser: ArgumentParser, *, game: str | None = "remi") -> None:
    """``--game``, ``--preset``, ``--rules`` and ``--set``."""
    parser.add_argument("--game", choices=names(), default=game, help=f"which game (default: {game or 'all'})")
    ground = parser.add_mutually_exclusive_group()
    ground.add_argument("--preset", choices=HouseRulesBase.presets(), default="seed", help="house rules to start from")
    ground.add_argument("--rules", metavar="FILE", type=Path, help="house rules from a TOML file")
    parser.add_argument(
        "--set", metavar="SWITCH=VALUE", action="append", default=[], help="change one switch; may be repeated"
    )


def game_of(args: Namespace) -> Game[Any]:
    """The game that was asked for."""
    return get(args.game)


def rules_of(args: Namespace, game: Game[Any]) -> Any:
    """The house rules of the options, of the game's own class. Raises :class:`UsageError`."""
    house: type[HouseRulesBase] = game.house
    try:
        ground = house.preset(args.preset) if args.rules is None else house.load(args.rules)
        changes = dict(_assignment(text, {s.name: s for s in house.switches()}) for text in args.set)
        return house.from_mapping({**ground.to_mapping(), **changes})
    except HouseRuleError as error:
        raise UsageError(f"{error}.", code="HOUSE_RULES", detail={"switch": error.switch}) from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"The house rules in {args.rules} can't be read: {error}.", code="FILE") from None


def _assignment(text: str, switches: dict[str, Switch]) -> tuple[str, object]:
    name, equals, word = (part.strip() for part in text.partition("="))
    if not equals:
        raise UsageError(f"--set takes SWITCH=VALUE, not {text!r}.")
    switch = switches.get(name)
    for choice in switch.choices if switch else ():
        if word.lower() == str(choice).lower():
            return name, choice
    try:
        return name, int(word)
    except ValueError:
        return name, word


def configure(parser: ArgumentParser) -> None:
    """The options of ``remi rules``."""
    add_rules_options(parser, game=None)
    parser.add_argument("--toml", action="store_true", help="as a TOML file that --rules takes")
    add_output_options(parser)


def run(args: Namespace, output: Output) -> int:
    """Show every switch with its value, its meaning and where RULES.md speaks of it."""
    games = [get(name) for name in ([args.game] if args.game else names())]
    if args.set and len(games) > 1:
        raise UsageError("--set needs --game: which game's switch is it?")
    answer = {}
    for number, game in enumerate(games):
        rules = rules_of(args, game)
        answer[game.name] = [_switch_json(switch, rules) for switch in rules.switches()]
        if args.toml:
            output.say(rules.to_toml().rstrip() + ("" if number == len(games) - 1 else "\n"))
        else:
            _show(game, rules, output)
    output.give(answer)
    return 0


def _show(game: Game[Any], rules: HouseRulesBase, output: Output) -> None:
    output.say(f"{game.name}")
    for switch in rules.switches():
        value = getattr(rules, switch.name)
        changed = "" if value == switch.default else f"  (default {_word(switch.default)})"
        output.say(f"  {switch.name} = {_word(value)}{changed}")
        output.say(f"      {switch.meaning}")
        output.say(f"      {switch.allowed()} · {switch.source}")


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _switch_json(switch: Switch, rules: HouseRulesBase) -> dict[str, Any]:
    return {
        "name": switch.name,
        "value": getattr(rules, switch.name),
        "default": switch.default,
        "choices": list(switch.choices),
        "allowed": switch.allowed(),
        "meaning": switch.meaning,
        "source": switch.source,
    }
