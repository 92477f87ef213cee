"""A labelled folder -> the figures of DESIGN.md section 8. `python -m vision.evaluate LABELS.jsonl`."""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from vision.compare import Compared, LabelError, compare
from vision.photo import PhotoError, load
from vision.read import Reader
from vision.scene import BACK, CARD_FACES, UNKNOWN, Kind, Scene
from vision.weights import WeightsError

BINS = 15
"""Bins of equal width of the expected calibration error."""
INKS = {"red": "r", "cyan": "b", "blue": "b", "teal": "b", "yellow": "y", "orange": "y", "black": "k"}
CARDS = frozenset(CARD_FACES) - {"*"}
Progress = Callable[[int, int, str], None]


def evaluate_folder(labels_path: str | Path, photos_dir: str | Path | None = None, reader: Reader | None = None,
                    kinds: Sequence[Kind] = (), progress: Progress | None = None) -> dict[str, Any]:
    """Read every labelled photo and judge the readings.

    `labels_path`: a labels.jsonl (groups.jsonl beside it is used where present), or a folder of single tiles named
    like `10_cyan.png`; `photos_dir`: what the labels' image paths are relative to (else $REMI_PHOTOS, else the first
    folder above the labels where they exist). Returns a JSON value: {"all": F, "sources": {name: F}, "photos":
    [{image, exact, rows, taps, wrong}], "confusions", "stages", "memory_mb"}; F as `figures` gives it.

    `kinds`: what may lie there; empty: what the photo's own labels are, as in use, where the game is known before the
    photo is taken.

    Raises LabelError, WeightsError, OSError. A photo that can't be read counts with all its pieces missing.
    """
    labels, groups, root = read_labels(labels_path, photos_dir)
    reader = reader or Reader()
    games = [tuple(kinds) or _kinds_of(label) for label in labels]
    common = max((game for game in games if game), key=games.count, default=("tile", "card"))
    games = [game or common for game in games]
    reader.warm({kind for game in games for kind in game})
    done: list[tuple[Mapping[str, Any], Compared, float]] = []
    stages: dict[str, list[float]] = {}
    for n, label in enumerate(labels):
        if progress is not None:
            progress(n, len(labels), str(label["image"]))
        start = time.perf_counter()
        try:
            picture = load(root / label["image"])
            decoded = time.perf_counter()
            scene = reader.read(picture, games[n])
        except PhotoError:
            scene, decoded = Scene(1, 1), start
        spent = (time.perf_counter() - start) * 1000
        for stage, ms in {"decode": (decoded - start) * 1000, **scene.timings}.items():
            stages.setdefault(stage, []).append(ms)
        done.append((label, compare(label, groups.get(label["image"]), scene), spent))
    if progress is not None:
        progress(len(labels), len(labels), "")
    return {
        **summary(done),
        "stages": {stage: float(np.median(values)) for stage, values in stages.items()},
        "memory_mb": peak_memory(),
        "root": str(root),
    }


def _kinds_of(label: Mapping[str, Any]) -> tuple[Kind, ...]:
    """Which game a photo's labels belong to; nothing where they don't say."""
    pieces = [piece for piece in label.get("pieces", ()) if isinstance(piece, Mapping)]
    codes = [str(piece.get("code", "")) for piece in pieces]
    codes += [str(code) for group in label.get("groups", ()) for code in group]
    if any("rank" in piece or "card_box" in piece for piece in pieces) or any(code in CARDS for code in codes):
        return ("card",)
    return ("tile",) if any(code and code not in (UNKNOWN, BACK) for code in codes) else ()


def summary(done: Sequence[tuple[Mapping[str, Any], Compared, float]]) -> dict[str, Any]:
    """Figures over all and per source, the photos, and what was taken for what."""
    sources: dict[str, list[tuple[Compared, float]]] = {}
    for label, result, ms in done:
        sources.setdefault(str(label.get("source", "unnamed")), []).append((result, ms))
    photos = [
        {"image": label["image"], "exact": result.exact,
         "rows": None if result.rows is None else result.rows[0] == result.rows[1],
         "taps": result.taps, "wrong": [wrong.to_dict() for wrong in result.wrong]}
        for label, result, _ in done
    ]
    confused = [pair for _, result, _ in done for pair in result.confused]
    return {
        "all": figures([(result, ms) for _, result, ms in done]),
        "sources": {name: figures(results) for name, results in sorted(sources.items())},
        "photos": photos,
        "confusions": {"numbers": _confusions(confused, 0), "colours": _confusions(confused, 1)},
    }


def figures(results: Sequence[tuple[Compared, float]]) -> dict[str, float | int | None]:
    """The figures of DESIGN.md section 8 over some photos, given with the milliseconds that each took.

    Shares are 0 to 1: `found` and `photos_exact`, `rows_exact` of all, `right` of those found, `index_right` of
    `index_found`; `silent_errors` per 1,000 labelled pieces; `false_finds`, `taps` and `asked` per photo; `ms` the
    median. `rows_exact` is the share of photos whose every labelled group is one row in order. None where the
    photos have no such label.
    """
    compared = [result for result, _ in results]
    pieces = sum(result.pieces for result in compared)
    found = sum(result.found for result in compared)
    grouped = [result.rows for result in compared if result.rows is not None]
    indexed = [result.indices for result in compared if result.indices is not None]
    labelled, index_found, index_right = (sum(triple[n] for triple in indexed) for n in range(3))
    count = len(compared)
    return {
        "photos": count,
        "pieces": pieces,
        "found": _share(found, pieces),
        "right": _share(sum(result.right for result in compared), found),
        "false_finds": _share(sum(result.false_finds for result in compared), count),
        "photos_exact": _share(sum(result.exact for result in compared), count),
        "rows_exact": _share(sum(good == wanted for good, wanted in grouped), len(grouped)),
        "taps": _share(sum(result.taps for result in compared), count),
        "asked": _share(sum(result.asked for result in compared), count),
        "silent_errors": _share(1000 * sum(result.silent for result in compared), pieces),
        "ece": calibration_error([pair for result in compared for pair in result.certainties]),
        "ms": float(np.median([ms for _, ms in results])) if results else None,
        "index_found": _share(index_found, labelled),
        "index_right": _share(index_right, index_found),
    }


def _share(part: float, whole: int) -> float | None:
    return part / whole if whole else None


def calibration_error(certainties: Sequence[tuple[float, bool]]) -> float | None:
    """Expected calibration error: the mean gap of p and the share right, over bins of equal width of p."""
    if not certainties:
        return None
    p = np.array([certainty for certainty, _ in certainties])
    right = np.array([good for _, good in certainties], float)
    place = np.minimum((p * BINS).astype(int), BINS - 1)
    return float(sum(abs((p - right)[place == n].sum()) for n in range(BINS)) / len(p))


def _confusions(pairs: Iterable[tuple[str, str]], part: int) -> dict[str, int]:
    """How often one number (part 0) or colour (part 1) was taken for another: {"6>9": 3}."""
    count: Counter[str] = Counter()
    for want, got in pairs:
        one, two = _parts(want)[part], _parts(got)[part]
        if one != two and one and two:
            count[f"{one}>{two}"] += 1
    return dict(count.most_common())


def _parts(code: str) -> tuple[str, str]:
    """Number and colour of a code; jokers, backs and unknown have a number only."""
    if code[:1] in "rbyk" and code[1:].isdigit():
        return code[1:], code[0]
    if code[-1:] in "SHDC" and len(code) > 1:
        return code[:-1], code[-1]
    return code, ""


def read_labels(path: str | Path, photos_dir: str | Path | None = None) -> tuple[
        list[dict[str, Any]], dict[str, dict[str, Any]], Path]:
    """Labels, groups by image, and the folder that images are relative to. Raises LabelError, OSError."""
    file = Path(path)
    if file.is_dir() and not (file / "labels.jsonl").is_file():
        return _named_crops(file), {}, Path(photos_dir) if photos_dir else file
    if file.is_dir():
        file = file / "labels.jsonl"
    labels = _lines(file)
    if not labels:
        raise LabelError(f"{file} holds no labels.")
    groups_file = file.with_name("groups.jsonl")
    groups = {line["image"]: line for line in _lines(groups_file)} if groups_file.is_file() else {}
    named = os.environ.get("REMI_PHOTOS")
    places = [Path(photos_dir)] if photos_dir else [*([Path(named)] if named else []), *file.resolve().parents]
    for place in places:
        if (place / labels[0]["image"]).is_file():
            return labels, groups, place
    raise LabelError(f"The photo {labels[0]['image']} of the labels is not found; name its folder with --photos.")


def _lines(file: Path) -> list[dict[str, Any]]:
    result = []
    for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError as error:
            raise LabelError(f"Line {number} of {file} is no JSON: {error}.") from error
        if not isinstance(value, dict) or not isinstance(value.get("image"), str):
            raise LabelError(f"Line {number} of {file} names no image.")
        result.append(value)
    return result


def _named_crops(folder: Path) -> list[dict[str, Any]]:
    """Pictures of single tiles whose names say which: 10_cyan.png, joker_1.png."""
    labels = []
    for file in sorted(folder.iterdir()):
        name = file.stem.lower()
        ink = re.fullmatch(r"(\d+)_([a-z]+).*", name)
        if "joker" in name:
            code = "*"
        elif ink and ink[2] in INKS and 1 <= int(ink[1]) <= 13:
            code = f"{INKS[ink[2]]}{int(ink[1])}"
        else:
            continue
        labels.append({"image": file.name, "source": folder.name, "groups": [[code]]})
    if not labels:
        raise LabelError(f"The folder {folder} holds neither labels.jsonl nor pictures named like 10_cyan.png.")
    return labels


def peak_memory() -> float | None:
    """Most memory that this process has held, in megabytes; None where the system does not tell."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's arguments, for `remi evaluate` and for this module alike."""
    parser.add_argument("labels", help="labels.jsonl, or a folder of single tiles named like 10_cyan.png")
    parser.add_argument("--photos", help="the folder that the labels' image paths are relative to")
    parser.add_argument("--json", dest="json_out", help="write the figures and every photo's errors here")
    parser.add_argument("--html", dest="html_out", help="write a page with every failure cropped here")
    parser.add_argument("--kinds", default="", help="what may lie there: tile, card or tile,card (else: as labelled)")
    parser.add_argument("--weights", help="the folder of the networks")


def run(args: argparse.Namespace) -> int:
    """Evaluate as the arguments say; prints the table, returns the exit status."""
    from vision.report import html, text

    kinds: list[Kind] = [kind for kind in ("tile", "card") if kind in args.kinds.split(",")]
    try:
        result = evaluate_folder(args.labels, args.photos, Reader(args.weights), kinds,
                                 _show if sys.stderr.isatty() else None)
    except (LabelError, WeightsError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    print(text(result))
    if args.json_out:
        public = {key: value for key, value in result.items() if key != "root"}
        Path(args.json_out).write_text(json.dumps(public, indent=1), "utf-8")
    if args.html_out:
        Path(args.html_out).write_text(html(result), "utf-8")
    return 0


def _show(done: int, count: int, image: str) -> None:
    print(f"\r{done}/{count} {image[-60:]:60}", end="\n" if done == count else "", file=sys.stderr, flush=True)


def main(argv: Sequence[str] | None = None) -> int:
    """Command line of `python -m vision.evaluate`."""
    parser = argparse.ArgumentParser(prog="python -m vision.evaluate", description=__doc__)
    add_arguments(parser)
    return run(parser.parse_args(argv))


if __name__ == "__main__":
    sys.exit(main())
