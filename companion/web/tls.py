"""``--https``: a certificate of our own making or one that is given, and TLS in front of the server.

A small authority is made once and kept in the data folder; it signs a certificate for this machine's names. A phone
that trusts the authority (``remi-ca.crt``) shows no warning. Who trusts it trusts little: the authority is bound to
the addresses and names of a home network (RFC 5280 4.2.1.10), so that a stolen key can't speak for a bank. The server
itself has no TLS, so a front passes bytes.
"""

from __future__ import annotations

import hashlib
import ipaddress
import os
import re
import socket
import ssl
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from companion.cli_output import UsageError

AUTHORITY_DAYS = 3650
LEAF_DAYS = 365
CHUNK = 64 * 1024
CONNECTIONS = 400
HANDSHAKE = 0x16
"""First byte of a TLS connection (RFC 8446 5.1); anything else is a browser that forgot the s."""
HOME_NETWORKS = (
    "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "127.0.0.0/8", "100.64.0.0/10",
    "fc00::/7", "fe80::/10", "::1/128",
)  # fmt: skip
"""Private, link-local, loopback and shared addresses (RFC 1918, 3927, 6598, 4193, 4291)."""
HOME_NAMES = ("localhost", "local", "lan", "home", "internal", "home.arpa")
"""Domains that no one on the internet holds (RFC 6761, 6762, 8375, and what home routers use)."""


@dataclass(frozen=True)
class Tls:
    """TLS ready to be served. ``authority``: the file that phones must trust, None where a certificate was given.

    ``left_out``: names that our authority may not vouch for.
    """

    context: ssl.SSLContext
    authority: Path | None = None
    left_out: tuple[str, ...] = ()


def given(certificate: Path, key: Path) -> Tls:
    """A certificate (with its chain) and its key in PEM, as someone else made them. Raises UsageError."""
    made = _context()
    try:
        made.load_cert_chain(certificate, key, password=lambda: "")
    except (OSError, ssl.SSLError, ValueError) as error:
        why = getattr(error, "strerror", None) or getattr(error, "reason", None) or error
        said = f"The certificate {certificate} with the key {key} can't be used: {why}."
        raise UsageError(said, code="HTTPS") from None
    return Tls(made)


def own(folder: Path, names: Iterable[str]) -> Tls:
    """A fresh certificate for these names, of the authority kept in ``folder``, which is made where there is none.

    Raises UsageError without the extra ``https``, and for an authority that can't be used.
    """
    try:
        from cryptography import x509
        from cryptography.hazmat.primitives import serialization
    except ImportError:
        raise UsageError("--https needs the extra: pip install 'remi-companion[https]'.", code="HTTPS") from None
    ca, key = folder / "remi-ca.crt", folder / "remi-ca.key"
    if not (ca.exists() and key.exists()):
        _make_authority(ca, key)
    leaf, leaf_key = folder / "remi.crt", folder / "remi.key"
    try:
        authority = x509.load_pem_x509_certificate(ca.read_bytes())
        signer: Any = serialization.load_pem_private_key(key.read_bytes(), None)
        if authority.public_key() != signer.public_key():
            raise ValueError("they do not belong together")
    except (OSError, ValueError) as error:
        raise UsageError(
            f"The certificate authority {ca} with its key can't be used: {error}. Take both files away, and a new one "
            "is made, which phones must trust anew.", code="HTTPS",
        ) from None  # fmt: skip
    if authority.not_valid_after_utc < datetime.now(UTC) + timedelta(days=LEAF_DAYS):
        _make_authority(ca, key)
        return own(folder, names)
    fine, left_out = _allowed(authority, dict.fromkeys(["localhost", *names]))
    _make_leaf(authority, signer, leaf, leaf_key, fine)
    made = _context()
    made.load_cert_chain(leaf, leaf_key)
    return Tls(made, ca, left_out)


def fingerprint(certificate: Path) -> str:
    """SHA-256 of a PEM certificate, as phones and browsers show it: ``AB:CD:...``. Raises OSError, ValueError."""
    der = ssl.PEM_cert_to_DER_cert(certificate.read_text(encoding="ascii"))
    return hashlib.sha256(der).digest().hex(":").upper()


def _context() -> ssl.SSLContext:
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    return made


def _allowed(authority: Any, names: Iterable[str]) -> tuple[list[str], tuple[str, ...]]:
    """The names that an authority may vouch for, and the others. One that is bound to nothing may for all."""
    from cryptography import x509

    try:
        bounds = authority.extensions.get_extension_for_class(x509.NameConstraints).value.permitted_subtrees or []
    except x509.ExtensionNotFound:
        return list(names), ()
    domains = [one.value for one in bounds if isinstance(one, x509.DNSName)]
    networks = [ipaddress.ip_network(str(one.value)) for one in bounds if isinstance(one, x509.IPAddress)]
    fine: list[str] = []
    left_out: list[str] = []
    for name in names:
        try:
            address = ipaddress.ip_address(name)
            found = any(address.version == net.version and address in net for net in networks)
        except ValueError:
            found = any(name == domain or name.endswith(f".{domain}") for domain in domains)
        (fine if found else left_out).append(name)
    return fine, tuple(left_out)


def _write_private(path: Path, data: bytes) -> None:
    with os.fdopen(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "wb") as file:
        file.write(data)


def _pem(key: Any) -> bytes:
    from cryptography.hazmat.primitives import serialization as form

    return bytes(key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption()))


def _name(words: str) -> Any:
    from cryptography import x509

    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, words)])


def _make_authority(ca: Path, key_file: Path) -> None:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    start = datetime.now(UTC) - timedelta(hours=1)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(_name("Remi Companion at home"))
        .issuer_name(_name("Remi Companion at home"))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + timedelta(days=AUTHORITY_DAYS))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(
            x509.KeyUsage(
                key_cert_sign=True, crl_sign=True, digital_signature=False, content_commitment=False,
                key_encipherment=False, data_encipherment=False, key_agreement=False, encipher_only=False,
                decipher_only=False,
            ), critical=True,
        )
        .add_extension(x509.NameConstraints(permitted_subtrees=_home(), excluded_subtrees=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    _write_private(key_file, _pem(key))
    ca.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))


def _home() -> list[Any]:
    """What our authority may vouch for: a home network, and this machine by its name."""
    from cryptography import x509

    host = socket.gethostname().lower()
    names = [*HOME_NAMES, *([host] if re.fullmatch(r"[a-z0-9-]+", host) else [])]
    return [
        *(x509.DNSName(name) for name in dict.fromkeys(names)),
        *(x509.IPAddress(ipaddress.ip_network(network)) for network in HOME_NETWORKS),
    ]


def _make_leaf(authority: Any, signer: Any, leaf: Path, leaf_key: Path, names: Sequence[str]) -> None:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID

    key = ec.generate_private_key(ec.SECP256R1())
    start = datetime.now(UTC) - timedelta(hours=1)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(_name("remi"))
        .issuer_name(authority.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + timedelta(days=LEAF_DAYS))
        .add_extension(x509.SubjectAlternativeName([_alternative(one) for one in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.public_key()), critical=False
        )
        .sign(signer, hashes.SHA256())
    )
    _write_private(leaf_key, _pem(key))
    leaf.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))


def _alternative(name: str) -> Any:
    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def front(listener: socket.socket, port: int, tls: ssl.SSLContext) -> None:
    """Take TLS connections and pass their bytes to the server at ``port`` of this machine, until the socket closes."""
    places = threading.Semaphore(CONNECTIONS)
    while True:
        try:
            raw, _ = listener.accept()
        except OSError:
            return
        if not places.acquire(blocking=False):
            raw.close()
            continue
        threading.Thread(target=_pass, args=(raw, port, tls, places), daemon=True).start()


def _pass(raw: socket.socket, port: int, tls: ssl.SSLContext, places: threading.Semaphore) -> None:
    try:
        raw.settimeout(10)  # a hand that doesn't shake doesn't hold a place
        first = raw.recv(1, socket.MSG_PEEK)
        if first and first[0] != HANDSHAKE:
            _send_to_https(raw)
            return
        with tls.wrap_socket(raw, server_side=True) as outer, socket.create_connection(("127.0.0.1", port)) as inner:
            outer.settimeout(None)
            back = threading.Thread(target=_pump, args=(inner, outer), daemon=True)
            back.start()
            _pump(outer, inner)
            back.join(timeout=30)
    except OSError:
        raw.close()
    finally:
        places.release()


_ASKED = re.compile(rb"[A-Z]+ (/[!-~]*) HTTP/1\.[01]\r\n(?:.*\r\n)*?[Hh]ost: *([A-Za-z0-9.:\[\]-]+)\r\n")


def _send_to_https(raw: socket.socket) -> None:
    """Someone typed the address without https: send them there."""
    with raw:
        head = b""
        while b"\r\n\r\n" not in head and len(head) < 8192:
            data = raw.recv(4096)
            if not data:
                return
            head += data
        asked = _ASKED.match(head)
        if asked is None:
            raw.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
            return
        path, host = asked.groups()
        raw.sendall(
            b"HTTP/1.1 307 Temporary Redirect\r\nLocation: https://" + host + path
            + b"\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        )


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(CHUNK):
            sink.sendall(data)
    for end in (source, sink):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
