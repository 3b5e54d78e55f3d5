"""A damaged video is told from one that has ended, and one that shows less than it stores from a damaged one."""

import struct

import cv2
import numpy as np
import pytest

from pictures import blank
from sentry_camera.declared_length import Promise, promise_of
from sentry_camera.errors import Trouble
from sentry_camera.file_sources import VideoSource
from sentry_camera.sources import open_source

COUNT = 40
KINDS = [".mp4", ".mov", ".avi", ".mkv"]


def made(path):
    """40 pictures, 25 a second, with enough in each that damage meets several."""
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
    """How many pictures, and the trouble at the end."""
    source = open_source([str(path)], None)
    count = 0
    try:
        for _ in source.frames():
            count += 1
    except Trouble as trouble:
        return count, trouble
    finally:
        source.close()
    return count, None


def boxes(content, at=0, end=None):
    """Of an MP4: kind and where it begins, those within others too."""
    end = len(content) if end is None else end
    while at < end:
        length, kind = struct.unpack_from(">I4s", content, at)
        yield kind, at
        if kind in (b"moov", b"trak", b"mdia", b"edts", b"minf", b"stbl"):
            yield from boxes(content, at + 8, at + length)
        at += length


@pytest.mark.parametrize("kind", [*KINDS, ".ts", ".mpg", ".wmv"])
def test_a_whole_one(tmp_path, kind):
    path = tmp_path / f"whole{kind}"
    assert looked_at(made(path)) == (COUNT, None)


@pytest.mark.parametrize("kind", [".mp4", ".mov", ".avi"])
def test_a_damaged_middle(tmp_path, kind):
    path = made(tmp_path / f"damaged{kind}")
    content = path.read_bytes()
    length = len(content) // 5
    middle = len(content) // 2
    path.write_bytes(content[:middle] + bytes(length) + content[middle + length :])
    count, trouble = looked_at(path)
    assert 0 < count < COUNT
    assert str(trouble) == f"{path} is damaged or cut off: {count} of its {COUNT} pictures could be read."
    assert trouble.status == 65


def cut_off(path):
    made(path)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    return looked_at(path)


def test_one_cut_off(tmp_path):
    count, trouble = cut_off(tmp_path / "cut.avi")
    assert 0 < count < COUNT
    assert f"{count} of its {COUNT} pictures" in str(trouble)


def test_one_that_may_be_cut_off_or_have_longer_sound(tmp_path, capsys):
    count, trouble = cut_off(tmp_path / "cut.mkv")
    assert 0 < count < COUNT
    assert trouble is None
    assert f"cut.mkv may be cut off: {count} of about {COUNT} pictures could be read.\n" in capsys.readouterr().err


def test_a_trimmed_one_is_whole(tmp_path):
    path = made(tmp_path / "trimmed.mp4")
    content = bytearray(path.read_bytes())
    # Version and flags, one edit: its length in thousandths, and where it begins, in the track's units.
    edits = dict(boxes(content))[b"elst"] + 16
    ticks = struct.unpack_from(">I", content, dict(boxes(content))[b"mdhd"] + 20)[0]
    struct.pack_into(">Ii", content, edits, 20 * 40, 10 * ticks // 25)
    path.write_bytes(content)
    assert looked_at(path) == (20, None)
    # And cut off, with what tells of it at the beginning, it is not.
    assert promise_of(path, COUNT, 25.0) == Promise(20, pytest.approx(0.8), estimated=True)


def test_fragments_promise_nothing(tmp_path):
    path = made(tmp_path / "whole.mp4")
    assert promise_of(path, COUNT, 25.0) == Promise(COUNT)
    path.write_bytes(path.read_bytes() + struct.pack(">I4s", 8, b"moof"))
    assert promise_of(path, COUNT, 25.0) is None


@pytest.mark.parametrize("count", [0.0, -1.9e14, float("nan"), float("inf")])
@pytest.mark.parametrize("kind", KINDS)
def test_no_count_promises_nothing(tmp_path, kind, count):
    assert promise_of(made(tmp_path / f"a{kind}"), count, 25.0) is None


HEADS = {
    "nothing": b"",
    "short": b"\0\0\0\x08ftyp\0\0",
    "endless": struct.pack(">I4s", 8, b"ftyp") + struct.pack(">I4sQ", 1, b"mdat", 2),
    "too short a box": struct.pack(">I4s", 3, b"ftyp") + bytes(20),
    "an empty movie": struct.pack(">I4s", 8, b"ftyp") + struct.pack(">I4s", 0, b"moov"),
    "a track of zeros": struct.pack(">I4sI4s", 40, b"moov", 32, b"trak") + bytes(24),
    "half a handler": struct.pack(">I4sI4sI4sI4s", 36, b"moov", 28, b"trak", 20, b"mdia", 12, b"hdlr") + bytes(4),
}


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS.keys())
def test_nonsense_is_survived(tmp_path, head):
    path = tmp_path / "nonsense.mp4"
    path.write_bytes(head)
    assert promise_of(path, 5.0, 25.0) in (None, Promise(5))


KEPT = {
    "all": (Promise(50), 50, 0.0, True),
    "one less": (Promise(50), 49, 2.0, False),
    "more": (Promise(50), 51, 2.0, True),
    "to the end, some dropped": (Promise(50, 2.0), 45, 2.0, True),
    "the last one missing": (Promise(50, 2.0), 49, 1.96, False),
    "sound goes on": (Promise(50, 2.0, estimated=True), 40, 1.6, True),
    "too long": (Promise(50, 2.0, estimated=True), 30, 1.2, False),
    # Of an uneven rate the number is no measure.
    "uneven": (Promise(500, 20.0, estimated=True), 120, 19.9, True),
}


@pytest.mark.parametrize(("promise", "count", "end", "kept"), KEPT.values(), ids=KEPT.keys())
def test_promises(promise, count, end, kept):
    assert promise.is_kept(count, end) is kept


class Capture:
    """Pictures by number, at 25 a second; those in `broken` can't be read."""

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


def test_none_is_dropped_and_the_time_is_by_the_rate():
    assert [frame.time for frame in VideoSource(Capture(5), 10).frames()] == [0, 0.1, 0.2, 0.3, 0.4]


def test_pictures_after_the_end_are_damage_whatever_is_promised():
    frames = VideoSource(Capture(30, broken=range(3, 20)), 25, "a.ts").frames()
    assert [next(frames).time for _ in range(3)] == [0, 0.04, 0.08]
    with pytest.raises(Trouble, match="^a.ts is damaged: only its first 3 pictures could be read.$") as trouble:
        next(frames)
    assert trouble.value.status == 65
