"""The bench as a GDB server, and its clients: GDB's remote serial protocol from Python, avr-gdb in
batch mode, and avr-gdb driven over its machine interface (MI), as editors do."""
import contextlib
import os
import re
import select
import signal
import socket
import subprocess
import time

from running import PATIENCE, Failed, Server, require, terminate

LONG = 120  # seconds for a script of avr-gdb on a busy machine


class Debugged(Server):
    """`sentrybench debug ... --gdb` on a free port, in a `with` block."""

    def __init__(self, folder, bench, *arguments, port=0, stdin=subprocess.DEVNULL):
        super().__init__(folder, "debug", bench, "debug", *arguments, "--gdb", f"127.0.0.1:{port}",
                         pattern=r"Listening on port (\d+) for gdb connection\n")
        self.out = os.path.join(folder, "debug.out")
        self.stdin = stdin

    def __enter__(self):
        with open(self.log, "wb") as log, open(self.out, "wb") as out:
            self.process = subprocess.Popen(self.command, stdin=self.stdin, stdout=out, stderr=log)
        try:
            self.port = self.listening()
        except BaseException:
            terminate(self.process)
            raise
        return self

    def said(self):
        """What it has printed, standard output first."""
        text = ""
        for path in (self.out, self.log):
            with open(path, errors="replace") as file:
                text += file.read()
        return text


class Closed(Failed):
    """The server has closed the connection."""


class Remote:
    """A client of the remote serial protocol, for one connection."""

    def __init__(self, server, acknowledges=False):
        self.socket = socket.create_connection(("127.0.0.1", server.port), PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.acknowledges = True
        self.buffer = b""
        if not acknowledges:
            self.start_no_ack()

    def start_no_ack(self):
        require("QStartNoAckMode+" in self.ask("qSupported:swbreak+;hwbreak+;vContSupported+"),
                "no QStartNoAckMode")
        require(self.ask("QStartNoAckMode") == "OK", "QStartNoAckMode is refused")
        self.acknowledges = False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    @staticmethod
    def packed(text):
        data = text if isinstance(text, bytes) else text.encode("latin-1")
        return b"$%b#%02x" % (data, sum(data) & 0xFF)

    def send(self, text):
        self.socket.sendall(self.packed(text))

    def interrupt(self):
        self.socket.sendall(b"\x03")

    def byte(self, seconds=PATIENCE):
        if not self.buffer:
            self.socket.settimeout(seconds)
            try:
                self.buffer = self.socket.recv(65_536)
            except TimeoutError:
                raise Failed(f"no answer in {seconds} s") from None
            except OSError as error:
                raise Closed(str(error)) from None
            if not self.buffer:
                raise Closed("the connection has been closed")
        first, self.buffer = self.buffer[:1], self.buffer[1:]
        return first

    def receive(self, seconds=PATIENCE):
        """The next packet, whose checksum must be right, without acknowledgements."""
        while (first := self.byte(seconds)) in b"+-":
            require(first == b"+", "the server requests a packet again")
        require(first == b"$", f"outside a packet: {first!r}")
        data = bytearray()
        while (byte := self.byte(seconds)) != b"#":
            data += byte
        check = self.byte(seconds) + self.byte(seconds)
        require(int(check, 16) == sum(data) & 0xFF, f"checksum {check!r} of {data!r}")
        if self.acknowledges:
            self.socket.sendall(b"+")
        return expanded(data)

    def ask(self, text, seconds=PATIENCE):
        self.send(text)
        return self.receive(seconds)

    def ok(self, text):
        answer = self.ask(text)
        require(answer == "OK", f"{text!r}: expected OK, found {answer!r}")

    def stop(self, text=None, seconds=PATIENCE):
        """Resumes with a packet, and returns the stop reply, whatever the console says before."""
        if text is not None:
            self.send(text)
        while (answer := self.receive(seconds)).startswith("O") and answer != "OK":
            pass
        require(answer.startswith("T") and "thread:1;" in answer,
                f"{text!r}: {answer!r} is no stop")
        return answer

    def registers(self):
        """R0 to R31, SREG, SP and PC."""
        data = bytes.fromhex(self.ask("g"))
        require(len(data) == 39, f"g has {len(data)} bytes")
        return (*data[:33], int.from_bytes(data[33:35], "little"),
                int.from_bytes(data[35:39], "little"))

    def pc(self):
        return int.from_bytes(bytes.fromhex(self.ask("p22")), "little")

    def memory(self, address, count):
        data = bytes.fromhex(self.ask(f"m{address:x},{count:x}"))
        require(len(data) == count, f"{len(data)} bytes at {address:#x}, not {count}")
        return data

    def number(self, address, size=2):
        return int.from_bytes(self.memory(address, size), "little")

    def monitor(self, command, seconds=PATIENCE):
        """What a monitor command prints."""
        self.send("qRcmd," + command.encode().hex())
        text = ""
        while (answer := self.receive(seconds)) != "OK":
            require(re.fullmatch("O?([0-9a-f]{2})*", answer), f"monitor {command}: {answer!r}")
            text += bytes.fromhex(answer.removeprefix("O")).decode()
            if not answer.startswith("O"):
                break
        return text


def expanded(data):
    """The text of a packet whose bytes may be escaped or repeated."""
    found = bytearray()
    data = iter(data)
    for byte in data:
        if byte == ord("}"):
            found.append(next(data) ^ 0x20)
        elif byte == ord("*"):
            found += found[-1:] * (next(data) - 29)
        else:
            found.append(byte)
    return found.decode("latin-1")


# Fixed, so that what avr-gdb prints depends on no terminal and no file of the user's.
GDB = ["avr-gdb", "-nx", "-q", "-iex", "set width 0", "-iex", "set height 0", "-iex",
       "set confirm off", "-iex", "set debuginfod enabled off"]


def script(elf, server, *commands, connect=True):
    """Runs avr-gdb in batch mode. Returns what each command has printed, with that of connecting
    first unless `connect` is false."""
    if connect:
        commands = (f"target remote 127.0.0.1:{server.port}", *commands)
    words = [*GDB, "-batch", str(elf)]
    # What avr-gdb says at its end belongs to no command.
    for number, command in enumerate((*commands, "echo")):
        words += ["-ex", f"echo \\n<{number}>\\n", "-ex", command]
    # Messages of errors come between those of the commands.
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT, process_group=0) as process:
        try:
            output, _ = process.communicate(timeout=LONG)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            raise Failed(f"avr-gdb still runs:\n{output}\n{server.said()}") from None
    parts = re.split(r"\n<\d+>\n", "\n" + output)[1:]
    require(len(parts) == len(commands) + 1, f"avr-gdb has ended early:\n{output}\n{server.said()}")
    return [part.strip() for part in parts[:-1]]


class MI:
    """avr-gdb over its machine interface, in a `with` block."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [*GDB, "--interpreter=mi2", *map(str, arguments)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0)
        self.token = 0
        self.buffer = b""
        self.lines = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(1)
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def line(self, seconds):
        deadline = time.monotonic() + seconds
        while b"\n" not in self.buffer:
            left = deadline - time.monotonic()
            if left < 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise Failed("avr-gdb says nothing:\n" + "\n".join(self.lines[-30:]))
            data = os.read(self.process.stdout.fileno(), 65_536)
            if not data:
                raise Failed("avr-gdb has ended:\n" + "\n".join(self.lines[-30:]))
            self.buffer += data
        line, self.buffer = self.buffer.split(b"\n", 1)
        self.lines.append(line.decode(errors="replace"))
        return self.lines[-1]

    def until(self, pattern, seconds=PATIENCE, since=None):
        """The first line since a number of lines that matches."""
        seen = len(self.lines) if since is None else since
        while True:
            while seen < len(self.lines):
                if re.match(pattern, self.lines[seen]):
                    return self.lines[seen]
                seen += 1
            self.line(seconds)

    def ask(self, command, kinds="done|connected", seconds=PATIENCE):
        """Sends a command, and returns its result, which must be of one of these kinds."""
        self.token += 1
        begin = len(self.lines)
        self.process.stdin.write(f"{self.token}-{command}\n".encode())
        result = self.until(rf"{self.token}\^", seconds, begin)
        if not re.match(rf"{self.token}\^({kinds})\b", result):
            raise Failed(f"-{command}: {result}")
        return result

    def console(self, command, seconds=PATIENCE):
        """What a command of the console prints, or the server in answer to it."""
        begin = len(self.lines)
        self.ask(f'interpreter-exec console "{command}"', seconds=seconds)
        text = "".join(line[2:-1] for line in self.lines[begin:] if line[:1] in "~@")
        return text.replace(r"\n", "\n").replace(r"\"", '"').replace(r"\t", "\t")

    def resume(self, command, seconds=LONG):
        """Sends a command that resumes, and returns the line that says why it has stopped."""
        begin = len(self.lines)
        self.ask(command, "running")
        return self.until(r"\*stopped", seconds, begin)
