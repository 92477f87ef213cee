"""What the tests of the rules need from ``../shared``."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("REMI_SHARED", Path(__file__).resolve().parents[4] / "shared"))


@pytest.fixture
def shared_rules() -> str:
    """The text of RULES.md; skips where it isn't there."""
    path = SHARED / "rules" / "RULES.md"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    return path.read_text(encoding="utf-8")
