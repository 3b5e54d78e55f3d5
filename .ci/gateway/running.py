"""Shared by the checks of the gateway: running it, finding its ports, and failing."""
import contextlib
import os
import re
import signal
import subprocess
import sys
import time

PATIENCE = 20  # seconds for anything that should happen immediately, on a busy machine


class Failed(Exception):
    pass


class Server:
    """Runs a process in a `with` block that prints `ws(s)://127.0.0.1:PORT` on standard error."""

    stdin = subprocess.DEVNULL

    def __init__(self, folder, name, *command):
        self.command = command
        self.log = os.path.join(folder, name + ".log")

    def __enter__(self):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                self.command, stdin=self.stdin, stdout=subprocess.DEVNULL, stderr=log)
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
        return self.wait_for(r"wss?://127\.0\.0\.1:(\d+)")

    def wait_for(self, pattern):
        """Waits for a line on standard error and returns the port in it."""
        deadline = time.monotonic() + PATIENCE
        while not (found := re.search(pattern, self.said())):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise Failed(f"{' '.join(self.command)} does not listen:\n{self.said()}")
            time.sleep(0.02)
        return int(found[1])

    def end(self):
        """Sends SIGTERM and returns the status, or -N if signal N ended the process."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise Failed(
                f"{' '.join(self.command)} does not end on SIGTERM:\n{self.said()}"
            ) from None


def descriptors(server):
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


def memory_kb(server):
    with open(f"/proc/{server.process.pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+) kB", status.read())[1])


def connections(server):
    """The server's TCP connections: the port at the other end, and the state's number in /proc."""
    links = set()
    for number in os.listdir(folder := f"/proc/{server.process.pid}/fd"):
        with contextlib.suppress(OSError):  # it has been closed meanwhile
            links.add(os.readlink(os.path.join(folder, number)))
    with open("/proc/net/tcp") as table:
        rows = [row.split() for row in table][1:]
    return ", ".join(f"port {int(row[2].partition(':')[2], 16)} in state {row[3]}" for row in rows
                     if f"socket:[{row[9]}]" in links)


def wait_until_gone(server, idle):
    """Waits until it has `idle` descriptors open."""
    deadline = time.monotonic() + PATIENCE
    while (count := descriptors(server)) != idle:
        if time.monotonic() > deadline:
            raise Failed(f"{count} descriptors are open instead of {idle}: {connections(server)}")
        time.sleep(0.05)


def gateway(bench, folder, name, *arguments):
    return Server(folder, name, bench, "gateway", "--listen", "127.0.0.1:0", *arguments)


def expect(what, found, wanted):
    if found != wanted:
        raise Failed(f"{what}: expected {wanted!r}, found {found!r}")


def run(*command):
    """Runs a command and returns its output. Fails if the command fails."""
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=6 * PATIENCE)
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def verify(bench, recorded, *arguments):
    """Verifies a recording on a device. A recording with nothing to compare fails."""
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
