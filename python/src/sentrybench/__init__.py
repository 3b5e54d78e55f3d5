"""A bench for a serial-controlled servo turret, inside your own tests.

`Turret` runs in real time, `AsyncTurret` is the same for asyncio, and `VirtualTurret` runs in
virtual time. `Rig` is a turret that follows a face, in virtual time. The plugin for pytest gives each test its own `turret`. All judging is done by the
program `sentrybench`; this package only talks to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._version import __version__
from .conversation import Report
from .errors import TurretError, TurretFailure
from .events import Event
from .rig import Picture, Rig
from .turret import Counts, State, Turret
from .virtual import VirtualTurret

if TYPE_CHECKING:
    from .asynchronous import AsyncTurret

__all__ = [
    "AsyncTurret",
    "Counts",
    "Event",
    "Picture",
    "Report",
    "Rig",
    "State",
    "Turret",
    "TurretError",
    "TurretFailure",
    "VirtualTurret",
    "__version__",
]


def __getattr__(name: str) -> object:
    # Imported only when it is used: asyncio takes longer to import than everything else.
    if name == "AsyncTurret":
        from .asynchronous import AsyncTurret

        return AsyncTurret
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
