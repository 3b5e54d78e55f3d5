"""Runs the program: takes options, writes observations."""

from __future__ import annotations

import sys

from . import detectors, display
from .arguments import parse
from .camera import Camera
from .display import Display
from .errors import ExitError, WindowClosed
from .frame import Source
from .live import LiveSource
from .output import Output
from .overwrite_check import check_overwrites
from .pipeline import run
from .sources import open_source
from .upright import Upright


def run_program(arguments: list[str] | None) -> None:
    options = parse(arguments)
    read = options.source + detectors.inputs(options) + display.inputs(options)
    check_overwrites(read, options.output, options.draw)
    upright = Upright(options.orientation, options.crop)
    camera = Camera(upright, options.mirrored, options.view, options.fov)
    detect = detectors.detector(options)
    source: Source = open_source(options.source, options.rate)
    output: Output | None = None
    seen: Display | None = None
    try:
        is_seen = options.draw or options.show
        seen = Display(options, camera, source.rate) if is_seen else None
        output = Output(options.output)
        run(source, camera, detect, output.write, seen)
        if seen is not None:
            seen.wait()
    except WindowClosed:
        _report_dropped(source)
    except (ExitError, KeyboardInterrupt, SystemExit):
        # A camera always ends through one of these, or through a broken pipe, which stays silent.
        _report_dropped(source)
        raise
    finally:
        source.close()
        if seen is not None:
            seen.close()
        if output is not None:
            output.close()


def _report_dropped(source: Source) -> None:
    if isinstance(source, LiveSource) and source.dropped:
        print(f"sentry-camera: {source.dropped} late pictures were dropped.", file=sys.stderr)
