"""Measures the plugin for pytest: tests with a bench each, compared with an empty fixture."""
import os
import subprocess
import time

from common import ROOT, Failed

# `.ci/python` sets it up.
PYTHON = os.path.join(ROOT, ".build", "python", "bin", "python")
COUNT = 50
TESTS = f"""\
import pytest


@pytest.fixture
def empty():
    return None


@pytest.mark.parametrize("index", range({COUNT}))
def test_empty(empty, index):
    pass


@pytest.mark.parametrize("index", range({COUNT}))
def test_bench(turret, index):
    pass


@pytest.mark.parametrize("index", range({COUNT}))
def test_command(turret, index):
    turret.send("X110.")
    turret.expect(servo=110, within=0.05, of="X110.")
"""


def seconds(bench, folder, test):
    """The time of a whole run of pytest."""
    command = [PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", test]
    start = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env={**os.environ, "SENTRYBENCH": bench},
                          capture_output=True, text=True)
    elapsed = time.perf_counter() - start
    if f"\n{COUNT} passed, {2 * COUNT} deselected in " not in done.stdout:
        raise Failed(f"pytest: expected {COUNT} passed\n{done.stdout}{done.stderr}")
    return elapsed


def measure(table, options, bench, folder):
    print("tests in Python, each with a bench")
    if not os.path.exists(PYTHON):
        table.note("skipped: .build/python does not exist; .ci/python sets it up")
        return
    folder = os.path.join(folder, "pythons")
    os.mkdir(folder)
    with open(os.path.join(folder, "test_all.py"), "w") as file:
        file.write(TESTS)
    best = dict.fromkeys(("test_empty", "test_bench", "test_command"), float("inf"))
    for _ in range(2 if options.quick else 5):
        for test in best:
            best[test] = min(best[test], seconds(os.path.abspath(bench), folder, test))
    overhead = {test: (best[test] - best["test_empty"]) / COUNT * 1e3 for test in best}
    table.row(f"{COUNT} tests with a bench each, ms a test", overhead["test_bench"], 60,
              at_most=True)
    table.note(f"{best['test_bench']:.2f} s, and {best['test_empty']:.2f} s with an empty fixture")
    table.note(f"with a command and what it expects: {overhead['test_command']:.1f} ms a test")
