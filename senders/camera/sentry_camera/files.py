"""Pictures from files: none is dropped, and the time is the picture's number by the rate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

import cv2

from .frame import Frame
from .trouble import MALFORMED, Trouble
from .upright import Picture


class Capture(Protocol):
    """What is used of cv2.VideoCapture."""

    def read(self) -> tuple[bool, Picture | None]: ...

    def release(self) -> None: ...


class VideoSource:
    dropped = 0

    def __init__(self, capture: Capture, rate: float) -> None:
        self._capture = capture
        self.rate = rate

    def frames(self) -> Iterator[Frame]:
        number = 0
        while True:
            there, picture = self._capture.read()
            if not there or picture is None:
                return
            yield Frame(number / self.rate, picture)
            number += 1

    def close(self) -> None:
        self._capture.release()


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
