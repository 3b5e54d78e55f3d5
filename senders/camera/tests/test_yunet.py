"""A network's rows become faces with landmarks.

OpenCV does not include the model, so most networks are stand-ins. One is a small network with the
model's outputs, which OpenCV's FaceDetectorYN runs.
"""

import numpy as np
import pytest

from networks import write_yunet
from pictures import as_delivered, blank
from sentry_camera.errors import ExitError
from sentry_camera.upright import Upright
from sentry_camera.yunet import ModelFaces, load

# Left, top, width, height; right eye, left eye, nose, right and left corner of the mouth; score.
# All in pixels, y pointing down.
ROW = [100, 50, 100, 100, 130, 90, 170, 90, 150, 110, 135, 130, 165, 130, 0.9]


class Network:
    def __init__(self, *rows):
        self.rows = np.array(rows, np.float32) if rows else None
        self.size = None

    def setInputSize(self, size):
        self.size = size

    def detect(self, picture):
        assert (picture.shape[1], picture.shape[0]) == self.size
        return 1, self.rows


def test_a_row_is_a_face_with_landmarks():
    (found,) = ModelFaces(Network(ROW))(blank(400, 200))
    assert found.kind == "face" and found.confidence == pytest.approx(0.9)
    box = found.box
    assert (box.x, box.y, box.width, box.height) == pytest.approx((0.25, 0.25, 0.25, 0.5))
    assert found.landmarks == {
        "rightEye": [(0.3, 0.6)],
        "leftEye": [(0.7, 0.6)],
        "nose": [(0.5, 0.4)],
        "rightMouthCorner": [(0.35, 0.2)],
        "leftMouthCorner": [(0.65, 0.2)],
    }


def test_a_big_picture_is_scaled_down():
    network = Network(ROW)
    (found,) = ModelFaces(network)(blank(1280, 640))
    assert network.size == (640, 320)
    assert found.box.x == pytest.approx(100 / 640)


def test_a_face_beyond_the_edge_is_cut_off_with_its_landmarks_there():
    row = [-50, 50, 100, 100, -20, 90, 20, 90, 0, 110, -15, 130, 15, 130, 0.8]
    (found,) = ModelFaces(Network(row))(blank(400, 200))
    assert (found.box.x, found.box.width) == pytest.approx((0, 0.125))
    assert found.landmarks == {
        "leftEye": [(0.4, 0.6)],
        "nose": [(0.0, 0.4)],
        "leftMouthCorner": [(0.3, 0.2)],
    }


@pytest.fixture(scope="module")
def detector(tmp_path_factory):
    return load(write_yunet(tmp_path_factory.mktemp("model") / "yunet.onnx"))


# The picture's size, and the left, top and side of a red square. FaceDetectorYN pads a picture to a
# multiple of 32 pixels on the right and below.
PICTURES = {
    "landscape": (640, 360, 128, 64, 32),
    "portrait": (360, 640, 128, 64, 32),
    "an odd size": (330, 200, 128, 64, 32),
    "big": (1280, 720, 256, 128, 64),
}


@pytest.mark.parametrize(
    ("width", "height", "left", "top", "side"), PICTURES.values(), ids=PICTURES.keys()
)
@pytest.mark.parametrize("orientation", ["up", "right"])
def test_a_face_with_landmarks_is_found(detector, width, height, left, top, side, orientation):
    upright = blank(width, height)
    upright[top : top + side, left : left + side] = 0, 0, 255
    picture = Upright(orientation)(as_delivered(upright, orientation))
    (found,) = ModelFaces(detector)(picture)
    assert found.confidence == pytest.approx(1, abs=0.01)
    # The box is twice as big as the square, with the same middle.
    box = found.box.x, found.box.y, found.box.width, found.box.height
    bottom = height - top - side * 1.5
    expected = [(left - side / 2) / width, bottom / height, side * 2 / width, side * 2 / height]
    assert box == pytest.approx(expected, abs=2e-6)
    # In shares of the square, from its upper left corner, the right eye is at (1/8, 1/4), so it is
    # at ((1/2 + 1/8) / 2, 1 - (1/2 + 1/4) / 2) within the box.
    assert found.landmarks == {
        "rightEye": [(0.3125, 0.625)],
        "leftEye": [(0.6875, 0.625)],
        "nose": [(0.5, 0.5)],
        "rightMouthCorner": [(0.375, 0.25)],
        "leftMouthCorner": [(0.625, 0.25)],
    }


NOTHING = {
    "no rows": [],
    "wholly outside": [[500, *ROW[1:]]],
    "not a number": [[float("nan"), *ROW[1:]]],
    "too small": [[100, 50, 10, 10, *ROW[4:]]],
}


@pytest.mark.parametrize("rows", NOTHING.values(), ids=NOTHING.keys())
def test_an_implausible_row_is_not_a_face(rows):
    assert ModelFaces(Network(*rows), min_size=0.1)(blank(400, 200)) == []


def test_a_missing_model_is_an_error(tmp_path):
    with pytest.raises(ExitError, match="model .* does not exist") as error:
        load(tmp_path / "none.onnx")
    assert error.value.status == 66


def test_a_file_that_is_not_a_model_is_an_error(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_text("hello")
    with pytest.raises(ExitError, match="not a model") as error:
        load(path)
    assert error.value.status == 65
