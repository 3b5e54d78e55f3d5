"""Measures suites of scenarios: in virtual time, and live ones that run in parallel."""
import os
import shutil
import statistics
import subprocess
import time

from common import Failed, run

SCENARIO = """\
name: aims at {angle}
send: [[1.5, "X{angle}."], [2.0, "L"], [3.0, "X90."]]
expect:
  - {{servo: {angle}, within: 50ms, of: "X{angle}."}}
  - never: [lost, junk]
  - ends: {{servo: 90, sweeping: no}}
"""
LIVE = """\
name: sends for a second
run: exec >"$SENTRY_PORT"; printf X{angle}.; sleep 1
timeout: 20s
expect:
  - {{servo: {angle}, of: "X{angle}."}}
"""


def write(folder, name, text, count):
    """Writes `count` files with scenarios that differ in their angle. Returns their folder."""
    folder = os.path.join(folder, name)
    os.mkdir(folder)
    for index in range(count):
        with open(os.path.join(folder, f"{index:04}.yaml"), "w") as file:
            file.write(text.format(angle=20 + index % 61))
    return folder


def expect(output, line):
    if not output.startswith(line):
        raise Failed(f"sentrybench test: expected {line!r}, found\n{output}")


def virtual(table, options, bench, folder):
    hundred, thousand = (write(folder, f"virtual-{count}", SCENARIO, count)
                         for count in (100, 1000))
    suite = starts = many = float("inf")
    for _ in range(max(2, options.runs // 3)):
        seconds, output = run([bench, "test", hundred])
        expect(output, "100 scenarios pass")
        suite = min(suite, seconds)
        start = time.perf_counter()
        for index in range(100):
            run([bench, "replay", "--send", f"X{20 + index % 61}.", "-o", os.devnull])
        starts = min(starts, time.perf_counter() - start)
        seconds, output = run([bench, "test", thousand])
        expect(output, "1000 scenarios pass")
        many = min(many, seconds)
    table.row("100 starts of replay, as a multiple of a suite", starts / suite)
    table.note(f"{suite * 1e3:.0f} ms for 100 scenarios; 100 starts {starts * 1e3:.0f} ms")
    table.row("1 000 scenarios in virtual time, s", many, 2, at_most=True)


def live(table, options, bench, folder):
    count = 24 if options.quick else 100
    seconds, output = run([bench, "test", "--jobs", "8", write(folder, "live", LIVE, count)])
    expect(output, f"{count} scenarios pass")
    table.row(f"{count} live scenarios of 1 s, --jobs 8, s", seconds, 18 * count / 100,
              at_most=True)
    table.note(f"{seconds / count * 8 - 1:.3f} s for each, in addition to its one second")


def opening(table, options, bench, folder):
    """Measures the time from the start of a bench until a sender can open its port."""
    port = os.path.join(folder, "port")
    times = []
    for _ in range(10 if options.quick else 40):
        start = time.perf_counter()
        with subprocess.Popen([bench, "run", "-q", "--pty", port], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:
            while True:
                try:
                    os.close(os.open(port, os.O_RDWR | os.O_NOCTTY))
                    break
                except FileNotFoundError:
                    if process.poll() is not None:
                        raise Failed("the bench ended before its port was there") from None
            times.append(time.perf_counter() - start)
            process.terminate()
    table.row("start until the port can be opened, ms", statistics.median(times) * 1e3, 30,
              at_most=True)


def overhead(table, options, bench, folder):
    """Compares a scenario with its sender alone, which writes to a bare pty."""
    scenario = write(folder, "one", LIVE, 1)
    command = LIVE.format(angle=20).split("run: ")[1].splitlines()[0]
    alone = judged = float("inf")
    for _ in range(3 if options.quick else 9):
        master, slave = os.openpty()
        start = time.perf_counter()
        subprocess.run(["sh", "-c", command], check=True,
                       env=dict(os.environ, SENTRY_PORT=os.ttyname(slave)))
        alone = min(alone, time.perf_counter() - start)
        os.close(master)
        os.close(slave)
        seconds, output = run([bench, "test", scenario])
        expect(output, "1 scenario passes")
        judged = min(judged, seconds)
    table.row("a scenario, more than its sender alone, ms", (judged - alone) * 1e3, 100,
              at_most=True)


def measure(table, options, bench, folder):
    print("suites of scenarios")
    folder = os.path.join(folder, "suites")
    os.mkdir(folder)
    opening(table, options, bench, folder)
    overhead(table, options, bench, folder)
    virtual(table, options, bench, folder)
    live(table, options, bench, folder)
    shutil.rmtree(folder)
