"""A damaged video is distinguished from a complete one, and from one that shows only a part."""

import struct

import cv2
import numpy as np
import pytest

from pictures import blank
from sentry_camera.declared_length import DeclaredLength, declared_length
from sentry_camera.errors import ExitError
from sentry_camera.file_sources import VideoSource
from sentry_camera.sources import open_source

COUNT = 40
KINDS = [".mp4", ".mov", ".avi", ".mkv"]


def made(path):
    """40 pictures at 25 per second, with so much in each that damage affects several of them."""
    codec = "MJPG" if path.suffix == ".avi" else "mp4v"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*codec), 25, (320, 240))
    noise = np.random.default_rng(1).integers(0, 255, (60, 80, 3), np.uint8)
    for number in range(COUNT):
        picture = blank(320, 240)
        picture[60:120, 4 * number : 4 * number + 80] = noise
        writer.write(picture)
    writer.release()
    return path


def looked_at(path):
    """The number of pictures, and the error at the end."""
    source = open_source([str(path)], None)
    count = 0
    try:
        for _ in source.frames():
            count += 1
    except ExitError as error:
        return count, error
    finally:
        source.close()
    return count, None


def boxes(content, at=0, end=None):
    """The kind and start of each box in an MP4, including nested ones."""
    end = len(content) if end is None else end
    while at < end:
        length, kind = struct.unpack_from(">I4s", content, at)
        yield kind, at
        if kind in (b"moov", b"trak", b"mdia", b"edts", b"minf", b"stbl"):
            yield from boxes(content, at + 8, at + length)
        at += length


@pytest.mark.parametrize("kind", [*KINDS, ".ts", ".mpg", ".wmv"])
def test_a_complete_video_is_read_to_its_end(tmp_path, kind):
    path = tmp_path / f"whole{kind}"
    assert looked_at(made(path)) == (COUNT, None)


@pytest.mark.parametrize("kind", [".mp4", ".mov", ".avi"])
def test_a_video_with_a_damaged_middle_is_an_error(tmp_path, kind):
    path = made(tmp_path / f"damaged{kind}")
    content = path.read_bytes()
    length = len(content) // 5
    middle = len(content) // 2
    path.write_bytes(content[:middle] + bytes(length) + content[middle + length :])
    count, error = looked_at(path)
    assert 0 < count < COUNT
    reason = f"{count} of its {COUNT} pictures could be read."
    assert str(error) == f"{path} is damaged or cut off: {reason}"
    assert error.status == 65


def cut_off(path):
    made(path)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    return looked_at(path)


def test_a_video_that_was_cut_off_is_an_error(tmp_path):
    count, error = cut_off(tmp_path / "cut.avi")
    assert 0 < count < COUNT
    assert f"{count} of its {COUNT} pictures" in str(error)


def test_a_video_that_may_be_cut_off_or_have_longer_sound_is_reported(tmp_path, capsys):
    count, error = cut_off(tmp_path / "cut.mkv")
    assert 0 < count < COUNT
    assert error is None
    expected = f"cut.mkv may be cut off: {count} of about {COUNT} pictures could be read.\n"
    assert expected in capsys.readouterr().err


def test_a_trimmed_video_is_complete(tmp_path):
    path = made(tmp_path / "trimmed.mp4")
    content = bytearray(path.read_bytes())
    # Version and flags, then one edit: its length in thousandths of a second, and its start in the
    # track's units.
    edits = dict(boxes(content))[b"elst"] + 16
    ticks = struct.unpack_from(">I", content, dict(boxes(content))[b"mdhd"] + 20)[0]
    struct.pack_into(">Ii", content, edits, 20 * 40, 10 * ticks // 25)
    path.write_bytes(content)
    assert looked_at(path) == (20, None)
    # Its declared length is that of the part it shows.
    expected = DeclaredLength(20, pytest.approx(0.8), estimated=True)
    assert declared_length(path, COUNT, 25.0) == expected


def test_a_file_in_fragments_declares_no_length(tmp_path):
    path = made(tmp_path / "whole.mp4")
    assert declared_length(path, COUNT, 25.0) == DeclaredLength(COUNT)
    path.write_bytes(path.read_bytes() + struct.pack(">I4s", 8, b"moof"))
    assert declared_length(path, COUNT, 25.0) is None


@pytest.mark.parametrize("count", [0.0, -1.9e14, float("nan"), float("inf")])
@pytest.mark.parametrize("kind", KINDS)
def test_without_a_count_no_length_is_declared(tmp_path, kind, count):
    assert declared_length(made(tmp_path / f"a{kind}"), count, 25.0) is None


HEADS = {
    "nothing": b"",
    "short": b"\0\0\0\x08ftyp\0\0",
    "endless": struct.pack(">I4s", 8, b"ftyp") + struct.pack(">I4sQ", 1, b"mdat", 2),
    "too short a box": struct.pack(">I4s", 3, b"ftyp") + bytes(20),
    "an empty movie": struct.pack(">I4s", 8, b"ftyp") + struct.pack(">I4s", 0, b"moov"),
    "a track of zeros": struct.pack(">I4sI4s", 40, b"moov", 32, b"trak") + bytes(24),
    "half a handler": struct.pack(
        ">I4sI4sI4sI4s", 36, b"moov", 28, b"trak", 20, b"mdia", 12, b"hdlr"
    )
    + bytes(4),
}


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS.keys())
def test_an_invalid_file_does_no_harm(tmp_path, head):
    path = tmp_path / "nonsense.mp4"
    path.write_bytes(head)
    assert declared_length(path, 5.0, 25.0) in (None, DeclaredLength(5))


REACHED = {
    "all": (DeclaredLength(50), 50, 0.0, True),
    "one less": (DeclaredLength(50), 49, 2.0, False),
    "more": (DeclaredLength(50), 51, 2.0, True),
    "to the end, some dropped": (DeclaredLength(50, 2.0), 45, 2.0, True),
    "the last one missing": (DeclaredLength(50, 2.0), 49, 1.96, False),
    "sound goes on": (DeclaredLength(50, 2.0, estimated=True), 40, 1.6, True),
    "too long": (DeclaredLength(50, 2.0, estimated=True), 30, 1.2, False),
    # With an uneven rate, the number of pictures is meaningless.
    "uneven": (DeclaredLength(500, 20.0, estimated=True), 120, 19.9, True),
}


@pytest.mark.parametrize(
    ("declared", "count", "end", "is_reached"), REACHED.values(), ids=REACHED.keys()
)
def test_a_declared_length_is_reached_or_not(declared, count, end, is_reached):
    assert declared.is_reached(count, end) is is_reached


class Capture:
    """Numbered pictures at 25 per second; those in `broken` cannot be read."""

    def __init__(self, count, broken=()):
        self.count = count
        self.broken = broken
        self.number = -1

    def read(self):
        self.number += 1
        if self.number >= self.count or self.number in self.broken:
            return False, None
        return True, blank(2, 2)

    def get(self, property):
        return {cv2.CAP_PROP_POS_MSEC: 40.0 * self.number, cv2.CAP_PROP_FPS: 25.0}[property]

    def release(self):
        pass


def test_no_picture_is_dropped_and_the_rate_determines_the_times():
    assert [frame.time for frame in VideoSource(Capture(5), 10).frames()] == [0, 0.1, 0.2, 0.3, 0.4]


def test_pictures_after_an_unreadable_one_mean_damage():
    frames = VideoSource(Capture(30, broken=range(3, 20)), 25, "a.ts").frames()
    assert [next(frames).time for _ in range(3)] == [0, 0.04, 0.08]
    message = "^a.ts is damaged: only its first 3 pictures could be read.$"
    with pytest.raises(ExitError, match=message) as error:
        next(frames)
    assert error.value.status == 65
