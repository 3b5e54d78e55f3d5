"""Measures `run --api`: the round trip of one command at a time, compared with a bare echo."""
import os
import socket
import time

from common import Failed, build_c
from live import Samples
from processes import PATIENCE, Process

# A board at 9600 baud needs 4.2 ms for a command, so commands would wait for each other on the line.
# The bench therefore runs with a faster board, whose line is never full.
BAUD = 1_000_000


class Socket:
    """A connection to a process that listens at a path."""

    def __init__(self, process, path):
        deadline = time.monotonic() + PATIENCE
        self.socket = socket.socket(socket.AF_UNIX)
        while True:
            try:
                self.socket.connect(path)
                break
            except OSError:
                if time.monotonic() > deadline:
                    process.fail(f"{path} does not accept")
                time.sleep(0.01)
        self.socket.settimeout(PATIENCE)

    def line(self):
        data = b""
        while not data.endswith(b"\n"):
            data += self.socket.recv(65_536)
        return data

    def there_and_back(self, lines):
        """Returns the nanoseconds until each line's answer has been read, without the first 20, and the
        last answer."""
        samples = []
        for index, line in enumerate(lines):
            start = time.perf_counter_ns()
            self.socket.sendall(line)
            answer = self.line()
            if index >= 20:
                samples.append(time.perf_counter_ns() - start)
        return samples, answer


def commands(count):
    return [b'{"id": %d, "do": "send", "bytes": "X%d."}\n' % (index, 20 + index * 7 % 61)
            for index in range(count + 20)]


def measure(table, quick, bench, folder):
    print("the bench, driven through a socket")
    rounds, count = (2, 1_000) if quick else (5, 1_000)
    echo, built = build_c(folder, "echo-socket")
    if built.returncode != 0:
        raise Failed(built.stderr)
    samples = Samples()
    for index in range(rounds):
        path = os.path.join(folder, f"echo-{index}")
        with Process([echo, path], folder) as process:
            samples.add("echo", Socket(process, path).there_and_back(commands(count))[0])
        path = os.path.join(folder, f"api-{index}")
        command = [bench, "run", "-q", "--api", path, "--baud", str(BAUD),
                   "--pty", os.path.join(folder, f"port-{index}"), "--for", "60s"]
        with Process(command, folder) as process:
            client = Socket(process, path)
            client.socket.sendall(b'{"id": 0, "do": "ready"}\n')
            client.line()
            times, answer = client.there_and_back(commands(count))
            if b'"ok": true' not in answer:
                raise Failed(answer.decode())
            samples.add("ours", times)
            client.socket.close()
    (ours, tail, worst), (peer, peer_tail, _) = samples.late("ours"), samples.late("echo")
    table.row("a command and its answer, median, us", ours, 150, at_most=True)
    table.note(f"{rounds * count} commands in turn; 99th percentile {tail:.0f} us, worst "
               f"{worst:.0f} us")
    table.note(f"a bare socket echo: {peer:.0f} us, 99th percentile {peer_tail:.0f} us; ours takes "
               f"{ours / peer:.1f} times as long")
