"""QR codes, for the page and for the terminal."""

from __future__ import annotations

import io
from typing import Any

import segno
from markupsafe import Markup


def svg(text: str) -> Markup:
    """The code as an inline SVG element, dark on white in every theme (cameras want it so)."""
    code: Any = segno.make(text, error="m")
    return Markup(code.svg_inline(scale=6, border=3, dark="#000", light="#fff", omitsize=True))


def terminal(text: str) -> str:
    """The code in half blocks for a terminal."""
    out = io.StringIO()
    code: Any = segno.make(text, error="l")
    code.terminal(out, compact=True, border=2)
    return out.getvalue()
