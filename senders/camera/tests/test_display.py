"""The program draws the decisions of `aim` into a video, and rejects wrong options."""

import json
import os

import cv2
import numpy as np
import pytest

from networks import write_yolo
from pictures import blank, rectangle, with_strips
from sentry_camera.cli import main

HEADER = '{"format": "sentry-trace", "version": 1}\n'


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Ten pictures with a green rectangle that moves from left to right, and a small one that does
    not."""
    monkeypatch.chdir(tmp_path)
    for number in range(10):
        moving = rectangle(60 + 40 * number, 150, 20, 80)
        picture = with_strips(480, 360, moving, rectangle(420, 240, 10, 30))
        cv2.imwrite(f"{number}.png", picture)
    return tmp_path


PICTURES = [f"{number}.png" for number in range(10)]


def frames(name):
    capture = cv2.VideoCapture(name)
    pictures = []
    while (read := capture.read())[0]:
        pictures.append(read[1].astype(int))
    return pictures


def is_reddish(pixel):
    return pixel[2] > 150 and max(pixel[:2]) < 110


def write_commands(*commands):
    with open("commands", "w") as file:
        file.write(HEADER)
        file.writelines(f'[{time}, "rx", "{text}"]\n' for time, text in commands)


def test_the_aim_line_and_the_degrees_are_in_the_video():
    # Degrees 90 from the second picture on, 115 from the fifth on, and lost from the eighth on.
    write_commands((0, "L"), (0.1, "X90."), (0.4, "X115."), (0.7, "L"))
    options = ["--detect", "strips", "--rate", "10", "--commands", "commands", "-o", "seen"]
    assert main([*PICTURES, *options, "--draw", "seen.mp4"]) == 0
    pictures = frames("seen.mp4")
    assert len(pictures) == 10
    for number, picture in enumerate(pictures):
        # A row in which nothing else is drawn.
        red = [x for x in range(480) if is_reddish(picture[100, x])]
        expected = 240 if 1 <= number < 4 else 360 if 4 <= number < 7 else None
        assert (expected in red and len(red) < 6) if expected else not red
        # The degrees are white, at the bottom in the middle.
        is_white = (picture[325:, 200:280].min(axis=2) > 200).any()
        assert is_white == (expected is not None)
        # The connection is green.
        corner = picture[:40, 360:]
        assert ((corner[:, :, 1] > 150) & (corner[:, :, 2] < 120)).any()
    # Drawing changes nothing in the observations.
    assert main([*PICTURES, "--detect", "strips", "--rate", "10", "-o", "plain"]) == 0
    with open("seen") as seen, open("plain") as plain:
        assert seen.read() == plain.read()


@pytest.mark.parametrize(
    ("options", "x"),
    [
        ([], 360),
        (["--mirrored"], 120),
        (["--mirror"], 120),
        (["--mapping", "fov", "--fov", "90"], 352),
        (["--gravity", "aspect-fill", "--view", "360x360"], 330),
        (["--crop", "square"], 300),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_the_aim_line_uses_the_options_of_aim(options, x):
    # Fov: 240 + 240 * tan(25) = 351.9. Fill: 240 + 25 / 100 * 360 = 330.
    write_commands((0, "X115."))
    given = ["--detect", "strips", "--commands", "commands", "--draw", "out", "-o", "seen"]
    assert main(["0.png", *given, *options]) == 0
    (row,) = cv2.imread("out/000000.jpg").astype(int)[95:96]
    red = [place for place in range(len(row)) if is_reddish(row[place])]
    assert red and min(red) <= x <= max(red) <= min(red) + 5


def test_the_colour_filter_is_drawn():
    options = ["--detect", "strips", "--draw-filter", "--draw", "out", "-o", "seen"]
    assert main(["0.png", *options]) == 0
    picture = cv2.imread("out/000000.jpg")
    assert picture[150, 60].min() > 200 and picture[20, 300].max() < 50


def test_the_asked_for_label_and_the_points_are_drawn():
    write_yolo("yolo.onnx")
    with open("labels.txt", "w") as file:
        file.write("red\nblue\n")
    picture = blank(640, 640)
    picture[280:320, 280:320] = 0, 0, 255
    cv2.imwrite("red.png", picture)
    cv2.imwrite("none.png", blank(640, 640))
    write_commands((0, "L"), (0.1, "X90."))
    objects = ["--detect", "objects", "--model", "yolo.onnx", "--labels", "labels.txt"]
    options = [*objects, "--rate", "10", "--commands", "commands", "--ask", "red", "-o", "seen"]
    assert main(["none.png", "red.png", "red.png", *options, "--draw", "out"]) == 0
    before, after, later = (cv2.imread(f"out/00000{number}.jpg") for number in range(3))
    corner = np.s_[570:, :160]
    # "red: not seen", 0 points; then "red: 1.00", 1 point; then the same.
    assert (np.abs(before[corner].astype(int) - after[corner]) > 100).any()
    assert (after == later).all()
    with open("seen") as seen:
        _, empty, full, _ = map(json.loads, seen)
    assert empty["found"] == [] and [one["label"] for one in full["found"]] == ["red"]


STRIPS = ["0.png", "--detect", "strips"]
DRAWN = ["--draw", "out"]
WRONG = {
    "commands without a drawing": (["0.png", "--commands", "c"], 64, "require --draw or --show"),
    "filter without a drawing": ([*STRIPS, "--draw-filter"], 64, "require --draw or --show"),
    "mapping": (["0.png", *DRAWN, "--mapping", "linear"], 64, "require --commands"),
    "gravity": (["0.png", *DRAWN, "--gravity", "resize"], 64, "require --commands"),
    "mirror": (["0.png", *DRAWN, "--mirror"], 64, "require --commands"),
    "mapping without fov": (
        ["0.png", *DRAWN, "--commands", "trace", "--mapping", "fov"],
        64,
        "--mapping fov requires --fov",
    ),
    "ask for faces": (["0.png", *DRAWN, "--ask", "cat"], 64, "--ask requires --detect objects"),
    "ask for an unknown label": (
        [*STRIPS[:2], "objects", *DRAWN, "--model", "yolo.onnx", "--labels", "l", "--ask", "cat"],
        64,
        "l has no label cat.",
    ),
    "filter of faces": (["0.png", *DRAWN, "--draw-filter"], 64, "requires --detect strips"),
    "no commands": (["0.png", *DRAWN, "--commands", "none"], 66, "none does not exist."),
    "commands that are a folder": (["0.png", *DRAWN, "--commands", "."], 64, "a file or a FIFO"),
    "not commands": (["0.png", *DRAWN, "--commands", "l"], 65, "l:1: expected a line of JSON"),
    "commands that would be overwritten": (
        ["0.png", *DRAWN, "--commands", "trace", "-o", "trace"],
        64,
        "trace is an input; -o trace would overwrite it.",
    ),
}


@pytest.mark.parametrize(("arguments", "status", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_wrong_options_are_an_error(capsys, arguments, status, sentence):
    write_yolo("yolo.onnx")
    with open("l", "w") as file:
        file.write("red\nblue\n")
    with open("trace", "w") as file:
        file.write(HEADER)
    assert main(arguments) == status
    output = capsys.readouterr()
    assert sentence in output.err and output.err.count("\n") == 1
    assert output.err.startswith("sentry-camera: ") and output.err.endswith(".\n")
    assert output.out == "" and not os.path.exists("out/000000.jpg")
