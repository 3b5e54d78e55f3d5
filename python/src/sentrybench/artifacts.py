"""The files that show why a test failed: the session's trace, picture and explanation."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from . import files
from .errors import TurretError

TRACE, PICTURE, EXPLANATION, MESSAGES = "trace.jsonl", "picture.svg", "explanation.txt", "bench.txt"
NAMES = (TRACE, PICTURE, EXPLANATION, MESSAGES)
"""The names of the files."""

_SECONDS_MAX = 30.0
_LINES_MAX = 60


@dataclass
class Artifacts:
    """The files about a session, in a folder. Those that cannot be made are left out."""

    folder: str

    def write(
        self,
        program: str,
        recording: str,
        messages: str,
        title: str,
        goldens: Sequence[str] = (),
    ) -> None:
        """Copies the session's recording, draws and explains it, and keeps the bench's messages.

        `title` becomes the title of the trace, and so of the picture. Raises `TurretError` if that
        would replace one of the golden traces, or what others wrote.
        """
        os.makedirs(self.folder, exist_ok=True)
        names = [name for name in NAMES if os.path.lexists(self._path(name))]
        for name in names:
            path = self._path(name)
            if any(os.path.exists(golden) and _is_same(golden, path) for golden in goldens):
                raise TurretError(f"{path} is a trace that the session is compared with")
        files.check(self._path(TRACE), "trace")
        files.check(self._path(PICTURE), "picture")
        for name in names:
            os.remove(self._path(name))
        if messages:
            files.write(self._path(MESSAGES), f"{messages}\n".encode())
        if not os.path.exists(recording):
            return
        trace = self._path(TRACE)
        with open(recording, "rb") as file:
            files.write(trace, _titled(file.read(), title))
        self._run(PICTURE, [program, "plot", "-o", "-", trace])
        self._run(EXPLANATION, [program, "explain", trace])

    def _path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def _run(self, name: str, command: list[str]) -> None:
        path = self._path(name)
        with open(path, "xb") as file:
            try:
                done = subprocess.run(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=file,
                    stderr=subprocess.DEVNULL,
                    timeout=_SECONDS_MAX,
                    check=False,
                )
            except (OSError, subprocess.TimeoutExpired):
                done = None
        # With status 1 a picture says that the session's commands are not those of the sketch.
        if done is None or done.returncode not in (0, 1):
            os.remove(path)

    def summary(self) -> str:
        """Returns what became of each byte, and where the picture and the trace are."""
        parts = []
        if os.path.exists(self._path(EXPLANATION)):
            parts += self._tail(EXPLANATION)
        if os.path.exists(self._path(MESSAGES)):
            parts += ["", "messages from the bench:", *self._tail(MESSAGES)]
        for word, name in (("picture", PICTURE), ("trace", TRACE)):
            if os.path.exists(self._path(name)):
                parts.append(f"{word}: {self._path(name)}")
        return "\n".join(parts)

    def _tail(self, name: str) -> list[str]:
        with open(self._path(name), encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
        if len(lines) <= _LINES_MAX:
            return lines
        left = len(lines) - _LINES_MAX
        return [f"({left} lines before these are in {self._path(name)})", *lines[-_LINES_MAX:]]


def _titled(trace: bytes, title: str) -> bytes:
    """Returns a trace with a title in its header. One that has no header stays as it is."""
    line, end, rest = trace.partition(b"\n")
    try:
        header = json.loads(line)
    except ValueError:
        header = None
    if isinstance(header, dict) and header and "title" not in header:
        # The other members stay as they are written.
        line = line.rstrip()[:-1] + f', "title": {json.dumps(title)}}}'.encode()
    return line + end + rest


def _is_same(one: str, other: str) -> bool:
    return os.path.exists(other) and os.path.samefile(one, other)
