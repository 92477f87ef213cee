"""What a person could use instead of the companion's reading, on the same pictures in the same run: see ``remi bench``.

* Contours and templates, as older projects read tiles: bright blobs of a tile's shape are cut upright and compared with
  pictures of the numerals. It gets its templates from the very set it is to read, which is the best case for it.
* The companion's own locator as ultralytics runs it, on torch, where these and its trained weights are at hand.

A detector with a class for every face has to be trained first: `python -m models.faces` trains and judges one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from companion.bench_reading import SAMPLE, in_turns, right
from companion.bench_report import Report
from vision import locate, photo
from vision.flatten import Floats, Image, flatten
from vision.read import Reader

CROP = (48, 64)
ASPECT = 0.72
"""A tile's width in its height."""
LIKE = 0.5
"""Correlation with a template under which a blob is no tile."""


def blobs(image: Image) -> list[Floats]:
    """White blobs of the proportions of a tile, or of a row of tiles, which is cut evenly: quads (4, 2) of single
    tiles, a shorter side on top."""
    white = cv2.GaussianBlur(image.min(axis=2), (3, 3), 0)  # wood and cloth have a darkest channel darker than a tile's
    _, bright = cv2.threshold(white, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    contours, _ = cv2.findContours(bright, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    found = []
    for contour in contours:
        box = cv2.minAreaRect(contour)
        short, long = sorted(box[1])
        if short < 12 or cv2.contourArea(contour) < 0.8 * short * long:
            continue
        quad = np.asarray(cv2.boxPoints(box), np.float64)
        if np.hypot(*(quad[1] - quad[0])) < np.hypot(*(quad[2] - quad[1])):
            quad = np.roll(quad, 1, axis=0)  # now a longer side is on top
        count = 1 if long / short < 1 / ASPECT + 0.3 else round(long / short / ASPECT)
        if count == 1:
            found.append(np.roll(quad, 1, axis=0))
            continue
        for n in range(count):
            across = [quad[0] + (quad[1] - quad[0]) * k / count for k in (n, n + 1)]
            below = [quad[3] + (quad[2] - quad[3]) * k / count for k in (n + 1, n)]
            found.append(np.array([*across, *below]))
    return found


def inked(crop: Image) -> Floats:
    """A crop's ink as a unit vector: how much darker than its body each pixel is, on a coarse grid."""
    grey = cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY).astype(np.float64)
    ink = np.maximum(np.percentile(grey, 80) - grey, 0)[6:-6, 5:-5]
    values = np.asarray(cv2.resize(ink, (19, 26), interpolation=cv2.INTER_AREA), np.float64).ravel()
    values = values - values.mean()
    return np.asarray(values / max(float(np.linalg.norm(values)), 1e-9), np.float64)


def colour_of(crop: Image) -> Floats:
    """The mean colour (3,) of a crop's darkest tenth."""
    flat = crop[6:-6, 5:-5].reshape(-1, 3).astype(np.float64)
    darkest = np.argsort(flat.min(axis=1))[: len(flat) // 10]
    return np.asarray(flat[darkest].mean(axis=0), np.float64)


Templates = Mapping[str, tuple[Floats, Floats]]
"""Code -> its ink as `inked` gives it, its colour."""


def templates(image: Image, quads: Mapping[str, Any]) -> Templates:
    """Templates out of one picture in which the place of each code is known."""
    codes = list(quads)
    crops = flatten(image, np.array([quads[code] for code in codes]), CROP)
    return {code: (inked(crop), colour_of(crop)) for code, crop in zip(codes, crops, strict=True)}


def by_templates(image: Image, known: Templates) -> list[str]:
    """The codes of the tiles that contours and templates see."""
    quads = blobs(image)
    if not quads:
        return []
    codes = []
    ways = flatten(image, np.concatenate([[quad, np.roll(quad, 2, axis=0)] for quad in quads]), CROP)
    for n in range(len(quads)):
        best = max(
            ((float(inked(crop) @ shape), -float(np.linalg.norm(colour_of(crop) - colour)), code)
             for crop in ways[2 * n : 2 * n + 2] for code, (shape, colour) in known.items()),
            key=lambda found: found[0] + found[1] / 400,
        )  # fmt: skip
        if best[0] > LIKE:
            codes.append(best[2])
    return codes


def views(sample: Image) -> dict[str, Image]:
    """The sample as it is and as people would take it again."""
    height, width = sample.shape[:2]
    spin = cv2.getRotationMatrix2D((width / 2, height / 2), 25, 0.75)
    warm = np.array([0.65, 0.95, 1.1])
    return {
        "as it is": sample,
        "half the size": np.asarray(cv2.resize(sample, (width // 2, height // 2), interpolation=cv2.INTER_AREA)),
        "camera turned 25°": np.asarray(cv2.warpAffine(sample, spin, (width, height), borderMode=cv2.BORDER_REPLICATE)),
        "under a warm lamp": np.clip(sample * warm, 0, 255).astype(np.uint8),
    }


def against_templates(report: Report, reader: Reader) -> None:
    """Tiles read right, and the time for it."""
    report.title("Against contours and templates (templates cut from this very picture)")
    sample = photo.load(Path(str(files("vision") / "samples" / "table.jpg"))).image
    scene = reader.read(sample, ("tile",))
    known = templates(sample, {piece.code: piece.quad for piece in scene.pieces})
    for name, view in views(sample).items():
        theirs, ours = in_turns(
            3,
            lambda v=view: by_templates(v, known),  # type: ignore[misc]
            lambda v=view: reader.read(v, ("tile",)),  # type: ignore[misc]
        )
        seen = Counter(by_templates(view, known))
        hits = sum(min(seen[code], 1) for code in SAMPLE)
        mine = right(reader.read(view, ("tile",)), len(SAMPLE))
        report.line(
            name, f"{mine} of {len(SAMPLE)} right", f"contours {hits} of {len(SAMPLE)}",
            f"in {ours.processor / theirs.processor:.1f} x its processor time",
            right=mine / len(SAMPLE), contours_right=hits / len(SAMPLE), ratio=ours.processor / theirs.processor,
        )  # fmt: skip


def against_torch(report: Report, reader: Reader, weights: Path | None) -> None:
    """The same locator as ultralytics built and trained it, on torch: one pass of the network, and of all around it."""
    report.title("The locator by ONNX Runtime, against ultralytics on torch")
    try:
        import torch

        # who trains has these in the checkout; the product never needs them
        build, wrap = import_module("models.export").network, import_module("models.locator").as_ultralytics
    except ImportError:
        report.line("not measured", "torch and ultralytics are not installed (extra: train), or this is no checkout")
        return
    if weights is None or not weights.is_file():
        report.line("not measured", "name the locator's trained weights with --locator FILE.pt")
        return
    model = build("locator")[0].eval()
    model.model.load_state_dict(torch.load(weights, weights_only=True))
    sample = photo.load(Path(str(files("vision") / "samples" / "table.jpg"))).image
    network = reader.network("locator")
    rival = wrap(build("locator")[0].model, locate.KINDS)
    rival.model.load_state_dict(torch.load(weights, weights_only=True))
    theirs, ours = in_turns(
        5, lambda: rival.predict(sample, imgsz=640, conf=locate.SCORE, device="cpu", verbose=False),
        lambda: locate.locate(sample, network),
    )
    report.line(
        "pieces located", f"{ours.clock * 1000:.0f} ms", f"{ours.clock / theirs.clock:.2f} x ultralytics' predict",
        f"processor {ours.processor / theirs.processor:.2f} x", ratio=ours.clock / theirs.clock,
        processor_ratio=ours.processor / theirs.processor,
    )  # fmt: skip
    for side in (640, 1280):
        planes = locate.letterbox(locate.shrink(sample, (side, side * 3 // 4)))
        tensor = torch.from_numpy(planes)
        with torch.inference_mode():
            theirs, ours = in_turns(5, lambda t=tensor: model(t), lambda p=planes: network.run(p))  # type: ignore[misc]
        report.line(
            f"one pass at {side}", f"{ours.clock * 1000:.0f} ms", f"{ours.clock / theirs.clock:.2f} x torch",
            f"processor {ours.processor / theirs.processor:.2f} x", ratio=ours.clock / theirs.clock,
            processor_ratio=ours.processor / theirs.processor,
        )  # fmt: skip
