"""An input is never overwritten, whatever name is used for it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sentry_camera.errors import ExitError
from sentry_camera.overwrite_check import check_overwrites


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """own.mp4 and ov/000000.jpg, ov/000001.jpg, and links to them."""
    monkeypatch.chdir(tmp_path)
    Path("own.mp4").write_text("own")
    Path("model.onnx").write_text("model")
    Path("link.mp4").symlink_to("own.mp4")
    os.link("own.mp4", "hard.mp4")
    Path("dangling.mp4").symlink_to("new.mp4")
    Path("ov").mkdir()
    for number in range(2):
        Path(f"ov/00000{number}.jpg").write_text(str(number))
    Path("to-ov").symlink_to("ov")
    Path("others").mkdir()
    Path("others/000000.jpg").symlink_to("../ov/000001.jpg")
    return tmp_path


# Inputs, -o, --draw.
CLASHES = {
    "output": (["own.mp4"], "own.mp4", None),
    "drawn video": (["own.mp4"], None, "own.mp4"),
    "another spelling": (["own.mp4"], "ov/../own.mp4", None),
    "onto a link": (["own.mp4"], "link.mp4", None),
    "from a link": (["link.mp4"], None, "own.mp4"),
    "a hard link": (["own.mp4"], None, "hard.mp4"),
    "a later picture": (["own.mp4", "ov/000001.jpg"], "ov/000001.jpg", None),
    "drawn pictures": (["ov/000000.jpg"], None, "ov"),
    "drawn pictures, later": (["own.mp4", "ov/000001.jpg"], None, "ov/"),
    "drawn into a linked folder": (["ov/000000.jpg"], None, "to-ov"),
    "drawn through a link": (["ov/000001.jpg"], None, "others"),
    "the model": (["own.mp4", "model.onnx"], "./model.onnx", None),
    "both outputs": (["own.mp4"], "new.mp4", "new.mp4"),
    "both outputs, with another spelling": (["own.mp4"], "new.mp4", "./ov/../new.mp4"),
    "both outputs, through a link": (["own.mp4"], "new.mp4", "dangling.mp4"),
    "an output that would be overwritten by a picture": (["own.mp4"], "ov/000007.jpg", "to-ov"),
}
FINE = {
    "standard output": (["own.mp4"], None, None),
    "a dash": (["own.mp4"], "-", "ov"),
    "new files": (["own.mp4"], "new.jsonl", "new.mp4"),
    "a device": (["/dev/null"], "/dev/null", "new"),
    "a picture that is not overwritten": (["ov/000001.jpg"], None, "ov"),
    "next to the drawn pictures": (["own.mp4"], "ov/seen.jsonl", "ov"),
    "a camera": (["0"], "0", None),
    "an address": (["http://127.0.0.1/"], "new.jsonl", "new"),
}


@pytest.mark.parametrize(("inputs", "output", "draw"), CLASHES.values(), ids=CLASHES.keys())
def test_overwriting_is_refused(inputs, output, draw):
    with pytest.raises(ExitError, match="would overwrite") as error:
        check_overwrites(inputs, output, draw)
    assert error.value.status == 64


@pytest.mark.parametrize(("inputs", "output", "draw"), FINE.values(), ids=FINE.keys())
def test_other_outputs_are_accepted(inputs, output, draw):
    check_overwrites(inputs, output, draw)


LABELS = ["--detect", "objects", "--model", "m", "--labels", "model.onnx"]
OPTIONS = [
    ["-o", "own.mp4"],
    ["--draw", "own.mp4"],
    ["-o", "new", "--draw", "new"],
    [*LABELS, "-o", "model.onnx"],
    [],
]


@pytest.mark.parametrize("options", OPTIONS)
def test_a_refused_command_changes_no_file(folder, options):
    # Without options, standard output is the video.
    with open("new.txt" if options else "own.mp4", "a") as output:
        result = subprocess.run(
            [sys.executable, "-m", "sentry_camera", "own.mp4", *options],
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
    assert result.returncode == 64
    assert result.stderr.endswith(".\n") and result.stderr.count("\n") == 1
    assert Path("own.mp4").read_text() == "own"
    assert Path("model.onnx").read_text() == "model"
    assert not Path("new").exists()
