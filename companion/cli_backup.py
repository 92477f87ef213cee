"""``remi backup FILE``: a copy of the ledger, also while it is in use."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from companion.cli_output import Output, UsageError, add_output_options
from companion.ledger import Ledger, LedgerError
from companion.ledger.place import add_place_options, ledger_place


def configure(parser: ArgumentParser) -> None:
    """The options of ``remi backup``."""
    parser.add_argument("file", metavar="FILE", type=Path, help="where to write the copy, one SQLite file")
    add_place_options(parser)
    add_output_options(parser)


def run(args: Namespace, output: Output) -> int:
    """Write the copy."""
    place = ledger_place(args)
    if isinstance(place, Path) and not place.exists():
        raise UsageError(f"There is no ledger at {place}.", code="LEDGER")
    try:
        with Ledger(place) as ledger:
            ledger.backup(args.file)
            matches = len(ledger.matches())
    except LedgerError as error:
        raise UsageError(str(error), code="LEDGER") from None
    output.say(f"{args.file}: {matches} {'match' if matches == 1 else 'matches'}")
    output.give({"file": str(args.file), "matches": matches})
    return 0
