"""The outlines of a face's eyes, estimated from one point for each eye."""

from __future__ import annotations

import math

from .observations import Found, Point, Size

EYES = ("rightEye", "leftEye")
# The usual proportions of a face, as shares of the distance between the middles of the eyes.
WIDTH = 0.48
HEIGHT = 0.2
# The same distance as a share of the face's box, for a face of which only one eye is visible.
DISTANCE = 0.4
# The number of points on each lid, with both corners.
POINTS = 9


def outlines(face: Found, size: Size) -> list[list[Point]]:
    """The outline of each eye that was found, in pixels of a picture of `size`, y pointing down.

    An outline follows the line through both eyes, so it leans with the face.
    """
    found = (face.landmarks.get(name) for name in EYES)
    middles = [_pixel(face, points[0], size) for points in found if points]
    if len(middles) == 2:
        (x, y), (other_x, other_y) = middles
        across = other_x - x, other_y - y
    else:
        across = DISTANCE * face.box.width * size[0], 0.0
    return [_outline(middle, across) for middle in middles] if math.hypot(*across) > 0 else []


def _pixel(face: Found, point: Point, size: Size) -> Point:
    box = face.box
    return (
        (box.x + point[0] * box.width) * size[0],
        (1 - box.y - point[1] * box.height) * size[1],
    )


def _outline(middle: Point, across: Point) -> list[Point]:
    """Two lids that meet at the corners of the eye. `across` leads from one eye to the other."""
    steps = [2 * number / (POINTS - 1) - 1 for number in range(POINTS)]
    upper = [(step, 1 - step * step) for step in steps]
    lower = [(step, step * step - 1) for step in reversed(steps[1:-1])]
    return [
        (
            middle[0] + (along * WIDTH * across[0] - high * HEIGHT * across[1]) / 2,
            middle[1] + (along * WIDTH * across[1] + high * HEIGHT * across[0]) / 2,
        )
        for along, high in upper + lower
    ]
