"""``remi bench``: how fast this machine is at all that the companion does, as ratios measured in one run."""

from __future__ import annotations

import os
import tempfile
from argparse import ArgumentParser, Namespace
from pathlib import Path

from companion.bench_report import Report
from companion.cli_output import Output, UsageError, add_output_options

PARTS = ("start", "reading", "video", "rules", "serving", "rivals")


def configure(parser: ArgumentParser) -> None:
    """The options of ``remi bench``."""
    parser.add_argument("parts", metavar="PART", nargs="*", help=f"of {', '.join(PARTS)} (default: all)")
    parser.add_argument("--quick", action="store_true", help="the smallest of everything: does it run here?")
    parser.add_argument("--threads", type=int, default=0, help="for each network (default: all cores)")
    parser.add_argument("--weights", metavar="DIR", type=Path, help="the folder of the networks")
    parser.add_argument("--locator", metavar="FILE", type=Path, help="training checkpoint of the locator, for torch")
    add_output_options(parser)


def run(args: Namespace, output: Output) -> int:
    """Measure and print; 2 where the networks are missing."""
    unknown = [part for part in args.parts if part not in PARTS]
    if unknown:
        raise UsageError(f"There is no part {unknown[0]!r}; there are {', '.join(PARTS)}.")
    parts = args.parts or list(PARTS)
    from companion import bench

    report = Report(output)
    cores, load = os.cpu_count() or 1, os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    output.say(f"{bench.header()}; {cores} cores, load {load:.1f} at the start")
    if load > cores / 2:
        output.say("Other programs keep this machine busy: believe the ratios, and those of processor time most.")
    if {"start", "reading", "video", "rivals"} & set(parts):
        _reading(report, parts, args)
    if "rules" in parts:
        bench.brief(report, 3 if args.quick else 15)
    if "serving" in parts:
        from companion.bench_serving import serving

        serving(report, args.quick)
    report.give(machine=bench.header(), cores=cores, load=load)
    return 0


def _reading(report: Report, parts: list[str], args: Namespace) -> None:
    from companion import bench_reading, bench_rivals
    from vision.read import Reader
    from vision.weights import WeightsError

    reader = Reader(args.weights, copies=1000, threads=args.threads)
    try:
        reader.warm(("tile",))
    except WeightsError as error:
        raise UsageError(str(error), code="WEIGHTS") from None
    if "start" in parts:
        with tempfile.TemporaryDirectory() as folder:
            bench_reading.cold(report, Path(folder), args.quick)
    if "reading" in parts:
        bench_reading.reading(report, reader, args.quick, 1 if args.quick else 5)
    if "video" in parts:
        bench_reading.video(report, reader, args.quick)
    if "rivals" in parts:
        bench_rivals.against_templates(report, reader)
        bench_rivals.against_torch(report, reader, args.locator)
        report.title("Against one detector with a class for every face")
        report.line("not measured here", "`python -m models.faces` trains and judges one: models/README.md")
