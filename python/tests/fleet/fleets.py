"""Helpers for the tests of the fleet: traces, and ways to run the command line."""

import contextlib
import json
import pathlib
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

TRACES = pathlib.Path(__file__).resolve().parents[3] / "traces"

#: The longest time that a test waits, in seconds.
LIMIT = 120

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


@contextlib.contextmanager
def _running(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "dask", *arguments, "--no-dashboard"], stderr=subprocess.DEVNULL
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def two_workers(folder: pathlib.Path) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A cluster: the scheduler's address, and one of its two workers."""
    from distributed import Client

    file = folder / "scheduler.json"
    common = ("--scheduler-file", str(file))
    scratch = ("--local-directory", str(folder / "scratch"))
    worker = ("worker", *common, "--no-nanny", "--nthreads", "1", *scratch)
    with (
        _running("scheduler", *common, "--host", "127.0.0.1", "--port", "0"),
        _running(*worker) as one,
        _running(*worker),
    ):
        with Client(scheduler_file=str(file), timeout=LIMIT) as client:
            client.wait_for_workers(2, timeout=LIMIT)
            address = client.scheduler.address
        yield address, one


def start(*arguments: object, command: str = "verify") -> subprocess.Popen[str]:
    """Starts the command line as a process."""
    parts = [sys.executable, "-m", "sentrybench.fleet", command, *map(str, arguments)]
    return subprocess.Popen(
        parts, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def wait_for(folder: pathlib.Path, files: str) -> None:
    """Waits until there is such a file, which the run writes."""
    for _ in range(LIMIT * 20):
        if any(folder.glob(files)):
            return
        time.sleep(0.05)
    raise AssertionError(f"there is no {files} in {folder}")
