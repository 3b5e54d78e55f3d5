"""Whole runs, on a cluster of two workers in this process."""

import json
import pathlib
import shutil
import signal
import xml.etree.ElementTree as ET
import zipfile
from typing import Any

import fsspec
import pyarrow.parquet as pq
import pytest
from fleets import TRACES, Fleet, write_trace, write_wrong

from sentrybench.fleet import program, results, worker
from sentrybench.fleet.recipe import Recipe
from sentrybench.fleet.status import FleetError
from sentrybench.fleet.traces import Trace


def test_all_traces_of_the_project_agree(fleet: Fleet) -> None:
    status, out, _ = fleet(TRACES)
    count = sum(1 for _ in TRACES.rglob("*.jsonl"))
    assert status == 0
    assert out.startswith(f"{count} traces agree, ")


def test_every_kind_of_trace_has_its_verdict(fleet: Fleet, tmp_path: pathlib.Path) -> None:
    write_trace(tmp_path / "ü ñ" / "a.jsonl")
    write_trace(tmp_path / "b" / "a.jsonl")
    wrong = write_wrong(tmp_path / "wrong.jsonl")
    (tmp_path / "malformed.jsonl").write_text("junk\n")
    unreachable = "http://127.0.0.1:1/a.jsonl"
    status, out, err = fleet(
        *(tmp_path, tmp_path / "b", unreachable, tmp_path / "none.jsonl"),
        *("--junit", tmp_path / "j.xml", "--parquet", tmp_path / "p.parquet"),
    )
    assert status == 74
    assert f"{wrong}:2: error: expected servo 91" in out
    assert out.endswith(" s)\n")
    assert "2 of 6 traces agree, 1 disagrees, 3 could not be verified" in out
    assert f"{tmp_path}/malformed.jsonl:1:1: error: expected a header" in err
    assert f"{unreachable}: error: " in err
    assert "duplicate traces: 1; each trace is verified once" in err
    rows = pq.ParquetFile(tmp_path / "p.parquet").read().to_pylist()
    statuses = {pathlib.Path(row["trace"]).name: row["status"] for row in rows}
    assert statuses == {"a.jsonl": 0, "wrong.jsonl": 1, "malformed.jsonl": 65, "none.jsonl": 66} | (
        {"a.jsonl": 74} if rows[-1]["trace"] == unreachable else {}
    )
    suite = ET.parse(tmp_path / "j.xml").getroot()[0]
    assert (suite.attrib["failures"], suite.attrib["errors"]) == ("1", "3")
    assert f"{wrong}:2: error: expected servo 91" in (suite.findtext(".//failure") or "")


def test_json_is_that_of_the_program(fleet: Fleet, tmp_path: pathlib.Path) -> None:
    write_wrong(tmp_path / "a.jsonl")
    status, out, _ = fleet(tmp_path, "--json")
    assert status == 1
    report = json.loads(out)
    assert report["file"] == str(tmp_path / "a.jsonl")
    assert report["divergence"]["line"] == 2


def test_traces_are_read_from_an_archive_and_from_this_process(
    fleet: Fleet, tmp_path: pathlib.Path
) -> None:
    path = write_trace(tmp_path / "a.jsonl")
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as archive:
        archive.write(path, "in/ü.jsonl")
        archive.writestr("bad.jsonl", "junk")
    fsspec.filesystem("memory").pipe("/here/a.jsonl", path.read_bytes())
    status, out, err = fleet(f"zip://::{tmp_path}/z.zip", "memory://here")
    assert status == 65
    assert "2 of 3 traces agree" in out
    assert f"zip://bad.jsonl::{tmp_path}/z.zip:1:1: error: " in err


def test_the_client_can_read_the_traces_for_the_workers(
    fleet: Fleet, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_trace(tmp_path / "a.jsonl")
    # A worker that cannot access the trace finds nothing under its name.
    monkeypatch.setattr("sentrybench.fleet.traces.is_local", lambda name: False)
    monkeypatch.setattr(
        "sentrybench.fleet.worker.url_to_fs", lambda name: (_ for _ in ()).throw(OSError("no"))
    )
    assert fleet(tmp_path)[0] == 74
    assert fleet(tmp_path, "--upload")[0] == 0


def test_options_and_their_files_reach_the_program(fleet: Fleet, tmp_path: pathlib.Path) -> None:
    write_trace(tmp_path / "a.jsonl")
    assert fleet(tmp_path, "--tolerance", "1us", "--allow-long")[0] in (0, 1)
    assert fleet(tmp_path, "--firmware", "guarded")[0] in (0, 1)
    rules = tmp_path / "rules.yaml"
    rules.write_text("expect:\n  - never: [lost]\n  - ends: {servo: 12}\n")
    status, out, _ = fleet(tmp_path, "--rules", rules)
    assert status == 1
    assert f"{rules}:3:5: ends servo 12 failed" in out
    firmware = TRACES.parent / "firmware" / "classic" / "classic.hex"
    assert fleet(tmp_path, "--device", f"avr:{firmware}")[0] == 0


@pytest.mark.parametrize(
    ("options", "status", "text"),
    [
        (["--tolerance", "5"], 64, "'5' is invalid"),
        (["--firmware", "nonsense"], 64, "'nonsense' is invalid"),
        (["--device", "avr:none.hex"], 66, "none.hex: error: cannot be opened"),
        (["--device", "avr:TRACE"], 65, "a.jsonl: error: "),
        (["--device", "serial:/dev/x"], 64, "several machines"),
        (["--scenario", "x"], 64, "--scenario requires --rules"),
        (["--results", "TRACE"], 74, "a.jsonl: error: "),
        (["--junit", "TRACE/j.xml"], 74, "j.xml: error: "),
        (["--junit", "TRACE"], 64, "--junit would replace the input "),
        (["--parquet", "TRACE"], 64, "--parquet would replace the input "),
        (["--scheduler", "nonsense"], 69, "the scheduler nonsense is not available"),
        (["--scheduler", "x", "--workers", "2"], 64, "cannot be combined"),
        (["-"], 64, "expected paths or URLs"),
    ],
)
def test_a_mistake_is_reported_once(
    fleet: Fleet, tmp_path: pathlib.Path, options: list[str], status: int, text: str
) -> None:
    path = str(write_trace(tmp_path / "a.jsonl"))
    found, _, err = fleet(path, *(option.replace("TRACE", path) for option in options))
    assert (found, text in err) == (status, True), err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--workers", "x"],
        ["a", "--nonsense"],
        ["a", "--batch", "0"],
        ["a", "--batch", "0000000001000000000"],
    ],
)
def test_wrong_usage_has_the_status_of_wrong_usage(fleet: Fleet, options: list[str]) -> None:
    with pytest.raises(SystemExit) as end:
        fleet(*options)
    assert end.value.code == 64


def test_an_empty_corpus_is_no_success(fleet: Fleet, tmp_path: pathlib.Path) -> None:
    status, _, err = fleet(tmp_path)
    assert status == 66
    assert err == f"{tmp_path}: error: there is no *.jsonl in this folder\n"


def test_a_second_run_verifies_only_what_is_missing_or_has_changed(
    fleet: Fleet, tmp_path: pathlib.Path
) -> None:
    shutil.copytree(TRACES / "classic", tmp_path / "corpus")
    count = len(list((tmp_path / "corpus").iterdir()))
    run = (tmp_path / "corpus", "--results", tmp_path / "results")
    assert "before" not in fleet(*run)[1]
    assert f", {count} verified before" in fleet(*run)[1]
    write_wrong(tmp_path / "corpus" / "boot.jsonl")
    write_trace(tmp_path / "corpus" / "new.jsonl")
    status, out, _ = fleet(*run)
    assert status == 1
    assert f"{count} of {count + 1} traces agree, 1 disagrees" in out
    assert f", {count - 1} verified before" in out
    # A known result is reported again.
    status, out, _ = fleet(*run)
    assert status == 1
    assert "boot.jsonl:2: error: expected servo 91" in out
    assert f", {count + 1} verified before" in out
    assert "before" not in fleet(*run, "--tolerance", "5ms")[1]


def test_the_program_that_dies_costs_only_the_trace_that_did_it(
    fleet: Fleet, program: str, tmp_path: pathlib.Path
) -> None:
    for index in range(20):
        write_trace(tmp_path / "corpus" / f"{index}.jsonl")
    bad = write_trace(tmp_path / "corpus" / "bad.jsonl", "ends the program")
    status, out, err = fleet(tmp_path / "corpus")
    assert status == 70
    assert "20 of 21 traces agree, 1 could not be verified" in out
    assert err == f"{bad}: error: cannot be verified: signal 11 ended the program\n"


def test_a_program_that_takes_too_long_is_ended(program: str, tmp_path: pathlib.Path) -> None:
    path = write_trace(tmp_path / "a.jsonl", "takes long")
    how = Recipe(version=_version(), timeout=0.01)
    outcome = worker.verify([Trace(str(path))], how)
    assert outcome.death == "the program took longer than 0.01 s"


def test_a_worker_with_another_program_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FleetError, match=r"is version .*, and the client's is 99\.0") as error:
        worker.verify([], Recipe(version="99.0"))
    assert error.value.status == 69
    monkeypatch.setenv("SENTRYBENCH", "/nonsense")
    program.find.cache_clear()
    program.version.cache_clear()
    assert "SENTRYBENCH is '/nonsense', which is not a program" in worker.check("99.0")
    program.find.cache_clear()


def test_a_signal_while_results_are_written_is_no_error_of_their_file(
    fleet: Fleet, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = pq.write_table

    def interrupted(*arguments: Any, **options: Any) -> None:
        monkeypatch.setattr(results.pq, "write_table", write)
        signal.raise_signal(signal.SIGTERM)

    monkeypatch.setattr(results.pq, "write_table", interrupted)
    write_trace(tmp_path / "a.jsonl")
    status, _, err = fleet(tmp_path / "a.jsonl", "--results", tmp_path / "results")
    assert (status, err) == (143, "")


def _version() -> str:
    return program.version()
