"""Finds the program `sentrybench`."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from typing import NoReturn

from .errors import TurretError

VARIABLE = "SENTRYBENCH"
"""The environment variable that names a program to use instead of the package's own."""

_NAME = "sentrybench"


def find(environment: Mapping[str, str] | None = None) -> str:
    """Returns the program's path: from `SENTRYBENCH`, from the package, or from `PATH`.

    Raises `TurretError` if there is none.
    """
    environment = os.environ if environment is None else environment
    named = environment.get(VARIABLE)
    if named:
        found = shutil.which(named, path=environment.get("PATH"))
        if found is None:
            raise TurretError(
                f"{VARIABLE} is {named!r}, which is not a program; set it to the path of "
                f"{_NAME}, or unset it"
            )
        return os.path.abspath(found)
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", _NAME)
    if os.access(own, os.X_OK):
        return own
    for folder in environment.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder or os.curdir, _NAME)
        if os.path.isfile(path) and os.access(path, os.X_OK) and not _is_launcher(path):
            return os.path.abspath(path)
    raise TurretError(
        f"the program {_NAME} is not found: {VARIABLE} is not set, {own} does not exist, and it "
        f"is not on PATH; install a wheel that contains it, or set {VARIABLE} to its path"
    )


def _is_launcher(path: str) -> bool:
    """Whether this is the script that calls `main`; running it would start it again, forever."""
    try:
        with open(path, "rb") as file:
            text = file.read(4_096)
    except OSError:
        return True
    return text.startswith(b"#!") and __name__.encode() in text


def main() -> NoReturn:
    """Replaces this process with the program, with the same arguments."""
    try:
        path = find()
        os.execv(path, [path, *sys.argv[1:]])
    except (TurretError, OSError) as error:
        sys.exit(f"error: {error}")
