"""The program `sentrybench`: its path and its version."""

import functools
import subprocess
from hashlib import sha256

from sentrybench import program
from sentrybench.errors import TurretError
from sentrybench.fleet import status
from sentrybench.fleet.status import FleetError


@functools.cache
def find() -> str:
    """Returns the path of the program."""
    try:
        return program.find()
    except TurretError as error:
        raise FleetError(status.UNAVAILABLE, str(error)) from None


@functools.cache
def version() -> str:
    """Returns the program's version, for example 0.1.0."""
    path = find()
    try:
        done = subprocess.run(
            [path, "--version"],
            check=False,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=60,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FleetError(status.UNAVAILABLE, f"{path} does not run: {error}") from None
    lines = done.stdout.split()
    if done.returncode != 0 or len(lines) != 1:
        text = (done.stderr or done.stdout).strip()[:500] or f"status {done.returncode}"
        raise FleetError(status.UNAVAILABLE, f"{path} --version does not print a version: {text}")
    return lines[0]


def digest() -> str:
    """Returns a digest of the program's bytes: two builds can have the same version."""
    found = sha256()
    with open(find(), "rb") as file:
        while block := file.read(1 << 20):
            found.update(block)
    return found.hexdigest()
