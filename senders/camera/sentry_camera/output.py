"""Writes lines to standard output or a file.

Each line is flushed at once, because a program at the other end uses it to aim.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import TextIO

from .errors import IO_FAILED, BrokenPipe, ExitError


class Output:
    """An output. The path None or `-` means standard output."""

    def __init__(self, path: str | None) -> None:
        self._name = "Standard output" if path in (None, "-") else path
        if path is None or path == "-":
            self._file: TextIO = sys.stdout
            return
        try:
            self._file = Path(path).open("w", encoding="utf-8")
        except OSError as error:
            raise ExitError(f"{path} cannot be written: {error.strerror}.", IO_FAILED) from None

    def write(self, line: str) -> None:
        try:
            self._file.write(line + "\n")
            self._file.flush()
        except BrokenPipeError:
            if self._file is sys.stdout:
                # Otherwise Python reports an error when it flushes the rest at exit.
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise BrokenPipe from None
        except OSError as error:
            message = f"{self._name} cannot be written: {error.strerror}."
            raise ExitError(message, IO_FAILED) from None

    def close(self) -> None:
        if self._file is not sys.stdout:
            # Only data that could not be written is left, and that error was already reported.
            with contextlib.suppress(OSError):
                self._file.close()
