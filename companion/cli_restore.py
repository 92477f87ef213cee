"""``remi restore FILE``: replace the ledger by what a backup holds."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from datetime import UTC, datetime
from pathlib import Path

from companion.cli_output import Output, UsageError, add_output_options
from companion.ledger import DamagedLedgerError, Ledger, LedgerError
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
        try:
            with Ledger(place) as ledger:
                ledger.backup(kept)
                try:
                    matches = ledger.restore(args.file)
                except LedgerError:
                    kept.unlink()
                    raise
        except DamagedLedgerError:
            if not isinstance(place, Path):
                raise
            kept = kept.with_name(kept.name.replace("before-restore", "damaged"))
            matches = _in_place_of_damaged(place, args.file, kept)
    except (LedgerError, OSError) as error:
        raise UsageError(str(error), code="LEDGER") from None
    output.say(f"{matches} {'match' if matches == 1 else 'matches'} restored; what was there before is in {kept}")
    output.give({"matches": matches, "before": str(kept)})
    return 0


def _in_place_of_damaged(place: Path, backup: Path, kept: Path) -> int:
    """Restore into a new ledger first; only then does the damaged one, with its write-ahead log, make room."""
    fresh = place.with_name(f".restored-{kept.stem}.db")
    try:
        with Ledger(fresh) as ledger:
            matches = ledger.restore(backup)
        for end in ("-wal", "-shm"):
            log = place.with_name(place.name + end)
            if log.exists():
                log.replace(kept.with_name(kept.name + end))
        place.replace(kept)
        fresh.replace(place)
    finally:
        fresh.unlink(missing_ok=True)
    return matches
