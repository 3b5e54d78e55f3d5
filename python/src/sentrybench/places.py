"""The place in a test where a rule is stated."""

from __future__ import annotations

import os
import sys

_PACKAGE = __name__.partition(".")[0]


def callers_place() -> str:
    """Returns the file and the line of the caller outside this package, as `test_aim.py:12`."""
    frame = sys._getframe(1)
    while frame.f_back is not None:
        if str(frame.f_globals.get("__name__", "")).partition(".")[0] != _PACKAGE:
            break
        frame = frame.f_back
    path = frame.f_code.co_filename
    folder = os.path.join(os.getcwd(), "")
    return f"{path.removeprefix(folder)}:{frame.f_lineno}"
