"""Pictures from files. None is dropped; a picture's time is its number divided by the rate."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

import cv2

from .declared_length import DeclaredLength
from .errors import MALFORMED, ExitError
from .frame import Frame
from .upright import Picture


# How many more pictures to try after one that cannot be read. After the end, none can be read.
BEYOND = 100


class Capture(Protocol):
    """The part of cv2.VideoCapture that is used."""

    def read(self) -> tuple[bool, Picture | None]: ...

    def release(self) -> None: ...


class Video(Capture, Protocol):
    """The part that is also used if it reads a file."""

    def get(self, property: int) -> float: ...


class VideoSource:
    """A video file.

    `rate` determines the times. The file's own rate is part of its declared length.
    """

    dropped = 0

    def __init__(
        self,
        capture: Video,
        rate: float,
        name: str = "The video",
        declared: DeclaredLength | None = None,
    ) -> None:
        self._capture = capture
        self._name = name
        self._declared = declared
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
        """Decides whether the video has ended or is damaged.

        `position` is that of the last picture, in seconds.
        """
        declared = self._declared
        if declared is not None and not declared.is_reached(count, position + self._length()):
            if not declared.estimated:
                raise ExitError(
                    f"{self._name} is damaged or cut off: "
                    f"{count} of its {declared.pictures} pictures could be read.",
                    MALFORMED,
                )
            # It might be complete, with sound that lasts longer.
            about = f"{count} of about {declared.pictures} pictures could be read"
            print(f"sentry-camera: {self._name} may be cut off: {about}.", file=sys.stderr)
        # Later pictures are not used: it is unknown how many are missing, so their times are
        # unknown.
        if any(self._read() is not None for _ in range(BEYOND)):
            raise ExitError(
                f"{self._name} is damaged: only its first {count} pictures could be read.",
                MALFORMED,
            )

    def _length(self) -> float:
        """The duration of a picture, in seconds."""
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
                raise ExitError(f"{path} is not a picture that OpenCV can read.", MALFORMED)
            yield Frame(number / self.rate, picture)

    def close(self) -> None:
        pass
