"""Faces, by the cascade of Haar features that OpenCV 4 ships."""

from __future__ import annotations

import math
from pathlib import Path

import cv2
from cv2.data import haarcascades

from .errors import UNAVAILABLE, Trouble
from .observations import Box, Found
from .upright import Picture

# Of the frontal ones that with the fewest faces in folds of cloth, for about the same time.
CASCADE = "haarcascade_frontalface_alt2.xml"
# The cascade's own window is 20 pixels; with some more than that it finds faces between its steps, too.
SMALLEST = 36
# Each step through the sizes, and how many neighbouring windows must agree.
STEP = 1.1
NEIGHBOURS = 5
# Votes of the last stage. It lets pass what has 53.76. Measured with one face at many places and sizes: the face has
# 55.6 to 57.8, what is none at most 55.2.
HALF = 55.2
SPREAD = 0.5


def confidence(votes: float) -> float:
    """A cascade has no probability. It has the sum of the last stage's votes, of the window that got most. This maps
    it to 0...1, rising with it, so that faces can be compared and a threshold be set: 0.05 is what just passes, 0.5
    doubtful, above 0.7 a clear face."""
    distance = min(max((votes - HALF) / SPREAD, -60.0), 60.0)
    return 1 / (1 + math.exp(-distance))


class CascadeFaces:
    """Finds faces that look at the camera and whose height is at least `min_size` of the picture's."""

    def __init__(self, min_size: float = 0.1) -> None:
        self._min_size = min_size
        self._cascade = cv2.CascadeClassifier(str(Path(haarcascades) / CASCADE))
        if self._cascade.empty():
            raise Trouble(f"This OpenCV has no {CASCADE}; version 4 ships it.", UNAVAILABLE)

    def __call__(self, picture: Picture) -> list[Found]:
        height, width = picture.shape[:2]
        # Not larger than the smallest face needs: the time goes by pixels.
        scale = min(1.0, SMALLEST / (self._min_size * height))
        size = max(1, round(width * scale)), max(1, round(height * scale))
        grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        if scale < 1:
            grey = cv2.resize(grey, size, interpolation=cv2.INTER_AREA)
        least = max(1, math.floor(self._min_size * size[1]))
        boxes, _, votes = self._cascade.detectMultiScale3(
            grey, STEP, NEIGHBOURS, minSize=(least, least), outputRejectLevels=True
        )
        found: list[Found] = []
        for (left, top, wide, high), most in zip(boxes, votes):
            box = Box.of_pixels(left, top, left + wide, top + high, size)
            if box is not None:
                found.append(Found("face", box, confidence(float(most))))
        return found
