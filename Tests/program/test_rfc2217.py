"""Both ends of RFC 2217, with pyserial and ser2net, and hostile clients.

As clients of `run --rfc2217`: the example sender, changed only where it opens its port; a sender
that uses modem lines, a break, and other settings; ser2net. As servers of `--device rfc2217://`:
the bench itself, ser2net in front of a pty, and pyserial. Each recording must verify.
"""
import contextlib
import os
import random
import re
import socket
import sys
import threading
import time

import pytest
import serial
import serial.rfc2217
from running import (PATIENCE, ROOT, Failed, expect, free_port, memory_kb, program, received,
                     refused, require, run, session_of, values, wait_until)

MINUTES = 0.3
# Sessions in real time run one after the other.
pytestmark = pytest.mark.xdist_group("real time")
PYTHON = ["python3", "-W", "ignore"]
EXAMPLE = (ROOT / "examples/sender.py").read_text()


def listens(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


@pytest.fixture
def session(bench, tmp_path):
    """Runs a session with a command. Returns the events of its recording."""
    def start(*options, command):
        run(bench, "run", "-q", "--pty", "port", "--record", "session.jsonl", *options, "--",
            *command, cwd=tmp_path, seconds=3 * PATIENCE)
        return session_of(tmp_path / "session.jsonl")
    return start


@contextlib.contextmanager
def serving(bench, folder, name, *options):
    """A session that records, with its pty at `name`.port."""
    with program(bench, "run", "-q", "--pty", f"{name}.port", "--record", f"{name}.jsonl", *options,
                 cwd=folder) as process:
        wait_until("the bench", lambda: os.path.exists(folder / f"{name}.port"))
        yield process


def ser2net(folder, accepter, connector):
    path = folder / "ser2net.yaml"
    path.write_text(f"connection: &c\n  accepter: {accepter}\n  connector: {connector}\n")
    return program("ser2net", "-n", "-u", "-c", path)


@pytest.fixture
def example(tmp_path):
    """The example sender, unchanged but for its address."""
    changed = EXAMPLE.replace(
        'open(os.environ["SENTRY_PORT"], "wb", buffering=0)',
        'serial.serial_for_url(os.environ["SENTRY_RFC2217"], 9600)').replace(
            "import os\n", "import os\n\nimport serial\n")
    expect("one change", changed.count("SENTRY_RFC2217"), 1)
    (tmp_path / "example.py").write_text(changed)
    return [*PYTHON, "example.py"]


def test_pyserial_sends_what_the_example_sends(bench, tmp_path, session, example):
    trace = session("--firmware", "classic", "--rfc2217", "0", command=example)
    expect("resets", values("reset", trace), [1])
    # The classic sketch reads nothing for a second after its start.
    expect("bytes", received(trace), "X45.X135.L")
    expect("servo", values("servo", trace)[1:4], [90, 45, 135])
    run(bench, "verify", "-q", "session.jsonl", cwd=tmp_path)


def test_settings_modem_lines_breaks_and_purges_reach_the_line(bench, tmp_path, session):
    sender = os.path.join(os.path.dirname(__file__), "rfc2217_sender.py")
    trace = session("--rfc2217", "0", command=[*PYTHON, sender])
    expect("resets", values("reset", trace), [1, 1])
    expect("speeds", values("baud", trace), [4800, 9600])
    expect("formats", values("format", trace), ["7E1", "8N1"])
    sent = received(trace)
    expect("the beginning", sent[:7], "X45.?X1")
    expect("the end", sent[7:].lstrip(" "), "X9\xff0.")
    assert sent[7:].count(" ") <= 200, "a purge dropped nothing of 1000 bytes"
    expect("a break and its end", values("break", trace), [3600, 0])
    began, ended = (event[0] for event in trace if event[1] == "break")
    assert 0.1 <= ended - began < 2, "a break"
    run(bench, "verify", "-q", "session.jsonl", cwd=tmp_path)


@pytest.mark.parametrize("options, resets", [(["--boot-time", "200ms"], [0.2]),
                                             (["--no-reset"], [])])
def test_opening_the_port_restarts_the_board_as_the_options_say(session, example, options, resets):
    trace = session("--rfc2217", "0", *options, command=example)
    expect("resets", values("reset", trace), resets)


def test_one_bench_is_the_board_of_another(bench, tmp_path, session):
    port = free_port()
    with serving(bench, tmp_path, "far", "--rfc2217", port):
        trace = session("--device", f"rfc2217://127.0.0.1:{port}",
                        command=["python3", ROOT / "examples/sender.py"])
        expect("servo", values("servo", trace)[:3], [90, 45, 135])
    # The bench's own `?` and `V` for telemetry are on the line too.
    expect("the far board's bytes", received(session_of(tmp_path / "far.jsonl")), "?VX45.X135.LV")


@pytest.mark.needs("ser2net")
def test_ser2net_is_a_client(bench, tmp_path):
    near, far = free_port(), free_port()
    with serving(bench, tmp_path, "bridged", "--rfc2217", far):
        with ser2net(tmp_path, f"tcp,127.0.0.1,{near}", f"telnet(rfc2217),tcp,127.0.0.1,{far}"):
            def connected():
                with contextlib.suppress(OSError):
                    return socket.create_connection(("127.0.0.1", near), 5)
            with wait_until("ser2net", connected) as client:
                time.sleep(1.6)
                client.sendall(b"X45.?")
                answer = b""
                while b"045 hold" not in answer:
                    more = client.recv(100)
                    require(more, f"ser2net ended the connection after {answer}")
                    answer += more
    trace = session_of(tmp_path / "bridged.jsonl")
    expect("bytes", received(trace), "X45.?")
    expect("resets", values("reset", trace), [1])
    run(bench, "verify", "-q", "bridged.jsonl", cwd=tmp_path)


@pytest.mark.needs("ser2net")
def test_ser2net_is_a_server(bench, tmp_path, session):
    port = free_port()
    with serving(bench, tmp_path, "behind"):
        with ser2net(tmp_path, f"telnet(rfc2217),tcp,127.0.0.1,{port}",
                     f"serialdev,{tmp_path / 'behind.port'},9600n81,local"):
            wait_until("ser2net", lambda: listens(port))
            time.sleep(1)
            # Its pty has no modem lines, so the session begins without a restart.
            trace = session("--device", f"rfc2217://127.0.0.1:{port}",
                            command=["python3", ROOT / "examples/sender.py"])
    assert values("servo", trace)
    behind = received(session_of(tmp_path / "behind.jsonl"))
    expect("the board's bytes", re.sub("[?V]", "", behind), "X45.X135.L")


class Loop(threading.Thread):
    """pyserial's end of a server, for a port that sends each byte back."""

    def __init__(self):
        super().__init__(daemon=True)
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self.loop = serial.serial_for_url("loop://", timeout=0.02)
        self.lines = []
        self.speeds = []

    def write(self, data):
        self.client.sendall(data)

    def run(self):
        self.client, _ = self.server.accept()
        self.client.settimeout(0.02)
        manager = serial.rfc2217.PortManager(self.loop, self)
        while True:
            try:
                data = self.client.recv(1000)
                if not data:
                    return
                self.loop.write(b"".join(manager.filter(data)))
            except TimeoutError:
                pass
            for seen, value in ((self.lines, self.loop.dtr), (self.speeds, self.loop.baudrate)):
                if not seen or seen[-1] != value:
                    seen.append(value)
            data = self.loop.read(self.loop.in_waiting)
            self.client.sendall(b"".join(manager.escape(data)))


def test_pyserial_is_a_server(session):
    loop = Loop()
    loop.start()
    script = ("import os, termios, tty\n"
              "port = os.open(os.environ['SENTRY_PORT'], os.O_RDWR | os.O_NOCTTY)\n"
              "sent = bytes(range(256))\n"
              "os.write(port, sent)\n"
              "found = b''\n"
              "while len(found) < 256: found += os.read(port, 256)\n"
              "assert found == sent, found\n")
    trace = session("--firmware", "classic", "--baud", "19200", "--device",
                    f"rfc2217://127.0.0.1:{loop.port}", command=["python3", "-c", script])
    # A timed-out read cannot be told apart from the last one, so its DTR is looked at often enough.
    expect("DTR", loop.lines[-2:], [False, True])
    expect("the speed", loop.speeds[-1], 19200)
    expect("bytes", "".join(values("tx", trace)), "".join(map(chr, range(256))))


def test_a_server_that_is_missing_or_silent_is_named(bench):
    refused(69, "", bench, "replay", "--device", f"rfc2217://127.0.0.1:{free_port()}", "--send",
            "X45.")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        refused(69, "does not speak RFC 2217", bench, "replay", "--device",
                f"rfc2217://127.0.0.1:{silent.getsockname()[1]}", "--send", "X45.")


# Hostile clients of `run --rfc2217`. After each kind, pyserial must find a working port, and the
# bench's memory must stay small.

SECONDS = 3  # for each kind
MEMORY_MAX_KB = 200_000  # a debug build needs about 60 000


def noise(rng, count):
    pieces = []
    for _ in range(count):
        kind = rng.randrange(6)
        if kind == 0:
            pieces.append(bytes([255, rng.randrange(236, 256)]))
        elif kind == 1:
            pieces.append(bytes([255, rng.randrange(251, 255), rng.choice([0, 1, 3, 44, 255])]))
        elif kind in (2, 3):
            value = rng.randbytes(rng.randrange(6))
            pieces.append(bytes([255, 250, 44, rng.randrange(14)]) + value + bytes([255, 240]))
        else:
            pieces.append(rng.randbytes(rng.randrange(1, 30)))
    return b"".join(pieces)


def connect(port):
    client = socket.create_connection(("127.0.0.1", port), PATIENCE)
    client.settimeout(0.05)
    return client


def send(client, data):
    with contextlib.suppress(OSError):  # held, or refused because another client has the port
        client.sendall(data)


def random_telnet(port, rng):
    with connect(port) as client:
        for _ in range(rng.randrange(1, 20)):
            send(client, noise(rng, 50))


def half_sent(port, rng):
    with connect(port) as client:
        send(client, rng.choice([
            b"\xff", b"\xff\xfb", b"\xff\xfd", b"\xff\xfa", b"\xff\xfa\x2c",
            b"\xff\xfa\x2c\x01\x00", b"\xff\xfa\x2c\x05\xff", b"\xff\xfa\x2c" + bytes(5_000),
            b"\xff\xfb\x2c\xff\xfa\x2c\x05"]))
        if rng.randrange(2):
            time.sleep(0.01)


def requests_the_speed_and_reads_nothing(port, _):
    with connect(port) as client:
        send(client, b"\xff\xfb\x2c" + b"\xff\xfa\x2c\x01\x00\x00\x00\x00\xff\xf0" * 100_000)


def commands_without_effect_and_end(port, _):
    with connect(port) as client:
        end = time.monotonic() + 1
        while time.monotonic() < end:
            send(client, b"\xff\xf1" * 50_000)


def crowd(port, rng):
    clients = [connect(port) for _ in range(50)]
    for client in clients:
        send(client, noise(rng, 3))
    for client in clients:
        client.close()


def check_works(process, port):
    """Fails unless a client finds a working port once the pending bytes have left the line."""
    problem = None

    def works():
        nonlocal problem
        if process.poll() is not None:
            raise Failed(f"the bench ended with status {process.returncode}")
        try:
            with serial.serial_for_url(f"rfc2217://127.0.0.1:{port}", 9600, timeout=1) as opened:
                opened.reset_output_buffer()
                time.sleep(0.4)  # for the bootloader and the bytes on the line
                opened.write(b".X90.?")
                problem = opened.read(200)
                return b"090 hold" in problem
        except (serial.SerialException, ValueError) as error:
            problem = error
    wait_until(lambda: f"pyserial finds no working port: {problem}", works)


def test_hostile_clients_leave_a_working_port(bench, tmp_path, request):
    rng, port = random.Random(request.config.option.seed), free_port()
    with serving(bench, tmp_path, "attacked", "--rfc2217", port, "--boot-time", "100ms") as process:
        for attack in (random_telnet, half_sent, requests_the_speed_and_reads_nothing,
                       commands_without_effect_and_end, crowd):
            end = time.monotonic() + SECONDS
            while time.monotonic() < end:
                with contextlib.suppress(ConnectionError):
                    attack(port, rng)
            check_works(process, port)
            if sys.platform == "linux":
                assert memory_kb(process) <= MEMORY_MAX_KB, attack.__name__
        process.terminate()
        expect("the status", process.wait(PATIENCE), 143)
    run(bench, "verify", "-q", "attacked.jsonl", cwd=tmp_path)
