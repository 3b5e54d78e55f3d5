"""Pictures from files: none is dropped, and the time is the picture's number by the rate."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

import cv2

from .declared_length import Promise
from .errors import MALFORMED, Trouble
from .frame import Frame
from .upright import Picture


# So many pictures are tried after one that can't be read: at the end, none comes any more.
BEYOND = 100


class Capture(Protocol):
    """What is used of cv2.VideoCapture."""

    def read(self) -> tuple[bool, Picture | None]: ...

    def release(self) -> None: ...


class Video(Capture, Protocol):
    """And of one that reads a file."""

    def get(self, property: int) -> float: ...


class VideoSource:
    """`rate` is for the times; what the file says of its own rate is the promise's matter."""

    dropped = 0

    def __init__(self, capture: Video, rate: float, name: str = "The video", promise: Promise | None = None) -> None:
        self._capture = capture
        self._name = name
        self._promise = promise
        self.rate = rate

    def frames(self) -> Iterator[Frame]:
        number = 0
        position = 0.0
        while (picture := self._read()) is not None:
            position = self._capture.get(cv2.CAP_PROP_POS_MSEC) / 1000
            yield Frame(number / self.rate, picture)
            number += 1
        self._judge(number, position)

    def close(self) -> None:
        self._capture.release()

    def _read(self) -> Picture | None:
        there, picture = self._capture.read()
        return picture if there else None

    def _judge(self, count: int, position: float) -> None:
        """That no more can be read is the end, or damage. `position` is the last picture's, in seconds."""
        promise = self._promise
        if promise is not None and not promise.is_kept(count, position + self._length()):
            if not promise.estimated:
                raise Trouble(
                    f"{self._name} is damaged or cut off: {count} of its {promise.pictures} pictures could be read.",
                    MALFORMED,
                )
            # It may only have sound that goes on.
            about = f"{count} of about {promise.pictures} pictures could be read"
            print(f"sentry-camera: {self._name} may be cut off: {about}.", file=sys.stderr)
        # What follows is not looked at: how many are missing between, and so its time, is not known.
        if any(self._read() is not None for _ in range(BEYOND)):
            raise Trouble(f"{self._name} is damaged: only its first {count} pictures could be read.", MALFORMED)

    def _length(self) -> float:
        """Of a picture, seconds."""
        rate = self._capture.get(cv2.CAP_PROP_FPS)
        return 1 / rate if rate > 0 else 0.0


class PictureSource:
    dropped = 0

    def __init__(self, paths: Sequence[Path], rate: float) -> None:
        self._paths = paths
        self.rate = rate

    def frames(self) -> Iterator[Frame]:
        for number, path in enumerate(self._paths):
            picture = cv2.imread(str(path), cv2.IMREAD_COLOR)
            if picture is None:
                raise Trouble(f"{path} is not a picture that OpenCV reads.", MALFORMED)
            yield Frame(number / self.rate, picture)

    def close(self) -> None:
        pass
