"""Results: what the program reports, Parquet, JUnit and the summary."""

import json
import pathlib
import random
import xml.etree.ElementTree as ET

import fsspec
import pytest

from sentrybench.fleet import junit, results, summary
from sentrybench.fleet.recipe import Aliases
from sentrybench.fleet.result import Result, failed, parse
from sentrybench.fleet.results import Folder
from sentrybench.fleet.status import FleetError, worst
from sentrybench.fleet.traces import Trace

SEED = 20_260_102
TRACES = [Trace('/ü"/a.jsonl', 10, "v"), Trace("s3://b/-.jsonl", 20, "w")]
ALIASES = Aliases([trace.name for trace in TRACES], [], tag="00ff")
OUTPUT = (
    '{"file": "traces-00ff/000000.jsonl", "verdict": "agrees", "status": 0, "matched": 16, '
    '"moved": 0, "missing": 0, "extra": 0, "worst": 0.000009}\n'
    '{"file": "traces-00ff/000001.jsonl", "verdict": "error", "status": 65, '
    '"message": "traces-00ff/000001.jsonl:1:1: error: \u2028"}\n'
)
JUNIT = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="sentrybench verify" tests="2" failures="0" errors="1" time="0.034">
    <testcase classname="traces" name="traces-00ff/000000.jsonl" time="0.012"/>
    <testcase classname="traces" name="traces-00ff/000001.jsonl" time="0.001">
      <error message="traces-00ff/000001.jsonl:1:1: error: &#39;&lt;"/>
    </testcase>
  </testsuite>
</testsuites>
"""


def test_results_have_the_names_and_texts_that_users_know() -> None:
    found = parse(TRACES, ALIASES, OUTPUT, JUNIT, "recipe", "tcp://worker")
    assert found is not None
    agrees, wrong = found
    assert (agrees.trace, agrees.status, agrees.matched) == ('/ü"/a.jsonl', 0, 16)
    assert (agrees.worst, agrees.seconds, agrees.size, agrees.version) == (9e-6, 0.012, 10, "v")
    assert agrees.report == OUTPUT.split("\n")[0].replace(
        "traces-00ff/000000.jsonl", '/ü\\"/a.jsonl'
    )
    assert (wrong.verdict, wrong.message) == ("error", "s3://b/-.jsonl:1:1: error: '<")
    assert json.loads(wrong.report)["message"] == "s3://b/-.jsonl:1:1: error: \u2028"


def test_output_that_is_cut_or_changed_is_no_result_and_no_crash() -> None:
    print(f"seed {SEED}")
    source = random.Random(SEED)
    for _ in range(2000):
        texts = [OUTPUT, JUNIT]
        which = source.randrange(2)
        text = texts[which]
        at = source.randrange(len(text))
        texts[which] = source.choice(
            [
                text[:at],
                text[:at] + chr(source.randrange(0xD800)) + text[at + 1 :],
                text[at:] + text[:at],
                text[:at] + text[source.randrange(len(text)) :],
            ]
        )
        found = parse(TRACES, ALIASES, texts[0], texts[1], "", "")
        assert found is None or [result.trace for result in found] == [t.name for t in TRACES]


@pytest.mark.parametrize(
    "output", ["", "[]\n[]\n", "{}\n{}\n", "null\nnull\n", "\n\n", "1e999\n2\n"]
)
def test_output_of_another_form_is_no_result(output: str) -> None:
    assert parse(TRACES, ALIASES, output, JUNIT, "", "") is None


def made(name: str, status: int = 0, **values: str | float) -> Result:
    fields = {"size": 1, "version": "v", "recipe": "r", "verdict": "agrees"} | values
    return Result(trace=name, status=status, **fields)  # type: ignore[arg-type]


TRACE = Trace("/a", 1, "v")


@pytest.mark.parametrize(
    ("trace", "recipe", "status", "is_known"),
    [
        (TRACE, "r", 0, True),
        (TRACE, "r", 1, True),
        (TRACE, "r", 65, True),
        (TRACE, "r", 66, False),
        (TRACE, "r", 70, False),
        (TRACE, "r", 74, False),
        (TRACE, "other", 0, False),
        (Trace("/a", 1, "w"), "r", 0, False),
        (Trace("/a", 2, "v"), "r", 0, False),
        (Trace("/b", 1, "v"), "r", 0, False),
    ],
)
def test_an_earlier_result_counts_only_if_a_new_one_would_be_the_same(
    tmp_path: pathlib.Path, trace: Trace, recipe: str, status: int, is_known: bool
) -> None:
    folder = Folder(str(tmp_path / "results"))
    folder.add([made("/a", status)])
    folder.close()
    again = Folder(str(tmp_path / "results"))
    assert (again.known(trace, recipe) is not None) == is_known


def test_a_trace_without_a_version_is_verified_again(tmp_path: pathlib.Path) -> None:
    folder = Folder(str(tmp_path))
    folder.add([made("http://a", version="")])
    folder.close()
    assert Folder(str(tmp_path)).known(Trace("http://a", 1, ""), "r") is None


def test_files_are_joined_and_the_newest_result_of_a_trace_stays(tmp_path: pathlib.Path) -> None:
    for number in range(3):
        folder = Folder(str(tmp_path))
        folder.add([made("/a", matched=number), made(f"/{number}")])
        folder.flush()
    Folder(str(tmp_path))
    [path] = tmp_path.iterdir()
    found = results.rows(path.read_bytes(), path.name)
    assert {(row.trace, row.matched) for row in found} == {
        ("/a", 2),
        ("/0", 0),
        ("/1", 0),
        ("/2", 0),
    }


def test_what_another_run_writes_meanwhile_is_not_removed(tmp_path: pathlib.Path) -> None:
    one, two = Folder(str(tmp_path)), Folder(str(tmp_path))
    one.add([made("/1")])
    two.add([made("/2")])
    two.close()
    one.close()
    third = Folder(str(tmp_path))
    assert third.known(Trace("/1", 1, "v"), "r")
    assert third.known(Trace("/2", 1, "v"), "r")


@pytest.mark.parametrize("operation", ["cat_file", "rm_file"])
def test_another_run_can_merge_the_files_at_any_moment(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, operation: str
) -> None:
    first = Folder(str(tmp_path))
    for name in ("/1", "/2"):
        first.add([made(name)])
        first.flush()
    file_system = type(fsspec.filesystem("file"))
    original = getattr(file_system, operation)
    meanwhile = [Folder.close]

    def merged_before(self: object, path: str, *rest: object) -> object:
        while meanwhile:
            meanwhile.pop()(first)
        return original(self, path, *rest)

    monkeypatch.setattr(file_system, operation, merged_before)
    second = Folder(str(tmp_path))
    assert second.known(Trace("/1", 1, "v"), "r")
    assert second.known(Trace("/2", 1, "v"), "r")
    assert not meanwhile


def test_a_merge_does_not_hide_a_newer_result(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Folder(str(tmp_path))
    for number in range(2):
        other.add([made("/a", matched=number)])
        other.flush()
    files = Folder._files

    def files_then_newer(self: Folder) -> dict[str, bytes]:
        found = files(self)
        if len(found) == 2:
            other.add([made("/a", matched=2)])
            other.flush()
        return found

    monkeypatch.setattr(Folder, "_files", files_then_newer)
    Folder(str(tmp_path))
    monkeypatch.undo()
    found = Folder(str(tmp_path)).known(Trace("/a", 1, "v"), "r")
    assert found is not None
    assert found.matched == 2


def test_what_a_killed_writer_has_not_finished_is_no_result(tmp_path: pathlib.Path) -> None:
    (tmp_path / ".0badcafe-results-00000000000000000001-0badcafe.parquet").write_bytes(b"")
    first = Folder(str(tmp_path))
    first.add([made("/a")])
    first.close()
    assert Folder(str(tmp_path)).known(Trace("/a", 1, "v"), "r") is not None


def test_a_folder_can_be_a_url() -> None:
    for _ in range(2):
        folder = Folder("memory://results")
        folder.add([made("/a")])
        folder.close()
    assert len(fsspec.filesystem("memory").ls("/results")) == 1


def test_a_file_that_is_not_of_this_version_is_reported(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.parquet").write_bytes(b"PAR1 no PAR1")
    with pytest.raises(FleetError, match=r"a\.parquet: error: .*; remove it") as error:
        Folder(str(tmp_path))
    assert error.value.status == 65


def test_the_report_is_xml_whatever_the_traces_are_called() -> None:
    names = ["/a", "/<&\"'>\n\t\r", "/\0\x1b\ufffe", "/ü\U0001f600"]
    rows = [made(names[0]), made(names[1], 1, message="<m>\n", text="a\n]]>&\x07")]
    rows += [failed(Trace(name), "", 74, name) for name in names[2:]]
    text = "".join(junit.report(rows, 1.5))
    suite = ET.fromstring(text.encode())[0]
    assert suite.attrib["tests"] == "4"
    assert (suite.attrib["failures"], suite.attrib["errors"]) == ("1", "2")
    found = [case.attrib["name"] for case in suite]
    assert found == ["/a", names[1], "/\ufffd\x1b\ufffd".replace("\x1b", "\ufffd"), names[3]]
    assert suite[1][0].attrib["message"] == "<m>\n"
    assert suite[1][0].text == "a\n]]>&\ufffd"


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([], "0 traces agree (2.000 s)"),
        ([made("a", matched=1)], "1 trace agrees, 1 event matched, at most 0 us off (2.000 s)"),
        (
            [made("a", matched=7, worst=0.001035), made("b", 1)],
            "1 of 2 traces agrees, 1 disagrees, 7 events matched, at most 1.035 ms off (2.000 s)",
        ),
        ([made("a", 66)], "0 of 1 trace agrees, 1 could not be verified (2.000 s)"),
    ],
)
def test_the_summary_is_that_of_verify(rows: list[Result], text: str) -> None:
    assert summary.summary(rows, 2, earlier=0) == text


def test_the_summary_says_what_was_verified_before_and_what_is_left() -> None:
    text = summary.summary([made("a"), made("b")], 2, earlier=1, left=3)
    assert text == "2 traces agree, 3 not verified yet, 1 verified before (2.000 s)"


@pytest.mark.parametrize(
    ("elapsed", "text"),
    [
        (1, "10 of 40 traces, 25%, 2 workers"),
        (10, "10 of 40 traces, 25%, 2 workers, about 30 s left"),
        (600, "10 of 40 traces, 25%, 2 workers, about 30 min left"),
        (36_000, "10 of 40 traces, 25%, 2 workers, about 30 h 0 min left"),
    ],
)
def test_the_progress_is_one_line(elapsed: float, text: str) -> None:
    assert summary.progress(10, 40, 250, 1000, 2, elapsed) == text


def test_control_characters_are_not_sent_to_the_terminal() -> None:
    assert summary.escaped("a\x1b[2J\tü\n\u202e") == "a\\x1b[2J\\tü\n\\u202e"


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [([], 0), ([0, 1], 1), ([65, 1], 65), ([66, 65], 66), ([74, 69, 66], 74), ([74, 70], 70)],
)
def test_the_worst_status_wins(statuses: list[int], expected: int) -> None:
    assert worst(statuses) == expected
