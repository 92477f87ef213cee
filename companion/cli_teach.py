"""``remi teach PHOTO``: learn this household's set from one photo of it laid out."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from companion.cli_output import Output, UsageError, add_output_options
from companion.ledger.place import add_place_options, data_folder

if TYPE_CHECKING:  # the networks' runtime is imported when a photo is to be read
    from companion.profiles import Profiles
    from vision.profile import Profile

NAME = "home"
LETTERS = {"r": "red", "b": "blue", "y": "yellow", "k": "black"}
HELP = """Lay the 52 numbered tiles face up in four rows, one colour each, 1 to 13 from the left, and photograph them
from above. Then read with it: remi read table.jpg --profile home, remi serve --profile home.

examples:
  remi teach rows.jpg
  remi teach rows.jpg --name grandma --rows blue,red,black,yellow
  remi teach --list"""


def configure(parser: ArgumentParser) -> None:
    """The options of ``remi teach``."""
    parser.epilog = HELP
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.add_argument("photo", metavar="PHOTO", nargs="?", type=Path, help="the set laid out in four rows")
    parser.add_argument("--name", default=NAME, help=f"the set's name (default: {NAME})")
    parser.add_argument("--rows", metavar="C,C,C,C", default="", help="colours from the top row down (default: seen)")
    parser.add_argument("--list", action="store_true", help="the sets that were taught")
    parser.add_argument("--forget", metavar="NAME", help="delete what was taught of a set")
    parser.add_argument("--weights", metavar="DIR", type=Path, help="the folder of the networks")
    add_place_options(parser)
    add_output_options(parser)


def add_profile_option(parser: ArgumentParser) -> None:
    """``--profile``, for commands that read photos; the data folder comes from ``--data``."""
    parser.add_argument("--profile", metavar="NAME", help="read with what `remi teach` learned of this set")


def profile_of(args: Namespace) -> Profile | None:
    """The profile that the options name. Raises UsageError where there is none."""
    if not args.profile:
        return None
    from companion.profiles import Profiles
    from vision.profile import ProfileError

    try:
        return Profiles(data_folder(args)).load(args.profile)
    except ProfileError as error:
        raise UsageError(str(error), code="PROFILE") from None


def run(args: Namespace, output: Output) -> int:
    """Learn, list or forget; 0 fine, 1 the colours of the rows must be named, 2 the photo can't be used."""
    from companion.profiles import Profiles
    from vision.profile import ProfileError

    kept = Profiles(data_folder(args))
    try:
        if args.list:
            names = kept.names()
            for name in names:
                output.say(f"{name}: taught {kept.load(name).made}")
            output.give({"sets": list(names)})
            return 0
        if args.forget:
            kept.forget(args.forget)
            output.say(f"{args.forget} is forgotten.")
            output.give({"forgotten": args.forget})
            return 0
        return _learn(args, output, kept)
    except ProfileError as error:
        raise UsageError(str(error), code="PROFILE") from None


def _learn(args: Namespace, output: Output, kept: Profiles) -> int:
    from vision.photo import PhotoError, load
    from vision.read import Reader
    from vision.teach import TeachError, teach
    from vision.weights import WeightsError

    if args.photo is None:
        raise UsageError("Name a photo of the set laid out in four rows, or use --list.")
    made = datetime.now(UTC).date().isoformat()
    try:
        lesson = teach(load(args.photo), Reader(args.weights), args.name, made, _letters(args.rows))
    except PhotoError as error:
        raise UsageError(error.sentence, code=f"PHOTO_{error.code.upper()}") from None
    except OSError as error:
        raise UsageError(f"The photo {args.photo} can't be opened: {error.strerror or error}.", code="FILE") from None
    except TeachError as error:
        raise UsageError(str(error), code=f"TEACH_{error.code}") from None
    except WeightsError as error:
        raise UsageError(str(error), code="WEIGHTS") from None
    words = ", ".join(LETTERS[letter] for letter in lesson.rows)
    output.say(f"{lesson.tiles} of 52 tiles; rows from the top: {words}.")
    answer = {"name": args.name, "tiles": lesson.tiles, "rows": lesson.rows, "sure": lesson.sure}
    if not lesson.sure:
        output.say(f"The colours are too near to be sure. If this is right: --rows {words.replace(' ', '')}")
        output.give({**answer, "kept": None})
        return 1
    path = kept.save(lesson.profile)
    output.say(f"Kept in {path}. Read with it: --profile {args.name}")
    output.give({**answer, "kept": str(path)})
    return 0


def _letters(given: str) -> str:
    """'red,blue,yellow,black' or 'r,b,y,k' or 'rbyk' as 'rbyk'. Raises UsageError."""
    if not given:
        return ""
    words = [word.strip().lower() for word in given.split(",")]
    if len(words) == 1 and len(words[0]) == 4:
        words = list(words[0])
    known = {**{word: letter for letter, word in LETTERS.items()}, "orange": "y", **{c: c for c in LETTERS}}
    letters = "".join(known.get(word, "?") for word in words)
    if sorted(letters) != sorted(LETTERS):
        raise UsageError("--rows names the four colours from the top: red,blue,yellow,black in their order.")
    return letters
