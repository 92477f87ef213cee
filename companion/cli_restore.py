"""``remi restore FILE``: replace the ledger by what a backup holds."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from datetime import UTC, datetime
from pathlib import Path

from companion.cli_output import Output, UsageError, add_output_options
from companion.ledger import Ledger, LedgerError
from companion.ledger.place import add_place_options, data_folder, ledger_place


def configure(parser: ArgumentParser) -> None:
    """The options of ``remi restore``."""
    parser.add_argument("file", metavar="FILE", type=Path, help="a file that remi backup wrote")
    add_place_options(parser)
    add_output_options(parser)


def run(args: Namespace, output: Output) -> int:
    """Keep a copy of what is there now, then replace it."""
    place = ledger_place(args)
    folder = data_folder(args)
    kept = folder / f"before-restore-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}.db"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with Ledger(place) as ledger:
            ledger.backup(kept)
            try:
                matches = ledger.restore(args.file)
            except LedgerError:
                kept.unlink()
                raise
    except (LedgerError, OSError) as error:
        raise UsageError(str(error), code="LEDGER") from None
    output.say(f"{matches} {'match' if matches == 1 else 'matches'} restored; what was there before is in {kept}")
    output.give({"matches": matches, "before": str(kept)})
    return 0
