"""make_video.py faces|strips FILE  makes a video to use in place of a camera

A face, or a pair of strips, moves from left to right. The position of its middle in each frame is
printed, normalized, with the origin at the lower left. With --orientation and --mirrored, the video
is what a camera held in that way delivers. The printed positions are always the true ones, in the
upright picture that is not mirrored.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator
from pathlib import Path

import cv2

from pictures import as_delivered, rectangle, with_face, with_strips
from sentry_camera.draw import CODECS
from sentry_camera.errors import INTERRUPTED, IO_FAILED, BROKEN_PIPE, USAGE, BrokenPipe, ExitError
from sentry_camera.output import Output
from sentry_camera.upright import TURNS, Picture

# The size that the camera delivers. After a quarter turn, the picture is higher than wide.
WIDTH, HEIGHT = 640, 360
RATE = 25
COUNT = 50


def moving(
    what: str, width: int, height: int, count: int
) -> Iterator[tuple[Picture, float, float]]:
    """Upright frames, and the position of the middle in pixels, y pointing down."""
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
    parser.add_argument(
        "--orientation", choices=tuple(TURNS), default="up", help="how to turn the video upright"
    )
    parser.add_argument("--mirrored", action="store_true")
    parser.add_argument("--frames", type=int, default=COUNT)
    options = parser.parse_args()
    codec = CODECS.get(Path(options.file).suffix.lower())
    if codec is None:
        suffixes = ", ".join(CODECS)
        print(f"make_video.py: {options.file} must end with one of {suffixes}.", file=sys.stderr)
        return USAGE
    writer = cv2.VideoWriter(options.file, cv2.VideoWriter.fourcc(*codec), RATE, (WIDTH, HEIGHT))
    if not writer.isOpened():
        print(f"make_video.py: {options.file} cannot be written.", file=sys.stderr)
        return IO_FAILED
    output = Output(None)
    is_turned = options.orientation in ("right", "left")
    width, height = (HEIGHT, WIDTH) if is_turned else (WIDTH, HEIGHT)
    try:
        for picture, x, y in moving(options.what, width, height, options.frames):
            writer.write(as_delivered(picture, options.orientation, options.mirrored))
            output.write(f"{x / width:.6f} {1 - y / height:.6f}")
    except ExitError as error:
        print(f"make_video.py: {error}", file=sys.stderr)
        return error.status
    except BrokenPipe:
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        # A completed file can be played, even if frames are missing.
        writer.release()
    return 0


if __name__ == "__main__":
    sys.exit(main())
