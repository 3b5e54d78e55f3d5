"""make_video.py also reports errors as sentences."""

import subprocess
import sys
from pathlib import Path

import cv2
import pytest

PROGRAM = [sys.executable, str(Path(__file__).with_name("make_video.py")), "strips"]


@pytest.mark.parametrize(
    ("file", "status", "sentence"),
    [
        ("x.txt", 64, "x.txt must end with one of .mp4, .mkv, .mov, .avi."),
        ("x", 64, "x must end with one of .mp4, .mkv, .mov, .avi."),
        ("none/x.mp4", 74, "none/x.mp4 cannot be written."),
    ],
)
def test_a_file_that_cannot_be_written_is_an_error(tmp_path, file, status, sentence):
    result = subprocess.run(
        [*PROGRAM, file], capture_output=True, text=True, cwd=tmp_path, timeout=60
    )
    assert (result.returncode, result.stderr) == (status, f"make_video.py: {sentence}\n")
    assert list(tmp_path.iterdir()) == []


def test_a_broken_pipe_ends_it_without_a_message(tmp_path):
    with subprocess.Popen(
        [*PROGRAM, "x.mp4", "--frames", "5000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    ) as process:
        assert process.stdout.readline()
        process.stdout.close()
        assert process.wait(timeout=60) == 141
        assert process.stderr.read() == b""
    assert cv2.VideoCapture(str(tmp_path / "x.mp4")).read()[0]
