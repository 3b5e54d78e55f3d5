"""The search for sessions that fail, with many seeds."""

import pathlib
import time
from xml.etree import ElementTree

import pytest
from fleets import LIMIT, Fleet, start, two_workers

RULES = """\
- {servo: 90, within: 5ms, of: "X90."}
- {servo: 45, within: 5ms, of: "X45."}
"""
SEARCH = ("--firmware", "classic", "--sessions", 400)


def files(folder: pathlib.Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def rules(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "my rules.yaml"
    path.write_text(RULES)
    return path


def test_the_union_of_two_halves_is_the_whole(
    search: Fleet, tmp_path: pathlib.Path, rules: pathlib.Path
) -> None:
    options = (*SEARCH, "--rules", rules, "--fault", "drop:2%", "--fault", "cut:4")
    parts = {}
    for name, seeds in (("whole", "1..8"), ("low", "1..4"), ("high", "5..8")):
        folder = tmp_path / name
        status, _, err = search("--seeds", seeds, "--output", folder, *options)
        assert (status, err) == (1, "")
        parts[name] = files(folder)
    assert parts["low"] and parts["high"]
    assert parts["whole"] == parts["low"] | parts["high"]


def test_what_is_found_is_gathered_once_with_the_names_that_users_know(
    search: Fleet, tmp_path: pathlib.Path, rules: pathlib.Path
) -> None:
    folder = tmp_path / "found"
    arguments = ("--seeds", "1..6", "--output", folder, *SEARCH, "--rules", rules)
    status, out, err = search(*arguments)
    assert (status, err) == (1, "")
    traces = sorted(name for name in files(folder) if name.endswith(".jsonl"))
    assert len(files(folder)) == 4 * len(traces)
    assert [out.count(name) for name in traces] == [1] * len(traces)
    assert f"{len(traces)} found" in out
    text = b"".join(files(folder).values()).decode()
    assert f"{rules}:1:3: servo 90 within 5 ms of " in text
    assert "options-" not in text + out
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert search(*arguments)[0] == 1
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before


def test_a_search_that_finds_nothing_proves_nothing_and_has_status_0(
    search: Fleet, tmp_path: pathlib.Path
) -> None:
    report = tmp_path / "report.xml"
    status, out, err = search(
        *("--seeds", "7..9", "--sessions", 50, "--against", "guarded", "--junit", report)
    )
    assert (status, err) == (0, "")
    assert out.startswith("3 seeds, 150 sessions, nothing was found (")
    cases = list(ElementTree.parse(report).iter("testcase"))
    assert [case.get("name") for case in cases] == ["seed 7", "seed 8", "seed 9"]
    assert not any(list(case) for case in cases)


def test_the_chip_and_the_device_that_it_is_compared_with_are_sent_to_the_workers(
    search: Fleet, tmp_path: pathlib.Path
) -> None:
    chip = pathlib.Path(__file__).parents[3] / "firmware" / "guarded" / "guarded.hex"
    status, _, err = search(
        *("--seeds", "1", "--sessions", 4, "--device", f"avr:{chip}", "--against", f"avr:{chip}"),
        *("--firmware", "guarded", "--output", tmp_path / "found"),
    )
    assert (status, err) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("--seeds", "9..1", "--strict"), 64),
        (("--seeds", "0..1", "--strict"), 64),
        (("--seeds", "x", "--strict"), 64),
        (("--strict",), 64),
        (("--seeds", "1"), 64),
        (("--seeds", "1", "--strict", "--fault", "nonsense"), 64),
        (("--seeds", "1", "--strict", "--device", "serial:/dev/null"), 64),
        (("--seeds", "1", "--rules", "none.yaml"), 66),
        (("--seeds", "1", "--strict", "--output", "/dev/null/x"), 74),
    ],
)
def test_a_search_that_cannot_be_run_ends_with_a_status(
    search: Fleet, arguments: tuple[str, ...], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        found = search(*arguments)[0]
    except SystemExit as end:
        found = int(str(end.code))
    assert found == status


def test_a_seed_whose_program_dies_is_reported_and_the_others_are_searched(
    search: Fleet, program: str
) -> None:
    status, out, err = search("--seeds", "12..14", "--sessions", 20, "--against", "guarded")
    assert status == 70
    assert err == "seed 13: error: cannot be searched: signal 11 ended the program\n"
    assert out.startswith("3 seeds, 40 sessions, nothing was found, 1 could not be searched (")


def test_a_worker_that_is_killed_loses_no_seed(
    tmp_path: pathlib.Path, program: str, rules: pathlib.Path, search: Fleet
) -> None:
    options = ("--seeds", "20..50", *SEARCH, "--rules", rules)
    one, other = tmp_path / "one", tmp_path / "other"
    with two_workers(tmp_path) as (address, worker):
        fleet = start(*options, "--scheduler", address, "--output", one, command="explore")
        end = time.monotonic() + LIMIT
        while not any(one.glob("*.jsonl")):
            assert time.monotonic() < end
            time.sleep(0.05)
        worker.kill()
        out, err = fleet.communicate(timeout=LIMIT)
    # Dask says on standard error that it asks another worker again.
    assert fleet.returncode == 1, err
    assert "31 seeds" in out
    assert search(*options, "--output", other)[0] == 1
    assert files(one) == files(other)
