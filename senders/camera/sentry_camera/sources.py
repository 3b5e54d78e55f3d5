"""Opens the source named on the command line: a camera, a video file, or pictures."""

from __future__ import annotations

import math
import stat
from collections.abc import Sequence
from pathlib import Path

import cv2

from .declared_length import declared_length
from .errors import MALFORMED, NO_INPUT, UNAVAILABLE, USAGE, ExitError
from .file_sources import PictureSource, VideoSource
from .frame import RATE, Source
from .live import LiveSource


# The timeout for a camera on the network, in milliseconds. OpenCV's default of 30 seconds cannot be
# interrupted.
PATIENCE = 5000


def open_source(names: Sequence[str], rate: float | None) -> Source:
    """Opens the source of the pictures.

    A single number, device or address is a camera. A single file is a video, unless it is a
    picture. Several files are pictures.
    """
    if len(names) == 1 and (names[0].isascii() and names[0].isdigit()):
        return _camera(int(names[0]), f"camera {names[0]}", rate)
    if len(names) == 1 and "://" in names[0]:
        return _network_camera(names[0], rate)
    paths = [Path(name) for name in names]
    for name, path in zip(names, paths):
        if "://" in name:
            raise ExitError(
                f"{_public(name)} is an address; a camera must be the only source.", USAGE
            )
        if name == "-" or _is_stream(name, path):
            raise ExitError(f"{name} is a stream; a video must be a file.", USAGE)
    if len(paths) == 1:
        is_missing_device = names[0].startswith("/dev/") and not paths[0].exists()
        if _is_device(paths[0]) or is_missing_device:
            return _camera(names[0], names[0], rate)
    for path in paths:
        if not path.exists():
            raise ExitError(f"{path} does not exist.", NO_INPUT)
        if _is_device(path):
            raise ExitError(f"{path} is a device; a camera must be the only source.", USAGE)
        if path.is_dir():
            raise ExitError(f"{path} is a folder; name the pictures in it.", USAGE)
    if len(paths) > 1 or cv2.haveImageReader(str(paths[0])):
        return PictureSource(paths, rate or RATE)
    return _video(paths[0], rate)


def _is_device(path: Path) -> bool:
    try:
        return stat.S_ISCHR(path.stat().st_mode)
    except OSError:
        return False


def _is_stream(name: str, path: Path) -> bool:
    """Whether it is a pipe, a socket, or a standard input that is not a file.

    OpenCV must be able to seek in a video.
    """
    if name in ("/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"):
        return not path.is_file()
    return path.is_fifo() or path.is_socket()


def _public(address: str) -> str:
    """The address without user, password and query, because a query can also contain a password."""
    scheme, _, rest = address.partition("://")
    return f"{scheme}://{rest.partition('?')[0].rpartition('@')[2]}"


def _network_camera(address: str, rate: float | None) -> Source:
    name = _public(address)
    if address.partition("://")[0].lower() not in ("http", "https", "rtsp"):
        raise ExitError(
            f"{name} is not the address of a camera; it must begin with http, https or rtsp.", USAGE
        )
    limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, PATIENCE, cv2.CAP_PROP_READ_TIMEOUT_MSEC, PATIENCE]
    capture = cv2.VideoCapture(address, cv2.CAP_FFMPEG, limits)
    if not capture.isOpened():
        raise ExitError(f"There is no camera at {name}, or it delivers no video.", UNAVAILABLE)
    return LiveSource(capture, rate or _rate_of(capture) or RATE)


def _camera(which: int | str, name: str, rate: float | None) -> Source:
    capture = cv2.VideoCapture(which)
    if not capture.isOpened():
        raise ExitError(f"There is no {name}, or another program is using it.", UNAVAILABLE)
    if rate is not None:
        capture.set(cv2.CAP_PROP_FPS, rate)
    # A long queue in the driver would delay the pictures. Not every driver lets it be shortened.
    capture.set(cv2.CAP_PROP_BUFFERSIZE, 1)
    return LiveSource(capture, _rate_of(capture) or rate or RATE)


def _video(path: Path, rate: float | None) -> Source:
    capture = cv2.VideoCapture(str(path))
    if not capture.isOpened():
        raise ExitError(f"{path} is not a video or picture that OpenCV can read.", MALFORMED)
    declared = declared_length(path, capture.get(cv2.CAP_PROP_FRAME_COUNT), _rate_of(capture))
    rate = rate or _rate_of(capture)
    if rate is None:
        capture.release()
        raise ExitError(
            f"{path} does not state its pictures per second; give them with --rate.", MALFORMED
        )
    return VideoSource(capture, rate, str(path), declared)


def _rate_of(capture: cv2.VideoCapture) -> float | None:
    rate = capture.get(cv2.CAP_PROP_FPS)
    return rate if math.isfinite(rate) and rate > 0 else None
