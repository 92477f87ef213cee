"""Small helpers on quads: boxes to corners, overlap, turning."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import ArrayLike

from vision.flatten import Floats

CUT = 0.03
"""Share of a piece's area beyond the picture from which it is cut by the border."""


def box_quads(boxes: ArrayLike, angles: ArrayLike) -> Floats:
    """Rotated boxes as quads (n, 4, 2), clockwise as seen.

    `boxes` (n, 4): centre x, y, width, height; `angles` (n,) in radians, clockwise, as OpenCV's and ultralytics'.
    """
    box = np.asarray(boxes, np.float64).reshape(-1, 4)
    angle = np.asarray(angles, np.float64).reshape(-1)
    cosine, sine = np.cos(angle), np.sin(angle)
    across = np.stack([cosine, sine], axis=1) * box[:, 2:3] / 2
    down = np.stack([-sine, cosine], axis=1) * box[:, 3:4] / 2
    middle = box[:, :2]
    return np.stack([middle - across - down, middle + across - down, middle + across + down, middle - across + down], 1)


def area(quad: ArrayLike) -> float:
    """Area of a polygon (k, 2) in square pixels."""
    corners = np.asarray(quad, np.float64).tolist()  # a handful of numbers: plain ones are the quickest
    turns = ((x1 * y2 - x2 * y1) for (x1, y1), (x2, y2) in zip(corners, corners[1:] + corners[:1], strict=True))
    return float(abs(sum(turns))) / 2


def shared_area(one: ArrayLike, two: ArrayLike) -> float:
    """Area common to two convex polygons; a crossed or bent quad counts as its convex hull."""
    hulls = [np.asarray(cv2.convexHull(np.asarray(q, np.float32).reshape(-1, 1, 2)), np.float32) for q in (one, two)]
    if min(len(hull) for hull in hulls) < 3:
        return 0.0
    return float(cv2.intersectConvexConvex(hulls[0], hulls[1])[0])


def overlap(one: ArrayLike, two: ArrayLike) -> float:
    """Intersection over union of two quads, 0 to 1."""
    common = shared_area(one, two)
    total = area(one) + area(two) - common
    return float(min(max(common / total, 0.0), 1.0)) if total > 0 else 0.0


def sides(quads: ArrayLike) -> tuple[Floats, Floats]:
    """Mean width and height (n,) of quads (n, 4, 2) in pixels."""
    q = np.asarray(quads, np.float64).reshape(-1, 4, 2)
    width = (np.hypot(*(q[:, 1] - q[:, 0]).T) + np.hypot(*(q[:, 2] - q[:, 3]).T)) / 2
    height = (np.hypot(*(q[:, 3] - q[:, 0]).T) + np.hypot(*(q[:, 2] - q[:, 1]).T)) / 2
    return np.asarray(width, np.float64), np.asarray(height, np.float64)


def beyond(quad: ArrayLike, width: int, height: int) -> float:
    """Share of a quad's area that lies outside a picture of this size, 0 to 1."""
    corners = np.asarray(quad, np.float64)
    total = area(corners)
    if total <= 0 or ((corners >= 0) & (corners <= [width, height])).all():
        return 0.0
    picture = [[0, 0], [width, 0], [width, height], [0, height]]
    return float(min(max(1 - shared_area(quad, picture) / total, 0.0), 1.0))


def cut(quad: ArrayLike, width: int, height: int) -> bool:
    """Whether the border of a picture of this size cuts a piece."""
    return beyond(quad, width, height) > CUT
