"""The scene that is drawn for the bench: what detectors find in it, and the two formats."""

import io
import json
import math
import os
import struct
import subprocess
import sys

import cv2
import numpy as np
import pytest
from cv2.data import haarcascades

from pictures import astronaut
from sentry_camera.errors import ExitError
from sentry_camera.faces import CascadeFaces
from sentry_camera.loopback import (
    CAP_DEVICE_CAPS,
    CAP_VIDEO_OUTPUT,
    CAPABILITY,
    FORMAT,
    VIDIOC_QUERYCAP,
    LoopbackDevice,
)
from sentry_camera.scene import MAGIC, PREFIX, SceneReader, demonstration, serve_scene
from sentry_camera.scenery import Scenery, drawn_face, face_of

PROGRAM = [sys.executable, "-m", "sentry_camera", "scene"]
HEADER = {"format": "sentry-scene", "version": 1, "width": 320, "height": 240, "fov": 60}


def box(x, y, height, size=(640, 480)):
    """A face's box of `height` pixels with its middle at (x, y), as shares."""
    width = height * 316 / 427
    return (x - width / 2) / size[0], (y - height / 2) / size[1], width / size[0], height / size[1]


def as_sent(picture):
    """The picture as a reader sees it."""
    return cv2.imdecode(cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 80])[1], 1)


def found(cascade, picture):
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    return cascade.detectMultiScale(grey, 1.1, 5, minSize=(30, 30))


@pytest.mark.parametrize("name", ["alt", "alt2", "default"])
def test_the_cascades_find_the_drawn_face_and_nothing_else(name):
    cascade = cv2.CascadeClassifier(f"{haarcascades}haarcascade_frontalface_{name}.xml")
    for seed in range(4):
        scenery = Scenery(640, 480, 60, seed=seed)
        for step in range(12):
            height = (40, 60, 90, 130, 180)[(step + seed) % 5]
            x, y = 110 + step * 37, 200 + step * 5
            picture = as_sent(scenery.draw(step * 30.7 + seed, [box(x, y, height)]))
            [(left, top, wide, high)] = found(cascade, picture)
            assert abs(left + wide / 2 - x) < 0.05 * height
            assert abs(top + high / 2 - y) < 0.08 * height
            assert abs(high / height - 1) < 0.25


def test_this_programs_own_detector_finds_the_drawn_face():
    [face] = CascadeFaces()(as_sent(Scenery(640, 480, 60).draw(90, [box(200, 220, 120)])))
    assert abs((face.box.x + face.box.width / 2) * 640 - 200) < 5
    assert face.confidence > 0.4


def test_an_empty_scene_has_no_faces():
    cascade = cv2.CascadeClassifier(f"{haarcascades}haarcascade_frontalface_alt2.xml")
    for seed in range(6):
        scenery = Scenery(640, 480, 70, seed=seed)
        for pan in range(0, 360, 30):
            assert len(found(cascade, as_sent(scenery.draw(pan, [])))) == 0


@pytest.mark.parametrize("grows_left", [False, True])
@pytest.mark.parametrize(("pan", "turn"), [(90, 3), (359, 4), (-2, 5), (725.5, -2.25)])
def test_the_background_turns_as_far_as_the_camera(grows_left, pan, turn):
    scenery = Scenery(640, 480, 60, grows_left=grows_left)
    focal = 320 / math.tan(math.radians(30))
    # What is in the middle is seen at this distance from it after the turn.
    expected = focal * math.tan(math.radians(-turn)) * (-1 if grows_left else 1)
    before, after = (
        scenery.draw(angle, [])[60:300].astype(np.float32).mean(axis=2)
        for angle in (pan, pan + turn)
    )
    middle = before[:, 240:400]
    scores = cv2.matchTemplate(after, middle, cv2.TM_SQDIFF)
    _, _, (left, _), _ = cv2.minMaxLoc(scores)
    # The place where the part matches best: its perspective differs a little.
    assert abs(left - 240 - expected) <= 3


@pytest.mark.parametrize("grows_left", [False, True])
@pytest.mark.parametrize(("tilt", "turn"), [(90, 4), (90, -5), (88, 3), (97, -6)])
def test_the_background_tilts_as_far_as_the_camera(grows_left, tilt, turn):
    scenery = Scenery(640, 480, 60, grows_left=grows_left)
    focal = 320 / math.tan(math.radians(30))
    before, after = (
        scenery.draw(90, [], angle)[:, 200:440].astype(np.float32).mean(axis=2)
        for angle in (tilt, tilt + turn)
    )
    # A camera that looks further down shows what is in the middle further up.
    expected = -focal * math.tan(math.radians(turn))
    scores = cv2.matchTemplate(after, before[160:320], cv2.TM_SQDIFF)
    _, _, (_, top), _ = cv2.minMaxLoc(scores)
    assert abs(top - 160 - expected) <= 3


@pytest.mark.parametrize("pan", [0, 90, 359.9])
def test_a_camera_that_is_nearly_level_shows_what_a_level_one_does(pan):
    scenery = Scenery(320, 240, 60)
    difference = cv2.absdiff(scenery.draw(pan, []), scenery.draw(pan, [], 90.001))
    assert difference.max() <= 8 and difference.mean() < 0.5


@pytest.mark.parametrize("tilt", [0, 45, 120, 180])
def test_a_camera_can_look_straight_up_and_down(tilt):
    cascade = cv2.CascadeClassifier(f"{haarcascades}haarcascade_frontalface_alt2.xml")
    picture = Scenery(640, 480, 60).draw(200, [], tilt)
    assert (picture.shape, picture.dtype) == ((480, 640, 3), np.uint8)
    assert len(found(cascade, as_sent(picture))) == 0


def test_a_turn_around_shows_the_same_picture():
    scenery = Scenery(320, 240, 60)
    difference = cv2.absdiff(scenery.draw(10.3, []), scenery.draw(370.3, []))
    assert difference.max() <= 2


def test_a_face_moves_by_parts_of_a_pixel():
    scenery = Scenery(640, 480, 60)
    columns = np.arange(640)
    empty = scenery.draw(90, []).astype(float)
    middles = []
    for step in range(5):
        drawn = scenery.draw(90, [box(300 + step / 4, 240, 100)]).astype(float)
        weight = np.abs(drawn - empty).sum(axis=(0, 2))
        middles.append((weight * columns).sum() / weight.sum())
    assert np.diff(middles) == pytest.approx([0.25] * 4, abs=0.08)


@pytest.mark.parametrize("height", [3, 12, 35, 100, 700])
@pytest.mark.parametrize("at", [(0, 0), (640, 480), (320, 240), (-300, 100), (5000, 240)])
def test_a_face_can_be_partly_or_wholly_outside(height, at):
    picture = Scenery(640, 480, 60).draw(90, [box(*at, height)])
    assert (picture.shape, picture.dtype) == ((480, 640, 3), np.uint8)


def test_the_nearer_face_is_in_front():
    scenery = Scenery(640, 480, 60)
    near, far = box(320, 240, 200), box(300, 240, 80)
    assert np.array_equal(scenery.draw(90, [near, far]), scenery.draw(90, [far, near]))
    # At the middle of the near one is skin, not the hair of the far one.
    only = scenery.draw(90, [near])
    assert np.array_equal(scenery.draw(90, [near, far])[240, 320], only[240, 320])


def test_a_photograph_is_placed_by_the_face_in_it():
    sprite, is_found = face_of(astronaut())
    assert is_found
    picture = Scenery(640, 480, 60, face=sprite).draw(90, [box(250, 240, 120)])
    [face] = CascadeFaces()(as_sent(picture))
    assert abs((face.box.x + face.box.width / 2) * 640 - 250) < 8


def test_a_picture_without_a_face_fills_the_box():
    red = np.full((40, 20, 3), (0, 0, 255), np.uint8)
    sprite, is_found = face_of(red)
    assert not is_found
    drawn = Scenery(320, 240, 60, face=sprite).draw(0, [(0.25, 0.25, 0.1, 0.5)])
    is_red = (drawn == (0, 0, 255)).all(axis=2)
    rows, columns = np.nonzero(is_red)
    assert (rows.min(), rows.max()) == pytest.approx((60, 179), abs=2)
    # As high as the box, and half as wide as high, around the middle of the box.
    assert (columns.min(), columns.max()) == pytest.approx((66, 125), abs=2)


def test_the_room_depends_on_the_seed_alone():
    first, again, other = (Scenery(320, 240, 60, seed=seed).draw(45, []) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


# The formats.


def lines(*values):
    return "".join(json.dumps(value) + "\n" for value in values).encode()


def pictures(data):
    """The numbers and the pictures in what the program has written."""
    result = []
    while data:
        magic, number, length = struct.unpack_from(">4sII", data)
        assert magic == b"SJP1"
        result.append((number, cv2.imdecode(np.frombuffer(data[12 : 12 + length], np.uint8), 1)))
        data = data[12 + length :]
    return result


def run(source, *arguments, cwd=None):
    return subprocess.run(
        [*PROGRAM, *arguments], input=source, capture_output=True, timeout=60, cwd=cwd
    )


def frame(number, **others):
    return {"frame": number, "time": number / 30, "pan": 90, "faces": []} | others


def test_each_frame_is_answered_by_a_picture():
    faces = [box(100, 120, 80, (320, 240))]
    result = run(lines(HEADER, frame(7), frame(4_000_000_000, faces=faces)))
    assert (result.returncode, result.stderr) == (0, b"")
    (first, empty), (second, drawn) = pictures(result.stdout)
    assert (first, second) == (7, 4_000_000_000)
    assert empty.shape == drawn.shape == (240, 320, 3)
    assert len(CascadeFaces()(empty)) == 0
    assert len(CascadeFaces()(drawn)) == 1


def test_a_frame_can_state_how_far_down_the_camera_looks():
    (_, level), (_, up), (_, again) = pictures(
        run(lines(HEADER, frame(1), frame(2, tilt=80.5), frame(3, tilt=90))).stdout
    )
    assert np.array_equal(level, again) and cv2.absdiff(level, up).mean() > 1


def test_a_picture_is_written_before_the_next_frame_is_sent():
    with subprocess.Popen([*PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(lines(HEADER))
        for number in range(3):
            process.stdin.write(lines(frame(number)))
            process.stdin.flush()
            magic, answered, length = PREFIX.unpack(process.stdout.read(PREFIX.size))
            assert (magic, answered) == (MAGIC, number)
            assert process.stdout.read(length)[:2] == b"\xff\xd8"
        process.stdin.close()
        assert process.wait(timeout=30) == 0


def test_a_broken_pipe_ends_it_without_a_message():
    with subprocess.Popen(
        [*PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.close()
        process.stdin.write(lines(HEADER, *(frame(number) for number in range(50))))
        process.stdin.close()
        assert process.wait(timeout=30) == 141
        assert process.stderr.read() == b""


WRONG_HEADERS = [
    (b"", "Standard input is empty; expected the header of a scene."),
    (b"{", "1: expected an object of JSON in a line"),
    (b"[1]\n", "1: expected an object of JSON in a line"),
    (b"[" * 60_000, "1: expected an object of JSON in a line"),
    (b"\xff\xfe\n", "1: expected an object of JSON in a line"),
    (b" " * 70_000, "1: expected a line of at most 65536 bytes"),
    (lines(HEADER | {"version": 2}), '1: expected a header with "format": "sentry-scene"'),
    (lines(HEADER | {"width": 15}), '1: expected "width", a whole number from 16 to 2048'),
    (lines(HEADER | {"width": 1e9}), '1: expected "width", a whole number from 16 to 2048'),
    (lines(HEADER | {"height": True}), '1: expected "height", a whole number from 16 to 2048'),
    (lines(HEADER | {"fov": 180}), '1: expected "fov", a number from 1 to 170'),
    (lines(HEADER | {"quality": 0}), '1: expected "quality", a whole number from 1 to 100'),
    (lines(HEADER | {"grows": "up"}), '1: expected "grows", one of right, left'),
    (lines(HEADER | {"face": 1}), '1: expected "face", the path of a picture or null'),
]


@pytest.mark.parametrize(("source", "message"), WRONG_HEADERS, ids=range(len(WRONG_HEADERS)))
def test_a_wrong_header_is_an_error(source, message):
    result = run(source)
    assert (result.returncode, result.stdout) == (65, b"")
    assert message in result.stderr.decode()
    assert len(result.stderr.splitlines()) == 1


WRONG_FRAMES = [
    ({"frame": -1}, 'expected "frame", a whole number from 0 to 4294967295'),
    ({"frame": 1.5}, 'expected "frame"'),
    ({"pan": None}, 'expected "pan", a number'),
    ({"pan": math.nan}, 'expected "pan", a number'),
    ({"pan": 10**400}, 'expected "pan", a number'),
    ({"tilt": 181}, 'expected "tilt", a number from 0 to 180'),
    ({"faces": {}}, 'expected "faces", a list of at most 128 boxes'),
    ({"faces": [[0, 0, 1, 1]] * 129}, 'expected "faces", a list of at most 128 boxes'),
    ({"faces": [[0, 0, 1]]}, "expected a face's box [x, y, width, height]"),
    ({"faces": [[0, 0, 0, 1]]}, "expected a face's box [x, y, width, height]"),
    ({"faces": [[0, 0, math.inf, 1]]}, "expected a face's box [x, y, width, height]"),
    ({"faces": [[0, 0, "1", 1]]}, "expected a face's box [x, y, width, height]"),
]


@pytest.mark.parametrize(("change", "message"), WRONG_FRAMES, ids=range(len(WRONG_FRAMES)))
def test_a_wrong_frame_is_an_error(change, message):
    reader = SceneReader("input")
    reader.header(lines(HEADER))
    with pytest.raises(ExitError) as error:
        reader.frame(lines(frame(1) | change))
    assert str(error.value).startswith(f"input:2: {message}")
    assert error.value.status == 65


def test_pictures_of_the_user_are_read(tmp_path):
    cv2.imwrite(str(tmp_path / "face.png"), astronaut())
    cv2.imwrite(str(tmp_path / "wide.jpg"), np.full((50, 300, 3), (10, 200, 30), np.uint8))
    (tmp_path / "text.png").write_text("no picture")
    header = HEADER | {"face": "face.png", "background": "wide.jpg"}
    result = run(lines(header, frame(1)), cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, b"")
    [(_, drawn)] = pictures(result.stdout)
    assert np.abs(drawn.reshape(-1, 3).mean(axis=0) - (10, 200, 30)).max() < 4
    for change, status, message in [
        ({"face": "none.png"}, 66, "none.png cannot be read: No such file or directory."),
        ({"face": "text.png"}, 65, "text.png is not a picture that OpenCV can read."),
        ({"background": "."}, 66, ". cannot be read: Is a directory."),
    ]:
        result = run(lines(HEADER | change), cwd=tmp_path)
        assert (result.returncode, result.stdout) == (status, b"")
        assert result.stderr.decode() == f"sentry-camera: {message}\n"
    result = run(lines(HEADER | {"face": "wide.jpg"}), cwd=tmp_path)
    assert result.returncode == 0
    assert b"warning: no face is found in wide.jpg" in result.stderr


def test_the_demonstration_is_a_video(tmp_path):
    result = run(b"", "--demo", "seen.mp4", "--seconds", "0.5", "--size", "320x240", cwd=tmp_path)
    assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"")
    capture = cv2.VideoCapture(str(tmp_path / "seen.mp4"))
    assert capture.get(cv2.CAP_PROP_FRAME_COUNT) == 15
    assert len(CascadeFaces()(capture.read()[1])) == 1


def test_the_demonstrations_face_stays_in_the_picture():
    header = SceneReader().header(lines(HEADER))
    for shown in demonstration(header, 20, 10):
        [(x, _, width, _)] = shown.faces
        assert 0 < x and x + width < 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--seed", "1"], "--seed requires --demo. See sentry-camera scene --help."),
        (["--face", "x"], "--face requires --demo. See sentry-camera scene --help."),
        (["--demo", "a", "--device", "b"], "--device cannot be combined with --demo."),
        (["--demo", "x.txt"], "--demo requires a folder or a video (.mp4, .mkv, .mov, .avi)"),
        (["--demo", "x", "--seed", "-1"], "Argument --seed: -1 is not a whole number"),
    ],
)
def test_wrong_options_are_refused(tmp_path, arguments, message):
    result = run(b"", *arguments, cwd=tmp_path)
    assert (result.returncode, result.stdout) == (64, b"")
    assert message in result.stderr.decode()


# The video device, without the kernel's module.


class Kernel:
    """Answers the two calls as v4l2loopback does."""

    def __init__(self, capabilities=CAP_VIDEO_OUTPUT, changes=None):
        self.capabilities, self.changes, self.formats = capabilities, changes, []

    def __call__(self, file, request, data):
        if request == VIDIOC_QUERYCAP:
            data[:] = CAPABILITY.pack(
                b"v4l2", b"card", b"bus", 1, CAP_DEVICE_CAPS | CAP_VIDEO_OUTPUT, self.capabilities
            )
        else:
            self.formats.append(FORMAT.unpack(data))
            if self.changes:
                data[:] = FORMAT.pack(2, *self.changes, 1, 0, 0, 0)


def test_the_structures_have_the_kernels_sizes():
    # The size is part of an ioctl's number.
    assert (CAPABILITY.size, FORMAT.size) == (0x68, 0xD0)


def test_a_video_device_receives_the_pictures(tmp_path):
    path = tmp_path / "video7"
    path.write_bytes(b"")
    kernel = Kernel()
    device = LoopbackDevice(str(path), kernel)
    output = io.BytesIO()
    serve_scene(io.BytesIO(lines(HEADER, frame(1), frame(2))), output, device)
    device.close()
    assert kernel.formats == [
        (2, 320, 240, int.from_bytes(b"YUYV", "little"), 1, 640, 153_600, 8)
    ]
    data = path.read_bytes()
    assert len(data) == 2 * 153_600
    seen = cv2.cvtColor(
        np.frombuffer(data[:153_600], np.uint8).reshape(240, 320, 2), cv2.COLOR_YUV2BGR_YUYV
    )
    [(_, sent), _] = pictures(output.getvalue())
    assert np.abs(seen.astype(int) - sent).mean() < 4


def test_a_device_that_takes_no_pictures_is_refused(tmp_path):
    path = tmp_path / "video7"
    with pytest.raises(ExitError, match="video7 cannot be opened: No such file"):
        LoopbackDevice(str(path))
    path.write_bytes(b"")
    with pytest.raises(ExitError, match="video7 is not a video device"):
        LoopbackDevice(str(path))
    with pytest.raises(ExitError, match="video7 takes no pictures"):
        LoopbackDevice(str(path), Kernel(capabilities=1))
    device = LoopbackDevice(str(path), Kernel(changes=(640, 480, 0)))
    with pytest.raises(ExitError, match="does not accept 320x240 pixels as YUYV"):
        device.begin(320, 240)
    with pytest.raises(ExitError, match="even width"):
        device.begin(321, 240)
    device.close()
    assert os.stat(path).st_size == 0
