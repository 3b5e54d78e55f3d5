"""A turret in real time, for asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from concurrent.futures import Future
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, cast

from .bench import PATIENCE
from .conversation import Message, Report
from .errors import TurretError
from .events import Event
from .places import callers_place
from .rules import Activity, Angles, Expectation, Mishap, Pin
from .session import Expected
from .settings import Path, TurretSettings
from .turret import Counts, State, Turret
from .values import Time, exact

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


class AsyncTurret:
    """A turret in real time, for asyncio. It has the methods of `Turret`, as coroutines.

        async with AsyncTurret(firmware="classic") as turret:
            sender = await asyncio.create_subprocess_exec("my-sender", env=turret.env)
            await turret.expect(servo=110, within=0.05, of="X110.")

    The bench starts with `async with`.
    """

    def __init__(self, **settings: Unpack[TurretSettings]) -> None:
        self._settings = settings
        self._turret: Turret | None = None

    async def __aenter__(self) -> Self:
        settings: TurretSettings = {**self._settings, "ready": False}
        self._turret = await asyncio.to_thread(Turret, **settings)
        if self._settings.get("ready", True):
            try:
                await self.ready()
            except BaseException:
                await self.close()
                raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        __tracebackhide__ = True
        if kind is None:
            await self.end()
        else:
            await self.close()

    @property
    def _started(self) -> Turret:
        if self._turret is None:
            raise TurretError('the turret has not started; use it with "async with"')
        return self._turret

    @staticmethod
    async def _result(answer: Future[Message], timeout: float = 0) -> Message:
        """Waits for an answer that the bench can delay by up to `timeout` seconds."""
        __tracebackhide__ = True
        try:
            return await asyncio.wait_for(asyncio.wrap_future(answer), timeout + PATIENCE)
        except TurretError as error:
            raise TurretError(str(error)) from None
        except asyncio.TimeoutError:
            raise TurretError(f"the bench does not answer within {PATIENCE:g} s") from None

    async def _ask(self, do: str, **members: object) -> Message:
        __tracebackhide__ = True
        return await self._result(self._started._session.ask(do, **members))

    # Addresses

    @property
    def port(self) -> str:
        """The path of the serial port."""
        return self._started.port

    @property
    def websocket(self) -> str:
        """The address for WebSocket."""
        return self._started.websocket

    @property
    def tcp(self) -> tuple[str, int]:
        """The host and the port for plain TCP."""
        return self._started.tcp

    @property
    def rfc2217(self) -> str:
        """The address of the serial port over TCP."""
        return self._started.rfc2217

    @property
    def env(self) -> dict[str, str]:
        """This process's environment with the turret's addresses, for a sender's process."""
        return self._started.env

    # Inputs

    async def ready(self) -> None:
        """Waits until the sketch listens."""
        __tracebackhide__ = True
        await self._ask("ready")

    async def settle(self) -> None:
        """Waits until the sketch has read all bytes sent so far, for at most 1 s."""
        await asyncio.to_thread(self._started.settle)

    async def send(self, data: str | bytes, at: float | None = None) -> None:
        """Sends bytes now, or at a later time of the session in seconds."""
        __tracebackhide__ = True
        await self._result(self._started._session.send(data, at))

    async def speed(self, baud: int) -> None:
        """Sets the speed at which `send` sends, in bits per second."""
        __tracebackhide__ = True
        await self._ask("speed", baud=baud)

    async def set(self, pin: str, level: bool | int, at: float | None = None) -> None:
        """Applies a level to a pin of the emulated board, for example `set("D2", 1)`.

        Takes effect now, or at a later time of the session in seconds, and lasts until the next
        level.
        """
        __tracebackhide__ = True
        await self._result(self._started._session.set(pin, level, at))

    async def analog(self, pin: str, volts: float, at: float | None = None) -> None:
        """Applies a voltage to a pin of the emulated board, for example `analog("A0", 2.5)`.

        Takes effect now, or at a later time of the session in seconds, and lasts until the next
        voltage.
        """
        __tracebackhide__ = True
        await self._result(self._started._session.analog(pin, volts, at))

    async def part(self, part: str, value: float, at: float | None = None) -> None:
        """Tells a part of the emulated board something: `part("hc-sr04@D7:D8", 0.35)` is a distance
        in metres.

        Takes effect now, or at a later time of the session in seconds, and lasts until the next
        value.
        """
        __tracebackhide__ = True
        await self._result(self._started._session.part(part, value, at))

    async def format(self, format: str) -> None:
        """Sets the format in which `send` sends, for example `"8E1"`: the data bits, the parity (N,
        E, O, M or S) and the stop bits."""
        __tracebackhide__ = True
        await self._ask("format", format=format)

    async def send_break(self, seconds: float = 0.25) -> None:
        """Holds the line low for `seconds`, when it is free."""
        __tracebackhide__ = True
        await self._ask("break", seconds=exact(seconds))

    async def lines(self, dtr: bool | None = None, rts: bool | None = None) -> None:
        """Sets or releases modem lines. Setting DTR restarts the board, as on an Uno."""
        __tracebackhide__ = True
        await self._result(self._started._session.lines(dtr, rts))

    async def reset(self, dead: float | None = None) -> None:
        """Restarts the board. Its bootloader owns the line for `dead` seconds."""
        __tracebackhide__ = True
        await self._result(self._started._session.reset(dead))

    # Rules. Each is stated before the first `await`, so that it gets the caller's file and line.

    def expect(
        self, *, timeout: float | None = None, **rule: Unpack[Expectation]
    ) -> Coroutine[Any, Any, None]:
        """States a rule. Awaiting it waits until a rule about an output is decided."""
        session = self._started._session
        limit = session.timeout if timeout is None else timeout
        return self._decide(session.expect(rule, limit, callers_place()), limit)

    async def _decide(self, expected: Expected, timeout: float = 0) -> None:
        __tracebackhide__ = True
        try:
            message = await self._result(expected.answer, timeout)
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
    ) -> Coroutine[Any, Any, None]:
        """States that none of these happens until the end of the session."""
        session, place = self._started._session, callers_place()
        stated = session.never(mishaps, pin, while_, at_least, at_most, unless, place)
        return self._decide_all(stated)

    async def _decide_all(self, stated: list[Expected]) -> None:
        __tracebackhide__ = True
        for expected in stated:
            await self._decide(expected)

    def recovers(self, within: Time) -> Coroutine[Any, Any, None]:
        """States that the first whole command after the session's last fault is obeyed in time."""
        return self._decide(self._started._session.recovers(within, callers_place()))

    def ends(
        self,
        servo: Angles | Mapping[str, Angles] | None = None,
        sweeping: bool | None = None,
        pin: Pin | None = None,
    ) -> Coroutine[Any, Any, None]:
        """States the turret's state at the end of the session."""
        return self._decide(self._started._session.ends(servo, sweeping, pin, callers_place()))

    def matches(
        self, path: Path, *, tolerance: Time | None = None, gaps: Time | None = None
    ) -> Coroutine[Any, Any, None]:
        """Requires the session to match a trace. It is judged at the end."""
        place = callers_place()
        return self._match(self._started._session.matches(path, tolerance, gaps, place))

    async def _match(self, expected: Expected | None) -> None:
        __tracebackhide__ = True
        if expected is not None:
            await self._decide(expected)

    # What happened

    async def state(self) -> State:
        """Returns the turret's state now."""
        __tracebackhide__ = True
        return cast(State, await self._ask("state"))

    async def counts(self) -> Counts:
        """Returns how much has happened so far."""
        __tracebackhide__ = True
        return cast(Counts, await self._ask("counts"))

    async def events(self, kind: str | None = None, start: int = 0) -> list[Event]:
        """Returns the events so far, all or those of one kind, starting at an index."""
        return await asyncio.to_thread(self._started.events, kind, start)

    async def explain(self) -> str:
        """Returns a text with the fate of every byte, and what the sender probably meant."""
        return await asyncio.to_thread(self._started.explain)

    async def plot(self, path: Path | None = None) -> str:
        """Returns a picture of the session so far, as SVG. Writes it to `path` if that is given."""
        return await asyncio.to_thread(self._started.plot, path)

    async def record(self, path: Path | None = None) -> str:
        """Returns the session so far, as a trace. Writes it to `path` if that is given."""
        return await asyncio.to_thread(self._started.record, path)

    async def shrink(
        self,
        path: Path | None = None,
        *,
        rules: Path | None = None,
        against: Path | None = None,
        timeout: float = 60.0,
    ) -> str:
        """Returns the smallest session that fails as the session so far, as `Turret.shrink` does."""
        __tracebackhide__ = True
        return await asyncio.to_thread(
            self._started.shrink, path, rules=rules, against=against, timeout=timeout
        )

    # The end

    async def end(self) -> Report:
        """Ends the session. Returns the report. Raises `TurretFailure` as `Turret.end` does."""
        __tracebackhide__ = True
        return await asyncio.to_thread(self._started.end)

    async def close(self) -> None:
        """Ends the session without judging it."""
        if self._turret is not None:
            await asyncio.to_thread(self._turret.close)
