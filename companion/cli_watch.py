"""``remi watch SOURCE``: the page with a camera over the table in it.

It is ``remi serve`` with the camera in a thread of the same process: the networks are opened once, the picture never
leaves memory, and nothing needs to be paired to push it. Other processes may serve the same ledger beside it.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from companion import cli_serve
from companion.cli_output import Output, UsageError
from companion.games import names

if TYPE_CHECKING:
    from flask import Flask

    from companion.watch import Watch
    from companion.watch.live import Follows


def configure(parser: ArgumentParser) -> None:
    """The options of ``remi watch``: its own and those of ``remi serve``."""
    parser.add_argument(
        "source", metavar="SOURCE",
        help="a camera (0, 1, /dev/video0), a stream (rtsp://, http://), a video file or a folder of pictures",
    )  # fmt: skip
    parser.add_argument("--match", metavar="ID", default="", help="the match that is played (default: the newest)")
    parser.add_argument("--game", choices=names(), default="remi", help="what is played while no match goes on")
    parser.add_argument("--zones", metavar="FILE", type=Path, help="the players' zones (default: in the data folder)")
    parser.add_argument("--fps", type=float, metavar="N", help="frames a second to read, at most")
    cli_serve.configure(parser)


def run(args: Namespace, output: Output) -> int:
    """Watch and serve until interrupted."""
    if args.fps is not None and not 0 < args.fps <= 240:
        raise UsageError("--fps takes a number from above 0 to 240.")

    @contextmanager
    def camera(app: Flask, folder: Path) -> Iterator[None]:
        watch = _attach(args, app, folder, output)
        watch.start()
        try:
            yield
        finally:
            watch.close()

    return cli_serve.run(args, output, camera)


def _attach(args: Namespace, app: Flask, folder: Path, output: Output) -> Watch:
    from companion.watch import Watch, ZoneError
    from companion.watch.zones import FILE
    from companion.web import cameras
    from companion.web.app import services_of
    from companion.web.errors import WebError
    from companion.web.seen import Overseer
    from companion.web.viewfinder import default_follower
    from vision.camera import CameraError, open_source, without_password
    from vision.weights import WeightsError

    services = services_of(app)
    shown = without_password(args.source).partition("?")[0]  # cheap cameras take the password as a parameter
    if args.match and not any(info.id == args.match for info in services.ledger.matches()):
        raise UsageError(f"There is no match {args.match} in the ledger.", code="MATCH")

    def follower() -> Follows:
        try:
            return default_follower(services.reader.get(), overseer.kinds)
        except WebError as error:
            raise WeightsError(str(error)) from error

    watch = Watch(lambda: open_source(args.source, fps=args.fps), follower, gone=(CameraError, OSError))
    zones = args.zones or folder / FILE
    try:
        overseer = Overseer(watch, services.ledger, zones, shown, args.match, args.game)
    except (ZoneError, OSError) as error:
        raise UsageError(f"The zones in {zones} can't be used: {error}", code="ZONES") from None
    cameras.attach(app, overseer)
    output.say(f"What the camera {shown} sees is on the page /watch.")
    return watch
