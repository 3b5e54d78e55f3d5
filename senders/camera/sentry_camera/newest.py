"""Passes the newest thing from one thread to another. A newer thing replaces one not yet taken."""

from __future__ import annotations

from threading import Condition
from typing import Generic, TypeVar

Thing = TypeVar("Thing")


class Newest(Generic[Thing]):
    def __init__(self) -> None:
        self._changed = Condition()
        self._thing: Thing | None = None
        self._ended = False
        self._dropped = 0

    @property
    def dropped(self) -> int:
        """How many were replaced before they were taken."""
        with self._changed:
            return self._dropped

    def put(self, thing: Thing) -> None:
        with self._changed:
            if self._thing is not None:
                self._dropped += 1
            self._thing = thing
            self._changed.notify_all()

    def end(self) -> None:
        """Marks the end: nothing more will be put. A thing that is present can still be taken."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def take(self) -> Thing | None:
        """Waits for the next thing and returns it; returns None after the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._thing is not None or self._ended)
            thing, self._thing = self._thing, None
            return thing
