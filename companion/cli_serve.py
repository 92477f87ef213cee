"""``remi serve``: the page for everyone at the table."""

from __future__ import annotations

import logging
import socket
import sys
import tempfile
import threading
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.cli_output import Output, UsageError, add_output_options
from companion.cli_teach import add_profile_option, profile_of
from companion.games import get, names
from companion.games.house import HouseRuleError
from companion.ledger import Ledger, LedgerError
from companion.ledger.place import add_place_options, data_folder, ledger_place

if TYPE_CHECKING:
    from flask import Flask

    from companion.web.config import WebConfig
    from companion.web.tls import Tls

PORT = 8421
LOAD_AFTER = 1.5
"""Seconds after which the networks are loaded: the first page is served meanwhile."""


def configure(parser: ArgumentParser) -> None:
    """The options of ``remi serve``."""
    parser.add_argument("--host", default="0.0.0.0", help="address to listen at (default: all of this machine's)")
    parser.add_argument("--port", type=int, default=PORT, help=f"port (default: {PORT})")
    parser.add_argument("--https", action="store_true", help="encrypt, so that phones may use their camera live")
    parser.add_argument("--certificate", metavar="FILE", type=Path, help="encrypt with this certificate (PEM)")
    parser.add_argument("--key", metavar="FILE", type=Path, help="its key (PEM)")
    parser.add_argument("--name", action="append", default=[], metavar="HOST", help="another name this server has")
    parser.add_argument("--rules", metavar="FILE", type=Path, help="house rules (TOML) that new matches start from")
    parser.add_argument("--keep-photos", metavar="DIR", type=Path, help="keep photos that were read (default: never)")
    add_profile_option(parser)
    parser.add_argument("--watchers", type=int, default=100, metavar="N", help="screens that may watch at once")
    parser.add_argument("--demo", action="store_true", help="an invented match and sample photos; nothing is kept")
    add_place_options(parser)
    add_output_options(parser)


Attach = Callable[["Flask", Path], AbstractContextManager[None]]
"""What else is to run while an app is served, given the app and the folder of the data."""


def run(args: Namespace, output: Output, attach: Attach | None = None) -> int:
    """Serve until interrupted. ``attach``: what runs meanwhile, such as a camera."""
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # it warns of every request that waits a moment
    if not 0 <= args.port <= 65535:
        raise UsageError("A port is a number from 0 to 65535.")
    if args.watchers < 1:
        raise UsageError("--watchers takes a number above zero.")
    if (args.certificate is None) != (args.key is None):
        raise UsageError("--certificate and --key go together.")
    args.https = args.https or args.certificate is not None
    if args.demo:
        with tempfile.TemporaryDirectory(prefix="remi-demo-") as name:
            return _serve(args, output, Path(name) / "ledger.db", Path(name), attach)
    folder = data_folder(args)
    if args.database is None or args.https:
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise UsageError(f"The folder {folder} can't be made: {error.strerror}.", code="FILE") from None
    return _serve(args, output, ledger_place(args), folder, attach)


def _serve(args: Namespace, output: Output, place: str | Path, folder: Path, attach: Attach | None) -> int:
    from companion.web.app import create_app, services_of
    from companion.web.config import WebConfig
    from companion.web.demo import set_up
    from companion.web.teach import SETTING

    profile_of(args)  # a set that is not there is said before anything is started

    addresses = local_addresses()
    tls = _tls(args, folder, addresses, output) if args.https else None
    scheme = "https" if args.https else "http"
    listener = _listen(args.host, args.port)
    port = listener.getsockname()[1]
    reachable = addresses if args.host in ("0.0.0.0", "::", "") else [args.host]
    urls = tuple(f"{scheme}://{_bracketed(one)}:{port}" for one in reachable)
    config = WebConfig(
        hosts=_hosts(addresses, args),
        https=args.https,
        keep_photos=str(args.keep_photos or ""),
        watchers=args.watchers,
        rules=_rules(args.rules),
        demo=args.demo,
        addresses=urls,
        data=str(folder),
        authority=str(tls.authority) if tls and tls.authority else "",
    )
    try:
        ledger = Ledger(place)
    except LedgerError as error:
        listener.close()
        raise UsageError(str(error), code="LEDGER") from None
    if args.profile:
        ledger.set_setting(SETTING, args.profile)
    app = create_app(ledger, config)
    services = services_of(app)
    try:
        if args.demo:
            set_up(ledger)
        with attach(app, folder) if attach else nullcontext():
            _tell(output, ledger, urls, port, scheme)
            services.reader.load_in_background(after=LOAD_AFTER)
            _run(app, listener, config, tls and tls.context)
    finally:
        services.hub.close()
        ledger.close()
        listener.close()
    return 0


def _tls(args: Namespace, folder: Path, addresses: list[str], output: Output) -> Tls:
    """TLS of the options, and words on how to be trusted."""
    from companion.web import tls

    if args.certificate is not None:
        return tls.given(args.certificate, args.key)
    host = socket.gethostname()
    made = tls.own(folder, [*addresses, "127.0.0.1", host, f"{host}.local", *args.name])
    if made.authority is not None:
        output.say(f"Devices show no warning once they trust {made.authority}; the page /trust says how. Fingerprint:")
        output.say(f"  {tls.fingerprint(made.authority)}")
    for name in made.left_out:
        output.say(f"The certificate leaves out {name}: it is no name of a home network. Use --certificate for it.")
    return made


def _run(app: Flask, listener: socket.socket, config: WebConfig, tls: Any) -> None:
    from companion.web.heap import few_arenas
    from companion.web.serving import make_server

    few_arenas()
    if tls is not None:
        from companion.web.tls import front

        inner = _listen("127.0.0.1", 0)
        threading.Thread(target=front, args=(listener, inner.getsockname()[1], tls), name="tls", daemon=True).start()
        listener = inner
    server = make_server(app, listener, config.watchers, secure=tls is not None)
    try:
        server.run()
    except KeyboardInterrupt:
        pass
    finally:
        server.close()


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise UsageError(f"Port {port} of {host} can't be used: {error.strerror or error}.", code="PORT") from None
    listener.listen(256)
    return listener


def _bracketed(address: str) -> str:
    return f"[{address}]" if ":" in address else address


def _hosts(addresses: list[str], args: Namespace) -> tuple[str, ...]:
    name = socket.gethostname()
    own = [args.host] if args.host not in ("0.0.0.0", "::", "") else []
    known = ["localhost", "127.0.0.1", "[::1]", name, f"{name}.local", *addresses, *own, *args.name]
    return tuple(dict.fromkeys(known))


def local_addresses() -> list[str]:
    """This machine's IPv4 addresses on the local network, the one that leads out first; no packet is sent."""
    found: list[str] = []
    for target in ("10.255.255.255", "192.168.255.255", "172.31.255.255"):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect((target, 1))
                found.append(probe.getsockname()[0])
            except OSError:
                continue
    with suppress(OSError):
        found += [str(info[4][0]) for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
    listed = [one for one in dict.fromkeys(found) if not one.startswith("127.")]
    return listed or ["127.0.0.1"]


def _rules(file: Path | None) -> dict[str, dict[str, object]]:
    if file is None:
        return {}
    found: dict[str, dict[str, object]] = {}
    try:
        text = file.read_text(encoding="utf-8")
        for name in names():
            if f"[{name}]" in text:
                found[name] = dict(get(name).house.from_toml(text).changes())
        if not found:
            found["remi"] = dict(get("remi").house.from_toml(text).changes())
    except HouseRuleError as error:
        raise UsageError(f"{error}.", code="HOUSE_RULES") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"The house rules in {file} can't be read: {error}.", code="FILE") from None
    return found


def _tell(output: Output, ledger: Ledger, urls: tuple[str, ...], port: int, scheme: str) -> None:
    """Where to go, for watchers and, once, for the scorer."""
    from companion.web.qr import terminal
    from companion.web.trust import INVITE_MINUTES, new_invite

    link = f"{urls[0]}/pair/{new_invite(ledger)}"
    try:
        "█▀▄".encode(sys.stdout.encoding or "ascii")
        output.say(terminal(link))
    except UnicodeEncodeError:
        pass  # a terminal without block characters: the link below does as well
    output.say(f"To score, open once (within {INVITE_MINUTES} minutes), or scan the code:\n  {link}")
    output.say(f"To watch, open on any device in this network:\n  {urls[0]}")
    output.say(f"On this machine:\n  {scheme}://localhost:{port}")
    output.say("Stop with Ctrl+C.")
    output.give({"watch": list(urls), "local": f"{scheme}://localhost:{port}", "pair": link, "minutes": INVITE_MINUTES})
    sys.stdout.flush()
