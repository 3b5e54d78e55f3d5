"""A turret in virtual time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import session as sessions
from .settings import BoardSettings
from .turret import BaseTurret
from .values import exact

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

STEP = 0.01
"""How far each step advances time while a rule is not decided, in seconds."""


class VirtualTurret(BaseTurret):
    """A turret in virtual time: time passes only when the test says so, and takes no real time.

        with VirtualTurret() as turret:
            turret.send(b"X90.", at=1.5).run(until=3)
            turret.expect(servo=90, within=0.05, of="X90.")

    It has no port. Raises `TurretError` if the bench does not start.
    """

    def __init__(self, **settings: Unpack[BoardSettings]) -> None:
        super().__init__(settings, virtual=True)

    def run(self, until: float) -> Self:
        """Lets time pass until this time of the session, in seconds. Returns the turret."""
        __tracebackhide__ = True
        self._result(self._session.ask("run", until=exact(until)))
        return self

    def _decide(self, expected: sessions.Expected, timeout: float = 0) -> None:
        """Lets time pass until a rule is decided."""
        __tracebackhide__ = True
        # Answers arrive in order, except those of undecided rules, so a decided rule has its answer
        # once `time` has returned.
        begin = self.time
        steps = 0
        while not expected.answer.done() and steps * STEP <= timeout + STEP:
            steps += 1
            self.run(begin + steps * STEP)
        super()._decide(expected, 0)
