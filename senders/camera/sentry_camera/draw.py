"""Pictures for people: what was found, drawn where it was found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np

from .errors import IO_FAILED, USAGE, Trouble
from .observations import Found, Point
from .upright import Picture

# Blue, green, red. The biggest would be aimed at, if nothing else decides.
TARGET = (0, 0, 255)
OTHER = (0, 255, 255)
CODECS = {".mp4": "mp4v", ".mkv": "mp4v", ".mov": "mp4v", ".avi": "MJPG"}


class Drawing(Protocol):
    def add(self, picture: Picture, found: Sequence[Found]) -> None: ...

    def close(self) -> None: ...


def is_folder(name: str) -> bool:
    """An ending, as of file names, is none of a new folder's: a video or picture was meant more likely."""
    path = Path(name)
    return path.is_dir() or name.endswith("/") or not path.suffix


def open_drawing(name: str, rate: float) -> Drawing:
    """A video where the name ends as a video's, else a folder of pictures."""
    path = Path(name)
    if is_folder(name):
        return FolderDrawing(path)
    if path.suffix.lower() in CODECS:
        return VideoDrawing(path, rate)
    raise Trouble(
        f"--draw wants a folder or a video ({', '.join(CODECS)}), not {name}; "
        "a new folder whose name has a dot is given with a / at its end.",
        USAGE,
    )


def picture_name(number: int) -> str:
    """In a folder; 0 is the first observation's."""
    return f"{number:06}.jpg"


def drawn(picture: Picture, found: Sequence[Found]) -> Picture:
    """A copy with what was found, the biggest first in `found`."""
    copy = picture.copy()
    height, width = picture.shape[:2]
    thickness = max(1, round(min(width, height) / 200))

    def pixel(point: Point) -> tuple[int, int]:
        return min(round(point[0] * width), width - 1), min(round((1 - point[1]) * height), height - 1)

    # The target last, so that nothing covers it.
    for number, one in reversed(list(enumerate(found))):
        colour = TARGET if number == 0 else OTHER
        box = one.box
        if one.corners:
            outline = np.array([pixel(corner) for corner in one.corners], dtype=np.int32)
            cv2.polylines(copy, [outline], True, colour, thickness, cv2.LINE_AA)
        else:
            upper_left, lower_right = (box.x, box.y + box.height), (box.x + box.width, box.y)
            cv2.rectangle(copy, pixel(upper_left), pixel(lower_right), colour, thickness)
        for points in one.landmarks.values():
            for x, y in points:
                at = pixel((box.x + x * box.width, box.y + y * box.height))
                cv2.circle(copy, at, 2 * thickness, colour, -1, cv2.LINE_AA)
    return copy


class FolderDrawing:
    """000000.jpg and on."""

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Trouble(f"{folder} can't be made: {error.strerror}.", IO_FAILED) from None
        self._folder = folder
        self._count = 0

    def add(self, picture: Picture, found: Sequence[Found]) -> None:
        path = self._folder / picture_name(self._count)
        if not cv2.imwrite(str(path), drawn(picture, found)):
            raise Trouble(f"{path} can't be written.", IO_FAILED)
        self._count += 1

    def close(self) -> None:
        pass


class VideoDrawing:
    def __init__(self, path: Path, rate: float) -> None:
        self._path = path
        self._rate = rate
        self._writer: cv2.VideoWriter | None = None

    def add(self, picture: Picture, found: Sequence[Found]) -> None:
        if self._writer is None:
            # Only now is the size known.
            codec = cv2.VideoWriter.fourcc(*CODECS[self._path.suffix.lower()])
            size = picture.shape[1], picture.shape[0]
            self._writer = cv2.VideoWriter(str(self._path), codec, self._rate, size)
            if not self._writer.isOpened():
                raise Trouble(f"{self._path} can't be written.", IO_FAILED)
        self._writer.write(drawn(picture, found))

    def close(self) -> None:
        if self._writer is not None:
            self._writer.release()
