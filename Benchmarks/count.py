"""Counts the instructions of whole processes with callgrind, next to those of an older program.

Unlike times, they are the same in each run (within 0.3 %), whatever else the machine does.
"""
import os
import re
import shutil
import subprocess

import captures
from chip import image, write_trace
from common import Failed

CHIP_SECONDS = 6  # of virtual time: the byte is sent at 1.5 s
SWEEP_SECONDS = 600
COMMAND_BYTES = 200_000
SAMPLED_SECONDS = 2  # at 24 MHz
LOG_MEGABYTES = 4


def instructions(command, folder):
    """Returns the number of instructions that a process executes, and its standard output."""
    log = os.path.join(folder, "callgrind.log")
    done = subprocess.run(
        ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--log-file=" + log,
         *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)}: status {done.returncode}\n{done.stderr.decode()}")
    with open(log) as file:
        text = file.read()
    found = re.search(r"Collected : (\d+)", text)
    if not found:
        raise Failed(f"callgrind reported no count:\n{text}")
    return int(found[1]), done.stdout


def cases(bench, folder, write_scan, write_commands, run):
    """Yields what is counted: its name, and the command's words after the program."""
    def path(name):
        return os.path.join(folder, name)

    yield "start (ports)", ["ports", "--json"]

    write_scan(path("sweep.jsonl"), SWEEP_SECONDS)
    write_commands(path("commands.jsonl"), COMMAND_BYTES)
    yield f"replay, a sweep of {SWEEP_SECONDS} s", ["replay", path("sweep.jsonl")]
    yield "replay --summary of it", ["replay", "--summary", path("sweep.jsonl")]
    yield f"replay, {COMMAND_BYTES} bytes of commands", ["replay", path("commands.jsonl")]

    run([bench, "replay", "-o", path("golden.jsonl"), path("sweep.jsonl")])
    yield "verify, the sweep", ["verify", "-q", "--jobs", "1", path("golden.jsonl")]
    yield "explain, the commands", ["explain", path("commands.jsonl")]

    for firmware, what, data in [("classic", "scanning", "L"), ("classic", "idle", " "),
                                 ("guarded", "scanning", "L"), ("guarded", "idle", " ")]:
        trace = path(f"{firmware}-{what}.jsonl")
        write_trace(trace, firmware, data, CHIP_SECONDS)
        chip = ["replay", "--device", "avr:" + image(firmware)]
        yield f"chip, {firmware} {what}, {CHIP_SECONDS} s", [*chip, "--summary", trace]
        if what == "scanning":
            yield "  with its pulses and pins", [*chip, "--pulses", "--pins", "all", trace]
            yield "  nothing skipped", [*chip, "--summary", "--no-skip", trace]

    captures.write_sr(path("field.sr"), SAMPLED_SECONDS)
    captures.write_socat(path("field.log"), LOG_MEGABYTES)
    yield f"convert, sigrok, {SAMPLED_SECONDS} s at 24 MHz", ["convert", path("field.sr")]
    yield f"convert, socat, {LOG_MEGABYTES} MB", ["convert", path("field.log")]
    yield "convert, a trace to VCD", ["convert", "--to", "vcd", path("sweep.jsonl"), "-o", "-"]


def measure(bench, older, folder, write_scan, write_commands, run):
    if not shutil.which("valgrind"):
        raise Failed("--count requires valgrind (Debian: valgrind)")
    print("millions of instructions, counted by callgrind")
    print(f"{'what':<44}{'now':>12}" + (f"{'older':>12}{'change':>9}" if older else ""))
    for name, words in cases(bench, folder, write_scan, write_commands, run):
        now, output = instructions([bench, *words], folder)
        line = f"{name:<44}{now / 1e6:>12.2f}"
        if older:
            before, earlier = instructions([older, *words], folder)
            line += f"{before / 1e6:>12.2f}{(now / before - 1) * 100:>+8.1f}%"
            if output != earlier:
                line += "  (the outputs differ)"
        print(line, flush=True)
