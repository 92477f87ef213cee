"""Pieces and their notation (RULES.md 0.3): tiles of Remi, cards of Carousel and Rummy.

Every face exists once (interned), so pieces are compared with ``is``/``==`` at the speed of a pointer, sort in a fixed
order and survive ``copy`` and ``pickle`` as the same objects.

========  =====================================================
``r5``    tile: colour ``r b y k`` (red, blue, yellow, black), value 1..13
``10H``   card: rank ``A 2..10 J Q K``, suit ``S H D C``
``*``     a joker, tile or card
``*=r4``  a joker that was declared to stand for r4 (``*=8D`` for cards)
``r6@B``  a tile on the table that player B laid (:class:`Laid`)
========  =====================================================

>>> [t.value for t in parse_tiles("r3 * r5")]
[3, 0, 5]
>>> parse_tiles("r3 x4 r5")  # doctest: +ELLIPSIS
Traceback (most recent call last):
...
companion.pieces.NotationError: piece 2, 'x4', is not a tile: a tile is a colour r, b, y or k and a value 1 to 13...
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import total_ordering
from typing import Final, NamedTuple, TypeVar

COLOURS: Final = ("r", "b", "y", "k")
"""Tile colours in index order: red, blue, yellow, black."""
COLOUR_NAMES: Final = ("red", "blue", "yellow", "black")
SUITS: Final = ("S", "H", "D", "C")
"""Card suits in index order: spades, hearts, diamonds, clubs."""
SUIT_NAMES: Final = ("spades", "hearts", "diamonds", "clubs")
RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
"""Card ranks; the rank with value v is ``RANKS[v - 1]``."""
JOKER_INDEX: Final = 52
"""``index`` of a joker nobody has declared; the joker declared as face i has ``53 + i``."""

_TILE_HELP: Final = "a tile is a colour r, b, y or k and a value 1 to 13 ('r5'), '*' or '*=r4'"
_CARD_HELP: Final = "a card is a rank A, 2 to 10, J, Q or K and a suit S, H, D or C ('10H'), '*' or '*=8D'"
_LAID_HELP: Final = "a tile on the table is a tile and, where another player laid it, '@' and the player ('r6@B')"


class NotationError(ValueError):
    """A piece that can't be read.

    ``text`` is the whole input, ``piece`` the wrong part, ``number`` its place among the pieces (from 1), ``start`` and
    ``end`` its character offsets in ``text``, ``help`` says what would be right.
    """

    def __init__(self, text: str, piece: str, number: int, start: int, kind: str, help: str) -> None:
        super().__init__(text, piece, number, start, kind, help)
        self.text = text
        self.piece = piece
        self.number = number
        self.start = start
        self.end = start + len(piece)
        self.kind = kind
        self.help = help

    def __str__(self) -> str:
        return f"piece {self.number}, {self.piece!r}, is not a {self.kind}: {self.help}"

    def pointer(self) -> str:
        """The input with the wrong piece underlined by carets, two lines."""
        return f"{self.text}\n{' ' * self.start}{'^' * max(1, len(self.piece))}"


@total_ordering
class Tile:
    """One face of a Remi tile. Not built directly: :func:`parse_tile`, :func:`tile`, :data:`JOKER`.

    ``index``: ``colour * 13 + value - 1`` for the 52 faces, 52 for a joker, 53 + i for a joker declared as face i.
    ``colour``: 0..3 (index in :data:`COLOURS`), -1 for a joker. ``value``: 1..13, 0 for a joker.
    ``stands``: the face a declared joker stands for, else None. ``code``: the notation.
    """

    __slots__ = ("code", "colour", "index", "stands", "value")
    code: str
    colour: int
    index: int
    stands: Tile | None
    value: int

    @property
    def is_joker(self) -> bool:
        """Whether the physical piece is a joker, declared or not."""
        return self.value == 0

    def face(self) -> Tile:
        """What it counts as: itself, or the face a declared joker stands for (an undeclared joker is itself)."""
        return self.stands or self

    def bare(self) -> Tile:
        """The physical piece: a declared joker without its declaration."""
        return self if self.value else JOKER

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Tile):
            return NotImplemented
        return self.index < other.index

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"Tile({self.code})"

    def __str__(self) -> str:
        return self.code

    def __copy__(self) -> Tile:
        return self

    def __deepcopy__(self, memo: object) -> Tile:
        return self

    def __reduce__(self) -> tuple[Callable[[str], Tile], tuple[str]]:
        return parse_tile, (self.code,)


@total_ordering
class Card:
    """One face of a playing card. Not built directly: :func:`parse_card`, :func:`card`, :data:`CARD_JOKER`.

    ``index``: ``suit * 13 + value - 1`` for the 52 faces, 52 for a joker, 53 + i for a joker declared as face i.
    ``suit``: 0..3 (index in :data:`SUITS`), -1 for a joker. ``value``: rank 1 (ace) .. 13 (king), 0 for a joker.
    ``stands``: the face a declared joker stands for, else None. ``code``: the notation.
    """

    __slots__ = ("code", "index", "stands", "suit", "value")
    code: str
    index: int
    stands: Card | None
    suit: int
    value: int

    @property
    def is_joker(self) -> bool:
        """Whether the physical card is a joker, declared or not."""
        return self.value == 0

    @property
    def rank(self) -> str:
        """``A 2..10 J Q K``, or ``*``."""
        return RANKS[self.value - 1] if self.value else "*"

    def face(self) -> Card:
        """What it counts as: itself, or the face a declared joker stands for (an undeclared joker is itself)."""
        return self.stands or self

    def bare(self) -> Card:
        """The physical card: a declared joker without its declaration."""
        return self if self.value else CARD_JOKER

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Card):
            return NotImplemented
        return self.index < other.index

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return f"Card({self.code})"

    def __str__(self) -> str:
        return self.code

    def __copy__(self) -> Card:
        return self

    def __deepcopy__(self, memo: object) -> Card:
        return self

    def __reduce__(self) -> tuple[Callable[[str], Card], tuple[str]]:
        return parse_card, (self.code,)


def _make_tile(code: str, colour: int, value: int, index: int, stands: Tile | None) -> Tile:
    made = Tile()
    made.code, made.colour, made.value, made.index, made.stands = code, colour, value, index, stands
    return made


def _make_card(code: str, suit: int, value: int, index: int, stands: Card | None) -> Card:
    made = Card()
    made.code, made.suit, made.value, made.index, made.stands = code, suit, value, index, stands
    return made


TILES: Final[tuple[Tile, ...]] = tuple(
    _make_tile(f"{name}{value}", colour, value, colour * 13 + value - 1, None)
    for colour, name in enumerate(COLOURS)
    for value in range(1, 14)
)
"""The 52 tile faces, by index."""
JOKER: Final[Tile] = _make_tile("*", -1, 0, JOKER_INDEX, None)
"""The undeclared tile joker."""
DECLARED: Final[tuple[Tile, ...]] = tuple(_make_tile(f"*={t.code}", -1, 0, JOKER_INDEX + 1 + t.index, t) for t in TILES)
"""The joker declared as each face, by the index of the face."""
FULL_SET: Final[tuple[Tile, ...]] = (*(t for t in TILES for _ in range(2)), JOKER, JOKER)
"""The 106 tiles of a set: every face twice and two jokers (RULES.md 1.1.1)."""

CARDS: Final[tuple[Card, ...]] = tuple(
    _make_card(f"{rank}{name}", suit, value, suit * 13 + value - 1, None)
    for suit, name in enumerate(SUITS)
    for value, rank in enumerate(RANKS, 1)
)
"""The 52 card faces, by index."""
CARD_JOKER: Final[Card] = _make_card("*", -1, 0, JOKER_INDEX, None)
"""The undeclared card joker."""
DECLARED_CARDS: Final[tuple[Card, ...]] = tuple(
    _make_card(f"*={c.code}", -1, 0, JOKER_INDEX + 1 + c.index, c) for c in CARDS
)
"""The card joker declared as each face, by the index of the face."""

_TILE_BY_CODE: Final = {t.code: t for t in (*TILES, JOKER, *DECLARED)}
_CARD_BY_CODE: Final = {c.code: c for c in (*CARDS, CARD_JOKER, *DECLARED_CARDS)}


class Laid(NamedTuple):
    """A tile on the table and who laid it; ``by`` None means the owner of the meld (RULES.md 1.7.3).

    ``spent``: it lies face down after a joker exchange (RULES.md 1.8); its points stay its own.
    """

    tile: Tile
    by: str | None = None
    spent: bool = False

    def __str__(self) -> str:
        return self.tile.code if self.by is None else f"{self.tile.code}@{self.by}"


def tile(colour: int, value: int) -> Tile:
    """The face with that colour (0..3) and value (1..13); position 14 of a run is value 1."""
    if not (0 <= colour <= 3 and 1 <= value <= 13):
        raise ValueError(f"no tile has colour {colour} and value {value}: colours are 0 to 3, values 1 to 13")
    return TILES[colour * 13 + value - 1]


def card(suit: int, value: int) -> Card:
    """The face with that suit (0..3) and rank value (1 ace .. 13 king)."""
    if not (0 <= suit <= 3 and 1 <= value <= 13):
        raise ValueError(f"no card has suit {suit} and rank {value}: suits are 0 to 3, ranks 1 to 13")
    return CARDS[suit * 13 + value - 1]


def declare(face: Tile) -> Tile:
    """The joker declared as ``face`` (a joker's declaration is its face's)."""
    if face.index < JOKER_INDEX:
        return DECLARED[face.index]
    if face.stands is None:
        raise ValueError("a joker can't be declared as a joker")
    return face


def declare_card(face: Card) -> Card:
    """The card joker declared as ``face``."""
    if face.index < JOKER_INDEX:
        return DECLARED_CARDS[face.index]
    if face.stands is None:
        raise ValueError("a joker can't be declared as a joker")
    return face


Piece = Tile | Card
"""What a game is played with."""

P = TypeVar("P")


def _split(text: str) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    at = 0
    for word in text.split():
        at = text.index(word, at)
        found.append((word, at))
        at += len(word)
    return found


def _parse_all(text: str, one: Callable[[str], P | None], kind: str, help: str) -> tuple[P, ...]:
    if not isinstance(text, str):
        raise TypeError(f"pieces are written as text, not {type(text).__name__}")
    pieces = []
    for number, (word, start) in enumerate(_split(text), 1):
        piece = one(word)
        if piece is None:
            raise NotationError(text, word, number, start, kind, help)
        pieces.append(piece)
    return tuple(pieces)


def _single(text: str, one: Callable[[str], P | None], kind: str, help: str) -> P:
    pieces = _parse_all(text, one, kind, help)
    if len(pieces) != 1:
        raise NotationError(text, text, 1, 0, kind, f"exactly one is wanted here; {help}")
    return pieces[0]


def _tile(word: str) -> Tile | None:
    return _TILE_BY_CODE.get(word) or _TILE_BY_CODE.get(word.lower())


def _card(word: str) -> Card | None:
    return _CARD_BY_CODE.get(word) or _CARD_BY_CODE.get(word.upper())


def _laid(word: str) -> Laid | None:
    code, at, player = word.partition("@")
    found = _tile(code)
    if found is None or (at and not player):
        return None
    return Laid(found, player or None)


def parse_tile(text: str) -> Tile:
    """One tile; :class:`NotationError` if it isn't one. Capitals are read as small letters."""
    return _single(text, _tile, "tile", _TILE_HELP)


def parse_tiles(text: str) -> tuple[Tile, ...]:
    """Tiles separated by blanks, in order; :class:`NotationError` points at the first that can't be read."""
    return _parse_all(text, _tile, "tile", _TILE_HELP)


def parse_card(text: str) -> Card:
    """One card; :class:`NotationError` if it isn't one. Small letters are read as capitals."""
    return _single(text, _card, "card", _CARD_HELP)


def parse_cards(text: str) -> tuple[Card, ...]:
    """Cards separated by blanks, in order; :class:`NotationError` points at the first that can't be read."""
    return _parse_all(text, _card, "card", _CARD_HELP)


def parse_laid(text: str) -> tuple[Laid, ...]:
    """A meld on the table, ``r3 r4 r5 r6@B``; :class:`NotationError` points at the first that can't be read."""
    return _parse_all(text, _laid, "tile", f"{_TILE_HELP}; {_LAID_HELP}")


def spell(pieces: Iterable[Tile] | Iterable[Card] | Iterable[Laid]) -> str:
    """The notation of pieces, separated by one blank: the inverse of the parsers."""
    return " ".join([str(piece) for piece in pieces])
