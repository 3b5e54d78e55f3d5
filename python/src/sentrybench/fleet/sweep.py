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
    if options.picture:
        _check_picture(options, how)
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
    """Prints what rig --sweep prints of all rows. If it cannot, the rows are kept."""
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", prefix="sentrybench-rows-", suffix=".jsonl", delete=False
    ) as file:
        file.writelines(part.rows for part in parts)
    done = _shown(options, how, file.name)
    if done.returncode == status.AGREE:
        os.unlink(file.name)
    print(done.stdout, end="")
    print(done.stderr, end="", file=sys.stderr)
    if done.returncode != status.AGREE:
        print(
            f"note: the rows are kept in {file.name}; sentrybench rig --rows shows them",
            file=sys.stderr,
        )
    return _status(done)


def _check_picture(options: argparse.Namespace, how: Recipe) -> None:
    """Raises an error if the picture cannot be written, or nothing can be shown of any rows."""
    with tempfile.NamedTemporaryFile(prefix="sentrybench-rows-", suffix=".jsonl") as file:
        done = _shown(options, how, file.name)
    # The program looks at the picture's name before it misses a row in this empty file.
    if os.path.basename(file.name) not in done.stderr:
        raise FleetError(_status(done), done.stderr.rstrip("\n"))


def _status(done: subprocess.CompletedProcess[str]) -> int:
    return done.returncode if done.returncode >= 0 else status.DIED


def _shown(options: argparse.Namespace, how: Recipe, rows: str) -> subprocess.CompletedProcess[str]:
    """Lets the program show the rows in a file."""
    command = [program.find(), "rig", *how.arguments([file.path for file in how.files])]
    command += ["--json"] if options.json else []
    command += ["--picture", options.picture] if options.picture else []
    command += ["--force"] if options.force else []
    return subprocess.run(
        [*command, "--rows", rows],
        check=False,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


def _recipe(options: argparse.Namespace) -> Recipe:
    given = {"--" + name.replace("_", "-"): value for name, value in vars(options).items()}
    stated = recipe.options(
        given, recipe.read_file, recipe.RIG_FILES, recipe.RIG_VALUES, recipe.RIG_FLAGS
    )
    # Without the option, the device is the one that the scene names.
    device = ("--device=model",) if options.device == "model" else ()
    scene = ("", OptionFile(options.scene, recipe.read_file(options.scene)))
    settings = [f"--with={setting}" for setting in options.settings or ()]
    return Recipe(
        version=program.version(),
        options=(scene, *device, *stated, *settings),
        build=program.digest(),
        timeout=options.timeout,
    )
