"""Drawn pictures are written to a folder or a video."""

import cv2
import pytest

from pictures import blank
from sentry_camera.draw import open_drawing
from sentry_camera.errors import ExitError


def test_a_folder_of_pictures(tmp_path):
    drawing = open_drawing(str(tmp_path / "a" / "b"), 30)
    for _ in range(3):
        drawing.add(blank(64, 48))
    drawing.close()
    names = sorted(path.name for path in (tmp_path / "a" / "b").iterdir())
    assert names == ["000000.jpg", "000001.jpg", "000002.jpg"]


@pytest.mark.parametrize("ending", [".mp4", ".avi", ".mkv", ".mov", ".MP4"])
def test_a_video(tmp_path, ending):
    path = tmp_path / f"seen{ending}"
    drawing = open_drawing(str(path), 25)
    for _ in range(5):
        drawing.add(blank(128, 96))
    drawing.close()
    capture = cv2.VideoCapture(str(path))
    assert capture.get(cv2.CAP_PROP_FPS) == pytest.approx(25)
    count = 0
    while capture.read()[0]:
        count += 1
    assert count == 5


def test_a_drawing_that_cannot_be_written_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ExitError) as error:
        open_drawing(str(tmp_path / "file"), 30)
    assert error.value.status == 74
    drawing = open_drawing(str(tmp_path / "none" / "seen.mp4"), 30)
    with pytest.raises(ExitError) as error:
        drawing.add(blank(64, 48))
    assert error.value.status == 74


@pytest.mark.parametrize("name", ["seen.png", "seen.txt", "seen.webm", "2026.11"])
def test_a_new_name_with_a_suffix_is_not_a_folder(tmp_path, name):
    with pytest.raises(ExitError, match="folder or a video") as error:
        open_drawing(str(tmp_path / name), 30)
    assert error.value.status == 64
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["seen", "2026.11/", "seen.mp4/"])
def test_a_new_folder_can_have_a_dot_if_its_name_ends_with_a_slash(tmp_path, name):
    open_drawing(f"{tmp_path}/{name}", 30).close()
    assert (tmp_path / name).is_dir()
    # Once it exists, its name is sufficient.
    drawing = open_drawing(str(tmp_path / name), 30)
    drawing.add(blank(64, 48))
    assert (tmp_path / name / "000000.jpg").exists()
