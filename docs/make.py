"""Writes those parts of the documents that the code knows itself: `python docs/make.py` (`--check` only looks).

Each part lies between two comments, `<!-- made: NAME -->` and `<!-- end: NAME -->`; all around them is written by hand.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from companion.cli import COMMANDS
from companion.cli_output import add_output_options
from companion.cli_rules import add_rules_options
from companion.games import get, names
from companion.games.house import Switch
from companion.ledger import Ledger
from companion.ledger.ledger import EVENT_LIMIT
from companion.ledger.place import add_place_options
from companion.web.app import create_app
from companion.web.config import MAX_BODY, MAX_MOVE, MAX_UPLOAD, WebConfig
from companion.web.help import CAMERA, RULES, VALUES
from companion.web.openapi import describe
from companion.web.photos import MAX_EDITS
from companion.web.reading import SHOWN_SIDE, Photos
from companion.web.switches import CHOICES
from companion.web.tables import MAX_PIECES
from companion.web.trust import INVITE_MINUTES
from vision.photo import MAX_BYTES, MAX_PIXELS

DOCS = Path(__file__).resolve().parent
PART = re.compile(r"(?P<open><!-- made: (?P<name>\S+) -->\n).*?(?P<close><!-- end: (?P=name) -->)", re.DOTALL)
HOME = re.compile(r"\(default: \S*remi-companion\)")
"""A default that is another one on each machine."""


def cell(text: str) -> str:
    """Text for a cell of a table."""
    return " ".join(text.split()).replace("|", "\\|")


# -- commands -----------------------------------------------------------------------------------------------------


def actions(name: str) -> list[argparse.Action]:
    """The arguments and options of one command, without ``--help``."""
    parser = argparse.ArgumentParser()
    import_module(COMMANDS[name][0]).configure(parser)
    return [action for action in parser._actions if not isinstance(action, argparse._HelpAction)]


def spelled(action: argparse.Action) -> str:
    """How an argument or option is typed."""
    value = ""
    if action.nargs != 0:
        value = str(action.metavar or ("|".join(map(str, action.choices)) if action.choices else action.dest.upper()))
    shown = ", ".join(f"{one} {value}".strip() for one in action.option_strings) or value
    return f"`{shown}`"


def explained(action: argparse.Action) -> str:
    """What an argument or option means."""
    said = HOME.sub("(default: [where data lies](#where-data-lies))", (action.help or "").replace("%%", "%"))
    if type(action.default) is int and "default" not in said:
        said += f" (default: {action.default})"
    return said


def table(rows: list[argparse.Action]) -> Iterator[str]:
    """Options, one a row."""
    yield "| | |\n|---|---|"
    for action in rows:
        yield f"| {cell(spelled(action))} | {cell(explained(action))} |"


def options(add: Callable[[argparse.ArgumentParser], None]) -> list[argparse.Action]:
    """The options that a function adds to a parser."""
    parser = argparse.ArgumentParser(add_help=False)
    add(parser)
    return parser._actions


SHARED: dict[str, tuple[str, Callable[[argparse.ArgumentParser], None]]] = {
    "rules": ("house rules", add_rules_options),
    "place": ("data", add_place_options),
    "output": ("output", add_output_options),
}
"""Options that several commands share: the anchor of their section, its name, and what adds them."""


def commands() -> Iterator[str]:
    """Every command with its options."""
    known = {anchor: {spelled(one) for one in options(add)} for anchor, (_, add) in SHARED.items()}
    for name, (_, what) in COMMANDS.items():
        yield f"### remi {name}\n\n{what[0].upper()}{what[1:]}{'' if what.endswith('?') else '.'}\n"
        found = actions(name)
        taken = {spelled(one) for one in found}
        groups = [anchor for anchor, names_ in known.items() if names_ <= taken]
        rest = [one for one in found if not any(spelled(one) in known[anchor] for anchor in groups)]
        if rest:
            yield from table(rest)
        if groups:
            links = " and ".join(f"[{SHARED[anchor][0]}](#options-{anchor})" for anchor in groups)
            yield f"\nAlso the options for {links}."
        yield ""


def shared(anchor: str) -> Iterator[str]:
    """Options that several commands share."""
    yield from table(options(SHARED[anchor][1]))


# -- house rules --------------------------------------------------------------------------------------------------


def word(switch: Switch, value: object) -> str:
    """A value as it is written in a TOML file, with what it means where it needs one."""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    meaning = CHOICES.get((switch.name, value))  # type: ignore[arg-type]
    return f"`{value}`" + (f" ({meaning})" if meaning else "")


def rules(game: str) -> Iterator[str]:
    """The rules of a game in short, and its switches."""
    house = get(game).house
    popular = house.preset("popular").changes()
    for sentence in RULES[game]:
        yield f"* {sentence}"
    yield "\n| switch | what it decides | values, the default first | `popular` |\n|---|---|---|---|"
    for switch in house.switches():
        values = ", ".join(word(switch, one) for one in switch.choices) or f"`{switch.default}`, {switch.allowed()}"
        changed = word(switch, popular[switch.name]) if switch.name in popular else ""
        yield f"| `{switch.name}` | {cell(switch.meaning)} | {cell(values)} | {cell(changed)} |"


def values() -> Iterator[str]:
    """What tiles are worth."""
    yield "| | in the first laying | at the end |\n|---|---|---|"
    for what, opening, end in VALUES:
        yield f"| {what} | {opening or '-'} | {end} |"


def camera() -> Iterator[str]:
    """How to take a good photo, as the help page says it."""
    for sentence in CAMERA:
        yield f"* {sentence}"


# -- pages and API ------------------------------------------------------------------------------------------------


def pages() -> Iterator[str]:
    """Every address of the page that is no API."""
    with TemporaryDirectory() as folder, Ledger(Path(folder) / "ledger.db") as ledger:
        app = create_app(ledger)
        found = sorted(app.url_map.iter_rules(), key=lambda rule: (rule.rule, sorted(rule.methods or ())))
        yield "| address | method | what |\n|---|---|---|"
        for rule in found:
            if rule.rule.startswith(("/api/", "/static/", "/healthz")):
                continue
            what = (app.view_functions[rule.endpoint].__doc__ or "").strip().split("\n")[0]
            method = ", ".join(sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}))
            yield f"| `{rule.rule}` | {method} | {cell(what)} |"


def _fields(schema: dict[str, Any]) -> str:
    required = schema.get("required", [])
    return ", ".join(f"`{name}`" + ("" if name in required else "?") for name in schema.get("properties", {}))


def api() -> Iterator[str]:
    """Every operation of the JSON API."""
    yield "| | what | fields sent | may score only |\n|---|---|---|---|"
    for path, operations in describe()["paths"].items():
        for method, operation in operations.items():
            body = next(iter(operation.get("requestBody", {}).get("content", {}).values()), {}).get("schema", {})
            asked = [f"`?{one['name']}`?" for one in operation.get("parameters", []) if one["in"] == "query"]
            sent = ", ".join([*asked, *([_fields(body)] if body else [])])
            paired = "yes" if operation.get("security") else ""
            yield f"| {method.upper()} `{path}` | {cell(operation['summary'])} | {cell(sent)} | {paired} |"


def schemas() -> Iterator[str]:
    """The fields of what is sent and answered."""
    for name, schema in describe()["components"]["schemas"].items():
        yield f"* **{name}**: {_fields(schema)}"


def limits() -> Iterator[str]:
    """What the server takes at most."""
    config = WebConfig()
    rows = {
        "a photo's file": f"{MAX_BYTES // 1024**2} MB",
        "a photo's size": f"{MAX_PIXELS / 1e6:.0f} megapixels",
        "a request with a file": f"{MAX_UPLOAD // 1024**2} MB",
        "a request with the three photos of a move": f"{MAX_MOVE // 1024**2} MB",
        "any other request": f"{MAX_BODY // 1024} KB",
        "photos read a minute for one address": str(config.reads),
        "photos read at once": str(config.readers),
        "photos on show, in memory": f"{Photos.KEPT}, for {Photos.SECONDS / 60:.0f} minutes",
        "a photo on show, longer side": f"{SHOWN_SIDE} pixels",
        "pieces in one reading": str(MAX_PIECES),
        "edits of one reading": str(MAX_EDITS),
        "one event of the ledger": f"{EVENT_LIMIT // 1024} KB",
        "screens that watch at once (`--watchers`)": str(config.watchers),
        "a pairing link": f"once, within {INVITE_MINUTES} minutes",
    }
    yield "| what | at most |\n|---|---|"
    for what, most in rows.items():
        yield f"| {what} | {most} |"


PARTS: dict[str, Callable[[], Iterator[str]]] = {
    "commands": commands,
    **{f"options-{anchor}": (lambda anchor=anchor: shared(anchor)) for anchor in SHARED},
    "limits": limits,
    **{f"rules-{game}": (lambda game=game: rules(game)) for game in names()},
    "values": values,
    "camera": camera,
    "pages": pages,
    "api": api,
    "schemas": schemas,
}


def renewed(text: str) -> str:
    """A document with its made parts as they should be. Raises KeyError for a part that nobody makes."""

    def part(found: re.Match[str]) -> str:
        made = "\n".join(PARTS[found["name"]]()).rstrip()
        return f"{found['open']}{made}\n{found['close']}"

    return PART.sub(part, text)


def stale() -> list[Path]:
    """The documents that are not as they should be."""
    return [page for page in sorted(DOCS.glob("*.md")) if renewed(page.read_text("utf-8")) != page.read_text("utf-8")]


def main() -> int:
    """Write, or only look."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only say which pages are out of date")
    args = parser.parse_args()
    found = stale()
    for page in found:
        print(page.relative_to(DOCS.parent))
        if not args.check:
            page.write_text(renewed(page.read_text("utf-8")), "utf-8")
    return 1 if found and args.check else 0


if __name__ == "__main__":
    sys.exit(main())
