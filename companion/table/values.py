"""What a Table is made of: the caller's wishes, the pieces with a person's edits, and what follows from them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from companion.arrange import Arrangement
from companion.games import Game, HouseRulesBase, Verdict, carousel
from companion.games.messages import Message, Translate
from companion.games.verdict import OK
from companion.pieces import Card, parse_card
from vision.scene import Quad, Row, RowKind, Scene

if TYPE_CHECKING:
    from companion.table.edits import Edit

View = Literal["opening", "table", "rack", "round"]
VIEWS: tuple[View, ...] = ("opening", "table", "rack", "round")
Why = Literal[
    "unreadable", "copy", "close", "doubtful", "orientation", "joker", "face_down", "gone", "hidden", "covered"
]
Outline = tuple[tuple[float, float], ...]


class TableError(ValueError):
    """What was asked of a table can't be: cards for a game of tiles, an unknown view. The message is a sentence."""


@dataclass(frozen=True, slots=True)
class Group:
    """Pieces that lie together, in reading order. ``fixed``: a person said so, and it is not parted again; ``joined``:
    made of several rows that are no melds alone."""

    pieces: tuple[int, ...]
    kind: RowKind = "meld"
    fixed: bool = False
    owner: str | None = None
    joined: bool = False


@dataclass(frozen=True, slots=True)
class Seat:
    """Where a player sits, in shares (0 to 1) of the picture's width and height."""

    player: str
    x: float
    y: float


@dataclass(frozen=True)
class Wishes:
    """What the caller decides: see :func:`companion.table.read_table`."""

    game: Game[Any]
    rules: HouseRulesBase
    view: View
    record: Mapping[str, Any] = field(default_factory=dict)
    rack: int | None = None
    copies: int = 2


@dataclass(frozen=True)
class Seen:
    """The pieces and how they lie, with every edit in it; a Table follows from it and the wishes alone.

    ``sure``: pieces that a person has named; ``removed``: pieces that are none; ``declared``: by piece, the joker's
    face (``*=r6``) that a person or an earlier picture gave.
    """

    scene: Scene
    groups: tuple[Group, ...]
    sure: frozenset[int] = frozenset()
    removed: frozenset[int] = frozenset()
    declared: Mapping[int, str] = field(default_factory=dict)
    seats: tuple[Seat, ...] = ()


@dataclass(frozen=True, slots=True)
class MeldRead:
    """A meld: its pieces in order, as read and as they count, and its verdict.

    ``decided``: no piece of it is asked about. ``remarks``: what was done to read it so. ``group``: the row it is of.
    """

    pieces: tuple[int, ...]
    codes: tuple[str, ...]
    faces: tuple[str, ...]
    kind: str
    verdict: Verdict
    outline: Outline
    group: int
    decided: bool = True
    owner: str | None = None
    remarks: tuple[Message, ...] = ()
    jokers: tuple[tuple[int, tuple[str, ...]], ...] = ()
    """Jokers by piece that may stand for several cards, with these, best first."""


@dataclass(frozen=True, slots=True)
class Question:
    """A piece to be told by a person: the likeliest answers, best first, and why it is asked."""

    piece: int
    answers: tuple[str, ...]
    why: Why
    message: Message
    quad: Quad


@dataclass(frozen=True, slots=True)
class Player:
    """A player of the view ``round``: melds by place, pieces left, the points of the round (None while there are none
    to tell), and what the pieces left are worth."""

    name: str
    x: float
    y: float
    melds: tuple[int, ...]
    rack: tuple[int, ...]
    verdict: Verdict | None = None
    left: Verdict = OK


@dataclass(frozen=True)
class Table:
    """A Scene seen as a game: see :mod:`companion.table`."""

    wishes: Wishes
    seen: Seen
    melds: tuple[MeldRead, ...]
    loose: tuple[int, ...]
    rack: tuple[int, ...]
    stock: tuple[int, ...]
    questions: tuple[Question, ...]
    total: Verdict
    arrangement: Arrangement[Any] | None = None
    owners: tuple[Player, ...] = ()

    @property
    def scene(self) -> Scene:
        """The pieces, with the edits in them; ``asked`` of each piece is whether there is a question about it."""
        asked = {question.piece for question in self.questions}
        pieces = tuple(replace(piece, asked=n in asked) for n, piece in enumerate(self.seen.scene.pieces))
        rows = tuple(Row(group.pieces, group.kind) for group in self.seen.groups)
        return replace(self.seen.scene, pieces=pieces, rows=rows)

    @property
    def decided(self) -> bool:
        """Whether no question is open."""
        return not self.questions

    @property
    def likely_closer(self) -> str | None:
        """Who alone has melds and nothing left."""
        out = [player.name for player in self.owners if player.melds and not player.rack]
        return out[0] if len(out) == 1 and len(self.owners) > 1 else None

    @property
    def knock(self) -> Verdict | None:
        """Whether this hand may knock (RULES.md 2.2.2); None for what is no hand of Carousel, or not all read."""
        hand = self._hand()
        return None if hand is None or self.wishes.game.name != "carousel" else carousel.judge_knock(hand)

    @property
    def goes_out(self) -> bool | None:
        """Whether all of this hand but the discard can be laid by itself (RULES.md 3 no. 4); None for what is no hand
        of Rummy, or not all read."""
        if self.wishes.game.name != "rummy" or self._hand() is None or self.arrangement is None:
            return None
        return len(self.arrangement.left) <= 1

    def _hand(self) -> tuple[Card, ...] | None:
        """The cards of a hand of cards; None where this is none, or a card of it isn't read."""
        codes = [self.code(piece) for piece in self.rack]
        if self.wishes.view != "rack" or self.wishes.game.pieces != "card" or "back" in codes or "?" in codes:
            return None
        return tuple(parse_card(code).bare() for code in codes)

    def code(self, piece: int) -> str:
        """What a piece counts as: legality's choice, a place's name, a joker's face; else its code as read."""
        for meld in self.melds:
            if piece in meld.pieces:
                return meld.faces[meld.pieces.index(piece)]
        return self.seen.declared.get(piece, self.seen.scene.pieces[piece].code)

    def edit(self, edit: Edit) -> Table:
        """The table after an edit. Raises EditError, and then nothing has changed."""
        from companion.table.edits import apply

        return apply(self, edit)

    def edited(self, edits: Iterable[Edit]) -> Table:
        """The table after several edits, one after the other. Raises EditError."""
        table = self
        for edit in edits:
            table = table.edit(edit)
        return table

    def to_dict(self, translate: Translate | None = None) -> dict[str, Any]:
        """The JSON form of :mod:`companion.table`; sentences through a gettext-like function."""
        from companion.table.show import table_dict

        return table_dict(self, translate)

    def to_json(self, translate: Translate | None = None) -> str:
        """The JSON form as text."""
        return json.dumps(self.to_dict(translate), ensure_ascii=False)
