"""The command: what ends it becomes a sentence and an exit status."""

from __future__ import annotations

import signal
import sys
from types import FrameType

from .errors import INTERRUPTED, NO_READER, TERMINATED, ReaderGone, Trouble


def main(arguments: list[str] | None = None) -> int:
    try:
        signal.signal(signal.SIGTERM, _terminate)
        # Only now: OpenCV takes a moment to load, and Ctrl-C may come in it.
        from .program import run_program

        run_program(arguments)
        return 0
    except Trouble as trouble:
        print(f"sentry-camera: {trouble}", file=sys.stderr)
        return trouble.status
    except ReaderGone:
        return NO_READER
    except KeyboardInterrupt:
        return INTERRUPTED


def _terminate(number: int, frame: FrameType | None) -> None:
    # As an exception, so that a video being drawn gets its end.
    sys.exit(TERMINATED)
