"""Reads a camera. A thread reads every picture; only the newest is kept for a slower consumer."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from threading import Event, Thread

from .errors import UNAVAILABLE, ExitError
from .file_sources import Capture
from .frame import Frame
from .newest import Newest

# An occasional damaged picture is not a reason to stop; this many in a row are.
FAILURES = 10


class LiveSource:
    """A camera. `clock`, in seconds, is read when a picture has arrived."""

    def __init__(
        self, capture: Capture, rate: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._capture = capture
        self._clock = clock
        self._newest: Newest[Frame] = Newest()
        self._closed = Event()
        self._reader = Thread(target=self._read, name="camera", daemon=True)
        self.rate = rate

    @property
    def dropped(self) -> int:
        return self._newest.dropped

    def frames(self) -> Iterator[Frame]:
        self._reader.start()
        while (frame := self._newest.take()) is not None:
            yield frame
        if not self._closed.is_set():
            raise ExitError("The camera delivers no more pictures.", UNAVAILABLE)

    def close(self) -> None:
        self._closed.set()
        if self._reader.is_alive():
            self._reader.join(timeout=2)
        # If the driver hangs in a read, the camera must not be released.
        if not self._reader.is_alive():
            self._capture.release()

    def _read(self) -> None:
        first: float | None = None
        failures = 0
        try:
            while not self._closed.is_set() and failures < FAILURES:
                there, picture = self._capture.read()
                now = self._clock()
                if not there or picture is None:
                    failures += 1
                    continue
                failures = 0
                first = now if first is None else first
                self._newest.put(Frame(now - first, picture))
        finally:
            self._newest.end()
