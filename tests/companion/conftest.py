"""A private PostgreSQL for the tests, where Debian's is installed."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text


def _binaries() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found:
        return found[-1].parent
    initdb = shutil.which("initdb")
    return Path(initdb).parent if initdb else None


def _as_postgres(*command: str) -> list[str]:
    """PostgreSQL refuses to run as root: as root, run as Debian's user for it."""
    return ["runuser", "-u", "postgres", "--", *command] if os.geteuid() == 0 else list(command)


@pytest.fixture(scope="session")
def postgresql_cluster() -> Iterator[str]:
    """The URL of a fresh PostgreSQL cluster on a unix socket in a folder of its own."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    bin_ = _binaries()
    if bin_ is None:
        pytest.skip("PostgreSQL is not installed")
    if os.geteuid() == 0:
        try:
            owner = pwd.getpwnam("postgres")
        except KeyError:
            pytest.skip("there is no user postgres to run PostgreSQL as")
    with tempfile.TemporaryDirectory(prefix="remi-pg-", dir="/tmp") as name:
        folder = Path(name)
        if os.geteuid() == 0:
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        data = folder / "data"
        quiet = {"check": True, "stdout": subprocess.DEVNULL, "cwd": "/tmp"}
        init = ("--auth=trust", "--username=remi", "--encoding=UTF8", "--locale=C", "--no-sync", "-D", str(data))
        subprocess.run(_as_postgres(str(bin_ / "initdb"), *init), **quiet)  # type: ignore[call-overload]
        control = (str(bin_ / "pg_ctl"), "-D", str(data), "-w", "-l", str(folder / "log"))
        options = f"-c listen_addresses='' -c unix_socket_directories={folder}"
        subprocess.run(_as_postgres(*control, "-o", options, "start"), **quiet)  # type: ignore[call-overload]
        try:
            yield f"postgresql+psycopg://remi@/postgres?host={folder}"
        finally:
            subprocess.run(_as_postgres(*control, "-m", "immediate", "stop"), **quiet)  # type: ignore[call-overload]


@pytest.fixture
def postgresql(postgresql_cluster: str) -> str:
    """The URL of an empty PostgreSQL database."""
    engine = create_engine(postgresql_cluster)
    with engine.begin() as conn:
        conn.execute(text("DROP SCHEMA public CASCADE"))
        conn.execute(text("CREATE SCHEMA public"))
    engine.dispose()
    return postgresql_cluster
