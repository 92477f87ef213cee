"""The command ``remi``. Each subcommand lives in a module of its own, which is imported only when it is called."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from companion.cli_output import Output, UsageError

COMMANDS: dict[str, tuple[str, str]] = {
    "check": ("companion.cli_check", "are these melds legal, and what are they worth?"),
    "open": ("companion.cli_open", "can I open with these melds?"),
    "score": ("companion.cli_score", "the round is over: who has what?"),
    "arrange": ("companion.cli_arrange", "the best way to lay these pieces"),
    "read": ("companion.cli_read", "read photos of a table, a rack or a round"),
    "turn": ("companion.cli_turn", "Carousel, Rummy: may this table follow that one? Two photos"),
    "evaluate": ("companion.cli_evaluate", "how well labelled photos are read"),
    "teach": ("companion.cli_teach", "learn this household's set from one photo of it laid out"),
    "corrections": ("companion.cli_corrections", "what people put right on kept photos, as labelled crops"),
    "bench": ("companion.cli_bench", "how fast this machine is at all of it"),
    "rules": ("companion.cli_rules", "the house rules: every switch, its value and what it means"),
    "serve": ("companion.cli_serve", "the page for everyone at the table, on this machine's network"),
    "doctor": ("companion.cli_doctor", "what works on this machine, and what to do about the rest"),
    "watch": ("companion.cli_watch", "the same page with a camera over the table in it"),
    "backup": ("companion.cli_backup", "copy the ledger to a file, also while it is in use"),
    "restore": ("companion.cli_restore", "replace the ledger by what a backup holds"),
}
"""Name -> (module, what it does). A module has ``configure(parser)`` and ``run(args, output) -> exit code``."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; the exit code: 0 fine, 1 not legal, 2 the input can't be understood or used."""
    words = list(sys.argv[1:] if argv is None else argv)
    parser = argparse.ArgumentParser(
        prog="remi", description="A companion for people who play Remi, Carousel and Rummy at a real table."
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    called = next((word for word in words if word in COMMANDS), None)
    for name, (module, help_) in COMMANDS.items():
        subparser = commands.add_parser(name, help=help_, description=f"remi {name}: {help_}")
        if name == called:
            command = import_module(module)
            command.configure(subparser)
    try:
        args = parser.parse_args(words)
    except SystemExit as leave:  # argparse has said why
        return leave.code if isinstance(leave.code, int) else 2
    output = Output(as_json=getattr(args, "json", False), colour=getattr(args, "colour", "auto"))
    try:
        code: int = command.run(args, output)
        return code
    except UsageError as error:
        output.usage_error(error)
        return 2


if __name__ == "__main__":
    sys.exit(main())
