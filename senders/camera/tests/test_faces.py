"""A face is found at its true position, anywhere in the frame."""

import math

import cv2
import pytest

from pictures import FACE_SIZE, astronaut, blank, with_face
from sentry_camera.faces import HALF, CascadeFaces, confidence
from sentry_camera.observations import biggest_first
from sentry_camera.upright import Upright


def middle(found, width, height):
    box = found.box
    return (box.x + box.width / 2) * width, (1 - box.y - box.height / 2) * height


MOVES = {"640x360": (640, 360, 0.6), "960x540": (960, 540, 1.0), "portrait": (390, 844, 1.2)}


@pytest.mark.parametrize(("width", "height", "scale"), MOVES.values(), ids=MOVES.keys())
def test_a_moving_face_is_found_on_every_frame(width, height, scale):
    detect = CascadeFaces()
    side = FACE_SIZE * scale
    for step in range(20):
        x = round(side + (width - 2 * side) * step / 19)
        y = round(height / 2 + (height / 2 - side) * math.sin(step / 3))
        found = biggest_first(detect(with_face(width, height, x, y, scale)))
        assert found, step
        its_x, its_y = middle(found[0], width, height)
        assert abs(its_x - x) < 0.1 * side and abs(its_y - y) < 0.1 * side, step
        assert 0.8 * side < found[0].box.height * height < 1.3 * side, step
        assert found[0].kind == "face" and found[0].confidence > 0.5


def test_two_faces_are_found():
    picture = cv2.hconcat([with_face(400, 400, 200, 200), with_face(400, 400, 200, 200, 1.4)])
    found = biggest_first(CascadeFaces()(picture))
    assert len(found) == 2
    for one, x in zip(found, (600, 200)):
        its_x, its_y = middle(one, 800, 400)
        assert abs(its_x - x) < 15 and abs(its_y - 200) < 15


BACK = {
    "up": None,
    "right": cv2.ROTATE_90_COUNTERCLOCKWISE,
    "down": cv2.ROTATE_180,
    "left": cv2.ROTATE_90_CLOCKWISE,
}


@pytest.mark.parametrize("orientation", BACK)
def test_the_face_in_a_turned_buffer_is_found_where_it_is_in_the_upright_picture(orientation):
    upright = with_face(480, 640, 160, 200)
    buffer = upright if BACK[orientation] is None else cv2.rotate(upright, BACK[orientation])
    (found,) = CascadeFaces()(Upright(orientation)(buffer))
    its_x, its_y = middle(found, 480, 640)
    assert abs(its_x - 160) < 10 and abs(its_y - 200) < 10


def test_a_face_in_the_square_is_found():
    (found,) = CascadeFaces()(Upright(crop="square")(with_face(960, 400, 480, 200)))
    its_x, its_y = middle(found, 400, 400)
    assert abs(its_x - 200) < 10 and abs(its_y - 200) < 10


def test_a_face_outside_the_square_is_not_found():
    assert CascadeFaces()(Upright(crop="square")(with_face(1200, 400, 200, 200))) == []


@pytest.mark.parametrize(("least", "count"), [(0.2, 1), (0.5, 0)])
def test_smaller_faces_are_not_found(least, count):
    assert len(CascadeFaces(least)(astronaut())) == count


@pytest.mark.parametrize("size", [(1, 1), (1, 500), (500, 1), (20, 20), (640, 360)])
def test_a_blank_picture_has_no_face(size):
    assert CascadeFaces()(blank(*size)) == []


def test_confidence_increases_with_the_votes():
    votes = [-math.inf, -1e9, 0, 50, 53.76, 55, 55.2, 56, 58, 1e9, math.inf]
    values = [confidence(most) for most in votes]
    assert values == sorted(values)
    assert all(0 <= value <= 1 for value in values)
    assert confidence(HALF) == 0.5
    assert confidence(53.76) < confidence(53.8) < confidence(57) < confidence(57.1)
