"""What was found is drawn: the target in red, others in yellow, with labels."""

import pytest

from pictures import blank
from sentry_camera.boxes import OTHER, TARGET, draw_found, measures
from sentry_camera.observations import Box, Found

BIG = Found("face", Box(0.5, 0.4, 0.4, 0.4), 1, landmarks={"nose": [(0.5, 0.5)]})
SMALL = Found("face", Box(0.1, 0.1, 0.2, 0.2), 1)
CORNERS = [(0.2, 0.3), (0.3, 0.2), (0.2, 0.1), (0.1, 0.2)]
STRIP = Found("rectangle", Box(0.1, 0.1, 0.2, 0.2), 1, corners=CORNERS)


def seen(picture, found, target=0):
    copy = picture.copy()
    draw_found(copy, found, target)
    return copy


def colour(picture, x, y):
    return tuple(int(value) for value in picture[y, x])


def test_boxes_and_landmarks():
    result = seen(blank(200, 100), [BIG, SMALL])
    assert colour(result, 100, 40) == TARGET and colour(result, 180, 40) == TARGET
    assert colour(result, 140, 40) == TARGET
    assert colour(result, 20, 80) == OTHER and colour(result, 40, 70) == OTHER
    assert colour(result, 5, 5) == (127, 127, 127)


def test_any_of_them_can_be_the_target():
    result = seen(blank(200, 100), [BIG, SMALL], 1)
    assert colour(result, 100, 50) == OTHER and colour(result, 20, 80) == TARGET
    result = seen(blank(200, 100), [BIG, SMALL], None)
    assert colour(result, 100, 50) == OTHER and colour(result, 20, 80) == OTHER


def test_eyes_are_outlined():
    landmarks = {"rightEye": [(0.25, 0.5)], "leftEye": [(0.75, 0.5)]}
    face = Found("face", Box(0.25, 0.25, 0.5, 0.5), 1, landmarks=landmarks)
    # The middles are at (75, 100) and (125, 100): 50 pixels apart, so an eye is 24 by 10 pixels.
    result = seen(blank(200, 200), [face])
    for x in (75, 125):
        assert colour(result, x, 100) == TARGET
        for reddish in ((x - 12, 99), (x + 11, 99), (x, 94), (x, 104)):
            assert colour(result, *reddish)[2] > 150 > colour(result, *reddish)[0]
        for between in ((x, 97), (x - 6, 99), (x - 16, 100), (x - 10, 95)):
            assert colour(result, *between) == (127, 127, 127)


def test_the_target_is_drawn_over_the_others():
    assert colour(seen(blank(200, 100), [BIG, BIG]), 100, 40) == TARGET
    assert colour(seen(blank(200, 100), [BIG, BIG], 1), 100, 40) == TARGET


def test_corners_are_joined():
    result = seen(blank(200, 200), [STRIP])
    assert colour(result, 50, 150) == TARGET
    # The lower left corner of the box is not a corner of the strip.
    assert colour(result, 20, 179) == (127, 127, 127)


# The box in a picture of 400 by 300 pixels, and a pixel above the letters of its label.
LABELS = {
    "above": (Box(0.25, 0.25, 0.25, 0.25), (100, 138)),
    "in the box at the top": (Box(0.25, 0.5, 0.25, 0.5), (101, 1)),
    "within the right edge": (Box(0.98, 0.25, 0.02, 0.25), (360, 138)),
}


@pytest.mark.parametrize(("box", "at"), LABELS.values(), ids=LABELS.keys())
def test_the_label_is_at_the_upper_left_corner_of_the_box(box, at):
    cat = Found("object", box, 0.8, label="cat")
    result = seen(blank(400, 300), [cat], None)
    assert colour(result, *at) == OTHER
    # Black letters on yellow.
    x, y = at
    assert (result[y : y + 14, x : x + 58] == 0).all(axis=2).any()


# Corners in pixels of a picture of 200 by 100, y pointing up, and what is written.
STRIPS = {
    "upright": ([(50, 90), (60, 90), (60, 50), (50, 50)], "0°", "ratio 0.25", "at 0.28, 0.70"),
    "leans right": ([(80, 40), (90, 40), (70, 0), (60, 0)], "27°", "ratio 0.75", "at 0.38, 0.20"),
    "leans left": ([(60, 40), (70, 40), (90, 0), (80, 0)], "-27°", "ratio 0.75", "at 0.38, 0.20"),
    "lying": ([(10, 20), (50, 20), (50, 10), (10, 10)], "90°", "ratio 4.00", "at 0.15, 0.15"),
}


@pytest.mark.parametrize(("corners", "lean", "ratio", "place"), STRIPS.values(), ids=STRIPS.keys())
def test_a_strip_has_an_angle_an_aspect_ratio_and_a_place(corners, lean, ratio, place):
    shares = [(x / 200, y / 100) for x, y in corners]
    xs, ys = zip(*shares)
    box = Box(min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys))
    strip = Found("rectangle", box, 0.9, corners=shares)
    assert measures(strip, (200, 100)) == [lean, ratio, place]
    # Whatever the size of the picture, the text is drawn without an error.
    for size in ((200, 100), (20, 10), (1, 1)):
        seen(blank(*size), [strip])
