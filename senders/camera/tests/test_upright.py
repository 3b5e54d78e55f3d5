"""Turning and cropping, checked by where each pixel ends up."""

import numpy as np
import pytest

from pictures import as_delivered
from sentry_camera.upright import Upright

# A buffer of 3 by 2 pixels, numbered by rows.
BUFFER = np.arange(6, dtype=np.uint8).reshape(2, 3)

TURNED = {
    "up": [[0, 1, 2], [3, 4, 5]],
    "right": [[3, 0], [4, 1], [5, 2]],
    "down": [[5, 4, 3], [2, 1, 0]],
    "left": [[2, 5], [1, 4], [0, 3]],
}


@pytest.mark.parametrize("orientation", TURNED)
def test_a_buffer_is_turned(orientation):
    assert Upright(orientation)(BUFFER).tolist() == TURNED[orientation]


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("orientation", TURNED)
def test_a_delivered_picture_is_upright_again(orientation, mirrored):
    turned = Upright(orientation)(as_delivered(BUFFER, orientation, mirrored))
    assert turned.tolist() == ([[2, 1, 0], [5, 4, 3]] if mirrored else BUFFER.tolist())


CROPPED = {
    "wide": ((4, 10), (4, 4)),
    "high": ((10, 4), (4, 4)),
    "odd": ((4, 9), (4, 4)),
    "square": ((5, 5), (5, 5)),
}


@pytest.mark.parametrize(("shape", "expected"), CROPPED.values(), ids=CROPPED.keys())
def test_the_square_is_in_the_middle(shape, expected):
    y, x = np.mgrid[0 : shape[0], 0 : shape[1]]
    square = Upright(crop="square")(np.dstack([x, y, x]).astype(np.uint8))
    assert square.shape[:2] == expected
    for axis, channel in ((1, 0), (0, 1)):
        values = square[:, :, channel]
        assert abs((values.min() + values.max()) / 2 - (shape[axis] - 1) / 2) <= 0.5


def test_a_picture_is_turned_before_it_is_cropped():
    buffer = np.zeros((4, 10, 3), np.uint8)
    assert Upright("right", "square")(buffer).shape == (4, 4, 3)
