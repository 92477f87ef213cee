"""The design of a drawn deck: all that makes one deck's print differ from another's, and drawing a face by it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import cv2
import numpy as np

from datasets.cardbacks import draw_back
from datasets.cardcourts import CourtStyle, court_style, draw_court
from datasets.cardjokers import JokerStyle, draw_ace, draw_joker, joker_corners, joker_style
from datasets.cardletters import choose_font, text_mask
from datasets.cardpaint import (
    RANKS,
    WIDTH,
    Colour,
    Face,
    IndexStyle,
    PipStyle,
    Quad,
    print_indices,
    print_pips,
)
from datasets.deckart import Art
from datasets.suits import styles

# what stands for jack, queen, king and ace, by language, and how often a language is drawn
LANGUAGES: tuple[tuple[str, float, tuple[str, str, str, str]], ...] = (
    ("en", 0.60, ("J", "Q", "K", "A")),
    ("de", 0.12, ("B", "D", "K", "A")),
    ("fr", 0.06, ("V", "D", "R", "A")),
    ("fr", 0.04, ("V", "D", "R", "1")),
    ("it", 0.02, ("F", "D", "R", "A")),
    ("pl", 0.03, ("W", "D", "K", "A")),
    ("cz", 0.03, ("J", "D", "K", "A")),
    ("cz", 0.02, ("J", "D", "K", "E")),
    ("cz", 0.01, ("S", "Q", "K", "A")),
    ("da", 0.02, ("B", "D", "K", "E")),
    ("sv", 0.02, ("Kn", "D", "K", "E")),
    ("nl", 0.03, ("B", "V", "H", "A")),
)


@dataclass(frozen=True)
class Design:
    """A drawn deck. `inks` by suit; `art` is a package's deck whose pictures stand in for the drawn courts and back."""

    language: str
    height: int
    body: Colour
    inks: Mapping[str, Colour]
    index: IndexStyle
    pips: PipStyle
    court: CourtStyle
    joker: JokerStyle
    ace: tuple[float, float, int]  # size of the sign, size of the ace of spades, ornament
    border: Colour | None  # a thin line around number cards
    back_seed: int
    art: Art | None
    picture_scale: float  # most that a package's picture is enlarged


def make_design(rng: np.random.Generator, aspect: float, held: bool, art: Art | None = None) -> Design:
    """A design at random from one side of the split."""
    weights = np.array([share for _, share, _ in LANGUAGES])
    language, _, courts = LANGUAGES[int(rng.choice(len(LANGUAGES), p=weights / weights.sum()))]
    letters = {rank: rank for rank in RANKS} | dict(zip(("J", "Q", "K", "A"), courts, strict=True))
    if rng.random() < 0.015:
        letters["10"] = "T"
    suit_style = int(rng.choice(styles(held)))
    index = _index_style(rng, letters, suit_style, held)
    side = (index.left + index.column) / WIDTH + 0.012
    room = max(0.05, 0.5 - side)  # from the middle to the index column
    pip_height = float(np.clip(rng.uniform(0.14, 0.24), 0.06, room * 0.85))
    single = bool(pip_height < 0.1 or (index.rank_height > 50 and rng.random() < 0.35))
    if single:
        pip_height = float(min(rng.uniform(0.3, 0.55), 1.8 * room))
    court = court_style(rng, suit_style, min(side, 0.26))
    if court.inset[0] < side and rng.random() < 0.9:  # indices stand on bare paper, in a notch of the picture
        index = replace(index, backing=True)
    dark = rng.random() < 0.02
    border: Colour = (120, 120, 120)
    return Design(
        language=language,
        height=round(WIDTH * aspect),
        body=_body(rng, dark),
        inks=_inks(rng, dark),
        index=index,
        pips=PipStyle(
            suit_style=suit_style,
            height=pip_height,
            column=float(min(rng.uniform(0.19, 0.25), room - pip_height * 0.48)),
            top=float(rng.uniform(0.14, 0.2)),
            single=single,
        ),
        court=court,
        joker=joker_style(rng, index.font if rng.random() < 0.6 else choose_font(rng, held)),
        ace=(float(rng.uniform(0.14, 0.4)), float(rng.uniform(0.25, 0.7)), int(rng.choice([0, rng.integers(1, 100)]))),
        border=border if rng.random() < 0.05 else None,
        back_seed=int(rng.integers(2**31)),
        art=art,
        picture_scale=float(rng.uniform(0.85, 1.2)),
    )


def _index_style(rng: np.random.Generator, letters: Mapping[str, str], suit_style: int, held: bool) -> IndexStyle:
    font = choose_font(rng, held)
    size = rng.choice(4, p=[0.25, 0.4, 0.2, 0.15])
    rank_height = int(rng.uniform(*((22, 30), (28, 40), (38, 56), (54, 88))[size]))
    eight = text_mask(font, "8")
    natural = eight.shape[1] / eight.shape[0]
    squeeze = rng.uniform(0.85, 1.05) if rng.random() < 0.45 else rng.uniform(0.4, 0.75) / natural
    suit_height = int(rank_height * rng.uniform(0.5, 0.95))
    return IndexStyle(
        font=font,
        suit_style=suit_style,
        letters=letters,
        left=float(rng.uniform(6, 17)),
        top=float(rng.uniform(6, 22)),
        rank_height=rank_height,
        squeeze=float(np.clip(squeeze, 0.35, 1.6)),
        ten_width=float(rng.uniform(1.05, 1.75)),
        suit_height=max(12, suit_height),
        gap=int(rng.integers(2, max(3, rank_height // (4 if rng.random() < 0.75 else 2)))),
        corners=4 if rng.random() < 0.15 and rank_height < 50 else 2,
        bold=float(rng.choice([0.0, rng.uniform(-0.6, 1.0)])),
        backing=bool(rng.random() < 0.4),
    )


def _body(rng: np.random.Generator, dark: bool) -> Colour:
    if dark:
        level = int(rng.integers(20, 50))
        return (level, level, level)
    kind = rng.random()
    base = np.array((250, 251, 251) if kind < 0.6 else (228, 243, 248) if kind < 0.9 else rng.uniform(205, 250, 3))
    b, g, r = np.clip(base + rng.normal(0, 3), 0, 255).astype(int).tolist()
    return (b, g, r)


def _inks(rng: np.random.Generator, dark: bool) -> dict[str, Colour]:
    def near(colour: Colour, spread: float) -> Colour:
        b, g, r = np.clip(np.array(colour) + rng.normal(0, spread, 3), 0, 255).astype(int).tolist()
        return (b, g, r)

    red = near(((40, 30, 205), (50, 45, 225), (35, 25, 165), (65, 60, 215))[int(rng.integers(4))], 10)
    black = (210, 215, 215) if dark else near((32, 30, 30), 12)
    inks = {"S": black, "H": red, "D": red, "C": black}
    if rng.random() < 0.09 and not dark:
        inks["C"] = near(((50, 115, 25), (90, 140, 60))[int(rng.integers(2))], 10)
        inks["D"] = near(((195, 95, 25), (25, 120, 235), (60, 190, 230))[int(rng.choice(3, p=[0.55, 0.3, 0.15]))], 12)
        if rng.random() < 0.2:
            inks["S"] = near((150, 60, 30), 12)
    return inks


def draw(design: Design, code: str) -> tuple[Face, tuple[Quad, ...]]:
    """The clean face of `code` ('AS' .. 'KC', '*0' and '*1' for the two jokers, 'back') and its index quads."""
    face = np.empty((design.height, WIDTH, 3), np.uint8)
    face[:] = design.body
    if code == "back":
        return _back(design, face), ()
    if code.startswith("*"):
        return _joker(design, face, int(code[1:]))
    rank, suit = code[:-1], code[-1]
    ink = design.inks[suit]
    picture = design.art.picture(code) if design.art is not None and rank in "JQKA" else None
    if rank in ("J", "Q", "K"):
        if picture is not None:
            _paste(design, face, picture)
        else:
            draw_court(face, design.court, code, ink, design.body)
    elif rank == "A":
        if picture is not None:
            _paste(design, face, picture)
        else:
            size = design.ace[1] if suit == "S" else design.ace[0]
            ornament = design.ace[2] if suit == "S" or design.ace[2] % 2 else 0
            draw_ace(face, design.pips.suit_style, code, size, ornament, ink)
    else:
        print_pips(face, design.pips, code, ink)
        if design.border is not None:
            cv2.rectangle(face, (5, 5), (WIDTH - 6, design.height - 6), design.border, 1, cv2.LINE_AA)
    return face, print_indices(face, design.index, code, ink, design.body)


def _paste(design: Design, face: Face, picture: Face) -> None:
    """Puts a picture on the paper: fitted between the index columns, its white taking the paper's tone."""
    h, w = face.shape[:2]
    left, top = (round(part * w) for part in design.court.inset)
    room_w, room_h = w - 2 * left, h - 2 * top
    # about as large as on its own card: the sign of an ace isn't blown up to the size of a king
    scale = min(room_w / picture.shape[1], room_h / picture.shape[0], design.picture_scale)
    size = (max(1, round(picture.shape[1] * scale)), max(1, round(picture.shape[0] * scale)))
    x, y = (w - size[0]) // 2, (h - size[1]) // 2
    small = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    under = face[y : y + size[1], x : x + size[0]]
    under[:] = cv2.multiply(under, np.asarray(small), scale=1 / 255)


def _joker(design: Design, face: Face, which: int) -> tuple[Face, tuple[Quad, ...]]:
    ink = design.inks["S"] if which == 0 else design.inks["H"]
    index = replace(design.index, backing=False)
    picture = design.art.picture("*") if design.art is not None else None
    if picture is None:
        return face, draw_joker(face, design.joker, index, ink, design.body)
    _paste(design, face, picture)
    return face, joker_corners(face, design.joker, index, ink, design.body)


def _back(design: Design, face: Face) -> Face:
    rng = np.random.default_rng(design.back_seed)
    picture = design.art.picture("back") if design.art is not None else None
    if picture is not None and rng.random() < 0.6:
        return np.asarray(cv2.resize(picture, face.shape[1::-1], interpolation=cv2.INTER_AREA), dtype=np.uint8)
    return draw_back(rng, face.shape[0], face.shape[1], design.body)
