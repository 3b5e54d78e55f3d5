"""Finds objects with a YOLO network, using OpenCV's DNN module."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from .errors import MALFORMED, NO_INPUT, ExitError
from .letterbox import Letterbox
from .observations import Found
from .upright import Picture

Numbers = NDArray[Any]

# The side of the square that the network takes, in pixels.
SIDE = 640
# The defaults of the object detection app.
LEAST_CONFIDENCE = 0.4
MOST_OVERLAP = 0.6
# At most this many of the boxes that are confident enough are compared with each other.
MOST_BOXES = 1000


class Network(Protocol):
    """The part of cv2.dnn.Net that is used."""

    def setInput(self, blob: Numbers) -> None: ...

    def forward(self) -> Numbers: ...


def load(model: Path) -> Network:
    if not model.is_file():
        raise ExitError(f"The model {model} does not exist.", NO_INPUT)
    try:
        return cv2.dnn.readNetFromONNX(str(model))
    except cv2.error:
        raise ExitError(f"{model} is not an ONNX model that OpenCV can read.", MALFORMED) from None


class Objects:
    """Finds objects that have at least `min_size` of the picture's height.

    An object below `min_confidence` is dropped. Of two with the same label that overlap by more
    than `max_overlap` (intersection over union), the less confident one is dropped.
    """

    def __init__(
        self,
        network: Network,
        labels: Sequence[str],
        min_confidence: float = LEAST_CONFIDENCE,
        max_overlap: float = MOST_OVERLAP,
        min_size: float = 0.0,
    ) -> None:
        self._network = network
        self._labels = labels
        self._min_confidence = min_confidence
        self._max_overlap = max_overlap
        self._min_size = min_size
        self._is_warned = False
        # Reports a model or labels that cannot be used before the first picture.
        split(self._output(np.zeros((SIDE, SIDE, 3), np.uint8)), len(labels))

    def __call__(self, picture: Picture) -> list[Found]:
        letterbox = Letterbox((picture.shape[1], picture.shape[0]), SIDE)
        boxes, scores, classes = self._candidates(self._output(letterbox(picture)))
        found: list[Found] = []
        for index in self._kept(boxes, scores, classes):
            box = letterbox.box(*(float(value) for value in boxes[index]))
            if box is not None and box.height >= self._min_size:
                label = self._labels[classes[index]]
                found.append(Found("object", box, float(scores[index]), label=label))
        return found

    def _output(self, square: Picture) -> Numbers:
        blob = cv2.dnn.blobFromImage(square, 1 / 255, (SIDE, SIDE), swapRB=True)
        try:
            self._network.setInput(blob)
            return np.asarray(self._network.forward())
        except cv2.error:
            sides = f"{SIDE}x{SIDE}"
            raise ExitError(
                f"The model cannot use a picture of {sides} pixels.", MALFORMED
            ) from None

    def _candidates(self, output: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Boxes (middle and size, in pixels of the square), confidences and classes."""
        boxes, confidences = split(output, len(self._labels))
        classes = confidences.argmax(axis=1)
        scores = confidences[np.arange(len(classes)), classes]
        is_sound = np.isfinite(boxes).all(axis=1) & (boxes[:, 2:] > 0).all(axis=1)
        # A number that is not finite fails one of the comparisons.
        is_sure = (scores >= np.float32(self._min_confidence)) & (scores > 0) & np.isfinite(scores)
        kept = np.flatnonzero(is_sound & is_sure)
        if len(kept) > MOST_BOXES:
            kept = kept[np.argsort(-scores[kept], kind="stable")[:MOST_BOXES]]
            self._warn()
        # In 64 bits, no sum of two numbers of the network overflows.
        return boxes[kept].astype(np.float64), np.minimum(scores[kept], 1.0), classes[kept]

    def _kept(self, boxes: Numbers, scores: Numbers, classes: Numbers) -> list[int]:
        """The indices of the boxes that no better one with the same label overlaps too much."""
        corners = np.column_stack([boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, 2:]])
        kept: list[int] = []
        for number in np.unique(classes):
            (indices,) = np.nonzero(classes == number)
            best = cv2.dnn.NMSBoxes(
                corners[indices].tolist(), scores[indices].tolist(), 0.0, self._max_overlap
            )
            kept += indices[np.asarray(best, dtype=int).flatten()].tolist()
        return kept

    def _warn(self) -> None:
        if not self._is_warned:
            self._is_warned = True
            text = f"the model finds more than {MOST_BOXES} boxes; the most confident are used"
            print(f"sentry-camera: {text}.", file=sys.stderr)


def split(output: Numbers, count: int) -> tuple[Numbers, Numbers]:
    """Boxes, and the confidence in each of `count` labels, from the output of either version.

    - YOLOv5: (1, boxes, 5 + labels). A row has the box, whether it is an object at all, and the
      share of each label. The confidence is the product.
    - YOLOv8: (1, 4 + labels, boxes). A column has the box and the confidence in each label.
    """
    shape = tuple(output.shape)
    if len(shape) == 3 and shape[0] == 1 and shape[1] > 0 and shape[2] > 0:
        numbers = output[0].astype(np.float32)
        if shape[2] == 5 + count:
            # A product that is not finite is dropped later.
            with np.errstate(over="ignore", invalid="ignore"):
                return numbers[:, :4], numbers[:, 4:5] * numbers[:, 5:]
        if shape[1] == 4 + count:
            return numbers.T[:, :4], numbers.T[:, 4:]
    labels = "1 label" if count == 1 else f"{count} labels"
    raise ExitError(
        f"The model's output has the shape {_text(shape)}; with {labels}, "
        f"expected 1 x boxes x {5 + count} (YOLOv5) or 1 x {4 + count} x boxes (YOLOv8). "
        "Check that the labels are those of the model.",
        MALFORMED,
    )


def _text(shape: Sequence[int]) -> str:
    return " x ".join(str(length) for length in shape)
