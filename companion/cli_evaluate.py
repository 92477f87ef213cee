"""``remi evaluate LABELS.jsonl``: the figures of DESIGN.md 8 on labelled photos."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from companion.cli_output import Output
from vision import evaluate


def configure(parser: ArgumentParser) -> None:
    """The options of ``remi evaluate``."""
    evaluate.add_arguments(parser)


def run(args: Namespace, output: Output) -> int:
    """Print the table of figures; 2 if the labels or the networks can't be read."""
    return evaluate.run(args)
