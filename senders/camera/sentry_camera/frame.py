"""A picture and its time, and what gives them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from .upright import Picture

# Pictures a second where nothing says another.
RATE = 30.0


@dataclass(frozen=True)
class Frame:
    # Seconds since the first one.
    time: float
    picture: Picture


class Source(Protocol):
    @property
    def rate(self) -> float:
        """Pictures a second, as far as it is known."""

    @property
    def dropped(self) -> int:
        """Pictures that came while another was looked at, and are gone."""

    def frames(self) -> Iterator[Frame]: ...

    def close(self) -> None: ...
