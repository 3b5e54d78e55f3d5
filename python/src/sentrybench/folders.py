"""Private folders that do not outlive their process for long.

A process that is killed leaves its folder behind. The next one that makes a folder in the same
place removes it: a folder whose name, owner and mode are those of ours and that has a marker with our
text, which a living process keeps locked. The program does the same with its own folders.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile

_PREFIX = "sentrybench-"
_MARKER = ".in-use"
_TEXT = b"A folder of a running sentrybench. The next one removes it when that has ended.\n"

_locks: dict[str, int] = {}
"""The locked markers of the folders that this process has made."""


def make() -> str:
    """Makes a folder in the temporary folder that only this user can enter. Returns its path."""
    _remove_leftovers(tempfile.gettempdir())
    path = tempfile.mkdtemp(prefix=_PREFIX)
    try:
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        lock = os.open(os.path.join(path, _MARKER), flags, 0o600)
        _locks[path] = lock
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # The text comes last, so that no other process removes the folder before it is locked.
        os.write(lock, _TEXT)
    except BaseException:
        remove(path)
        raise
    return path


def remove(path: str) -> None:
    """Removes a folder that `make` returned, and everything in it."""
    shutil.rmtree(path, ignore_errors=True)
    lock = _locks.pop(path, None)
    if lock is not None:
        os.close(lock)


def _remove_leftovers(parent: str) -> None:
    try:
        names = os.listdir(parent)
    except OSError:
        return
    for name in names:
        if name.startswith(_PREFIX):
            _remove_leftover(os.path.join(parent, name))


def _remove_leftover(path: str) -> None:
    """Removes a folder of ours whose process has ended."""
    try:
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return
    try:
        facts = os.fstat(folder)
        if facts.st_uid != os.geteuid() or stat.S_IMODE(facts.st_mode) != 0o700:
            return
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
        lock = os.open(_MARKER, flags, dir_fd=folder)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            marker = os.fstat(lock)
            if not stat.S_ISREG(marker.st_mode) or marker.st_uid != os.geteuid():
                return
            if os.read(lock, len(_TEXT) + 1) == _TEXT:
                shutil.rmtree(path, ignore_errors=True)
        finally:
            os.close(lock)
    except OSError:
        return
    finally:
        os.close(folder)
