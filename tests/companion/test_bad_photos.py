"""What a person may hand in instead of a photo of a table, from file to sentence, with the networks that ship."""

from __future__ import annotations

import io
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image as Pil

from companion.cli import main
from vision import photo
from vision.read import Reader
from vision.scene import Scene

SAMPLE = Path(str(files("vision") / "samples" / "table.jpg"))
MEMORY_MB = 60
"""Megabytes above an idle process within which everything hostile is refused; a 30,000 x 30,000 picture has 2,700."""


@cache
def sample() -> photo.Image:
    return photo.load(SAMPLE).image


@cache
def reader() -> Reader:
    return Reader()


def saved(picture: Any, form: str, **options: Any) -> bytes:
    file = io.BytesIO()
    (picture if isinstance(picture, Pil.Image) else Pil.fromarray(picture)).save(file, form, **options)
    return file.getvalue()


def bomb() -> bytes:
    """A PNG of 30,000 x 30,000 grey pixels, whole and honest, in 110 kB."""
    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
    packer = zlib.compressobj(9)
    row = b"\0" * 30_001
    body = b"".join(packer.compress(row * 100) for _ in range(300)) + packer.flush()
    head = struct.pack(">IIBBBBB", 30_000, 30_000, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def animated() -> bytes:
    frames = [Pil.fromarray(np.full((64, 64, 3), shade, np.uint8)) for shade in (40, 200)]
    return saved(frames[0], "WEBP", save_all=True, append_images=frames[1:])


REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "1x1.png": (lambda: saved(np.zeros((1, 1, 3), np.uint8), "PNG"), "too_small"),
    "truncated.jpg": (lambda: SAMPLE.read_bytes()[:60_000], "damaged"),
    "huge.png": (bomb, "too_many_pixels"),
    "document.jpg": (lambda: b"%PDF-1.7\n%\xe2\xe3\n" + b"1 0 obj << >> endobj\n" * 500, "unknown_format"),
    "moving.webp": (animated, "moving"),
    "empty.jpg": (lambda: b"", "empty"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_is_no_photo_gets_a_sentence(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make, code = REFUSED[name]
    (tmp_path / name).write_bytes(make())
    with pytest.raises(photo.PhotoError) as error:
        photo.load(tmp_path / name)
    assert error.value.code == code
    assert main(["read", str(tmp_path / name)]) == 2
    said = capsys.readouterr()
    assert str(error.value) in said.out + said.err
    assert "Traceback" not in said.out + said.err


_REFUSE_ALL = """
import sys
import cv2, numpy
from vision import photo

def peak():
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))

before = peak()
for path in sys.argv[1:]:
    try:
        photo.load(path)
    except photo.PhotoError:
        continue
    raise SystemExit(path + " was not refused")
print(peak() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the peak is read from /proc")
def test_refusing_takes_no_memory(tmp_path: Path) -> None:
    for name, (make, _) in REFUSED.items():
        (tmp_path / name).write_bytes(make())
    paths = [str(tmp_path / name) for name in REFUSED]
    done = subprocess.run([sys.executable, "-c", _REFUSE_ALL, *paths], capture_output=True, text=True, check=True)
    assert float(done.stdout) < MEMORY_MB


def pictures_of_nothing() -> dict[str, photo.Image]:
    rng = np.random.default_rng(1)
    slope = np.linspace(90, 200, 1280)[None, :, None] + np.linspace(-20, 20, 960)[:, None, None]
    wall = np.clip(np.broadcast_to(slope, (960, 1280, 3)) + rng.normal(0, 2, (960, 1280, 3)), 0, 255)
    return {
        "blank wall": wall.astype(np.uint8),
        "white": np.full((960, 1280, 3), 255, np.uint8),
        "black frame": np.zeros((960, 1280, 3), np.uint8),
        "noise": rng.integers(0, 256, (960, 1280, 3), dtype=np.uint8),
        "a thin strip": np.full((16, 4000, 3), 128, np.uint8),
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", pictures_of_nothing())
def test_where_nothing_lies_nothing_is_read(name: str) -> None:
    scene = reader().read(pictures_of_nothing()[name])
    assert scene.pieces == ()
    assert "nothing_found" in scene.remarks
    assert ("dark" in scene.remarks) == (name == "black frame")


def codes(scene: Scene) -> list[str]:
    return sorted(piece.code for piece in scene.pieces)


def sixteen_bit(image: photo.Image) -> bytes:
    return cv2.imencode(".png", image.astype(np.uint16) * 257)[1].tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("make", [
    lambda image: saved(Pil.fromarray(image[..., ::-1]).convert("CMYK"), "JPEG", quality=95),
    sixteen_bit,
    lambda image: saved(Pil.fromarray(image[..., ::-1]), "WEBP", quality=90),
    lambda image: saved(Pil.fromarray(image[..., ::-1]), "JPEG", quality=90, progressive=True),
], ids=["CMYK JPEG", "16-bit PNG", "WebP", "progressive JPEG"])  # fmt: skip
def test_odd_files_are_read_as_any_other(make: Callable[[photo.Image], bytes]) -> None:
    plain = reader().read(sample(), ("tile",))
    odd = reader().read(photo.decode(make(sample())), ("tile",))
    assert codes(odd) == codes(plain)
    assert len(plain.pieces) == 14


@pytest.mark.slow
def test_every_way_to_hold_the_camera_reads_the_same() -> None:
    """EXIF orientations 1 to 8: the stored picture is turned or mirrored, the reading is not."""
    plain = reader().read(sample(), ("tile",))
    stored = {1: lambda a: a, 2: lambda a: a[:, ::-1], 3: lambda a: a[::-1, ::-1], 4: lambda a: a[::-1],
              5: lambda a: a.transpose(1, 0, 2), 6: lambda a: np.rot90(a, 1),
              7: lambda a: a[::-1, ::-1].transpose(1, 0, 2), 8: lambda a: np.rot90(a, -1)}  # fmt: skip
    for orientation, turn in stored.items():
        exif = Pil.Exif()
        exif[0x0112] = orientation
        data = saved(np.ascontiguousarray(turn(sample()[..., ::-1])), "JPEG", quality=95, exif=exif)
        scene = reader().read(photo.decode(data), ("tile",))
        assert codes(scene) == codes(plain), orientation
        assert not any(piece.asked for piece in scene.pieces)
