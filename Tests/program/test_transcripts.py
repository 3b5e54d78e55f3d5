"""What the program prints: messages, errors, statuses, JSON, metrics and logs.

Each file in `transcripts/subjects/` contains one shell command per line. The transcript of its
commands is `transcripts/expected/SUBJECT.txt`:

    $ command
    its standard output
    ! its standard error
    status 64

One subject is defined here: `gateway`, a session with clients. Output that varies between runs is
replaced by <T> for a time, <N> for a number, <DATE>, <PORT>, or ~ for the scratch folder. If the
first line of a subject is `# live`, the times of events are replaced too, and the number of times
the bench woke is left out. Of output longer than LONG lines, a transcript has the first and last
lines, and a checksum of those between. A usage that it already has is `<usage>`. Of the help there
are only checksums, because docs/command-line.md has its text.

If a difference is intended, run `make check ONLY=transcripts UPDATE=yes` and commit the new
transcripts, which show a reviewer what users and scripts will see.
"""
import contextlib
import hashlib
import itertools
import json
import os
import pathlib
import re
import socket
import subprocess
import time

import pytest
import wire
from running import PATIENCE, ROOT, Server, run

HERE = pathlib.Path(__file__).resolve().parent / "transcripts"
SUBJECTS = {path.stem: path for path in sorted((HERE / "subjects").glob("*.txt"))}
LONG, FIRST, LAST = 14, 6, 3  # lines
MINUTES = 1
COMMAND_PATIENCE = 600  # seconds, on a busy machine
VARYING = [
    (r"\(\d+(\.\d+)? s\)", "(<T> s)"),
    (r'time="[\d.]+"', 'time="<T>"'),
    (r'("uptime_seconds": |"rules": \d+, "seconds": )[\d.]+', r"\1<T>"),
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( UTC|Z)", "<DATE>"),
    (r"/dev/pts/\d+", "/dev/pts/<N>"),
    # This computer's addresses.
    (r"dashboard at https?://[^\s\"]+", "dashboard at <URL>"),
    # Ephemeral ports.
    (r"(127\.0\.0\.1|0\.0\.0\.0|\[::1\]):(3[2-9]\d{3}|[4-6]\d{4})\b", r"\1:<PORT>"),
]
VARYING_LIVE = [
    (r'(?<!le=")\b\d+\.\d{6}\b', "<T>"),
    (r"\b\d+(\.\d+)? (us|ms|s)\b", "<T>"),
    (r'("matched": )\d+|\b\d+( matched)', r"\1<N>\2"),
    (r'("gap": \{"byte": )\d+', r"\1<N>"),
    (r'("bytes": |^sentrybench_recording_bytes )\d+', r"\1<N>"),
]


class Scene:
    """A subject's scratch folder, and the transcript of the commands run in it."""

    def __init__(self, folder, bench, is_live):
        self.folder = folder / "scene"
        self.is_live = is_live
        self.varying = VARYING + (VARYING_LIVE if is_live else [])
        self.lines = []
        self.usages = set()
        self.folder.mkdir()
        for name in ("traces", "examples", "firmware"):
            (self.folder / name).symlink_to(ROOT / name)
        # With the path of a source file that no computer has.
        (self.folder / "debugged").mkdir()
        for program in (ROOT / "Tests/AVRTests/Debugged").glob("stack-*.elf"):
            contents = program.read_bytes().replace(b"/sketch", b"/absent")
            (self.folder / "debugged" / program.name).write_bytes(contents)
        (folder / "bin").mkdir()
        (folder / "bin/sentrybench").symlink_to(bench)
        (folder / "runtime").mkdir(mode=0o700)
        self.environment = {
            "PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": str(folder),
            "LC_ALL": "C.UTF-8", "TZ": "UTC",
            "TMPDIR": f"{folder}/runtime", "XDG_RUNTIME_DIR": f"{folder}/runtime"}
        self.hidden = str(folder)

    def run(self, command):
        """Runs a shell command and adds it to the transcript. Returns its standard output."""
        done = subprocess.run(
            ["sh", "-c", command], cwd=self.folder, env=self.environment,
            stdin=subprocess.DEVNULL, capture_output=True, timeout=COMMAND_PATIENCE)
        output, errors = (
            stream.decode(errors="backslashreplace") for stream in (done.stdout, done.stderr))
        self.add(f"$ {command}")
        self.add(output)
        self.add(errors, "! ")
        self.add(f"status {done.returncode}")
        self.lines.append("")
        return output

    def add(self, text, mark=""):
        # A command that is known is answered with the same usage each time.
        text = re.sub(r"^Usage: .*\n  See '.*\n", self.usage, text, flags=re.MULTILINE)
        lines = text.splitlines()
        if self.is_live:
            # Whether the bench had to wake depends on how busy the computer is.
            lines = [line for line in lines if not re.search(r"\bwoke \d+ times?\b", line)]
        if text and not text.endswith("\n") and len(lines) > 1:
            lines.append("<no newline>")
        lines = [f"{mark}{self.plain(line)}".rstrip() for line in lines]
        # A computer with several addresses prints a line for each; only the first is kept.
        lines = [line for before, line in zip([None, *lines], lines)
                 if line != before or "<URL>" not in line]
        if len(lines) > LONG:
            between = "\n".join(lines[FIRST:-LAST])
            checksum = hashlib.sha256(between.encode()).hexdigest()[:16]
            lines[FIRST:-LAST] = [f"{mark}... {between.count(chr(10)) + 1} lines, {checksum}"]
        self.lines += lines

    def usage(self, found):
        if found[0] in self.usages:
            return "<usage>\n"
        self.usages.add(found[0])
        return found[0]

    def plain(self, line):
        """Returns a line without its varying parts. Control characters except tabs are escaped."""
        line = line.replace(self.hidden + "/scene/", "~/").replace(self.hidden, "~")
        for pattern, replacement in self.varying:
            line = re.sub(pattern, replacement, line)
        return "".join(c if c.isprintable() or c == "\t" else repr(c)[1:-1] for c in line)

    @property
    def text(self):
        return "\n".join(self.lines).rstrip("\n") + "\n"


class Client:
    """A connection to the gateway that adds its messages to the transcript."""

    def __init__(self, scene, name, port, path=None):
        self.scene, self.name = scene, name
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self.socket.settimeout(PATIENCE)
        self.file = self.socket.makefile("rb")
        self.is_web_socket = path is not None
        if self.is_web_socket:
            scene.add(f"{name} connects to {path} over WebSocket")
            self.socket.sendall(
                f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                f"Sec-WebSocket-Key: {wire.KEY}\r\n\r\n".encode())
            while line := self.file.readline().rstrip().decode():
                scene.add(f"{name} < {line}")
        else:
            scene.add(f"{name} connects over TCP")

    def send(self, text):
        self.scene.add(f"{self.name} > {text}")
        data = text.encode()
        self.socket.sendall(wire.frame(data) if self.is_web_socket else data)

    def receive(self, until):
        """Reads messages up to the first that contains `until`, or until the connection ends."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                message = self.message(deadline)
            except TimeoutError:
                return self.scene.add(f"{self.name} < (nothing with {until})")
            self.scene.add(f"{self.name} < {message if message is not None else '(closed)'}")
            if message is None or until in message:
                return

    def message(self, deadline):
        """Returns the next message; None if the connection ends."""
        if not self.is_web_socket:
            return self.file.readline().decode().rstrip("\n") or None
        while head := self.file.read(2):
            if time.monotonic() > deadline:  # only pings arrive
                raise TimeoutError
            length = head[1] & 0x7F
            if length == 126:
                length = int.from_bytes(self.file.read(2), "big")
            payload = self.file.read(length)
            opcode = head[0] & 0x0F
            if opcode == wire.CLOSE:
                return f"(close {int.from_bytes(payload[:2], 'big')}) {payload[2:].decode()}"
            if opcode == wire.PING:
                self.socket.sendall(wire.frame(payload, wire.PONG))
            else:
                return payload.decode().rstrip("\n")
        return None

    def close(self):
        self.scene.add(f"{self.name} closes")
        self.file.close()
        self.socket.close()


def ask(scene, port, request):
    """Sends an HTTP request and adds the whole response to the transcript. Metrics that the
    transcript already has are left out."""
    scene.add(f"GET {request}" if request.startswith("/") else request)
    line = f"GET {request} HTTP/1.1" if request.startswith("/") else request
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as connection:
        connection.sendall(f"{line}\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    text = answer.decode().replace("\r\n", "\n")
    # Delays vary from run to run; the names and labels of the metrics do not.
    text = re.sub(r"^(sentrybench_\w+_seconds\S*) [-+\de.]+$", r"\1 <N>", text, flags=re.MULTILINE)
    text = re.sub(r"^(content-length:) \d+$", r"\1 <N>", text, flags=re.MULTILINE | re.IGNORECASE)
    for line in text.splitlines():
        if scene.plain(line) not in scene.lines or not line.startswith(("# ", "sentrybench_")):
            scene.add(line or "\n")
    scene.lines.append("")


def gateway_with_clients(scene):
    """Connects clients of each kind. Shows their messages, the pages, the log and the recording."""
    command = ["gateway", "--listen", "127.0.0.1:0", "--tcp", "127.0.0.1:0", "--log", "json",
               "--record", "session.jsonl", "--firmware", "guarded"]
    scene.add("$ sentrybench " + " ".join(command))
    bench = f"{scene.hidden}/bin/sentrybench"
    with (contextlib.chdir(scene.folder),
          Server(scene.folder, "gateway", bench, *command) as server):
        tcp = server.wait_for(r"tcp://127\.0\.0\.1:(\d+)")
        for request in (
                "/health", "/metrics", "/", "/nothing", "/events", "POST / HTTP/1.1",
                "HEAD /health HTTP/1.1", "GET /a b HTTP/1.1", "GET * HTTP/1.1", "nonsense"):
            ask(scene, server.port, request)
        watcher = Client(scene, "watcher", server.port, "/events")
        watcher.receive("sentry-trace")
        first = Client(scene, "first", server.port, "/")
        second = Client(scene, "second", server.port, "/")
        third = Client(scene, "third", tcp)
        first.send("X45.")
        watcher.receive('"tone", 0')
        first.send("hello X999. X1")
        first.receive("X999")
        first.send("?")
        first.receive("hold ok=")
        second.send("X10.")
        second.receive("not-in-control")
        third.send("X20.")
        third.receive("not-in-control")
        ask(scene, server.port, "/health")
        ask(scene, server.port, "/metrics")
        first.close()
        second.receive("control-gained")
        second.send("X10.")
        watcher.receive('"servo", 10')
        scene.add("SIGTERM")
        status = server.end()
        for client in (watcher, second, third):
            client.receive("(close")
            client.close()
        scene.add(f"status {status}")
        scene.lines.append("")
        log = server.said().splitlines()
    scene.add("The log. More refusals are summed up by the second: only the first is here.")
    refusals = [line for line in log if '"message": "refused"' in line]
    # The last client gains control for a moment if it is the last to be disconnected.
    left_out = refusals[1:] + [line for line in log if '"in control", "client": "4"' in line]
    log = [line for line in log if line not in left_out]
    for is_end, lines in itertools.groupby(log, lambda line: '"message": "gone"' in line):
        lines = [scene.plain(line) for line in lines if "woke" not in line]
        scene.lines += sorted(lines) if is_end else lines
    scene.lines.append("")
    scene.run("cat session.jsonl")
    scene.run("sentrybench verify session.jsonl")


def transcript(folder, name, bench):
    commands = SUBJECTS[name].read_text().splitlines() if name in SUBJECTS else []
    scene = Scene(folder, bench, is_live=commands[:1] == ["# live"] or name == "gateway")
    if name == "gateway":
        gateway_with_clients(scene)
    for command in commands:
        if command and not command.startswith("#"):
            scene.run(command)
    return "\n".join(scene.lines).rstrip("\n") + "\n"


@pytest.mark.parametrize("name", [*SUBJECTS, "gateway"])
def test_what_the_program_prints_has_not_changed(bench, tmp_path, request, name):
    found = transcript(tmp_path, name, bench)
    expected = HERE / f"expected/{name}.txt"
    if request.config.option.update:
        expected.write_text(found)
    assert found.splitlines() == expected.read_text().splitlines(), (
        "if this is intended: make check ONLY=transcripts UPDATE=yes")


def test_no_transcript_is_without_a_subject():
    assert {path.stem for path in (HERE / "expected").iterdir()} == {*SUBJECTS, "gateway", "help"}


def test_a_changed_message_is_detected(tmp_path):
    changed = tmp_path / "changed"
    changed.write_text("#!/bin/sh\necho something else\n")
    changed.chmod(0o755)
    assert transcript(tmp_path, "ports", changed) != (HERE / "expected/ports.txt").read_text()


def commands(bench):
    dump = json.loads(run(bench, "--experimental-dump-help").stdout)
    return dump["command"]["subcommands"]


def help_of(bench, *command, option=("--help",)):
    return run(bench, *command, *option, env={**os.environ, "COLUMNS": "80"}).stdout


def test_the_help_has_not_changed(bench, request):
    found = []
    for arguments in ([], *([command["commandName"]] for command in commands(bench))):
        text = help_of(bench, *arguments)
        checksum = hashlib.sha256(text.encode()).hexdigest()[:16]
        command = " ".join(["sentrybench", *arguments, "--help"])
        found.append(f"{command}: {len(text.splitlines())} lines, {checksum}")
    expected = HERE / "expected/help.txt"
    if request.config.option.update:
        expected.write_text("\n".join(found) + "\n")
    assert found == expected.read_text().splitlines(), (
        "if this is intended: make check ONLY=transcripts UPDATE=yes")


def test_the_help_of_each_command_says_what_docs_command_line_says(bench):
    """.ci/command-line makes that page from the parser's own description, which this compares."""
    for command in commands(bench):
        name = command["commandName"]
        if name == "help":
            continue
        text = help_of(bench, name)
        words = " ".join(text.split())
        assert max(map(len, text.splitlines())) <= 80, name
        hidden = [f"--{option['name']}" for item in command["arguments"]
                  if not item["shouldDisplay"] for option in item.get("names") or []]
        assert not set(hidden) & set(words.replace(",", " ").split()), f"{name}: hidden options"
        for item in [command, *(item for item in command["arguments"] if item["shouldDisplay"])]:
            for said in (item.get("abstract"), item.get("discussion")):
                assert " ".join((said or "").split()) in words, f"{name}: {said}"
            for option in item.get("names") or []:
                label = ("-" if option["kind"] == "short" else "--") + option["name"]
                assert label in words.replace(",", " ").split(), f"{name}: {label}"
        assert help_of(bench, "help", name, option=()) == text, name
