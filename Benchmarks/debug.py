"""Measures `debug --gdb` on sessions of a minute, next to a plain replay of each in the same run:
`continue` over the whole session without a watchpoint, and `reverse-continue` to the last write of
each variable of the sketch, from the end and from other moments.

What a search finds must be the last write: forwards from there, the next is after the moment.
"""
import os
import random
import re
import shutil
import statistics
import sys
import time

from common import ROOT, Failed, number, run

SECONDS = 60
# The program, and what is sent at 1.5 s. `debugged` has interrupts all the time.
CASES = [("debugged", "ab"), ("classic", "L"), ("guarded", "L")]
MOMENTS = 1  # besides the end
LONGEST = 600  # seconds for a search, on a busy machine


def program(folder, name):
    """An .elf with symbols."""
    if name == "debugged":
        path = os.path.join(folder, "debugged.elf")
        run(["avr-gcc", "-mmcu=atmega328p", "-Og", "-gdwarf-2", "-o", path,
             os.path.join(ROOT, "Tests/program/sketches/debugged/debugged.c")])
        return path
    path = os.path.join(ROOT, f".build/firmware/{name}.elf")
    if not os.path.exists(path):
        run([os.path.join(ROOT, "firmware/build"), "--check"])
    return path


def variables(path):
    """The addresses and sizes of what is in SRAM."""
    rows = (line.split() for line in run(["avr-nm", "-S", path])[1].splitlines())
    return sorted((int(row[0], 16), int(row[1], 16), row[3]) for row in rows
                  # The EEPROM's are from 0x810000 on.
                  if len(row) == 4 and row[2] in "bBdD" and int(row[0], 16) < 0x810000)


def measure(table, options, bench, folder):
    print("debug --gdb on sessions of a minute, as a multiple of a plain replay's time")
    if not shutil.which("avr-gcc"):
        table.note("skipped: no avr-gcc (Debian: gcc-avr avr-libc)")
        return
    sys.path.insert(0, os.path.join(ROOT, "Tests/program"))
    from gdb_clients import Debugged, Remote

    def clock(action, *arguments):
        begin = time.perf_counter()
        found = action(*arguments)
        return time.perf_counter() - begin, found

    everything = []
    for name, data in CASES[:1] if options.quick else CASES:
        elf = program(folder, name)
        trace = os.path.join(folder, f"{name}.jsonl")
        with open(trace, "w") as file:
            file.write(f'{{"format": "sentry-trace", "version": 1, "firmware": "{name}", "board": '
                       f'"uno", "baud": 9600, "duration": {SECONDS}}}\n[1.5, "rx", "{data}"]\n')
        device = ["--device", f"avr:{elf}"]
        plain = min(run([bench, "replay", "--summary", *device, trace])[0] for _ in range(3))
        with Debugged(folder, bench, *device, trace) as server, Remote(server) as remote:
            forwards, stop = clock(remote.stop, "c", LONGEST)
            if "replaylog:end" not in stop:
                raise Failed(f"{name}: continue has stopped: {stop}")
            took = searches(remote, elf, clock)
            again, _ = clock(whole, remote)
        table.row(f"{name}: continue, times the speed without GDB", plain / forwards, 0.5)
        table.note(f"{forwards:.2f} s for {SECONDS} s; again, {again:.2f} s; replay, {plain:.2f} s")
        everything += [seconds / plain for seconds in took]
        table.row("  reverse-continue, median", statistics.median(took) / plain, 0.1, at_most=True)
        table.row("  reverse-continue, worst", max(took) / plain, 2, at_most=True)
        table.note(f"{len(took)} searches: median {statistics.median(took) * 1e3:.0f} ms, worst "
                   f"{number(max(took))} s")
    # A variable that is set only once is found at the begin: all of the session is run again.
    table.row("all: reverse-continue, median", statistics.median(everything), 0.1, at_most=True)


def whole(remote):
    remote.monitor("goto 0s")
    remote.stop("c", LONGEST)


def searches(remote, elf, clock):
    """How long each search took."""
    source = random.Random(1)
    moments = [SECONDS] + [round(source.uniform(2, SECONDS), 3) for _ in range(MOMENTS)]
    took = []
    for address, size, name in variables(elf):
        for moment in moments:
            begin = cycle(remote.monitor(f"goto {moment}s", LONGEST))
            remote.ok(f"Z2,{address:x},{size:x}")
            seconds, stop = clock(remote.stop, "bc", LONGEST)
            took.append(seconds)
            if "watch:" in stop:
                # Forwards, this write is met, and the next is after the moment.
                remote.stop("c", LONGEST)
                if cycle(remote.monitor("time")) > begin:
                    raise Failed(f"{name}: the write before {moment} s is not met again")
                stop = remote.stop("c", LONGEST)
                if "watch:" in stop and cycle(remote.monitor("time")) <= begin:
                    raise Failed(f"{name}: there is a later write before {moment} s")
            remote.ok(f"z2,{address:x},{size:x}")
    return took


def cycle(text):
    return int(re.search(r"cycle (\d+)", text)[1])
