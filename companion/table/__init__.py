"""The one door between vision and the games: a Scene and a game make a Table (DESIGN.md 4.5).

::

    table = read_table(scene, "remi", rules=None, as_="opening", players=(), record=None, rack=None, copies=None)
    table = table.edit(Change(piece=4, code="r6"))       # pure: a new Table; EditError with a sentence
    table = table.edited([Answer(0, "b9"), Remove(7)])
    edit_from_dict({"do": "change", "piece": 4, "code": "r6"}) -> Edit;  edit_to_dict(edit)
    table.melds .loose .rack .stock .questions .total .decided .owners .arrangement;  table.code(piece)
    table.to_dict(translate=None), table.to_json()       # what the web API returns
    score_players({"Ana": table, "Bo": table}, record) -> Scored   # a photo for each player; .to_dict(translate)
    judge_turn(before, after, hand=None, gone=(), new=(), whole=()) -> Turn   # Carousel: may that follow this?
    judge_whole_turn(turn, events, hand=None, stock=52, final=False) -> Verdict   # with its draws, its knock
    judge_rummy_turn(before, after, hand, discard=None, laid_before=False, took_discard=None) -> RummyTurn
    typed_scene("10H JH QH / 9C 9D 9S", game) -> Scene   # what was typed goes the same way as a photo
    with_hidden(table, piece, code) -> Table             # a card that lies hidden beside that piece

``as_``: ``opening`` (can this open?), ``table`` (melds judged), ``rack`` (what are these pieces worth, and how are they
best laid?), ``round`` (who has what: ``players`` sit at sides of the picture, ``record`` holds closer, atu, knocker ...
as :meth:`companion.games.Game.score_round` names them). ``rack``: pieces held after drawing, where that is known.
``copies``: how often the set holds each face (default: Remi and Carousel 2, Rummy 1).

Pieces are named by their place in ``scene.pieces``, which no edit changes: removed pieces keep their place (and stand
in ``removed``), added ones come last. Melds are named by their place in ``melds``.

Edits (all frozen; JSON ``{"do": name, ...the same fields}``)::

    Change(piece, code)            "change"   code: a face, a declared joker "*=r4", or "back"
    Answer(question, code)         "answer"   question: place in ``questions``
    Add(code, meld, position)      "add"      meld None: a loose piece (position ignored); "quad" optional
    Remove(piece)                  "remove"
    Move(pieces, meld, position)   "move"     meld None: together they make a new meld
    Mark(pieces, kind)             "mark"     the rows of these pieces are "meld", "rack" or "loose"
    Give(pieces, player)           "give"     "round": their rows belong to this player (None: to the nearest seat)
    SeatAt(player, x, y)           "seat"     "round": where a player sits, shares (0 to 1) of width and height

What legality may do: choose between readings that the reader itself found close (and then it says so and asks), split a
row in which melds touch, name a face-down tile by its place. It never makes an illegal meld legal otherwise.

A question is open for every piece that can't be read, every copy too many, and those doubtful pieces whose other
readings would change the verdict or the points. While one is open, ``total`` is not ``ok`` and its first reason is
``QUESTIONS_OPEN``; value and lines are those of the likeliest readings.

JSON::

    {"schema": 1, "game": "remi", "as": "opening", "decided": bool,
     "scene": {... vision.scene JSON with the edits in it ...}, "removed": [piece], "edited": [piece],
     "melds": [{"pieces": [piece], "codes": ["r5", "back", "*"], "faces": ["r5", "r6", "*=r7"], "kind": "run",
                "outline": [[x, y], ...], "decided": bool, "owner": "Ana" | null, "remarks": ["sentence"],
                "verdict": V}],
     "loose": [piece], "rack": [piece], "stock": [piece],
     "questions": [{"piece": n, "answers": ["r6", "r9"], "why": "orientation", "sentence": "...",
                    "quad": [[x, y], ...]}],
     "total": V + {"decided": bool},
     "arrangement": null | {"ok", "sentence", "melds": [{"pieces", "kind"}], "left", "points_left", "value", "laid"},
     "players": [{"name", "x", "y", "melds": [meld], "rack": [piece], "verdict": V | null, "left": V}],
     "likely_closer": "Ana" | null,
     "knock": V | null, "goes_out": bool | null,          # "rack": may this hand knock (Carousel), go out (Rummy)
     "remarks": [{"code": "photo_dark", "params": {}, "sentence"}]}     # on the photo itself

    V = {"ok", "reason", "sentence", "faults": [{"code", "params", "sentence"}], "value",
         "lines": [{"what", "params", "text", "points"}]}

``why``: ``unreadable``, ``copy``, ``close``, ``doubtful``, ``orientation``, ``joker``, ``face_down``, ``gone``,
``hidden``, ``covered``.
``answers`` come best first, as few as possible; any other face may be given as well. ``codes`` are as read, ``faces``
what each piece counts as. ``outline``: corners of a convex polygon in pixels of the upright photo.
"""

from companion.table.build import read_table
from companion.table.edits import (
    Add,
    Answer,
    Change,
    Edit,
    EditError,
    Give,
    Mark,
    Move,
    Remove,
    SeatAt,
    edit_from_dict,
    edit_to_dict,
)
from companion.table.rounds import Scored, score_players
from companion.table.rummy_turn import RummyTurn, judge_rummy_turn
from companion.table.turn import Turn, judge_turn, with_hidden
from companion.table.typed import typed_scene
from companion.table.values import MeldRead, Player, Question, Table, TableError, View, Why
from companion.table.whole_turn import judge_whole_turn

__all__ = [
    "Add",
    "Answer",
    "Change",
    "Edit",
    "EditError",
    "Give",
    "Mark",
    "MeldRead",
    "Move",
    "Player",
    "Question",
    "Remove",
    "RummyTurn",
    "Scored",
    "SeatAt",
    "Table",
    "TableError",
    "Turn",
    "View",
    "Why",
    "edit_from_dict",
    "edit_to_dict",
    "judge_rummy_turn",
    "judge_turn",
    "judge_whole_turn",
    "read_table",
    "score_players",
    "typed_scene",
    "with_hidden",
]
