"""Draws what a camera sees of a scene: faces over a background that turns with the camera.

Angles are degrees in the world, and increase to the right in the picture; with `grows_left`, as in
the picture of a mirrored camera, to the left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from .faces import CascadeFaces
from .text import size_of, write
from .upright import Picture

# The drawn face's own picture, in pixels, and the face's box in it, from ear to ear and from the
# hair to the chin. The cascades of OpenCV report a square with this middle and this height. That
# was measured with haarcascade_frontalface_default, _alt and _alt2, for faces from 36 to 280 pixels
# wide: they differ by up to 6 %.
FACE_SIZE = 480, 720
FACE_BOX = 240 - 316 / 2, 325 - 427 / 2, 316.0, 427.0
# Blue, green, red.
SKIN = 150, 185, 225
HAIR = 40, 50, 60
SHIRT = 110, 85, 60
# A panorama of the world is at most this wide. A narrower view is then less sharp.
MOST_COLUMNS = 8192

Colour = tuple[float, float, float]


@dataclass(frozen=True)
class Sprite:
    """A picture with transparency, in several sizes, each half as big as the one before."""

    # Colours multiplied by the opacity, 0...1, and the opacity: both as float32.
    levels: tuple[tuple[NDArray[Any], NDArray[Any]], ...]
    # The part of the first level that covers a face's box: left, top, width and height.
    box: tuple[float, float, float, float]

    @staticmethod
    def of(picture: Picture, opacity: NDArray[Any], box: Sequence[float]) -> Sprite:
        share = (opacity.astype(np.float32) / 255)[:, :, None]
        colours = picture.astype(np.float32) * share
        levels = [(colours, share)]
        while min(colours.shape[:2]) >= 8:
            size = colours.shape[1] // 2, colours.shape[0] // 2
            colours = cv2.resize(colours, size, interpolation=cv2.INTER_AREA)
            share = cv2.resize(share, size, interpolation=cv2.INTER_AREA)[:, :, None]
            levels.append((colours, share))
        left, top, width, height = map(float, box)
        return Sprite(tuple(levels), (left, top, width, height))

    def draw(self, picture: Picture, box: Sequence[float]) -> None:
        """Draws it so that its box has the middle and the height of `box`, in pixels."""
        x, y, width, height = box
        if not height > 0:
            return
        scale = height / self.box[3]
        left = x + width / 2 - (self.box[0] + self.box[2] / 2) * scale
        top = y + height / 2 - (self.box[1] + self.box[3] / 2) * scale
        rows, columns = self.levels[0][0].shape[:2]
        # The part of the picture that it covers.
        first = max(math.floor(left), 0), max(math.floor(top), 0)
        last = (
            min(math.ceil(left + columns * scale), picture.shape[1]),
            min(math.ceil(top + rows * scale), picture.shape[0]),
        )
        if last[0] <= first[0] or last[1] <= first[1]:
            return
        level = min(max(math.floor(-math.log2(scale)), 0), len(self.levels) - 1)
        colours, share = self.levels[level]
        # A smaller level has whole pixels, so its scale differs between the axes.
        across = columns / colours.shape[1] * scale
        down = rows / colours.shape[0] * scale
        # Pixels are placed by their middles.
        matrix = np.array(
            [
                [across, 0, left - first[0] + (across - 1) / 2],
                [0, down, top - first[1] + (down - 1) / 2],
            ]
        )
        size = last[0] - first[0], last[1] - first[1]
        colours = cv2.warpAffine(colours, matrix, size, flags=cv2.INTER_LINEAR)
        share = cv2.warpAffine(share, matrix, size, flags=cv2.INTER_LINEAR)[:, :, None]
        area = picture[first[1] : last[1], first[0] : last[0]]
        np.rint(area * (1 - share) + colours, out=colours)
        area[:] = colours


def drawn_face() -> Sprite:
    """A face that is drawn here. The cascades of OpenCV find it."""
    columns, rows = FACE_SIZE
    middle = columns / 2
    face = np.full((rows, columns, 3), HAIR, np.float32)

    def spot(
        x: float, y: float, wide: float, high: float, colour: Colour, soft: float, tilt: float = 0
    ) -> None:
        """An ellipse with half axes `wide` and `high`, whose edge is blurred by `soft` pixels."""
        layer = np.zeros((rows, columns), np.uint8)
        # In sixteenths of a pixel.
        points = [(round(x * 16), round(y * 16)), (round(wide * 16), round(high * 16))]
        cv2.ellipse(layer, *points, tilt, 0, 360, 255, -1, cv2.LINE_AA, 4)
        if soft:
            layer = cv2.GaussianBlur(layer, (0, 0), soft)
        share = (layer.astype(np.float32) / 255)[:, :, None]
        face[:] += (np.array(colour, np.float32) - face) * share

    cv2.rectangle(face, (columns // 2 - 90, 400), (columns // 2 + 90, rows), (105, 140, 180), -1)
    spot(middle, 735, 215, 175, SHIRT, 3)
    spot(middle, 560, 66, 60, (105, 140, 180), 5)
    spot(middle, 300, 158, 212, SKIN, 2)
    for side in (-1, 1):
        spot(middle + side * 150, 310, 40, 150, (100, 135, 180), 22)
    spot(middle, 85, 165, 85, HAIR, 5)
    for side in (-1, 1):
        eye = middle + side * 72
        spot(eye, 268, 52, 26, (85, 115, 155), 10)
        spot(eye, 238, 50, 9, (35, 45, 60), 3, tilt=-side * 3)
        spot(eye, 272, 34, 15, (215, 225, 230), 1.5)
        spot(eye, 271, 15, 15, (45, 40, 40), 1)
        spot(eye, 271, 6, 6, (10, 10, 10), 0)
        spot(eye - 5, 265, 3.5, 3.5, (250, 250, 250), 0)
        spot(eye, 262, 37, 6, (45, 60, 80), 2.5)
        spot(middle + side * 80, 355, 45, 35, (160, 195, 240), 18)
    spot(middle, 310, 13, 70, (175, 208, 245), 7)
    spot(middle, 372, 30, 16, (165, 198, 238), 6)
    for side in (-1, 1):
        spot(middle + side * 17, 382, 9, 5, (55, 75, 110), 2.5)
        spot(middle + side * 30, 360, 7, 22, (125, 158, 200), 6)
    spot(middle, 398, 34, 6, (115, 148, 190), 5)
    spot(middle, 432, 58, 15, (90, 95, 185), 3)
    spot(middle, 429, 56, 3.5, (40, 40, 90), 1.5)
    spot(middle, 458, 40, 7, (115, 148, 190), 6)
    spot(middle, 485, 36, 18, (162, 195, 236), 10)
    opacity = np.zeros((rows, columns), np.uint8)
    cv2.ellipse(opacity, (columns // 2, 255), (190, 230), 0, 0, 360, 255, -1, cv2.LINE_AA)
    cv2.rectangle(opacity, (columns // 2 - 75, 430), (columns // 2 + 75, rows), 255, -1)
    cv2.ellipse(opacity, (columns // 2, 735), (210, 170), 0, 0, 360, 255, -1, cv2.LINE_AA)
    opacity = cv2.GaussianBlur(opacity, (0, 0), 2)
    return Sprite.of(np.clip(np.rint(face), 0, 255).astype(np.uint8), opacity, FACE_BOX)


def face_of(picture: Picture) -> tuple[Sprite, bool]:
    """A picture of the user's as a face, and whether the cascade finds one in it.

    The face that is found covers the box. If none is found, the whole picture does.
    """
    colours = np.ascontiguousarray(picture[:, :, :3])
    rows, columns = colours.shape[:2]
    has_opacity = picture.shape[2] == 4
    opacity = picture[:, :, 3] if has_opacity else np.full((rows, columns), 255, np.uint8)
    found = CascadeFaces()(colours)
    if not found:
        return Sprite.of(colours, opacity, (0, 0, columns, rows)), False
    box = max(found, key=lambda one: one.box.width).box
    # The origin of an observation's box is at the lower left.
    top = 1 - box.y - box.height
    pixels = box.x * columns, top * rows, box.width * columns, box.height * rows
    return Sprite.of(colours, opacity, pixels), True


def drawn_room(columns: int, rows: int, seed: int, grows_left: bool = False) -> Picture:
    """A wall all around, with a scale of degrees. Its first column is at 0 degrees, and its angles
    grow in the same direction as the scene's."""
    random = np.random.default_rng(seed)
    hue = random.integers(0, 180)
    wall = cv2.cvtColor(np.uint8([[[hue, 40, 165]]]), cv2.COLOR_HSV2BGR)[0, 0].astype(np.float32)
    height = np.linspace(1.1, 0.9, rows, dtype=np.float32)[:, None, None]
    room = np.ascontiguousarray(np.broadcast_to(wall * height, (rows, columns, 3)))
    floor = round(rows * 0.86)
    room[floor:] = wall * 0.45
    room[floor : floor + max(rows // 60, 1)] = wall * 0.7
    room = np.clip(room, 0, 255).astype(np.uint8)
    for place in range(0, 360, 15):
        left = _column(place + random.uniform(1.5, 6), columns, grows_left)
        wide = round(columns / 360 * random.uniform(4, 7))
        high = round(rows * random.uniform(0.12, 0.3))
        top = round(rows * random.uniform(0.16, 0.45))
        # A frame with one colour: it must look like anything but a face.
        colour = cv2.cvtColor(
            np.uint8([[[random.integers(0, 180), 90, random.integers(90, 200)]]]),
            cv2.COLOR_HSV2BGR,
        )[0, 0]
        edge = max(rows // 120, 1)
        ends = (left, top), (left + wide, top + high)
        cv2.rectangle(room, *ends, [int(part) for part in wall * 0.5], -1)
        inner = (left + edge, top + edge), (left + wide - edge, top + high - edge)
        cv2.rectangle(room, *inner, [int(part) for part in colour], -1)
    _draw_scale(room, grows_left)
    return room


def _draw_scale(room: Picture, grows_left: bool) -> None:
    """A mark for each five degrees, and a number for each ten."""
    rows, columns = room.shape[:2]
    height = max(rows // 28, 8)
    for degrees in range(0, 360, 5):
        column = _column(degrees, columns, grows_left)
        is_ten = degrees % 10 == 0
        length = rows // 30 if is_ten else rows // 60
        cv2.line(room, (column, 0), (column, length), (60, 60, 60), max(rows // 300, 1))
        if is_ten:
            shown = str(degrees if degrees <= 180 else degrees - 360)
            wide, _ = size_of(shown, height)
            write(room, shown, (column - wide // 2, length), height, (60, 60, 60))


def _column(degrees: float, columns: int, grows_left: bool) -> int:
    share = -degrees / 360 if grows_left else degrees / 360
    return round(share % 1 * columns)


def all_around(picture: Picture, columns: int, rows: int) -> Picture:
    """A picture of the user's as a background: as high as the view, and repeated all around,
    every second time as a mirror image, so that its edges match."""
    wide = max(1, round(picture.shape[1] * rows / picture.shape[0]))
    # An even number of pictures fits exactly.
    count = 2 * max(1, round(columns / wide / 2))
    one = cv2.resize(picture, (max(1, -(-columns // count)), rows), interpolation=cv2.INTER_AREA)
    return np.tile(np.hstack([one, one[:, ::-1]]), (1, count // 2, 1))[:, :columns]


class Scenery:
    """What the camera sees, for each of its angles. `fov` is its horizontal field of view."""

    def __init__(
        self,
        width: int,
        height: int,
        fov: float,
        *,
        face: Sprite | None = None,
        background: Picture | None = None,
        seed: int = 1,
        grows_left: bool = False,
    ) -> None:
        self._size = width, height
        self._face = face or drawn_face()
        self._sign = -1 if grows_left else 1
        # The camera's focal length, in pixels: it is a pinhole, as everywhere in this project.
        focal = width / 2 / math.tan(math.radians(fov) / 2)
        self._columns = min(round(focal * 2 * math.pi), MOST_COLUMNS)
        if background is None:
            room = drawn_room(self._columns, height, seed, grows_left)
        else:
            room = all_around(background, self._columns, height)
        # A view can begin at any column.
        view = math.ceil(self._columns * fov / 360) + 4
        repeats = -(-view // self._columns)
        self._room = np.hstack([room] + [room] * repeats)[:, : self._columns + view]
        self._room = np.ascontiguousarray(self._room)
        # The world is a cylinder around the camera. A pixel shows the column at its angle, and a
        # row that is nearer to the middle at the sides.
        across = np.arange(width, dtype=np.float32) - (width - 1) / 2
        angles = np.arctan(across / focal)
        self._offset = (angles * (self._columns / 2 / math.pi)).astype(np.float32)
        rows = np.arange(height, dtype=np.float32) - (height - 1) / 2
        down = rows[:, None] * np.cos(angles)[None, :] + (height - 1) / 2
        self._down = np.ascontiguousarray(down.astype(np.float32))
        # The way to what a pixel shows is this far to the right, this far down, and 1 ahead.
        self._right, self._below = across / focal, rows / focal
        self._focal = focal

    def _tilted(self, middle: float, tilt: float) -> tuple[NDArray[Any], NDArray[Any]]:
        """The column and the row of the room that each pixel shows while the camera looks up or
        down. Above and below the room, its first and last row continue."""
        height = self._size[1]
        down = math.radians(tilt - 90)
        below = self._below * math.cos(down) + math.sin(down)
        ahead = math.cos(down) - self._below * math.sin(down)
        right = np.broadcast_to(self._right, (height, len(self._right)))
        level = np.maximum(np.hypot(right, ahead[:, None]), 1e-3)
        angles = np.arctan2(right, ahead[:, None])
        columns = (middle + angles * (self._columns / 2 / math.pi)) % self._columns
        places = below[:, None] / level * self._focal + (height - 1) / 2
        return columns.astype(np.float32), np.clip(places, -1, height).astype(np.float32)

    def draw(self, pan: float, faces: Sequence[Sequence[float]], tilt: float = 90) -> Picture:
        """The picture of a camera that looks at `pan` and `tilt`, in degrees: 90 is level, and more
        is further down.

        `faces` are boxes as shares of the picture, with the origin at the upper left; they can
        extend beyond the picture. Bigger ones are in front.
        """
        width, height = self._size
        middle = self._sign * pan / 360 * self._columns
        first = (middle + float(self._offset[0])) % self._columns
        across = self._offset - self._offset[0] + np.float32(first)
        columns, rows = np.ascontiguousarray(np.broadcast_to(across, (height, width))), self._down
        if tilt != 90:
            columns, rows = self._tilted(middle, tilt)
        picture = cv2.remap(
            self._room, columns, rows, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        for box in sorted(faces, key=lambda box: box[3]):
            x, y, wide, high = box
            self._face.draw(picture, (x * width, y * height, wide * width, high * height))
        return picture
