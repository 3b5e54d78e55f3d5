"""A bench for a serial-controlled servo turret, inside your own tests.

`Turret` is one in real time, `AsyncTurret` the same for asyncio, and `VirtualTurret` one in virtual
time. The plugin for pytest gives each test a `turret` of its own. The program `sentrybench` judges;
this package only asks it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._version import __version__
from .conversation import Report
from .errors import TurretError, TurretFailure
from .events import Event
from .turret import Counts, State, Turret
from .virtual import VirtualTurret

if TYPE_CHECKING:
    from .asynchronous import AsyncTurret

__all__ = [
    "AsyncTurret",
    "Counts",
    "Event",
    "Report",
    "State",
    "Turret",
    "TurretError",
    "TurretFailure",
    "VirtualTurret",
    "__version__",
]


def __getattr__(name: str) -> object:
    # Not imported before it is used: asyncio takes longer to import than all the rest.
    if name == "AsyncTurret":
        from .asynchronous import AsyncTurret

        return AsyncTurret
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
