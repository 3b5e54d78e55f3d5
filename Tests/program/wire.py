"""Connections that follow no protocol: they can send any bytes and end in any way."""
import contextlib
import socket
import ssl
import struct

TIMEOUT = 1.0  # seconds for one operation
KEY = "dGhlIHNhbXBsZSBub25jZQ=="
CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10


class Refused(OSError):
    """The server did not admit the connection. It is free to do so."""


def frame(payload=b"", opcode=TEXT, final=True, mask=b"\x5a\x17\xc3\x08", reserved=0, length=None):
    """A WebSocket frame.

    `mask` is None for an unmasked frame. `length` is sent instead of the payload's own length.
    """
    first = (0x80 if final else 0) | reserved << 4 | opcode
    length = len(payload) if length is None else length
    marked = 0x80 if mask else 0
    if length < 126:
        head = struct.pack("!BB", first, marked | length)
    elif length < 1 << 16:
        head = struct.pack("!BBH", first, marked | 126, length)
    else:
        head = struct.pack("!BBQ", first, marked | 127, length)
    if not mask:
        return head + payload
    key = (mask * (len(payload) // 4 + 1))[:len(payload)]
    masked = (int.from_bytes(payload, "big") ^ int.from_bytes(key, "big")).to_bytes(
        len(payload), "big"
    )
    return head + mask + masked


def client_hello():
    """The first bytes of a TLS handshake."""
    context = trusting()
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    with contextlib.suppress(ssl.SSLWantReadError):
        context.wrap_bio(incoming, outgoing, server_hostname="localhost").do_handshake()
    return outgoing.read()


def trusting():
    """A TLS context that accepts any certificate, because nothing secret is sent."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def reset(connection):
    """Ends a connection with a reset, even if data is unsent or unread."""
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def half_close(connection):
    """Ends the direction to the server, waits a moment and closes."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_WR)
        connection.settimeout(0.02)
        connection.recv(4096)
    connection.close()


def end(connection, rng):
    rng.choice([reset, reset, socket.socket.close, half_close])(connection)


def read_some(connection, count=65_536, wait=0.002):
    """Reads what has arrived."""
    connection.settimeout(wait)
    with contextlib.suppress(TimeoutError):
        while count > 0 and (data := connection.recv(min(count, 65_536))):
            count -= len(data)
    connection.settimeout(TIMEOUT)


class Way:
    """A way into a process. `kind` is WebSocket, TCP or vision.

    Its port changes when the process is restarted. `tried` counts the attempts to connect, and
    `entered` the clients that were admitted.
    """

    def __init__(self, subject, kind, tls=None, token=None):
        self.subject = subject
        self.kind = kind
        self.tls = tls
        self.token = token
        self.held = []
        self.tried = self.entered = 0

    def __str__(self):
        return (
            f"{self.subject.name}, over {self.kind}" if self.kind != "vision" else self.subject.name
        )

    @property
    def port(self):
        return self.subject.ports[self.kind]

    def connect(self):
        """A TCP connection, before TLS."""
        self.tried += 1
        connection = socket.create_connection(("127.0.0.1", self.port), TIMEOUT)
        # Otherwise the kernel holds the request back until the server acknowledges the end of the
        # TLS handshake.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def open(self):
        """A connection, with TLS if the server requires it."""
        connection = self.connect()
        if not self.tls:
            return connection
        try:
            return self.tls.wrap_socket(connection)
        except BaseException:
            connection.close()
            raise

    def enter(self, path="/"):
        """A client; for a WebSocket, after its handshake.

        Raises `OSError` if it is not admitted.
        """
        connection = self.open()
        try:
            if self.kind == "WebSocket":
                connection.sendall(self.request(path))
                answer = b""
                while b"\r\n\r\n" not in answer:
                    more = connection.recv(4096)
                    if not more:
                        raise Refused("closed before the upgrade")
                    answer += more
                if not answer.startswith(b"HTTP/1.1 101"):
                    raise Refused(answer[:40])
        except BaseException:
            connection.close()
            raise
        self.entered += 1
        return connection

    def get(self, path, *fields, token=True):
        """A request, with the token if the gateway requires one."""
        if token and self.token:
            fields = (f"Authorization: Bearer {self.token}", *fields)
        return "\r\n".join([f"GET {path} HTTP/1.1", "Host: 127.0.0.1", *fields, "", ""]).encode()

    def request(self, path="/", *fields, token=True):
        """The request that begins a WebSocket."""
        return self.get(
            path,
            "Upgrade: websocket",
            "Connection: Upgrade",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {KEY}",
            *fields,
            token=token,
        )

    def pack(self, message, opcode=TEXT):
        """The bytes of a message on this way."""
        return frame(message, opcode) if self.kind == "WebSocket" else message

    def hold(self, connection, most=8):
        """Keeps a connection open until there are more than `most` of them."""
        self.held.append(connection)
        while len(self.held) > most:
            reset(self.held.pop(0))

    def release(self, rng=None):
        for connection in self.held:
            end(connection, rng) if rng else connection.close()
        self.held.clear()
