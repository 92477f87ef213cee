"""What the browser tests share: where Chromium lies, and a server at hand."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from companion.ledger import Ledger
from companion.web.trust import new_invite

sys.path.insert(0, str(Path(__file__).parents[1] / "companion" / "web"))
from fakes import FakeReader

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
WATCHERS = 24
"""For whom the server of a test has threads."""


@dataclass
class Server:
    """A server on loopback over a ledger of its own."""

    url: str
    ledger: Ledger
    reader: FakeReader

    def invite(self) -> str:
        """A fresh pairing link."""
        return f"{self.url}/pair/{new_invite(self.ledger)}"
