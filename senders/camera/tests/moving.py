"""moving.py faces|strips FILE  makes a video in which a face, or a pair of strips, goes from left to right and prints
where its middle is in each frame, normalized, origin lower left: for trying things without a camera."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator

import cv2

from pictures import rectangle, with_face, with_strips
from sentry_camera.upright import Picture

WIDTH, HEIGHT = 640, 360
RATE = 25
COUNT = 50


def moving(what: str, count: int = COUNT) -> Iterator[tuple[Picture, float, float]]:
    """Frames, and the middle in pixels, y down."""
    for number in range(count):
        x = round(120 + 400 * number / (count - 1))
        y = round(HEIGHT / 2 + 40 * math.sin(number / 8))
        if what == "faces":
            yield with_face(WIDTH, HEIGHT, x, y), x, y
        else:
            pair = [rectangle(x + side * 45, y, 14, 70, -side * 14.5) for side in (-1, 1)]
            yield with_strips(WIDTH, HEIGHT, *pair), x, y


def main(what: str, path: str) -> None:
    codec = "MJPG" if path.endswith(".avi") else "mp4v"
    writer = cv2.VideoWriter(path, cv2.VideoWriter.fourcc(*codec), RATE, (WIDTH, HEIGHT))
    if not writer.isOpened():
        sys.exit(f"moving.py: {path} can't be written.")
    for picture, x, y in moving(what):
        writer.write(picture)
        print(f"{x / WIDTH:.6f} {1 - y / HEIGHT:.6f}")
    writer.release()


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("faces", "strips"):
        sys.exit("usage: moving.py faces|strips FILE")
    main(sys.argv[1], sys.argv[2])
