"""Strips are found where they were drawn."""

import numpy as np
import pytest

from pictures import rectangle, with_strips
from sentry_camera.strips import ColourRange, Strips, in_order

WIDTH, HEIGHT = 640, 480
# Pixels. A drawn edge lies between two pixels.
NEAR = 1.5

STRIPS = {
    "upright": (320, 240, 20, 80, 0),
    "lying": (320, 240, 80, 20, 0),
    "leaning right": (200, 150, 20, 90, 14.5),
    "leaning left": (440, 150, 20, 90, -14.5),
    "leaning far": (300, 300, 16, 100, 40),
    "leaning far to the left": (300, 300, 16, 100, -40),
    "in the upper left corner": (10, 40, 20, 80, 0),
    "in the lower right corner": (630, 440, 20, 80, 0),
    "square": (100, 400, 50, 50, 10),
}


def in_pixels(points):
    return np.array([(x * WIDTH, (1 - y) * HEIGHT) for x, y in points])


@pytest.mark.parametrize("strip", STRIPS.values(), ids=STRIPS.keys())
def test_a_strip_has_its_corners_in_order(strip):
    corners = rectangle(*strip)
    (found,) = Strips()(with_strips(WIDTH, HEIGHT, corners))
    assert found.kind == "rectangle"
    assert np.abs(in_pixels(found.corners) - corners).max() < NEAR
    assert found.confidence > 0.9
    box = found.box
    assert abs(box.x * WIDTH - corners[:, 0].min()) < NEAR
    assert abs((1 - box.y) * HEIGHT - corners[:, 1].max()) < NEAR
    assert abs(box.width * WIDTH - np.ptp(corners[:, 0])) < 2 * NEAR
    assert abs(box.height * HEIGHT - np.ptp(corners[:, 1])) < 2 * NEAR


@pytest.mark.parametrize("name", ["upright", "lying", "in the upper left corner"])
def test_edges_between_pixels_are_exact(name):
    strip = STRIPS[name]
    (found,) = Strips()(with_strips(WIDTH, HEIGHT, rectangle(*strip)))
    assert np.abs(in_pixels(found.corners) - rectangle(*strip)).max() < 1e-3
    assert found.confidence == 1


def test_two_pairs_are_four_strips():
    drawn = [
        rectangle(100, 200, 14, 70, 14.5),
        rectangle(190, 200, 14, 70, -14.5),
        rectangle(400, 200, 18, 90, 14.5),
        rectangle(520, 200, 18, 90, -14.5),
    ]
    found = Strips()(with_strips(WIDTH, HEIGHT, *drawn))
    assert len(found) == 4
    for corners in drawn:
        assert min(np.abs(in_pixels(one.corners) - corners).max() for one in found) < NEAR


def test_only_the_six_biggest_are_found():
    drawn = [rectangle(40 + 70 * i, 240, 10 + 2 * i, 40 + 6 * i) for i in range(8)]
    found = Strips()(with_strips(WIDTH, HEIGHT, *drawn))
    assert sorted(round(one.box.width * WIDTH) for one in found) == [14, 16, 18, 20, 22, 24]


@pytest.mark.parametrize(("least", "count"), [(0.1, 1), (0.099, 1), (0.101, 0)])
def test_the_longer_side_decides_about_the_size(least, count):
    picture = with_strips(WIDTH, HEIGHT, rectangle(320, 240, 12, 48))
    assert len(Strips(min_size=least)(picture)) == count


COLOURS = {
    "green": ((90, 255, 60), 1),
    "red": ((0, 0, 255), 0),
    "blue": ((255, 0, 0), 0),
    "white": ((255, 255, 255), 0),
}


@pytest.mark.parametrize(("colour", "count"), COLOURS.values(), ids=COLOURS.keys())
def test_only_green_is_lit(colour, count):
    picture = with_strips(WIDTH, HEIGHT, rectangle(320, 240, 20, 80), colour=colour)
    assert len(Strips()(picture)) == count


def test_a_range_of_hues_can_include_red():
    colours = ColourRange((170, 90, 90), (10, 255, 255))
    picture = with_strips(WIDTH, HEIGHT, rectangle(320, 240, 20, 80), colour=(0, 0, 255))
    assert len(Strips(colours)(picture)) == 1
    assert Strips(colours)(with_strips(WIDTH, HEIGHT, rectangle(320, 240, 20, 80))) == []


def test_a_dark_picture_has_no_strips():
    assert Strips()(with_strips(WIDTH, HEIGHT)) == []


def test_a_corner_beyond_the_edge_is_moved_to_it():
    (found,) = Strips()(with_strips(WIDTH, HEIGHT, rectangle(2, 240, 30, 90, 20)))
    assert all(0 <= value <= 1 for corner in found.corners for value in corner)
    assert found.box.x == 0


def test_corners_are_put_in_order():
    """At 45 degrees, the upper left side is the top."""
    corners = rectangle(50, 50, 20, 20, -45)
    for shift in range(4):
        for step in (1, -1):
            assert np.allclose(in_order(np.roll(corners, shift, axis=0)[::step]), corners)


def test_everything_found_is_within_the_picture():
    generator = np.random.default_rng(11)
    for _ in range(200):
        width, height = (int(side) for side in generator.integers(1, 200, 2))
        drawn = [
            rectangle(
                *generator.uniform(-20, 220, 2),
                *generator.uniform(1, 80, 2),
                generator.uniform(-180, 180),
            )
            for _ in range(4)
        ]
        for one in Strips()(with_strips(width, height, *drawn)):
            box = one.box
            assert 0 <= box.x and 0 <= box.y and box.width > 0 and box.height > 0
            assert box.x + box.width <= 1 + 1e-12 and box.y + box.height <= 1 + 1e-12
            assert all(0 <= value <= 1 for corner in one.corners for value in corner)
            assert len(one.corners) == 4 and 0 < one.confidence <= 1
