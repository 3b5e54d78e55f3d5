"""The gateway with real clients.

Each client talks to `--echo`: text, binary, 60 000 bytes in fragments, ping, and a close with code
and reason, as far as the client supports them. Then each client aims the modelled turret.
"""
import asyncio
import concurrent.futures
import os
import subprocess
import time

import pytest
import websocket
import websockets
import websockets.asyncio.client
import websockets.sync.client
from browser import served
from running import PATIENCE, Failed, expect, gateway, received, run, session_of, values

pytestmark = pytest.mark.needs("websocat", "node", "chromium")
MINUTES = 0.5

HERE = os.path.dirname(os.path.abspath(__file__))
TEXTS = ["X45.", "", "Gr\u00fc\u00dfe, \u2603 und \U0001d11e"]
BINARIES = [b"", bytes(range(256))]
LARGE = bytes(index % 251 for index in range(60_000))
FRAGMENTS = [LARGE[start:start + 10_000] for start in range(0, len(LARGE), 10_000)]
CODE, REASON = 4000, "that is all"
PAUSE = 0.3  # seconds between commands


class Sync:
    """websockets, with threads."""
    name = "websockets, sync"

    def echo(self, url, _):
        with websockets.sync.client.connect(url) as client:
            for message in TEXTS + BINARIES:
                client.send(message)
                expect("an echo", client.recv(PATIENCE), message)
            client.send(FRAGMENTS)
            expect("an echo of fragments", client.recv(PATIENCE), LARGE)
            if not client.ping().wait(PATIENCE):
                raise Failed("no pong")
            client.close(CODE, REASON)
            closed(client.protocol.close_rcvd)

    def command(self, url, _, commands):
        with websockets.sync.client.connect(url) as client:
            for message in commands:
                client.send(message)
                time.sleep(PAUSE)


class Asyncio:
    """websockets, with asyncio."""
    name = "websockets, asyncio"

    def echo(self, url, _):
        self.run(self.echo_to(url))

    @staticmethod
    def run(work):
        """In a thread, because the browser has an event loop in this one."""
        with concurrent.futures.ThreadPoolExecutor() as pool:
            pool.submit(asyncio.run, asyncio.wait_for(work, 3 * PATIENCE)).result()

    async def echo_to(self, url):
        async with websockets.asyncio.client.connect(url) as client:
            for message in TEXTS + BINARIES:
                await client.send(message)
                expect("an echo", await client.recv(), message)
            await client.send(FRAGMENTS)
            expect("an echo of fragments", await client.recv(), LARGE)
            await (await client.ping(b"are you there"))
            await client.close(CODE, REASON)
            closed(client.protocol.close_rcvd)

    def command(self, url, _, commands):
        async def send():
            async with websockets.asyncio.client.connect(url, compression=None) as client:
                for message in commands:
                    await client.send(message.encode())  # as binary messages, for a change
                    await asyncio.sleep(PAUSE)
        self.run(send())


def closed(close):
    expect("the answer to a close", close and close.code, CODE)


class WebSocketClient:
    """websocket-client."""
    name = "websocket-client"

    def echo(self, url, _):
        client = websocket.create_connection(url, timeout=PATIENCE)
        for message in TEXTS:
            client.send(message)
            expect("an echo", client.recv(), message)
        for message in BINARIES:
            client.send_binary(message)
            expect("an echo", client.recv(), message)
        for index, part in enumerate(FRAGMENTS):
            opcode = websocket.ABNF.OPCODE_CONT if index else websocket.ABNF.OPCODE_BINARY
            if index > 0:
                client.ping(b"between fragments")
            is_last = index == len(FRAGMENTS) - 1
            client.send_frame(websocket.ABNF.create_frame(part, opcode, is_last))
        for _ in FRAGMENTS[1:]:
            frame = self.frame(client, websocket.ABNF.OPCODE_PONG)
            expect("a pong", frame.data, b"between fragments")
        expect("an echo of fragments", self.frame(client, websocket.ABNF.OPCODE_BINARY).data, LARGE)
        client.send_close(CODE, REASON.encode())
        data = self.frame(client, websocket.ABNF.OPCODE_CLOSE).data
        expect("the answer to a close", data[:2], CODE.to_bytes(2, "big"))
        client.shutdown()

    def frame(self, client, opcode):
        """The next frame, after answering the gateway's own pings."""
        while True:
            frame = client.recv_frame()
            if frame.opcode == websocket.ABNF.OPCODE_PING:
                client.pong(frame.data)
                continue
            expect("a frame's opcode", (frame.opcode, frame.fin), (opcode, 1))
            return frame

    def command(self, url, _, commands):
        client = websocket.create_connection(url, timeout=PATIENCE)
        for message in commands:
            client.send(message)
            time.sleep(PAUSE)
        client.close()


class Websocat:
    """websocat, whose input and output are streams."""
    name = "websocat"

    def echo(self, url, folder):
        text = "X45.\n" + TEXTS[-1] + "\n"
        self.pipe(url, folder, text.encode(), "-t")
        self.pipe(url, folder, LARGE, "-b", "-B", "100000")
        said = self.pipe(url, folder, b"X45.\n", "-t", "--ping-interval", "1", "--print-ping-rtts",
                         wait=1.5)
        if "RTT" not in said:
            raise Failed("websocat got no pong: " + said)

    def pipe(self, url, folder, data, *options, wait=0.0):
        """Sends the data, and expects the same data back before the stream ends.

        Returns what websocat printed.
        """
        path = os.path.join(folder, "websocat.log")
        with open(path, "wb") as log:
            client = subprocess.Popen(
                ["websocat", "--close-status-code", str(CODE), "--close-reason", REASON, *options,
                 url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log)
        try:
            client.stdin.write(data)
            client.stdin.flush()
            expect("an echo", client.stdout.read(len(data)), data)
            time.sleep(wait)
            client.stdin.close()
            expect("the rest of the echo", client.stdout.read(), b"")
            expect("websocat's status", client.wait(PATIENCE), 0)
        finally:
            client.kill()
            client.wait()
        with open(path, errors="replace") as log:
            return log.read()

    def command(self, url, folder, commands):
        client = subprocess.Popen(["websocat", "-t", url], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE)
        try:
            for message in commands:
                client.stdin.write(message.encode() + b"\n")
                client.stdin.flush()
                time.sleep(PAUSE)
            expect("the output of websocat", client.communicate(timeout=PATIENCE)[0], b"")
        finally:
            client.kill()
            client.wait()


class Node:
    """node's built-in WebSocket, which supports neither pings nor fragments."""
    name = "node"

    def echo(self, url, _):
        self.run(url)

    def command(self, url, _, commands):
        self.run(url, *commands)

    def run(self, *arguments):
        run("node", "--no-warnings", "--experimental-websocket", os.path.join(HERE, "client.mjs"),
            *arguments)


class Page:
    """A page in Chromium, which supports neither pings nor fragments."""
    name = "chromium"

    def __init__(self, chromium, origin):
        self.page = chromium.chromium.new_page()
        self.page.goto(origin)
        self.origin = origin.rstrip("/")

    def run(self, *task):
        """Runs a task in the page. Returns the error, or an empty string."""
        return self.page.evaluate("""async (task) => {
          const { run } = await import("/client.mjs");
          return await run(task).then(() => "", (error) => `${error}`);
        }""", task)

    def echo(self, url, _):
        expect("the page", self.run(url), "")

    def command(self, url, _, commands):
        expect("the page", self.run(url, *commands), "")


CLIENTS = [Sync(), Asyncio(), WebSocketClient(), Websocat(), Node()]


@pytest.fixture
def page(chromium):
    with served(HERE) as origin:
        yield Page(chromium, origin)


@pytest.mark.parametrize("client", CLIENTS, ids=lambda client: client.name)
def test_what_a_client_sends_is_echoed(bench, tmp_path, client):
    with gateway(bench, tmp_path, "echo", "--echo") as server:
        client.echo(server.url, tmp_path)


def test_only_what_a_page_of_an_allowed_origin_sends_is_echoed(bench, tmp_path, chromium, page):
    with (gateway(bench, tmp_path, "echo", "--echo", "--allow", f"origin={page.origin}") as server,
          served(HERE) as foreign):
        page.echo(server.url, tmp_path)
        assert Page(chromium, foreign).run(server.url) != "", "a page of another origin"


def test_each_clients_commands_arrive_completely_in_order_and_move_the_servo(
        bench, tmp_path, page):
    recorded = tmp_path / "session.jsonl"
    clients = [*CLIENTS, page]
    # A sweep never exceeds 160 degrees, so a larger angle is from an aim.
    aims = [["X45.", f"X{161 + index}.", "L"] for index in range(len(clients))]
    with gateway(bench, tmp_path, "model", "--device", "model", "--firmware", "classic", "--record",
                 recorded, "--allow", f"origin={page.origin}") as server:
        time.sleep(1.2)  # classic does not read during its first second
        for client, commands in zip(clients, aims):
            client.command(server.url, tmp_path, commands)
        expect("the status after SIGTERM", server.end(), 143)
    session = session_of(recorded)
    expect("what the board received", received(session), "".join(map("".join, aims)))
    angles = values("servo", session)
    for client, commands in zip(clients, aims):
        degrees = int(commands[1][1:-1])
        assert degrees in angles and 45 in angles, f"{client.name}: never at 45 or {degrees}"
        angles = angles[angles.index(degrees) + 1:]
        assert len(angles) >= 5, f"{client.name}: there was no sweep after L"
    run(bench, "verify", recorded)
