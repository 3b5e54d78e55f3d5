"""Helpers for the tests of the fleet: traces, and ways to run the command line."""

import json
import pathlib
import subprocess
import sys
from collections.abc import Callable

TRACES = pathlib.Path(__file__).resolve().parents[3] / "traces"

Fleet = Callable[..., tuple[int, str, str]]
"""Runs the command line. Returns the status and what it prints."""


def write_trace(path: pathlib.Path, title: str = "boot") -> pathlib.Path:
    """Writes a trace that agrees, with this title."""
    header, *events = (TRACES / "classic" / "boot.jsonl").read_text().splitlines(keepends=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(json.loads(header) | {"title": title}) + "\n" + "".join(events))
    return path


def write_wrong(path: pathlib.Path) -> pathlib.Path:
    """Writes a trace that disagrees."""
    text = write_trace(path).read_text()
    path.write_text(text.replace('"servo", 90', '"servo", 91'))
    return path


def start(*arguments: object) -> subprocess.Popen[str]:
    """Starts the command line as a process."""
    command = [sys.executable, "-m", "sentrybench.fleet", "verify", *map(str, arguments)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
