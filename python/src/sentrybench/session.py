"""A session with a bench, from its start to its end.

Nothing here waits for answers: `Turret`, `VirtualTurret` and `AsyncTurret` do, each in its own way.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any, cast

from . import files, folders, program, rules
from .bench import ENDING, Bench
from .conversation import Message, Report
from .errors import TurretError, TurretFailure
from .events import Event
from .settings import RECORD, TIMEOUT, BoardSettings, Path, TurretSettings, arguments, mistaken
from .values import Time, exact, text

EVENTS_MAX = 10_000
"""The most events in an answer."""


class Session:
    """A bench and the rules stated for it.

    Raises `TypeError` for an unknown setting, and `TurretError` if the bench cannot start.
    """

    def __init__(self, settings: BoardSettings, virtual: bool) -> None:
        mistake = mistaken(settings, BoardSettings if virtual else TurretSettings)
        if mistake:
            raise TypeError(mistake)
        given = cast(TurretSettings, settings)
        path = os.fspath(given["program"]) if "program" in given else program.find()
        self.timeout = float(given.get("timeout", TIMEOUT))
        self.keeps_folder = False
        """Whether the private folder stays after the end, until `remove`."""
        self._goldens = Goldens(os.fspath(given.get("folder", "")), bool(given.get("update")))
        folder = folders.make()
        try:
            options = arguments(given, folder, virtual)
        except BaseException:
            folders.remove(folder)
            raise
        self._bench, self.hello = Bench.start(path, options, folder)
        self.environment: dict[str, str] = self.hello["environment"]

    @property
    def program(self) -> str:
        """The program's path."""
        return self._bench.program

    @property
    def recording(self) -> str:
        """The path of the session's recording in the private folder."""
        return os.path.join(self._bench.folder, RECORD)

    def address(self, name: str) -> str:
        """Returns an address of the bench. Raises `TurretError` if it does not listen there."""
        variable = f"SENTRY_{name.upper()}"
        try:
            return self.environment[variable]
        except KeyError:
            raise TurretError(
                f"the bench has no {variable}; set network=True to let it listen for {name}"
            ) from None

    # Requests

    def ask(self, do: str, **members: object) -> Future[Message]:
        """Sends a request. Returns a future for its answer."""
        return self._bench.ask(do, **members)

    def send(self, data: str | bytes, at: float | None) -> Future[Message]:
        """Sends bytes, now or at a later time of the session."""
        when = {} if at is None else {"at": exact(at)}
        return self.ask("send", bytes=text(data), **when)

    def set(self, pin: str, level: bool | int, at: float | None) -> Future[Message]:
        """Applies a level to a pin, now or at a later time of the session."""
        when = {} if at is None else {"at": exact(at)}
        return self.ask("set", pin=pin, level=level, **when)

    def analog(self, pin: str, volts: float, at: float | None) -> Future[Message]:
        """Applies a voltage to a pin, now or at a later time of the session."""
        when = {} if at is None else {"at": exact(at)}
        return self.ask("analog", pin=pin, volts=exact(volts), **when)

    def part(self, part: str, value: float, at: float | None) -> Future[Message]:
        """Tells a part something, now or at a later time of the session."""
        when = {} if at is None else {"at": exact(at)}
        return self.ask("part", part=part, value=exact(value), **when)

    def lines(self, dtr: bool | None, rts: bool | None) -> Future[Message]:
        """Sets or releases modem lines."""
        given = {"dtr": dtr, "rts": rts}
        return self.ask("lines", **{name: on for name, on in given.items() if on is not None})

    def reset(self, dead: float | None) -> Future[Message]:
        """Restarts the board."""
        return self.ask("reset", **({} if dead is None else {"dead": exact(dead)}))

    # Rules

    def expect(self, words: Mapping[str, Any], timeout: float, place: str) -> Expected:
        """States a rule that fails if it is not decided within `timeout` seconds."""
        return self._state(rules.rule(words), place, patience=exact(timeout))

    def _state(self, rule: Mapping[str, Any], place: str, **more: object) -> Expected:
        number, answer = self._bench.ask_numbered("expect", rule=rule, place=place, **more)
        return Expected(self._bench, number, answer)

    def never(
        self,
        mishaps: tuple[str, ...],
        pin: rules.Pin | None,
        while_: str | None,
        at_least: Time | None,
        at_most: Time | None,
        unless: str | None,
        place: str,
    ) -> list[Expected]:
        """States that none of these mishaps happens, and that a pin is never in a state."""
        __tracebackhide__ = True
        stated = rules.never(mishaps, pin, while_, at_least, at_most, unless)
        return [self._state(rule, place) for rule in stated]

    def recovers(self, within: Time, place: str) -> Expected:
        """States that the first whole command after the last fault is obeyed in time."""
        __tracebackhide__ = True
        return self._state(rules.recovers(within), place)

    def ends(
        self,
        servo: rules.Angles | Mapping[str, rules.Angles] | None,
        sweeping: bool | None,
        pin: rules.Pin | None,
        place: str,
    ) -> Expected:
        """States the turret's state at the end of the session."""
        return self._state(rules.ends(servo, sweeping, pin), place)

    def matches(
        self, path: Path, tolerance: Time | None, gaps: Time | None, place: str
    ) -> Expected | None:
        """Requires the session to match a trace. Returns `None` if that is yet to be written."""
        __tracebackhide__ = True
        full = self._goldens.path(path)
        if not self._goldens.exists(full):
            return None
        expected = self._state(rules.golden(full, tolerance, gaps), place)
        self._goldens.stated[expected.number] = full
        return expected

    # The end

    @property
    def is_over(self) -> bool:
        """Whether the program has reported the session's end."""
        return self._bench.conversation.over is not None

    def end(self) -> Future[Message] | None:
        """Ends the session, unless it has ended."""
        return None if self.is_over else self.ask("end")

    def finish(self, update: bool = True) -> Report:
        """Waits for the program to end. Returns its report.

        `update`: whether golden traces can be written. Raises `TurretError` if the program did not
        end, or ended without a report.
        """
        __tracebackhide__ = True
        try:
            ended = self._bench.wait(ENDING)
            report = self._bench.conversation.report()
            if not ended or report is None:
                raise self._bench.conversation.lost or TurretError(
                    f"{self.program} has not ended {ENDING:g} s after the session"
                )
            if update and self._goldens.update:
                for number in self._goldens.outdated(self._bench.conversation.failed):
                    self._bench.raises(number)
                # Only a session without other failures becomes a golden trace.
                if not self.untold():
                    self._goldens.write(self.recording)
                report = self._bench.conversation.report() or report
            return report
        finally:
            self.close()

    @property
    def goldens(self) -> list[str]:
        """The traces that the session is compared with."""
        return list(self._goldens.stated.values())

    @property
    def updated(self) -> list[str]:
        """The paths of the golden traces that were written at the end."""
        return self._goldens.written

    def judged(self, report: Report) -> Report:
        """Returns the report. Raises `TurretFailure` if it has failures that no call has raised."""
        __tracebackhide__ = True
        if report.failures:
            for number in self._bench.conversation.failed:
                self._bench.raises(number)
            raise TurretFailure("\n\n".join(report.failures))
        return report

    def untold(self) -> list[str]:
        """Returns the texts of the failures so far that no call has raised."""
        return self._bench.conversation.untold()

    def close(self) -> None:
        """Ends the program, and kills it if necessary."""
        try:
            self._bench.close()
        finally:
            if not self.keeps_folder:
                self._bench.remove()

    def remove(self) -> None:
        """Ends the program, and removes the private folder."""
        self.keeps_folder = False
        self.close()

    def said(self) -> str:
        """Returns the last part of what the program has written to standard error."""
        return self._bench.said()


class Expected:
    """A rule that was stated, and a future for its verdict."""

    def __init__(self, bench: Bench, number: int, answer: Future[Message]) -> None:
        self.number = number
        """The number of its request."""
        self.answer = answer
        self._bench = bench

    def give_up(self) -> None:
        """Notes that its call raises something else, so that the end does not raise its failure."""
        self._bench.raises(self.number)

    def judge(self, message: Message) -> None:
        """Raises `TurretFailure` if the rule fails."""
        __tracebackhide__ = True
        if message.get("verdict") == "fails":
            self._bench.raises(self.number)
            raise TurretFailure(str(message.get("text")))


class Goldens:
    """The golden traces: files that sessions are compared with."""

    def __init__(self, folder: str, update: bool) -> None:
        self.folder = folder
        self.update = update
        self.stated: dict[int, str] = {}
        self.unwritten: list[str] = []
        self.written: list[str] = []

    def path(self, path: Path) -> str:
        """Returns the absolute path."""
        return os.path.abspath(os.path.join(self.folder, os.fspath(path)))

    def exists(self, path: str) -> bool:
        """Whether the trace exists. Raises `TurretError` if it does not and must not be written."""
        __tracebackhide__ = True
        if os.path.exists(path):
            return True
        if not self.update:
            raise TurretError(
                f"{path} does not exist; pytest --turret-update, or update=True, writes it"
            )
        self.unwritten.append(path)
        return False

    def outdated(self, failed: Mapping[int, str]) -> list[int]:
        """Returns the numbers of the golden rules that failed. `write` then writes their traces."""
        numbers = [number for number in self.stated if number in failed]
        self.unwritten += [self.stated[number] for number in numbers]
        return numbers

    def write(self, recording: str) -> None:
        """Writes the traces that are missing or that the session disagrees with."""
        with open(recording, "rb") as file:
            trace = file.read()
        for path in dict.fromkeys(self.unwritten):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            files.check(path, "trace")
            files.write(path, trace)
            self.written.append(path)


def events(messages: list[Message]) -> list[Event]:
    """Returns the events in answers to `events`. Raises `TurretError` if some are lost."""
    lost = sum(int(message["lost"]) for message in messages)
    if lost:
        raise TurretError(
            f"the first {lost} events are no longer kept; set start= to leave them out"
        )
    return [Event.of(line) for message in messages for line in message["events"]]
