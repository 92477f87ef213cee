"""``remi read PHOTO...``: melds with verdicts, points and questions, from photos."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion.cli_output import Output, UsageError, add_output_options, verdict_json
from companion.cli_rules import add_rules_options, game_of, rules_of
from companion.cli_teach import add_profile_option, profile_of
from companion.games import Game, RoundScore, Verdict
from companion.pieces import NotationError, parse_card, parse_tile
from companion.table import MeldRead, Question, Scored, Table, TableError, read_table, score_players
from companion.table.show import REMARKS, arrangement_message
from companion.table.typed import typed_scene
from companion.table.values import VIEWS
from vision.scene import BACK, UNKNOWN, Scene, SceneError

if TYPE_CHECKING:  # the networks' runtime is imported when a photo is to be read, not for a Scene on disk
    from vision.flatten import Image, Picture
    from vision.read import Reader

SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".heic", ".heif")
HELP = """examples:
  remi read --sample
  remi read table.jpg --as opening --draw judged.png
  remi read rack.jpg --as rack
  remi read round.jpg --as round --players Ana,Bo --closer Ana
  remi read ana.jpg bo.jpg --as round --players Ana,Bo --closer Ana
  remi read cards.jpg --game carousel --as table --json
  remi read hand.jpg --game carousel --as rack
  remi read "AS 4D" --game carousel --as rack

Of a hand (rack) it says what it is worth and whether it may knock (Carousel) or go out (Rummy). A photo may also be a
Scene in JSON, as --json gives it, or the pieces themselves, rows parted by '/'. With as many photos as players, 'round'
takes one for each."""


@dataclass(frozen=True)
class Read:
    """One photo that was read: its name, its table, and its picture where there is one."""

    name: str
    table: Table
    picture: Picture | None


def configure(parser: ArgumentParser) -> None:
    """The options of ``remi read``."""
    parser.epilog = HELP
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.add_argument("photos", metavar="PHOTO", nargs="*", type=Path, help="photos, or folders of photos")
    parser.add_argument("--sample", action="store_true", help="read the table that ships with the companion")
    parser.add_argument(
        "--as", dest="view", choices=VIEWS, default="opening",
        help="can this open (the default), are the melds legal, what is this rack worth, or who has what",
    )  # fmt: skip
    parser.add_argument("--players", metavar="A,B,...", default="", help="round: counter-clockwise from the lower side")
    parser.add_argument("--rack", metavar="N", type=int, help="opening: pieces held after drawing")
    parser.add_argument("--closer", metavar="NAME", help="round of Remi: who closed")
    parser.add_argument("--atu", metavar="TILE", help="round of Remi: the atu")
    parser.add_argument("--knocker", metavar="NAME", help="round of Carousel: who knocked")
    parser.add_argument("--winner", metavar="NAME", help="round of Rummy: who went out")
    parser.add_argument("--rummy", action="store_true", help="round of Rummy: everything laid at once")
    parser.add_argument(
        "--totals", metavar="A=90,B=40", default="", help="round: points before it, to see whether the match ends"
    )
    parser.add_argument("--won", metavar="A=3,B=1", default="", help="round: how many rounds each has won before it")
    parser.add_argument("--draw", metavar="OUT.png", type=Path, help="draw the answer on the photo")
    parser.add_argument("--weights", metavar="DIR", type=Path, help="the folder of the networks")
    add_profile_option(parser)
    parser.add_argument("--data", metavar="DIR", type=Path, help="folder of the data, for --profile")
    add_rules_options(parser)
    add_output_options(parser)


def run(args: Namespace, output: Output) -> int:
    """Read and judge; 0 fine, 1 not legal or not decided, 2 a photo can't be read or shows nothing."""
    game = game_of(args)
    rules = rules_of(args, game)
    paths = photos(args)
    players = [name.strip() for name in args.players.split(",") if name.strip()]
    each = args.view == "round" and len(paths) == len(players) > 1
    readers: list[Reader] = []
    done: list[Read] = []
    answers: list[dict[str, Any]] = []
    status = 0
    for n, path in enumerate(paths):
        if len(paths) > 1:
            print(f"{n + 1}/{len(paths)} {path}", file=sys.stderr, flush=True)
        try:
            scene, picture = scene_of(path, game, args, readers)
            table = read_table(
                scene, game.name, rules, args.view, [players[n]] if each else players, _record(args, each), args.rack
            )
        except BadPhotoError as error:
            status = 2
            answers.append({"photo": str(path), "error": {"code": error.code, "sentence": str(error)}})
            print(f"{path}: {error}" if len(paths) > 1 else str(error), file=sys.stderr)
            continue
        except TableError as error:
            raise UsageError(str(error), code="TABLE") from None
        read = Read(str(path), table, picture)
        done.append(read)
        status = max(status, _status(table))
        answers.append({"photo": str(path), **table.to_dict()})
        if len(paths) > 1:
            output.say(f"{path}")
        show(read, output, total=not each)
        if args.draw:
            _draw(read, _numbered(args.draw, n, len(paths)), output)
    together = None
    if each and len(done) == len(players):
        together = score_players(dict(zip(players, [read.table for read in done], strict=True)), _record(args, False))
        _show_total(together.verdict, output)
        status = 0 if together.verdict.ok else 1
    whole: dict[str, Any] | None = None
    if together is not None:
        whole = together.to_dict()
        if args.totals:
            whole["match"] = _match_end(args, game, rules, together, output)
    _give(output, answers, whole)
    return status


def _match_end(args: Namespace, game: Game[Any], rules: Any, together: Scored, output: Output) -> dict[str, Any]:
    """Whether the match is over with this round, and everybody's points with the bonuses (RULES.md 2.6, 3 no. 7)."""
    totals, won = _numbers(args.totals, "--totals"), _numbers(args.won, "--won")
    score = together.verdict
    if isinstance(score, RoundScore):
        for player, own in score.players:
            totals[player] = totals.get(player, 0) + own.value
        for player in score.winners:
            won[player] = won.get(player, 0) + 1
    end = game.judge_game(totals, won, rules)
    output.say("The match is over." if end.over else "The match goes on.")
    for player, verdict in end.players:
        output.say(f"{player}: {verdict.value}{'  *' if player in end.winners else ''}")
        output.lines(verdict.lines)
    return {
        "over": end.over,
        "winners": list(end.winners),
        "players": [{"player": player, **verdict_json(verdict)} for player, verdict in end.players],
    }


def _numbers(text: str, option: str) -> dict[str, int]:
    """Names and numbers: ``Ana=90,Bo=40``. Raises UsageError."""
    found: dict[str, int] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        name, _, number = part.partition("=")
        if not name.strip() or not number.strip().lstrip("-").isdigit():
            raise UsageError(f"{option} takes names and whole numbers, 'Ana=90,Bo=40', not {part!r}.")
        found[name.strip()] = int(number)
    return found


def _give(output: Output, answers: list[dict[str, Any]], together: dict[str, Any] | None) -> None:
    if together is not None:
        output.give({"photos": answers, **together})
    else:
        output.give(answers[0] if len(answers) == 1 else {"photos": answers})


class BadPhotoError(Exception):
    """A file that is no readable photo: a sentence and a code."""

    def __init__(self, code: str, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


def photos(args: Namespace) -> list[Path]:
    """The files to read: photos, those in folders by name, or the sample. Raises UsageError."""
    if args.sample:
        if args.photos:
            raise UsageError("Either --sample or photos, not both.")
        return [Path(str(files("vision") / "samples" / "table.jpg"))]
    if not args.photos:
        raise UsageError("Name a photo or a folder of photos, or try --sample.")
    found: list[Path] = []
    for path in args.photos:
        if path.is_dir():
            inside = sorted(file for file in path.iterdir() if file.suffix.lower() in SUFFIXES)
            if not inside:
                raise UsageError(f"There is no photo in the folder {path}.", code="FILE")
            found += inside
        else:
            found.append(path)
    return found


def scene_of(path: Path, game: Game[Any], args: Namespace, readers: list[Reader]) -> tuple[Scene, Picture | None]:
    """Read a photo, or take a Scene from disk. The one reader is made for the first photo and kept in ``readers``."""
    if path.suffix.lower() == ".json":
        return _from_json(path), None
    typed = _typed(path, game)
    if typed is not None:
        return typed, None
    from vision.photo import PhotoError, load
    from vision.read import Reader
    from vision.weights import WeightsError

    try:
        photo = load(path)
    except PhotoError as error:
        raise BadPhotoError(f"PHOTO_{error.code.upper()}", error.sentence) from None
    except OSError as error:
        raise BadPhotoError("FILE", f"The photo {path} can't be opened: {error.strerror or error}.") from None
    try:
        if not readers:
            readers.append(Reader(args.weights, copies=1 if game.name == "rummy" else 2, profile=profile_of(args)))
        scene = readers[0].read(photo, (game.pieces,))
    except WeightsError as error:
        raise UsageError(str(error), code="WEIGHTS") from None
    return scene, photo.levels


def _typed(path: Path, game: Game[Any]) -> Scene | None:
    """The pieces themselves, where no file has that name and they can be read as such."""
    text = str(path)
    if text.strip(" .-") and (path.exists() or path.suffix.lower() in SUFFIXES):
        return None
    try:
        return typed_scene("" if text == "." else text, game)  # pathlib makes nothing a dot
    except NotationError:
        return None


def _from_json(path: Path) -> Scene:
    import json

    try:
        data = json.loads(path.read_text("utf-8"))
        return Scene.from_dict(data["scene"] if isinstance(data, dict) and "scene" in data else data)
    except SceneError as error:
        raise BadPhotoError("SCENE", str(error)) from None
    except (OSError, ValueError) as error:
        raise BadPhotoError("FILE", f"The scene in {path} can't be read: {error}.") from None


def _record(args: Namespace, each: bool) -> dict[str, Any]:
    """What the options say of the round; a photo of one player alone is not scored by itself."""
    given = {name: getattr(args, name) for name in ("closer", "atu", "knocker", "winner")}
    record: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if args.rummy:
        record["rummy"] = True
    return {} if each else record


def _status(table: Table) -> int:
    if "nothing_found" in table.scene.remarks or not any(group.pieces for group in table.seen.groups):
        return 2
    return 0 if table.total.ok else 1


def _numbered(path: Path, n: int, count: int) -> Path:
    return path if count == 1 else path.with_name(f"{path.stem}-{n + 1}{path.suffix}")


def _draw(read: Read, path: Path, output: Output) -> None:
    from companion.table.overlay import overlay

    save_drawing(read.picture, lambda picture: overlay(picture, read.table), path, output)


def save_drawing(picture: Picture | None, draw: Callable[[Picture], Image], path: Path, output: Output) -> None:
    """Write what `draw` makes of a photo to `path`, and say so. Raises UsageError without a photo or a place."""
    if picture is None:
        raise UsageError("--draw needs a photo: a Scene on disk has no picture.")
    import cv2

    done, data = cv2.imencode(path.suffix.lower() or ".png", draw(picture))
    try:
        if not done:
            raise OSError("unknown format")
        path.write_bytes(bytes(data))
    except OSError as error:
        raise UsageError(f"The drawing can't be written to {path}: {error}.", code="FILE") from None
    output.say(f"Drawn on {path}")


def show(read: Read, output: Output, *, total: bool = True) -> None:
    """A table in words: remarks on the photo, melds with verdicts, what is left, questions, the answer."""
    table = read.table
    for word in table.scene.remarks:
        if word in REMARKS:
            output.say(REMARKS[word].text())
    for meld in table.melds:
        _show_meld(meld, table, output)
    for name, pieces in (("loose", table.loose), ("left", table.rack)):
        if pieces:
            output.say(f"    {name}: {drawn([table.code(piece) for piece in pieces], table, output)}")
    if table.stock:
        output.say(f"    face down: {len(table.stock)}")
    for question in table.questions:
        output.say(f"?   {_where(question, table)}: {question.message.text()}{answers_of(question)}")
    if total:
        _show_total(table.total, output)
    if table.goes_out is not None:
        output.say("    This hand goes out." if table.goes_out else "    This hand does not go out.")
    if table.arrangement is not None:
        found = table.arrangement
        output.say(f"    {arrangement_message(found).text()}")
        for laid in found.melds:
            output.say(f"    {output.draw(laid.pieces)}")
        if found.left and found.melds:
            output.say(f"    left: {output.draw(found.left)}  {found.points_left} points")


def _show_meld(meld: MeldRead, table: Table, output: Output) -> None:
    mark = output.mark(meld.verdict.ok) if meld.decided else "? "
    worth = f"  {meld.verdict.value}" if meld.verdict.value else ""
    owner = f"{meld.owner}: " if meld.owner and len(table.owners) > 1 else ""
    output.say(f"{mark}  {owner}{drawn(meld.faces, table, output)}{worth}")
    output.say(f"    {meld.verdict.sentence()}")
    for remark in meld.remarks:
        output.say(f"    {remark.text()}")


def drawn(codes: Sequence[str], table: Table, output: Output) -> str:
    """Faces, backs and what could not be read, side by side."""
    parse: Any = parse_tile if table.wishes.game.pieces == "tile" else parse_card
    return " ".join(f"[{code}]" if code in (BACK, UNKNOWN) else output.draw([parse(code)]) for code in codes)


def _where(question: Question, table: Table) -> str:
    for n, meld in enumerate(table.melds, 1):
        if question.piece in meld.pieces:
            return f"meld {n}, piece {meld.pieces.index(question.piece) + 1}"
    return f"piece {question.piece + 1}"


def answers_of(question: Question) -> str:
    """The likeliest answers, in words."""
    return f"  {' or '.join(question.answers)}" if question.answers else ""


def _show_total(verdict: Verdict, output: Output) -> None:
    if isinstance(verdict, RoundScore):
        for player, own in verdict.players:
            output.say(f"{player}: {own.value:+d}")
            output.lines(own.lines)
    else:
        output.lines(verdict.lines)
    output.say(f"{output.mark(verdict.ok)}  {verdict.sentence()}")


