"""The events of a session, as its trace lists them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple


class Event(NamedTuple):
    """An event of the session, for example `Event(1.505283, "servo", (110, 1678))`."""

    time: float
    """The time of the session, in seconds."""
    kind: str
    """The kind of event: `rx`, `servo`, `tx`, `tone`, `lost`, `reset` and others."""
    values: tuple[Any, ...]
    """The rest of the event, as the trace format describes it for this kind."""

    @classmethod
    def of(cls, line: Sequence[Any]) -> Event:
        """Returns the event that a line of a trace contains."""
        return cls(float(line[0]), str(line[1]), tuple(line[2:]))
