"""Finds faces with landmarks, using OpenCV's FaceDetectorYN and a YuNet model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np

from .errors import MALFORMED, NO_INPUT, ExitError
from .observations import Box, Found, Point, Size
from .upright import Picture

# In the model's order. Left and right are the person's own, unless the picture is a mirror image.
NAMES = ("rightEye", "leftEye", "nose", "rightMouthCorner", "leftMouthCorner")
# This is low because the program that aims decides which confidence is sufficient.
LEAST_SCORE = 0.3
# Larger pictures are scaled down, because the model is made for faces of 10 to 300 pixels.
LONGEST = 640


class Network(Protocol):
    """The part of cv2.FaceDetectorYN that is used."""

    def setInputSize(self, size: Size) -> None: ...

    def detect(self, picture: Picture) -> tuple[int, Any]: ...


def load(model: Path) -> Network:
    if not model.is_file():
        raise ExitError(f"The model {model} does not exist.", NO_INPUT)
    try:
        return cv2.FaceDetectorYN.create(str(model), "", (320, 320), LEAST_SCORE)
    except cv2.error:
        raise ExitError(f"{model} is not a model that OpenCV can read.", MALFORMED) from None


class ModelFaces:
    """Finds faces that have at least `min_size` of the picture's height."""

    def __init__(self, network: Network, min_size: float = 0.0) -> None:
        self._network = network
        self._min_size = min_size

    def __call__(self, picture: Picture) -> list[Found]:
        height, width = picture.shape[:2]
        scale = min(1.0, LONGEST / max(height, width))
        size = max(1, round(width * scale)), max(1, round(height * scale))
        if scale < 1:
            picture = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
        try:
            self._network.setInputSize(size)
            _, rows = self._network.detect(picture)
        except cv2.error:
            raise ExitError("FaceDetectorYN cannot use this model.", MALFORMED) from None
        found: list[Found] = []
        for row in () if rows is None else rows:
            if not np.all(np.isfinite(row)):
                continue
            left, top, wide, high = (float(value) for value in row[:4])
            box = Box.of_pixels(left, top, left + wide, top + high, size)
            if box is not None and box.height >= self._min_size:
                score = min(max(float(row[14]), 0.0), 1.0)
                found.append(Found("face", box, score, landmarks=_landmarks(row[4:14], box, size)))
        return found


def _landmarks(values: Sequence[float], box: Box, size: Size) -> Mapping[str, Sequence[Point]]:
    """Landmarks by name, within the box. One outside the box is left out: it is not in 0...1."""
    landmarks: dict[str, Sequence[Point]] = {}
    for index, name in enumerate(NAMES):
        x = (float(values[2 * index]) / size[0] - box.x) / box.width
        y = (1 - float(values[2 * index + 1]) / size[1] - box.y) / box.height
        if 0 <= x <= 1 and 0 <= y <= 1:
            landmarks[name] = [(round(x, 4), round(y, 4))]
    return landmarks
