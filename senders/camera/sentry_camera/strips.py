"""Finds reflective strips under a green light.

A range of colours becomes white and the rest black; rectangles are then put around the white.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from .observations import Box, Found, point_of_pixels
from .upright import Picture

MOST = 6
Colour = tuple[int, int, int]


@dataclass(frozen=True)
class ColourRange:
    """A range of colours: hue 0...179, saturation and value 0...255, as in OpenCV.

    Both ends are included. If the low hue is above the high one, the range includes red.
    """

    low: Colour = (45, 90, 90)
    high: Colour = (90, 255, 255)

    def black_and_white(self, picture: Picture) -> Picture:
        colours = cv2.cvtColor(picture, cv2.COLOR_BGR2HSV)
        if self.low[0] <= self.high[0]:
            return cv2.inRange(colours, self.low, self.high)
        below = cv2.inRange(colours, self.low, (179, *self.high[1:]))
        return cv2.bitwise_or(below, cv2.inRange(colours, (0, *self.low[1:]), self.high))


class Strips:
    """Finds up to six rectangles, the biggest ones.

    Their longer side must have at least `min_size` of the picture's height.
    """

    def __init__(self, colours: ColourRange = ColourRange(), min_size: float = 0.02) -> None:
        self._colours = colours
        self._min_size = min_size

    def __call__(self, picture: Picture) -> list[Found]:
        height, width = picture.shape[:2]
        lit = self._colours.black_and_white(picture)
        outlines, _ = cv2.findContours(lit, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        sized: list[tuple[float, Found]] = []
        for outline in outlines:
            centre, sides, angle = cv2.minAreaRect(outline)
            # The outline runs through the centres of the pixels; the rectangle runs around them.
            centre = centre[0] + 0.5, centre[1] + 0.5
            sides = sides[0] + 1, sides[1] + 1
            # OpenCV calculates with 32 bits, so a slightly smaller side is accepted.
            if max(sides) + 0.01 < self._min_size * height:
                continue
            corners = in_order(cv2.boxPoints((centre, sides, angle)))
            xs, ys = corners[:, 0], corners[:, 1]
            box = Box.of_pixels(xs.min(), ys.min(), xs.max(), ys.max(), (width, height))
            if box is None:
                continue
            # The pixels on and within the outline, by Pick's theorem.
            pixels = cv2.contourArea(outline) + len(outline) / 2 + 1
            filled = min(pixels / (sides[0] * sides[1]), 1.0)
            points = [point_of_pixels(x, y, (width, height)) for x, y in corners]
            sized.append((sides[0] * sides[1], Found("rectangle", box, filled, corners=points)))
        sized.sort(key=lambda one: -one[0])
        return [found for _, found in sized[:MOST]]


def in_order(corners: Sequence[Sequence[float]] | Picture) -> Picture:
    """Orders four corners as top left, top right, bottom right, bottom left.

    They are in pixels, y pointing down. The top is the side that faces up most. Of two such sides
    it is the left one.
    """
    points = np.asarray(corners, dtype=float)
    middle = points.mean(axis=0)
    # This is clockwise for the viewer, because y points down.
    around = np.arctan2(points[:, 1] - middle[1], points[:, 0] - middle[0])
    points = points[np.argsort(around)]
    # Start with the side whose middle is highest.
    tops = [(points[i] + points[(i + 1) % 4]) / 2 for i in range(4)]
    first = min(range(4), key=lambda i: (round(tops[i][1], 3), round(tops[i][0], 3)))
    return np.roll(points, -first, axis=0)
