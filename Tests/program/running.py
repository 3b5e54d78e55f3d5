"""Shared by the tests: running programs, waiting for them, and reading what they record."""
import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PATIENCE = 20  # seconds for anything that should happen immediately, on a busy machine
LONGEST = 600  # seconds for a command; pytest.ini gives a test a minute more
CHIP = "avr:firmware/guarded/guarded.hex"
HAS_PROC = os.path.isdir("/proc/self/fd")


class Failed(AssertionError):
    """What a program did is wrong."""


def require(holds, what):
    if not holds:
        raise Failed(what)


def expect(what, found, wanted):
    if found != wanted:
        raise Failed(f"{what}: expected {wanted!r}, found {found!r}")


def wait_until(what, holds, seconds=PATIENCE):
    """Waits until `holds()` is true, and returns its value. `what` says what did not happen."""
    deadline = time.monotonic() + seconds
    while not (value := holds()):
        if time.monotonic() > deadline:
            raise Failed(f"timed out: {what() if callable(what) else what}")
        time.sleep(0.02)
    return value


def run(*command, statuses=(0,), seconds=LONGEST, input=None, **options):
    """Runs a command, and returns its status and output. Fails if it ends with another status, or
    not in time. Then the processes that it has started end, too."""
    words = [str(word) for word in command]
    options = {"text": True, **options}
    # A group of its own, but not a session of its own: there, a shell that opens a pty would hang
    # it up at its end.
    with subprocess.Popen(words, stdin=subprocess.DEVNULL if input is None else subprocess.PIPE,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, process_group=0,
                          **options) as process:
        try:
            stdout, stderr = process.communicate(input, timeout=seconds)
        except BaseException as error:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                raise Failed(f"{' '.join(words)}: still runs after {seconds} s") from None
            raise
    if process.returncode not in statuses:
        output = (f"{stdout}{stderr}" if options["text"]
                  else (stdout + stderr).decode(errors="replace"))
        raise Failed(f"{' '.join(words)}: status {process.returncode}, expected {statuses}\n"
                     f"{output[-5000:]}")
    return subprocess.CompletedProcess(words, process.returncode, stdout, stderr)


def refused(status, text, *command, **options):
    """Runs a command that must end with this status and say why."""
    done = run(*command, statuses=(status,), **options)
    assert text in done.stderr, f"{command}: expected {text!r}, found {done.stderr!r}"


def peak_megabytes(folder, *command):
    """The most memory that a command uses: GNU time prints the largest resident set in KiB."""
    measured = folder / "kib"
    run("/usr/bin/time", "-f", "%M", "-o", measured, *command)
    return int(measured.read_text().split()[-1]) * 1024 / 1e6


def session_of(path):
    """The events of a recording that has ended, so that each line is complete."""
    header, *lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
    expect(f"{path}: the format", json.loads(header)["format"], "sentry-trace")
    return [json.loads(line) for line in lines]


def events(path):
    """The events of a recording so far, without its header and a line that is incomplete."""
    with contextlib.suppress(FileNotFoundError):
        lines = pathlib.Path(path).read_text().split("\n")[1:]
        return [json.loads(line) for line in lines if line.endswith("]")]
    return []


def values(kind, trace):
    """The values of the events of a kind."""
    return [event[2] for event in trace if event[1] == kind]


def received(trace):
    """All bytes that the board received, as text."""
    return "".join(values("rx", trace))


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def terminate(process):
    """Ends a process with SIGTERM. Returns what is wrong if it had to be killed, or None."""
    problem = None
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            problem = f"{' '.join(process.args)} does not end on SIGTERM"
    process.kill()
    process.wait()
    return problem


@contextlib.contextmanager
def program(*command, **options):
    """A program that runs during a `with` block, at whose end SIGTERM must end it."""
    process = subprocess.Popen([str(word) for word in command], **{
        "stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL,
        **options})
    try:
        yield process
    except BaseException:
        terminate(process)
        raise
    if problem := terminate(process):
        raise Failed(problem)


class Server:
    """Runs a process in a `with` block that prints `ws(s)://127.0.0.1:PORT` on standard error."""

    stdin = subprocess.DEVNULL
    pattern = r"wss?://127\.0\.0\.1:(\d+)"

    def __init__(self, folder, name, *command, pattern=None):
        self.command = [str(word) for word in command]
        self.log = os.path.join(folder, name + ".log")
        self.pattern = pattern or self.pattern

    def __enter__(self):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                self.command, stdin=self.stdin, stdout=subprocess.DEVNULL, stderr=log)
        try:
            self.port = self.listening()
        except BaseException:
            terminate(self.process)
            raise
        self.url = f"ws://127.0.0.1:{self.port}/"
        return self

    def __exit__(self, kind, *_):
        problem = terminate(self.process)
        if problem and kind is None:
            raise Failed(f"{problem}:\n{self.said()}")

    def said(self):
        with open(self.log, errors="replace") as log:
            return log.read()

    def listening(self):
        return self.wait_for(self.pattern)

    def wait_for(self, pattern):
        """Waits for a line on standard error and returns the number in it, if it has one."""
        def find():
            found = re.search(pattern, self.said())
            if not found and self.process.poll() is not None:
                raise Failed(f"{' '.join(self.command)} has ended:\n{self.said()}")
            return found
        found = wait_until(lambda: f"{' '.join(self.command)}: {pattern}\n{self.said()}", find)
        return int(found[1]) if found.re.groups else None

    def end(self):
        """Sends SIGTERM and returns the status, or -N if signal N ended the process."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise Failed(
                f"{' '.join(self.command)} does not end on SIGTERM:\n{self.said()}") from None


def gateway(bench, folder, name, *arguments):
    return Server(folder, name, bench, "gateway", "--listen", "127.0.0.1:0", *arguments)


def descriptors(server):
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


def memory_kb(process):
    with open(f"/proc/{process.pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+) kB", status.read())[1])


def connections(server):
    """The server's TCP connections: the port at the other end, and the state's number in /proc."""
    links = set()
    for number in os.listdir(folder := f"/proc/{server.process.pid}/fd"):
        with contextlib.suppress(OSError):  # it has been closed meanwhile
            links.add(os.readlink(os.path.join(folder, number)))
    with open("/proc/net/tcp") as table:
        rows = [row.split() for row in table][1:]
    return ", ".join(f"port {int(row[2].partition(':')[2], 16)} in state {row[3]}" for row in rows
                     if f"socket:[{row[9]}]" in links)


def wait_until_gone(server, idle):
    """Waits until it has `idle` descriptors open."""
    wait_until(
        lambda: f"{descriptors(server)} descriptors are open instead of {idle}: "
        f"{connections(server)}", lambda: descriptors(server) == idle)
