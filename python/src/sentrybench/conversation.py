"""The conversation with a bench: requests, answers, verdicts, the end."""

from __future__ import annotations

import json
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any

from .errors import TurretError

Message = dict[str, Any]

LINE_MAX = 65_536
"""The most bytes of a request, without its newline."""


@dataclass(frozen=True)
class Report:
    """How a session ended."""

    time: float
    """Its length in seconds."""
    status: int
    """The program's exit status: 1 if a rule failed."""
    holds: int
    """How many rules hold."""
    fails: int
    """How many rules fail."""
    failures: tuple[str, ...] = ()
    """The text of each failure that no call has raised yet."""


@dataclass
class Conversation:
    """The state of the conversation with a bench. Takes and returns lines; does no I/O.

    It is not thread-safe; `Bench` holds a lock around it.
    """

    asked: int = 0
    waiting: dict[int, Future[Message]] = field(default_factory=dict)
    raised: set[int] = field(default_factory=set)
    """The numbers of the rules whose failure a call has raised."""
    failed: dict[int, str] = field(default_factory=dict)
    """The texts of the rules that have failed, by number."""
    over: Report | None = None
    """How the session ended; `None` while it lasts."""
    lost: TurretError | None = None
    """Why there are no more answers."""

    def ask(self, do: str, members: Message) -> tuple[int, bytes, Future[Message]]:
        """Returns the request's number, its line, and a future for its answer.

        Raises `TurretError` if it cannot be answered.
        """
        if self.over is not None:
            raise TurretError(f"the session is over, so {do!r} has no answer")
        if self.lost is not None:
            raise TurretError(str(self.lost))
        number = self.asked + 1
        line = json.dumps({"id": number, "do": do, **members}, allow_nan=False).encode()
        if len(line) > LINE_MAX:
            raise TurretError(
                f"a request has at most {LINE_MAX} bytes, found {len(line)}; split {do!r} into "
                "several"
            )
        self.asked = number
        future: Future[Message] = Future()
        # Makes the future impossible to cancel: setting the answer of a cancelled one would raise.
        future.set_running_or_notify_cancel()
        self.waiting[number] = future
        return number, line + b"\n", future

    def take(self, line: bytes) -> None:
        """Handles a line that the bench has written."""
        try:
            message = json.loads(line)
            if "note" in message:
                self._note(message)
            elif message["id"] in self.waiting:
                self._answer(message["id"], message)
            elif not message["ok"]:
                self.lose(f"the program does not accept a request: {message['error']}")
        except (ValueError, TypeError, LookupError, RecursionError):
            self.lose(f"expected the program's answer, found {line[:200]!r}")

    def _note(self, message: Message) -> None:
        if message["note"] == "verdict":
            self._judged(message["rule"], message)
        elif message["note"] == "over":
            self._ended(message)

    def _answer(self, number: int, message: Message) -> None:
        if message["ok"]:
            self._judged(number, message)
            if "status" in message:
                self._ended(message)
        del message["id"]
        future = self.waiting.pop(number)
        if message.pop("ok"):
            future.set_result(message)
        else:
            future.set_exception(TurretError(str(message.get("error"))))

    def _judged(self, number: int, message: Message) -> None:
        if message.get("verdict") == "fails":
            self.failed[number] = str(message.get("text"))

    def _ended(self, message: Message) -> None:
        for decided in message["rules"]:
            self._judged(decided["rule"], decided)
        self.over = Report(
            time=float(message["time"]),
            status=int(message["status"]),
            holds=int(message["holds"]),
            fails=int(message["fails"]),
        )

    def lose(self, why: str) -> None:
        """Notes that there are no more answers. Pending requests fail with this reason."""
        if self.lost is None:
            self.lost = TurretError(why)
        for future in self.waiting.values():
            future.set_exception(TurretError(str(self.lost)))
        self.waiting.clear()

    def report(self) -> Report | None:
        """Returns how the session ended; `None` while it lasts or if that is unknown."""
        return self.over and replace(self.over, failures=tuple(self.untold()))

    def untold(self) -> list[str]:
        """Returns the texts of the failures that no call has raised yet."""
        return [text for number, text in self.failed.items() if number not in self.raised]
