"""What the command line names, opened: a camera, a video file, or pictures."""

from __future__ import annotations

import math
import stat
from collections.abc import Sequence
from pathlib import Path

import cv2

from .files import PictureSource, VideoSource
from .frame import RATE, Source
from .live import LiveSource
from .trouble import MALFORMED, NO_INPUT, UNAVAILABLE, USAGE, Trouble


def open_source(names: Sequence[str], rate: float | None) -> Source:
    """One number or device is a camera; one file a video, unless it is a picture; several are pictures."""
    if len(names) == 1 and (names[0].isascii() and names[0].isdigit()):
        return _camera(int(names[0]), f"camera {names[0]}", rate)
    paths = [Path(name) for name in names]
    if len(paths) == 1 and (_is_device(paths[0]) or names[0].startswith("/dev/")):
        return _camera(names[0], names[0], rate)
    for path in paths:
        if not path.exists():
            raise Trouble(f"There is no {path}.", NO_INPUT)
        if _is_device(path):
            raise Trouble(f"{path} is a device; a camera stands alone.", USAGE)
        if path.is_dir():
            raise Trouble(f"{path} is a folder; name the pictures in it.", USAGE)
    if len(paths) > 1 or cv2.haveImageReader(str(paths[0])):
        return PictureSource(paths, rate or RATE)
    return _video(paths[0], rate)


def _is_device(path: Path) -> bool:
    try:
        return stat.S_ISCHR(path.stat().st_mode)
    except OSError:
        return False


def _camera(which: int | str, name: str, rate: float | None) -> Source:
    capture = cv2.VideoCapture(which)
    if not capture.isOpened():
        raise Trouble(f"There is no {name}, or something else uses it.", UNAVAILABLE)
    if rate is not None:
        capture.set(cv2.CAP_PROP_FPS, rate)
    # A driver's own queue makes pictures late before they are here; not every one lets it be shortened.
    capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
    return LiveSource(capture, _rate_of(capture) or rate or RATE)


def _video(path: Path, rate: float | None) -> Source:
    capture = cv2.VideoCapture(str(path))
    if not capture.isOpened():
        raise Trouble(f"{path} is not a video or picture that OpenCV reads.", MALFORMED)
    rate = rate or _rate_of(capture)
    if rate is None:
        capture.release()
        raise Trouble(f"{path} doesn't say how many pictures it has a second; say it with --rate.", MALFORMED)
    return VideoSource(capture, rate)


def _rate_of(capture: cv2.VideoCapture) -> float | None:
    rate = capture.get(cv2.CAP_PROP_FPS)
    return rate if math.isfinite(rate) and rate > 0 else None
