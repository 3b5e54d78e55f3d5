"""Runs on worker processes that are killed."""

import os
import pathlib
import signal

import pyarrow.parquet as pq
import pytest
from fleets import LIMIT, start, two_workers, wait_for, write_trace

COUNT = 400


@pytest.fixture
def corpus(tmp_path: pathlib.Path, program: str) -> pathlib.Path:
    """Traces in several batches, which take about eight seconds on two workers."""
    for index in range(COUNT):
        write_trace(tmp_path / "corpus" / f"{index:03}.jsonl", "takes long")
    return tmp_path / "corpus"


def test_a_worker_that_is_killed_costs_nothing(
    corpus: pathlib.Path, tmp_path: pathlib.Path, program: str
) -> None:
    with two_workers(tmp_path) as (address, one):
        results = tmp_path / "results"
        fleet = start(corpus, "--scheduler", address, "--results", results)
        # It has a batch that takes two seconds, of which nobody else knows the results.
        wait_for(pathlib.Path(program).parent, f"*.of-{one.pid}")
        one.kill()
        out, err = fleet.communicate(timeout=LIMIT)
    assert (fleet.returncode, err) == (0, "")
    assert out.startswith(f"{COUNT} traces agree, ")
    [path] = results.iterdir()
    rows = pq.ParquetFile(path).read().to_pylist()
    assert len({row["trace"] for row in rows}) == len(rows) == COUNT


def test_a_trace_that_kills_each_worker_is_reported(tmp_path: pathlib.Path, program: str) -> None:
    for index in range(3):
        write_trace(tmp_path / "corpus" / f"{index}.jsonl")
    bad = write_trace(tmp_path / "corpus" / "bad.jsonl", "ends its worker")
    fleet = start(tmp_path / "corpus", "--workers", 2)
    out, err = fleet.communicate(timeout=LIMIT)
    assert fleet.returncode == 70
    assert err == f"{bad}: error: cannot be verified: its worker died each time\n"
    assert out.startswith("3 of 4 traces agree, 1 could not be verified")


@pytest.mark.parametrize(("number", "status"), [(signal.SIGKILL, -9), (signal.SIGTERM, 143)])
def test_a_run_that_is_ended_continues_where_it_stopped(
    corpus: pathlib.Path, tmp_path: pathlib.Path, number: signal.Signals, status: int
) -> None:
    results = tmp_path / "results"
    fleet = start(corpus, "--workers", 2, "--results", results)
    wait_for(results, "results-*.parquet")
    os.kill(fleet.pid, number)
    out, _ = fleet.communicate(timeout=LIMIT)
    assert fleet.returncode == status
    if number == signal.SIGTERM:
        assert " not verified yet" in out
    fleet = start(corpus, "--workers", 2, "--results", results)
    out, err = fleet.communicate(timeout=LIMIT)
    assert (fleet.returncode, err) == (0, "")
    assert out.startswith(f"{COUNT} traces agree, ")
    before = int(out.split(" verified before")[0].split()[-1])
    assert 0 < before < COUNT
