"""Drawn for people: the target red, others yellow."""

import cv2
import pytest

from pictures import blank
from sentry_camera.draw import OTHER, TARGET, drawn, open_drawing
from sentry_camera.errors import Trouble
from sentry_camera.observations import Box, Found

BIG = Found("face", Box(0.5, 0.5, 0.4, 0.4), 1, landmarks={"nose": [(0.5, 0.5)]})
SMALL = Found("face", Box(0.1, 0.1, 0.2, 0.2), 1)
STRIP = Found("rectangle", Box(0.1, 0.1, 0.2, 0.2), 1, corners=[(0.2, 0.3), (0.3, 0.2), (0.2, 0.1), (0.1, 0.2)])


def colour(picture, x, y):
    return tuple(int(value) for value in picture[y, x])


def test_boxes_and_landmarks():
    picture = blank(200, 100)
    result = drawn(picture, [BIG, SMALL])
    assert colour(result, 100, 30) == TARGET and colour(result, 180, 30) == TARGET
    assert colour(result, 140, 30) == TARGET
    assert colour(result, 20, 80) == OTHER and colour(result, 40, 70) == OTHER
    assert colour(result, 5, 5) == (127, 127, 127)
    assert (picture == 127).all()


def test_the_target_is_above_the_others():
    result = drawn(blank(200, 100), [BIG, BIG])
    assert colour(result, 100, 30) == TARGET


def test_corners_are_joined():
    result = drawn(blank(200, 200), [STRIP])
    assert colour(result, 50, 150) == TARGET
    # The box's upper left corner is not one of the strip's.
    assert colour(result, 20, 140) == (127, 127, 127)


def test_a_folder_of_pictures(tmp_path):
    drawing = open_drawing(str(tmp_path / "a" / "b"), 30)
    for _ in range(3):
        drawing.add(blank(64, 48), [SMALL])
    drawing.close()
    assert sorted(path.name for path in (tmp_path / "a" / "b").iterdir()) == ["000000.jpg", "000001.jpg", "000002.jpg"]


@pytest.mark.parametrize("ending", [".mp4", ".avi", ".mkv", ".mov", ".MP4"])
def test_a_video(tmp_path, ending):
    path = tmp_path / f"seen{ending}"
    drawing = open_drawing(str(path), 25)
    for _ in range(5):
        drawing.add(blank(128, 96), [BIG])
    drawing.close()
    capture = cv2.VideoCapture(str(path))
    assert capture.get(cv2.CAP_PROP_FPS) == pytest.approx(25)
    count = 0
    while capture.read()[0]:
        count += 1
    assert count == 5


def test_where_nothing_can_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(Trouble) as trouble:
        open_drawing(str(tmp_path / "file"), 30)
    assert trouble.value.status == 74
    drawing = open_drawing(str(tmp_path / "none" / "seen.mp4"), 30)
    with pytest.raises(Trouble) as trouble:
        drawing.add(blank(64, 48), [])
    assert trouble.value.status == 74


@pytest.mark.parametrize("name", ["seen.png", "seen.txt", "seen.webm", "2026.11"])
def test_what_ends_as_a_file_is_no_new_folder(tmp_path, name):
    with pytest.raises(Trouble, match="folder or a video") as trouble:
        open_drawing(str(tmp_path / name), 30)
    assert trouble.value.status == 64
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["seen", "2026.11/", "seen.mp4/"])
def test_a_folder_may_have_a_dot_when_it_is_said_to_be_one(tmp_path, name):
    open_drawing(f"{tmp_path}/{name}", 30).close()
    assert (tmp_path / name).is_dir()
    # Now that it is there, its name is enough.
    drawing = open_drawing(str(tmp_path / name), 30)
    drawing.add(blank(64, 48), [])
    assert (tmp_path / name / "000000.jpg").exists()
