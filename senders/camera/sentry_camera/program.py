"""Runs the program: takes options, writes observations."""

from __future__ import annotations

import sys

from . import detectors
from .arguments import parse
from .draw import Drawing, open_drawing
from .errors import ExitError
from .frame import Source
from .live import LiveSource
from .output import Output
from .overwrite_check import check_overwrites
from .pipeline import Camera, run
from .sources import open_source
from .upright import Upright


def run_program(arguments: list[str] | None) -> None:
    options = parse(arguments)
    check_overwrites(options.source + detectors.inputs(options), options.output, options.draw)
    upright = Upright(options.orientation, options.crop)
    camera = Camera(upright, options.mirrored, options.view, options.fov)
    detect = detectors.detector(options)
    source: Source = open_source(options.source, options.rate)
    output: Output | None = None
    drawing: Drawing | None = None
    try:
        drawing = open_drawing(options.draw, source.rate) if options.draw else None
        output = Output(options.output)
        run(source, camera, detect, output.write, drawing)
    except (ExitError, KeyboardInterrupt, SystemExit):
        # A camera always ends through one of these, or through a broken pipe, which stays silent.
        if isinstance(source, LiveSource) and source.dropped:
            print(f"sentry-camera: {source.dropped} late pictures were dropped.", file=sys.stderr)
        raise
    finally:
        source.close()
        if drawing is not None:
            drawing.close()
        if output is not None:
            output.close()
