"""``--https``: a certificate of our own making, and TLS in front of the server.

A small authority is made once and kept in the data folder; it signs a certificate for this machine's names. A phone
that trusts the authority (``remi-ca.crt``) shows no warning. The server itself has no TLS, so a front passes bytes.
"""

from __future__ import annotations

import ipaddress
import os
import socket
import ssl
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from companion.cli_output import UsageError

AUTHORITY_DAYS = 3650
LEAF_DAYS = 365
CHUNK = 64 * 1024
CONNECTIONS = 400


def context(folder: Path, names: Iterable[str], say: Callable[[str], None]) -> ssl.SSLContext:
    """A TLS context with a fresh certificate for these names. Raises UsageError without the extra ``https``."""
    try:
        import cryptography  # noqa: F401
    except ImportError:
        raise UsageError("--https needs the extra: pip install 'remi-companion[https]'.", code="HTTPS") from None
    ca, key = folder / "remi-ca.crt", folder / "remi-ca.key"
    if not (ca.exists() and key.exists()):
        _make_authority(ca, key)
    leaf, leaf_key = folder / "remi.crt", folder / "remi.key"
    _make_leaf(ca, key, leaf, leaf_key, list(dict.fromkeys(names)))
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.minimum_version = ssl.TLSVersion.TLSv1_2
    made.load_cert_chain(leaf, leaf_key)
    say(f"Phones show no warning once they trust {ca}.")
    return made


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
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    _write_private(key_file, _pem(key))
    ca.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))


def _make_leaf(ca: Path, ca_key: Path, leaf: Path, leaf_key: Path, names: list[str]) -> None:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID

    listed = ["localhost", *names]
    authority = x509.load_pem_x509_certificate(ca.read_bytes())
    signer: Any = serialization.load_pem_private_key(ca_key.read_bytes(), None)
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
        .add_extension(x509.SubjectAlternativeName([_alternative(one) for one in listed]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.public_key()),  # type: ignore[arg-type]
            critical=False,
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


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(CHUNK):
            sink.sendall(data)
    for end in (source, sink):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
