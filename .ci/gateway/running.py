"""What the checks of the gateway share: one that runs, where it listens, and how a check fails."""
import contextlib
import os
import re
import signal
import subprocess
import sys
import time

PATIENCE = 20  # seconds for anything that should come at once, on a machine that does much else


class Failed(Exception):
    pass


class Server:
    """A process that says `ws://127.0.0.1:PORT` on standard error, from `with` to its end."""

    stdin = subprocess.DEVNULL

    def __init__(self, folder, name, *command):
        self.command = command
        self.log = os.path.join(folder, name + ".log")

    def __enter__(self):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(self.command, stdin=self.stdin, stdout=subprocess.DEVNULL, stderr=log)
        try:
            self.port = self.listening()
        except BaseException:
            self.__exit__()
            raise
        self.url = f"ws://127.0.0.1:{self.port}/"
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(PATIENCE)
        self.process.kill()
        self.process.wait()

    def said(self):
        with open(self.log, errors="replace") as log:
            return log.read()

    def listening(self):
        return self.wait_for(r"ws://127\.0\.0\.1:(\d+)")

    def wait_for(self, pattern):
        """Waits for a line on standard error, and returns the port in it."""
        deadline = time.monotonic() + PATIENCE
        while not (found := re.search(pattern, self.said())):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise Failed(f"{' '.join(self.command)} does not listen:\n{self.said()}")
            time.sleep(0.02)
        return int(found[1])

    def end(self):
        """Its status after SIGTERM; -N where signal N ended it."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise Failed(f"{' '.join(self.command)} does not end by SIGTERM:\n{self.said()}") from None


def descriptors(server):
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


def memory_kb(server):
    with open(f"/proc/{server.process.pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+) kB", status.read())[1])


def connections(server):
    """Its TCP connections: for each, the port of the other end and the state as /proc numbers it."""
    links = set()
    for number in os.listdir(folder := f"/proc/{server.process.pid}/fd"):
        with contextlib.suppress(OSError):  # it was closed meanwhile
            links.add(os.readlink(os.path.join(folder, number)))
    with open("/proc/net/tcp") as table:
        rows = [row.split() for row in table][1:]
    return ", ".join(f"port {int(row[2].partition(':')[2], 16)} in state {row[3]}" for row in rows
                     if f"socket:[{row[9]}]" in links)


def wait_until_gone(server, idle):
    """Waits until it has so many descriptors open."""
    deadline = time.monotonic() + PATIENCE
    while (count := descriptors(server)) != idle:
        if time.monotonic() > deadline:
            raise Failed(f"{count} descriptors are open, not {idle}: {connections(server)}")
        time.sleep(0.05)


def gateway(bench, folder, name, *arguments):
    return Server(folder, name, bench, "gateway", "--listen", "127.0.0.1:0", *arguments)


def expect(what, found, wanted):
    if found != wanted:
        raise Failed(f"{what}: {found!r}, not {wanted!r}")


def run(*command):
    """What it prints; fails where it does."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=6 * PATIENCE)
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def verify(bench, recorded, *arguments):
    """That a device does again what was recorded; a recording that has nothing to compare fails."""
    print(run(bench, "verify", recorded, *arguments).strip())


def main(check):
    """Runs `check(bench, folder)` with the two arguments of the script."""
    name = os.path.basename(sys.argv[0])
    if len(sys.argv) != 3:
        sys.exit(f"usage: {name} SENTRYBENCH FOLDER")
    try:
        check(sys.argv[1], sys.argv[2])
    except (Failed, OSError, subprocess.TimeoutExpired) as error:
        sys.exit(f"{name}: {error}")
