"""Measures the fleet on two workers of this computer, compared with `verify --jobs 2`."""
import os
import resource
import shutil
import subprocess
import time

from common import ROOT, Failed, run

PYTHON = os.path.join(ROOT, ".build", "python", "bin", "python3")
SECONDS = 60  # the least that verify must take, unless --quick is given
QUICK = 6
SMALL = 3  # seconds for small traces
INPUTS = ('{"format": "sentry-trace", "version": 1, "firmware": "classic", "board": "uno", '
          '"baud": 9600, "duration": 7200}\n[1.500000, "rx", "L"]\n')


def link(sources, folder, count):
    """Fills a folder with `count` links to the files, because copies would not fit on every disk."""
    os.makedirs(folder)
    for index in range(count):
        source = sources[index % len(sources)]
        os.link(source, os.path.join(folder, f"{index:06}-{os.path.basename(source)}"))


def sessions(bench, folder):
    """A session of two hours of scanning, as a trace of 16 MB."""
    inputs, path = os.path.join(folder, "inputs.jsonl"), os.path.join(folder, "scan.jsonl")
    with open(inputs, "w") as file:
        file.write(INPUTS)
    run([bench, "replay", "-o", path, inputs])
    return [path]


def small(folder):
    """The project's own traces, of 7 KB on average."""
    copy = os.path.join(folder, "traces")
    shutil.copytree(os.path.join(ROOT, "traces"), copy)
    return [os.path.join(parent, name) for parent, _, names in os.walk(copy)
            for name in sorted(names) if name.endswith(".jsonl")]


class Time:
    """The time of a process and its children, in seconds: wall time and processor time."""

    def __init__(self, command, environment=None):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        self.clock = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.processors = sum(after[:2]) - sum(before[:2])
        if done.returncode != 0:
            raise Failed(f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}")
        self.summary = done.stdout.split(" (")[0]


def verify(bench, path):
    return Time([bench, "verify", "--jobs", "2", path])


def fleet(bench, path):
    source = os.path.join(ROOT, "python", "src")
    return Time([PYTHON, "-m", "sentrybench.fleet", "verify", "--workers", "2", path],
                {**os.environ, "SENTRYBENCH": bench, "PYTHONPATH": source})


def compare(bench, folder, sources, seconds):
    """Verifies as many links to the traces as take verify about `seconds`. Returns their number,
    and the times of verify and of the fleet."""
    few, many = os.path.join(folder, "few"), os.path.join(folder, "many")
    count = max(8, len(sources))
    link(sources, few, count)
    count = round(count * seconds / min(verify(bench, few).clock for _ in range(3)))
    link(sources, many, count)
    theirs, ours = verify(bench, many), fleet(bench, many)
    if theirs.summary != ours.summary:
        raise Failed(f"the fleet and verify differ:\n{ours.summary}\n{theirs.summary}")
    shutil.rmtree(few)
    shutil.rmtree(many)
    return count, theirs, ours


def measure(table, options, bench, folder):
    print("the fleet")
    if not os.path.exists(PYTHON) or subprocess.run(
            [PYTHON, "-c", "import distributed, fsspec, pyarrow"],
            capture_output=True).returncode != 0:
        table.note("skipped: no Dask (.ci/fleet installs it)")
        return
    bench = os.path.abspath(bench)
    folder = os.path.join(folder, "fleet")
    os.mkdir(folder)
    traces = small(folder)
    # The time to start the interpreter, its libraries, the scheduler and the workers.
    single = os.path.join(folder, "single")
    link(traces, single, 1)
    starts = [fleet(bench, single) for _ in range(3)]
    clock = min(start.clock for start in starts)
    processors = min(start.processors for start in starts)
    seconds = QUICK if options.quick else SECONDS * 1.1
    count, theirs, ours = compare(bench, folder, sessions(bench, folder), seconds)
    table.row("the fleet, % longer than verify --jobs 2",
              100 * ((ours.clock - clock) / theirs.clock - 1), None if options.quick else 10,
              at_most=True)
    table.note(f"{count} traces of 16 MB: {ours.clock:.1f} s, {clock:.1f} s of them to start; "
               f"verify {theirs.clock:.1f} s")
    table.row("  processor time, % more",
              100 * ((ours.processors - processors) / theirs.processors - 1))
    count, theirs, ours = compare(bench, folder, traces, SMALL)
    added = ours.processors - processors - theirs.processors
    table.row("the fleet's processor time for a trace, ms", 1e3 * added / count)
    table.note(f"{count} traces of 7 KB; verify {1e3 * theirs.processors / count:.2f} ms for each")
    shutil.rmtree(folder)
