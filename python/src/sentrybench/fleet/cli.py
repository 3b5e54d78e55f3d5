"""The command line: `python -m sentrybench.fleet verify PATH_OR_URL... [options]`,
`explore --seeds A..B [options]` and `rig SCENE --sweep VALUES [options]`."""

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import NoReturn

from sentrybench.fleet import recipe, status
from sentrybench.fleet.status import FleetError

_DESCRIPTION = """\
Verify traces on the workers of a Dask cluster. Each trace is judged by sentrybench verify, with the
same options. A trace is a path, or a URL that fsspec opens, such as s3://bucket/traces, a glob, or
zip://*.jsonl::FILE. A folder stands for every *.jsonl file below it.
"""
_EXPLORE_DESCRIPTION = """\
Run sentrybench explore on the workers of a Dask cluster, with the same options and each of the
seeds. What is found is gathered once. The same seeds find the same, on any number of workers and
in any number of runs.
"""
_RIG_DESCRIPTION = """\
Run sentrybench rig --sweep on the workers of a Dask cluster, with the same options. The rows are
shared out in slices, and printed together, exactly as on one computer. The scene's file and those
that options name are sent to the workers; files that the scene itself names are not.
"""
_STATUSES = """\
Status: 0 all agree, or nothing was found; 1 a trace disagrees, or something was found; 64 wrong
usage; 65 a malformed trace or firmware file; 66 no such input; 69 no scheduler, worker or program; 70 a trace ended its worker or the program each
time; 74 reading or writing failed; 75 the scheduler or all workers were lost: the same command with
--results continues; 130, 143 ended by a signal.
"""
_RIG_STATUSES = """\
Status: 0 all rows were run, even if rules are broken in them; 64 wrong usage; 65 a malformed scene
or firmware file; 66 no such input; 69 no scheduler, worker or program; 70 a slice ended its worker
or the program each time; 74 reading or writing failed; 75 the scheduler or all workers were lost;
130, 143 ended by a signal. No slice is kept: after an error, the same command runs all of them
again.
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        print(f"error: {message}", file=sys.stderr)
        raise SystemExit(status.USAGE)


class _Ended(BaseException):
    """A signal has asked this process to end.

    Not an `Exception`: one raised while a file is written would become an error of that file.
    """

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def parser() -> argparse.ArgumentParser:
    """Returns the parser of the command line."""
    top = _Parser(prog="python -m sentrybench.fleet", allow_abbrev=False)
    commands = top.add_subparsers(dest="command", required=True, metavar="verify|explore|rig")
    _add_explore(commands)
    _add_rig(commands)
    verify = commands.add_parser(
        "verify",
        help="verify traces on a Dask cluster",
        description=_DESCRIPTION,
        epilog=_STATUSES,
        allow_abbrev=False,
    )
    add = verify.add_argument
    add("urls", nargs="+", metavar="PATH_OR_URL", help="traces, folders of them, and globs")
    _add_cluster(verify, "batch")
    add(
        "--results",
        metavar="FOLDER",
        help="keep the results in this folder (a path or URL), as Parquet; a second run verifies "
        "only what is missing or has changed",
    )
    add("--junit", metavar="FILE", help="write a JUnit report")
    add("--parquet", metavar="FILE", help="write the results of this run as Parquet")
    add(
        "--upload",
        action="store_true",
        help="read the traces here and send them to the workers, which then need no access to them",
    )
    add(
        "--batch",
        type=_positive,
        default=64,
        metavar="MB",
        help="the largest batch of traces, in MB; default: 64",
    )
    add("--json", action="store_true", help="print JSON Lines, one object for each trace")
    add("-q", "--quiet", action="store_true", help="print less")
    judging = verify.add_argument_group("options of sentrybench verify")
    for name in (*recipe.FILES, *recipe.VALUES, "--device"):
        judging.add_argument(name, metavar=_METAVARS.get(name))
    for name in recipe.FLAGS:
        judging.add_argument(name, action="store_true")
    return top


def _add_cluster(command: argparse.ArgumentParser, piece: str) -> None:
    """Adds the options about the cluster. `piece` is what a worker runs at a time."""
    add = command.add_argument
    add(
        "--scheduler",
        metavar="ADDRESS",
        help="the Dask scheduler, for example tcp://HOST:8786; default: a cluster on this computer",
    )
    add(
        "--workers",
        type=_positive,
        metavar="N",
        help="without --scheduler: the number of worker processes; default: one for each processor",
    )
    add(
        "--timeout",
        type=_positive,
        default=3600,
        metavar="SECONDS",
        help=f"the longest time for a {piece} on a worker; default: 3600",
    )
    add(
        "--patience",
        type=_positive,
        default=60,
        metavar="SECONDS",
        help="how long to wait while there is no worker; default: 60",
    )


def _add_explore(commands: "argparse._SubParsersAction[_Parser]") -> None:
    explore = commands.add_parser(
        "explore",
        help="search on a Dask cluster for sessions that fail",
        description=_EXPLORE_DESCRIPTION,
        epilog=_STATUSES,
        allow_abbrev=False,
    )
    add = explore.add_argument
    add(
        "--seeds",
        type=_seeds,
        required=True,
        metavar="A..B",
        help="the seeds, for example 1..100; each is a search of its own",
    )
    add(
        "--sessions",
        type=_positive,
        default=20_000,
        metavar="N",
        help="how many sessions a search runs; choose it so that this takes seconds, since a "
        "worker that is lost costs as much; default: 20000",
    )
    _add_cluster(explore, "seed")
    add("--output", metavar="FOLDER", help="the folder for what is found, each once")
    add("--junit", metavar="FILE", help="write a JUnit report with a test for each seed")
    add("-q", "--quiet", action="store_true", help="print less")
    searching = explore.add_argument_group("options of sentrybench explore")
    for name in (*recipe.EXPLORE_FILES, *recipe.EXPLORE_VALUES, "--device", "--against"):
        searching.add_argument(name, metavar=_METAVARS.get(name))
    searching.add_argument("--fault", metavar="SPEC", action="append")
    for name in recipe.EXPLORE_FLAGS:
        searching.add_argument(name, action="store_true")


def _add_rig(commands: "argparse._SubParsersAction[_Parser]") -> None:
    rig = commands.add_parser(
        "rig",
        help="run a rig with many settings on a Dask cluster",
        description=_RIG_DESCRIPTION,
        epilog=_RIG_STATUSES,
        allow_abbrev=False,
    )
    add = rig.add_argument
    add("scene", metavar="SCENE", help="the file with the scene, in YAML")
    add(
        "--slices",
        type=_positive,
        default=64,
        metavar="N",
        help="into how many slices the rows are cut; a worker that is lost costs no more than one; "
        "default: 64",
    )
    _add_cluster(rig, "slice")
    add("--json", action="store_true", help="print JSON Lines, one object for each row")
    add("--picture", metavar="FILE", help="draw a heat map as an SVG")
    add(
        "--force",
        action="store_true",
        help="replace the picture's file even if sentrybench did not write it",
    )
    add("-q", "--quiet", action="store_true", help="print no progress and no remarks")
    options = rig.add_argument_group("options of sentrybench rig")
    options.add_argument("--sweep", required=True, metavar="NAME=A..B|NAME=A|B,...")
    options.add_argument("--with", dest="settings", metavar="NAME=VALUE", action="append")
    for name in (*recipe.RIG_FILES, *recipe.RIG_VALUES, "--device"):
        if name != "--sweep":
            options.add_argument(name, metavar=_METAVARS.get(name))


_METAVARS = {
    "--profile": "FILE",
    "--memory": "MB",
    "--against": "SKETCH|avr:FILE",
    "--timing": "FILE",
    "--bootloader": "FILE",
    "--rules": "FILE",
    "--scenario": "NAME",
    "--device": "model|avr:FILE",
    "--tolerance": "TIME",
    "--pin": "N",
    "--seed": "N",
    "--for": "TIME",
    "--firmware": "NAME",
}


def main(arguments: Sequence[str]) -> int:
    """Runs the command line. Returns the exit status."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end)
    try:
        options = parser().parse_args(arguments)
        # Imported only now, because Dask takes a second to import.
        from sentrybench.fleet import run, search, sweep

        commands = {"verify": run.verify, "explore": search.explore, "rig": sweep.sweep}
        return commands[options.command](options)
    except FleetError as error:
        print(error.message, file=sys.stderr)
        return error.status
    except ImportError as error:
        print(f'error: {error}; pip install "sentrybench[fleet]"', file=sys.stderr)
        return status.UNAVAILABLE
    except BrokenPipeError:
        # Otherwise Python would flush standard output at exit, and fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except _Ended as ended:
        return 128 + ended.number


def _end(number: int, frame: FrameType | None) -> NoReturn:
    # A second signal must not interrupt the reports that are written after the first one.
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)
    raise _Ended(number)


def _seeds(text: str) -> range:
    first, dots, last = text.partition("..")
    seeds = range(_positive(first), _positive(last if dots else first) + 1)
    if not seeds:
        raise argparse.ArgumentTypeError("expected seeds from the lowest to the highest, as 1..100")
    return seeds


def _positive(text: str) -> int:
    # Limited before it is converted: a number of many digits takes long to convert.
    digits = text.lstrip("0") if text.isascii() and text.isdigit() else ""
    if not digits or len(digits) > 7 or int(digits) > 1_000_000:
        raise argparse.ArgumentTypeError("expected a whole number from 1 to 1000000")
    return int(digits)
