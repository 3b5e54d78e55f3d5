"""What the command line names, opened: a camera, a video file, or pictures."""

from __future__ import annotations

import math
import stat
from collections.abc import Sequence
from pathlib import Path

import cv2

from .declared_length import promise_of
from .errors import MALFORMED, NO_INPUT, UNAVAILABLE, USAGE, Trouble
from .file_sources import PictureSource, VideoSource
from .frame import RATE, Source
from .live import LiveSource


# Of a camera on the network: OpenCV's own 30 seconds can't be broken off. Milliseconds.
PATIENCE = 5000


def open_source(names: Sequence[str], rate: float | None) -> Source:
    """One number, device or address is a camera; one file a video, unless it is a picture; several are pictures."""
    if len(names) == 1 and (names[0].isascii() and names[0].isdigit()):
        return _camera(int(names[0]), f"camera {names[0]}", rate)
    if len(names) == 1 and "://" in names[0]:
        return _network_camera(names[0], rate)
    paths = [Path(name) for name in names]
    for name, path in zip(names, paths):
        if "://" in name:
            raise Trouble(f"{_public(name)} is an address; a camera stands alone.", USAGE)
        if name == "-" or _is_stream(name, path):
            raise Trouble(f"{name} is a stream; a video is read from a file, or from a camera.", USAGE)
    if len(paths) == 1 and (_is_device(paths[0]) or (names[0].startswith("/dev/") and not paths[0].exists())):
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


def _is_stream(name: str, path: Path) -> bool:
    """A pipe, a socket, or whatever standard input is unless it is a file: OpenCV must be able to go back in a file."""
    if name in ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"):
        return not path.is_file()
    return path.is_fifo() or path.is_socket()


def _public(address: str) -> str:
    """Without user, password and query, in which many cameras want them."""
    scheme, _, rest = address.partition("://")
    return f"{scheme}://{rest.partition('?')[0].rpartition('@')[2]}"


def _network_camera(address: str, rate: float | None) -> Source:
    name = _public(address)
    if address.partition("://")[0].lower() not in ("http", "https", "rtsp"):
        raise Trouble(f"{name} is not the address of a camera: http, https or rtsp.", USAGE)
    limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, PATIENCE, cv2.CAP_PROP_READ_TIMEOUT_MSEC, PATIENCE]
    capture = cv2.VideoCapture(address, cv2.CAP_FFMPEG, limits)
    if not capture.isOpened():
        raise Trouble(f"There is no camera at {name}, or it gives no video.", UNAVAILABLE)
    return LiveSource(capture, rate or _rate_of(capture) or RATE)


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
    promise = promise_of(path, capture.get(cv2.CAP_PROP_FRAME_COUNT), _rate_of(capture))
    rate = rate or _rate_of(capture)
    if rate is None:
        capture.release()
        raise Trouble(f"{path} doesn't say how many pictures it has a second; say it with --rate.", MALFORMED)
    return VideoSource(capture, rate, str(path), promise)


def _rate_of(capture: cv2.VideoCapture) -> float | None:
    rate = capture.get(cv2.CAP_PROP_FPS)
    return rate if math.isfinite(rate) and rate > 0 else None
