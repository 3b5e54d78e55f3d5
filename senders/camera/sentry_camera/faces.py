"""Finds faces with the cascade of Haar features that OpenCV 4 includes."""

from __future__ import annotations

import math
from pathlib import Path

import cv2
from cv2.data import haarcascades

from .errors import UNAVAILABLE, ExitError
from .observations import Box, Found
from .upright import Picture

# Of the cascades for frontal faces, this one finds the fewest faces in folds of cloth. All take
# about the same time.
CASCADE = "haarcascade_frontalface_alt2.xml"
# The cascade's own window is 20 pixels. A larger size lets it also find faces between its steps.
SMALLEST = 36
# The factor between sizes, and how many neighbouring windows must agree.
STEP = 1.1
NEIGHBOURS = 5
# Votes of the last stage. It accepts a window with 53.76. In measurements with one face at many
# places and sizes, the face got 55.6 to 57.8 votes, and anything else at most 55.2.
HALF = 55.2
SPREAD = 0.5


def confidence(votes: float) -> float:
    """Maps the votes of a window to a confidence of 0...1.

    A cascade has no probability, only the sum of the last stage's votes for the best window. The
    confidence increases with the votes, so that faces can be compared and a threshold can be set:
    0.05 is barely accepted, 0.5 is doubtful, and above 0.7 is a clear face.
    """
    distance = min(max((votes - HALF) / SPREAD, -60.0), 60.0)
    return 1 / (1 + math.exp(-distance))


class CascadeFaces:
    """Finds faces that look at the camera.

    A face must have at least `min_size` of the picture's height.
    """

    def __init__(self, min_size: float = 0.1) -> None:
        self._min_size = min_size
        self._cascade = cv2.CascadeClassifier(str(Path(haarcascades) / CASCADE))
        if self._cascade.empty():
            raise ExitError(f"This OpenCV has no {CASCADE}; version 4 includes it.", UNAVAILABLE)

    def __call__(self, picture: Picture) -> list[Found]:
        height, width = picture.shape[:2]
        # The picture is scaled down as far as the smallest face permits, because the time depends
        # on the number of pixels.
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
