"""The pages' scripts have no type errors, and their Swift, as WebAssembly in node, does what the
program does. `make playground phone` must have linked it.
"""
import glob
import pathlib

import pytest
from running import ROOT, refused, run

HERE = pathlib.Path(__file__).resolve().parent
LINKED = ROOT / ".build/wasm"
pytestmark = [pytest.mark.needs("node", "tsc"), pytest.mark.linux]
MINUTES = 2
TRACES = sorted((ROOT / "traces").rglob("*.jsonl"))
PARTS = 8
OBSERVATIONS = ["examples/seen.jsonl",
                *sorted(ROOT.glob("Tests/CommandTests/Aim/Observations/*.jsonl"))]


@pytest.mark.parametrize("options, files", [
    ("--noImplicitAny", "Sources/Pictures/Report/Page/*.js .ci/report/types.d.ts"),
    ("--strict --module es2022", "web/dashboard/*.js web/dashboard/types.d.ts"),
    ("--noImplicitAny --module es2022 --moduleResolution node",
     "web/playground/*.js web/playground/report.d.ts .ci/report/types.d.ts"),
    ("--strict --module es2022", "web/phone/*.js web/phone/types.d.ts")],
    ids=["report", "dashboard", "playground", "phone"])
def test_the_scripts_of_a_page_have_no_type_errors(options, files):
    paths = [path for pattern in files.split() for path in sorted(glob.glob(pattern))]
    assert len(paths) > 2
    run("tsc", "--noEmit", "--allowJs", "--checkJs", "--target", "es2022", *options.split(),
        "--lib", "es2022,dom,dom.iterable", *paths)


@pytest.fixture
def other(tmp_path):
    """A program that prints something else, which must be detected."""
    other = tmp_path / "other"
    other.write_text("#!/bin/sh\ncat >/dev/null\necho something else\n")
    other.chmod(0o755)
    return other


@pytest.mark.parametrize("part", range(PARTS))
def test_the_playground_prints_what_the_program_prints_for_every_trace(bench, part):
    run("node", HERE / "compare_playground.mjs", bench, LINKED, *TRACES[part::PARTS])


def test_other_output_than_the_playgrounds_is_detected(other):
    refused(1, "the page differs at byte 0", "node", HERE / "compare_playground.mjs", other, LINKED,
            "traces/classic/angles.jsonl")


def test_the_phones_page_sends_what_aim_prints_for_recorded_observations(bench):
    run("node", HERE / "compare_aim.mjs", bench, LINKED, *OBSERVATIONS)


def test_other_commands_than_the_phones_page_sends_are_detected(other):
    refused(1, "aim prints", "node", HERE / "compare_aim.mjs", other, LINKED, *OBSERVATIONS)
