"""From bytes to an upright picture: formats, limits, EXIF orientation, and words for a bad photo.

Everything that can be refused is refused from the header, before a pixel is decoded (DESIGN.md section 7).
"""

from __future__ import annotations

import io
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.flatten import Image, Levels, Picture, levels_of, part, pixels
from vision.parallel import in_parts

MAX_BYTES = 20 * 1024 * 1024
MAX_PIXELS = 25_000_000
LARGE_PIXELS = 6_000_000
"""From here on a JPEG is decoded at half its size first, which takes a third of the time, and whole only where pieces
are small on it."""
MIN_SIDE = 16
"""Pixels; nothing can be read on a smaller picture."""

Format = Literal["jpeg", "png", "webp", "heic"]
ErrorCode = Literal[
    "empty",
    "too_many_bytes",
    "unknown_format",
    "heic_not_installed",
    "too_many_pixels",
    "too_small",
    "damaged",
    "moving",
]
HEIC_BRANDS = frozenset({b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"})


class PhotoError(ValueError):
    """A file that can't be read as a photo. `code` says which way, the message is a sentence for a person."""

    def __init__(self, code: ErrorCode, sentence: str) -> None:
        super().__init__(sentence)
        self.code: ErrorCode = code
        self.sentence = sentence


@dataclass(frozen=True, eq=False)
class Photo:
    """An upright picture (height, width, 3) uint8 BGR, of a large JPEG at first at half its size; `format` of the file
    it came from."""

    levels: Levels
    format: Format

    @property
    def image(self) -> Image:
        """The whole picture."""
        return self.levels.at(1)

    @property
    def width(self) -> int:
        """Pixels across, upright."""
        return int(self.levels.shape[1])

    @property
    def height(self) -> int:
        """Pixels down, upright."""
        return int(self.levels.shape[0])


@dataclass(frozen=True)
class Header:
    """What a file says of itself: stored size in pixels, EXIF orientation (1 to 8), and whether it has an alpha."""

    format: Format
    width: int
    height: int
    orientation: int = 1
    alpha: bool = False


def load(path: str | Path) -> Photo:
    """Read a photo from disk. Raises PhotoError as `decode` does; OSError where the file can't be opened."""
    file = Path(path)
    if file.stat().st_size > MAX_BYTES:
        raise _too_many_bytes(file.stat().st_size)
    return decode(file.read_bytes())


def decode(data: bytes) -> Photo:
    """Decode a JPEG, PNG, WebP or (with the extra `heic`) HEIC file to an upright picture.

    Transparency is laid on white, 16 bits become 8, grey becomes BGR. Raises PhotoError.
    """
    header = inspect(data)
    if header.format == "heic":
        return Photo(levels_of(_decode_heic(data)), "heic")
    even = header.width % 2 == 0 and header.height % 2 == 0  # else the half begins off the whole once it is turned
    if header.format != "jpeg" or not even or header.width * header.height < LARGE_PIXELS:
        return Photo(levels_of(_decoded(data, header)), header.format)
    half = _decoded(data, header, 2)
    shape = (2 * half.shape[0], 2 * half.shape[1], 3)
    return Photo(Levels(shape, {2: half}, lambda: _decoded(data, header)), header.format)


def _decoded(data: bytes, header: Header, reduced: Literal[1, 2] = 1) -> Image:
    """The upright picture of a file, whole or at half its size. Raises PhotoError for one that is damaged."""
    # orientation is applied below: which formats OpenCV turns by itself differs between its versions, and
    # IMREAD_UNCHANGED never turns
    colour = cv2.IMREAD_COLOR if reduced == 1 else cv2.IMREAD_REDUCED_COLOR_2
    flags = cv2.IMREAD_UNCHANGED if header.alpha else colour | cv2.IMREAD_IGNORE_ORIENTATION
    try:
        picture = cv2.imdecode(np.frombuffer(data, np.uint8), flags)
    except cv2.error:
        picture = None
    if picture is None or picture.shape[:2] != (header.height // reduced, header.width // reduced):
        raise PhotoError("damaged", "The picture is damaged and can't be opened.")
    return _turn(_to_bgr(np.asarray(picture)), header.orientation)


def inspect(data: bytes) -> Header:
    """Read the header alone and check every limit. Raises PhotoError; decodes nothing."""
    if not data:
        raise PhotoError("empty", "The file is empty.")
    if len(data) > MAX_BYTES:
        raise _too_many_bytes(len(data))
    if data[:3] == b"\xff\xd8\xff":
        header = _jpeg(data)
    elif data[:8] == b"\x89PNG\r\n\x1a\n":
        header = _png(data)
    elif data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        header = _webp(data)
    elif data[4:8] == b"ftyp" and (data[8:12] in HEIC_BRANDS):
        header = _heic(data)
    else:
        raise PhotoError("unknown_format", "This is not a photo in JPEG, PNG, WebP or HEIC format.")
    if header.width * header.height > MAX_PIXELS:
        raise PhotoError(
            "too_many_pixels",
            f"The picture has {header.width} x {header.height} pixels; at most {MAX_PIXELS // 1_000_000} megapixels "
            "are read.",
        )
    if min(header.width, header.height) < MIN_SIDE:
        raise PhotoError("too_small", f"The picture has only {header.width} x {header.height} pixels.")
    return header


def _too_many_bytes(size: int) -> PhotoError:
    return PhotoError(
        "too_many_bytes", f"The file has {size / 1048576:.0f} MB; at most {MAX_BYTES // 1048576} MB are read."
    )


def _cut_short() -> PhotoError:
    return PhotoError("damaged", "The file is cut short: a part of the picture is missing.")


def _jpeg(data: bytes) -> Header:
    orientation, size, at = 1, (0, 0), 2
    while at + 4 <= len(data):
        if data[at] != 0xFF:
            raise PhotoError("damaged", "The picture is damaged and can't be opened.")
        marker = data[at + 1]
        if marker == 0xFF:  # fill byte
            at += 1
            continue
        if marker == 0x01 or 0xD0 <= marker <= 0xD8:  # markers without a length
            at += 2
            continue
        length = int.from_bytes(data[at + 2 : at + 4], "big")
        body = data[at + 4 : at + 2 + length]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC) and len(body) >= 5:
            size = (int.from_bytes(body[3:5], "big"), int.from_bytes(body[1:3], "big"))
        elif marker == 0xE1 and body[:6] == b"Exif\0\0":
            orientation = _exif_orientation(body[6:])
        elif marker == 0xDA:
            # a decoder paints what is missing grey and says nothing, so the end must be there; entropy-coded data
            # holds no FF D9, and phones may append more after it
            if not all(size) or data.find(b"\xff\xd9", at) < 0:
                raise _cut_short()
            return Header("jpeg", *size, orientation)
        at += 2 + max(length, 2)
    raise _cut_short()


def _png(data: bytes) -> Header:
    if len(data) < 33 or data[12:16] != b"IHDR":
        raise _cut_short()
    width, height = struct.unpack(">II", data[16:24])
    orientation, alpha, at = 1, data[25] in (4, 6), 8
    while at + 12 <= len(data):
        length, name = int.from_bytes(data[at : at + 4], "big"), data[at + 4 : at + 8]
        if name == b"eXIf":
            orientation = _exif_orientation(data[at + 8 : at + 8 + length])
        elif name == b"tRNS":
            alpha = True
        elif name == b"acTL":
            raise _moving()
        elif name == b"IEND":
            return Header("png", width, height, orientation, alpha)
        at += 12 + length
    if width * height > MAX_PIXELS:  # the better reason of the two
        return Header("png", width, height)
    raise _cut_short()


def _webp(data: bytes) -> Header:
    if int.from_bytes(data[4:8], "little") + 8 > len(data) + 1:
        raise _cut_short()
    orientation, alpha, width, height, at = 1, False, 0, 0, 12
    while at + 8 <= len(data):
        name, length = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "little")
        body = data[at + 8 : at + 8 + min(length, 1 << 16)]
        w = h = 0
        if name == b"VP8X" and len(body) >= 10:
            if body[0] & 0x02:
                raise _moving()
            w, h = 1 + int.from_bytes(body[4:7], "little"), 1 + int.from_bytes(body[7:10], "little")
        elif name == b"VP8L" and len(body) >= 5:
            bits = int.from_bytes(body[1:5], "little")
            w, h, alpha = 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF), bool(bits >> 28 & 1)
        elif name == b"VP8 " and len(body) >= 10:
            w, h = (int.from_bytes(body[i : i + 2], "little") & 0x3FFF for i in (6, 8))
        elif name == b"ALPH":
            alpha = True
        elif name == b"EXIF":
            orientation = _exif_orientation(body.removeprefix(b"Exif\0\0"))
        width, height = max(width, w), max(height, h)
        at += 8 + length + length % 2
    if not width or not height:
        raise _cut_short()
    return Header("webp", width, height, orientation, alpha)


def _moving() -> PhotoError:
    return PhotoError("moving", "This is a moving picture; a single photo is needed.")


def _exif_orientation(tiff: bytes) -> int:
    """The orientation of an EXIF block (TIFF header on), 1 where there is none or the block makes no sense."""
    order: Literal["little", "big"] = "little" if tiff[:2] == b"II" else "big"
    start = int.from_bytes(tiff[4:8], order)
    count = int.from_bytes(tiff[start : start + 2], order)
    for n in range(min(count, 512)):
        entry = tiff[start + 2 + 12 * n : start + 14 + 12 * n]
        if len(entry) == 12 and int.from_bytes(entry[:2], order) == 0x0112:
            value = int.from_bytes(entry[8:10], order)
            return value if 1 <= value <= 8 else 1
    return 1


def _turn(image: Image, orientation: int) -> Image:
    """Bring a stored picture upright (EXIF 2.32, tag 0x0112)."""
    if orientation in (5, 6, 7, 8):
        image = np.asarray(cv2.transpose(image), np.uint8)
    flip = {2: 1, 3: -1, 4: 0, 6: 1, 7: -1, 8: 0}.get(orientation)
    return image if flip is None else np.asarray(cv2.flip(image, flip), np.uint8)


def _to_bgr(picture: NDArray[np.generic]) -> Image:
    eight = np.asarray(picture, np.uint16) >> 8 if picture.dtype == np.uint16 else picture
    image = eight.astype(np.uint8, copy=False)
    if image.ndim == 2:
        return np.asarray(cv2.cvtColor(image, cv2.COLOR_GRAY2BGR), np.uint8)
    if image.shape[2] == 4:
        opaque = image[..., 3:].astype(np.uint16)
        if (opaque == 255).all():
            return np.ascontiguousarray(image[..., :3])
        return ((image[..., :3] * opaque + 255 * (255 - opaque) + 127) // 255).astype(np.uint8)
    return image


def _heic(data: bytes) -> Header:
    try:
        import pillow_heif
    except ImportError as error:
        raise PhotoError(
            "heic_not_installed", "HEIC photos need an extra: pip install 'remi-companion[heic]', or send a JPEG."
        ) from error
    try:
        width, height = pillow_heif.open_heif(io.BytesIO(data)).size
    except (ValueError, EOFError, SyntaxError, RuntimeError) as error:
        raise PhotoError("damaged", "The picture is damaged and can't be opened.") from error
    return Header("heic", int(width), int(height))


def _decode_heic(data: bytes) -> Image:
    import pillow_heif

    try:  # the library turns the picture upright by the file's own transformation, which stands in for EXIF
        file = pillow_heif.open_heif(io.BytesIO(data), convert_hdr_to_8bit=True, bgr_mode=True)
        return _to_bgr(np.ascontiguousarray(np.asarray(file)))
    except (ValueError, EOFError, SyntaxError, RuntimeError) as error:
        raise PhotoError("damaged", "The picture is damaged and can't be opened.") from error


DARK = 50.0
"""A picture whose brightest parts (95 %) stay under this grey value is too dark."""
FAR = 18.0
"""Pixels of the photo along a piece's longer side, under which it can't be read well."""
SOFT = 0.12
"""Steepest step between neighbouring pixels, as a share of the contrast, under which a picture is blurred."""
GLARE = 0.35
"""Share of burnt-out pixels on a piece whose other pieces are not burnt out."""
BURNT = 245
"""Value of every channel from which light has washed out what was there."""


def remarks(picture: Picture, sides: Sequence[float], steepness: Sequence[float] = (),
            burnt: Sequence[float] = (), doubted: Sequence[bool] = (), cut: bool = False) -> tuple[str, ...]:
    """Words on a photo: "dark", "blurred", "far", "glare", "cut", "nothing_found".

    `sides`: the longer side in pixels of each piece found; `steepness` and `burnt` of their crops, as the functions
    of these names give them; `doubted`: whether each is asked about, for glare that hid nothing is no news; `cut`:
    whether a card that the border cuts was left out.
    """
    words: list[str] = []
    step = max(1, min(picture.shape[:2]) // 300)
    few, reduced, _ = part(picture, (0, 0, picture.shape[1], picture.shape[0]), step)
    step = max(1, step // reduced)
    blue, green, red = cv2.split(few[::step, ::step])
    if float(np.percentile(cv2.max(cv2.max(blue, green), red), 95)) < DARK:
        words.append("dark")
    if steepness_of(pixels(picture)) < SOFT if not sides else len(steepness) and float(np.median(steepness)) < SOFT:
        words.append("blurred")
    if sides and float(np.median(sides)) < FAR:
        words.append("far")
    hidden = [share for share, asked in zip(burnt, doubted, strict=True) if asked]
    if hidden and max(hidden) > GLARE and float(np.median(burnt)) < GLARE / 2:
        words.append("glare")
    if cut:
        words.append("cut")
    if not sides:
        words.append("nothing_found")
    return tuple(words)


def steepness_of(image: Image) -> float:
    """How sharp the middle of a picture is: see `steepness`."""
    height, width = image.shape[:2]
    middle = image[height // 4 : height - height // 4, width // 4 : width - width // 4][:1000, :1000]
    return steepness(middle[None])[0]


def steepness(crops: Image) -> list[float]:
    """How steep the steepest edges of each crop (n, h, w, 3) are: the step between neighbouring pixels as a share of
    the contrast, 0 to 1. 1 for a crop without contrast: nothing can be said of it."""
    if not crops.size:
        return [1.0] * len(crops)
    return [value for part in in_parts(lambda part: _steepness(crops[part]), len(crops)) for value in part]


def _steepness(crops: Image) -> list[float]:
    grey = crops[..., 1].astype(np.int16)
    steps = np.maximum(np.abs(np.diff(grey, axis=1))[:, :, 1:], np.abs(np.diff(grey, axis=2))[:, 1:])
    flat = steps.reshape(len(crops), -1)
    place = int(0.99 * (flat.shape[1] - 1))
    steepest = np.partition(flat, place, axis=1)[:, place]
    low, high = np.percentile(grey[:, ::2, ::2].reshape(len(crops), -1), [2, 98], axis=1)
    contrast = high - low
    return [float(v) for v in np.where(contrast < 12, 1.0, steepest / np.maximum(contrast, 1))]


def burnt(crops: Image) -> list[float]:
    """Share of each crop's pixels (n, h, w, 3) that light has washed out, 0 to 1."""
    darkest = np.minimum(np.minimum(crops[..., 0], crops[..., 1]), crops[..., 2])
    return [float(v) for v in (darkest >= BURNT).mean(axis=(1, 2))]
