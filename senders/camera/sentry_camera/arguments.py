"""Parses the command line."""

from __future__ import annotations

import argparse
import math
from typing import NoReturn

from .errors import USAGE, ExitError
from .strips import Colour, ColourRange
from .upright import CROPS, TURNS


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ExitError(f"{message[:1].upper()}{message[1:]}. See sentry-camera --help.", USAGE)


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    colours = ColourRange()
    parser = Parser(
        prog="sentry-camera",
        description="Finds faces or green-lit strips in pictures and writes them as observations, "
        "one line per picture.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add(
        "source",
        nargs="+",
        help="a camera (0, 1, /dev/video0, rtsp://... or http://...), a video file, or pictures",
    )
    add(
        "--detect",
        choices=("faces", "strips"),
        default="faces",
        help="what to find (default: faces)",
    )
    add(
        "--model",
        metavar="FILE",
        help="with --detect faces: use FaceDetectorYN with this model, which also finds landmarks",
    )
    add(
        "--hsv-low",
        metavar="H,S,V",
        type=_colour,
        help="with --detect strips: low end of the range of colours "
        f"(default: {_text(colours.low)})",
    )
    add(
        "--hsv-high",
        metavar="H,S,V",
        type=_colour,
        help="with --detect strips: high end of the range of colours "
        f"(default: {_text(colours.high)})",
    )
    add(
        "--min-size",
        metavar="SHARE",
        type=_share,
        help="smallest size to find, as a share of the picture's height "
        "(default: 0.1; strips: 0.02)",
    )
    add(
        "--orientation",
        choices=tuple(TURNS),
        default="up",
        help="how to turn the picture to make it upright (default: up)",
    )
    add(
        "--mirrored",
        action="store_true",
        help="state in the header that the camera delivers a mirror image",
    )
    add("--crop", choices=CROPS, default="none", help="look only at the centred square")
    add(
        "--fov",
        metavar="DEGREES",
        type=_angle,
        help="state the upright picture's horizontal field of view in the header",
    )
    add(
        "--view",
        metavar="WxH",
        type=_size,
        help="state in the header the size, in points, in which an app shows the picture",
    )
    add(
        "--rate",
        metavar="HZ",
        type=_rate,
        help="pictures per second (default: 30 for pictures, a video's own rate); "
        "a camera is asked for this rate",
    )
    add("-o", "--output", metavar="FILE", help="write to this file instead of standard output")
    add(
        "--draw",
        metavar="DIR|FILE",
        help="draw the results in pictures in a folder, or in a video: "
        "the biggest in red, others in yellow",
    )
    options = parser.parse_args(arguments)
    if options.model and options.detect != "faces":
        parser.error("--model requires --detect faces")
    if (options.hsv_low or options.hsv_high) and options.detect != "strips":
        parser.error("--hsv-low and --hsv-high require --detect strips")
    return options


def _text(colour: Colour) -> str:
    return ",".join(str(part) for part in colour)


def _colour(text: str) -> Colour:
    parts = tuple(
        int(part) if part.isascii() and part.isdigit() else -1 for part in text.split(",")
    )
    limits = (179, 255, 255)
    if len(parts) != 3 or not all(0 <= part <= limit for part, limit in zip(parts, limits)):
        raise argparse.ArgumentTypeError(
            f"{text} is not a hue 0...179, a saturation and a value 0...255"
        )
    return parts[0], parts[1], parts[2]


def _size(text: str) -> tuple[int, int]:
    parts = text.lower().split("x")
    if len(parts) != 2 or not all(
        part.isascii() and part.isdigit() and int(part) > 0 for part in parts
    ):
        raise argparse.ArgumentTypeError(f"{text} is not a size such as 390x844")
    return int(parts[0]), int(parts[1])


def _within(text: str, low: float, high: float, what: str, high_too: bool = False) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (low < value < high or (high_too and value == high)):
        raise argparse.ArgumentTypeError(f"{text} is not {what}")
    return value


def _share(text: str) -> float:
    return _within(text, 0, 1, "a share above 0 and up to 1", high_too=True)


def _angle(text: str) -> float:
    return _within(text, 0, 180, "an angle above 0 and below 180")


def _rate(text: str) -> float:
    return _within(text, 0, 1000, "a rate above 0 and up to 1000", high_too=True)
