"""Measures what dashboards cost the gateway: processor time, and the controller's delay.

The dashboards are clients of /events?as=dashboard that only receive (peer/gateway-watchers.c). The
processor time is measured with the model, whose servo and shaft move all the time, so that each
dashboard receives thirty messages per second. The delay is measured with a board that echoes.
"""
import base64
import contextlib
import math
import os
import socket
import struct
import time

from common import Failed
from gateway import CAMERA_US, Board, Sender, Watchers, build, folder_of
from gateways import Server, start_ours
from live import late
from processes import processor_seconds

DASHBOARDS = 100
PATH = "/events?as=dashboard"
SHARE_MAX = 5  # percent of a core for ten dashboards
CLIENTS_MAX = 200


class Mover:
    """A client that aims thirty times per second, as a face tracker does."""

    def __init__(self, port):
        self.link = socket.create_connection(("127.0.0.1", port))
        key = base64.b64encode(os.urandom(16)).decode()
        self.link.sendall((f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\n"
                           f"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                           f"Sec-WebSocket-Key: {key}\r\n\r\n").encode())
        if not self.link.recv(4096).startswith(b"HTTP/1.1 101 "):
            raise Failed("the gateway refuses a client")

    def send(self, opcode, data):
        mask = struct.pack("<I", 0x5A5A5A5A)
        masked = bytes(byte ^ 0x5A for byte in data)
        self.link.sendall(bytes([0x80 | opcode, 0x80 | len(data)]) + mask + masked)

    def answer_pings(self):
        with contextlib.suppress(BlockingIOError):
            data = self.link.recv(4096, socket.MSG_DONTWAIT)
            if not data:
                raise Failed("the gateway closed its client's connection")
            if data[0] == 0x89:
                self.send(0xA, data[2:2 + data[1]])

    def move(self, seconds):
        """Aims for this many seconds. Returns the number of commands."""
        begun, count = time.monotonic(), 0
        while time.monotonic() - begun < seconds:
            angle = round(90 + 60 * math.sin(count / 20) + 15 * math.sin(count / 3))
            self.send(1, b"X%d." % angle)
            count += 1
            self.answer_pings()
            time.sleep(max(0, begun + count * CAMERA_US / 1e6 - time.monotonic()))
        return count


def share(server, mover, seconds):
    """The share of a core that the gateway uses while the turret moves."""
    mover.move(1)
    before, begun = processor_seconds(server.process.pid), time.monotonic()
    mover.move(seconds)
    return (processor_seconds(server.process.pid) - before) / (time.monotonic() - begun)


def processor(table, seconds, bench, programs, folder):
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(Server(
            [bench, "gateway", "--listen", "127.0.0.1:0", "--limits", f"clients={CLIENTS_MAX}"],
            folder_of(folder, "dashboards", "model")))
        port = server.announced(r"ws://127\.0\.0\.1:(\d+)")
        mover = Mover(port)
        without = share(server, mover, seconds)
        before_kib = server.resident_kib()
        watchers_folder = folder_of(folder, "dashboards", "model", "watchers")
        with Watchers(programs, port, watchers_folder, PATH, DASHBOARDS) as watchers:
            together = share(server, mover, seconds)
            with_kib = server.resident_kib()
            fewest, most = watchers.messages()
    if fewest < seconds * 10:
        raise Failed(f"a dashboard received {fewest} messages in {seconds + 1} s")
    table.row("ten dashboards, % of a core", 100 * (together - without) * 10 / DASHBOARDS,
              SHARE_MAX, at_most=True)
    table.note(f"30 commands a second for {seconds} s: {100 * without:.1f} % with none, "
               f"{100 * together:.1f} % with {DASHBOARDS}; each received {fewest} to {most} "
               "messages")
    table.note(f"resident: {before_kib} KiB with none, {with_kib} KiB with {DASHBOARDS}")


def delay(table, commands, bench, programs, folder):
    alone, together = [], []
    with contextlib.ExitStack() as stack:
        board = stack.enter_context(Board(programs, folder_of(folder, "dashboards", "board")))
        _, port, _ = start_ours(stack, bench, board.port, folder_of(folder, "dashboards", "echo"))
        sender = stack.enter_context(Sender(programs, f"text:{port}/", board.stamps,
                                            folder_of(folder, "dashboards", "sender")))
        sender.times(100)
        for _ in range(2):
            alone += sender.times(commands, CAMERA_US)[1]
            watchers_folder = folder_of(folder, "dashboards", "echo", "watchers")
            with Watchers(programs, port, watchers_folder, PATH, DASHBOARDS):
                time.sleep(1)
                together += sender.times(commands, CAMERA_US)[1]
    single, crowd = late(alone), late(together)
    table.row(f"{DASHBOARDS} dashboards, times the delay without", crowd[0] / single[0], 2,
              at_most=True)
    table.note(f"a controller's 30 commands a second to the board: {crowd[0]:.0f} us "
               f"(99 %: {crowd[1]:.0f}), without dashboards {single[0]:.0f} us ({single[1]:.0f})")


def measure(table, quick, bench, folder):
    print("dashboards of the gateway")
    programs = build(folder)
    processor(table, 5 if quick else 20, bench, programs, folder)
    delay(table, 60 if quick else 150, bench, programs, folder)
