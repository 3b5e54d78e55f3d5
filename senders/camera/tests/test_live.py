"""A camera's late pictures are dropped; the newest is kept."""

from threading import Semaphore, Thread

import numpy as np
import pytest

from sentry_camera.errors import ExitError
from sentry_camera.live import FAILURES, LiveSource
from sentry_camera.newest import Newest


def test_only_the_newest_thing_is_kept():
    newest = Newest()
    for number in range(5):
        newest.put(number)
    assert newest.take() == 4 and newest.dropped == 4
    newest.put(5)
    assert newest.take() == 5 and newest.dropped == 4


def test_a_thing_that_is_present_at_the_end_can_still_be_taken():
    newest = Newest()
    newest.put(1)
    newest.end()
    assert newest.take() == 1
    assert newest.take() is None
    assert newest.take() is None


def test_taking_waits_for_a_thing():
    newest = Newest()
    thread = Thread(target=newest.put, args=(1,))
    thread.start()
    assert newest.take() == 1
    thread.join()


class Capture:
    """Delivers picture number n at n + 100 seconds, once it is allowed to. Then fails."""

    def __init__(self, count, broken=()):
        self.count = count
        self.broken = broken
        self.number = -1
        self.allowed = Semaphore(0)
        self.asked = Semaphore(0)
        self.released = False

    def read(self):
        self.asked.release()
        assert self.allowed.acquire(timeout=10)
        self.number += 1
        if self.number >= self.count or self.number in self.broken:
            return False, None
        return True, np.full((2, 2, 3), self.number, np.uint8)

    def release(self):
        self.released = True

    def clock(self):
        return 100.0 + self.number

    def let(self, count):
        """Allows `count` more pictures, and waits until they have been read."""
        for _ in range(count):
            self.allowed.release()
        for _ in range(count):
            assert self.asked.acquire(timeout=10)


def test_late_pictures_are_dropped():
    capture = Capture(count=10)
    source = LiveSource(capture, 30, capture.clock)
    frames = source.frames()
    capture.allowed.release()
    first = next(frames)
    assert capture.asked.acquire(timeout=10) and capture.asked.acquire(timeout=10)
    # Five pictures arrive while the first is being processed.
    capture.let(5)
    second = next(frames)
    assert (first.time, second.time) == (0, 5)
    assert second.picture[0, 0, 0] == 5
    assert source.dropped == 4
    capture.let(1)
    assert next(frames).time == 6
    assert source.dropped == 4
    capture.allowed.release(3 + FAILURES)
    rest = []
    with pytest.raises(ExitError, match="no more pictures") as error:
        rest.extend(frame.time for frame in frames)
    assert error.value.status == 69
    source.close()
    assert capture.released


def test_a_damaged_picture_does_not_end_the_source():
    capture = Capture(count=3, broken=(1,))
    source = LiveSource(capture, 30, capture.clock)
    frames = source.frames()
    capture.allowed.release()
    assert next(frames).time == 0
    capture.allowed.release(2)
    assert next(frames).time == 2
    capture.allowed.release(FAILURES)
    source.close()


def test_a_camera_that_delivers_nothing_is_an_error():
    capture = Capture(count=0)
    capture.allowed.release(FAILURES)
    with pytest.raises(ExitError, match="no more pictures"):
        next(LiveSource(capture, 30, capture.clock).frames())
