"""A process of the program, and the conversation with it."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import cast

from . import folders
from .conversation import Conversation, Message
from .errors import TurretError

VERSION = 1
"""The version of the requests that this package sends."""

PATIENCE = 20.0
"""How long the program can take to answer a request that waits for nothing, in seconds."""

STARTING = 60.0
"""How long the program can take to start, in seconds: enough for a busy machine."""

ENDING = 5.0
"""How long the program can take to end after its input is closed, in seconds."""

_SAID_MAX = 4_096


class Bench:
    """A process of `sentrybench run --api -`, with a private folder.

    A thread reads what the program writes. Any thread can send requests. The program ends when its
    standard input is closed, so it never outlives this process.
    """

    def __init__(self, program: str, folder: str) -> None:
        self.program = program
        self.folder = folder
        self.conversation = Conversation()
        """The requests and answers so far."""
        self._lock = threading.Lock()
        # Held while a request is written. Not `_lock`, which the reader needs: the program stops
        # reading requests while too many of its answers are unread.
        self._writing = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._reader: threading.Thread | None = None
        self._owner = os.getpid()

    @classmethod
    def start(cls, program: str, arguments: Sequence[str], folder: str) -> tuple[Bench, Message]:
        """Starts the program. Returns the bench and the program's answer to `hello`.

        Raises `TurretError` with the program's messages if it does not start. The folder is then
        removed, as it is at the end.
        """
        bench = cls(program, folder)
        try:
            bench._spawn(arguments)
            try:
                return bench, bench.ask("hello", version=VERSION, ends=True).result(STARTING)
            except FutureTimeout:
                raise TurretError(f"{program} does not answer within {STARTING:g} s") from None
            except TurretError as error:
                if bench._process is not None and bench._process.poll() is None:
                    text = f"{program} is not the program of this package: {error}"
                    raise TurretError(text) from None
                raise
        except BaseException:
            bench.close()
            bench.remove()
            raise

    def _spawn(self, arguments: Sequence[str]) -> None:
        with open(self._errors, "wb") as errors:
            try:
                self._process = subprocess.Popen(
                    [self.program, *arguments],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    bufsize=0,
                    # Ctrl-C in a terminal must reach only the test, which then ends the bench.
                    start_new_session=True,
                )
            except OSError as error:
                raise TurretError(f"{self.program} cannot be started: {error.strerror}") from error
        self._reader = threading.Thread(target=self._read, name="sentrybench", daemon=True)
        self._reader.start()

    def _read(self) -> None:
        """Handles the program's output until the program ends."""
        assert self._process is not None and self._process.stdout is not None
        with io.BufferedReader(cast(io.RawIOBase, self._process.stdout)) as lines:
            for line in lines:
                with self._lock:
                    self.conversation.take(line)
        why = self._why_it_ended(self._process.wait())
        with self._lock:
            self.conversation.lose(why)

    # Requests

    def ask(self, do: str, **members: object) -> Future[Message]:
        """Sends a request. Returns a future for its answer."""
        return self.ask_numbered(do, **members)[1]

    def ask_numbered(self, do: str, **members: object) -> tuple[int, Future[Message]]:
        """Sends a request. Returns its number, and a future for its answer."""
        with self._writing:
            with self._lock:
                number, line, future = self.conversation.ask(do, members)
            self._write(line)
        return number, future

    def _write(self, line: bytes) -> None:
        assert self._process is not None and self._process.stdin is not None
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[self._process.stdin.write(rest) :]
        except (OSError, ValueError):
            pass  # The program has ended. The reader finds out why, and fails the request.
        except BaseException:
            # Interrupted: the next request would be read as the rest of this half-written line.
            with self._lock:
                self.conversation.lose("a request was interrupted while it was written")
            raise

    def raises(self, number: int) -> None:
        """Notes that a call raises the failure of this rule, so that the end does not raise it."""
        with self._lock:
            self.conversation.raised.add(number)

    # The program's messages and exit status

    @property
    def _errors(self) -> str:
        return os.path.join(self.folder, "stderr")

    def said(self) -> str:
        """Returns the last part of what the program has written to standard error."""
        try:
            with open(self._errors, "rb") as file:
                file.seek(max(0, os.path.getsize(self._errors) - _SAID_MAX))
                return file.read().decode(errors="replace").strip()
        except OSError:
            return ""

    def _why_it_ended(self, status: int) -> str:
        if status < 0:
            try:
                how = f"was ended by {signal.Signals(-status).name}"
            except ValueError:
                how = f"was ended by signal {-status}"
        else:
            how = f"ended with status {status}"
        said = self.said()
        return f"{self.program} {how}" + (f":\n{said}" if said else "")

    # The end

    def wait(self, timeout: float) -> bool:
        """Closes the program's input and waits for the program. Returns whether it has ended."""
        process = self._process
        if process is None:
            return True
        assert process.stdin is not None
        try:
            process.stdin.close()
        except OSError:
            pass
        # The reader waits for the process. With a timeout, Popen.wait only polls.
        if self._reader is not None:
            self._reader.join(timeout)
        return process.poll() is not None

    def close(self) -> None:
        """Closes the program's input, and kills the program if it does not end."""
        if os.getpid() != self._owner:
            return  # A forked copy of this process; the bench belongs to the other one.
        ended = False
        try:
            ended = self.wait(ENDING)
        finally:
            if not ended and self._process is not None:
                self._process.kill()
                self.wait(PATIENCE)

    def remove(self) -> None:
        """Removes the folder."""
        if os.getpid() == self._owner:
            folders.remove(self.folder)
