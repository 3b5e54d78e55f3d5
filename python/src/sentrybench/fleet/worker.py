"""Runs on a worker: reads the traces of a batch, and runs the program to verify them."""

import json
import os
import re
import stat
import subprocess
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

import fsspec
from fsspec.core import url_to_fs

from sentrybench.fleet import program, status, storage, traces
from sentrybench.fleet.recipe import Aliases, Recipe
from sentrybench.fleet.result import Result, failed, parse
from sentrybench.fleet.status import FleetError
from sentrybench.fleet.storage import printable
from sentrybench.fleet.traces import Trace

#: The number of attempts to read a trace, and the first pause between them, in seconds.
READS = 3
PAUSE = 0.5
#: The most characters that a message quotes from the end of the program's standard error.
ERRORS_MAX = 2000


Row = TypeVar("Row")


@dataclass
class Outcome(Generic[Row]):
    """The outcome of a batch."""

    #: Results of the batch's parts; all of them, unless the program died.
    results: list[Row]
    #: How the program died; empty if it did not.
    death: str = ""


@dataclass
class _Read:
    """The traces in the folder for the program, and results for those that cannot be read."""

    found: list[Trace] = field(default_factory=list)
    failed: list[Result] = field(default_factory=list)


def check(expected: str) -> str:
    """Returns what is wrong with the program on this worker, or an empty text."""
    try:
        version = program.version()
    except FleetError as error:
        return error.message
    if version != expected:
        return (
            f"{program.find()} is version {version}, and the client's is {expected}; "
            "install the same version everywhere"
        )
    return ""


def verify(
    batch: Sequence[Trace], recipe: Recipe, contents: Mapping[str, bytes] | None = None
) -> Outcome[Result]:
    """Verifies the traces. `contents` has the data, by name, of those that the client has read.

    Raises FleetError if this worker cannot verify any trace, or the options are wrong.
    """
    address, folder = _here()
    if wrong := check(recipe.version):
        raise FleetError(status.UNAVAILABLE, f"worker {address}: {wrong}")
    try:
        with tempfile.TemporaryDirectory(prefix="sentrybench-", dir=folder) as work:
            return _verify(batch, recipe, contents or {}, Path(work), address)
    except OSError as error:  # For example a full disk.
        raise FleetError(status.INPUT_OUTPUT, f"worker {address}: {error}") from None


def _verify(
    batch: Sequence[Trace],
    recipe: Recipe,
    contents: Mapping[str, bytes],
    work: Path,
    address: str,
) -> Outcome[Result]:
    names = [printable(trace.name) for trace in batch]
    aliases = Aliases(names, [printable(file.path) for file in recipe.files])
    (work / aliases.traces).mkdir()
    paths = _write_files(recipe, aliases, work)
    read = _read(batch, recipe, contents, aliases, work, address)
    if not read.found:
        return Outcome(read.failed)
    command = [program.find(), "verify", "--json", "--junit", "junit.xml", "--jobs", "1", "--quiet"]
    command += [*recipe.arguments(paths), aliases.traces]
    done = _run(command, work, recipe.timeout)
    if isinstance(done, str):
        return Outcome(read.failed, done)
    report = work / "junit.xml"
    junit = report.read_text(encoding="utf-8", errors="replace") if report.exists() else ""
    results = parse(read.found, aliases, done.stdout, junit, recipe.identity, address)
    if results is None:
        text = aliases.restore(done.stderr[-ERRORS_MAX:]).strip()
        text = text or f"the program ended with status {done.returncode} and without a report"
        raise FleetError(done.returncode or status.DIED, text)
    return Outcome(read.failed + results)


@dataclass(frozen=True)
class Searched:
    """What the search with one seed found."""

    seed: str
    status: int
    #: The number of sessions, and how long they took, in seconds.
    sessions: int = 0
    seconds: float = 0
    #: What went wrong; empty if nothing did.
    message: str = ""
    #: What was found: the files by their names.
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Swept:
    """The rows of one slice of a rig's sweep."""

    part: str
    status: int
    #: The rows as JSON Lines.
    rows: str = ""
    #: What the program remarked, or what went wrong.
    message: str = ""


def explore(
    batch: Sequence[Trace], recipe: Recipe, contents: Mapping[str, bytes] | None = None
) -> Outcome[Searched]:
    """Runs the search with each seed of the batch.

    Raises FleetError if this worker cannot search at all, or the options are wrong.
    """
    return _each(batch, recipe, _explore)


def sweep(
    batch: Sequence[Trace], recipe: Recipe, contents: Mapping[str, bytes] | None = None
) -> Outcome[Swept]:
    """Runs each slice of the batch of a rig's sweep.

    Raises FleetError if this worker cannot run any, or the scene or the options are wrong.
    """
    return _each(batch, recipe, _sweep)


def _each(
    batch: Sequence[Trace], recipe: Recipe, run: Callable[[str, Recipe, Path], Row | str]
) -> Outcome[Row]:
    """Runs something for each part of a batch, in a folder of its own. `run` returns its result,
    or how the program died."""
    address, folder = _here()
    if wrong := check(recipe.version):
        raise FleetError(status.UNAVAILABLE, f"worker {address}: {wrong}")
    results: list[Row] = []
    for part in batch:
        try:
            with tempfile.TemporaryDirectory(prefix="sentrybench-", dir=folder) as work:
                found = run(part.name, recipe, Path(work))
        except OSError as error:  # For example a full disk.
            raise FleetError(status.INPUT_OUTPUT, f"worker {address}: {error}") from None
        if isinstance(found, str):
            return Outcome(results, found)
        results.append(found)
    return Outcome(results)


def _write_files(recipe: Recipe, aliases: Aliases, work: Path) -> list[str]:
    """Writes the files that options name. Returns their paths in the folder."""
    (work / aliases.options).mkdir()
    paths = [aliases.option(i, file.ending) for i, file in enumerate(recipe.files)]
    for path, file in zip(paths, recipe.files, strict=True):
        (work / path).write_bytes(file.data)
    return paths


def _explore(seed: str, recipe: Recipe, work: Path) -> Searched | str:
    # The names are the same each time: they are a part of what is found, and of its name.
    aliases = Aliases([], [printable(file.path) for file in recipe.files], recipe.identity[:16])
    paths = _write_files(recipe, aliases, work)
    command = [program.find(), "explore", "--seed", seed, "--budget", "0", "--jobs", "1"]
    command += ["--output", "found", *recipe.arguments(paths)]
    started = time.monotonic()
    done = _run(command, work, recipe.timeout)
    if isinstance(done, str):
        return done
    said = re.search(r"^explore: (\d+) sessions? in ", done.stderr, re.MULTILINE)
    if said is None:
        text = aliases.restore(done.stderr[-ERRORS_MAX:]).strip()
        text = text or f"the program ended with status {done.returncode} and without a report"
        raise FleetError(done.returncode or status.DIED, text)
    message = ""
    if done.returncode not in (status.AGREE, status.DISAGREE):
        message = aliases.restore(done.stderr[-ERRORS_MAX:]).strip()
    files = {
        path.name: aliases.restore(path.read_text(encoding="utf-8"), _inside).encode()
        for path in sorted((work / "found").iterdir())
    }
    elapsed = time.monotonic() - started
    return Searched(seed, done.returncode, int(said[1]), elapsed, message, files)


def _sweep(part: str, recipe: Recipe, work: Path) -> Swept | str:
    aliases = Aliases([], [printable(file.path) for file in recipe.files])
    paths = _write_files(recipe, aliases, work)
    command = [program.find(), "rig", *recipe.arguments(paths), "--shard", part, "--jobs", "1"]
    done = _run(command, work, recipe.timeout)
    if isinstance(done, str):
        return done
    said = aliases.restore(done.stderr[-ERRORS_MAX:]).strip()
    if done.returncode != status.AGREE:
        said = said or f"the program ended with status {done.returncode} and without a message"
        raise FleetError(done.returncode, said)
    return Swept(part, status.AGREE, done.stdout, said)


def _run(command: list[str], work: Path, timeout: float) -> subprocess.CompletedProcess[str] | str:
    """Runs the program in a folder. Returns how it ended; as a text, how it died."""
    try:
        done = subprocess.run(
            command,
            check=False,
            cwd=work,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=timeout,
        )
    except subprocess.TimeoutExpired:
        return f"the program took longer than {timeout:g} s"
    if done.returncode < 0:
        return f"signal {-done.returncode} ended the program"
    return done


def _inside(name: str) -> str:
    """A name inside a JSON text."""
    return json.dumps(name, ensure_ascii=False)[1:-1]


def _read(
    batch: Sequence[Trace],
    recipe: Recipe,
    contents: Mapping[str, bytes],
    aliases: Aliases,
    work: Path,
    address: str,
) -> _Read:
    """Puts the traces into the folder: a link to one on this computer's disk, or else a copy."""
    read = _Read()
    copies: dict[int, list[tuple[int, str]]] = defaultdict(list)
    systems: dict[int, fsspec.AbstractFileSystem] = {}
    errors: dict[int, FleetError] = {}
    targets = [f"{work}/{aliases.trace(index)}" for index in range(len(batch))]
    for index, (trace, target) in enumerate(zip(batch, targets, strict=True)):
        data = contents.get(printable(trace.name)) if contents else None
        if data is not None:
            Path(target).write_bytes(data)
            continue
        try:
            with storage.errors(trace.name):
                if traces.is_local(trace.name):
                    if not stat.S_ISREG(os.stat(trace.name).st_mode):
                        raise FileNotFoundError("this is not a file")
                    os.symlink(trace.name, target)
                else:
                    fs, path = url_to_fs(trace.name)
                    systems[id(fs)] = fs
                    copies[id(fs)].append((index, path))
        except FleetError as wrong:
            errors[index] = wrong
    for key, wanted in copies.items():
        # Copied together, because some file systems then read many at once. If that fails, they are
        # copied one by one, to find out which of them cannot be read.
        with suppress(FleetError), storage.errors(""):
            systems[key].get([path for _, path in wanted], [targets[index] for index, _ in wanted])
            continue
        for index, path in wanted:
            if failure := _copy(systems[key], path, targets[index], batch[index].name):
                errors[index] = failure
                Path(targets[index]).unlink(missing_ok=True)
    for index, trace in enumerate(batch):
        if error := errors.get(index):
            message = error.message + (f" (on worker {address})" if address else "")
            read.failed.append(failed(trace, recipe.identity, error.status, message, address))
    read.found = [trace for index, trace in enumerate(batch) if index not in errors]
    return read


def _copy(fs: fsspec.AbstractFileSystem, path: str, target: str, name: str) -> FleetError | None:
    """Copies a trace, with several attempts. Returns the error if all of them fail."""
    last: FleetError | None = None
    for attempt in range(READS):
        try:
            with storage.errors(name):
                fs.get_file(path, target)
            return None
        except FleetError as error:
            last = error
        if last.status == status.NO_INPUT or attempt + 1 == READS:
            break
        time.sleep(PAUSE * 2**attempt)
    return last


def _here() -> tuple[str, str | None]:
    """Returns this worker's address and folder, or an empty text and None outside a worker."""
    from distributed import get_worker

    try:
        worker = get_worker()
    except ValueError:
        return "", None
    return worker.address, worker.local_directory
