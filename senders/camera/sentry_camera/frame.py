"""A picture with its time, and the source of such pictures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from .upright import Picture

# The default rate, in pictures per second.
RATE = 30.0


@dataclass(frozen=True)
class Frame:
    # Seconds since the first one.
    time: float
    picture: Picture


class Source(Protocol):
    @property
    def rate(self) -> float:
        """Pictures per second, as far as known."""

    @property
    def dropped(self) -> int:
        """How many pictures were dropped because they arrived while another was being processed."""

    def frames(self) -> Iterator[Frame]: ...

    def close(self) -> None: ...
