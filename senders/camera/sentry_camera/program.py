"""Runs the program: takes options, writes observations."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .arguments import parse
from .draw import Drawing, open_drawing
from .errors import ExitError
from .faces import CascadeFaces
from .frame import Source
from .live import LiveSource
from .output import Output
from .overwrite_check import check_overwrites
from .pipeline import Camera, Detector, run
from .sources import open_source
from .strips import ColourRange, Strips
from .upright import Upright
from .yunet import ModelFaces, load


def run_program(arguments: list[str] | None) -> None:
    options = parse(arguments)
    inputs = options.source + ([options.model] if options.model else [])
    check_overwrites(inputs, options.output, options.draw)
    upright = Upright(options.orientation, options.crop)
    camera = Camera(upright, options.mirrored, options.view, options.fov)
    detect = _detector(options)
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


def _detector(options: argparse.Namespace) -> Detector:
    size = {} if options.min_size is None else {"min_size": options.min_size}
    if options.detect == "strips":
        usual = ColourRange()
        colours = ColourRange(options.hsv_low or usual.low, options.hsv_high or usual.high)
        return Strips(colours, **size)
    if options.model:
        return ModelFaces(load(Path(options.model)), **size)
    return CascadeFaces(**size)
