"""A turret that follows a face, as a closed loop in virtual time."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from typing import IO, Any

from . import program
from .errors import TurretError, TurretFailure


@dataclasses.dataclass(frozen=True)
class Picture:
    """What a detector found in a picture of the rig's camera."""

    time: float
    """When the tracking program gets it, in seconds of the session."""
    found: list[dict[str, Any]]
    """What was found, as in the observation format: `box` is `[x, y, width, height]`, from 0 to 1,
    with the origin at the lower left."""


class Rig:
    """A rig: faces that move, a camera, a board, a servo with mass, and its supply.

        rig = Rig("visitor.yaml")
        for picture in rig:
            if picture.found:
                rig.send("X90.")
        rig.check()
        assert rig.figures["error_95"] < 5

    The loop runs the session once. `follow` lets the bench's own aim track instead.
    """

    def __init__(
        self,
        scene: str | os.PathLike[str],
        *,
        settings: Mapping[str, object] | None = None,
        seed: int | None = None,
        length: float | None = None,
        firmware: str | None = None,
        device: str | None = None,
        trace: str | os.PathLike[str] | None = None,
        picture: str | os.PathLike[str] | None = None,
    ) -> None:
        """Args:
        scene: the file with the scene.
        settings: other values than those in the file: `{"camera.delay": "120ms"}`.
        seed: the seed of the random numbers; None for that in the file.
        length: of the session in seconds; None for that in the file.
        firmware, device: as on the command line.
        trace, picture: files for the session's trace and its picture.
        """
        self._words = [os.fspath(scene)]
        for name, value in (settings or {}).items():
            if isinstance(value, bool):
                value = "yes" if value else "no"
            self._words.append(f"--with={name}={value}")
        for option, value in (
            ("seed", seed),
            ("for", None if length is None else f"{length:.6f}s"),
            ("firmware", firmware),
            ("device", device),
            ("output", None if trace is None else os.fspath(trace)),
            ("picture", None if picture is None else os.fspath(picture)),
        ):
            if value is not None:
                self._words.append(f"--{option}={value}")
        self._sent: list[bytes] = []
        self._figures: dict[str, Any] | None = None
        self._broken = ""
        self.camera: dict[str, Any] = {}
        """The header of the observations: the camera's `image` size, `fov` and more."""

    @property
    def figures(self) -> dict[str, Any]:
        """The figures of the session, after its end: those of `sentrybench rig --json`."""
        if self._figures is None:
            raise TurretError("the rig has not run to its end; iterate over it, or call follow()")
        return self._figures

    def send(self, data: bytes | str) -> None:
        """Sends bytes to the board, at the time of the present picture."""
        data = data.encode("latin-1") if isinstance(data, str) else bytes(data)
        if b"\n" in data or b"\r" in data:
            raise ValueError("a rig sends no line breaks")
        self._sent.append(data)

    def check(self) -> None:
        """Raises `TurretFailure` if a rule of the scene's file is broken."""
        __tracebackhide__ = True
        if self.figures.get("rules_failed", 0):
            raise TurretFailure(self._broken)

    def follow(self) -> dict[str, Any]:
        """Lets the bench's own aim track, with the options in the file. Returns the figures."""
        for _ in self._run(["--json"]):
            pass
        return self.figures

    def __iter__(self) -> Iterator[Picture]:
        return self._run(["--stdio"])

    def _run(self, options: list[str]) -> Iterator[Picture]:
        self._figures, self._broken = None, ""
        self._sent.clear()
        command = [program.find(), "rig", *self._words, *options, "-q"]
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
            )
            assert process.stdin is not None and process.stdout is not None
            try:
                yield from self._pictures(process.stdin, process.stdout)
            except GeneratorExit:
                process.kill()
                raise
            finally:
                with contextlib.suppress(OSError):
                    process.stdin.close()
                process.stdout.close()
                status = process.wait()
            errors.seek(0)
            text = errors.read().decode(errors="replace").strip()
        if self._figures is None or status not in (0, 1):
            raise TurretError(text or f"the rig ended with status {status}")
        self._broken = text

    def _pictures(self, stdin: IO[bytes], stdout: IO[bytes]) -> Iterator[Picture]:
        for line in stdout:
            values = json.loads(line)
            if "format" in values:
                self.camera = values
            elif "found" in values:
                self._sent.clear()
                yield Picture(values["t"], values["found"])
                with contextlib.suppress(BrokenPipeError):
                    stdin.write(b"".join(self._sent) + b"\n")
                    stdin.flush()
            else:
                self._figures = values
