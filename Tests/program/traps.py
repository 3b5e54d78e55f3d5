"""Hostile servers for programs that connect to one: a phone for `follow`, gateways for `aim --to`.

Each server first behaves well and then misbehaves, because a client that is always refused waits
longer and longer. While `is_good` is set, it only behaves well.
"""

import base64
import contextlib
import hashlib
import random
import re
import socket
import threading
import time

from hostile import some_frame
from wire import BINARY, CLOSE, CONTINUATION, PING, PONG, TEXT, end, frame, reset

LOOK = 0.1  # seconds between checks of whether to continue
POLITE = 1.1  # seconds of good service on average; after one second, the back-off of `aim` is reset
NOTICE = b'{"error": "not-in-control", "message": "another client controls the turret"}'


class Trap:
    """Listens on loopback until `close()`, and serves one connection at a time.

    `last` is its last misdeed.
    """

    polite = POLITE

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.is_good = True
        self.is_closed = False
        self.last = "nothing"
        self.connections = self.served = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(LOOK)
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.listen, daemon=True)
        self.thread.start()

    def close(self):
        self.is_closed = True
        self.thread.join()
        self.listener.close()

    def listen(self):
        while not self.is_closed:
            with contextlib.suppress(OSError):
                connection, _ = self.listener.accept()
                self.connections += 1
                try:
                    self.serve(connection)
                finally:
                    connection.close()

    def serve(self, connection):
        connection.settimeout(LOOK)
        if not self.welcome(connection):
            return
        deadline = time.monotonic() + self.polite * self.rng.random() * 2
        while not self.is_closed and (self.is_good or time.monotonic() < deadline):
            with contextlib.suppress(TimeoutError):
                data = connection.recv(65_536)
                if not data:
                    return
                self.answer(connection, data)
        if not self.is_closed:
            self.misbehave(connection, self.misdeeds())

    def misbehave(self, connection, misdeeds):
        misdeed = self.rng.choice(misdeeds)
        self.last = misdeed.__name__.replace("_", " ")
        with contextlib.suppress(OSError):
            misdeed(connection)
        end(connection, self.rng)

    def welcome(self, connection):
        """Does what precedes good service. Returns whether the service begins."""
        return True

    # Misdeeds in any protocol. `sample` is a valid message.

    def misdeeds(self):
        return [
            self.vanish,
            self.half_a_message,
            self.noise,
            self.many,
            self.slow,
            self.silence,
            self.zeros,
        ]

    def vanish(self, connection):
        reset(connection)

    def half_a_message(self, connection):
        message = self.sample()
        connection.sendall(message[:self.rng.randrange(len(message))])

    def noise(self, connection):
        connection.sendall(self.rng.randbytes(self.rng.choice([1, 100, 100_000])))

    def zeros(self, connection):
        connection.sendall(
            self.rng.choice([b"\0", b"9", b"\n", b"{"]) * self.rng.choice([1_000, 1_000_000])
        )

    def many(self, connection):
        connection.sendall(self.sample() * self.rng.choice([10, 1_000, 20_000]))

    def slow(self, connection):
        for byte in self.sample()[:40]:
            connection.sendall(bytes([byte]))
            time.sleep(0.01)

    def silence(self, _):
        time.sleep(self.rng.choice([0.2, 1.3]))


class Phone(Trap):
    """The robot vision phone."""

    polite = 0.3
    ODD = [
        b"12:00:00|angle^1e999|distance^\n",
        b"12:00:00|angle^nan|distance^x\n",
        b"|||^^^|\n",
        b"{}\n",
        b"null\n",
        b'{"angle": 1e400}\n',
        b'{"angle": [[[[[[[[[[\n',
        b"12:00:00|angle^-99999999999999999999|distance^1\n",
        b"\xff\xfe\n",
        b"\n\n\n",
        b'{"angle": "15"}\n',
        b"12:00:00|angle^1|angle^2\n",
        b"{" * 5_000 + b"\n",
    ]

    def sample(self):
        hundredths = time.monotonic_ns() // 10_000_000 % 6_000
        return b"12:00:%02d.%02d0|angle^%d.5|distance^4.3\n" % (hundredths // 100, hundredths % 100,
                                                               self.rng.randint(-60, 60))

    def answer(self, connection, data):
        for _ in range(data.count(b"VISION")):
            connection.sendall(self.sample())
            self.served += 1

    def misdeeds(self):
        return super().misdeeds() + [self.odd]

    def odd(self, connection):
        for answer in self.rng.sample(self.ODD, 3):
            connection.sendall(answer)
            with contextlib.suppress(TimeoutError):
                connection.recv(100)


class BareGateway(Trap):
    """A gateway over bare TCP."""

    def sample(self):
        return NOTICE + b"\n"

    def answer(self, connection, data):
        self.served += data.count(b".") + data.count(b"L")


class WebGateway(Trap):
    """A gateway over WebSocket."""

    def sample(self):
        return frame(NOTICE, mask=None)

    def welcome(self, connection):
        request = b""
        while b"\r\n\r\n" not in request:
            more = connection.recv(4_096)
            if not more:
                return False
            request += more
        key = re.search(rb"(?i)sec-websocket-key: *(\S+)", request)
        digest = hashlib.sha1(
            (key[1] if key else b"") + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        ).digest()
        accepted = (
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Accept: " + base64.b64encode(digest) + b"\r\n\r\n"
        )
        if not self.is_good and self.rng.random() < 0.2:
            self.odd_welcome(connection, accepted)
            return False
        connection.sendall(accepted)
        return True

    def odd_welcome(self, connection, accepted):
        self.last = "an odd answer to the upgrade"
        odd = self.rng.choice(
            [
                accepted[: self.rng.randrange(len(accepted))],
                accepted.replace(b"Accept: ", b"Accept: x"),
                b"HTTP/1.1 401 No\r\n\r\n" + b"\x1b[2J" * 1_000,
                b"HTTP/1.1 503\r\n\r\n",
                self.rng.randbytes(300),
                b"HTTP/1.1 101 X\r\n" + b"A: b\r\n" * 5_000,
                b"HTTP/1.1 101 X\r\n: \r\n\r\n",
                accepted[:-2] + b"Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n",
            ]
        )
        connection.sendall(odd)
        end(connection, self.rng)

    def answer(self, connection, data):
        self.served += 1

    def misdeeds(self):
        return super().misdeeds() + [
            self.frames,
            self.pings,
            self.fragments,
            self.goodbye,
            self.masked,
        ]

    def frames(self, connection):
        connection.sendall(b"".join(some_frame(self.rng) for _ in range(50)))

    def pings(self, connection):
        connection.sendall(frame(b"?" * 125, self.rng.choice([PING, PONG]), mask=None) * 5_000)

    def fragments(self, connection):
        connection.sendall(frame(b"z", TEXT, final=False, mask=None)
                           + frame(b"z" * 100, CONTINUATION, final=False, mask=None) * 1_000)

    def goodbye(self, connection):
        code = self.rng.choice([0, 1_000, 1_001, 1_005, 1_008, 4_000, 65_535]).to_bytes(2, "big")
        connection.sendall(
            frame(code + b"\xff" * self.rng.randrange(3), CLOSE, mask=None)
            * self.rng.choice([1, 20])
        )

    def masked(self, connection):
        connection.sendall(frame(NOTICE, self.rng.choice([TEXT, BINARY])))
