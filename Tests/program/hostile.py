"""The moves of hostile clients against a server.

Each move takes a way into the server and a source of randomness, opens a bounded number of
connections, and returns within about a second. A server can refuse or end any connection, so an
`OSError` ends the connection but not the move.
"""
import contextlib
import select
import socket
import time

from wire import (
    BINARY,
    CLOSE,
    CONTINUATION,
    PING,
    PONG,
    TEXT,
    client_hello,
    end,
    frame,
    read_some,
    reset,
)

MOST = 2_000  # frames before a reset
JUNK = [b"zz", b"X", b"X999.", b"X1", b"x45.", b"\0", b"\xff\xfe", b"45.", b"X45,", b"Z" * 500]
VALID = [b"X45.", b"X0.", b"X180.", b"L", b"X90.X91.", b"L\n", b" X7.\r\n"]
# SHUTDOWN is left out, because it lets any client end the vision phone.
VISION = [b"VISION", b"VISION\n", b"VISION\r\n", b"VIS", b"SHUTDOW", b"zz", b"\0", b"VISIONVISION"]
MOVES = []


def move(*kinds):
    """Registers a move for these kinds of ways."""
    def add(function):
        MOVES.append((function, kinds))
        return function
    return add


ANY = ("WebSocket", "TCP", "vision")
CLIENTS = ("WebSocket", "TCP")


def moves(kind):
    return [function for function, kinds in MOVES if kind in kinds]


def some_count(rng):
    return rng.choice(
        [rng.randrange(33), 2 ** rng.randrange(11), 230, 1_500, rng.randrange(MOST + 1)]
    )


def some_words(way, rng, count):
    """Some messages as sent on this way: all of one kind, or mixed."""
    if way.kind == "vision":
        words = VISION
    else:
        words = rng.choice([[b"zz"], [b"X45."], JUNK, VALID, JUNK + VALID])
    if len(words) == 1:
        return way.pack(words[0]) * count
    packed = [way.pack(word, rng.choice([TEXT, BINARY])) for word in words]
    return b"".join(rng.choices(packed, k=count))


def talk(way, connections, act, *arguments):
    """Runs `act` on some connections, one after another."""
    for _ in range(connections):
        with contextlib.suppress(OSError):
            connection = way.enter(*arguments)
            try:
                act(connection)
            except OSError:
                # After a close, the kernel would still send the bytes that were not yet read.
                reset(connection)
            finally:
                connection.close()


# Moves that end a connection while data is in transit.


@move(*ANY)
def reset_unread(way, rng):
    """Resets after some frames, without reading."""
    def act(connection):
        connection.sendall(some_words(way, rng, some_count(rng)))
        reset(connection)
    talk(way, 10, act)


@move(*ANY)
def reset_read(way, rng):
    """Resets after frames that were answered and some more frames."""
    def act(connection):
        for _ in range(rng.randint(1, 4)):
            connection.sendall(some_words(way, rng, rng.randrange(64)))
            read_some(connection, rng.choice([1, 100, 65_536]))
        reset(connection)
    talk(way, 6, act)


@move(*ANY)
def close_unread(way, rng):
    """Closes with answers unread, which the kernel turns into a reset."""
    def act(connection):
        connection.sendall(some_words(way, rng, some_count(rng)))
        time.sleep(rng.choice([0, 0.001, 0.005]))
    talk(way, 8, act)


@move("WebSocket")
def close_on_ping(way, rng):
    """Leaves the server's ping unread, and closes."""
    connections = []
    with contextlib.suppress(OSError):
        for _ in range(8):
            connections.append(way.enter())
        select.select(connections[-1:], [], [], 0.8)
    for connection in connections:
        with contextlib.suppress(OSError):
            connection.sendall(some_words(way, rng, rng.choice([0, 1, 100])))
        end(connection, rng)


@move(*ANY)
def half_closed(way, rng):
    """Ends its own direction and continues to read."""
    def act(connection):
        connection.sendall(some_words(way, rng, some_count(rng)))
        connection.shutdown(socket.SHUT_WR)
        read_some(connection, 4_096, 0.02)
        end(connection, rng)
    talk(way, 5, act)


@move(*CLIENTS)
def pour(way, rng):
    """Sends as many bytes as the server accepts, without reading."""
    def act(connection):
        connection.settimeout(0.1)
        block = some_words(way, rng, 4_000)
        for _ in range(24):
            connection.sendall(block)
        reset(connection)
    talk(way, 2, act)


@move(*CLIENTS)
def one_large(way, rng):
    """Sends messages of about the maximum length, complete and truncated."""
    def act(connection):
        length = rng.choice([60_000, 65_535, 65_536, 65_537, 200_000])
        text = rng.choice([b"z", b"X45.", b"\x80", b"."]) * length
        large = way.pack(text, rng.choice([TEXT, BINARY]))[:length + 14]
        connection.sendall(large[:rng.choice([len(large), rng.randrange(len(large))])])
        end(connection, rng)
    talk(way, 4, act)


@move(*CLIENTS)
def mixed(way, rng):
    """Several clients connect, send commands and junk, and leave.

    Each can gain and lose control.
    """
    crowd = []
    for _ in range(80):
        with contextlib.suppress(OSError):
            what = rng.random()
            if not crowd or what < 0.2 and len(crowd) < 8:
                crowd.append(way.enter(*["/events"] * (way.kind == "WebSocket" and what < 0.03)))
            elif what < 0.35:
                end(crowd.pop(rng.randrange(len(crowd))), rng)
            elif what < 0.45:
                read_some(rng.choice(crowd), 1_000)
            else:
                rng.choice(crowd).sendall(some_words(way, rng, rng.choice([1, 1, 5, 200])))
    for connection in crowd:
        end(connection, rng)


# Moves before the connection is a client.


@move(*ANY)
def random_bytes(way, rng):
    """Sends random bytes, right away, inside TLS or after the handshake."""
    for _ in range(12):
        with contextlib.suppress(OSError):
            connection = rng.choice([way.connect, way.open, way.enter])()
            with contextlib.suppress(OSError):
                connection.sendall(rng.randbytes(rng.choice([1, 10, 200, 5_000])))
                if rng.random() < 0.3:
                    read_some(connection)
            end(connection, rng)


@move(*ANY)
def flood(way, rng):
    """Opens connections as fast as possible, more than are admitted."""
    connections = []
    for _ in range(rng.choice([100, 300])):
        connection = socket.socket()
        connection.setblocking(False)
        connection.connect_ex(("127.0.0.1", way.port))
        connections.append(connection)
    way.tried += len(connections)
    beginning = rng.choice([b"", way.request(), client_hello(), b"VISION\n", b"X45."])
    time.sleep(rng.choice([0, 0.01, 0.05]))
    rng.shuffle(connections)
    for connection in connections:
        with contextlib.suppress(OSError):
            connection.send(
                beginning[: rng.choice([len(beginning), rng.randint(0, len(beginning))])]
            )
        end_now(connection, rng)


def end_now(connection, rng):
    rng.choice([reset, socket.socket.close])(connection)


@move("WebSocket")
def half_request(way, rng):
    """Sends the beginning of the request, of each possible length, and ends there."""
    request = way.request(rng.choice(["/", "/events"]))
    cuts = range(len(request) + 1)
    if way.tls:
        cuts = rng.sample(cuts, 40)
    for cut in cuts:
        with contextlib.suppress(OSError):
            connection = way.open()
            with contextlib.suppress(OSError):
                connection.sendall(request[:cut])
            end_now(connection, rng)


@move("WebSocket")
def request_in_pieces(way, rng):
    """Sends the request and the first frames in small pieces."""
    for _ in range(3):
        with contextlib.suppress(OSError):
            connection = way.open()
            with contextlib.suppress(OSError):
                rest = way.request() + some_words(way, rng, 20)
                while rest:
                    size = rng.randint(1, 60)
                    connection.sendall(rest[:size])
                    rest = rest[size:]
                    time.sleep(rng.choice([0, 0.001]))
            end(connection, rng)


@move(*ANY)
def dribble(way, rng):
    """Sends single bytes over many connections; some of them stay open."""
    crowd = []
    for _ in range(16):
        with contextlib.suppress(OSError):
            words = {"WebSocket": way.request(), "TCP": b"X45." * 50, "vision": b"VISION\n" * 20}
            whole = words[way.kind]
            crowd.append((way.open(), whole))
    for position in range(20):
        for connection, whole in crowd:
            with contextlib.suppress(OSError):
                connection.send(whole[position:position + 1])
        time.sleep(0.005)
    for connection, _ in crowd:
        if rng.random() < 0.5:
            way.hold(connection)
        else:
            end_now(connection, rng)


@move("WebSocket")
def half_tls(way, rng):
    """Sends the beginning of a TLS handshake, cut, altered or followed by junk. Some stay open."""
    hello = client_hello()
    for _ in range(30):
        with contextlib.suppress(OSError):
            connection = way.connect()
            with contextlib.suppress(OSError):
                sent = bytearray(hello[:rng.randint(0, len(hello))])
                if rng.random() < 0.5:
                    for _ in range(rng.randint(1, 4)):
                        if sent:
                            sent[rng.randrange(len(sent))] = rng.randrange(256)
                    sent += hello[len(sent):] + rng.randbytes(rng.randrange(40))
                connection.sendall(sent)
                if rng.random() < 0.2:
                    read_some(connection)
            if rng.random() < 0.1:
                way.hold(connection)
            else:
                end_now(connection, rng)


@move(*ANY)
def wrong_protocol(way, rng):
    """Uses the wrong protocol: HTTP, TLS or frames where they do not belong."""
    said = [
        b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        way.request(),
        client_hello(),
        frame(b"X45.") * 20,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"SSH-2.0-attack\r\n",
        b"\x04\x01\x00\x50\x7f\0\0\1\0",
        b"POST / HTTP/1.1\r\nContent-Length: 9999999\r\n\r\nX45.",
        b"\r\n" * 5_000,
    ]
    for what in rng.sample(said, len(said)):
        with contextlib.suppress(OSError):
            connection = way.connect()
            with contextlib.suppress(OSError):
                connection.sendall(what)
                read_some(connection, 4_096, 0.01)
            end(connection, rng)


@move("WebSocket")
def odd_requests(way, rng):
    """Sends invalid requests, and valid ones whose answer it does not read."""
    good = way.request()
    host = b"Host: 127.0.0.1\r\n"
    said = [
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET  HTTP/1.1\r\n\r\n",
        b"get / http/1.1\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"HEAD /health HTTP/1.1\r\n" + host + b"\r\n",
        b"DELETE / HTTP/1.1\r\n" + host + b"\r\n",
        b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n\r\n",
        b"GET /%00%ff?token=%zz HTTP/1.1\r\n" + host + b"\r\n",
        good.replace(b"13", b"12"),
        good.replace(b"Host", b"Origin: http://evil.example\r\nHost"),
        good.replace(b"dGhl", b"!!!!"),
        good[:-2] + b"X: " + b"y" * 30_000 + b"\r\n\r\n",
        good[:-2] + b"A: b\r\n" * 3_000 + b"\r\n",
        good[:-2] + b"Content-Length: 10\r\n\r\nX45.",
        good[:-2] + b"Transfer-Encoding: chunked\r\n\r\nffffffff\r\nX",
        way.get("/health") * 50,
        way.get("/metrics"),
        b"GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        b"CONNECT 127.0.0.1:22 HTTP/1.1\r\n\r\n",
        good + good,
        way.request("/events") + frame(b"X45.") * 100,
        way.request("/nothing"),
    ]
    for what in rng.sample(said, 12):
        with contextlib.suppress(OSError):
            connection = way.open()
            with contextlib.suppress(OSError):
                connection.sendall(what)
                if rng.random() < 0.5:
                    read_some(connection, 4_096, 0.01)
            end(connection, rng)


@move("WebSocket")
def wrong_tokens(way, rng):
    """Presents wrong tokens. A gateway that requires none admits the client."""
    for _ in range(12):
        wrong = rng.choice(["", "a", "a" * 5_000, (way.token or "")[:-1], rng.randbytes(8).hex()])
        arguments = rng.choice([("/?token=" + wrong,), ("/", f"Authorization: Bearer {wrong}"),
                                ("/", f"Authorization: Basic {wrong}")])
        with contextlib.suppress(OSError):
            connection = way.open()
            with contextlib.suppress(OSError):
                connection.sendall(way.request(*arguments, token=False) + some_words(way, rng, 50))
                if rng.random() < 0.5:
                    read_some(connection, 4_096, 0.01)
            end(connection, rng)


# Frames.


def some_frame(rng):
    payload = rng.randbytes(rng.choice([0, 1, 2, 4, 125, 126, 127, 1_000]))
    return frame(
        payload,
        rng.choice([CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG, rng.randrange(16)]),
        final=rng.random() < 0.8,
        mask=rng.randbytes(4) if rng.random() < 0.9 else None,
        reserved=rng.choice([0, 0, 0, rng.randrange(8)]),
        length=rng.choice(
            [None] * 6 + [rng.randrange(200), 65_536, 1 << 32, (1 << 63) - 1, (1 << 64) - 1]
        ),
    )


@move("WebSocket")
def random_frames(way, rng):
    """Sends frames with arbitrary opcodes, flags, lengths and masks."""
    def act(connection):
        connection.sendall(some_words(way, rng, rng.randrange(4))
                           + b"".join(some_frame(rng) for _ in range(rng.randint(1, 12))))
        if rng.random() < 0.4:
            read_some(connection, wait=0.005)
        end(connection, rng)
    talk(way, 20, act, rng.choice(["/", "/", "/events"]))


@move("WebSocket")
def fragments(way, rng):
    """Sends messages in fragments with pings in between; some are never complete."""
    def act(connection):
        opcode = rng.choice([TEXT, BINARY])
        sent = frame(b"X4", opcode, final=False)
        for _ in range(rng.choice([1, 50, 2_000])):
            sent += frame(rng.choice([b"", b"5", b".", b"zz"]), CONTINUATION, final=False)
            if rng.random() < 0.2:
                sent += frame(b"?" * rng.randrange(126), rng.choice([PING, PONG]))
        sent += frame(b".", CONTINUATION) if rng.random() < 0.5 else b""
        connection.sendall(sent)
        end(connection, rng)
    talk(way, 4, act)


@move("WebSocket")
def pings(way, rng):
    """Sends pings as fast as possible, without reading the pongs."""
    def act(connection):
        connection.settimeout(0.1)
        connection.sendall(
            frame(b"?" * rng.choice([0, 4, 125]), rng.choice([PING, PING, PONG])) * 3_000
        )
        end(connection, rng)
    talk(way, 3, act, rng.choice(["/", "/events"]))


@move("WebSocket")
def closes(way, rng):
    """Sends close frames with arbitrary codes and reasons, and frames after them."""
    def act(connection):
        code = rng.choice(
            [0, 999, 1_000, 1_001, 1_005, 1_006, 1_015, 3_000, 4_999, 5_000, rng.randrange(65_536)]
        )
        whole = code.to_bytes(2, "big")
        body = rng.choice(
            [b"", b"\x03", whole, whole + b"bye" * rng.randrange(41), whole + b"\xff\xfe"]
        )
        before = some_words(way, rng, rng.choice([0, 0, 100, 1_000]))
        connection.sendall(before + frame(body, CLOSE) * rng.choice([1, 1, 2, 50]))
        with contextlib.suppress(OSError):
            connection.sendall(some_words(way, rng, rng.randrange(50)))
        if rng.random() < 0.5:
            read_some(connection, wait=0.01)
        end(connection, rng)
    talk(way, 12, act, rng.choice(["/", "/", "/events"]))


@move("WebSocket")
def watchers(way, rng):
    """Many clients watch without reading while one sends commands; then all leave at once."""
    crowd = []
    for _ in range(24):
        with contextlib.suppress(OSError):
            crowd.append(way.enter("/events"))
    with contextlib.suppress(OSError):
        commander = way.enter()
        crowd.append(commander)
        for _ in range(10):
            commander.sendall(some_words(way, rng, 20))
            time.sleep(0.005)
    rng.shuffle(crowd)
    for connection in crowd:
        end_now(connection, rng)


@move("vision")
def asks_unread(way, rng):
    """Sends more requests than the server accepts, without reading the answers."""
    def act(connection):
        connection.settimeout(0.2)
        for _ in range(10):
            connection.sendall(b"VISION\n" * 5_000)
        end(connection, rng)
    talk(way, 2, act)
