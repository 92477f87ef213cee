"""What the rules import, and what the command needs before it answers."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("cv2", "numpy", "onnxruntime", "flask", "torch", "scipy")
RULES = ("companion.pieces", "companion.games", "companion.arrange", "companion.match", "companion.ledger")


def imported_by(code: str) -> set[str]:
    """Modules that are loaded after running ``code`` in a fresh interpreter."""
    told = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(told.stdout.splitlines()[-1].split())


def submodules(name: str) -> str:
    """Code that imports a module and everything inside it."""
    return (
        f"import importlib, pkgutil\nm = importlib.import_module({name!r})\n"
        "for found in pkgutil.walk_packages(getattr(m, '__path__', []), m.__name__ + '.'):\n"
        "    importlib.import_module(found.name)"
    )


@pytest.mark.parametrize("name", RULES)
def test_the_rules_import_nothing_heavy(name: str) -> None:
    loaded = imported_by(submodules(name))
    assert "companion" in loaded
    assert loaded.isdisjoint(HEAVY)
    assert "vision" not in loaded
    if name != "companion.ledger":
        assert "sqlalchemy" not in loaded


@pytest.mark.parametrize(
    "words", [["check", "r3 r4 r5"], ["score", "--player", "A: |", "--player", "B: | r5"], ["rules"]]
)
def test_a_quick_command_loads_only_what_it_needs(words: list[str]) -> None:
    loaded = imported_by(f"from companion.cli import main\nassert main({words!r}) == 0")
    assert loaded.isdisjoint((*HEAVY, "sqlalchemy", "companion.arrange"))


def test_the_first_page_waits_for_no_networks() -> None:
    """The page is there within a second of the start (issue 6): what reads photos is imported after it."""
    loaded = imported_by(
        "import companion.cli_serve, tempfile\nfrom companion.ledger import Ledger\n"
        "from companion.web.app import create_app\n"
        "with tempfile.TemporaryDirectory() as folder, Ledger(folder + '/ledger.db') as ledger:\n"
        "    client = create_app(ledger).test_client()\n"
        "    assert client.get('/').status_code == client.get('/check').status_code == 200"
    )
    assert loaded.isdisjoint({"cv2", "onnxruntime", "torch"})
