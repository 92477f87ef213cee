"""``remi corrections export DIR``: what people put right on kept photos, as labelled crops."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from companion.cli_output import Output, UsageError, add_output_options


def configure(parser: ArgumentParser) -> None:
    """The options of ``remi corrections``."""
    parser.add_argument("action", choices=("export",), help="write crops/, labels.jsonl and groups.jsonl")
    parser.add_argument("out", metavar="DIR", type=Path, help="where to write them")
    parser.add_argument("--photos", metavar="DIR", type=Path, required=True, help="the folder of `--keep-photos`")
    add_output_options(parser)


def run(args: Namespace, output: Output) -> int:
    """Export."""
    from companion.corrections import CorrectionsError, export

    try:
        photos, crops = export(args.photos, args.out)
    except CorrectionsError as error:
        raise UsageError(str(error), code="CORRECTIONS") from None
    except OSError as error:
        raise UsageError(f"The crops can't be written to {args.out}: {error.strerror or error}.", code="FILE") from None
    output.say(f"{args.out}: {crops} crops of {photos} corrected {'photo' if photos == 1 else 'photos'}")
    output.give({"out": str(args.out), "photos": photos, "crops": crops})
    return 0
