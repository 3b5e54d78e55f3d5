"""Measures a verdict under an uncertain clock: a session of a minute in 1 000 timings.

The figure is the wall time of the whole process, which uses all cores.
"""
import json
import os
import random
import subprocess
import time

from common import Failed, run

SECONDS = 60
WORLDS = 1000


def write_session(path):
    """Writes a session: aims 30 to 200 ms apart, as from a face tracker, and some sweeps."""
    draw, now = random.Random(6), 1.5
    with open(path, "w") as file:
        file.write(json.dumps({"format": "sentry-trace", "version": 1, "firmware": "classic",
                               "duration": SECONDS}) + "\n")
        while now < SECONDS - 1:
            command = "L" if draw.random() < 0.03 else f"X{draw.randrange(20, 160)}."
            file.write(json.dumps([round(now, 6), "rx", command]) + "\n")
            now += draw.uniform(0.5, 3) if command == "L" else draw.uniform(0.03, 0.2)


def write_log(trace, path):
    """Writes the trace as the log of a logger whose timestamps are whole milliseconds."""
    with open(trace) as source, open(path, "w") as file:
        header = json.loads(next(source))
        header |= {"clock": "host", "resolution": 0.001, "uncertainty": 0.005}
        file.write(json.dumps(header) + "\n")
        for line in source:
            when, *rest = json.loads(line)
            file.write(json.dumps([round(when, 3), *rest]) + "\n")


def verify(bench, path, *options):
    """Runs verify. Returns its wall time and its verdict."""
    start = time.perf_counter()
    done = subprocess.run([bench, "verify", path, "--json", "--worlds", str(WORLDS), *options],
                          capture_output=True, text=True)
    elapsed = time.perf_counter() - start
    if done.returncode > 1:
        raise Failed(f"verify: status {done.returncode}\n{done.stderr}")
    return elapsed, json.loads(done.stdout)


def measure(table, options, bench, folder):
    print("a verdict under an uncertain clock")
    inputs, trace, log = (os.path.join(folder, name)
                          for name in ("inputs.jsonl", "trace.jsonl", "log.jsonl"))
    write_session(inputs)
    run([bench, "replay", inputs, "-o", trace])
    write_log(trace, log)
    runs = [verify(bench, log) for _ in range(2 if options.quick else 5)]
    if any(found["verdict"] != runs[0][1]["verdict"] for _, found in runs):
        raise Failed("the verdicts of two runs with the same seed differ")
    best = min(elapsed for elapsed, _ in runs)
    table.row("1 000 timings of a minute, seconds", best, 3, at_most=True)
    table.note(f"the verdict: {runs[0][1]['verdict']}")
