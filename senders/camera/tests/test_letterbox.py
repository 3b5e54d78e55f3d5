"""A picture in the network's square, and its boxes: worked out by hand."""

import random

import pytest

from pictures import blank
from sentry_camera.letterbox import GREY, Letterbox

# The picture's size; its size and upper left corner within 640 by 640.
SIZES = {
    "landscape": ((1920, 1080), (640, 360), (0, 140)),
    "portrait": ((1080, 1920), (360, 640), (140, 0)),
    "square": ((1080, 1080), (640, 640), (0, 0)),
    "small": ((320, 240), (640, 480), (0, 80)),
    "an odd rest": ((1000, 333), (640, 213), (0, 213)),
    "a line": ((5000, 1), (640, 1), (0, 319)),
}


@pytest.mark.parametrize(("size", "scaled", "corner"), SIZES.values(), ids=SIZES.keys())
def test_a_picture_keeps_its_shape_in_the_middle_of_the_square(size, scaled, corner):
    letterbox = Letterbox(size, 640)
    assert (letterbox.scaled, letterbox.corner) == (scaled, corner)
    square = letterbox(blank(*size, grey=200))
    assert square.shape == (640, 640, 3)
    (left, top), (width, height) = corner, scaled
    assert (square[top : top + height, left : left + width] == 200).all()
    outside = square.astype(int).sum() - 200 * 3 * width * height
    assert outside == GREY * 3 * (640 * 640 - width * height)


# The picture's size; middle and size of the box in the square; x, y, width and height of the box.
BOXES = {
    # 288...352 of 640 across; 302...338 is 162...198 of 360 down.
    "landscape": ((1920, 1080), (320, 320, 64, 36), (0.45, 0.45, 0.1, 0.1)),
    # 185...275 is 45...135 of 360 across; 70...130 of 640 down.
    "portrait": ((1080, 1920), (230, 100, 90, 60), (0.125, 0.796875, 0.25, 0.09375)),
    # 96...224 of 640 across; 448...512 of 640 down.
    "square": ((1080, 1080), (160, 480, 128, 64), (0.15, 0.2, 0.2, 0.1)),
    # 0...128 of 640 across; 32...128 is -48...48 of 480 down.
    "over the upper edge": ((320, 240), (64, 80, 128, 96), (0, 0.9, 0.2, 0.1)),
    # 520...680 of 640 across; 480...500 is 340...360 of 360 down.
    "over the right edge": ((1920, 1080), (600, 490, 160, 20), (0.8125, 0, 0.1875, 0.055556)),
    "in the grey": ((1920, 1080), (320, 60, 100, 100), None),
    "no width": ((1920, 1080), (320, 320, 0, 10), None),
}


@pytest.mark.parametrize(("size", "box", "expected"), BOXES.values(), ids=BOXES.keys())
def test_a_box_is_mapped_back(size, box, expected):
    found = Letterbox(size, 640).box(*box)
    if expected is None:
        assert found is None
    else:
        values = found.x, found.y, found.width, found.height
        assert values == pytest.approx(expected, abs=1e-6)


def test_a_box_of_any_picture_is_mapped_to_the_square_and_back():
    generator = random.Random(11)
    for _ in range(2000):
        size = generator.randint(16, 4000), generator.randint(16, 4000)
        letterbox = Letterbox(size, 640)
        x, y = (
            sorted(generator.random() for _ in range(2)),
            sorted(generator.random() for _ in range(2)),
        )
        if x[1] - x[0] < 1e-3 or y[1] - y[0] < 1e-3:
            continue
        (left, top), (width, height) = letterbox.corner, letterbox.scaled
        middle = left + sum(x) / 2 * width, top + (1 - sum(y) / 2) * height
        found = letterbox.box(*middle, (x[1] - x[0]) * width, (y[1] - y[0]) * height)
        values = found.x, found.y, found.width, found.height
        assert values == pytest.approx((x[0], y[0], x[1] - x[0], y[1] - y[0]), abs=3e-6)
