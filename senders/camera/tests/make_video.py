"""make_video.py faces|strips FILE  makes a video in which a face, or a pair of strips, goes from left to right and prints
where its middle is in each frame, normalized, origin lower left: for trying things without a camera. With --orientation
and --mirrored it is what a camera delivers that is held so; what is printed is where things are in truth: in the
upright picture, not mirrored."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator
from pathlib import Path

import cv2

from pictures import as_delivered, rectangle, with_face, with_strips
from sentry_camera.draw import CODECS
from sentry_camera.errors import INTERRUPTED, IO_FAILED, NO_READER, USAGE, ReaderGone, Trouble
from sentry_camera.output import Output
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


def main() -> int:
    parser = argparse.ArgumentParser(prog="make_video.py", allow_abbrev=False)
    parser.add_argument("what", choices=("faces", "strips"))
    parser.add_argument("file")
    parser.add_argument("--orientation", choices=tuple(TURNS), default="up", help="what makes the video upright")
    parser.add_argument("--mirrored", action="store_true")
    parser.add_argument("--frames", type=int, default=COUNT)
    options = parser.parse_args()
    codec = CODECS.get(Path(options.file).suffix.lower())
    if codec is None:
        print(f"make_video.py: {options.file} is no name of a video ({', '.join(CODECS)}).", file=sys.stderr)
        return USAGE
    writer = cv2.VideoWriter(options.file, cv2.VideoWriter.fourcc(*codec), RATE, (WIDTH, HEIGHT))
    if not writer.isOpened():
        print(f"make_video.py: {options.file} can't be written.", file=sys.stderr)
        return IO_FAILED
    output = Output(None)
    width, height = (HEIGHT, WIDTH) if options.orientation in ("right", "left") else (WIDTH, HEIGHT)
    try:
        for picture, x, y in moving(options.what, width, height, options.frames):
            writer.write(as_delivered(picture, options.orientation, options.mirrored))
            output.write(f"{x / width:.6f} {1 - y / height:.6f}")
    except Trouble as trouble:
        print(f"make_video.py: {trouble}", file=sys.stderr)
        return trouble.status
    except ReaderGone:
        return NO_READER
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        # With its end, what there is can be played.
        writer.release()
    return 0


if __name__ == "__main__":
    sys.exit(main())
