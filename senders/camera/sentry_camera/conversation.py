"""Decides how the server answers a client, and which picture is processed next.

A conversation takes messages and results, with their times, and returns actions. At most one
picture is being processed and one waits. A newer picture replaces the waiting one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .jpeg import MOST_BYTES
from .observations import Found, Size, biggest_first, frame_keys

# Of a text message, in characters.
LONGEST_TEXT = 1000


@dataclass(frozen=True)
class Say:
    """Send this text to the client."""

    text: str


@dataclass(frozen=True)
class Look:
    """Decode this picture and detect in it; then call `seen` or `failed`."""

    jpeg: bytes


@dataclass(frozen=True)
class _Picture:
    number: int
    # Seconds since the first picture arrived.
    time: float
    jpeg: bytes


Action = Say | Look


class Conversation:
    """A conversation with one client. `about` is the answer to a hello."""

    def __init__(self, about: Mapping[str, object]) -> None:
        self._about = about
        self._count = 0
        self._first: float | None = None
        self._current: _Picture | None = None
        self._waiting: _Picture | None = None
        self.replaced = 0

    def receive(self, message: str | bytes, now: float) -> list[Action]:
        """Takes a message that arrived at `now`, in seconds."""
        if isinstance(message, str):
            return [self._answer(message)]
        self._count += 1
        number = self._count
        if len(message) > MOST_BYTES:
            reason = f"The picture has {len(message)} bytes; at most {MOST_BYTES} are accepted."
            return [_say({"seq": number, "error": reason})]
        self._first = now if self._first is None else self._first
        picture = _Picture(number, max(0.0, now - self._first), message)
        if self._current is None:
            self._current = picture
            return [Look(message)]
        replaced, self._waiting = self._waiting, picture
        if replaced is None:
            return []
        self.replaced += 1
        return [_say({"seq": replaced.number, "replaced_by": number})]

    def seen(self, found: Sequence[Found], image: Size, seconds: float) -> list[Action]:
        """Takes what was found in the picture, the picture's size, and how long detection took."""
        return self._finish(
            lambda picture: (
                frame_keys(picture.time, biggest_first(found))
                | {
                    "seq": picture.number,
                    "image": list(image),
                    "ms": round(max(0.0, seconds) * 1000, 3),
                    "replaced": self.replaced,
                }
            )
        )

    def failed(self, reason: str) -> list[Action]:
        """Takes the reason why the picture cannot be used."""
        return self._finish(lambda picture: {"seq": picture.number, "error": reason})

    def _finish(self, keys: Callable[[_Picture], Mapping[str, object]]) -> list[Action]:
        picture, self._current, self._waiting = self._current, self._waiting, None
        actions: list[Action] = [] if picture is None else [_say(keys(picture))]
        if self._current is not None:
            actions.append(Look(self._current.jpeg))
        return actions

    def _answer(self, text: str) -> Say:
        if len(text) > LONGEST_TEXT:
            return _say({"error": f"A text has at most {LONGEST_TEXT} characters."})
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            message = None
        if isinstance(message, dict) and "hello" in message:
            return _say({"hello": self._about})
        expected = '{"hello": {}}, or a binary message with a JPEG picture'
        return _say({"error": f"This message is not understood; expected {expected}."})


def _say(keys: Mapping[str, object]) -> Say:
    return Say(json.dumps(keys))
