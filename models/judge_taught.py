"""What teaching a set gains: `python -m models.judge_taught DIR...` with folders that `datasets.whole_set` wrote.

Each edition is learned from its `taught.jpg`; its tables are read without and with the profile. Prints, with counts,
found pieces read right, silent errors, pieces asked about and photographs read exactly, and the editions that changed.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path

import cv2
from tqdm import tqdm

from vision.compare import Compared, compare
from vision.photo import load
from vision.profile import Profile
from vision.read import Reader
from vision.teach import TeachError, teach

SEEN = 0.6
"""Share of a piece that must show to be counted."""


def main(argv: Sequence[str] | None = None) -> int:
    """Read, compare, print."""
    parser = argparse.ArgumentParser(prog="python -m models.judge_taught", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", help="folders of editions")
    parser.add_argument("--profile", type=Path, help="one profile for all, in place of each edition's own")
    args = parser.parse_args(argv)
    cv2.setNumThreads(1)
    reader = Reader(threads=int(os.environ.get("REMI_THREADS", "2")))
    given = Profile.from_json(args.profile.read_bytes()) if args.profile else None
    before: list[Compared] = []
    after: list[Compared] = []
    lines: list[str] = []
    editions = sorted(path.parent for folder in args.folders for path in folder.rglob("labels.jsonl"))
    for folder in tqdm(editions, unit="edition"):
        labels = [json.loads(line) for line in (folder / "labels.jsonl").read_text("utf-8").splitlines()]
        profile = given
        if profile is None:
            try:
                profile = teach(load(folder / "taught.jpg"), reader, "judged", "").profile
            except TeachError as error:
                lines.append(f"{folder.name}: not learned: {error}")
                continue
        own: tuple[list[Compared], list[Compared]] = ([], [])
        for label in labels:
            if label["image"] == "taught.jpg":
                continue
            label["pieces"] = [piece for piece in label["pieces"] if piece["visible"] >= SEEN]
            photo = load(folder / label["image"])
            spots = reader.find(photo.image, ("tile",))
            for results, chosen in zip(own, (None, profile), strict=True):
                reader.profile = chosen
                results.append(compare(label, None, reader.read_spots(photo.image, spots)))
        reader.profile = None
        before += own[0]
        after += own[1]
        wrong = [sum(c.found - c.right for c in results) for results in own]
        if wrong[0] != wrong[1]:
            lines.append(f"{folder.name}: read wrong {wrong[0]} -> {wrong[1]} of {sum(c.found for c in own[0])}")
    for line in lines:
        print(line)
    print(f"{len(before)} photographs of {len(editions)} editions")
    for name, results in (("without", before), ("taught", after)):
        found, right = sum(c.found for c in results), sum(c.right for c in results)
        pieces, silent = sum(c.pieces for c in results), sum(c.silent for c in results)
        print(
            f"{name:8} right {right} of {found} found ({100 * right / max(found, 1):.2f} %) of {pieces}, silent errors "
            f"{silent}, asked {sum(c.asked for c in results)}, taps {sum(c.taps for c in results)}, exact "
            f"{sum(c.exact for c in results)}"
        )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
