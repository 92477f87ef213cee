"""Certificates: our own authority, bound to the home; one that is given; browsers that forgot the s."""

from __future__ import annotations

import http.client
import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sites import Site

from companion.cli_output import UsageError
from companion.ledger import Ledger
from companion.web.app import create_app, services_of
from companion.web.config import WebConfig
from companion.web.tls import Tls, fingerprint, front, given, own

x509 = pytest.importorskip("cryptography.x509")


@contextmanager
def served(tls: Tls) -> Iterator[int]:
    """A server that answers every request with the bytes it was sent, behind the front."""
    inner, outer = socket.create_server(("127.0.0.1", 0)), socket.create_server(("127.0.0.1", 0))

    def answer() -> None:
        while True:
            try:
                connection, _ = inner.accept()
            except OSError:
                return
            with connection:
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello")

    threading.Thread(target=answer, daemon=True).start()
    threading.Thread(target=front, args=(outer, inner.getsockname()[1], tls.context), daemon=True).start()
    try:
        yield outer.getsockname()[1]
    finally:
        for listener in (inner, outer):
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()


def get(port: int, authority: Path, name: str) -> bytes:
    """What the server says to a client that trusts this authority and calls it by this name."""
    trust = ssl.create_default_context(cafile=str(authority))
    trust.verify_flags |= ssl.VERIFY_X509_STRICT
    with socket.create_connection(("127.0.0.1", port), 10) as raw, trust.wrap_socket(raw, server_hostname=name) as sure:
        sure.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        return sure.recv(65536)


def test_who_trusts_the_authority_trusts_the_server_by_name_and_address(tmp_path: Path) -> None:
    tls = own(tmp_path, ["192.168.7.9", "kitchen.local", "127.0.0.1"])
    assert tls.authority == tmp_path / "remi-ca.crt"
    assert tls.left_out == ()
    with served(tls) as port:
        for name in ("localhost", "127.0.0.1", "192.168.7.9", "kitchen.local"):
            assert get(port, tls.authority, name).endswith(b"hello")
        with pytest.raises(ssl.SSLCertVerificationError):
            get(port, tls.authority, "192.168.7.10")


def test_the_authority_stays_and_its_key_is_private(tmp_path: Path) -> None:
    before = own(tmp_path, ["10.0.0.1"]).authority
    assert before is not None
    text = before.read_bytes()
    own(tmp_path, ["10.0.0.2"])
    assert before.read_bytes() == text
    for name in ("remi-ca.key", "remi.key"):
        assert (tmp_path / name).stat().st_mode & 0o077 == 0


def test_the_authority_can_not_speak_for_the_internet(tmp_path: Path) -> None:
    tls = own(tmp_path, ["bank.example", "93.184.216.34", "192.168.7.9"])
    assert tls.left_out == ("bank.example", "93.184.216.34")
    assert tls.authority is not None
    authority = x509.load_pem_x509_certificate(tls.authority.read_bytes())
    bounds = authority.extensions.get_extension_for_class(x509.NameConstraints)
    assert bounds.critical
    networks = [one.value for one in bounds.value.permitted_subtrees if isinstance(one, x509.IPAddress)]
    assert all(ipaddress.ip_network(str(net)).is_private or str(net) == "100.64.0.0/10" for net in networks)


def test_a_leaf_beyond_its_bounds_is_believed_by_nobody(tmp_path: Path) -> None:
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    from companion.web.tls import _make_leaf

    tls = own(tmp_path, [])
    assert tls.authority is not None
    authority = x509.load_pem_x509_certificate(tls.authority.read_bytes())
    signer = load_pem_private_key((tmp_path / "remi-ca.key").read_bytes(), None)
    _make_leaf(authority, signer, tmp_path / "x.crt", tmp_path / "x.key", ["bank.example"])
    with served(given(tmp_path / "x.crt", tmp_path / "x.key")) as port, pytest.raises(ssl.SSLCertVerificationError):
        get(port, tls.authority, "bank.example")


def test_an_authority_that_can_not_be_used_says_so(tmp_path: Path) -> None:
    own(tmp_path, [])
    (tmp_path / "remi-ca.crt").write_text("nothing")
    with pytest.raises(UsageError, match="can't be used"):
        own(tmp_path, [])


def test_key_and_authority_must_belong_together(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
        own(folder, [])
    (two / "remi-ca.key").write_bytes((one / "remi-ca.key").read_bytes())
    with pytest.raises(UsageError, match="do not belong together"):
        own(two, [])


def test_a_certificate_that_is_given_is_served(tmp_path: Path) -> None:
    authority = own(tmp_path, []).authority
    assert authority is not None
    tls = given(tmp_path / "remi.crt", tmp_path / "remi.key")
    assert tls.authority is None
    with served(tls) as port:
        assert get(port, authority, "localhost").endswith(b"hello")


@pytest.mark.parametrize("files", [("none.crt", "none.key"), ("remi.crt", "remi-ca.key"), ("remi.crt", "remi.crt")])
def test_a_certificate_that_can_not_be_used_says_why(tmp_path: Path, files: tuple[str, str]) -> None:
    own(tmp_path, [])
    with pytest.raises(UsageError, match="can't be used"):
        given(tmp_path / files[0], tmp_path / files[1])


def test_a_browser_that_forgot_the_s_is_sent_there(tmp_path: Path) -> None:
    with served(own(tmp_path, [])) as port:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
        connection.request("GET", "/watch?x=1")
        answer = connection.getresponse()
        assert answer.status == 307
        assert answer.getheader("Location") == f"https://127.0.0.1:{port}/watch?x=1"
        connection.close()


@pytest.mark.parametrize(
    "data", [b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n"]
)
def test_what_is_no_request_is_refused(tmp_path: Path, data: bytes) -> None:
    with served(own(tmp_path, [])) as port, socket.create_connection(("127.0.0.1", port), 10) as raw:
        raw.sendall(data)
        assert raw.recv(1000).startswith(b"HTTP/1.1 400")


def test_the_page_shows_the_fingerprint_and_gives_the_certificate(tmp_path: Path) -> None:
    authority = own(tmp_path, []).authority
    assert authority is not None
    ledger = Ledger(tmp_path / "ledger.db")
    app = create_app(ledger, WebConfig(https=True, authority=str(authority)))
    try:
        client = app.test_client()
        page = client.get("/trust", base_url="https://localhost")
        assert fingerprint(authority) in page.text
        answer = client.get("/remi-ca.crt", base_url="https://localhost")
        assert answer.mimetype == "application/x-x509-ca-cert"
        assert answer.data == authority.read_bytes()
        authority.unlink()
        assert client.get("/trust", base_url="https://localhost").status_code == 200
        assert client.get("/remi-ca.crt", base_url="https://localhost").status_code == 404
    finally:
        services_of(app).hub.close()
        ledger.close()


def test_without_https_there_is_nothing_to_trust(site: Site) -> None:
    assert "--https" in site.watcher.get("/trust").text
    assert site.watcher.get("/remi-ca.crt").status_code == 404
