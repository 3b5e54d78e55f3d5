"""Follows the commands of `sentrybench aim`: those in a file by their times, or live."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Lock, Thread
from typing import BinaryIO, Protocol

from .commands import LONGEST_LINE, Command, Connection, Decision, TraceReader
from .errors import NO_INPUT, USAGE, ExitError
from .observations import DIGITS


class Commands(Protocol):
    def at(self, time: float) -> Decision:
        """The decision for the picture at `time`, in seconds. Times must not decrease."""

    def close(self) -> None: ...


def open_commands(name: str) -> Commands:
    path = Path(name)
    if not path.exists():
        raise ExitError(f"{name} does not exist.", NO_INPUT)
    if path.is_fifo():
        return LiveCommands(name)
    if not path.is_file():
        raise ExitError(f"--commands requires a file or a FIFO, not {name}.", USAGE)
    return FileCommands(name)


class FileCommands:
    """Commands that take effect at their own times."""

    def __init__(self, name: str) -> None:
        self._reader = TraceReader(name)
        self._file = _open(name)
        self._decision = Decision(Connection.CONNECTED)
        self._next = self._read()

    def at(self, time: float) -> Decision:
        # Observations and traces have times with this many digits.
        while self._next is not None and self._next.time <= round(time, DIGITS):
            self._decision = self._decision.after(self._next)
            self._next = self._read()
        return self._decision

    def close(self) -> None:
        self._file.close()

    def _read(self) -> Command | None:
        while line := self._file.readline(LONGEST_LINE + 1):
            command = self._reader.read(line)
            if command is not None:
                return command
        self._reader.end()
        return None


class LiveCommands:
    """Commands that take effect when they arrive. A thread reads the FIFO."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = Lock()
        self._decision = Decision()
        self._error: ExitError | None = None
        # Opening a FIFO waits for the program that writes to it.
        self.thread = Thread(target=self._read, name="commands", daemon=True)
        self.thread.start()

    def at(self, time: float) -> Decision:
        with self._lock:
            if self._error is not None:
                raise self._error
            return self._decision

    def close(self) -> None:
        """Does nothing: the thread might wait forever for a line, and ends with the program."""

    def _read(self) -> None:
        reader = TraceReader(self._name)
        try:
            with _open(self._name) as file:
                while line := file.readline(LONGEST_LINE + 1):
                    command = reader.read(line)
                    with self._lock:
                        decision = replace(self._decision, connection=Connection.CONNECTED)
                        self._decision = decision.after(command) if command else decision
        except ExitError as error:
            self._error = error
        with self._lock:
            self._decision = replace(self._decision, connection=Connection.DISCONNECTED)


def _open(name: str) -> BinaryIO:
    try:
        return Path(name).open("rb")
    except OSError as error:
        raise ExitError(f"{name} cannot be read: {error.strerror}.", NO_INPUT) from None
