"""Observations, as values and as lines of JSON.

Coordinates are normalized to 0...1, with the origin at the lower left and y pointing up.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

Point = tuple[float, float]
Size = tuple[int, int]

# A millionth of a picture's side is far below a pixel.
DIGITS = 6


@dataclass(frozen=True)
class Box:
    """A lower left corner, a width and a height, within 0...1. The area is greater than 0."""

    x: float
    y: float
    width: float
    height: float

    @property
    def area(self) -> float:
        return self.width * self.height

    @staticmethod
    def of_pixels(left: float, top: float, right: float, bottom: float, size: Size) -> Box | None:
        """A box from edges in pixels, y pointing down, in a picture of `size` (width, height).

        Parts beyond the picture's edge are cut off. None if nothing is left.
        """
        width, height = size
        x, end = _cut(left / width), _cut(right / width)
        y, top_end = _cut(1 - bottom / height), _cut(1 - top / height)
        if end <= x or top_end <= y:
            return None
        return Box(x, y, round(end - x, DIGITS), round(top_end - y, DIGITS))


@dataclass(frozen=True)
class Found:
    """One thing that was detected."""

    kind: str
    box: Box
    # The detector's confidence, 0...1.
    confidence: float
    # For a rectangle: top left, top right, bottom right, bottom left.
    corners: Sequence[Point] = ()
    # For a face: points by name, normalized within its box.
    landmarks: Mapping[str, Sequence[Point]] = field(default_factory=dict)
    # For an object: what it is.
    label: str | None = None


def point_of_pixels(x: float, y: float, size: Size) -> Point:
    """A point from pixels, y pointing down, moved to the picture's edge if it is beyond it."""
    return _cut(x / size[0]), _cut(1 - y / size[1])


def biggest_first(found: Iterable[Found]) -> list[Found]:
    """Sorts for output: by area, then from the left, then from the bottom."""
    return sorted(found, key=lambda one: (-one.box.area, one.box.x, one.box.y))


def header(
    image: Size,
    orientation: str,
    mirrored: bool,
    crop: str,
    view: Size | None = None,
    fov: float | None = None,
) -> str:
    """The first line. `image` is the size that the camera delivers, before turning."""
    keys: dict[str, object] = {"format": "sentry-observations", "version": 1, "image": list(image)}
    keys |= {"orientation": orientation, "mirrored": mirrored, "crop": crop}
    if view is not None:
        keys["view"] = list(view)
    if fov is not None:
        keys["fov"] = fov
    return json.dumps(keys)


def line(time: float, found: Iterable[Found]) -> str:
    """The line for a frame at `time`, in seconds."""
    return json.dumps(frame_keys(time, found))


def frame_keys(time: float, found: Iterable[Found]) -> dict[str, object]:
    """The keys of a frame at `time`, in seconds."""
    return {"t": round(time, DIGITS), "found": [_keys(one) for one in found]}


def _keys(found: Found) -> dict[str, object]:
    box = found.box
    keys: dict[str, object] = {"kind": found.kind}
    if found.label is not None:
        keys["label"] = found.label
    keys["box"] = [box.x, box.y, box.width, box.height]
    keys["confidence"] = round(found.confidence, 4)
    if found.corners:
        keys["corners"] = [list(corner) for corner in found.corners]
    if found.landmarks:
        keys["landmarks"] = {
            name: [list(point) for point in points] for name, points in found.landmarks.items()
        }
    return keys


def _cut(value: float) -> float:
    return round(min(max(float(value), 0.0), 1.0), DIGITS)
