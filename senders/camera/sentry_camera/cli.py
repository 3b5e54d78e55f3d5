"""The command. It turns every cause of its end into a message and an exit status."""

from __future__ import annotations

import signal
import sys
from types import FrameType

from .errors import INTERRUPTED, BROKEN_PIPE, TERMINATED, BrokenPipe, ExitError


def main(arguments: list[str] | None = None) -> int:
    try:
        signal.signal(signal.SIGTERM, _terminate)
        arguments = sys.argv[1:] if arguments is None else arguments
        # Imported here because OpenCV takes a moment to load, and Ctrl-C must work meanwhile.
        if arguments[:1] == ["serve"]:
            from .serve import run_server

            run_server(arguments[1:])
        elif arguments[:1] == ["scene"]:
            from .scene import run_scene

            run_scene(arguments[1:])
        else:
            from .program import run_program

            run_program(arguments)
        return 0
    except ExitError as error:
        print(f"sentry-camera: {error}", file=sys.stderr)
        return error.status
    except BrokenPipe:
        return BROKEN_PIPE
    except KeyboardInterrupt:
        return INTERRUPTED


def _terminate(number: int, frame: FrameType | None) -> None:
    # Raises an exception, so that a video being drawn is completed.
    sys.exit(TERMINATED)
