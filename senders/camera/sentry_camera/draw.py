"""Writes drawn pictures into a folder or a video."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import cv2

from .errors import IO_FAILED, USAGE, ExitError
from .upright import Picture

CODECS = {".mp4": "mp4v", ".mkv": "mp4v", ".mov": "mp4v", ".avi": "MJPG"}


class Drawing(Protocol):
    def add(self, picture: Picture) -> None: ...

    def close(self) -> None: ...


def is_folder(name: str) -> bool:
    """Whether `name` is a folder. A new name with a suffix is not: it was probably meant as a
    file."""
    path = Path(name)
    return path.is_dir() or name.endswith("/") or not path.suffix


def open_drawing(name: str, rate: float, option: str = "--draw") -> Drawing:
    """Opens a video if the name has the suffix of one, and otherwise a folder of pictures."""
    path = Path(name)
    if is_folder(name):
        return FolderDrawing(path)
    if path.suffix.lower() in CODECS:
        return VideoDrawing(path, rate)
    raise ExitError(
        f"{option} requires a folder or a video ({', '.join(CODECS)}), not {name}; "
        "if a new folder has a dot in its name, end the name with a /.",
        USAGE,
    )


def picture_name(number: int) -> str:
    """The name of a picture in the folder. Number 0 belongs to the first observation."""
    return f"{number:06}.jpg"


class FolderDrawing:
    """Writes 000000.jpg, 000001.jpg and so on."""

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ExitError(f"{folder} cannot be created: {error.strerror}.", IO_FAILED) from None
        self._folder = folder
        self._count = 0

    def add(self, picture: Picture) -> None:
        path = self._folder / picture_name(self._count)
        if not cv2.imwrite(str(path), picture):
            raise ExitError(f"{path} cannot be written.", IO_FAILED)
        self._count += 1

    def close(self) -> None:
        pass


class VideoDrawing:
    def __init__(self, path: Path, rate: float) -> None:
        self._path = path
        self._rate = rate
        self._writer: cv2.VideoWriter | None = None

    def add(self, picture: Picture) -> None:
        if self._writer is None:
            # The size is known only now.
            codec = cv2.VideoWriter.fourcc(*CODECS[self._path.suffix.lower()])
            size = picture.shape[1], picture.shape[0]
            self._writer = cv2.VideoWriter(str(self._path), codec, self._rate, size)
            if not self._writer.isOpened():
                raise ExitError(f"{self._path} cannot be written.", IO_FAILED)
        self._writer.write(picture)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.release()
