"""Cuts a corpus into batches. Starting the program must cost little compared with the work in each
batch, and at the end no worker must wait long for another."""

from collections.abc import Sequence
from dataclasses import dataclass

from sentrybench.fleet.traces import Trace

#: The cost of opening and reporting a trace, as the number of bytes verified in the same time.
TRACE_COST = 8 << 10
#: The assumed size of a trace whose size is unknown, in bytes.
UNKNOWN_SIZE = 256 << 10
#: The most traces in a batch: the name and the result of each are sent over the network.
COUNT_MAX = 4096
#: The sizes of batches, in bytes. The program verifies about 60 MB per second on the model, and
#: starts in 30 ms.
SMALLEST = 256 << 10
LARGEST = 64 << 20
#: The number of pieces that a batch that died is cut into, to find the trace that caused it.
PIECES = 8


@dataclass(frozen=True, eq=False)
class Batch:
    """Traces that one run of the program verifies."""

    traces: tuple[Trace, ...]
    #: How many batches with these traces have died: the program did, or several workers in a row.
    deaths: int = 0


def cost(trace: Trace) -> int:
    """Returns about how long a trace takes, as a number of bytes."""
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
    """Cuts a batch that died into about equal parts. A batch of one trace stays whole."""
    count = len(batch.traces)
    size = -(-count // PIECES)
    parts = (batch.traces[start : start + size] for start in range(0, count, size))
    return [Batch(part, batch.deaths + 1) for part in parts]
