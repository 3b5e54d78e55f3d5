"""What a video's container says of its length, to tell a damaged video from one that has ended.

OpenCV has a count for every video, but only some containers have one: elsewhere it is a length by a rate, and where no
length is said, of a stream or a recording that was cut off, it is 0 or below."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

# Seconds. A file is as long as its longest track, and sound often goes on for a moment after the last picture.
SLACK = 0.5
MATROSKA = b"\x1a\x45\xdf\xa3"
# What a file of the MP4 kind, MOV among them, can begin with.
BOXES = (b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip")


@dataclass(frozen=True)
class Promise:
    """How many pictures there are. Where `seconds` is given, the time when the last one ends is what tells."""

    pictures: int
    seconds: float | None = None
    # The number is a length by a rate, and the length not only the pictures'.
    estimated: bool = False

    def is_kept(self, count: int, end: float) -> bool:
        """By `count` pictures, the last of which ends at `end`, in seconds."""
        if self.seconds is None:
            return count >= self.pictures
        return end >= self.seconds - (SLACK if self.estimated else self.seconds / self.pictures / 2)


def promise_of(path: Path, count: float, rate: float | None) -> Promise | None:
    """`count` and `rate` (a second) are OpenCV's. None where the container promises nothing: MPEG's streams, a file in
    fragments and others have no count, and what OpenCV gives is an estimate."""
    if not (math.isfinite(count) and count >= 1 and rate is not None):
        return None
    pictures = int(count)
    try:
        with path.open("rb") as file:
            start = file.read(12)
            if start.startswith(b"RIFF") and start[8:] == b"AVI ":
                # By time: empty places, which some recorders leave for pictures that they dropped, are counted, too.
                return Promise(pictures, count / rate)
            if start.startswith(MATROSKA):
                return Promise(pictures, count / rate, estimated=True)
            return _of_boxes(file, pictures, rate) if start[4:8] in BOXES else None
    except (OSError, struct.error):
        return None


def _of_boxes(file: BinaryIO, pictures: int, rate: float) -> Promise | None:
    """The count is of what is stored. An edit list, as of a video that was trimmed on a phone, shows less of it."""
    movie = b""
    for kind, start, end in _boxes(file):
        if kind == b"moof":
            return None
        if kind == b"moov":
            file.seek(start)
            movie = file.read(end - start)
    stored, shown = _lengths(movie)
    if stored <= 0 or shown <= 0 or shown > stored - 0.5 / rate:
        return Promise(pictures)
    return Promise(max(1, round(pictures * shown / stored)), shown, estimated=True)


def _boxes(file: BinaryIO) -> Iterator[tuple[bytes, int, int]]:
    """Kind, and where its content begins and ends; as far as they make sense."""
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
    """The first box down this path."""
    for kind in kinds:
        found = next((inner for its_kind, inner in _inside(content) if its_kind == kind), None)
        if found is None:
            return None
        content = found
    return content


def _lengths(movie: bytes) -> tuple[float, float]:
    """Of the first track of pictures: seconds stored, seconds shown. 0 where it doesn't say."""
    for kind, track in _inside(movie):
        handler = _find(track, b"mdia", b"hdlr") if kind == b"trak" else None
        if handler is None or handler[8:12] != b"vide":
            continue
        media, whole, edits = _find(track, b"mdia", b"mdhd"), _find(movie, b"mvhd"), _find(track, b"edts", b"elst")
        if media is None or whole is None or edits is None:
            break
        scale, length = _scale_and_length(media)
        scale_of_edits, _ = _scale_and_length(whole)
        if scale > 0 and scale_of_edits > 0:
            return length / scale, _edited(edits) / scale_of_edits
        break
    return 0.0, 0.0


def _scale_and_length(header: bytes) -> tuple[int, int]:
    # After version and flags, when it was made and changed: 64 bits each in version 1, and so is the length.
    form, at = (">IQ", 20) if header[:1] == b"\1" else (">II", 12)
    scale, length = struct.unpack_from(form, header, at)
    return scale, length


def _edited(edits: bytes) -> int:
    (count,) = struct.unpack_from(">I", edits, 4)
    form = ">QqI" if edits[:1] == b"\1" else ">IiI"
    parts = struct.iter_unpack(form, edits[8 : 8 + count * struct.calcsize(form)])
    # From -1 on, nothing is shown.
    return sum(length for length, start, _ in parts if start >= 0)
