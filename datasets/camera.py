"""A pinhole camera above a table. World units are tile widths; z is up, the table is z = 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Camera:
    """Where the camera stands and what its lens does.

    `axes` holds right, down and forward as rows; `focal` is in pixels; `k1`, `k2` bend the picture
    radially (Brown's model, radius in focal lengths).
    """

    position: Floats
    axes: Floats
    focal: float
    width: int
    height: int
    k1: float = 0.0
    k2: float = 0.0

    def project(self, points: Floats) -> Floats:
        """World points (n, 3) to pixels (n, 2). Points behind the camera land far outside."""
        local = (np.asarray(points, float) - self.position) @ self.axes.T
        plane = local[:, :2] / np.maximum(local[:, 2:], 1e-3)
        plane = self.bent(plane)
        plane *= self.focal
        plane += (self.width / 2, self.height / 2)
        return plane

    def bent(self, plane: Floats) -> Floats:
        """Points (n, 2) in focal lengths from the picture's middle, moved as the lens bends them."""
        r2 = np.minimum(np.einsum("ij,ij->i", plane, plane), 1.5)
        return plane * (1 + r2 * (self.k1 + self.k2 * r2))[:, None]

    def depth(self, points: Floats) -> Floats:
        """Distance along the optical axis (n,), in tile widths."""
        return (np.asarray(points, float) - self.position) @ self.axes[2]

    def table_homography(self) -> Floats:
        """3 x 3 matrix from table points (x, y, 1) to pixels, without the lens's bend."""
        k = np.array([[self.focal, 0, self.width / 2], [0, self.focal, self.height / 2], [0, 0, 1]])
        rt = np.column_stack([self.axes[:, 0], self.axes[:, 1], -self.axes @ self.position])
        return k @ rt

    def rays(self, step: int) -> Floats:
        """Directions (h, w, 3) of every `step`-th pixel's ray, not of unit length."""
        xs = np.arange(0, self.width, step) + step / 2 - self.width / 2
        ys = np.arange(0, self.height, step) + step / 2 - self.height / 2
        gx, gy = np.meshgrid(xs / self.focal, ys / self.focal)
        local = np.stack([gx, gy, np.ones_like(gx)], -1)
        return local @ self.axes


def look_at(
    target: Floats,
    *,
    distance: float,
    elevation: float,
    azimuth: float,
    roll: float,
    fov: float,
    size: tuple[int, int],
    k1: float = 0.0,
    k2: float = 0.0,
) -> Camera:
    """Camera that looks at `target`; angles in radians, `fov` across the longer side, `size` (width, height)."""
    ce, se = np.cos(elevation), np.sin(elevation)
    outward = np.array([ce * np.cos(azimuth), ce * np.sin(azimuth), se])
    forward = -outward
    right = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
    down = np.cross(forward, right)
    c, s = np.cos(roll), np.sin(roll)
    axes = np.stack([c * right + s * down, -s * right + c * down, forward])
    focal = max(size) / 2 / np.tan(fov / 2)
    return Camera(np.asarray(target, float) + distance * outward, axes, focal, size[0], size[1], k1, k2)


def frame(points: Floats, fill: float, **view: object) -> Camera:
    """Camera at the distance where `points` (n, 3) span `fill` of the picture; above 1 they are cut."""
    near, far = 1.0, 400.0
    camera = look_at(distance=far, **view)  # type: ignore[arg-type]
    half = np.array([camera.width, camera.height]) / 2
    # nearer by so much, all points are nearer by as much along the axis and as far from it as before
    local = (points - camera.position) @ camera.axes.T
    flat, behind = local[:, :2], local[:, 2] - far
    for _ in range(12):
        middle = (near * far) ** 0.5
        depth = behind + middle
        plane = flat / np.maximum(depth, 1e-3)[:, None]
        span = np.abs(camera.bent(plane)).max(0) * camera.focal / half
        too_near = depth.min() < 0.5 or span.max() > fill
        near, far = (middle, far) if too_near else (near, middle)
    return look_at(distance=far, **view)  # type: ignore[arg-type]
