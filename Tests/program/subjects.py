"""The processes under attack: starts them, and checks that they work and what they use."""
import contextlib
import json
import os
import re
import signal
import subprocess
import threading
import time

from running import (HAS_PROC, PATIENCE, Failed, Server, descriptors, expect, memory_kb, run,
                     wait_until, wait_until_gone)
from traps import BareGateway, Phone, WebGateway
from wire import Way, reset, trusting

# The gateway stops reading a raw client that is too far ahead of the line, and so does not notice
# that it has left: at 9600 baud that could take minutes.
RAW_BAUD = "250000"
# Ends the processes even if this script is killed. `aim` ends with its input.
LIFE = ("--for", "10800s")
TOKEN = "0123456789abcdef"
LAST_LINES = 4
# 64 clients that do not read can have 256 KiB waiting each, which the allocator can keep; 2 to 7 MB
# are usual.
GROWTH_MAX_KB = 24 << 10
# Caches stop growing once they are full; a leak grows in each part of a long attack.
TREND_PARTS, TREND_KB = 3, 1 << 10


class Subject(Server):
    """A process under attack.

    `ways` are the ways into it, `trap` is the hostile server that it connects to, if any, and
    `last` is the last move against it.
    """

    trap = None
    process = None
    last = "nothing"

    def __init__(self, folder, name, *command):
        super().__init__(folder, name.replace(",", "").replace(" ", "-"), *command)
        self.name = name
        self.ways = []
        self.ports = {}

    def __str__(self):
        return self.name

    def measure(self):
        """Records the resources that the process uses before the attack."""
        if HAS_PROC:
            self.idle = descriptors(self)
            self.memories = [memory_kb(self.process)]

    def settle(self):
        """Fails if the process uses much more than before."""
        wait_until_gone(self, self.idle)
        self.memories.append(memory_kb(self.process))
        growth = self.memories[-1] - self.memories[0]
        steps = [after - before for before, after in zip(self.memories, self.memories[1:])]
        if growth > GROWTH_MAX_KB:
            raise Failed(f"memory grew by {growth} kB; after each part, in kB: {self.memories}")
        if len(steps) > TREND_PARTS and min(steps[-TREND_PARTS:]) > TREND_KB:
            raise Failed(f"memory grows by more than {TREND_KB} kB in each part; "
                         f"after each, in kB: {self.memories}")

    def check(self):
        """Fails unless the process runs and answers."""
        self.check_alive()
        deadline = time.monotonic() + PATIENCE
        why = "no answer"
        while time.monotonic() < deadline:
            try:
                if not (why := self.ask()):
                    return
            except OSError as error:
                why = f"{type(error).__name__}: {error}"
            self.check_alive()
            time.sleep(0.02)
        raise Failed(f"it runs, but does not answer correctly within {PATIENCE} s: {why}")

    def check_alive(self):
        status = self.process.poll()
        if status is not None:
            how = signal.Signals(-status).name if status < 0 else f"status {status}"
            words = self.last_words()
            fatal = [word for word in words if word.startswith("Fatal")]
            raise Failed("\n    ".join([": ".join([f"it ended with {how}", *fatal[-1:]]), *words]))

    def ask(self):
        """Queries the process. Returns the error, or an empty string."""
        return ""

    def last_words(self):
        """The last lines of the process's log, without stack addresses."""
        with open(self.log, "rb") as log:
            log.seek(max(0, os.path.getsize(self.log) - 16_384))
            lines = log.read().decode(errors="replace").splitlines()
        return [line[:200] for line in lines
                if line.strip() and not re.match(r"\d+ +\S+ +0x", line)][-LAST_LINES:]

    def begin_end(self):
        self.process.send_signal(signal.SIGTERM)

    def kill(self):
        """Kills the process if it still runs."""
        if self.process:
            self.process.kill()
            self.process.wait()
        if self.trap:
            self.trap.close()

    def check_end(self):
        """Waits for the process to end, and fails unless SIGTERM made it shut down cleanly."""
        try:
            expect("the status after SIGTERM", self.process.wait(PATIENCE), 128 + signal.SIGTERM)
        except subprocess.TimeoutExpired:
            raise Failed(f"it does not end within {PATIENCE} s") from None

    def calm(self):
        """Closes the connections that the attack left open."""
        self.calm_ways()

    def calm_ways(self):
        for way in self.ways:
            way.release()


class Gateway(Subject):
    """`sentrybench gateway` on the model. `mode` is commands, raw or echo."""

    def __init__(self, bench, folder, mode, control, security, admission):
        self.is_tls = security == "TLS"
        token = TOKEN if admission == "token" else None
        arguments = {
            "commands": ["--device", "model"],
            "raw": ["--device", "model", "--raw", "--baud", RAW_BAUD], "echo": ["--echo"],
        }[mode]
        if self.is_tls:
            certificate = os.path.join(folder, "cert.pem")
            arguments += ["--tls", f"cert={certificate},key={os.path.join(folder, 'key.pem')}"]
        if token:
            arguments += ["--token-file", os.path.join(folder, "token")]
        super().__init__(folder, f"{mode}, {control}, {security}, {admission}", bench, "gateway",
                         "--control", control, "--listen", "127.0.0.1:0", "--tcp", "127.0.0.1:0",
                         *LIFE, *arguments)
        self.ways = [Way(self, "WebSocket", trusting() if self.is_tls else None, token),
                     Way(self, "TCP")]

    def listening(self):
        self.ports = {"WebSocket": self.wait_for(r"wss?://127\.0\.0\.1:(\d+)"),
                      "TCP": self.wait_for(r"tcp://127\.0\.0\.1:(\d+)")}
        return self.ports["WebSocket"]

    def ask(self):
        self.answer = self.health()
        is_well = self.answer.startswith(b"HTTP/1.1 200")
        return "" if is_well else f"/health answers {self.answer[:60]!r}"

    def health(self):
        way = self.ways[0]
        tried = way.tried
        connection = way.open()
        way.tried = tried  # not part of the attack
        with connection:
            connection.settimeout(PATIENCE)
            connection.sendall(way.get("/health"))
            answer = b""
            while b'"problems"' not in answer and (more := connection.recv(4_096)):
                answer += more
            reset(connection)
        return answer

    def settle(self):
        super().settle()
        self.check()
        for count in (b'"clients": 0,', b'"watchers": 0,', b'"controller": false,'):
            if count not in self.answer:
                raise Failed(f"no client is left, but /health does not have {count.decode()[:-1]}:"
                             f"\n{self.answer.decode()}")


def prepare(folder):
    """Makes a certificate, its key and a token for the gateways."""
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
        "-nodes", "-days", "2", "-subj", "/CN=localhost",
        "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
        "-keyout", folder / "key.pem", "-out", folder / "cert.pem")
    (folder / "token").write_text(TOKEN + "\n")
    (folder / "token").chmod(0o600)


# Each mode and policy of control, with and without TLS and tokens.
GATEWAYS = [(mode, control, security, admission)
            for mode in ("commands", "raw") for control in ("first", "latest")
            for security in ("plain", "TLS") for admission in ("no token", "token")]
GATEWAYS += [("echo", "first", security, "no token") for security in ("plain", "TLS")]


class Vision(Subject):
    """`sentrybench aim - --serve`, which takes the place of the robot vision phone."""

    stdin = subprocess.PIPE

    def __init__(self, bench, folder):
        super().__init__(folder, "aim --serve", bench, "aim", "-", "--serve", "127.0.0.1:0")
        self.ways = [Way(self, "vision")]

    def listening(self):
        Feeder(self.process.stdin)
        self.ports = {"vision": self.wait_for(r"the vision phone is at 127\.0\.0\.1:(\d+)")}
        return self.ports["vision"]

    def ask(self):
        with self.ways[0].connect() as connection:
            self.ways[0].tried -= 1
            connection.settimeout(PATIENCE)
            connection.sendall(b"VISION\n")
            answer = connection.recv(100)
        return "" if b"angle^" in answer else f"VISION is answered by {answer!r}"


class Trapped(Subject):
    """A process that connects to a hostile server again and again."""

    @property
    def last(self):
        return self.trap.last

    def listening(self):
        self.trap.is_good = True
        self.wait_for_service()
        return None

    def wait_for_service(self):
        """Waits until the trap, which now behaves well, has served it."""
        served = self.trap.served

        def is_served():
            self.check_alive()
            return self.trap.served != served
        wait_until("it reconnects to a server that behaves well again", is_served)

    def calm(self):
        self.trap.is_good = True
        self.wait_for_service()


class Follow(Trapped):
    """`sentrybench follow` and a hostile phone."""

    def __init__(self, bench, folder, seed):
        self.trap = Phone(seed)
        super().__init__(folder, "follow", bench, "follow", f"127.0.0.1:{self.trap.port}",
                         "--device", "model", *LIFE, "-q")


class Aim(Trapped):
    """`sentrybench aim - --to` a hostile gateway."""

    stdin = subprocess.PIPE

    def __init__(self, bench, folder, scheme, seed):
        self.trap = {"ws": WebGateway, "tcp": BareGateway}[scheme](seed)
        super().__init__(folder, f"aim --to {scheme}", bench, "aim", "-", "--to",
                         f"{scheme}://127.0.0.1:{self.trap.port}" + "/" * (scheme == "ws"))

    def listening(self):
        Feeder(self.process.stdin)
        return super().listening()


class Feeder:
    """Writes observations to a process until it ends."""

    HEADER = (
        '{"format": "sentry-observations", "version": 1, "image": [1920, 1080], '
        '"orientation": "right", "view": [390, 844], "fov": 60.0}\n'
    )

    def __init__(self, stdin):
        self.stdin = stdin
        threading.Thread(target=self.feed, daemon=True).start()

    def feed(self):
        start = time.monotonic()
        number = 0
        with contextlib.suppress(OSError, ValueError):  # the process has ended
            self.stdin.write(self.HEADER.encode())
            while True:
                place = 0.1 + number % 70 / 100
                face = {"kind": "face", "box": [place, place, 0.1, 0.1], "confidence": 0.97}
                seen = {"t": time.monotonic() - start, "found": [face]}
                self.stdin.write(json.dumps(seen).encode() + b"\n")
                self.stdin.flush()
                number += 1
                time.sleep(0.03)
