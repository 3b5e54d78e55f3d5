"""moving.py faces|strips FILE  makes a video in which a face, or a pair of strips, goes from left to right and prints
where its middle is in each frame, normalized, origin lower left: for trying things without a camera. With --orientation
and --mirrored it is what a camera delivers that is held so; what is printed is where things are in truth: in the
upright picture, not mirrored."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator

import cv2

from pictures import as_delivered, rectangle, with_face, with_strips
from sentry_camera.upright import TURNS, Picture

# Of what the camera delivers. After a quarter turn the picture is higher than wide.
WIDTH, HEIGHT = 640, 360
RATE = 25
COUNT = 50


def moving(what: str, width: int, height: int, count: int) -> Iterator[tuple[Picture, float, float]]:
    """Upright frames, and the middle in pixels, y down."""
    for number in range(count):
        x = round(width * (0.1875 + 0.625 * number / max(count - 1, 1)))
        y = round(height / 2 + 40 * math.sin(number / 8))
        if what == "faces":
            yield with_face(width, height, x, y), x, y
        else:
            pair = [rectangle(x + side * 45, y, 14, 70, -side * 14.5) for side in (-1, 1)]
            yield with_strips(width, height, *pair), x, y


def main() -> None:
    parser = argparse.ArgumentParser(prog="moving.py", allow_abbrev=False)
    parser.add_argument("what", choices=("faces", "strips"))
    parser.add_argument("file")
    parser.add_argument("--orientation", choices=tuple(TURNS), default="up", help="what makes the video upright")
    parser.add_argument("--mirrored", action="store_true")
    parser.add_argument("--frames", type=int, default=COUNT)
    options = parser.parse_args()
    codec = "MJPG" if options.file.endswith(".avi") else "mp4v"
    writer = cv2.VideoWriter(options.file, cv2.VideoWriter.fourcc(*codec), RATE, (WIDTH, HEIGHT))
    if not writer.isOpened():
        sys.exit(f"moving.py: {options.file} can't be written.")
    width, height = (HEIGHT, WIDTH) if options.orientation in ("right", "left") else (WIDTH, HEIGHT)
    for picture, x, y in moving(options.what, width, height, options.frames):
        writer.write(as_delivered(picture, options.orientation, options.mirrored))
        print(f"{x / width:.6f} {1 - y / height:.6f}")
    writer.release()


if __name__ == "__main__":
    main()
