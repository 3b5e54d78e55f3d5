"""The options that choose a detector, and the detector that they describe."""

from __future__ import annotations

import argparse
from pathlib import Path

from . import yolo
from .faces import CascadeFaces
from .labels import read_labels
from .pipeline import Detector
from .strips import Colour, ColourRange, Strips
from .values import colour, fraction, share
from .yunet import ModelFaces, load


def add_options(parser: argparse.ArgumentParser) -> None:
    usual = ColourRange()
    add = parser.add_argument
    add(
        "--detect",
        choices=("faces", "strips", "objects"),
        default="faces",
        help="what to find (default: faces)",
    )
    add(
        "--model",
        metavar="FILE",
        help="with --detect faces: use FaceDetectorYN with this model, which also finds landmarks; "
        "with --detect objects: the network, a YOLOv5 or YOLOv8 as ONNX for 640x640 pixels",
    )
    add(
        "--labels",
        metavar="FILE",
        help="with --detect objects: the network's labels in its order, one per line",
    )
    add(
        "--min-confidence",
        metavar="SHARE",
        type=fraction,
        help="with --detect objects: drop objects with less confidence "
        f"(default: {yolo.LEAST_CONFIDENCE})",
    )
    add(
        "--max-overlap",
        metavar="SHARE",
        type=fraction,
        help="with --detect objects: if two with the same label overlap more than this "
        "(intersection over union), drop the less confident one "
        f"(default: {yolo.MOST_OVERLAP})",
    )
    add(
        "--hsv-low",
        metavar="H,S,V",
        type=colour,
        help=f"with --detect strips: low end of the range of colours (default: {_text(usual.low)})",
    )
    add(
        "--hsv-high",
        metavar="H,S,V",
        type=colour,
        help="with --detect strips: high end of the range of colours "
        f"(default: {_text(usual.high)})",
    )
    add(
        "--min-size",
        metavar="SHARE",
        type=share,
        help="smallest size to find, as a share of the picture's height "
        "(default: 0.1; strips: 0.02; objects: any size)",
    )


def check(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """Refuses options that cannot be combined."""
    is_objects = options.detect == "objects"
    if options.model and options.detect == "strips":
        parser.error("--model requires --detect faces or objects")
    if (options.hsv_low or options.hsv_high) and options.detect != "strips":
        parser.error("--hsv-low and --hsv-high require --detect strips")
    if is_objects and not (options.model and options.labels):
        parser.error("--detect objects requires --model and --labels")
    if options.labels and not is_objects:
        parser.error("--labels requires --detect objects")
    limits = options.min_confidence, options.max_overlap
    if limits != (None, None) and not is_objects:
        parser.error("--min-confidence and --max-overlap require --detect objects")


def inputs(options: argparse.Namespace) -> list[str]:
    """The files that the detector reads."""
    return [name for name in (options.model, options.labels) if name]


def detector(options: argparse.Namespace) -> Detector:
    size = _given(min_size=options.min_size)
    if options.detect == "objects":
        labels = read_labels(Path(options.labels))
        limits = _given(min_confidence=options.min_confidence, max_overlap=options.max_overlap)
        return yolo.Objects(yolo.load(Path(options.model)), labels, **limits, **size)
    if options.detect == "strips":
        return Strips(colours(options), **size)
    if options.model:
        return ModelFaces(load(Path(options.model)), **size)
    return CascadeFaces(**size)


def colours(options: argparse.Namespace) -> ColourRange:
    usual = ColourRange()
    return ColourRange(options.hsv_low or usual.low, options.hsv_high or usual.high)


def _given(**values: float | None) -> dict[str, float]:
    """The values that are given; each detector has its own defaults for the others."""
    return {name: value for name, value in values.items() if value is not None}


def _text(colour: Colour) -> str:
    return ",".join(str(part) for part in colour)
