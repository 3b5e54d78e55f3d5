"""Reads a video's declared length from its container, to recognize a damaged video.

OpenCV reports a number of pictures for every video, but only some containers store one. For others
OpenCV multiplies a length by a rate. If there is no length, as in a stream or a recording that was
cut off, its number is 0 or negative.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

# Seconds. A file is as long as its longest track, and sound often lasts a moment longer than the
# last picture.
SLACK = 0.5
MATROSKA = b"\x1a\x45\xdf\xa3"
# The boxes with which an MP4 or MOV file can begin.
BOXES = (b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip")


@dataclass(frozen=True)
class DeclaredLength:
    """The length that a container declares.

    If `seconds` is given, the end of the last picture decides whether the video is complete;
    otherwise the number of pictures does.
    """

    pictures: int
    seconds: float | None = None
    # The number was computed from a length and a rate, and the length may be that of another track.
    estimated: bool = False

    def is_reached(self, count: int, end: float) -> bool:
        """Whether `count` pictures, the last of which ends at `end` (seconds), are all of them."""
        if self.seconds is None:
            return count >= self.pictures
        slack = SLACK if self.estimated else self.seconds / self.pictures / 2
        return end >= self.seconds - slack


def declared_length(path: Path, count: float, rate: float | None) -> DeclaredLength | None:
    """The declared length of a video, from its container and from OpenCV's `count` and `rate`.

    None if the container declares no length: MPEG streams, files in fragments and others store no
    number of pictures, and OpenCV's count is only an estimate.
    """
    if not (math.isfinite(count) and count >= 1 and rate is not None):
        return None
    pictures = int(count)
    try:
        with path.open("rb") as file:
            start = file.read(12)
            if start.startswith(b"RIFF") and start[8:] == b"AVI ":
                # Decided by time, because the count includes the empty places that some recorders
                # leave for dropped pictures.
                return DeclaredLength(pictures, count / rate)
            if start.startswith(MATROSKA):
                return DeclaredLength(pictures, count / rate, estimated=True)
            return _of_boxes(file, pictures, rate) if start[4:8] in BOXES else None
    except (OSError, struct.error):
        return None


def _of_boxes(file: BinaryIO, pictures: int, rate: float) -> DeclaredLength | None:
    """The count includes everything stored.

    An edit list, as in a video that was trimmed on a phone, shows only part of it.
    """
    movie = b""
    for kind, start, end in _boxes(file):
        if kind == b"moof":
            return None
        if kind == b"moov":
            file.seek(start)
            movie = file.read(end - start)
    stored, shown = _lengths(movie)
    if stored <= 0 or shown <= 0 or shown > stored - 0.5 / rate:
        return DeclaredLength(pictures)
    return DeclaredLength(max(1, round(pictures * shown / stored)), shown, estimated=True)


def _boxes(file: BinaryIO) -> Iterator[tuple[bytes, int, int]]:
    """Each box's kind and the beginning and end of its content, up to the first invalid box."""
    size = file.seek(0, 2)
    at = 0
    while at + 8 <= size:
        file.seek(at)
        head = file.read(16)
        length, kind = struct.unpack_from(">I4s", head)
        begin = at + 8
        if length == 1:
            (length,) = struct.unpack_from(">Q", head, 8)
            begin = at + 16
        end = size if length == 0 else min(at + length, size)
        if end < begin:
            return
        yield kind, begin, end
        at = end


def _inside(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 0
    while at + 8 <= len(content):
        length, kind = struct.unpack_from(">I4s", content, at)
        if length < 8:
            return
        yield kind, content[at + 8 : at + length]
        at += length


def _find(content: bytes, *kinds: bytes) -> bytes | None:
    """The content of the first box on this path."""
    for kind in kinds:
        found = next((inner for its_kind, inner in _inside(content) if its_kind == kind), None)
        if found is None:
            return None
        content = found
    return content


def _lengths(movie: bytes) -> tuple[float, float]:
    """The seconds stored and shown of the first video track; 0 if they are not stated."""
    for kind, track in _inside(movie):
        handler = _find(track, b"mdia", b"hdlr") if kind == b"trak" else None
        if handler is None or handler[8:12] != b"vide":
            continue
        media, whole = _find(track, b"mdia", b"mdhd"), _find(movie, b"mvhd")
        edits = _find(track, b"edts", b"elst")
        if media is None or whole is None or edits is None:
            break
        scale, length = _scale_and_length(media)
        scale_of_edits, _ = _scale_and_length(whole)
        if scale > 0 and scale_of_edits > 0:
            return length / scale, _edited(edits) / scale_of_edits
        break
    return 0.0, 0.0


def _scale_and_length(header: bytes) -> tuple[int, int]:
    # Version and flags are followed by the times of creation and change. These and the length have
    # 64 bits each in version 1, and 32 bits otherwise.
    form, at = (">IQ", 20) if header[:1] == b"\1" else (">II", 12)
    scale, length = struct.unpack_from(form, header, at)
    return scale, length


def _edited(edits: bytes) -> int:
    (count,) = struct.unpack_from(">I", edits, 4)
    form = ">QqI" if edits[:1] == b"\1" else ">IiI"
    parts = struct.iter_unpack(form, edits[8 : 8 + count * struct.calcsize(form)])
    # An edit that starts at -1 shows nothing.
    return sum(length for length, start, _ in parts if start >= 0)
