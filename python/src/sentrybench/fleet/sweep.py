"""One run of rig --sweep: the rows in slices, and one table of them all."""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence

from sentrybench.fleet import program, recipe, runner, status, worker
from sentrybench.fleet.batching import Batch
from sentrybench.fleet.dispatch import Dispatch
from sentrybench.fleet.recipe import OptionFile, Recipe
from sentrybench.fleet.screen import Screen
from sentrybench.fleet.status import FleetError
from sentrybench.fleet.traces import Trace
from sentrybench.fleet.worker import Swept


def sweep(options: argparse.Namespace) -> int:
    """Runs all slices, and lets the program show their rows. Returns the exit status."""
    if options.scheduler and options.workers:
        raise FleetError(status.USAGE, "error: --workers cannot be combined with --scheduler")
    how = _recipe(options)
    screen = Screen(options.quiet, is_json=options.json)
    done: list[Swept] = []
    try:
        for part in _slices(options, how, screen):
            if part.status != status.AGREE:
                raise FleetError(part.status, part.message)
            if part.message:
                screen.note(part.message)
            done.append(part)
    finally:
        screen.clear()
    return _show(options, how, done)


def _slices(options: argparse.Namespace, how: Recipe, screen: Screen) -> Iterator[Swept]:
    def spoiled(part: Trace, why: str) -> Swept:
        return Swept(part.name, status.DIED, message=f"slice {part.name}: error: {why}")

    if options.scheduler:
        cluster = runner.remote(options.scheduler)
    else:
        cluster = runner.local(options.workers or os.cpu_count() or 1)
    count = options.slices
    with cluster as client:
        fleet = runner.Runner(client, how, worker.sweep, spoiled, options.patience)
        fleet.start()
        screen.start(count, count, "slice")
        # One at a time: a worker that is lost costs no more than one slice.
        batches = (Batch((Trace(f"{index}/{count}"),)) for index in range(1, count + 1))
        for parts in fleet.run(Dispatch(batches)):
            yield from parts
            screen.progress(len(parts), len(parts), fleet.workers)


def _show(options: argparse.Namespace, how: Recipe, parts: Sequence[Swept]) -> int:
    """Prints what rig --sweep prints of all rows."""
    command = [program.find(), "rig", *how.arguments([file.path for file in how.files])]
    command += ["--json"] if options.json else []
    command += ["--picture", options.picture] if options.picture else []
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".jsonl") as file:
        file.writelines(part.rows for part in parts)
        file.flush()
        done = subprocess.run(
            [*command, "--rows", file.name],
            check=False,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
    print(done.stdout, end="")
    print(done.stderr, end="", file=sys.stderr)
    return done.returncode


def _recipe(options: argparse.Namespace) -> Recipe:
    given = {"--" + name.replace("_", "-"): value for name, value in vars(options).items()}
    stated = recipe.options(
        given, recipe.read_file, recipe.RIG_FILES, recipe.RIG_VALUES, recipe.RIG_FLAGS
    )
    scene = ("", OptionFile(options.scene, recipe.read_file(options.scene)))
    settings = [f"--with={setting}" for setting in options.settings or ()]
    return Recipe(
        version=program.version(),
        options=(scene, *stated, *settings),
        build=program.digest(),
        timeout=options.timeout,
    )
