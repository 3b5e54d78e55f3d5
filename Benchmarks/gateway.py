"""Compares the speed of the gateway with its peers: WebSocket and TCP to a board that echoes.

The board is a pty (peer/echo-pty.c). It and the sender (peer/gateway-sender.c) are written in C, so
that mainly the program between them is measured. Each gateway has its own board. All of them run at
once, and take turns.
"""
import contextlib
import os
import re
import resource
import subprocess
import time

from common import Failed, build_c
from gateways import CLIENTS_MAX, Way, ours, peers, start_ours
from live import late
from processes import Process

FIRST_BIT_MAX_US = 150
WATCHERS = 1_000
WATCHER_KIB_MAX = 64
PACE_US = 20_000  # between commands, and up to one millisecond more
CAMERA_US = 33_333  # between the commands of a phone, 30 a second
# Bytes in flight in both directions: as many as a pty holds, and more, so that a program must wait.
WINDOW, WINDOW_WIDE = 8_192, 131_072
SIZES = (4, 1_024)
CASES = [(size, window) for window in (WINDOW, WINDOW_WIDE) for size in SIZES]


class Plan:
    def __init__(self, quick):
        self.rounds, self.commands, self.paced = (5, 100, 5) if quick else (20, 500, 15)
        self.bulk_rounds, self.bulk_seconds = (1, 0.5) if quick else (2, 1)
        self.watched_rounds, self.watched = (1, 60) if quick else (2, 150)


class Board(Process):
    """A pty that echoes."""

    def __init__(self, programs, folder):
        self.stamps = os.path.join(folder, "stamps")
        super().__init__([programs["echo-pty"], self.stamps], folder)

    def __enter__(self):
        super().__enter__()
        self.port = self.line_with(b"port /")[0].split()[1].decode()
        return self


class Sender(Process):
    """A connection to a gateway, or directly to a board."""

    def __init__(self, programs, address, stamps, folder):
        command = [programs["gateway-sender"], address, stamps]
        super().__init__(command, folder, stdin=subprocess.PIPE)

    def __enter__(self):
        super().__enter__()
        self.line_with(b"ready")
        return self

    def ask(self, text):
        """Sends a request and returns the lines of the answer."""
        self.seen.clear()
        self.process.stdin.write(text.encode() + b"\n")
        self.process.stdin.flush()
        while self.line_with(b"")[0]:
            pass
        return self.seen[:-1]

    def times(self, count, pace_us=0):
        """Returns the nanoseconds there and back, and to the board only.

        The first command is left out because the caches are cold.
        """
        lines = [line.split() for line in self.ask(f"times {count + 1} {pace_us}")[1:]]
        return [int(back) for back, _ in lines], [int(there) for _, there in lines]

    def megabytes_a_second(self, size, window, seconds):
        count, nanoseconds = self.ask(f"bulk {size} {window} {seconds}")[0].split()
        return int(count) / int(nanoseconds) * 1e3


def folder_of(folder, *names):
    path = os.path.join(folder, *(re.sub(r"\W+", "-", name) for name in names))
    os.makedirs(path, exist_ok=True)
    return path


def connect(stack, way, programs, folder):
    """Starts a board, a gateway and a sender, which run until the stack is closed."""
    board = stack.enter_context(Board(programs, folder_of(folder, way.name, "board")))
    address = way.start(stack, board.port, folder_of(folder, way.name, "gateway"))
    folder = folder_of(folder, way.name, "sender")
    return stack.enter_context(Sender(programs, address, board.stamps, folder))


class Times:
    """The times of all rounds for one way, in nanoseconds, without and with pauses."""

    def __init__(self):
        self.back, self.there, self.paced_back, self.paced_there = [], [], [], []

    def add(self, sender, plan):
        for pace_us, back, there in ((0, self.back, self.there),
                                     (PACE_US, self.paced_back, self.paced_there)):
            backs, theres = sender.times(plan.paced if pace_us else plan.commands, pace_us)
            back.extend(backs)
            there.extend(theres)


def round_trips(table, plan, ways, programs, folder):
    times = {way: Times() for way in ways}
    with contextlib.ExitStack() as stack:
        senders = {way: connect(stack, way, programs, folder) for way in ways}
        for sender in senders.values():
            sender.times(100)
        for _ in range(plan.rounds):
            for way, sender in senders.items():
                times[way].add(sender, plan)

    bare = next(times[way] for way in ways if not way.kind)
    for kind in ("WebSocket", "TCP"):
        mine = next(times[way] for way in ways if way.kind == kind and way.is_ours)
        others = [late(times[way].back)[0] for way in ways if way.kind == kind and not way.is_ours]
        table.row(f"X90. and back, {kind}, median, us", late(mine.back)[0],
                  min(others, default=None), at_most=True)
        for text, there, straight in (("", mine.there, bare.there),
                                      (", 50 a second", mine.paced_there, bare.paced_there)):
            added = late(there)[0] - late(straight)[0]
            table.row(f"  to the first wire bit, added{text}, us", added, FIRST_BIT_MAX_US,
                      at_most=True)
    layout = "{:<30}{:>8}{:>8}{:>8}{:>10}{:>8}{:>8}"
    table.note(f"in us, {len(bare.back)} commands one after the other, and "
               f"{len(bare.paced_back)} with pauses of 20 ms:")
    table.note(layout.format("", "back", "99 %", "added", "paced", "99 %", "added"))
    for way, samples in times.items():
        figures = []
        for back, there, straight in ((samples.back, samples.there, bare.there),
                                      (samples.paced_back, samples.paced_there, bare.paced_there)):
            middle, tail, _ = late(back)
            figures += [middle, tail, late(there)[0] - late(straight)[0]]
        table.note(layout.format(way.name, *(f"{figure:.0f}" for figure in figures)))
    table.note("added: time until the board has read the first byte, minus that of a sender that "
               "writes to it directly")


def throughput(table, plan, ways, programs, folder):
    """Measures each figure with a new connection, gateway and board, because some peers stop."""
    figures = {}
    for _ in range(plan.bulk_rounds):
        for way in ways:
            for case in CASES:
                if figures.get((way, case)) == "stops":
                    continue
                try:
                    with contextlib.ExitStack() as stack:
                        sender = connect(stack, way, programs, folder)
                        figure = sender.megabytes_a_second(*case, plan.bulk_seconds)
                    figures[way, case] = max(figure, figures.get((way, case), 0))
                except Failed as error:
                    if way.is_ours or not way.kind or "it has stopped" not in str(error):
                        raise
                    figures[way, case] = "stops"
    for kind in ("WebSocket", "TCP"):
        for size in SIZES:
            found = [(way.is_ours, figures[way, case]) for way in ways for case in CASES
                     if way.kind == kind and case[0] == size and figures[way, case] != "stops"]
            best = {is_ours: max((figure for its, figure in found if its == is_ours), default=None)
                    for is_ours in (True, False)}
            table.row(f"bulk, {kind}, messages of {size}, MB/s", best[True], best[False])
    layout = "{:<30}{:>10}{:>10}{:>12}{:>10}"
    table.note(f"MB/s, with {WINDOW // 1024} KiB in flight, and with {WINDOW_WIDE // 1024} KiB:")
    table.note(layout.format("messages of, bytes", *map(str, SIZES * 2)))
    for way in ways:
        cells = [figures[way, case] for case in CASES]
        texts = (cell if cell == "stops" else f"{cell:.2f}" for cell in cells)
        table.note(layout.format(way.name, *texts))
    if "stops" in figures.values():
        table.note("stops: waits forever to write to a board that itself waits to be read")


class Watchers(Process):
    def __init__(self, programs, port, folder, path="/events", count=WATCHERS):
        command = [programs["gateway-watchers"], str(port), path, str(count)]
        super().__init__(command, folder, stdin=subprocess.PIPE)

    def __enter__(self):
        super().__enter__()
        self.line_with(b"ready")
        return self

    def messages(self):
        """Ends the watchers. Returns the least and the greatest number of messages per watcher."""
        self.process.stdin.close()
        self.process.stdin = None
        fewest, most, _ = self.line_with(b" ")[0].split()
        return int(fewest), int(most)


def watched(table, plan, bench, programs, folder):
    alone, together = [], []
    with contextlib.ExitStack() as stack:
        board = stack.enter_context(Board(programs, folder_of(folder, "watched", "board")))
        server, websocket, _ = start_ours(stack, bench, board.port,
                                          folder_of(folder, "watched", "gateway"))
        sender = stack.enter_context(Sender(programs, f"text:{websocket}/", board.stamps,
                                            folder_of(folder, "watched", "sender")))
        sender.times(100)
        before_kib = server.resident_kib()
        for _ in range(plan.watched_rounds):
            alone += sender.times(plan.watched, CAMERA_US)[0]
            watchers_folder = folder_of(folder, "watched", "watchers")
            with Watchers(programs, websocket, watchers_folder) as watchers:
                time.sleep(1)
                together += sender.times(plan.watched, CAMERA_US)[0]
                with_kib = server.resident_kib()
                time.sleep(0.5)
                fewest, most = watchers.messages()
            if fewest < plan.watched:
                raise Failed(f"a watcher received {fewest} messages for {plan.watched} commands")
    single, crowd = late(alone), late(together)
    table.row(f"{WATCHERS} watchers, times the median without", crowd[0] / single[0], 2,
              at_most=True)
    table.note(f"a controller's 30 commands a second: {crowd[0]:.0f} us (99 %: {crowd[1]:.0f}), "
               f"without watchers {single[0]:.0f} us ({single[1]:.0f}); each watcher received "
               f"{fewest} to {most} messages")
    table.row("memory per watcher, KiB", (with_kib - before_kib) / WATCHERS, WATCHER_KIB_MAX,
              at_most=True)
    table.note(f"resident: {before_kib} KiB with none, {with_kib} KiB with {WATCHERS}, "
               "after the commands")


def build(folder):
    programs = {}
    for name in ("echo-pty", "gateway-sender", "gateway-watchers"):
        programs[name], built = build_c(folder, name, "-lutil")
        if built.returncode != 0:
            raise Failed(f"peer/{name}.c does not build:\n" + built.stderr)
    return programs


def raise_descriptors():
    """Raises the limit, so that the watchers' process and the gateway have enough descriptors."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = CLIENTS_MAX * 2
    if soft < enough:
        if hard != resource.RLIM_INFINITY and hard < enough:
            raise Failed(f"at most {hard} descriptors can be open; run ulimit -n {enough}")
        resource.setrlimit(resource.RLIMIT_NOFILE, (enough, hard))


def measure(table, quick, bench, folder):
    print("the gateway: WebSocket and TCP to a board that echoes immediately")
    plan = Plan(quick)
    programs = build(folder)
    raise_descriptors()
    bare = Way("no gateway: the board's port", "", lambda stack, port, folder: port)
    ways = [bare, ours(bench, "WebSocket"), ours(bench, "TCP"), *peers(table)]
    round_trips(table, plan, ways, programs, folder)
    throughput(table, plan, ways, programs, folder)
    watched(table, plan, bench, programs, folder)
