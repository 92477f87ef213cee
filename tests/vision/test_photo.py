"""What a person may send instead of a photo, and the eight ways a camera may be held."""

from __future__ import annotations

import builtins
import io
import struct
import tracemalloc
import zlib
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image as Pil

from vision import photo


def corner_image(width: int = 60, height: int = 40) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """RGB: red top left, green top right, blue bottom left, white bottom right."""
    image = np.zeros((height, width, 3), np.uint8)
    image[: height // 2, : width // 2, 0] = 255
    image[: height // 2, width // 2 :, 1] = 255
    image[height // 2 :, : width // 2, 2] = 255
    image[height // 2 :, width // 2 :] = 255
    return image


def encode(picture: Any, form: str, **options: Any) -> bytes:
    file = io.BytesIO()
    if not isinstance(picture, Pil.Image):
        picture = Pil.fromarray(picture)
    picture.save(file, form, **options)
    return file.getvalue()


def corners(image: np.ndarray[Any, Any]) -> str:
    """The corners' colours clockwise from the top left, one letter each."""
    h, w = image.shape[:2]
    names = {(0, 0, 1): "r", (0, 1, 0): "g", (1, 0, 0): "b", (1, 1, 1): "w", (0, 0, 0): "k"}
    spots = [image[5, 5], image[5, w - 6], image[h - 6, w - 6], image[h - 6, 5]]
    return "".join(names[tuple(int(v > 128) for v in s)] for s in spots)


STORED = {  # how the picture must be stored so that this orientation brings it upright
    1: lambda a: a,
    2: lambda a: a[:, ::-1],
    3: lambda a: a[::-1, ::-1],
    4: lambda a: a[::-1],
    5: lambda a: a.transpose(1, 0, 2),
    6: lambda a: np.rot90(a, 1),
    7: lambda a: a[::-1, ::-1].transpose(1, 0, 2),
    8: lambda a: np.rot90(a, -1),
}


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_every_exif_orientation_comes_upright(form: str, orientation: int) -> None:
    exif = Pil.Exif()
    exif[0x0112] = orientation
    stored = np.ascontiguousarray(STORED[orientation](corner_image()))
    result = photo.decode(encode(stored, form, exif=exif))
    assert (result.width, result.height, corners(result.image)) == (60, 40, "rgwb")
    assert result.format == form.lower()


@pytest.mark.parametrize("orientation", range(1, 9))
def test_orientation_with_transparency(orientation: int) -> None:
    exif = Pil.Exif()
    exif[0x0112] = orientation
    stored = np.ascontiguousarray(STORED[orientation](np.dstack([corner_image(), np.full((40, 60), 200, np.uint8)])))
    assert corners(photo.decode(encode(stored, "PNG", exif=exif)).image) == "rgwb"


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_large_jpeg_is_opened_at_half_its_size_and_whole_when_asked(orientation: int) -> None:
    exif = Pil.Exif()
    exif[0x0112] = orientation
    stored = np.ascontiguousarray(STORED[orientation](corner_image(3000, 2400)))
    taken = photo.decode(encode(stored, "jpeg", exif=exif))
    assert (taken.width, taken.height) == (3000, 2400)
    assert not taken.levels.made(1)
    half = taken.levels.at(2)
    assert (half.shape, corners(half)) == ((1200, 1500, 3), "rgwb")
    assert not taken.levels.made(1)
    assert (taken.image.shape, corners(taken.image)) == ((2400, 3000, 3), "rgwb")
    assert np.abs(cv2.resize(taken.image, (1500, 1200), interpolation=cv2.INTER_AREA).astype(int) - half).mean() < 1


def test_a_large_jpeg_of_an_odd_size_is_opened_whole() -> None:
    taken = photo.decode(encode(corner_image(3001, 2400), "jpeg"))
    assert taken.levels.made(1)
    assert taken.image.shape == (2400, 3001, 3)


def test_a_large_jpeg_that_is_damaged_is_refused_at_once() -> None:
    data = encode(corner_image(3000, 2400), "jpeg")
    with pytest.raises(photo.PhotoError, match="damaged"):
        photo.decode(data[:300] + bytes(2000) + data[2300:-2] + b"\xff\xd9")


def test_transparent_parts_become_white() -> None:
    clear = np.dstack([np.zeros((40, 60, 3), np.uint8), np.zeros((40, 60), np.uint8)])
    for form in ("PNG", "WEBP"):
        assert (photo.decode(encode(clear, form, lossless=True)).image == 255).all()
    palette = Pil.fromarray(corner_image()).quantize(4)
    index = palette.getpixel((5, 5))
    data = encode(palette, "PNG", transparency=index)
    assert corners(photo.decode(data).image) == "wgwb"


@pytest.mark.parametrize(("data", "want"), [
    (lambda: encode(Pil.fromarray(corner_image()).convert("CMYK"), "JPEG"), "rgwb"),
    (lambda: encode(corner_image(), "JPEG", progressive=True), "rgwb"),
    (lambda: encode(corner_image()[..., 1], "JPEG"), "kwwk"),
    (lambda: encode(Pil.fromarray(corner_image()[..., 1]).convert("LA"), "PNG"), "kwwk"),
    (lambda: cv2.imencode(".png", corner_image()[..., ::-1].astype(np.uint16) * 257)[1].tobytes(), "rgwb"),
    (lambda: encode(corner_image(), "JPEG") + b"MotionPhoto" * 100, "rgwb"),
], ids=["cmyk", "progressive", "grey", "grey+alpha", "16 bit", "trailer"])
def test_odd_but_right(data: Any, want: str) -> None:
    assert corners(photo.decode(data()).image) == want


def bomb(width: int, height: int) -> bytes:
    """A PNG that says it is huge, in a few hundred bytes."""
    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = [chunk(b"IHDR", head), chunk(b"IDAT", zlib.compress(b"\0" * 999)), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def noise(side: int = 300) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return np.random.default_rng(3).integers(0, 255, (side, side, 3), dtype=np.uint8)


def animated(form: str) -> bytes:
    first, second = Pil.fromarray(corner_image()), Pil.fromarray(255 - corner_image())
    return encode(first, form, save_all=True, append_images=[second])


@pytest.mark.parametrize(("data", "code"), [
    (lambda: b"", "empty"),
    (lambda: b"%PDF-1.7\n" + b"x" * 2000, "unknown_format"),
    (lambda: encode(corner_image(), "GIF"), "unknown_format"),
    (lambda: encode(corner_image(), "BMP"), "unknown_format"),
    (lambda: b"\xff\xd8\xff", "damaged"),
    (lambda: b"\xff\xd8\xff\xe0" + b"\0" * 100, "damaged"),
    (lambda: encode(noise(), "JPEG")[:-2], "damaged"),
    (lambda: encode(noise(), "JPEG")[:20_000], "damaged"),
    (lambda: encode(noise(), "JPEG", progressive=True)[:-500], "damaged"),
    (lambda: encode(noise(), "PNG")[:20_000], "damaged"),
    (lambda: encode(noise(), "WEBP")[:5_000], "damaged"),
    (lambda: b"RIFF\x04\0\0\0WEBP", "damaged"),
    (lambda: bomb(30_000, 30_000), "too_many_pixels"),
    (lambda: bomb(30_000, 30_000)[:40], "too_many_pixels"),
    (lambda: bomb(2_000, 2_000), "damaged"),
    (lambda: encode(np.zeros((1, 1, 3), np.uint8), "PNG"), "too_small"),
    (lambda: animated("WEBP"), "moving"),
    (lambda: animated("PNG"), "moving"),
    (lambda: encode(noise(), "JPEG") + b"\0" * photo.MAX_BYTES, "too_many_bytes"),
], ids=["empty", "pdf", "gif", "bmp", "3 bytes", "garbage jpeg", "no end", "half jpeg", "progressive", "half png",
        "half webp", "bare riff", "bomb", "bomb cut", "liar", "1x1", "animated webp", "animated png", "huge file"])
def test_refused_with_a_sentence(data: Any, code: str) -> None:
    given = data()
    tracemalloc.start()
    try:
        with pytest.raises(photo.PhotoError) as error:
            photo.decode(given)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert error.value.code == code
    assert str(error.value).endswith(".")
    assert peak < 30_000_000


def test_heic_is_read_upright() -> None:
    pytest.importorskip("pillow_heif")
    import pillow_heif

    file = io.BytesIO()
    pillow_heif.from_pillow(Pil.fromarray(corner_image(128, 96))).save(file, quality=95)
    result = photo.decode(file.getvalue())
    assert (result.width, result.height, corners(result.image), result.format) == (128, 96, "rgwb", "heic")
    with pytest.raises(photo.PhotoError) as error:
        photo.decode(file.getvalue()[: len(file.getvalue()) // 2])
    assert error.value.code == "damaged"


def test_heic_without_the_extra_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "pillow_heif":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(photo.PhotoError, match=r"remi-companion\[heic\]"):
        photo.decode(b"\0\0\0\x18ftypheic" + b"\0" * 40)


def test_a_file_on_disk(tmp_path: Any) -> None:
    (tmp_path / "a.jpg").write_bytes(encode(corner_image(), "JPEG"))
    assert corners(photo.load(tmp_path / "a.jpg").image) == "rgwb"
    with pytest.raises(FileNotFoundError):
        photo.load(tmp_path / "none.jpg")


def tile_photo(level: float = 1.0, blur: float = 0.0) -> photo.Image:
    image = np.full((240, 320, 3), 90, np.uint8)
    cv2.rectangle(image, (136, 88), (184, 152), (220, 230, 235), -1)
    cv2.putText(image, "8", (144, 128), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (30, 30, 30), 3)
    if blur:
        image = np.asarray(cv2.GaussianBlur(image, (0, 0), blur), np.uint8)
    return (image * level).astype(np.uint8)


def test_words_for_a_bad_photo() -> None:
    image = tile_photo()
    assert photo.remarks(image, [64.0], [0.5], [0.0], [True]) == ()
    assert photo.remarks(image, []) == ("nothing_found",)
    assert photo.remarks(tile_photo(level=0.15), [64.0], [0.5], [0.0], [False]) == ("dark",)
    assert photo.remarks(image, [64.0] * 3, [0.05, 0.05, 0.5]) == ("blurred",)
    assert photo.remarks(tile_photo(blur=8), []) == ("blurred", "nothing_found")
    assert photo.remarks(image, [14.0, 15.0], [0.5, 0.5]) == ("far",)
    assert photo.remarks(image, [64.0] * 3, [0.5] * 3, [0.6, 0.0, 0.0], [True, False, False]) == ("glare",)
    assert photo.remarks(image, [64.0] * 3, [0.5] * 3, [0.6, 0.0, 0.0], [False, True, True]) == ()
    assert photo.remarks(image, [64.0] * 3, [0.5] * 3, [0.6, 0.6, 0.6], [True] * 3) == ()
    assert photo.remarks(np.zeros((100, 100, 3), np.uint8), []) == ("dark", "nothing_found")


def test_sharp_and_blurred_crops() -> None:
    cut = np.s_[80:160, 130:190]
    crops = np.stack([tile_photo()[cut], tile_photo(blur=6)[cut], np.full((80, 60, 3), 200, np.uint8)])
    sharp, blurred, blank = photo.steepness(crops)
    assert sharp > 0.5
    assert blurred < photo.SOFT
    assert blank == 1.0
    assert photo.burnt(np.stack([np.full((4, 4, 3), 255, np.uint8), np.full((4, 4, 3), 200, np.uint8)])) == [1.0, 0.0]
