"""Files that the package writes: each appears whole, and one that others wrote is not replaced."""

from __future__ import annotations

import os
import secrets
import shutil
from contextlib import suppress

from .errors import TurretError

_HEAD = 4_096
_PICTURE = b'role="img" aria-labelledby="title desc">\n<title id="title">'


def content(path: str) -> str | None:
    """Returns what a file contains: `trace`, `picture`, an empty text, or None for anything else.

    A file that does not exist counts as empty.
    """
    try:
        with open(path, "rb") as file:
            head = file.read(_HEAD)
    except FileNotFoundError:
        return ""
    if not head:
        return ""
    if head.lstrip().startswith(b"{") and b'"sentry-trace"' in head.lstrip().split(b"\n")[0]:
        return "trace"
    return "picture" if head.startswith(b"<svg ") and _PICTURE in head else None


def check(path: str, kind: str) -> None:
    """Raises `TurretError` if a file must stay: only a trace replaces a trace."""
    __tracebackhide__ = True
    found = content(path) if os.path.isfile(path) or not os.path.lexists(path) else ""
    if found is None:
        raise TurretError(
            f"{path} exists, and sentrybench did not write it; remove it, or choose another name"
        )
    if found == "trace" and kind != "trace":
        raise TurretError(f"{path} is a trace, which only another trace replaces")


def write(path: str, data: bytes) -> None:
    """Writes a file next to its target and renames it. A device or a FIFO is written directly."""
    target = os.path.realpath(path)
    if os.path.lexists(target) and not os.path.isfile(target):
        with open(target, "wb") as file:
            file.write(data)
        return
    draft = f"{target}.{secrets.token_hex(8)}.part"
    try:
        with open(draft, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(target):
            shutil.copymode(target, draft)
        os.replace(draft, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.remove(draft)
        raise
