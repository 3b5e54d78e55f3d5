"""Lines to standard output or a file, each there at once: a program at the other end aims by them."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import TextIO

from .errors import IO_FAILED, ReaderGone, Trouble


class Output:
    """None or `-` is standard output."""

    def __init__(self, path: str | None) -> None:
        self._name = "Standard output" if path in (None, "-") else path
        if path is None or path == "-":
            self._file: TextIO = sys.stdout
            return
        try:
            self._file = Path(path).open("w", encoding="utf-8")
        except OSError as error:
            raise Trouble(f"{path} can't be written: {error.strerror}.", IO_FAILED) from None

    def write(self, line: str) -> None:
        try:
            self._file.write(line + "\n")
            self._file.flush()
        except BrokenPipeError:
            if self._file is sys.stdout:
                # Or Python complains when it flushes what is left, at its end.
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise ReaderGone from None
        except OSError as error:
            raise Trouble(f"{self._name} can't be written: {error.strerror}.", IO_FAILED) from None

    def close(self) -> None:
        if self._file is not sys.stdout:
            # What is left is what could not be written, and that has been said.
            with contextlib.suppress(OSError):
                self._file.close()
