"""Processes that are measured while they run: their output, ports and processor time."""
import collections
import ctypes
import os
import select
import subprocess
import time

from common import Failed

PATIENCE = 5  # seconds to wait for anything that should happen immediately


def processor_seconds(process_id):
    """User and system time of all threads of a process; None if the system does not report it."""
    clock = ctypes.c_int()
    try:
        status = ctypes.CDLL(None).clock_getcpuclockid(process_id, ctypes.byref(clock))
        return None if status != 0 else time.clock_gettime(clock.value)
    except (AttributeError, OSError):
        return None


def queued_seconds(process_id):
    """How long a process's first thread was ready but had no processor, in seconds; None if unknown."""
    try:
        with open(f"/proc/{process_id}/schedstat") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, IndexError):
        return None


class Process:
    """Runs a process in a `with` block, with its output in a pipe. Closes its ports at the end."""

    def __init__(self, command, folder, stdin=subprocess.DEVNULL):
        self.command = command
        self.stdin = stdin
        self.seen = []
        self.waiting = collections.deque()
        self.rest = b""
        self.ports = []
        self.complaints_path = os.path.join(folder, "complaints")
        self.complaints = ""

    def __enter__(self):
        with open(self.complaints_path, "wb") as file:
            self.process = subprocess.Popen(self.command, stdin=self.stdin,
                                            stdout=subprocess.PIPE, stderr=file)
        self.id = self.process.pid
        self.output = self.process.stdout.fileno()
        return self

    def __exit__(self, *_):
        try:
            for port in self.ports:
                os.close(port)
            self.process.terminate()
            self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            pass
        finally:  # even if a signal ends the wait
            self.process.kill()
            self.process.wait()
        with open(self.complaints_path, errors="replace") as file:
            self.complaints = file.read()

    def open(self, path):
        """Opens a port as soon as it exists."""
        deadline = time.monotonic() + PATIENCE
        while not os.path.exists(path):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.fail(f"{path} does not exist")
            time.sleep(0.01)
        self.ports.append(os.open(path, os.O_RDWR | os.O_NOCTTY))
        return self.ports[-1]

    def take(self, descriptor, count):
        """Reads `count` bytes; if `count` is 0, reads whatever arrives first."""
        data = b""
        while len(data) < max(1, count):
            if not select.select([descriptor], [], [], PATIENCE)[0]:
                self.fail("nothing was received")
            part = os.read(descriptor, count - len(data) if count else 65_536)
            if not part:
                self.fail(f"it ended with status {self.process.wait(PATIENCE)}")
            data += part
        return data

    def line_with(self, sign):
        """Waits for a line that contains `sign`. Returns it with its time; adds all lines to `seen`."""
        while True:
            while self.waiting:
                line, when = self.waiting.popleft()
                self.seen.append(line)
                if sign in line:
                    return line, when
            data = self.take(self.output, 0)
            when = time.monotonic_ns()
            *lines, self.rest = (self.rest + data).split(b"\n")
            self.waiting.extend((line, when) for line in lines)

    def fail(self, what):
        with open(self.complaints_path, errors="replace") as file:
            raise Failed(f"{' '.join(self.command)}: {what}\n{file.read()}")
