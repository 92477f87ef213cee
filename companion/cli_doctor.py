"""``remi doctor``: what works on this machine, in words."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from companion.cli_output import Output, UsageError, add_output_options
from companion.cli_serve import PORT
from companion.ledger.place import add_place_options, data_folder, ledger_place


def configure(parser: ArgumentParser) -> None:
    """The options of ``remi doctor``."""
    parser.add_argument("--host", default="0.0.0.0", help="address that remi serve will listen at (default: all)")
    parser.add_argument("--port", type=int, default=PORT, help=f"port of remi serve (default: {PORT})")
    parser.add_argument("--weights", metavar="DIR", type=Path, help="the folder of the networks")
    parser.add_argument("--camera", metavar="SOURCE", help="a camera to try: a number, a device or a URL")
    add_place_options(parser)
    add_output_options(parser)


def run(args: Namespace, output: Output) -> int:
    """Look, and tell; 1 if something doesn't work."""
    from companion.doctor import Place, examine

    if not 0 <= args.port <= 65535:
        raise UsageError("A port is a number from 0 to 65535.")
    place = Place(data_folder(args), ledger_place(args), args.host, args.port, args.weights, args.camera)
    found = []
    for finding in examine(place):
        found.append(finding)
        mark = "-- " if finding.state == "note" else f"{output.mark(finding.state == 'ok')} "
        output.say(f"{mark} {finding.check}: {finding.sentence}")
        if finding.remedy:
            output.say(f"    {finding.remedy}")
    broken = [finding.check for finding in found if finding.state == "no"]
    if broken:
        output.say(f"{output.mark(False)}  Not in order here: {', '.join(dict.fromkeys(broken))}.")
    else:
        output.say(f"{output.mark(True)}  All that play needs works here.")
    output.give({"ok": not broken, "checks": [finding.to_dict() for finding in found]})
    return 1 if broken else 0
