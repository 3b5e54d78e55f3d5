"""Writes text into pictures, with the font that Pillow includes."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from .observations import Size
from .upright import Picture

# Blue, green, red.
Colour = tuple[int, int, int]

BLACK: Colour = (0, 0, 0)
WHITE: Colour = (255, 255, 255)
# Longer texts are shortened.
MOST_CHARACTERS = 48
# The height of a row of text, as a multiple of the font's height.
ROW = 1.25


def size_of(text: str, height: int) -> Size:
    """The width and height in pixels that `write` needs, for a font of `height` pixels."""
    rows, columns = _mask(_line(text), height).shape
    return columns, rows


def write(picture: Picture, text: str, at: tuple[int, int], height: int, colour: Colour) -> None:
    """Writes a line with its upper left corner at `at`. Parts beyond the picture are left out."""
    mask = _mask(_line(text), height)
    rows, columns = mask.shape
    left, top = max(at[0], 0), max(at[1], 0)
    right = min(at[0] + columns, picture.shape[1])
    bottom = min(at[1] + rows, picture.shape[0])
    if right <= left or bottom <= top:
        return
    share = mask[top - at[1] : bottom - at[1], left - at[0] : right - at[0], None]
    area = picture[top:bottom, left:right]
    area[:] = np.rint(area + (np.array(colour) - area) * share)


def shade(picture: Picture, left: int, top: int, right: int, bottom: int) -> None:
    """Darkens an area, so that white text can be read on it."""
    area = picture[max(top, 0) : max(bottom, 0), max(left, 0) : max(right, 0)]
    area[:] = area // 3


def _line(text: str) -> str:
    shown = text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 3] + "..."
    return "".join(character if character.isprintable() else "?" for character in shown)


@lru_cache(maxsize=256)
def _mask(line: str, height: int) -> NDArray[Any]:
    """How much of each pixel the text covers, 0 to 1."""
    font = ImageFont.load_default(height)
    width = max(1, math.ceil(font.getlength(line)))
    image = Image.new("L", (width, math.ceil(ROW * height)))
    ImageDraw.Draw(image).text((0, 0), line, fill=255, font=font)
    return np.asarray(image) / 255
