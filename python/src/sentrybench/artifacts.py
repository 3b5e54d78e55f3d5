"""The files that show why a test failed: the session's trace, picture and explanation."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass

TRACE, PICTURE, EXPLANATION, MESSAGES = "trace.jsonl", "picture.svg", "explanation.txt", "bench.txt"
"""The names of the files."""

_SECONDS_MAX = 30.0
_LINES_MAX = 60


@dataclass
class Artifacts:
    """The files about a session, in a folder. Those that cannot be made are left out."""

    folder: str

    def write(self, program: str, recording: str, messages: str, title: str) -> None:
        """Copies the session's recording, draws and explains it, and keeps the bench's messages.

        `title` becomes the title of the trace, and so of the picture.
        """
        os.makedirs(self.folder, exist_ok=True)
        for name in (TRACE, PICTURE, EXPLANATION, MESSAGES):
            if os.path.exists(self._path(name)):
                os.remove(self._path(name))
        if messages:
            with open(self._path(MESSAGES), "w", encoding="utf-8") as file:
                file.write(messages + "\n")
        if not os.path.exists(recording):
            return
        trace = self._path(TRACE)
        _copy(recording, trace, title)
        self._run(PICTURE, [program, "plot", "-o", "-", trace])
        self._run(EXPLANATION, [program, "explain", trace])

    def _path(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def _run(self, name: str, command: list[str]) -> None:
        path = self._path(name)
        with open(path, "wb") as file:
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
        if done is None or done.returncode != 0:
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


def _copy(recording: str, trace: str, title: str) -> None:
    """Copies a recording, with a title in its header. One that has no header is copied as it is."""
    with open(recording, "rb") as source, open(trace, "wb") as copy:
        line = source.readline()
        try:
            header = json.loads(line)
        except ValueError:
            header = None
        if isinstance(header, dict) and header and "title" not in header:
            # The other members stay as they are written.
            line = line.rstrip()[:-1] + f', "title": {json.dumps(title)}}}\n'.encode()
        copy.write(line)
        shutil.copyfileobj(source, copy)
