"""The options that choose a detector, and the detector that they describe."""

from __future__ import annotations

import argparse
from pathlib import Path

from .faces import CascadeFaces
from .pipeline import Detector
from .strips import Colour, ColourRange, Strips
from .values import colour, share
from .yunet import ModelFaces, load


def add_options(parser: argparse.ArgumentParser) -> None:
    colours = ColourRange()
    add = parser.add_argument
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
        type=colour,
        help="with --detect strips: low end of the range of colours "
        f"(default: {_text(colours.low)})",
    )
    add(
        "--hsv-high",
        metavar="H,S,V",
        type=colour,
        help="with --detect strips: high end of the range of colours "
        f"(default: {_text(colours.high)})",
    )
    add(
        "--min-size",
        metavar="SHARE",
        type=share,
        help="smallest size to find, as a share of the picture's height "
        "(default: 0.1; strips: 0.02)",
    )


def check(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Refuses options that do not fit together."""
    if options.model and options.detect != "faces":
        parser.error("--model requires --detect faces")
    if (options.hsv_low or options.hsv_high) and options.detect != "strips":
        parser.error("--hsv-low and --hsv-high require --detect strips")


def inputs(options: argparse.Namespace) -> list[str]:
    """The files that the detector reads."""
    return [options.model] if options.model else []


def detector(options: argparse.Namespace) -> Detector:
    size = {} if options.min_size is None else {"min_size": options.min_size}
    if options.detect == "strips":
        usual = ColourRange()
        colours = ColourRange(options.hsv_low or usual.low, options.hsv_high or usual.high)
        return Strips(colours, **size)
    if options.model:
        return ModelFaces(load(Path(options.model)), **size)
    return CascadeFaces(**size)


def _text(colour: Colour) -> str:
    return ",".join(str(part) for part in colour)
