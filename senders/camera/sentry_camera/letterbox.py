"""Fits a picture into the square that a network takes, and maps its boxes back."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from .observations import Box, Size
from .upright import Picture

# The grey around the picture, as in the training of YOLO.
GREY = 114


@dataclass(frozen=True)
class Letterbox:
    """A picture of `size`, scaled with its shape kept, in the middle of a square of `side` pixels.

    A square picture, such as one that was cropped, fills it.
    """

    size: Size
    side: int

    @property
    def scaled(self) -> Size:
        """The picture's size within the square. The longer side fills it."""
        longest = max(self.size)
        width, height = (max(1, round(length * self.side / longest)) for length in self.size)
        return width, height

    @property
    def corner(self) -> tuple[int, int]:
        """The position of the picture's upper left corner in the square."""
        width, height = self.scaled
        return (self.side - width) // 2, (self.side - height) // 2

    def __call__(self, picture: Picture) -> Picture:
        (left, top), (width, height) = self.corner, self.scaled
        # Averaging keeps small things when a picture becomes smaller.
        is_smaller = width < self.size[0]
        method = cv2.INTER_AREA if is_smaller else cv2.INTER_LINEAR
        square = np.full((self.side, self.side, 3), GREY, np.uint8)
        square[top : top + height, left : left + width] = cv2.resize(
            picture, (width, height), interpolation=method
        )
        return square

    def box(self, x: float, y: float, width: float, height: float) -> Box | None:
        """The box in the picture, from its middle and size in pixels of the square, y down."""
        left, top = self.corner
        x, y = x - left, y - top
        edges = x - width / 2, y - height / 2, x + width / 2, y + height / 2
        return Box.of_pixels(*edges, self.scaled)
