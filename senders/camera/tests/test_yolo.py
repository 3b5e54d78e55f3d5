"""Objects from a network's output: small networks with known outputs, and stand-ins."""

import random

import numpy as np
import pytest

from networks import LABELS, write_yolo
from pictures import as_delivered, blank
from sentry_camera.errors import ExitError
from sentry_camera.observations import biggest_first
from sentry_camera.upright import Upright
from sentry_camera.yolo import MOST_BOXES, Objects, load, split

RED, BLUE = (0, 0, 255), (255, 0, 0)


@pytest.fixture(scope="module", params=[5, 8], ids=["YOLOv5", "YOLOv8"])
def network(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("networks")
    return load(write_yolo(folder / "yolo.onnx", request.param)), {5: 0.5, 8: 1.0}[request.param]


def painted(width, height, *squares):
    """A grey picture with coloured squares: left, top and side in pixels."""
    picture = blank(width, height)
    for left, top, side, colour in squares:
        picture[top : top + side, left : left + side] = colour
    return picture


def values(found):
    return found.box.x, found.box.y, found.box.width, found.box.height


# A picture, with or without a crop; a red and a blue square that each fill a square of 40 pixels
# that the network looks at; the boxes that it must find: 60 by 40 of its pixels around the middle.
PLACES = {
    # Scaled by 1/2, 140 pixels down: 280...360 is 280...320, in the middle of which is (100, 300).
    "landscape": (
        (1280, 720),
        "none",
        ((160, 280, 80, RED), (880, 440, 80, BLUE)),
        (140 / 1280, 360 / 720, 120 / 1280, 80 / 720),
        (860 / 1280, 200 / 720, 120 / 1280, 80 / 720),
    ),
    # Scaled by 1/2, 140 pixels to the right.
    "portrait": (
        (720, 1280),
        "none",
        ((280, 160, 80, RED), (440, 880, 80, BLUE)),
        (260 / 720, 1040 / 1280, 120 / 720, 80 / 1280),
        (420 / 720, 320 / 1280, 120 / 720, 80 / 1280),
    ),
    # The square is 480 pixels from the left, and not scaled.
    "cropped": (
        (1600, 640),
        "square",
        ((520, 80, 40, RED), (1000, 400, 40, BLUE)),
        (30 / 640, 520 / 640, 60 / 640, 40 / 640),
        (510 / 640, 200 / 640, 60 / 640, 40 / 640),
    ),
    # Enlarged to twice the size, 80 pixels down: 20 pixels are 40.
    "small": (
        (320, 240),
        "none",
        ((40, 60, 20, RED), (200, 180, 20, BLUE)),
        (35 / 320, 160 / 240, 30 / 320, 20 / 240),
        (195 / 320, 40 / 240, 30 / 320, 20 / 240),
    ),
}


@pytest.mark.parametrize(
    ("size", "crop", "squares", "red", "blue"), PLACES.values(), ids=PLACES.keys()
)
def test_objects_are_found_where_they_are(network, size, crop, squares, red, blue):
    net, confidence = network
    found = Objects(net, LABELS)(Upright(crop=crop)(painted(*size, *squares)))
    found.sort(key=lambda one: one.label, reverse=True)
    assert [(one.kind, one.label) for one in found] == [("object", "red"), ("object", "blue")]
    assert [one.confidence for one in found] == pytest.approx([confidence] * 2, abs=0.03)
    assert values(found[0]) == pytest.approx(red, abs=2e-6)
    assert values(found[1]) == pytest.approx(blue, abs=2e-6)


@pytest.mark.parametrize("mirrored", [False, True], ids=["", "mirrored"])
@pytest.mark.parametrize("orientation", ["up", "right", "down", "left"])
def test_objects_in_a_turned_or_mirrored_buffer_are_found(network, orientation, mirrored):
    net, _ = network
    width, height = (720, 1280) if orientation in ("right", "left") else (1280, 720)
    # The red square's middle, worked out from the left and from the top.
    x, y = (320, 200) if width == 720 else (200, 320)
    upright = painted(width, height, (x - 40, y - 40, 80, RED))
    buffer = as_delivered(upright, orientation, mirrored)
    assert buffer.shape == (720, 1280, 3)
    (found,) = Objects(net, LABELS)(Upright(orientation)(buffer))
    # In a mirror image, right is left; the detector does not change that.
    x = width - x if mirrored else x
    expected = ((x - 60) / width, 1 - (y + 40) / height, 120 / width, 80 / height)
    assert (found.label, values(found)) == ("red", pytest.approx(expected, abs=2e-6))


class Network:
    """A network whose output is always the same."""

    def __init__(self, output):
        self.output = np.array(output, np.float32)

    def setInput(self, blob):
        assert blob.shape == (1, 3, 640, 640)
        assert blob.min() >= 0 and blob.max() <= 1

    def forward(self):
        return self.output


def version_8(*rows):
    return Network([np.array(rows, np.float32).T])


# Middle and size of the box, and the confidences in `cat` and `dog`.
CAT = (100, 100, 100, 100, 0.9, 0.0)
# Moved by a quarter, two boxes have 75 of 125 parts in common: 0.6.
AT_THE_LIMIT = (125, 100, 100, 100, 0.8, 0.0)
# 76 of 124 parts: 0.613.
OVER_THE_LIMIT = (124, 100, 100, 100, 0.8, 0.0)
OVERLAPS = {
    "equal": ([CAT, CAT], {}, [0.9]),
    "at the limit": ([CAT, AT_THE_LIMIT], {}, [0.9, 0.8]),
    "over the limit": ([CAT, OVER_THE_LIMIT], {}, [0.9]),
    "the better one last": ([OVER_THE_LIMIT, CAT], {}, [0.9]),
    "another label": ([CAT, (*OVER_THE_LIMIT[:4], 0.0, 0.8)], {}, [0.9, 0.8]),
    "a higher limit": ([CAT, OVER_THE_LIMIT], {"max_overlap": 0.65}, [0.9, 0.8]),
    "no limit": ([CAT, CAT], {"max_overlap": 1.0}, [0.9, 0.9]),
    "no overlap allowed": ([CAT, (199, 100, 100, 100, 0.8, 0)], {"max_overlap": 0.0}, [0.9]),
    "next to each other": ([CAT, (200, 100, 100, 100, 0.8, 0)], {"max_overlap": 0.0}, [0.9, 0.8]),
    # The second one is dropped, so it does not drop the third.
    "a chain": ([CAT, OVER_THE_LIMIT, (150, 100, 100, 100, 0.7, 0)], {}, [0.9, 0.7]),
}


@pytest.mark.parametrize(("rows", "limits", "expected"), OVERLAPS.values(), ids=OVERLAPS.keys())
def test_of_two_that_overlap_too_much_the_less_confident_is_dropped(rows, limits, expected):
    found = Objects(version_8(*rows), ["cat", "dog"], **limits)(blank(640, 640))
    confidences = sorted((one.confidence for one in found), reverse=True)
    assert confidences == pytest.approx(expected)


CONFIDENCES = {
    "at the limit": ((0.4, 0.1), {}, ["cat"]),
    "below the limit": ((0.399, 0.1), {}, []),
    "the best label": ((0.5, 0.6), {}, ["dog"]),
    "a higher limit": ((0.5, 0.6), {"min_confidence": 0.61}, []),
    "a limit that is not exact in 32 bits": ((0.7, 0.6), {"min_confidence": 0.7}, ["cat"]),
    "no limit": ((0.001, 0.0), {"min_confidence": 0.0}, ["cat"]),
    "no confidence": ((0.0, 0.0), {"min_confidence": 0.0}, []),
}


@pytest.mark.parametrize(
    ("scores", "limits", "labels"), CONFIDENCES.values(), ids=CONFIDENCES.keys()
)
@pytest.mark.parametrize("version", [5, 8])
def test_an_object_below_the_confidence_is_dropped(version, scores, limits, labels):
    row = (*CAT[:4], *scores) if version == 8 else (*CAT[:4], 1.0, *scores)
    network = version_8(row) if version == 8 else Network([[row]])
    found = Objects(network, ["cat", "dog"], **limits)(blank(640, 640))
    assert [one.label for one in found] == labels


def test_version_5_multiplies_by_the_objectness():
    row = (*CAT[:4], 0.5, 0.0, 0.875)
    (found,) = Objects(Network([[row]]), ["cat", "dog"])(blank(640, 640))
    assert (found.label, found.confidence) == ("dog", 0.4375)


IMPLAUSIBLE = {
    "not a number": (float("nan"), 100, 10, 10, 0.9, 0),
    "no confidence": (100, 100, 10, 10, float("nan"), float("nan")),
    "infinite": (100, 100, float("inf"), 10, 0.9, 0),
    "infinitely sure": (100, 100, 10, 10, float("inf"), 0),
    "no width": (100, 100, 0, 10, 0.9, 0),
    "negative": (100, 100, 10, -10, 0.9, 0),
    "outside": (-100, 100, 10, 10, 0.9, 0),
    "too low": (100, 100, 10, 63, 0.9, 0),
}


@pytest.mark.parametrize("row", IMPLAUSIBLE.values(), ids=IMPLAUSIBLE.keys())
def test_an_implausible_box_is_not_an_object(row):
    assert Objects(version_8(row), ["cat", "dog"], min_size=0.1)(blank(640, 640)) == []


def test_a_confidence_above_1_is_1():
    (found,) = Objects(version_8((*CAT[:4], 1.5, 0)), ["cat", "dog"])(blank(640, 640))
    assert found.confidence == 1


def test_too_many_boxes_are_reported_once_and_the_most_confident_are_used(capsys):
    rows = np.zeros((MOST_BOXES + 5, 6), np.float32)
    rows[:, :4] = 100, 100, 10, 10
    rows[:, 4] = np.linspace(0.5, 0.9, len(rows))
    detect = Objects(version_8(*rows), ["cat", "dog"], max_overlap=1.0)
    for _ in range(2):
        found = detect(blank(640, 640))
        assert len(found) == MOST_BOXES
        assert min(one.confidence for one in found) == pytest.approx(rows[5, 4])
    assert capsys.readouterr().err == (
        "sentry-camera: the model finds more than 1000 boxes; the most confident are used.\n"
    )


SHAPES = [(), (6,), (2, 6), (2, 1, 6), (1, 6, 0), (1, 5, 9), (1, 9, 8), (1, 1, 6, 9)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_an_output_of_another_shape_is_an_error(shape):
    with pytest.raises(ExitError, match="Check that the labels are those of the model") as error:
        Objects(Network(np.zeros(shape)), ["cat", "dog"])
    assert error.value.status == 65


def test_the_error_about_a_shape_names_what_was_expected():
    with pytest.raises(ExitError) as error:
        split(np.zeros((1, 84, 8400)), 3)
    assert "the shape 1 x 84 x 8400; with 3 labels, expected 1 x boxes x 8" in str(error.value)


def test_any_output_of_a_network_becomes_boxes_within_the_picture():
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    generator = np.random.default_rng(seed)
    special = np.array([np.nan, np.inf, -np.inf, 3e38, -3e38, 1e-45, 0, -1, 640], np.float32)
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        for number in range(200):
            rows = generator.uniform(-100, 800, (40, 7)).astype(np.float32)
            rows[:, 4:] = generator.uniform(-0.2, 1.2, (40, 3))
            chosen = generator.random(rows.shape) < 0.1
            rows[chosen] = generator.choice(special, chosen.sum())
            output = rows[None] if number % 2 else rows[None, :, :6].transpose(0, 2, 1)
            size = generator.integers(1, 3000, 2)
            found = Objects(Network(output), ["cat", "dog"], 0.0, 0.5)(blank(*size.tolist()))
            for one in biggest_first(found):
                x, y, width, height = values(one)
                assert 0 <= x and 0 <= y and x + width <= 1 + 1e-12 and y + height <= 1 + 1e-12
                assert 0 < one.confidence <= 1


def test_a_model_for_another_size_is_an_error(tmp_path):
    network = load(write_yolo(tmp_path / "small.onnx", side=320))
    with pytest.raises(ExitError) as error:
        Objects(network, LABELS)
    assert error.value.status == 65


def test_a_missing_model_is_an_error(tmp_path):
    with pytest.raises(ExitError, match="model .* does not exist") as error:
        load(tmp_path / "none.onnx")
    assert error.value.status == 66


def test_a_model_without_a_layer_is_an_error(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(b"\x08\x08\x3a\x00")
    with pytest.raises(ExitError) as error:
        Objects(load(path), LABELS)
    assert error.value.status == 65


@pytest.mark.parametrize("content", [b"", b"hello"])
def test_a_file_that_is_not_a_model_is_an_error(tmp_path, content):
    path = tmp_path / "model.onnx"
    path.write_bytes(content)
    with pytest.raises(ExitError, match="model.onnx is not an ONNX model") as error:
        load(path)
    assert error.value.status == 65
