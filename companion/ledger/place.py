"""Where the ledger lies unless someone says otherwise, and the options that say otherwise."""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from pathlib import Path

FILE = "ledger.db"


def default_folder() -> Path:
    """The folder of the companion's data: ``$REMI_DATA``, else as the XDG base directory specification says."""
    given = os.environ.get("REMI_DATA")
    if given:
        return Path(given)
    home = os.environ.get("XDG_DATA_HOME")
    return (Path(home) if home else Path.home() / ".local" / "share") / "remi-companion"


def add_place_options(parser: ArgumentParser) -> None:
    """``--data`` and ``--database``."""
    parser.add_argument("--data", metavar="DIR", type=Path, help=f"folder of the data (default: {default_folder()})")
    parser.add_argument("--database", metavar="URL", help="PostgreSQL: postgresql://user@host/name")


def data_folder(args: Namespace) -> Path:
    """The folder of the options. It need not exist."""
    folder: Path | None = args.data
    return default_folder() if folder is None else folder


def ledger_place(args: Namespace) -> str | Path:
    """What the options of :func:`add_place_options` say, as ``Ledger`` takes it."""
    url: str | None = args.database
    return data_folder(args) / FILE if url is None else url
