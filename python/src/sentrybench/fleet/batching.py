"""Cuts a corpus into batches. The start of the program must cost little beside the work in each,
and at the end no worker must wait long for another."""

from collections.abc import Sequence
from dataclasses import dataclass

from sentrybench.fleet.traces import Trace

#: What it costs to open a trace and to report it, in bytes that are verified meanwhile.
TRACE_COST = 8 << 10
#: The size that a trace of unknown size counts as.
UNKNOWN_SIZE = 256 << 10
#: The most traces in a batch: each has a name and a result that travel.
COUNT_MAX = 4096
#: The program verifies about 60 MB a second on the model, and starts in 30 ms.
SMALLEST = 256 << 10
LARGEST = 64 << 20
#: How many pieces a batch that ended its worker is cut into, to find the trace that did it.
PIECES = 8


@dataclass(frozen=True, eq=False)
class Batch:
    """Traces that one run of the program verifies."""

    traces: tuple[Trace, ...]
    #: How many batches with these traces died: the program did, or worker after worker.
    deaths: int = 0


def cost(trace: Trace) -> int:
    """Returns about how long a trace takes, in bytes."""
    return TRACE_COST + (trace.size or UNKNOWN_SIZE)


def batches(traces: Sequence[Trace], threads: int, largest: int = LARGEST) -> list[Batch]:
    """Returns the batches in the order in which to send them: big traces first, and later batches
    smaller, so that the workers end together. A batch is bigger than `largest`, in bytes, only if
    it is one trace."""
    waiting = sorted(traces, key=cost, reverse=True)
    remaining = sum(map(cost, waiting))
    result: list[Batch] = []
    start = 0
    while start < len(waiting):
        limit = min(largest, max(min(SMALLEST, largest), remaining // (4 * max(threads, 1))))
        end, size = start, 0
        while end < len(waiting) and end - start < COUNT_MAX:
            size += cost(waiting[end])
            if size > limit and end > start:
                size -= cost(waiting[end])
                break
            end += 1
        result.append(Batch(tuple(waiting[start:end])))
        remaining -= size
        start = end
    return result


def pieces(batch: Batch) -> list[Batch]:
    """Returns a batch that died, cut into about equal parts; of one trace, the same again."""
    count = len(batch.traces)
    size = -(-count // PIECES)
    parts = (batch.traces[start : start + size] for start in range(0, count, size))
    return [Batch(part, batch.deaths + 1) for part in parts]
