"""``remi turn BEFORE AFTER``: was that move legal, and what is new, moved or gone? Carousel and Rummy, two photos."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.cli_output import Output, UsageError, add_output_options, verdict_json
from companion.cli_read import BadPhotoError, answers_of, drawn, save_drawing, scene_of
from companion.cli_rules import add_rules_options, game_of, rules_of
from companion.cli_teach import add_profile_option
from companion.games import Verdict, carousel
from companion.games.cardmelds import hand_points
from companion.pieces import NotationError, parse_cards
from companion.table import (
    Change,
    EditError,
    Remove,
    Table,
    TableError,
    Turn,
    judge_rummy_turn,
    judge_turn,
    judge_whole_turn,
    read_table,
    with_hidden,
)
from companion.table.turn import Picture
from companion.table.whole_turn import hand_left

if TYPE_CHECKING:
    from vision.flatten import Picture as Pixels
    from vision.read import Reader

HELP = """examples:
  remi turn before.jpg after.jpg
  remi turn before.jpg after.jpg --hand hand.jpg --draw move.png
  remi turn before.jpg after.jpg --hand "9C 9D KH 2S" --answer "after 4 9H" --gone 7
  remi turn "9C 9D 9S" "9C 9D 9S 9H" --hand "9H 3S" --events "draw meld knock"
  remi turn before.jpg after.jpg --game rummy --hand hand.jpg --discard 2C

A table is a photo, a Scene in JSON, or the cards themselves, rows parted by '/' ('-': nothing lies there). The hand is
the one before the move, with every card drawn: a photo, a Scene, or the cards. Pieces of a question are numbered;
answer with --answer "PICTURE NUMBER CARD" (a joker: *=9H; no card at all: none; +9H: a 9H hidden beside it; whole:
nothing is hidden there), with --gone that a card of the first picture is no longer there, with --new that one of the
second is."""


def configure(parser: ArgumentParser) -> None:
    """The options of ``remi turn``."""
    parser.epilog = HELP
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.add_argument("before", metavar="BEFORE", type=Path, help="the table before the move: a photo or its cards")
    parser.add_argument("after", metavar="AFTER", type=Path, help="the table after it")
    parser.add_argument("--hand", metavar="PHOTO|CARDS", help="the hand before the move")
    parser.add_argument(
        "--answer", metavar="'after 4 9H'", action="append", default=[], help="what a piece of a picture is"
    )
    parser.add_argument(
        "--gone", metavar="N", type=int, action="append", default=[], help="this card of the first picture is gone"
    )
    parser.add_argument(
        "--new", metavar="N", type=int, action="append", default=[], help="this card of the second picture is new"
    )
    parser.add_argument(
        "--events", metavar="'draw meld knock'", default="", help="Carousel: the whole turn: draw, meld, knock, end"
    )
    parser.add_argument("--stock", metavar="N", type=int, default=52, help="Carousel: cards in the stock before it")
    parser.add_argument("--final", action="store_true", help="Carousel: the extra turn after the stock ran out")
    parser.add_argument("--discard", metavar="CARD", help="Rummy: the card that was discarded")
    parser.add_argument("--took", metavar="CARD", help="Rummy: the card that was taken from the discards")
    parser.add_argument("--laid-before", action="store_true", help="Rummy: the player has laid cards before")
    parser.add_argument("--draw", metavar="OUT.png", type=Path, help="draw what changed on the second photo")
    parser.add_argument("--weights", metavar="DIR", type=Path, help="the folder of the networks")
    add_profile_option(parser)
    add_rules_options(parser, game="carousel")
    add_output_options(parser)


def run(args: Namespace, output: Output) -> int:
    """Judge the move; 0 legal, 1 not legal or not decided, 2 a photo can't be read."""
    game = game_of(args)
    rules = rules_of(args, game)
    readers: list[Reader] = []
    tables: dict[str, Table] = {}
    newest: Pixels | None = None
    try:
        for name, path in (("before", args.before), ("after", args.after)):
            scene, newest = scene_of(path, game, args, readers)
            tables[name] = read_table(scene, game.name, rules, "table")
        hand = _hand(args, rules, readers)
        if game.name == "rummy":
            return _rummy(args, tables, hand, output)
        whole = [one for text in args.answer if (one := _answer(tables, text)) is not None]
        gone, new = ([number - 1 for number in numbers] for numbers in (args.gone, args.new))
        turn = judge_turn(tables["before"], tables["after"], hand, gone, new, whole)
        told = judge_whole_turn(turn, args.events.split(), hand, args.stock, args.final) if args.events else None
    except BadPhotoError as error:
        raise UsageError(str(error), code=error.code) from None
    except TableError as error:
        raise UsageError(str(error), code="TABLE") from None
    verdict = turn.verdict if told is None else told
    show(turn, output, verdict)
    answer = {**turn.to_dict(), "turn": None if told is None else verdict_json(told)}
    if hand is not None and turn.decided and verdict.ok:
        answer["left"] = _left(turn, hand, output)
    if args.draw:
        _draw(newest, turn, args.draw, output)
    output.give(answer)
    return 0 if verdict.ok else 1


def _rummy(args: Namespace, tables: dict[str, Table], hand: Table | list[str] | None, output: Output) -> int:
    """A turn of Rummy: what was laid and added, and whether it goes out."""
    if hand is None:
        raise UsageError("A turn of Rummy is judged with the hand: --hand.")
    for text in args.answer:
        _answer(tables, text)
    try:
        turn = judge_rummy_turn(tables["before"], tables["after"], hand, args.discard, args.laid_before, args.took)
    except NotationError as error:
        raise UsageError.notation(error) from None
    for meld in turn.melds:
        output.say(f"    laid: {output.draw(meld)}")
    if turn.layoffs:
        output.say(f"    added: {output.draw(turn.layoffs)}")
    for where, question in turn.questions:
        output.say(f"?   {where} {question.piece + 1}: {question.message.text()}{answers_of(question)}")
    if turn.verdict.left:
        output.say(f"    left: {output.draw(turn.verdict.left)}  {hand_points(turn.verdict.left)} points")
    output.say(f"{output.mark(turn.verdict.ok)}  {turn.verdict.sentence()}")
    output.give(turn.to_dict())
    return 0 if turn.verdict.ok else 1


def show(turn: Turn, output: Output, verdict: Verdict) -> None:
    """A move in words: what is new, moved and gone, the melds after it, questions, the verdict."""
    pieces = {
        "new": [turn.after.code(piece) for piece in turn.added],
        "moved": [turn.after.code(piece) for piece, _ in turn.moved],
        "gone": [turn.before.code(piece) for piece in turn.taken],
    }
    for word, codes in pieces.items():
        if codes:
            output.say(f"    {word}: {drawn(codes, turn.after, output)}")
    for meld in turn.after.melds:
        output.say(f"{output.mark(meld.verdict.ok)}  {drawn(meld.faces, turn.after, output)}")
    for where, question in turn.questions:
        output.say(f"?   {where} {question.piece + 1}: {question.message.text()}{answers_of(question)}")
    output.say(f"{output.mark(verdict.ok)}  {verdict.sentence()}")


def _hand(args: Namespace, rules: Any, readers: list[Reader]) -> Table | list[str] | None:
    if args.hand is None:
        return None
    game = game_of(args)
    path = Path(args.hand)
    if path.suffix and path.exists():
        scene, _ = scene_of(path, game, args, readers)
        table = read_table(scene, game.name, rules, "rack")
        unread = [question for question in table.questions if question.why == "unreadable"]
        if unread:
            raise UsageError("Not every card of the hand can be read; type the hand instead.", code="HAND")
        return table
    try:
        return [str(card) for card in parse_cards(args.hand)]
    except NotationError as error:
        raise UsageError.notation(error, "the hand") from None


def _left(turn: Turn, hand: Table | list[str], output: Output) -> dict[str, Any]:
    """What is left of the hand after a legal move, and whether one may knock with it (RULES.md 2.2.2)."""
    left = hand_left(turn, hand)
    knock = carousel.judge_knock(left)
    if not left:
        output.say("    The hand is empty: the round is over.")
    else:
        output.say(f"    left: {output.draw(left)}  {knock.value} points")
        output.say(f"    {'This hand may knock.' if knock.ok else knock.sentence()}")
    return {"cards": [card.code for card in left], "knock": verdict_json(knock)}


def _answer(tables: dict[str, Table], text: str) -> tuple[Picture, int] | None:
    """Put one piece of a picture right, or say that nothing is hidden beside it. Raises UsageError."""
    match text.split():
        case [("before" | "after") as where, number, code] if number.isdigit():
            piece = int(number) - 1
            if code == "whole":
                return ("before" if where == "before" else "after"), piece
            try:
                if code.startswith("+"):
                    tables[where] = with_hidden(tables[where], piece, code[1:])
                else:
                    tables[where] = tables[where].edit(Remove(piece) if code == "none" else Change(piece, code))
            except EditError as error:
                raise UsageError(str(error), code="ANSWER") from None
            return None
        case _:
            raise UsageError(f"--answer takes 'before' or 'after', a piece's number and a card, not {text!r}.")


def _draw(picture: Pixels | None, turn: Turn, path: Path, output: Output) -> None:
    from companion.table.turn_overlay import turn_overlay

    save_drawing(picture, lambda photo: turn_overlay(photo, turn), path, output)
