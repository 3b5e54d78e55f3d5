"""The program, run as a user runs it."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import cv2
import pytest

from networks import write_yolo
from pictures import blank, rectangle, with_face, with_strips

PROGRAM = [sys.executable, "-m", "sentry_camera"]


def run(*arguments, cwd=None):
    command = [*PROGRAM, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=60, input="")


def seen(text):
    header, *frames = (json.loads(line) for line in text.splitlines())
    return header, frames


@pytest.fixture(scope="module")
def video(tmp_path_factory):
    path = tmp_path_factory.mktemp("video") / "face.mp4"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 25, (640, 360))
    for step in range(10):
        writer.write(with_face(640, 360, 120 + 40 * step, 180))
    writer.release()
    return path


def test_a_video_becomes_observations(video, tmp_path):
    drawn = tmp_path / "drawn.mp4"
    result = run(video, "--draw", drawn, "--fov", 60, "--view", "390x844", "--mirrored")
    assert (result.returncode, result.stderr) == (0, "")
    header, frames = seen(result.stdout)
    assert header == {
        "format": "sentry-observations",
        "version": 1,
        "image": [640, 360],
        "orientation": "up",
        "mirrored": True,
        "crop": "none",
        "view": [390, 844],
        "fov": 60.0,
    }
    assert [frame["t"] for frame in frames] == pytest.approx([number / 25 for number in range(10)])
    for number, frame in enumerate(frames):
        x, _, width, _ = frame["found"][0]["box"]
        assert abs((x + width / 2) * 640 - (120 + 40 * number)) < 12
    capture = cv2.VideoCapture(str(drawn))
    assert capture.get(cv2.CAP_PROP_FRAME_COUNT) == 10


HELD = [
    [],
    ["--orientation", "right"],
    ["--orientation", "left", "--mirrored"],
    ["--orientation", "down"],
]


@pytest.mark.parametrize("held", HELD, ids=" ".join)
@pytest.mark.parametrize("what", ["faces", "strips"])
def test_a_moving_target_is_found_where_it_is(tmp_path, what, held):
    make_video = Path(__file__).with_name("make_video.py")
    video = tmp_path / "moving.mp4"
    made = subprocess.run(
        [sys.executable, make_video, what, video, "--frames", "20", *held],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    expected = [tuple(map(float, line.split())) for line in made.stdout.splitlines()]
    header, frames = seen(run("moving.mp4", "--detect", what, *held, cwd=tmp_path).stdout)
    assert header["image"] == [640, 360]
    assert len(frames) == len(expected) == 20
    width, height = (360, 640) if "right" in held or "left" in held else (640, 360)
    for frame, (x, y) in zip(frames, expected):
        boxes = [one["box"] for one in frame["found"]]
        assert len(boxes) == {"faces": 1, "strips": 2}[what]
        # For strips this is the middle of the pair. The middle of a face is defined only to a few
        # pixels.
        near = {"faces": 10, "strips": 3}[what]
        seen_x = sum(box[0] + box[2] / 2 for box in boxes) / len(boxes)
        # In a mirror image, right is left; the program does not change that.
        assert abs((1 - seen_x if "--mirrored" in held else seen_x) - x) * width < near
        assert abs(sum(box[1] + box[3] / 2 for box in boxes) / len(boxes) - y) * height < near


def test_a_rate_replaces_the_videos_own(video):
    _, frames = seen(run(video, "--rate", 10).stdout)
    assert [frame["t"] for frame in frames] == pytest.approx([number / 10 for number in range(10)])


def test_pictures_are_written_to_a_file(tmp_path):
    names = []
    for number in range(3):
        names.append(tmp_path / f"{number}.png")
        strips = [rectangle(200 + 100 * number, 240, 20, 80), rectangle(100, 240, 30, 90)]
        cv2.imwrite(str(names[-1]), with_strips(640, 480, *strips[: number and 2]))
    output = tmp_path / "seen.jsonl"
    result = run(*names, "--detect", "strips", "--rate", 2, "-o", output)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    header, frames = seen(output.read_text())
    assert header["image"] == [640, 480]
    assert [frame["t"] for frame in frames] == [0, 0.5, 1]
    assert [len(frame["found"]) for frame in frames] == [0, 2, 2]
    for frame in frames[1:]:
        big, small = frame["found"]
        assert big["box"] == pytest.approx([85 / 640, 195 / 480, 30 / 640, 90 / 480], abs=2e-6)
        expected = [small["box"][0], 280 / 480]
        assert small["corners"][0] == pytest.approx(expected, abs=2e-6)


def test_a_picture_is_turned_and_cropped(tmp_path):
    upright = with_face(360, 640, 180, 250)
    cv2.imwrite(str(tmp_path / "a.png"), cv2.rotate(upright, cv2.ROTATE_90_COUNTERCLOCKWISE))
    result = run("a.png", "--orientation", "right", "--crop", "square", cwd=tmp_path)
    header, frames = seen(result.stdout)
    assert header["image"] == [640, 360]
    assert (header["orientation"], header["crop"]) == ("right", "square")
    x, y, width, height = frames[0]["found"][0]["box"]
    # The square begins 140 pixels below the top.
    assert abs((x + width / 2) * 360 - 180) < 10
    assert abs((1 - y - height / 2) * 360 - (250 - 140)) < 10


def test_objects_are_found_with_the_network_of_a_user(tmp_path):
    write_yolo(tmp_path / "yolo.onnx")
    (tmp_path / "labels.txt").write_text("red\nblue\n")
    picture = blank(1280, 720)
    # Two squares of 40 pixels that the network looks at, of which the second is half blue.
    picture[280:360, 160:240] = 0, 0, 255
    picture[440:480, 880:960] = 255, 0, 0
    cv2.imwrite(str(tmp_path / "a.png"), picture)
    model = ["--model", "yolo.onnx", "--labels", "labels.txt"]
    red = {"kind": "object", "label": "red"}
    for limits, labels in ([], ["red", "blue"]), (["--min-confidence", 0.6], ["red"]):
        result = run("a.png", "--detect", "objects", *model, *limits, cwd=tmp_path)
        assert (result.returncode, result.stderr) == (0, "")
        _, (frame,) = seen(result.stdout)
        assert sorted(one["label"] for one in frame["found"]) == sorted(labels)
        (found,) = (one for one in frame["found"] if one["label"] == "red")
        assert found == red | {"box": found["box"], "confidence": pytest.approx(1, abs=0.03)}
        expected = [140 / 1280, 360 / 720, 120 / 1280, 80 / 720]
        assert found["box"] == pytest.approx(expected, abs=2e-6)


OBJECTS = ["a.png", "--detect", "objects", "--model"]
WRONG = {
    "nothing": ([], 64, "required"),
    "unknown option": (["a.png", "--bogus"], 64, "--bogus"),
    "shortened option": (["a.png", "--orient", "up"], 64, "--orient"),
    "unknown detector": (["a.png", "--detect", "cats"], 64, "cats"),
    "unknown orientation": (["a.png", "--orientation", "over"], 64, "over"),
    "rate of zero": (["a.png", "--rate", "0"], 64, "0 is not a rate"),
    "rate without end": (["a.png", "--rate", "inf"], 64, "inf is not a rate"),
    "fov": (["a.png", "--fov", "180"], 64, "180 is not an angle"),
    "fov is not a number": (["a.png", "--fov", "nan"], 64, "nan is not an angle"),
    "view": (["a.png", "--view", "390"], 64, "390 is not a size"),
    "view of zero width": (["a.png", "--view", "0x5"], 64, "0x5 is not a size"),
    "min-size": (["a.png", "--min-size", "2"], 64, "2 is not a share"),
    "colour": (
        ["a.png", "--detect", "strips", "--hsv-low", "200,0,0"],
        64,
        "200,0,0 is not a hue",
    ),
    "colour of two": (
        ["a.png", "--detect", "strips", "--hsv-low", "20,0"],
        64,
        "20,0 is not a hue",
    ),
    "colour of faces": (["a.png", "--hsv-low", "20,0,0"], 64, "require --detect strips"),
    "model of strips": (
        ["a.png", "--detect", "strips", "--model", "m.onnx"],
        64,
        "--model requires --detect faces or objects",
    ),
    "objects without labels": (
        ["a.png", "--detect", "objects", "--model", "m.onnx"],
        64,
        "--detect objects requires --model and --labels",
    ),
    "labels of faces": (["a.png", "--labels", "a.txt"], 64, "--labels requires --detect objects"),
    "confidence of faces": (
        ["a.png", "--min-confidence", "0"],
        64,
        "--min-confidence and --max-overlap require --detect objects",
    ),
    "overlap": (["a.png", "--max-overlap", "1.5"], 64, "1.5 is not a share from 0 to 1"),
    "draw to a picture": (["a.png", "--draw", "b.png"], 64, "folder or a video"),
    "draw to a text": (["a.png", "--draw", "b.txt"], 64, "folder or a video"),
    "standard input": (["/dev/stdin"], 64, "/dev/stdin is a stream; a video must be a file"),
    "a dash": (["-"], 64, "- is a stream"),
    "a FIFO": (["fifo"], 64, "fifo is a stream"),
    "a folder": (["."], 64, "is a folder"),
    "no file": (["none.png"], 66, "none.png does not exist."),
    "no second file": (["a.png", "none.png"], 66, "none.png does not exist."),
    "no model": (["a.png", "--model", "none.onnx"], 66, "The model none.onnx does not exist."),
    "not a picture": (["text.txt"], 65, "text.txt is not a video or picture"),
    "not a picture by its name": (["a.png", "text.txt"], 65, "text.txt is not a picture"),
    "empty": (["empty.mp4"], 65, "empty.mp4 is not a video or picture"),
    "not a model": (["a.png", "--model", "text.txt"], 65, "text.txt is not a model"),
    "no labels": ([*OBJECTS, "text.txt", "--labels", "none.txt"], 66, "none.txt does not exist."),
    "not a network": (
        [*OBJECTS, "text.txt", "--labels", "text.txt"],
        65,
        "text.txt is not an ONNX model",
    ),
    "labels of another network": (
        [*OBJECTS, "yolo.onnx", "--labels", "text.txt"],
        65,
        "shape 1 x 6 x 256; with 1 label, expected",
    ),
    "two sizes": (
        ["a.png", "b.png"],
        65,
        "Picture 2 is 64x64 pixels, but the first one is 64x48; all pictures must have",
    ),
    "no camera": (["97"], 69, "There is no camera 97"),
    "no device": (["/dev/video97"], 69, "There is no /dev/video97"),
    "nowhere to write": (
        ["a.png", "-o", "none/seen.jsonl"],
        74,
        "cannot be written: No such file or directory.",
    ),
    "nowhere to draw": (["a.png", "--draw", "text.txt/b"], 74, "cannot be created"),
}


@pytest.mark.parametrize(("arguments", "status", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_wrong_input_is_an_error(tmp_path, arguments, status, sentence):
    cv2.imwrite(str(tmp_path / "a.png"), blank(64, 48))
    cv2.imwrite(str(tmp_path / "b.png"), blank(64, 64))
    (tmp_path / "text.txt").write_text("hello")
    (tmp_path / "empty.mp4").write_text("")
    write_yolo(tmp_path / "yolo.onnx")
    os.mkfifo(tmp_path / "fifo")
    result = run(*arguments, cwd=tmp_path)
    assert result.returncode == status
    assert sentence in result.stderr
    assert result.stderr.startswith("sentry-camera: ") and result.stderr.endswith(".\n")
    assert result.stderr.count("\n") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has /dev/full")
@pytest.mark.parametrize("output", ["-", "/dev/full"])
def test_a_full_disk_is_an_error(tmp_path, output):
    cv2.imwrite(str(tmp_path / "a.png"), blank(64, 48))
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [*PROGRAM, "a.png", "-o", output],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            timeout=60,
        )
    assert result.returncode == 74
    assert result.stderr.endswith("cannot be written: No space left on device.\n")
    assert result.stderr.count("\n") == 1


def test_a_broken_pipe_ends_it_without_a_message(tmp_path):
    cv2.imwrite(str(tmp_path / "a.png"), blank(64, 48))
    with subprocess.Popen(
        [*PROGRAM, *["a.png"] * 5000], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
    ) as process:
        assert process.stdout.readline()
        process.stdout.close()
        assert process.wait(timeout=60) == 141
        assert process.stderr.read() == b""


ROOT = Path(__file__).parents[3]


@pytest.mark.skipif(
    not (ROOT / ".build/camera/bin/sentry-camera").exists(), reason="not set up by make"
)
def test_make_treats_a_broken_pipe_as_success(tmp_path):
    cv2.imwrite(str(tmp_path / "a.png"), blank(64, 48))
    pictures = " ".join([str(tmp_path / "a.png")] * 1000)
    # -o keeps make from setting up the environment again, whatever the files' times are.
    make = f"make -s --no-print-directory -o .build/camera/ready camera ARGS='{pictures}'"
    result = subprocess.run(
        ["sh", "-c", f"{{ {make}; echo $? >&2; }} | head -1"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=60,
        # If make runs these tests, its variables must not affect the inner make.
        env={
            name: value
            for name, value in os.environ.items()
            if not name.startswith("MAKE") and name != "MFLAGS"
        },
    )
    assert '"sentry-observations"' in result.stdout
    assert result.stderr == "0\n"


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_and_completes_its_video(tmp_path, number, status):
    cv2.imwrite(str(tmp_path / "a.png"), blank(64, 48))
    with subprocess.Popen(
        [*PROGRAM, *["a.png"] * 20000, "--draw", "seen.mp4"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        # A shell that runs these tests in the background ignores SIGINT.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        for _ in range(20):
            assert process.stdout.readline()
        os.kill(process.pid, number)
        # Unread output in the pipe must not keep it running.
        _, errors = process.communicate(timeout=60)
        assert (process.returncode, errors) == (status, b"")
    assert cv2.VideoCapture(str(tmp_path / "seen.mp4")).read()[0]
