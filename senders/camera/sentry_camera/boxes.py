"""Draws what was found into a picture, with labels."""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np

from .eyes import outlines
from .observations import Found, Point, Size
from .text import BLACK, WHITE, Colour, shade, size_of, write
from .upright import Picture

TARGET: Colour = (0, 0, 255)
OTHER: Colour = (0, 255, 255)


def line_thickness(picture: Picture) -> int:
    return max(1, round(_shorter_side(picture) / 200))


def text_height(picture: Picture) -> int:
    return max(10, round(_shorter_side(picture) / 24))


def draw_found(picture: Picture, found: Sequence[Found], target: int | None) -> None:
    """Draws everything in `found`. `target` is the index of the one to draw in red."""
    order = sorted(range(len(found)), key=lambda index: (index == target, -index))
    # The target is drawn last, so that nothing covers it.
    for index in order:
        is_target = index == target
        colour = TARGET if is_target else OTHER
        _draw_outline(picture, found[index], colour)
        _draw_points(picture, found[index], colour)
        _draw_label(picture, found[index], colour, WHITE if is_target else BLACK)
        if found[index].corners:
            _draw_measures(picture, found[index])


def measures(strip: Found, size: Size) -> list[str]:
    """How a rectangle leans, the aspect ratio of its box as in `aim`, and where its middle is.

    It leans by the angle of its longer sides off the vertical, in degrees, positive to the right.
    """
    corners = np.array(strip.corners) * size
    top, right, bottom, left = (
        (corners[index] + corners[(index + 1) % 4]) / 2 for index in range(4)
    )
    up, across = top - bottom, right - left
    x, y = up if np.hypot(*up) >= np.hypot(*across) else across
    lean = round(math.degrees(math.atan2(x, y)))
    lean -= 180 * (lean > 90) - 180 * (lean <= -90)
    box = strip.box
    ratio = box.width * size[0] / (box.height * size[1])
    middle = box.x + box.width / 2, box.y + box.height / 2
    return [f"{lean}°", f"ratio {ratio:.2f}", f"at {middle[0]:.2f}, {middle[1]:.2f}"]


def _shorter_side(picture: Picture) -> int:
    height, width = picture.shape[:2]
    return int(min(width, height))


def _pixel(point: Point, picture: Picture) -> tuple[int, int]:
    height, width = picture.shape[:2]
    x, y = round(point[0] * width), round((1 - point[1]) * height)
    return int(min(x, width - 1)), int(min(y, height - 1))


def _edges(found: Found, picture: Picture) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of the box, in pixels."""
    box = found.box
    left, top = _pixel((box.x, box.y + box.height), picture)
    right, bottom = _pixel((box.x + box.width, box.y), picture)
    return left, top, right, bottom


def _draw_outline(picture: Picture, found: Found, colour: Colour) -> None:
    thickness = line_thickness(picture)
    if found.corners:
        corners = np.array([_pixel(corner, picture) for corner in found.corners], dtype=np.int32)
        cv2.polylines(picture, [corners], True, colour, thickness, cv2.LINE_AA)
    else:
        left, top, right, bottom = _edges(found, picture)
        cv2.rectangle(picture, (left, top), (right, bottom), colour, thickness)


def _draw_points(picture: Picture, face: Found, colour: Colour) -> None:
    thickness = line_thickness(picture)
    box = face.box
    for outline in outlines(face, (picture.shape[1], picture.shape[0])):
        # OpenCV counts from the middle of a pixel, here in sixteenths.
        eye = np.round((np.array(outline) - 0.5) * 16).astype(np.int32)
        cv2.polylines(picture, [eye], True, colour, thickness, cv2.LINE_AA, 4)
    for points in face.landmarks.values():
        for x, y in points:
            at = _pixel((box.x + x * box.width, box.y + y * box.height), picture)
            cv2.circle(picture, at, 2 * thickness, colour, -1, cv2.LINE_AA)


def _draw_label(picture: Picture, found: Found, colour: Colour, text_colour: Colour) -> None:
    """Above the box, or in it if the picture has no room above it."""
    name = "" if found.corners else (found.label or found.kind) + " "
    text = f"{name}{found.confidence:.2f}"
    height = text_height(picture)
    pad = max(1, height // 5)
    wide, high = size_of(text, height)
    wide += 2 * pad
    left, top, _, _ = _edges(found, picture)
    left = max(0, min(left, picture.shape[1] - wide))
    top = top - high if top >= high else top
    cv2.rectangle(picture, (left, top), (left + wide - 1, top + high - 1), colour, -1)
    write(picture, text, (left + pad, top), height, text_colour)


def _draw_measures(picture: Picture, strip: Found) -> None:
    """Below the box, centred, or above its label if the picture has no room below it."""
    rows, columns = picture.shape[:2]
    height = text_height(picture)
    left, top, right, bottom = _edges(strip, picture)
    texts = measures(strip, (columns, rows))
    sizes = [size_of(text, height) for text in texts]
    high = sum(size[1] for size in sizes) + height // 2
    y = bottom + height // 2 if bottom + high <= rows else top - sizes[0][1] - high
    for text, (wide, row) in zip(texts, sizes):
        x = (left + right - wide) // 2
        shade(picture, x - height // 4, y, x + wide + height // 4, y + row)
        write(picture, text, (x, y), height, WHITE)
        y += row
