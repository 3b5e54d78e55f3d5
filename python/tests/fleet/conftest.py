"""Fixtures for the tests of the fleet: a program that misbehaves, a cluster, the command line."""

import importlib.util
import pathlib
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from fleets import Fleet

# Without the extra `fleet`, these tests are skipped.
if importlib.util.find_spec("distributed") is None:
    collect_ignore_glob = ["test_*.py"]

#: Behaves like the program, except for traces whose title names a fault. Of a batch that takes long,
#: a file beside it tells which process runs it.
PROGRAM = """\
#!/bin/sh
for last; do :; done
case " $* " in
*" --seed 13 "*) kill -11 $$;;
*" explore "*"--seed "*) sleep 0.1;;
*" --seed=13 "*"--shard 3/3 "*) kill -11 $$;;
*" --seed=14 "*" --rows "*) if [ -s "$last" ]; then echo "no table" >&2; exit 74; fi;;
*" --shard "*) : >"$0.of-$PPID"; sleep 0.2;;
esac
case $last in traces-*)
  if grep -q '"title": "ends its worker"' "$last"/*; then kill -9 $PPID; fi
  if grep -q '"title": "ends the program"' "$last"/*; then kill -11 $$; fi
  if grep -q '"title": "takes long"' "$last"/*; then : >"$0.of-$PPID"; fi
  sleep "$(cat "$last"/* | grep -c '"title": "takes long"' | awk '{ print $1 * 0.04 }')";;
esac
exec REAL "$@"
"""


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> Iterator[str]:
    """A program that misbehaves when a trace's title names a fault."""
    from sentrybench.fleet import program

    path = tmp_path / "program" / "sentrybench"
    path.parent.mkdir()
    path.write_text(PROGRAM.replace("REAL", program.find()))
    path.chmod(0o755)
    monkeypatch.setenv("SENTRYBENCH", str(path))
    program.find.cache_clear()
    yield str(path)
    program.find.cache_clear()


@pytest.fixture(scope="session")
def client() -> Iterator[Any]:
    """A cluster of two workers in this process."""
    from distributed import Client

    settings = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with Client(processes=False, **settings) as client:
        yield client


@pytest.fixture
def command_line(
    client: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Fleet]:
    """Runs the command line in this process. Returns the status and what it prints."""
    from sentrybench.fleet import cli, runner

    @contextmanager
    def local(workers: int) -> Iterator[Any]:
        yield client

    monkeypatch.setattr(runner, "local", local)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def run(*arguments: object) -> tuple[int, str, str]:
        status = cli.main([*map(str, arguments)])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    yield run
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.fixture
def fleet(command_line: Fleet) -> Fleet:
    """Runs `verify` in this process. Returns the status and what it prints."""
    return lambda *arguments: command_line("verify", *arguments)


@pytest.fixture
def rig(command_line: Fleet) -> Fleet:
    """Runs `rig` in this process. Returns the status and what it prints."""
    return lambda *arguments: command_line("rig", *arguments)


@pytest.fixture
def search(command_line: Fleet) -> Fleet:
    """Runs `explore` in this process. Returns the status and what it prints."""
    return lambda *arguments: command_line("explore", *arguments)
