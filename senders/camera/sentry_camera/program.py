"""Options in, observations out."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from .arguments import parse
from .draw import Drawing, open_drawing
from .errors import Trouble
from .faces import CascadeFaces
from .frame import Source
from .live import LiveSource
from .output import Output
from .overwrite_check import keep_inputs
from .pipeline import Camera, Detector, run
from .sources import open_source
from .strips import ColourRange, Strips
from .upright import Upright
from .yunet import ModelFaces, load


def run_program(arguments: list[str] | None) -> None:
    options = parse(arguments)
    keep_inputs(options.source + ([options.model] if options.model else []), options.output, options.draw)
    camera = Camera(Upright(options.orientation, options.crop), options.mirrored, options.view, options.fov)
    detect = _detector(options)
    source: Source = open_source(options.source, options.rate)
    output: Output | None = None
    drawing: Drawing | None = None
    try:
        drawing = open_drawing(options.draw, source.rate) if options.draw else None
        output = Output(options.output)
        run(source, camera, detect, output.write, drawing)
    except (Trouble, KeyboardInterrupt, SystemExit):
        # A camera only ever ends by one of these, or quietly.
        if isinstance(source, LiveSource) and source.dropped:
            print(f"sentry-camera: {source.dropped} late pictures dropped.", file=sys.stderr)
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
        return Strips(ColourRange(options.hsv_low or usual.low, options.hsv_high or usual.high), **size)
    if options.model:
        return ModelFaces(load(Path(options.model)), **size)
    return CascadeFaces(**size)
