"""Nothing that is read is written over, and no output over another: looked at before any is opened."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from .draw import is_folder, picture_name
from .errors import USAGE, Trouble

# Two of one file are equal, whether named by another spelling or through a link: its device, and its number there. Of
# one that will be made it is the path.
Identity = tuple[int, int] | Path
STANDARD_OUTPUT = 1


def keep_inputs(inputs: Sequence[str], output: str | None, draw: str | None) -> None:
    """`output` and `draw` as on the command line."""
    read = {identity: name for name in inputs if isinstance(identity := _identity(name), tuple)}
    to_standard_output = output is None or output == "-"
    what = "standard output" if to_standard_output else f"-o {output}"
    written = _identity(STANDARD_OUTPUT if to_standard_output else output)
    if written in read:
        raise Trouble(f"{read[written]} is read; {what} would overwrite it.", USAGE)
    if draw is None:
        return
    for path in _drawn(draw, len(inputs)):
        if (drawn := _identity(path)) in read:
            raise Trouble(f"{read[drawn]} is read; --draw {draw} would overwrite it.", USAGE)
    if (written is not None and written == _identity(draw)) or (not to_standard_output and _is_among(output, draw)):
        raise Trouble(f"--draw {draw} would overwrite what goes to {what}.", USAGE)


def _identity(file: str | Path | int) -> Identity | None:
    """None for what is no file, so that nothing in it can be lost."""
    try:
        status = os.stat(file)
    except FileNotFoundError:
        return Path(os.path.realpath(file))
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if stat.S_ISREG(status.st_mode) else None


def _drawn(draw: str, count: int) -> Iterator[Path]:
    """As many as there are inputs: no more can be pictures among them, and a video is not named as a picture."""
    if not is_folder(draw):
        yield Path(draw)
        return
    for number in range(count):
        yield Path(draw) / picture_name(number)


def _is_among(output: str, draw: str) -> bool:
    """Whether the observations would go where some picture will: of a video or a camera any number may come."""
    path = Path(os.path.realpath(output))
    return path.parent == Path(os.path.realpath(draw)) and re.fullmatch(r"\d{6,}\.jpg", path.name) is not None
