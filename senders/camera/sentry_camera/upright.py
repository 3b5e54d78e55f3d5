"""Turns the camera's buffer into the upright picture that the detectors use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

# Has the shape (height, width, 3): blue, green and red, as in OpenCV.
Picture = NDArray[Any]

# `right`: a quarter turn clockwise makes the buffer upright.
TURNS = {
    "up": None,
    "right": cv2.ROTATE_90_CLOCKWISE,
    "down": cv2.ROTATE_180,
    "left": cv2.ROTATE_90_COUNTERCLOCKWISE,
}
CROPS = ("none", "square")


@dataclass(frozen=True)
class Upright:
    """Turns and then crops a picture."""

    orientation: str = "up"
    crop: str = "none"

    def __call__(self, buffer: Picture) -> Picture:
        turn = TURNS[self.orientation]
        picture = buffer if turn is None else cv2.rotate(buffer, turn)
        return centred_square(picture) if self.crop == "square" else picture


def centred_square(picture: Picture) -> Picture:
    height, width = picture.shape[:2]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    return np.ascontiguousarray(picture[top : top + side, left : left + side])
