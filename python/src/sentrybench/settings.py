"""The settings of a bench, and the command line that they become."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from .values import Time, length

Path = str | os.PathLike[str]


class BoardSettings(TypedDict, total=False):
    """The settings of any turret."""

    firmware: str
    """The name of a sketch that has a model, such as `classic`. By default `guarded`."""
    device: Path
    """`model` (the default), `avr:FILE`, `serial:PATH` or `rfc2217://HOST:PORT`."""
    profile: Path
    """A file that describes the sketch's commands, the name of a sketch, or `none`. By default, the
    commands are those of `firmware`."""
    baud: int
    """The board's speed in bits per second. By default, that of the profile or of the program on
    the chip, or else 9600."""
    pulses: bool
    """Whether the session contains the servo's pulses, which the rule `pulse` requires."""
    pins: Sequence[str]
    """The pins whose levels the session records from its start on, for example `["D7"]`. Those that
    the profile names are recorded in any case, and others from the first rule about them on."""
    faults: Sequence[str]
    """What disturbs the sender's line, as `sentrybench run --fault` takes it, in order:
    `["adapter:hm-10", "flip:1e-4"]`."""
    seed: int
    """The seed of the faults; 1 by default."""
    timeout: float
    """How long a rule can wait for its output, in seconds; 10 by default."""
    options: Sequence[str]
    """Further options of `sentrybench run`."""
    program: Path
    """The program's path. By default, the program is searched for."""
    folder: Path
    """The folder that golden traces' paths are relative to; the current one by default."""
    update: bool
    """Whether golden traces are written if they are missing or differ from the session."""


class TurretSettings(BoardSettings, total=False):
    """The settings of a turret in real time."""

    ready: bool
    """Whether to wait until the sketch listens; true by default."""
    reset_on_open: bool
    """Whether opening the port restarts the board, as it does with an Uno."""
    dead_time: Time
    """How long the bootloader then owns the line; 1 s by default. Requires `reset_on_open`."""
    network: bool
    """Whether the bench also listens for WebSocket, TCP and RFC 2217 on 127.0.0.1. By default, it
    does unless the device is a real board."""


TIMEOUT = 10.0
"""How long a rule can wait for its output by default, in seconds."""

_REAL = ("serial:", "rfc2217:")
_NETWORK = ("--websocket", "127.0.0.1:0", "--tcp", "127.0.0.1:0", "--rfc2217", "127.0.0.1:0")


def mistaken(settings: Mapping[str, Any], kind: type[BoardSettings]) -> str | None:
    """Returns what is wrong if a setting does not exist; otherwise `None`."""
    names = sorted(kind.__annotations__)
    for name in settings:
        if name not in names:
            message = f"expected one of {', '.join(names)}, found {name!r}"
            near = difflib.get_close_matches(name, names, 1)
            return f"{message}; did you mean {near[0]!r}?" if near else message
    return None


def arguments(settings: TurretSettings, folder: str, virtual: bool) -> list[str]:
    """Returns the arguments of `sentrybench` for a bench with its files in a private folder."""
    given = ["run", "--quiet", "--api", "-", "--record", os.path.join(folder, RECORD)]
    if virtual:
        given.append("--virtual")
    else:
        given += ["--pty", os.path.join(folder, "port")]
    if "firmware" in settings:
        given += ["--firmware", settings["firmware"]]
    device = os.fspath(settings.get("device", "model"))
    given += ["--device", device]
    if "profile" in settings:
        given += ["--profile", os.fspath(settings["profile"])]
    if "baud" in settings:
        given += ["--baud", str(settings["baud"])]
    if settings.get("pulses"):
        given.append("--pulses")
    if settings.get("pins"):
        given.append("--pins=" + ",".join(settings["pins"]))
    for fault in settings.get("faults", ()):
        given += ["--fault", fault]
    if "seed" in settings:
        given += ["--seed", str(settings["seed"])]
    if settings.get("reset_on_open"):
        given.append("--reset-on-open")
    if "dead_time" in settings:
        given += ["--boot-time", length(settings["dead_time"], "dead_time")]
    if not virtual and settings.get("network", not device.startswith(_REAL)):
        given += _NETWORK
    return given + list(settings.get("options", ()))


RECORD = "session.jsonl"
"""The name of the session's recording in the private folder."""
