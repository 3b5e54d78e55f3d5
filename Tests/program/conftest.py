"""Tests of the built program, its servers and its pages, with independent tools and peers.

`make check` runs them all, and `make check ONLY=gateway` those with "gateway" in their names or in
that of their file. Each test has a folder of its own (`tmp_path`), and the working folder is the
project's. A missing tool fails its tests if SENTRY_TOOLS is `required`; otherwise they are skipped.

    test_program        the documentation, the README's commands, memory, make run and make flash
    test_transcripts    what the program prints: messages, errors, statuses, JSON, metrics, the help
    test_help           help on a small screen, the pager, completion, files for a terminal
    test_gateway        RFC 6455, whole sessions, many connections
    test_gateway_*      its clients of other kinds, pages of other sites, and attacks on everything
                        that listens or connects
    test_rfc2217, test_api                 the port over TCP, and the socket of `run --api`
    test_captures, test_waves              recordings of other tools, and drawings for them
    test_limits         time limits and signals, with sessions and commands that do not end
    test_sketches       sketches of others on the chip, and the profiles learned from them
    test_gdb            debug --gdb: avr-gdb, what editors send, and hostile clients
    test_aim            from a video to the servo
    test_trackers       tracking programs of others in the closed loop
    test_dashboard, test_phone, test_playground, test_reports    pages in a browser
    test_rig_camera     a scene in real time: its camera, trackers, and the phone's page with it
    test_pages          the pages' scripts and WebAssembly, without a browser
    test_packages, test_recipes            the wheel, the tar.gz, and the recipes for CI

The transcripts show error messages and statuses; whether a verdict is right is tested in Swift.
"""
import collections
import os
import shutil
import sys
import tempfile

import pytest
from running import ROOT


def pytest_addoption(parser):
    parser.addoption("--bench", default=str(ROOT / ".build/install/release/sentrybench"),
                     help="the program to test (default: what `make release` builds)")
    parser.addoption("--update", action="store_true", help="write what is compared")
    parser.addoption("--seed", type=int, default=20_260_101, help="of random attacks")
    parser.addoption("--seconds", type=float, default=10, help="how long the gateway is attacked")
    parser.addoption("--batch", type=int, help="repeat only this batch of that attack")


def pytest_configure(config):
    bench = os.path.abspath(config.getoption("--bench"))
    if not os.access(bench, os.X_OK):
        raise pytest.UsageError(f"{bench} is not a program; `make release` builds it")
    config.option.bench = bench
    os.chdir(ROOT)
    # For the programs of the Python packages that these tests need.
    os.environ["PATH"] = os.path.dirname(sys.executable) + ":" + os.environ["PATH"]
    # The backtrace of a release build names no functions and takes a long time.
    os.environ.setdefault("SWIFT_BACKTRACE", "enable=no")
    # There, no session is kept in the cache of the user who runs the tests.
    os.environ["CI"] = "true"


def pytest_collection_modifyitems(items):
    """Puts the longest tests first, so that no processor is idle at the end."""
    items.sort(key=lambda item: -getattr(item.module, "MINUTES", 0))


def pytest_terminal_summary(terminalreporter):
    """Prints what the tests measured, how long each file took, and the seed of the attacks."""
    seconds = collections.Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[report.location[0].removeprefix("Tests/program/")] += report.duration
                for what, value in report.user_properties if report.when == "call" else []:
                    terminalreporter.write_line(f"{what}: {value}")
    for name, duration in seconds.most_common():
        terminalreporter.write_line(f"{duration:7.1f} s  {name}")


    terminalreporter.write_line(f"--seed {terminalreporter.config.option.seed}")


def pytest_runtest_setup(item):
    """Skips a test on other systems, and without its tools unless these are required."""
    if item.get_closest_marker("linux") and sys.platform != "linux":
        pytest.skip("only on Linux")
    for mark in item.iter_markers("needs"):
        missing = [tool for tool in mark.args if not shutil.which(tool)]
        if missing and os.environ.get("SENTRY_TOOLS") != "required":
            pytest.skip(f"{', '.join(missing)} missing")


@pytest.fixture(autouse=True)
def runtime(monkeypatch):
    """A folder for the links to ptys that a test does not name, so that sessions of tests that run
    at the same time have different ones."""
    with tempfile.TemporaryDirectory(prefix="sentrybench-", ignore_cleanup_errors=True) as folder:
        monkeypatch.setenv("XDG_RUNTIME_DIR", folder)
        yield


@pytest.fixture
def chromium():
    """A browser, whose pages must report nothing and request nothing from other servers."""
    from browser import browser
    with browser() as chromium:
        yield chromium
        chromium.settle()


@pytest.fixture
def wheel():
    """The wheel that `make dist` has made."""
    wheels = list((ROOT / "dist").glob("sentrybench-*.whl"))
    assert len(wheels) == 1, "run make dist first"
    return wheels[0]


@pytest.fixture(scope="session")
def bench(request):
    """The path of the program under test."""
    return request.config.option.bench
