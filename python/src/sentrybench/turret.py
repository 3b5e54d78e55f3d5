"""A turret in real time, and the base class that it shares with one in virtual time."""

from __future__ import annotations

import os
import subprocess
import weakref
from collections.abc import Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from time import monotonic, sleep
from types import TracebackType
from typing import TYPE_CHECKING, Literal, TypedDict, cast

from . import files
from . import session as sessions
from .bench import PATIENCE
from .conversation import Message, Report
from .errors import TurretError
from .events import Event
from .places import callers_place
from .rules import Activity, Angles, Expectation, Mishap, Pin
from .settings import BoardSettings, Path, TurretSettings
from .values import Time, exact

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


SETTLED_MAX = 1.0
"""How long the end waits for the sketch to read the bytes sent so far, in seconds."""

SETTLED_STEP = 0.002
"""The pause between two checks for such bytes, in seconds."""


class State(TypedDict):
    """The state of a turret. Values that the device does not reveal are `None`."""

    time: float
    servo: int | None
    pulse: int | None
    shaft: float
    sweeping: bool
    activity: str | None
    ready: bool
    tone: float | None
    on_line: int
    waiting: int | None
    baud: int


class Counts(TypedDict):
    """How much has happened so far. Values that the device does not reveal are `None`."""

    time: float
    received: int
    commands: int | None
    servo: int
    transmitted: int
    lost: dict[str, int]
    events: int
    rules: int


class BaseTurret:
    """The methods that turrets in real time and in virtual time have in common.

    A turret is a context manager: at the end of `with`, the session ends, and all failures that no
    call has raised yet are raised together.
    """

    def __init__(self, settings: BoardSettings, virtual: bool) -> None:
        self._is_closed = False
        """Whether the session has ended."""
        self._settings = settings
        self._session = sessions.Session(settings, virtual)
        self._finalizer = weakref.finalize(self, self._session.remove)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        __tracebackhide__ = True
        if kind is None:
            self.end()
        else:
            self.close()

    @staticmethod
    def _result(answer: Future[Message], timeout: float = 0) -> Message:
        """Waits for an answer that the bench can delay by up to `timeout` seconds."""
        __tracebackhide__ = True
        try:
            return answer.result(timeout + PATIENCE)
        except TurretError as error:
            # Raised here, so that a test's report shows no lines of other modules.
            raise TurretError(str(error)) from None
        except FutureTimeout:
            raise TurretError(f"the bench does not answer within {PATIENCE:g} s") from None

    # Inputs

    def send(self, data: str | bytes, at: float | None = None) -> Self:
        """Sends bytes now, or at a later time of the session in seconds. Returns the turret."""
        __tracebackhide__ = True
        self._result(self._session.send(data, at))
        return self

    def speed(self, baud: int) -> None:
        """Sets the speed at which `send` sends, in bits per second."""
        __tracebackhide__ = True
        self._result(self._session.ask("speed", baud=baud))

    def set(self, pin: str, level: bool | int, at: float | None = None) -> Self:
        """Applies a level to a pin of the emulated board, for example `set("D2", 1)`.

        Takes effect now, or at a later time of the session in seconds, and lasts until the next
        level. Returns the turret.
        """
        __tracebackhide__ = True
        self._result(self._session.set(pin, level, at))
        return self

    def analog(self, pin: str, volts: float, at: float | None = None) -> Self:
        """Applies a voltage to a pin of the emulated board, for example `analog("A0", 2.5)`.

        Takes effect now, or at a later time of the session in seconds, and lasts until the next
        voltage. Returns the turret.
        """
        __tracebackhide__ = True
        self._result(self._session.analog(pin, volts, at))
        return self

    def part(self, part: str, value: float, at: float | None = None) -> Self:
        """Tells a part of the emulated board something: `part("hc-sr04@D7:D8", 0.35)` is a distance
        in metres.

        Takes effect now, or at a later time of the session in seconds, and lasts until the next
        value. Returns the turret.
        """
        __tracebackhide__ = True
        self._result(self._session.part(part, value, at))
        return self

    def format(self, format: str) -> None:
        """Sets the format in which `send` sends, for example `"8E1"`: the data bits, the parity (N,
        E, O, M or S) and the stop bits."""
        __tracebackhide__ = True
        self._result(self._session.ask("format", format=format))

    def send_break(self, seconds: float = 0.25) -> None:
        """Holds the line low for `seconds`, when it is free."""
        __tracebackhide__ = True
        self._result(self._session.ask("break", seconds=exact(seconds)))

    def lines(self, dtr: bool | None = None, rts: bool | None = None) -> None:
        """Sets or releases modem lines. Setting DTR restarts the board, as on an Uno."""
        __tracebackhide__ = True
        self._result(self._session.lines(dtr, rts))

    def reset(self, dead: float | None = None) -> None:
        """Restarts the board. Its bootloader owns the line for `dead` seconds."""
        __tracebackhide__ = True
        self._result(self._session.reset(dead))

    # Rules

    def expect(self, *, timeout: float | None = None, **rule: Unpack[Expectation]) -> None:
        """States a rule, for example `expect(servo=110, within="50ms", of="X110.")`.

        A rule about an output (`servo`, `shaft`, `pulse`, `pin`, `tx`, `tone`, `exactly`) is decided
        before this returns: it is met, or `TurretFailure` is raised. Each such rule searches
        onwards from the match of the previous one. It waits for at most `timeout` seconds; the
        default is the turret's.

        A rule about the session as a whole (`angles`, `quiet`, `commands`, `rate`, `gap`, and
        `count` without `of`) is checked at once and at the end.
        """
        __tracebackhide__ = True
        timeout = self._session.timeout if timeout is None else timeout
        self._decide(self._session.expect(rule, timeout, callers_place()), timeout)

    def _decide(self, expected: sessions.Expected, timeout: float = 0) -> None:
        """Waits until a rule is decided, which happens within its time limit."""
        __tracebackhide__ = True
        try:
            message = self._result(expected.answer, timeout)
        except BaseException:
            expected.give_up()
            raise
        expected.judge(message)

    def never(
        self,
        *mishaps: Mishap,
        pin: Pin | None = None,
        while_: Activity | None = None,
        at_least: Time | None = None,
        at_most: Time | None = None,
        unless: Literal["fault"] | None = None,
    ) -> None:
        """States that none of these happens until the end of the session.

        `pin` is a level or a pulse that a pin must not have, always or `while_` the sketch does
        something: `never(pin=("laser", 1), while_="scanning")`. With `unless="fault"`, a mishap up
        to a second after a fault of the session does not count. It is checked at once, and raises
        `TurretFailure` if one has happened.
        """
        __tracebackhide__ = True
        place = callers_place()
        for expected in self._session.never(mishaps, pin, while_, at_least, at_most, unless, place):
            self._decide(expected)

    def recovers(self, within: Time) -> None:
        """States that the first whole command after the session's last fault is obeyed in time."""
        __tracebackhide__ = True
        self._decide(self._session.recovers(within, callers_place()))

    def ends(
        self,
        servo: Angles | Mapping[str, Angles] | None = None,
        sweeping: bool | None = None,
        pin: Pin | None = None,
    ) -> None:
        """States the turret's state at the end of the session."""
        __tracebackhide__ = True
        self._decide(self._session.ends(servo, sweeping, pin, callers_place()))

    def matches(
        self, path: Path, *, tolerance: Time | None = None, gaps: Time | None = None
    ) -> None:
        """Requires the session to match a trace, as `sentrybench run --expect` compares them.

        It is judged at the end. `tolerance` is the allowed error of the time from a cause to its
        output, and `gaps` that of the times between the sender's bytes.
        """
        __tracebackhide__ = True
        expected = self._session.matches(path, tolerance, gaps, callers_place())
        if expected is not None:
            self._decide(expected)

    # What happened

    def state(self) -> State:
        """Returns the turret's state now."""
        __tracebackhide__ = True
        return cast(State, self._result(self._session.ask("state")))

    def counts(self) -> Counts:
        """Returns how much has happened so far."""
        __tracebackhide__ = True
        return cast(Counts, self._result(self._session.ask("counts")))

    @property
    def time(self) -> float:
        """The time of the session in seconds."""
        return self.state()["time"]

    @property
    def servo(self) -> int | None:
        """The commanded angle in degrees."""
        return self.state()["servo"]

    @property
    def shaft(self) -> float:
        """The angle of the modelled shaft in degrees, with one decimal place."""
        return self.state()["shaft"]

    def events(self, kind: str | None = None, start: int = 0) -> list[Event]:
        """Returns the events so far, all or those of one kind, starting at an index."""
        __tracebackhide__ = True
        answers = [self._events(start)]
        while len(answers[-1]["events"]) == sessions.EVENTS_MAX:
            answers.append(self._events(int(answers[-1]["next"])))
        found = sessions.events(answers)
        return [event for event in found if kind is None or event.kind == kind]

    def _events(self, start: int) -> Message:
        request = self._session.ask("events", **{"from": start, "max": sessions.EVENTS_MAX})
        return self._result(request)

    def explain(self) -> str:
        """Returns a text with the fate of every byte, and what the sender probably meant."""
        __tracebackhide__ = True
        return str(self._result(self._session.ask("explain"))["text"])

    def plot(self, path: Path | None = None) -> str:
        """Returns a picture of the session so far, as SVG. Writes it to `path` if that is given.

        Raises `TurretError` if a file is there that sentrybench did not write, or a trace.
        """
        __tracebackhide__ = True
        return _write(str(self._result(self._session.ask("plot"))["svg"]), path, "picture")

    def record(self, path: Path | None = None) -> str:
        """Returns the session so far, as a trace. Writes it to `path` if that is given.

        Raises `TurretError` if a file is there that is not a trace.
        """
        __tracebackhide__ = True
        return _write(str(self._result(self._session.ask("trace"))["trace"]), path, "trace")

    def shrink(
        self,
        path: Path | None = None,
        *,
        rules: Path | None = None,
        against: Path | None = None,
        timeout: float = 60.0,
    ) -> str:
        """Returns the smallest session that fails as the session so far does, as a trace.

        It fails if it breaks one of the rules in the file `rules`, if the device `against` (the
        name of a sketch, or `avr:FILE`) does not do the same, or by default if a byte is lost,
        junk, swallowed, abandoned, refused or sent at a wrong speed. The session is run again on
        the turret's device, which must be in virtual time. After `timeout` seconds the smallest
        one found so far is returned. Writes it to `path` if that is given.

        Raises `TurretError` if the session does not fail, or if a file is at `path` that is not a
        trace.
        """
        __tracebackhide__ = True
        if rules is not None and against is not None:
            raise TurretError("shrink takes rules or against, not both")
        command = [self._session.program, "shrink", "-", "--quiet", "--budget", f"{timeout:f}s"]
        device = os.fspath(self._settings.get("device", "model"))
        command += ["--device", device]
        if device.startswith("avr:"):
            command += cast(TurretSettings, self._settings).get("options", ())
        if against is not None:
            command += ["--against", os.fspath(against)]
        else:
            command += ["--strict"] if rules is None else ["--rules", os.fspath(rules)]
        done = subprocess.run(
            command, input=self.record().encode(), capture_output=True, check=False
        )
        if done.returncode != 0:
            raise TurretError(done.stderr.decode(errors="replace").strip())
        return _write(done.stdout.decode(), path, "trace")

    # The end

    def end(self) -> Report:
        """Ends the session. Returns the report.

        Raises `TurretFailure` with the texts of all rules that failed, except those that a call has
        already raised.
        """
        __tracebackhide__ = True
        try:
            self.settle()
            answer = self._session.end()
            if answer is not None:
                self._result(answer)
            return self._session.judged(self._session.finish())
        finally:
            self.close()

    def settle(self) -> None:
        """Waits until the sketch has read all bytes sent so far. In virtual time, does nothing."""

    def close(self) -> None:
        """Ends the session without judging it. It can be called more than once."""
        self._is_closed = True
        self._session.close()


class Turret(BaseTurret):
    """A turret in real time, with a serial port that any program can open.

        with Turret(firmware="classic") as turret:
            sender = subprocess.Popen(["my-sender"], env=turret.env)
            turret.expect(servo=110, within=0.05, of="X110.")

    Creating it waits until its sketch listens, unless `ready=False` is given. Raises `TurretError`
    if the bench does not start.
    """

    def __init__(self, **settings: Unpack[TurretSettings]) -> None:
        super().__init__(settings, virtual=False)
        if settings.get("ready", True):
            try:
                self.ready()
            except BaseException:
                self.close()
                raise

    def ready(self) -> None:
        """Waits until the sketch listens. A real Uno takes more than a second."""
        __tracebackhide__ = True
        self._result(self._session.ask("ready"))

    def settle(self) -> None:
        """Waits until the sketch has read all bytes sent so far, for at most 1 s."""
        __tracebackhide__ = True
        if self._session.is_over:
            return
        latest = monotonic() + SETTLED_MAX
        while True:
            state = self.state()
            if not state["on_line"] and not state["waiting"] or monotonic() > latest:
                return
            sleep(SETTLED_STEP)

    @property
    def port(self) -> str:
        """The path of the serial port."""
        return self._session.address("port")

    @property
    def websocket(self) -> str:
        """The address for WebSocket, such as `ws://127.0.0.1:38089/`."""
        return self._session.address("websocket")

    @property
    def tcp(self) -> tuple[str, int]:
        """The host and the port for plain TCP, as `socket.create_connection` takes them."""
        host, _, port = self._session.address("tcp").rpartition(":")
        return host, int(port)

    @property
    def rfc2217(self) -> str:
        """The address of the serial port over TCP, for pyserial: `rfc2217://127.0.0.1:38089`."""
        return self._session.address("rfc2217")

    @property
    def env(self) -> dict[str, str]:
        """This process's environment with the turret's addresses, for a sender's process.

        They are `SENTRY_PORT`, `SENTRY_WEBSOCKET`, `SENTRY_TCP` and `SENTRY_RFC2217`.
        """
        return {**os.environ, **self._session.environment}


def _write(content: str, path: Path | None, kind: str) -> str:
    __tracebackhide__ = True
    if path is not None:
        files.check(os.fspath(path), kind)
        files.write(os.fspath(path), content.encode())
    return content
