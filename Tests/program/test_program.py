"""The program as the README and the guide show it: its documentation, the commands that it prints,
files that other programs read, and the memory that it needs."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
from decimal import Decimal

import pytest
from running import (PATIENCE, ROOT, Server, events, expect, peak_megabytes, program, refused, run,
                     values, wait_until)

MINUTES = 1
TRACES = sorted(ROOT.glob("traces/**/*.jsonl"))
MEMORY_MAX = 100  # MB
PAGES = sorted({path for pattern in (
    "*.md", "docs/**/*.md", "examples/**/README.md", "senders/**/README.md", "*/README.md")
    for path in ROOT.glob(pattern)})


# The documentation.

@pytest.mark.timeout(960)  # .ci/docs ends a page after 900 s
@pytest.mark.parametrize("page", PAGES, ids=lambda page: os.path.relpath(page, ROOT))
def test_the_examples_of_a_page_print_what_it_shows(bench, page):
    said = run(".ci/docs", bench, page, seconds=930).stdout
    commands, left_out = map(int, re.search(r": (\d+) run, (\d+) not run$", said, re.M).groups())
    shown = len(re.findall("^ *```+console$", page.read_text(), re.M))
    assert left_out <= shown <= left_out + commands, f"{shown} blocks\n{said}"
    assert commands or page != ROOT / "README.md"


def test_a_wrong_example_is_detected(bench, tmp_path):
    page = tmp_path / "broken.md"
    page.write_text("```console\n$ echo one\ntwo\n```\n")
    refused(1, "broken.md:3: error: expected `two`", ".ci/docs", bench, page)


@pytest.mark.parametrize("items, message", [
    (["[Session](../Sources/Engine/Session.swift) decides.", "Nothing is named."],
     "item 2 names 0 files of Sources, not 1"),
    (["[Gone](../Sources/Engine/Gone.swift) is not there."], "Gone.swift is not a file"),
    (["[Session](../Sources/Engine/Session.swift) takes it,\n   and decides."] * 2,
     "Session.swift is named twice"),
    ([], "expected a flow of 1 to 2 files, found 0"),
    ([f"[It](../Sources/Engine/{name}.swift)." for name in ("Session", "History", "LiveBoard")],
     "expected a flow of 1 to 2 files, found 3")])
def test_a_wrong_flow_is_detected(bench, items, message):
    # Its links are those of a page in docs. Other tests run at the same time.
    page = ROOT / ".build" / f"broken-flow-{os.getpid()}.md"
    listed = "".join(f"{number}. {item}\n" for number, item in enumerate(items, 1))
    page.write_text(f"<!-- flow: at most 2 files -->\n\n{listed}\nThe end.\n")
    try:
        refused(1, message, ".ci/docs", bench, page)
    finally:
        page.unlink()


def test_each_test_that_the_page_about_the_articles_names_exists():
    page = ROOT / "docs/articles.md"
    named = re.findall(r"\[([^\]]+)\]\(\.\./((?:Tests|senders)/[^)]*\.(?:swift|py))\)",
                       page.read_text())
    assert len(named) >= 15
    for name, path in named:
        text = (ROOT / path).read_text()
        assert f"func `{name}`(" in text or f"def {name}(" in text, f"{path} has no test {name!r}"


def test_the_pictures_show_what_they_are_made_from(bench):
    run(".ci/pictures", bench, "--check")


def test_a_stale_picture_is_detected(bench, tmp_path):
    """A program whose reports and pictures differ by a comment."""
    differs = tmp_path / "differs"
    differs.write_text(f'#!/bin/sh\nstatus=0\n"{bench}" "$@" || status=$?\n'
                       "case $1 in report | plot) echo '<!-- -->' ;; esac\nexit $status\n")
    differs.chmod(0o755)
    said = run(".ci/pictures", differs, "--check", statuses=(1,)).stderr
    for picture in ("report.png", "session.svg"):
        assert f"docs/{picture}: error: " in said


def test_docs_command_line_is_made_from_the_programs_help(bench):
    run(".ci/command-line", bench, "--check")


# What other programs read.

def test_an_independent_parser_reads_every_trace_as_json_with_times_in_order():
    assert TRACES
    for path in TRACES:
        header, *lines = path.read_text(encoding="utf-8").splitlines()
        header = json.loads(header)
        assert header["format"] == "sentry-trace" and header["version"] == 1, path
        assert header.get("title") and header.get("source"), f"{path}: title and source"
        last = Decimal(0)
        for number, line in enumerate(lines, 2):
            event = json.loads(line, parse_float=Decimal)
            assert isinstance(event, list) and isinstance(event[1], str), f"{path}:{number}"
            assert event[0] >= last, f"{path}:{number}: time"
            last = event[0]


@pytest.mark.needs("xmllint")
def test_every_trace_verifies_and_the_junit_report_is_xml(bench, tmp_path):
    run(bench, "verify", "traces", "--junit", tmp_path / "junit.xml")
    run("xmllint", "--noout", tmp_path / "junit.xml")


@pytest.mark.parametrize("sketch", ["classic", "guarded"])
def test_the_prebuilt_sketch_agrees_with_its_traces(bench, sketch):
    run(bench, "verify", f"traces/{sketch}", "--device", f"avr:firmware/{sketch}/{sketch}.hex")


@pytest.mark.parametrize("sketch", ["classic", "guarded"])
def test_the_timings_of_the_tests_are_those_of_the_prebuilt_sketch(bench, tmp_path, sketch):
    """If not, run sentrybench calibrate again for Tests/BinaryTests/Timings."""
    run(bench, "calibrate", f"firmware/{sketch}/{sketch}.hex", "-o", tmp_path / "timing.json")
    expect("timing", (tmp_path / "timing.json").read_text(),
           pathlib.Path(f"Tests/BinaryTests/Timings/{sketch}.json").read_text())


@pytest.mark.needs("rsvg-convert", "xmllint")
def test_a_picture_is_xml_and_can_be_drawn(bench, tmp_path):
    picture = tmp_path / "session.svg"
    run(bench, "plot", "traces/classic/truncated.jsonl", "-o", picture)
    run("xmllint", "--noout", picture)
    run("rsvg-convert", picture, "-o", tmp_path / "session.png")
    assert (tmp_path / "session.png").stat().st_size > 0


@pytest.mark.needs("cc")
def test_the_same_state_machine_in_c_agrees_with_the_model(bench, tmp_path):
    run("cc", "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "Benchmarks/peer/classic.c", "-o",
        tmp_path / "classic")
    run("Benchmarks/peer/check", "traces",
        env={**os.environ, "SENTRYBENCH": bench, "CLASSIC": str(tmp_path / "classic")})


@pytest.mark.linux
def test_a_trace_of_a_gigabyte_is_verified_in_less_than_100_megabytes(
        bench, tmp_path, record_property):
    inputs, trace = tmp_path / "inputs.jsonl", tmp_path / "large.jsonl"
    inputs.write_text(
        '{"format": "sentry-trace", "version": 1, "firmware": "classic", "duration": 470000}\n'
        '[1.500000, "rx", "L"]\n')
    try:
        run(bench, "replay", "--allow-long", inputs, "-o", trace)
        size = trace.stat().st_size
        used = peak_megabytes(tmp_path, bench, "verify", "--allow-long", trace)
    finally:
        trace.unlink(missing_ok=True)
    record_property("verify", f"a trace of {size} bytes in {used:.1f} MB of memory")
    assert size >= 1e9 and used < MEMORY_MAX


@pytest.mark.linux
def test_memory_of_a_long_session_with_rules(bench, tmp_path):
    """A sweep of five hours in virtual time, judged by its client's rules."""
    requests = [
        {"id": 1, "do": "expect", "rule": {"never": ["lost", "junk"]}},
        {"id": 2, "do": "send", "bytes": "L"},
        {"id": 3, "do": "run", "until": 18_000},
        {"id": 4, "do": "end"},
    ]
    lines = tmp_path / "requests.jsonl"
    lines.write_text("".join(json.dumps(request) + "\n" for request in requests))
    command = f"'{bench}' run --firmware classic --api - --virtual < '{lines}' > /dev/null"
    used = peak_megabytes(tmp_path, "sh", "-c", command)
    assert used < 200, f"{used:.0f} MB"


# Live sessions.

@pytest.mark.needs("xmllint")
def test_the_readmes_sender_agrees_with_its_trace_and_one_without_a_full_stop_does_not(
        bench, tmp_path):
    examples = ROOT / "examples"
    expected = [bench, "run", "-q", "--expect", "aim.jsonl"]
    run(*expected, "--junit", tmp_path / "run.xml", "--", "python3", "sender.py", cwd=examples)
    run("xmllint", "--noout", tmp_path / "run.xml")
    broken = tmp_path / "broken.py"
    broken.write_text((examples / "sender.py").read_text().replace('"X135."', '"X135"'))
    done = run(*expected, "--", "python3", broken, cwd=examples, statuses=(1,))
    assert "byte 9 of 10 differs" in done.stderr, done.stderr


def test_each_command_that_run_prints_for_pasting_moves_the_turret(bench, tmp_path):
    port, trace, hints = (tmp_path / name for name in ("port", "trace", "hints"))
    with open(trace, "wb") as out, open(hints, "wb") as err, \
            program(bench, "run", "--pty", port, stdout=out, stderr=err):
        def commands_to_paste():
            lines = hints.read_text().splitlines(keepends=True)
            return [line.rstrip() for line in lines if line.startswith("  ") and "\n" in line]
        wait_until(lambda: f"three commands to paste: {hints.read_text()}",
                   lambda: len(commands_to_paste()) == 3)
        wait_until("the port", port.exists)
        commands = commands_to_paste()
        for command in commands:
            before = len(values("servo", events(trace)))
            run("sh", "-c", command)
            wait_until(command, lambda: len(values("servo", events(trace))) > before)


@pytest.mark.linux
def test_a_bench_next_to_another_takes_the_next_default_port_and_says_so(bench, tmp_path):
    with Server(tmp_path, "first", bench, "run", pattern="ttySentry: guarded at") as first:
        owner = f"ttySentry belongs to another bench, process {first.process.pid}; this bench's"
        with Server(tmp_path, "second", bench, "run", pattern="ttySentry2: guarded at") as second:
            assert owner in second.said()
        # Its name is free again. Even with -q the user must know.
        with Server(tmp_path, "third", bench, "run", "-q", pattern="port is .*2\n") as third:
            assert owner in third.said()
        assert "another bench" not in first.said()
        port = pathlib.Path(os.environ["XDG_RUNTIME_DIR"], "ttySentry")
        refused(69, "another bench is running there", bench, "run", "--pty", port)


# The program of `make run`, which is without TLS.

QUICK = ROOT / ".build/run/debug"
needs_quick = pytest.mark.skipif(
    not (QUICK / "sentrybench").exists() and os.environ.get("SENTRY_TOOLS") != "required",
    reason="`make run` has not built it")


@needs_quick
def test_the_quick_program_has_the_same_options_and_no_tls():
    # The argument parser checks the declarations of all commands only in debug builds.
    run(QUICK / "sentrybench", "--experimental-dump-help")
    # Its help is the same as with TLS, so that scripts and pages apply to both.
    assert "--tls <cert=" in run(QUICK / "sentrybench", "gateway", "--help").stdout
    assert "wss://" in run(QUICK / "sentrybench", "aim", "--help").stdout
    assert not [*QUICK.glob("*BoringSSL*.build"), *QUICK.glob("NIOSSL.build")], "TLS was built"


@needs_quick
@pytest.mark.parametrize("command", [
    "run --websocket 127.0.0.1:0 --tls cert=Makefile,key=Makefile --for 1s",
    "gateway --listen 127.0.0.1:0 --tls cert=Makefile,key=Makefile --for 1s",
    "aim examples/seen.jsonl --to wss://127.0.0.1:1",
    "aim examples/seen.jsonl --to wss://127.0.0.1:1 --ca Makefile"])
def test_the_quick_program_says_that_it_was_built_without_tls(command):
    refused(64, "built without TLS", QUICK / "sentrybench", *command.split())


# make run, with a false swift, whose build makes a false bench.

FALSE_SWIFT = """\
#!/bin/sh
[ "$1" != --version ] || { echo 'Swift version 6.2'; exit; }
for n in 1 2 3; do echo "[$n/3] Compiling"; done
[ -z "$FAILS" ] || { echo 'error: no such module' >&2; exit 1; }
case $* in *--product*)
  mkdir -p "$QUICK/debug"
  cp "$FALSE_BENCH" "$QUICK/debug/sentrybench" ;;
esac
"""
FALSE_BENCH = """\
#!/bin/sh
trap 'exit 130' INT
echo '{"format": "sentry-trace"}'
echo "$PORT: guarded at 9600 baud" >&2
while [ -z "$ENDS" ]; do sleep 0.05; done
"""


@pytest.fixture
def make_run(tmp_path, monkeypatch):
    """Starts `make run` in a process group of its own, as a terminal does."""
    for name, text in ("swift", FALSE_SWIFT), ("bench", FALSE_BENCH):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("FALSE_BENCH", str(tmp_path / "bench"))
    for name in "MAKEFLAGS", "MAKELEVEL":
        monkeypatch.delenv(name, raising=False)

    def start(*words, **variables):
        return subprocess.Popen(
            ["make", "run", f"QUICK={tmp_path}/run", *words], cwd=ROOT, process_group=0, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**os.environ, "QUICK": f"{tmp_path}/run", **variables})
    return start


FIRST = "Building the bench. The first time, this takes about 4 minutes on two processors."
END = "The bench has ended. make run starts it again."


def test_make_run_says_what_it_builds_and_ends_with_a_sentence(make_run):
    process = make_run(PORT="a")
    said = [process.stdout.readline().strip() for _ in range(2)]
    assert said == [FIRST, "a: guarded at 9600 baud"]
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate(timeout=PATIENCE)[0].splitlines() == [END]
    assert process.returncode in (0, -signal.SIGINT)
    process = make_run(PORT="a", ENDS="yes")
    assert process.communicate(timeout=PATIENCE)[0].splitlines() == [
        "Building what has changed in the bench.", "a: guarded at 9600 baud", END]


def test_make_run_shows_why_the_build_failed_or_with_v_everything(make_run, tmp_path):
    process = make_run(FAILS="yes")
    said = process.communicate(timeout=PATIENCE)[0].splitlines()
    assert process.returncode == 2 and said[0] == FIRST and "error: no such module" in said
    assert f"The command failed with status 1. All of its output: {tmp_path}/run/build.log" in said
    process = make_run("V=1", ENDS="yes", PORT="a")
    said = process.communicate(timeout=PATIENCE)[0].splitlines()
    assert said.count("[1/3] Compiling") == 2 and '{"format": "sentry-trace"}' in said


# make flash, with a folder of false devices and a false avrdude, which prints its arguments.

UNO = "serial/by-id/usb-Arduino_Uno-if00"
WRITTEN = "-D -U flash:w:guarded/guarded.hex:i"


@pytest.fixture
def flash(tmp_path, monkeypatch):
    """Runs firmware/flash with some devices. A device `NAME=PORT` is a link to the port."""
    tools, devices = tmp_path / "tools", tmp_path / "devices"
    tools.mkdir()
    shutil.copy(ROOT / "Tests/program/false_avrdude", tools / "avrdude")
    (tools / "avrdude").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    monkeypatch.setenv("SENTRY_DEVICES", str(devices))

    def run_flash(names, status, said, *arguments, command=("firmware/flash",)):
        shutil.rmtree(devices, ignore_errors=True)
        (devices / "serial/by-id").mkdir(parents=True)
        for name in names:
            link, _, port = name.partition("=")
            (devices / link).symlink_to(f"../../{port}") if port else (devices / link).touch()
        done = run(*command, *arguments, statuses=(status,))
        lines = (done.stdout + done.stderr).replace(str(devices), "DEV").splitlines()
        assert any(said in line for line in lines), f"no line with {said!r}: {lines}"
        return lines
    return run_flash


@pytest.mark.parametrize("port", ["ttyACM0", "ttyACM3", "ttyUSB0", "cu.usbmodem1101",
                                  "cu.usbserial-110", "cu.wchusbserial110"])
def test_the_only_port_on_usb_is_found(flash, port):
    lines = flash(["ttyS0", "tty1", "cu.Bluetooth-Incoming-Port", port], 0,
                  f"-P DEV/{port} -b 115200 {WRITTEN}", "guarded")
    assert any(line.startswith("avrdude ") and line.endswith(WRITTEN) for line in lines)


@pytest.mark.parametrize("names, status, said, arguments", [
    # A port and its by-id name count as one board.
    (["ttyACM0", f"{UNO}=ttyACM0"], 0, f"-P DEV/{UNO} -b 115200 {WRITTEN}", ["guarded"]),
    # A stale name of a board that was unplugged.
    (["ttyUSB0", f"{UNO}=ttyACM0"], 0, "-P DEV/ttyUSB0 ", ["guarded"]),
    (["ttyS0"], 69, "no serial port on USB was found in DEV", ["guarded"]),
    (["ttyS0"], 69, "ttyACM9 does not exist", ["guarded", "ttyACM9"]),
    (["ttyUSB0"], 64, "SKETCH is missing", []),
    (["ttyUSB0"], 64, "no sketch named blink", ["blink"]),
    (["ttyUSB0"], 64, "published has no .hex", ["published"]),
    (["ttyUSB0"], 64, "BAUD is 115200 for an Uno or 57600 for an old Nano, not 9600",
     ["guarded", "", "9600"])])
def test_a_port_is_chosen_or_what_is_wrong_is_said(flash, names, status, said, arguments):
    flash(names, status, said, *arguments)


def test_one_of_several_ports_must_be_named(flash, tmp_path):
    names, devices = ["ttyACM0", "ttyUSB0", f"{UNO}=ttyACM0"], tmp_path / "devices"
    flash(names, 64, "several serial ports on USB", "guarded")
    lines = flash(names, 64, "", "guarded")
    assert f"  make flash SKETCH=guarded PORT=DEV/{UNO}" in lines
    lines = flash(names, 64, "", "guarded", "", "57600")
    assert "  make flash SKETCH=guarded PORT=DEV/ttyUSB0 BAUD=57600" in lines
    assert not any("ttyACM0" in line for line in lines), "a port is listed twice"
    flash(names, 0, f"-P DEV/ttyUSB0 -b 57600 {WRITTEN}", "guarded", devices / "ttyUSB0", "57600")
    flash(names, 0, "-P DEV/ttyACM0 -b 115200 -D -U flash:w:classic/classic.hex:i", "classic",
          devices / "ttyACM0", "")
    flash(["ttyS0"], 0, "-P DEV/ttyS0 ", "guarded", devices / "ttyS0")


@pytest.mark.parametrize("baud, advice", [
    ([], "make flash SKETCH=guarded PORT=DEV/ttyUSB0 BAUD=57600"),
    (["", "57600"], "newer Nano: make flash SKETCH=guarded PORT=DEV/ttyUSB0")])
def test_a_bootloader_that_does_not_answer_may_have_another_speed(
        flash, monkeypatch, baud, advice):
    monkeypatch.setenv("SENTRY_AVRDUDE_STATUS", "1")
    assert any(line.endswith(advice)
               for line in flash(["ttyUSB0"], 69, advice, "guarded", *baud))


def test_make_flash_passes_its_variables_on(flash):
    flash(["ttyUSB0"], 0, f"-P DEV/ttyUSB0 -b 57600 {WRITTEN}", "SKETCH=guarded", "BAUD=57600",
          command=("make", "-s", "flash"))
