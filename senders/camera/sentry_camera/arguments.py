"""Parses the command line."""

from __future__ import annotations

import argparse
from typing import NoReturn

from . import detectors, display
from .errors import USAGE, ExitError
from .upright import CROPS, TURNS
from .values import angle, port, rate, seed, size


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise ExitError(f"{message[:1].upper()}{message[1:]}. See {self.prog} --help.", USAGE)


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = Parser(
        prog="sentry-camera",
        description="Finds faces, objects or green-lit strips in pictures and writes them as "
        "observations, one line per picture. sentry-camera serve --help describes the program as a "
        "server that receives the pictures, and sentry-camera scene --help as one that draws them.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add(
        "source",
        nargs="+",
        help="a camera (0, 1, /dev/video0, rtsp://... or http://...), a video file, or pictures",
    )
    detectors.add_options(parser)
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
        type=angle,
        help="state the upright picture's horizontal field of view in the header",
    )
    add(
        "--view",
        metavar="WxH",
        type=size,
        help="state in the header the size, in points, in which an app shows the picture",
    )
    add(
        "--rate",
        metavar="HZ",
        type=rate,
        help="pictures per second (default: 30 for pictures, a video's own rate); "
        "a camera is asked for this rate",
    )
    add("-o", "--output", metavar="FILE", help="write to this file instead of standard output")
    display.add_options(parser)
    options = parser.parse_args(arguments)
    detectors.check(parser, options)
    display.check(parser, options)
    return options


def parse_serve(arguments: list[str]) -> argparse.Namespace:
    parser = Parser(
        prog="sentry-camera serve",
        description="Receives JPEG pictures over a WebSocket connection and answers each with an "
        "observation. Only programs on this computer can connect; web pages cannot.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--port",
        type=port,
        required=True,
        help="the port to listen on; 0 lets the system choose one, which is printed",
    )
    parser.add_argument(
        "--host",
        choices=("127.0.0.1", "::1"),
        default="127.0.0.1",
        help="this computer's address to listen on (default: 127.0.0.1)",
    )
    detectors.add_options(parser)
    options = parser.parse_args(arguments)
    detectors.check(parser, options)
    return options


def parse_scene(arguments: list[str]) -> argparse.Namespace:
    parser = Parser(
        prog="sentry-camera scene",
        description="Draws what the camera of a scene sees. Reads a line of JSON for each picture "
        "from standard input, as sentrybench run --rig writes them, and writes JPEG pictures to "
        "standard output.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add(
        "--device",
        metavar="/dev/videoN",
        help="also write the pictures to this device of the kernel's module v4l2loopback",
    )
    add(
        "--demo",
        metavar="NAME",
        help="read nothing, and draw a face that walks past a camera into this folder or video",
    )
    shown = parser.add_argument_group("with --demo")
    add = shown.add_argument
    add("--size", metavar="WxH", type=size, help="the pictures' size (default: 640x480)")
    add("--fov", metavar="DEGREES", type=angle, help="the horizontal field of view (default: 60)")
    add("--rate", metavar="HZ", type=rate, help="pictures per second (default: 30)")
    add("--seconds", metavar="S", type=rate, help="how long it is (default: 8)")
    add("--face", metavar="FILE", help="a picture of a face, in place of the drawn one")
    add("--background", metavar="FILE", help="a picture, in place of the drawn room")
    add("--seed", metavar="N", type=seed, help="chooses the drawn room (default: 1)")
    options = parser.parse_args(arguments)
    usual = {"size": (640, 480), "fov": 60.0, "rate": 30.0, "seconds": 8.0, "seed": 1}
    given = [name for name in (*usual, "face", "background") if getattr(options, name) is not None]
    if given and options.demo is None:
        parser.error(f"--{given[0]} requires --demo")
    if options.demo is not None and options.device is not None:
        parser.error("--device cannot be combined with --demo")
    for name, value in usual.items():
        if getattr(options, name) is None:
            setattr(options, name, value)
    return options
