"""make_pictures.py SENTRYBENCH FOLDER  makes the pictures of the camera's documentation

Each is drawn by the camera program, with the decisions of `SENTRYBENCH aim`. The face is that of
the astronaut Eileen Collins, in a photograph by NASA that scikit-image includes.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from networks import write_yolo
from pictures import FACE, FACE_SIZE, as_delivered, blank, rectangle, with_face, with_strips
from sentry_camera import text
from sentry_camera.cli import main as camera
from sentry_camera.commands import Command, Connection, Decision
from sentry_camera.head_up import Scene, drawn
from sentry_camera.observations import Box, Found
from sentry_camera.upright import Picture

# A picture of the documentation has few colours, so that its file is small.
COLOURS = 192
WIDTH, HEIGHT = 640, 360
OBJECTS = ["--detect", "objects", "--model", "yolo.onnx", "--labels", "labels.txt"]
STRIPS = ["--detect", "strips", "--fov", "60"]
# Where the eyes, the nose and the corners of the mouth are in the astronaut's picture, in pixels.
LANDMARKS = {
    "rightEye": (204, 102),
    "leftEye": (247, 104),
    "nose": (229, 124),
    "rightMouthCorner": (206, 144),
    "leftMouthCorner": (246, 144),
}


class Pictures:
    """The folder for the pictures. `bench` is the program sentrybench."""

    def __init__(self, bench: str, folder: Path) -> None:
        self._bench = bench
        self._folder = folder

    def write(self, name: str, picture: Picture) -> None:
        image = Image.fromarray(picture[:, :, ::-1])
        image = image.quantize(
            COLOURS, Image.Quantize.MEDIANCUT, kmeans=2, dither=Image.Dither.NONE
        )
        image.save(self._folder / f"{name}.png", optimize=True)

    def seen(
        self, buffers: list[Picture], options: list[str], aim: list[str], display: list[str]
    ) -> Picture:
        """Runs the program on pictures at 10 per second. Returns the last one that it draws."""
        names = [_saved(f"{number}.png", buffer) for number, buffer in enumerate(buffers)]
        options = [*names, "--rate", "10", "-o", "seen.jsonl", *options]
        _run_camera(options)
        with open("commands.jsonl", "wb") as commands:
            command = [self._bench, "aim", "seen.jsonl", "--to", "-", *aim]
            subprocess.run(command, stdout=commands, check=True)
        _run_camera([*options, "--commands", "commands.jsonl", *display, "--draw", "drawn"])
        return cv2.imread(f"drawn/{len(buffers) - 1:06}.jpg")


def _run_camera(options: list[str]) -> None:
    if status := camera(options):
        sys.exit(status)


def faces() -> Picture:
    return np.hstack([with_face(340, HEIGHT, 150, 180, 1.2), with_face(300, HEIGHT, 160, 230, 0.8)])


def things(*labels: str) -> Picture:
    """A picture with a red and a blue thing where the network of the tests finds them."""
    picture = blank(WIDTH, HEIGHT, 150)
    picture[250:] = 110
    # The squares that the network looks at begin 140 pixels above the picture.
    for label, left, top, colour in (
        ("red", 120, 140, (0, 0, 255)),
        ("blue", 440, 180, (255, 0, 0)),
    ):
        if label in labels:
            picture[top : top + 40, left - 10 : left + 50] = colour
    text.write(picture, "Way out", (260, 150), 26, text.BLACK)
    return picture


def make(pictures: Pictures) -> None:
    _run_camera([_saved("faces.png", faces()), "-o", "seen.jsonl", "--draw", "drawn"])
    pictures.write("faces", cv2.imread("drawn/000000.jpg"))
    pictures.write("eyes", eyes())

    target = [with_face(WIDTH, HEIGHT, 250 + 50 * number, 190) for number in range(4)]
    pictures.write("target", pictures.seen(target, [], [], []))
    gone = Decision(Connection.DISCONNECTED, Command(0, None))
    pictures.write("sentry-mode", drawn(with_face(WIDTH, HEIGHT, 690, 190), Scene([], gone)))

    write_yolo(Path("yolo.onnx"))
    Path("labels.txt").write_text("red\nblue\n")
    blue = ["--label", "blue"]
    both = things("red", "blue")
    pictures.write("objects", pictures.seen([both], OBJECTS, blue, []))
    mirrored = as_delivered(both, "up", mirrored=True)
    seen = pictures.seen([mirrored], [*OBJECTS, "--mirrored"], blue, [])
    pictures.write("objects-mirrored", seen)
    lying = as_delivered(both, "right")
    seen = pictures.seen([lying], [*OBJECTS, "--orientation", "right"], blue, [])
    pictures.write("objects-rotated", _beside(lying, seen))

    shown = [things("blue"), things("red"), both]
    seen = pictures.seen(shown, OBJECTS, ["--require", "blue:0.8", *blue], ["--ask", "blue"])
    pictures.write("points", seen)

    pair = [rectangle(400 + side * 70, 170, 26, 130, -side * 14.5) for side in (-1, 1)]
    strips = with_strips(WIDTH, HEIGHT, *pair)
    aim = ["--strips", "--mapping", "fov"]
    pictures.write("strips", pictures.seen([strips], STRIPS, aim, aim[1:]))
    seen = pictures.seen([strips], STRIPS, aim, [*aim[1:], "--draw-filter"])
    pictures.write("colour-filter", seen)


def eyes() -> Picture:
    """Landmarks that were placed by hand, because no model is included."""
    x, y, scale, size = 170, 170, 2.0, FACE_SIZE * 2.0
    box = Box.of_pixels(x - size / 2, y - size / 2, x + size / 2, y + size / 2, (340, 300))
    assert box is not None
    landmarks = {}
    for name, (across, down) in LANDMARKS.items():
        pixel = x + (across - FACE[0]) * scale, y + (down - FACE[1]) * scale
        share = (pixel[0] / 340 - box.x) / box.width, (1 - pixel[1] / 300 - box.y) / box.height
        landmarks[name] = [share]
    face = Found("face", box, 0.93, landmarks=landmarks)
    return drawn(with_face(340, 300, x, y, scale), Scene([face]))


def _saved(name: str, picture: Picture) -> str:
    cv2.imwrite(name, picture)
    return name


def _beside(buffer: Picture, seen: Picture) -> Picture:
    """The camera's buffer, made smaller, with the drawn picture to the right of it."""
    height = seen.shape[0]
    width = round(buffer.shape[1] * height / buffer.shape[0])
    small = cv2.resize(buffer, (width, height), interpolation=cv2.INTER_AREA)
    return np.hstack([small, blank(20, height, 255), seen])


def main() -> int:
    parser = argparse.ArgumentParser(prog="make_pictures.py", allow_abbrev=False)
    parser.add_argument("bench", metavar="SENTRYBENCH")
    parser.add_argument("folder")
    options = parser.parse_args()
    folder = Path(options.folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    pictures = Pictures(str(Path(options.bench).resolve()), folder)
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        make(pictures)
        os.chdir(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
