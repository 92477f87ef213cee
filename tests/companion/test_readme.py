"""What the README tells a person to type does what it says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from companion.cli import main

README = Path(__file__).resolve().parents[2] / "README.md"
COMMANDS = re.findall(r"^\.venv/bin/remi (.+)$", README.read_text(), re.MULTILINE)


def test_the_readme_shows_commands() -> None:
    assert {shlex.split(command)[0] for command in COMMANDS} >= {"check", "open", "arrange", "rules"}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_readme_runs(capsys: pytest.CaptureFixture[str], command: str) -> None:
    assert main(shlex.split(command)) == 0
    assert capsys.readouterr().out.strip()


def test_the_sample_table_opens(capsys: pytest.CaptureFixture[str]) -> None:
    assert "remi read --sample" in README.read_text()
    assert main(["read", "--sample"]) == 0
    assert "This opens: 80 points." in capsys.readouterr().out
