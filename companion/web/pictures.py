"""Tiles and cards on the page: each carries its colour as a letter and a shape as well (WCAG 1.4.1)."""

from __future__ import annotations

from typing import Any

from flask import Flask
from markupsafe import Markup, escape

from companion.games.messages import N_
from companion.web.words import gettext, ngettext

SHAPES = {"r": "●", "b": "■", "y": "▲", "k": "◆", "S": "♠", "H": "♥", "D": "♦", "C": "♣"}
COLOUR_LETTERS = {"r": N_("letter|R"), "b": N_("letter|B"), "y": N_("letter|Y"), "k": N_("letter|K")}
"""One letter for each ink, in the reader's language (``letter|`` is context, not shown)."""
COLOUR_NAMES = {
    "r": N_("red"), "b": N_("blue"), "y": N_("yellow"), "k": N_("black"),
    "S": N_("spades"), "H": N_("hearts"), "D": N_("diamonds"), "C": N_("clubs"),
}  # fmt: skip


def letter(colour: str) -> str:
    """The letter of an ink in the reader's language."""
    return gettext(COLOUR_LETTERS[colour]).partition("|")[2] or colour.upper()


def name_of(code: str) -> str:
    """A piece in words: "5 red", "10 of hearts", "joker"."""
    if code.startswith("*"):
        stands = code.partition("=")[2]
        return gettext("joker as %(piece)s", piece=name_of(stands)) if stands else gettext("joker")
    if code == "back":
        return gettext("face down")
    if code == "?":
        return gettext("not read")
    colour, value = (code[0], code[1:]) if code[0] in "rbyk" else (code[-1], code[:-1])
    return f"{value} {gettext(COLOUR_NAMES[colour])}" if colour in COLOUR_NAMES else code


def piece_html(code: str) -> Markup:
    """A tile or card; the script draws the same one (``pieces.js``)."""
    bare = code.partition("@")[0]
    joker = bare.startswith("*")
    face = bare.partition("=")[2] if joker else bare
    kind, top, below = "odd", "?", ""
    if bare == "back":
        top = "▒"
    elif joker and not face:
        kind, top, below = "joker", "★", "J"
    elif face[:1] in "rbyk" and face[1:].isdigit():
        kind, top, below = face[0], face[1:], f"{letter(face[0])}{SHAPES[face[0]]}"
    elif face[-1:] in "SHDC":
        kind, top, below = face[-1].lower() + "c", face[:-1], SHAPES[face[-1]]
    star = Markup('<i class="star" aria-hidden="true">★</i>') if joker and face else ""
    return Markup(
        '<span class="piece p-{kind}" role="img" aria-label="{name}"><b aria-hidden="true">{top}</b>'
        '<small aria-hidden="true">{below}</small>{star}</span>'
    ).format(kind=kind, name=name_of(bare), top=top, below=below, star=star)


def pieces_html(codes: list[str] | str) -> Markup:
    """Pieces side by side."""
    listed = codes.split() if isinstance(codes, str) else codes
    return Markup('<span class="pieces">{}</span>').format(Markup("").join(piece_html(code) for code in listed))


def parts_html(said: list[dict[str, Any]]) -> Markup:
    """Words with the pieces in them drawn."""
    return Markup("").join(pieces_html(p["pieces"]) if "pieces" in p else escape(p["text"]) for p in said)


def signed(points: int) -> str:
    """Points with their sign, a true minus."""
    return f"{points:+d}".replace("-", "−")


def plain(points: int) -> str:
    """A total, a true minus."""
    return str(points).replace("-", "−")


def install_template_helpers(app: Flask) -> None:
    """Make these known to the templates."""
    app.jinja_env.globals.update(
        piece=piece_html, pieces=pieces_html, parts=parts_html, signed=signed, plain=plain, gettext=gettext, _=gettext,
        ngettext=ngettext,
    )  # fmt: skip
