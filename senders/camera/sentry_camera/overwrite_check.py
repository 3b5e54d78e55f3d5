"""Refuses to overwrite an input, or one output with another, before any file is opened."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from .draw import is_folder, picture_name
from .errors import USAGE, ExitError

# Identifies a file: by its device and inode, or by its path if it does not exist yet. Two names of
# the same file, through another spelling or a link, have the same identity.
Identity = tuple[int, int] | Path
STANDARD_OUTPUT = 1


def check_overwrites(inputs: Sequence[str], output: str | None, draw: str | None) -> None:
    """Raises ExitError if an output would overwrite something.

    `output` and `draw` are as on the command line.
    """
    read = {identity: name for name in inputs if isinstance(identity := _identity(name), tuple)}
    to_standard_output = output is None or output == "-"
    what = "standard output" if to_standard_output else f"-o {output}"
    written = _identity(STANDARD_OUTPUT if to_standard_output else output)
    if written in read:
        raise ExitError(f"{read[written]} is an input; {what} would overwrite it.", USAGE)
    if draw is None:
        return
    for path in _drawn(draw, len(inputs)):
        if (drawn := _identity(path)) in read:
            raise ExitError(f"{read[drawn]} is an input; --draw {draw} would overwrite it.", USAGE)
    is_same = written is not None and written == _identity(draw)
    if is_same or (not to_standard_output and _is_among(output, draw)):
        raise ExitError(f"--draw {draw} would overwrite the output of {what}.", USAGE)


def _identity(file: str | Path | int) -> Identity | None:
    """None for anything that is not a regular file, because nothing in it can be lost."""
    try:
        status = os.stat(file)
    except FileNotFoundError:
        return Path(os.path.realpath(file))
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def _drawn(draw: str, count: int) -> Iterator[Path]:
    """The files that will be drawn and could be inputs.

    There are at most `count` such pictures, one for each input. A video is never named like one.
    """
    if not is_folder(draw):
        yield Path(draw)
        return
    for number in range(count):
        yield Path(draw) / picture_name(number)


def _is_among(output: str, draw: str) -> bool:
    """Whether `output` is the name of a picture that will be drawn.

    A video or a camera can produce any number of pictures.
    """
    path = Path(os.path.realpath(output))
    is_in_folder = path.parent == Path(os.path.realpath(draw))
    return is_in_folder and re.fullmatch(r"\d{6,}\.jpg", path.name) is not None
