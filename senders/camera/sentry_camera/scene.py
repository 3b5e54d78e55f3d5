"""Draws a scene for another program: angles and boxes are read, finished JPEG pictures written.

The program that knows the scene is the bench: `sentrybench run --rig`. Standard input begins with a
line of JSON about the camera:

    {"format": "sentry-scene", "version": 1, "width": 640, "height": 480, "fov": 60, "face": null,
     "background": null, "seed": 1, "quality": 80, "grows": "right"}

width, height  the picture's size in pixels, 16 to 2048
fov            the horizontal field of view in degrees, 1 to 170
face           the path of a picture in place of the drawn face, which can be transparent; null or
               absent for none. A face that is found in it covers the box; if there is none, the
               whole picture does, with a warning
background     the path of a picture in place of the drawn room; it is repeated all around
seed           chooses the drawn room; default: 1
quality        that of the JPEG pictures, 1 to 100; default: 80
grows          in which direction of the picture the angles grow: right, or left for a mirrored
               camera; default: right

A line for each picture follows:

    {"frame": 1, "time": 0.033, "pan": 92.5, "faces": [[0.42, 0.3, 0.15, 0.27]]}

`pan` is where the camera looks, in degrees, and `tilt`, if it is there, how far down: 90 is level,
as without it, and more is further down. The boxes in `faces` are shares of the picture, x, y,
width and height, with the origin at the upper left; they can extend beyond the picture. A face is
drawn with the middle and the height of its box, and bigger ones are in front. `time` is in seconds,
for people only.

For each line, a picture is written to standard output: the four bytes SJP1, the frame's number and
the length of the picture in bytes, each as four bytes with the most significant first, and a whole
JPEG file. The next line is read afterwards. A wrong line ends the program with status 65 and a
message that names the line.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import cv2

from .arguments import parse_scene
from .draw import open_drawing
from .errors import IO_FAILED, MALFORMED, NO_INPUT, BrokenPipe, ExitError
from .loopback import LoopbackDevice
from .scenery import Scenery, drawn_face, face_of
from .upright import Picture

FORMAT, VERSION = "sentry-scene", 1
# A longer line is not one of this format.
LONGEST_LINE = 65_536
MOST_FACES = 128
MOST_SIDE = 2048
# Boxes can extend beyond the picture, but not to where numbers lose their meaning.
MOST_SHARE = 1000.0
# In front of each picture, big-endian: these four bytes, the frame's number and the length.
MAGIC = b"SJP1"
PREFIX = struct.Struct(">4sII")


@dataclass(frozen=True)
class SceneHeader:
    width: int
    height: int
    fov: float
    face: str | None = None
    background: str | None = None
    seed: int = 1
    quality: int = 80
    grows: str = "right"


@dataclass(frozen=True)
class SceneFrame:
    number: int
    time: float
    pan: float
    faces: tuple[tuple[float, ...], ...]
    tilt: float = 90


class SceneReader:
    """Reads the header and the frames. Errors name the line."""

    def __init__(self, name: str = "Standard input") -> None:
        self._name = name
        self._line = 0

    def header(self, line: bytes) -> SceneHeader:
        value = self._object(line)
        if value.get("format") != FORMAT or value.get("version") != VERSION:
            raise self._error(
                f'expected a header with "format": "{FORMAT}" and "version": {VERSION}'
            )
        return SceneHeader(
            width=self._whole(value, "width", 16, MOST_SIDE),
            height=self._whole(value, "height", 16, MOST_SIDE),
            fov=self._number(value, "fov", 1, 170),
            face=self._path(value, "face"),
            background=self._path(value, "background"),
            seed=self._whole(value, "seed", 0, 2**32 - 1, 1),
            quality=self._whole(value, "quality", 1, 100, 80),
            grows=self._choice(value, "grows", ("right", "left")),
        )

    def frame(self, line: bytes) -> SceneFrame:
        value = self._object(line)
        faces = value.get("faces")
        if not isinstance(faces, list) or len(faces) > MOST_FACES:
            raise self._error(f'expected "faces", a list of at most {MOST_FACES} boxes')
        return SceneFrame(
            number=self._whole(value, "frame", 0, 2**32 - 1),
            time=self._number(value, "time", 0, 1e9, 0.0),
            pan=self._number(value, "pan", -1e6, 1e6),
            tilt=self._number(value, "tilt", 0, 180, 90),
            faces=tuple(self._box(box) for box in faces),
        )

    def _object(self, line: bytes) -> dict[str, Any]:
        self._line += 1
        if len(line) > LONGEST_LINE:
            raise self._error(f"expected a line of at most {LONGEST_LINE} bytes")
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if not isinstance(value, dict):
            raise self._error("expected an object of JSON in a line")
        return value

    def _box(self, box: object) -> tuple[float, ...]:
        if isinstance(box, list) and len(box) == 4 and all(map(_is_number, box)):
            if all(-MOST_SHARE <= part <= MOST_SHARE for part in box) and min(box[2:]) > 0:
                return tuple(float(part) for part in box)
        raise self._error("expected a face's box [x, y, width, height], as shares of the picture")

    def _number(
        self, value: dict[str, Any], key: str, low: float, high: float, usual: float | None = None
    ) -> float:
        number = value.get(key, usual)
        if not (_is_number(number) and low <= number <= high):
            raise self._error(f'expected "{key}", a number from {low:g} to {high:g}')
        return float(number)

    def _whole(
        self, value: dict[str, Any], key: str, low: int, high: int, usual: int | None = None
    ) -> int:
        number = value.get(key, usual)
        if not (isinstance(number, int) and _is_number(number) and low <= number <= high):
            raise self._error(f'expected "{key}", a whole number from {low} to {high}')
        return number

    def _path(self, value: dict[str, Any], key: str) -> str | None:
        path = value.get(key)
        if path is not None and not (isinstance(path, str) and path and "\0" not in path):
            raise self._error(f'expected "{key}", the path of a picture or null')
        return path

    def _choice(self, value: dict[str, Any], key: str, choices: tuple[str, ...]) -> str:
        choice = value.get(key, choices[0])
        if choice not in choices:
            raise self._error(f'expected "{key}", one of {", ".join(choices)}')
        return str(choice)

    def _error(self, what: str) -> ExitError:
        return ExitError(f"{self._name}:{self._line}: {what}.", MALFORMED)


def _is_number(value: object) -> bool:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    try:
        return is_number and math.isfinite(value)  # type: ignore[arg-type]
    except OverflowError:
        return False


def scenery_of(header: SceneHeader) -> Scenery:
    face = drawn_face()
    if header.face is not None:
        face, is_found = face_of(_picture(header.face, cv2.IMREAD_UNCHANGED))
        if not is_found:
            print(
                f"sentry-camera: warning: no face is found in {header.face}, "
                "so the whole picture fills a face's box.",
                file=sys.stderr,
            )
    background = header.background and _picture(header.background, cv2.IMREAD_COLOR)
    return Scenery(
        header.width,
        header.height,
        header.fov,
        face=face,
        background=None if header.background is None else background,
        seed=header.seed,
        grows_left=header.grows == "left",
    )


def _picture(path: str, flags: int) -> Picture:
    try:
        with open(path, "rb"):
            pass
    except OSError as error:
        raise ExitError(f"{path} cannot be read: {error.strerror}.", NO_INPUT) from None
    picture = cv2.imread(path, flags)
    if picture is None:
        raise ExitError(f"{path} is not a picture that OpenCV can read.", MALFORMED)
    if picture.dtype != "uint8":
        picture = cv2.convertScaleAbs(picture, alpha=1 / 257)
    if picture.ndim == 2:
        picture = cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR)
    return picture


def jpeg(picture: Picture, quality: int) -> bytes:
    is_done, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
    if not is_done:
        raise ExitError("OpenCV cannot encode a picture as JPEG.", IO_FAILED)
    return data.tobytes()


def serve_scene(source: BinaryIO, output: BinaryIO, device: LoopbackDevice | None) -> None:
    """Reads to the end of `source`, and writes a picture for each frame."""
    reader = SceneReader()
    line = source.readline(LONGEST_LINE + 1)
    if not line:
        raise ExitError("Standard input is empty; expected the header of a scene.", MALFORMED)
    header = reader.header(line)
    scenery = scenery_of(header)
    if device is not None:
        device.begin(header.width, header.height)
    while line := source.readline(LONGEST_LINE + 1):
        frame = reader.frame(line)
        picture = scenery.draw(frame.pan, frame.faces, frame.tilt)
        data = jpeg(picture, header.quality)
        output.write(PREFIX.pack(MAGIC, frame.number, len(data)) + data)
        output.flush()
        if device is not None:
            device.write(picture)


def demonstration(header: SceneHeader, seconds: float, rate: float) -> Iterator[SceneFrame]:
    """A face that walks past a camera that turns after it."""
    focal = header.width / 2 / math.tan(math.radians(header.fov) / 2)
    side = 0.3 * header.height
    for number in range(round(seconds * rate)):
        time = number / rate
        pan = 90 + 30 * math.sin(time * 0.8)
        angle = 90 + 30 * math.sin(time * 0.8 + 0.3)
        sign = -1 if header.grows == "left" else 1
        x = header.width / 2 + sign * focal * math.tan(math.radians(angle - pan)) - side / 2
        y = header.height * 0.45 - side / 2
        box = x / header.width, y / header.height, side / header.width, side / header.height
        yield SceneFrame(number, time, pan, (box,))


def run_scene(arguments: list[str]) -> None:
    options = parse_scene(arguments)
    if options.demo is not None:
        return _demonstrate(options)
    device = None if options.device is None else LoopbackDevice(options.device)
    output = sys.stdout.buffer
    try:
        serve_scene(sys.stdin.buffer, output, device)
    except BrokenPipeError:
        # Otherwise Python reports an error when it flushes the rest at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise BrokenPipe from None
    except OSError as error:
        message = f"Standard output cannot be written: {error.strerror}."
        raise ExitError(message, IO_FAILED) from None
    finally:
        if device is not None:
            device.close()


def _demonstrate(options: argparse.Namespace) -> None:
    width, height = options.size
    header = SceneHeader(
        width, height, options.fov, options.face, options.background, options.seed
    )
    scenery = scenery_of(header)
    drawing = open_drawing(options.demo, options.rate, "--demo")
    try:
        for frame in demonstration(header, options.seconds, options.rate):
            drawing.add(scenery.draw(frame.pan, frame.faces))
    finally:
        drawing.close()
