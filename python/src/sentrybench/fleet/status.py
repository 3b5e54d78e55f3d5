"""Exit statuses: those of `sentrybench verify`, and those that only a fleet has."""

from collections.abc import Iterable

AGREE = 0
DISAGREE = 1
USAGE = 64
MALFORMED = 65
NO_INPUT = 66
UNAVAILABLE = 69
#: The program or its worker died each time it verified a trace.
DIED = 70
INPUT_OUTPUT = 74
#: The scheduler or its workers were lost. The same command continues where it stopped.
INTERRUPTED = 75

_ORDER = (AGREE, DISAGREE, MALFORMED, NO_INPUT, UNAVAILABLE, INPUT_OUTPUT)


def worst(statuses: Iterable[int]) -> int:
    """Returns the exit status of the whole run; 0 without any statuses."""
    return max(statuses, key=_rank, default=AGREE)


def is_final(status: int) -> bool:
    """Whether a second run would have the same result, unless the trace changes."""
    return status in (AGREE, DISAGREE, MALFORMED)


def _rank(status: int) -> int:
    return _ORDER.index(status) if status in _ORDER else len(_ORDER)


class FleetError(Exception):
    """An error that ends the run, with the exit status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message

    def __reduce__(self) -> tuple[type["FleetError"], tuple[int, str]]:
        # Without this, an error with two arguments cannot be sent from a worker.
        return FleetError, (self.status, self.message)
