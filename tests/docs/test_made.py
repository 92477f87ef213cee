"""What documents say of commands, switches, addresses and limits is what the code says."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from companion.cli import COMMANDS
from companion.web.openapi import PATHS
from companion.web.pages import ROUTES

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def _make() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_make", DOCS / "make.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["docs_make"] = module
    spec.loader.exec_module(module)
    return module


make: Any = _make()


def page(name: str) -> str:
    return (DOCS / name).read_text("utf-8")


def test_the_made_parts_are_as_the_code_says() -> None:
    assert [path.name for path in make.stale()] == [], "run: python docs/make.py"


def test_every_part_is_in_a_page() -> None:
    pages = "\n".join(path.read_text("utf-8") for path in DOCS.glob("*.md"))
    missing = [name for name in make.PARTS if f"<!-- made: {name} -->" not in pages]
    assert missing == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_says_what_it_does(name: str) -> None:
    silent = [make.spelled(action) for action in make.actions(name) if not action.help]
    assert silent == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_documented(name: str) -> None:
    written = page("commands.md")
    assert f"### remi {name}\n" in written
    missing = [one for action in make.actions(name) for one in action.option_strings if one not in written]
    assert missing == []


def test_every_address_is_documented() -> None:
    written = page("api.md")
    assert [path for path in PATHS if f"`{path}`" not in written] == []
    assert [rule for rule, _, _ in ROUTES if f"`{rule}`" not in written] == []


def test_every_environment_variable_is_documented() -> None:
    code = "\n".join(path.read_text("utf-8") for top in ("companion", "vision") for path in (ROOT / top).rglob("*.py"))
    read = set(re.findall(r"environ(?:\.get\(|\[)\"(REMI_\w+)\"", code))
    assert read >= {"REMI_DATA", "REMI_MODELS"}
    assert {name for name in read if name not in page("commands.md")} == set()


def _anchor(heading: str) -> str:
    """The anchor that a heading gets where Markdown is shown."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("path", [ROOT / "README.md", *sorted(DOCS.glob("*.md"))], ids=lambda path: path.name)
def test_links_and_pictures_lead_somewhere(path: Path) -> None:
    text = path.read_text("utf-8")
    for target in [*re.findall(r"\]\(([^)\s]+)\)", text), *re.findall(r'src="([^"]+)"', text)]:
        if target.startswith("http"):
            continue
        name, _, anchor = target.partition("#")
        goal = path.parent / name if name else path
        assert goal.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", goal.read_text("utf-8"), re.MULTILINE)
            assert anchor in {_anchor(heading) for heading in headings}, target


def test_pictures_stay_small() -> None:
    large = {path.name: path.stat().st_size for path in (DOCS / "pictures").iterdir() if path.stat().st_size > 150_000}
    assert large == {}


def test_every_page_of_the_documents_is_linked_from_the_readme() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert [path.name for path in DOCS.glob("*.md") if f"docs/{path.name}" not in readme] == []


def test_the_figures_of_the_readme_are_those_of_the_model_cards() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    section = readme.partition("## What it reads well")[2].partition("\n## ")[0]
    figures = re.findall(r"\d+\.\d+ %|\d+,\d{3}", section)
    cards = "\n".join(path.read_text("utf-8") for path in (ROOT / "models").glob("*.md"))
    assert len(figures) >= 4
    assert [figure for figure in figures if figure not in cards] == []
