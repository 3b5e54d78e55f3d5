"""The outlines of eyes: worked out by hand, in pixels, y pointing down."""

import pytest

from sentry_camera.eyes import POINTS, outlines
from sentry_camera.observations import Box, Found

WHOLE = Box(0, 0, 1, 1)


def face(box=WHOLE, **landmarks):
    return Found("face", box, 1, landmarks={name: [point] for name, point in landmarks.items()})


def ends(outline):
    """The corners and the middles of the lids."""
    middle = POINTS // 2
    return outline[0], outline[POINTS - 1], outline[middle], outline[-middle]


def close(points, expected):
    return all(point == pytest.approx(other) for point, other in zip(points, expected, strict=True))


def test_an_eye_is_half_as_wide_as_the_distance_and_a_fifth_as_high():
    right, left = outlines(face(rightEye=(0.25, 0.75), leftEye=(0.75, 0.75)), (200, 100))
    assert len(right) == len(left) == 2 * POINTS - 2
    # The middles are (50, 25) and (150, 25), 100 pixels apart.
    assert close(ends(right), [(26, 25), (74, 25), (50, 35), (50, 15)])
    assert close(ends(left), [(126, 25), (174, 25), (150, 35), (150, 15)])


def test_the_eyes_lean_with_the_face():
    # The middles are (50, 150) and (110, 70): 100 pixels apart, up to the right.
    right, _ = outlines(face(rightEye=(0.25, 0.25), leftEye=(0.55, 0.65)), (200, 200))
    corners = [(50 - 0.24 * 60, 150 + 0.24 * 80), (50 + 0.24 * 60, 150 - 0.24 * 80)]
    lids = [(50 + 0.1 * 80, 150 + 0.1 * 60), (50 - 0.1 * 80, 150 - 0.1 * 60)]
    assert close(ends(right), corners + lids)


def test_the_points_are_within_the_faces_box():
    box = Box(0.5, 0.5, 0.25, 0.5)
    right, _ = outlines(face(box, rightEye=(0.2, 0.5), leftEye=(0.8, 0.5)), (400, 200))
    # The box is 200...300 across and 0...100 down, so the eyes are 60 pixels apart.
    assert close(ends(right), [(205.6, 50), (234.4, 50), (220, 56), (220, 44)])


def test_one_eye_has_its_size_from_the_box():
    (left,) = outlines(face(Box(0, 0, 0.5, 0.5), leftEye=(0.5, 0.5)), (200, 200))
    # The box is 100 pixels wide, so the eyes would be 40 pixels apart.
    assert close(ends(left), [(40.4, 150), (59.6, 150), (50, 154), (50, 146)])


NONE = {
    "no landmarks": face(),
    "no eyes": face(nose=(0.5, 0.5)),
    "both eyes at one place": face(rightEye=(0.5, 0.5), leftEye=(0.5, 0.5)),
    "an eye without points": Found("face", WHOLE, 1, landmarks={"leftEye": []}),
}


@pytest.mark.parametrize("found", NONE.values(), ids=NONE.keys())
def test_without_eyes_there_is_no_outline(found):
    assert outlines(found, (200, 100)) == []
