"""The commands of `sentrybench aim`, read from the trace that it prints."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from .errors import MALFORMED, ExitError

# A longer line is not one that `aim` prints.
LONGEST_LINE = 4096
AIM = re.compile(r"X([0-9]{1,3})\.")


class Connection(Enum):
    """The connection to `aim`."""

    CONNECTING = "Connecting"
    CONNECTED = "Connected"
    DISCONNECTED = "Disconnected"


@dataclass(frozen=True)
class Command:
    # Seconds, on the clock of the observations.
    time: float
    # 0 to 180; None if the target is lost.
    degrees: int | None


@dataclass(frozen=True)
class Decision:
    """What `aim` has decided so far."""

    connection: Connection = Connection.CONNECTING
    # None before the first command.
    command: Command | None = None
    # The number of times that a target was found.
    points: int = 0

    @property
    def degrees(self) -> int | None:
        return self.command.degrees if self.command else None

    def after(self, command: Command) -> Decision:
        is_found = self.degrees is None and command.degrees is not None
        return replace(self, command=command, points=self.points + is_found)


class TraceReader:
    """Reads a trace, line by line. `name` is the file's, for errors."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._number = 0
        self._time = 0.0

    def read(self, line: bytes) -> Command | None:
        """The command in the next line. None for the header and for events of other kinds."""
        self._number += 1
        if len(line) > LONGEST_LINE:
            raise self._error(f"expected a line of at most {LONGEST_LINE} bytes")
        value = self._parsed(line)
        if self._number == 1:
            is_trace = isinstance(value, dict) and value.get("format") == "sentry-trace"
            if not is_trace or value.get("version") != 1:
                raise self._error("expected the header of a trace, version 1")
            return None
        if not (isinstance(value, list) and len(value) >= 2 and isinstance(value[1], str)):
            raise self._error('expected an event, such as [1.5, "rx", "X90."]')
        time = self._seconds(value[0])
        if value[1] != "rx":
            return None
        return Command(time, self._degrees(value[2] if len(value) == 3 else None))

    def end(self) -> None:
        if self._number == 0:
            raise ExitError(
                f"{self._name} is empty; expected the trace that sentrybench aim prints.", MALFORMED
            )

    def _parsed(self, line: bytes) -> Any:
        try:
            return json.loads(line.decode())
        except (ValueError, RecursionError):
            raise self._error("expected a line of JSON in UTF-8") from None

    def _seconds(self, value: Any) -> float:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        try:
            time = float(value) if is_number else math.nan
        except OverflowError:
            time = math.inf
        if not (math.isfinite(time) and time >= self._time):
            raise self._error("expected a time in seconds that does not decrease")
        self._time = time
        return time

    def _degrees(self, text: object) -> int | None:
        if text == "L":
            return None
        match = AIM.fullmatch(text) if isinstance(text, str) else None
        if match is None or int(match[1]) > 180:
            raise self._error(
                "expected one command, X0. to X180. or L, as sentrybench aim sends it"
            )
        return int(match[1])

    def _error(self, what: str) -> ExitError:
        return ExitError(f"{self._name}:{self._number}: {what}.", MALFORMED)
