"""The options of the head-up display, and the display that they describe."""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2

from . import detectors
from .aim_line import GRAVITIES, MAPPINGS, AimLine
from .camera import Camera
from .command_sources import Commands, open_commands
from .draw import Drawing, open_drawing
from .errors import USAGE, ExitError
from .frame import Frame
from .head_up import Scene, drawn
from .labels import read_labels
from .observations import Found
from .strips import ColourRange
from .upright import Picture
from .window import Window


def add_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--draw",
        metavar="DIR|FILE",
        help="draw the results in pictures in a folder, or in a video: "
        "the target, or the biggest, in red, others in yellow",
    )
    add("--show", action="store_true", help="show the drawn pictures in a window")
    add(
        "--commands",
        metavar="FILE",
        help="draw the decisions of sentrybench aim, from the trace that aim --to - prints; "
        "from a FIFO, they are drawn as they arrive",
    )
    add(
        "--mapping",
        choices=MAPPINGS,
        help="with --commands: the mapping that aim uses, for the aim line (default: linear)",
    )
    add(
        "--gravity",
        choices=GRAVITIES,
        help="with --commands: the gravity that aim uses (default: resize)",
    )
    add("--mirror", action="store_true", help="with --commands: aim uses --mirror")
    add(
        "--ask",
        metavar="LABEL",
        help="with --detect objects: draw the confidence in this label, and with --commands how "
        "often aim found a target",
    )
    add(
        "--draw-filter",
        action="store_true",
        help="with --detect strips: draw on the black-and-white picture of the colour filter",
    )


def check(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Refuses options that cannot be combined."""
    needs_picture = options.commands or options.ask is not None or options.draw_filter
    if needs_picture and not (options.draw or options.show):
        parser.error("--commands, --ask and --draw-filter require --draw or --show")
    if (options.mapping or options.gravity or options.mirror) and not options.commands:
        parser.error("--mapping, --gravity and --mirror require --commands")
    if options.mapping == "fov" and options.fov is None:
        parser.error("--mapping fov requires --fov")
    if options.ask is not None and options.detect != "objects":
        parser.error("--ask requires --detect objects")
    if options.draw_filter and options.detect != "strips":
        parser.error("--draw-filter requires --detect strips")


def inputs(options: argparse.Namespace) -> list[str]:
    """The files that the display reads."""
    return [options.commands] if options.commands else []


class Display:
    """Draws each frame, and passes the picture to a video or a folder, and to a window."""

    def __init__(self, options: argparse.Namespace, camera: Camera, rate: float) -> None:
        self._camera = camera
        self._line = AimLine(
            options.mapping or "linear", options.gravity or "resize", options.mirror
        )
        self._asked: str | None = options.ask
        self._filter = detectors.colours(options) if options.draw_filter else None
        self._commands: Commands | None = None
        self._window: Window | None = None
        self._drawing: Drawing | None = None
        if self._asked is not None and self._asked not in read_labels(Path(options.labels)):
            raise ExitError(f"{options.labels} has no label {self._asked}.", USAGE)
        if options.commands:
            self._commands = open_commands(options.commands)
        if options.show:
            self._window = Window("sentry-camera")
        if options.draw:
            self._drawing = open_drawing(options.draw, rate)

    def __call__(self, frame: Frame, picture: Picture, found: list[Found]) -> None:
        seen = drawn(_filtered(picture, self._filter), self._scene(frame, found))
        if self._drawing is not None:
            self._drawing.add(seen)
        if self._window is not None:
            self._window.add(seen)

    def wait(self) -> None:
        """Keeps the last picture in the window until the user closes it."""
        if self._window is not None:
            self._window.wait()

    def close(self) -> None:
        for part in (self._drawing, self._window, self._commands):
            if part is not None:
                part.close()

    def _scene(self, frame: Frame, found: list[Found]) -> Scene:
        decision = self._commands.at(frame.time) if self._commands is not None else None
        line = None
        if decision is not None and decision.degrees is not None:
            upright = self._camera.upright_size((frame.picture.shape[1], frame.picture.shape[0]))
            line = self._line.place(decision.degrees, self._camera, upright)
        return Scene(found, decision, line, self._asked)


def _filtered(picture: Picture, colours: ColourRange | None) -> Picture:
    if colours is None:
        return picture
    return cv2.cvtColor(colours.black_and_white(picture), cv2.COLOR_GRAY2BGR)
