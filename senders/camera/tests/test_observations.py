"""Observations as values and as lines."""

import json
import random

import pytest

from sentry_camera.observations import Box, Found, biggest_first, header, line, point_of_pixels

# Left, top, right, bottom in 200 by 100 pixels; x, y, width, height.
BOXES = {
    "upper left": ((0, 0, 20, 10), (0, 0.9, 0.1, 0.1)),
    "lower right": ((180, 90, 200, 100), (0.9, 0, 0.1, 0.1)),
    "all": ((0, 0, 200, 100), (0, 0, 1, 1)),
    "over the left": ((-50, 20, 50, 40), (0, 0.6, 0.25, 0.2)),
    "over all edges": ((-50, -50, 500, 500), (0, 0, 1, 1)),
    "wholly outside": ((-50, 20, -10, 40), None),
    "below": ((20, 100, 40, 140), None),
    "no width": ((20, 20, 20, 40), None),
    "negative": ((40, 20, 20, 40), None),
}


@pytest.mark.parametrize(("edges", "expected"), BOXES.values(), ids=BOXES.keys())
def test_a_box_is_made_from_pixels(edges, expected):
    box = Box.of_pixels(*edges, (200, 100))
    assert box == (None if expected is None else Box(*expected))


def test_boxes_are_within_the_picture():
    generator = random.Random(7)
    for _ in range(5000):
        size = generator.randint(1, 4000), generator.randint(1, 4000)
        edges = [generator.uniform(-0.5, 1.5) * size[i % 2] for i in range(4)]
        box = Box.of_pixels(*edges, size)
        if box is not None:
            assert 0 <= box.x and 0 <= box.y and box.width > 0 and box.height > 0
            assert box.x + box.width <= 1 + 1e-12 and box.y + box.height <= 1 + 1e-12
        assert all(0 <= value <= 1 for value in point_of_pixels(edges[0], edges[1], size))


def test_the_header_has_everything_known():
    assert json.loads(header((1920, 1080), "right", True, "square", (390, 844), 60.0)) == {
        "format": "sentry-observations",
        "version": 1,
        "image": [1920, 1080],
        "orientation": "right",
        "mirrored": True,
        "crop": "square",
        "view": [390, 844],
        "fov": 60.0,
    }


def test_the_header_omits_what_is_unknown():
    keys = json.loads(header((640, 480), "up", False, "none"))
    assert list(keys) == ["format", "version", "image", "orientation", "mirrored", "crop"]


def test_lines_are_json():
    assert line(1 / 30, []) == '{"t": 0.033333, "found": []}'
    face = Found("face", Box(0.4, 0.55, 0.1, 0.12), 0.98765, landmarks={"nose": [(0.5, 0.4)]})
    assert line(0, [face]) == (
        '{"t": 0, "found": [{"kind": "face", "box": [0.4, 0.55, 0.1, 0.12], "confidence": 0.9877, '
        '"landmarks": {"nose": [[0.5, 0.4]]}}]}'
    )
    strip = Found("rectangle", Box(0, 0, 1, 1), 1, corners=[(0, 1), (1, 1), (1, 0), (0, 0)])
    assert json.loads(line(0, [strip]))["found"][0]["corners"] == [[0, 1], [1, 1], [1, 0], [0, 0]]


def test_the_biggest_is_first_and_of_equal_ones_the_leftmost():
    def found(x, y, side):
        return Found("face", Box(x, y, side, side), 1)

    places = [(0.5, 0.5, 0.3), (0.1, 0.2, 0.2), (0.1, 0.4, 0.2), (0.3, 0, 0.2), (0, 0, 0.1)]
    ordered = [found(*place) for place in places]
    generator = random.Random(3)
    for _ in range(20):
        shuffled = generator.sample(ordered, len(ordered))
        assert biggest_first(shuffled) == ordered
