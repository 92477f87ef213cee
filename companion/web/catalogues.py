"""The Babel catalogues: ``python -m companion.web.catalogues`` finds the words in the code, updates and compiles them.

New words are added to each ``translations/*/LC_MESSAGES/messages.po`` empty, gone ones taken out; English translates
itself. A test fails while one is empty or the compiled file is older than its words.
"""

from __future__ import annotations

import sys
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from companion.web.config import LANGUAGES

PACKAGE = Path(__file__).parents[1]
FOLDER = Path(__file__).parent / "translations"
METHODS = [("**.py", "python"), ("web/templates/**.html", "jinja2")]
KEYWORDS = {"N_": None, "_": None, "gettext": None, "ngettext": (1, 2)}


def extract() -> Catalog:
    """Every sentence of the code and the templates."""
    found = Catalog(fuzzy=False)
    for _, _, message, comments, context in extract_from_dir(PACKAGE, METHODS, keywords=KEYWORDS):
        found.add(message, None, auto_comments=comments, context=context)
    return found


def po_file(language: str) -> Path:
    """Where the words of a language are."""
    return FOLDER / language / "LC_MESSAGES" / "messages.po"


def load(language: str) -> Catalog:
    """The catalogue of a language; an empty one where there is none yet."""
    path = po_file(language)
    if not path.exists():
        return Catalog(locale=language, fuzzy=False)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def compiled(catalogue: Catalog) -> bytes:
    """The catalogue as gettext reads it."""
    out = BytesIO()
    write_mo(out, catalogue)
    return out.getvalue()


def update(language: str) -> list[str]:
    """Bring a language's files up to date; what is not translated yet."""
    catalogue = load(language)
    catalogue.update(extract(), no_fuzzy_matching=True)
    catalogue.obsolete.clear()
    for message in catalogue:
        message.locations, message.auto_comments = [], []
        if language == "en" and message.id:
            message.string = message.id if isinstance(message.id, str) else tuple(message.id)
    path = po_file(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(file, catalogue, width=120, omit_header=False, sort_output=False, no_location=True)
    path.with_suffix(".mo").write_bytes(compiled(catalogue))
    return missing(catalogue)


def missing(catalogue: Catalog) -> list[str]:
    """The sentences of a catalogue that have no words yet."""
    found = []
    for message in catalogue:
        words = message.string if isinstance(message.string, (tuple, list)) else (message.string,)
        if message.id and not all(words):
            found.append(message.id if isinstance(message.id, str) else message.id[0])
    return found


def main() -> int:
    """Update every language; 1 while words are missing."""
    lacking = False
    for language in LANGUAGES:
        for sentence in update(language):
            lacking = True
            print(f"{language}: {sentence}")
    return int(lacking)


if __name__ == "__main__":
    sys.exit(main())
