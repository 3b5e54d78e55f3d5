"""Helpers for tests of benches: checks for leftovers, and stand-ins for the program."""

from __future__ import annotations

import os
import pathlib
import sys
import time
from collections.abc import Callable

from sentrybench.turret import BaseTurret


def eventually(is_so: Callable[[], bool], seconds: float = 20) -> bool:
    """Whether the condition becomes true in time."""
    latest = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > latest:
            return False
        time.sleep(0.005)
    return True


def process_of(turret: BaseTurret) -> int:
    """The id of the bench's process."""
    process = turret._session._bench._process
    assert process is not None
    return process.pid


def is_running(process: int) -> bool:
    """Whether a process runs. A zombie does not."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def folder_of(turret: BaseTurret) -> str:
    """The bench's private folder."""
    return turret._session._bench.folder


def has_left_nothing(process: int, folder: str) -> bool:
    """Whether neither the process nor the folder is left."""
    return not is_running(process) and not os.path.exists(folder)


def stand_in(path: pathlib.Path, body: str) -> pathlib.Path:
    """A program that takes the place of sentrybench. `body` is Python."""
    path.write_text(f"#!{sys.executable}\nimport json, os, signal, sys, time\n{body}\n")
    path.chmod(0o755)
    return path
