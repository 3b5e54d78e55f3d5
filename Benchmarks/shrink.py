"""Measures the search for the smallest session that fails.

The figures are wall times of whole processes. The time of a candidate is that of a search that
tries thousands of them, without the time that the process takes for one of a single event.
"""
import json
import os
import random
import re
import subprocess
import time

from common import ROOT, Failed

COMMANDS = 1000
CLASSIC = os.path.join(ROOT, "firmware/classic/classic.hex")


def write(path, events, seconds):
    with open(path, "w") as file:
        file.write(json.dumps({"format": "sentry-trace", "version": 1, "firmware": "classic",
                               "duration": seconds}) + "\n")
        for event in events:
            file.write(json.dumps(event) + "\n")


def commands():
    """Aims and sweeps 100 ms apart, among them a number without an end."""
    draw = random.Random(1)
    for index in range(COMMANDS):
        text = "X100" if index == 700 else "L" if index % 9 == 4 else f"X{draw.randrange(30, 150)}."
        yield [round(2 + index / 10, 6), "rx", text]


def shrink(bench, path, rules, *options):
    """Returns the wall time, how many sessions were tried, and the smallest one's bytes."""
    start = time.perf_counter()
    done = subprocess.run([bench, "shrink", path, "--rules", rules, *options],
                          capture_output=True, text=True)
    elapsed = time.perf_counter() - start
    tried = re.search(r"(\d+) sessions? tried", done.stderr)
    if done.returncode != 0 or not tried:
        raise Failed(f"shrink: status {done.returncode}\n{done.stderr}")
    events = [json.loads(line) for line in done.stdout.splitlines()[1:]]
    return elapsed, int(tried[1]), sum(len(event[2]) for event in events if event[1] == "rx")


def measure(table, options, bench, folder):
    print("the smallest session that fails")
    swallowed, lost, session, full = (
        os.path.join(folder, name)
        for name in ("swallowed.yaml", "lost.yaml", "commands.jsonl", "full.jsonl"))
    for path, word in ((swallowed, "swallowed"), (lost, "lost")):
        with open(path, "w") as file:
            file.write(f"- never: [{word}]\n")
    write(session, commands(), COMMANDS / 10 + 10)
    # 64 bytes during the start-up, of which the ring holds 63: no byte can be left out.
    write(full, [[round(0.1 + i / 100, 6), "rx", chr(33 + i)] for i in range(64)], 4)
    count = 2 if options.quick else 5
    model = min(shrink(bench, session, swallowed) for _ in range(count))
    table.row("1 000 commands on the model, seconds", model[0], 2, at_most=True)
    chip = shrink(bench, session, swallowed, "--device", f"avr:{CLASSIC}")
    table.row("1 000 commands on the chip, seconds", chip[0], 60, at_most=True)
    if not 1 <= model[2] <= 5 or model[2] != chip[2]:
        raise Failed(f"expected at most 5 bytes, found {model[2]} and {chip[2]}")
    empty = os.path.join(folder, "one.jsonl")
    write(empty, [[1.5, "rx", "X"], [1.6, "rx", "X"]], 3)
    base = min(shrink(bench, empty, swallowed)[0] for _ in range(count))
    runs = [shrink(bench, full, lost) for _ in range(count)]
    each = min((elapsed - base) / tried for elapsed, tried, _ in runs) * 1e6
    table.row("a session of 64 bytes with its rules, us", each, 20, at_most=True)
    table.note(f"{runs[0][1]} sessions tried")
