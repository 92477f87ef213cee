"""The figures of an evaluation as a table for the terminal, and as a page with every failure cropped."""

from __future__ import annotations

import base64
import html as markup
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from vision.flatten import Image, patches
from vision.photo import PhotoError, load

SHARES = {"found", "right", "photos_exact", "rows_exact", "index_found", "index_right"}
SIDE = 160
"""Pixels of a cropped failure."""


def text(result: Mapping[str, Any]) -> str:
    """The figures, one a line, over all and per source."""
    columns = {"all": result["all"], **(result["sources"] if len(result["sources"]) > 1 else {})}
    width = max(12, *(len(name) + 2 for name in columns))
    lines = [" " * 14 + "".join(f"{name:>{width}}" for name in columns)]
    lines.extend(
        f"{key:14}" + "".join(f"{shown(key, column[key]):>{width}}" for column in columns.values())
        for key in result["all"]
    )
    for part, counts in result["confusions"].items():
        if counts:
            lines.append(f"{part}: " + ", ".join(f"{pair} {count}" for pair, count in counts.items()))
    stages = result.get("stages", {})
    if stages:
        lines.append("ms a stage: " + ", ".join(f"{stage} {ms:.1f}" for stage, ms in stages.items()))
    if result.get("memory_mb"):
        lines.append(f"peak memory: {result['memory_mb']:.0f} MB")
    return "\n".join(lines)


def shown(key: str, value: float | int | None) -> str:
    """A figure as a person reads it."""
    if value is None:
        return "-"
    if key in SHARES:
        return f"{100 * value:.2f} %"
    return f"{value:d}" if isinstance(value, int) else f"{value:.3f}" if key == "ece" else f"{value:.2f}"


STYLE = """body{font:16px/1.5 system-ui,sans-serif;margin:2rem;max-width:70rem}table{border-collapse:collapse}
td,th{padding:.2rem .8rem;text-align:right;border-bottom:1px solid #ccc}th:first-child,td:first-child{text-align:left}
figure{display:inline-block;margin:.5rem;vertical-align:top;width:170px}img{display:block;background:#eee}
figcaption{font-size:.85rem}.silent{font-weight:700}"""


def html(result: Mapping[str, Any]) -> str:
    """A page on its own: the figures, then for every photo that is not exact its errors, each cropped."""
    columns = {"all": result["all"], **result["sources"]}
    head = "".join(f"<th>{markup.escape(name)}</th>" for name in columns)
    body = "".join(
        f"<tr><td>{key}</td>" + "".join(f"<td>{shown(key, column[key])}</td>" for column in columns.values()) + "</tr>"
        for key in result["all"]
    )
    parts = [f"<h1>Evaluation</h1><table><tr><th></th>{head}</tr>{body}</table>"]
    for photo in result["photos"]:
        if not photo["wrong"]:
            continue
        parts.append(f"<h2>{markup.escape(photo['image'])}</h2>")
        parts.extend(_figures(photo, Path(result["root"])))
    if len(parts) == 1:
        parts.append("<p>Every photo was read exactly.</p>")
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>Evaluation</title><style>{STYLE}</style>"
        + "\n".join(parts) + "</html>"
    )


def _figures(photo: Mapping[str, Any], root: Path) -> list[str]:
    try:
        image: Image | None = load(root / photo["image"]).image
    except (PhotoError, OSError) as error:
        return [f"<p>{markup.escape(str(error))}</p>"]
    figures = []
    for wrong in photo["wrong"]:
        words = {"change": f"{wrong['want']} read as {wrong['got']}", "add": f"{wrong['want']} missing",
                 "remove": f"{wrong['got']} is none"}[wrong["edit"]]
        if wrong["p"] is not None:
            words += f", p {wrong['p']:.2f}"
        words += ", asked" if wrong["asked"] else ", silent"
        picture = ""
        if wrong["quad"] and image is not None:
            picture = f'<img alt="" src="{_cut(image, np.array(wrong["quad"]))}">'
        silent = "" if wrong["asked"] else " class=silent"
        figures.append(f"<figure>{picture}<figcaption{silent}>{markup.escape(words)}</figcaption></figure>")
    return figures


def _cut(image: Image, quad: np.ndarray[Any, np.dtype[np.float64]]) -> str:
    """A failure and what lies around it, as a data URI."""
    side = 2.2 * float(max(np.ptp(quad, axis=0).max(), 8.0))
    part = patches(image, [quad.mean(axis=0)], [side], SIDE)[0]
    local = (quad - quad.mean(axis=0)) / side * SIDE + SIDE / 2
    cv2.polylines(part, [np.round(local).astype(np.int32)], True, (255, 0, 255), 1, cv2.LINE_AA)
    return "data:image/jpeg;base64," + base64.b64encode(cv2.imencode(".jpg", part)[1].tobytes()).decode()
