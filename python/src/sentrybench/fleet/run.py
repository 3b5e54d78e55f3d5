"""One run of verify: from the traces to the reports."""

import argparse
import os
import time
from collections.abc import Sequence
from contextlib import suppress

import fsspec

from sentrybench.fleet import (
    batching,
    junit,
    program,
    recipe,
    results,
    runner,
    status,
    storage,
    traces,
    worker,
)
from sentrybench.fleet.dispatch import Dispatch
from sentrybench.fleet.recipe import Recipe
from sentrybench.fleet.result import Result, exit_status, failed
from sentrybench.fleet.screen import Screen
from sentrybench.fleet.status import FleetError
from sentrybench.fleet.traces import Trace

#: The largest batch if the client sends the traces, in bytes: the scheduler passes them on.
UPLOAD_BATCH = 8 << 20


def verify(options: argparse.Namespace) -> int:
    """Verifies the traces and writes the reports. Returns the exit status."""
    started = time.monotonic()
    if "-" in options.urls or "" in options.urls:
        raise FleetError(status.USAGE, "error: expected paths or URLs of traces; - is neither")
    if options.scheduler and options.workers:
        raise FleetError(status.USAGE, "error: --workers cannot be combined with --scheduler")
    screen = Screen(options.quiet, options.json)
    found, missing, repeated = traces.find(options.urls)
    if repeated:
        screen.note(f"duplicate traces: {repeated}; each trace is verified once")
    _refuse_inputs(options, found)
    how = _recipe(options)
    folder = results.Folder(options.results) if options.results else None
    known = {}
    if folder:
        for trace in found:
            if result := folder.known(trace, how.identity):
                known[result.trace] = result
    all_results = dict(known)
    for absent in missing:
        row = failed(Trace(absent.name), how.identity, absent.status, absent.message)
        all_results[absent.name] = row
        screen.report(row)
    waiting = [trace for trace in found if storage.printable(trace.name) not in known]

    def finish() -> int:
        """Reports the results so far when the run ends, even if it ends early."""
        screen.clear()
        if folder:
            folder.close()
        ordered = [all_results[name] for name in sorted(all_results)]
        elapsed = time.monotonic() - started
        for row in ordered:
            if row.trace in known:
                screen.report(row)
        left = len(found) + len(missing) - len(ordered)
        screen.end(ordered, elapsed, len(known), left)
        if options.parquet:
            results.write_file(options.parquet, ordered)
        if options.junit:
            _write(options.junit, ordered, elapsed)
        return exit_status(ordered)

    if waiting:
        try:
            _distribute(options, how, waiting, folder, all_results, screen)
        except BaseException:
            if screen.has_started:
                finish()
            raise
    return finish()


def _refuse_inputs(options: argparse.Namespace, found: Sequence[Trace]) -> None:
    """Raises `FleetError` if a report would replace one of the traces."""
    for option, url in (("--parquet", options.parquet), ("--junit", options.junit)):
        reports = traces.find([url])[0] if url else []
        identities = {_identity(report.name) for report in reports}
        for trace in found if identities else []:
            if _identity(trace.name) in identities:
                raise FleetError(
                    status.USAGE, f"{url}: error: {option} would replace the input {trace.name}"
                )


def _identity(name: str) -> str | tuple[int, int]:
    """Returns the device and the inode of a file on this computer, or else its name."""
    if traces.is_local(name):
        with suppress(OSError):
            info = os.stat(name)
            return info.st_dev, info.st_ino
    return name


def _distribute(
    options: argparse.Namespace,
    how: Recipe,
    waiting: Sequence[Trace],
    folder: results.Folder | None,
    all_results: dict[str, Result],
    screen: Screen,
) -> None:
    """Has the cluster verify the traces. Adds the results to the folder and to all results."""
    if options.scheduler:
        cluster = runner.remote(options.scheduler)
    else:
        cluster = runner.local(options.workers or os.cpu_count() or 1)
    largest = options.batch << 20
    if options.upload:
        largest = min(largest, UPLOAD_BATCH)
    with cluster as client:

        def spoiled(trace: Trace, why: str) -> Result:
            message = f"{storage.printable(trace.name)}: error: cannot be verified: {why}"
            return failed(trace, how.identity, status.DIED, message)

        fleet = runner.Runner(client, how, worker.verify, spoiled, options.patience, options.upload)
        fleet.start()
        screen.start(len(waiting), sum(map(batching.cost, waiting)))
        costs = {storage.printable(trace.name): batching.cost(trace) for trace in waiting}
        for rows in fleet.run(Dispatch(batching.batches(waiting, fleet.threads, largest))):
            all_results.update((row.trace, row) for row in rows)
            if folder:
                folder.add(rows)
            for row in rows:
                screen.report(row)
            screen.progress(len(rows), sum(costs[row.trace] for row in rows), fleet.workers)


def _recipe(options: argparse.Namespace) -> Recipe:
    given = {"--" + name.replace("_", "-"): value for name, value in vars(options).items()}
    return Recipe(
        version=program.version(),
        options=recipe.options(given, recipe.read_file),
        build=program.digest(),
        timeout=options.timeout,
    )


def _write(url: str, ordered: Sequence[Result], elapsed: float) -> None:
    with storage.errors(url), fsspec.open(url, "w", encoding="utf-8") as file:
        file.writelines(junit.report(ordered, elapsed))
