"""gettext with types: the library that finds the reader's language has none."""

from __future__ import annotations

import flask_babel


def gettext(template: str, **params: object) -> str:
    """The template in the reader's language, its places filled where there are any."""
    words = str(flask_babel.gettext(template))
    return words % params if params else words


def ngettext(one: str, many: str, num: int, **params: object) -> str:
    """The form that goes with ``num`` in the reader's language."""
    return str(flask_babel.ngettext(one, many, num, **params))
