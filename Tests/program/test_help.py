"""The program's help as people meet it: on a small screen, in a pager, in a shell's completion."""
import json
import os
import pty
import re
import select
import subprocess
import time

import pytest
from running import PATIENCE, ROOT, Failed, run

LINES, COLUMNS, PROGRAM_LINES = 24, 80, 40
PAGER = "sed 's/^/paged: /'"


@pytest.fixture
def commands(bench):
    dump = json.loads(run(bench, "--experimental-dump-help").stdout)
    return [command["commandName"] for command in dump["command"]["subcommands"]
            if command["commandName"] != "help"]


def on_a_terminal(*command, folder=ROOT, **variables):
    """Runs a command whose standard streams are a terminal of 24 lines. Returns its status and
    what it has shown."""
    own, other = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "PAGER")}
    process = subprocess.Popen(
        [str(word) for word in command], stdin=other, stdout=other, stderr=other, cwd=folder,
        env={**environment, "TERM": "xterm", **variables}, start_new_session=True)
    os.close(other)
    shown, deadline = b"", time.monotonic() + PATIENCE
    try:
        while time.monotonic() < deadline:
            if select.select([own], [], [], 0.1)[0]:
                try:
                    shown += os.read(own, 1 << 16)
                except OSError:  # Linux reports the end of the last process on a terminal as EIO.
                    break
            elif process.poll() is not None:
                break
        else:
            process.kill()
            raise Failed(f"{command}: still runs after {PATIENCE} s")
    finally:
        os.close(own)
    return process.wait(PATIENCE), shown.decode().replace("\r\n", "\n")


def test_short_help_fits_on_a_small_screen(bench, commands):
    for name in commands:
        lines = run(bench, name, "-h").stdout.splitlines()
        assert len(lines) <= LINES, name
        assert max(map(len, lines)) <= COLUMNS, name
        text = "\n".join(lines)
        assert f"USAGE: sentrybench {name}" in text
        assert len(re.findall(r"^  sentry", text, re.M)) == 3, f"{name} has three examples"
        assert f"sentrybench {name} --help tells more" in text


def test_the_help_of_the_program_fits_on_a_screen_and_names_every_command(bench, commands):
    for words in ([], ["-h"], ["--help"], ["help"]):
        lines = run(bench, *words).stdout.splitlines()
        assert len(lines) <= PROGRAM_LINES
        assert max(map(len, lines)) <= COLUMNS
        for name in commands:
            assert sum(line.startswith(f"  {name} ") for line in lines) == 1, name


def test_the_statuses_are_explained(bench):
    text = run(bench, "help", "exit-codes").stdout
    for status in (0, 1, 64, 65, 66, 69, 74, 124, 130, 141, 143):
        assert re.search(rf"^ +{status}  \w", text, re.M), status


def test_help_is_paged_only_on_a_terminal_and_never_in_ci(bench):
    text = run(bench, "run", "--help", env={**os.environ, "CI": "", "PAGER": PAGER}).stdout
    assert "paged" not in text
    status, shown = on_a_terminal(bench, "run", "--help", PAGER=PAGER)
    assert status == 0
    assert shown.startswith("paged: OVERVIEW") and "paged: OUTPUT:" in shown
    for words, variables in (
            (["run", "--help"], {"PAGER": PAGER, "CI": "true"}), (["run", "-h"], {"PAGER": PAGER}),
            (["--version"], {"PAGER": PAGER}), (["run", "--help"], {"PAGER": ""}),
            (["run", "--help"], {"PAGER": PAGER, "TERM": "dumb"})):
        status, shown = on_a_terminal(bench, *words, **variables)
        assert status == 0 and shown and "paged" not in shown, (words, variables)


def test_help_is_printed_if_the_pager_cannot_be_started_and_one_can_leave_it(bench):
    status, shown = on_a_terminal(bench, "run", "--help", PAGER="no-such-pager")
    assert status == 0 and "OVERVIEW: " in shown and "OUTPUT:" in shown
    status, shown = on_a_terminal(bench, "run", "--help", PAGER="head -n 1")
    assert status == 0 and shown.startswith("OVERVIEW: ") and "OUTPUT:" not in shown


def test_a_picture_and_a_report_go_to_a_file_on_a_terminal(bench, tmp_path):
    trace = ROOT / "traces/classic/truncated.jsonl"
    for command, name in (("plot", "truncated.svg"), ("report", "truncated.html")):
        status, shown = on_a_terminal(bench, command, trace, folder=tmp_path)
        assert status == 0, shown
        assert f"{name}: written" in shown and "<svg" not in shown
        assert "<svg" in (tmp_path / name).read_text()
        # Without a terminal, it goes to standard output.
        assert "<svg" in run(bench, command, trace).stdout
        (tmp_path / name).write_text("a page of somebody else")
        status, shown = on_a_terminal(bench, command, trace, folder=tmp_path)
        assert status != 0 and "--force" in shown
        assert (tmp_path / name).read_text() == "a page of somebody else"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_the_values_of_options(bench, shell):
    script = run(bench, "--generate-completion-script", shell).stdout
    for value in ("drop:", "adapter:", "pca9685@0x40", "hc-sr04@D7:D8", "avr:", "remote-detector",
                  "guarded", "failed", "A5", "57600", "mg996r"):
        assert value in script or value.replace(":", "\\:") in script, value
    if shell == "bash":
        run("bash", "-n", "-c", script)


def test_completion_knows_the_scenarios_of_a_file(bench, tmp_path):
    (tmp_path / "two.yaml").write_text("".join(
        f"---\nname: {name}\nsend: [[1.5, X45.]]\nexpect:\n  - servo: 45\n"
        for name in ("aims", "aims again")))
    words = ["sentrybench", "run", "--rules", str(tmp_path / "two.yaml"), "--scenario", ""]
    done = run(bench, "---completion", "run", "--", "--scenario", len(words) - 1, 0, *words)
    assert done.stdout.splitlines() == ["aims", "aims again"]
