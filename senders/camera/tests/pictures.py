"""Makes pictures with objects at known positions."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
from skimage import data

from sentry_camera.upright import Picture

# In the astronaut's picture: the middle of the box from brow to chin, and its side, in pixels.
FACE = (224, 114)
FACE_SIZE = 96
GREEN = (90, 255, 60)
# How many counter-clockwise quarter turns make a buffer with this orientation of an upright
# picture.
BACK = {"up": 0, "right": 1, "down": 2, "left": 3}


@cache
def astronaut() -> Picture:
    """Head and shoulders, 512 by 330 pixels."""
    return np.ascontiguousarray(cv2.cvtColor(data.astronaut(), cv2.COLOR_RGB2BGR)[:330])


def blank(width: int, height: int, grey: int = 127) -> Picture:
    return np.full((height, width, 3), grey, np.uint8)


def with_face(width: int, height: int, x: int, y: int, scale: float = 1.0) -> Picture:
    """The astronaut with the middle of the face at (x, y), in pixels, y pointing down."""
    frame = blank(width, height)
    matrix = np.array([[scale, 0, x - FACE[0] * scale], [0, scale, y - FACE[1] * scale]])
    return cv2.warpAffine(
        astronaut(),
        matrix,
        (width, height),
        frame,
        cv2.INTER_AREA,
        borderMode=cv2.BORDER_TRANSPARENT,
    )


def rectangle(x: float, y: float, width: float, height: float, lean: float = 0.0) -> Picture:
    """Corners in pixels, y pointing down: top left, top right, bottom right, bottom left.

    (x, y) is the middle, and `lean` turns the rectangle clockwise, in degrees.
    """
    angle = np.radians(lean)
    across = np.array([np.cos(angle), np.sin(angle)])
    down = np.array([-np.sin(angle), np.cos(angle)])
    middle = np.array([x, y])
    half, tall = across * width / 2, down * height / 2
    left, right = middle - half, middle + half
    return np.array([left - tall, right - tall, right + tall, left + tall])


def with_strips(
    width: int, height: int, *strips: Picture, colour: tuple[int, int, int] = GREEN
) -> Picture:
    """A pixel is lit if its middle is within a strip."""
    frame = blank(width, height, 20)
    y, x = np.mgrid[0:height, 0:width] + 0.5
    for corners in strips:
        inside = np.ones((height, width), bool)
        for one, other in zip(corners, np.roll(corners, -1, axis=0)):
            edge = other - one
            inside &= edge[0] * (y - one[1]) - edge[1] * (x - one[0]) >= 0
        frame[inside] = colour
    return frame


def as_delivered(upright: Picture, orientation: str, mirrored: bool = False) -> Picture:
    """The buffer of a camera that sees `upright` and is held in this orientation.

    A mirrored buffer has left and right swapped, as seen in the upright picture.
    """
    seen = upright[:, ::-1] if mirrored else upright
    return np.ascontiguousarray(np.rot90(seen, BACK[orientation]))
