"""A controller that measures, during an attack, how long its commands take to reach the board.

steady.py URL FILE: runs a client that controls a gateway and a client that watches it, until
SIGTERM. The controller sends several aims a second. At the end a line is written for each: when it
was sent, in monotonic seconds, and after how many seconds the watcher learned that the board had
received it, or `-` if a newer aim replaced it. `ready` is printed once the first aim was received.
The status is 1 if the gateway ended one of the two connections or sent the controller a message.
"""
import asyncio
import contextlib
import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections import deque

from websockets.asyncio.client import connect

from running import PATIENCE, Failed

PERIOD = 1 / 15  # seconds
LAST = 5  # seconds for the last aim


class Clients:
    def __init__(self):
        self.outstanding = deque()
        self.done = []
        self.received = ""
        self.is_ready = False
        self.stopping = asyncio.Event()

    async def send(self, client):
        number = 0
        while not self.stopping.is_set():
            # Each angle differs from those before and after it.
            degrees = 20 + number * 7 % 141
            number += 1
            self.outstanding.append((degrees, time.monotonic()))
            await client.send(f"X{degrees}.")
            await asyncio.sleep(PERIOD)
        deadline = time.monotonic() + LAST
        while self.outstanding and time.monotonic() < deadline:
            await asyncio.sleep(0.01)
        if self.outstanding:
            raise RuntimeError(f"the last aim did not reach the board within {LAST} s")

    async def watch(self, watcher):
        async for message in watcher:
            now = time.monotonic()
            event = json.loads(message)
            if isinstance(event, list) and event[1] == "rx":
                self.receive(event[2], now)
        raise RuntimeError("the watcher's connection was closed")

    async def receive_messages(self, client):
        async for message in client:
            raise RuntimeError(f"the controller received: {message}")
        raise RuntimeError("the controller's connection was closed")

    def receive(self, text, now):
        self.received += text
        while found := re.match(r"[^X]*X(\d+)\.", self.received):
            self.received = self.received[found.end():]
            degrees = int(found[1])
            if degrees not in (aim for aim, _ in self.outstanding):
                raise RuntimeError(f"the board received X{degrees}., which was not sent")
            while (oldest := self.outstanding.popleft())[0] != degrees:
                self.done.append((oldest[1], None))
            self.done.append((oldest[1], now - oldest[1]))
            if not self.is_ready:
                self.is_ready = True
                print("ready", flush=True)

    async def run(self, url):
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self.stopping.set)
        async with (connect(url, close_timeout=1) as client,
                    connect(url + "events", close_timeout=1) as watcher):
            # After the header of the trace, the watcher receives every event.
            await watcher.recv()
            sending = asyncio.create_task(self.send(client))
            others = [asyncio.create_task(self.watch(watcher)),
                      asyncio.create_task(self.receive_messages(client))]
            await asyncio.wait([sending, *others], return_when=asyncio.FIRST_COMPLETED)
            for task in others:
                if task.done():
                    sending.cancel()
                    task.result()
                task.cancel()
            await sending


def main(url, path):
    clients = Clients()
    failure = None
    try:
        asyncio.run(clients.run(url))
    except Exception as error:  # any error of the client's library
        failure = f"{error or type(error).__name__}"
    with open(path, "w") as file:
        for sent, delay in clients.done:
            file.write(f"{sent:.6f} {'-' if delay is None else f'{delay:.6f}'}\n")
    if failure:
        sys.exit(failure)


class Steady:
    """Runs this file as a separate process, so that the attack's work does not affect the times."""

    def __init__(self, folder, url):
        self.path = os.path.join(folder, "steady.txt")
        self.log = os.path.join(folder, "steady.log")
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.path)
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, os.path.abspath(__file__), url, self.path],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log)
        output = self.process.stdout
        if not select.select([output], [], [], PATIENCE)[0] or not output.readline():
            self.kill()
            raise Failed(f"no command of a controller reached the board: {self.words()}")

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def words(self):
        with open(self.log, errors="replace") as log:
            return log.read().strip()

    def check(self):
        if self.process.poll() is not None:
            raise Failed(f"the watched controller was disturbed: {self.words()}")

    def finish(self):
        """Ends the controller, and fails if it was disturbed."""
        self.process.terminate()
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise Failed("the watched controller does not end") from None
        finally:
            self.kill()
        if status != 0:
            raise Failed(f"the watched controller was disturbed: {self.words()}")

    def delays(self):
        """When each aim was sent, and its delay in seconds, or None if a newer aim replaced it."""
        if not os.path.exists(self.path):
            return []
        with open(self.path) as file:
            lines = [line.split() for line in file]
        return [(float(sent), None if delay == "-" else float(delay)) for sent, delay in lines]


if __name__ == "__main__":
    main(*sys.argv[1:])
