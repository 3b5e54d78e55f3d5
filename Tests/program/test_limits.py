"""Time limits, `--budget` and signals are kept in virtual time: by sessions that take long, and by
commands that do not end."""
import os
import signal
import subprocess
import time

import pytest
from running import HAS_PROC, ROOT, Failed, expect, require, run, wait_until

# How much later than its limit a command can end on a busy machine. What it does without a limit
# takes minutes.
LATE = 5
# Toggles all pins as fast as it can, so that a second of it takes long.
TOGGLING = [0xEF0F, 0xB904, 0xB907, 0xB90A, 0xB903, 0xB906, 0xB909, 0xCFFC]
RULES = "- never: [lost]\n- angles: 0..180\n"
TRACE = """{"format": "sentry-trace", "version": 1, "firmware": "guarded", "baud": 9600}
[1.500000, "rx", "X45."]
[590.000000, "rx", "X120."]
"""


@pytest.fixture
def chip(tmp_path):
    """A program on the chip that is slow to emulate."""
    code = b"".join(word.to_bytes(2, "little") for word in TOGGLING)
    record = bytes([len(code), 0, 0, 0]) + code
    path = tmp_path / "toggle.hex"
    path.write_text(f":{record.hex()}{-sum(record) & 0xFF:02x}\n:00000001FF\n".upper())
    return f"avr:{path}"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "a.rules").write_text(RULES)
    (tmp_path / "a.jsonl").write_text(TRACE)
    return tmp_path


def scenario(folder, text, device=None):
    path = folder / "a.yaml"
    path.write_text((f"device: {device}\n" if device else "firmware: classic\n") + text)
    return path


def timed(limit, statuses, *command, **options):
    """Runs a command that must end by its limit, in seconds."""
    begin = time.monotonic()
    done = run(*command, statuses=statuses, **options)
    took = time.monotonic() - begin
    require(took < limit + LATE, f"{command}: took {took:.1f} s\n{done.stderr}")
    return done


def signalled(number, *command, after=1):
    """Sends a command a signal. It must end soon, with the status of the signal. Returns what it
    has printed."""
    with subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        time.sleep(after)
        require(process.poll() is None, f"{command}: ended too early: {process.returncode}")
        process.send_signal(number)
        try:
            output, _ = process.communicate(timeout=LATE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Failed(f"{command}: still runs after signal {number}") from None
    expect(f"{command}: the status", process.returncode, 128 + number)
    return output


def sleepers(seconds):
    """The processes `sleep` with this time."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    if file.read().split(b"\0")[:2] == [b"sleep", seconds.encode()]:
                        found.append(name)
            except OSError:
                pass
    return found


def require_none_left(seconds):
    if HAS_PROC:
        wait_until(f"sleep {seconds} is left", lambda: not sleepers(seconds), LATE)


SLOW = {
    "chip": ("send: [[1.5, X45.]]\nfor: 6000s\nexpect: {never: lost}\n", True),
    "chip that is awaited": (
        "send: [[1.5, X45.]]\nexpect: [quiet: 6000s, never: lost]\n", True),
    "noise": (
        "send: [[1.5, X45.]]\nfor: 80000s\nfaults: ['noise:1000/s', 'reset:1000/s']\n"
        "expect: {servo: 45}\n", False),
    "rig": (
        "rig: {length: 80000s, faces: [{}], camera: {rate: 1}}\nexpect: {track: 3, for: 50%}\n",
        False),
}


@pytest.mark.parametrize("name", SLOW)
def test_test(bench, files, chip, name):
    """A session in virtual time."""
    text, on_chip = SLOW[name]
    path = scenario(files, text, chip if on_chip else None)
    done = timed(1, (1,), bench, "test", path, "--timeout", "1s")
    assert "the session was stopped after 1 s (timeout), at " in done.stdout
    for number in (signal.SIGTERM, signal.SIGINT):
        signalled(number, bench, "test", path)


@pytest.mark.parametrize("command", [
    "trap '' HUP INT TERM; sleep 3217 & sleep 3217", "sleep 3217 & exit 0",
    "(sleep 3217 >/dev/null 2>&1 &); exec sleep 3217", "exec >&- 2>&-; sleep 3217",
])
def test_test_command(bench, files, command):
    """A scenario whose sender leaves processes behind, or does not end."""
    path = scenario(files, f'run: "{command}"\nexpect: {{never: lost}}\n')
    # A sender has two seconds to end after SIGTERM.
    timed(1 + 2, (0, 1), bench, "test", path, "--timeout", "1s")
    require_none_left("3217")


def test_shrink(bench, files, chip):
    command = (bench, "shrink", files / "a.jsonl", "--device", chip, "--rules", files / "a.rules")
    done = timed(1, (124,), *command, "--budget", "1s")
    assert "whether it fails is not known" in done.stderr
    for number in (signal.SIGTERM, signal.SIGINT):
        signalled(number, *command)


@pytest.mark.parametrize("judge", [
    "sleep 3218", "trap '' HUP INT TERM; sleep 3218 & sleep 3218", "exec >&- 2>&-; sleep 3218",
])
def test_shrink_command(bench, files, judge):
    """A command that judges, and does not end."""
    command = (bench, "shrink", files / "a.jsonl", "--firmware", "classic")
    done = timed(1, (124,), *command, "--budget", "1s", "--", "sh", "-c", judge)
    assert "--budget was over" in done.stderr
    done = timed(1, (1,), *command, "--timeout", "1s", "--", "sh", "-c", judge)
    assert "the command took longer than 1 s (--timeout) for 1 session" in done.stderr
    signalled(signal.SIGTERM, *command, "--", "sh", "-c", judge)
    require_none_left("3218")


def test_shrink_holder(bench, files):
    """A command that has ended, and whose output another process holds open."""
    done = timed(10, (0,), bench, "shrink", files / "a.jsonl", "--firmware", "classic",
                 "--", "sh", "-c", "sleep 3219 & exit 0")
    assert "sessions tried" in done.stderr
    require_none_left("3219")


def test_explore(bench, files, chip):
    command = (bench, "explore", "--device", chip, "--rules", files / "a.rules")
    timed(1, (0, 1), *command, "--budget", "1s")
    timed(1, (0, 1), bench, "explore", "--device", chip, "--against", chip, "--budget", "1s",
          "--corpus", files / "corpus")
    for number in (signal.SIGTERM, signal.SIGINT):
        signalled(number, *command)


def test_contract(bench):
    signalled(signal.SIGTERM, bench, "contract", "--device",
              f"avr:{ROOT}/firmware/guarded/guarded.hex", after=0.3)


@pytest.mark.parametrize("tracker", [
    "while read -r line; do echo; done; sleep 3220 & sleep 3220", "sleep 3220 & exit 3",
    "exec sleep 3220",
])
def test_rig(bench, files, tracker):
    """A program that tracks, and leaves processes behind."""
    (files / "a.yaml").write_text("length: 2s\nfaces: [{}]\n")
    command = (bench, "rig", files / "a.yaml", "--", "sh", "-c", tracker)
    if tracker.startswith("exec"):
        signalled(signal.SIGTERM, *command)
    else:
        timed(6, (0, 3, 137), *command)
    require_none_left("3220")
