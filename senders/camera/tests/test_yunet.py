"""A network's rows become faces with landmarks.

The network is a stand-in, because OpenCV does not include its model.
"""

import numpy as np
import pytest

from pictures import blank
from sentry_camera.errors import ExitError
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
