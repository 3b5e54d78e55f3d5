"""Measures how long `aim` takes from a line in its pipe to the command at its target."""
import base64
import contextlib
import hashlib
import os
import select
import shutil
import socket
import statistics
import subprocess
import time
import tty

from common import Failed
from processes import PATIENCE

TARGET_US = 100
HEADER = b'{"format": "sentry-observations", "version": 1, "image": [1000, 1000]}\n'
FRAME = ('{{"t": {}, "found": [{{"kind": "face", "box": [{}, 0.4375, 0.125, 0.125], '
         '"confidence": 0.98}}]}}\n')
# A face that moves back and forth: its middle is at 0.25 and 0.75 of the view.
PLACES = [("0.1875", b"X65."), ("0.6875", b"X115.")]
GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


def received(descriptor):
    """The next bytes received. Fails if none arrive in time."""
    ready, _, _ = select.select([descriptor], [], [], PATIENCE)
    data = os.read(descriptor, 65_536) if ready else b""
    if not data:
        raise Failed("aim: the target received nothing")
    return data


class Pipe:
    """The target is standard output."""
    name = "pipe"
    address = "-"
    peer = ["cat"]

    def accept(self, process):
        self.descriptor = process.stdout.fileno()

    def close(self):
        pass


class TCP:
    name = "bare TCP"

    def __init__(self):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.server.settimeout(PATIENCE)
        self.port = self.server.getsockname()[1]
        self.connection = None
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.peer = ["socat", "-u", "-", f"TCP:127.0.0.1:{self.port},nodelay"]

    def accept(self, process):
        self.connection, _ = self.server.accept()
        self.descriptor = self.connection.fileno()

    def close(self):
        if self.connection:
            self.connection.close()
        self.server.close()


class WebSocket(TCP):
    name = "WebSocket"

    def __init__(self):
        super().__init__()
        self.address = f"ws://127.0.0.1:{self.port}/"
        self.peer = ["websocat", "-t", "-u", "-", self.address]

    def accept(self, process):
        super().accept(process)
        request = b""
        while not request.endswith(b"\r\n\r\n"):
            request += received(self.descriptor)
        fields = dict(line.split(b": ", 1) for line in request.split(b"\r\n")[1:] if line)
        key = next(value for name, value in fields.items() if name.lower() == b"sec-websocket-key")
        answer = base64.b64encode(hashlib.sha1(key + GUID).digest())
        self.connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                                b"Connection: Upgrade\r\n"
                                b"Sec-WebSocket-Accept: " + answer + b"\r\n\r\n")


class Port:
    name = "pty"

    def __init__(self):
        self.descriptor, self.program = os.openpty()
        tty.setraw(self.program)
        self.address = os.ttyname(self.program)
        self.peer = ["socat", "-u", "-", f"OPEN:{self.address}"]

    def accept(self, process):
        pass

    def close(self):
        os.close(self.descriptor)
        os.close(self.program)


def commands(data):
    """The payload, if `data` consists of masked, short WebSocket frames; otherwise `data`."""
    if not data or not data[0] & 0x80:
        return data
    found = b""
    while len(data) > 1 and len(data) >= 6 + (data[1] & 0x7F):
        length = data[1] & 0x7F
        mask, payload = data[2:6], data[6:6 + length]
        found += bytes(byte ^ mask[index & 3] for index, byte in enumerate(payload))
        data = data[6 + length:]
    return found


def times(command, target, begin, lines, pace):
    """Microseconds from writing each line until its command arrives, with a pause before it."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    try:
        into = process.stdin.fileno()
        os.write(into, begin)
        target.accept(process)
        # Connecting does not count as a delay.
        time.sleep(0.3)
        taken = []
        for line, wanted in lines:
            if pace:
                time.sleep(pace)
            start = time.perf_counter_ns()
            os.write(into, line)
            data = b""
            while wanted not in commands(data):
                data += received(target.descriptor)
            taken.append((time.perf_counter_ns() - start) / 1e3)
        # The first commands are slower, because some things are set up only then.
        return taken[10:]
    finally:
        process.stdin.close()
        process.stdout.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.terminate()
            process.wait(PATIENCE)
        process.kill()
        process.wait()
        target.close()


def seen(count):
    for index in range(count):
        place, wanted = PLACES[index % 2]
        yield FRAME.format(f"{index / 30:.3f}", place).encode(), wanted


def measure(table, quick, bench):
    print("live, from line in to command out, microseconds; "
          "for comparison, programs that only copy a line")
    for pace, count in ((0, 500 if quick else 3_000), (0.02, 100 if quick else 400)):
        # Commands to a port are spaced as a cable at 9600 baud requires.
        for kind in (Pipe, TCP, WebSocket) + ((Port,) if pace else ()):
            target = kind()
            command = [bench, "aim", "-", "--to", target.address]
            ours = times(command, target, HEADER, seen(count), pace)
            name = f"{target.name}, median" + (f", every {pace * 1e3:.0f} ms" if pace else "")
            table.row(name, statistics.median(ours), TARGET_US, at_most=True)
            note = f"99th percentile {statistics.quantiles(ours, n=100)[98]:.0f}"
            target = kind()
            if shutil.which(target.peer[0]):
                lines = ((wanted + b"\n", wanted) for _, wanted in seen(count))
                peer = statistics.median(times(target.peer, target, b"", lines, pace))
                ratio = statistics.median(ours) / peer
                note += f"; {target.peer[0]} {peer:.1f}, ours is {ratio:.2f} of that"
            else:
                target.close()
            table.note(note)
