"""One run of explore: a search for each seed, and what all of them found, once."""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from sentrybench.fleet import junit, program, recipe, runner, status, storage, summary, worker
from sentrybench.fleet.batching import Batch
from sentrybench.fleet.dispatch import Dispatch
from sentrybench.fleet.recipe import Recipe
from sentrybench.fleet.result import Result
from sentrybench.fleet.screen import Screen
from sentrybench.fleet.status import FleetError
from sentrybench.fleet.traces import Trace
from sentrybench.fleet.worker import Searched


def explore(options: argparse.Namespace) -> int:
    """Searches with each seed, and gathers what is found. Returns the exit status."""
    started = time.monotonic()
    if options.scheduler and options.workers:
        raise FleetError(status.USAGE, "error: --workers cannot be combined with --scheduler")
    how = _recipe(options)
    found = Found(Path(options.output) if options.output else None)
    screen = Screen(options.quiet, is_json=False)
    done: dict[str, Searched] = {}
    try:
        for search in _searches(options, how, screen):
            done[search.seed] = search
            for line in found.add(search):
                screen.say(line)
            if search.message:
                screen.note(search.message)
    finally:
        screen.clear()
        elapsed = time.monotonic() - started
        ordered = [done[str(seed)] for seed in options.seeds if str(seed) in done]
        if not options.quiet:
            screen.say(_summary(ordered, len(options.seeds), len(found.names), elapsed))
        if options.junit:
            with storage.errors(options.junit), open(options.junit, "w", encoding="utf-8") as file:
                file.writelines(junit.report(_results(ordered), elapsed, "explore", "seeds"))
    return status.worst(search.status for search in ordered)


def _searches(options: argparse.Namespace, how: Recipe, screen: Screen) -> Iterator[Searched]:
    def spoiled(seed: Trace, why: str) -> Searched:
        message = f"seed {seed.name}: error: cannot be searched: {why}"
        return Searched(seed.name, status.DIED, message=message)

    if options.scheduler:
        cluster = runner.remote(options.scheduler)
    else:
        cluster = runner.local(options.workers or os.cpu_count() or 1)
    with cluster as client:
        fleet = runner.Runner(client, how, worker.explore, spoiled, options.patience)
        fleet.start()
        screen.start(len(options.seeds), len(options.seeds), "seed")
        # One at a time: a worker that is lost costs no more than the search with one seed.
        batches = (Batch((Trace(str(seed)),)) for seed in options.seeds)
        for rows in fleet.run(Dispatch(batches)):
            yield from rows
            screen.progress(len(rows), len(rows), fleet.workers)


class Found:
    """What was found, each once. Files that are there already stay as they are."""

    def __init__(self, folder: Path | None) -> None:
        self.names: set[str] = set()
        self._folder = folder
        if folder:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise _unwritable(folder, error) from None

    def add(self, search: Searched) -> list[str]:
        """Adds what one search found. Returns lines about what is new."""
        lines: list[str] = []
        for name in sorted(search.files):
            if not name.endswith(".jsonl") or name in self.names:
                continue
            self.names.add(name)
            text = search.files[name].decode()
            lines.append(f"seed {search.seed}: {_title(text)}")
            lines += ["  " + line for line in text.splitlines()[1:] if _is_input(line)]
            if self._folder:
                stem = name.removesuffix(".jsonl")
                parts = [part for part in search.files if part.startswith(stem + ".")]
                # The trace last: whoever sees it finds the others.
                for part in sorted(parts, key=lambda part: part == name):
                    self._write(self._folder / part, search.files[part])
                lines.append(f"  {self._folder / name}")
        return lines

    def _write(self, path: Path, data: bytes) -> None:
        """Writes a file as a whole, unless there is one already."""
        try:
            with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".explore-") as file:
                file.write(data)
                file.flush()
                with suppress(FileExistsError):
                    os.link(file.name, path)
                    os.chmod(path, 0o644)
        except OSError as error:
            raise _unwritable(path, error) from None


def _title(trace: str) -> str:
    return str(json.loads(trace.partition("\n")[0]).get("title", ""))


def _is_input(line: str) -> bool:
    return json.loads(line)[1] in ("rx", "reset", "baud", "x-fault", "break", "input")


def _results(searches: Sequence[Searched]) -> list[Result]:
    """The searches as the rows of a JUnit report."""
    return [
        Result(
            f"seed {search.seed}",
            0,
            "",
            "",
            search.status,
            "",
            seconds=search.seconds,
            message=search.message
            or "; ".join(
                _title(data.decode())
                for name, data in search.files.items()
                if name.endswith(".jsonl")
            ),
        )
        for search in searches
    ]


def _summary(searches: Sequence[Searched], all_seeds: int, found: int, elapsed: float) -> str:
    sessions = sum(search.sessions for search in searches)
    parts = [summary.count(len(searches), "seed"), summary.count(sessions, "session")]
    parts.append(f"{found} found" if found else "nothing was found")
    if failed := sum(search.status not in (status.AGREE, status.DISAGREE) for search in searches):
        parts.append(f"{failed} could not be searched")
    if left := all_seeds - len(searches):
        parts.append(f"{left} not searched yet")
    return ", ".join(parts) + f" ({elapsed:.3f} s)"


def _recipe(options: argparse.Namespace) -> Recipe:
    given = {"--" + name.replace("_", "-"): value for name, value in vars(options).items()}
    stated = recipe.options(
        given,
        recipe.read_file,
        recipe.EXPLORE_FILES,
        recipe.EXPLORE_VALUES,
        recipe.EXPLORE_FLAGS,
    )
    return Recipe(
        version=program.version(),
        options=(*stated, f"--sessions={options.sessions}"),
        build=program.digest(),
        timeout=options.timeout,
    )


def _unwritable(path: Path, error: OSError) -> FleetError:
    return FleetError(
        status.INPUT_OUTPUT, f"{path}: error: cannot be written: {error.strerror or error}"
    )
