"""Compares the speed of the emulated chip with simavr and yasimavr: same binary, same bytes."""
import json
import os
import subprocess
import sys

from common import HERE, ROOT, Failed, build_c, number, run

CLOCK_MHZ = 16
SECONDS_MIN = 3  # of virtual time: bytes are sent at 1.5 s

# A sketch, its activity, the bytes that start the activity, the target for our speed as a multiple of
# simavr's, and the virtual seconds that ours, simavr and yasimavr run. Each run takes about a second.
CASES = [
    ("classic", "scanning", "L", 5, 100, 15, 5),
    ("classic", "idle", " ", 50, 1000, 20, 5),
    ("guarded", "scanning", "L", 2, 1000, 200, 20),
    ("guarded", "idle", " ", 2, 1000, 200, 20),
]


def write_trace(path, firmware, data, seconds):
    with open(path, "w") as file:
        file.write('{"format": "sentry-trace", "version": 1, "firmware": "%s", "board": "uno", '
                   '"baud": 9600, "duration": %d}\n' % (firmware, seconds))
        file.write('[1.500000, "rx", "%s"]\n' % data)


def best(runs, command):
    """Returns the shortest wall time of a whole process, and its output."""
    return min(run(command) for _ in range(runs))


def ours(bench, folder, firmware, data, seconds, runs, *options):
    trace = os.path.join(folder, "chip.jsonl")
    write_trace(trace, firmware, data, seconds)
    device = "avr:" + image(firmware)
    return best(runs, [bench, "replay", "--summary", "--device", device, *options, trace])


def image(firmware):
    return os.path.join(ROOT, "firmware", firmware, firmware + ".hex")


def peers(table, folder):
    found = {}
    program, built = build_c(folder, "simavr-chip", "-lsimavr", "-lelf")
    if built.returncode == 0:
        found["simavr"] = [program]
    else:
        table.note("simavr: skipped, it does not build (Debian: libsimavr-dev libelf-dev)")
    python = [sys.executable, "-c", "import yasimavr"]
    if subprocess.run(python, capture_output=True).returncode == 0:
        found["yasimavr"] = [sys.executable, os.path.join(HERE, "peer", "yasimavr-chip")]
    else:
        table.note("yasimavr: skipped, not installed (PyPI: yasimavr)")
    return found


def check(name, firmware, what, seconds, output, summary):
    """Checks that a peer did the same as ours: both servos must end at about the same angle."""
    compare = int(output.split()[-1])
    degrees = ((compare + 1) / 2 - 544) * 180 / 1856
    if abs(degrees - summary["angle"]) > 2.5:
        raise Failed(f"{name}: {firmware} {what}: the servo is at {degrees:.1f} degrees after "
                     f"{seconds} s, but ours is at {summary['angle']}")


def measure(table, quick, bench, folder):
    print("the emulated chip, virtual seconds per second (clock: 16 MHz)")
    runs = 2 if quick else 4
    found = peers(table, folder)
    for firmware, what, data, target, *spans in CASES:
        if quick:
            spans = [max(SECONDS_MIN, span // 4) for span in spans]
        elapsed, text = ours(bench, folder, firmware, data, spans[0], runs)
        speed = spans[0] / elapsed
        table.row(f"{firmware} {what}, times real time", speed)
        cycles = number(speed * CLOCK_MHZ)
        table.note(f"{spans[0]} s in {elapsed:.2f} s: {cycles} million cycles a second")
        for (name, command), span in zip(found.items(), spans[1:]):
            peer, output = best(runs, command + [image(firmware), str(span), data])
            summary = json.loads(ours(bench, folder, firmware, data, span, 1)[1])
            check(name, firmware, what, span, output, summary)
            if name == "simavr":
                table.row("  times as fast as simavr", speed * peer / span, target)
            else:
                table.row("  times as fast as yasimavr", speed * peer / span)
    plain(table, quick, bench, folder, runs)


def plain(table, quick, bench, folder, runs):
    """Measures with every instruction executed, and checks that the traces are the same."""
    for firmware, what, data, *_ in CASES:
        span = 5 if quick else 20
        elapsed, text = ours(bench, folder, firmware, data, span, runs, "--no-skip")
        table.row(f"{firmware} {what}, nothing skipped", span / elapsed)
        cycles = span * CLOCK_MHZ * 1e6
        table.note(f"{number(cycles / elapsed / 1e6)} million cycles a second, "
                   f"{elapsed / cycles * 1e9:.2f} ns each")
        trace = os.path.join(folder, "chip.jsonl")
        replay = [bench, "replay", "--pulses", "--device", "avr:" + image(firmware), trace]
        if run(replay)[1] != run(replay + ["--no-skip"])[1]:
            raise Failed(f"{firmware} {what}: --no-skip changes the trace")
