"""Turns each picture into a line: all the steps in one place."""

from __future__ import annotations

from collections.abc import Callable

from .camera import Camera
from .errors import MALFORMED, ExitError
from .frame import Frame, Source
from .observations import Found, Size, biggest_first, header, line
from .upright import Picture

Detector = Callable[[Picture], list[Found]]
# Takes a frame, the upright picture of it, and what was found, the biggest first.
Display = Callable[[Frame, Picture, list[Found]], None]


def run(
    source: Source,
    camera: Camera,
    detect: Detector,
    write: Callable[[str], None],
    display: Display | None = None,
) -> int:
    """Writes the header with the first frame, then a line per frame. Returns how many frames."""
    upright = camera.upright
    size: Size | None = None
    count = 0
    for frame in source.frames():
        its_size = (frame.picture.shape[1], frame.picture.shape[0])
        if size is None:
            size = its_size
            write(
                header(
                    size,
                    upright.orientation,
                    camera.mirrored,
                    upright.crop,
                    camera.view,
                    camera.fov,
                )
            )
        elif its_size != size:
            raise ExitError(
                f"Picture {count + 1} is {its_size[0]}x{its_size[1]} pixels, but the first one is "
                f"{size[0]}x{size[1]}; all pictures must have the same size.",
                MALFORMED,
            )
        picture = upright(frame.picture)
        found = biggest_first(detect(picture))
        write(line(frame.time, found))
        if display is not None:
            display(frame, picture, found)
        count += 1
    if size is None:
        raise ExitError("The input contains no picture.", MALFORMED)
    return count
