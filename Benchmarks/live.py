"""Measures the latency, drift and processor time of the bench in real time.

Peers and bench take turns, one round each, so that a slow moment affects all of them.
"""
import gc
import os
import shutil
import time
import tty
from statistics import median

from common import build_avr, build_c
from processes import Process, processor_seconds, queued_seconds

BAUD = 9600
PACE = 20_000_000  # nanoseconds between commands, and up to one millisecond more
US = 1_000


class Plan:
    def __init__(self, quick):
        self.rounds, self.commands = (2, 50) if quick else (5, 100)
        self.scan_seconds = 10 if quick else 60
        self.idle_seconds = 5 if quick else 20


def late(samples):
    """Returns the median, the 99th percentile and the maximum, in microseconds."""
    ordered = sorted(samples)
    tail = ordered[max(0, -(-len(ordered) * 99 // 100) - 1)]
    return median(ordered) / US, tail / US, ordered[-1] / US


def aims(count):
    """Aims of four bytes, each at an angle different from the previous one. The servo starts at 90."""
    return [b"X%d." % (20 + index * 7 % 61) for index in range(count)]


def paced(items):
    """Yields an item every 20 to 21 ms. Marks the first one, because the caches are cold.

    The interval varies, so that a program that polls every millisecond is not always caught in the
    same phase.
    """
    due = time.monotonic_ns()
    for index, item in enumerate(items):
        time.sleep(max(0, due - time.monotonic_ns()) / 1e9)
        yield item, index == 0
        due += PACE + index * 370_000 % 1_000_000


def answers(port, process, sign, commands, baud=BAUD):
    """The nanoseconds from the end of each command's last stop bit to the answering line."""
    samples = []
    for command, is_cold in paced(commands):
        line_time = len(command) * 10 * 1_000_000_000 // baud if baud else 0
        start = time.monotonic_ns()
        os.write(port, command)
        _, seen = process.line_with(sign)
        if not is_cold:
            samples.append(seen - start - line_time)
    return samples


class Bench(Process):
    """`sentrybench run`, with its port open."""

    def __init__(self, bench, folder):
        self.path = os.path.join(folder, "port")
        super().__init__([bench, "run", "--pty", self.path], folder)

    def __enter__(self):
        super().__enter__()
        try:
            self.line_with(b'"servo", ')  # the first aim of the sketch
            self.port = self.open(self.path)
        except BaseException:
            self.__exit__()
            raise
        return self


class Samples:
    """The samples of all rounds, by name."""

    def __init__(self):
        self.by_name = {}

    def add(self, name, values):
        self.by_name.setdefault(name, []).extend(values)

    def late(self, name):
        return late(self.by_name[name])

    def __contains__(self, name):
        return name in self.by_name


def bench_round(samples, plan, bench, folder):
    with Bench(bench, folder) as session:
        session.seen.clear()
        busy, start = processor_seconds(session.id), time.monotonic()
        samples.add("ours", answers(session.port, session, b'"servo", ', aims(plan.commands + 1)))
        if busy is not None:
            share = (processor_seconds(session.id) - busy) / (time.monotonic() - start)
            samples.add("ours, busy", [share])
        received = 0
        for line in session.seen:
            nanoseconds = stamp(line)
            if b'"rx", ' in line:
                received = nanoseconds
            else:
                samples.add("sketch", [nanoseconds - received - 40 * 1_000_000_000 // BAUD])


def stamp(line):
    """The virtual time of an event in a trace, in nanoseconds."""
    seconds, fraction = line[1:line.index(b",")].split(b".")
    return int(seconds) * 1_000_000_000 + int(fraction.ljust(9, b"0"))


def socat_round(samples, plan, folder):
    a, b = os.path.join(folder, "a"), os.path.join(folder, "b")
    commands = aims(plan.commands + 1)
    with Process(["socat", "-u", f"pty,raw,echo=0,link={a}", "STDOUT"], folder) as pipe:
        port = pipe.open(a)
        lines = [command.replace(b".", b"\n") for command in commands]
        samples.add("socat to a pipe", answers(port, pipe, b"X", lines, baud=None))
    with Process(["socat", f"pty,raw,echo=0,link={a}", f"pty,raw,echo=0,link={b}"], folder) as pair:
        near, far = pair.open(a), pair.open(b)
        for command, is_cold in paced(commands):
            start = time.monotonic_ns()
            os.write(near, command)
            pair.take(far, len(command))
            there = time.monotonic_ns()
            os.write(far, command)
            pair.take(near, len(command))
            back = time.monotonic_ns()
            if not is_cold:
                samples.add("socat one way", [there - start])
                samples.add("socat round trip", [back - start])


def bare_round(samples, plan):
    """Measures this program, a pty and a timer of the system, without another process."""
    master, slave = os.openpty()
    tty.setraw(slave)
    for command, is_cold in paced(aims(plan.commands + 1)):
        start = time.monotonic_ns()
        os.write(slave, command)
        count = 0
        while count < len(command):
            count += len(os.read(master, len(command)))
        if not is_cold:
            samples.add("pty alone", [time.monotonic_ns() - start])
    os.close(slave)
    os.close(master)
    slack = "/proc/self/timerslack_ns"
    if not os.path.exists(slack):
        return
    with open(slack, "w") as file:
        file.write("1")
    for _ in range(plan.commands):
        start = time.monotonic_ns()
        time.sleep(0.004)
        samples.add("timer", [time.monotonic_ns() - start - 4_000_000])
    with open(slack, "w") as file:
        file.write("0")  # restores the default, which later processes inherit


def simavr_round(samples, plan, command, folder):
    with Process(command, folder) as peer:
        line, _ = peer.line_with(b"port /")
        port = peer.open(line.split()[1].decode())
        time.sleep(0.1)
        busy, start = processor_seconds(peer.id), time.monotonic()
        samples.add("simavr", answers(port, peer, b"servo ", aims(plan.commands + 1)))
        if busy is not None:
            share = (processor_seconds(peer.id) - busy) / (time.monotonic() - start)
            samples.add("simavr, busy", [share])


def build_simavr(table, folder):
    """Returns the command that runs simavr in real time, or None if it cannot be built."""
    if not shutil.which("avr-gcc"):
        table.note("simavr: skipped, no avr-gcc (Debian: gcc-avr avr-libc)")
        return None
    program, built = build_c(folder, "simavr-live", "-I/usr/include/simavr", "-l:libsimavrparts.a",
                             "-lsimavr", "-lelf", "-lutil", "-lpthread")
    if built.returncode != 0:
        table.note("simavr: skipped, it does not build (Debian: libsimavr-dev libelf-dev)")
        return None
    return [program, build_avr(folder, "aim")]


def latency(table, plan, bench, folder):
    simavr = build_simavr(table, folder)
    has_socat = shutil.which("socat") is not None
    if not has_socat:
        table.note("socat: skipped, not installed (Debian: socat)")
    samples = Samples()
    for _ in range(plan.rounds):
        bench_round(samples, plan, bench, folder)
        bare_round(samples, plan)
        if has_socat:
            socat_round(samples, plan, folder)
        if simavr:
            simavr_round(samples, plan, simavr, folder)

    middle, tail, worst = samples.late("ours")
    sketch = samples.late("sketch")[0]
    table.row("stop bit to servo line, median, us", middle, 300, at_most=True)
    table.row("  99th percentile, us", tail, 2_000, at_most=True)
    table.note(f"{plan.rounds * plan.commands} commands, one every 20 to 21 ms; the worst took "
               f"{worst:.0f} us. The sketch itself writes the servo {sketch:.0f} us after the "
               "stop bit")
    table.note("for comparison, medians and 99th percentiles in us:")
    names = [("pty alone", "a pty written and read in this program"),
             ("timer", "delay of a 4 ms timer"),
             ("socat one way", "a socat pty pair, one way"),
             ("socat round trip", "a socat pty pair, there and back"),
             ("socat to a pipe", "socat from a pty to a pipe"),
             ("simavr", "simavr's pty bridge, stop bit to line")]
    for name, text in names:
        if name in samples:
            center, tail, _ = samples.late(name)
            table.note(f"  {text:<42}{center:>8.0f}{tail:>8.0f}")
    if "timer" in samples and "socat to a pipe" in samples:
        parts = [samples.late("socat to a pipe")[0], samples.late("timer")[0], sketch]
        terms = " + ".join(f"{part:.0f}" for part in parts)
        table.note(f"socat from a pty to a pipe, the timer and the sketch: {terms} = "
                   f"{sum(parts):.0f} us; ours takes {middle / sum(parts):.2f} times that")
    if "simavr" in samples:
        times = samples.late("simavr")[0] / middle
        table.note(f"simavr's bridge takes {times:.1f} times as long as ours. It passes bytes on "
                   "once per virtual ms and counts 11 bits per byte, 417 us of it")
    if "simavr, busy" in samples and "ours, busy" in samples:
        names = ("ours, busy", "simavr, busy")
        ours, peer = (100 * median(samples.by_name[name]) for name in names)
        table.note(f"at these 50 commands a second ours takes {ours:.2f} % of a core, "
                   f"simavr {peer:.1f} %")


def scanning(table, plan, bench, folder):
    """Measures how far the steps of a sweep drift from real time, and their processor time."""
    with Bench(bench, folder) as session:
        session.seen.clear()
        time.sleep(0.5)
        steps = []
        queued = queued_seconds(session.id)
        busy, start = processor_seconds(session.id), time.monotonic_ns()
        os.write(session.port, b"L")
        while not steps or steps[-1][0] < start + plan.scan_seconds * 1_000_000_000:
            line, seen = session.line_with(b'"servo", ')
            steps.append((seen, seen - stamp(line)))
        elapsed = (steps[-1][0] - start) / 1e9
        if queued is not None:
            queued = queued_seconds(session.id) - queued
        share = None if busy is None else (processor_seconds(session.id) - busy) / elapsed
    first = steps[0][0]
    origin = min(offset for seen, offset in steps if seen < first + 1_000_000_000)
    seconds = {}
    for seen, offset in steps:
        seconds.setdefault((seen - first) // 1_000_000_000, []).append((offset - origin) / US)
    medians = [median(seconds[second]) for second in sorted(seconds) if len(seconds[second]) > 30]
    table.row(f"drift after {plan.scan_seconds} s of scanning, us", medians[-1], 2_000,
              at_most=True)
    table.row("  the worst of these seconds, us", max(medians), 2_000, at_most=True)
    worst = max(offset - origin for _, offset in steps) / US
    table.note(f"medians over a second of how late its steps were printed, {len(steps)} steps; the "
               f"first second's {medians[0]:.0f} us. The worst single step {worst:.0f} us")
    if queued is not None:
        table.note(f"for {queued * 1e3:.0f} ms of the {plan.scan_seconds} s it was ready to run "
                   "while other processes had the processors")
    for line in session.complaints.splitlines():
        if "woke" in line:
            table.note("its own figures: " + line.removeprefix("sentrybench: "))
    return share


def idling(plan, bench, folder):
    with Bench(bench, folder) as session:
        time.sleep(1)
        busy, start = processor_seconds(session.id), time.monotonic()
        time.sleep(plan.idle_seconds)
        if busy is None:
            return None
        return (processor_seconds(session.id) - busy) / (time.monotonic() - start)


def measure(table, quick, bench, folder):
    print("the bench, live, in real time")
    plan = Plan(quick)
    gc.disable()
    latency(table, plan, bench, folder)
    scan = scanning(table, plan, bench, folder)
    idle = idling(plan, bench, folder)
    gc.enable()
    if scan is None:
        table.note("processor time: skipped, this system does not report that of another process")
        return
    table.row(f"idle, a sender attached, {plan.idle_seconds} s, % of a core", 100 * idle, 1,
              at_most=True)
    table.row(f"scanning, {plan.scan_seconds} s, % of a core", 100 * scan, 3, at_most=True)
